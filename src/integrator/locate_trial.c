/* Trial steps with fixed states: the ways to hold contacts, tried one after the other until one is solved; and the
 * treatment of slip that has begun lately. */
#include "integrator/locate_inside.h"

#include <float.h>
#include <math.h>
#include <string.h>

double least_step(const locate *l) {
    return 4 * DBL_EPSILON * (fabs(l->at.x.t) + l->now.dt);
}

/* Which contacts sleep, (CF35), is decided where the sides are taken. A trial step may look elsewhere first. */
void hold_sides(const locate *l, const int *side) {
    const carom_model_def *d = &l->m->def;
    if (d->switches) d->take_sides(d->context, side);
    if (d->switches && side && l->m->nc) (void)d->position(d->context, l->at.x.t, l->at.x.q, l->c, NULL);
    if (l->varied) l->varied->side = side;
}

static void count_work(locate *l, const step_report *part, bool taken, step_report *report) {
    long work = 1;
    for (int k = 0; k < MOST_STAGES; k++) report->newton[k] += part->newton[k], work += part->newton[k];
    l->now.work += work;
    if (!taken) l->now.vain += work > LEAST_IN_VAIN ? work : LEAST_IN_VAIN;
}

static bool try_held(locate *l, step_report *report) {
    const carom_model_def *d = &l->m->def;
    const fixed_scheme *f = &l->scheme;
    attempt *a = &l->attempt;
    step_report part = {0};
    bool by_rates = a->brief || l->now.hold == BY_RATES, keeps = l->now.hold == AS_THEY_ARE && !by_rates;
    if (keeps && d->position(d->context, l->at.x.t, l->at.x.q, l->c, NULL)) return event_undefined(l->at.x.t, report);
    bool taken = f->step(f->self, &a->start.x, a->start.sense, by_rates, l->now.young, keeps ? l->c : NULL, &a->end.x,
                         l->now.tolerance, &part);
    count_work(l, &part, taken, report);
    if (taken) report->residual = fmax(report->residual, part.residual);
    else memcpy(report->reason, part.reason, sizeof part.reason);
    return taken;
}

/* If more contacts hold a body than it has ways to move, their gaps may contradict each other by round-off; then each
 * gap is kept as it is. If a sticking contact imposes the same row as the gap of another, stages contradict each other
 * by the order; then all are held by their rates. */
static bool try_somehow(locate *l, step_report *report) {
    hold_by first = l->now.hold;
    bool taken = try_held(l, report);
    while (!taken && l->m->def.contacts && l->now.hold < BY_RATES && !l->now.futile && !l->now.young) {
        l->now.hold++;
        taken = try_held(l, report);
    }
    if (!taken) l->now.hold = first;
    return taken;
}

/* Velocities of bodies below the largest of these are zero for some contact. */
static double most_zero_speed(locate *l) {
    double most = 0;
    for (int k = 0; k < l->m->def.contacts; k++) most = fmax(most, zero_speed(&l->scales, k));
    return most;
}

/* (V33): no contact has changed its state at a node. */
static bool keeps_node(locate *l, const scheme_node *node) {
    const carom_model *m = l->m;
    const attempt *a = &l->attempt;
    for (int k = 0; k < m->def.contacts; k++) {
        carom_contact_state state = (carom_contact_state)a->start.x.contact[k];
        double gap = node->gaps ? node->gaps[m->def.ng + k] : 0, zero = zero_slip(&l->scales, k);
        if (state == CAROM_OPEN) continue;
        if (!contact_follows(m, k) && fabs(gap) > zero_gap(&l->scales, k)) return false;
        if (!node->slips || m->def.contact[k].slips == 0) continue;
        double size = 0;
        for (int j = m->slip[k]; j < m->slip[k + 1]; j++) size = hypot(size, node->slips[j]);
        if (state == CAROM_STICK ? size > zero : attempt_slip(a, k, node->slips) < -zero) return false;
    }
    return true;
}

/* The same at the end: open contacts have taken no percussion, closed ones are closed. */
static bool keeps_end(locate *l, const phase *end) {
    const carom_model *m = l->m;
    for (int k = 0; k < m->def.contacts; k++) {
        bool open = l->attempt.start.x.contact[k] == CAROM_OPEN;
        if (open ? end->x.P[m->N + k] > 0 : fabs(end->s[m->N + k]) > zero_rate(&l->scales, m->N + k)) return false;
    }
    return keeps_node(l, &(scheme_node){.slips = end->s + m->F});
}

bool try_by_laws(locate *l, step_report *report) {
    const fixed_scheme *f = &l->scheme;
    attempt *a = &l->attempt;
    phase *end = &l->lawful;
    step_report part = {0};
    phase_copy(l->m, end, &a->start);
    end->x.t = a->end.x.t;
    bool kept = f->obey(f->self, &a->start.x, &end->x, l->now.tolerance, &part) && keeps_end(l, end);
    for (int i = 0; kept && i < f->nodes; i++) {
        scheme_node node;
        f->node(f->self, i, &node);
        kept = keeps_node(l, &node);
    }
    count_work(l, &part, kept, report);
    if (!kept) return false;
    memcpy(end->x.contact, a->start.x.contact, (size_t)l->m->def.contacts * sizeof *end->x.contact);
    report->residual = fmax(report->residual, part.residual);
    phase_copy(l->m, &a->end, end);
    attempt_keep_nodes(a, f);
    l->now.hold = BY_LAWS;
    a->obeys = false, a->admits = true;
    return true;
}

/* Holds contacts with whatever force it takes, and then by other forces that obey. */
static bool try_forced(locate *l, step_report *report) {
    const fixed_scheme *f = &l->scheme;
    attempt *a = &l->attempt;
    if (!try_somehow(l, report)) return false;
    attempt_keep_nodes(a, f);
    a->obeys = watch_obeys(&l->watcher, a);
    a->admits = !a->obeys &&
                f->admit(f->self, &a->start.x, a->start.sense, &a->end.x, most_zero_speed(l), l->now.tolerance, report);
    if (l->now.hold == BY_RATES) settle(&l->settler, &a->end, !a->admits, l->now.tolerance);
    l->now.young = l->now.young && l->now.hold == AT_ZERO && !a->admits;
    return true;
}

/* Tries all ways; begins with the laws if they worked in the step before. */
static bool try_kept(locate *l, step_report *report) {
    const bool contacts = l->m->def.contacts > 0 && !l->attempt.brief;
    if (l->now.hold == BY_LAWS) {
        if (contacts && try_by_laws(l, report)) return true;
        l->now.hold = AT_ZERO;
    }
    if (try_forced(l, report)) return true;
    if (l->now.young) {
        if (l->attempt.h > l->now.dt / 10) return false;
        l->now.young = false;
        if (try_forced(l, report)) return true;
    }
    if (!contacts || l->now.futile) return false;
    bool taken = try_by_laws(l, report);
    l->now.futile = !taken;
    return taken;
}

bool try_step(locate *l, double h, step_report *report) {
    attempt *a = &l->attempt;
    a->h = h;
    a->brief = h < 1e-3 * l->now.dt;
    phase_copy(l->m, &a->start, &l->at);
    phase_copy(l->m, &a->end, &l->at);
    a->end.x.t = fmin(fmin(l->at.x.t + h, l->jumps.left), l->now.latest);
    if (!try_kept(l, report)) return false;
    return attempt_keep_ends(a) || event_undefined(a->end.x.t, report);
}

/* Slip in several directions that friction can turn. */
static bool may_turn(const locate *l, int k) {
    const carom_model_contact *c = &l->m->def.contact[k];
    return l->at.x.contact[k] == CAROM_SLIP && c->slips > 1 && c->friction > 0;
}

bool slip_begins(locate *l) {
    for (int k = 0; k < l->m->def.contacts; k++)
        if (may_turn(l, k) && slip_speed(l->m, k, l->at.s) <= zero_slip(&l->scales, k)) return true;
    return false;
}

/* (V29): friction turns slip in less than 16 steps. */
static bool is_young(locate *l) {
    const carom_model *m = l->m;
    const motion *x = &l->at.x;
    const double steps = 16 * l->now.dt / l->attempt.h;
    if (!rates_look(&l->rates, &(rates_place){x->t, x->q, x->u, x->contact, l->at.sense, NULL})) return false;
    for (int k = 0; k < m->def.contacts; k++) {
        if (!may_turn(l, k)) continue;
        const double G = law_that_rubs(&l->rates.impact.problem, m, k)->G, PN = contact_load(m, k, l->attempt.end.x.P);
        if (slip_speed(m, k, l->at.s) < steps * m->def.contact[k].friction * G * PN) return true;
    }
    return false;
}

/* An open contact may close where the trial step ends, (SE78). */
static bool may_close(const attempt *a, int k) {
    const int row = a->m->N + k;
    const double *gaps = a->node[a->nodes - 1].gaps, way = a->h * (fabs(a->start.s[row]) + fabs(a->end.s[row]));
    return !gaps || !(gaps[a->m->def.ng + k] > way);
}

/* Slip may be over there, (SE78). */
static bool may_come_to_rest(const attempt *a, int k) {
    const int F = a->m->F;
    const double before = attempt_slip(a, k, a->start.s + F), after = attempt_slip(a, k, a->end.s + F);
    return a->m->def.contact[k].slips > 0 && !(fabs(after) > 2 * fabs(after - before));
}

/* The next part may find an event at its very start, the end of this one: (SE7) then asks how that end moves. */
static bool may_end_at_event(const attempt *a) {
    const carom_model_def *d = &a->m->def;
    bool may = a->brief || d->switches || d->latches || d->rheonomic;
    for (int k = 0; k < d->contacts && !may; k++) {
        const int state = (int)a->start.x.contact[k];
        may = d->contact[k].kinetic > 0 || (state == CAROM_OPEN && may_close(a, k)) ||
              (state == CAROM_SLIP && may_come_to_rest(a, k));
    }
    return may;
}

/* Derivatives go along with the trial step, up to the event it ends at (NULL: it ends at a given time). */
static void vary(locate *l, const candidate *end) {
    const attempt *a = &l->attempt;
    if (!l->varied || l->varied->lost) return;
    l->varied->fresh = false;
    l->varied->timed = end || may_end_at_event(a);
    l->varied->follows = end ? 0 : l->now.follows;
    l->scheme.vary(l->scheme.self, &a->start.x, a->start.sense, l->now.hold == BY_LAWS);
    if (l->now.hold == BY_RATES && l->settler.moved) event_change_place(&l->change, &a->end);
    if (a->brief || l->now.hold == BY_RATES) event_change_settle(&l->change, &a->end);
    if (l->now.rests && !end)
        variation_leave_out(
            l->varied,
            "slip in several directions comes to rest after t = %.9g, in steps whose lengths are taken as given",
            a->start.x.t);
    l->varied->given = !end;
    if (end) event_change_meet(&l->change, end, a);
}

void go_on_to(locate *l, const candidate *event) {
    const attempt *a = &l->attempt;
    vary(l, event);
    if (l->m->part && !trail_add(&l->trail, a, l->now.straight)) l->events.log.full = true;
    phase_copy(l->m, &l->at, &a->end);
    memset(l->at.held, 0, (size_t)l->m->def.contacts * sizeof *l->at.held);
    if (l->now.straight) phase_work(&l->at, l->m, a->end.x.P, a->start.s, a->end.s);
    else l->scheme.work(l->scheme.self, &a->start.x, &a->end.x, l->at.work);
    for (int k = 0; k < l->m->ns; k++) l->at.sum[k] += a->end.x.P[k];
    scales_move(&l->scales, &l->at.x);
    l->now.young = l->now.young && is_young(l);
}

void go_on(locate *l) {
    go_on_to(l, NULL);
}
