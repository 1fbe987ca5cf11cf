/* Captures the part of a step in which located events cannot be followed, by the laws at its end. */
#include "integrator/locate_inside.h"

#include <math.h>
#include <string.h>

#include "integrator/report.h"

enum { MOST_IN_VAIN = 600, LONGEST_PAUSE = 16 }; /* MOST_HALVINGS of a step that leads nowhere cost more than this */

bool is_vain(const locate *l) {
    return l->now.vain > MOST_IN_VAIN / (1 + l->now.penalty);
}

static void lose_derivatives(locate *l, double end) {
    if (l->varied) variation_lose(l->varied, end, "events up to t = %.9g could not be located", end);
}

/* Captures by the laws of all stages, if they are easy to solve. If they were hard before, takes the most robust way.
 */
static bool capture(locate *l, bool robustly, step_report *report) {
    const fixed_scheme *f = &l->scheme;
    attempt *a = &l->attempt;
    if (!robustly && f->obey(f->self, &a->start.x, &a->end.x, l->now.tolerance, report)) return true;
    report_again(report, l->m->def.contacts);
    return f->capture(f->self, &a->start.x, &a->end.x, l->now.tolerance, report);
}

bool capture_rest(locate *l, double end, step_report *report) {
    const carom_model *m = l->m;
    attempt *a = &l->attempt;
    step_report part = {.dulled = report->dulled};
    phase_copy(m, &a->start, &l->at);
    phase_copy(m, &a->end, &l->at);
    a->end.x.t = end;
    hold_sides(l, NULL);
    bool captured = capture(l, l->now.futile || is_vain(l) || l->now.penalty > 0, &part);
    part.captured = true;
    report_add(report, &part, captured);
    l->now.lost = !captured;
    if (!captured) return false;
    if (!event_velocities(m, &a->end.x, a->end.s)) return event_undefined(end, report);
    lose_derivatives(l, end);
    l->now.straight = true;
    go_on(l);
    l->now.straight = false;
    if (!event_sides(m, &l->at, l->argument)) return event_undefined(end, report);
    hold_sides(l, l->at.side);
    if (!event_velocities(m, &l->at.x, l->at.s)) return event_undefined(end, report);
    for (int k = 0; k < m->def.contacts; k++) {
        bool closed = l->at.x.contact[k] != CAROM_OPEN && l->at.s[m->N + k] <= zero_rate(&l->scales, m->N + k);
        l->at.x.contact[k] = closed ? CAROM_SLIP : CAROM_OPEN;
    }
    l->now.unknown = !event_states(&l->events, &l->at, report);
    if (l->now.unknown && !l->events.unsolved) return false;
    l->events.unsolved = false;
    l->now.young = l->now.young || slip_begins(l);
    return true;
}

void impose_pause(locate *l) {
    const bool vain = is_vain(l);
    const int longer = l->now.penalty > 0 ? 2 * l->now.penalty : 1;
    l->now.penalty = !vain ? l->now.penalty / 2 : longer < LONGEST_PAUSE ? longer : LONGEST_PAUSE;
    l->now.pause = vain ? l->now.penalty : 0;
}

void pause_where_unknown(locate *l) {
    if (l->now.unknown && l->now.pause == 0) l->now.pause = 1;
}
