/* Parts of a model by formulas: energies, kinematics, forces; symmetries and observables; constraints. */
#include "draft.h"
#include "error.h"
#include "read.h"

#include <stdio.h>
#include <string.h>

/* ---- energies, kinematics, forces, symmetries */

static carom_status add(draft *d, formula_part part, const char *name, const node *text, const parse_index *index) {
    expr value;
    carom_status status = names_formula(d->n, text, index, &value);
    return status ? status : draft_append(d, part, name, value, text);
}

static carom_status add_energy(draft *d, formula_part part, const char *key) {
    const node *text = yaml_find(d->model, key);
    expr value;
    if (!text) return CAROM_OK;
    carom_status status = names_formula(d->n, text, NULL, &value);
    return status ? status : draft_energy(d, part, value, text);
}

static carom_status add_kinematics(draft *d) {
    carom_status status = CAROM_OK;
    for (int i = 0; i < d->nq && !status; i++) {
        const symbol *rate = d->rate[i];
        status = draft_append(d, FORMULA_Q_DOT, rate->name, rate->value, rate->formula ? rate->formula : rate->where);
    }
    return status;
}

/* The velocity a force or a symmetry acts on: x_dot for coordinate x, or a declared one; -1: none. */
static int conjugate(const draft *d, const char *name) {
    const symbol *s = table_find(&d->n->symbols, name);
    if (s && s->kind == SYMBOL_COORDINATE) s = d->rate[s->id];
    else if (s && s->id < d->own) s = NULL;
    return s && s->kind == SYMBOL_VELOCITY ? s->id : -1;
}

/* what: "a force" */
static carom_status no_conjugate(draft *d, const element *e, const char *what) {
    names *n = d->n;
    const symbol *s = table_find(&n->symbols, e->name);
    if (s && s->kind == SYMBOL_COORDINATE)
        return node_error(n->error, e->key, "coordinate '%s' has no velocity of its own, %s acts on the 'velocities'",
                          e->name, what);
    int count = 0;
    const char **known = zeros(d, d->nq + d->nu, sizeof *known);
    if (!known) return carom_error_memory(n->error);
    for (int i = 0; i < d->nq; i++)
        if (d->rate[i]->kind == SYMBOL_VELOCITY) known[count++] = d->q_names[i];
    for (int j = d->own; j < d->nu; j++) known[count++] = d->u_names[j];
    return node_error_near(n->error, e->key, e->name, known, count, "%s needs a coordinate, '%s' is none", what,
                           e->name);
}

/* One formula per velocity, zero where nothing acts. */
static carom_status add_forces(draft *d) {
    elements list = {0};
    formulas *f = &d->of[FORMULA_FORCE];
    carom_status status = names_expand(d->n, yaml_find(d->model, "forces"), "forces", false, &list);
    for (int j = 0; j < d->nu && !status; j++)
        status = draft_append(d, FORMULA_FORCE, d->u_names[j], expr_number(d->n->g, 0), NULL);
    for (int k = 0; k < list.count && !status; k++) {
        const element *e = &list.at[k];
        int j = conjugate(d, e->name);
        if (j < 0) return no_conjugate(d, e, "a force");
        if (f->where[j]) return node_error(d->n->error, e->key, "the force on '%s' is given twice", e->name);
        expr value;
        status = names_formula(d->n, e->value, &e->index, &value);
        if (!status) status = draft_force(d, j, value, e->value);
    }
    return status;
}

carom_status draft_add_formulas(draft *d) {
    carom_status status = add_energy(d, FORMULA_KINETIC, "kinetic");
    if (!status) status = add_energy(d, FORMULA_POTENTIAL, "potential");
    if (!status) status = add_energy(d, FORMULA_DISSIPATION, "dissipation");
    if (!status) status = add_kinematics(d);
    return status ? status : add_forces(d);
}

/* Momentum maps and observables are recorded under names of their own, which no other quantity has. what: "a symmetry"
 */
static carom_status declare_recorded(draft *d, const element *e, const char *what) {
    carom_error *error = d->n->error;
    const symbol *taken = table_find(&d->n->symbols, e->name);
    parse_error illegal;
    if (!parse_is_name(e->name, &illegal)) return node_error(error, e->key, "%s", illegal.message);
    if (names_is_recorded(e->name) || (taken && taken->kind != SYMBOL_PARAMETER && taken->kind != SYMBOL_DEFINITION))
        return node_error(error, e->key, "'%s' is the name of a recorded quantity, %s needs another one", e->name,
                          what);
    if (table_find(&d->recorded, e->name))
        return node_error(error, e->key, "there are two symmetries or observables named '%s'", e->name);
    return table_add(d->n->memory, &d->recorded, e->name, SYMBOL_CONTACT, e->key) ? CAROM_OK
                                                                                  : carom_error_memory(error);
}

/* {x: -y, y: x}: the velocities of the k-th group, zero where none is given. */
static carom_status add_symmetry(draft *d, formulas *f, int k, const element *e) {
    elements list = {0};
    bool whole = draft_is_rigid_motion(d, e->value);
    carom_status status = whole ? CAROM_OK : names_expand(d->n, e->value, e->name, false, &list);
    if (!status && !whole && !list.count)
        return node_error(d->n->error, e->key, "the symmetry '%s' moves nothing", e->name);
    f->names[k] = e->name;
    for (int j = k * d->nu; j < (k + 1) * d->nu; j++) f->at[j] = expr_number(d->n->g, 0);
    if (whole) return draft_rigid_motion(d, e, f->at + k * d->nu);
    for (int i = 0; i < list.count && !status; i++) {
        element *of = &list.at[i];
        int j = conjugate(d, of->name);
        if (j < 0) return no_conjugate(d, of, "a symmetry");
        if (f->where[k * d->nu + j])
            return node_error(d->n->error, of->key, "the symmetry '%s' moves '%s' twice", e->name, of->name);
        f->where[k * d->nu + j] = of->value;
        if (e->index.name) of->index.next = &e->index;
        status = names_formula(d->n, of->value, of->index.name ? &of->index : &e->index, &f->at[k * d->nu + j]);
    }
    return status;
}

carom_status draft_add_symmetries(draft *d) {
    formulas *f = &d->of[FORMULA_SYMMETRY];
    elements list = {0};
    const node *map = yaml_find(d->model, "symmetries");
    carom_status status = names_expand(d->n, map, "symmetries", false, &list);
    if (status) return status;
    if ((double)list.count * d->nu > d->n->elements)
        return node_error(d->n->error, map, "the symmetries make the scene too large");
    status = draft_reserve(d, FORMULA_SYMMETRY, list.count * d->nu);
    for (int k = 0; k < list.count && !status; k++) {
        status = declare_recorded(d, &list.at[k], "a symmetry");
        if (!status) status = add_symmetry(d, f, k, &list.at[k]);
    }
    f->count = list.count * d->nu;
    return status;
}

/* Signals are recorded as observables. */
carom_status draft_add_observables(draft *d) {
    elements list = {0};
    carom_status status = names_expand(d->n, yaml_find(d->model, "observe"), "observe", true, &list);
    for (int k = 0; k < d->signals && !status; k++)
        status = draft_append(d, FORMULA_OBSERVABLE, d->signal[k]->name, d->signal[k]->value, d->signal[k]->where);
    for (int k = 0; k < list.count && !status; k++) {
        const element *e = &list.at[k];
        status = declare_recorded(d, e, "an observable");
        if (!status) status = add(d, FORMULA_OBSERVABLE, e->name, e->value, &e->index);
    }
    return status;
}

/* ---- constraints */

static carom_status add_rows(draft *d, formula_part part, const char *key) {
    elements list = {0};
    carom_status status = names_expand(d->n, yaml_find(d->model, key), key, true, &list);
    for (int i = 0; i < list.count && !status; i++) {
        const element *e = &list.at[i];
        status = draft_label(d, e->name, e->key);
        if (!status) status = add(d, part, e->name, e->value, &e->index);
    }
    return status;
}

carom_status draft_add_constraints(draft *d) {
    carom_status status = add_rows(d, FORMULA_CONSTRAINT, "constraints");
    return status ? status : add_rows(d, FORMULA_VELOCITY_CONSTRAINT, "velocity_constraints");
}
