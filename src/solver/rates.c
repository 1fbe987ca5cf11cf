/* Derivatives of solutions: the linearised rows of Newton's method with other right-hand sides (SE3). */
#include <math.h>
#include <string.h>

#include "solver/solver_inside.h"

/* Other rows may direct the slip of a law, or tell its speed. This is their share in the rate of one of its rows. */
static double turn_rate(const problem_law *l, const law_turn *turn, int i, const double *rates) {
    double sum = 0;
    for (int j = 0; j < l->size && l->directed; j++) sum += turn->direction[i][j] * rates[l->direction + j];
    for (int j = 0; j < l->size && l->curved; j++) sum += turn->speed[i][j] * rates[l->speed + j];
    return l->curved && l->place >= 0 ? sum + turn->place[i] * rates[l->place] : sum;
}

/* The rate of a law's row on its branch, at fixed unknowns. */
static inline double law_rate(const solver *s, const problem_law *l, int k, int i, const double *rates, double radius) {
    const law_row *a = &s->solved[k];
    double sum = l->level * a->v[i][0] * rates[l->row];
    if (l->normal >= 0) sum += a->radius[i] * radius;
    for (int j = 1; j < l->size; j++) sum += l->level * a->v[i][j] * rates[l->row + j];
    return l->directed || l->curved ? sum + turn_rate(l, &s->turn[k], i, rates) : sum;
}

/* Right-hand sides of the reduced system. It leaves out open laws, whose unknowns stay zero. */
static void right_hand_side(const solver *s, const problem *p, const double *rates, const double *radius, double *b) {
    for (int i = 0; i < p->nF; i++) *b++ = -p->weight[i] * rates[i];
    for (int k = 0; k < p->laws; k++) {
        const problem_law *l = &p->law[k];
        if (s->solved[k].branch == LAW_OPEN) continue;
        for (int i = 0; i < l->size; i++) *b++ = -law_rate(s, l, k, i, rates, radius[k]);
    }
}

/* b - A x */
static void subtract_product(const solver *s, const double *x, double *b) {
    for (int i = 0; i < s->size; i++)
        for (int e = s->start[i]; e < s->start[i + 1]; e++) b[i] -= s->value[e] * x[s->index[e]];
}

/* b - A^T x */
static void subtract_transposed(const solver *s, const double *x, double *b) {
    for (int i = 0; i < s->size; i++)
        for (int e = s->start[i]; e < s->start[i + 1]; e++) b[s->index[e]] -= s->value[e] * x[i];
}

static double largest(const double *x, int n) {
    double most = 0;
    for (int i = 0; i < n; i++) most = fabs(x[i]) > most ? fabs(x[i]) : most;
    return most;
}

enum { CORRECTIONS = 3 };
static const double ROUND_OFF = 1e-14; /* of a solution, relative to its largest entry */

/* Corrects the error that a factorisation of a system nearby leaves. False: the rows contradict each other. */
static bool refine(solver *s, const double *b, double *x) {
    double *left = s->trial;
    for (int i = 0; i < CORRECTIONS; i++) {
        memcpy(left, b, (size_t)s->size * sizeof *left);
        subtract_product(s, x, left);
        linear_solve(s->linear, left);
        for (int j = 0; j < s->size; j++) x[j] += left[j];
    }
    memcpy(left, b, (size_t)s->size * sizeof *left);
    subtract_product(s, x, left);
    return largest(left, s->size) <= 1e-7 * largest(b, s->size);
}

/* Percussions that are not unique may leave velocities unique, or not: friction may depend on which of the contacts is
 * pressed, (SE24). v - A_near^-1 A v is the part of v along the null space of A. */
static bool moves_unseen(solver *s, const problem *p) {
    double *v = s->step, *left = s->rhs, force = 0, velocity = 0;
    for (int j = 0; j < p->n; j++)
        if (s->place[j] >= 0) v[s->place[j]] = j < p->nF ? 0 : 1 + 0.37 * sin(j);
    for (int i = 0; i < 3; i++) {
        memset(left, 0, (size_t)s->size * sizeof *left);
        subtract_product(s, v, left);
        linear_solve(s->linear, left);
        for (int j = 0; j < s->size; j++) v[j] += left[j];
    }
    for (int j = 0; j < p->n; j++)
        if (s->place[j] >= 0)
            *(j < p->nF ? &velocity : &force) = fmax(j < p->nF ? velocity : force, fabs(v[s->place[j]]));
    return velocity > 1e-6 * force;
}

/* The system of (SE3), factorised. */
solver_change solver_linearise(solver *s, problem *p, const double *z, bool *regularised) {
    newton_result found = newton_linearise(s, p, z, regularised);
    if (found != NEWTON_SOLVED)
        return found == NEWTON_UNDEFINED  ? CHANGE_UNDEFINED
               : found == NEWTON_UNSOLVED ? CHANGE_AT_EDGE
                                          : CHANGE_SINGULAR;
    return *regularised && moves_unseen(s, p) ? CHANGE_NOT_UNIQUE : CHANGE_FOUND;
}

/* One column: rates of the rows, which become those of z. */
typedef struct column {
    double *rates;
    const double *radius;
} column;

static inline double row_rate(const csr *J, const double *rates, const double *z_rate, int row) {
    double sum = rates[row];
    for (int e = J->start[row], end = J->start[row + 1]; e < end; e++) sum += J->value[e] * z_rate[J->index[e]];
    return sum;
}

/* Rates of the rows of a law where z changes, too. */
static void law_rows(const problem *p, const problem_law *l, const double *rates, const double *z_rate, double *all) {
    for (int i = 0; i < l->size; i++) {
        all[l->row + i] = row_rate(&p->J, rates, z_rate, l->row + i);
        if (l->directed) all[l->direction + i] = row_rate(&p->J, rates, z_rate, l->direction + i);
        if (l->curved) all[l->speed + i] = row_rate(&p->J, rates, z_rate, l->speed + i);
    }
    if (l->curved && l->place >= 0) all[l->place] = row_rate(&p->J, rates, z_rate, l->place);
}

/* What the percussions of a law change in one of its rows at these rates. */
static double percussion_rate(const problem_law *l, const law_row *a, int i, double pressed, const double *z_rate) {
    double sum = a->radius[i] * pressed;
    for (int j = 0; j < l->size; j++) sum += a->w[i][j] * z_rate[l->col + j];
    return l->G * sum;
}

/* mu times the rate of what presses a contact. */
static double pressing_rate(const solver *s, const problem_law *l, const double *z, const double *z_rate) {
    int unknown[LOADS];
    double load, by[LOADS], pressed = 0;
    if (l->normal < 0) return 0;
    const int loads = law_load(l, z, &load, unknown, by);
    for (int j = 0; j < loads; j++) pressed += by[j] * z_rate[unknown[j]];
    return problem_mu(l, s->rows) * pressed;
}

/* What the reduced system still misses where z changes at these rates. */
static void missing(const solver *s, const problem *p, const double *z, column c, const double *z_rate, double *b) {
    double *all = s->trial_rows;
    for (int i = 0; i < p->nF; i++) *b++ = -p->weight[i] * row_rate(&p->J, c.rates, z_rate, i);
    for (int k = 0; k < p->laws; k++) {
        const problem_law *l = &p->law[k];
        const law_row *a = &s->solved[k];
        if (a->branch == LAW_OPEN) continue;
        law_rows(p, l, c.rates, z_rate, all);
        const double pressed = pressing_rate(s, l, z, z_rate);
        for (int i = 0; i < l->size; i++)
            *b++ = -law_rate(s, l, k, i, all, c.radius[k]) - percussion_rate(l, a, i, pressed, z_rate);
    }
}

/* (SE68): z' by the factors of a system nearby. Corrections go on until the rows hold. Each is shorter than the one
 * before by the same factor, which also bounds what is left after the last. False: the systems are too different.
 * exact: the factors are those of the system itself. */
static bool rates_near(solver *s, linear *near, problem *p, const double *z, column c, bool exact) {
    double *z_rate = s->trial, size = 0, last = 0;
    memset(z_rate, 0, (size_t)p->n * sizeof *z_rate);
    for (int i = 0; i <= CORRECTIONS; i++) {
        if (i > 0) missing(s, p, z, c, z_rate, s->rhs);
        else right_hand_side(s, p, c.rates, c.radius, s->rhs);
        linear_solve(near, s->rhs);
        const double now = exact ? 0 : largest(s->rhs, s->size);
        for (int j = 0; j < p->n; j++)
            if (s->place[j] >= 0) z_rate[j] += s->rhs[s->place[j]] * s->scale[j];
        if (i == 0) size = now;
        if (now == 0 || (i > 0 && now * now <= ROUND_OFF * last * size)) {
            memcpy(c.rates, z_rate, (size_t)p->n * sizeof *z_rate);
            return true;
        }
        if (i > 0 && !(now < 0.1 * last)) return false;
        last = now;
    }
    return false;
}

solver_change solver_rates(solver *s, solver *of, problem *p, const double *z, int count, double *rates,
                           const double *radius) {
    bool regularised = false, agree = true, exact = false, near = of && newton_linearise_near(s, p, z, of, &exact);
    solver_change found = CHANGE_FOUND;
    for (int k = 0; k < count && found == CHANGE_FOUND; k++, rates += p->n + p->looks, radius += p->laws) {
        const bool factors = near || k == 0;
        if (near && (near = rates_near(s, of->linear, p, z, (column){rates, radius}, exact))) continue;
        if (factors) found = solver_linearise(s, p, z, &regularised);
        if (found != CHANGE_FOUND) return found;
        right_hand_side(s, p, rates, radius, s->rhs);
        memcpy(s->step, s->rhs, (size_t)s->size * sizeof *s->step);
        linear_solve(s->linear, s->step);
        agree = (!regularised || refine(s, s->rhs, s->step)) && agree;
        for (int j = 0; j < p->n; j++) rates[j] = s->place[j] >= 0 ? s->step[s->place[j]] * s->scale[j] : 0;
    }
    return agree ? CHANGE_FOUND : CHANGE_SINGULAR;
}

bool solver_unique(solver *s, problem *p, const double *z) {
    bool regularised = false;
    return newton_linearise(s, p, z, &regularised) == NEWTON_SOLVED && !regularised;
}

/* ---------------------------------------------------------------- transposed */

/* The transpose of the corrections of refine. */
static void refine_transposed(solver *s, const double *b, double *x) {
    double *left = s->trial;
    for (int i = 0; i < CORRECTIONS; i++) {
        memcpy(left, b, (size_t)s->size * sizeof *left);
        subtract_transposed(s, x, left);
        linear_solve_transposed(s->linear, left);
        for (int j = 0; j < s->size; j++) x[j] += left[j];
    }
}

/* Weights of the row of a law, to those of its parts: law_rate transposed. */
static void pull_law(const solver *s, const problem_law *l, int k, int i, double weight, double *rates,
                     double *radius) {
    const law_row *a = &s->solved[k];
    if (l->normal >= 0) *radius += weight * a->radius[i];
    for (int j = 0; j < l->size; j++) rates[l->row + j] += weight * l->level * a->v[i][j];
    for (int j = 0; j < l->size && l->directed; j++) rates[l->direction + j] += weight * s->turn[k].direction[i][j];
    for (int j = 0; j < l->size && l->curved; j++) rates[l->speed + j] += weight * s->turn[k].speed[i][j];
}

void solver_pull(solver *s, const problem *p, bool redundant, double *rates, double *radius) {
    double *x = s->step;
    for (int j = 0; j < p->n; j++)
        if (s->place[j] >= 0) s->rhs[s->place[j]] = rates[j] * s->scale[j];
    memcpy(x, s->rhs, (size_t)s->size * sizeof *x);
    linear_solve_transposed(s->linear, x);
    if (redundant) refine_transposed(s, s->rhs, x);
    memset(rates, 0, (size_t)(p->n + p->looks) * sizeof *rates);
    memset(radius, 0, (size_t)p->laws * sizeof *radius);
    for (int i = 0; i < p->nF; i++) rates[i] = -p->weight[i] * *x++;
    for (int k = 0; k < p->laws; k++)
        for (int i = 0; i < p->law[k].size && s->solved[k].branch != LAW_OPEN; i++)
            pull_law(s, &p->law[k], k, i, -*x++, rates, &radius[k]);
}
