/* Contacts of a model: their rows, and those that formulas give. */
#include "draft.h"
#include "error.h"
#include "read.h"
#include "vocabulary/vocabulary.h"

#include <stdio.h>
#include <string.h>

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

/* (L26): mu(v) with the speed v = |y| sqrt(sum of (y_i/(|y| sigma_i))^2) of rows y that are scaled by sigma, and its
 * derivatives mu' y_i/(v sigma_i^2) by these rows. */
static formula_curve make_curve(draft *d, const contact_entry *entry) {
    graph *g = d->n->g;
    const int first = draft_speed_symbol(d), slips = entry->def.slips;
    formula_curve curve = {.slips = slips};
    expr along[3], over[3], square = expr_number(g, 0);
    for (int i = 0; i < slips; i++) {
        const expr one = expr_number(g, 1), scale = entry->scales ? entry->scale[entry->scales > 1 ? i : 0] : one;
        along[i] = expr_symbol(g, first + 1 + i);
        over[i] = expr_div(g, one, scale);
        const expr part = expr_mul(g, along[i], over[i]);
        square = expr_add(g, square, expr_mul(g, part, part));
    }
    const expr ratio = entry->scales > 1 ? expr_unary(g, OP_SQRT, square) : over[0];
    const expr length = expr_symbol(g, first), slope = expr_derivative(g, entry->curve, first);
    const expr speed = expr_mul(g, length, ratio);
    curve.mu = expr_substitute(g, entry->curve, first, 1, &speed);
    const expr rate = expr_substitute(g, slope, first, 1, &speed);
    for (int i = 0; i < slips; i++) {
        const expr by = expr_mul(g, along[i], expr_mul(g, over[i], over[i]));
        curve.mu_slip[i] = expr_mul(g, rate, expr_div(g, by, ratio));
    }
    return curve;
}

/* (L16): contacts with the same formula share it. */
static carom_status add_curve(draft *d, const contact_entry *entry, int contact) {
    d->contact_curve =
        arena_grow(d->n->memory, d->contact_curve, contact, 1, &d->contact_curve_room, sizeof *d->contact_curve);
    d->curve = arena_grow(d->n->memory, d->curve, d->curves, 1, &d->curve_room, sizeof *d->curve);
    if (!d->contact_curve || !d->curve) return carom_error_memory(d->n->error);
    d->contact_curve[contact] = -1;
    if (!entry->by_slip) return CAROM_OK;
    const formula_curve curve = make_curve(d, entry);
    int same = 0;
    while (same < d->curves && (d->curve[same].mu != curve.mu || d->curve[same].slips != curve.slips)) same++;
    if (same == d->curves) d->curve[d->curves++] = curve;
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
    if (!status) status = draft_cling(d, entry, k, gap, gap_where);
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
    for (int i = 1; i < 4; i++) whole.coefficient[i] = none; /* but kinetic friction */
    return draft_contact(d, &whole, expr_number(d->n->g, 1), where, slip, NULL, key, unit);
}

/* Rows of s: gaps come after the constraints, all of which are known now. */
void draft_place_loads(draft *d) {
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
    const char *keys[VOCABULARY_KEYS];
    const int count = text ? vocabulary_keys("contacts", "gap", keys) : vocabulary_all_keys("contacts", keys);
    snprintf(what, sizeof what, "contact '%.80s'", e->name);
    carom_status status = check_keys(e->value, what, keys, count, d->n->error);
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

carom_status draft_add_contacts(draft *d) {
    elements list = {0};
    carom_status status = names_expand(d->n, yaml_find(d->model, "contacts"), "contacts", false, &list);
    for (int i = 0; i < list.count && !status; i++) {
        draft_begin_element(d);
        status = add_any_contact(d, &list.at[i]);
        draft_end_element(d);
    }
    return status;
}
