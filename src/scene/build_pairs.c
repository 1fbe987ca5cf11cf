/* Contacts and rolling of bodies on each other: {between: [disk, {body: world, plane: [0, 0, 1]}], friction: mu}. */
#include "error.h"
#include "pairs.h"
#include "read.h"
#include "vocabulary/vocabulary.h"

#include <stdio.h>
#include <string.h>

/* ---- partners */

const node *partner_name(const node *item) {
    return item->kind == NODE_MAP ? yaml_find(item, "body") : item;
}

carom_status pair_member(draft *d, const element *e, const node *item, int *number) {
    const node *name = partner_name(item);
    if (!name) return node_error(d->n->error, item, "a partner of '%s' needs a 'body' (or 'world')", e->name);
    return read_member(d, name, &e->index, number);
}

carom_status check_partner(draft *d, const node *item) {
    const char *keys[VOCABULARY_KEYS + 1];
    int count = vocabulary_all_keys("shapes", keys), hole = 0;
    while (strcmp(keys[hole], "hole") != 0) hole++;
    keys[hole] = "body";
    return check_keys(item, "a partner", keys, count, d->n->error);
}

/* A shape of its own, or the one the body has. */
carom_status pair_surface(draft *d, const element *e, const node *item, int number, bool planar, surface *s) {
    const member *m = &d->members.at[number];
    s->body = m->frame;
    element of = {e->name, e->key, item, e->index};
    if (item->kind == NODE_MAP && yaml_count(item) > 1) {
        carom_status status = check_partner(d, item);
        if (!status) status = read_shape(d, &of, planar, &s->form);
        return status ? status : draft_draw_shape(d, e->name, number, &s->form);
    }
    if (m->shapes == 1) s->form = m->form[0];
    if (m->shapes == 1) return CAROM_OK;
    return node_error(d->n->error, item, "'%s' has %s, say what touches: {body: %s, %s}", m->name,
                      m->shapes ? "several shapes" : "no shape", m->name, number ? "sphere: 0.1" : "plane: [0, 0, 1]");
}

bool pair_in_space(const member *m) {
    return m->body.kind == BODY_SPATIAL || (m->body.kind == BODY_POINT && m->body.nq == 3);
}

static carom_status read_partners(draft *d, const element *e, pair *p) {
    const node *list = p->where = yaml_find(e->value, "between");
    if (!list || list->kind != NODE_LIST || yaml_count(list) != 2)
        return node_error(d->n->error, list ? list : e->key, "'%s' is between two bodies: [ball, wall]", e->name);
    const node *first = list->first, *second = first->next;
    int of[2];
    carom_status status = pair_member(d, e, first, &of[0]);
    if (!status) status = pair_member(d, e, second, &of[1]);
    if (!status) status = check_two(d, list, "contact", e->name, of);
    if (status) return status;
    for (int k = 1; k >= 0; k--)
        if (of[k] && strchr(partner_name(k ? second : first)->text, '[')) p->owner = d->members.at[of[k]].name;
    p->planar = !pair_in_space(&d->members.at[of[0]]) && !pair_in_space(&d->members.at[of[1]]);
    status = pair_surface(d, e, first, of[0], p->planar, &p->a);
    return status ? status : pair_surface(d, e, second, of[1], p->planar, &p->b);
}

/* The contacts of two bodies. */
static carom_status touch_bodies(draft *d, const element *e, pair *p) {
    carom_status status = read_partners(d, e, p);
    if (status) return status;
    if (p->a.form.kind == SHAPE_PLANE) {
        surface plane = p->a;
        p->a = p->b, p->b = plane;
    }
    const void *outer = graph_fix_for(d->n->g, p->where);
    p->count = contact_pair(d->n->g, &p->a, &p->b, p->planar, d->start, p->at);
    graph_fix_for(d->n->g, outer);
    if (p->count) return CAROM_OK;
    return node_error(
        d->n->error, p->where,
        "there is no contact between a %s and a %s: a point, sphere, capsule, cylinder, disk, box or "
        "ellipsoid touches a plane, a point, sphere or capsule touches a sphere or capsule, a sphere touches a box; "
        "'among' finds the contacts of boxes, cylinders and hulls",
        shape_names[p->a.form.kind], shape_names[p->b.form.kind]);
}

/* For "table[i=1..n]" several contact points are named after the body of the family that touches, "coin3.table12". If
 * no such body touches, or it has such points already, after the numbers alone: "table3_12". */
static const char *point_name(draft *d, const element *e, const pair *p, int k) {
    const char *key = e->key->text;
    int stem = (int)strcspn(key, "[");
    bool whole = e->index.name && p->owner && key[strlen(key) - 1] == ']'; /* nothing follows the bracket */
    const char *first = whole ? arena_format(d->n->memory, "%s.%.*s1", p->owner, stem, key) : NULL;
    if (!first || table_find(&d->labels, first)) return member_name(d->n->memory, e, k);
    return arena_format(d->n->memory, "%s.%.*s%d", p->owner, stem, key, k);
}

static carom_status make_pair(draft *d, const element *e, pair *p) {
    const bool beam = along_is_pair(e);
    carom_status status = beam ? along_pair(d, e, p) : touch_bodies(d, e, p);
    for (int i = 0; i < p->count && !status; i++) {
        p->name[i] = p->count == 1 ? e->name : point_name(d, e, p, i + 1);
        if (!p->name[i]) status = carom_error_memory(d->n->error);
    }
    return status;
}

/* Notes expressions that must not jump within a step, (DC3b), (DA7), for the contact or, if rolling, the constraint
 * that was added last. */
static carom_status add_support(draft *d, const pair *p, int i, formula_part part) {
    const touch *at = &p->at[i];
    support_of of = {part, d->of[part].count - 1, at->on_beam ? CAROM_ALONG_A_BEAM : CAROM_ROUND_A_RIM};
    return at->on_rim || at->on_beam ? draft_support(d, of, p->name[i], at->support, at->turning, p->where) : CAROM_OK;
}

/* ---- contacts */

/* There are slips if there is friction or if the scene asks for them. */
static carom_status read_slipping(draft *d, const element *e, const pair *p, expr friction, bool *slips, expr *radius) {
    static const char *const words[] = {"false", "true", NULL};
    int asked = 0;
    const node *drilling = yaml_find(e->value, "drilling");
    carom_status status = read_word(d, e, "slips", "value of 'slips'", words, &asked);
    if (!status) status = read_positive_constant(d, e, "drilling", radius);
    *slips = asked || !expr_equals(d->n->g, friction, 0);
    if (!status && drilling && p->planar)
        status =
            node_error(d->n->error, drilling, "nothing drills in the plane: '%s' is between planar bodies", e->name);
    static const char *const needy[] = {"drilling", "belt", "grain"};
    for (int i = 0; i < 3 && !status && !*slips; i++)
        if (yaml_find(e->value, needy[i]))
            status = node_error(d->n->error, yaml_find(e->value, needy[i]), "'%s' has %s but no friction", e->name,
                                needy[i]);
    return status;
}

/* The surface of the second partner moves along itself: {belt: [vx, vy, vz]} in its coordinates. */
static carom_status move_surface(draft *d, const element *e, const pair *p, const touch *at, expr slip[3]) {
    graph *g = d->n->g;
    vec v;
    bool given = false;
    carom_status status = read_formulas(d, e, "belt", &v, &given);
    if (status || !given) return status;
    v = mat_times(g, &p->b.body.A, v);
    for (int i = 0; i < (p->planar ? 1 : 2); i++) slip[i] = expr_sub(g, slip[i], vec_dot(g, at->tangent[i], v));
    return CAROM_OK;
}

/* The first tangent is a direction of the first partner, {grain: [x, y, z]}, projected onto the surface. */
static carom_status follow_grain(draft *d, const element *e, const pair *p, touch *at) {
    graph *g = d->n->g;
    const node *where = yaml_find(e->value, "grain");
    vec n;
    if (!where) return CAROM_OK;
    if (p->planar) return node_error(d->n->error, where, "in the plane friction has one direction: '%s'", e->name);
    carom_status status = read_direction(d, e, "grain", &n);
    if (status) return status;
    const vec along = mat_times(g, &p->a.body.A, n), across = vec_cross(g, at->place.normal, along);
    at->tangent[1] = vec_direction(g, across);
    at->tangent[0] = vec_cross(g, at->tangent[1], at->place.normal);
    return CAROM_OK;
}

/* (L19): a torque up to a length times the normal force resists rolling. The contact is the last one. */
static carom_status resist_rolling(draft *d, const element *e, const pair *p, int i) {
    graph *g = d->n->g;
    const node *text = yaml_find(e->value, "rolling");
    const surface *first = pair_first(p, i);
    const touch *at = &p->at[i];
    const int k = d->of[FORMULA_GAP].count - 1;
    contact_entry entry = {.def = {.slips = p->planar ? 1 : 2, .loads = GAP_LOADS, .load = {k}}};
    expr slip[2];
    if (!text) return CAROM_OK;
    carom_status status = draft_rolling(d, e, &entry);
    entry.def.name = arena_format(d->n->memory, "%s_rolling", d->contact[k].name);
    if (!status && !entry.def.name) status = carom_error_memory(d->n->error);
    const vec turn = vec_sub(g, first->body.w, p->b.body.w), across = vec_cross(g, at->place.normal, at->tangent[0]);
    for (int j = 0; j < entry.def.slips; j++) slip[j] = vec_dot(g, j || p->planar ? across : at->tangent[0], turn);
    return status ? status : draft_follower(d, &entry, slip, text, e->key, "rad");
}

carom_status draft_pair(draft *d, const element *e) {
    pair p = {0};
    contact_entry contact = {0};
    bool slips = false;
    expr radius = expr_number(d->n->g, 0);
    char what[96];
    snprintf(what, sizeof what, "contact '%.80s'", e->name);
    carom_status status = read_keys(d, e, what, "contacts", "between");
    if (!status) status = make_pair(d, e, &p);
    if (!status) status = along_check_keys(d, e);
    if (!status) status = draft_coefficients(d, e, &contact);
    if (!status) status = read_slipping(d, e, &p, contact.coefficient[0], &slips, &radius);
    for (int i = 0; i < p.count && !status; i++) {
        expr slip[3];
        contact.def.name = p.name[i];
        status = follow_grain(d, e, &p, &p.at[i]);
        const surface *first = pair_first(&p, i);
        contact.def.slips = slips ? contact_slips(d->n->g, first, &p.b, &p.at[i], p.planar, radius, slip) : 0;
        if (slips && !status) status = move_surface(d, e, &p, &p.at[i], slip);
        if (!status) status = draft_contact(d, &contact, p.at[i].gap, p.where, slip, NULL, e->key, NULL);
        expr displacement[2];
        bool straight = slips && !contact.scales && !yaml_find(e->value, "belt") && !yaml_find(e->value, "grain");
        int known = straight ? contact_displacements(d->n->g, first, &p.b, &p.at[i], p.planar, displacement) : 0;
        if (!status && straight && known == contact.def.slips)
            status = draft_displacements(d, contact.def.name, displacement, known, p.where);
        const touch *at = &p.at[i];
        if (!status) status = add_support(d, &p, i, FORMULA_GAP);
        if (!status) status = resist_rolling(d, e, &p, i);
        if (!status)
            status = draft_draw_contact(d, contact.def.name, at->place.point, at->place.normal, at->tangent,
                                        p.planar ? 1 : 2);
    }
    return status;
}

/* ---- rolling: the gap stays closed and the slips are zero */

static carom_status add_rolling(draft *d, const element *e) {
    pair p = {0};
    char what[96];
    snprintf(what, sizeof what, "rolling '%.80s'", e->name);
    carom_status status = read_keys(d, e, what, "contacts", "rolling");
    if (!status && along_is_pair(e))
        status = node_error(d->n->error, yaml_find(e->value, "between"),
                            "beams do not roll: make '%s' a contact, with friction", e->name);
    if (!status) status = make_pair(d, e, &p);
    for (int i = 0; i < p.count && !status; i++) {
        expr slip[3];
        int slips = contact_slips(d->n->g, &p.a, &p.b, &p.at[i], p.planar, expr_number(d->n->g, 0), slip);
        status = draft_label(d, p.name[i], e->key);
        if (!status) status = draft_append_owned(d, FORMULA_CONSTRAINT, p.name[i], p.name[i], p.at[i].gap, p.where);
        if (!status) status = add_support(d, &p, i, FORMULA_CONSTRAINT);
        for (int k = 0; k < slips && !status; k++) {
            const char *name = arena_format(d->n->memory, "%s_slip%d", p.name[i], k + 1);
            status = name ? draft_label(d, name, e->key) : carom_error_memory(d->n->error);
            if (!status) status = draft_append_owned(d, FORMULA_VELOCITY_CONSTRAINT, p.name[i], name, slip[k], p.where);
        }
    }
    return status;
}

carom_status draft_add_rolling(draft *d) {
    elements list = {0};
    carom_status status = names_expand(d->n, yaml_find(d->model, "rolling"), "rolling", false, &list);
    for (int i = 0; i < list.count && !status; i++) {
        draft_begin_element(d);
        status = add_rolling(d, &list.at[i]);
        draft_end_element(d);
    }
    return status;
}
