/* The work of forces and percussions over a run (docs/theory/mechanics.md, (W1)-(W9)).
 *
 * Per step, with s, chi and the power at its two ends:
 *     work of the forces   += dt/2 (power_0 + power_1)        (W4), G is added where it is read
 *     work of a percussion  = 1/2 P (s_0 + s_1)               (W6), by contacts, in normal and tangential direction
 *     work of what moves   += -1/2 P^T (chi_0 + chi_1)        (W7)
 * The sums and the values at the end of the step are part of the state: a resumed run continues them to the bit. */
#include "run/sim.h"

#include <math.h>

size_t ledger_size(const carom_model *model) {
    const carom_model_def *d = &model->def;
    return (size_t)(WORKS + 2 * d->contacts + (d->rheonomic ? 2 : 1) * model->ns);
}

/* s, chi and the power at the end of a step. A power that is not defined spoils the account, not the run. */
static bool evaluate(const carom_sim *sim, const motion *x, const ledger *l) {
    const carom_model *m = sim->model;
    const carom_model_def *d = &m->def;
    if (d->power && d->power(d->context, x->t, x->q, x->u, &l->work[WORK_POWER], NULL)) l->work[WORK_POWER] = NAN;
    return !(m->ns && d->velocity(d->context, x->t, x->q, x->u, l->s, NULL, NULL)) &&
           !(d->rheonomic && m->ns && d->velocity(d->context, x->t, x->q, sim->rest, l->chi, NULL, NULL));
}

bool work_start(const carom_sim *sim, const motion *first) {
    ledger l = ledger_in(sim, sim->now);
    return evaluate(sim, first, &l);
}

/* 1/2 P^T (a + b) */
static double mean_work(const double *P, const double *a, const double *b, int n) {
    double work = 0;
    for (int i = 0; i < n; i++) work += P[i] * (a[i] + b[i]);
    return work / 2;
}

bool work_add(const carom_sim *sim, double *from, double *to, const motion *end, double dt, bool again) {
    const carom_model *m = sim->model;
    const carom_model_def *d = &m->def;
    ledger a = ledger_in(sim, from), b = ledger_in(sim, to);
    if (!evaluate(sim, end, &b)) return false;
    for (int i = 0; i < WORK_POWER; i++) b.work[i] = a.work[i];
    b.work[WORK_FORCES] += dt / 2 * (a.work[WORK_POWER] + b.work[WORK_POWER]);
    if (d->rheonomic) b.work[WORK_CONSTRAINTS] -= mean_work(end->P, a.chi, b.chi, m->ns);
    for (int k = 0; k < d->contacts; k++) {
        int N = m->N + k, F = m->F + m->slip[k];
        double normal = mean_work(end->P + N, a.s + N, b.s + N, 1);
        double friction = mean_work(end->P + F, a.s + F, b.s + F, d->contact[k].slips);
        b.work[WORK_IMPACTS] += normal;
        b.work[WORK_FRICTION] += friction;
        b.loss[2 * k] = (again ? a.loss[2 * k] : 0) - normal - friction;
        b.loss[2 * k + 1] = (again ? a.loss[2 * k + 1] : 0) - friction;
    }
    return true;
}
