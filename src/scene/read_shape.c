/* Shapes: {sphere: 0.1}, {box: [1, 2, 3], at: [0, 0, 1]}, {capsule: {radius: r, length: l}, axis: [1, 0, 0]},
 * {plane: [0, 0, 1], at: [0, 0, h]}, {disk: 0.1, points: 12}. */
#include "error.h"
#include "read.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* What may stand beside the kind of a shape. */
static bool is_placing(const char *key) {
    static const char *const keys[] = {"at", "axis", "rotation", "points", "scale", "hole", "body", "angle", "ground"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strcmp(key, keys[i]) == 0) return true;
    return false;
}

static carom_status kind_of(draft *d, const element *e, shape_kind *kind) {
    int found = 0;
    for (int k = 0; k < SHAPE_KINDS; k++)
        if (yaml_find(e->value, shape_names[k])) *kind = (shape_kind)k, found++;
    if (found == 1) return CAROM_OK;
    for (const node *entry = e->value->first; entry && !found; entry = entry->next)
        if (!is_placing(entry->key->text))
            return node_error_near(
                d->n->error, entry->key, entry->key->text, shape_names, SHAPE_KINDS,
                "a shape is one of point, sphere, capsule, cylinder, disk, box, plane, ellipsoid and hull, not "
                "'%.60s'",
                entry->key->text);
    return node_error(d->n->error, e->value,
                      "a shape is one of point, sphere, capsule, cylinder, disk, box, plane, ellipsoid and hull, here "
                      "are %d",
                      found);
}

/* {radius: r, length: l} */
static carom_status read_round(draft *d, const element *e, const char *name, form *s) {
    element round = {e->name, e->key, yaml_find(e->value, name), e->index};
    if (round.value->kind != NODE_MAP)
        return node_error(d->n->error, round.value, "a %s needs a 'radius' and a 'length'", name);
    carom_status status = read_keys(d, &round, name, "parts", "round");
    for (int i = 0; i < 2 && !status; i++)
        if (!yaml_find(round.value, i ? "length" : "radius"))
            status = node_error(d->n->error, round.value, "a %s needs a 'radius' and a 'length'", name);
    if (!status) status = read_positive_constant(d, &round, "radius", &s->radius);
    return status ? status : read_positive_constant(d, &round, "length", &s->length);
}

/* Three half axes; two in the plane, where the third does not matter. */
static carom_status read_half_axes(draft *d, const element *e, bool planar, form *s) {
    const node *where = yaml_find(e->value, "ellipsoid");
    int count;
    carom_status status = read_constants(d, e, "ellipsoid", planar ? 2 : 3, 3, s->size, &count);
    if (!status && count == 2) s->size[2] = expr_binary(d->n->g, OP_MIN, s->size[0], s->size[1]);
    for (int i = 0; i < 3 && !status; i++) {
        if (!(expr_value(d->n->g, s->size[i], NULL) > 0))
            return node_error(d->n->error, where, "the half axes of an ellipsoid must be positive");
        status = draft_demand(d, s->size[i], where, "the half axes of an ellipsoid must be positive");
    }
    return status;
}

static carom_status read_size(draft *d, const element *e, bool planar, form *s) {
    const char *name = shape_names[s->kind];
    const node *where = yaml_find(e->value, name);
    carom_status status;
    char what[40];
    int count;
    switch (s->kind) {
    case SHAPE_SPHERE:
    case SHAPE_DISK:
        snprintf(what, sizeof what, "the radius of a %s", name);
        status = read_constant(d, e, name, &s->radius);
        return status ? status : draft_positive(d, s->radius, where, what);
    case SHAPE_CAPSULE:
    case SHAPE_CYLINDER:
        return read_round(d, e, name, s);
    case SHAPE_POINT:
        return read_constants(d, e, name, 1, 3, s->r.at, &count);
    case SHAPE_BOX:
        status = read_constants(d, e, name, 2, 3, s->size, &count);
        for (int i = 0; i < count && !status; i++) status = draft_positive(d, s->size[i], where, "an edge of a box");
        return status;
    case SHAPE_ELLIPSOID:
        return read_half_axes(d, e, planar, s);
    case SHAPE_HULL:
        return read_hull(d, e, planar, s);
    default:
        return CAROM_OK;
    }
}

static carom_status read_points(draft *d, const element *e, form *s) {
    const node *given = yaml_find(e->value, "points");
    double count = 0;
    if (!given) return CAROM_OK;
    if (s->kind != SHAPE_DISK && s->kind != SHAPE_CYLINDER)
        return node_error(d->n->error, given, "a %s has no rim to put 'points' on, only a disk or a cylinder has",
                          shape_names[s->kind]);
    carom_status status = read_number(d, e, "points", &count);
    if (!status && !(count >= SHAPE_POINTS_LEAST && count <= SHAPE_POINTS_MOST && count == floor(count)))
        status = node_error(d->n->error, given, "'points' on a rim are a whole number from %d to %d, not %g",
                            SHAPE_POINTS_LEAST, SHAPE_POINTS_MOST, count);
    if (!status) s->points = (int)count;
    return status;
}

/* The axis of a shape where none is given. */
static vec usual_axis(graph *g, shape_kind kind, bool planar) {
    const mat world = mat_identity(g);
    if (kind == SHAPE_DISK || kind == SHAPE_BOX || kind == SHAPE_ELLIPSOID || kind == SHAPE_HULL) return world.axis[2];
    if (kind == SHAPE_PLANE) return world.axis[planar ? 1 : 2];
    return world.axis[planar ? 0 : 2];
}

carom_status read_form(draft *d, const element *e, bool planar, form *s) {
    *s = form_empty(d->n->g);
    if (e->value->kind != NODE_MAP)
        return node_error(d->n->error, e->value, "a shape must be a map, as in {sphere: 0.1}");
    carom_status status = kind_of(d, e, &s->kind);
    if (status) return status;
    vec axis = usual_axis(d->n->g, s->kind, planar);
    status = read_size(d, e, planar, s);
    if (!status) status = read_points(d, e, s);
    if (!status) status = read_direction(d, e, "axis", &axis);
    if (!status && s->kind == SHAPE_PLANE) status = read_direction(d, e, "plane", &axis);
    if (!status) s->A = mat_about(d->n->g, axis);
    return status;
}

carom_status read_shape(draft *d, const element *e, bool planar, form *s) {
    carom_status status = read_form(d, e, planar, s);
    const node *turned = yaml_find(e->value, "rotation"), *along = yaml_find(e->value, "axis");
    expr p[4];
    int count;
    if (!status && yaml_find(e->value, "at")) status = read_constants(d, e, "at", 1, 3, s->r.at, &count);
    if (!status && turned && along) status = node_error(d->n->error, along, "give an 'axis' or a 'rotation', not both");
    return status || !turned ? status : read_rotation(d, e, "rotation", &s->A, p);
}
