/* The coefficients and laws of a contact: friction, restitution, impact. */
#include "draft.h"
#include "error.h"
#include "read.h"

#include <math.h>
#include <string.h>

/* The first of the symbols for speeds of impacts: contact k has the k-th one. */
int draft_speed_symbol(const draft *d) {
    return 1 + d->nq + d->nu;
}

/* A number between 0 and high, 0 where it is not given. */
static carom_status coefficient(draft *d, const element *e, const char *key, double high, expr *formula,
                                double *value) {
    const node *text = yaml_find(e->value, key);
    *value = 0, *formula = expr_number(d->n->g, 0);
    carom_status status = text ? names_constant(d->n, text, &e->index, formula, value) : CAROM_OK;
    if (status || (*value >= 0 && *value <= high)) return status;
    if (*value < 0) return node_error(d->n->error, text, "the %s must not be negative, it is %g", key, *value);
    return node_error(d->n->error, text, "the %s must lie in [0, %g], it is %g", key, high, *value);
}

/* The law of friction or impact under a key. Whether it fits the number of slips is checked by the run. */
static carom_status read_law(draft *d, const element *e, const char *key, bool impact, const char **law) {
    const node *text = yaml_find(e->value, key);
    if (!text) return CAROM_OK;
    carom_status status = check_text(text, "a law", d->n->error);
    const char **known = zeros(d, carom_laws(), sizeof *known);
    if (!known) return carom_error_memory(d->n->error);
    int count = 0;
    for (int i = 0; i < carom_laws() && !status; i++) {
        const char *name = carom_law(i)->name;
        if (carom_law(i)->impact != impact) continue;
        known[count++] = name;
        if (strcmp(name, text->text) == 0) *law = name;
    }
    if (status || *law) return status;
    return node_error_near(d->n->error, text, text->text, known, count, "there is no law %s'%.60s'",
                           impact ? "of impact " : "", text->text);
}

typedef carom_status coefficient_reader(draft *d, const element *e, contact_entry *contact);

/* Reads formulas that know a speed by this name. Notes whether they use it, even if it drops out. */
static carom_status read_with_speed(draft *d, const char *name, coefficient_reader *reader, const element *e,
                                    contact_entry *contact) {
    const local_name speed = {name, expr_symbol(d->n->g, draft_speed_symbol(d)), NULL};
    d->n->local = &speed;
    carom_status status = reader(d, e, contact);
    d->n->local = NULL;
    return status;
}

/* A number, or a formula of 'speed', that of the impact. */
static carom_status read_rebound(draft *d, const element *e, contact_entry *contact) {
    graph *g = d->n->g;
    const node *text = yaml_find(e->value, "restitution");
    const expr one = expr_number(g, 1);
    carom_error kept = *d->n->error;
    expr value = -1;
    if (text && text->kind == NODE_TEXT) {
        carom_status status = names_formula(d->n, text, &e->index, &value);
        if (status) return status;
    }
    const expr at_one = value < 0 ? value : expr_substitute(g, value, draft_speed_symbol(d), 1, &one);
    if (at_one == value) {
        *d->n->error = kept;
        return coefficient(d, e, "restitution", 1, &contact->coefficient[1], &contact->def.restitution);
    }
    if (expr_rank_of(g, at_one) < RANK_PARAMETER)
        return node_error(d->n->error, text, "restitution is a formula of 'speed' and parameters, nothing else");
    contact->by_speed = true, contact->restitution = value;
    contact->coefficient[1] = one, contact->def.restitution = 1;
    return CAROM_OK;
}

static carom_status read_restitution(draft *d, const element *e, contact_entry *contact) {
    return read_with_speed(d, "speed", read_rebound, e, contact);
}

/* A formula that changes during a run. The caller reports what is wrong with it. */
static bool is_moving(draft *d, const element *e, const node *text, expr *value) {
    const carom_error kept = *d->n->error;
    const bool reported = d->n->reported;
    const carom_status status = names_formula(d->n, text, &e->index, value);
    *d->n->error = kept, d->n->reported = reported;
    return !status && expr_rank_of(d->n->g, *value) < RANK_PARAMETER;
}

/* Checks that it depends on time and place alone and is positive at the start. */
static carom_status check_scale(draft *d, const char *what, const node *text, expr scale) {
    double start;
    if (expr_depends(d->n->g, scale, 1 + d->nq, d->nq + d->nu))
        return node_error(d->n->error, text, "%s depends on time and place, not on velocities", what);
    carom_status status = draft_start_look(d, scale, &start);
    if (status || start > 0) return status;
    return node_error(d->n->error, text, "%s by formula must be positive%s, it is %g at the start", what,
                      strcmp(what, "friction") ? "" : " at rest", start);
}

carom_status draft_scale(draft *d, const element *e, const char *what, const node *text, expr *scale) {
    carom_status status = names_formula(d->n, text, &e->index, scale);
    return status ? status : check_scale(d, what, text, *scale);
}

/* A formula of 'slip', the slip speed, of time and place: *value, and *at_rest. *curve: it is one. */
static carom_status read_curve(draft *d, const element *e, const char *what, const node *text, expr *value,
                               expr *at_rest, bool *curve) {
    graph *g = d->n->g;
    const int slip = draft_speed_symbol(d);
    const expr zero = expr_number(g, 0);
    const carom_error kept = *d->n->error;
    const bool reported = d->n->reported;
    carom_status status = names_formula(d->n, text, &e->index, value);
    *at_rest = status ? -1 : expr_substitute(g, *value, slip, 1, &zero);
    *curve = !status && *at_rest != *value;
    if (!*curve) { /* the caller reports what is wrong with it */
        *d->n->error = kept, d->n->reported = reported;
        return CAROM_OK;
    }
    if (!expr_depends(g, *value, 1 + d->nq, d->nq + d->nu)) return CAROM_OK;
    return node_error(d->n->error, text, "%s depends on 'slip', time and place, not on other velocities", what);
}

/* Whether a formula of the slip depends on parameters and the slip alone. */
static bool is_still(draft *d, expr curve) {
    graph *g = d->n->g;
    const expr one = expr_number(g, 1);
    return expr_rank_of(g, expr_substitute(g, curve, draft_speed_symbol(d), 1, &one)) >= RANK_PARAMETER;
}

/* (L26): rows are scaled by what holds at rest, and the curve is one over that. */
static carom_status scale_by_rest(draft *d, const char *what, const node *text, expr value, expr at_rest,
                                  contact_entry *contact) {
    graph *g = d->n->g;
    carom_status status = check_scale(d, what, text, at_rest);
    contact->by_slip = contact->def.by_slip = true;
    contact->curve = expr_div(g, value, at_rest);
    for (int i = 0; i < contact->scales; i++) contact->scale[i] = expr_mul(g, contact->scale[i], at_rest);
    contact->coefficient[0] = expr_number(g, 1), contact->def.friction = 1;
    return status;
}

/* (L16) where it is a formula of parameters, else (L26). */
static carom_status add_curve(draft *d, const node *text, expr value, expr at_rest, contact_entry *contact) {
    if (is_still(d, value)) {
        contact->by_slip = contact->def.by_slip = true, contact->curve = value;
        contact->coefficient[0] = at_rest, contact->def.friction = expr_value(d->n->g, at_rest, NULL);
        if (contact->def.friction > 0) return CAROM_OK;
        return node_error(d->n->error, text, "friction by 'slip' must be positive at rest, it is %g",
                          contact->def.friction);
    }
    contact->scales = 1, contact->scale[0] = expr_number(d->n->g, 1);
    return scale_by_rest(d, "friction", text, value, at_rest, contact);
}

static carom_status read_rolling(draft *d, const element *e, contact_entry *contact) {
    const node *text = yaml_find(e->value, "rolling");
    expr value, at_rest;
    bool curve;
    carom_status status = read_curve(d, e, "rolling", text, &value, &at_rest, &curve);
    contact->scales = 1, contact->scale[0] = expr_number(d->n->g, 1);
    contact->coefficient[4] = expr_number(d->n->g, 0);
    if (status || curve) return status ? status : scale_by_rest(d, "rolling", text, value, at_rest, contact);
    contact->coefficient[0] = expr_number(d->n->g, 1), contact->def.friction = 1;
    return draft_scale(d, e, "rolling", text, &contact->scale[0]);
}

carom_status draft_rolling(draft *d, const element *e, contact_entry *contact) {
    return read_with_speed(d, "slip", read_rolling, e, contact);
}

/* A list, one for each slip, (L14); or one for all of them. */
static carom_status read_along(draft *d, const element *e, const node *list, contact_entry *contact) {
    carom_status status = CAROM_OK;
    const bool several = list->kind == NODE_LIST;
    if (list->kind == NODE_MAP || (several && (yaml_count(list) < 1 || yaml_count(list) > 3)))
        return node_error(d->n->error, list, "friction is one to three coefficients, one for each slip");
    for (const node *item = several ? list->first : list; item && !status; item = several ? item->next : NULL) {
        expr value, at_rest;
        bool curve = false;
        if (item->kind == NODE_TEXT) status = read_curve(d, e, "friction", item, &value, &at_rest, &curve);
        if (!status && curve)
            status = node_error(d->n->error, item,
                                "coefficients of an ellipse share how they depend on 'slip': write "
                                "{along: [0.2, 0.5], factor: 1 + 0.3*exp(-slip/0.1)}");
        if (!status) status = draft_scale(d, e, "friction", item, &contact->scale[contact->scales++]);
    }
    contact->coefficient[0] = expr_number(d->n->g, 1), contact->def.friction = 1;
    return status;
}

/* {along: [0.2, 0.5], factor: 1 + 0.3*exp(-slip/0.1)}, (L14) and (L26) together. */
static carom_status read_factor(draft *d, const element *e, const node *map, contact_entry *contact) {
    const node *along = yaml_find(map, "along"), *text = yaml_find(map, "factor");
    expr value, at_rest;
    bool curve = false;
    carom_status status = check_word(map, "friction", "parts", "along", d->n->error);
    if (!status && (!along || !text || text->kind != NODE_TEXT))
        return node_error(d->n->error, map,
                          "friction of an ellipse that depends on 'slip' is {along: [0.2, 0.5], "
                          "factor: 1 + 0.3*exp(-slip/0.1)}");
    if (!status) status = read_along(d, e, along, contact);
    if (!status) status = read_curve(d, e, "friction", text, &value, &at_rest, &curve);
    if (!status && !curve) { /* a factor of place and time; otherwise the error says what is wrong */
        status = draft_scale(d, e, "friction", text, &value);
        for (int i = 0; i < contact->scales && !status; i++)
            contact->scale[i] = expr_mul(d->n->g, contact->scale[i], value);
    }
    return status || !curve ? status : scale_by_rest(d, "friction", text, value, at_rest, contact);
}

/* {static: 0.5, kinetic: 0.4}, (L21). */
static carom_status read_static(draft *d, const element *e, const node *map, contact_entry *contact) {
    static const char sentence[] = "kinetic friction is positive and at most the static one";
    graph *g = d->n->g;
    carom_model_contact *c = &contact->def;
    expr *held = &contact->coefficient[0], *slid = &contact->coefficient[4];
    const node *stuck = yaml_find(map, "static"), *sliding = yaml_find(map, "kinetic");
    carom_status status = check_word(map, "friction", "parts", "static", d->n->error);
    if (!status && (!stuck || !sliding))
        return node_error(d->n->error, map, "friction of two coefficients is {static: 0.5, kinetic: 0.4}");
    if (!status) status = names_constant(d->n, stuck, &e->index, held, &c->friction);
    if (!status) status = names_constant(d->n, sliding, &e->index, slid, &c->kinetic);
    if (!status) status = draft_within(d, *slid, *slid, sliding, sentence);
    return status ? status : draft_within(d, *slid, expr_binary(g, OP_LE, *slid, *held), sliding, sentence);
}

/* A number; static and kinetic friction; a formula of slip, time and place; or a list, one for each slip. */
static carom_status read_coefficients(draft *d, const element *e, contact_entry *contact) {
    const node *text = yaml_find(e->value, "friction");
    expr value = -1, at_rest = -1;
    bool curve = false;
    contact->friction = text;
    if (text && text->kind == NODE_MAP)
        return yaml_find(text, "along") || yaml_find(text, "factor") ? read_factor(d, e, text, contact)
                                                                     : read_static(d, e, text, contact);
    if (text && text->kind == NODE_LIST) return read_along(d, e, text, contact);
    if (text && text->kind == NODE_TEXT) {
        carom_status status = read_curve(d, e, "friction", text, &value, &at_rest, &curve);
        if (status || curve) return status ? status : add_curve(d, text, value, at_rest, contact);
    }
    if (!text || text->kind != NODE_TEXT || !is_moving(d, e, text, &value))
        return coefficient(d, e, "friction", HUGE_VAL, &contact->coefficient[0], &contact->def.friction);
    contact->coefficient[0] = expr_number(d->n->g, 1), contact->def.friction = 1;
    return draft_scale(d, e, "friction", text, &contact->scale[contact->scales++]);
}

static carom_status read_friction(draft *d, const element *e, contact_entry *contact) {
    return read_with_speed(d, "slip", read_coefficients, e, contact);
}

/* The structure depends on whether there is adhesion. */
static carom_status read_adhesion(draft *d, const element *e, contact_entry *contact) {
    const node *text = yaml_find(e->value, "adhesion");
    double now;
    carom_status status = text ? names_constant(d->n, text, &e->index, &contact->adhesion, &now) : CAROM_OK;
    if (status || !text) return status;
    contact->adheres = now > 0;
    if (now > 0) return draft_demand(d, contact->adhesion, text, "adhesion must stay positive where there is any");
    if (now == 0) return names_number(d->n, text, &e->index, &now);
    return node_error(d->n->error, text, "adhesion is the force that a contact bears, 0 or more, it is %g", now);
}

carom_status draft_joint_stop(draft *d, const element *e, contact_entry *contact) {
    for (int i = 0; i < COEFFICIENTS; i++) contact->coefficient[i] = expr_number(d->n->g, 0);
    carom_status status = read_restitution(d, e, contact);
    return status ? status : read_law(d, e, "impact", true, &contact->def.impact);
}

carom_status draft_joint_friction(draft *d, const element *e, contact_entry *contact) {
    for (int i = 0; i < COEFFICIENTS; i++) contact->coefficient[i] = expr_number(d->n->g, 0);
    return read_friction(d, e, contact);
}

carom_status draft_coefficients(draft *d, const element *e, contact_entry *contact) {
    carom_model_contact *c = &contact->def;
    expr *f = contact->coefficient;
    f[4] = expr_number(d->n->g, 0);
    carom_status status = read_friction(d, e, contact);
    if (!status) status = read_restitution(d, e, contact);
    if (!status) status = coefficient(d, e, "tangential_restitution", 1, &f[2], &c->tangential_restitution);
    if (!status) status = read_adhesion(d, e, contact);
    if (!status) status = read_law(d, e, "law", false, &c->law);
    if (!status) status = read_law(d, e, "impact", true, &c->impact);
    return status ? status : coefficient(d, e, "rest", HUGE_VAL, &f[3], &c->rest);
}
