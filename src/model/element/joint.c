#include "joint.h"

#include <math.h>
#include <stddef.h>

const char *const joint_names[] = {"revolute", "prismatic", "cylindrical", "spherical", "universal",
                                   "fixed",    "distance",  "planar",      NULL};

enum { X, Y, Z };

static vec apart(graph *g, const joint *j) {
    return vec_sub(g, j->b.r, j->a.r);
}

static expr between(graph *g, const joint *j, int axis_a, int axis_b) {
    return vec_dot(g, j->a.A.axis[axis_a], j->b.A.axis[axis_b]);
}

/* ---- rows */

/* d = 0 (DJ1) */
static int together(graph *g, const joint *j, expr *row) {
    vec d = apart(g, j);
    for (int i = 0; i < 3; i++) row[i] = d.at[i];
    return 3;
}

/* d stays on the axis of a: d . x_a = d . y_a = 0 (DJ2) */
static int on_axis(graph *g, const joint *j, expr *row) {
    vec d = apart(g, j);
    for (int i = X; i <= Y; i++) row[i] = vec_dot(g, d, j->a.A.axis[i]);
    return 2;
}

/* the axis of b is that of a: x_a . z_b = y_a . z_b = 0 (DJ3) */
static int same_axis(graph *g, const joint *j, expr *row) {
    for (int i = X; i <= Y; i++) row[i] = between(g, j, i, Z);
    return 2;
}

/* no relative turn: z_a . x_b = z_a . y_b = x_a . y_b = 0 (DJ4) */
static int same_axes(graph *g, const joint *j, expr *row) {
    row[0] = between(g, j, Z, X);
    row[1] = between(g, j, Z, Y);
    row[2] = between(g, j, X, Y);
    return 3;
}

/* b stays in the plane across the axis of a: d . z_a = 0 (DJ10) */
static int in_plane(graph *g, const joint *j, expr *row) {
    row[0] = vec_dot(g, apart(g, j), j->a.A.axis[Z]);
    return 1;
}

static bool slides(const joint *j) {
    return j->kind == JOINT_PRISMATIC || j->kind == JOINT_CYLINDRICAL;
}

int joint_forces(const joint *j) {
    return j->kind == JOINT_PLANAR ? 1 : slides(j) ? 2 : 3;
}

int joint_rows(graph *g, const joint *j, expr row[JOINT_ROWS]) {
    if (j->kind == JOINT_DISTANCE) return 0;
    int n = slides(j) ? on_axis(g, j, row) : j->kind == JOINT_PLANAR ? in_plane(g, j, row) : together(g, j, row);
    switch (j->kind) {
    case JOINT_REVOLUTE:
    case JOINT_CYLINDRICAL:
    case JOINT_PLANAR:
        return n + same_axis(g, j, row + n);
    case JOINT_PRISMATIC:
    case JOINT_FIXED:
        return n + same_axes(g, j, row + n);
    case JOINT_UNIVERSAL:
        row[n] = between(g, j, Z, Z); /* (DJ5) */
        return n + 1;
    default:
        return n;
    }
}

/* (d . d - L^2)/(2 L): polynomial in the positions, with the rate of |d| - L where it is zero (DJ6) */
expr joint_rod(graph *g, const joint *j, expr length) {
    vec d = apart(g, j);
    expr square = expr_mul(g, length, length), twice = expr_sub(g, vec_dot(g, d, d), square);
    return expr_div(g, twice, expr_scale(g, 2, length));
}

/* ---- coordinates */

/* The angle by its sine and cosine (DJ7). The cross of a universal joint has the axes z_a and z_b. */
static void circle(graph *g, const joint *j, joint_freedom f, expr *sine, expr *cosine) {
    if (f == JOINT_ANGLE) *sine = between(g, j, Y, X), *cosine = between(g, j, X, X);
    if (f == JOINT_CROSS_ANGLE) *sine = between(g, j, Y, Z), *cosine = between(g, j, X, Z);
    if (f == JOINT_SECOND_ANGLE) *sine = expr_neg(g, between(g, j, Z, Y)), *cosine = between(g, j, Z, X);
}

/* sin(angle - by) and cos(angle - by) */
static void turn_back(graph *g, expr by, expr *sine, expr *cosine) {
    expr s = expr_unary(g, OP_SIN, by), c = expr_unary(g, OP_COS, by);
    expr sc = expr_mul(g, *sine, c), cs = expr_mul(g, *cosine, s), cc = expr_mul(g, *cosine, c),
         ss = expr_mul(g, *sine, s);
    *sine = expr_sub(g, sc, cs);
    *cosine = expr_add(g, cc, ss);
}

expr joint_coordinate(graph *g, const joint *j, joint_freedom f, expr offset, expr centre) {
    expr sine, cosine;
    if (f == JOINT_LENGTH) return vec_norm(g, apart(g, j));
    if (f == JOINT_DISPLACEMENT) return expr_add(g, vec_dot(g, apart(g, j), j->a.A.axis[Z]), offset);
    if (f == JOINT_ANGLE && j->turn >= 0) return expr_add(g, j->turn, offset);
    circle(g, j, f, &sine, &cosine);
    turn_back(g, expr_sub(g, centre, offset), &sine, &cosine);
    return expr_add(g, expr_binary(g, OP_ATAN2, sine, cosine), centre);
}

expr joint_counted(graph *g, const joint *j, joint_freedom f, expr offset, expr anchor) {
    expr turn = expr_number(g, 2 * M_PI), half = expr_number(g, 0.5);
    expr angle = joint_coordinate(g, j, f, offset, offset);
    expr turns = expr_div(g, expr_sub(g, anchor, angle), turn);
    expr full = graph_exempt(g, expr_unary(g, OP_FLOOR, expr_add(g, turns, half))); /* jumps with the angle */
    return expr_add(g, angle, expr_mul(g, turn, full));
}

/* The direction of a displacement, the axis of an angle. */
static vec direction(graph *g, const joint *j, joint_freedom f) {
    if (f == JOINT_LENGTH) return vec_direction(g, apart(g, j));
    return f == JOINT_SECOND_ANGLE ? j->b.A.axis[Z] : j->a.A.axis[Z];
}

expr joint_rate(graph *g, const joint *j, joint_freedom f) {
    vec relative = vec_sub(g, j->b.w, j->a.w);
    if (f == JOINT_DISPLACEMENT) relative = vec_sub(g, j->b.v, pose_velocity(g, &j->a, j->b.r));
    if (f == JOINT_LENGTH) relative = vec_sub(g, j->b.v, j->a.v);
    return vec_dot(g, direction(g, j, f), relative);
}

int joint_slips(graph *g, const joint *j, expr radius, expr slip[3]) {
    const vec turn = vec_sub(g, j->b.w, j->a.w);
    double still;
    int n = 0;
    if (slides(j)) slip[n++] = joint_rate(g, j, JOINT_DISPLACEMENT);
    if (j->kind == JOINT_REVOLUTE || j->kind == JOINT_CYLINDRICAL)
        slip[n++] = expr_mul(g, radius, joint_rate(g, j, JOINT_ANGLE));
    for (int i = 0; i < 3 && j->kind == JOINT_SPHERICAL; i++)
        if (!expr_is_number(g, turn.at[i], &still)) slip[n++] = expr_mul(g, radius, turn.at[i]);
    return n;
}

expr joint_drive_row(graph *g, const joint *j, joint_freedom f, expr offset, expr formula) {
    expr sine, cosine, from_start = expr_sub(g, formula, offset);
    if (f == JOINT_LENGTH) return joint_rod(g, j, formula);
    if (f == JOINT_DISPLACEMENT || (f == JOINT_ANGLE && j->turn >= 0))
        return expr_sub(g, joint_coordinate(g, j, f, offset, offset), formula);
    circle(g, j, f, &sine, &cosine);
    turn_back(g, from_start, &sine, &cosine);
    return sine;
}

joint_load joint_drive(graph *g, const joint *j, joint_freedom f, expr load) {
    vec along = vec_scale(g, load, direction(g, j, f)), zero = vec_zero(g);
    joint_load l = {zero, zero, j->b.r, j->b.r};
    if (f == JOINT_LENGTH) l.at_a = j->a.r;
    if (f == JOINT_LENGTH || f == JOINT_DISPLACEMENT) l.force = along;
    else l.torque = along;
    return l;
}
