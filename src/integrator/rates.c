#include "integrator/rates.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "integrator/vectors.h"

bool rates_create(rates *r, const carom_model *m) {
    const carom_model_def *d = &m->def;
    *r = (rates){0};
    vector_part parts[] = {{&r->M, pattern_nnz(&d->M)},
                           {&r->WT, pattern_nnz(&d->WT)},
                           {&r->s_q, pattern_nnz(&d->s_q)},
                           {&r->q_dot, d->nq},
                           {&r->zero, d->nu > m->ns ? d->nu : m->ns}};
    r->memory = vectors_create(parts, sizeof parts / sizeof *parts);
    return impact_create(&r->impact, m) && r->memory;
}

void rates_destroy(rates *r) {
    impact_destroy(&r->impact);
    free(r->memory);
}

/* Accelerations are known to a part of the largest one: those of redundant contacts agree no better than velocities. */
static double tolerance_of(const rates *r) {
    const carom_model *m = r->impact.m;
    const carom_pattern *M = &m->def.M;
    double largest = 1;
    for (int i = 0; i < m->def.nu; i++)
        for (int e = M->start[i]; e < M->start[i + 1]; e++)
            if (M->index[e] == i) largest = fmax(largest, fabs(r->impact.f[i] / r->M[e]));
    for (int k = 0; k < m->ns; k++) largest = fmax(largest, fabs(r->impact.chi[k]));
    return fmax(1e-12, r->tolerance) * largest;
}

bool rates_solve(rates *r, double t, const double *q, const double *u, const double *state, const double *sense,
                 bool free, solver_report *report) {
    impact *i = &r->impact;
    const carom_model *m = i->m;
    const carom_model_def *d = &m->def;
    *report = (solver_report){.undefined = true};
    if (d->mass(d->context, t, q, r->M) || d->force(d->context, t, q, u, i->f, NULL, NULL)) return false;
    if (m->ns && (d->velocity(d->context, t, q, u, NULL, r->WT, NULL) ||
                  model_velocity_rate(m, t, q, u, r->s_q, r->q_dot, i->chi)))
        return false;
    i->M = r->M, i->WT = r->WT, i->v = r->zero, i->before = r->zero;
    memset(i->z, 0, (size_t)(d->nu + m->ns) * sizeof *i->z); /* a guess from before would not survive a checkpoint */
    for (int k = 0; k < d->contacts; k++) {
        carom_contact_state now = (carom_contact_state)state[k];
        if (free && now != CAROM_OPEN) impact_join(i, k, now == CAROM_SLIP ? sense + m->slip[k] : NULL);
        else impact_fix(i, k, now, sense + m->slip[k]);
    }
    bool solved = impact_solve(i, tolerance_of(r), report);
    r->work += 1 + report->iterations;
    return solved;
}

double rates_row(const rates *r, int row) {
    const carom_pattern *WT = &r->impact.m->def.WT;
    double rate = r->impact.chi[row];
    for (int e = WT->start[row]; e < WT->start[row + 1]; e++) rate += r->WT[e] * r->impact.z[WT->index[e]];
    return rate;
}

/* Slip begins along its acceleration, also where no force opposes it; if that is zero, against the force. */
static void begin_sense(const rates *r, int first, int count, double *sense) {
    const double *lambda = impact_percussion(&r->impact);
    double rate = 0, force = 0;
    for (int j = 0; j < count; j++) {
        rate = hypot(rate, sense[j] = rates_row(r, first + j));
        force = hypot(force, lambda[first + j]);
    }
    bool accelerates = rate > 10 * tolerance_of(r);
    for (int j = 0; j < count; j++)
        sense[j] = accelerates ? sense[j] / rate : force > 0 ? -lambda[first + j] / force : j == 0;
}

void rates_read(rates *r, double *state, double *sense) {
    impact *i = &r->impact;
    const carom_model *m = i->m;
    for (int k = 0; k < m->def.contacts; k++) {
        const problem_law *friction = law_of_friction(&i->problem, m, 0, k);
        if (state[k] == CAROM_OPEN) continue;
        if (law_of_contact(&i->problem, m, 0, k)->branch == LAW_OPEN) state[k] = CAROM_OPEN;
        if (state[k] != CAROM_STICK || friction->branch == LAW_HOLD) continue;
        begin_sense(r, m->F + m->slip[k], friction->size, sense + m->slip[k]);
        state[k] = CAROM_SLIP;
    }
}
