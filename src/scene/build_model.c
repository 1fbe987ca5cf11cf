/* From the tree to a model: formulas, constraints, contacts, and the check of what came out. */
#include "draft.h"
#include "error.h"
#include "model/formula/formula_model.h"
#include "model/model.h"
#include "read.h"

#include <math.h>
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

static carom_status add_symmetries(draft *d) {
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
static carom_status add_observables(draft *d) {
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

/* ---- constraints and contacts: one set of names, of letters, digits and underscores */

static carom_status add_constraints(draft *d, formula_part part, const char *key) {
    elements list = {0};
    carom_status status = names_expand(d->n, yaml_find(d->model, key), key, true, &list);
    for (int i = 0; i < list.count && !status; i++) {
        const element *e = &list.at[i];
        status = draft_label(d, e->name, e->key);
        if (!status) status = add(d, part, e->name, e->value, &e->index);
    }
    return status;
}

/* Up to three formulas, and where they are. */
static carom_status read_three(draft *d, const element *e, const node *list, expr formula[3], const node *where[3],
                               int *count) {
    bool several = list->kind == NODE_LIST;
    int entries = several ? yaml_count(list) : 1;
    if (entries < 1 || entries > 3) return node_error(d->n->error, list, "a contact has one to three slip components");
    carom_status status = CAROM_OK;
    for (const node *text = several ? list->first : list; text && !status; text = several ? text->next : NULL) {
        where[*count] = text;
        status = names_formula(d->n, text, &e->index, &formula[(*count)++]);
    }
    return status;
}

static carom_status read_slips(draft *d, const element *e, contact_entry *contact, expr slip[3], const node *where[3]) {
    const node *list = yaml_find(e->value, "slip"), *friction = yaml_find(e->value, "friction");
    if (!list && contact->def.friction > 0)
        return node_error(d->n->error, friction, "contact '%s' has friction but no 'slip' velocity to act against",
                          e->name);
    if (!list && friction) return names_number(d->n, friction, &e->index, &contact->def.friction); /* it stays 0 */
    return list ? read_three(d, e, list, slip, where, &contact->def.slips) : CAROM_OK;
}

carom_status draft_displacements(draft *d, const char *name, const expr *displacement, int count, const node *where) {
    carom_status status = CAROM_OK;
    for (int i = 0; i < count && !status; i++)
        status = draft_append(d, FORMULA_DISPLACEMENT, name, displacement[i], where);
    return status;
}

/* The key 'displacement' beside 'slip', as many formulas of the coordinates. */
static carom_status add_displacements(draft *d, const element *e, const contact_entry *entry) {
    const carom_model_contact *contact = &entry->def;
    const node *list = yaml_find(e->value, "displacement"), *where[3];
    expr displacement[3];
    int count = 0;
    if (!list) return CAROM_OK;
    if (entry->scales)
        return node_error(d->n->error, list, "contact '%s' has friction by formula, which knows no displacement",
                          e->name);
    carom_status status = read_three(d, e, list, displacement, where, &count);
    if (!status && count != contact->slips)
        status = node_error(d->n->error, list, "contact '%s' has %d slips and %d displacements", e->name,
                            contact->slips, count);
    return status ? status : draft_displacements(d, e->name, displacement, count, list);
}

/* Units of a contact: gap in m and slip in m/s unless told. */
static carom_status declare_contact(draft *d, const char *name, const node *key, const char *unit) {
    carom_status status = draft_label(d, name, key);
    if (status) return status;
    symbol *s = table_add(d->n->memory, &d->scene->contacts, name, SYMBOL_CONTACT, key);
    if (!s) return carom_error_memory(d->n->error);
    s->id = d->of[FORMULA_GAP].count;
    s->unit = unit ? unit : "m";
    s->rate_unit = arena_format(d->n->memory, "%s/s", s->unit);
    return s->rate_unit ? CAROM_OK : carom_error_memory(d->n->error);
}

/* (L14): friction that is no number, or not the same in all directions, scales the slips. */
static carom_status add_slip(draft *d, const contact_entry *entry, int i, expr slip, const node *where) {
    graph *g = d->n->g;
    const int k = d->of[FORMULA_SLIP].count;
    d->scale = arena_grow(d->n->memory, d->scale, k, 1, &d->scale_room, sizeof *d->scale);
    if (!d->scale) return carom_error_memory(d->n->error);
    d->scale[k] = entry->scales ? entry->scale[entry->scales > 1 ? i : 0] : expr_number(g, 1);
    d->scaled = d->scaled || entry->scales;
    if (entry->scales) slip = expr_mul(g, d->scale[k], slip);
    return draft_append(d, FORMULA_SLIP, entry->def.name, slip, where);
}

/* (L16): contacts with the same formula share it. */
static carom_status add_curve(draft *d, const contact_entry *entry, int contact) {
    d->contact_curve =
        arena_grow(d->n->memory, d->contact_curve, contact, 1, &d->contact_curve_room, sizeof *d->contact_curve);
    d->curve = arena_grow(d->n->memory, d->curve, d->curves, 1, &d->curve_room, sizeof *d->curve);
    if (!d->contact_curve || !d->curve) return carom_error_memory(d->n->error);
    d->contact_curve[contact] = -1;
    if (!entry->by_slip) return CAROM_OK;
    int same = 0;
    while (same < d->curves && d->curve[same] != entry->curve) same++;
    if (same == FRICTION_CURVES)
        return node_error(d->n->error, entry->friction,
                          "there are more than %d different formulas of friction by 'slip'", FRICTION_CURVES);
    if (same == d->curves) d->curve[d->curves++] = entry->curve;
    d->contact_curve[contact] = same;
    return CAROM_OK;
}

carom_status draft_contact(draft *d, const contact_entry *entry, expr gap, const node *gap_where, const expr *slip,
                           const node *const *slip_where, const node *key, const char *unit) {
    const carom_model_contact *contact = &entry->def;
    carom_status status = declare_contact(d, contact->name, key, unit);
    int k = d->of[FORMULA_GAP].count;
    d->contact = arena_grow(d->n->memory, d->contact, k, 1, &d->contact_room, sizeof *d->contact);
    d->coefficient = arena_grow(d->n->memory, d->coefficient, k, 1, &d->coefficient_room, sizeof *d->coefficient);
    d->restitution = arena_grow(d->n->memory, d->restitution, k, 1, &d->restitution_room, sizeof *d->restitution);
    if (!d->contact || !d->coefficient || !d->restitution) return carom_error_memory(d->n->error);
    memcpy(d->coefficient[k], entry->coefficient, sizeof entry->coefficient);
    const expr speed = expr_symbol(d->n->g, draft_speed_symbol(d) + k);
    d->restitution[k] = entry->by_speed ? expr_substitute(d->n->g, entry->restitution, draft_speed_symbol(d), 1, &speed)
                                        : entry->coefficient[1];
    d->by_speed = d->by_speed || entry->by_speed;
    if (!status) status = add_curve(d, entry, k);
    if (!status) status = draft_append(d, FORMULA_GAP, contact->name, gap, gap_where);
    if (!status) d->contact[k] = *contact;
    if (!status && entry->scales > 1 && entry->scales != contact->slips)
        status = node_error(d->n->error, entry->friction, "contact '%s' has %d slips and %d coefficients of friction",
                            contact->name, contact->slips, entry->scales);
    for (int i = 0; i < contact->slips && !status; i++)
        status = add_slip(d, entry, i, slip[i], slip_where ? slip_where[i] : gap_where);
    return status;
}

carom_status draft_follower(draft *d, const contact_entry *entry, const expr *slip, const node *where, const node *key,
                            const char *unit) {
    const expr none = expr_number(d->n->g, 0);
    contact_entry whole = *entry;
    for (int i = 1; i < 4; i++) whole.coefficient[i] = none;
    return draft_contact(d, &whole, expr_number(d->n->g, 1), where, slip, NULL, key, unit);
}

/* Rows of s: gaps follow the constraints, which are all known now. */
static void place_loads(draft *d) {
    const int N = d->of[FORMULA_CONSTRAINT].count + d->of[FORMULA_VELOCITY_CONSTRAINT].count;
    for (int k = 0; k < d->of[FORMULA_GAP].count; k++) {
        carom_model_contact *c = &d->contact[k];
        if (c->loads == GAP_LOADS) c->loads = 1, c->load[0] += N;
    }
}

/* A contact by formulas: its gap, and its slips. */
static carom_status add_contact(draft *d, const element *e) {
    contact_entry contact = {.def.name = e->name};
    const node *text = yaml_find(e->value, "gap"), *unit = yaml_find(e->value, "unit"), *where[3];
    expr gap, slip[3];
    char what[96];
    snprintf(what, sizeof what, "contact '%.80s'", e->name);
    carom_status status = check_word(e->value, what, "contacts", "gap", d->n->error);
    if (!status && !text)
        status = node_error(d->n->error, e->key, "contact '%s' has no 'gap', no 'between' and no 'among'", e->name);
    if (!status) status = check_text(unit, "a unit", d->n->error);
    if (!status) status = names_formula(d->n, text, &e->index, &gap);
    if (!status) status = draft_coefficients(d, e, &contact);
    if (!status) status = read_slips(d, e, &contact, slip, where);
    if (!status) status = draft_contact(d, &contact, gap, text, slip, where, e->key, unit ? unit->text : NULL);
    if (!status) status = add_displacements(d, e, &contact);
    return status ? status : draft_draw_formula_contact(d, e);
}

static carom_status add_any_contact(draft *d, const element *e) {
    if (yaml_find(e->value, "among")) return draft_among(d, e);
    return yaml_find(e->value, "between") ? draft_pair(d, e) : add_contact(d, e);
}

static carom_status add_contacts(draft *d) {
    elements list = {0};
    carom_status status = names_expand(d->n, yaml_find(d->model, "contacts"), "contacts", false, &list);
    for (int i = 0; i < list.count && !status; i++) {
        draft_begin_element(d);
        status = add_any_contact(d, &list.at[i]);
        draft_end_element(d);
    }
    return status;
}

/* ---- the model */

/* Gaps follow the constraints, which are all known now. */
static int *support_rows(draft *d) {
    int *row = zeros(d, d->supports, sizeof *row);
    for (int i = 0; row && i < d->supports; i++)
        row[i] = d->support[i].number + (d->support[i].part == FORMULA_GAP ? d->of[FORMULA_CONSTRAINT].count : 0);
    return row;
}

static carom_status add_parameters(draft *d, formula_def *def) {
    const int count = d->scene->parameters;
    const char **name = zeros(d, count, sizeof *name);
    expr *value = zeros(d, count, sizeof *value), *start = zeros(d, d->nq + d->nu, sizeof *start);
    carom_status status = name && value && start ? CAROM_OK : carom_error_memory(d->n->error);
    for (int i = 0; i < count && !status; i++) {
        const symbol *s = d->scene->parameter[i];
        name[i] = s->name, value[i] = s->value;
    }
    const char **input = zeros(d, d->inputs, sizeof *input);
    expr *first = zeros(d, d->inputs, sizeof *first);
    if (!status && (!input || !first)) status = carom_error_memory(d->n->error);
    for (int i = 0; i < d->inputs && !status; i++) input[i] = d->input[i]->name, first[i] = d->input[i]->value;
    def->inputs = d->inputs, def->input_names = input, def->input = first;
    for (int i = 0; i < d->nq + d->nu && !status; i++)
        start[i] = d->start_of[1 + i] < 0 ? expr_number(d->n->g, d->start[1 + i]) : d->start_of[1 + i];
    def->parameters = count, def->parameter_names = name, def->parameter = value;
    const int coefficients = 4 * d->of[FORMULA_GAP].count;
    expr *all = zeros(d, coefficients + d->demands, sizeof *all);
    if (!status && !all) status = carom_error_memory(d->n->error);
    for (int i = 0; i < coefficients + d->demands && !status; i++)
        all[i] = i < coefficients ? d->coefficient[i / 4][i % 4] : d->demand[i - coefficients];
    def->start = start, def->coefficient = all, def->demands = d->demands;
    return status;
}

/* The rates of coordinates belong to the bodies that move by them. */
static carom_status add_elements(draft *d, formula_def *def) {
    int *of_q = zeros(d, d->nq, sizeof *of_q);
    if (!of_q) return carom_error_memory(d->n->error);
    for (int k = 0; k < d->members.count; k++) {
        const member *m = &d->members.at[k];
        for (int i = 0; i < m->body.nq; i++) of_q[m->q + i] = m->element;
    }
    def->elements = d->elements, def->pieces = d->pieces, def->piece = d->piece;
    def->q_element = of_q;
    def->g_element = d->of[FORMULA_CONSTRAINT].element;
    def->gamma_element = d->of[FORMULA_VELOCITY_CONSTRAINT].element;
    def->contact_element = d->of[FORMULA_GAP].element;
    return CAROM_OK;
}

static carom_status create(draft *d) {
    const formulas *of = d->of;
    const int *support_row = support_rows(d);
    if (!support_row) return carom_error_memory(d->n->error);
    place_loads(d);
    expr slope[FRICTION_CURVES];
    for (int i = 0; i < d->curves; i++) slope[i] = expr_derivative(d->n->g, d->curve[i], draft_speed_symbol(d));
    formula_def def = {
        .g = d->n->g,
        .nq = d->nq,
        .nu = d->nu,
        .ng = of[FORMULA_CONSTRAINT].count,
        .ngamma = of[FORMULA_VELOCITY_CONSTRAINT].count,
        .contacts = of[FORMULA_GAP].count,
        .q_names = d->q_names,
        .u_names = d->u_names,
        .g_names = of[FORMULA_CONSTRAINT].names,
        .gamma_names = of[FORMULA_VELOCITY_CONSTRAINT].names,
        .contact = d->contact,
        .q0 = d->q0,
        .u0 = d->u0,
        .q_dot = d->own == d->nq && d->nu == d->nq ? NULL : of[FORMULA_Q_DOT].at,
        .rotations = d->rotations,
        .rotation = d->rotation,
        .kinetic = of[FORMULA_KINETIC].at[0],
        .potential = of[FORMULA_POTENTIAL].count ? of[FORMULA_POTENTIAL].at[0] : -1,
        .dissipation = of[FORMULA_DISSIPATION].count ? of[FORMULA_DISSIPATION].at[0] : -1,
        .force = of[FORMULA_FORCE].at,
        .g_expr = of[FORMULA_CONSTRAINT].at,
        .gamma = of[FORMULA_VELOCITY_CONSTRAINT].at,
        .gap = of[FORMULA_GAP].at,
        .slip = of[FORMULA_SLIP].at,
        .displacement = of[FORMULA_SLIP].count && of[FORMULA_DISPLACEMENT].count == of[FORMULA_SLIP].count
                            ? of[FORMULA_DISPLACEMENT].at
                            : NULL,
        .slip_scale = d->scaled ? d->scale : NULL,
        .curves = d->curves,
        .curve = d->curve,
        .curve_slope = slope,
        .contact_curve = d->contact_curve,
        .restitution = d->by_speed ? d->restitution : NULL,
        .sequential = d->sequential,
        .elastics = d->elastics,
        .elastic = d->elastic,
        .symmetries = d->nu ? of[FORMULA_SYMMETRY].count / d->nu : 0,
        .symmetry_names = of[FORMULA_SYMMETRY].names,
        .symmetry = of[FORMULA_SYMMETRY].at,
        .observables = of[FORMULA_OBSERVABLE].count,
        .observable_names = of[FORMULA_OBSERVABLE].names,
        .observable = of[FORMULA_OBSERVABLE].at,
        .anchors = d->anchors,
        .anchor_q = d->anchor,
        .anchor = of[FORMULA_ANCHOR].at,
        .supports = d->supports,
        .support_row = support_row,
        .support = of[FORMULA_SUPPORT].at,
    };
    formula_part part = FORMULA_NONE;
    int index = 0;
    carom_error problem = {0};
    carom_status status = add_parameters(d, &def);
    if (!status) status = add_elements(d, &def);
    if (status) return status;
    status = formula_model_create(&def, &d->scene->model, &part, &index, &problem);
    if (!status) return CAROM_OK;
    *d->n->error = problem;
    if (status != CAROM_DATA) return status;
    /* of an energy, index is a velocity */
    const node *where = part == FORMULA_NONE ? NULL : of[part].where[index < of[part].count ? index : 0];
    return node_error(d->n->error, where ? where : d->model->key, "%s", problem.message);
}

/* All that the scene says about the model. */
static carom_status read_model(draft *d, bool *consistent) {
    static const char *const starts[] = {"as_given", "consistent", NULL};
    static const char *const impacts[] = {"together", "sequential", NULL};
    const element model = {.value = d->model};
    int start = 0, order = 0;
    carom_status status = check_word(d->model, "the model", "scene", "model", d->n->error);
    if (!status) status = read_word(d, &model, "start", "way to start", starts, &start);
    if (!status) status = read_word(d, &model, "impacts", "order of impacts", impacts, &order);
    d->sequential = order == 1, *consistent = start == 1;
    if (!status) status = draft_names(d);
    /* energies and forces by formulas first: those of elements are added to them */
    if (!status) status = add_energy(d, FORMULA_KINETIC, "kinetic");
    if (!status) status = add_energy(d, FORMULA_POTENTIAL, "potential");
    if (!status) status = add_energy(d, FORMULA_DISSIPATION, "dissipation");
    if (!status) status = add_kinematics(d);
    if (!status) status = add_forces(d);
    if (!status) status = draft_add_bodies(d);
    if (!status) status = draft_add_springs(d);
    if (!status) status = draft_add_loads(d);
    if (!status && !d->of[FORMULA_KINETIC].count)
        status = node_error(d->n->error, d->model->key, "the model has no 'kinetic' energy");
    /* rows in the order in which they are recorded, formulas before elements; joints have motors and limits, too */
    if (!status) status = add_symmetries(d);
    if (!status) status = add_constraints(d, FORMULA_CONSTRAINT, "constraints");
    if (!status) status = add_constraints(d, FORMULA_VELOCITY_CONSTRAINT, "velocity_constraints");
    if (!status) status = draft_add_joints(d);
    if (!status) status = add_contacts(d);
    if (!status) status = draft_add_rolling(d);
    if (!status) status = add_observables(d);
    if (!status) status = draft_add_asked(d);
    /* bodies are drawn on their own unless something else has drawn them */
    return status ? status : draft_finish_drawing(d);
}

/* The model, and whether it can start. */
static carom_status make_model(draft *d, bool consistent) {
    carom_scene *scene = d->scene;
    names *n = d->n;
    scene->symbols = n->symbols;
    scene->g_where = d->of[FORMULA_CONSTRAINT].where;
    scene->gamma_where = d->of[FORMULA_VELOCITY_CONSTRAINT].where;
    scene->gap_where = d->of[FORMULA_GAP].where;
    carom_status status = create(d);
    if (status) return status;
    scene->model->finder = scene->finder, scene->model->demand = d->demand_text;
    status = check_mass(scene, d->of[FORMULA_KINETIC].where[0], n->error);
    if (!status && consistent) status = scene_start_consistent(scene, n->error);
    finiteness finite = {.rates = true, .energies = true, .forces = true};
    if (!status) status = start_finite(scene, &finite, n->error);
    if (!status && !(finite.energies && finite.forces)) scene->infinite = draft_infinite(d);
    return status;
}

carom_status build_model(carom_scene *scene, names *n, bool picture) {
    draft d = {.scene = scene, .n = n, .model = yaml_find(scene->root, "model")};
    bool consistent = false;
    if (!d.model) return node_error(n->error, scene->root, "the scene has no 'model'");
    carom_status status = read_model(&d, &consistent);
    scene->nq = d.nq, scene->q_names = d.q_names, scene->contact = d.contact;
    return status || picture ? status : make_model(&d, consistent);
}
