/* Beams: chains of nodes, which are bodies, with elastic elements between them (docs/theory/elements.md, Beams). Node k
 * of 'arm' is the body 'arm[k]', from arm1 on. */
#include "beams.h"
#include "error.h"
#include "model/element/beam_rate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- listing */

static carom_status list_beam(draft *d, const element *e, beam_entry *b) {
    static const char *const types[] = {"spatial", "planar", NULL};
    int type = -1;
    carom_status status = CAROM_OK;
    if (e->value->kind != NODE_MAP) status = node_error(d->n->error, e->value, "beam '%s' must be a map", e->name);
    if (!status) status = read_word(d, e, "type", "type of beam", types, &type);
    if (!status && type < 0)
        status = node_error(d->n->error, e->key, "beam '%s' needs a type: spatial or planar", e->name);
    *b = (beam_entry){.from = *e, .planar = type == 1};
    if (status) return status;
    return draft_list_nodes(d, e, "beam", b->planar ? BODY_PLANAR : BODY_SPATIAL, 0, &b->first, &b->elements);
}

carom_status draft_list_beams(draft *d) {
    elements list = {0};
    carom_status status = names_expand(d->n, yaml_find(d->model, "beams"), "beams", false, &list);
    if (status) return status;
    d->beams = zeros(d, 1, sizeof *d->beams);
    if (d->beams) d->beams->at = zeros(d, list.count, sizeof *d->beams->at);
    if (!d->beams || !d->beams->at) return carom_error_memory(d->n->error);
    for (; d->beams->count < list.count && !status; d->beams->count++)
        status = list_beam(d, &list.at[d->beams->count], &d->beams->at[d->beams->count]);
    return status;
}

/* ---- the reference shape */

/* The axis of the beam: its point and tangent as expressions of the symbol s in [0, 1]. */
typedef struct curve {
    vec r, tangent;
    int s;
} curve;

static vec curve_at(draft *d, const curve *c, vec of, double s) {
    const expr value = expr_number(d->n->g, s);
    vec x;
    for (int i = 0; i < 3; i++) x.at[i] = expr_substitute(d->n->g, of.at[i], c->s, 1, &value);
    return x;
}

static carom_status read_line(draft *d, const beam_entry *b, expr s, curve *c) {
    graph *g = d->n->g;
    const element *e = &b->from;
    const int axes = b->planar ? 2 : 3;
    vec from = vec_zero(g), to = from; /* no z in the plane */
    int count;
    carom_status status = beam_needs(d, e, "from");
    if (!status) status = beam_needs(d, e, "to");
    if (!status) status = read_constants(d, e, "from", axes, axes, from.at, &count);
    if (!status) status = read_constants(d, e, "to", axes, axes, to.at, &count);
    if (!status) c->r = vec_add(g, from, vec_scale(g, s, vec_sub(g, to, from)));
    return status;
}

static carom_status read_curve(draft *d, const beam_entry *b, curve *c) {
    const element *e = &b->from;
    const node *curved = yaml_find(e->value, "curve");
    graph *g = d->n->g;
    c->s = 1 + d->nq + d->nu;
    expr s = expr_symbol(g, c->s);
    carom_status status = CAROM_OK;
    if (curved && (yaml_find(e->value, "from") || yaml_find(e->value, "to")))
        return node_error(d->n->error, curved, "beam '%s' has a 'curve': leave out 'from' and 'to'", e->name);
    if (curved) {
        status = read_formulas_of(d, e, "curve", &(local_name){"s", s, NULL}, &c->r);
        if (!status && b->planar && !expr_equals(g, c->r.at[2], 0))
            status = node_error(d->n->error, curved, "the curve of a beam in the plane has two components");
    } else status = read_line(d, b, s, c);
    for (int i = 0; i < 3 && !status; i++) {
        c->tangent.at[i] = expr_derivative(g, c->r.at[i], c->s);
        if (c->tangent.at[i] < 0) return carom_error_memory(d->n->error);
    }
    return status;
}

/* ---- the initial state */

/* A rigid motion: the velocity of the first node, and an angular velocity about it, in the world. */
typedef struct rigid {
    vec v, w, about;
} rigid;

static carom_status read_motion(draft *d, const beam_entry *b, rigid *m) {
    int count, axes = b->planar ? 2 : 3;
    m->w = vec_zero(d->n->g), m->v = m->w;
    carom_status status = read_constants(d, &b->from, "velocity", axes, axes, m->v.at, &count);
    if (b->planar) return status ? status : read_constant(d, &b->from, "angular_velocity", &m->w.at[2]);
    return status ? status : read_constants(d, &b->from, "angular_velocity", 3, 3, m->w.at, &count);
}

beam_node beam_node_at(draft *d, const member *m) {
    const expr *q = d->start_of + 1 + m->q;
    if (m->body.kind == BODY_SPATIAL) return (beam_node){{{q[0], q[1], q[2]}}, {q[3], q[4], q[5], q[6]}};
    return beam_node_planar(d->n->g, (vec){{q[0], q[1], expr_number(d->n->g, 0)}}, q[2]);
}

/* The angle that differs from the given one by whole turns and is nearest to another angle. */
static expr nearest_turn(graph *g, expr angle, expr to) {
    const double turn = 2 * acos(-1);
    const expr off = expr_sub(g, angle, to), turns = expr_unary(g, OP_ROUND, expr_scale(g, 1 / turn, off));
    const expr rest = expr_sub(g, off, expr_scale(g, turn, turns));
    return expr_add(g, to, rest);
}

void beam_put_node(draft *d, const member *m, const beam_node *to, const expr *angle_before) {
    graph *g = d->n->g;
    const int q = 1 + m->q;
    const bool planar = m->body.kind == BODY_PLANAR;
    for (int i = 0; i < (planar ? 2 : 3); i++) draft_set_start(d, q + i, to->r.at[i]);
    for (int i = 0; i < 4 && !planar; i++) draft_set_start(d, q + 3 + i, to->p[i]);
    if (!planar) return;
    const expr angle = expr_scale(g, 2, expr_binary(g, OP_ATAN2, to->p[3], to->p[0]));
    draft_set_start(d, q + 2, angle_before ? nearest_turn(g, angle, *angle_before) : angle);
}

static void put_velocity(draft *d, const member *m, const rigid *motion, vec r, const mat *A) {
    graph *g = d->n->g;
    const int u = d->first_u + m->u;
    const bool planar = m->body.kind == BODY_PLANAR;
    const vec v = vec_add(g, motion->v, vec_cross(g, motion->w, vec_sub(g, r, motion->about)));
    const vec w = planar ? motion->w : mat_transposed_times(g, A, motion->w);
    for (int i = 0; i < (planar ? 2 : 3); i++) draft_set_start(d, u + i, v.at[i]);
    if (planar) draft_set_start(d, u + 2, w.at[2]);
    for (int i = 0; i < 3 && !planar; i++) draft_set_start(d, u + 3 + i, w.at[i]);
}

/* 'up', or the third axis of the world, or the first where the beam begins nearly along the third. */
static carom_status read_up(draft *d, const beam_entry *b, vec tangent, vec *up) {
    graph *g = d->n->g;
    const node *given = yaml_find(b->from.value, "up");
    *up = mat_identity(g).axis[2];
    if (given && b->planar) return node_error(d->n->error, given, "a beam in the plane has no 'up'");
    if (b->planar) return CAROM_OK;
    const vec level = {{tangent.at[0], tangent.at[1], expr_number(g, 0)}};
    const expr height = expr_scale(g, 1e-6, expr_unary(g, OP_ABS, tangent.at[2]));
    const expr upright = expr_binary(g, OP_LT, vec_norm(g, level), height);
    up->at[0] = upright, up->at[2] = expr_sub(g, expr_number(g, 1), upright);
    return read_direction(d, &b->from, "up", up);
}

/* Frames along the axis: x along the tangent, z as near as possible to that of the node before (or to 'up'). */
static carom_status frame_along(draft *d, const beam_entry *b, int k, vec tangent, mat *A) {
    graph *g = d->n->g;
    const node *given = yaml_find(b->from.value, "up");
    char sentence[160];
    snprintf(sentence, sizeof sentence, "beam '%.60s' has no direction at node %d", b->from.name, k + 1);
    carom_status status = draft_require(d, vec_dot(g, tangent, tangent), b->from.key, sentence);
    if (status) return status;
    const vec x = vec_unit(g, tangent), across = vec_cross(g, A->axis[2], x);
    const expr aside = expr_sub(g, vec_dot(g, across, across), expr_number(g, 1e-12));
    snprintf(sentence, sizeof sentence, "beam '%.60s' points along 'up' at node %d, give another one", b->from.name,
             k + 1);
    status = draft_require(d, aside, given ? given : b->from.key, sentence);
    if (status) return status;
    const vec y = vec_unit(g, across);
    *A = (mat){{x, y, vec_cross(g, x, y)}};
    return CAROM_OK;
}

static bool same_vec(vec a, vec b) {
    return a.at[0] == b.at[0] && a.at[1] == b.at[1] && a.at[2] == b.at[2];
}

static carom_status place_nodes(draft *d, const beam_entry *b) {
    graph *g = d->n->g;
    curve axis;
    rigid motion;
    vec tangent = {{-1, -1, -1}};
    mat A;
    carom_status status = read_curve(d, b, &axis);
    if (!status) status = read_motion(d, b, &motion);
    if (!status) status = read_up(d, b, curve_at(d, &axis, axis.tangent, 0), &A.axis[2]);
    for (int k = 0; k <= b->elements && !status; k++) {
        const member *m = &d->members.at[b->first + k];
        const double s = (double)k / b->elements;
        const vec before = tangent;
        beam_node at = {.r = curve_at(d, &axis, axis.r, s)};
        tangent = curve_at(d, &axis, axis.tangent, s);
        if (k == 0) motion.about = at.r;
        if (k == 0 || !same_vec(tangent, before)) status = frame_along(d, b, k, tangent, &A); /* a line keeps its own */
        if (status) break;
        mat_to_quaternion(g, &A, at.p);
        beam_put_node(d, m, &at, k ? &d->start_of[1 + m[-1].q + 2] : NULL);
        put_velocity(d, m, &motion, at.r, &A);
    }
    return status;
}

/* ---- elements */

static carom_status check_element(draft *d, const beam_entry *b, int k, expr value, const char *what) {
    char sentence[160];
    snprintf(sentence, sizeof sentence, "element %d of beam '%.60s' %s", k + 1, b->from.name, what);
    return draft_require(d, value, b->from.key, sentence);
}

/* Half of the mass of an element goes to either of its nodes. */
static void weigh_node(draft *d, const beam_entry *b, expr length, body *m) {
    graph *g = d->n->g;
    const expr half = expr_scale(g, 0.5, length), zero = expr_number(g, 0);
    if (!m->weighed) {
        m->weighed = true, m->mass_of = zero;
        for (int i = 0; i < 9; i++) m->inertia_of[i / 3][i % 3] = zero;
    }
    m->mass_of = expr_add(g, m->mass_of, expr_mul(g, b->mass, half));
    for (int i = 0; i < 3; i++)
        m->inertia_of[i][i] = expr_add(g, m->inertia_of[i][i], expr_mul(g, b->inertia[i], half));
}

static carom_status make_element(draft *d, beam_entry *b, int k) {
    const elastic *kind = b->planar ? &elastic_planar_beam : &elastic_beam;
    const int nq = kind->nq / 2, nu = kind->nu / 2;
    member *m = &d->members.at[b->first + k];
    int *place = zeros(d, kind->nq + kind->nu, sizeof *place);
    expr given[BEAM_GIVEN], *reference = given + 7;
    if (!place) return carom_error_memory(d->n->error);
    const beam_node nodes[2] = {beam_node_at(d, &m[0]), beam_node_at(d, &m[1])};
    const beam_relation s = beam_relate(d->n->g, &nodes[0], &nodes[1]);
    carom_status status = check_element(d, b, k, vec_dot(d->n->g, s.d, s.d), "has no length");
    if (!status) status = check_element(d, b, k, s.unturned, "is bent by half a turn; take more elements");
    if (status) return status;
    given[0] = b->length[k] = beam_length(d->n->g, &s);
    memcpy(given + 1, b->stiffness, sizeof b->stiffness);
    for (int i = 0; i < 14; i++) reference[i] = expr_number(d->n->g, 0);
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < nq; j++)
            place[nq * i + j] = m[i].q + j, reference[nq * i + j] = d->start_of[1 + m[i].q + j];
        for (int j = 0; j < nu; j++) place[2 * nq + nu * i + j] = m[i].u + j;
        weigh_node(d, b, b->length[k], &m[i].body);
    }
    return draft_elastic(d, (elastic_element){kind, place, place + 2 * nq}, given, b->from.key);
}

carom_status draft_declare_beams(draft *d) {
    carom_status status = CAROM_OK;
    for (int i = 0; i < d->beams->count && !status; i++) {
        beam_entry *b = &d->beams->at[i];
        char what[96];
        snprintf(what, sizeof what, "beam '%.80s'", b->from.name);
        b->length = zeros(d, b->elements, sizeof *b->length);
        if (!b->length) return carom_error_memory(d->n->error);
        status = read_keys(d, &b->from, what, "elastic", "beams");
        if (!status) status = read_beam_section(d, b);
        if (!status) status = place_nodes(d, b);
        for (int k = 0; k < b->elements && !status; k++) status = make_element(d, b, k);
        if (!status) status = start_beam(d, b);
    }
    return status;
}

/* ---- energies */

/* Mass per length that a velocity of a node moves. */
static expr inertia_of(const beam_entry *b, int velocity) {
    if (velocity < (b->planar ? 2 : 3)) return b->mass;
    return b->planar ? b->inertia[2] : b->inertia[velocity - 3];
}

/* Velocities that are linear between the nodes: 1/6 (x^2 + xy + y^2) = 1/4 (x^2 + y^2) - 1/12 (x - y)^2, so the
 * consistent kinetic energy is the lumped one, which the nodes have as bodies, less this (DB10). */
static expr consistent_part(draft *d, const beam_entry *b, int k) {
    graph *g = d->n->g;
    const member *first = &d->members.at[b->first + k], *second = first + 1;
    expr sum = expr_number(g, 0);
    for (int j = 0; j < first->body.nu; j++) {
        const expr x = expr_sub(g, first->body.u[j], second->body.u[j]), square = expr_mul(g, x, x);
        const expr share = expr_scale(g, -1.0 / 12, expr_mul(g, inertia_of(b, j), b->length[k]));
        sum = expr_add(g, sum, expr_mul(g, share, square));
    }
    return sum;
}

/* The kinetic energy of an element, of its share of the nodes. */
static expr element_kinetic(draft *d, const beam_entry *b, int k) {
    graph *g = d->n->g;
    const member *first = &d->members.at[b->first + k], *second = first + 1;
    expr sum = b->consistent ? consistent_part(d, b, k) : expr_number(g, 0);
    for (int j = 0; j < first->body.nu; j++) {
        const expr x = first->body.u[j], y = second->body.u[j], square = expr_mul(g, x, x);
        const expr squares = expr_add(g, square, expr_mul(g, y, y));
        const expr share = expr_scale(g, 0.25, expr_mul(g, inertia_of(b, j), b->length[k]));
        sum = expr_add(g, sum, expr_mul(g, share, squares));
    }
    return sum;
}

/* R = drag T + 1/2 L xi'^T viscosity xi' (DB15) */
static carom_status add_damping(draft *d, const beam_entry *b, int k) {
    graph *g = d->n->g;
    const body *first = &d->members.at[b->first + k].body, *second = &d->members.at[b->first + k + 1].body;
    bool viscous = false;
    for (int i = 0; i < 6; i++) viscous = viscous || !expr_equals(g, b->viscosity[i], 0);
    carom_status status = CAROM_OK;
    draft_begin_element(d);
    if (!expr_equals(g, b->drag, 0))
        status = draft_energy(d, FORMULA_DISSIPATION, expr_mul(g, b->drag, element_kinetic(d, b, k)), b->from.key);
    if (!status && viscous)
        status = draft_energy(d, FORMULA_DISSIPATION, beam_dissipation(g, first, second, b->length[k], b->viscosity),
                              b->from.key);
    draft_end_element(d);
    return status;
}

/* As thick as a round section of the same area and stiffness would be: r^2 = 4 I/A. */
static carom_status draw_beam(draft *d, const beam_entry *b) {
    int *nodes = zeros(d, b->elements + 1, sizeof *nodes);
    if (!nodes) return carom_error_memory(d->n->error);
    for (int k = 0; k <= b->elements; k++) nodes[k] = b->first + k;
    const double inertia = expr_value(d->n->g, b->inertia[2], NULL), mass = expr_value(d->n->g, b->mass, NULL);
    return draft_draw_tube(d, b->from.name, nodes, b->elements + 1, 2 * sqrt(inertia / mass));
}

carom_status draft_add_beams(draft *d) {
    carom_status status = CAROM_OK;
    for (int i = 0; i < d->beams->count && !status; i++) {
        const beam_entry *b = &d->beams->at[i];
        status = draw_beam(d, b);
        for (int k = 0; b->consistent && k < b->elements && !status; k++)
            status = draft_energy(d, FORMULA_KINETIC, consistent_part(d, b, k), b->from.key);
        for (int k = 0; k < b->elements && !status; k++) status = add_damping(d, b, k);
    }
    return status;
}
