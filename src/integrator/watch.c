#include "integrator/watch.h"

#include <float.h>
#include <math.h>

static double largest(const double *x, int n) {
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    return most;
}

double zero_gap(const locate *l) {
    return 64 * DBL_EPSILON * (1 + largest(l->at.q, l->m->def.nq));
}

double zero_velocity(const locate *l, double tolerance) {
    return 10 * tolerance + 64 * DBL_EPSILON * (1 + largest(l->at.u, l->m->def.nu));
}

/* ---------------------------------------------------------------- the watched functions */

/* mu lambda_N - |lambda_F| */
static double friction_margin(const carom_model *m, int k, const double *lambda) {
    double size = 0;
    for (int j = m->F + m->slip[k]; j < m->F + m->slip[k + 1]; j++) size = hypot(size, lambda[j]);
    return m->def.contact[k].friction * lambda[m->N + k] - size;
}

double watch_slip(const locate *l, int k, const double *slip) {
    double sum = 0;
    for (int j = l->m->slip[k]; j < l->m->slip[k + 1]; j++) sum += l->sense[j] * slip[j];
    return sum;
}

/* Where several contacts stick, their forces need not be unique: as long as there are some that hold, none breaks and
 * none opens. */
static bool can_hold(locate *l, const watch *w, double t, const double *q, const double *u) {
    problem *p = &l->rates.impact.problem;
    solver_report found;
    int sticking = 0;
    for (int k = 0; k < l->m->def.contacts; k++) sticking += l->at.contact[k] == CAROM_STICK;
    return sticking > 1 && rates_solve(&l->rates, t, q, u, l->at.contact, l->sense, true, &found) &&
           law_of_contact(p, l->m, 0, w->contact)->branch == LAW_HOLD &&
           (w->kind == CAROM_OPENING || law_of_friction(p, l->m, 0, w->contact)->branch == LAW_HOLD);
}

double watch_at(locate *l, const watch *w, double t, const double *q, const double *u) {
    const carom_model *m = l->m;
    const carom_model_def *d = &m->def;
    solver_report found;
    if (w->kind == CAROM_STRIKE) return d->position(d->context, t, q, l->c, NULL) ? NAN : l->c[d->ng + w->contact];
    if (w->kind == CAROM_STOP)
        return d->velocity(d->context, t, q, u, l->s, NULL, NULL) ? NAN : watch_slip(l, w->contact, l->s + m->F);
    if (!rates_solve(&l->rates, t, q, u, l->at.contact, l->sense, false, &found)) return NAN;
    const double *lambda = rates_forces(&l->rates);
    double margin = w->kind == CAROM_OPENING ? lambda[m->N + w->contact] : friction_margin(m, w->contact, lambda);
    return margin < 0 && can_hold(l, w, t, q, u) ? -margin : margin;
}

static bool know_rates(locate *l) {
    if (!l->dense_known)
        l->dense_known = !model_q_dot(l->m, l->at.t, l->at.q, l->at.u, l->q_dot0) &&
                         !model_q_dot(l->m, l->trial.t, l->trial.q, l->trial.u, l->q_dot1);
    return l->dense_known;
}

double watch_inside(locate *l, const watch *w, double theta) {
    const carom_model_def *d = &l->m->def;
    const fixed_scheme *f = &l->scheme;
    if (!know_rates(l)) return NAN;
    dense_at(&l->dense, theta);
    for (int k = 0; k < d->nq; k++) {
        for (int i = 0; i < f->s; i++) l->values[i] = f->position(f->self, i)[k];
        double rate0 = l->h * l->q_dot0[k], rate1 = l->h * l->q_dot1[k];
        l->q[k] = dense_value(&l->dense, theta, l->values, &rate0, &rate1);
    }
    for (int k = 0; k < d->nu; k++) {
        for (int i = 1; i < f->s - 1; i++) l->values[i] = f->velocity(f->self, i)[k];
        l->values[0] = l->at.u[k], l->values[f->s - 1] = l->trial.u[k];
        l->u[k] = dense_value(&l->dense, theta, l->values, NULL, NULL);
    }
    return watch_at(l, w, l->at.t + theta * l->h, l->q, l->u);
}

/* ---------------------------------------------------------------- the first zero */

/* Regula falsi (Illinois) between f(left) > 0 and f(right) <= 0. */
static void zero_between(locate *l, watch *w, double left, double f_left, double right, double f_right) {
    const bool force = w->kind == CAROM_OPENING || w->kind == CAROM_BREAK;
    int side = 0;
    for (int i = 0; i < 60 && right - left > 1e-14 * right; i++) {
        double theta = (left * f_right - right * f_left) / (f_right - f_left);
        if (!(theta > left && theta < right)) theta = (left + right) / 2;
        double f = watch_inside(l, w, theta);
        if (f > 0) {
            left = theta, f_left = f;
            if (side == 1) f_right /= 2;
            side = 1;
        } else {
            right = theta, f_right = f;
            if (side == -1) f_left /= 2;
            side = -1;
        }
    }
    w->tau = (force ? left : right) * l->h;
    w->after = l->at.t + right * l->h;
}

/* gN_dot on the dense output, after the gap itself was asked for at the same place. */
static double gap_rate(locate *l, const watch *w, double theta) {
    const carom_model_def *d = &l->m->def;
    if (d->velocity(d->context, l->at.t + theta * l->h, l->q, l->u, l->s, NULL, NULL)) return NAN;
    return l->s[l->m->N + w->contact];
}

/* A gap that falls at left and grows at *right has a least value between them: is it below zero? Then *right is moved
 * there. */
static bool dips(locate *l, const watch *w, double zero, double left, double *right, double *f_right) {
    double low = left, high = *right, f = INFINITY, middle = left;
    for (int i = 0; i < 30 && !(f < -zero); i++) {
        middle = (low + high) / 2;
        f = watch_inside(l, w, middle);
        if (gap_rate(l, w, middle) < 0) low = middle;
        else high = middle;
    }
    if (f < -zero) *right = middle, *f_right = f;
    return f < -zero;
}

/* Samples bracket the first zero. A function that starts at zero itself (a contact that has just opened, slip that
 * begins) is positive a little later, or the event is at the start. */
static bool find_zero(locate *l, watch *w, double zero) {
    const bool gap = w->kind == CAROM_STRIKE;
    double left = 0, f_left = 0, right = 0, f_right = 0, rate = gap ? l->before[l->m->N + w->contact] : 0;
    for (int j = 1; j <= l->samples; j++) {
        right = (double)j / l->samples;
        f_right = watch_inside(l, w, right);
        if (!(f_right >= -zero)) break;
        double next_rate = gap ? gap_rate(l, w, right) : 0;
        if (rate < 0 && next_rate > 0 && dips(l, w, zero, left, &right, &f_right)) break;
        left = right, f_left = f_right, rate = next_rate;
        if (j == l->samples) return false;
    }
    const double least = 1e-9 * right;
    for (double theta = right / 2; f_left <= 0 && theta > least; theta /= 2) {
        double f = watch_inside(l, w, theta);
        if (f > 0) left = theta, f_left = f;
        else right = theta, f_right = f;
    }
    w->tau = 0, w->after = l->at.t;
    if (f_left > 0) zero_between(l, w, left, f_left, right, f_right);
    return true;
}

/* ---------------------------------------------------------------- suspicion: looking at the stages costs nothing */

/* Below zero at a stage, or so near that it may be between them. A contact that leaves from rest is near for a while,
 * and the dense output not accurate enough to tell: there only stages count. */
static bool may_strike(const locate *l, int k, double zero, double rest) {
    const carom_model *m = l->m;
    const fixed_scheme *f = &l->scheme;
    double least = INFINITY, leaves = l->before[m->N + k], rate = fmax(fabs(leaves), fabs(l->after[m->N + k]));
    for (int i = 1; i < f->s; i++) least = fmin(least, f->gaps(f->self, i)[m->def.ng + k]);
    return least < -zero || (fabs(leaves) > rest && least < rate * l->h / 4);
}

static bool may_open(const locate *l, int k) {
    const fixed_scheme *f = &l->scheme;
    for (int i = 0; i < f->s; i++)
        if (f->percussion(f->self, i)[l->m->N + k] < 0) return true;
    return false;
}

static bool may_break(const locate *l, int k) {
    const fixed_scheme *f = &l->scheme;
    for (int i = 0; i < f->s; i++)
        if (friction_margin(l->m, k, f->percussion(f->self, i)) < 0) return true;
    return false;
}

static bool may_stop(const locate *l, int k, double zero) {
    const fixed_scheme *f = &l->scheme;
    for (int i = 1; i < f->s; i++)
        if (watch_slip(l, k, f->slips(f->self, i)) < -zero) return true;
    return watch_slip(l, k, l->after + l->m->F) < -zero;
}

static void consider(locate *l, watch w, double zero, watch *first, bool *any) {
    if (find_zero(l, &w, zero) && (!*any || w.tau < first->tau)) *first = w, *any = true;
}

bool watch_first(locate *l, watch *first, double tolerance) {
    const double gap = zero_gap(l), velocity = zero_velocity(l, tolerance);
    bool any = false;
    for (int k = 0; k < l->m->def.contacts; k++) {
        carom_contact_state state = (carom_contact_state)l->at.contact[k];
        bool rubs = l->m->def.contact[k].slips > 0;
        if (state == CAROM_OPEN) {
            watch strike = {.kind = CAROM_STRIKE, .contact = k};
            if (!may_strike(l, k, gap, velocity)) continue;
            double start = watch_at(l, &strike, l->at.t, l->at.q, l->at.u); /* may be below zero by round-off */
            consider(l, strike, fmax(gap, fmin(-2 * start, 16 * gap)), first, &any);
            continue;
        }
        if (!l->held[k] && may_open(l, k)) consider(l, (watch){.kind = CAROM_OPENING, .contact = k}, 0, first, &any);
        if (rubs && state == CAROM_STICK && may_break(l, k))
            consider(l, (watch){.kind = CAROM_BREAK, .contact = k}, 0, first, &any);
        if (rubs && state == CAROM_SLIP && may_stop(l, k, velocity))
            consider(l, (watch){.kind = CAROM_STOP, .contact = k}, velocity, first, &any);
    }
    return any;
}

/* ---------------------------------------------------------------- what a step must not do */

/* P_N of a closed contact, or mu P_N - |P_F| of one that sticks, over the trial step; zero where there is no law. */
static double margin_of_step(const locate *l, carom_event_kind kind, int k) {
    if (kind == CAROM_OPENING) return l->at.contact[k] == CAROM_OPEN ? 0 : l->trial.P[l->m->N + k];
    return l->at.contact[k] == CAROM_STICK ? friction_margin(l->m, k, l->trial.P) : 0;
}

bool watch_obeys(const locate *l) {
    for (int k = 0; k < l->m->def.contacts; k++)
        if (margin_of_step(l, CAROM_OPENING, k) < 0 || margin_of_step(l, CAROM_BREAK, k) < 0) return false;
    return true;
}

/* (V14): the scheme errs by a part of what the force changes within the step; a contact that is held may pull for a
 * short step, (V11). */
static bool is_broken(locate *l, carom_event_kind kind, int k, double tolerance) {
    const watch w = {.kind = kind, .contact = k};
    const double margin = margin_of_step(l, kind, k);
    double low = INFINITY, high = -INFINITY;
    if (!(margin < 0) || (l->held[k] && is_short(l))) return false;
    for (int i = 0; i <= 2; i++) {
        double f = watch_inside(l, &w, i / 2.);
        if (isnan(f)) return true;
        low = fmin(low, f), high = fmax(high, f);
    }
    double G = law_of_contact(&l->rates.impact.problem, l->m, 0, k)->G, errs = l->held[k] ? 0 : l->h * (high - low) / 2;
    return -G * margin > zero_velocity(l, tolerance) + G * errs;
}

bool watch_broken(locate *l, double tolerance) {
    for (int k = 0; k < l->m->def.contacts; k++)
        if (is_broken(l, CAROM_OPENING, k, tolerance) || is_broken(l, CAROM_BREAK, k, tolerance)) return true;
    return false;
}
