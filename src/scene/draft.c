#include "draft.h"

#include "error.h"

#include <math.h>
#include <string.h>

/* ---- formulas */

void draft_begin_element(draft *d) {
    d->element = ++d->elements;
}

void draft_end_element(draft *d) {
    d->element = 0;
}

carom_status draft_reserve(draft *d, formula_part part, int count) {
    formulas *f = &d->of[part];
    int room[5] = {f->room, f->room, f->room, f->room, f->room}, more = count - f->count;
    f->names = arena_grow(d->n->memory, f->names, f->count, more, &room[0], sizeof *f->names);
    f->owners = arena_grow(d->n->memory, f->owners, f->count, more, &room[4], sizeof *f->owners);
    f->at = arena_grow(d->n->memory, f->at, f->count, more, &room[1], sizeof *f->at);
    f->where = arena_grow(d->n->memory, f->where, f->count, more, &room[2], sizeof *f->where);
    f->element = arena_grow(d->n->memory, f->element, f->count, more, &room[3], sizeof *f->element);
    f->room = room[0];
    return f->names && f->owners && f->at && f->where && f->element ? CAROM_OK : carom_error_memory(d->n->error);
}

carom_status draft_append(draft *d, formula_part part, const char *name, expr value, const node *where) {
    return draft_append_owned(d, part, NULL, name, value, where);
}

carom_status draft_append_owned(draft *d, formula_part part, const char *owner, const char *name, expr value,
                                const node *where) {
    formulas *f = &d->of[part];
    carom_status status = value < 0 ? carom_error_memory(d->n->error) : draft_reserve(d, part, f->count + 1);
    if (status) return status;
    f->names[f->count] = name, f->owners[f->count] = owner, f->at[f->count] = value, f->where[f->count] = where;
    f->element[f->count] = d->element;
    f->count++;
    return CAROM_OK;
}

/* index: the velocity, of a force */
static carom_status add_piece(draft *d, formula_part part, int index, expr value) {
    if (value < 0) return carom_error_memory(d->n->error);
    if (expr_equals(d->n->g, value, 0)) return CAROM_OK;
    d->piece = arena_grow(d->n->memory, d->piece, d->pieces, 1, &d->piece_room, sizeof *d->piece);
    if (!d->piece) return carom_error_memory(d->n->error);
    d->piece[d->pieces++] = (formula_piece){part, index, value, d->element};
    return CAROM_OK;
}

static carom_status add_effect(draft *d, expr value, bool energy, const node *where) {
    if (value < 0) return carom_error_memory(d->n->error);
    d->effect = arena_grow(d->n->memory, d->effect, d->effects, 1, &d->effect_room, sizeof *d->effect);
    if (!d->effect) return carom_error_memory(d->n->error);
    d->effect[d->effects++] = (effect){value, energy, where};
    return CAROM_OK;
}

carom_status draft_energy(draft *d, formula_part part, expr value, const node *where) {
    formulas *f = &d->of[part];
    carom_status status = add_effect(d, value, true, where);
    if (!status) status = add_piece(d, part, 0, value);
    if (status || !f->count) return status ? status : draft_append(d, part, "", value, where);
    f->at[0] = expr_add(d->n->g, f->at[0], value);
    return f->at[0] < 0 ? carom_error_memory(d->n->error) : CAROM_OK;
}

carom_status draft_elastic(draft *d, elastic_element e, const expr *given, const node *where) {
    const int count = e.kind->given;
    d->elastic = arena_grow(d->n->memory, d->elastic, d->elastics, 1, &d->elastic_room, sizeof *d->elastic);
    d->elastic_number = arena_grow(d->n->memory, d->elastic_number, d->elastic_numbers, count, &d->elastic_number_room,
                                   sizeof *d->elastic_number);
    if (!d->elastic || !d->elastic_number) return carom_error_memory(d->n->error);
    d->elastic[d->elastics++] = e;
    for (int i = 0; i < count; i++) {
        if (given[i] < 0) return carom_error_memory(d->n->error);
        d->elastic_number[d->elastic_numbers++] = given[i];
    }
    return draft_append(d, FORMULA_ELASTIC, e.kind->name, expr_number(d->n->g, 0), where);
}

carom_status draft_support(draft *d, support_of of, const char *name, vec v, expr turning, const node *where) {
    d->support = arena_grow(d->n->memory, d->support, d->supports, 1, &d->support_room, sizeof *d->support);
    if (!d->support) return carom_error_memory(d->n->error);
    d->support[d->supports++] = of;
    carom_status status = CAROM_OK;
    for (int i = 0; i < 3 && !status; i++) status = draft_append(d, FORMULA_SUPPORT, name, v.at[i], where);
    return status ? status : draft_append(d, FORMULA_SUPPORT, name, turning, where);
}

/* ---- forces */

carom_status draft_force(draft *d, int j, expr value, const node *where) {
    formulas *f = &d->of[FORMULA_FORCE];
    f->at[j] = value;
    f->where[j] = where;
    carom_status status = add_piece(d, FORMULA_FORCE, j, value);
    return status ? status : add_effect(d, value, false, where);
}

/* Adds the forces f, from the vector, to the velocities of a member. */
static carom_status add_forces(draft *d, const member *m, const expr f[BODY_U], vec of, const node *where) {
    carom_status status = CAROM_OK;
    expr *sum = d->of[FORMULA_FORCE].at + m->u;
    for (int i = 0; i < 3 && !status; i++) status = add_effect(d, of.at[i], false, where);
    for (int i = 0; i < m->body.nu && !status; i++) {
        status = add_piece(d, FORMULA_FORCE, m->u + i, f[i]);
        if (!status) sum[i] = expr_add(d->n->g, sum[i], f[i]);
        if (!status && sum[i] < 0) status = carom_error_memory(d->n->error);
    }
    return status;
}

static void no_forces(draft *d, expr f[BODY_U]) {
    const expr zero = expr_number(d->n->g, 0);
    for (int i = 0; i < BODY_U; i++) f[i] = zero;
}

carom_status draft_push(draft *d, int i, vec x, vec F, const node *where) {
    const member *m = &d->members.at[i];
    expr f[BODY_U];
    no_forces(d, f);
    body_push(d->n->g, &m->body, x, F, f);
    return add_forces(d, m, f, F, where);
}

carom_status draft_twist(draft *d, int i, vec torque, const node *where) {
    const member *m = &d->members.at[i];
    expr f[BODY_U];
    no_forces(d, f);
    body_twist(d->n->g, &m->body, torque, f);
    return add_forces(d, m, f, torque, where);
}

static bool finite_at(draft *d, const effect *e, const double *values, expr_entry *slope) {
    graph *g = d->n->g;
    if (!isfinite(expr_value(g, e->value, values))) return false;
    int slopes = e->energy ? expr_gradient_sparse(g, e->value, 1, d->nq + d->nu, slope) : 0;
    for (int i = 0; i < slopes; i++)
        if (slope[i].value >= 0 && !isfinite(expr_value(g, slope[i].value, values))) return false;
    return true;
}

const node *draft_infinite(draft *d) {
    const carom_model_def *def = carom_model_get(d->scene->model);
    double *values = zeros(d, 1 + d->nq + d->nu, sizeof *values);
    expr_entry *slope = zeros(d, d->nq + d->nu, sizeof *slope);
    if (!values || !slope) return NULL;
    values[0] = def->t0;
    memcpy(values + 1, def->q0, (size_t)d->nq * sizeof *values);
    memcpy(values + 1 + d->nq, def->u0, (size_t)d->nu * sizeof *values);
    for (int i = 0; i < d->effects; i++)
        if (!finite_at(d, &d->effect[i], values, slope)) return d->effect[i].where;
    return NULL;
}

/* ---- names and values */

/* "wall", or "coin3.table12" with the name of what it belongs to in front. */
static bool is_label(const char *name) {
    const char *letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    size_t length = strspn(name, letters);
    bool begins = length > 0 && !(*name >= '0' && *name <= '9');
    return begins && (name[length] == '.' ? is_label(name + length + 1) : !name[length]);
}

carom_status draft_label(draft *d, const char *name, const node *key) {
    carom_error *error = d->n->error;
    if (!is_label(name)) return node_error(error, key, "'%.80s' is not a name", name);
    if (table_find(&d->labels, name))
        return node_error(error, key, "there are two constraints or contacts named '%s'", name);
    return table_add(d->n->memory, &d->labels, name, SYMBOL_CONTACT, key) ? CAROM_OK : carom_error_memory(error);
}

carom_status draft_define(draft *d, const element *e, const char *what, expr value, const char *unit) {
    const char *name = arena_format(d->n->memory, "%s.%s", e->name, what);
    if (name && table_find(&d->n->symbols, name))
        return node_error(d->n->error, e->key, "the name '%s' is taken", e->name);
    symbol *s = name ? table_add(d->n->memory, &d->n->symbols, name, SYMBOL_DEFINITION, e->key) : NULL;
    if (!s || value < 0) return carom_error_memory(d->n->error);
    s->state = SYMBOL_KNOWN, s->value = value, s->unit = unit;
    return CAROM_OK;
}

void draft_set_start(draft *d, int place, expr value) {
    d->start_of[place] = value;
    d->start[place] = expr_value(d->n->g, value, NULL);
}

carom_status draft_start_look(draft *d, expr e, double *value) {
    *value = e < 0 ? 0 : expr_value(d->n->g, e, d->start);
    return e < 0 ? carom_error_memory(d->n->error) : CAROM_OK;
}

/* The symbols of e at the initial state, in d->beginning. by_parameters: whether parameters change any of them. */
static carom_status find_beginning(draft *d, expr e, bool *by_parameters) {
    graph *g = d->n->g;
    int length;
    if (!d->beginning) d->beginning = zeros(d, d->first_u + d->nu, sizeof *d->beginning);
    const expr *order = d->beginning ? graph_order(g, &e, 1, &length) : NULL;
    if (!order) return carom_error_memory(d->n->error);
    for (int k = 0; k < length; k++) {
        const int id = expr_symbol_of(g, order[k]);
        const bool still = id >= STILL_SYMBOLS;
        if (id < 0 || (!still && id >= d->first_u + d->nu)) continue;
        const expr start = still ? order[k] : d->start_of[id] < 0 ? expr_number(g, d->start[id]) : d->start_of[id];
        if (!still) d->beginning[id] = start;
        *by_parameters = *by_parameters || expr_rank_of(g, start) == RANK_PARAMETER;
    }
    return CAROM_OK;
}

/* Inputs have their first values here. */
carom_status draft_start_value(draft *d, expr e, expr *value) {
    graph *g = d->n->g;
    double now;
    bool by_parameters = false;
    carom_status status = draft_start_look(d, e, &now);
    if (!status) status = find_beginning(d, e, &by_parameters);
    if (status) return status;
    *value = by_parameters ? expr_substitute(g, e, 0, d->first_u + d->nu, d->beginning) : expr_number(g, now);
    for (int i = 0; i < d->inputs && expr_rank_of(g, *value) == RANK_INPUT; i++) {
        const expr first = expr_number(g, expr_value(g, d->input[i]->value, NULL));
        *value = expr_substitute(g, *value, expr_symbol_of(g, d->input[i]->value), 1, &first);
    }
    return *value < 0 ? carom_error_memory(d->n->error) : CAROM_OK;
}
