/* Formula models: the equations of motion compiled to tapes behind the table of functions of a model. */
#include "formula_model.h"
#include "formula_context.h"
#include "model/model.h"

#include "equations.h"
#include "error.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LOCAL = 1024 }; /* registers on the stack */

/* ---------------------------------------------------------------- evaluation */

static bool all_finite(const double *x, int n) {
    bool finite = true;
    for (int i = 0; i < n; i++) finite &= fabs(x[i]) <= DBL_MAX;
    return finite;
}

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

const int *sides_of(const context *x) {
    return held.of == x ? held.side : NULL;
}

double *take_work(context *x, size_t size) {
    return atomic_flag_test_and_set_explicit(&x->work_taken, memory_order_acquire) ? malloc(size * sizeof(double))
                                                                                   : x->work;
}

void give_work(context *x, double *work) {
    if (work != x->work) free(work);
    else atomic_flag_clear_explicit(&x->work_taken, memory_order_release);
}

static bool are_finite(const callback *c, double *const outputs[]) {
    for (int i = 0; i < OUTPUTS; i++)
        if (outputs[i] && !all_finite(outputs[i], c->size[i])) return false;
    return true;
}

const double *image_of(const context *x, const callback *c, unsigned selection) {
    return x->image ? x->image + c->image[selection] : tape_image(c->tapes[selection]);
}

static int run_with(const context *x, const callback *c, unsigned selection, const double *const blocks[],
                    double *const outputs[], double *work) {
    const tape *code = c->tapes[selection];
    const double *image = image_of(x, c, selection);
    tape_run_held(code, image, blocks, sides_of(x), work, outputs);
    if (are_finite(c, outputs)) return 0;
    return !tape_run_without_zeros(code, image, blocks, sides_of(x), work, outputs) || !are_finite(c, outputs);
}

/* Registers on the stack, else in the work space of the model. */
static int run(context *x, const callback *c, const double *const blocks[], double *const outputs[TAPE_ARRAYS]) {
    unsigned selection = 0;
    for (unsigned i = 0; i < OUTPUTS; i++) selection |= outputs[i] ? 1u << i & c->present : 0;
    if (!selection) return 0;
    const tape *code = c->tapes[selection];
    if (tape_registers(code) <= LOCAL) {
        double local[LOCAL];
        return run_with(x, c, selection, blocks, outputs, local);
    }
    double *work = take_work(x, (size_t)tape_registers(code));
    if (!work) return 1;
    int status = run_with(x, c, selection, blocks, outputs, work);
    give_work(x, work);
    return status;
}

/* A jet takes as much room as JET doubles. */
enum { JET = (sizeof(jet) + sizeof(double) - 1) / sizeof(double) };

static int bound(context *x, const callback *c, const tape_ranges blocks[TAPE_BLOCKS], carom_range *value,
                 carom_range *rate) {
    const tape *code = c->tapes[1];
    if (!code || (!value && !rate)) return 0;
    double *work = take_work(x, (size_t)tape_registers(code) * JET);
    if (!work) return 1;
    tape_bound(code, image_of(x, c, 1), blocks, sides_of(x), (jet *)(void *)work, value, rate);
    give_work(x, work);
    return 0;
}

/* The forces of the elastic elements, added to what the tapes wrote (F16). */
static int add_elastic(const context *x, const callback *c, const double *q, double *f, double *f_q,
                       elastic_matrix matrix) {
    if (!x->elastic || (!f && !f_q)) return 0;
    int status = elastics_add(x->elastic, q, NULL, f, f_q, matrix);
    return status || (f && !all_finite(f, c->size[0])) || (f_q && !all_finite(f_q, c->size[1]));
}

/* ---------------------------------------------------------------- the table of functions */

static int kinematics(void *x, double t, const double *q, const double *u, double *q_dot, double *B, double *q_dot_q) {
    context *m = x;
    return run(m, &m->kinematics, (const double *[]){&t, q, u, NULL}, (double *[]){q_dot, B, q_dot_q, NULL});
}

static int mass(void *x, double t, const double *q, double *M) {
    context *m = x;
    return run(m, &m->mass, (const double *[]){&t, q, NULL, NULL}, (double *[]){M, NULL, NULL, NULL});
}

static int mass_q(void *x, double t, const double *q, const double *v, double *Mv_q) {
    context *m = x;
    return run(m, &m->mass_q, (const double *[]){&t, q, NULL, v}, (double *[]){Mv_q, NULL, NULL, NULL});
}

static int force(void *x, double t, const double *q, const double *u, double *h, double *h_q, double *h_u) {
    context *m = x;
    int status = run(m, &m->force, (const double *[]){&t, q, u, NULL}, (double *[]){h, h_q, h_u, NULL});
    return status ? status : add_elastic(m, &m->force, q, h, h_q, ELASTIC_H_Q);
}

static int momentum(void *x, double t, const double *q, const double *u, double *p, double *p_q, double *b, double *b_q,
                    double *b_u) {
    context *m = x;
    const double *blocks[] = {&t, q, u, NULL};
    int status = run(m, &m->momentum_p, blocks, (double *[]){p, p_q, NULL, NULL});
    if (!status) status = run(m, &m->momentum_b, blocks, (double *[]){b, b_q, b_u, NULL});
    return status ? status : add_elastic(m, &m->momentum_b, q, b, b_q, ELASTIC_B_Q);
}

static int position(void *x, double t, const double *q, double *c, double *c_q) {
    context *m = x;
    return run(m, &m->position, (const double *[]){&t, q, NULL, NULL}, (double *[]){c, c_q, NULL, NULL});
}

static int velocity(void *x, double t, const double *q, const double *u, double *s, double *WT, double *s_q) {
    context *m = x;
    return run(m, &m->velocity, (const double *[]){&t, q, u, NULL}, (double *[]){s, WT, s_q, NULL});
}

static int velocity_rate(void *x, double t, const double *q, const double *u, double *zeta) {
    context *m = x;
    return run(m, &m->velocity_rate, (const double *[]){&t, q, u, NULL}, (double *[]){zeta, NULL, NULL, NULL});
}

static int direction_q(void *x, double t, const double *q, const double *r, double *Wr_q) {
    context *m = x;
    return run(m, &m->direction_q, (const double *[]){&t, q, NULL, r}, (double *[]){Wr_q, NULL, NULL, NULL});
}

static int displacement(void *x, double t, const double *q, double *d, double *d_q) {
    context *m = x;
    return run(m, &m->displacement, (const double *[]){&t, q, NULL, NULL}, (double *[]){d, d_q, NULL, NULL});
}

static int energy(void *x, double t, const double *q, const double *u, double *T, double *V) {
    context *m = x;
    int status = run(m, &m->energy, (const double *[]){&t, q, u, NULL}, (double *[]){T, V, NULL, NULL});
    if (status || !m->elastic || !V) return status;
    status = elastics_add(m->elastic, q, V, NULL, NULL, ELASTIC_H_Q);
    return status || !all_finite(V, 1);
}

static int power(void *x, double t, const double *q, const double *u, double *value, double *G) {
    context *m = x;
    return run(m, &m->power, (const double *[]){&t, q, u, NULL}, (double *[]){value, G, NULL, NULL});
}

static int symmetry(void *x, double t, const double *q, double *xi) {
    context *m = x;
    return run(m, &m->symmetry, (const double *[]){&t, q, NULL, NULL}, (double *[]){xi, NULL, NULL, NULL});
}

static int restitution(void *x, const double *speed, double *e) {
    context *m = x;
    return run(m, &m->restitution, (const double *[]){NULL, NULL, NULL, speed}, (double *[]){e, NULL, NULL, NULL});
}

static int observe(void *x, double t, const double *q, const double *u, double *values) {
    context *m = x;
    return run(m, &m->observe, (const double *[]){&t, q, u, NULL}, (double *[]){values, NULL, NULL, NULL});
}

static int anchor(void *x, double t, const double *q, double *values) {
    context *m = x;
    return run(m, &m->anchor, (const double *[]){&t, q, NULL, NULL}, (double *[]){values, NULL, NULL, NULL});
}

static int support(void *x, double t, const double *q, const double *u, double *v) {
    context *m = x;
    return run(m, &m->support, (const double *[]){&t, q, u, NULL}, (double *[]){v, NULL, NULL, NULL});
}

static int switching(void *x, double t, const double *q, const double *u, double *a) {
    context *m = x;
    return run(m, &m->switching, (const double *[]){&t, q, u, NULL}, (double *[]){a, NULL, NULL, NULL});
}

static int ranges(void *x, const carom_range t[2], const carom_range *q, const carom_range *q_rate,
                  const carom_range *u, const carom_range *u_rate, carom_range *c, carom_range *c_rate, carom_range *a,
                  carom_range *a_rate) {
    context *m = x;
    const tape_ranges moving[TAPE_BLOCKS] = {{&t[0], &t[1]}, {q, q_rate}, {u, u_rate}},
                      resting[TAPE_BLOCKS] = {{&t[0], NULL}, {q, NULL}, {u, NULL}};
    return bound(m, &m->position, c_rate ? moving : resting, c, c_rate) ||
           bound(m, &m->switching, a_rate ? moving : resting, a, a_rate);
}

/* ---------------------------------------------------------------- parameters and inputs */

void list_callbacks(context *m, callback *list[CALLBACKS]) {
    callback *all[CALLBACKS] = {&m->kinematics, &m->mass,      &m->mass_q,        &m->force,       &m->momentum_p,
                                &m->momentum_b, &m->position,  &m->velocity,      &m->direction_q, &m->energy,
                                &m->power,      &m->symmetry,  &m->velocity_rate, &m->observe,     &m->support,
                                &m->anchor,     &m->switching, &m->displacement,  &m->restitution, &m->values};
    memcpy(list, all, sizeof all);
}

/* Another context with values of its own: it shares the tapes, not their images. */
static void *fork_context(void *x) {
    const context *m = x;
    context *other = malloc(sizeof *other);
    if (!other) return NULL;
    memcpy(other, m, sizeof *other);
    atomic_flag_clear(&other->work_taken);
    other->fork = true;
    other->image_rate = NULL;
    other->still = malloc(((size_t)m->stills + 1) * sizeof *other->still);
    other->image = malloc((m->image_size + 1) * sizeof *other->image);
    other->work = malloc((m->work_size + 1) * sizeof *other->work);
    if (!other->still || !other->image || !other->work) {
        free(other->still), free(other->image), free(other->work), free(other);
        return NULL;
    }
    other->still[0] = NAN; /* nothing is set yet */
    return other;
}

/* The constants of all tapes that depend on what has changed. */
static void set_images(context *m, expr_rank changed) {
    callback *all[CALLBACKS];
    list_callbacks(m, all);
    for (int i = 0; i < CALLBACKS; i++)
        for (unsigned k = 0; k < SELECTIONS; k++) {
            const tape *t = all[i]->tapes[k];
            if (t && (changed != RANK_INPUT || tape_live(t)))
                tape_set(t, m->still, m->work, m->image + all[i]->image[k]);
        }
}

static void assign_stills(context *m, const double *parameter, const double *input) {
    expr_rank changed = isnan(m->still[0]) ? RANK_PARAMETER : RANK_NUMBER;
    for (int i = 0; i < m->parameters + m->inputs; i++) {
        const bool first = i < m->parameters;
        const double value = first ? parameter[i] : input[i - m->parameters];
        if (m->symbol[i] < 0 || memcmp(&m->still[m->symbol[i]], &value, sizeof value) == 0) continue;
        m->still[m->symbol[i]] = value;
        if (changed != RANK_PARAMETER) changed = first ? RANK_PARAMETER : RANK_INPUT;
    }
    if (changed == RANK_NUMBER) return;
    set_images(m, changed);
    forget_image_rates(m);
}

static int assign(void *x, double *parameter, const double *input, double *q0, double *u0,
                  carom_model_contact *contact) {
    context *m = x;
    assign_stills(m, parameter, input);
    if (!q0 || !m->parameters) return 0;
    double *room = malloc(((size_t)(m->nq + m->nu) + 4 * (size_t)m->contacts + 1) * sizeof *room),
           *c = room + m->nq + m->nu;
    if (!room) return 1;
    int status = run(m, &m->values, (const double *[TAPE_BLOCKS]){NULL}, (double *[]){parameter, room, c, NULL});
    memcpy(q0, room, (size_t)m->nq * sizeof *q0);
    memcpy(u0, room + m->nq, (size_t)m->nu * sizeof *u0);
    for (int k = 0; k < m->contacts; k++, c += 4)
        contact[k].friction = c[0], contact[k].restitution = c[1], contact[k].tangential_restitution = c[2],
        contact[k].rest = c[3];
    free(room);
    return status;
}

/* ---------------------------------------------------------------- compilation */

static void callback_destroy(callback *c) {
    for (int i = 0; i < SELECTIONS; i++) tape_destroy(c->tapes[i]);
}

static void context_destroy(void *x) {
    context *m = x;
    callback *all[CALLBACKS];
    list_callbacks(m, all);
    for (int i = 0; i < CALLBACKS && !m->fork; i++) callback_destroy(all[i]);
    if (!m->fork) elastics_destroy(m->elastic), free(m->symbol);
    forget_image_rates(m);
    free(m->image_rate);
    free(m->still);
    free(m->image);
    free(m->work);
    free(m);
}

static tape_array entries(const expr_matrix *m) {
    return (tape_array){m->value, m->start[m->rows]};
}

/* Selections of outputs without entries are never asked for (run). */
static bool compile(context *x, const equations *e, const switches *sw, callback *c,
                    const tape_array outputs[OUTPUTS]) {
    const tape_layout layout = {{0, e->first_q, e->first_u, e->first_w, e->first_w + e->ns + e->def->nu}};
    for (unsigned i = 0; i < OUTPUTS; i++) {
        c->size[i] = outputs[i].count;
        if (outputs[i].count > 0) c->present |= 1u << i;
    }
    for (unsigned selection = 1; selection < SELECTIONS; selection++) {
        if (selection & ~c->present) continue;
        tape_array selected[OUTPUTS];
        for (unsigned i = 0; i < OUTPUTS; i++) selected[i] = selection >> i & 1 ? outputs[i] : (tape_array){NULL, 0};
        c->tapes[selection] = tape_compile_switched(e->g, selected, OUTPUTS, &layout, sw);
        if (!c->tapes[selection]) return false;
        c->image[selection] = x->image_size;
        x->image_size += (size_t)tape_image_size(c->tapes[selection]);
        size_t registers = 2 * (size_t)tape_registers(c->tapes[selection]); /* values, and their rates */
        if (registers > x->work_size) x->work_size = registers;
    }
    return true;
}

static bool compile_all(context *x, const equations *e, const switches *sw) {
    const formula_def *d = e->def;
    const tape_array none = {NULL, 0};
    bool ok =
        compile(x, e, sw, &x->kinematics, (tape_array[]){{e->q_dot, d->nq}, entries(&e->B), entries(&e->q_dot_q)}) &&
        compile(x, e, sw, &x->mass, (tape_array[]){entries(&e->M), none, none}) &&
        compile(x, e, sw, &x->mass_q, (tape_array[]){entries(&e->Mv_q), none, none}) &&
        compile(x, e, sw, &x->force, (tape_array[]){{e->h, d->nu}, entries(&e->h_q), entries(&e->h_u)}) &&
        compile(x, e, sw, &x->momentum_p, (tape_array[]){{e->p, d->nu}, entries(&e->p_q), none}) &&
        compile(x, e, sw, &x->momentum_b, (tape_array[]){{e->b, d->nu}, entries(&e->b_q), entries(&e->b_u)}) &&
        compile(x, e, sw, &x->position, (tape_array[]){{e->c, e->nc}, entries(&e->c_q), none}) &&
        compile(x, e, sw, &x->velocity, (tape_array[]){{e->s, e->ns}, entries(&e->WT), entries(&e->s_q)}) &&
        compile(x, e, sw, &x->velocity_rate, (tape_array[]){{e->zeta, e->ns}, none, none}) &&
        compile(x, e, sw, &x->direction_q, (tape_array[]){entries(&e->Wr_q), none, none}) &&
        (!d->displacement ||
         compile(x, e, sw, &x->displacement, (tape_array[]){{d->displacement, e->d_q.rows}, entries(&e->d_q), none})) &&
        (!d->restitution ||
         compile(x, e, sw, &x->restitution, (tape_array[]){{d->restitution, d->contacts}, none, none})) &&
        compile(x, e, sw, &x->energy, (tape_array[]){{&e->energy[0], 1}, {&e->energy[1], 1}, none}) &&
        compile(x, e, sw, &x->power, (tape_array[]){{&e->power[0], 1}, {&e->power[1], 1}, none}) &&
        compile(x, e, sw, &x->symmetry, (tape_array[]){{d->symmetry, d->symmetries * d->nu}, none, none}) &&
        compile(x, e, sw, &x->observe, (tape_array[]){{d->observable, d->observables}, none, none}) &&
        compile(x, e, sw, &x->support, (tape_array[]){{d->support, 4 * d->supports}, none, none}) &&
        compile(x, e, sw, &x->anchor, (tape_array[]){{d->anchor, d->anchors}, none, none}) &&
        compile(x, e, sw, &x->switching, (tape_array[]){{switches_arguments(sw), switches_count(sw)}, none, none}) &&
        (!d->parameters ||
         compile(x, e, sw, &x->values,
                 (tape_array[]){
                     {d->parameter, d->parameters}, {d->start, d->nq + d->nu}, {d->coefficient, 4 * d->contacts}}));
    const tape *bounded[] = {x->position.tapes[1], x->switching.tapes[1]};
    for (int i = 0; i < 2; i++)
        if (bounded[i] && (size_t)tape_registers(bounded[i]) * JET > x->work_size)
            x->work_size = (size_t)tape_registers(bounded[i]) * JET;
    x->work = ok ? malloc((x->work_size + 1) * sizeof *x->work) : NULL;
    return x->work != NULL;
}

/* ---------------------------------------------------------------- the model */

static carom_pattern pattern(const expr_matrix *m) {
    return (carom_pattern){m->rows, m->cols, m->start, m->index};
}

static carom_model_def fill(const formula_def *d, const equations *e, const switches *sw, context *x) {
    carom_model_def def = carom_model_default();
    def.nq = d->nq, def.nu = d->nu, def.ng = d->ng, def.ngamma = d->ngamma, def.contacts = d->contacts;
    def.q_names = d->q_names, def.u_names = d->u_names, def.g_names = d->g_names, def.gamma_names = d->gamma_names;
    def.contact = d->contact;
    def.q0 = d->q0, def.u0 = d->u0, def.t0 = d->t0;
    def.context = x, def.destroy = context_destroy;
    if (!e->trivial) def.kinematics = kinematics, def.B = pattern(&e->B), def.q_dot_q = pattern(&e->q_dot_q);
    def.rotations = d->rotations, def.rotation = d->rotation;
    def.mass = mass, def.M = pattern(&e->M);
    if (e->Mv_q.start[d->nu] > 0) def.mass_q = mass_q, def.Mv_q = pattern(&e->Mv_q);
    def.force = force, def.h_q = pattern(&e->h_q), def.h_u = pattern(&e->h_u);
    def.momentum = momentum, def.p_q = pattern(&e->p_q), def.b_q = pattern(&e->b_q), def.b_u = pattern(&e->b_u);
    def.position = position, def.c_q = pattern(&e->c_q);
    def.velocity = velocity, def.WT = pattern(&e->WT), def.s_q = pattern(&e->s_q);
    def.velocity_rate = velocity_rate;
    def.direction_q = direction_q, def.Wr_q = pattern(&e->Wr_q);
    if (d->displacement) def.displacement = displacement, def.d_q = pattern(&e->d_q);
    if (d->restitution) def.restitution = restitution;
    def.sequential = d->sequential;
    def.rheonomic = e->rheonomic;
    def.energy = energy;
    if (!expr_equals(e->g, e->power[0], 0) || !expr_equals(e->g, e->power[1], 0)) def.power = power;
    def.symmetries = d->symmetries, def.symmetry_names = d->symmetry_names;
    if (d->symmetries) def.symmetry = symmetry;
    def.observables = d->observables, def.observable_names = d->observable_names;
    if (d->observables) def.observe = observe;
    def.anchors = d->anchors, def.anchor_q = d->anchor_q;
    if (d->anchors) def.anchor = anchor;
    def.supports = d->supports, def.support_row = d->support_row;
    if (d->supports) def.support = support;
    def.switches = switches_count(sw), def.switch_names = switches_names(sw), def.switch_info = switches_info(sw);
    if (def.switches) def.switching = switching, def.take_sides = take_sides;
    def.ranges = ranges;
    def.parameters = d->parameters, def.parameter_names = d->parameter_names, def.parameter_fixed = d->parameter_fixed;
    def.inputs = d->inputs, def.input_names = d->input_names;
    if (d->parameters + d->inputs) def.fork = fork_context, def.assign = assign;
    def.tangent = formula_tangent;
    if (d->parameters) def.assign_tangent = formula_assign_tangent;
    return def;
}

static bool is_constant(const graph *g, const expr_matrix *m) {
    for (int k = 0; k < m->start[m->rows]; k++)
        if (expr_rank_of(g, m->value[k]) < RANK_PARAMETER) return false;
    return true;
}

/* Which still symbols the parameters and inputs are, and their values; these in value[parameters + inputs], too. */
static bool place_stills(context *x, const formula_def *d, double *value) {
    const int count = d->parameters + d->inputs;
    x->parameters = d->parameters, x->inputs = d->inputs, x->stills = graph_stills(d->g);
    x->nq = d->nq, x->nu = d->nu, x->contacts = d->contacts;
    x->symbol = malloc(((size_t)count + 1) * sizeof *x->symbol);
    for (int i = 0; x->symbol && i < count; i++) {
        const expr e = i < d->parameters ? d->parameter[i] : d->input[i - d->parameters];
        const int symbol = expr_symbol_of(d->g, e);
        x->symbol[i] = symbol < 0 ? -1 : symbol - STILL_SYMBOLS;
        value[i] = expr_value(d->g, e, NULL);
    }
    return x->symbol != NULL;
}

static bool place_elastics(context *x, const equations *e) {
    const formula_def *d = e->def;
    if (d->elastics > 0)
        x->elastic = elastics_create(d->elastics, d->elastic, (carom_pattern[]){pattern(&e->h_q), pattern(&e->b_q)});
    return d->elastics == 0 || x->elastic;
}

carom_status formula_model_create(const formula_def *def, carom_model **model, formula_part *part, int *index,
                                  carom_error *error) {
    equations e;
    context *x = NULL;
    switches *sw = NULL;
    double *value = malloc(((size_t)(def->parameters + def->inputs) + 1) * sizeof *value);
    *model = NULL;
    carom_status status = equations_derive(def, &e, part, index, error);
    if (!status) {
        sw = equations_switches(&e);
        x = calloc(1, sizeof *x);
        if (x) atomic_flag_clear(&x->work_taken);
        if (!sw || !x || !value || !compile_all(x, &e, sw) || !place_elastics(x, &e) || !place_stills(x, def, value))
            status = carom_error_memory(error);
    }
    if (!status) {
        carom_model_def table = fill(def, &e, sw, x);
        table.parameter = value, table.input = value + def->parameters;
        status = carom_model_create(&table, model, error);
        if (!status) (*model)->constant_mass = is_constant(e.g, &e.M);
    }
    if (status && x) context_destroy(x);
    free(value);
    switches_destroy(sw);
    equations_destroy(&e);
    return status;
}
