/* The initial state: mass, constraints, gaps, and what is recorded. */
#include "model/check.h"
#include "model/definite.h"

#include <math.h>

static const double POSITION = 1e-8; /* constraints and gaps at the start */
static const double VELOCITY = 1e-6; /* their velocities, relative to max(1, |u|) */

static void check_mass(checker *k) {
    probe *p = &k->probe;
    double pivot;
    probe_mass(p, p->J);
    int row = indefinite_row(&p->def->M, p->J, &pivot);
    if (row < 0) check_report(k, true, INFINITY, "out of memory");
    else if (row < p->def->nu)
        check_report(k, true, fabs(pivot), "M is not positive definite at the start: its pivot at %s is %.3g",
                     probe_name(p, AXIS_U, row).text, pivot);
}

static double largest(const double *x, int n) {
    double size = 0;
    for (int i = 0; i < n; i++) size = fmax(size, fabs(x[i]));
    return size;
}

static void check_positions(checker *k) {
    probe *p = &k->probe;
    probe_c(p, p->f);
    for (int i = 0; i < p->model->nc; i++) {
        bool gap = i >= p->def->ng;
        if (gap ? p->f[i] < -POSITION : fabs(p->f[i]) > POSITION)
            check_report(k, true, fabs(p->f[i]),
                         gap ? "%s is %.9g at the start: penetration" : "%s is %.9g at the start, not 0",
                         probe_name(p, AXIS_C, i).text, p->f[i]);
    }
}

static void check_velocities(checker *k, double tolerance) {
    probe *p = &k->probe;
    const carom_model *m = p->model;
    if (m->nc) probe_c(p, p->d);
    probe_s(p, p->f);
    for (int i = 0; i < m->N; i++)
        if (fabs(p->f[i]) > tolerance)
            check_report(k, true, fabs(p->f[i]), "%s is %.9g at the start, not 0", probe_name(p, AXIS_S, i).text,
                         p->f[i]);
    for (int i = 0; i < p->def->contacts; i++) {
        double rate = p->f[m->N + i];
        if (fabs(p->d[p->def->ng + i]) <= POSITION && rate < -tolerance)
            check_report(k, false, -rate,
                         "%s is %.9g at the start with the contact closed: the run begins with an impact",
                         probe_name(p, AXIS_S, m->N + i).text, rate);
    }
}

static void check_energy(checker *k) {
    const carom_model_def *d = k->probe.def;
    double T = 0, V = 0;
    if (d->energy(d->context, d->t0, d->q0, d->u0, &T, &V) || !isfinite(T + V))
        check_report(k, true, INFINITY, "the energy is not finite at the start");
}

static void check_recorded(checker *k) {
    const carom_model_def *d = k->probe.def;
    double power = 0, G = 0, *f = k->probe.f;
    if (d->power && (d->power(d->context, d->t0, d->q0, d->u0, &power, &G) || !isfinite(power + G)))
        check_report(k, false, INFINITY, "the power is not finite at the start: the work of forces cannot be recorded");
    if (d->symmetries && (d->symmetry(d->context, d->t0, d->q0, k->probe.xi) ||
                          check_not_finite(k->probe.xi, d->symmetries * d->nu) < d->symmetries * d->nu))
        check_report(k, true, INFINITY, "the symmetries are not finite at the start");
    for (int i = 0; i < d->observables; i++) f[i] = NAN;
    if (d->observables) d->observe(d->context, d->t0, d->q0, d->u0, f);
    for (int i = 0; i < d->observables; i++)
        if (!isfinite(f[i]))
            check_report(k, false, INFINITY, "'%s' is not finite at the start", d->observable_names[i]);
}

void check_start(checker *k) {
    probe *p = &k->probe;
    probe_start(p, &p->at[0]);
    check_mass(k);
    if (p->def->energy) check_energy(k);
    check_recorded(k);
    if (p->def->position) check_positions(k);
    if (p->def->velocity) check_velocities(k, VELOCITY * fmax(1, largest(p->base.u, p->def->nu)));
}
