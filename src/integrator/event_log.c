#include "integrator/event_log.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static size_t instant_size(const event_log *log) {
    const carom_model *m = log->model;
    return (size_t)(2 + m->def.nq +
                    2 * (m->def.nu + m->def.contacts + m->ns + 1 + m->def.switches + INSTANT_WORKS + log->own));
}

instant event_log_instant(const event_log *log, int i) {
    const carom_model *m = log->model;
    double *next = log->memory + (size_t)i * instant_size(log);
    instant x = {.t = {next, next + 1}, .q = next + 2};
    next = x.q + m->def.nq;
    for (int side = 0; side < 2; side++) {
        x.u[side] = next;
        x.contact[side] = x.u[side] + m->def.nu;
        x.P[side] = x.contact[side] + m->def.contacts;
        x.side[side] = x.P[side] + m->ns;
        x.work[side] = x.side[side] + 1 + m->def.switches;
        x.own[side] = x.work[side] + INSTANT_WORKS;
        next = x.own[side] + log->own;
    }
    return x;
}

void event_log_clear(event_log *log) {
    log->events = log->instants = 0;
    log->full = false;
}

void event_log_destroy(event_log *log) {
    free(log->event);
    free(log->memory);
    free(log->scale);
}

/* Makes place for so many elements more. */
static bool grow(void **elements, size_t *room, size_t wanted, size_t size) {
    if (wanted <= *room) return true;
    void *larger = realloc(*elements, 2 * wanted * size);
    if (!larger) return false;
    *elements = larger;
    *room = 2 * wanted;
    return true;
}

static bool reserve_events(event_log *log, int more) {
    return grow((void **)&log->event, &log->event_room, (size_t)(log->events + more), sizeof *log->event);
}

static bool reserve_instants(event_log *log, int more) {
    return grow((void **)&log->memory, &log->instant_room, (size_t)(log->instants + more),
                instant_size(log) * sizeof *log->memory);
}

static void fill(const event_log *log, int side, const motion *x, const int *held, const double *P) {
    const carom_model *m = log->model;
    instant i = event_log_instant(log, log->instants);
    *i.t[side] = x->t;
    memcpy(i.q, x->q, (size_t)m->def.nq * sizeof *i.q);
    memcpy(i.u[side], x->u, (size_t)m->def.nu * sizeof *x->u);
    memcpy(i.contact[side], x->contact, (size_t)m->def.contacts * sizeof *x->contact);
    memcpy(i.P[side], P, (size_t)m->ns * sizeof *P);
    i.side[side][0] = held != NULL;
    for (int j = 0; j < m->def.switches; j++) i.side[side][1 + j] = held ? held[j] : 0;
    memset(i.work[side], 0, INSTANT_WORKS * sizeof *i.work[side]);
}

bool event_log_begin(event_log *log, const motion *before, const int *side, const double *P) {
    const carom_model *m = log->model;
    log->first = log->events;
    if (m->def.slip_scale && !log->scale) log->scale = calloc((size_t)m->slips + 1, sizeof *log->scale);
    if ((m->def.slip_scale && !log->scale) || !reserve_instants(log, 1)) return false;
    fill(log, 0, before, side, P);
    instant now = event_log_instant(log, log->instants);
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < log->own; i++) now.own[k][i] = NAN;
    return true;
}

/* Joints that break have numbers after those of contacts. */
static bool is_of_contact(const event_log *log, const carom_event *event) {
    return event->contact < log->model->def.contacts;
}

/* The slips on which friction acts, not its rows, (L14). */
static void rescale(const event_log *log, carom_event *event) {
    const carom_model *m = log->model;
    const instant now = event_log_instant(log, log->instants);
    if (!is_of_contact(log, event)) return;
    const int n = m->def.contact[event->contact].slips;
    if (!m->def.slip_scale || model_slip_scale(m, *now.t[0], now.q, log->scale)) return;
    const double *scale = log->scale + m->slip[event->contact];
    for (int side = 0; side < 2; side++) slips_from_rows(n, scale, event->slip[side]);
    percussions_from_rows(n, scale, event->PF);
}

void event_log_add(event_log *log, carom_event event) {
    const carom_model_def *d = &log->model->def;
    if (event.contact < d->contacts + d->latches) event.bodies[0] = event.bodies[1] = -1;
    rescale(log, &event);
    event.instant = log->instants;
    if (reserve_events(log, 1)) log->event[log->events++] = event;
    else log->full = true;
}

bool event_log_end(event_log *log, const motion *after, const int *side, const double *P) {
    fill(log, 1, after, side, P);
    instant now = event_log_instant(log, log->instants);
    for (int i = log->first; i < log->events; i++) {
        carom_event *e = &log->event[i];
        for (int k = 0; k < 2 && is_of_contact(log, e); k++)
            e->state[k] = (carom_contact_state)now.contact[k][e->contact];
    }
    bool struck = memcmp(now.P[0], now.P[1], (size_t)log->model->ns * sizeof *now.P[0]) != 0;
    bool switched = memcmp(now.side[0], now.side[1], (1 + (size_t)log->model->def.switches) * sizeof *now.side[0]) != 0;
    log->instants += log->events > log->first || struck || switched;
    return !log->full;
}

bool event_log_no_room(step_report *report) {
    strcpy(report->reason, "there is no memory left for its events");
    report->exhausted = true;
    return false;
}

bool event_log_append(event_log *log, const event_log *more) {
    if (more->instants == 0) return true;
    if (!reserve_events(log, more->events) || !reserve_instants(log, more->instants)) return false;
    size_t size = instant_size(log);
    if (more->events) memcpy(log->event + log->events, more->event, (size_t)more->events * sizeof *more->event);
    memcpy(log->memory + (size_t)log->instants * size, more->memory,
           (size_t)more->instants * size * sizeof *log->memory);
    for (int i = 0; i < more->events; i++) log->event[log->events + i].instant += log->instants;
    log->events += more->events;
    log->instants += more->instants;
    return true;
}
