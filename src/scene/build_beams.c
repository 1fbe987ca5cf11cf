/* Beams: chains of nodes, which are bodies, with elastic elements between them (docs/theory/elements.md, Beams). Node k
 * of 'arm' is the body 'arm[k]', from arm1 on. */
#include "error.h"
#include "model/element/beam.h"
#include "model/element/beam_rate.h"
#include "model/space.h"
#include "read.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A beam and its section: stiffnesses in the order of beam.h, mass and moments of inertia per length. */
typedef struct chain {
    element from;
    int first, elements; /* member of the first node */
    int first_element;   /* in draft.elastic */
    bool planar, consistent;
    double stiffness[6], mass, inertia[3];
    double drag;         /* mass times this: a damping of velocities */
    double viscosity[6]; /* in the order of the stiffnesses: a damping of strains */
} chain;

struct chains {
    int count;
    chain *at;
};

/* ---- listing */

static carom_status list_beam(draft *d, const element *e, chain *c) {
    static const char *const types[] = {"spatial", "planar", NULL};
    int type = -1;
    carom_status status = CAROM_OK;
    if (e->value->kind != NODE_MAP) status = node_error(d->n->error, e->value, "beam '%s' must be a map", e->name);
    if (!status) status = read_word(d, e, "type", "type of beam", types, &type);
    if (!status && type < 0)
        status = node_error(d->n->error, e->key, "beam '%s' needs a type: spatial or planar", e->name);
    *c = (chain){.from = *e, .planar = type == 1};
    if (status) return status;
    return draft_list_nodes(d, e, "beam", c->planar ? BODY_PLANAR : BODY_SPATIAL, 0, &c->first, &c->elements);
}

carom_status draft_list_beams(draft *d) {
    elements list = {0};
    carom_status status = names_expand(d->n, yaml_find(d->model, "beams"), "beams", false, &list);
    if (status) return status;
    d->chains = zeros(d, 1, sizeof *d->chains);
    if (d->chains) d->chains->at = zeros(d, list.count, sizeof *d->chains->at);
    if (!d->chains || !d->chains->at) return carom_error_memory(d->n->error);
    for (; d->chains->count < list.count && !status; d->chains->count++)
        status = list_beam(d, &list.at[d->chains->count], &d->chains->at[d->chains->count]);
    return status;
}

/* ---- the section: stiffnesses and inertia per length */

typedef struct section {
    double area, bending[2], torsion, shear; /* area moments about y and z; torsion constant; shear factor */
} section;

/* Saint-Venant's torsion of a rectangle with edges a <= b, to 0.5 percent (Roark). */
static double rectangle_torsion(double a, double b) {
    return a * a * a * b * (1.0 / 3 - 0.21 * a / b * (1 - pow(a / b, 4) / 12));
}

static section circle(double r, double poisson) {
    double moment = acos(-1) / 4 * pow(r, 4);
    return (section){acos(-1) * r * r, {moment, moment}, 2 * moment, 6 * (1 + poisson) / (7 + 6 * poisson)};
}

static section rectangle(double y, double z) {
    return (section){
        y * z, {y * z * z * z / 12, z * y * y * y / 12}, rectangle_torsion(fmin(y, z), fmax(y, z)), 5.0 / 6};
}

static carom_status read_poisson(draft *d, const element *e, double *ratio) {
    carom_status status = read_number(d, e, "poisson", ratio);
    if (status || (*ratio > -1 && *ratio <= 0.5)) return status;
    return node_error(d->n->error, yaml_find(e->value, "poisson"), "Poisson's ratio lies in (-1, 0.5], it is %g",
                      *ratio);
}

static carom_status read_areas(draft *d, const element *e, section *s) {
    element part = {e->name, e->key, yaml_find(e->value, "section"), e->index};
    const node *round = yaml_find(part.value, "circle"), *flat = yaml_find(part.value, "rectangle");
    double radius = 0, edges[2] = {0}, poisson = 0;
    int count;
    if (!part.value)
        return node_error(d->n->error, e->key,
                          "beam '%s' needs a 'section', or 'stiffness', 'mass_per_length' and 'inertia_per_length'",
                          e->name);
    carom_status status = read_keys(d, &part, "a section", "parts", "section");
    if (!status) status = read_poisson(d, e, &poisson);
    if (!status) status = read_positive(d, &part, "circle", &radius);
    if (!status) status = read_numbers(d, &part, "rectangle", 2, 2, edges, &count);
    if (!status && round && flat)
        status = node_error(d->n->error, part.value, "a section is a circle or a rectangle, not both");
    if (!status && flat && !(edges[0] > 0 && edges[1] > 0))
        status = node_error(d->n->error, flat, "the edges of a rectangle must be positive");
    if (status) return status;
    if (round) *s = circle(radius, poisson);
    if (flat) *s = rectangle(edges[0], edges[1]);
    if (!round && !flat) s->shear = 1;
    status = read_positive(d, &part, "area", &s->area);
    if (!status && yaml_find(part.value, "bending")) {
        status = read_numbers(d, &part, "bending", 1, 2, s->bending, &count);
        if (count == 1) s->bending[1] = s->bending[0];
    }
    if (!status && !round && !flat) s->torsion = s->bending[0] + s->bending[1];
    if (!status) status = read_positive(d, &part, "torsion", &s->torsion);
    if (!status) status = read_positive(d, e, "shear_factor", &s->shear);
    if (!status && !(s->area > 0 && s->bending[0] > 0 && s->bending[1] > 0))
        status = node_error(d->n->error, part.value, "a section is a circle, a rectangle, or an 'area' and 'bending'");
    return status;
}

static carom_status need(draft *d, const element *e, const char *key) {
    if (yaml_find(e->value, key)) return CAROM_OK;
    return node_error(d->n->error, e->key, "beam '%s' needs '%s'", e->name, key);
}

static carom_status read_material(draft *d, chain *c) {
    const element *e = &c->from;
    section s = {0};
    double E = 0, poisson = 0, density = 0;
    carom_status status = read_areas(d, e, &s);
    if (!status) status = need(d, e, "young");
    if (!status) status = need(d, e, "density");
    if (!status) status = read_positive(d, e, "young", &E);
    if (!status) status = read_poisson(d, e, &poisson);
    double G = E / (2 * (1 + poisson));
    if (!status) status = read_positive(d, e, "shear", &G);
    if (!status) status = read_positive(d, e, "density", &density);
    const double stiffness[6] = {G * s.torsion, E * s.bending[0],     E * s.bending[1],
                                 E * s.area,    s.shear * G * s.area, s.shear * G * s.area};
    memcpy(c->stiffness, stiffness, sizeof stiffness);
    c->mass = density * s.area;
    c->inertia[0] = density * (s.bending[0] + s.bending[1]);
    c->inertia[1] = density * s.bending[0], c->inertia[2] = density * s.bending[1];
    return status;
}

/* Rayleigh's two numbers, of mass and stiffness; viscosities that are given replace what follows from the second. */
static carom_status read_damping(draft *d, chain *c) {
    const element *e = &c->from;
    double rayleigh[2] = {0}, given[6], least = 0;
    int count;
    carom_status status = read_numbers(d, e, "damping", 2, 2, rayleigh, &count);
    c->drag = rayleigh[0];
    for (int i = 0; i < 6; i++) c->viscosity[i] = rayleigh[1] * c->stiffness[i];
    if (!status) status = read_numbers(d, e, "viscosity", 6, 6, given, &count);
    if (!status && count) memcpy(c->viscosity, given, sizeof given);
    for (int i = 0; i < 6; i++) least = fmin(least, fmin(c->drag, c->viscosity[i]));
    if (!status && least < 0)
        status = node_error(d->n->error, e->key, "damping and viscosity of beam '%s' must not be negative", e->name);
    return status;
}

/* What is given directly replaces what follows from the section. */
static carom_status read_section(draft *d, chain *c) {
    static const char *const masses[] = {"lumped", "consistent", NULL};
    const element *e = &c->from;
    double x[6];
    int count, kind = 0;
    bool direct = yaml_find(e->value, "stiffness") && yaml_find(e->value, "mass_per_length") &&
                  yaml_find(e->value, "inertia_per_length");
    carom_status status = direct ? CAROM_OK : read_material(d, c);
    if (!status) status = read_numbers(d, e, "stiffness", 6, 6, x, &count);
    if (!status && count) memcpy(c->stiffness, x, sizeof x);
    if (!status) status = read_positive(d, e, "mass_per_length", &c->mass);
    if (!status) status = read_numbers(d, e, "inertia_per_length", 3, 3, x, &count);
    if (!status && count) memcpy(c->inertia, x, sizeof c->inertia);
    if (!status) status = read_word(d, e, "mass", "mass of a beam", masses, &kind);
    c->consistent = kind == 1;
    for (int i = 0; i < 6 && !status; i++)
        if (!(c->stiffness[i] > 0) || !(c->inertia[i % 3] > 0))
            status = node_error(d->n->error, e->key, "stiffnesses and inertia of beam '%s' must be positive", e->name);
    return status;
}

/* ---- the reference shape and the initial state */

/* The axis of the beam: its point and tangent at s in [0, 1]. */
typedef struct curve {
    vec r, tangent; /* expressions of s ... */
    int s;          /* ... which is this symbol */
    double *values;
} curve;

static void curve_at(draft *d, const curve *c, double s, double r[3], double tangent[3]) {
    c->values[c->s] = s;
    for (int i = 0; i < 3; i++) {
        r[i] = expr_value(d->n->g, c->r.at[i], c->values);
        tangent[i] = expr_value(d->n->g, c->tangent.at[i], c->values);
    }
}

static carom_status read_curve(draft *d, const chain *b, curve *c) {
    const element *e = &b->from;
    const node *curved = yaml_find(e->value, "curve");
    graph *g = d->n->g;
    double from[3] = {0}, to[3] = {0}; /* no z in the plane */
    int count, axes = b->planar ? 2 : 3;
    c->s = 1 + d->nq + d->nu;
    c->values = zeros(d, c->s + 1, sizeof *c->values);
    if (!c->values) return carom_error_memory(d->n->error);
    expr s = expr_symbol(g, c->s);
    carom_status status = CAROM_OK;
    if (curved && (yaml_find(e->value, "from") || yaml_find(e->value, "to")))
        return node_error(d->n->error, curved, "beam '%s' has a 'curve': leave out 'from' and 'to'", e->name);
    if (curved) {
        status = read_formulas_of(d, e, "curve", &(local_name){"s", s, NULL}, &c->r);
        if (!status && b->planar && !expr_equals(g, c->r.at[2], 0))
            status = node_error(d->n->error, curved, "the curve of a beam in the plane has two components");
    } else {
        status = need(d, e, "from");
        if (!status) status = need(d, e, "to");
        if (!status) status = read_numbers(d, e, "from", axes, axes, from, &count);
        if (!status) status = read_numbers(d, e, "to", axes, axes, to, &count);
        if (status) return status;
        vec start = vec_number(g, from);
        c->r = vec_add(g, start, vec_scale(g, s, vec_sub(g, vec_number(g, to), start)));
    }
    for (int i = 0; i < 3 && !status; i++) {
        c->tangent.at[i] = expr_derivative(g, c->r.at[i], c->s);
        if (c->tangent.at[i] < 0) return carom_error_memory(d->n->error);
    }
    return status;
}

/* Frames along the axis: x along the tangent, a unit vector, z as near as possible to that of the node before (or to
 * 'up'). False: that is along the tangent. */
static bool frame_along(const double x[3], double up[3], double A[3][3]) {
    double y[3];
    space_cross(up, x, y);
    if (!(space_dot(y, y) > 1e-12) || !space_unit(y)) return false;
    space_cross(x, y, up);
    for (int i = 0; i < 3; i++) A[i][0] = x[i], A[i][1] = y[i], A[i][2] = up[i];
    return true;
}

/* A rigid motion: the velocity of the first node, and an angular velocity in the world about it. */
typedef struct rigid {
    double v[3], w[3], about[3];
} rigid;

static carom_status read_motion(draft *d, const chain *c, rigid *m) {
    int count, axes = c->planar ? 2 : 3;
    carom_status status = read_numbers(d, &c->from, "velocity", axes, axes, m->v, &count);
    if (c->planar) return status ? status : read_number(d, &c->from, "angular_velocity", &m->w[2]);
    return status ? status : read_numbers(d, &c->from, "angular_velocity", 3, 3, m->w, &count);
}

static void place_node(draft *d, const member *m, const double r[3], const double A[3][3], const rigid *motion) {
    double *q0 = d->q0 + m->q, *u0 = d->u0 + m->u, arm[3], turning[3];
    for (int i = 0; i < 3; i++) arm[i] = r[i] - motion->about[i];
    space_cross(motion->w, arm, turning);
    bool planar = m->body.kind == BODY_PLANAR;
    for (int i = 0; i < (planar ? 2 : 3); i++) q0[i] = r[i], u0[i] = motion->v[i] + turning[i];
    if (planar) {
        q0[2] = atan2(A[1][0], A[0][0]), u0[2] = motion->w[2];
    } else {
        space_quaternion(A, q0 + 3);
        space_transposed_times(A, motion->w, u0 + 3);
    }
}

static carom_status place_nodes(draft *d, const chain *c) {
    curve axis;
    rigid motion = {0};
    double up[3] = {0, 0, 1}, r[3], tangent[3], A[3][3];
    carom_status status = read_curve(d, c, &axis);
    if (!status) status = read_motion(d, c, &motion);
    if (status) return status;
    curve_at(d, &axis, 0, motion.about, tangent);
    if (hypot(tangent[0], tangent[1]) < 1e-6 * fabs(tangent[2])) up[0] = 1, up[2] = 0;
    const node *given = yaml_find(c->from.value, "up");
    if (given && c->planar) return node_error(d->n->error, given, "a beam in the plane has no 'up'");
    int count;
    if (given) status = read_numbers(d, &c->from, "up", 2, 3, up, &count);
    if (!status && !space_unit(up)) return node_error(d->n->error, given, "'up' must not be zero");
    double angle = 0;
    for (int k = 0; k <= c->elements && !status; k++) {
        member *m = &d->members.at[c->first + k];
        curve_at(d, &axis, (double)k / c->elements, r, tangent);
        if (!space_unit(tangent))
            return node_error(d->n->error, c->from.key, "beam '%s' has no direction at node %d", c->from.name, k + 1);
        if (!frame_along(tangent, up, A))
            return node_error(d->n->error, given ? given : c->from.key,
                              "beam '%s' points along 'up' at node %d, give another one", c->from.name, k + 1);
        place_node(d, m, r, A, &motion);
        double *phi = &d->q0[m->q + 2]; /* planar angles go on from node to node */
        if (c->planar && k > 0) *phi = angle + remainder(*phi - angle, 2 * acos(-1));
        if (c->planar) angle = *phi;
    }
    return status;
}

/* ---- elements */

static carom_status bad_element(const draft *d, const chain *c, int k, const double *const q[2]) {
    bool apart = false;
    for (int i = 0; i < (c->planar ? 2 : 3); i++) apart |= q[0][i] != q[1][i];
    return node_error(d->n->error, c->from.key,
                      apart ? "element %d of beam '%s' is bent by half a turn; take more elements"
                            : "element %d of beam '%s' has no length",
                      k + 1, c->from.name);
}

static carom_status make_elements(draft *d, chain *c) {
    const elastic *kind = c->planar ? &elastic_planar_beam : &elastic_beam;
    const int nq = kind->nq / 2, nu = kind->nu / 2;
    c->first_element = d->elastics;
    carom_status status = CAROM_OK;
    for (int k = 0; k < c->elements && !status; k++) {
        member *m[2] = {&d->members.at[c->first + k], &d->members.at[c->first + k + 1]};
        beam *b = zeros(d, 1, sizeof *b);
        int *place = zeros(d, kind->nq + kind->nu, sizeof *place);
        if (!b || !place) return carom_error_memory(d->n->error);
        const double *q[2] = {d->q0 + m[0]->q, d->q0 + m[1]->q};
        if (!(c->planar ? beam_between_planar : beam_between)(b, c->stiffness, q[0], q[1]))
            return bad_element(d, c, k, q);
        for (int i = 0; i < 2; i++) {
            for (int j = 0; j < nq; j++) place[nq * i + j] = m[i]->q + j;
            for (int j = 0; j < nu; j++) place[2 * nq + nu * i + j] = m[i]->u + j;
            m[i]->body.mass += c->mass * b->length / 2;
            for (int j = 0; j < 3; j++) m[i]->body.inertia[j][j] += c->inertia[j] * b->length / 2;
        }
        status = draft_elastic(d, (elastic_element){kind, b, place, place + 2 * nq}, c->from.key);
    }
    return status;
}

carom_status draft_declare_beams(draft *d) {
    carom_status status = CAROM_OK;
    for (int i = 0; i < d->chains->count && !status; i++) {
        chain *c = &d->chains->at[i];
        char what[96];
        snprintf(what, sizeof what, "beam '%.80s'", c->from.name);
        status = read_keys(d, &c->from, what, "elastic", "beams");
        if (!status) status = read_section(d, c);
        if (!status) status = read_damping(d, c);
        if (!status) status = place_nodes(d, c);
        if (!status) status = make_elements(d, c);
        if (!status)
            status =
                draft_start_beam(d, &c->from, &d->members.at[c->first], c->elements, d->elastic + c->first_element);
    }
    return status;
}

/* Mass per length that a velocity of a node moves. */
static double inertia_of(const chain *c, int velocity) {
    if (velocity < (c->planar ? 2 : 3)) return c->mass;
    return c->planar ? c->inertia[2] : c->inertia[velocity - 3];
}

static double length_of(const draft *d, const chain *c, int k) {
    return ((const beam *)d->elastic[c->first_element + k].data)->length;
}

/* Velocities that are linear between the nodes: 1/6 (x^2 + xy + y^2) = 1/4 (x^2 + y^2) - 1/12 (x - y)^2, so the
 * consistent kinetic energy is the lumped one, which the nodes have as bodies, less this (DB10). */
static expr consistent_part(draft *d, const chain *c, int k) {
    graph *g = d->n->g;
    const member *a = &d->members.at[c->first + k], *b = a + 1;
    expr sum = expr_number(g, 0);
    for (int j = 0; j < a->body.nu; j++) {
        expr x = expr_sub(g, a->body.u[j], b->body.u[j]);
        expr square = expr_mul(g, x, x);
        sum = expr_add(g, sum, expr_scale(g, -inertia_of(c, j) * length_of(d, c, k) / 12, square));
    }
    return sum;
}

/* The kinetic energy of an element, of its share of the nodes. */
static expr element_kinetic(draft *d, const chain *c, int k) {
    graph *g = d->n->g;
    const member *a = &d->members.at[c->first + k], *b = a + 1;
    expr sum = c->consistent ? consistent_part(d, c, k) : expr_number(g, 0);
    for (int j = 0; j < a->body.nu; j++) {
        expr x = a->body.u[j], y = b->body.u[j];
        expr squares = expr_add(g, expr_mul(g, x, x), expr_mul(g, y, y));
        sum = expr_add(g, sum, expr_scale(g, inertia_of(c, j) * length_of(d, c, k) / 4, squares));
    }
    return sum;
}

/* R = drag T + 1/2 L xi'^T viscosity xi' (DB15) */
static carom_status add_damping(draft *d, const chain *c, int k) {
    graph *g = d->n->g;
    const member *a = &d->members.at[c->first + k], *b = a + 1;
    bool viscous = false;
    for (int i = 0; i < 6; i++) viscous = viscous || c->viscosity[i] > 0;
    carom_status status = CAROM_OK;
    draft_begin_element(d);
    if (c->drag > 0)
        status = draft_energy(d, FORMULA_DISSIPATION, expr_scale(g, c->drag, element_kinetic(d, c, k)), c->from.key);
    if (!status && viscous)
        status = draft_energy(d, FORMULA_DISSIPATION,
                              beam_dissipation(g, &a->body, &b->body, length_of(d, c, k), c->viscosity), c->from.key);
    draft_end_element(d);
    return status;
}

/* As thick as a round section of the same area and stiffness would be: r^2 = 4 I/A. */
static carom_status draw_beam(draft *d, const chain *c) {
    int *nodes = zeros(d, c->elements + 1, sizeof *nodes);
    if (!nodes) return carom_error_memory(d->n->error);
    for (int k = 0; k <= c->elements; k++) nodes[k] = c->first + k;
    return draft_draw_tube(d, c->from.name, nodes, c->elements + 1, 2 * sqrt(c->inertia[2] / c->mass));
}

carom_status draft_add_beams(draft *d) {
    carom_status status = CAROM_OK;
    for (int i = 0; i < d->chains->count && !status; i++) {
        const chain *c = &d->chains->at[i];
        status = draw_beam(d, c);
        for (int k = 0; c->consistent && k < c->elements && !status; k++)
            status = draft_energy(d, FORMULA_KINETIC, consistent_part(d, c, k), c->from.key);
        for (int k = 0; k < c->elements && !status; k++) status = add_damping(d, c, k);
    }
    return status;
}
