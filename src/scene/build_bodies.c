/* Bodies and frames: symbols, initial states, energies. */
#include "error.h"
#include "read.h"

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
    if (all->count == all->room) {
        int room = all->room ? 2 * all->room : 16;
        member *larger = zeros(d, room, sizeof *larger);
        if (!larger) return carom_error_memory(n->error);
        if (all->count) memcpy(larger, all->at, (size_t)all->count * sizeof *larger);
        all->at = larger, all->room = room;
    }
    symbol *s = table_add(n->memory, &d->member_names, name, SYMBOL_CONTACT, from->key);
    if (!s) return carom_error_memory(n->error);
    s->id = all->count;
    member *m = &all->at[all->count++];
    m->name = name, m->from = *from;
    m->q = d->nq, m->u = d->nu;
    for (int i = 0; i < 3; i++) m->A[i][i] = 1;
    body_shape(&m->body, kind, axes);
    d->nq += m->body.nq, d->nu += m->body.nu;
    *added = m;
    return CAROM_OK;
}

static carom_status list_world(draft *d) {
    member *world;
    carom_status status = draft_member(d, "world", BODY_FRAME, 0, &(element){.key = d->model->key}, &world);
    if (!status) world->body.pose = pose_world(d->n->g);
    return status;
}

/* The axes of a point are as many as its position has components. */
static carom_status list_body(draft *d, const element *e) {
    static const char *const types[] = {"point", "planar", "spatial", NULL};
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

/* Coordinates, velocities, the rates of quaternions, and the entries of the rotation matrix as names for formulas. */
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

/* ---- initial states and inertia */

static carom_status read_inertia(draft *d, const element *e, body *b) {
    double J[3];
    int count;
    bool spatial = b->kind == BODY_SPATIAL;
    carom_status status = read_numbers(d, e, "inertia", spatial ? 3 : 1, spatial ? 3 : 1, J, &count);
    if (!status && !count) return node_error(d->n->error, e->key, "body '%s' needs an 'inertia'", e->name);
    for (int i = 0; i < count && !status; i++) {
        if (!(J[i] > 0)) return node_error(d->n->error, yaml_find(e->value, "inertia"), "the inertia must be positive");
        b->inertia[spatial ? i : 2][spatial ? i : 2] = J[i];
    }
    return status;
}

static carom_status read_position(draft *d, member *m) {
    int axes = m->body.kind == BODY_POINT ? m->body.nq : m->body.kind == BODY_PLANAR ? 2 : 3, count;
    double *q0 = d->q0 + m->q, *u0 = d->u0 + m->u;
    carom_status status = read_numbers(d, &m->from, "position", axes, axes, q0, &count);
    return status ? status : read_numbers(d, &m->from, "velocity", axes, axes, u0, &count);
}

static carom_status read_turn(draft *d, member *m) {
    double *q0 = d->q0 + m->q, *u0 = d->u0 + m->u;
    int count;
    if (m->body.kind == BODY_PLANAR) {
        carom_status status = read_number(d, &m->from, "angle", &q0[2]);
        return status ? status : read_number(d, &m->from, "angular_velocity", &u0[2]);
    }
    carom_status status = read_rotation(d, &m->from, "rotation", m->A, q0 + 3);
    return status ? status : read_numbers(d, &m->from, "angular_velocity", 3, 3, u0 + 3, &count);
}

/* One shape, or a list of them. */
static carom_status read_shapes(draft *d, member *m) {
    static const char *const keys[] = {SHAPE_KEYS, NULL};
    const node *shape_node = yaml_find(m->from.value, "shape");
    if (!shape_node) return CAROM_OK;
    bool list = shape_node->kind == NODE_LIST, planar = m->body.kind == BODY_PLANAR;
    m->shape = zeros(d, list ? yaml_count(shape_node) : 1, sizeof *m->shape);
    if (!m->shape) return carom_error_memory(d->n->error);
    carom_status status = CAROM_OK;
    for (const node *s = list ? shape_node->first : shape_node; s && !status; s = list ? s->next : NULL) {
        element e = {m->name, m->from.key, s, m->from.index};
        status = read_shape(d, &e, planar, &m->shape[m->shapes++]);
        if (!status) status = read_keys(d, &e, "a shape", keys);
    }
    return status;
}

static carom_status read_body(draft *d, member *m) {
    static const char *const point[] = {"type", "mass", "position", "velocity", "shape", NULL};
    static const char *const planar[] = {
        "type", "mass", "inertia", "position", "velocity", "angle", "angular_velocity", "shape", NULL};
    static const char *const spatial[] = {
        "type", "mass", "inertia", "position", "velocity", "rotation", "angular_velocity", "shape", NULL};
    static const char *const *const keys[] = {[BODY_POINT] = point, [BODY_PLANAR] = planar, [BODY_SPATIAL] = spatial};
    body *b = &m->body;
    char what[96];
    snprintf(what, sizeof what, "body '%.80s'", m->name);
    carom_status status = read_keys(d, &m->from, what, keys[b->kind]);
    if (!status && !yaml_find(m->from.value, "mass"))
        status = node_error(d->n->error, m->from.key, "body '%s' needs a 'mass'", m->name);
    if (!status) status = read_positive(d, &m->from, "mass", &b->mass);
    if (!status && b->kind != BODY_POINT) status = read_inertia(d, &m->from, b);
    if (!status) status = read_shapes(d, m);
    if (!status) status = read_position(d, m);
    if (!status && b->kind != BODY_POINT) status = read_turn(d, m);
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
        if (m->body.kind == BODY_SPATIAL) d->rotation[d->rotations++] = (carom_rotation){m->q + 3, m->u + 3};
        if (!status && !m->node) status = read_body(d, m);
    }
    if (!status) status = draft_declare_beams(d);
    return status ? status : draft_declare_bars(d);
}

/* ---- energies */

static carom_status place_frame(draft *d, member *m) {
    static const char *const keys[] = {"position", "rotation", NULL};
    static const char *const turn_keys[] = {"axis", "angle", NULL};
    graph *g = d->n->g;
    const element *e = &m->from;
    element turn = {e->name, e->key, yaml_find(e->value, "rotation"), e->index};
    vec r;
    bool given;
    mat A = mat_identity(g);
    char what[96];
    snprintf(what, sizeof what, "frame '%.80s'", m->name);
    carom_status status = read_keys(d, e, what, keys);
    if (!status) status = read_formulas(d, e, "position", &r, &given);
    if (!status && turn.value && turn.value->kind == NODE_MAP) {
        double axis[3] = {0, 0, 1};
        expr angle;
        status = read_keys(d, &turn, "a rotation", turn_keys);
        if (!status) status = read_direction(d, &turn, "axis", axis);
        if (!status) status = read_formula(d, &turn, "angle", &angle);
        if (!status && angle >= 0) A = mat_turn(g, vec_number(g, axis), angle);
    } else if (!status && turn.value) {
        double fixed[3][3], p[4];
        status = read_rotation(d, e, "rotation", fixed, p);
        A = mat_number(g, fixed);
    }
    if (!status) m->body.pose = pose_moving(g, r, &A);
    return status;
}

static carom_status start_pose(draft *d, member *m) {
    carom_status status = CAROM_OK;
    for (int i = 0; i < 3 && !status; i++) {
        status = draft_start_value(d, m->body.pose.r.at[i], &m->r[i]);
        for (int j = 0; j < 3 && !status; j++) status = draft_start_value(d, m->body.pose.A.axis[j].at[i], &m->A[i][j]);
    }
    return status;
}

static carom_status add_energies(draft *d, const member *m, vec gravity) {
    graph *g = d->n->g;
    const body *b = &m->body;
    carom_status status = draft_energy(d, FORMULA_KINETIC, body_kinetic(g, b), m->from.key);
    expr fall = expr_binary(g, OP_MUL, expr_number(g, -b->mass), vec_dot(g, gravity, b->pose.r));
    return status ? status : draft_energy(d, FORMULA_POTENTIAL, fall, m->from.key);
}

carom_status draft_add_bodies(draft *d) {
    const element model = {.value = d->model, .key = d->model->key};
    vec gravity;
    bool given;
    carom_status status = read_formulas(d, &model, "gravity", &gravity, &given);
    for (int i = 0; i < d->members.count && !status; i++) {
        member *m = &d->members.at[i];
        if (m->body.kind == BODY_FRAME && i > 0) status = place_frame(d, m);
        if (m->body.kind != BODY_FRAME) status = add_energies(d, m, gravity);
        if (!status) status = start_pose(d, m);
    }
    if (!status) status = draft_add_beams(d);
    return status ? status : draft_add_bars(d);
}
