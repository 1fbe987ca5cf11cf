#include "integrator/found.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "integrator/balance.h"
#include "integrator/found_told.h"
#include "integrator/heap_step.h"
#include "integrator/vectors.h"
#include "model/space.h"
#include "solver/solver.h"

enum { MOST_TRIES = 12 };

/* What belongs to the contacts of a list. */
typedef struct holding {
    contact_list list;
    int room, vectors; /* contacts and vectors that there is room for */
    double *vector;    /* [vectors][count][FOUND_ROWS]: percussions, then those of the scheme's memory */
    double *state;     /* [count] */
} holding;

typedef struct found_scheme {
    const integrator *scheme;
    const carom_model *base;
    const finder *finder; /* that of the base, or its own ... */
    finder *with;         /* ... with the present values of parameters */
    const carom_run_def *run;
    search search;
    kind_table kinds;
    found_model *model;
    const carom_model *m;                /* it */
    void *self;                          /* the scheme on it */
    int base_memory;                     /* of the scheme without found contacts */
    int head, vectors;                   /* its memory: so many numbers, then so many vectors in the order of s */
    holding held;                        /* after the last step ... */
    double held_at;                      /* ... at this time; NaN: nothing is held */
    double *now[3], *next[3], *fresh[3]; /* P, contact and memory of a motion */
    double *dulled, *s[2], *rows;        /* rows: [contacts][FOUND_ROWS] */
    double *room;                        /* all of these */
    told_list told;
    found_work work;
    bool current;    /* the scheme is made for the present contacts */
    heap_step *heap; /* takes steps of heaps without the scheme; NULL: the model is none */
    bool heaped;     /* it took the last one ... */
    double untold;   /* ... which ended at this time, and is not told yet; NaN: it is */
} found_scheme;

/* ---------------------------------------------------------------- the scheme for the present contacts */

static bool reserve(found_scheme *f, int memory) {
    const carom_model *m = f->m;
    const int contacts = m->def.contacts;
    const vector_part parts[] = {
        {&f->now[0], m->ns},
        {&f->now[1], contacts},
        {&f->now[2], memory},
        {&f->next[0], m->ns},
        {&f->next[1], contacts},
        {&f->next[2], memory},
        {&f->fresh[0], m->ns},
        {&f->fresh[1], contacts},
        {&f->fresh[2], memory},
        {&f->dulled, contacts},
        {&f->s[0], m->ns},
        {&f->s[1], m->ns},
        {&f->rows, FOUND_ROWS * contacts},
    };
    free(f->room);
    return (f->room = vectors_create(parts, sizeof parts / sizeof *parts)) != NULL;
}

/* The memory of a scheme begins with numbers of its own; what follows grows with the rows of s. */
static void divide_memory(found_scheme *f, int memory) {
    const int rows = f->m->ns - f->base->ns;
    if (rows > 0) f->vectors = (memory - f->base_memory) / rows;
    f->head = f->base_memory - f->vectors * f->base->ns;
}

static carom_status make(found_scheme *f, carom_error *error) {
    found_model *model = found_model_create(f->base, f->finder, &f->search.list, &f->kinds);
    if (!model) return carom_error_memory(error);
    f->scheme->destroy(f->self);
    found_model_destroy(f->model);
    f->self = NULL;
    f->model = model, f->m = found_model_get(model);
    int memory = 0;
    carom_status status = integrator_check_laws(f->scheme, f->m, error);
    if (!status) status = f->scheme->create(f->m, f->run, &f->self, &memory, error);
    if (status) return status;
    if (f->m->ns == f->base->ns) f->base_memory = memory;
    divide_memory(f, memory);
    f->current = true;
    return reserve(f, memory) ? CAROM_OK : carom_error_memory(error);
}

/* ---------------------------------------------------------------- rows of s */

/* A vector in the order of s from that of the base and the found contacts' rows, and back. */
static void join_rows(const found_scheme *f, const double *base, const double *found, double *all) {
    const carom_model *b = f->base, *m = f->m;
    memcpy(all, base, (size_t)b->F * sizeof *all);
    memcpy(all + m->F, base + b->F, (size_t)b->slips * sizeof *all);
    for (int k = b->def.contacts; k < m->def.contacts; k++, found += FOUND_ROWS) {
        all[m->N + k] = found[0];
        for (int i = m->slip[k]; i < m->slip[k + 1]; i++) all[m->F + i] = found[1 + i - m->slip[k]];
    }
}

static void part_rows(const found_scheme *f, const double *all, double *base, double *found) {
    const carom_model *b = f->base, *m = f->m;
    if (base) {
        memcpy(base, all, (size_t)b->F * sizeof *all);
        memcpy(base + b->F, all + m->F, (size_t)b->slips * sizeof *all);
    }
    for (int k = b->def.contacts; k < m->def.contacts; k++, found += FOUND_ROWS) {
        found[0] = all[m->N + k];
        for (int i = 0; i < FOUND_ROWS - 1; i++)
            found[1 + i] = i < m->def.contact[k].slips ? all[m->F + m->slip[k] + i] : 0;
    }
}

/* ---------------------------------------------------------------- what contacts hold */

static bool holding_reserve(holding *h, int count, int vectors) {
    if (count <= h->room && vectors <= h->vectors && h->vector) return true;
    const int room = count > h->room ? count + count / 2 + 16 : h->room;
    double *vector = realloc(h->vector, (size_t)room * FOUND_ROWS * (size_t)(1 + vectors) * sizeof *vector);
    if (vector) h->vector = vector;
    double *state = vector ? realloc(h->state, (size_t)room * sizeof *state) : NULL;
    if (state) h->state = state;
    found_contact *list = state ? realloc(h->list.at, (size_t)room * sizeof *list) : NULL;
    if (list) h->list.at = list, h->room = room, h->vectors = vectors;
    return list != NULL;
}

static double *held_vector(const holding *h, int v) {
    return h->vector + (size_t)v * (size_t)h->list.count * FOUND_ROWS;
}

/* After a step: what the next one begins with. */
static bool hold(found_scheme *f, const motion *end) {
    const int count = f->search.list.count, base = f->base->def.contacts;
    holding *h = &f->held;
    if (!holding_reserve(h, count, f->vectors)) return false;
    h->list.count = count;
    if (count) memcpy(h->list.at, f->search.list.at, (size_t)count * sizeof *h->list.at);
    part_rows(f, end->P, NULL, held_vector(h, 0));
    for (int v = 0; v < f->vectors; v++)
        part_rows(f, end->memory + f->head + v * f->m->ns, NULL, held_vector(h, 1 + v));
    for (int k = 0; k < count; k++) h->state[k] = end->contact[base + k];
    f->held_at = end->t;
    return true;
}

/* Contacts that touch and do not part, up to what the tolerance leaves of gaps and velocities. */
static int states_at(found_scheme *f, const motion *x, double *state) {
    const carom_model *m = f->m;
    const carom_model_def *d = &m->def;
    const double zero = fmax(1e-10, 100 * f->run->tolerance), touching = fmax(1e-10, zero * f->run->dt);
    double *s = f->s[0];
    if (m->ns && d->velocity(d->context, x->t, x->q, x->u, s, NULL, NULL)) return 1;
    for (int k = f->base->def.contacts; k < d->contacts; k++) {
        const double gap = found_model_gap(f->model, k - f->base->def.contacts, x->q);
        bool slips = d->contact[k].slips == 0;
        for (int i = m->slip[k]; i < m->slip[k + 1]; i++) slips = slips || fabs(s[m->F + i]) > zero;
        state[k] = !(gap <= touching && s[m->N + k] <= zero) ? CAROM_OPEN : slips ? CAROM_SLIP : CAROM_STICK;
    }
    return 0;
}

static motion with(const motion *x, double *own[3]) {
    return (motion){.t = x->t, .q = x->q, .u = x->u, .P = own[0], .contact = own[1], .memory = own[2]};
}

/* What the scheme would start with at this state. */
static bool start_afresh(found_scheme *f, const motion *now, motion *fresh, step_report *report) {
    *fresh = with(now, f->fresh);
    memset(fresh->P, 0, (size_t)f->m->ns * sizeof *fresh->P);
    memcpy(fresh->contact, now->contact, (size_t)f->base->def.contacts * sizeof *fresh->contact);
    if (states_at(f, fresh, fresh->contact)) return explain_undefined(report, "start");
    return f->scheme->start(f->self, fresh, report);
}

/* Does every contact of the list hold something? */
static bool is_held(const found_scheme *f, const motion *now) {
    const contact_list *list = &f->search.list, *held = &f->held.list;
    if (f->held_at != now->t) return list->count == 0;
    int j = 0;
    for (int k = 0; k < list->count; k++) {
        while (j < held->count && contact_order(&held->at[j], &list->at[k]) < 0) j++;
        if (j == held->count || !contact_continues(&held->at[j], &list->at[k])) return false;
    }
    return true;
}

static void put_held(const found_scheme *f, motion *x) {
    const contact_list *list = &f->search.list, *held = &f->held.list;
    const carom_model *m = f->m;
    const int base = f->base->def.contacts;
    for (int k = 0, j = 0; k < list->count; k++) {
        while (j < held->count && contact_order(&held->at[j], &list->at[k]) < 0) j++;
        if (j == held->count || !contact_continues(&held->at[j], &list->at[k])) continue;
        x->contact[base + k] = f->held.state[j];
        for (int v = 0; v <= f->vectors; v++) {
            double *all = v == 0 ? x->P : x->memory + f->head + (v - 1) * m->ns;
            const double *from = held_vector(&f->held, v) + (size_t)j * FOUND_ROWS;
            all[m->N + base + k] = from[0];
            for (int i = m->slip[base + k]; i < m->slip[base + k + 1]; i++)
                all[m->F + i] = from[1 + i - m->slip[base + k]];
        }
    }
}

/* A motion of the base with rows for the found contacts: what they hold, else what the scheme starts with. */
static bool begin(found_scheme *f, const motion *now, motion *x, step_report *report) {
    const carom_model *b = f->base, *m = f->m;
    motion fresh = with(now, f->fresh);
    *x = with(now, f->now);
    if (!is_held(f, now) && !start_afresh(f, now, &fresh, report)) return false;
    memcpy(x->contact, fresh.contact, (size_t)m->def.contacts * sizeof *x->contact);
    memcpy(x->contact, now->contact, (size_t)b->def.contacts * sizeof *x->contact);
    double *found = f->rows;
    part_rows(f, fresh.P, NULL, found);
    join_rows(f, now->P, found, x->P);
    memcpy(x->memory, now->memory, (size_t)f->head * sizeof *x->memory);
    for (int v = 0; v < f->vectors; v++) {
        part_rows(f, fresh.memory + f->head + v * m->ns, NULL, found);
        join_rows(f, now->memory + f->head + v * b->ns, found, x->memory + f->head + v * m->ns);
    }
    if (f->held_at == now->t) put_held(f, x);
    return true;
}

/* The base's part of a motion. */
static void finish(const found_scheme *f, const motion *x, motion *next) {
    const carom_model *b = f->base, *m = f->m;
    double *found = f->rows;
    part_rows(f, x->P, next->P, found);
    memcpy(next->contact, x->contact, (size_t)b->def.contacts * sizeof *next->contact);
    memcpy(next->memory, x->memory, (size_t)f->head * sizeof *next->memory);
    for (int v = 0; v < f->vectors; v++)
        part_rows(f, x->memory + f->head + v * m->ns, next->memory + f->head + v * b->ns, found);
}

typedef struct part_told {
    const found_scheme *f;
    const double *q;
} part_told;

static void describe(void *context, int k, carom_found *x) {
    const part_told *part = context;
    const holding *h = &part->f->held;
    const double *P = held_vector(h, 0) + (size_t)k * FOUND_ROWS;
    double place[4][3];
    found_model_place(part->f->model, k, part->q, place);
    x->state = (carom_contact_state)h->state[k];
    x->gap = found_model_gap(part->f->model, k, part->q);
    memcpy(x->point, place[0], sizeof x->point);
    memcpy(x->normal, place[1], sizeof x->normal);
    x->PN += P[0];
    for (int i = 0; i < 3; i++) x->P[i] += P[0] * place[1][i] + P[1] * place[2][i] + P[2] * place[3][i];
}

static bool tell(found_scheme *f, const motion *end) {
    return told_add(&f->told, f->finder, &f->held.list, end->t, describe, &(part_told){f, end->q});
}

/* A step of a heap, told when somebody asks. */
static void describe_heap(void *context, int k, carom_found *x) {
    heap_step_tell(context, k, x);
}

static bool tell_heap(found_scheme *f) {
    const double time = f->untold;
    f->untold = NAN;
    return isnan(time) || told_add(&f->told, f->finder, &f->search.list, time, describe_heap, f->heap);
}

/* ---------------------------------------------------------------- work */

/* 1/2 P (s_0 + s_1), (W6); schemes that kick have both sides where the step ends, (W9a). */
static bool account(found_scheme *f, const motion *start, const motion *end) {
    const carom_model *m = f->m;
    const carom_model_def *d = &m->def;
    const bool kicks = f->scheme->kicks;
    const double *s[] = {f->s[0], f->s[1]};
    f->work = (found_work){0};
    if (f->scheme->rates > 0) {
        const int at = f->head + (f->scheme->rates - 1) * m->ns;
        s[0] = start->memory + at, s[1] = end->memory + at;
    } else if (d->velocity(d->context, end->t, end->q, end->u, f->s[1], NULL, NULL) ||
               d->velocity(d->context, kicks ? end->t : start->t, kicks ? end->q : start->q, start->u, f->s[0], NULL,
                           NULL))
        return false;
    for (int k = f->base->def.contacts; k < d->contacts; k++) {
        const int N = m->N + k;
        const double normal = end->P[N] * (s[0][N] + s[1][N]) / 2;
        f->work.normal += normal;
        if (start->contact[k] != CAROM_OPEN && end->contact[k] != CAROM_OPEN) f->work.held += normal;
        for (int i = m->F + m->slip[k]; i < m->F + m->slip[k + 1]; i++)
            f->work.friction += end->P[i] * (s[0][i] + s[1][i]) / 2;
    }
    return true;
}

/* ---------------------------------------------------------------- the step */

static bool no_memory(step_report *report) {
    report->exhausted = true;
    snprintf(report->reason, sizeof report->reason, "out of memory for contacts");
    return false;
}

/* The contacts for a step from now. */
static bool list(found_scheme *f, const motion *now, double dt, step_report *report) {
    bool changed;
    if (!search_contacts(&f->search, now->q, now->u, dt, &changed)) return no_memory(report);
    if (!changed) return true;
    f->current = false;
    return !f->heap || heap_step_list(f->heap, &f->search.list) || no_memory(report);
}

/* The scheme for these contacts. */
static bool renew(found_scheme *f, step_report *report) {
    carom_error error = {0};
    if (f->current) return true;
    const carom_status status = make(f, &error);
    if (status == CAROM_MEMORY) return no_memory(report);
    if (status) snprintf(report->reason, sizeof report->reason, "%.300s", error.message);
    return !status;
}

/* Percussions of a heap's last step are those that the scheme begins with, and the other way round. */
static void lend(const found_scheme *f, motion *x) {
    const carom_model *m = f->m;
    for (int k = 0; k < f->search.list.count; k++) {
        const heap_load *load = heap_step_load(f->heap, k);
        double place[4][3];
        found_model_place(f->model, k, x->q, place);
        for (int v = 0; v < 2 && v <= f->vectors; v++) {
            double *all = v == 0 ? x->P : x->memory + f->head;
            const double *P = v == 0 ? load->P : load->half;
            const int row = f->base->def.contacts + k;
            all[m->N + row] = space_dot(place[1], P);
            for (int i = m->slip[row]; i < m->slip[row + 1]; i++)
                all[m->F + i] = space_dot(place[2 + i - m->slip[row]], P);
        }
    }
}

static void take_back(const found_scheme *f, const motion *end) {
    for (int k = 0; k < f->search.list.count; k++) {
        heap_load *load = heap_step_load(f->heap, k);
        double place[4][3];
        found_model_place(f->model, k, end->q, place);
        load->state = (carom_contact_state)f->held.state[k];
        for (int v = 0; v < 2 && v <= f->vectors; v++) {
            const double *P = held_vector(&f->held, v) + (size_t)k * FOUND_ROWS;
            double *to = v == 0 ? load->P : load->half;
            for (int i = 0; i < 3; i++) to[i] = P[0] * place[1][i] + P[1] * place[2][i] + P[2] * place[3][i];
        }
    }
}

static bool try_step(found_scheme *f, const motion *now, motion *next, double dt, double tolerance,
                     step_report *report) {
    motion start, end = with(next, f->next);
    double *dulled = report->dulled;
    const step_report before = *report;
    if (!list(f, now, dt, report)) return false;
    f->heaped = f->heap && !solver_is_watched() && heap_step_take(f->heap, now, next, dt, tolerance, report);
    if (f->heaped) return true;
    *report = before;
    if (!renew(f, report) || !begin(f, now, &start, report)) return false;
    if (f->heap) lend(f, &start);
    end = with(next, f->next);
    memset(f->dulled, 0, (size_t)f->m->def.contacts * sizeof *f->dulled);
    report->dulled = f->dulled;
    bool done = f->scheme->step(f->self, &start, &end, dt, tolerance, report);
    report->dulled = dulled;
    if (dulled) memcpy(dulled, f->dulled, (size_t)f->base->def.contacts * sizeof *dulled);
    return done;
}

static bool passes(found_scheme *f, const motion *now, const motion *next, step_report *report) {
    int a, b;
    if (!search_passes(&f->search, now->q, next->q, &a, &b)) return false;
    const finder *of = f->finder;
    snprintf(report->reason, sizeof report->reason, "'%s' and '%s' pass each other within the step",
             of->body[of->solid[a].body].name, of->body[of->solid[b].body].name);
    report->hint = "; take a smaller dt";
    return true;
}

static bool accept(found_scheme *f, const motion *now, motion *next, step_report *report) {
    const motion start = with(now, f->now), end = with(next, f->next);
    search_accept(&f->search);
    if (passes(f, now, next, report)) return false;
    if (f->heaped) {
        f->work = heap_step_worked(f->heap);
        f->held_at = NAN, f->untold = next->t;
        return true;
    }
    if (!account(f, &start, &end)) return explain_undefined(report, "end");
    finish(f, &end, next);
    if (!hold(f, &end) || !tell(f, &end)) return no_memory(report);
    if (f->heap) take_back(f, &end);
    return true;
}

static bool step(void *self, const motion *now, motion *next, double dt, double tolerance, step_report *report) {
    found_scheme *f = self;
    const step_report before = *report;
    if (!tell_heap(f)) return no_memory(report); /* of an earlier part of the same step */
    for (int i = 0; i < MOST_TRIES; i++) {
        *report = before;
        if (!try_step(f, now, next, dt, tolerance, report)) return search_accept(&f->search), false;
        const search_verdict verdict = search_check(&f->search, next->q);
        if (verdict == SEARCH_MEMORY) return no_memory(report);
        if (verdict == SEARCH_SEEN) return accept(f, now, next, report);
    }
    search_accept(&f->search);
    snprintf(report->reason, sizeof report->reason, "the contacts that are found go on changing");
    return false;
}

static bool start(void *self, motion *first, step_report *report) {
    found_scheme *f = self;
    motion fresh;
    search_accept(&f->search);
    if (!list(f, first, f->run->dt, report)) return false;
    found_begin(f);
    if (f->heap) {
        heap_step_start(f->heap, first, f->run->tolerance, f->run->dt);
        if (f->base_memory) first->memory[0] = 0;
        f->untold = first->t;
        return true;
    }
    if (!renew(f, report) || !start_afresh(f, first, &fresh, report)) return false;
    finish(f, &fresh, first);
    return (hold(f, &fresh) && tell(f, &fresh)) || no_memory(report);
}

static void forget(void *self) {
    found_scheme *f = self;
    search_forget(&f->search);
    f->held_at = NAN, f->current = false;
    if (f->heap) heap_step_forget(f->heap);
    f->scheme->forget(f->self);
}

/* ---------------------------------------------------------------- setup */

static void destroy(void *self) {
    found_scheme *f = self;
    if (!f) return;
    f->scheme->destroy(f->self);
    found_model_destroy(f->model);
    kind_table_destroy(&f->kinds);
    search_destroy(&f->search);
    finder_destroy(f->with);
    free(f->held.list.at), free(f->held.vector), free(f->held.state);
    heap_step_destroy(f->heap);
    free(f->told.at);
    free(f->room);
    free(f);
}

static carom_status refuse(const found_scheme *f, carom_error *error) {
    if (!f->scheme->finds)
        return carom_error_set(
            error, CAROM_DATA,
            "%s does not take contacts that are found ('among'); moreau, rattle and lobatto do, among others",
            f->scheme->info.name);
    if (f->self && f->scheme->events && f->scheme->events(f->self))
        return carom_error_set(
            error, CAROM_DATA,
            "%s captures contacts that are found ('among') at the ends of steps: events: locate does "
            "not see them",
            f->scheme->info.name);
    return CAROM_OK;
}

static carom_status create(const carom_model *model, const carom_run_def *run, void **self, int *memory,
                           carom_error *error) {
    found_scheme *f = *self = calloc(1, sizeof *f);
    if (!f) return carom_error_memory(error);
    f->scheme = integrator_find(run->integrator);
    f->base = model, f->run = run, f->held_at = f->told.time = f->untold = NAN;
    f->kinds.turns = f->scheme->turns;
    carom_status status = refuse(f, error);
    f->finder = model->finder;
    if (!status && model->found_numbers)
        f->finder = f->with = finder_with(model->finder, model->found_numbers(model->def.context));
    if (!status && (!f->finder || !search_create(&f->search, f->finder, model->def.nq)))
        status = carom_error_memory(error);
    if (!status) status = make(f, error);
    if (!status) status = refuse(f, error);
    if (!status && !heap_step_create(&f->heap, model, f->finder, run)) status = carom_error_memory(error);
    *memory = f->base_memory;
    return status;
}

static stability_limit limit(const void *self) {
    const found_scheme *f = self;
    return f->scheme->limit(f->self);
}

static problem *stage(void *self, int k, const double **z) {
    found_scheme *f = self;
    return f->scheme->stage(f->self, k, z);
}

/* Nothing else of the scheme is passed on: what it offers beside steps does not know of the contacts. */
integrator found_integrator(const integrator *scheme) {
    return (integrator){.info = scheme->info,
                        .stages = scheme->stages,
                        .whole = scheme->whole,
                        .kicks = scheme->kicks,
                        .any_laws = scheme->any_laws,
                        .within = scheme->within,
                        .create = create,
                        .destroy = destroy,
                        .start = start,
                        .step = step,
                        .forget = forget,
                        .stage = scheme->stage ? stage : NULL,
                        .limit = scheme->limit ? limit : NULL};
}

/* ---------------------------------------------------------------- looking */

found_work found_worked(void *self) {
    return ((found_scheme *)self)->work;
}

void found_begin(void *self) {
    found_scheme *f = self;
    f->told.count = 0, f->untold = NAN;
}

int found_count(void *self, double t) {
    found_scheme *f = self;
    return tell_heap(f) && f->told.time == t ? f->told.count : 0;
}

carom_found found_look(void *self, int k) {
    return ((found_scheme *)self)->told.at[k].now;
}
