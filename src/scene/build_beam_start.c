/* Beams that start under stress: shapes of constant strain, and velocities that lead from one to another.
 *
 *   start: {strain: [...]}                                          the shape, from the first node on
 *   start: {strain: [...], then: {strain: [...], position: [...]}, after: 1e-4}    and the shape a time later
 *
 * Strains are in the order of beam.h: torsion, bending about y and z, axial, shear along y and z; in the plane bending,
 * axial, shear. A straight unstressed beam has an axial strain of one. */
#include "beams.h"
#include "error.h"

#include <stdio.h>
#include <string.h>

/* A shape: the strain of all elements, and the node that has been reached. */
typedef struct shape_start {
    expr strain[6];
    beam_node node;
} shape_start;

static carom_status read_strain(draft *d, const element *e, bool planar, expr strain[6]) {
    const expr zero = expr_number(d->n->g, 0);
    int count;
    expr x[6];
    if (!yaml_find(e->value, "strain"))
        return node_error(d->n->error, e->value, "the shape of beam '%s' needs a 'strain'", e->name);
    carom_status status = read_constants(d, e, "strain", planar ? 3 : 6, planar ? 3 : 6, x, &count);
    if (planar) memcpy(strain, (expr[6]){zero, zero, x[0], x[1], x[2], zero}, 6 * sizeof *strain);
    else memcpy(strain, x, sizeof x);
    return status;
}

static carom_status read_then(draft *d, const element *e, bool planar, const beam_node *at, shape_start *s) {
    int count, axes = planar ? 2 : 3;
    expr x[3];
    s->node = *at;
    carom_status status = read_keys(d, e, "the later shape of a beam", "parts", "then");
    if (!status) status = read_strain(d, e, planar, s->strain);
    if (!status) status = read_constants(d, e, "position", axes, axes, x, &count);
    if (!status && count) memcpy(s->node.r.at, x, (size_t)axes * sizeof *x);
    return status;
}

/* 'then' and 'after' need each other, and replace other velocities. */
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

static carom_status put_velocity(draft *d, const element *then, int k, const member *m, const beam_node *from,
                                 const beam_node *to, expr after) {
    const int first = d->first_u + m->u;
    const bool planar = m->body.kind == BODY_PLANAR;
    expr u[6], e0;
    char sentence[160];
    beam_velocity(d->n->g, from, to, after, u, &e0);
    snprintf(sentence, sizeof sentence, "node %d of beam '%.60s' turns by half a turn", k + 1, then->name);
    carom_status status = draft_require(d, expr_mul(d->n->g, e0, e0), then->value, sentence);
    for (int i = 0; i < m->body.nu && !status; i++) draft_set_start(d, first + i, u[planar && i == 2 ? 5 : i]);
    return status;
}

carom_status start_beam(draft *d, const beam_entry *b) {
    graph *g = d->n->g;
    const member *nodes = &d->members.at[b->first];
    element e = {b->from.name, b->from.key, yaml_find(b->from.value, "start"), b->from.index}, later = e;
    shape_start now, then;
    expr after = -1;
    if (!e.value) return CAROM_OK;
    if (e.value->kind != NODE_MAP) return node_error(d->n->error, e.value, "'start' must be a map with a 'strain'");
    carom_status status = read_keys(d, &e, "the start of a beam", "parts", "start");
    if (!status) status = read_strain(d, &e, b->planar, now.strain);
    now.node = beam_node_at(d, nodes);
    if (!status) status = read_positive_constant(d, &e, "after", &after);
    later.value = yaml_find(e.value, "then");
    if (!status) status = check_velocities(d, &b->from, &e, later.value, yaml_find(e.value, "after"));
    if (!status && later.value) status = read_then(d, &later, b->planar, &now.node, &then);
    for (int k = 0; k <= b->elements && !status; k++) {
        const expr *angle = &d->start_of[1 + nodes[k ? k - 1 : 0].q + 2]; /* the first node keeps its own */
        beam_put_node(d, &nodes[k], &now.node, angle);
        if (later.value) status = put_velocity(d, &later, k, &nodes[k], &now.node, &then.node, after);
        if (k == b->elements) break;
        now.node = beam_next(g, b->length[k], now.strain, &now.node);
        if (later.value) then.node = beam_next(g, b->length[k], then.strain, &then.node);
    }
    return status;
}
