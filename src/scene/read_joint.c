/* Joints as they are written: type, bodies, keys, and the markers where they meet. */
#include "read_joint.h"

#include "error.h"
#include "model/space.h"
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

/* ---- markers: vectors and frames at the start, as numbers */

/* Axes (columns): z along the unit vector, x as near to the wish as can be; if that is along z, to the axis of the
 * world that is farthest from z. */
static void triad(const double z[3], const double wish[3], double T[3][3]) {
    double any[3] = {0};
    int least = 0;
    for (int i = 1; i < 3; i++)
        if (fabs(z[i]) < fabs(z[least])) least = i;
    any[least] = 1;
    space_axes(z, fabs(space_dot(wish, z)) > 1 - 1e-12 ? any : wish, T);
}

/* The points of the two markers, in their bodies. */
static carom_status read_points(draft *d, joint_entry *j, double p[2][3]) {
    const element *e = &j->from;
    double at[3];
    int count = 0;
    bool given;
    carom_status status = read_pair(d, e, "points", p, &given);
    if (!status) status = read_numbers(d, e, "at", 2, 3, at, &count);
    if (!status && given && count) return node_error(d->n->error, e->key, "joint '%s' has 'at' and 'points'", e->name);
    if (!status && !given && !count && j->joint.kind != JOINT_DISTANCE)
        return node_error(d->n->error, e->key,
                          "joint '%s' needs 'at', a place in the world, or 'points', one in each body", e->name);
    if (!status && count && j->joint.kind == JOINT_DISTANCE)
        return node_error(d->n->error, yaml_find(e->value, "at"), "a distance joint has 'points', one in each body");
    for (int k = 0; k < 2 && count && !status; k++) {
        const member *m = &d->members.at[j->member[k]];
        status = draft_fix_pose(d, m, e->key);
        member_place(m, at, p[k]);
    }
    return status;
}

/* The axes z of the two markers, in the world. */
static carom_status read_axes(draft *d, joint_entry *j, double z[2][3]) {
    const element *e = &j->from;
    double local[2][3], *second = j->joint.kind == JOINT_UNIVERSAL ? z[1] : NULL;
    bool given, single = yaml_find(e->value, "axis") != NULL, planar = has_kind(d, j, BODY_PLANAR);
    memset(z, 0, 2 * sizeof *z);
    z[0][2] = 1;
    carom_status status = read_pair(d, e, "axes", local, &given);
    if (!status) status = read_direction(d, e, "axis", z[0]);
    if (!status && second) status = read_direction(d, e, "axis2", second);
    if (status) return status;
    if (given && single) return node_error(d->n->error, e->key, "joint '%s' has 'axis' and 'axes'", e->name);
    if (j->type->axis && !given && !single && !(planar && j->joint.kind == JOINT_REVOLUTE))
        return node_error(d->n->error, e->key, "joint '%s' needs an 'axis'", e->name);
    if (second && !given && !yaml_find(e->value, "axis2"))
        return node_error(d->n->error, e->key, "joint '%s' needs 'axis2', perpendicular to 'axis'", e->name);
    if (!second) memcpy(z[1], z[0], sizeof z[1]);
    for (int k = 0; k < 2 && given; k++) {
        if (!space_unit(local[k]))
            return node_error(d->n->error, yaml_find(e->value, "axes"), "'axes' must not be zero");
        space_times(d->members.at[j->member[k]].A, local[k], z[k]);
    }
    return CAROM_OK;
}

/* In the plane one turns about its normal, and slides along directions in it; a universal joint has a cross. */
static carom_status check_axes(draft *d, const joint_entry *j, double z[2][3]) {
    const node *axis = yaml_find(j->from.value, "axis");
    const node *where = axis ? axis : j->from.key;
    bool planar = has_kind(d, j, BODY_PLANAR);
    for (int k = 0; k < 2 && planar; k++) {
        if (j->joint.kind == JOINT_REVOLUTE && (z[k][0] != 0 || z[k][1] != 0))
            return node_error(d->n->error, where, "bodies in the plane turn about [0, 0, 1]");
        if (j->joint.kind == JOINT_PRISMATIC && z[k][2] != 0)
            return node_error(d->n->error, where, "bodies in the plane slide along an axis in it: [x, y]");
    }
    double angle = space_dot(z[0], z[1]);
    if (j->joint.kind == JOINT_UNIVERSAL && axis && !(fabs(angle) <= 1e-8)) /* what typing eight digits can leave */
        return node_error(d->n->error, where, "the axes of a universal joint must be perpendicular, their cosine is %g",
                          angle);
    return CAROM_OK;
}

static pose marker(graph *g, const member *m, const double p[3], double T[3][3]) {
    double A[3][3] = {{0}}; /* T in the axes of the body */
    for (int i = 0; i < 27; i++) A[i / 9][i / 3 % 3] += m->A[i % 3][i / 9] * T[i % 3][i / 3 % 3];
    mat turned = mat_number(g, A);
    return pose_fixed(g, &m->frame, vec_number(g, p), &turned);
}

/* Both markers have the same axes at the start; those of a universal joint have x along the axis of the other. */
carom_status place_joint(draft *d, joint_entry *j) {
    double p[2][3], z[2][3], T[2][3][3], x[3];
    const member *a = &d->members.at[j->member[0]], *b = &d->members.at[j->member[1]];
    graph *g = d->n->g;
    carom_status status = read_points(d, j, p);
    if (!status) status = read_axes(d, j, z);
    for (int i = 0; i < 6 && !status; i++) { /* the axes of the bodies at the start */
        double value;
        status = draft_start_value(d, (i < 3 ? a : b)->frame.A.axis[i % 3].at[0], j->from.key, &value);
        if (!status) status = draft_start_value(d, (i < 3 ? a : b)->frame.A.axis[i % 3].at[1], j->from.key, &value);
        if (!status) status = draft_start_value(d, (i < 3 ? a : b)->frame.A.axis[i % 3].at[2], j->from.key, &value);
    }
    if (!status) status = check_axes(d, j, z);
    if (status) return status;
    bool universal = j->joint.kind == JOINT_UNIVERSAL;
    triad(z[0], universal ? z[1] : z[0], T[0]);
    for (int i = 0; i < 3; i++) x[i] = T[0][i][0];
    triad(z[1], universal ? z[0] : x, T[1]);
    j->joint.a = marker(g, a, p[0], T[0]);
    j->joint.b = marker(g, b, p[1], T[1]);
    j->joint.turn = -1;
    if (a->turn < 0 || b->turn < 0 || fabs(z[0][2]) != 1 || z[1][2] != z[0][2]) return CAROM_OK;
    double start;
    expr turn = expr_sub(g, b->turn, a->turn);
    status = draft_start_value(d, turn, j->from.key, &start);
    turn = expr_sub(g, turn, expr_number(g, start));
    j->joint.turn = expr_mul(g, expr_number(g, z[0][2]), turn);
    return status;
}

carom_status read_joint(draft *d, joint_entry *j) {
    carom_status status = read_type(d, j);
    return status ? status : read_bodies(d, j);
}
