/* Velocities that nothing in a step can have caused (docs/theory/solver.md, (S20)).
 *
 * A velocity of 1e45 solves every row in which it takes part, since its round-off hides the other terms. Rotations by
 * half a turn close gaps in this way. But the bodies have only the energy that they brought along, and that which
 * forces, drives and laws add. */
#include <math.h>
#include <string.h>

#include "linalg/sets.h"
#include "problem/cause.h"
#include "solver/solver_inside.h"

static double square(double x) {
    return x * x;
}

static bool has_any_grown(const problem *p, const double *z, double tolerance) {
    for (int i = 0; i < p->velocities; i++)
        if (!cause_is_plain(z[i], p->from[i], tolerance)) return true;
    return false;
}

static void add_energy(problem *p, const double *u, double *energy) {
    for (int i = 0; i < p->velocities; i++) energy[set_of(p->group, i)] += square(u[i]) / p->weight[i];
}

/* A law that drives a light body also drives the heavy bodies that are joined to it. */
static void add_drives(problem *p, const double *rows, double *energy, double *heaviest) {
    memset(heaviest, 0, (size_t)p->n * sizeof *heaviest);
    for (int i = 0; i < p->velocities; i++) {
        double *mass = &heaviest[set_of(p->group, i)];
        *mass = fmax(*mass, 1 / p->weight[i]);
    }
    for (int k = 0; k < p->laws; k++) {
        const problem_law *l = &p->law[k];
        const int g = set_of(p->group, l->col);
        for (int i = 0; i < l->size; i++) energy[g] += heaviest[g] * square(l->level * rows[l->row + i]);
    }
}

static bool is_within(problem *p, const double *z, double tolerance, const double *energy) {
    for (int i = 0; i < p->velocities; i++)
        if (!cause_is_plain(z[i], p->from[i], tolerance) &&
            !cause_suffices(square(z[i]) / p->weight[i], energy[set_of(p->group, i)]))
            return false;
    return true;
}

/* The cheap questions come first. In most iterates no velocity has grown much. In most others none has grown much
 * against the energy at the start. */
bool solver_is_caused(solver *s, problem *p, const double *z, double tolerance) {
    if (p->rates || !has_any_grown(p, z, tolerance)) return true;
    problem_find_groups(p, z);
    double *energy = p->pace, *heaviest = p->pace + p->n;
    memset(energy, 0, (size_t)p->n * sizeof *energy);
    add_energy(p, p->from, energy);
    if (is_within(p, z, tolerance, energy)) return true;
    const bool known = newton_release(s, p);
    if (known) add_energy(p, s->trial, energy), add_drives(p, s->trial_rows, energy, heaviest);
    return !p->evaluate(p->context, z, s->trial_rows, true) && (!known || is_within(p, z, tolerance, energy));
}
