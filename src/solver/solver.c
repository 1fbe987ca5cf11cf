/* Solves step problems by Newton's method, and by its cures where it fails (docs/theory/solver.md, (S5)). */
#include "solver/pile.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static size_t entries_in(const problem *p, int first, int last) {
    return (size_t)(p->J.start[last] - p->J.start[first]);
}

/* Rows of balances, updates and joints are taken once. Each component of a contact repeats all rows of its law, those
 * of its direction and of its speed, and has one of its place. */
static size_t entries_of(const problem *p) {
    const size_t n = (size_t)(p->n + p->looks) + 1;
    size_t once = entries_in(p, 0, p->nF), longest = 0, components = 0;
    for (int k = 0; k < p->laws; k++) {
        const problem_law *l = &p->law[k];
        if (l->law == &law_bilateral) once += entries_in(p, l->row, l->row + l->size);
        else components += (size_t)l->size;
    }
    for (int i = p->nF; i < p->n + p->looks; i++) {
        const size_t entries = entries_in(p, i, i + 1);
        longest = entries > longest ? entries : longest;
    }
    const size_t contacts = entries_in(p, 0, p->n) - once;
    return once + LAW_SIZE * contacts + components * (2 * LAW_SIZE + 1) * longest + (LAW_SIZE + LOADS) * n;
}

/* (S23) asks for one balance. Without smooth unknowns the matrix is full. */
static linear *create_linear(const problem *p, int entries) {
    if (p->nF == 0) return linear_create_switched(p->n, entries, p->n);
    if (p->balances != 1) return linear_create(p->n, entries);
    return linear_create_joints(p->n, entries, p->velocities, p->nF, p->joints);
}

bool solver_reserve(solver *s, const problem *p) {
    const size_t entries = entries_of(p);
    if (s->value) return true;
    if (!s->linear) s->linear = create_linear(p, (int)entries);
    if (!s->start) s->start = calloc((size_t)(p->n + p->looks) + 2, sizeof *s->start);
    if (!s->index) s->index = calloc(entries, sizeof *s->index);
    if (!s->route) s->route = calloc(entries, sizeof *s->route);
    if (s->linear && s->start && s->index && s->route) s->value = calloc(entries, sizeof *s->value);
    s->exhausted = !s->value;
    return !s->exhausted;
}

/* Matrices with more entries are made when Newton's method first needs them, which is rare in piles that accept an
 * error. */
enum { LARGE_MATRIX = 100000 };

static void forget_records(solver *s) {
    for (int i = 0; i < CURES; i++) s->record[i] = (struct record){.solved = 1, .guess = 1};
}

solver *solver_create(const problem *p) {
    size_t n = (size_t)(p->n + p->looks) + 1, laws = (size_t)p->laws + 1;
    solver *s = entries_of(p) <= INT_MAX ? calloc(1, sizeof *s) : NULL;
    if (!s) return NULL;
    double **vectors[] = {&s->guess,      &s->trial, &s->kept, &s->centre, &s->rows,
                          &s->trial_rows, &s->step,  &s->rhs,  &s->scale};
    bool ok = entries_of(p) > LARGE_MATRIX || solver_reserve(s, p);
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        ok = (*vectors[i] = calloc(n, sizeof(double))) != NULL && ok;
    ok = (s->law = calloc(laws, sizeof *s->law)) != NULL && ok;
    ok = (s->direction = calloc(laws, sizeof *s->direction)) != NULL && ok;
    ok = (s->turn = calloc(laws, sizeof *s->turn)) != NULL && ok;
    ok = (s->turns = calloc(laws, sizeof *s->turns)) != NULL && ok;
    ok = (s->place = calloc(n, sizeof *s->place)) != NULL && ok;
    ok = (s->mark = calloc(n, sizeof *s->mark)) != NULL && ok;
    ok = (s->shape = calloc(laws, sizeof *s->shape)) != NULL && ok;
    forget_records(s);
    if (ok) return s;
    solver_destroy(s);
    return NULL;
}

void solver_destroy(solver *s) {
    if (!s) return;
    linear_destroy(s->linear);
    pile_destroy(s->pile);
    void *parts[] = {s->null,  s->guess, s->trial, s->kept,  s->centre, s->rows,      s->trial_rows,
                     s->step,  s->rhs,   s->scale, s->law,   s->turn,   s->direction, s->turns,
                     s->place, s->mark,  s->start, s->index, s->value,  s->route,     s->shape};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) free(parts[i]);
    free(s);
}

void solver_forget(solver *s) {
    s->redundant = s->redundant_joints = 0;
    forget_records(s);
    s->gave_way = s->plain = false;
    s->cures = s->exact = s->patient = (struct spare){0};
    if (s->linear) linear_forget(s->linear);
}

void solver_leave(solver *s) {
    s->plain = false;
}

const double *solver_rows(const solver *s) {
    return s->rows;
}

bool solver_solve_fixed(solver *s, problem *p, double *z, double tolerance, solver_report *report) {
    static const newton_options full = {.iterations = 12, .patience = 6},
                                damped = {.iterations = 30, .patience = 10, .damped = true};
    *report = (solver_report){0};
    s->exhausted = false;
    memcpy(s->guess, z, (size_t)p->n * sizeof *z);
    newton_result result = newton_solve(s, p, z, tolerance, &full, report);
    const bool at_once = result == NEWTON_SINGULAR && report->iterations == 0;
    if (result != NEWTON_SOLVED && result != NEWTON_CONTRADICTED && !at_once) {
        memcpy(z, s->guess, (size_t)p->n * sizeof *z);
        result = newton_solve(s, p, z, tolerance, &damped, report);
    }
    report->undefined = result == NEWTON_UNDEFINED;
    report->singular = result == NEWTON_SINGULAR;
    report->exhausted = s->exhausted;
    if (result != NEWTON_SOLVED) memcpy(z, s->guess, (size_t)p->n * sizeof *z);
    return result == NEWTON_SOLVED;
}

double solver_error(solver *s, problem *p, const double *z, int *worst) {
    return p->evaluate(p->context, z, s->rows, false) ? INFINITY : problem_residual(p, z, s->rows, worst);
}

double solver_velocity(solver *s, problem *p, const double *z) {
    double largest = 0;
    memcpy(s->trial, z, (size_t)p->n * sizeof *z);
    for (int j = p->nF; j < p->n; j++) s->trial[j] = 0;
    if (p->evaluate(p->context, s->trial, s->rows, false)) return 0;
    for (int i = 0; i < p->velocities; i++) largest = fmax(largest, fmax(fabs(z[i]), fabs(p->weight[i] * s->rows[i])));
    return largest;
}

/* ---------------------------------------------------------------- all of it */

/* Reports the error of the iterate that came nearest to a solution. */
static void keep_nearest(solver_report *nearest, const solver_report *now) {
    if (now->residual < nearest->residual) nearest->residual = now->residual, nearest->worst = now->worst;
    nearest->iterations = now->iterations;
}

/* The guess is that a problem takes ten iterates of Newton's method by the first cure, twenty by the second, and so on.
 */
static double expected_work(const solver *s, int i) {
    enum { EASY = 10 };
    const struct record *x = &s->record[i], *newton = &s->record[0];
    const double iterate = newton->iterates > 0 ? newton->work / newton->iterates : 0;
    return (x->work + x->guess * EASY * (i + 1) * iterate) / x->solved;
}

/* (S15): of the cures that apply and have not been tried, the one with the least work for a problem solved; -1: none.
 */
static int next_cure(const solver *s, const problem *p, bool doubtful, const bool *tried) {
    int best = -1;
    for (int i = 0; i < CURES; i++) {
        if (tried[i] || (doubtful && cures[i].last) || (cures[i].applies && !cures[i].applies(p))) continue;
        if (best < 0 || expected_work(s, i) < expected_work(s, best)) best = i;
    }
    return best;
}

static void learn(struct record *x, double work, int iterates, bool solved) {
    x->work = x->work / 2 + work;
    x->iterates = x->iterates / 2 + iterates;
    x->solved = x->solved / 2 + solved;
    x->guess /= 2;
}

static bool solve(solver *s, problem *p, double *z, double tolerance, bool doubtful, solver_report *report) {
    const size_t size = (size_t)p->n * sizeof *z;
    solver_report nearest = {.residual = INFINITY};
    bool singular = true, tried[CURES] = {false};
    memcpy(s->guess, z, size);
    *report = (solver_report){0};
    for (int i; (i = next_cure(s, p, doubtful, tried)) >= 0; tried[i] = true) {
        const double before = s->work;
        const int steps = report->iterations;
        newton_result result = cures[i].solve(s, p, z, tolerance, report);
        if (s->exhausted) break;
        learn(&s->record[i], s->work - before, 1 + report->iterations - steps, result == NEWTON_SOLVED);
        if (result == NEWTON_SOLVED) return true;
        keep_nearest(&nearest, report);
        singular = singular && result == NEWTON_SINGULAR;
        memcpy(z, s->guess, size);
    }
    memcpy(z, s->guess, size);
    *report = nearest;
    report->singular = singular;
    report->exhausted = s->exhausted;
    report->undefined = !isfinite(solver_error(s, p, z, NULL));
    return false;
}

static _Thread_local solver_witness *witness;
static _Thread_local void *witness_context;

void solver_show(solver_witness *shown, void *context) {
    witness = shown;
    witness_context = context;
}

bool solver_is_watched(void) {
    return witness != NULL;
}

static bool shown_if(bool solved, problem *p, const double *z) {
    if (solved && witness) witness(witness_context, p, z);
    return solved;
}

bool solver_solve_all(solver *s, problem *p, double *z, double tolerance, bool doubtful, solver_report *report) {
    const bool solved =
        (p->accept > 0 && pile_solve(s, p, z, tolerance, report)) || solve(s, p, z, tolerance, doubtful, report);
    return shown_if(solved, p, z);
}

bool solver_solve(solver *s, problem *p, double *z, double tolerance, solver_report *report) {
    s->exhausted = false;
    return solver_solve_all(s, p, z, tolerance, false, report);
}

bool spare_now(struct spare *x) {
    return x->left > 0 && x->left-- > 0;
}

void spare_learn(struct spare *x, bool solved) {
    enum { MOST = 4 };
    x->failures = solved ? 0 : x->failures < MOST ? x->failures + 1 : MOST;
    x->left = x->failures > 1 ? (1 << (x->failures - 1)) - 1 : 0;
}

bool solver_solve_doubtful(solver *s, problem *p, double *z, double tolerance, solver_report *report) {
    s->exhausted = false;
    if (spare_now(&s->cures)) return solver_solve_newton(s, p, z, tolerance, report);
    const bool solved = solver_solve_all(s, p, z, tolerance, true, report);
    if (!report->undefined) spare_learn(&s->cures, solved);
    return solved;
}

bool solver_solve_newton(solver *s, problem *p, double *z, double tolerance, solver_report *report) {
    *report = (solver_report){0};
    s->exhausted = false;
    memcpy(s->guess, z, (size_t)p->n * sizeof *z);
    newton_result result = solver_newton(s, p, z, tolerance, report);
    if (result == NEWTON_SOLVED) s->gave_way = false;
    else memcpy(z, s->guess, (size_t)p->n * sizeof *z);
    report->undefined = result == NEWTON_UNDEFINED;
    report->singular = result == NEWTON_SINGULAR;
    report->exhausted = s->exhausted;
    return shown_if(result == NEWTON_SOLVED, p, z);
}
