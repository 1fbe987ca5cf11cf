/* Joints as they are written: type, bodies, keys, and the markers where they meet. */
#include "read_joint.h"

#include "error.h"
#include "read.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const joint_type types[JOINT_KINDS] = {
    [JOINT_REVOLUTE] = {true, true, 1, {{JOINT_ANGLE, "angle", "torque", ""}}},
    [JOINT_PRISMATIC] = {true, true, 1, {{JOINT_DISPLACEMENT, "displacement", "force", ""}}},
    [JOINT_CYLINDRICAL] = {true,
                           true,
                           2,
                           {{JOINT_DISPLACEMENT, "displacement", "force", ""}, {JOINT_ANGLE, "angle", "torque", "2"}}},
    [JOINT_SPHERICAL] = {false, false, 0, {{0}}},
    [JOINT_UNIVERSAL] = {true,
                         true,
                         2,
                         {{JOINT_CROSS_ANGLE, "angle", "torque", ""}, {JOINT_SECOND_ANGLE, "angle2", "torque2", "2"}}},
    [JOINT_FIXED] = {false, true, 0, {{0}}},
    [JOINT_DISTANCE] = {false, false, 1, {{JOINT_LENGTH, "length", "force", ""}}},
    [JOINT_PLANAR] = {true, true, 1, {{JOINT_ANGLE, "angle", "torque", ""}}},
};

const char *joint_key(draft *d, const char *key, const freedom *f) {
    return f->suffix[0] ? arena_format(d->n->memory, "%s%s", key, f->suffix) : key;
}

/* ---- type, bodies, keys */

static carom_status check_joint_keys(draft *d, const joint_entry *j) {
    const char *type = joint_names[j->joint.kind];
    char what[96];
    snprintf(what, sizeof what, "%s joint '%.60s'", type, j->from.name);
    return read_keys(d, &j->from, what, "joints", type);
}

static carom_status read_type(draft *d, joint_entry *j) {
    const element *e = &j->from;
    int type = -1;
    if (e->value->kind != NODE_MAP) return node_error(d->n->error, e->value, "joint '%s' must be a map", e->name);
    carom_status status = read_word(d, e, "type", "type of joint", joint_names, &type);
    if (!status && type < 0)
        return node_error(d->n->error, e->key,
                          "joint '%s' needs a type: revolute, prismatic, cylindrical, spherical, "
                          "universal, fixed, distance or planar",
                          e->name);
    if (status) return status;
    j->joint.kind = (joint_kind)type;
    j->type = &types[type];
    return check_joint_keys(d, j);
}

static bool has_kind(const draft *d, const joint_entry *j, body_kind kind) {
    return d->members.at[j->member[0]].body.kind == kind || d->members.at[j->member[1]].body.kind == kind;
}

bool joint_is_spatial(const draft *d, const joint_entry *j) {
    return has_kind(d, j, BODY_SPATIAL);
}

static carom_status read_bodies(draft *d, joint_entry *j) {
    const element *e = &j->from;
    const node *list = yaml_find(e->value, "bodies");
    carom_error *error = d->n->error;
    const joint_kind kind = j->joint.kind;
    const char *type = joint_names[kind];
    carom_status status = read_two(d, e, "bodies", "joint", j->member);
    if (status) return status;
    if (j->type->turns && has_kind(d, j, BODY_POINT))
        return node_error(error, list, "a point does not turn: its joint is spherical or distance, not %s", type);
    if ((kind == JOINT_UNIVERSAL || kind == JOINT_CYLINDRICAL || kind == JOINT_PLANAR) && has_kind(d, j, BODY_PLANAR))
        return node_error(error, list, "a %s joint needs bodies in space", type);
    return CAROM_OK;
}

/* ---- markers: vectors and frames at the start, as expressions of parameters */

/* The axis of the world that is farthest from z; the first one if several are. */
static vec farthest_axis(graph *g, vec z) {
    const mat world = mat_identity(g);
    vec any = world.axis[0];
    expr least = expr_unary(g, OP_ABS, z.at[0]);
    for (int i = 1; i < 3; i++) {
        const expr size = expr_unary(g, OP_ABS, z.at[i]), less = expr_binary(g, OP_LT, size, least);
        for (int k = 0; k < 3; k++) any.at[k] = expr_if(g, less, world.axis[i].at[k], any.at[k]);
        least = expr_if(g, less, size, least);
    }
    return any;
}

/* Axes: z along the unit vector, x as near to the wish as can be; if that is along z, to the axis of the world that is
 * farthest from z. */
static mat triad(graph *g, vec z, vec wish) {
    const expr limit = expr_number(g, 1 - 1e-12), along = expr_unary(g, OP_ABS, vec_dot(g, wish, z)),
               same = expr_binary(g, OP_LT, limit, along);
    vec x = farthest_axis(g, z);
    for (int k = 0; k < 3; k++) x.at[k] = expr_if(g, same, x.at[k], wish.at[k]);
    return mat_axes(g, z, x);
}

/* The points of the two markers, in their bodies. */
static carom_status read_points(draft *d, joint_entry *j, vec p[2]) {
    const element *e = &j->from;
    vec at;
    int count = 0;
    bool given;
    carom_status status = read_pair(d, e, "points", p, &given);
    if (!status) status = read_constants(d, e, "at", 2, 3, at.at, &count);
    if (!status && given && count) return node_error(d->n->error, e->key, "joint '%s' has 'at' and 'points'", e->name);
    if (!status && !given && !count && j->joint.kind != JOINT_DISTANCE)
        return node_error(d->n->error, e->key,
                          "joint '%s' needs 'at', a place in the world, or 'points', one in each body", e->name);
    if (!status && count && j->joint.kind == JOINT_DISTANCE)
        return node_error(d->n->error, yaml_find(e->value, "at"), "a distance joint has 'points', one in each body");
    for (int k = 0; k < 2 && count && !status; k++) status = draft_place(d, &d->members.at[j->member[k]], at, &p[k]);
    return status;
}

/* The axes z of the two markers, in the world. start: the axes of the bodies. */
static carom_status read_axes(draft *d, joint_entry *j, const mat start[2], vec z[2]) {
    const element *e = &j->from;
    const node *axes = yaml_find(e->value, "axes");
    vec local[2], *second = j->joint.kind == JOINT_UNIVERSAL ? &z[1] : NULL;
    bool given, single = yaml_find(e->value, "axis") != NULL, planar = has_kind(d, j, BODY_PLANAR);
    z[0] = mat_identity(d->n->g).axis[2];
    z[1] = vec_zero(d->n->g);
    carom_status status = read_pair(d, e, "axes", local, &given);
    if (!status) status = read_direction(d, e, "axis", &z[0]);
    if (!status && second) status = read_direction(d, e, "axis2", second);
    if (status) return status;
    if (given && single) return node_error(d->n->error, e->key, "joint '%s' has 'axis' and 'axes'", e->name);
    if (j->type->axis && !given && !single && !(planar && j->joint.kind == JOINT_REVOLUTE))
        return node_error(d->n->error, e->key, "joint '%s' needs an 'axis'", e->name);
    if (second && !given && !yaml_find(e->value, "axis2"))
        return node_error(d->n->error, e->key, "joint '%s' needs 'axis2', perpendicular to 'axis'", e->name);
    if (!second) z[1] = z[0];
    for (int k = 0; k < 2 && given && !status; k++) {
        status = draft_direction(d, axes, "axes", local[k], &local[k]);
        if (!status) z[k] = mat_times(d->n->g, &start[k], local[k]);
    }
    return status;
}

/* In the plane one turns about its normal, and slides along directions in it; a universal joint has a cross. */
static carom_status check_axes(draft *d, const joint_entry *j, const vec z[2]) {
    graph *g = d->n->g;
    const node *axis = yaml_find(j->from.value, "axis");
    const node *where = axis ? axis : j->from.key;
    bool planar = has_kind(d, j, BODY_PLANAR);
    for (int k = 0; k < 2 && planar; k++) {
        double now[3];
        vec_now(g, z[k], now);
        if (j->joint.kind == JOINT_REVOLUTE && (now[0] != 0 || now[1] != 0))
            return node_error(d->n->error, where, "bodies in the plane turn about [0, 0, 1]");
        if (j->joint.kind == JOINT_PRISMATIC && now[2] != 0)
            return node_error(d->n->error, where, "bodies in the plane slide along an axis in it: [x, y]");
    }
    const expr cosine = vec_dot(g, z[0], z[1]);
    const double angle = expr_value(g, cosine, NULL), typed = 1e-8; /* what typing eight digits can leave */
    if (j->joint.kind != JOINT_UNIVERSAL || !axis) return CAROM_OK;
    if (!(fabs(angle) <= typed))
        return node_error(d->n->error, where, "the axes of a universal joint must be perpendicular, their cosine is %g",
                          angle);
    const expr limit = expr_number(g, typed), size = expr_unary(g, OP_ABS, cosine);
    return draft_demand(d, expr_sub(g, limit, size), where, "the axes of a universal joint must be perpendicular");
}

/* Fixes the components from which parameters may not make other axes: in the plane, the third ones. */
static void fix_axes(draft *d, const joint_entry *j, vec z[2]) {
    const void *outer = graph_fix_for(d->n->g, j->from.key);
    const bool turns = j->joint.kind == JOINT_REVOLUTE;
    for (int k = 0; k < 2 && has_kind(d, j, BODY_PLANAR); k++)
        for (int i = turns ? 0 : 2; i < 3; i++) {
            double now = 0;
            expr_fix(d->n->g, z[k].at[i], &now);
            z[k].at[i] = expr_number(d->n->g, now);
        }
    graph_fix_for(d->n->g, outer);
}

/* T in the axes of the body, which at the start are those given. */
static pose marker(graph *g, const member *m, const mat *start, vec p, const mat *T) {
    mat turned;
    for (int k = 0; k < 3; k++) turned.axis[k] = mat_transposed_times(g, start, T->axis[k]);
    return pose_fixed(g, &m->frame, p, &turned);
}

/* The angle that both bodies turn by about one fixed axis, from the start on; -1: there is none. */
static carom_status find_turn(draft *d, joint_entry *j, const vec z[2]) {
    const expr a = d->members.at[j->member[0]].turn, b = d->members.at[j->member[1]].turn;
    graph *g = d->n->g;
    double up[2] = {0};
    expr start, turn;
    j->joint.turn = -1;
    for (int k = 0; k < 2; k++)
        if (!expr_is_number(g, z[k].at[2], &up[k])) return CAROM_OK;
    if (a < 0 || b < 0 || fabs(up[0]) != 1 || up[1] != up[0]) return CAROM_OK;
    turn = expr_sub(g, b, a);
    carom_status status = draft_start_value(d, turn, &start);
    if (status) return status;
    turn = expr_sub(g, turn, start);
    j->joint.turn = expr_mul(g, z[0].at[2], turn);
    return CAROM_OK;
}

/* Both markers have the same axes at the start; those of a universal joint have x along the axis of the other. */
carom_status place_joint(draft *d, joint_entry *j) {
    const member *m[2] = {&d->members.at[j->member[0]], &d->members.at[j->member[1]]};
    graph *g = d->n->g;
    vec p[2], z[2], r;
    mat start[2];
    carom_status status = read_points(d, j, p);
    for (int k = 0; k < 2 && !status; k++) status = draft_start_pose(d, m[k], &r, &start[k]);
    if (!status) status = read_axes(d, j, start, z);
    if (!status) status = check_axes(d, j, z);
    if (status) return status;
    fix_axes(d, j, z);
    const bool universal = j->joint.kind == JOINT_UNIVERSAL;
    const mat first = triad(g, z[0], universal ? z[1] : z[0]),
              second = triad(g, z[1], universal ? z[0] : first.axis[0]);
    j->joint.a = marker(g, m[0], &start[0], p[0], &first);
    j->joint.b = marker(g, m[1], &start[1], p[1], &second);
    return find_turn(d, j, z);
}

carom_status read_joint(draft *d, joint_entry *j) {
    carom_status status = read_type(d, j);
    return status ? status : read_bodies(d, j);
}
