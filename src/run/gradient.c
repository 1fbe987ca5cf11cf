/* Gradients by the adjoint (docs/theory/sensitivity.md): the run keeps a trace of its steps, in segments that begin at
 * checkpoints. Weights of the end are pulled back over the trace of the last segment; the trace of one before is made
 * by repeating its steps. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "integrator/adjoint.h"
#include "run/sensitivity.h"

/* Where a segment begins. */
typedef struct checkpoint {
    double *state, dt;
    long steps;
    variation v; /* how the last step ended */
} checkpoint;

typedef struct tracing {
    trace trace;  /* of the segment that is live */
    size_t limit; /* doubles of it */
    checkpoint *point;
    int points, room, live; /* live -1: none is */
    bool again;             /* steps are being repeated */
    const carom_weight *weight;
    int weights;
    double *by;      /* [columns] what constants have come to */
    double *instant; /* [instants] weights of those of a step */
    int instants;
} tracing;

/* ---------------------------------------------------------------- segments */

static void drop_points(tracing *t) {
    for (int i = 0; i < t->points; i++) free(t->point[i].state), variation_destroy(&t->point[i].v);
    t->points = 0, t->live = -1;
}

bool tracing_create(carom_sim *sim, size_t memory) {
    tracing *t = sim->sensitivity->tracing = calloc(1, sizeof *t);
    if (!t) return false;
    t->limit = (memory ? memory : (size_t)64 << 20) / sizeof(double);
    t->live = -1;
    sim->sensitivity->work.trace = &t->trace;
    return true;
}

void tracing_destroy(tracing *t) {
    if (!t) return;
    drop_points(t);
    trace_destroy(&t->trace);
    free(t->point);
    free(t->instant);
    free(t->by);
    free(t);
}

void tracing_restart(tracing *t) {
    drop_points(t);
    trace_clear(&t->trace);
}

static bool add_point(carom_sim *sim, tracing *t) {
    if (t->points == t->room) {
        const int room = 2 * t->room + 8;
        checkpoint *more = realloc(t->point, (size_t)room * sizeof *more);
        if (!more) return false;
        t->point = more, t->room = room;
    }
    checkpoint *p = &t->point[t->points];
    *p = (checkpoint){.state = malloc(carom_sim_state_size(sim) * sizeof *p->state), .dt = sim->dt};
    p->steps = carom_sim_steps(sim);
    const bool made = variation_create(&p->v, sim->model, 0) && p->state;
    t->points++;
    if (!made) return false;
    carom_sim_save(sim, p->state);
    variation_copy(&p->v, &sim->sensitivity->step);
    return true;
}

/* The trace starts again, empty. */
static void begin_segment(carom_sim *sim, tracing *t, int segment) {
    sensitivity *x = sim->sensitivity;
    variation_copy(&x->step, &t->point[segment].v);
    x->step.trace = &t->trace, x->step.traced = 0;
    variation_copy(&x->work, &x->step);
    trace_clear(&t->trace);
    t->live = segment;
}

/* A state holds neither dt nor inputs that a program will set: a segment ends where they change. */
static bool is_due(const carom_sim *sim, const tracing *t) {
    if (t->live < 0) return true;
    const checkpoint *p = &t->point[t->live];
    const size_t inputs = (sim->size - sim->input) * sizeof *sim->now;
    if (p->dt != sim->dt || memcmp(p->state + sim->input, sim->now + sim->input, inputs) != 0) return true;
    return t->trace.used > t->limit && carom_sim_checkpoint(sim);
}

carom_status tracing_begin_step(carom_sim *sim, carom_error *error) {
    tracing *t = sim->sensitivity ? sim->sensitivity->tracing : NULL;
    if (!t || t->again || !is_due(sim, t)) return CAROM_OK;
    if (!add_point(sim, t)) return carom_error_memory(error);
    begin_segment(sim, t, t->points - 1);
    return CAROM_OK;
}

/* ---------------------------------------------------------------- what is weighed */

/* Kept: the step, its instants, and the instant of each of its events. */
static bool pull_weights(void *self, const double *kept, adjoint *a) {
    const carom_sim *sim = self;
    const carom_model_def *d = &sim->model->def;
    tracing *t = sim->sensitivity->tracing;
    const int instants = (int)kept[1], events = (int)kept[2];
    if (instants > t->instants) {
        free(t->instant);
        t->instant = malloc((size_t)instants * sizeof *t->instant);
        if (!t->instant) return false;
        t->instants = instants;
    }
    for (int i = 0; i < instants; i++) t->instant[i] = 0;
    a->instant = t->instant, a->instants = instants;
    for (int k = 0; k < t->weights; k++) {
        const carom_weight *w = &t->weight[k];
        if (w->step != (long)kept[0]) continue;
        if (w->event >= events || (w->event >= 0 && kept[3 + w->event] >= instants)) return false;
        if (w->event >= 0) t->instant[(int)kept[3 + w->event]] += w->t;
        for (int i = 0; i < d->nq && w->event < 0 && w->q; i++) a->q[i] += w->q[i];
        for (int i = 0; i < d->nu && w->event < 0 && w->u; i++) a->u[i] += w->u[i];
    }
    return true;
}

void tracing_end_step(carom_sim *sim) {
    variation *v = &sim->sensitivity->work;
    double *to = trace_add(v, pull_weights, sim, 3 + (size_t)sim->log.events);
    if (!to) return;
    to[0] = (double)carom_sim_steps(sim), to[1] = v->instants, to[2] = sim->log.events;
    for (int i = 0; i < sim->log.events; i++) to[3 + i] = sim->log.event[i].instant;
}

/* ---------------------------------------------------------------- the gradient */

carom_status carom_sim_trace(carom_sim *sim, const char *const *by, int count, size_t memory, carom_error *error) {
    assert_alive(sim);
    return sensitivity_ask(sim, by, count, NULL, 0, &(sensitivity_kind){.traced = true, .memory = memory}, error);
}

bool carom_sim_traced(const carom_sim *sim) {
    assert_alive(sim);
    return sim->sensitivity && sim->sensitivity->tracing;
}

/* The trace of a segment, by repeating its steps up to the number given. */
static carom_status repeat(carom_sim *sim, int segment, long until, carom_error *error) {
    tracing *t = sim->sensitivity->tracing;
    carom_status status = carom_sim_load(sim, t->point[segment].state, error);
    if (status) return status;
    sim->dt = sim->run.dt = t->point[segment].dt;
    begin_segment(sim, t, segment);
    t->again = true;
    while (!status && carom_sim_steps(sim) < until) status = sim_step_again(sim, error);
    t->again = false;
    return status;
}

void tracing_settle(carom_sim *sim, adjoint *a) {
    const variation *v = &sim->sensitivity->first;
    for (int k = 0; k < v->columns; k++)
        if (v->parameter[k] >= 0)
            sim->sensitivity->tracing->by[k] += model_constants_by(sim->model, v->parameter[k], a->constants);
    memset(a->constants, 0, (size_t)model_constants(sim->model) * sizeof *a->constants);
}

static carom_status pull_segments(carom_sim *sim, adjoint *a, carom_error *error) {
    tracing *t = sim->sensitivity->tracing;
    long until = carom_sim_steps(sim);
    carom_status status = CAROM_OK;
    for (int i = t->points - 1; i >= 0 && !status; until = t->point[i--].steps) {
        if (i != t->live) status = repeat(sim, i, until, error);
        if (!status && carom_sim_lost(sim))
            status = carom_error_set(error, CAROM_FAILED, "there is no derivative: %s", carom_sim_lost(sim));
        if (!status && !trace_pull(&t->trace, a)) {
            variation_lose_change(&sim->sensitivity->work, a->failed_at, a->found, "a problem on the way");
            status =
                carom_error_set(error, CAROM_FAILED, "there is no derivative: %s",
                                carom_sim_lost(sim) ? carom_sim_lost(sim) : "the model's derivatives are not defined");
        }
        if (!status) tracing_settle(sim, a);
    }
    return status;
}

/* What the weights of the start and of constants come to, by what was asked for. */
static bool read_start(const carom_sim *sim, const adjoint *a, double *gradient) {
    const carom_model *m = sim->model;
    const variation *v = &sim->sensitivity->first;
    bool finite = true;
    for (int k = 0; k < v->columns; k++) {
        const carom_place column = variation_column(v, k);
        double sum = a->t * column.t;
        for (int i = 0; i < m->def.nq; i++) sum += a->q[i] * column.q[i];
        for (int i = 0; i < m->def.nu; i++) sum += a->u[i] * column.u[i];
        for (int i = 0; i < 3 * m->def.contacts; i++)
            sum += a->coefficient[i] * v->coefficient[3 * k * m->def.contacts + i];
        for (int i = 0; i < 3 * m->def.latches; i++) sum += a->bound[i] * v->bound[3 * k * m->def.latches + i];
        gradient[k] = sum += sim->sensitivity->tracing->by[k];
        finite = finite && isfinite(sum);
    }
    return finite;
}

static void weigh_start(const carom_sim *sim, adjoint *a) {
    const tracing *t = sim->sensitivity->tracing;
    const long first = t->points ? t->point[0].steps : carom_sim_steps(sim);
    for (int k = 0; k < t->weights; k++) {
        const carom_weight *w = &t->weight[k];
        for (int i = 0; i < sim->model->def.nq && w->step == first && w->q; i++) a->q[i] += w->q[i];
        for (int i = 0; i < sim->model->def.nu && w->step == first && w->u; i++) a->u[i] += w->u[i];
    }
}

carom_status carom_sim_gradient(carom_sim *sim, const carom_weight *weights, int count, double *gradient,
                                carom_error *error) {
    assert_alive(sim);
    assert(carom_sim_traced(sim));
    tracing *t = sim->sensitivity->tracing;
    const double dt = sim->dt;
    const size_t columns = (size_t)sim->sensitivity->first.columns;
    adjoint a;
    sim_take_turn(sim);
    if (carom_sim_lost(sim))
        return carom_error_set(error, CAROM_FAILED, "there is no derivative: %s", carom_sim_lost(sim));
    double *state = malloc(carom_sim_state_size(sim) * sizeof *state);
    variation end;
    free(t->by);
    t->by = calloc(columns + 1, sizeof *t->by);
    const bool made = adjoint_create(&a, sim->model) && t->by;
    if (!variation_create(&end, sim->model, 0) || !state || !made) {
        free(state);
        adjoint_destroy(&a);
        variation_destroy(&end);
        return carom_error_memory(error);
    }
    carom_sim_save(sim, state);
    variation_copy(&end, &sim->sensitivity->work);
    t->weight = weights, t->weights = count;
    carom_status status = pull_segments(sim, &a, error);
    if (!status) weigh_start(sim, &a);
    if (!status && !read_start(sim, &a, gradient))
        status = carom_error_set(error, CAROM_FAILED, "the gradient is not finite");
    carom_status back = carom_sim_load(sim, state, error);
    sim->dt = sim->run.dt = dt;
    variation_copy(&sim->sensitivity->work, &end);
    variation_copy(&sim->sensitivity->step, &end);
    if (a.redundant)
        variation_leave_out(&sim->sensitivity->work,
                            "contacts or joints are redundant at t = %.9g, and are taken to stay so", a.redundant_at);
    if (t->points > 1) t->live = -1;
    free(state);
    adjoint_destroy(&a);
    variation_destroy(&end);
    return status ? status : back;
}
