/* Beams that start under stress: shapes of constant strain, and velocities that lead from one to another.
 *
 *   start: {strain: [...]}                                          the shape, from the first node on
 *   start: {strain: [...], then: {strain: [...], position: [...]}, after: 1e-4}    and the shape a time later
 *
 * Strains are in the order of beam.h: torsion, bending about y and z, axial, shear along y and z; in the plane bending,
 * axial, shear. A straight unstressed beam has an axial strain of one. */
#include "error.h"
#include "model/element/beam.h"
#include "read.h"

#include <math.h>
#include <string.h>

/* A shape: the strain of all elements and the first node. */
typedef struct shape_start {
    double strain[6], first[7];
} shape_start;

static carom_status read_strain(draft *d, const element *e, bool planar, double strain[6]) {
    int count;
    double x[6];
    if (!yaml_find(e->value, "strain"))
        return node_error(d->n->error, e->value, "the shape of beam '%s' needs a 'strain'", e->name);
    carom_status status = read_numbers(d, e, "strain", planar ? 3 : 6, planar ? 3 : 6, x, &count);
    if (planar) memcpy(strain, (double[6]){0, 0, x[0], x[1], x[2], 0}, 6 * sizeof *strain);
    else memcpy(strain, x, sizeof x);
    return status;
}

/* A node as a pose in space. */
static void pose_of(const draft *d, const member *m, double place[7]) {
    const double *q = d->q0 + m->q;
    if (m->body.kind == BODY_SPATIAL) memcpy(place, q, 7 * sizeof *place);
    else memcpy(place, (double[7]){q[0], q[1], 0, cos(q[2] / 2), 0, 0, sin(q[2] / 2)}, 7 * sizeof *place);
}

/* The angle of a planar node goes on from that of the node before. */
static void put_pose(draft *d, const member *m, const double place[7], double before) {
    double *q = d->q0 + m->q;
    memcpy(q, place, (m->body.kind == BODY_SPATIAL ? 7 : 2) * sizeof *q);
    if (m->body.kind == BODY_PLANAR) q[2] = before + remainder(2 * atan2(place[6], place[3]) - before, 2 * acos(-1));
}

static bool put_velocity(draft *d, const member *m, const double from[7], const double to[7], double time) {
    double u[6], *own = d->u0 + m->u;
    bool found = beam_velocity(from, to, time, u);
    if (m->body.kind == BODY_SPATIAL) memcpy(own, u, sizeof u);
    else own[0] = u[0], own[1] = u[1], own[2] = u[5];
    return found;
}

static carom_status read_then(draft *d, const element *e, bool planar, const double at[7], shape_start *s) {
    int count, axes = planar ? 2 : 3;
    double x[3];
    memcpy(s->first, at, sizeof s->first);
    carom_status status = read_keys(d, e, "the later shape of a beam", "parts", "then");
    if (!status) status = read_strain(d, e, planar, s->strain);
    if (!status) status = read_numbers(d, e, "position", axes, axes, x, &count);
    if (!status && count) memcpy(s->first, x, (size_t)axes * sizeof *x);
    return status;
}

/* 'then' and 'after' belong together, and take the place of other velocities. */
static carom_status check_velocities(draft *d, const element *beam_of, const element *e, const node *then, bool after) {
    const node *turning = yaml_find(beam_of->value, "angular_velocity"),
               *moving = yaml_find(beam_of->value, "velocity");
    if (!then != !after) return node_error(d->n->error, e->value, "'then' and 'after' belong together");
    if (turning)
        return node_error(d->n->error, turning,
                          "a beam with a 'start' turns by its later shape: give 'then' and 'after'");
    if (then && moving)
        return node_error(d->n->error, moving,
                          "the velocity of a beam is given by 'velocity' or by 'then', not by both");
    return CAROM_OK;
}

static void go_on(shape_start *s, double length) {
    double next[7];
    beam_next(length, s->strain, s->first, next);
    memcpy(s->first, next, sizeof next);
}

carom_status draft_start_beam(draft *d, const element *beam_of, const member *nodes, int count,
                              const elastic_element *between) {
    const bool planar = nodes->body.kind == BODY_PLANAR;
    element e = {beam_of->name, beam_of->key, yaml_find(beam_of->value, "start"), beam_of->index}, later = e;
    shape_start now, then;
    double after = 0;
    if (!e.value) return CAROM_OK;
    if (e.value->kind != NODE_MAP) return node_error(d->n->error, e.value, "'start' must be a map with a 'strain'");
    carom_status status = read_keys(d, &e, "the start of a beam", "parts", "start");
    if (!status) status = read_strain(d, &e, planar, now.strain);
    pose_of(d, nodes, now.first);
    if (!status) status = read_positive(d, &e, "after", &after);
    later.value = yaml_find(e.value, "then");
    if (!status) status = check_velocities(d, beam_of, &e, later.value, after > 0);
    if (!status && later.value) status = read_then(d, &later, planar, now.first, &then);
    double angle = planar ? d->q0[nodes->q + 2] : 0;
    for (int k = 0; k <= count && !status; k++) {
        put_pose(d, &nodes[k], now.first, angle);
        if (planar) angle = d->q0[nodes[k].q + 2];
        if (later.value && !put_velocity(d, &nodes[k], now.first, then.first, after))
            return node_error(d->n->error, later.value, "node %d of beam '%s' turns by half a turn", k + 1, e.name);
        if (k == count) break;
        const double length = ((const beam *)between[k].data)->length;
        go_on(&now, length);
        if (later.value) go_on(&then, length);
    }
    return status;
}
