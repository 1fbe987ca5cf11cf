#include "integrator/watch.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "integrator/vectors.h"
#include "integrator/zero.h"

static carom_contact_state state_of(const attempt *a, int k) {
    return (carom_contact_state)a->start.x.contact[k];
}

/* ---------------------------------------------------------------- the watched functions */

static rates_place place_of(const attempt *a, double t, const double *q, const double *u) {
    return (rates_place){t, q, u, a->start.x.contact, a->start.sense, NULL};
}

/* (V30), from the forces of the step. */
static double persistence(watcher *w, const attempt *a, double t, const double *q, const double *u) {
    rates_place at = place_of(a, t, q, u);
    for (int k = 0; k < w->m->ns; k++) w->forces[k] = a->end.x.P[k] / a->h;
    at.guess = w->forces;
    double f = rates_persist(w->rates, &at, a->start.held, &w->ends);
    if (!isnan(f) || !a->admits) return f;
    w->ends = false; /* laws have kept the states over the step, only the solver fails here */
    return 1;
}

/* Of one contact, with all states kept. */
static double force_at(watcher *w, const attempt *a, const candidate *x, double t, const double *q, const double *u) {
    const carom_model *m = w->m;
    rates_place at = place_of(a, t, q, u);
    solver_report found;
    if (!rates_solve(w->rates, &at, false, &found)) return NAN;
    const double *lambda = rates_forces(w->rates);
    return x->kind == CAROM_OPENING ? lambda[m->N + x->contact] : friction_margin(m, x->contact, lambda);
}

static double value_at(watcher *w, const attempt *a, const candidate *x, double t, const double *q, const double *u) {
    const carom_model_def *d = &w->m->def;
    if (x->contact == LOAD) return persistence(w, a, t, q, u);
    if (x->contact == SWITCH) return certify_argument(&w->certifier, a, x, t, q, u);
    if (x->kind == CAROM_STRIKE) return d->position(d->context, t, q, w->c, NULL) ? NAN : w->c[d->ng + x->contact];
    if (x->kind != CAROM_STOP) return force_at(w, a, x, t, q, u);
    return d->velocity(d->context, t, q, u, w->s, NULL, NULL) ? NAN : attempt_slip(a, x->contact, w->s + w->m->F);
}

static double value_inside(watcher *w, const attempt *a, const candidate *x, double theta) {
    attempt_at(a, theta, &w->look);
    return value_at(w, a, x, w->look.t, w->look.q, w->look.u);
}

double watch_end(watcher *w, const attempt *a, const candidate *x) {
    return value_at(w, a, x, a->end.x.t, a->end.x.q, a->end.x.u);
}

bool watch_unique(watcher *w, const attempt *a) {
    const rates_place at = place_of(a, a->end.x.t, a->end.x.q, a->end.x.u);
    solver_report found;
    return !a->admits || (rates_solve(w->rates, &at, false, &found) && rates_unique(w->rates));
}

/* Known for gaps, by a difference of the dense output for slips and switches. */
double watch_slope(watcher *w, const attempt *a, const candidate *x, double at_end) {
    const double part = 1e-4;
    if (x->contact >= 0 && x->kind == CAROM_STRIKE) return a->end.s[w->m->N + x->contact];
    return (at_end - value_inside(w, a, x, 1 - part)) / (part * a->h);
}

/* ---------------------------------------------------------------- the first zero */

/* One of the functions along a trial step. */
typedef struct watched {
    watcher *w;
    const attempt *a;
    const candidate *x;
    bool by_ends; /* the sign tells whether states end, whatever the margin */
} watched;

static double watched_value(void *context, double theta) {
    const watched *f = context;
    const double value = value_inside(f->w, f->a, f->x, theta);
    if (!f->by_ends || isnan(value)) return value;
    return f->w->ends ? -fabs(value) : fabs(value) + DBL_MIN;
}

/* A margin that is zero by round-off, where forces that are not unique touch the edge of a cone, ends nothing: a little
 * later the states still hold. Forces that are unique are beyond the edge there. *b: that place, up to the one where
 * the states were seen to be over. */
static bool is_feigned(watcher *w, const attempt *a, const candidate *x, const bracket *over, bracket *b) {
    const double left = over->right - b->right, later = b->right + 1e-2 * left;
    if (left <= 1e-6 * over->right) return false;
    const double f = value_inside(w, a, x, later);
    if (isnan(f) || w->ends) return false;
    *b = (bracket){later, fabs(f) + DBL_MIN, over->right, over->f_right};
    return true;
}

/* over: where the function was seen to be below zero first. Without a positive value on the left the event is at the
 * start. Where no accelerations are found, to look for the edge of that is dear. */
static void zero_between(watcher *w, const attempt *a, candidate *x, bracket b, bracket over) {
    const bool load = x->contact == LOAD;
    if (b.f_left > 0) zero_search(&b, watched_value, &(watched){w, a, x, false}, load);
    else b = (bracket){0};
    if (load && is_feigned(w, a, x, &over, &b)) zero_search(&b, watched_value, &(watched){w, a, x, true}, true);
    x->tau = (load ? b.left : b.right) * a->h;
    x->after = a->start.x.t + b.right * a->h;
}

/* gN_dot on the dense output, after the gap itself was asked for at the same place. */
static double gap_rate(watcher *w, const candidate *x) {
    const carom_model_def *d = &w->m->def;
    if (d->velocity(d->context, w->look.t, w->look.q, w->look.u, w->s, NULL, NULL)) return NAN;
    return w->s[w->m->N + x->contact];
}

/* A gap that falls at left and grows at *right has a least value between them: is it below zero? Then *right is moved
 * there. */
static bool dips(watcher *w, const attempt *a, const candidate *x, double zero, double left, double *right,
                 double *f_right) {
    double low = left, high = *right, f = INFINITY, middle = left;
    for (int i = 0; i < 30 && !(f < -zero); i++) {
        middle = (low + high) / 2;
        f = value_inside(w, a, x, middle);
        if (gap_rate(w, x) < 0) low = middle;
        else high = middle;
    }
    if (f < -zero) *right = middle, *f_right = f;
    return f < -zero;
}

/* At how many places the function is evaluated first. Forces that are not unique but admit the step are known at its
 * nodes; everything else is sampled. */
static int places(const watcher *w, const attempt *a, const candidate *x) {
    return x->contact == LOAD && a->admits ? a->dense.s - 1 : w->samples;
}

static double place(const watcher *w, const attempt *a, const candidate *x, int j) {
    return x->contact == LOAD && a->admits ? a->dense.c[j] : (double)j / w->samples;
}

static bool is_over(const watcher *w, const candidate *x, double f, double zero) {
    return x->contact == LOAD ? w->ends : !(f >= -zero);
}

/* Samples bracket the first zero. A function that starts at zero itself (a contact that has just opened, slip that
 * begins) is positive a little later, or the event is at the start. *beyond: where it was seen to be over. */
static bool find_zero(watcher *w, const attempt *a, candidate *x, double zero, double *beyond) {
    const bool gap = x->kind == CAROM_STRIKE;
    const int last = places(w, a, x);
    double left = 0, f_left = 0, right = 0, f_right = 0, rate = gap ? a->start.s[w->m->N + x->contact] : 0;
    for (int j = 1; j <= last; j++) {
        right = place(w, a, x, j);
        f_right = value_inside(w, a, x, right);
        if (is_over(w, x, f_right, zero)) break;
        double next_rate = gap ? gap_rate(w, x) : 0;
        if (rate < 0 && next_rate > 0 && dips(w, a, x, zero, left, &right, &f_right)) break;
        left = right, f_left = f_right, rate = next_rate;
        if (j == last) return false;
    }
    *beyond = right;
    const double least = 1e-9 * right;
    const bracket over = {right, f_right, right, f_right};
    for (double theta = right / 2; f_left <= 0 && theta > least; theta /= 2) {
        double f = value_inside(w, a, x, theta);
        if (f > 0) left = theta, f_left = f;
        else right = theta, f_right = f;
    }
    zero_between(w, a, x, (bracket){left, f_left, right, f_right}, over);
    return true;
}

/* ---------------------------------------------------------------- forces that end states */

/* What follows is read as soon after the event as accelerations tell it, (V31). */
static void read_states(watcher *w, const attempt *a, candidate *x, double beyond) {
    enum { HALVINGS = 10 };
    double before = x->tau / a->h;
    for (int i = 0; i < HALVINGS; i++) {
        double middle = (before + beyond) / 2;
        if (isnan(value_inside(w, a, x, middle))) return;
        if (w->ends) beyond = middle;
        else before = middle;
    }
    if (isnan(value_inside(w, a, x, beyond)) || !w->ends) return;
    memcpy(w->state, a->start.x.contact, (size_t)w->m->def.contacts * sizeof *w->state);
    memcpy(w->sense, a->start.sense, (size_t)w->m->slips * sizeof *w->sense);
    rates_read(w->rates, w->state, w->sense);
    x->state = w->state, x->sense = w->sense;
}

static void consider_load(watcher *w, const attempt *a, candidate *first, bool *any) {
    candidate x = {.kind = CAROM_BREAK, .contact = LOAD};
    double beyond;
    if (!find_zero(w, a, &x, 0, &beyond) || (*any && first->tau <= x.tau)) return;
    read_states(w, a, &x, beyond);
    *first = x, *any = true;
}

/* Do percussions obey the laws, up to what counts as zero? *looked: the rates at the start of the step are known; they
 * serve all percussions of the step. */
static bool obeys(watcher *w, const attempt *a, const double *P, bool *looked) {
    const motion *x = &a->start.x;
    rates_place at = place_of(a, x->t, x->q, x->u);
    if (attempt_obeys(a, P)) return true;
    if (!*looked && !(*looked = rates_look(w->rates, &at))) return false;
    for (int k = 0; k < w->m->ns; k++) w->forces[k] = P[k] / a->h;
    return rates_in_cones(w->rates, &at, a->start.held, w->forces);
}

/* Friction of stages that pull, along slip that turns, may add up to more than the contact presses for in the step. */
static bool slides_in_cones(watcher *w, const attempt *a, bool *looked) {
    const motion *x = &a->start.x;
    rates_place at = place_of(a, x->t, x->q, x->u);
    for (int k = 0; k < w->m->def.contacts; k++) {
        const double *P = a->end.x.P, margin = sliding_margin(w->m, k, P);
        if (state_of(a, k) != CAROM_SLIP || margin >= -1e-12 * fabs(contact_load(w->m, k, P))) continue;
        if (!*looked && !(*looked = rates_look(w->rates, &at))) return false;
        if (law_that_rubs(&w->rates->impact.problem, w->m, k)->G * margin < -w->scales->tolerance) return false;
    }
    return true;
}

bool watch_obeys(watcher *w, const attempt *a) {
    bool looked = false, all = obeys(w, a, a->end.x.P, &looked) && slides_in_cones(w, a, &looked);
    for (int i = 0; all && i < a->nodes; i++)
        all = !a->node[i].percussion || obeys(w, a, a->node[i].percussion, &looked);
    return all;
}

/* ---------------------------------------------------------------- suspicion: looking at the nodes costs nothing */

static double least_gap(const attempt *a, int k) {
    double least = INFINITY;
    for (int i = 0; i < a->nodes; i++)
        if (a->node[i].gaps) least = fmin(least, a->node[i].gaps[a->m->def.ng + k]);
    return least;
}

static bool is_below(const watcher *w, const attempt *a, int k) {
    double least = least_gap(a, k);
    return least < 0 && least < -scales_of_open(w->scales, k).gap;
}

/* Where nothing bounds the gap: so near that it may have been below zero between nodes. A contact that leaves from rest
 * is near for a while, and the dense output not accurate enough to tell: there only nodes count. */
static bool may_dip(const watcher *w, const attempt *a, int k) {
    const int row = w->m->N + k;
    double leaves = a->start.s[row], rate = fmax(fabs(leaves), fabs(a->end.s[row]));
    return least_gap(a, k) < rate * a->h && fabs(leaves) > scales_of_open(w->scales, k).rate;
}

static bool may_stop(const watcher *w, const attempt *a, int k) {
    double least = attempt_slip(a, k, a->end.s + a->m->F);
    for (int i = 0; i < a->nodes; i++)
        if (a->node[i].slips) least = fmin(least, attempt_slip(a, k, a->node[i].slips));
    return least < 0 && least < -zero_slip(w->scales, k);
}

static void consider(watcher *w, const attempt *a, candidate x, double zero, candidate *first, bool *any) {
    double beyond;
    if (find_zero(w, a, &x, zero, &beyond) && (!*any || x.tau < first->tau)) *first = x, *any = true;
}

/* The gap at the start may be below zero by round-off. */
static void consider_strike(watcher *w, const attempt *a, int k, candidate *first, bool *any) {
    const candidate strike = {.kind = CAROM_STRIKE, .contact = k};
    const motion *x = &a->start.x;
    double start = value_at(w, a, &strike, x->t, x->q, x->u), zero = scales_of_open(w->scales, k).gap;
    consider(w, a, strike, fmax(zero, fmin(-2 * start, 16 * zero)), first, any);
}

bool watch_bounded(watcher *w, const attempt *a, candidate *first) {
    return certify_first(&w->certifier, a, first);
}

doubt watch_doubt(const watcher *w) {
    return w->certifier.doubt;
}

void watch_suspects(watcher *w, const attempt *a, bool *contact, bool *switched) {
    const carom_model_def *d = &w->m->def;
    const bool *gap = certify_suspects(&w->certifier, a), *argument = gap + d->contacts;
    for (int j = 0; j < d->switches; j++) switched[j] = argument[2 * j] || argument[2 * j + 1];
    for (int k = 0; k < d->contacts; k++) {
        const bool slips = d->contact[k].slips > 0 && state_of(a, k) == CAROM_SLIP;
        if (state_of(a, k) == CAROM_OPEN) contact[k] = gap[k] || is_below(w, a, k);
        else contact[k] = (slips && may_stop(w, a, k)) || (!a->obeys && attempt_strains(a, k));
    }
}

void watch_range(watcher *w, const attempt *a, carom_range *q) {
    enclosure *e = &w->certifier.enclosure;
    enclosure_begin(e, a);
    enclose(e, 0, 1, false);
    memcpy(q, e->q, (size_t)w->m->def.nq * sizeof *q);
}

bool watch_first(watcher *w, const attempt *a, candidate *first) {
    bool any = watch_bounded(w, a, first), samples = !certifier_can(&w->certifier) || w->certifier.doubt.count > 0;
    for (int k = 0; k < w->m->def.contacts; k++) {
        carom_contact_state state = state_of(a, k);
        bool rubs = w->m->def.contact[k].slips > 0;
        if (state == CAROM_OPEN) {
            if (is_below(w, a, k) || (samples && may_dip(w, a, k))) consider_strike(w, a, k, first, &any);
            continue;
        }
        if (rubs && state == CAROM_SLIP && may_stop(w, a, k))
            consider(w, a, (candidate){.kind = CAROM_STOP, .contact = k}, zero_slip(w->scales, k), first, &any);
    }
    if (!a->obeys) consider_load(w, a, first, &any);
    return any;
}

/* ---------------------------------------------------------------- what a step must not do */

/* (V14): the scheme errs by a part of what the force changes within the step; a contact that is held may pull for a
 * short step, (V11). */
static bool is_broken(watcher *w, const attempt *a, carom_event_kind kind, int k) {
    const candidate x = {.kind = kind, .contact = k};
    const double margin = attempt_margin(a, kind, k);
    const bool held = a->start.held[k];
    double low = INFINITY, high = -INFINITY;
    if (!(margin < 0) || (held && a->brief)) return false;
    for (int i = 0; i <= 2; i++) {
        double f = value_inside(w, a, &x, i / 2.);
        if (isnan(f)) return true;
        low = fmin(low, f), high = fmax(high, f);
    }
    double G = law_that_rubs(&w->rates->impact.problem, w->m, k)->G, errs = held ? 0 : a->h * (high - low) / 2;
    return -G * margin > zero_speed(w->scales, k) + G * errs;
}

bool watch_broken(watcher *w, const attempt *a) {
    bool looked = false;
    if (a->obeys || a->admits) return false;
    if (!slides_in_cones(w, a, &looked)) return true;
    for (int k = 0; k < w->m->def.contacts; k++)
        if (is_broken(w, a, CAROM_OPENING, k) || is_broken(w, a, CAROM_BREAK, k)) return true;
    return false;
}

/* ---------------------------------------------------------------- setup */

bool watcher_create(watcher *w, const attempt *a, int samples, rates *r, scales *z) {
    *w = (watcher){.m = a->m, .samples = samples, .rates = r, .scales = z};
    const vector_part parts[] = {{&w->c, a->m->nc},
                                 {&w->s, a->m->ns},
                                 {&w->forces, a->m->ns},
                                 {&w->state, a->m->def.contacts},
                                 {&w->sense, a->m->slips}};
    w->memory = vectors_create(parts, sizeof parts / sizeof *parts);
    bool ok = certifier_create(&w->certifier, a, samples, z);
    return attempt_look_create(&w->look, a) && w->memory && ok;
}

void watcher_destroy(watcher *w) {
    certifier_destroy(&w->certifier);
    attempt_look_destroy(&w->look);
    free(w->memory);
}
