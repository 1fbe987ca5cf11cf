#include "integrator/locate_parts.h"

#include <math.h>
#include <stdlib.h>

#include "integrator/locate_inside.h"
#include "integrator/report.h"

/* ---------------------------------------------------------------- what it remembers */

/* Vectors of a memory in the order of u, then in the order of s. */
typedef void list_move(const part_list *list, const double *from, double *to);

static void move_memory(const locate *l, const model_part *p, list_move *move, const double *from, double *to,
                        bool to_part) {
    const int nu = l->m->def.nu, ns = l->m->ns, of_u = l->scheme.of_u;
    const int vectors = ns > 0 ? ((int)l->at.memory_size - of_u * nu) / ns : 0;
    for (int v = 0; v < of_u; v++) {
        const int whole = v * nu, part = v * p->u.count;
        move(&p->u, from + (to_part ? whole : part), to + (to_part ? part : whole));
    }
    for (int v = 0; v < vectors; v++) {
        const int whole = of_u * nu + v * ns, part = of_u * p->u.count + v * p->s.count;
        move(&p->s, from + (to_part ? whole : part), to + (to_part ? part : whole));
    }
}

static int scheme_memory(const locate *l, const model_part *p) {
    const int nu = l->m->def.nu, ns = l->m->ns, of_u = l->scheme.of_u;
    return of_u * p->u.count + (ns > 0 ? ((int)l->at.memory_size - of_u * nu) / ns : 0) * p->s.count;
}

/* The modes of the part, as locate.c keeps them, from the present state; and back. */
static void put_modes(const locate *l, const model_part *p, double *modes) {
    const carom_model *m = l->m;
    part_gather(&p->contact, l->mode, modes);
    double *sense = modes + p->contact.count, *how = sense + p->model.slips;
    for (int i = p->model.F; i < p->s.count; i++) sense[i - p->model.F] = l->at.sense[p->s.at[i] - m->F];
    how[0] = l->now.penalty, how[1] = l->now.pause;
    for (int j = 0; j < p->switched.count; j++) how[MODES_HOW + j] = l->at.side[p->switched.at[j]];
}

static void take_modes(locate *l, const model_part *p, const double *modes) {
    const carom_model *m = l->m;
    part_scatter(&p->contact, modes, l->mode);
    for (int k = 0; k < p->contact.count; k++) l->at.x.contact[p->contact.at[k]] = mode_of(modes[k]).state;
    const double *sense = modes + p->contact.count, *how = sense + p->model.slips;
    for (int i = p->model.F; i < p->s.count; i++) l->at.sense[p->s.at[i] - m->F] = sense[i - p->model.F];
    for (int j = 0; j < p->switched.count; j++) l->at.side[p->switched.at[j]] = (int)how[MODES_HOW + j];
    l->now.penalty = (int)fmax(l->now.penalty, how[0]);
    l->now.pause = (int)fmax(l->now.pause, how[1]);
}

/* ---------------------------------------------------------------- its start */

static motion room_for(const model_part *p, double **next, int memory) {
    motion x = {.q = *next, .u = *next + p->q.count};
    x.P = x.u + p->u.count, x.contact = x.P + p->s.count, x.memory = x.contact + p->contact.count;
    *next = x.memory + memory;
    return x;
}

static bool make_motions(locate *l, island_step *i, int memory) {
    const model_part *p = i->part;
    const size_t size = (size_t)(p->q.count + p->u.count + p->s.count + p->contact.count + memory);
    double *next = i->memory = calloc(2 * size + (size_t)p->contact.count + 1, sizeof *i->memory);
    const int of_scheme = scheme_memory(l, p);
    if (!next) return false;
    i->now = room_for(p, &next, memory), i->next = room_for(p, &next, memory);
    i->dulled = next;
    i->modes = i->now.memory + of_scheme, i->next_modes = i->next.memory + of_scheme;
    i->now.t = l->at.x.t;
    part_gather(&p->q, l->at.x.q, i->now.q), part_gather(&p->u, l->at.x.u, i->now.u);
    part_gather(&p->s, l->at.x.P, i->now.P), part_gather(&p->contact, l->at.x.contact, i->now.contact);
    move_memory(l, p, part_gather, l->at.x.memory, i->now.memory, true);
    put_modes(l, p, i->modes);
    return true;
}

bool island_create(island_step *i, locate *l, part_room *room, const bool *velocity, const bool *coordinate) {
    carom_error error = {0};
    int memory = 0;
    *i = (island_step){.part = part_create(room, velocity, coordinate)};
    i->report.exhausted = !i->part;
    if (!i->part) return false;
    i->scheme = integrator_find(l->scheme.run->integrator);
    const carom_status status = i->scheme->create(&i->part->model, l->scheme.run, &i->self, &memory, &error);
    i->report.exhausted = status == CAROM_MEMORY || (!status && !make_motions(l, i, memory));
    return !status && !i->report.exhausted;
}

void island_destroy(island_step *i) {
    if (i->scheme) i->scheme->destroy(i->self);
    part_destroy(i->part);
    free(i->memory);
    *i = (island_step){0};
}

/* ---------------------------------------------------------------- its step */

bool island_take(island_step *i, locate *l, double end, const step_report *report) {
    i->report = (step_report){.dulled = report->dulled ? i->dulled : NULL};
    i->next.t = end;
    const bool taken = i->scheme->step(i->self, &i->now, &i->next, l->now.dt, l->now.tolerance, &i->report);
    i->log = i->scheme->events(i->self);
    return taken;
}

static void add_report(locate *l, const island_step *i, step_report *report) {
    step_report part = i->report;
    if (part.doubt.count) part.doubt.contact = i->part->contact.at[part.doubt.contact];
    if (report->dulled) part_scatter(&i->part->contact, i->dulled, report->dulled);
    l->now.switched += part.switched;
    part.switched = 0;
    report_add(report, &part, true);
}

void island_join(const island_step *i, locate *l, step_report *report) {
    const model_part *p = i->part;
    part_scatter(&p->q, i->next.q, l->at.x.q), part_scatter(&p->u, i->next.u, l->at.x.u);
    part_scatter(&p->s, i->next.P, l->at.sum), part_scatter(&p->s, i->log->work, l->at.work);
    move_memory(l, p, part_scatter, i->next.memory, l->at.x.memory, false);
    take_modes(l, p, i->next_modes);
    add_report(l, i, report);
}
