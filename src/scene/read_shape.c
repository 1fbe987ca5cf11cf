/* Shapes: {sphere: 0.1}, {box: [1, 2, 3], at: [0, 0, 1]}, {capsule: {radius: r, length: l}, axis: [1, 0, 0]},
 * {plane: [0, 0, 1], at: [0, 0, h]}, {disk: 0.1, points: 12}. */
#include "error.h"
#include "read.h"

#include <math.h>
#include <string.h>

/* What may stand beside the kind of a shape. */
static bool is_placing(const char *key) {
    static const char *const keys[] = {"at", "axis", "rotation", "points", "hole", "body", "angle", "ground"};
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
                "a shape is one of point, sphere, capsule, cylinder, disk, box, plane and ellipsoid, not '%.60s'",
                entry->key->text);
    return node_error(d->n->error, e->value,
                      "a shape is one of point, sphere, capsule, cylinder, disk, box, plane and ellipsoid, here are %d",
                      found);
}

/* {radius: r, length: l} */
static carom_status read_round(draft *d, const element *e, const char *name, shape *s) {
    element round = {e->name, e->key, yaml_find(e->value, name), e->index};
    if (round.value->kind != NODE_MAP)
        return node_error(d->n->error, round.value, "a %s needs a 'radius' and a 'length'", name);
    carom_status status = read_keys(d, &round, name, "parts", "round");
    if (!status) status = read_positive(d, &round, "radius", &s->radius);
    if (!status) status = read_positive(d, &round, "length", &s->length);
    if (!status && !(s->radius > 0 && s->length > 0))
        status = node_error(d->n->error, round.value, "a %s needs a 'radius' and a 'length'", name);
    return status;
}

/* Three half axes; two in the plane, where the third does not matter. */
static carom_status read_half_axes(draft *d, const element *e, bool planar, shape *s) {
    int count;
    carom_status status = read_numbers(d, e, "ellipsoid", planar ? 2 : 3, 3, s->size, &count);
    if (!status && count == 2) s->size[2] = fmin(s->size[0], s->size[1]);
    for (int i = 0; i < 3 && !status; i++)
        if (!(s->size[i] > 0))
            status = node_error(d->n->error, yaml_find(e->value, "ellipsoid"),
                                "the half axes of an ellipsoid must be positive");
    return status;
}

static carom_status read_size(draft *d, const element *e, bool planar, shape *s) {
    const char *name = shape_names[s->kind];
    carom_status status;
    int count;
    switch (s->kind) {
    case SHAPE_SPHERE:
    case SHAPE_DISK:
        status = read_number(d, e, name, &s->radius);
        if (!status && !(s->radius > 0))
            status = node_error(d->n->error, yaml_find(e->value, name), "the radius of a %s must be positive, it is %g",
                                name, s->radius);
        return status;
    case SHAPE_CAPSULE:
    case SHAPE_CYLINDER:
        return read_round(d, e, name, s);
    case SHAPE_POINT:
        return read_numbers(d, e, name, 1, 3, s->r, &count);
    case SHAPE_BOX:
        status = read_numbers(d, e, name, 2, 3, s->size, &count);
        for (int i = 0; i < count && !status; i++)
            if (!(s->size[i] > 0))
                status = node_error(d->n->error, yaml_find(e->value, name), "the edges of a box must be positive");
        return status;
    case SHAPE_ELLIPSOID:
        return read_half_axes(d, e, planar, s);
    default:
        return CAROM_OK;
    }
}

static carom_status read_points(draft *d, const element *e, shape *s) {
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

carom_status read_form(draft *d, const element *e, bool planar, shape *s) {
    *s = (shape){0};
    if (e->value->kind != NODE_MAP)
        return node_error(d->n->error, e->value, "a shape must be a map, as in {sphere: 0.1}");
    double axis[3] = {planar, 0, !planar};
    carom_status status = kind_of(d, e, &s->kind);
    if (status) return status;
    if (s->kind == SHAPE_DISK || s->kind == SHAPE_BOX || s->kind == SHAPE_ELLIPSOID) axis[0] = 0, axis[2] = 1;
    if (s->kind == SHAPE_PLANE) axis[0] = 0, axis[1] = planar, axis[2] = !planar;
    status = read_size(d, e, planar, s);
    if (!status) status = read_points(d, e, s);
    if (!status) status = read_direction(d, e, "axis", axis);
    if (!status && s->kind == SHAPE_PLANE) status = read_direction(d, e, "plane", axis);
    if (!status) shape_axes(axis, s->A);
    return status;
}

carom_status read_shape(draft *d, const element *e, bool planar, shape *s) {
    carom_status status = read_form(d, e, planar, s);
    const node *turned = yaml_find(e->value, "rotation"), *along = yaml_find(e->value, "axis");
    double p[4];
    int count;
    if (!status && yaml_find(e->value, "at")) status = read_numbers(d, e, "at", 1, 3, s->r, &count);
    if (!status && turned && along) status = node_error(d->n->error, along, "give an 'axis' or a 'rotation', not both");
    return status || !turned ? status : read_rotation(d, e, "rotation", s->A, p);
}
