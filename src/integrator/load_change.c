#include "integrator/load_change.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "integrator/vectors.h"

/* The force that leaves its cone: normal, or of friction. */
typedef struct load {
    int contact;
    bool opens;
    double margin;
} load;

static void consider(load *least, load x) {
    if (x.margin < least->margin) *least = x;
}

/* As accelerations, as rates_persist compares them. */
static load critical(load_change *c, const attempt *a) {
    const carom_model *m = a->m;
    problem *p = &c->rates.impact.problem;
    const double *lambda = rates_forces(&c->rates);
    load least = {-1, false, INFINITY};
    for (int k = 0; k < m->def.contacts; k++) {
        if (a->start.x.contact[k] == CAROM_OPEN || a->start.held[k]) continue;
        if (!contact_follows(m, k)) consider(&least, (load){k, true, law_of_contact(p, m, 0, k)->G * lambda[m->N + k]});
        if (a->start.x.contact[k] == CAROM_STICK && m->def.contact[k].slips > 0)
            consider(&least, (load){k, false, law_of_friction(p, m, 0, k)->G * friction_margin(m, k, lambda)});
    }
    return least;
}

/* (SE11): M' a - h' and W'^T a + zeta' at fixed accelerations and forces. */
static bool column(load_change *c, int k, const carom_place *at) {
    const carom_model *m = c->v->m;
    const carom_model_def *d = &m->def;
    const carom_place rate = variation_column(c->v, k);
    const double *acceleration = c->rates.impact.z;
    const carom_tangent wanted = {
        .M = c->M, .h = c->h, .zeta = c->zeta, .WT = c->WT, .s = d->friction ? c->slips : NULL};
    if (!variation_tangent(c->v, k, at, &rate, &wanted)) return false;
    for (int i = 0; i < d->nu; i++) c->balance[i] = -c->h[i];
    for (int i = 0; i < m->ns; i++) c->laws[i] = c->zeta[i];
    pattern_multiply(&d->M, c->M, 1, acceleration, c->balance);
    pattern_multiply(&d->WT, c->WT, 1, acceleration, c->laws);
    return impact_change_column(&c->impact, k, at, &rate,
                                &(impact_rate){.balance = c->balance, .laws = c->laws, .slips = c->slips + m->F});
}

/* Of lambda_N, or of mu L(lambda) - |lambda_F|. */
static double margin_rate(const load_change *c, const load *x, int k) {
    const carom_model *m = c->v->m;
    const double *lambda = rates_forces(&c->rates), *change = impact_change_of(&c->impact, k) + m->def.nu;
    if (x->opens) return change[m->N + x->contact];
    const double size = slip_speed(m, x->contact, lambda);
    double rate = variation_coefficient(c->v, k, x->contact, 0) * contact_load(m, x->contact, lambda) +
                  m->def.contact[x->contact].friction * contact_load_rate(m, x->contact, lambda, change);
    for (int j = m->F + m->slip[x->contact]; j < m->F + m->slip[x->contact + 1]; j++)
        rate -= lambda[j] * change[j] / size;
    return rate;
}

/* Slip begins against its force, with the direction d = -lambda_F/|lambda_F| at the instant t' of the break, (SE21). */
static void turn(const load_change *c, const load *x, const double *rate) {
    variation *v = c->v;
    const carom_model *m = v->m;
    const double *lambda = rates_forces(&c->rates) + m->F;
    const double size = slip_speed(m, x->contact, rates_forces(&c->rates));
    const double *later = impact_change_of(&c->impact, v->columns) + m->def.nu + m->F;
    for (int k = 0; k < v->columns; k++) {
        const double *change = impact_change_of(&c->impact, k) + m->def.nu + m->F;
        const double t = -rate[k] / rate[v->columns];
        double *d = v->sense + k * m->slips, along = 0;
        for (int j = m->slip[x->contact]; j < m->slip[x->contact + 1]; j++)
            d[j] = -(change[j] + t * later[j]) / size, along += d[j] * lambda[j] / size;
        for (int j = m->slip[x->contact]; j < m->slip[x->contact + 1]; j++) d[j] -= along * lambda[j] / size;
    }
}

bool load_change_forces(load_change *c, const rates_place *place, bool free) {
    const carom_place at = {place->t, place->q, place->u};
    solver_report found;
    bool defined = rates_solve(&c->rates, place, free, &found);
    for (int k = 0; k <= c->v->columns && defined; k++) defined = column(c, k, &at);
    return defined && impact_change_solve(&c->impact) == CHANGE_FOUND;
}

const double *load_change_of(const load_change *c, int column) {
    return impact_change_of(&c->impact, column) + c->v->m->def.nu;
}

bool load_change_rates(load_change *c, const attempt *a, const motion *end, double *rate) {
    const rates_place place = {end->t, end->q, end->u, a->start.x.contact, a->start.sense, NULL};
    if (!load_change_forces(c, &place, false) || (a->admits && !rates_unique(&c->rates))) return false;
    const load least = critical(c, a);
    for (int k = 0; k <= c->v->columns && least.contact >= 0; k++) rate[k] = margin_rate(c, &least, k);
    c->contact = least.contact, c->opens = least.opens;
    const bool ends = least.contact >= 0 && rate[c->v->columns] < 0;
    if (ends && !least.opens) turn(c, &least, rate);
    return ends;
}

/* ---------------------------------------------------------------- transposed */

enum { T, CONTACT, OPENS, RATE, HEAD };

static bool pull_load(void *self, const double *kept, adjoint *a);

void load_change_trace(load_change *c, const attempt *a, const motion *end, double rate) {
    const carom_model *m = c->v->m;
    const carom_place flow = variation_column(c->v, c->v->columns);
    const int nq = m->def.nq, nu = m->def.nu,
              size = HEAD + 2 * (nq + nu) + m->def.contacts + 2 * m->slips + impact_room(&c->rates.impact);
    double *to = trace_add(c->v, pull_load, c, (size_t)size);
    if (!to) return;
    to[T] = end->t, to[CONTACT] = c->contact, to[OPENS] = c->opens, to[RATE] = rate;
    to = keep(keep(keep(keep(to + HEAD, end->q, nq), end->u, nu), flow.q, nq), flow.u, nu);
    to = keep(keep(to, a->start.x.contact, m->def.contacts), a->start.sense, m->slips);
    to = keep(to, impact_change_of(&c->impact, c->v->columns) + nu + m->F, m->slips);
    impact_keep(&c->rates.impact, to);
}

/* Weights of the forces: of the direction in which slip begins, (SE21), and of the margin. moved: that of the instant.
 */
static void pull_margin(load_change *c, const double *kept, const double *later, double moved, adjoint *a) {
    const carom_model *m = c->v->m;
    const int k = (int)kept[CONTACT], first = m->slip[k], last = m->slip[k + 1];
    const double *lambda = rates_forces(&c->rates), *F = lambda + m->F, size = slip_speed(m, k, lambda);
    double *weight = c->laws, along = 0;
    memset(weight, 0, (size_t)m->ns * sizeof *weight);
    for (int j = first; j < last && kept[OPENS] == 0; j++) along += a->sense[j] * F[j] / size;
    for (int j = first; j < last && kept[OPENS] == 0; j++) {
        weight[m->F + j] = -(a->sense[j] - along * F[j] / size) / size;
        moved += weight[m->F + j] * later[j];
    }
    const double rate = -moved / kept[RATE];
    if (kept[OPENS] != 0) {
        weight[m->N + k] += rate;
        return;
    }
    contact_load_by(m, k, lambda, rate * m->def.contact[k].friction, weight);
    a->coefficient[3 * k] += rate * contact_load(m, k, lambda);
    for (int j = first; j < last; j++) weight[m->F + j] -= rate * F[j] / size;
}

/* (SE11) transposed: of M' a - h' - W' lambda and W'^T a + zeta'. */
static bool pull_forces(load_change *c, const carom_place *at, adjoint *a) {
    const carom_model *m = c->v->m;
    const carom_model_def *d = &m->def;
    const double *acceleration = c->rates.impact.z, *balance = c->impact.rows, *laws = balance + d->nu;
    memset(a->WT, 0, (size_t)pattern_nnz(&d->WT) * sizeof *a->WT);
    adjoint_add_turn(m, -1, rates_forces(&c->rates), balance, a->WT);
    adjoint_add_turn(m, 1, laws, acceleration, a->WT);
    for (int i = 0; i < d->nu; i++) {
        c->balance[i] = -balance[i];
        for (int e = d->M.start[i]; e < d->M.start[i + 1]; e++) a->M[e] = balance[i] * acceleration[d->M.index[e]];
    }
    memcpy(c->zeta, laws, (size_t)m->ns * sizeof *laws);
    const carom_tangent weight = {
        .M = a->M, .h = c->balance, .zeta = c->zeta, .WT = a->WT, .s = d->friction ? c->slips : NULL};
    memset(c->slips, 0, (size_t)m->ns * sizeof *c->slips);
    return impact_pull_place(&c->impact, a, &a->t, a->q, c->slips + m->F) &&
           adjoint_place(a, at, &weight, &a->t, a->q, a->u);
}

bool load_change_pull(load_change *c, const carom_place *at, const double *weights, adjoint *a) {
    return impact_pull(&c->impact, a, at->t, NULL, weights, NULL) && pull_forces(c, at, a);
}

static bool pull_load(void *self, const double *kept, adjoint *a) {
    load_change *c = self;
    const carom_model *m = c->v->m;
    const int nq = m->def.nq, nu = m->def.nu;
    const double *q = kept + HEAD, *u = q + nq, *q_t = u + nu, *u_t = q_t + nq, *state = u_t + nu,
                 *sense = state + m->def.contacts, *later = sense + m->slips;
    const carom_place at = {kept[T], q, u};
    double moved = a->t;
    if (!rates_look(&c->rates, &(rates_place){at.t, q, u, state, sense, NULL})) return false;
    impact_put_back(&c->rates.impact, c->rates.zero, later + m->slips);
    for (int i = 0; i < nq; i++) moved += a->q[i] * q_t[i];
    for (int i = 0; i < nu; i++) moved += a->u[i] * u_t[i];
    pull_margin(c, kept, later, moved, a);
    memset(a->sense, 0, (size_t)m->slips * sizeof *a->sense);
    return load_change_pull(c, &at, c->laws, a);
}

/* ---------------------------------------------------------------- setup */

bool load_change_create(load_change *c, const carom_model *m, variation *v) {
    const carom_model_def *d = &m->def;
    *c = (load_change){.v = v};
    const vector_part parts[] = {{&c->M, pattern_nnz(&d->M)},
                                 {&c->WT, pattern_nnz(&d->WT)},
                                 {&c->h, d->nu},
                                 {&c->balance, d->nu},
                                 {&c->zeta, m->ns},
                                 {&c->laws, m->ns},
                                 {&c->slips, m->ns}};
    c->memory = vectors_create(parts, sizeof parts / sizeof *parts);
    const bool ok = rates_create(&c->rates, m) && c->memory;
    c->rates.tolerance = 1e-12;
    return impact_change_create(&c->impact, &c->rates.impact, v) && ok;
}

void load_change_destroy(load_change *c) {
    impact_change_destroy(&c->impact);
    rates_destroy(&c->rates);
    free(c->memory);
}
