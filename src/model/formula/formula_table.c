/* The table of functions of a formula model. */
#include "formula_context.h"

#include <stdlib.h>
#include <string.h>

typedef formula_context context;

enum { LOCAL = 1024 }; /* registers on the stack */

/* ---------------------------------------------------------------- evaluation */

/* Sides that this thread holds, and of which model: a model serves several threads, and a thread steps one simulation
 * at a time. */
static _Thread_local struct {
    const context *of;
    const int *side;
} held;

static void take_sides(void *x, const int *side) {
    held.of = x;
    held.side = side;
}

static const int *sides_of(const context *x) {
    return held.of == x ? held.side : NULL;
}

double *get_work(context *x) {
    return atomic_flag_test_and_set_explicit(&x->work_taken, memory_order_acquire)
               ? malloc((x->work_size + 1) * sizeof(double))
               : x->work;
}

void give_work(context *x, double *work) {
    if (work != x->work) free(work);
    else atomic_flag_clear_explicit(&x->work_taken, memory_order_release);
}

static bool are_finite(const int size[OUTPUTS], double *const outputs[]) {
    for (int i = 0; i < OUTPUTS; i++)
        if (outputs[i] && !numbers_finite(outputs[i], size[i])) return false;
    return true;
}

/* ---- a function over the symbols of the model */

static inline int run_with(const context *x, const callback *c, unsigned selection, const double *const blocks[],
                           double *const outputs[], double *work) {
    const tape *code = c->tapes[selection];
    const double *image = x->image ? x->image + c->image[selection] : tape_image(code);
    const int *sides = sides_of(x);
    return !tape_run_held(code, image, blocks, sides, work, outputs) &&
           !tape_run_without_zeros(code, image, blocks, sides, work, outputs);
}

/* Registers on the stack, else in the work space of the model. */
static inline int run_callback(context *x, const callback *c, const double *const blocks[TAPE_BLOCKS],
                               double *const outputs[TAPE_ARRAYS]) {
    unsigned selection = 0;
    for (unsigned i = 0; i < OUTPUTS; i++) selection |= outputs[i] ? 1u << i & c->present : 0;
    if (!selection) return 0;
    if (tape_registers(c->tapes[selection]) <= LOCAL) {
        double local[LOCAL];
        return run_with(x, c, selection, blocks, outputs, local);
    }
    double *work = get_work(x);
    if (!work) return 1;
    int status = run_with(x, c, selection, blocks, outputs, work);
    give_work(x, work);
    return status;
}

int formula_run_callback(context *x, const callback *c, const double *const blocks[TAPE_BLOCKS],
                         double *const outputs[TAPE_ARRAYS]) {
    return run_callback(x, c, blocks, outputs);
}

int formula_run_extra(context *x, extra what, const double *const blocks[TAPE_BLOCKS],
                      double *const outputs[TAPE_ARRAYS]) {
    return formula_run_callback(x, &x->extra[what], blocks, outputs);
}

/* ---- a sum over instances (F27) */

evaluation formula_evaluation(const context *x, double *work) {
    return (evaluation){x->group, x->groups, x->image, x->open_number, sides_of(x), work};
}

static void sum(const evaluation *e, const context *x, function f, const double *const blocks[],
                double *const outputs[], bool careful) {
    for (int i = 0; i < OUTPUTS; i++)
        for (int k = 0; outputs[i] && k < x->size[f][i]; k++) outputs[i][k] = 0;
    instances_run(e, f, blocks, outputs, careful);
}

static int run(context *x, function f, const double *const blocks[], double *const outputs[TAPE_ARRAYS]) {
    if (formula_is_whole(x)) return run_callback(x, &x->group[0].of[f], blocks, outputs);
    double *work = get_work(x);
    if (!work) return 1;
    const evaluation e = formula_evaluation(x, work);
    sum(&e, x, f, blocks, outputs, false);
    bool finite = are_finite(x->size[f], outputs);
    if (!finite) {
        sum(&e, x, f, blocks, outputs, true);
        finite = are_finite(x->size[f], outputs);
    }
    give_work(x, work);
    return !finite;
}

static void bound_whole(const context *x, function f, const tape_ranges blocks[TAPE_BLOCKS], double *work,
                        carom_range *value, carom_range *rate) {
    const callback *c = &x->group[0].of[f];
    const double *image = x->image ? x->image + c->image[1] : tape_image(c->tapes[1]);
    const int first = f == GAPS ? x->ng : 0;
    tape_bound(c->tapes[1], image, blocks, sides_of(x), (jet *)(void *)work, value ? value + first : NULL,
               rate ? rate + first : NULL);
}

static int bound(context *x, function f, const tape_ranges blocks[TAPE_BLOCKS], carom_range *value, carom_range *rate) {
    if (!x->size[f][0] || (!value && !rate)) return 0;
    double *work = get_work(x);
    if (!work) return 1;
    const evaluation e = formula_evaluation(x, work);
    if (formula_is_whole(x)) bound_whole(x, f, blocks, work, value, rate);
    else instances_bound(&e, f, blocks, value, rate);
    give_work(x, work);
    return 0;
}

/* The forces of the elastic elements, added to what the tapes wrote (F16). */
static int add_elastic(const context *x, function f, const double *q, double *force, double *force_q,
                       elastic_matrix matrix) {
    if (!x->elastic || (!force && !force_q)) return 0;
    int status = elastics_add(x->elastic, x->open_number + x->elastic_at, q, NULL, force, force_q, matrix);
    return status || !are_finite(x->size[f], (double *[OUTPUTS]){force, force_q, NULL});
}

/* ---------------------------------------------------------------- the table of functions */

static int kinematics(void *x, double t, const double *q, const double *u, double *q_dot, double *B, double *q_dot_q) {
    return run(x, KINEMATICS, (const double *[TAPE_BLOCKS]){&t, q, u}, (double *[TAPE_ARRAYS]){q_dot, B, q_dot_q});
}

static int mass(void *x, double t, const double *q, double *M) {
    return run(x, MASS, (const double *[TAPE_BLOCKS]){&t, q}, (double *[TAPE_ARRAYS]){M});
}

static int mass_q(void *x, double t, const double *q, const double *v, double *Mv_q) {
    return run(x, MASS_Q, (const double *[TAPE_BLOCKS]){&t, q, NULL, v}, (double *[TAPE_ARRAYS]){Mv_q});
}

static int force(void *x, double t, const double *q, const double *u, double *h, double *h_q, double *h_u) {
    int status = run(x, FORCE, (const double *[TAPE_BLOCKS]){&t, q, u}, (double *[TAPE_ARRAYS]){h, h_q, h_u});
    return status ? status : add_elastic(x, FORCE, q, h, h_q, ELASTIC_H_Q);
}

static int momentum(void *x, double t, const double *q, const double *u, double *p, double *p_q, double *b, double *b_q,
                    double *b_u) {
    const double *blocks[TAPE_BLOCKS] = {&t, q, u};
    int status = run(x, MOMENTUM_P, blocks, (double *[TAPE_ARRAYS]){p, p_q});
    if (!status) status = run(x, MOMENTUM_B, blocks, (double *[TAPE_ARRAYS]){b, b_q, b_u});
    return status ? status : add_elastic(x, MOMENTUM_B, q, b, b_q, ELASTIC_B_Q);
}

static int position(void *x, double t, const double *q, double *c, double *c_q) {
    return run(x, POSITION, (const double *[TAPE_BLOCKS]){&t, q}, (double *[TAPE_ARRAYS]){c, c_q});
}

static int velocity(void *x, double t, const double *q, const double *u, double *s, double *WT, double *s_q) {
    return run(x, VELOCITY, (const double *[TAPE_BLOCKS]){&t, q, u}, (double *[TAPE_ARRAYS]){s, WT, s_q});
}

static int velocity_rate(void *x, double t, const double *q, const double *u, double *zeta) {
    return run(x, VELOCITY_RATE, (const double *[TAPE_BLOCKS]){&t, q, u}, (double *[TAPE_ARRAYS]){zeta});
}

static int direction_q(void *x, double t, const double *q, const double *r, double *Wr_q) {
    return run(x, DIRECTION_Q, (const double *[TAPE_BLOCKS]){&t, q, NULL, r}, (double *[TAPE_ARRAYS]){Wr_q});
}

static int displacement(void *x, double t, const double *q, double *d, double *d_q) {
    return run(x, DISPLACEMENT, (const double *[TAPE_BLOCKS]){&t, q}, (double *[TAPE_ARRAYS]){d, d_q});
}

static int energy(void *x, double t, const double *q, const double *u, double *T, double *V) {
    context *m = x;
    int status = run(x, ENERGY, (const double *[TAPE_BLOCKS]){&t, q, u}, (double *[TAPE_ARRAYS]){T, V});
    if (status || !m->elastic || !V) return status;
    status = elastics_add(m->elastic, m->open_number + m->elastic_at, q, V, NULL, NULL, ELASTIC_H_Q);
    return status || !numbers_finite(V, 1);
}

static int power(void *x, double t, const double *q, const double *u, double *value, double *G) {
    return run(x, POWER, (const double *[TAPE_BLOCKS]){&t, q, u}, (double *[TAPE_ARRAYS]){value, G});
}

static int switching(void *x, double t, const double *q, const double *u, double *a) {
    return run(x, SWITCHING, (const double *[TAPE_BLOCKS]){&t, q, u}, (double *[TAPE_ARRAYS]){a});
}

static int symmetry(void *x, double t, const double *q, double *xi) {
    return formula_run_extra(x, SYMMETRY, (const double *[TAPE_BLOCKS]){&t, q}, (double *[TAPE_ARRAYS]){xi});
}

static int slip_scale(void *x, double t, const double *q, double *scale) {
    return formula_run_extra(x, SLIP_SCALE, (const double *[TAPE_BLOCKS]){&t, q}, (double *[TAPE_ARRAYS]){scale});
}

static int restitution(void *x, const double *speed, double *e) {
    return formula_run_extra(x, RESTITUTION, (const double *[TAPE_BLOCKS]){[3] = speed}, (double *[TAPE_ARRAYS]){e});
}

static int observe(void *x, double t, const double *q, const double *u, double *values) {
    return formula_run_extra(x, OBSERVE, (const double *[TAPE_BLOCKS]){&t, q, u}, (double *[TAPE_ARRAYS]){values});
}

static int anchor(void *x, double t, const double *q, double *values) {
    return formula_run_extra(x, ANCHOR, (const double *[TAPE_BLOCKS]){&t, q}, (double *[TAPE_ARRAYS]){values});
}

static int support(void *x, double t, const double *q, const double *u, double *v) {
    return formula_run_extra(x, SUPPORT, (const double *[TAPE_BLOCKS]){&t, q, u}, (double *[TAPE_ARRAYS]){v});
}

static int ranges(void *x, const carom_range t[2], const carom_range *q, const carom_range *q_rate,
                  const carom_range *u, const carom_range *u_rate, carom_range *c, carom_range *c_rate, carom_range *a,
                  carom_range *a_rate) {
    const tape_ranges moving[TAPE_BLOCKS] = {{&t[0], &t[1]}, {q, q_rate}, {u, u_rate}},
                      resting[TAPE_BLOCKS] = {{&t[0], NULL}, {q, NULL}, {u, NULL}};
    return bound(x, GAPS, c_rate ? moving : resting, c, c_rate) ||
           bound(x, SWITCHING, a_rate ? moving : resting, a, a_rate);
}

const double *formula_found_numbers(const void *self) {
    const context *x = self;
    return x->open_number + x->found_at;
}

int formula_row(void *self, int row, double t, const double *q, double *c) {
    context *x = self;
    double *work = get_work(x);
    if (!work) return 1;
    const evaluation e = formula_evaluation(x, work);
    *c = instances_row(&e, x->owner[row], (const double *[TAPE_BLOCKS]){&t, q});
    give_work(x, work);
    return !numbers_finite(c, 1);
}

int formula_row_range(void *self, int row, const carom_range t[2], const carom_range *q, const carom_range *q_rate,
                      carom_range *c, carom_range *c_rate) {
    context *x = self;
    double *work = get_work(x);
    if (!work) return 1;
    const evaluation e = formula_evaluation(x, work);
    instances_bound_row(&e, x->owner[row], (const tape_ranges[TAPE_BLOCKS]){{&t[0], &t[1]}, {q, q_rate}}, c, c_rate);
    give_work(x, work);
    return 0;
}

void formula_table(context *x, const formula_def *d, carom_model_def *table) {
    table->context = x;
    table->kinematics = kinematics;
    table->mass = mass, table->mass_q = mass_q;
    table->force = force, table->momentum = momentum;
    table->position = position, table->velocity = velocity, table->velocity_rate = velocity_rate;
    table->direction_q = direction_q;
    table->displacement = d->displacement ? displacement : NULL;
    table->energy = energy, table->power = power;
    table->symmetry = d->symmetries ? symmetry : NULL;
    table->slip_scale = d->slip_scale ? slip_scale : NULL;
    table->friction = d->curves ? formula_friction : NULL;
    table->friction_tangent = d->curves ? formula_friction_tangent : NULL;
    table->friction_cotangent = d->curves ? formula_friction_cotangent : NULL;
    table->restitution = d->restitution ? restitution : NULL;
    table->restitution_tangent = d->restitution ? formula_restitution_tangent : NULL;
    table->restitution_cotangent = d->restitution ? formula_restitution_cotangent : NULL;
    table->observe = d->observables ? observe : NULL;
    table->anchor = d->anchors ? anchor : NULL;
    table->support = d->supports ? support : NULL;
    if (x->size[SWITCHING][0]) table->switching = switching, table->take_sides = take_sides;
    table->ranges = ranges;
    table->tangent = formula_tangent;
    table->assign_tangent = d->parameters ? formula_assign_tangent : NULL;
    table->cotangent = formula_cotangent, table->constants_by = formula_constants_by;
    table->constants = (int)(x->image_size + x->open_numbers);
}
