/* Sparse assembly against full matrices, and linear systems small and large against known solutions. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "linalg/blocked_order.h"
#include "linalg/csr.h"
#include "linalg/linear.h"

static uint64_t seed = 1;

static double signed_random(void) {
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(seed >> 11) / 4503599627370496.0 - 1;
}

/* Two overlapping blocks, one of them transposed and cut to a range of rows. */
static void blocks(void **state) {
    (void)state;
    int start[] = {0, 2, 3, 5}, index[] = {0, 2, 1, 0, 3};
    double value[] = {1, 2, 3, 4, 5};
    carom_pattern p = {3, 4, start, index};
    csr_block b[] = {{&p, 0, 3, 1, 0, false, NULL}, {&p, 1, 3, 0, 2, true, NULL}};
    csr m;
    assert_true(csr_assemble(&m, 5, 5, b, 2));
    csr_add(&m, &b[0], 1, value);
    csr_add(&m, &b[1], 10, value);
    double expected[5][5] = {{0, 0, 0, 40, 0}, {1, 0, 32, 0, 0}, {0, 3, 0, 0, 0}, {4, 0, 0, 55, 0}, {0, 0, 0, 0, 0}};
    for (int i = 0; i < 5; i++) {
        double full[5] = {0};
        for (int e = m.start[i]; e < m.start[i + 1]; e++) {
            assert_true(e == m.start[i] || m.index[e] > m.index[e - 1]);
            full[m.index[e]] = m.value[e];
        }
        assert_memory_equal(full, expected[i], sizeof full);
    }
    csr_zero(&m);
    for (int e = 0; e < m.start[5]; e++) assert_true(m.value[e] == 0);
    csr_blocks_free(b, 2);
    csr_free(&m);
}

static void products(void **state) {
    (void)state;
    int start[] = {0, 2, 3}, index[] = {0, 2, 1};
    double value[] = {1, 2, 3}, x[] = {1, 10, 100}, y[2] = {1, 1}, r[] = {1, 10}, back[3] = {0};
    carom_pattern p = {2, 3, start, index};
    pattern_multiply(&p, value, 2, x, y);
    assert_true(y[0] == 1 + 2 * 201 && y[1] == 1 + 2 * 30);
    pattern_multiply_transposed(&p, value, 1, r, back);
    assert_true(back[0] == 1 && back[1] == 30 && back[2] == 2);
}

typedef struct system_of {
    int n, *start, *index;
    double *value, *x, *b;
} system_of;

/* Banded and diagonally dominant, so that its condition is small, or random with a third of its entries, or full; rows
 * shuffled to force pivoting. */
enum { BANDED, THIRD, FULL };

static bool is_entry(int kind, int row, int column) {
    return kind == BANDED ? abs(column - row) <= 2 : kind == FULL || column == row || signed_random() < -1.0 / 3;
}

static system_of make_system(int n, int kind) {
    const bool full = kind != BANDED;
    size_t most = (size_t)n * (size_t)(full ? n : 5);
    system_of s = {n,
                   calloc((size_t)n + 1, sizeof(int)),
                   calloc(most, sizeof(int)),
                   calloc(most, sizeof(double)),
                   calloc((size_t)n, sizeof(double)),
                   calloc((size_t)n, sizeof(double))};
    for (int j = 0; j < n; j++) s.x[j] = signed_random();
    int e = 0;
    for (int i = 0; i < n; i++) {
        int row = (i * 7 + 3) % n; /* n is no multiple of 7 */
        for (int j = 0; j < n; j++) {
            if (!is_entry(kind, row, j)) continue;
            s.index[e] = j;
            s.value[e] = j == row ? 3 + fabs(signed_random()) : signed_random() / (full ? n / 4.0 + 1 : 2);
            s.b[i] += s.value[e] * s.x[j];
            e++;
        }
        s.start[i + 1] = e;
    }
    return s;
}

static void free_system(system_of *s) {
    free(s->start), free(s->index), free(s->value), free(s->x), free(s->b);
}

/* A^T of the solution */
static void multiply_transposed(const system_of *s, double *to) {
    const carom_pattern p = {s->n, s->n, s->start, s->index};
    memset(to, 0, (size_t)s->n * sizeof *to);
    pattern_multiply_transposed(&p, s->value, 1, s->x, to);
}

static void solves(void **state) {
    (void)state;
    int sizes[] = {1, 2, 5, 20, 24, 25, 65, 100, 128, 129, 1000, 5000};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        for (int kind = BANDED; kind <= (sizes[k] <= 130 ? FULL : BANDED); kind++) {
            system_of s = make_system(sizes[k], kind);
            linear *l = linear_create(s.n, s.start[s.n]);
            for (int again = 0; again < 2; again++) { /* the second time with the factors of the first at hand */
                double *x = malloc((size_t)s.n * sizeof *x);
                memcpy(x, s.b, (size_t)s.n * sizeof *x);
                assert_true(linear_factor(l, s.n, s.start, s.index, s.value));
                linear_solve(l, x);
                for (int i = 0; i < s.n; i++) assert_true(fabs(x[i] - s.x[i]) < 1e-13); /* condition below 100 */
                multiply_transposed(&s, x);
                linear_solve_transposed(l, x);
                for (int i = 0; i < s.n; i++) assert_true(fabs(x[i] - s.x[i]) < 1e-12);
                assert_true(s.n > 130 || linear_factor_laws(l, s.n, s.n / 2, s.n / 2, s.start, s.index, s.value));
                multiply_transposed(&s, x);
                linear_solve_transposed(l, x);
                for (int i = 0; i < s.n; i++) assert_true(fabs(x[i] - s.x[i]) < 1e-11);
                free(x);
            }
            linear_destroy(l);
            free_system(&s);
        }
}

/* A row that is the sum of two others is found, small and large; the next regular system is solved again. */
static void finds_dependence(void **state) {
    (void)state;
    int sizes[] = {3, 40, 100, 200};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        int n = sizes[k];
        system_of s = make_system(n, FULL);
        linear *l = linear_create(n, n * n);
        double *kept = malloc((size_t)n * sizeof *kept);
        memcpy(kept, s.value + 2 * n, (size_t)n * sizeof *kept);
        for (int j = 0; j < n; j++) s.value[2 * n + j] = s.value[j] + s.value[n + j];
        assert_false(linear_factor(l, n, s.start, s.index, s.value));
        memcpy(s.value + 2 * n, kept, (size_t)n * sizeof *kept);
        assert_true(linear_factor(l, n, s.start, s.index, s.value));
        linear_forget(l);
        assert_true(linear_factor(l, n, s.start, s.index, s.value));
        free(kept);
        linear_destroy(l);
        free_system(&s);
    }
}

/* A joint between a stiff, light body and a heavy one, k x_1 + f = a, x_2 - f = b, x_1 - x_2 = c, behind n - 3 unit
 * rows: the pivots 1, k and 1/k are no sign of dependence, and digits are kept. The joint written twice is dependent.
 */
static void stiffness_is_no_dependence(void **state) {
    (void)state;
    const double k = 1e13;
    int sizes[] = {4, 40};
    for (size_t m = 0; m < sizeof sizes / sizeof *sizes; m++)
        for (int twice = 0; twice < 2; twice++) {
            int n = sizes[m], start[50], index[60], e = 0, o = n - 3 - twice;
            double value[60], x[50];
            linear *l = linear_create(n, 60);
            for (int i = 0; i < o; i++) start[i] = e, index[e] = i, value[e++] = 1, x[i] = 1;
            start[o] = e, index[e] = o, value[e++] = k, index[e] = o + 2, value[e++] = 1, x[o] = k + 3;
            if (twice) index[e] = o + 3, value[e++] = 1;
            start[o + 1] = e, index[e] = o + 1, value[e++] = 1, index[e] = o + 2, value[e++] = -1, x[o + 1] = -1;
            if (twice) index[e] = o + 3, value[e++] = -1;
            for (int i = o + 2; i < n; i++) {
                start[i] = e, index[e] = o, value[e++] = 1, index[e] = o + 1, value[e++] = -1;
                x[i] = -1;
            }
            start[n] = e;
            assert_int_equal(linear_factor(l, n, start, index, value), !twice);
            if (!twice) {
                const double exact[3] = {1, 2, 3};
                linear_solve(l, x);
                for (int i = 0; i < 3; i++) assert_true(fabs(x[o + i] - exact[i]) < 1e-14); /* a few units of 3 */
            }
            linear_destroy(l);
        }
}

/* A tridiagonal matrix takes a multiplication or two for each pivot and three entries for each row; a full one about
 * n^3/3 and n^2. */
static void work_is_counted(void **state) {
    (void)state;
    enum { LONG = 1000, SMALL = 20 };
    int start[LONG + 1] = {0}, index[3 * LONG];
    double value[3 * LONG];
    for (int i = 0, e = 0; i < LONG; i++, start[i] = e)
        for (int j = i > 0 ? i - 1 : 0; j <= i + 1 && j < LONG; j++, e++) index[e] = j, value[e] = i == j ? 4 : -1;
    linear *l = linear_create(LONG, 3 * LONG);
    assert_true(linear_factor(l, LONG, start, index, value));
    assert_in_range((int)linear_factor_work(l), LONG, 3 * LONG);
    assert_in_range((int)linear_solve_work(l), 2 * LONG, 4 * LONG);
    for (int i = 0, e = 0; i < SMALL; i++, start[i] = e)
        for (int j = 0; j < SMALL; j++, e++) index[e] = j, value[e] = i == j ? 4 : 1.0 / (i + j);
    assert_true(linear_factor(l, SMALL, start, index, value));
    assert_in_range((int)linear_factor_work(l), SMALL * SMALL * SMALL / 4, SMALL * SMALL * SMALL / 2);
    assert_in_range((int)linear_solve_work(l), SMALL * SMALL, SMALL * SMALL);
    linear_destroy(l);
}

/* A chain of masses held by ties between neighbours, [M -W; W^T 0]: rows have two to four entries, so a plan pays. The
 * masses are between 1 and 2, the ties have length one: the condition stays below 100 n. */
enum { MASSES = 12, TIES = MASSES - 1, CHAINED = MASSES + TIES };
static system_of make_chain(int ties) {
    system_of s = {MASSES + ties,
                   calloc(CHAINED + 1, sizeof(int)),
                   calloc(4 * CHAINED, sizeof(int)),
                   calloc(4 * CHAINED, sizeof(double)),
                   calloc(CHAINED, sizeof(double)),
                   calloc(CHAINED, sizeof(double))};
    int e = 0;
    for (int j = 0; j < s.n; j++) s.x[j] = signed_random();
    for (int i = 0; i < s.n; i++) {
        for (int j = 0; j < s.n; j++) {
            const int mass = i < MASSES ? i : j, tie = (i < MASSES ? j : i) - MASSES;
            const bool tied = (i < MASSES) != (j < MASSES) && (mass == tie || mass == tie + 1);
            if (i != j && !tied) continue;
            s.index[e] = j;
            s.value[e] = i == j ? (i < MASSES ? 1.5 + signed_random() / 2 : 0) : (mass == tie ? 0.6 : -0.8);
            if (i < MASSES && j >= MASSES) s.value[e] *= -1;
            s.b[i] += s.value[e] * s.x[j], e++;
        }
        s.start[i + 1] = e;
    }
    return s;
}

static void check_by_plan(linear *l, const system_of *s) {
    double *x = malloc((size_t)s->n * sizeof *x);
    memcpy(x, s->b, (size_t)s->n * sizeof *x);
    assert_true(linear_factor_by_plan(l, s->n, MASSES, s->start, s->index, s->value));
    linear_solve(l, x);
    for (int i = 0; i < s->n; i++) assert_true(fabs(x[i] - s->x[i]) < 1e-12); /* eps times the condition */
    multiply_transposed(s, x);
    linear_solve_transposed(l, x);
    for (int i = 0; i < s->n; i++) assert_true(fabs(x[i] - s->x[i]) < 1e-12);
    free(x);
}

/* More patterns than are kept, again and again; numbers that its pivots do not suit are left to the search for pivots,
 * and so are patterns that fill in. */
static void follows_plans(void **state) {
    (void)state;
    linear *l = linear_create(CHAINED, 4 * CHAINED);
    for (int again = 0; again < 3; again++)
        for (int ties = 0; ties <= TIES; ties++) {
            system_of s = make_chain(ties);
            check_by_plan(l, &s);
            s.value[0] = 1e-3; /* the first mass is light: its pivot would magnify the round-off of all that it holds */
            if (ties > 0) assert_false(linear_factor_by_plan(l, s.n, MASSES, s.start, s.index, s.value));
            assert_true(linear_factor(l, s.n, s.start, s.index, s.value));
            s.value[s.start[1]] = NAN;
            assert_false(linear_factor_by_plan(l, s.n, MASSES, s.start, s.index, s.value));
            free_system(&s);
        }
    linear_destroy(l);
    system_of full = make_system(20, FULL);
    l = linear_create(20, 400);
    assert_false(linear_factor_by_plan(l, 20, 10, full.start, full.index, full.value));
    linear_destroy(l);
    free_system(&full);
}

/* A tie written twice is dependence. */
static void plan_finds_dependence(void **state) {
    (void)state;
    system_of s = make_chain(2);
    linear *l = linear_create(s.n, 4 * CHAINED);
    check_by_plan(l, &s);
    int start[CHAINED + 1], index[4 * CHAINED], e = 0;
    double value[4 * CHAINED];
    for (int i = 0; i < MASSES + 2; i++) { /* both ties hold masses 0 and 1 */
        start[i] = e;
        if (i < MASSES) index[e] = i, value[e++] = s.value[s.start[i]];
        for (int j = 0; j < 2; j++)
            if (i < 2) index[e] = MASSES + j, value[e++] = i == 0 ? -0.6 : 0.8;
            else if (i >= MASSES) index[e] = j, value[e++] = j == 0 ? 0.6 : -0.8;
        if (i >= MASSES) index[e] = i, value[e++] = 0;
    }
    start[MASSES + 2] = e;
    assert_false(linear_factor_by_plan(l, MASSES + 2, MASSES, start, index, value));
    assert_false(linear_factor(l, MASSES + 2, start, index, value));
    linear_destroy(l);
    free_system(&s);
}

/* Pivots of last time do where numbers change by little, and others are found where those become small: pairs of
 * unknowns with the matrix (a, 1; 1, 0.1), a = 1 and then 1e-5, by which elimination would lose five digits. */
static void pivots_are_found_again(void **state) {
    (void)state;
    enum { PAIRS = 100, N = 2 * PAIRS };
    int start[N + 1], index[2 * N];
    double value[2 * N], x[N];
    linear *l = linear_create(N, 2 * N);
    for (int k = 0; k <= N; k++) start[k] = 2 * k;
    for (int e = 0; e < 2 * N; e++) index[e] = e / 4 * 2 + e % 2;
    static const double a[] = {1, 1.2, 1e-5, 1};
    for (int turn = 0; turn < 4; turn++) {
        for (int k = 0; k < PAIRS; k++) {
            const double pair[] = {a[turn], 1, 1, 0.1};
            memcpy(value + 4 * k, pair, sizeof pair);
            x[2 * k] = a[turn] + 3, x[2 * k + 1] = 1.3; /* of the solution 1, 3 */
        }
        assert_true(linear_factor(l, N, start, index, value));
        linear_solve(l, x);
        for (int i = 0; i < N; i++) assert_true(fabs(x[i] - 1 - i % 2 * 2) < 1e-14); /* condition below 20 */
    }
    linear_destroy(l);
}

/* A ring of links with six velocities each, hinged by five rows to the next: M du - W dr = .., W^T du + delta dr = ..,
 * with random arms; doubled: without delta, and the last row is the one before it. (S23) takes the bodies first, and
 * leaves each hinge two neighbours and the one at which elimination began: so many pivots times the square of 3 * 5,
 * and those of bodies with two hinges, whatever n is. */
enum { LINK = 11, HINGE = 5 };

static system_of make_ring(int links, bool doubled) {
    const int n = LINK * links, first = 6 * links;
    system_of s = {n,
                   calloc((size_t)n + 1, sizeof(int)),
                   calloc(22 * (size_t)n, sizeof(int)),
                   calloc(22 * (size_t)n, sizeof(double)),
                   calloc((size_t)n, sizeof(double)),
                   calloc((size_t)n, sizeof(double))};
    double *W = calloc((size_t)(links * HINGE * 12), sizeof *W);
    for (int i = 0; i < links * HINGE * 12; i++) W[i] = signed_random();
    if (doubled) memcpy(W + 12 * (HINGE * links - 1), W + 12 * (HINGE * links - 2), 12 * sizeof *W);
    for (int j = 0; j < n; j++) s.x[j] = signed_random();
    int e = 0;
    for (int i = 0; i < n; i++) {
        if (i < first)
            for (int side = 0; side < 2; side++) { /* of the hinge after this link, then of the one before it */
                const int hinge = (i / 6 + (side ? links - 1 : 0)) % links;
                for (int k = 0; k < HINGE; k++) {
                    s.index[e] = first + HINGE * hinge + k;
                    s.value[e++] = -W[(hinge * HINGE + k) * 12 + 6 * side + i % 6];
                }
            }
        else
            for (int side = 0; side < 2; side++)
                for (int j = 0; j < 6; j++) {
                    s.index[e] = 6 * (((i - first) / HINGE + side) % links) + j;
                    s.value[e++] = W[(i - first) * 12 + 6 * side + j];
                }
        s.index[e] = i, s.value[e++] = i < first ? 1 : doubled ? 0 : 1e-3;
        s.start[i + 1] = e;
    }
    for (int i = 0; i < n; i++)
        for (e = s.start[i]; e < s.start[i + 1]; e++) s.b[i] += s.value[e] * s.x[s.index[e]];
    free(W);
    return s;
}

/* Products of elimination in this order, by pivots on the diagonal. */
static long products_of(const system_of *s, const int *order) {
    const size_t n = (size_t)s->n;
    char *entry = calloc(n * n, 1);
    long products = 0;
    for (int i = 0; i < s->n; i++)
        for (int e = s->start[i]; e < s->start[i + 1]; e++) entry[(size_t)i * n + (size_t)s->index[e]] = 1;
    for (int k = 0; k < s->n; k++) {
        const size_t p = (size_t)order[k];
        assert_true(entry[p * n + p]);
        for (int i = k + 1; i < s->n; i++)
            for (int j = k + 1; j < s->n && entry[(size_t)order[i] * n + p]; j++)
                if (entry[p * n + (size_t)order[j]]) entry[(size_t)order[i] * n + (size_t)order[j]] = 1, products++;
    }
    free(entry);
    return products;
}

static void rings_fill_in_little(void **state) {
    (void)state;
    for (int links = 5; links <= 80; links *= 4) {
        system_of s = make_ring(links, false);
        const int first = 6 * links;
        int *order = calloc((size_t)s.n, sizeof *order), *begin = calloc((size_t)s.n + 1, sizeof *begin), blocks;
        assert_int_equal(blocked_order(s.n, first, first, s.start, s.index, order, begin, &blocks), BLOCKED);
        assert_int_equal(blocks, 2 * links); /* the velocities of a link, the rows of a hinge */
        for (int k = 0; k < s.n; k++) assert_int_equal(order[k] >= first, k >= first);
        assert_true(products_of(&s, order) <= links * (6 * 10 * 10 + HINGE * 15 * 15));
        linear *l = linear_create_joints(s.n, s.start[s.n], first, first, s.n - first);
        assert_true(linear_factor(l, s.n, s.start, s.index, s.value));
        linear_solve(l, s.b);
        for (int i = 0; i < s.n; i++) assert_true(fabs(s.b[i] - s.x[i]) < 1e-9); /* condition below 1e5 */
        multiply_transposed(&s, s.b);
        linear_solve_transposed(l, s.b);
        for (int i = 0; i < s.n; i++) assert_true(fabs(s.b[i] - s.x[i]) < 1e-9);
        linear_destroy(l);
        free(order), free(begin);
        free_system(&s);
    }
}

/* A row that is there twice makes the system singular. Left out, it is satisfied all the same, and what the two rows
 * exert against each other does nothing, (S25). */
static void doubled_rows_are_left_out(void **state) {
    (void)state;
    const int links = 20, first = 6 * links;
    system_of s = make_ring(links, true);
    const carom_pattern A = {s.n, s.n, s.start, s.index};
    double *r = calloc((size_t)s.n, sizeof *r), *y = calloc((size_t)s.n, sizeof *y);
    linear *l = linear_create_joints(s.n, s.start[s.n], first, first, s.n - first);
    assert_false(linear_factor(l, s.n, s.start, s.index, s.value));
    assert_int_equal(linear_factor_dependent(l, s.n, s.start, s.index, s.value), 1);
    memcpy(y, s.b, (size_t)s.n * sizeof *y);
    linear_solve(l, y);
    pattern_multiply(&A, s.value, 1, y, r);
    for (int i = 0; i < s.n; i++) assert_true(fabs(r[i] - s.b[i]) < 1e-10); /* condition below 1e5 */
    assert_true(y[s.n - 1] == 0);
    for (int transposed = 0; transposed < 2; transposed++) {
        (transposed ? linear_null_transposed : linear_null)(l, 0, y);
        for (int i = 0; i < s.n; i++) /* 1 at the last row, -1 at the one before, 0 elsewhere */
            assert_true(fabs(y[i] - (i == s.n - 1) + (i == s.n - 2)) < 1e-10);
    }
    linear_destroy(l);
    free(r), free(y);
    free_system(&s);
}

/* A body with very many joints fills in W^T M^-1 W: another order has to be found. */
static void stars_fill_in(void **state) {
    (void)state;
    enum { JOINTS = 40, N = 1 + 2 * JOINTS };
    int start[N + 1], index[5 * N], order[N], begin[N + 1], blocks, e = 0;
    for (int i = 0; i < N; i++) {
        start[i] = e;
        index[e++] = i;
        for (int k = 0; k < JOINTS && i == 0; k++) index[e++] = 1 + JOINTS + k;
        if (i > 0 && i <= JOINTS) index[e++] = i + JOINTS;
        if (i > JOINTS) index[e++] = 0, index[e++] = i - JOINTS;
    }
    start[N] = e;
    assert_int_equal(blocked_order(N, 1 + JOINTS, 1 + JOINTS, start, index, order, begin, &blocks),
                     BLOCKED_DOES_NOT_PAY);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(blocks),
                                       cmocka_unit_test(products),
                                       cmocka_unit_test(solves),
                                       cmocka_unit_test(finds_dependence),
                                       cmocka_unit_test(stiffness_is_no_dependence),
                                       cmocka_unit_test(work_is_counted),
                                       cmocka_unit_test(follows_plans),
                                       cmocka_unit_test(plan_finds_dependence),
                                       cmocka_unit_test(pivots_are_found_again),
                                       cmocka_unit_test(rings_fill_in_little),
                                       cmocka_unit_test(doubled_rows_are_left_out),
                                       cmocka_unit_test(stars_fill_in)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
