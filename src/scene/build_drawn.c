/* Shapes under 'draw', which show the motion of a scene of formulas. They have no effect on the motion.
 *
 *   ball:  {circle: R, at: [x, y], angle: phi}
 *   rod:   {line: [[0, 0], [l*cos(phi), l*sin(phi)]], radius: 0.01}
 *   chain: {line: {"node[i=1..n]": ["x[i]", "y[i]"]}} */
#include "error.h"
#include "read.h"

#include <stdio.h>
#include <string.h>

/* ---- points */

/* A place, which depends on time and coordinates only. */
static carom_status read_place(draft *d, const node *list, const char *name, const parse_index *index, vec *x) {
    double z;
    carom_status status = read_vector(d, list, name, index, x);
    if (!status) status = draft_check_place(d, list, *x);
    if (!status && (!expr_is_number(d->n->g, x->at[2], &z) || z != 0)) d->drawn.lifted = true;
    return status;
}

/* [[x, y], ...] */
static carom_status read_list(draft *d, const element *e, const node *list, vec **x, int *count) {
    carom_status status = CAROM_OK;
    *count = yaml_count(list);
    if (!(*x = zeros(d, *count, sizeof **x))) return carom_error_memory(d->n->error);
    const node *point = list->first;
    for (int i = 0; i < *count && !status; i++, point = point->next)
        status = read_place(d, point, e->name, &e->index, &(*x)[i]);
    return status;
}

/* {"node[i=1..n]": ["x[i]", "y[i]"], ...} */
static carom_status read_map(draft *d, const element *e, const node *map, vec **x, int *count) {
    elements list = {0};
    carom_status status = names_expand(d->n, map, e->name, false, &list);
    *count = list.count;
    if (!status && !(*x = zeros(d, list.count, sizeof **x))) status = carom_error_memory(d->n->error);
    for (int i = 0; i < list.count && !status; i++) {
        element *point = &list.at[i];
        bool inner = point->index.name;
        if (inner && e->index.name) point->index.next = &e->index;
        status = read_place(d, point->value, e->name, inner ? &point->index : &e->index, &(*x)[i]);
    }
    return status;
}

static carom_status draw_points(draft *d, const element *e, const node *points, drawn *thing) {
    static const int least[] = {[DRAWN_LINE] = 2, [DRAWN_TUBE] = 2, [DRAWN_POLYGON] = 3, [DRAWN_SPRING] = 2};
    vec *x = NULL;
    if (points->kind != NODE_LIST && points->kind != NODE_MAP)
        return node_error(d->n->error, points, "'%.60s' needs points, as in [[0, 0], [x, y]]", e->name);
    carom_status status = points->kind == NODE_MAP ? read_map(d, e, points, &x, &thing->count)
                                                   : read_list(d, e, points, &x, &thing->count);
    if (!status && thing->count < least[thing->kind])
        status = node_error(d->n->error, points, "'%.60s' needs at least %d points", e->name, least[thing->kind]);
    if (!status && thing->kind == DRAWN_SPRING && thing->count > 2)
        status = node_error(d->n->error, points, "spring '%.60s' has two ends, here are %d", e->name, thing->count);
    return status ? status : draft_draw_points(d, thing, x);
}

/* ---- one point, or a place with a direction */

static carom_status draw_path(draft *d, const element *e, const node *at, drawn *thing) {
    vec x;
    carom_status status = read_place(d, at, e->name, &e->index, &x);
    return status ? status : draft_draw_points(d, thing, &x);
}

static carom_status read_at(draft *d, const element *e, vec *x) {
    const node *at = yaml_find(e->value, "at");
    *x = vec_zero(d->n->g);
    return at ? read_place(d, at, "at", &e->index, x) : CAROM_OK;
}

static carom_status draw_text(draft *d, const element *e, const node *text, drawn *thing) {
    vec x;
    carom_status status = check_text(text, "what is written", d->n->error);
    if (!status) status = read_at(d, e, &x);
    thing->text = text->text;
    return status ? status : draft_draw_points(d, thing, &x);
}

/* 'angle' turns from x to y, 'rotation' is any rotation. */
static carom_status read_axes(draft *d, const element *e, mat *A) {
    const node *turned = yaml_find(e->value, "rotation"), *angle = yaml_find(e->value, "angle");
    expr value;
    if (turned && angle) return node_error(d->n->error, angle, "give an 'angle' or a 'rotation', not both");
    carom_status status = angle ? read_formula(d, e, "angle", &value) : read_turning(d, e, "rotation", A);
    if (!status && angle) *A = mat_turn(d->n->g, vec_number(d->n->g, (double[3]){0, 0, 1}), value);
    for (int i = 0; i < 3 && !status; i++) status = draft_check_place(d, angle ? angle : turned, A->axis[i]);
    return status;
}

static carom_status read_circle(draft *d, const element *e, form *f) {
    *f = form_empty(d->n->g);
    f->kind = SHAPE_DISK;
    return read_positive_constant(d, e, "circle", &f->radius);
}

static carom_status draw_shape(draft *d, const element *e, const node *given, drawn *thing) {
    shape *s = zeros(d, 1, sizeof *s);
    form f;
    vec r;
    mat A;
    (void)given;
    if (!s) return carom_error_memory(d->n->error);
    bool turned = yaml_find(e->value, "angle") || yaml_find(e->value, "rotation");
    carom_status status =
        yaml_find(e->value, "circle") ? read_circle(d, e, &f) : read_form(d, e, draft_is_planar(d), &f);
    if (!status) status = read_at(d, e, &r);
    if (!status) status = read_axes(d, e, &A);
    *s = form_now(d->n->g, &f);
    thing->shape = s;
    thing->body = turned ? BODY_PLANAR : BODY_POINT;
    return status ? status : draft_draw_placed(d, thing, r, &A);
}

/* ---- what there is */

typedef struct outline {
    const char *name;
    drawn_kind kind;
    carom_status (*draw)(draft *d, const element *e, const node *given, drawn *thing);
} outline;

enum { OUTLINES = 12 };
static const outline outlines[OUTLINES] = {
    {"line", DRAWN_LINE, draw_points},     {"polygon", DRAWN_POLYGON, draw_points},
    {"spring", DRAWN_SPRING, draw_points}, {"path", DRAWN_PATH, draw_path},
    {"text", DRAWN_TEXT, draw_text},       {"circle", DRAWN_BODY, draw_shape},
    {"box", DRAWN_BODY, draw_shape},       {"sphere", DRAWN_BODY, draw_shape},
    {"capsule", DRAWN_BODY, draw_shape},   {"cylinder", DRAWN_BODY, draw_shape},
    {"disk", DRAWN_BODY, draw_shape},      {"plane", DRAWN_BODY, draw_shape},
};

static const outline *find_outline(const char *name) {
    for (int i = 0; i < OUTLINES; i++)
        if (strcmp(outlines[i].name, name) == 0) return &outlines[i];
    return NULL;
}

static carom_status no_outline(draft *d, const element *e) {
    const char *known[OUTLINES];
    for (int i = 0; i < OUTLINES; i++) known[i] = outlines[i].name;
    for (const node *entry = e->value->first; entry; entry = entry->next)
        if (carom_nearest(entry->key->text, known, OUTLINES))
            return node_error_near(d->n->error, entry->key, entry->key->text, known, OUTLINES,
                                   "'draw' knows no '%.60s'", entry->key->text);
    return node_error(d->n->error, e->key,
                      "'%.60s' is to be drawn as a line, polygon, spring, path, text, circle, box, sphere, capsule, "
                      "cylinder or plane",
                      e->name);
}

/* The key that says what it is; exactly one must be there. NULL with the error. */
static const outline *outline_of(draft *d, const element *e) {
    const outline *found = NULL;
    for (const node *entry = e->value->first; entry; entry = entry->next) {
        const outline *f = find_outline(entry->key->text);
        if (f && found) {
            node_error(d->n->error, entry->key, "'%.60s' is drawn as %s and as %s, choose one", e->name, found->name,
                       f->name);
            return NULL;
        }
        if (f) found = f;
    }
    if (!found) no_outline(d, e);
    return found;
}

/* alike: it belongs to the same family as the one before */
static carom_status draw(draft *d, const element *e, bool alike) {
    static const char *const flags[] = {"false", "true", NULL};
    char what[96];
    int ground = 0;
    if (e->value->kind != NODE_MAP) return node_error(d->n->error, e->value, "'%.60s' must be a map", e->name);
    const outline *f = outline_of(d, e);
    if (!f) return CAROM_DATA;
    snprintf(what, sizeof what, "%s '%.60s'", f->name, e->name);
    drawn thing = {.kind = f->kind, .name = e->name, .count = 1, .alike = alike};
    carom_status status = read_keys(d, e, what, "drawings", f->name);
    if (!status) status = read_word(d, e, "ground", "value of 'ground'", flags, &ground);
    if (!status) status = read_positive(d, e, "radius", &thing.radius);
    thing.ground = ground;
    if (thing.kind == DRAWN_LINE && thing.radius > 0) thing.kind = DRAWN_TUBE;
    return status ? status : f->draw(d, e, yaml_find(e->value, f->name), &thing);
}

carom_status draft_add_drawn(draft *d) {
    elements list = {0};
    carom_status status = names_expand(d->n, yaml_find(d->model, "draw"), "draw", false, &list);
    for (int i = 0; i < list.count && !status; i++)
        status = draw(d, &list.at[i], i > 0 && list.at[i].key == list.at[i - 1].key);
    return status;
}
