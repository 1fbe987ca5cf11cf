/* Bodies and frames: symbols, initial states, energies. */
#include "error.h"
#include "read.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- listing */

carom_status draft_member(draft *d, const char *name, body_kind kind, int axes, const element *from, member **added) {
    names *n = d->n;
    members *all = &d->members;
    parse_error illegal;
    if (!parse_is_name(name, &illegal)) return node_error(n->error, from->key, "%s", illegal.message);
    if (table_find(&d->member_names, name) || table_find(&n->symbols, name))
        return node_error(n->error, from->key, "the name '%s' is taken", name);
    all->at = arena_grow(n->memory, all->at, all->count, 1, &all->room, sizeof *all->at);
    if (!all->at) return carom_error_memory(n->error);
    symbol *s = table_add(n->memory, &d->member_names, name, SYMBOL_CONTACT, from->key);
    if (!s) return carom_error_memory(n->error);
    s->id = all->count;
    member *m = &all->at[all->count++];
    m->name = name, m->from = *from;
    m->q = d->nq, m->u = d->nu;
    m->turn = -1;
    m->center = vec_zero(n->g);
    for (int i = 0; i < 3; i++) m->A[i][i] = 1;
    body_shape(&m->body, kind, axes);
    d->nq += m->body.nq, d->nu += m->body.nu;
    *added = m;
    return CAROM_OK;
}

carom_status draft_list_nodes(draft *d, const element *e, const char *what, body_kind kind, int axes, int *first,
                              int *count) {
    carom_status status = read_pieces(d, e, what, count);
    if (status) return status;
    *first = d->members.count;
    d->n->elements -= *count + 1;
    for (int k = 0; k <= *count && !status; k++) {
        const char *name = member_name(d->n->memory, e, k + 1);
        member *m;
        status = name ? draft_member(d, name, kind, axes, e, &m) : carom_error_memory(d->n->error);
        if (!status) m->node = true;
    }
    return status;
}

static carom_status list_world(draft *d) {
    member *world;
    carom_status status = draft_member(d, "world", BODY_FRAME, 0, &(element){.key = d->model->key}, &world);
    if (!status) world->frame = world->body.pose = pose_world(d->n->g), world->turn = expr_number(d->n->g, 0);
    return status;
}

static const char *const types[] = {"point", "planar", "spatial", NULL}; /* from BODY_POINT on */

/* The axes of a point are as many as its position has components. */
static carom_status list_body(draft *d, const element *e) {
    int type = -1;
    const node *position = yaml_find(e->value, "position");
    carom_status status = CAROM_OK;
    if (e->value->kind != NODE_MAP) status = node_error(d->n->error, e->value, "body '%s' must be a map", e->name);
    if (!status) status = read_word(d, e, "type", "type of body", types, &type);
    if (!status && type < 0)
        status = node_error(d->n->error, e->key, "body '%s' needs a type: point, planar or spatial", e->name);
    int axes = position && position->kind == NODE_LIST ? yaml_count(position) : 1;
    if (!status && type == 0 && !position)
        status = node_error(d->n->error, e->key, "point '%s' needs a position, whose components are its axes", e->name);
    if (!status && type == 0 && (axes < 1 || axes > 3))
        status = node_error(d->n->error, position, "a position has one to three components");
    member *m;
    return status ? status : draft_member(d, e->name, BODY_POINT + (body_kind)type, axes, e, &m);
}

carom_status draft_list_bodies(draft *d) {
    elements frames = {0}, bodies = {0};
    carom_status status = list_world(d);
    if (!status) status = names_expand(d->n, yaml_find(d->model, "frames"), "frames", false, &frames);
    if (!status) status = names_expand(d->n, yaml_find(d->model, "bodies"), "bodies", false, &bodies);
    member *m;
    for (int i = 0; i < frames.count && !status; i++)
        status = draft_member(d, frames.at[i].name, BODY_FRAME, 0, &frames.at[i], &m);
    for (int i = 0; i < bodies.count && !status; i++) status = list_body(d, &bodies.at[i]);
    if (!status) status = draft_list_beams(d);
    return status ? status : draft_list_bars(d);
}

/* ---- declaring */

static carom_status add_symbol(draft *d, const member *m, const char *part, symbol_kind kind, int id, expr value,
                               const char *unit, symbol **added) {
    const char *name = arena_format(d->n->memory, "%s.%s", m->name, part);
    symbol *s = name ? table_add(d->n->memory, &d->n->symbols, name, kind, m->from.key) : NULL;
    if (!s || value < 0) return carom_error_memory(d->n->error);
    s->id = id, s->state = SYMBOL_KNOWN, s->value = value, s->unit = unit;
    *added = s;
    return CAROM_OK;
}

/* Names for formulas: coordinates, velocities, rates of quaternions, and entries of the rotation matrix. */
static carom_status declare_symbols(draft *d, member *m) {
    graph *g = d->n->g;
    body *b = &m->body;
    carom_status status = CAROM_OK;
    symbol *s;
    for (int i = 0; i < b->nu && !status; i++) {
        b->u[i] = expr_symbol(g, 1 + d->nq + m->u + i);
        bool turns = i >= (b->kind == BODY_PLANAR ? 2 : 3);
        status = add_symbol(d, m, body_u_name(b, i), SYMBOL_VELOCITY, m->u + i, b->u[i], turns ? "rad/s" : "m/s", &s);
        if (!status) d->u_names[m->u + i] = s->name;
        if (!status && i < b->nq) d->rate[m->q + i] = s;
    }
    for (int i = 0; i < b->nq && !status; i++) {
        b->q[i] = expr_symbol(g, 1 + m->q + i);
        const char *unit = b->kind == BODY_PLANAR && i == 2 ? "rad" : i < 3 ? "m" : NULL;
        status = add_symbol(d, m, body_q_name(b, i), SYMBOL_COORDINATE, m->q + i, b->q[i], unit, &s);
        if (!status) d->q_names[m->q + i] = s->name;
    }
    body_place(g, b);
    if (b->kind == BODY_PLANAR) m->turn = b->q[2];
    for (int i = 3; i < b->nq && !status; i++) {
        static const char *const rates[] = {"p0_dot", "p1_dot", "p2_dot", "p3_dot"};
        status = add_symbol(d, m, rates[i - 3], SYMBOL_RATE, 0, body_rate(g, b, i), NULL, &d->rate[m->q + i]);
    }
    for (int i = 0; i < 9 && b->kind == BODY_SPATIAL && !status; i++) {
        char entry[] = {'R', (char)('1' + i / 3), (char)('1' + i % 3), 0};
        status = add_symbol(d, m, entry, SYMBOL_DEFINITION, 0, b->pose.A.axis[i % 3].at[i / 3], NULL, &s);
    }
    return status;
}

/* ---- initial states */

/* Rotation and angular velocity of a body at the start, as many numbers as it has coordinates and velocities for
 * them. */
typedef struct attitude {
    mat A;
    expr q[4], u[3];
    vec w; /* in the world */
} attitude;

static carom_status read_planar_turn(draft *d, const element *e, attitude *a) {
    graph *g = d->n->g;
    a->q[0] = a->u[0] = expr_number(g, 0);
    carom_status status = read_constant(d, e, "angle", &a->q[0]);
    if (!status) status = read_constant(d, e, "angular_velocity", &a->u[0]);
    a->A = mat_turn(g, a->A.axis[2], a->q[0]);
    a->w.at[2] = a->u[0];
    return status;
}

static carom_status read_turn(draft *d, const element *e, attitude *a) {
    const node *world = yaml_find(e->value, "angular_velocity_world");
    int count, given;
    carom_status status = read_rotation(d, e, "rotation", &a->A, a->q);
    if (!status) status = read_constants(d, e, "angular_velocity", 3, 3, a->u, &given);
    if (!status && world && given)
        return node_error(d->n->error, world, "give an 'angular_velocity' or an 'angular_velocity_world', not both");
    const vec local = {{a->u[0], a->u[1], a->u[2]}};
    if (!world) a->w = mat_times(d->n->g, &a->A, local);
    if (status || !world) return status;
    status = read_constants(d, e, "angular_velocity_world", 3, 3, a->w.at, &count);
    const vec turned = mat_transposed_times(d->n->g, &a->A, a->w);
    for (int i = 0; i < 3; i++) a->u[i] = turned.at[i];
    return status;
}

/* position and velocity are those of the frame; the coordinates are those of the centre of mass: r + A c, v + w x A c
 */
static carom_status read_start(draft *d, member *m) {
    graph *g = d->n->g;
    const body_kind kind = m->body.kind;
    const int axes = body_axes(&m->body), first_u = d->first_u + m->u;
    attitude a = {.A = mat_identity(g)};
    vec r = vec_zero(g), v = r;
    int count;
    a.w = r;
    carom_status status = CAROM_OK;
    if (kind == BODY_PLANAR) status = read_planar_turn(d, &m->from, &a);
    if (kind == BODY_SPATIAL) status = read_turn(d, &m->from, &a);
    if (!status) status = read_constants(d, &m->from, "position", axes, axes, r.at, &count);
    if (!status) status = read_constants(d, &m->from, "velocity", axes, axes, v.at, &count);
    if (status) return status;
    const vec arm = mat_times(g, &a.A, m->center), place = vec_add(g, r, arm);
    const vec speed = vec_add(g, v, vec_cross(g, a.w, arm));
    for (int i = 0; i < axes; i++)
        draft_set_start(d, 1 + m->q + i, place.at[i]), draft_set_start(d, first_u + i, speed.at[i]);
    for (int i = axes; i < m->body.nq; i++) draft_set_start(d, 1 + m->q + i, a.q[i - axes]);
    for (int i = axes; i < m->body.nu; i++) draft_set_start(d, first_u + i, a.u[i - axes]);
    return CAROM_OK;
}

/* Sets the frame to which local coordinates of the scene refer; the centre of mass is at center in this frame. */
static void place_body_frame(draft *d, member *m) {
    graph *g = d->n->g;
    const mat unturned = mat_identity(g);
    m->frame = pose_fixed(g, &m->body.pose, vec_scale(g, expr_number(g, -1), m->center), &unturned);
}

static carom_status read_body(draft *d, member *m) {
    char what[96];
    snprintf(what, sizeof what, "body '%.80s'", m->name);
    carom_status status = read_keys(d, &m->from, what, "bodies", types[m->body.kind - BODY_POINT]);
    if (!status) status = read_shapes(d, m);
    if (!status) status = read_mass(d, m);
    if (!status) status = read_start(d, m);
    if (!status) place_body_frame(d, m);
    return status;
}

carom_status draft_declare_bodies(draft *d) {
    carom_status status = CAROM_OK;
    d->rotation = zeros(d, d->members.count, sizeof *d->rotation);
    if (!d->rotation) return carom_error_memory(d->n->error);
    for (int i = 0; i < d->members.count && !status; i++) {
        member *m = &d->members.at[i];
        if (m->body.kind == BODY_FRAME) continue;
        status = declare_symbols(d, m);
        if (m->body.kind == BODY_SPATIAL)
            d->rotation[d->rotations++] = (carom_rotation){m->q + 3, m->u + 3, true, m->q, m->u};
        m->frame = m->body.pose; /* unless the centre of mass is elsewhere */
        if (!status && !m->node) status = read_body(d, m);
    }
    if (!status) status = draft_declare_beams(d);
    return status ? status : draft_declare_bars(d);
}

/* ---- frames */

/* (D2) is differentiated by time alone. */
static carom_status check_of_time(draft *d, const member *m, const pose *p, const char *key) {
    for (int i = 0; i < 12; i++) {
        expr e = i < 3 ? p->r.at[i] : p->A.axis[(i - 3) / 3].at[i % 3];
        if (e >= 0 && expr_depends(d->n->g, e, 1, 1 + d->nq + d->nu))
            return node_error(d->n->error, yaml_find(m->from.value, key),
                              "frame '%s' may move by formulas of t and parameters, not with coordinates", m->name);
    }
    return CAROM_OK;
}

/* The angle of a frame that only turns about the third axis; -1: it moves otherwise. */
static carom_status angle_of_frame(draft *d, member *m) {
    element turn = {m->from.name, m->from.key, yaml_find(m->from.value, "rotation"), m->from.index};
    vec axis = mat_identity(d->n->g).axis[2];
    double upright = 0;
    expr angle;
    m->turn = turn.value ? -1 : expr_number(d->n->g, 0);
    if (!turn.value || !yaml_find(turn.value, "angle")) return CAROM_OK;
    carom_status status = read_direction(d, &turn, "axis", &axis);
    if (!status) status = read_formula(d, &turn, "angle", &angle);
    if (!status && expr_is_number(d->n->g, axis.at[2], &upright) && fabs(upright) == 1)
        m->turn = expr_mul(d->n->g, axis.at[2], angle);
    return status;
}

static carom_status place_frame(draft *d, member *m) {
    graph *g = d->n->g;
    pose p = pose_world(g);
    bool given;
    char what[96];
    snprintf(what, sizeof what, "frame '%.80s'", m->name);
    carom_status status = read_keys(d, &m->from, what, "bodies", "frames");
    if (!status) status = read_shapes(d, m);
    if (!status) status = read_formulas(d, &m->from, "position", &p.r, &given);
    if (!status) status = check_of_time(d, m, &p, "position");
    if (!status) status = read_turning(d, &m->from, "rotation", &p.A);
    if (!status) status = check_of_time(d, m, &p, "rotation");
    if (!status) status = angle_of_frame(d, m);
    if (!status) m->frame = m->body.pose = pose_moving(g, p.r, &p.A);
    return status;
}

carom_status draft_start_pose(draft *d, const member *m, vec *r, mat *A) {
    carom_status status = CAROM_OK;
    for (int i = 0; i < 3 && !status; i++) {
        status = draft_start_value(d, m->frame.r.at[i], &r->at[i]);
        for (int j = 0; j < 3 && !status; j++)
            status = draft_start_value(d, m->frame.A.axis[j].at[i], &A->axis[j].at[i]);
    }
    return status;
}

carom_status draft_place(draft *d, const member *m, vec x, vec *local) {
    vec r;
    mat A;
    carom_status status = draft_start_pose(d, m, &r, &A);
    if (!status) *local = mat_transposed_times(d->n->g, &A, vec_sub(d->n->g, x, r));
    return status;
}

/* ---- energies */

static carom_status start_pose(draft *d, member *m) {
    carom_status status = CAROM_OK;
    for (int i = 0; i < 3 && !status; i++) {
        status = draft_start_look(d, m->frame.r.at[i], &m->r[i]);
        for (int j = 0; j < 3 && !status; j++) status = draft_start_look(d, m->frame.A.axis[j].at[i], &m->A[i][j]);
    }
    return status;
}

static carom_status add_energies(draft *d, const member *m, vec gravity) {
    graph *g = d->n->g;
    const body *b = &m->body;
    carom_status status = draft_energy(d, FORMULA_KINETIC, body_kinetic(g, b), m->from.key);
    expr weight = expr_neg(g, body_mass(g, b)), fall = expr_mul(g, weight, vec_dot(g, gravity, b->pose.r));
    return status ? status : draft_energy(d, FORMULA_POTENTIAL, fall, m->from.key);
}

carom_status draft_place_members(draft *d) {
    carom_status status = CAROM_OK;
    for (int i = 0; i < d->members.count && !status; i++) {
        member *m = &d->members.at[i];
        if (m->body.kind == BODY_FRAME && i > 0) status = place_frame(d, m);
        if (!status) status = start_pose(d, m);
    }
    return status;
}

/* Does some body move along this axis? */
static bool moves_along(const draft *d, int axis) {
    for (int i = 0; i < d->members.count; i++) {
        const body *b = &d->members.at[i].body;
        if (b->kind != BODY_FRAME && axis < body_axes(b)) return true;
    }
    return false;
}

/* Gravity that no body feels is a mistake: [0, 0, -9.81] in the plane. */
static carom_status check_gravity(draft *d, const node *list, vec gravity) {
    bool pulls = false;
    for (int axis = 0; axis < 3; axis++) {
        double value;
        bool none = expr_is_number(d->n->g, gravity.at[axis], &value) && value == 0;
        if (!none && moves_along(d, axis)) return CAROM_OK;
        pulls = pulls || !none;
    }
    if (!pulls) return CAROM_OK;
    return node_error(d->n->error, list, "no body moves along 'gravity'; in the plane it is [0, -9.81]");
}

carom_status draft_add_bodies(draft *d) {
    const element model = {.value = d->model, .key = d->model->key};
    const node *list = yaml_find(d->model, "gravity");
    vec gravity;
    bool given;
    if (list && list->kind != NODE_LIST)
        return node_error(d->n->error, list, "'gravity' must be a list of its components, as in [0, 0, -9.81]");
    carom_status status = read_formulas(d, &model, "gravity", &gravity, &given);
    if (!status && given) status = check_gravity(d, list, gravity);
    for (int i = 0; i < d->members.count && !status; i++) {
        member *m = &d->members.at[i];
        if (m->body.kind == BODY_FRAME) continue;
        draft_begin_element(d);
        m->element = d->element;
        status = add_energies(d, m, gravity);
        draft_end_element(d);
    }
    if (!status) status = draft_add_beams(d);
    return status ? status : draft_add_bars(d);
}
