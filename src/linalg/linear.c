/* Small systems: Gaussian elimination with row pivoting on full rows that skips zero multipliers. Up to LINEAR_DENSE
 * unknowns it costs less than LAPACK's dgetrf, full or sparse, and depends on nothing but its matrix. Up to LINEAR_FULL
 * it costs less than KLU where most of the matrix fills in, as that of the stages of one body does.
 * Large systems: dense blocks in the order (S23) where joints decide, else KLU, ordered by AMD, or COLAMD. KLU wants
 * columns, so it is given A^T and asked for transposed solutions. build/bench/linear_switch prints the measurement
 * behind both. */
#include "linalg/linear.h"

#include <amd.h>
#include <float.h>
#include <klu.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/blocked.h"
#include "linalg/ordered.h"
#include "linalg/planned.h"

static const double RANK = 1e-11; /* where rows and columns are of order one, smaller pivots are round-off of a zero */

struct linear {
    int size;                    /* at most */
    int n;                       /* of the present factorisation */
    int limit;                   /* of dense systems */
    int full;                    /* and of those with many entries */
    int balances, first, joints; /* rows of balances, the first row of laws, and how many of these are of joints */
    bool dense;
    double *a, **row; /* dense: the factors, rows in order of elimination */
    int *perm;
    double *work;
    bool scaled; /* the factors are those of (S10) */
    bool needed; /* (S10) was, the last time */
    bool by_laws;
    bool exhausted;   /* memory ran out in the last factorisation */
    ordered *ordered; /* (S12), when it is needed first */
    planned *planned; /* (S21); NULL: the system is too large */
    bool by_plan;
    double *value, *row_scale, *column_scale;
    int *start, *index; /* sparse: the pattern of the present symbolic analysis */
    int patterned, nnz; /* its rows and entries */
    bool in_blocks;     /* the present factors are those of blocked */
    bool analysed;      /* the pattern has been asked for them */
    blocked *blocked;   /* (S23); NULL: it is not for this pattern */
    klu_common common;
    bool strayed; /* its order is not the one that it alone asks for */
    klu_symbolic *symbolic;
    klu_numeric *numeric;
    double *pivot; /* sizes of the pivots where they were searched for last */
};

static linear *create(int n, int nnz, int dense, int full, int balances, int first, int joints) {
    linear *l = calloc(1, sizeof *l);
    if (!l) return NULL;
    size_t m = (size_t)(n < full ? n : full) + 1;
    l->a = malloc(m * m * sizeof *l->a);
    l->row = malloc(m * sizeof *l->row);
    l->perm = malloc(m * sizeof *l->perm);
    l->work = malloc(((size_t)n + 1) * sizeof *l->work);
    l->value = malloc(((size_t)nnz + 1) * sizeof *l->value);
    l->row_scale = malloc(((size_t)n + 1) * sizeof *l->row_scale);
    l->column_scale = malloc(((size_t)n + 1) * sizeof *l->column_scale);
    l->pivot = malloc(((size_t)n + 1) * sizeof *l->pivot);
    l->start = malloc(((size_t)n + 1) * sizeof *l->start);
    l->index = malloc(((size_t)nnz + 1) * sizeof *l->index);
    l->size = n;
    l->limit = dense, l->full = full;
    l->balances = balances, l->first = first, l->joints = joints;
    klu_defaults(&l->common);
    l->common.scale = -1; /* rows come scaled, and their indices are right: KLU need not look */
    l->common.tol = 0.1;  /* the default, 0.001, prefers the diagonal so much that a thousandfold growth passes */
    if (n <= PLANNED_MOST) l->planned = planned_create(n);
    if ((n <= PLANNED_MOST && !l->planned) || !l->a || !l->row || !l->perm || !l->work || !l->value || !l->row_scale ||
        !l->column_scale || !l->pivot || !l->start || !l->index) {
        linear_destroy(l);
        return NULL;
    }
    return l;
}

linear *linear_create(int n, int nnz) {
    return create(n, nnz, LINEAR_DENSE, LINEAR_FULL, n, n, 0);
}

linear *linear_create_joints(int n, int nnz, int balances, int first, int joints) {
    return create(n, nnz, LINEAR_DENSE, LINEAR_FULL, balances, first, joints);
}

linear *linear_create_switched(int n, int nnz, int dense) {
    return create(n, nnz, dense, dense, n, n, 0);
}

void linear_destroy(linear *l) {
    if (!l) return;
    klu_free_numeric(&l->numeric, &l->common);
    klu_free_symbolic(&l->symbolic, &l->common);
    blocked_destroy(l->blocked);
    ordered_destroy(l->ordered);
    planned_destroy(l->planned);
    free(l->a);
    free(l->row);
    free(l->perm);
    free(l->work);
    free(l->value);
    free(l->row_scale);
    free(l->column_scale);
    free(l->pivot);
    free(l->start);
    free(l->index);
    free(l);
}

/* ---------------------------------------------------------------- small */

/* r -= f p, four entries at once: the rounding of each is that of the plain loop. */
static void subtract(int n, double f, const double *restrict p, double *restrict r) {
    int j = 0;
    for (; j + 4 <= n; j += 4) {
        const double a = r[j] - f * p[j], b = r[j + 1] - f * p[j + 1];
        const double c = r[j + 2] - f * p[j + 2], d = r[j + 3] - f * p[j + 3];
        r[j] = a, r[j + 1] = b, r[j + 2] = c, r[j + 3] = d;
    }
    for (; j < n; j++) r[j] -= f * p[j];
}

static bool dense_factor(linear *l, const int *start, const int *index, const double *value) {
    int n = l->n;
    memset(l->a, 0, (size_t)n * (size_t)n * sizeof *l->a);
    for (int i = 0; i < n; i++) {
        l->row[i] = l->a + (size_t)i * (size_t)n;
        l->perm[i] = i;
        for (int e = start[i]; e < start[i + 1]; e++) l->row[i][index[e]] = value[e];
    }
    double smallest = DBL_MAX, largest = 0;
    for (int k = 0; k < n; k++) {
        int p = k;
        double most = fabs(l->row[k][k]);
        for (int i = k + 1; i < n; i++) {
            const double entry = fabs(l->row[i][k]);
            if (entry > most) most = entry, p = i;
        }
        double *pivot = l->row[p];
        int moved = l->perm[p];
        l->row[p] = l->row[k], l->perm[p] = l->perm[k];
        l->row[k] = pivot, l->perm[k] = moved;
        if (!(fabs(pivot[k]) > 0)) return false;
        smallest = fmin(smallest, fabs(pivot[k]));
        largest = fmax(largest, fabs(pivot[k]));
        double inverse = 1 / pivot[k];
        for (int i = k + 1; i < n; i++) {
            double *r = l->row[i];
            if (r[k] == 0) continue;
            subtract(n - k - 1, r[k] *= inverse, pivot + k + 1, r + k + 1);
        }
    }
    return smallest > RANK * largest;
}

/* sum - a x, one product after the other, four in a turn of the loop. */
static inline double less_product(double sum, int n, const double *restrict a, const double *restrict x) {
    int j = 0;
    for (; j + 4 <= n; j += 4) {
        sum -= a[j] * x[j];
        sum -= a[j + 1] * x[j + 1];
        sum -= a[j + 2] * x[j + 2];
        sum -= a[j + 3] * x[j + 3];
    }
    for (; j < n; j++) sum -= a[j] * x[j];
    return sum;
}

static void dense_solve(linear *l, double *b) {
    int n = l->n;
    double *x = l->work;
    for (int i = 0; i < n; i++) x[i] = less_product(b[l->perm[i]], i, l->row[i], x);
    for (int i = n - 1; i >= 0; i--) x[i] = less_product(x[i], n - i - 1, l->row[i] + i + 1, x + i + 1) / l->row[i][i];
    memcpy(b, x, (size_t)n * sizeof *b);
}

/* P A = L U: A^T x = b is U^T y = b, L^T (P x) = y. */
static void dense_solve_transposed(linear *l, double *b) {
    int n = l->n;
    double *x = l->work;
    memcpy(x, b, (size_t)n * sizeof *x);
    for (int i = 0; i < n; i++) {
        x[i] /= l->row[i][i];
        for (int j = i + 1; j < n; j++) x[j] -= l->row[i][j] * x[i];
    }
    for (int i = n - 1; i > 0; i--)
        for (int j = 0; j < i; j++) x[j] -= l->row[i][j] * x[i];
    for (int i = 0; i < n; i++) b[l->perm[i]] = x[i];
}

/* ---------------------------------------------------------------- large */

static bool same_pattern(const linear *l, int n, const int *start, const int *index) {
    return l->analysed && l->patterned == n && l->nnz == start[n] &&
           !memcmp(l->start, start, ((size_t)n + 1) * sizeof *start) &&
           !memcmp(l->index, index, (size_t)start[n] * sizeof *index);
}

/* (S23) is for joints that are not few beside contacts. */
static void keep_pattern(linear *l, int n, const int *start, const int *index) {
    klu_free_numeric(&l->numeric, &l->common);
    klu_free_symbolic(&l->symbolic, &l->common);
    blocked_destroy(l->blocked);
    l->strayed = false;
    l->patterned = n;
    l->nnz = start[n];
    memcpy(l->start, start, ((size_t)n + 1) * sizeof *start);
    memcpy(l->index, index, (size_t)l->nnz * sizeof *index);
    const bool joints = l->joints > 0 && n - l->first <= 2 * l->joints;
    l->blocked = NULL;
    if (joints) l->exhausted = blocked_create(n, l->balances, l->first, start, index, &l->blocked) == BLOCKED_NO_MEMORY;
    l->analysed = !l->exhausted;
}

enum { AMD, COLAMD }; /* as KLU has them */

static bool analyse_by(linear *l, int ordering) {
    klu_free_numeric(&l->numeric, &l->common);
    klu_free_symbolic(&l->symbolic, &l->common);
    l->common.ordering = ordering;
    l->symbolic = klu_analyze(l->n, l->start, l->index, &l->common);
    return l->symbolic != NULL;
}

/* The smallest pivot over the largest one. */
static double least_pivot(const linear *l) {
    double smallest = DBL_MAX, largest = 0;
    const double *diagonal = l->numeric->Udiag;
    for (int i = 0; i < l->n; i++) {
        if (isnan(diagonal[i])) return 0;
        smallest = fmin(smallest, fabs(diagonal[i]));
        largest = fmax(largest, fabs(diagonal[i]));
    }
    return smallest / largest;
}

/* AMD reckons with pivots on the diagonal. Where joints close loops, others are taken and may fill in most of the
 * matrix; the fill of COLAMD has a bound for all of them. */
static bool fills_in(const linear *l) {
    enum { MUCH = 8 };
    return l->common.ordering == AMD &&
           l->numeric->lnz + l->numeric->unz > MUCH * (l->symbolic->lnz + l->symbolic->unz);
}

/* The search for pivots bounded their growth. While all of them are within a factor of two of those, growth is taken to
 * be what it was; otherwise it is measured. */
static bool still_fine(linear *l, double *values) {
    const double *diagonal = l->numeric->Udiag;
    bool near = true;
    for (int i = 0; i < l->n && near; i++) {
        const double now = fabs(diagonal[i]), then = l->pivot[i];
        near = now >= then / 2 && now <= 2 * then;
    }
    return near ||
           (klu_rgrowth(l->start, l->index, values, l->symbolic, l->numeric, &l->common) && l->common.rgrowth > 1e-3);
}

/* A search for pivots. */
static void search(linear *l, double *values) {
    klu_free_numeric(&l->numeric, &l->common);
    l->numeric = klu_factor(l->start, l->index, values, l->symbolic, &l->common);
    const double *diagonal = l->numeric ? l->numeric->Udiag : NULL;
    for (int i = 0; i < l->n && diagonal; i++) l->pivot[i] = fabs(diagonal[i]);
}

/* The numbers of the present pattern ask for another order of its pivots. */
static void factor_by(linear *l, double *values, int ordering) {
    l->strayed = analyse_by(l, ordering);
    if (l->strayed) search(l, values);
}

/* Refactor with the pivots of last time where they still do: fill and growth are then known to be fine. */
static bool klu_factor_rows(linear *l, const double *value) {
    double *values = (double *)value;
    if (!l->symbolic && !analyse_by(l, AMD)) return false;
    if (l->numeric && klu_refactor(l->start, l->index, values, l->symbolic, l->numeric, &l->common) &&
        still_fine(l, values) && least_pivot(l) > RANK)
        return true;
    search(l, values);
    if (l->numeric && fills_in(l)) factor_by(l, values, COLAMD);
    if (!l->numeric || l->common.status != KLU_OK) return false;
    klu_flops(l->symbolic, l->numeric, &l->common);
    return least_pivot(l) > RANK;
}

static bool sparse_factor(linear *l, const int *start, const int *index, const double *value) {
    if (!same_pattern(l, l->n, start, index)) keep_pattern(l, l->n, start, index);
    if (l->exhausted) return false;
    const blocked_verdict verdict = l->blocked ? blocked_factor(l->blocked, value, 0) : BLOCKED_DOUBTFUL;
    l->in_blocks = verdict == BLOCKED_REGULAR;
    if (verdict != BLOCKED_DOUBTFUL) return l->in_blocks;
    const bool regular = klu_factor_rows(l, value);
    l->exhausted = l->common.status == KLU_OUT_OF_MEMORY;
    return regular && !l->exhausted;
}

/* ---------------------------------------------------------------- scaled */

/* A power of two: scaling rounds nothing. */
static double inverse_power(double largest) {
    int exponent;
    if (!(largest > 0) || !isfinite(largest)) return 1;
    frexp(largest, &exponent);
    return ldexp(1, -exponent);
}

/* (S10): every row of A, then every column, to a largest entry between a half and one */
static void equilibrate(linear *l, const int *start, const int *index, const double *value) {
    for (int j = 0; j < l->n; j++) l->column_scale[j] = 0;
    for (int i = 0; i < l->n; i++) {
        double largest = 0;
        for (int e = start[i]; e < start[i + 1]; e++) largest = fmax(largest, fabs(value[e]));
        l->row_scale[i] = inverse_power(largest);
        for (int e = start[i]; e < start[i + 1]; e++) {
            l->value[e] = l->row_scale[i] * value[e];
            l->column_scale[index[e]] = fmax(l->column_scale[index[e]], fabs(l->value[e]));
        }
    }
    for (int j = 0; j < l->n; j++) l->column_scale[j] = inverse_power(l->column_scale[j]);
    for (int e = 0; e < start[l->n]; e++) l->value[e] *= l->column_scale[index[e]];
}

/* ---------------------------------------------------------------- both */

bool linear_order(int n, const int *start, const int *index, int *order) {
    return amd_order(n, start, index, order, NULL, NULL) >= AMD_OK;
}

/* A resumed run has not met the numbers that asked for another order. */
void linear_forget(linear *l) {
    klu_free_numeric(&l->numeric, &l->common);
    if (l->strayed) klu_free_symbolic(&l->symbolic, &l->common);
    l->needed = false;
}

static bool factor(linear *l, const int *start, const int *index, const double *value) {
    return l->dense ? dense_factor(l, start, index, value) : sparse_factor(l, start, index, value);
}

/* Entries that are zero do not fill in. */
static bool is_dense(const linear *l, int n, const int *start, const double *value) {
    if (n <= l->limit || n > l->full) return n <= l->limit;
    int entries = 0;
    for (int e = 0; e < start[n]; e++) entries += value[e] != 0;
    return 100 * entries >= LINEAR_ENTRIES * n * n;
}

bool linear_factor(linear *l, int n, const int *start, const int *index, const double *value) {
    l->n = n;
    l->dense = is_dense(l, n, start, value);
    l->scaled = l->by_laws = l->by_plan = l->exhausted = false;
    if (!l->needed && factor(l, start, index, value)) return true;
    if (l->exhausted) return false;
    equilibrate(l, start, index, value);
    l->scaled = factor(l, start, index, l->value);
    if (l->scaled) return l->needed = true;
    return l->needed && !l->exhausted && factor(l, start, index, value);
}

bool linear_factor_by_plan(linear *l, int n, int first, const int *start, const int *index, const double *value) {
    l->n = n;
    l->by_laws = false;
    l->by_plan = l->planned && planned_factor(l->planned, n, first, start, index, value);
    return l->by_plan;
}

int linear_factor_dependent(linear *l, int n, const int *start, const int *index, const double *value) {
    l->n = n;
    l->dense = is_dense(l, n, start, value);
    l->scaled = l->by_laws = l->by_plan = l->exhausted = false;
    if (l->dense) return -1;
    if (!same_pattern(l, n, start, index)) keep_pattern(l, n, start, index);
    l->in_blocks = l->blocked && blocked_factor(l->blocked, value, LINEAR_DEPENDENT) == BLOCKED_REGULAR;
    return l->in_blocks ? blocked_left_out(l->blocked) : -1;
}

void linear_null(const linear *l, int k, double *x) {
    blocked_null(l->blocked, k, x);
}

void linear_null_transposed(const linear *l, int k, double *x) {
    blocked_null_transposed(l->blocked, k, x);
}

bool linear_factor_laws(linear *l, int n, int balances, int first, const int *start, const int *index,
                        const double *value) {
    if (!l->ordered) l->ordered = ordered_create(l->size);
    const ordered_verdict verdict =
        l->ordered ? ordered_factor(l->ordered, n, balances, first, start, index, value) : ORDERED_NO_MEMORY;
    l->exhausted = verdict == ORDERED_NO_MEMORY;
    return l->by_laws = verdict == ORDERED_REGULAR;
}

bool linear_exhausted(const linear *l) {
    return l->exhausted;
}

static void solve(linear *l, double *b) {
    if (l->dense) dense_solve(l, b);
    else if (l->in_blocks) blocked_solve(l->blocked, b);
    else klu_tsolve(l->symbolic, l->numeric, l->n, 1, b, &l->common);
}

void linear_solve(linear *l, double *b) {
    if (l->by_plan) {
        planned_solve(l->planned, b);
        return;
    }
    if (l->by_laws) {
        ordered_solve(l->ordered, b);
        return;
    }
    for (int i = 0; l->scaled && i < l->n; i++) b[i] *= l->row_scale[i];
    solve(l, b);
    for (int j = 0; l->scaled && j < l->n; j++) b[j] *= l->column_scale[j];
}

void linear_solve_transposed(linear *l, double *b) {
    if (l->by_plan) {
        planned_solve_transposed(l->planned, b);
        return;
    }
    if (l->by_laws) {
        ordered_solve_transposed(l->ordered, b);
        return;
    }
    for (int j = 0; l->scaled && j < l->n; j++) b[j] *= l->column_scale[j];
    if (l->dense) dense_solve_transposed(l, b);
    else if (l->in_blocks) blocked_solve_transposed(l->blocked, b);
    else klu_solve(l->symbolic, l->numeric, l->n, 1, b, &l->common);
    for (int i = 0; l->scaled && i < l->n; i++) b[i] *= l->row_scale[i];
}

double linear_factor_work(const linear *l) {
    const double n = l->n, full = n * n * n / 3;
    if (l->by_plan) return full / PLANNED_LESS;
    if (l->by_laws) return ordered_factor_work(l->ordered);
    if (l->dense) return full;
    return l->in_blocks ? blocked_factor_work(l->blocked) : l->common.flops / 2;
}

double linear_solve_work(const linear *l) {
    const double n = l->n;
    if (l->by_laws) return ordered_solve_work(l->ordered);
    if (l->by_plan || l->dense) return n * n;
    return l->in_blocks ? blocked_solve_work(l->blocked) : l->numeric->lnz + l->numeric->unz;
}
