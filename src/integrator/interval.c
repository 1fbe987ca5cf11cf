#include "integrator/interval.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "integrator/vectors.h"
#include "linalg/complementarity.h"

enum { MOST_FULL = 1000, SWEEPS = 10000 };

bool interval_undefined(const interval *x, step_report *report) {
    snprintf(report->reason, sizeof report->reason, "the model is not defined near t = %.9g", x->t);
    return false;
}

/* A smaller gap touches: far above the round-off of gaps, far below anything visible. */
double interval_reach(const interval *x) {
    double size = 1;
    for (int i = 0; i < x->m->def.nq; i++) size = fmax(size, fabs(x->q[i]));
    return 1e-13 * size;
}

/* ---------------------------------------------------------------- (Y23) */

void interval_count_miss(interval *x, const char *what, double miss, double floor) {
    if (miss <= floor || miss <= x->residual) return;
    x->residual = isnan(miss) ? INFINITY : miss;
    x->missed = what;
}

double interval_fastest(const interval *x, const double *u) {
    double most = 0;
    for (int j = 0; j < x->m->def.nu; j++) most = fmax(most, fabs(u[j]));
    return most;
}

/* An energy that is wrong by miss corresponds to a velocity that is wrong by the part miss/(2 T). */
static void count_energy(interval *x, double miss, double size) {
    double T = drift_kinetic(&x->drift, x->v);
    if (!(fabs(miss) <= 256 * DBL_EPSILON * size) && T > 0)
        interval_count_miss(x, "the energy of an impact", fabs(miss) / (2 * T) * interval_fastest(x, x->v), 0);
}

bool interval_meets(const interval *x, double tolerance, step_report *report) {
    report->residual = fmax(report->residual, x->residual);
    if (x->residual <= tolerance) return true;
    snprintf(report->reason, sizeof report->reason, "no solution found near t = %.9g: %s is missed by %.3g", x->t,
             x->missed, x->residual);
    return false;
}

/* ---------------------------------------------------------------- W and linear complementarity */

double interval_along(const interval *x, int k, const double *u) {
    const carom_pattern *WT = &x->m->def.WT;
    double sum = 0;
    for (int e = WT->start[x->m->N + k]; e < WT->start[x->m->N + k + 1]; e++) sum += x->WT[e] * u[WT->index[e]];
    return sum;
}

void interval_direct(const interval *x, int k, double a, double *p) {
    const carom_pattern *WT = &x->m->def.WT;
    for (int e = WT->start[x->m->N + k]; e < WT->start[x->m->N + k + 1]; e++) p[WT->index[e]] += a * x->WT[e];
}

/* A = W^T M^-1 W of the first n contacts of the list. */
static void fill_A(interval *x, int n) {
    for (int i = 0; i < n; i++) {
        memset(x->kick, 0, (size_t)x->m->def.nu * sizeof *x->kick);
        interval_direct(x, x->touching[i], 1, x->kick);
        drift_rates(&x->drift, x->kick, x->column);
        for (int j = 0; j <= i; j++) x->A[i * n + j] = x->A[j * n + i] = interval_along(x, x->touching[j], x->column);
    }
}

/* 0 <= b + A d  _|_  d - low >= 0 by Gauss-Seidel, M^-1 W d in y: for contacts too many for a full matrix. */
static void sweep(interval *x, int n, const double *b, const double *low, double *d) {
    const size_t size = (size_t)x->m->def.nu * sizeof *x->y;
    double most = INFINITY, largest = 0;
    memset(d, 0, (size_t)n * sizeof *d);
    memset(x->y, 0, size);
    for (int turn = 0; turn < SWEEPS && most > 1e-15 * largest; turn++) {
        most = 0;
        for (int i = 0; i < n; i++) {
            int k = x->touching[i];
            memset(x->kick, 0, size);
            interval_direct(x, k, 1, x->kick);
            drift_rates(&x->drift, x->kick, x->column);
            double G = interval_along(x, k, x->column);
            if (!(G > 0)) continue; /* a gap that nothing moves */
            double next = fmax(low[i], d[i] - (b[i] + interval_along(x, k, x->y)) / G);
            for (int j = 0; j < x->m->def.nu; j++) x->y[j] += (next - d[i]) * x->column[j];
            most = fmax(most, fabs(next - d[i]));
            largest = fmax(largest, fabs(next));
            d[i] = next;
        }
    }
}

/* The same by active sets where there is room for A. d is a change of impulses; b is overwritten. */
static void complement(interval *x, int n, double *b, const double *low, double *d) {
    if (n > x->most) {
        sweep(x, n, b, low, d);
        return;
    }
    fill_A(x, n);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) b[i] += x->A[i * n + j] * low[j];
    complementarity_solve(n, x->A, b, d, x->work);
    for (int i = 0; i < n; i++) d[i] += low[i];
}

/* The rows b + A P of (Y6) with the impulses that push adds up: none negative, and zero where a contact pushes. */
static void count_impulses(interval *x, const double *velocity) {
    const carom_pattern *WT = &x->m->def.WT;
    const double floor = 64 * DBL_EPSILON * interval_fastest(x, velocity);
    drift_rates(&x->drift, x->push, x->column);
    for (int i = 0; i < x->closed; i++) {
        int k = x->touching[i], row = x->m->N + k;
        double rate = interval_along(x, k, velocity), length = 0;
        for (int e = WT->start[row]; e < WT->start[row + 1]; e++) length += x->WT[e] * x->WT[e];
        rate = (rate < 0 ? 2 * rate : rate) + interval_along(x, k, x->column);
        if (length > 0)
            interval_count_miss(x, "an impulse of contacts", (x->dP[i] > 0 ? fabs(rate) : -rate) / sqrt(length), floor);
    }
}

/* ---------------------------------------------------------------- an interval of given length */

bool interval_gaps(const interval *x, const double *q, double *gap, step_report *report) {
    const carom_model_def *d = &x->m->def;
    if (!d->contacts) return true;
    if (d->position(d->context, x->t, q, gap, NULL)) return interval_undefined(x, report);
    for (int k = 0; k < d->contacts; k++)
        if (!isfinite(gap[k])) {
            snprintf(report->reason, sizeof report->reason, "the gap of contact '%s' is not finite near t = %.9g",
                     d->contact[k].name, x->t);
            return false;
        }
    return true;
}

/* v and q_{k+1} from the momentum at the beginning. */
static bool advance(interval *x, double h, step_report *report) {
    x->h = h;
    if (!drift_velocity(&x->drift, x->q, x->kicked, h, x->v)) {
        snprintf(report->reason, sizeof report->reason, "a rotation is too fast for the step at t = %.9g", x->t);
        return false;
    }
    drift_position(&x->drift, x->q, x->v, h, x->q1);
    return true;
}

static void count_balance(interval *x) {
    interval_count_miss(x, "the balance of momenta", drift_miss(&x->drift, x->q, x->kicked, x->h, x->v, x->column), 0);
}

/* u, W, and the energy of the interval before the node. Computed once for each node at which contacts touch. */
bool interval_see(interval *x, step_report *report) {
    const carom_model_def *d = &x->m->def;
    double before;
    if (x->seen) return true;
    drift_rates(&x->drift, x->p, x->u);
    if (d->velocity(d->context, x->t, x->q, x->u, x->s, x->WT, NULL) ||
        d->energy(d->context, x->t, x->q, x->rest, NULL, &x->V) ||
        d->energy(d->context, x->t, x->q_before, x->rest, NULL, &before))
        return interval_undefined(x, report);
    x->E = x->T + (before + x->V) / 2;
    x->seen = true;
    return true;
}

bool interval_measure(interval *x, double *E, double *size, step_report *report) {
    const carom_model_def *d = &x->m->def;
    double T = drift_kinetic(&x->drift, x->v), V;
    if (d->energy(d->context, x->t, x->q1, x->rest, NULL, &V)) return interval_undefined(x, report);
    *E = T + (x->V + V) / 2;
    *size = T + fabs(x->V) + fabs(V);
    return true;
}

/* E of the interval with s push added, minus E of the one before; size: of the terms that were added. */
static bool energy_miss(interval *x, double h, double s, double *miss, double *size, step_report *report) {
    double E;
    for (int j = 0; j < x->m->def.nu; j++) x->kicked[j] = x->kick[j] + s * x->push[j];
    if (!advance(x, h, report) || !interval_measure(x, &E, size, report)) return false;
    *miss = E - x->E;
    *size += fabs(x->E) + x->scale;
    return true;
}

/* (Y10): T(M^-1 (p + s push)) = T(M^-1 p), the root that is not zero. */
static double reflection(interval *x) {
    double taken = 0, twice = 0;
    drift_rates(&x->drift, x->push, x->column);
    for (int j = 0; j < x->m->def.nu; j++) taken += x->push[j] * x->u[j], twice += x->push[j] * x->column[j];
    return twice > 0 ? -2 * taken / twice : 0;
}

/* (Y7) for s >= 1/2, where contacts part: 1/2 stops them, 1 turns their velocities round. Without a root s = 1. */
static bool scale_impulse(interval *x, double h, double *s, step_report *report) {
    enum { DOUBLINGS = 60, ITERATIONS = 200 };
    double low = 0.5, high = 1, e_low, e_high, size, at = 1, e = 0;
    x->grazing = false;
    if (!energy_miss(x, h, low, &e_low, &size, report)) return false;
    *s = low;
    if (fabs(e_low) <= 64 * DBL_EPSILON * size) return true;
    x->grazing = e_low > 0;
    *s = 1;
    if (x->grazing) return true;
    for (int n = 0; n < DOUBLINGS; n++, low = high, e_low = e_high, high *= 2) {
        if (!energy_miss(x, h, high, &e_high, &size, report)) return false;
        if (e_high >= 0) break;
    }
    x->grazing = e_high < 0;
    double weight_low = e_low, weight_high = e_high; /* of the Illinois rule, which halves a side that stays */
    for (int n = 0; n < ITERATIONS && !x->grazing && high - low > DBL_EPSILON * high; n++) {
        at = n % 3 == 2 ? (low + high) / 2 : (low * weight_high - high * weight_low) / (weight_high - weight_low);
        if (!(at > low && at < high)) at = (low + high) / 2;
        if (!energy_miss(x, h, at, &e, &size, report)) return false;
        if (e < 0) low = at, weight_low = e, weight_high /= 2;
        else high = at, weight_high = e, weight_low /= 2;
        *s = at;
        if (fabs(e) <= 2 * DBL_EPSILON * size) break;
    }
    if (!x->grazing) count_energy(x, e, size);
    return true;
}

/* (Y21): s of smallest size with which an impulse s across keeps the energy. E - E_- is nearly a parabola, and one
 * through three points gives a first s; Newton's method with its slope corrects it. Without a root there is no impulse.
 */
static bool cross(interval *x, double h, step_report *report) {
    enum { ITERATIONS = 8 };
    const carom_model_def *d = &x->m->def;
    double along = 0, flexible = 0, at, e[3], size, s = 0;
    drift_rates(&x->drift, x->across, x->column);
    for (int j = 0; j < d->nu; j++) along += x->across[j] * x->u[j], flexible += x->across[j] * x->column[j];
    const double unit = fabs(along) / flexible; /* the impulse that stops the argument */
    memcpy(x->kick, x->kicked, (size_t)d->nu * sizeof *x->kick);
    memcpy(x->push, x->across, (size_t)d->nu * sizeof *x->push);
    x->scale = fabs(along) * unit;
    for (int i = 0; i < 3; i++)
        if (!energy_miss(x, h, (i - 1) * unit, &e[i], &size, report)) return false;
    const double A = (e[0] + e[2]) / 2 - e[1], B = (e[2] - e[0]) / 2, root = B * B - 4 * A * e[1];
    x->grazing = !(unit > 0) || !(root >= 0) || B == 0;
    if (!x->grazing) s = -2 * e[1] / (B + copysign(sqrt(root), B));
    for (int n = 0; n < ITERATIONS && !x->grazing; n++) {
        if (!energy_miss(x, h, s * unit, &at, &size, report)) return false;
        if (fabs(at) <= 2 * DBL_EPSILON * size) break;
        if (n == ITERATIONS - 1) count_energy(x, at, size);
        else s -= at / (B + 2 * A * s);
    }
    for (int j = 0; j < d->nu; j++) x->kicked[j] = x->kick[j] + s * unit * x->push[j];
    return true;
}

/* (Y6): impulses of the touching contacts over an interval h, scaled. None if all of them part by themselves. */
static bool push_contacts(interval *x, double h, step_report *report) {
    const carom_model_def *d = &x->m->def;
    double s = 1;
    bool entered = false;
    if (!interval_see(x, report)) return false;
    drift_rates(&x->drift, x->kicked, x->v);
    for (int i = 0; i < x->closed; i++) {
        double rate = interval_along(x, x->touching[i], x->at_node ? x->u : x->v);
        x->w[i] = rate < 0 ? 2 * rate : rate;
        x->low[i] = 0;
        entered = entered || rate < 0;
    }
    if (!entered) return true;
    complement(x, x->closed, x->w, x->low, x->dP);
    memset(x->push, 0, (size_t)d->nu * sizeof *x->push);
    x->scale = 0;
    for (int i = 0; i < x->closed; i++) {
        interval_direct(x, x->touching[i], x->dP[i], x->push);
        x->scale += fabs(x->w[i] * x->dP[i]);
    }
    count_impulses(x, x->at_node ? x->u : x->v);
    memcpy(x->kick, x->kicked, (size_t)d->nu * sizeof *x->kick);
    if (x->at_node) s = reflection(x);
    else if (!scale_impulse(x, h, &s, report)) return false;
    for (int j = 0; j < d->nu; j++) x->push[j] *= s, x->kicked[j] = x->kick[j] + x->push[j];
    for (int i = 0; i < x->closed; i++) x->P[x->touching[i]] = s * x->dP[i];
    return true;
}

/* (Y4) over an interval h from the node, with the gaps at its end. */
bool interval_traverse(interval *x, double h, step_report *report) {
    const carom_model_def *d = &x->m->def;
    memset(x->P, 0, (size_t)d->contacts * sizeof *x->P);
    x->grazing = x->held = false;
    x->residual = 0;
    for (int j = 0; j < d->nu; j++) x->kicked[j] = x->p[j] + h / 2 * x->f[j];
    bool pushed = x->crossing ? cross(x, h, report) : !x->closed || push_contacts(x, h, report);
    if (!pushed || !advance(x, h, report)) return false;
    count_balance(x);
    return interval_gaps(x, x->q1, x->gap1, report);
}

/* ---------------------------------------------------------------- contacts that are held */

/* (Y8): impulses that keep the gaps of the list from becoming negative at the end of the interval, 0 <= g_N(q_{k+1})
 * _|_ P >= 0. */
static bool hold(interval *x, double h, int n, step_report *report) {
    enum { ITERATIONS = 60 };
    const carom_model_def *d = &x->m->def;
    const double near = interval_reach(x);
    memset(x->P, 0, (size_t)d->contacts * sizeof *x->P);
    x->grazing = false;
    x->residual = 0;
    for (int iteration = 0; iteration < ITERATIONS; iteration++) {
        for (int j = 0; j < d->nu; j++) x->kicked[j] = x->p[j] + h / 2 * x->f[j];
        for (int i = 0; i < n; i++) interval_direct(x, x->touching[i], x->P[x->touching[i]], x->kicked);
        if (!advance(x, h, report) || !interval_gaps(x, x->q1, x->gap1, report)) return false;
        bool done = true;
        for (int i = 0; i < n; i++) {
            int k = x->touching[i];
            done = done && x->gap1[k] >= -near && (x->P[k] <= 0 || x->gap1[k] <= near);
            x->w[i] = x->gap1[k] / h, x->low[i] = -x->P[k];
        }
        if (done) count_balance(x);
        if (done) return true;
        complement(x, n, x->w, x->low, x->dP);
        for (int i = 0; i < n; i++) x->P[x->touching[i]] = fmax(0, x->P[x->touching[i]] + x->dP[i]);
    }
    snprintf(report->reason, sizeof report->reason, "closed contacts cannot be held at t = %.9g", x->t);
    return false;
}

/* Holds gaps that would become negative at the end. The list grows until no further gap does. */
bool interval_hold(interval *x, double h, step_report *report) {
    const double near = interval_reach(x);
    int n = x->closed;
    interval_forget_hops(x);
    x->stopped = false;
    for (int i = 0; i < n && x->at_node; i++) x->stopped = x->stopped || x->P[x->touching[i]] > 0;
    for (bool grows = true; grows;) {
        grows = false;
        for (int k = 0; k < x->m->def.contacts; k++) {
            bool listed = false;
            for (int i = 0; i < n; i++) listed = listed || x->touching[i] == k;
            if (listed || x->gap1[k] >= -near) continue;
            x->touching[n++] = k;
            grows = true;
        }
        if (x->held && !grows) break;
        x->held = grows = true;
        if (!interval_see(x, report) || !hold(x, h, n, report)) return false;
    }
    return true;
}

bool interval_parted(const interval *x, int k) {
    return x->hops[k] || x->gap1[k] > interval_reach(x);
}

bool interval_entered(const interval *x) {
    const double near = interval_reach(x);
    for (int k = 0; k < x->m->def.contacts; k++)
        if (x->gap1[k] < -near) return true;
    return false;
}

/* ---------------------------------------------------------------- nodes */

void interval_forget_hops(interval *x) {
    memset(x->hops, 0, (size_t)x->m->def.contacts * sizeof *x->hops);
}

bool interval_arrive(interval *x, double t, step_report *report) {
    const carom_model_def *d = &x->m->def;
    const size_t nq = (size_t)d->nq * sizeof *x->q;
    x->T = drift_kinetic(&x->drift, x->v);
    memcpy(x->q_before, x->q, nq);
    memcpy(x->q, x->q1, nq);
    drift_turn(&x->drift, x->kicked, x->v, x->h, x->p);
    x->t = t;
    if (d->force(d->context, t, x->q, x->rest, x->f, NULL, NULL)) return interval_undefined(x, report);
    for (int j = 0; j < d->nu; j++) x->p[j] += x->h / 2 * x->f[j];
    memcpy(x->gap, x->gap1, (size_t)d->contacts * sizeof *x->gap);
    return true;
}

void interval_look(interval *x) {
    const double near = interval_reach(x);
    x->seen = x->crossing = false;
    x->closed = 0;
    interval_forget_hops(x);
    for (int k = 0; k < x->m->def.contacts; k++)
        if (x->gap[k] <= near) x->touching[x->closed++] = k;
}

/* ---------------------------------------------------------------- setup */

bool interval_create(interval *x, const carom_model *model) {
    const carom_model_def *d = &model->def;
    const int nq = d->nq, nu = d->nu, contacts = d->contacts, ns = model->ns;
    x->m = model;
    x->most = contacts < MOST_FULL ? contacts : MOST_FULL;
    const vector_part parts[] = {
        {&x->q, nq},
        {&x->q_before, nq},
        {&x->q1, nq},
        {&x->p, nu},
        {&x->f, nu},
        {&x->u, nu},
        {&x->kicked, nu},
        {&x->v, nu},
        {&x->push, nu},
        {&x->column, nu},
        {&x->y, nu + ns},
        {&x->rest, nu},
        {&x->kick, nu},
        {&x->across, nu},
        {&x->gap, contacts},
        {&x->gap1, contacts},
        {&x->P, contacts},
        {&x->w, contacts},
        {&x->low, contacts},
        {&x->dP, contacts},
        {&x->s, ns},
        {&x->WT, pattern_nnz(&d->WT)},
        {&x->A, x->most * x->most},
        {&x->work, (int)complementarity_work(x->most)},
    };
    x->memory = vectors_create(parts, sizeof parts / sizeof *parts);
    x->touching = malloc(((size_t)contacts + 1) * sizeof *x->touching);
    x->hops = calloc((size_t)contacts + 1, sizeof *x->hops);
    return x->memory && x->touching && x->hops;
}

void interval_destroy(interval *x) {
    drift_destroy(&x->drift);
    free(x->touching);
    free(x->hops);
    free(x->memory);
}
