/* Starts that move contacts which are closed there, (SE64), (SE65) in docs/theory/sensitivity.md. */
#include <math.h>

#include "integrator/balance.h"
#include "integrator/event_change.h"

/* The fastest rates along any column: of closed gaps, and of velocities that closed and sticking contacts hold. */
typedef struct start_move {
    double apart, speed;
} start_move;

static bool measure_start(event_change *c, const phase *x, start_move *most) {
    const carom_model *m = c->m;
    const carom_place at = {x->x.t, x->x.q, x->x.u};
    *most = (start_move){0};
    for (int k = 0; k < c->v->columns; k++) {
        const carom_place rate = variation_column(c->v, k);
        if (!variation_tangent(c->v, k, &at, &rate, &(carom_tangent){.c = c->c, .s = c->s})) return false;
        for (int n = 0; n < m->def.contacts; n++) {
            if (x->x.contact[n] == CAROM_OPEN) continue;
            most->apart = fmax(most->apart, fabs(c->c[m->def.ng + n]));
            most->speed = fmax(most->speed, fabs(c->s[m->N + n]));
            if (x->x.contact[n] == CAROM_STICK) most->speed = fmax(most->speed, slip_speed(m, n, c->s));
        }
    }
    return true;
}

/* Whether what was moved comes back at once: closed contacts are pressed, and those that stick are within their cones.
 */
static bool is_pressed(event_change *c, const phase *x, bool placed) {
    const carom_model *m = c->m;
    const rates_place place = {x->x.t, x->x.q, x->x.u, x->x.contact, x->sense, NULL};
    rates *r = &c->load.rates;
    solver_report found;
    if (!rates_solve(r, &place, false, &found) || !rates_unique(r)) return false;
    for (int k = 0; k < m->def.contacts; k++) {
        const bool sticks = x->x.contact[k] == CAROM_STICK && m->def.contact[k].slips > 0;
        if (x->x.contact[k] == CAROM_OPEN) continue;
        if (!sticks && contact_pressed_by(m, k) < 0) return false; /* a joint that is struck presses on every side */
        if (!(contact_load(m, k, rates_forces(r)) > 0) ||
            (sticks && (placed || !(friction_margin(m, k, rates_forces(r)) > 0))) ||
            (placed && m->def.contact[k].by_slip))
            return false;
    }
    return true;
}

/* Slip that begins at the start, from rest. */
static bool begins(const event_change *c, const phase *x, int k, const double *s) {
    const carom_model_contact *of = &c->m->def.contact[k];
    return x->x.contact[k] == CAROM_SLIP && of->slips > 0 && of->friction > 0 && slip_speed(c->m, k, s) <= 1e-9;
}

/* Whether such a slip goes on in its direction d where the start moves it by its rate on the side that was asked for:
 * it is s' = a d, a of that sign. */
static bool keeps_direction(const event_change *c, const phase *x, int k, const double *rate) {
    const double *s = rate + c->m->F + c->m->slip[k], *d = x->sense + c->m->slip[k];
    const int slips = c->m->def.contact[k].slips;
    double along = 0, across = 0;
    for (int j = 0; j < slips; j++) along += s[j] * d[j];
    for (int j = 0; j < slips; j++) across = hypot(across, s[j] - along * d[j]);
    return across <= 1e-9 && (fabs(along) <= 1e-9 || c->v->from * along > 0);
}

/* Friction of slip that is at rest has another sign on the other side of rest, (SE77): for a time in proportion to what
 * the start is moved by, or in the impacts of closed contacts that are. */
static void see_slip_begin(event_change *c, const phase *x, const start_move *most) {
    const carom_model *m = c->m;
    const carom_model_def *d = &m->def;
    double *s = c->before; /* room */
    if (d->velocity(d->context, x->x.t, x->x.q, x->x.u, s, NULL, NULL)) return;
    for (int k = 0; k < d->contacts; k++) {
        if (!begins(c, x, k, s)) continue;
        bool keeps = fmax(most->apart, most->speed) <= 1e-9;
        for (int n = 0; n < c->v->columns && keeps; n++) {
            const carom_place at = {x->x.t, x->x.q, x->x.u}, rate = variation_column(c->v, n);
            keeps =
                variation_tangent(c->v, n, &at, &rate, &(carom_tangent){.s = c->s}) && keeps_direction(c, x, k, c->s);
        }
        if (!keeps)
            variation_lose(c->v, x->x.t,
                           "contact '%s' begins to slip from rest, and the start may move it the other way%s",
                           d->contact[k].name, c->v->from ? "" : ": its derivative is one-sided at best");
    }
}

void event_change_start(event_change *c, const phase *x) {
    start_move most;
    bool closed = false;
    for (int k = 0; k < c->m->def.contacts; k++) closed = closed || x->x.contact[k] != CAROM_OPEN;
    if (!closed || c->v->lost || c->v->columns == 0) return;
    if (!measure_start(c, x, &most)) variation_lose_change(c->v, x->x.t, CHANGE_UNDEFINED, "the start");
    if (!c->v->lost) see_slip_begin(c, x, &most);
    if (c->v->lost || fmax(most.apart, most.speed) <= 1e-9) return;
    if (!is_pressed(c, x, most.apart > 1e-9))
        variation_lose(c->v, x->x.t, "contacts that are closed at the start are moved, and %s",
                       most.apart > 1e-9 ? "stick, or have friction by slip, or nothing presses them"
                                         : "nothing presses them");
    if (!c->v->lost && most.apart > 1e-9)
        variation_lose_change(c->v, x->x.t, event_change_correct(c, x, true), "the positions at the start");
    event_change_settle(c, x);
}
