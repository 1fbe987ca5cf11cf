/* The exact solution a scene may give: coordinates and velocities as formulas of t and parameters. */
#include "error.h"
#include "model/formula/tape.h"
#include "scene.h"

#include <math.h>
#include <stdlib.h>

struct exact_solution {
    tape *tape;
    int *index; /* [count] of a coordinate, or nq + that of a velocity */
    int count;
    double *work, *values;
};

static carom_status no_variable(names *n, const carom_model_def *d, const element *e) {
    const char **known = arena_get(n->memory, (size_t)(d->nq + d->nu) * sizeof *known);
    if (!known) return carom_error_memory(n->error);
    for (int i = 0; i < d->nq + d->nu; i++) known[i] = i < d->nq ? d->q_names[i] : d->u_names[i - d->nq];
    return node_error_near(n->error, e->key, e->name, known, d->nq + d->nu, "there is no coordinate or velocity '%s'",
                           e->name);
}

/* value[i]: -1 where it is not given */
static carom_status read_formula(names *n, const carom_model_def *d, const element *e, expr *value) {
    const symbol *s = table_find(&n->symbols, e->name);
    bool coordinate = s && s->kind == SYMBOL_COORDINATE;
    if (!coordinate && (!s || s->kind != SYMBOL_VELOCITY)) return no_variable(n, d, e);
    expr *at = &value[coordinate ? s->id : d->nq + s->id];
    if (*at >= 0) return node_error(n->error, e->key, "the exact solution of '%s' is given twice", e->name);
    carom_status status = names_formula(n, e->value, &e->index, at);
    if (!status && expr_depends(n->g, *at, 1, d->nq + d->nu))
        status = node_error(n->error, e->value, "the exact solution of '%s' may use t and parameters only", e->name);
    return status;
}

/* x_dot of a coordinate x with a velocity of its own is the derivative of x, unless it is given itself. */
static carom_status differentiate(names *n, const carom_model_def *d, expr *value) {
    for (int i = 0; i < d->nq; i++) {
        const char *name = value[i] < 0 ? NULL : arena_format(n->memory, "%s_dot", d->q_names[i]);
        if (value[i] < 0) continue;
        if (!name) return carom_error_memory(n->error);
        const symbol *rate = table_find(&n->symbols, name);
        if (rate->kind != SYMBOL_VELOCITY || value[d->nq + rate->id] >= 0) continue;
        if ((value[d->nq + rate->id] = expr_derivative(n->g, value[i], 0)) < 0) return carom_error_memory(n->error);
    }
    return CAROM_OK;
}

static carom_status compile(carom_scene *scene, names *n, int most, expr *value) {
    exact_solution *x = scene->exact = arena_get(n->memory, sizeof *x);
    if (!x || !(x->index = arena_get(n->memory, (size_t)most * sizeof *x->index))) return carom_error_memory(n->error);
    for (int i = 0; i < most; i++) {
        if (value[i] < 0) continue;
        value[x->count] = value[i];
        x->index[x->count++] = i;
    }
    const tape_array array = {value, x->count};
    const tape_layout layout = {{0, 1, 1, 1, 1}};
    if (!(x->tape = tape_compile(n->g, &array, 1, &layout))) return carom_error_memory(n->error);
    x->work = arena_get(n->memory, ((size_t)tape_registers(x->tape) + 1) * sizeof *x->work);
    x->values = arena_get(n->memory, ((size_t)x->count + 1) * sizeof *x->values);
    return x->work && x->values ? CAROM_OK : carom_error_memory(n->error);
}

carom_status build_exact(carom_scene *scene, names *n) {
    const carom_model_def *d = carom_model_get(scene->model);
    const node *map = yaml_find(scene->root, "exact");
    elements list = {0};
    carom_status status = names_expand(n, map, "exact", false, &list);
    if (status || !list.count) return status;
    expr *value = arena_get(n->memory, (size_t)(d->nq + d->nu) * sizeof *value);
    if (!value) return carom_error_memory(n->error);
    for (int i = 0; i < d->nq + d->nu; i++) value[i] = -1;
    for (int i = 0; i < list.count && !status; i++) status = read_formula(n, d, &list.at[i], value);
    if (!status) status = differentiate(n, d, value);
    return status ? status : compile(scene, n, d->nq + d->nu, value);
}

void exact_destroy(exact_solution *x) {
    if (x) tape_destroy(x->tape);
}

bool scene_exact(const carom_scene *scene, double t, double *q, double *u) {
    const exact_solution *x = scene->exact;
    if (!x) return false;
    const carom_model_def *d = carom_model_get(scene->model);
    for (int i = 0; i < d->nq; i++) q[i] = NAN;
    for (int i = 0; i < d->nu; i++) u[i] = NAN;
    const double *const blocks[TAPE_BLOCKS] = {&t};
    double *const arrays[TAPE_ARRAYS] = {x->values};
    tape_run(x->tape, blocks, x->work, arrays);
    for (int k = 0; k < x->count; k++)
        *(x->index[k] < d->nq ? &q[x->index[k]] : &u[x->index[k] - d->nq]) = x->values[k];
    return true;
}

void scene_exact_given(const carom_scene *scene, bool *q, bool *u) {
    const exact_solution *x = scene->exact;
    const carom_model_def *d = carom_model_get(scene->model);
    for (int i = 0; i < d->nq; i++) q[i] = false;
    for (int i = 0; i < d->nu; i++) u[i] = false;
    for (int k = 0; x && k < x->count; k++) *(x->index[k] < d->nq ? &q[x->index[k]] : &u[x->index[k] - d->nq]) = true;
}
