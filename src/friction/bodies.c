#include "friction/bodies.h"

#include "friction/block.h"
#include "linalg/sets.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { EVERY = 10 }; /* sweeps between looks at the error, unless changes are small */

/* ---------------------------------------------------------------- room */

bool body_contacts_create(body_contacts *b, int contacts, int velocities, int columns) {
    const size_t n = (size_t)contacts + 1, x = (size_t)velocities + 1, e = (size_t)columns + 1;
    *b = (body_contacts){.contacts = contacts, .velocities = velocities};
    b->start = calloc(n, sizeof *b->start), b->column = calloc(e, sizeof *b->column);
    b->C = calloc(e, sizeof *b->C), b->Y = calloc(e, sizeof *b->Y);
    b->d = calloc(3 * n, sizeof *b->d), b->mu = calloc(n, sizeof *b->mu), b->scale = calloc(n, sizeof *b->scale);
    b->takes_part = calloc(n, sizeof *b->takes_part);
    b->one = calloc(n, sizeof *b->one), b->own = calloc(n, sizeof *b->own);
    b->last_r = calloc(3 * n, sizeof *b->last_r), b->last_x = calloc(x, sizeof *b->last_x);
    b->of = calloc(x, sizeof *b->of), b->reached = calloc(x, sizeof *b->reached);
    b->first = calloc(x + 1, sizeof *b->first), b->first_x = calloc(x + 1, sizeof *b->first_x);
    b->list = calloc(n, sizeof *b->list);
    return b->start && b->column && b->C && b->Y && b->d && b->mu && b->scale && b->takes_part && b->one && b->own &&
           b->last_r && b->last_x && b->of && b->reached && b->first && b->first_x && b->list;
}

void body_contacts_destroy(body_contacts *b) {
    void *const parts[] = {b->start,      b->column, b->C,       b->Y,      b->d,      b->mu,
                           b->takes_part, b->one,    b->own,     b->last_r, b->last_x, b->of,
                           b->reached,    b->first,  b->first_x, b->list,   b->scale};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) free(parts[i]);
    *b = (body_contacts){0};
}

/* ---------------------------------------------------------------- islands */

/* Numbers the islands in the order of their first contact; first: where each begins in the list. A contact that moves
 * nothing is in none. */
static int list_islands(body_contacts *b) {
    int islands = 0, *number = b->reached;
    sets_start(b->of, b->velocities);
    for (int a = 0; a < b->contacts; a++)
        for (int e = b->start[a]; b->takes_part[a] && e + 1 < b->start[a + 1]; e++)
            sets_join(b->of, b->column[e], b->column[e + 1]);
    for (int i = 0; i < b->velocities; i++) number[i] = -1;
    for (int a = 0; a < b->contacts; a++) {
        if (!b->takes_part[a] || b->start[a] == b->start[a + 1]) continue;
        int *island = &number[set_of(b->of, b->column[b->start[a]])];
        if (*island < 0) *island = islands++, b->first[*island + 1] = 0;
        b->first[*island + 1]++;
    }
    for (int i = 0; i < b->velocities; i++) b->of[i] = set_of(b->of, i);
    for (int i = 0; i < b->velocities; i++) b->of[i] = number[b->of[i]];
    b->first[0] = 0;
    for (int k = 0; k < islands; k++) b->first[k + 1] += b->first[k];
    return islands;
}

/* The members of each island, ascending; first[k + 1] is moved to the end of island k by filling. */
static void fill_islands(body_contacts *b, int islands) {
    for (int k = islands; k > 0; k--) b->first[k] = b->first[k - 1];
    for (int a = 0; a < b->contacts; a++)
        if (b->takes_part[a] && b->start[a] < b->start[a + 1])
            b->list[b->first[b->of[b->column[b->start[a]]] + 1]++] = a;
    memset(b->first_x, 0, ((size_t)islands + 1) * sizeof *b->first_x);
    for (int i = 0; i < b->velocities; i++)
        if (b->of[i] >= 0) b->first_x[b->of[i] + 1]++;
    for (int k = 0; k < islands; k++) b->first_x[k + 1] += b->first_x[k];
    for (int k = islands; k > 0; k--) b->first_x[k] = b->first_x[k - 1];
    for (int i = 0; i < b->velocities; i++)
        if (b->of[i] >= 0) b->reached[b->first_x[b->of[i] + 1]++] = i;
}

void body_contacts_divide(body_contacts *b) {
    b->islands = list_islands(b);
    fill_islands(b, b->islands);
}

/* ---------------------------------------------------------------- one sweep */

void body_contacts_push(const body_contacts *b, int a, double factor, const double r[3], double *x) {
    const double f[] = {factor * r[0], factor * r[1], factor * r[2]};
    for (int e = b->start[a]; e < b->start[a + 1]; e++) {
        const double *Y = b->Y[e];
        x[b->column[e]] += Y[0] * f[0] + Y[1] * f[1] + Y[2] * f[2];
    }
}

/* A sweep need not solve slip better than sweeps are wanted. */
static void prepare(body_contacts *b, int a, double tolerance) {
    double *W = b->own[a];
    memset(W, 0, sizeof(block3));
    for (int e = b->start[a]; e < b->start[a + 1]; e++)
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) W[3 * i + j] += b->C[e][i] * b->Y[e][j];
    contact_prepare(&b->one[a], W, b->mu[a]);
    b->one[a].enough = 1e-2 * tolerance;
}

/* Two sums: a processor adds to one while the last term of the other is on its way. */
static void velocity(const body_contacts *b, int a, const double *x, double u[3]) {
    const double *d = b->d + 3 * a;
    double even[] = {d[0], d[1], d[2]}, odd[] = {0, 0, 0};
    int e = b->start[a];
    for (; e + 1 < b->start[a + 1]; e += 2) {
        const double v = x[b->column[e]], w = x[b->column[e + 1]], *C = b->C[e], *D = b->C[e + 1];
        even[0] += C[0] * v, even[1] += C[1] * v, even[2] += C[2] * v;
        odd[0] += D[0] * w, odd[1] += D[1] * w, odd[2] += D[2] * w;
    }
    for (; e < b->start[a + 1]; e++)
        for (int i = 0; i < 3; i++) even[i] += b->C[e][i] * x[b->column[e]];
    for (int i = 0; i < 3; i++) u[i] = even[i] + odd[i];
}

typedef struct island_range {
    const int *list, *reached;
    int contacts, velocities;
} island_range;

/* Squares of the change and of the percussions; the product of the change with that since the last sweep. */
typedef struct sweep_effect {
    double change, size, onward;
} sweep_effect;

static sweep_effect sweep(body_contacts *b, const island_range *s, double *r, double *x) {
    sweep_effect sum = {0};
    for (int k = 0; k < s->contacts; k++) {
        const int a = s->list[k];
        double *own = r + 3 * a, u[3], before[3], step[3];
        velocity(b, a, x, u);
        if (u[0] >= 0 && own[0] == 0 && own[1] == 0 && own[2] == 0) continue;
        memcpy(before, own, sizeof before);
        block_subtract(b->own[a], own, u);
        contact_solve(&b->one[a], u, own);
        for (int i = 0; i < 3; i++) {
            step[i] = own[i] - before[i];
            sum.change += step[i] * step[i], sum.size += own[i] * own[i];
            sum.onward += step[i] * (own[i] - b->last_r[3 * a + i]);
        }
        body_contacts_push(b, a, 1, step, x);
    }
    return sum;
}

/* ---------------------------------------------------------------- an island */

static double error_of(const body_contacts *b, const island_range *s, const double *r, const double *x) {
    double missed = 0, size = 0, u[3];
    for (int k = 0; k < s->contacts; k++) {
        const int a = s->list[k];
        velocity(b, a, x, u);
        missed += contact_missed(b->mu[a], r + 3 * a, u);
        for (int i = 3 * a; i < 3 * a + 3; i++) size += r[i] * r[i];
        size += b->scale[a] * b->scale[a];
    }
    return missed == 0 ? 0 : missed <= DBL_MAX ? sqrt(missed / size) : INFINITY;
}

/* Percussions and velocities go on together in the direction of the last sweep. */
static void extrapolate(body_contacts *b, const island_range *s, double beta, double *r, double *x) {
    for (int k = 0; k < s->contacts; k++)
        for (int i = 3 * s->list[k]; i < 3 * s->list[k] + 3; i++) {
            const double now = r[i];
            r[i] = now + beta * (now - b->last_r[i]), b->last_r[i] = now;
        }
    for (int k = 0; k < s->velocities; k++) {
        const int i = s->reached[k];
        const double now = x[i];
        x[i] = now + beta * (now - b->last_x[i]), b->last_x[i] = now;
    }
}

/* As friction/sweeps does with an assembled W. */
static int solve_island(body_contacts *b, const island_range *s, double good, double wanted, int most, double *r,
                        double *x, double *error) {
    double before = INFINITY, t = 1;
    int k = 0;
    *error = error_of(b, s, r, x);
    if (*error <= good) return 0;
    for (int i = 0; i < s->contacts; i++) prepare(b, s->list[i], wanted);
    extrapolate(b, s, 0, r, x);
    for (k = 1;; k++) {
        const sweep_effect now = sweep(b, s, r, x);
        if (now.change <= wanted * wanted * now.size || k % EVERY == 0 || k == most) *error = error_of(b, s, r, x);
        if (*error <= wanted || k >= most) return k;
        const bool astray = now.change > before || now.onward < 0;
        const double next = astray ? 1 : (1 + sqrt(1 + 4 * t * t)) / 2;
        extrapolate(b, s, astray ? 0 : (t - 1) / next, r, x);
        before = now.change, t = next;
    }
}

void body_contacts_solve(body_contacts *b, double good, double wanted, int most, double *r, double *x,
                         body_report *report) {
    *report = (body_report){.islands = b->islands};
    for (int k = 0; k < b->islands; k++) {
        const island_range s = {b->list + b->first[k], b->reached + b->first_x[k], b->first[k + 1] - b->first[k],
                                b->first_x[k + 1] - b->first_x[k]};
        double error;
        const int sweeps = solve_island(b, &s, good, wanted, most, r, x, &error);
        if (sweeps > report->sweeps) report->sweeps = sweeps;
        report->error = fmax(report->error, error);
    }
    report->solved = report->error <= good;
}
