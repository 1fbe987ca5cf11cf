#include "integrator/rehearsal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "integrator/kinematics.h"
#include "integrator/projection.h"
#include "model/definite.h"

typedef struct rehearsal {
    const carom_model *m;
    projection allowed; /* velocities that the joints allow */
    kinematics kinematics;
    bool *held; /* [joints] false: left out, as what may be a drive */
    double *M, *WT, *WT1, *c, *c1, *v, *u, *q;
    double *memory; /* these vectors in one piece */
} rehearsal;

/* Rows change by CHANGE. Where joints fit, u' differs from u by a part of that size; where they do not, they are missed
 * by its second or third power, or u' has lost what they forbid, a part of u of order one. A u below REST, where v is
 * one, is round-off: nothing moves. */
static const double CHANGE = 3e-3, NEAR = 3e-2, EXACT = 1e-13, REST = 1e-9;
static const double SOFT = 1e-9; /* eps of (Q1), which lets joints depend on each other */

static double mass_of(const rehearsal *r, int j) {
    const double *entry = pattern_entry(&r->m->def.M, r->M, j, j);
    return entry ? *entry : 0;
}

/* max sqrt(M_jj) |u_j - v_j|, in which a loop counts as much alone as among many bodies; v NULL: zero */
static double distance(const rehearsal *r, const double *u, const double *v) {
    double largest = 0;
    for (int j = 0; j < r->m->def.nu; j++) largest = fmax(largest, sqrt(mass_of(r, j)) * fabs(u[j] - (v ? v[j] : 0)));
    return largest;
}

/* The largest part by which a row of W_g^T changed, its entries measured by the masses they move. */
static double change(const rehearsal *r) {
    const carom_pattern *P = &r->m->def.WT;
    double largest = 0;
    for (int i = 0; i < r->m->def.ng; i++) {
        double size = 0, turned = 0;
        for (int e = P->start[i]; e < P->start[i + 1]; e++) {
            size += pow(r->WT[e], 2) / mass_of(r, P->index[e]);
            turned += pow(r->WT1[e] - r->WT[e], 2) / mass_of(r, P->index[e]);
        }
        if (size > 0) largest = fmax(largest, sqrt(turned / size));
    }
    return largest;
}

/* (H4), (H6): v becomes the nearest velocity that the joints allow at q; WT: their rows there. False: none. */
static bool allow(rehearsal *r, const double *q, double *v, double *WT) {
    const carom_model_def *d = &r->m->def;
    if (d->velocity(d->context, d->t0, q, v, NULL, WT, NULL)) return false;
    const double largest = distance(r, v, NULL);
    return projection_factor(&r->allowed, r->M, WT, r->held, SOFT) &&
           projection_nearest(&r->allowed, v) <= EXACT * largest;
}

/* (H5); false: the rows do not change, or the model is not defined there. */
static bool move_until_rows_change(rehearsal *r) {
    enum { DOUBLINGS = 60 };
    const carom_model_def *d = &r->m->def;
    double largest = 0, tau = 1e-6;
    solver_report found;
    for (int j = 0; j < d->nu; j++) largest = fmax(largest, fabs(r->u[j]));
    for (int i = 0; i < DOUBLINGS; i++, tau *= 2) {
        if (!kinematics_advance(&r->kinematics, d->t0, d->q0, r->u, d->t0, tau / largest, r->q, EXACT * largest,
                                &found) ||
            d->velocity(d->context, d->t0, r->q, r->u, NULL, r->WT1, NULL))
            return false;
        if (change(r) >= CHANGE) return true;
    }
    return false;
}

static bool joints_part(rehearsal *r) {
    const carom_model_def *d = &r->m->def;
    const size_t size = (size_t)d->nu * sizeof *r->u;
    for (int j = 0; j < d->nu; j++) r->u[j] = cos(1.7 * j + 0.3) / sqrt(mass_of(r, j));
    if (!allow(r, d->q0, r->u, r->WT) || projection_factor(&r->allowed, r->M, r->WT, r->held, 0)) return false;
    if (distance(r, r->u, NULL) <= REST || !move_until_rows_change(r)) return false;
    memcpy(r->v, r->u, size);
    return !allow(r, r->q, r->v, r->WT1) || distance(r, r->v, r->u) > NEAR * distance(r, r->u, NULL);
}

/* First with the joints at t_0 as they are. Then without drives (joints that move with time, and velocity constraints),
 * since they may hold a loop that would move. */
static bool rehearse(rehearsal *r) {
    const carom_model_def *d = &r->m->def;
    bool driven = false;
    if (d->mass(d->context, d->t0, d->q0, r->M) || d->position(d->context, d->t0, d->q0, r->c, NULL) ||
        d->position(d->context, d->t0 + 0.37, d->q0, r->c1, NULL))
        return false;
    for (int i = 0; i < r->m->N; i++) r->held[i] = true;
    if (joints_part(r)) return true;
    for (int i = 0; i < r->m->N; i++) {
        const bool drive = i >= d->ng || r->c[i] != r->c1[i];
        r->held[i] = !drive;
        driven = driven || drive;
    }
    return driven && joints_part(r);
}

carom_status rehearse_joints(const carom_model *m, bool *part, carom_error *error) {
    const carom_model_def *d = &m->def;
    rehearsal r = {.m = m};
    *part = false;
    if (!d->ng) return CAROM_OK;
    const vector_part parts[] = {
        {&r.M, pattern_nnz(&d->M)},
        {&r.WT, pattern_nnz(&d->WT)},
        {&r.WT1, pattern_nnz(&d->WT)},
        {&r.c, m->nc},
        {&r.c1, m->nc},
        {&r.v, d->nu},
        {&r.u, d->nu},
        {&r.q, d->nq},
    };
    r.memory = vectors_create(parts, sizeof parts / sizeof *parts);
    r.held = malloc(((size_t)m->N + 1) * sizeof *r.held);
    bool ok = projection_create(&r.allowed, m, m->N) && r.memory && r.held;
    ok = kinematics_create(&r.kinematics, m) && ok;
    *part = ok && rehearse(&r);
    kinematics_destroy(&r.kinematics);
    projection_destroy(&r.allowed);
    free(r.held);
    free(r.memory);
    return ok ? CAROM_OK : carom_error_memory(error);
}

carom_status joints_choose(const carom_model *m, const carom_run_def *run, bool *closed, carom_error *error) {
    static const char *const choices[] = {"auto", "closed", NULL};
    int choice = 0;
    *closed = false;
    carom_status status = option_choice(run, "joints", choices, &choice, error);
    if (status) return status;
    *closed = choice == 1 && m->def.ng > 0;
    return *closed ? CAROM_OK : rehearse_joints(m, closed, error);
}
