/* The names of a model: parameters, coordinates, velocities, definitions. */
#include "draft.h"
#include "error.h"

#include <string.h>

static carom_status declare_formulas(names *n, const elements *list, symbol_kind kind) {
    for (int i = 0; i < list->count; i++) {
        const element *e = &list->at[i];
        symbol *s;
        carom_status status = names_declare(n, e->name, kind, e->key, &s);
        if (status) return status;
        if (e->value->kind != NODE_TEXT)
            return node_error(n->error, e->value, "'%s' must be a number or a formula", e->name);
        s->formula = e->value;
        s->index = e->index;
    }
    return CAROM_OK;
}

/* ---- parameters: single ones first, since the bounds of families use them */

static carom_status declare_parameters(draft *d) {
    names *n = d->n;
    const node *map = yaml_find(d->scene->root, "parameters");
    if (map && map->kind != NODE_MAP) return node_error(n->error, map, "'parameters' must be a map from names");
    for (int families = 0; families < 2; families++)
        for (const node *entry = map ? map->first : NULL; entry; entry = entry->next) {
            if ((strchr(entry->key->text, '[') != NULL) != families) continue;
            elements list = {0};
            carom_status status = names_expand_entry(n, entry, true, &list);
            if (!status) status = declare_formulas(n, &list, SYMBOL_PARAMETER);
            if (status) return status;
        }
    return names_settle(n);
}

static carom_status list_parameters(draft *d) {
    carom_scene *scene = d->scene;
    int count = d->n->symbols.count;
    scene->parameter = zeros(d, count, sizeof *scene->parameter);
    scene->parameter_value = zeros(d, count, sizeof *scene->parameter_value);
    if (!scene->parameter || !scene->parameter_value) return carom_error_memory(d->n->error);
    for (const symbol *s = d->n->symbols.first; s; s = s->next) {
        scene->parameter_value[scene->parameters] = expr_value(d->n->g, s->value, NULL);
        scene->parameter[scene->parameters++] = s;
    }
    return CAROM_OK;
}

/* ---- inputs: known before anything moves, so their formulas know parameters and time */

/* A constant is the value at first; anything else is a signal. */
static carom_status declare_input(draft *d, const element *e) {
    names *n = d->n;
    symbol *s;
    double value;
    carom_status status = names_declare(n, e->name, SYMBOL_INPUT, e->key, &s);
    if (!status) status = names_formula(n, e->value, &e->index, &s->value);
    if (status) return status;
    s->state = SYMBOL_KNOWN;
    if (expr_rank_of(n->g, s->value) == RANK_MOVING) {
        d->signal[d->signals++] = s;
        return CAROM_OK;
    }
    if (expr_rank_of(n->g, s->value) == RANK_INPUT)
        return node_error(n->error, e->value, "the value of input '%s' at first must not depend on another input",
                          e->name);
    status = names_number(n, e->value, &e->index, &value);
    s->value = expr_still_symbol(n->g, RANK_INPUT, e->name, value);
    d->input[d->inputs++] = s;
    return status;
}

static carom_status declare_inputs(draft *d) {
    elements list = {0};
    carom_status status = names_expand(d->n, yaml_find(d->scene->root, "inputs"), "inputs", false, &list);
    d->input = zeros(d, list.count, sizeof *d->input), d->input_room = list.count;
    d->signal = zeros(d, list.count, sizeof *d->signal);
    if (!d->input || !d->signal) return carom_error_memory(d->n->error);
    for (int i = 0; i < list.count && !status; i++) status = declare_input(d, &list.at[i]);
    return status;
}

/* ---- coordinates and velocities */

static carom_status declare_variable(draft *d, const char *name, symbol_kind kind, int id, const node *where,
                                     symbol **s) {
    carom_status status = names_declare(d->n, name, kind, where, s);
    if (status) return status;
    (*s)->id = id;
    (*s)->state = SYMBOL_KNOWN;
    (*s)->value = expr_symbol(d->n->g, 1 + id + (kind == SYMBOL_VELOCITY ? d->nq : 0));
    return (*s)->value < 0 ? carom_error_memory(d->n->error) : CAROM_OK;
}

/* map[key] as the initial value of a symbol, 0 where it is not given */
static carom_status initial(draft *d, const element *e, const char *key, int place) {
    const node *text = yaml_find(e->value, key);
    return text ? names_constant(d->n, text, &e->index, &d->start_of[place], &d->start[place]) : CAROM_OK;
}

static carom_status unit_of(draft *d, const element *e, const char **unit) {
    const node *text = yaml_find(e->value, "unit");
    *unit = text ? text->text : NULL;
    return check_text(text, "a unit", d->n->error);
}

static carom_status declare_coordinates(draft *d, const elements *list) {
    carom_status status = CAROM_OK;
    for (int i = 0; i < list->count && !status; i++) {
        const element *e = &list->at[i];
        symbol *s;
        status = declare_variable(d, e->name, SYMBOL_COORDINATE, i, e->key, &s);
        if (!status) status = check_word(e->value, "a coordinate", "model", "coordinates", d->n->error);
        if (!status) status = unit_of(d, e, &s->unit);
        if (!status) status = initial(d, e, "start", 1 + i);
        d->q_names[i] = e->name;
    }
    return status;
}

/* Which coordinates have kinematics: formula[i] of coordinate i, or NULL. */
static carom_status match_kinematics(draft *d, const elements *list, const element **formula) {
    names *n = d->n;
    for (int k = 0; k < list->count; k++) {
        const element *e = &list->at[k];
        const symbol *s = table_find(&n->symbols, e->name);
        if (!s || s->kind != SYMBOL_COORDINATE)
            return node_error_near(n->error, e->key, e->name, d->q_names, d->nq, "there is no coordinate '%s'",
                                   e->name);
        if (formula[s->id]) return node_error(n->error, e->key, "the kinematics of '%s' are given twice", e->name);
        if (e->value->kind != NODE_TEXT)
            return node_error(n->error, e->value, "the kinematics of '%s' must be a formula", e->name);
        formula[s->id] = e;
    }
    return CAROM_OK;
}

/* x_dot of one coordinate: a velocity of its own, or the formula under kinematics. */
static carom_status declare_rate(draft *d, int i, const element *e, const element *formula) {
    names *n = d->n;
    const node *velocity = yaml_find(e->value, "velocity");
    const char *unit = table_find(&n->symbols, e->name)->unit, *name = arena_format(n->memory, "%s_dot", e->name);
    symbol **s = &d->rate[i];
    carom_status status;
    if (!name) return carom_error_memory(n->error);
    if (formula && velocity) return node_error(n->error, velocity, "'%s' has its velocity from 'kinematics'", e->name);
    if (formula) {
        status = names_declare(n, name, SYMBOL_RATE, e->key, s);
        if (!status) (*s)->formula = formula->value, (*s)->index = formula->index;
    } else {
        status = declare_variable(d, name, SYMBOL_VELOCITY, d->nu, e->key, s);
        if (!status) status = initial(d, e, "velocity", d->first_u + d->nu);
        d->u_names[d->nu++] = name;
    }
    if (status || !unit) return status;
    (*s)->unit = arena_format(n->memory, "%s/s", unit);
    return (*s)->unit ? CAROM_OK : carom_error_memory(n->error);
}

static carom_status declare_velocities(draft *d, const elements *list) {
    carom_status status = CAROM_OK;
    for (int i = 0; i < list->count && !status; i++) {
        const element *e = &list->at[i];
        symbol *s;
        status = declare_variable(d, e->name, SYMBOL_VELOCITY, d->nu, e->key, &s);
        if (!status) status = check_word(e->value, "a velocity", "model", "velocities", d->n->error);
        if (!status) status = unit_of(d, e, &s->unit);
        if (!status) status = initial(d, e, "start", d->first_u + d->nu);
        d->u_names[d->nu++] = e->name;
    }
    return status;
}

/* Formulas' own coordinates first, those of bodies after them; the same for velocities. */
static carom_status declare_variables(draft *d) {
    elements coordinates = {0}, velocities = {0}, kinematics = {0};
    names *n = d->n;
    const node *map = yaml_find(d->model, "coordinates");
    carom_status status = names_expand(n, map, "coordinates", false, &coordinates);
    if (!status) status = names_expand(n, yaml_find(d->model, "velocities"), "velocities", false, &velocities);
    if (!status) status = names_expand(n, yaml_find(d->model, "kinematics"), "kinematics", false, &kinematics);
    if (status) return status;
    d->nq = coordinates.count;
    d->nu = coordinates.count - kinematics.count + velocities.count;
    status = draft_list_bodies(d);
    if (!status) status = draft_list_alongs(d);
    if (!status) status = draft_list_joints(d);
    if (status) return status;
    d->nq += d->slacks, d->nu += d->slacks;
    if (!d->nq)
        return node_error(n->error, map ? map : d->model,
                          "the model has no 'coordinates' and no 'bodies', or empty families of them");
    int most = d->nu > 0 ? d->nu : 1, total = d->nu;
    d->q_names = zeros(d, d->nq, sizeof *d->q_names);
    d->u_names = zeros(d, most, sizeof *d->u_names);
    d->start = zeros(d, 1 + d->nq + most, sizeof *d->start);
    d->start_of = zeros(d, 1 + d->nq + most, sizeof *d->start_of);
    d->rate = zeros(d, d->nq, sizeof *d->rate);
    const element **formula = zeros(d, d->nq, sizeof *formula);
    if (!d->q_names || !d->u_names || !d->start || !d->start_of || !d->rate || !formula)
        return carom_error_memory(n->error);
    d->q0 = d->start + 1, d->u0 = d->q0 + d->nq, d->first_u = 1 + d->nq;
    for (int i = 0; i < d->first_u + d->nu; i++) d->start_of[i] = -1;
    d->nu = 0;
    status = declare_coordinates(d, &coordinates);
    if (!status) status = match_kinematics(d, &kinematics, formula);
    for (int i = 0; i < coordinates.count && !status; i++) status = declare_rate(d, i, &coordinates.at[i], formula[i]);
    d->own = d->nu;
    if (!status) status = declare_velocities(d, &velocities);
    d->nu = total;
    if (!status) status = draft_declare_slacks(d);
    return status ? status : draft_declare_bodies(d);
}

carom_status draft_names(draft *d) {
    elements definitions = {0};
    carom_status status = declare_parameters(d);
    if (!status) status = list_parameters(d);
    if (!status) status = declare_inputs(d);
    if (!status) status = draft_expand_chains(d);
    if (!status) status = declare_variables(d);
    if (!status) status = names_expand(d->n, yaml_find(d->model, "define"), "define", true, &definitions);
    if (!status) status = declare_formulas(d->n, &definitions, SYMBOL_DEFINITION);
    if (!status) status = draft_place_members(d);
    if (!status) status = draft_declare_springs(d);
    if (!status) status = draft_declare_joints(d);
    if (!status) status = draft_declare_alongs(d);
    return status ? status : names_settle(d->n);
}
