/* Stepping: a step is taken whole; if its problem has no solution that meets the tolerance, in 2, 4, ... parts; if that
 * fails too, the run ends with a reason and the state of the last accepted step. */
#include "run/sim.h"

#include "hash.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "integrator/balance.h"

enum { MOST_CUTS = 200, HALVINGS = 7 };

carom_run_def carom_run_default(void) {
    return (carom_run_def){.integrator = "rattle", .dt = 1e-3, .until = 1, .tolerance = 1e-10};
}

/* ---------------------------------------------------------------- the state */

motion sim_motion(const carom_sim *sim, double *state) {
    const carom_model *m = sim->model;
    motion x = {.t = state[STATE_TIME]};
    x.q = state + STATE_NEWTON + 3 * sim->integrator->stages;
    x.u = x.q + m->def.nq;
    x.P = x.u + m->def.nu;
    x.contact = x.P + m->ns;
    x.memory = x.contact + m->def.contacts;
    return x;
}

static size_t motion_size(const carom_sim *sim, int memory) {
    const carom_model *m = sim->model;
    return (size_t)(STATE_NEWTON + 3 * sim->integrator->stages + m->def.nq + m->def.nu + m->ns + m->def.contacts +
                    memory);
}

/* ---------------------------------------------------------------- creating */

static carom_status check_options(const integrator *type, const carom_run_def *run, carom_error *error) {
    const char *known[32];
    for (int k = 0; k < type->info.option_count; k++) known[k] = type->info.options[k].name;
    for (int i = 0; i < run->option_count; i++) {
        const char *name = run->options[i].name;
        bool found = false;
        for (int k = 0; k < type->info.option_count && !found; k++) found = !strcmp(name, known[k]);
        if (found) continue;
        const char *near = carom_nearest(name, known, type->info.option_count);
        return carom_error_set(error, CAROM_DATA, "integrator '%s' has no option '%s'%s%s%s", type->info.name, name,
                               near ? ", did you mean '" : "", near ? near : "", near ? "'?" : "");
    }
    return CAROM_OK;
}

static carom_status check_run(const carom_model *model, const carom_run_def *run, carom_error *error) {
    const char *names[64];
    for (int i = 0; i < carom_integrators(); i++) names[i] = carom_integrator(i)->name;
    const integrator *type = run->integrator ? integrator_find(run->integrator) : NULL;
    if (!type) {
        const char *near = run->integrator ? carom_nearest(run->integrator, names, carom_integrators()) : NULL;
        return carom_error_set(error, CAROM_DATA, "there is no integrator '%s'%s%s%s",
                               run->integrator ? run->integrator : "", near ? ", did you mean '" : "", near ? near : "",
                               near ? "'?" : "");
    }
    if (!(run->dt > 0) || isinf(run->dt)) return carom_error_set(error, CAROM_DATA, "dt must be positive");
    if (!(run->tolerance > 0) || isinf(run->tolerance))
        return carom_error_set(error, CAROM_DATA, "tolerance must be positive");
    if (!(run->until > model->def.t0) || isinf(run->until))
        return carom_error_set(error, CAROM_DATA, "until must lie after the start time %g", model->def.t0);
    if ((run->until - model->def.t0) / run->dt > RUN_MOST_STEPS)
        return carom_error_set(error, CAROM_DATA, "dt = %g is too small for a run until %g", run->dt, run->until);
    if (model->def.symmetries && !type->momentum && !model_has_momentum(model))
        return carom_error_set(error, CAROM_DATA,
                               "the model lacks the function momentum, without which the momentum maps of symmetries "
                               "are unknown where M depends on q");
    return check_options(type, run, error);
}

/* Contacts that touch and do not part; what counts as zero is what typing ten digits leaves. */
static int initial_contacts(carom_sim *sim, motion *first) {
    const carom_model *m = sim->model;
    const carom_model_def *d = &m->def;
    const double zero = 1e-10;
    if (!d->contacts) return 0;
    if (d->position(d->context, first->t, first->q, sim->c, NULL)) return 1;
    const double *s = ledger_in(sim, sim->now).s;
    for (int k = 0; k < d->contacts; k++) {
        bool closed = sim->c[d->ng + k] <= zero && s[m->N + k] <= zero, slips = d->contact[k].slips == 0;
        for (int i = m->slip[k]; i < m->slip[k + 1]; i++) slips = slips || fabs(s[m->F + i]) > zero;
        first->contact[k] = !closed ? CAROM_OPEN : slips ? CAROM_SLIP : CAROM_STICK;
    }
    return 0;
}

void sim_reset(carom_sim *sim) {
    const carom_model_def *d = &sim->model->def;
    memset(sim->now, 0, sim->input * sizeof *sim->now);
    sim->now[STATE_TIME] = sim->now[STATE_ORIGIN] = d->t0;
    const motion first = sim_motion(sim, sim->now);
    memcpy(first.q, d->q0, (size_t)d->nq * sizeof *first.q);
    memcpy(first.u, d->u0, (size_t)d->nu * sizeof *first.u);
    if (d->power && d->power(d->context, d->t0, d->q0, d->u0, NULL, &sim->G)) sim->G = NAN;
    sim->total = sim_total(sim);
    event_log_clear(&sim->log);
}

carom_status sim_begin(carom_sim *sim, bool contacts, carom_error *error) {
    motion first = sim_motion(sim, sim->now);
    support_start(sim, &first);
    step_report report = {0};
    bool defined = mass_holds(sim, first.t, first.q, &report) && work_start(sim, &first) &&
                   (!contacts || !initial_contacts(sim, &first));
    if (defined && sim->integrator->start(sim->self, &first, &report)) return CAROM_OK;
    if (report.exhausted) return carom_error_memory(error);
    if (report.reason[0]) return carom_error_set(error, CAROM_DATA, "the run cannot start: %s", report.reason);
    return carom_error_set(error, CAROM_DATA, "the model is not defined at the initial state");
}

/* t >= until, up to round-off */
long sim_total(const carom_sim *sim) {
    double steps = (sim->run.until - sim->now[STATE_ORIGIN]) / sim->dt;
    long more = steps > 0 ? (long)ceil(steps * (1 - 4 * DBL_EPSILON) - 1e-9) : 0;
    return (long)sim->now[STATE_FIRST] + (more > 0 ? more : sim->now[STATE_FIRST] == 0);
}

/* Growth beyond the limit is certain only as long as the forces stay as stiff as they are at the start. So it is told,
 * and whether to go on is left to the integrator. */
static carom_status look_for_limit(carom_sim *sim, carom_error *error) {
    const integrator *type = sim->integrator;
    if (!type->limit) return CAROM_OK;
    stability *found = &sim->stability;
    const bool divides = carom_sim_locates(sim) || sim->continuous;
    carom_status status = stability_measure(sim->model, type->limit(sim->self), sim->dt, divides, found, error);
    if (!status) stability_tell(found, sim->model, type->info.name, sim->dt, sim->note, sizeof sim->note);
    return !status && found->number > 1 && type->within ? carom_error_set(error, CAROM_DATA, "%s", sim->note) : status;
}

static carom_status check_detection(const carom_sim *sim, carom_error *error) {
    const char *name = sim->integrator->info.name;
    if (!sim->continuous) return CAROM_OK;
    if (carom_sim_locates(sim))
        return carom_error_set(error, CAROM_DATA,
                               "continuous detection is for steps that capture events; %s locates them", name);
    if (sim->integrator->whole)
        return carom_error_set(error, CAROM_DATA, "steps of %s cannot be divided, as continuous detection does", name);
    return CAROM_OK;
}

/* Contacts that the initial velocities, kept up, would pass within a step, (Z4). */
static void look_for_walls(carom_sim *sim) {
    const carom_model *m = sim->model;
    const size_t used = strlen(sim->note);
    const double time = fmin((double)sim->total, 1e4) * sim->dt;
    motion now = sim_motion(sim, sim->now), ahead = sim_motion(sim, sim->next);
    passage p;
    if (!m->def.contacts || sim->continuous || carom_sim_locates(sim) || model_q_dot(m, now.t, now.q, now.u, ahead.q))
        return;
    for (int i = 0; i < m->def.nq; i++) ahead.q[i] = now.q[i] + time * ahead.q[i];
    for (int k = 0; k < m->def.contacts; k++) {
        if (!passage_find(&sim->passages, (straight){.t = now.t, .h = time, .from = now.q, .to = ahead.q}, k, k + 1,
                          &p))
            continue;
        if ((p.out - p.in) * time < sim->dt) {
            snprintf(sim->note + used, sizeof sim->note - used,
                     "%sat its initial speed what strikes '%s' passes it in %.2g of a step, and may go unseen; take a "
                     "smaller dt, %s",
                     used ? "; " : "", m->def.contact[p.contact].name, (p.out - p.in) * time / sim->dt,
                     sim->integrator->whole ? "or events: locate with rattle or lobatto" : "or detection: continuous");
            return;
        }
    }
}

carom_status sim_make_integrator(carom_sim *sim, carom_error *error) {
    void *self = NULL, *before = sim->self;
    int memory = 0;
    sim->note[0] = 0;
    carom_status status = integrator_check_laws(sim->integrator, sim->model, error);
    if (!status) status = sim->integrator->create(sim->model, &sim->run, &self, &memory, error);
    sim->self = self;
    if (!status) status = check_detection(sim, error);
    if (!status) status = look_for_limit(sim, error);
    if (status && before) sim->integrator->destroy(self), sim->self = before; /* as it was */
    else sim->integrator->destroy(before);
    if (!status) sim->ledger = motion_size(sim, memory);
    return status;
}

static bool allocate(carom_sim *sim) {
    const carom_model *model = sim->model;
    sim->input = sim->ledger + ledger_size(model);
    sim->size = sim->input + (size_t)model->def.inputs;
    sim->now = calloc(sim->size, sizeof *sim->now);
    sim->next = calloc(sim->size, sizeof *sim->next);
    sim->other = calloc(sim->size, sizeof *sim->other);
    sim->P = calloc((size_t)model->ns + 1, sizeof *sim->P);
    sim->contact = calloc((size_t)model->def.contacts + 1, sizeof *sim->contact);
    sim->dulled = calloc((size_t)model->def.contacts + 1, sizeof *sim->dulled);
    sim->rest = calloc((size_t)model->def.nu, sizeof *sim->rest);
    sim->held = calloc((size_t)model->def.switches + 1, sizeof *sim->held);
    sim->sides = calloc(4 * (size_t)model->ns + 1, sizeof *sim->sides);
    sim->support = calloc(8 * (size_t)model->def.supports + 1, sizeof *sim->support);
    sim->mass = definite_create(&model->def.M);
    sim->mass_values = calloc((size_t)pattern_nnz(&model->def.M) + 1, sizeof *sim->mass_values);
    return sim->now && sim->next && sim->other && sim->P && sim->contact && sim->dulled && sim->rest && sim->held &&
           sim->sides && sim->support && sim->mass && sim->mass_values && created_create(sim) && columns_create(sim) &&
           passages_create(&sim->passages, model);
}

static carom_status build(carom_sim *sim, const carom_model *model, const carom_run_def *run, carom_error *error) {
    sim->integrator = integrator_find(run->integrator);
    sim->dt = run->dt;
    sim->tolerance = run->tolerance;
    sim->continuous = run->continuous;
    sim->alive = SIM_ALIVE;
    sim->log.own = sim->integrator->columns;
    if (!sim_create_values(sim, model)) return carom_error_memory(error);
    sim->log.model = sim->model;
    carom_status status = sim_own_run(sim, run, error);
    if (!status) status = sim_make_integrator(sim, error);
    if (!status && !allocate(sim)) status = carom_error_memory(error);
    if (status) return status;
    memcpy(sim->now + sim->input, model->def.input, (size_t)model->def.inputs * sizeof *sim->now);
    sim_reset(sim);
    return sim_begin(sim, true, error);
}

carom_status carom_sim_create(const carom_model *model, const carom_run_def *run, carom_sim **result,
                              carom_error *error) {
    *result = NULL;
    carom_status status = check_run(model, run, error);
    if (status) return status;
    carom_sim *sim = calloc(1, sizeof *sim);
    if (!sim) return carom_error_memory(error);
    status = build(sim, model, run, error);
    if (!status) look_for_walls(sim);
    if (status) {
        carom_sim_destroy(sim);
        return status;
    }
    *result = sim;
    return CAROM_OK;
}

void carom_sim_destroy(carom_sim *sim) {
    if (!sim) return;
    assert_alive(sim);
    sim->integrator->destroy(sim->self);
    columns_destroy(sim);
    free(sim->now);
    free(sim->next);
    free(sim->other);
    free(sim->P);
    free(sim->contact);
    free(sim->dulled);
    free(sim->sides);
    free(sim->held);
    free(sim->support);
    passages_destroy(&sim->passages);
    event_log_destroy(&sim->log);
    free(sim->rest);
    definite_destroy(sim->mass);
    free(sim->mass_values);
    created_destroy(sim);
    sensors_destroy(sim);
    sim_destroy_values(sim);
    sim->alive = 0;
    free(sim);
}

/* ---------------------------------------------------------------- stepping */

void sim_hold(const carom_sim *sim, const double *side) {
    const carom_model_def *d = &sim->model->def;
    const bool held = side && side[0] != 0;
    for (int j = 0; j < d->switches && held; j++) sim->held[j] = (int)side[1 + j];
    if (d->switches) d->take_sides(d->context, held ? sim->held : NULL);
}

static const event_log *present_events(const carom_sim *sim) {
    return sim->integrator->events ? sim->integrator->events(sim->self) : NULL;
}

/* Whether the step from a to b passes a contact that its scheme has not seen. Located events are the scheme's own. */
static bool passes(carom_sim *sim, const motion *a, const motion *b, double h, passage *found) {
    const carom_model_def *d = &sim->model->def;
    double *first = sim->passages.q_dot, *last = first + d->nq;
    straight path = {.t = a->t, .h = h, .from = a->q, .to = b->q, .state = {a->contact, b->contact}};
    if (carom_sim_locates(sim) || !passage_find(&sim->passages, path, 0, d->contacts, found)) return false;
    if (model_q_dot(sim->model, a->t, a->q, a->u, first) || model_q_dot(sim->model, b->t, b->q, b->u, last))
        return false;
    path.q_dot[0] = first, path.q_dot[1] = last;
    return passage_find(&sim->passages, path, 0, d->contacts, found);
}

/* Whether it is better cut, with continuous detection: at a contact that the straight piece passes, however little, or
 * where it enters one, which schemes at velocity level do. They end a short piece at its surface, and strike in
 * another one. */
static bool is_to_be_cut(carom_sim *sim, const motion *a, const motion *b, double h, passage *found) {
    const double shortest = 1e-3 * sim->dt;
    const straight path = {.t = a->t, .h = h, .from = a->q, .to = b->q, .state = {a->contact, b->contact}};
    if (passage_find(&sim->passages, path, 0, sim->model->def.contacts, found))
        return (0.9 * found->in + 0.1 * found->deepest) * h > 1e-9 * sim->dt;
    if (!passage_enter(&sim->passages, path, found) || !(found->in < 1 - 1e-6)) return false;
    if (found->in * h < shortest) found->in = found->deepest = shortest / h;
    return h > 2 * shortest;
}

static void count_passage(carom_sim *sim, const motion *a, double h, const passage *p) {
    if (!sim->passed_count++ || p->gap < sim->passed.gap) {
        sim->passed = *p;
        sim->passed_time = a->t + p->deepest * h;
    }
}

static void add_report(const carom_sim *sim, const step_report *part, bool done, step_report *total) {
    for (int k = 0; k < sim->integrator->stages; k++) total->newton[k] += part->newton[k];
    total->residual = fmax(total->residual, part->residual);
    total->captured = total->captured || part->captured;
    doubt_add(&total->doubt, part->doubt);
    total->switched += part->switched;
    total->weakened += part->weakened;
    total->lost = fmax(total->lost, part->lost);
    total->yielded = fmax(total->yielded, part->yielded);
    if (done) return;
    total->exhausted = part->exhausted;
    if (part->hint || !total->hint) memcpy(total->reason, part->reason, sizeof total->reason);
    if (part->hint) total->hint = part->hint;
}

/* Impacts without rebound, (L4), that the scheme captured are events at the end of the piece. */
static bool log_thuds(carom_sim *sim, double *from, double *to, const motion *a, const motion *b) {
    const carom_model *m = sim->model;
    const ledger sides[2] = {ledger_in(sim, from), ledger_in(sim, to)};
    motion before = *b;
    before.u = a->u, before.contact = a->contact;
    if (!event_log_begin(&sim->log, &before, NULL, b->P)) return false;
    for (int k = 0; k < m->def.contacts; k++) {
        carom_event thud = {.time = b->t, .contact = k, .kind = CAROM_THUD};
        for (int side = 0; side < 2; side++) {
            const double *s = sides[side].s, *slip = s + m->F + m->slip[k];
            thud.gap_dot[side] = s[m->N + k];
            memcpy(thud.slip[side], slip, (size_t)m->def.contact[k].slips * sizeof *slip);
        }
        if (sim->dulled[k] > 0) event_log_add(&sim->log, thud);
    }
    const instant now = event_log_instant(&sim->log, sim->log.instants);
    if (!event_log_end(&sim->log, b, NULL, b->P)) return false;
    for (int side = 0; side < 2; side++) memcpy(now.work[side], sides[side].work, INSTANT_WORKS * sizeof(double));
    return true;
}

/* What follows a piece that the scheme has taken. */
static bool finish_piece(carom_sim *sim, double *from, double *to, double h, bool again, step_report *report) {
    const carom_model *m = sim->model;
    const event_log *events = present_events(sim);
    const int first = sim->log.instants;
    motion a = sim_motion(sim, from), b = sim_motion(sim, to);
    if (model_anchor(m, b.t, b.q, sim->anchors)) return explain_undefined(report, "end");
    if (events && !event_log_append(&sim->log, events)) return event_log_no_room(report);
    if (!mass_holds_to(sim, &b, first, report) || support_lost(sim, from, to, &b, first, report)) return false;
    if (!work_add(sim, from, to, &a, &b, h, again, first)) return explain_undefined(report, "end");
    if (report->weakened && !log_thuds(sim, from, to, &a, &b)) return event_log_no_room(report);
    for (int i = 0; i < m->ns; i++) sim->P[i] += b.P[i];
    for (int k = 0; k < m->def.contacts; k++) sim->contact[k] = fmax(sim->contact[k], b.contact[k]);
    return true;
}

typedef enum outcome { FAILED, TAKEN, PASSING } outcome;

/* A piece of the step, of length h, from one state to another; again: others were before it. PASSING: it passes a
 * contact and may be cut. */
static outcome take_piece(carom_sim *sim, double *from, double *to, double h, bool again, bool cut, passage *passed,
                          step_report *total) {
    step_report report = {.dulled = sim->dulled};
    motion a = sim_motion(sim, from), b = sim_motion(sim, to);
    memset(sim->dulled, 0, (size_t)sim->model->def.contacts * sizeof *sim->dulled);
    bool done = sim->integrator->step(sim->self, &a, &b, h, sim->tolerance, &report);
    if (done) {
        model_normalise(sim->model, b.q);
        cut = cut && is_to_be_cut(sim, &a, &b, h, passed);
        if (!cut && passes(sim, &a, &b, h, passed)) count_passage(sim, &a, h, passed);
        done = cut || finish_piece(sim, from, to, h, again, &report);
    }
    add_report(sim, &report, done, total);
    return !done ? FAILED : cut ? PASSING : TAKEN;
}

/* From one part of the step to another, in one piece; or, with continuous detection, in as many as it passes contacts:
 * a piece is cut soon after the gap closes, (Z3), so that the scheme sees it. *from: where
 * it begins, and where it ends. */
static bool take_part(carom_sim *sim, double **from, double *turns[2], double begin, double target, double whole,
                      int *pieces, int *cuts, step_report *total) {
    double first = begin, end = target;
    while (begin < target) {
        passage passed;
        double *to = turns[*pieces % 2], h = begin == first && end == target ? whole : (end - begin) * sim->dt;
        const double *now = sim->now;
        to[STATE_TIME] = now[STATE_ORIGIN] + (now[STATE_STEPS] - now[STATE_FIRST] + end) * sim->dt;
        switch (take_piece(sim, *from, to, h, *pieces > 0, *cuts > 0, &passed, total)) {
        case FAILED:
            return false;
        case PASSING:
            end = begin + (end - begin) * (0.9 * passed.in + 0.1 * passed.deepest);
            if (!(end > begin)) return false;
            --*cuts;
            break;
        case TAKEN:
            *from = to;
            ++*pieces;
            begin = end, end = target;
        }
    }
    return true;
}

/* Percussions of the last step are the guess of the next one. Where forces hold each other, what a step leaves open of
 * them stays as guessed: a part of a step begins with its share, or they would grow with every step that is divided.
 * Numbers of parts are powers of two, so that nothing is rounded. */
static void scale_guess(carom_sim *sim, double factor) {
    const motion start = sim_motion(sim, sim->now);
    for (int i = 0; i < sim->model->ns; i++) start.P[i] *= factor;
}

/* The step in a number of equal parts, from sim->now to sim->next. */
static bool take_parts(carom_sim *sim, int parts, step_report *total) {
    double *from = sim->now, *turns[2] = {sim->next, sim->other};
    int pieces = 0, cuts = sim->continuous ? MOST_CUTS : 0;
    memset(sim->P, 0, (size_t)sim->model->ns * sizeof *sim->P);
    memset(sim->contact, 0, (size_t)sim->model->def.contacts * sizeof *sim->contact);
    total->residual = 0;
    total->captured = false;
    total->doubt = (doubt){0};
    total->switched = 0;
    total->weakened = 0, total->lost = total->yielded = 0;
    sim->passed_count = 0;
    event_log_clear(&sim->log);
    for (int part = 1; part <= parts; part++)
        if (!take_part(sim, &from, turns, (double)(part - 1) / parts, (double)part / parts, sim->dt / parts, &pieces,
                       &cuts, total))
            return false;
    sim->next = from;
    sim->other = from == turns[0] ? turns[1] : turns[0];
    if (pieces > 1) { /* percussions and states are those of the whole step */
        const motion end = sim_motion(sim, from);
        memcpy(end.P, sim->P, (size_t)sim->model->ns * sizeof *end.P);
        memcpy(end.contact, sim->contact, (size_t)sim->model->def.contacts * sizeof *end.contact);
    }
    return true;
}

static bool take_step(carom_sim *sim, int parts, step_report *total) {
    if (parts > 1) scale_guess(sim, 1.0 / parts);
    bool taken = take_parts(sim, parts, total);
    if (parts > 1) scale_guess(sim, parts);
    return taken;
}

static void count(carom_sim *sim, const step_report *report, bool divided) {
    int stages = sim->integrator->stages;
    const double *old = sim->now;
    double *state = sim->next;
    memcpy(state + sim->input, old + sim->input, (sim->size - sim->input) * sizeof *state);
    state[STATE_STEPS] = old[STATE_STEPS] + 1;
    state[STATE_ORIGIN] = old[STATE_ORIGIN], state[STATE_FIRST] = old[STATE_FIRST];
    state[STATE_RENEW] = 0;
    state[STATE_DIVIDED] = old[STATE_DIVIDED] + divided;
    state[STATE_CAPTURED] = old[STATE_CAPTURED] + report->captured;
    doubt doubts = {(long)old[STATE_DOUBTS], (int)old[STATE_DOUBTED], old[STATE_DOUBT_TIME]};
    doubt_add(&doubts, report->doubt);
    state[STATE_DOUBTS] = (double)doubts.count;
    state[STATE_DOUBTED] = doubts.contact;
    state[STATE_DOUBT_TIME] = doubts.time;
    state[STATE_SWITCHED] = old[STATE_SWITCHED] + report->switched;
    state[STATE_WEAKENED] = old[STATE_WEAKENED] + report->weakened;
    state[STATE_LOST] = fmax(old[STATE_LOST], report->lost);
    state[STATE_YIELDS] = old[STATE_YIELDS] + (report->yielded > 0);
    state[STATE_YIELDED] = fmax(old[STATE_YIELDED], report->yielded);
    state[STATE_RESIDUAL] = report->residual;
    const bool deeper = sim->passed_count && (!old[STATE_PASSED] || sim->passed.gap < old[STATE_PASSED_GAP]);
    state[STATE_PASSED] = old[STATE_PASSED] + sim->passed_count;
    state[STATE_PASSED_CONTACT] = deeper ? sim->passed.contact : old[STATE_PASSED_CONTACT];
    state[STATE_PASSED_TIME] = deeper ? sim->passed_time : old[STATE_PASSED_TIME];
    state[STATE_PASSED_GAP] = deeper ? sim->passed.gap : old[STATE_PASSED_GAP];
    for (int k = 0; k < stages; k++) {
        int last = STATE_NEWTON + k, most = last + stages, sum = most + stages;
        state[last] = report->newton[k];
        state[most] = fmax(old[most], report->newton[k]);
        state[sum] = old[sum] + report->newton[k];
    }
}

/* Where a step has no solution and the present velocities alone would lose a support or the inertia within it, this is
 * why. */
static void look_ahead(carom_sim *sim, step_report *report) {
    const carom_model *m = sim->model;
    motion now = sim_motion(sim, sim->now), ahead = sim_motion(sim, sim->other);
    if (report->hint || model_q_dot(m, now.t, now.q, now.u, ahead.q)) return;
    for (int i = 0; i < m->def.nq; i++) ahead.q[i] = now.q[i] + sim->dt * ahead.q[i];
    ahead.t = now.t + sim->dt, ahead.u = now.u, ahead.P = now.P, ahead.contact = now.contact;
    if (support_lost(sim, sim->now, sim->other, &ahead, 0, report) || !mass_holds(sim, ahead.t, ahead.q, report))
        return;
    for (int i = 0; i < m->def.nq; i++) ahead.q[i] = (now.q[i] + ahead.q[i]) / 2;
    mass_holds(sim, now.t + sim->dt / 2, ahead.q, report);
}

/* Lets a program know; false: it asks to stop. */
static bool call(carom_sim *sim, carom_moment moment, int event) {
    return !sim->callback || sim->callback(sim, moment, event, sim->user);
}

static carom_status stopped(const carom_sim *sim, carom_error *error) {
    return carom_error_set(error, CAROM_STOPPED, "a callback has stopped the run at t = %.9g", carom_sim_time(sim));
}

/* Everybody is told of what has happened, even after one asks to stop. */
static carom_status tell(carom_sim *sim, carom_error *error) {
    bool on = true;
    for (int i = 0; i < sim->log.events && sim->callback; i++) on = call(sim, CAROM_AT_EVENT, i) && on;
    on = call(sim, CAROM_AFTER_STEP, -1) && on;
    return on ? CAROM_OK : stopped(sim, error);
}

static carom_status step(carom_sim *sim, carom_error *error);

carom_status carom_sim_step(carom_sim *sim, carom_error *error) {
    assert_alive(sim);
    if (!call(sim, CAROM_BEFORE_STEP, -1)) return stopped(sim, error);
    carom_status status = sim_renew(sim, error);
    if (!status) status = step(sim, error);
    return status ? status : tell(sim, error);
}

carom_status carom_sim_run(carom_sim *sim, carom_error *error) {
    carom_status status = CAROM_OK;
    while (!status && !carom_sim_done(sim)) status = carom_sim_step(sim, error);
    return status;
}

static carom_status step(carom_sim *sim, carom_error *error) {
    step_report report = {0};
    if (carom_sim_checkpoint(sim)) sim->integrator->forget(sim->self);
    const int halvings = sim->integrator->whole ? 0 : HALVINGS;
    for (int halving = 0; halving <= halvings && !report.exhausted; halving++) {
        if (!take_step(sim, 1 << halving, &report)) continue;
        count(sim, &report, halving > 0);
        double *state = sim->now;
        sim->now = sim->next;
        sim->next = state;
        return CAROM_OK;
    }
    event_log_clear(&sim->log);
    if (report.exhausted)
        return carom_error_set(error, CAROM_MEMORY, "step %ld at t = %.9g failed: %s", carom_sim_steps(sim) + 1,
                               carom_sim_time(sim), report.reason);
    look_ahead(sim, &report);
    char parts[40] = "";
    if (halvings) snprintf(parts, sizeof parts, ", even in %d parts", 1 << halvings);
    const char *stiff = "; the forces are stiff: if the scheme is unstable, take a smaller dt, or nsga";
    const char *beyond = "; dt exceeds the limit of stability at the initial state: take a smaller one, or nsga";
    const char *hint = report.hint ? report.hint : sim->stability.number > 1 ? beyond : sim->model->stiff ? stiff : "";
    return carom_error_set(error, CAROM_FAILED, "step %ld at t = %.9g failed: %s%s%s", carom_sim_steps(sim) + 1,
                           carom_sim_time(sim), report.reason, parts, hint);
}

/* ---------------------------------------------------------------- looking */

bool carom_sim_done(const carom_sim *sim) {
    assert_alive(sim);
    return carom_sim_steps(sim) >= sim->total;
}

long carom_sim_steps(const carom_sim *sim) {
    return (long)sim->now[STATE_STEPS];
}

long carom_sim_total_steps(const carom_sim *sim) {
    return sim->total;
}

double carom_sim_time(const carom_sim *sim) {
    assert_alive(sim);
    return sim->now[STATE_TIME];
}

const double *carom_sim_q(const carom_sim *sim) {
    assert_alive(sim);
    return sim_motion(sim, sim->now).q;
}

const double *carom_sim_u(const carom_sim *sim) {
    assert_alive(sim);
    return sim_motion(sim, sim->now).u;
}

const double *carom_sim_percussion(const carom_sim *sim) {
    return sim_motion(sim, sim->now).P;
}

carom_contact_state carom_sim_contact(const carom_sim *sim, int contact) {
    assert_alive(sim);
    assert(contact >= 0 && contact < sim->model->def.contacts);
    return (carom_contact_state)sim_motion(sim, sim->now).contact[contact];
}

const char *carom_event_kind_name(carom_event_kind kind) {
    static const char *const names[CAROM_EVENT_KINDS] = {"strike", "opening", "stop", "break", "thud"};
    assert((int)kind >= 0 && (int)kind < CAROM_EVENT_KINDS);
    return names[kind];
}

const carom_event *carom_sim_events(const carom_sim *sim, int *count) {
    *count = sim->log.events;
    return sim->log.event;
}

bool carom_sim_locates(const carom_sim *sim) {
    return present_events(sim) != NULL;
}

/* Without friction or without rebound the impact law has a solution, (L4). */
bool carom_sim_has_events(const carom_sim *sim) {
    const carom_model_def *d = &sim->model->def;
    bool rubs = false, rebounds = false;
    for (int k = 0; k < d->contacts; k++) {
        rubs = rubs || (d->contact[k].slips > 0 && d->contact[k].friction > 0);
        rebounds = rebounds || d->contact[k].restitution > 0 || d->contact[k].tangential_restitution > 0;
    }
    return carom_sim_locates(sim) || (rubs && rebounds);
}

long carom_sim_switched(const carom_sim *sim) {
    return (long)sim->now[STATE_SWITCHED];
}

bool carom_sim_certifies(const carom_sim *sim) {
    return carom_sim_locates(sim) && sim->integrator->certifies && sim->integrator->certifies(sim->self);
}

long carom_sim_doubts(const carom_sim *sim, int *contact, double *time) {
    *contact = (int)sim->now[STATE_DOUBTED];
    *time = sim->now[STATE_DOUBT_TIME];
    return (long)sim->now[STATE_DOUBTS];
}

double carom_sim_residual(const carom_sim *sim) {
    return sim->now[STATE_RESIDUAL];
}

long carom_sim_substeps(const carom_sim *sim) {
    return (long)sim->now[STATE_DIVIDED];
}

long carom_sim_captured(const carom_sim *sim) {
    return (long)sim->now[STATE_CAPTURED];
}

long carom_sim_weakened(const carom_sim *sim, double *fastest) {
    if (fastest) *fastest = sim->now[STATE_LOST];
    return (long)sim->now[STATE_WEAKENED];
}

long carom_sim_yields(const carom_sim *sim, double *fastest) {
    if (fastest) *fastest = sim->now[STATE_YIELDED];
    return (long)sim->now[STATE_YIELDS];
}

int carom_sim_stages(const carom_sim *sim) {
    return sim->integrator->stages;
}

int carom_sim_newton(const carom_sim *sim, int stage) {
    assert(stage >= 0 && stage < sim->integrator->stages);
    return (int)sim->now[STATE_NEWTON + stage];
}

int carom_sim_newton_max(const carom_sim *sim, int stage) {
    assert(stage >= 0 && stage < sim->integrator->stages);
    return (int)sim->now[STATE_NEWTON + sim->integrator->stages + stage];
}

double carom_sim_newton_mean(const carom_sim *sim, int stage) {
    assert(stage >= 0 && stage < sim->integrator->stages);
    double steps = sim->now[STATE_STEPS];
    return steps > 0 ? sim->now[STATE_NEWTON + 2 * sim->integrator->stages + stage] / steps : 0;
}

const char *carom_sim_note(const carom_sim *sim) {
    return sim->note[0] ? sim->note : NULL;
}

/* Its own, then the CFL number (X14). */
int carom_sim_figures(const carom_sim *sim) {
    return sim->integrator->figures + (sim->stability.number > 0);
}

const char *carom_sim_figure(const carom_sim *sim, int i, double *value) {
    assert(i >= 0 && i < carom_sim_figures(sim));
    if (i == sim->integrator->figures) {
        *value = sim->stability.number;
        return "CFL number";
    }
    *value = sim_motion(sim, sim->now).memory[i];
    return sim->integrator->figure_names[i];
}

/* ---------------------------------------------------------------- checkpoints */

bool carom_sim_checkpoint(const carom_sim *sim) {
    return carom_sim_steps(sim) % CAROM_CHECKPOINT == 0;
}

size_t carom_sim_state_size(const carom_sim *sim) {
    return sim->size;
}

void carom_sim_save(const carom_sim *sim, double *state) {
    assert_alive(sim);
    memcpy(state, sim->now, sim->size * sizeof *state);
}

void carom_sim_load(carom_sim *sim, const double *state) {
    assert_alive(sim);
    memcpy(sim->now, state, sim->size * sizeof *state);
    sim->total = sim_total(sim);
    if (sim->own) model_assign_inputs(sim->own, sim->parameter, sim->now + sim->input);
    event_log_clear(&sim->log);
}

unsigned long long carom_sim_hash(const carom_sim *sim) {
    return hash_bytes(0, sim->now, sim->size * sizeof *sim->now);
}
