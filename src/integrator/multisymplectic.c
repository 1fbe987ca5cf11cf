/* The multisymplectic integrator of Demoures, Gay-Balmaz, Desbrun, Ratiu and Aragon (2017) as a scheme in time
 * (docs/theory/multisymplectic.md). The state is (q_k, p_k), p_k the momentum at the node. An interval of length h:
 *
 *     p^-(v) = p_k + W P + h/2 f(q_k)                                                     (Y4) with an impulse, if any
 *     q_{k+1} = drift of q_k by v over h,   p_{k+1} = p^+(v) + h/2 f(q_{k+1})
 *
 * A step ends at (j + 1) dt. It is cut where a gap closes, at the smallest h with g_N(q_{k+1}) = 0 (Y5). Contacts that
 * are closed at a node and would be entered push with P = s P_0, P_0 by Newton's law with e = 1 for all together (Y6),
 * and s such that the interval after the node has the energy of the one before (Y7),
 *
 *     E = T(v) + (V(q_k) + V(q_{k+1}))/2.
 *
 * memory: figures; p; f; T(v) of the last interval; q at its beginning. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "integrator/event_log.h"
#include "integrator/multisymplectic_check.h"
#include "integrator/vectors.h"

enum { IMPACTS, GRAZINGS, RESTS, HOLDS, CFL, FIGURES };
enum { MOST_INTERVALS = 100, SWEEPS = 10000 };

typedef struct scheme {
    const carom_model *m;
    drift drift;
    double cfl;
    event_log log;
    /* the node: time, gaps, force at rest; T and q_before of the interval that ended there */
    double t, *q, *p, *f, *gap, *u, T, *q_before;
    bool seen; /* energies and W of the node are known: */
    double E, V, *s, *WT;
    int closed;    /* contacts that touch there, ... */
    int *touching; /* ... first in the list; then those that are held besides */
    /* the interval: momentum at its beginning, velocity, end, gaps there */
    double h, *kicked, *v, *q1, *gap1;
    double *P, *push, scale; /* impulses, W P, twice the energy they take from the trial velocities */
    bool grazing, held;
    double *w, *low, *dP, *column, *y, *rest, *kick; /* work */
    double *memory;
} scheme;

/* The places of the memory. */
typedef struct kept {
    double *figure, *p, *f, *T, *q_before;
} kept;

static kept kept_in(const scheme *x, double *memory) {
    double *p = memory + FIGURES, *f = p + x->m->def.nu, *T = f + x->m->def.nu;
    return (kept){memory, p, f, T, T + 1};
}

static bool undefined(const scheme *x, step_report *report) {
    snprintf(report->reason, sizeof report->reason, "the model is not defined near t = %.9g", x->t);
    return false;
}

/* What counts as touching: far above the round-off of gaps, far below what anyone could see. */
static double reach(const scheme *x) {
    double size = 1;
    for (int i = 0; i < x->m->def.nq; i++) size = fmax(size, fabs(x->q[i]));
    return 1e-13 * size;
}

/* ---------------------------------------------------------------- W and linear complementarity */

/* Row of contact k in W^T: its product with u, and y += a M^-1 W_k. */
static double along(const scheme *x, int k, const double *u) {
    const carom_pattern *WT = &x->m->def.WT;
    double sum = 0;
    for (int e = WT->start[x->m->N + k]; e < WT->start[x->m->N + k + 1]; e++) sum += x->WT[e] * u[WT->index[e]];
    return sum;
}

static void add_direction(const scheme *x, int k, double a, double *p) {
    const carom_pattern *WT = &x->m->def.WT;
    for (int e = WT->start[x->m->N + k]; e < WT->start[x->m->N + k + 1]; e++) p[WT->index[e]] += a * x->WT[e];
}

/* 0 <= b + A d  _|_  d - low >= 0 with A = W^T M^-1 W of the first n contacts of the list, by Gauss-Seidel; d is a
 * change of impulses, and M^-1 W d stays in y. A may be singular: any solution will do. */
static void complement(scheme *x, int n, const double *b, const double *low, double *d) {
    const size_t size = (size_t)x->m->def.nu * sizeof *x->y;
    memset(d, 0, (size_t)n * sizeof *d);
    memset(x->y, 0, size);
    double most = INFINITY, largest = 0;
    for (int sweep = 0; sweep < SWEEPS && most > 1e-15 * largest; sweep++) {
        most = 0;
        for (int i = 0; i < n; i++) {
            int k = x->touching[i];
            memset(x->kick, 0, size);
            add_direction(x, k, 1, x->kick);
            drift_rates(&x->drift, x->kick, x->column);
            double G = along(x, k, x->column), next = d[i] - (b[i] + along(x, k, x->y)) / G;
            next = fmax(next, low[i]);
            for (int j = 0; j < x->m->def.nu; j++) x->y[j] += (next - d[i]) * x->column[j];
            most = fmax(most, fabs(next - d[i]));
            largest = fmax(largest, fabs(next));
            d[i] = next;
        }
    }
}

/* ---------------------------------------------------------------- an interval of given length */

static bool gaps_at(const scheme *x, const double *q, double *gap, step_report *report) {
    const carom_model_def *d = &x->m->def;
    if (!d->contacts) return true;
    if (d->position(d->context, x->t, q, gap, NULL)) return undefined(x, report);
    for (int k = 0; k < d->contacts; k++)
        if (!isfinite(gap[k])) {
            snprintf(report->reason, sizeof report->reason, "the gap of contact '%s' is not finite near t = %.9g",
                     d->contact[k].name, x->t);
            return false;
        }
    return true;
}

/* v and q_{k+1} from the momentum at the beginning. */
static bool advance(scheme *x, double h, step_report *report) {
    x->h = h;
    if (!drift_velocity(&x->drift, x->kicked, h, x->v)) {
        snprintf(report->reason, sizeof report->reason, "a rotation is too fast for the step at t = %.9g", x->t);
        return false;
    }
    drift_position(&x->drift, x->q, x->v, h, x->q1);
    return true;
}

/* W, and the energy of the interval before the node: once for each node at which contacts touch. */
static bool see_node(scheme *x, step_report *report) {
    const carom_model_def *d = &x->m->def;
    double before;
    if (x->seen) return true;
    if (d->velocity(d->context, x->t, x->q, x->u, x->s, x->WT, NULL) ||
        d->energy(d->context, x->t, x->q, x->rest, NULL, &x->V) ||
        d->energy(d->context, x->t, x->q_before, x->rest, NULL, &before))
        return undefined(x, report);
    x->E = x->T + (before + x->V) / 2;
    x->seen = true;
    return true;
}

/* E of the interval with s push in addition, less E of the one before; size: of what was added up. */
static bool energy_miss(scheme *x, double h, double s, double *miss, double *size, step_report *report) {
    const carom_model_def *d = &x->m->def;
    double V;
    for (int j = 0; j < d->nu; j++) x->kicked[j] = x->kick[j] + s * x->push[j];
    if (!advance(x, h, report)) return false;
    if (d->energy(d->context, x->t, x->q1, x->rest, NULL, &V)) return undefined(x, report);
    double T = drift_kinetic(&x->drift, x->v);
    *miss = T + (x->V + V) / 2 - x->E;
    *size = T + fabs(x->V) + fabs(V) + fabs(x->E) + x->scale;
    return true;
}

/* (Y7) for s >= 1/2, where contacts part: 1/2 stops them, 1 turns their velocities round. Without a root s = 1. */
static bool scale_impulse(scheme *x, double h, double *s, step_report *report) {
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
    return true;
}

/* (Y6): impulses of the touching contacts over an interval h, scaled. None where all of them part by themselves. */
static bool push_contacts(scheme *x, double h, step_report *report) {
    const carom_model_def *d = &x->m->def;
    double s;
    bool entered = false;
    if (!see_node(x, report)) return false;
    drift_rates(&x->drift, x->kicked, x->v);
    for (int i = 0; i < x->closed; i++) {
        double rate = along(x, x->touching[i], x->v);
        x->w[i] = rate < 0 ? 2 * rate : rate;
        x->low[i] = 0;
        entered = entered || rate < 0;
    }
    if (!entered) return true;
    complement(x, x->closed, x->w, x->low, x->dP);
    memset(x->push, 0, (size_t)d->nu * sizeof *x->push);
    x->scale = 0;
    for (int i = 0; i < x->closed; i++) {
        add_direction(x, x->touching[i], x->dP[i], x->push);
        x->scale += fabs(x->w[i] * x->dP[i]);
    }
    memcpy(x->kick, x->kicked, (size_t)d->nu * sizeof *x->kick);
    if (!scale_impulse(x, h, &s, report)) return false;
    for (int j = 0; j < d->nu; j++) x->push[j] *= s, x->kicked[j] = x->kick[j] + x->push[j];
    for (int i = 0; i < x->closed; i++) x->P[x->touching[i]] = s * x->dP[i];
    return true;
}

/* (Y4) over an interval h from the node, with the gaps at its end. */
static bool traverse(scheme *x, double h, step_report *report) {
    const carom_model_def *d = &x->m->def;
    memset(x->P, 0, (size_t)d->contacts * sizeof *x->P);
    x->grazing = x->held = false;
    for (int j = 0; j < d->nu; j++) x->kicked[j] = x->p[j] + h / 2 * x->f[j];
    return (!x->closed || push_contacts(x, h, report)) && advance(x, h, report) && gaps_at(x, x->q1, x->gap1, report);
}

/* ---------------------------------------------------------------- its length */

static bool touches(const scheme *x, int k) {
    for (int i = 0; i < x->closed; i++)
        if (x->touching[i] == k) return true;
    return false;
}

/* The smallest gap at the end, of contacts that do not touch at the beginning. */
static double nearest(const scheme *x) {
    double gap = INFINITY;
    for (int k = 0; k < x->m->def.contacts; k++)
        if (x->gap1[k] < gap && !touches(x, k)) gap = x->gap1[k];
    return gap;
}

/* Could a gap close and open again within the interval? Where its rate at the beginning would close it. */
static bool dips(scheme *x, bool *possible, step_report *report) {
    const carom_model_def *d = &x->m->def;
    *possible = false;
    if (!d->contacts) return true;
    for (int j = 0; j < d->nu; j++) x->kick[j] = x->kicked[j] - x->h / 2 * x->f[j];
    drift_rates(&x->drift, x->kick, x->column);
    if (d->velocity(d->context, x->t, x->q, x->column, x->s, NULL, NULL)) return undefined(x, report);
    for (int k = 0; k < d->contacts; k++)
        *possible = *possible || (x->gap[k] + x->h * x->s[x->m->N + k] < 0 && !touches(x, k));
    return true;
}

/* (Y5): between low, where all gaps are open, and high, where one is not. Ends on the open side. */
static bool find_contact(scheme *x, double low, double high, double g_low, double g_high, step_report *report) {
    enum { ITERATIONS = 200 };
    const double near = reach(x);
    double weight_low = g_low, weight_high = g_high;
    for (int n = 0; n < ITERATIONS && g_low > near && high - low > DBL_EPSILON * high; n++) {
        double at = (low * weight_high - high * weight_low) / (weight_high - weight_low);
        if (n % 3 == 2 || !(at > low && at < high)) at = (low + high) / 2;
        if (!traverse(x, at, report)) return false;
        double g = nearest(x);
        if (g < 0) high = at, weight_high = g, weight_low /= 2;
        else low = at, weight_low = g_low = g, weight_high /= 2;
    }
    return traverse(x, low, report);
}

/* The interval from the node, of length rest or up to the next contact. */
static bool take_interval(scheme *x, double rest, step_report *report) {
    enum { SAMPLES = 4 };
    bool look;
    if (!traverse(x, rest, report) || !dips(x, &look, report)) return false;
    double last = nearest(x), g_low = INFINITY, low = 0;
    if (!look && last >= 0) return true;
    for (int k = 0; k < x->m->def.contacts; k++)
        if (!touches(x, k)) g_low = fmin(g_low, x->gap[k]);
    for (int i = 1; i <= SAMPLES; i++) {
        double at = i < SAMPLES ? rest * i / SAMPLES : rest;
        if (!traverse(x, at, report)) return false;
        double g = nearest(x);
        if (g < 0) return find_contact(x, low, at, g_low, g, report);
        low = at, g_low = g;
    }
    return true;
}

/* ---------------------------------------------------------------- contacts that are held */

/* (Y8): impulses with which no gap of the list is entered at the end of the interval, 0 <= g_N(q_{k+1}) _|_ P >= 0. */
static bool hold(scheme *x, double h, int n, step_report *report) {
    enum { ITERATIONS = 60 };
    const carom_model_def *d = &x->m->def;
    const double near = reach(x);
    memset(x->P, 0, (size_t)d->contacts * sizeof *x->P);
    x->grazing = false;
    for (int iteration = 0; iteration < ITERATIONS; iteration++) {
        for (int j = 0; j < d->nu; j++) x->kicked[j] = x->p[j] + h / 2 * x->f[j];
        for (int i = 0; i < n; i++) add_direction(x, x->touching[i], x->P[x->touching[i]], x->kicked);
        if (!advance(x, h, report) || !gaps_at(x, x->q1, x->gap1, report)) return false;
        bool done = true;
        for (int i = 0; i < n; i++) {
            int k = x->touching[i];
            done = done && x->gap1[k] >= -near && (x->P[k] <= 0 || x->gap1[k] <= near);
            x->w[i] = x->gap1[k] / h, x->low[i] = -x->P[k];
        }
        if (done) return true;
        complement(x, n, x->w, x->low, x->dP);
        for (int i = 0; i < n; i++) x->P[x->touching[i]] = fmax(0, x->P[x->touching[i]] + x->dP[i]);
    }
    snprintf(report->reason, sizeof report->reason, "closed contacts cannot be held at t = %.9g", x->t);
    return false;
}

/* Gaps that would be entered at the end are held, the list growing with every gap that still is. */
static bool hold_entered(scheme *x, double h, step_report *report) {
    const double near = reach(x);
    int n = x->closed;
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
        if (!see_node(x, report) || !hold(x, h, n, report)) return false;
    }
    return true;
}

static bool entered(const scheme *x) {
    const double near = reach(x);
    for (int k = 0; k < x->m->def.contacts; k++)
        if (x->gap1[k] < -near) return true;
    return false;
}

/* ---------------------------------------------------------------- what happened at the node */

/* Before and after the impulse, as velocities M^-1 p at the node. */
static bool log_impact(scheme *x, motion *next, const double *P_before) {
    const carom_model *m = x->m;
    const carom_model_def *d = &m->def;
    motion before = {.t = x->t, .q = x->q, .u = x->u, .P = next->P, .contact = next->contact}, after = before;
    double *u1 = x->column, *p1 = x->kick;
    memcpy(p1, x->p, (size_t)d->nu * sizeof *p1);
    for (int k = 0; k < d->contacts; k++)
        if (x->P[k] > 0) add_direction(x, k, x->P[k], p1);
    drift_rates(&x->drift, p1, u1);
    after.u = u1;
    if (!event_log_begin(&x->log, &before, P_before)) return false;
    for (int k = 0; k < d->contacts; k++) {
        if (!(x->P[k] > 0)) continue;
        carom_event e = {.time = x->t, .contact = k, .kind = CAROM_STRIKE, .PN = x->P[k]};
        e.gap_dot[0] = along(x, k, x->u), e.gap_dot[1] = along(x, k, u1);
        e.loss = -x->P[k] * (e.gap_dot[0] + e.gap_dot[1]) / 2;
        event_log_add(&x->log, e);
    }
    return event_log_end(&x->log, &after, next->P);
}

/* A contact that pushed and is still closed at the end of the interval rests, one that has parted was struck. */
static bool account(scheme *x, motion *next, step_report *report) {
    const carom_model *m = x->m;
    const carom_model_def *d = &m->def;
    const double near = reach(x);
    bool pushed = false, struck = false;
    memcpy(x->y, next->P, (size_t)m->ns * sizeof *x->y);
    for (int k = 0; k < d->contacts; k++) {
        if (!(x->P[k] > 0)) continue;
        pushed = true;
        struck = struck || x->gap1[k] > near;
        next->P[m->N + k] += x->P[k];
        next->contact[k] = CAROM_SLIP;
    }
    double *count = next->memory;
    count[HOLDS] += x->held;
    count[GRAZINGS] += x->grazing;
    count[RESTS] += pushed && !struck;
    count[IMPACTS] += struck;
    if (!struck || log_impact(x, next, x->y)) return true;
    strcpy(report->reason, "there is no memory left for its events");
    return false;
}

/* The end of the interval becomes the node. */
static bool arrive(scheme *x, double t, step_report *report) {
    const carom_model_def *d = &x->m->def;
    const size_t nq = (size_t)d->nq * sizeof *x->q;
    x->T = drift_kinetic(&x->drift, x->v);
    memcpy(x->q_before, x->q, nq);
    memcpy(x->q, x->q1, nq);
    drift_turn(&x->drift, x->kicked, x->v, x->h, x->p);
    x->t = t;
    if (d->force(d->context, t, x->q, x->rest, x->f, NULL, NULL)) return undefined(x, report);
    for (int j = 0; j < d->nu; j++) x->p[j] += x->h / 2 * x->f[j];
    memcpy(x->gap, x->gap1, (size_t)d->contacts * sizeof *x->gap);
    return true;
}

/* ---------------------------------------------------------------- the step */

static void look_around(scheme *x) {
    const double near = reach(x);
    x->seen = false;
    x->closed = 0;
    for (int k = 0; k < x->m->def.contacts; k++)
        if (x->gap[k] <= near) x->touching[x->closed++] = k;
    if (x->closed) drift_rates(&x->drift, x->p, x->u);
}

static bool begin(scheme *x, const motion *now, motion *next, step_report *report) {
    const carom_model_def *d = &x->m->def;
    const kept k0 = kept_in(x, now->memory);
    memcpy(next->memory, k0.figure, FIGURES * sizeof *k0.figure);
    memset(next->P, 0, (size_t)x->m->ns * sizeof *next->P);
    for (int k = 0; k < d->contacts; k++) next->contact[k] = CAROM_OPEN;
    event_log_clear(&x->log);
    x->t = now->t;
    memcpy(x->q, now->q, (size_t)d->nq * sizeof *x->q);
    memcpy(x->p, k0.p, (size_t)d->nu * sizeof *x->p);
    memcpy(x->f, k0.f, (size_t)d->nu * sizeof *x->f);
    memcpy(x->q_before, k0.q_before, (size_t)d->nq * sizeof *x->q);
    x->T = *k0.T;
    return gaps_at(x, x->q, x->gap, report);
}

static void end(scheme *x, motion *next) {
    const carom_model_def *d = &x->m->def;
    memcpy(next->q, x->q, (size_t)d->nq * sizeof *x->q);
    drift_rates(&x->drift, x->p, next->u);
    const kept k = kept_in(x, next->memory);
    memcpy(k.p, x->p, (size_t)d->nu * sizeof *x->p);
    memcpy(k.f, x->f, (size_t)d->nu * sizeof *x->f);
    memcpy(k.q_before, x->q_before, (size_t)d->nq * sizeof *x->q);
    *k.T = x->T;
}

static bool step(void *self, const motion *now, motion *next, double dt, double tolerance, step_report *report) {
    scheme *x = self;
    double done = 0;
    (void)tolerance; /* everything is solved to round-off */
    if (!begin(x, now, next, report)) return false;
    for (int n = 1; done < dt; n++) {
        const double rest = dt - done;
        look_around(x);
        bool last = n == MOST_INTERVALS;
        if (!(last ? traverse(x, rest, report) : take_interval(x, rest, report))) return false;
        if (entered(x) && !hold_entered(x, x->h, report)) return false;
        report->captured = report->captured || (last && x->held);
        done = x->h < rest ? done + x->h : dt;
        if (!account(x, next, report) || !arrive(x, done < dt ? now->t + done : next->t, report)) return false;
    }
    end(x, next);
    return true;
}

static bool start(void *self, motion *first, step_report *report) {
    scheme *x = self;
    const carom_model_def *d = &x->m->def;
    const kept k = kept_in(x, first->memory);
    (void)report;
    memset(k.figure, 0, FIGURES * sizeof *k.figure);
    k.figure[CFL] = x->cfl;
    drift_momenta(&x->drift, first->u, k.p);
    memcpy(k.q_before, first->q, (size_t)d->nq * sizeof *first->q);
    *k.T = drift_kinetic(&x->drift, first->u);
    return !d->force(d->context, first->t, first->q, x->rest, k.f, NULL, NULL);
}

static void forget(void *self) {
    (void)self;
}

static const event_log *events(void *self) {
    return &((scheme *)self)->log;
}

static int momentum(void *self, const motion *now, double *p) {
    memcpy(p, kept_in(self, now->memory).p, (size_t)((scheme *)self)->m->def.nu * sizeof *p);
    return 0;
}

/* E of the interval that ended at the state. */
static int column(void *self, const motion *now, double *E) {
    scheme *x = self;
    const carom_model_def *d = &x->m->def;
    const kept k = kept_in(x, now->memory);
    double before, V;
    if (d->energy(d->context, now->t, k.q_before, x->rest, NULL, &before) ||
        d->energy(d->context, now->t, now->q, x->rest, NULL, &V))
        return 1;
    *E = *k.T + (before + V) / 2;
    return 0;
}

/* ---------------------------------------------------------------- setup */

static void destroy(void *self) {
    scheme *x = self;
    if (!x) return;
    drift_destroy(&x->drift);
    event_log_destroy(&x->log);
    free(x->touching);
    free(x->memory);
    free(x);
}

static bool allocate(scheme *x) {
    const carom_model_def *d = &x->m->def;
    const int nq = d->nq, nu = d->nu, contacts = d->contacts, ns = x->m->ns;
    const vector_part parts[] = {
        {&x->q, nq},        {&x->q_before, nq},  {&x->q1, nq},
        {&x->p, nu},        {&x->f, nu},         {&x->u, nu},
        {&x->kicked, nu},   {&x->v, nu},         {&x->push, nu},
        {&x->column, nu},   {&x->y, nu + ns},    {&x->rest, nu},
        {&x->kick, nu},     {&x->gap, contacts}, {&x->gap1, contacts},
        {&x->P, contacts},  {&x->w, contacts},   {&x->low, contacts},
        {&x->dP, contacts}, {&x->s, ns},         {&x->WT, pattern_nnz(&d->WT)},
    };
    x->memory = vectors_create(parts, sizeof parts / sizeof *parts);
    x->touching = malloc(((size_t)contacts + 1) * sizeof *x->touching);
    return x->memory && x->touching;
}

static carom_status create(const carom_model *model, const carom_run_def *run, void **self, int *memory,
                           carom_error *error) {
    scheme *x = *self = calloc(1, sizeof *x);
    if (!x) return carom_error_memory(error);
    x->m = x->log.model = model;
    *memory = FIGURES + 2 * model->def.nu + 1 + model->def.nq;
    carom_status status = multisymplectic_accepts(model, error);
    if (!status) status = drift_create(&x->drift, model, error);
    if (!status) status = multisymplectic_conservative(&x->drift, error);
    if (!status) status = multisymplectic_cfl(&x->drift, run->dt, &x->cfl, error);
    return status ? status : allocate(x) ? CAROM_OK : carom_error_memory(error);
}

static const char *const figure_names[FIGURES] = {[IMPACTS] = "impacts",
                                                  [GRAZINGS] = "impacts without an energy root (grazing)",
                                                  [RESTS] = "intervals with resting contacts",
                                                  [HOLDS] = "intervals with contacts held at zero gap",
                                                  [CFL] = "CFL number"};
static const char *const column_names[] = {"E.interval"};

const integrator integrator_multisymplectic = {
    .info = {.name = "multisymplectic",
             .title = "Multisymplectic variational integrator: explicit, impacts that keep energy and momentum",
             .order = "2 while no contact closes, and across impacts",
             .conserves =
                 "momentum maps of all symmetries that act as translations and rotations, through impacts with "
                 "the same symmetry; the energy of its intervals in impacts; gaps. Symplectic and symmetric: "
                 "energy errors stay bounded between impacts",
             .needs =
                 "constant mass that leaves rotations alone; q_dot = u or rotations by unit quaternions; forces of a "
                 "potential; no joints, no friction, restitution 1. dt below 2/omega of the largest frequency",
             .reference =
                 "Demoures, Gay-Balmaz, Desbrun, Ratiu, Aragon: A multisymplectic integrator for elastodynamic "
                 "frictionless impact problems. Computer Methods in Applied Mechanics and Engineering 315 (2017)",
             .promise = {.order = 2,
                         .velocity_order = 2,
                         .event_order = 2,
                         .positions = true,
                         .symmetric = true,
                         .momentum = true,
                         .energy = true,
                         .invariants = true}},
    .create = create,
    .destroy = destroy,
    .start = start,
    .step = step,
    .forget = forget,
    .events = events,
    .momentum = momentum,
    .figures = FIGURES,
    .figure_names = figure_names,
    .columns = 1,
    .column_names = column_names,
    .column = column,
};
