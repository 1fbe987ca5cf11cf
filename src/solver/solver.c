/* The order of cures (docs/theory/solver.md, (S5)): Newton; Lemke's pivots, then Newton; Newton with backtracking;
 * Gauss-Seidel, then Newton; the proximal point method. Each starts from the guess of the step. */
#include "solver/solver.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

solver *solver_create(const problem *p) {
    size_t n = (size_t)(p->n + p->looks) + 1, laws = (size_t)p->laws + 1;
    /* law rows repeat those of y and of their direction */
    size_t entries = (size_t)p->J.start[p->n + p->looks] * 2 * LAW_SIZE + (LAW_SIZE + 1) * n;
    solver *s = entries <= INT_MAX ? calloc(1, sizeof *s) : NULL;
    if (!s) return NULL;
    double **vectors[] = {&s->guess,      &s->trial, &s->kept, &s->centre, &s->rows,
                          &s->trial_rows, &s->step,  &s->rhs,  &s->scale};
    bool ok = (s->linear = linear_create(p->n, (int)entries)) != NULL;
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        ok = (*vectors[i] = calloc(n, sizeof(double))) != NULL && ok;
    ok = (s->law = calloc(laws, sizeof *s->law)) != NULL && ok;
    ok = (s->direction = calloc(laws, sizeof *s->direction)) != NULL && ok;
    ok = (s->turn = calloc(laws, sizeof *s->turn)) != NULL && ok;
    ok = (s->turns = calloc(laws, sizeof *s->turns)) != NULL && ok;
    ok = (s->place = calloc(n, sizeof *s->place)) != NULL && ok;
    ok = (s->mark = calloc(n, sizeof *s->mark)) != NULL && ok;
    ok = (s->start = calloc(n + 1, sizeof *s->start)) != NULL && ok;
    ok = (s->index = calloc(entries, sizeof *s->index)) != NULL && ok;
    ok = (s->value = calloc(entries, sizeof *s->value)) != NULL && ok;
    if (ok) return s;
    solver_destroy(s);
    return NULL;
}

void solver_destroy(solver *s) {
    if (!s) return;
    linear_destroy(s->linear);
    void *parts[] = {s->guess, s->trial, s->kept,  s->centre, s->rows,  s->trial_rows,
                     s->step,  s->rhs,   s->scale, s->law,    s->turn,  s->direction,
                     s->turns, s->place, s->mark,  s->start,  s->index, s->value};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) free(parts[i]);
    free(s);
}

void solver_forget(solver *s) {
    s->redundant = 0;
    linear_forget(s->linear);
}

bool solver_solve_fixed(solver *s, problem *p, double *z, double tolerance, solver_report *report) {
    static const newton_options full = {.iterations = 12}, damped = {.iterations = 30, .damped = true};
    *report = (solver_report){0};
    memcpy(s->guess, z, (size_t)p->n * sizeof *z);
    newton_result result = newton_solve(s, p, z, tolerance, &full, report);
    if (result != NEWTON_SOLVED) {
        memcpy(z, s->guess, (size_t)p->n * sizeof *z);
        result = newton_solve(s, p, z, tolerance, &damped, report);
    }
    report->undefined = result == NEWTON_UNDEFINED;
    report->singular = result == NEWTON_SINGULAR;
    if (result != NEWTON_SOLVED) memcpy(z, s->guess, (size_t)p->n * sizeof *z);
    return result == NEWTON_SOLVED;
}

bool solver_solve(solver *s, problem *p, double *z, double tolerance, solver_report *report) {
    static const newton_options full = {.iterations = 25}, damped = {.iterations = 50, .damped = true};
    size_t size = (size_t)p->n * sizeof *z;
    *report = (solver_report){0};
    memcpy(s->guess, z, size);

    newton_result result = newton_solve(s, p, z, tolerance, &full, report);
    for (int linearised = 0; result != NEWTON_SOLVED && linearised < 3; linearised++) {
        if (linearised == 0) memcpy(z, s->guess, size);
        else if (result != NEWTON_UNSOLVED) break;
        if (!lemke_improve(s, p, z)) break;
        result = newton_solve(s, p, z, tolerance, &full, report);
    }
    if (result != NEWTON_SOLVED) {
        memcpy(z, s->guess, size);
        result = newton_solve(s, p, z, tolerance, &damped, report);
    }
    if (result != NEWTON_SOLVED) {
        memcpy(z, s->guess, size);
        if (gauss_seidel_improve(s, p, z, tolerance)) result = newton_solve(s, p, z, tolerance, &damped, report);
    }
    if (result != NEWTON_SOLVED) {
        memcpy(z, s->guess, size);
        result = proximal_point_solve(s, p, z, tolerance, report);
    }
    if (result == NEWTON_SOLVED) return true;
    report->undefined = result == NEWTON_UNDEFINED;
    report->singular = result == NEWTON_SINGULAR;
    memcpy(z, s->guess, size);
    return false;
}
