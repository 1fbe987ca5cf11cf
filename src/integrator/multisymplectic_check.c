#include "integrator/multisymplectic_check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "model/difference.h"

/* ---------------------------------------------------------------- constraints and contacts */

/* (Y24): without friction and with restitution 1 these three are one law. */
static bool says_the_same(const char *law) {
    return !law || !strcmp(law, "newton") || !strcmp(law, "poisson") || !strcmp(law, "energetic");
}

static carom_status check_contact(const carom_model_contact *c, carom_error *error) {
    if (c->friction > 0 && c->slips > 0)
        return carom_error_set(
            error, CAROM_DATA,
            "multisymplectic knows no friction, but contact '%s' has some: set its friction to 0, or "
            "take rattle or lobatto",
            c->name);
    if (!says_the_same(c->impact))
        return carom_error_set(error, CAROM_DATA,
                               "multisymplectic keeps the energy of impacts, as newton, poisson and energetic do with "
                               "restitution 1, but contact '%s' has impact '%s': rattle and lobatto take it",
                               c->name, c->impact);
    if (c->restitution < 1)
        return carom_error_set(error, CAROM_DATA,
                               "multisymplectic keeps the energy of impacts, but contact '%s' has restitution %g: set "
                               "'restitution: 1', or take rattle or lobatto",
                               c->name, c->restitution);
    return CAROM_OK;
}

carom_status multisymplectic_accepts(const carom_model *model, carom_error *error) {
    const carom_model_def *d = &model->def;
    carom_status status = CAROM_OK;
    if (d->ng)
        return carom_error_set(error, CAROM_DATA,
                               "multisymplectic knows no constraints on position, but the model has '%s': rattle and "
                               "lobatto do",
                               d->g_names[0]);
    if (d->ngamma)
        return carom_error_set(error, CAROM_DATA,
                               "multisymplectic knows no velocity constraints, but the model has '%s': rattle and "
                               "lobatto do",
                               d->gamma_names[0]);
    for (int k = 0; k < d->contacts && !status; k++) status = check_contact(&d->contact[k], error);
    if (!status && (d->restitution || d->sequential))
        status = carom_error_set(error, CAROM_DATA,
                                 "multisymplectic keeps the energy of impacts that happen together: it takes no "
                                 "restitution by formula and no sequence; rattle and lobatto do");
    if (!status && d->rheonomic)
        status = carom_error_set(error, CAROM_DATA,
                                 "multisymplectic keeps energy, but some contact of the model moves by itself: rattle "
                                 "and lobatto follow it");
    if (!status && !d->energy)
        status = carom_error_set(error, CAROM_DATA, "multisymplectic needs the model's function energy, for V");
    return status;
}

/* ---------------------------------------------------------------- forces */

typedef struct probing {
    const drift *d;
    double *q, *q1, *v, *rest, *h, *f; /* a state, and forces there with and without velocity */
    double *h_u;
    double t;
    double *memory;
} probing;

static bool probing_create(probing *p, const drift *d) {
    const size_t nq = (size_t)d->m->def.nq, nu = (size_t)d->m->def.nu;
    p->d = d;
    p->memory = calloc(2 * nq + 4 * nu + (size_t)pattern_nnz(&d->m->def.h_u), sizeof *p->memory);
    if (!p->memory) return false;
    p->q = p->memory, p->q1 = p->q + nq;
    p->v = p->q1 + nq, p->rest = p->v + nu, p->h = p->rest + nu, p->f = p->h + nu, p->h_u = p->f + nu;
    return true;
}

static int potential(void *context, double x, double *V) {
    probing *p = context;
    const carom_model_def *d = &p->d->m->def;
    drift_position(p->d, p->q, p->v, x, p->q1);
    return d->energy(d->context, p->t, p->q1, p->rest, NULL, V);
}

static bool differ(double a, double b) {
    return !(fabs(a - b) <= 1e-9 * (1 + fabs(b)));
}

static bool turns(const carom_model_def *d, int row) {
    for (int k = 0; k < d->rotations; k++)
        if (row >= d->rotation[k].u && row < d->rotation[k].u + 3) return true;
    return false;
}

/* Looks for a row of dh/du that is not zero, apart from rotations: a damper counts however weak it is beside other
 * forces. */
static int damped_row(const probing *p) {
    const carom_model_def *d = &p->d->m->def;
    if (!d->h_u.start || d->force(d->context, p->t, p->q, p->v, NULL, NULL, p->h_u)) return -1;
    for (int j = 0; j < d->nu; j++)
        for (int e = d->h_u.start[j]; e < d->h_u.start[j + 1]; e++)
            if (p->h_u[e] != 0 && !turns(d, j)) return j;
    return -1;
}

/* Forces with the velocity v are those at rest but for -w x J w. */
static int velocity_row(probing *p) {
    const carom_model_def *d = &p->d->m->def;
    drift_momenta(p->d, p->v, p->q1); /* room for it: nq >= nu */
    for (int k = 0; k < d->rotations; k++) {
        const double *w = p->v + d->rotation[k].u, *Jw = p->q1 + d->rotation[k].u;
        for (int i = 0; i < 3; i++)
            p->h[d->rotation[k].u + i] += w[(i + 1) % 3] * Jw[(i + 2) % 3] - w[(i + 2) % 3] * Jw[(i + 1) % 3];
    }
    for (int j = 0; j < d->nu; j++)
        if (differ(p->h[j], p->f[j])) return j;
    return -1;
}

/* Checks at one state: forces at rest against those with velocity, against those at another time, and -dV along v
 * against f . v. A state at which the model is not defined shows nothing. */
static carom_status check_forces(probing *p, carom_error *error) {
    const carom_model_def *d = &p->d->m->def;
    double V, dV, bound, work = 0, size = 0, place[64];
    if (d->force(d->context, p->t, p->q, p->rest, p->f, NULL, NULL) ||
        d->force(d->context, p->t, p->q, p->v, p->h, NULL, NULL))
        return CAROM_OK;
    int row = damped_row(p);
    if (row < 0) row = velocity_row(p);
    if (row >= 0)
        return carom_error_set(error, CAROM_DATA,
                               "multisymplectic needs forces that do not depend on velocities, the one on '%s' does: "
                               "rattle, theta and lobatto take damping",
                               d->u_names[row]);
    if (!d->force(d->context, p->t + 0.37, p->q, p->rest, p->h, NULL, NULL))
        for (int j = 0; j < d->nu; j++)
            if (differ(p->h[j], p->f[j]))
                return carom_error_set(error, CAROM_DATA,
                                       "multisymplectic needs forces that do not depend on time, the one on '%s' does",
                                       d->u_names[j]);
    if (difference_work(1) > sizeof place / sizeof *place || potential(p, 0, &V)) return CAROM_OK;
    difference(potential, p, 1, 1e-2, NULL, place, &dV, &bound);
    for (int j = 0; j < d->nu; j++) work += p->f[j] * p->v[j], size += fabs(p->f[j] * p->v[j]);
    if (isfinite(bound) && fabs(work + dV) > 1e-6 * size + 10 * bound)
        return carom_error_set(error, CAROM_DATA,
                               "multisymplectic needs forces of a potential, but the power of the forces is %.6g where "
                               "the potential energy changes by %.6g: give the forces as 'potential', or take rattle",
                               work, dV);
    return CAROM_OK;
}

carom_status multisymplectic_conservative(const drift *d, carom_error *error) {
    const carom_model_def *def = &d->m->def;
    carom_status status = CAROM_OK;
    probing p;
    if (!probing_create(&p, d)) return carom_error_memory(error);
    p.t = def->t0;
    for (int state = 0; state < 3 && !status; state++) {
        for (int j = 0; j < def->nu; j++) p.v[j] = cos(2.3 * j + 1.1 * state + 0.4);
        drift_position(d, def->q0, p.v, 1e-3 * state, p.q);
        status = check_forces(&p, error);
    }
    free(p.memory);
    return status;
}
