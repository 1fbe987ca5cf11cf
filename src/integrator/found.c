#include "integrator/found_inside.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "integrator/balance.h"
#include "integrator/locate.h"
#include "integrator/vectors.h"
#include "model/space.h"
#include "solver/solver.h"

enum { MOST_TRIES = 12 };

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

/* Numbers of its own, vectors in the order of s, and modes, which grow with the contacts, too. */
static void divide_memory(found_scheme *f, int memory) {
    const int rows = f->m->ns - f->base->ns;
    const int modes = f->located ? locate_modes(f->m) : 0, of_base = f->located ? locate_modes(f->base) : 0;
    if (rows > 0) f->vectors = (memory - modes - (f->base_memory - of_base)) / rows;
    f->head = f->base_memory - of_base - f->vectors * f->base->ns;
}

static carom_status make(found_scheme *f, carom_error *error) {
    found_model *model = found_model_create(f->base, f->finder, &f->search.list, &f->search.borders, &f->kinds);
    if (!model) return carom_error_memory(error);
    f->scheme->destroy(f->self);
    found_model_destroy(f->model);
    f->self = NULL;
    f->model = model, f->m = found_model_get(model);
    int memory = 0;
    carom_status status = integrator_check_laws(f->scheme, f->m, error);
    if (!status) status = f->scheme->create(f->m, f->run, &f->self, &memory, error);
    if (status) return status;
    f->located = f->search.located = f->scheme->events && f->scheme->events(f->self);
    if (f->m->ns == f->base->ns && f->m->def.switches == f->base->def.switches) f->base_memory = memory;
    divide_memory(f, memory);
    f->current = true;
    return reserve(f, memory) ? CAROM_OK : carom_error_memory(error);
}

typedef struct part_told {
    const found_scheme *f;
    const double *q;
} part_told;

static void describe(void *context, int k, carom_found *x) {
    const part_told *part = context;
    const holding *h = &part->f->held;
    const double *P = found_held_vector(h, 0) + (size_t)k * FOUND_ROWS;
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

/* ---------------------------------------------------------------- the step */

bool found_no_memory(step_report *report) {
    report->exhausted = true;
    snprintf(report->reason, sizeof report->reason, "out of memory for contacts");
    return false;
}

/* The contacts for a step from now. */
static bool list(found_scheme *f, const motion *now, double dt, step_report *report) {
    bool changed;
    if (!search_contacts(&f->search, now->q, now->u, dt, &changed)) return found_no_memory(report);
    if (!changed) return true;
    f->current = false;
    const double *carried = now->memory + f->base_memory;
    return !f->heap || heap_step_list(f->heap, &f->search.list, carried) || found_no_memory(report);
}

/* The scheme for these contacts. */
static bool renew(found_scheme *f, step_report *report) {
    carom_error error = {0};
    if (f->current) return true;
    const carom_status status = make(f, &error);
    if (status == CAROM_MEMORY) return found_no_memory(report);
    if (status) snprintf(report->reason, sizeof report->reason, "%.300s", error.message);
    return !status;
}

/* The scheme begins with the percussions of a heap's last step, and a heap with those of the scheme. */
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
            x->contact[row] = load->state;
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
            const double *P = found_held_vector(&f->held, v) + (size_t)k * FOUND_ROWS;
            double *to = v == 0 ? load->P : load->half;
            for (int i = 0; i < 3; i++) to[i] = P[0] * place[1][i] + P[1] * place[2][i] + P[2] * place[3][i];
        }
    }
}

/* A step of a heap, up to its positions. False: its step problem is to be solved, or it gives up. */
static bool move_heap(found_scheme *f, const motion *now, motion *next, double dt, double tolerance,
                      step_report *report) {
    const step_report before = *report;
    if (!f->heap || solver_is_watched()) return false;
    memset(next->memory, 0, (size_t)f->base_memory * sizeof *next->memory);
    if (heap_step_move(f->heap, now, next, dt, tolerance, report)) return true;
    *report = before;
    return false;
}

/* A heap for which the run divides the step. */
static bool gives_up(const found_scheme *f, double dt, step_report *report) {
    if (!f->heap || !heap_step_gave_up(f->heap) || !(dt > 0.75 * f->run->dt)) return false;
    snprintf(report->reason, sizeof report->reason, "corrections of its contacts come to no end");
    return true;
}

/* A step by the scheme for the present contacts. */
static bool take_step(found_scheme *f, const motion *now, motion *next, double dt, double tolerance,
                      step_report *report) {
    motion start, end;
    double *dulled = report->dulled;
    const int doubts = report->doubt.count;
    if (f->heap) memset(next->memory, 0, (size_t)f->base_memory * sizeof *next->memory);
    if (!renew(f, report) || !found_begin_step(f, now, &start, report)) return false;
    if (f->heap) lend(f, &start);
    end = found_with(next, f->next);
    found_model_begin(f->model);
    memset(f->dulled, 0, (size_t)f->m->def.contacts * sizeof *f->dulled);
    report->dulled = f->dulled;
    bool done = f->scheme->step(f->self, &start, &end, dt, tolerance, report);
    report->dulled = dulled;
    if (report->doubt.count > 0 && doubts == 0) report->doubt.contact = found_number(f, report->doubt.contact);
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

static bool overlaps(found_scheme *f, const motion *next, step_report *report) {
    int a, b;
    if (!search_overlaps(&f->search, next->q, &a, &b)) return false;
    const finder *of = f->finder;
    snprintf(report->reason, sizeof report->reason, "'%s' and '%s' overlap at t = %.9g, with a contact that was missed",
             of->body[of->solid[a].body].name, of->body[of->solid[b].body].name, next->t);
    return true;
}

/* A captured step may go over a kink of the gap of a rim that touches (CF41). */
static bool swings(const found_scheme *f, const motion *start, const motion *end, step_report *report) {
    const int base = f->base->def.contacts, N = f->m->N + base;
    for (int k = 0; k < f->search.list.count && report->captured; k++) {
        const bool acts = end->P[N + k] != 0 || found_model_touches(f->model, k, start->q) ||
                          found_model_touches(f->model, k, end->q);
        if (!acts || !found_model_swings(f->model, k, start->q, end->q, end->u, end->t - start->t)) continue;
        snprintf(report->reason, sizeof report->reason,
                 "the lowest point of the rim that touches in '%s' runs to its other side",
                 f->m->def.contact[base + k].name);
        report->hint = "; take a smaller dt";
        return true;
    }
    return false;
}

static bool accept(found_scheme *f, const motion *now, motion *next, step_report *report) {
    const motion start = found_with(now, f->now), end = found_with(next, f->next);
    search_accept(&f->search);
    if (f->located ? overlaps(f, next, report) || swings(f, &start, &end, report) : passes(f, now, next, report))
        return false;
    if (f->heaped) {
        f->work = heap_step_worked(f->heap);
        f->held_at = NAN, f->untold = next->t;
        heap_step_accept(f->heap);
        heap_step_save(f->heap, next->memory + f->base_memory);
        return true;
    }
    if (!found_account(f, &start, &end)) return explain_undefined(report, "end");
    if (f->located && !found_tell_events(f)) return event_log_no_room(report);
    found_finish_step(f, &end, next);
    if (!found_hold(f, &end) || !tell(f, &end)) return found_no_memory(report);
    if (!f->heap) return true;
    take_back(f, &end);
    heap_step_save(f->heap, next->memory + f->base_memory);
    return true;
}

/* A located step knows everything that it has been through, (CF18). If there are no contacts to look for, the speeds at
 * both ends decide; the first one has been allowed for. */
static search_verdict check(found_scheme *f, const motion *now, const motion *next, double dt) {
    const carom_range *seen = f->located && !f->heaped ? found_model_seen(f->model) : NULL;
    if (seen && !search_stays(&f->search, seen)) return SEARCH_UNSEEN;
    if (f->located && !seen && !search_lasts(&f->search, now->q, next->u, dt)) return SEARCH_UNSEEN;
    return search_check(&f->search, next->q);
}

/* Positions where all contacts were seen, with velocities too if the step is not that of a heap. alone: a heap's step
 * problem is solved. */
static bool find_step(found_scheme *f, const motion *now, motion *next, double dt, double tolerance, bool alone,
                      step_report *report) {
    const step_report before = *report;
    for (int i = 0; i < MOST_TRIES; i++) {
        *report = before;
        if (!list(f, now, dt, report)) return false;
        f->heaped = !alone && move_heap(f, now, next, dt, tolerance, report);
        if (!f->heaped && (gives_up(f, dt, report) || !take_step(f, now, next, dt, tolerance, report))) return false;
        const search_verdict verdict = check(f, now, next, dt);
        if (verdict == SEARCH_MEMORY) return found_no_memory(report);
        const bool gains = verdict == SEARCH_UNSEEN && search_gains(&f->search);
        if (verdict == SEARCH_SEEN || (!gains && search_is_shallow(&f->search))) return true;
        if (!gains) break;
        if (f->heaped) heap_step_again(f->heap);
    }
    snprintf(report->reason, sizeof report->reason, "the contacts that are found go on changing");
    return false;
}

static bool step(void *self, const motion *now, motion *next, double dt, double tolerance, step_report *report) {
    found_scheme *f = self;
    const step_report before = *report;
    if (!tell_heap(f)) return found_no_memory(report); /* of an earlier part of the same step */
    bool done = find_step(f, now, next, dt, tolerance, false, report);
    if (done && f->heaped && !heap_step_finish(f->heap, now, next, dt, tolerance, report)) {
        *report = before;
        done = find_step(f, now, next, dt, tolerance, true, report);
    }
    if (!done) return search_accept(&f->search), false;
    return accept(f, now, next, report);
}

static bool start(void *self, motion *first, step_report *report) {
    found_scheme *f = self;
    motion fresh;
    search_accept(&f->search);
    if (f->heap) memset(first->memory + f->base_memory, 0, (size_t)heap_step_memory(f->heap) * sizeof *first->memory);
    if (!list(f, first, f->run->dt, report)) return false;
    found_begin(f);
    if (f->heap) {
        heap_step_start(f->heap, first, f->run->tolerance, f->run->dt);
        memset(first->memory, 0, (size_t)f->base_memory * sizeof *first->memory);
        heap_step_save(f->heap, first->memory + f->base_memory);
        f->untold = first->t;
        return true;
    }
    if (!renew(f, report) || !found_start_afresh(f, first, &fresh, report)) return false;
    found_finish_step(f, &fresh, first);
    return (found_hold(f, &fresh) && tell(f, &fresh)) || found_no_memory(report);
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
    borders_destroy(&f->held.borders), free(f->held.side);
    heap_step_destroy(f->heap);
    event_log_destroy(&f->log);
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
    return f->located ? found_check_located(f, error) : CAROM_OK;
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
    if (!status && !f->located && !heap_step_create(&f->heap, model, f->finder, run))
        status = carom_error_memory(error);
    f->search.noise = heap_step_noise(f->heap);
    *memory = f->base_memory + heap_step_memory(f->heap);
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

static int momentum(void *self, const motion *now, double *p) {
    found_scheme *f = self;
    return f->scheme->momentum(f->self, now, p);
}

static const event_log *events(void *self) {
    const found_scheme *f = self;
    return f->located ? &f->log : NULL;
}

static bool certifies(void *self) {
    const found_scheme *f = self;
    return f->scheme->certifies(f->self);
}

static const int *sides(void *self) {
    const found_scheme *f = self;
    return f->base->def.switches ? f->scheme->sides(f->self) : NULL;
}

/* Nothing else of the scheme is passed on, since its other functions do not know found contacts. */
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
                        .limit = scheme->limit ? limit : NULL,
                        .momentum = scheme->momentum ? momentum : NULL,
                        .events = scheme->events ? events : NULL,
                        .certifies = scheme->certifies ? certifies : NULL,
                        .sides = scheme->sides ? sides : NULL};
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
