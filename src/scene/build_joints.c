/* Joints: markers on two bodies, the coordinates between them, rows, drives, springs and limits. */
#include "error.h"
#include "model/element/joint.h"
#include "model/element/space.h"
#include "read.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* What a joint leaves free, by type: its name, the name of what drives it, and what its other keys end with. */
typedef struct freedom {
    joint_freedom kind;
    const char *name, *load, *suffix;
} freedom;

enum { MOST_FREEDOMS = 2, MOST_KEYS = 40 };

typedef struct joint_type {
    bool axis, turns; /* needs an axis; is about how bodies are turned, which points are not */
    int count;
    freedom free[MOST_FREEDOMS];
} joint_type;

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
};

/* One coordinate of one joint. */
typedef struct coordinate {
    const freedom *of;
    double offset, limit[2];
    bool limited;
    expr rest, value, rate; /* rest: -1 where there is none */
} coordinate;

typedef struct joint_entry {
    element from;
    int member[2];
    joint joint;
    const joint_type *type;
    coordinate free[MOST_FREEDOMS];
} joint_entry;

static bool is_angle(const freedom *f) {
    return f->kind != JOINT_DISPLACEMENT && f->kind != JOINT_LENGTH;
}

/* "spring" or "spring2"; NULL: out of memory */
static const char *key_of(draft *d, const char *key, const freedom *f) {
    return f->suffix[0] ? arena_format(d->n->memory, "%s%s", key, f->suffix) : key;
}

/* ---- type, bodies, keys */

static carom_status check_joint_keys(draft *d, const joint_entry *j) {
    static const char *const common[] = {"type", "bodies", "at", "points", "axis", "axes", "axis2", "restitution"};
    static const char *const each[] = {"speed", "spring", "rest", "damper", "offset", "limits"};
    const char *keys[MOST_KEYS + 1];
    char what[96];
    int count = 0;
    for (size_t i = 0; i < sizeof common / sizeof *common; i++) {
        bool axial = strncmp(common[i], "ax", 2) == 0, second = strcmp(common[i], "axis2") == 0;
        if (axial && (!j->type->axis || (second && j->joint.kind != JOINT_UNIVERSAL))) continue;
        if (strcmp(common[i], "restitution") == 0 && !j->type->count) continue;
        keys[count++] = common[i];
    }
    for (int k = 0; k < j->type->count; k++) {
        const freedom *f = &j->type->free[k];
        keys[count++] = f->name, keys[count++] = f->load;
        for (size_t i = 0; i < sizeof each / sizeof *each; i++) {
            if (f->kind == JOINT_LENGTH && strcmp(each[i], "offset") == 0) continue; /* a length starts as it is */
            if (!(keys[count++] = key_of(d, each[i], f))) return carom_error_memory(d->n->error);
        }
    }
    keys[count] = NULL;
    snprintf(what, sizeof what, "%s joint '%.60s'", joint_names[j->joint.kind], j->from.name);
    return read_keys(d, &j->from, what, keys);
}

static carom_status read_type(draft *d, joint_entry *j) {
    const element *e = &j->from;
    int type = -1;
    if (e->value->kind != NODE_MAP) return node_error(d->n->error, e->value, "joint '%s' must be a map", e->name);
    carom_status status = read_word(d, e, "type", "type of joint", joint_names, &type);
    if (!status && type < 0)
        return node_error(d->n->error, e->key,
                          "joint '%s' needs a type: revolute, prismatic, cylindrical, spherical, "
                          "universal, fixed or distance",
                          e->name);
    if (status) return status;
    j->joint.kind = (joint_kind)type;
    j->type = &types[type];
    return check_joint_keys(d, j);
}

static bool has_kind(const draft *d, const joint_entry *j, body_kind kind) {
    return d->members.at[j->member[0]].body.kind == kind || d->members.at[j->member[1]].body.kind == kind;
}

static carom_status read_bodies(draft *d, joint_entry *j) {
    const element *e = &j->from;
    const node *list = yaml_find(e->value, "bodies");
    carom_error *error = d->n->error;
    const char *type = joint_names[j->joint.kind];
    carom_status status = read_two(d, e, "bodies", "joint", j->member);
    if (status) return status;
    if (j->type->turns && has_kind(d, j, BODY_POINT))
        return node_error(error, list, "a point does not turn: its joint is spherical or distance, not %s", type);
    if ((j->joint.kind == JOINT_UNIVERSAL || j->joint.kind == JOINT_CYLINDRICAL) && has_kind(d, j, BODY_PLANAR))
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
static carom_status place_markers(draft *d, joint_entry *j) {
    double p[2][3], z[2][3], T[2][3][3], x[3];
    const member *a = &d->members.at[j->member[0]], *b = &d->members.at[j->member[1]];
    graph *g = d->n->g;
    carom_status status = read_points(d, j, p);
    if (!status) status = read_axes(d, j, z);
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
    status = draft_start_value(d, turn, &start);
    turn = expr_sub(g, turn, expr_number(g, start));
    j->joint.turn = expr_mul(g, expr_number(g, z[0][2]), turn);
    return status;
}

/* ---- coordinates */

static carom_status read_limits(draft *d, const joint_entry *j, coordinate *c) {
    const char *key = key_of(d, "limits", c->of);
    if (!key) return carom_error_memory(d->n->error);
    const node *list = yaml_find(j->from.value, key);
    int count;
    carom_status status = read_numbers(d, &j->from, key, 2, 2, c->limit, &count);
    c->limited = count > 0;
    if (status || !count) return status;
    double width = c->limit[1] - c->limit[0];
    if (!(width > 0)) return node_error(d->n->error, list, "the limits of '%s' must ascend", j->from.name);
    if (is_angle(c->of) && j->joint.turn < 0 && !(width < 2 * M_PI))
        return node_error(d->n->error, list, "limits of an angle in space must be less than a turn apart");
    return CAROM_OK;
}

/* The middle of the turn that an angle is taken in: that of the limits; the rest of a spring if that is less than half
 * a turn away; else the start (DJ7). */
static carom_status centre_of(draft *d, const coordinate *c, double *centre) {
    *centre = c->offset;
    if (c->limited) *centre = (c->limit[0] + c->limit[1]) / 2;
    if (c->limited || c->rest < 0) return CAROM_OK;
    double rest;
    carom_status status = draft_start_value(d, c->rest, &rest);
    if (!status && fabs(rest - c->offset) < M_PI) *centre = rest;
    return status;
}

/* What means nothing without another key. */
static carom_status check_orphans(draft *d, const joint_entry *j, const char *rest, const char *spring) {
    const node *keys = j->from.value, *restitution = yaml_find(keys, "restitution");
    if (yaml_find(keys, rest) && !yaml_find(keys, spring))
        return node_error(d->n->error, yaml_find(keys, rest), "'%s' of joint '%s' needs a '%s'", rest, j->from.name,
                          spring);
    if (restitution && !yaml_find(keys, "limits") && !yaml_find(keys, "limits2"))
        return node_error(d->n->error, restitution, "'restitution' of joint '%s' needs 'limits'", j->from.name);
    return CAROM_OK;
}

static carom_status declare_coordinate(draft *d, joint_entry *j, coordinate *c) {
    const freedom *f = c->of;
    const element *e = &j->from;
    const char *rest = key_of(d, "rest", f), *offset = key_of(d, "offset", f), *spring = key_of(d, "spring", f);
    double centre;
    char rate[32];
    if (!rest || !offset || !spring) return carom_error_memory(d->n->error);
    carom_status status = check_orphans(d, j, rest, spring);
    if (!status) status = read_limits(d, j, c);
    if (!status) status = read_number(d, e, offset, &c->offset);
    if (!status) status = read_formula(d, e, rest, &c->rest);
    if (!status) status = centre_of(d, c, &centre);
    if (status) return status;
    c->value = joint_coordinate(d->n->g, &j->joint, f->kind, c->offset, centre);
    c->rate = joint_rate(d->n->g, &j->joint, f->kind);
    snprintf(rate, sizeof rate, "%s_rate", f->name);
    status = draft_define(d, e, f->name, c->value, is_angle(f) ? "rad" : "m");
    return status ? status : draft_define(d, e, rate, c->rate, is_angle(f) ? "rad/s" : "m/s");
}

static carom_status declare_joint(draft *d, joint_entry *j) {
    carom_status status = draft_label(d, j->from.name, j->from.key);
    if (!status) status = read_type(d, j);
    if (!status) status = read_bodies(d, j);
    if (!status) status = place_markers(d, j);
    for (int k = 0; !status && k < j->type->count; k++) {
        j->free[k].of = &j->type->free[k];
        status = declare_coordinate(d, j, &j->free[k]);
    }
    return status;
}

carom_status draft_declare_joints(draft *d) {
    elements list = {0};
    carom_status status = names_expand(d->n, yaml_find(d->model, "joints"), "joints", false, &list);
    if (status) return status;
    d->joints = zeros(d, list.count, sizeof *d->joints);
    if (!d->joints) return carom_error_memory(d->n->error);
    for (int i = 0; i < list.count && !status; i++) {
        joint_entry *j = &d->joints[d->joint_count++];
        j->from = list.at[i];
        status = declare_joint(d, j);
    }
    return status;
}

/* ---- rows */

/* A row under the name of the joint with an end: "hinge1", "link3_1", "hinge_drive". */
static carom_status add_row(draft *d, const joint_entry *j, formula_part part, const char *end, expr row,
                            const node *where) {
    const char *name = arena_format(d->n->memory, "%s%s", j->from.name, end);
    if (!name) return carom_error_memory(d->n->error);
    carom_status status = draft_label(d, name, j->from.key);
    return status ? status : draft_append(d, part, name, row, where);
}

/* Rows that are zero whatever moves (those across the plane) are left out. */
static carom_status add_rows(draft *d, const joint_entry *j) {
    expr row[JOINT_ROWS];
    int count = joint_rows(d->n->g, &j->joint, row), kept = 0;
    carom_status status = CAROM_OK;
    for (int i = 0; i < count && !status; i++) {
        double value;
        char end[16];
        if (row[i] >= 0 && expr_is_number(d->n->g, row[i], &value)) {
            if (fabs(value) > 1e-8) /* what typing eight digits can leave */
                return node_error(d->n->error, j->from.key,
                                  "joint '%s' can not be closed in the plane: it is off by %g", j->from.name, value);
            continue;
        }
        snprintf(end, sizeof end, j->from.index.name ? "_%d" : "%d", ++kept);
        status = add_row(d, j, FORMULA_CONSTRAINT, end, row[i], j->from.key);
    }
    return status;
}

/* ---- drives: a motion or a speed that is prescribed */

/* Coordinates count from the start, so a drive must begin there; an angle would also start at sin(angle - f) = 0 half a
 * turn away. A length that does not fit is found with all other constraints. */
static carom_status check_start(draft *d, const joint_entry *j, const coordinate *c, expr formula, const node *where) {
    double value, wanted;
    carom_status status = draft_start_value(d, c->value, &value);
    if (!status) status = draft_start_value(d, formula, &wanted);
    if (status) return status;
    if (c->of->kind == JOINT_LENGTH && !(wanted > 0))
        return node_error(d->n->error, where, "the length of '%s' must be positive, it is %g", j->from.name, wanted);
    bool wraps = is_angle(c->of) && j->joint.turn < 0;
    double off = wraps ? remainder(value - wanted, 2 * M_PI) : value - wanted;
    if (c->of->kind == JOINT_LENGTH || fabs(off) <= 1e-8) return CAROM_OK; /* what typing eight digits can leave */
    return node_error(d->n->error, where, "'%s.%s' starts at %g, not at %g: give '%s: %g' or move the bodies",
                      j->from.name, c->of->name, value, wanted, key_of(d, "offset", c->of), c->offset - off);
}

/* A distance is kept as it is unless told, or limited alone. */
static carom_status add_motion(draft *d, const joint_entry *j, const coordinate *c) {
    expr formula;
    char end[16];
    const node *text = yaml_find(j->from.value, c->of->name), *where = text ? text : j->from.key;
    bool rod = c->of->kind == JOINT_LENGTH;
    carom_status status = read_formula(d, &j->from, c->of->name, &formula);
    if (!status && formula < 0 && rod && !c->limited) {
        double length;
        status = draft_start_value(d, c->value, &length);
        if (!status && !(length > 0))
            return node_error(d->n->error, where,
                              "the points of '%s' coincide, give its 'length' or use a spherical joint", j->from.name);
        formula = expr_number(d->n->g, length);
    }
    if (status || formula < 0) return status;
    status = check_start(d, j, c, formula, where);
    expr row = joint_follow(d->n->g, &j->joint, c->of->kind, c->offset, formula);
    if (rod) snprintf(end, sizeof end, j->from.index.name ? "_1" : "1");
    else snprintf(end, sizeof end, "_drive%s", c->of->suffix);
    return status ? status : add_row(d, j, FORMULA_CONSTRAINT, end, row, where);
}

static carom_status add_speed(draft *d, const joint_entry *j, const coordinate *c) {
    const char *key = key_of(d, "speed", c->of);
    if (!key) return carom_error_memory(d->n->error);
    const node *text = yaml_find(j->from.value, key);
    expr formula;
    char end[16];
    carom_status status = read_formula(d, &j->from, key, &formula);
    if (status || formula < 0) return status;
    if (yaml_find(j->from.value, c->of->name))
        return node_error(d->n->error, text, "joint '%s' has '%s' and '%s', one follows from the other", j->from.name,
                          c->of->name, key);
    snprintf(end, sizeof end, "_speed%s", c->of->suffix);
    return add_row(d, j, FORMULA_VELOCITY_CONSTRAINT, end, expr_sub(d->n->g, c->rate, formula), text);
}

/* ---- motors, springs, dampers, limits */

static carom_status add_motor(draft *d, const joint_entry *j, const coordinate *c) {
    graph *g = d->n->g;
    expr formula, back = expr_number(g, -1);
    carom_status status = read_formula(d, &j->from, c->of->load, &formula);
    if (status || formula < 0) return status;
    const node *where = yaml_find(j->from.value, c->of->load);
    joint_load l = joint_drive(g, &j->joint, c->of->kind, formula);
    status = draft_push(d, j->member[1], l.at_b, l.force, where);
    if (!status) status = draft_twist(d, j->member[1], l.torque, where);
    if (!status) status = draft_push(d, j->member[0], l.at_a, vec_scale(g, back, l.force), where);
    return status ? status : draft_twist(d, j->member[0], vec_scale(g, back, l.torque), where);
}

/* factor/2 x^2 */
static carom_status add_square(draft *d, const joint_entry *j, formula_part part, const char *key, expr x) {
    graph *g = d->n->g;
    expr factor;
    carom_status status = key ? read_formula(d, &j->from, key, &factor) : carom_error_memory(d->n->error);
    if (status || factor < 0) return status;
    double constant;
    if (expr_is_number(g, factor, &constant) && constant < 0)
        return node_error(d->n->error, yaml_find(j->from.value, key), "the %s must not be negative, it is %g", key,
                          constant);
    expr half = expr_mul(g, expr_number(g, 0.5), factor);
    return draft_energy(d, part, expr_mul(g, half, expr_mul(g, x, x)), yaml_find(j->from.value, key));
}

static carom_status add_spring(draft *d, const joint_entry *j, const coordinate *c) {
    graph *g = d->n->g;
    expr rest = c->rest;
    carom_status status = CAROM_OK;
    if (rest < 0) {
        double start = 0; /* lengths are not counted from the start */
        if (c->of->kind == JOINT_LENGTH) status = draft_start_value(d, c->value, &start);
        rest = expr_number(g, start);
    }
    expr stretch = expr_sub(g, c->value, rest);
    if (!status) status = add_square(d, j, FORMULA_POTENTIAL, key_of(d, "spring", c->of), stretch);
    return status ? status : add_square(d, j, FORMULA_DISSIPATION, key_of(d, "damper", c->of), c->rate);
}

static carom_status add_limits(draft *d, const joint_entry *j, const coordinate *c) {
    graph *g = d->n->g;
    carom_status status = CAROM_OK;
    const node *where = c->limited ? yaml_find(j->from.value, key_of(d, "limits", c->of)) : NULL;
    for (int high = 0; high < 2 && c->limited && !status; high++) {
        carom_contact_def contact = {
            .name = arena_format(d->n->memory, "%s_%s%s", j->from.name, high ? "high" : "low", c->of->suffix)};
        if (!contact.name) return carom_error_memory(d->n->error);
        expr limit = expr_number(g, c->limit[high]);
        expr gap = high ? expr_sub(g, limit, c->value) : expr_sub(g, c->value, limit);
        status = draft_coefficients(d, &j->from, &contact);
        if (!status)
            status = draft_contact(d, &contact, gap, where, NULL, NULL, j->from.key, is_angle(c->of) ? "rad" : "m");
    }
    return status;
}

carom_status draft_add_joints(draft *d) {
    carom_status status = CAROM_OK;
    for (int i = 0; i < d->joint_count && !status; i++) {
        const joint_entry *j = &d->joints[i];
        status = add_rows(d, j);
        for (int k = 0; k < j->type->count && !status; k++) {
            const coordinate *c = &j->free[k];
            status = add_motion(d, j, c);
            if (!status) status = add_speed(d, j, c);
            if (!status) status = add_motor(d, j, c);
            if (!status) status = add_spring(d, j, c);
            if (!status) status = add_limits(d, j, c);
        }
    }
    return status;
}
