/* Contacts that are found: {among: [grain, box, {body: world, plane: [0, 0, 1]}], friction: mu}, every solid of these
 * against every other; {among: [[grain], [box, floor]]}, those of the first list against those of the second. */
#include "error.h"
#include "model/found/finder.h"
#include "pairs.h"
#include "read.h"
#include "vocabulary/vocabulary.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- members and their solids */

static carom_status carrier_of(draft *d, int number, int *carrier) {
    member *m = &d->members.at[number];
    if (!m->carries) m->carrier = finder_add_body(d->scene->finder, m->name, &m->body, m->q, m->u);
    *carrier = m->carrier;
    m->carries = m->carrier >= 0;
    return m->carries ? CAROM_OK : carom_error_memory(d->n->error);
}

static carom_status check_member(draft *d, const node *item, int number, bool planar) {
    const member *m = &d->members.at[number];
    if (number == 0 || (m->body.kind != BODY_FRAME && m->body.nq > 1 && pair_in_space(m) != planar)) return CAROM_OK;
    if (m->body.kind == BODY_FRAME)
        return node_error(d->n->error, item,
                          "'among' takes bodies and the world, '%s' is a frame; write its contacts with 'between'",
                          m->name);
    if (m->body.nq == 1)
        return node_error(
            d->n->error, item,
            "'among' takes bodies in the plane or in space, '%s' does not leave its line; write its contacts "
            "with 'between'",
            m->name);
    return node_error(d->n->error, item,
                      "bodies in the plane and in space are not 'among' each other, '%s' moves in %s; write their "
                      "contacts with 'between'",
                      m->name, planar ? "space" : "the plane");
}

/* Whether a figure in the plane of x and y lies askew in it, or beside it. */
static bool leaves_plane(const shape *s) {
    const double *up = s->A[2];
    switch (s->kind) {
    case SHAPE_PLANE:
        return fabs(up[2]) > 1e-9;
    case SHAPE_CAPSULE:
        return fabs(up[2]) > 1e-9 || s->r[2] != 0;
    case SHAPE_BOX:
        return !(fabs(s->size[2] == 0 ? up[2] : up[1]) > 1 - 1e-9) || s->r[2] != 0;
    case SHAPE_DISK:
        return !(fabs(up[2]) > 1 - 1e-9) || s->r[2] != 0;
    default:
        return s->r[2] != 0;
    }
}

/* Of the edges of a box, or of a rectangle, the shortest and the longest. */
static void find_edges(const shape *s, double *least, double *most) {
    *least = HUGE_VAL, *most = 0;
    for (int i = 0, across = 0; i < 3; i++) {
        if (s->planar && s->size[i] == 0 && !across++) continue;
        *least = fmin(*least, s->size[i]), *most = fmax(*most, s->size[i]);
    }
}

static carom_status check_box(draft *d, const node *item, const char *name, const shape *s) {
    double least, most;
    find_edges(s, &least, &most);
    if (!(least > 0))
        return node_error(d->n->error, item, "a box needs %s edges to be 'among' others, that of '%s' is flat",
                          s->planar ? "two" : "three", name);
    if (!(least > 1e-5 * most))
        return node_error(d->n->error, item,
                          "the box of '%s' is too thin to be 'among' others: its edges differ by more than 1e5", name);
    return CAROM_OK;
}

static carom_status check_solid(draft *d, const node *item, int number, const shape *s) {
    const member *m = &d->members.at[number];
    if (!core_exists(s))
        return node_error(
            d->n->error, item,
            "'among' takes points, spheres, capsules, cylinders, boxes, hulls and planes, '%s' has %s %s; %s", m->name,
            s->kind == SHAPE_ELLIPSOID ? "an" : "a", shape_names[s->kind],
            s->kind == SHAPE_DISK ? "give it a thickness: {cylinder: {radius: r, length: l}}"
                                  : "write its contacts with 'between'");
    if (s->kind == SHAPE_PLANE && number != 0)
        return node_error(d->n->error, item, "'among' takes planes of the world alone, that of '%s' moves with it",
                          m->name);
    if (s->kind == SHAPE_BOX && check_box(d, item, m->name, s)) return CAROM_DATA;
    if (s->planar && leaves_plane(s))
        return node_error(d->n->error, item,
                          "'%s' is 'among' bodies in the plane of x and y, but the %s that it has here leaves it",
                          m->name, shape_names[s->kind]);
    if (s->kind == SHAPE_CYLINDER && !(s->length > 1e-5 * s->radius && s->radius > 1e-5 * s->length))
        return node_error(d->n->error, item,
                          "the cylinder of '%s' is too thin to be 'among' others: length and radius differ by more "
                          "than 1e5",
                          m->name);
    return CAROM_OK;
}

/* Lists the numbers of a solid or a law; none if no parameter changes them. */
static carom_status add_change(draft *d, const finder_change *change, const expr *numbers, int count) {
    bool changes = false;
    for (int i = 0; i < count; i++) changes = changes || !expr_is_number(d->n->g, numbers[i], NULL);
    if (!changes) return CAROM_OK;
    d->found_number = arena_grow(d->n->memory, d->found_number, d->found_numbers, count, &d->found_number_room,
                                 sizeof *d->found_number);
    if (!d->found_number || !finder_add_change(d->scene->finder, change)) return carom_error_memory(d->n->error);
    memcpy(d->found_number + d->found_numbers, numbers, (size_t)count * sizeof *numbers);
    d->found_numbers += count;
    return CAROM_OK;
}

static carom_status create_solid(draft *d, int number, int carrier, int own, const form *f, const shape *now,
                                 int *added) {
    const vec center = d->members.at[number].center;
    expr numbers[SOLID_NUMBERS];
    double origin[3];
    vec_now(d->n->g, center, origin);
    *added = finder_add_solid(d->scene->finder, carrier, own, now, origin);
    form_numbers(f, numbers);
    memcpy(numbers + SHAPE_NUMBERS, center.at, sizeof center.at);
    if (*added < 0) return carom_error_memory(d->n->error);
    return add_change(d, &(finder_change){*added, -1, *now}, numbers, SOLID_NUMBERS);
}

/* What it is in the plane; this may depend on parameters, which cannot change then. */
static form seen_from_above(draft *d, const node *item, const form *f) {
    const void *outer = graph_fix_for(d->n->g, item);
    const form flat = form_flattened(d->n->g, f);
    graph_fix_for(d->n->g, outer);
    return flat;
}

/* Adds a solid to a group of the law that is read. A shape of the body itself is one solid for all laws. */
static carom_status add_solid(draft *d, const node *item, int number, const form *f, bool planar, int own, int side) {
    const form taken = planar ? seen_from_above(d, item, f) : *f;
    const shape now = form_now(d->n->g, &taken);
    int carrier, added = -1;
    carom_status status = check_solid(d, item, number, &now);
    if (!status) status = carrier_of(d, number, &carrier);
    if (status) return status;
    if (own >= 0) added = finder_own_solid(d->scene->finder, carrier, own);
    if (added < 0) status = create_solid(d, number, carrier, own, &taken, &now, &added);
    if (status) return status;
    return finder_join(d->scene->finder, added, side) ? CAROM_OK : carom_error_memory(d->n->error);
}

static carom_status add_shapes(draft *d, const node *item, int number, bool planar, int side) {
    const member *m = &d->members.at[number];
    carom_status status = check_member(d, item, number, planar);
    if (!status && !m->shapes)
        status = node_error(d->n->error, item, "'%s' has no shape, say what touches: {body: %s, %s}", m->name, m->name,
                            number ? "sphere: 0.1" : "plane: [0, 0, 1]");
    for (int i = 0; i < m->shapes && !status; i++) status = add_solid(d, item, number, &m->form[i], planar, i, side);
    return status;
}

/* {body: world, plane: [0, 0, 1]} */
static carom_status add_shaped(draft *d, const element *e, const node *item, int number, bool planar, int side) {
    const element of = {e->name, e->key, item, e->index};
    form f;
    carom_status status = check_member(d, item, number, planar);
    if (!status) status = check_partner(d, item);
    if (!status) status = read_shape(d, &of, planar, &f);
    if (!status) status = draft_draw_shape(d, e->name, number, &f);
    return status ? status : add_solid(d, item, number, &f, planar, -1, side);
}

/* ---- partners */

/* Whether this is the key of a family "grain[i=1..n]" of this name. */
static bool names_family(const node *key, const char *name) {
    const size_t length = strlen(name);
    return strncmp(key->text, name, length) == 0 && key->text[length] == '[';
}

/* The names of all families, also of those without members; NULL: out of memory. */
static const char **list_families(draft *d, int *count) {
    const node *of[] = {yaml_find(d->model, "bodies"), yaml_find(d->model, "frames")};
    const char **known = zeros(d, (of[0] ? yaml_count(of[0]) : 0) + (of[1] ? yaml_count(of[1]) : 0) + 1, sizeof *known);
    *count = 0;
    for (int i = 0; i < 2 && known; i++)
        for (const node *entry = of[i] ? of[i]->first : NULL; entry; entry = entry->next) {
            const size_t length = strcspn(entry->key->text, "[");
            char *name = entry->key->text[length] ? zeros(d, (int)length + 1, sizeof *name) : NULL;
            if (name) known[(*count)++] = memcpy(name, entry->key->text, length);
        }
    return known;
}

static bool is_family(const draft *d, const char *name) {
    const node *of[] = {yaml_find(d->model, "bodies"), yaml_find(d->model, "frames")};
    for (int i = 0; i < 2; i++)
        for (const node *entry = of[i] ? of[i]->first : NULL; entry; entry = entry->next)
            if (names_family(entry->key, name)) return true;
    return false;
}

static carom_status add_family(draft *d, const node *name, bool planar, int side) {
    carom_status status = CAROM_OK;
    for (int i = 1; i < d->members.count && !status; i++) {
        const element *from = &d->members.at[i].from;
        if (from->index.name && names_family(from->key, name->text)) status = add_shapes(d, name, i, planar, side);
    }
    return status;
}

/* The family that an unknown name may have meant; NULL: none. */
static const char *nearest_family(draft *d, const char *name) {
    int count;
    const char **known = table_find(&d->member_names, name) ? NULL : list_families(d, &count);
    return known ? carom_nearest(name, known, count) : NULL;
}

/* The first body that is named in these lists, one of a family, too; NULL: none. */
static const member *first_body(const draft *d, const node *list) {
    const member *m = NULL;
    for (const node *item = list->first; item && !m; item = item->next) {
        const node *name = partner_name(item);
        if (item->kind == NODE_LIST) m = first_body(d, item);
        if (!name || name->kind != NODE_TEXT) continue;
        const size_t length = strcspn(name->text, "[");
        for (int i = 1; i < d->members.count && !m; i++) {
            const char *key = d->members.at[i].from.key->text;
            if (strncmp(key, name->text, length) == 0 && strcspn(key, "[") == length) m = &d->members.at[i];
        }
    }
    return m;
}

static bool is_in_plane(const draft *d, const node *list) {
    const member *m = first_body(d, list);
    return m && !pair_in_space(m);
}

static carom_status add_partner(draft *d, const element *e, const node *item, bool planar, int side) {
    const bool shaped = item->kind == NODE_MAP && yaml_count(item) > 1;
    const node *name = partner_name(item);
    int number;
    if (!name && item->kind == NODE_MAP && check_partner(d, item)) return CAROM_DATA;
    if (!name || name->kind != NODE_TEXT)
        return node_error(d->n->error, item, "a partner of '%s' is a body, a family of bodies or {body: ..., shape}",
                          e->name);
    if (!shaped && is_family(d, name->text)) return add_family(d, name, planar, side);
    const char *near = shaped ? NULL : nearest_family(d, name->text);
    if (near)
        return node_error(d->n->error, name, "there is no body or family '%.60s', did you mean '%.60s'?", name->text,
                          near);
    carom_status status = read_member(d, name, &e->index, &number);
    if (status) return status;
    return shaped ? add_shaped(d, e, item, number, planar, side) : add_shapes(d, item, number, planar, side);
}

static carom_status add_group(draft *d, const element *e, const node *list, bool planar, int side) {
    carom_status status = CAROM_OK;
    for (const node *item = list->first; item && !status; item = item->next)
        status = add_partner(d, e, item, planar, side);
    return status;
}

/* Families may be without members, or have only one. */
static bool names_families(const draft *d, const node *list) {
    for (const node *item = list->first; item; item = item->next)
        if (item->kind == NODE_LIST ? names_families(d, item) : item->kind == NODE_TEXT && is_family(d, item->text))
            return true;
    return false;
}

/* Whether the law that was added last is that of some pair of solids. */
static bool makes_contacts(const finder *f) {
    const finder_law *l = &f->law[f->laws - 1];
    for (int a = 0; a < l->groups; a++)
        for (int b = 0; b < l->groups; b++) {
            const bool both = (l->group[a] & 1) && (l->group[b] & 2) && f->solid[a].body != f->solid[b].body;
            if (both && f->body[f->solid[a].body].form.nq + f->body[f->solid[b].body].form.nq > 0) return true;
        }
    return false;
}

static carom_status check_groups(draft *d, const element *e) {
    const node *list = yaml_find(e->value, "among");
    if (names_families(d, list) || makes_contacts(d->scene->finder)) return CAROM_OK;
    return node_error(d->n->error, list,
                      "'%s' makes no contacts: nothing that is named here can move and touch anything else of it",
                      e->name);
}

/* One list, or two of them. */
static carom_status add_groups(draft *d, const element *e, bool planar) {
    enum { FIRST = 1, SECOND = 2 };
    const node *list = yaml_find(e->value, "among");
    const bool listed = list->kind == NODE_LIST && list->first;
    if (!listed || (list->first->kind == NODE_LIST && yaml_count(list) != 2))
        return node_error(d->n->error, list, "'%s' is among some bodies, [ball, wall], or two lists of them", e->name);
    if (list->first->kind != NODE_LIST) return add_group(d, e, list, planar, FIRST | SECOND);
    const node *second = list->first->next;
    if (second->kind != NODE_LIST) return node_error(d->n->error, second, "expected a second list of bodies");
    for (const node *group = list->first; group; group = group->next)
        if (!group->first) return node_error(d->n->error, group, "a list under 'among' is empty");
    carom_status status = add_group(d, e, list->first, planar, FIRST);
    return status ? status : add_group(d, e, second, planar, SECOND);
}

/* ---- laws */

/* Coefficients are numbers. Parameters may change them within their ranges. */
static carom_status check_coefficients(draft *d, const element *e) {
    static const char *const keys[] = {"friction", "restitution", "tangential_restitution", "rest"};
    graph *g = d->n->g;
    carom_status status = CAROM_OK;
    for (int i = 0; i < 4 && !status; i++) {
        const node *text = yaml_find(e->value, keys[i]);
        const bool share = i == 1 || i == 2;
        char sentence[120];
        double now;
        expr value;
        if (!text) continue;
        snprintf(sentence, sizeof sentence, "the %s must %s", keys[i], share ? "lie in [0, 1]" : "not be negative");
        status = names_constant(d->n, text, &e->index, &value, &now);
        if (status) break;
        const expr zero = expr_number(g, 0), one = expr_number(g, 1);
        status = draft_require(d, expr_binary(g, OP_LE, zero, value), text, sentence);
        if (!status && share) status = draft_require(d, expr_binary(g, OP_LE, value, one), text, sentence);
    }
    return status;
}

carom_status draft_among(draft *d, const element *e) {
    contact_entry contact = {.def.name = e->name};
    char what[96];
    snprintf(what, sizeof what, "contact '%.80s'", e->name);
    carom_status status = read_keys(d, e, what, "contacts", "among");
    if (!status) status = draft_coefficients(d, e, &contact);
    if (!status && contact.by_speed)
        status = node_error(d->n->error, yaml_find(e->value, "restitution"),
                            "the restitution of contacts that are found is a number, it knows no speed");
    if (!status && (contact.by_slip || contact.def.kinetic > 0))
        status = node_error(d->n->error, contact.friction,
                            "the friction of contacts that are found is a number, it knows no 'slip' and no 'kinetic'");
    if (!status) status = check_coefficients(d, e);
    if (!status) status = draft_label(d, e->name, e->key);
    if (status) return status;
    const bool planar = is_in_plane(d, yaml_find(e->value, "among"));
    contact.def.slips = expr_equals(d->n->g, contact.coefficient[0], 0) ? 0 : planar ? 1 : 2;
    if (!d->scene->finder) d->scene->finder = finder_create();
    if (!d->scene->finder || !finder_add_law(d->scene->finder, &contact.def)) return carom_error_memory(d->n->error);
    status = add_change(d, &(finder_change){.solid = -1, .law = d->scene->finder->laws - 1}, contact.coefficient,
                        LAW_NUMBERS);
    if (!status) status = add_groups(d, e, planar);
    return status ? status : check_groups(d, e);
}
