#include "body.h"

static const char *const q_names[][BODY_Q] = {
    [BODY_POINT] = {"x", "y", "z"},
    [BODY_PLANAR] = {"x", "y", "phi"},
    [BODY_SPATIAL] = {"x", "y", "z", "p0", "p1", "p2", "p3"},
};
static const char *const u_names[][BODY_U] = {
    [BODY_POINT] = {"x_dot", "y_dot", "z_dot"},
    [BODY_PLANAR] = {"x_dot", "y_dot", "phi_dot"},
    [BODY_SPATIAL] = {"x_dot", "y_dot", "z_dot", "wx", "wy", "wz"},
};

void body_shape(body *b, body_kind kind, int axes) {
    static const int nq[] = {[BODY_PLANAR] = 3, [BODY_SPATIAL] = 7}, nu[] = {[BODY_PLANAR] = 3, [BODY_SPATIAL] = 6};
    b->kind = kind;
    b->nq = kind == BODY_POINT ? axes : nq[kind];
    b->nu = kind == BODY_POINT ? axes : nu[kind];
}

int body_axes(const body *b) {
    return b->kind == BODY_POINT ? b->nu : b->kind == BODY_PLANAR ? 2 : 3;
}

const char *body_q_name(const body *b, int i) {
    return q_names[b->kind][i];
}

const char *body_u_name(const body *b, int i) {
    return u_names[b->kind][i];
}

void body_place(graph *g, body *b) {
    if (b->kind == BODY_FRAME) return;
    b->pose = pose_world(g);
    int axes = body_axes(b);
    for (int i = 0; i < axes; i++) b->pose.r.at[i] = b->q[i], b->pose.v.at[i] = b->u[i];
    if (b->kind == BODY_PLANAR) {
        b->pose.A = mat_turn(g, vec_number(g, (double[3]){0, 0, 1}), b->q[2]);
        b->pose.w.at[2] = b->u[2];
    } else if (b->kind == BODY_SPATIAL) {
        b->pose.A = mat_quaternion(g, b->q + 3);
        b->pose.w = mat_times(g, &b->pose.A, (vec){{b->u[3], b->u[4], b->u[5]}});
    }
}

/* p_dot = p o (0, w)/2: p_0' = -v.w/2, v' = (p_0 w + v x w)/2 */
expr body_rate(graph *g, const body *b, int i) {
    if (b->kind != BODY_SPATIAL || i < 3) return b->u[i];
    const expr *p = b->q + 3;
    vec v = {{p[1], p[2], p[3]}}, w = {{b->u[3], b->u[4], b->u[5]}};
    if (i == 3) return expr_scale(g, -0.5, vec_dot(g, v, w));
    vec along = vec_scale(g, p[0], w), across = vec_cross(g, v, w);
    return expr_scale(g, 0.5, vec_add(g, along, across).at[i - 4]);
}

expr body_mass(graph *g, const body *b) {
    return b->weighed ? b->mass_of : expr_number(g, b->mass);
}

expr body_kinetic(graph *g, const body *b) {
    expr mass = body_mass(g, b), twice = expr_mul(g, mass, vec_dot(g, b->pose.v, b->pose.v));
    vec w = b->kind == BODY_SPATIAL ? (vec){{b->u[3], b->u[4], b->u[5]}} : b->pose.w;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            expr square = expr_mul(g, w.at[i], w.at[j]);
            expr J = b->weighed ? b->inertia_of[i][j] : expr_number(g, b->inertia[i][j]);
            twice = expr_add(g, twice, expr_mul(g, J, square));
        }
    return expr_scale(g, 0.5, twice);
}

void body_push(graph *g, const body *b, vec x, vec F, expr f[BODY_U]) {
    if (b->kind == BODY_FRAME) return;
    int axes = body_axes(b);
    for (int i = 0; i < axes; i++) f[i] = expr_add(g, f[i], F.at[i]);
    body_twist(g, b, vec_cross(g, vec_sub(g, x, b->pose.r), F), f);
}

void body_twist(graph *g, const body *b, vec torque, expr f[BODY_U]) {
    if (b->kind == BODY_PLANAR) f[2] = expr_add(g, f[2], torque.at[2]);
    if (b->kind != BODY_SPATIAL) return;
    vec local = mat_transposed_times(g, &b->pose.A, torque);
    for (int i = 0; i < 3; i++) f[3 + i] = expr_add(g, f[3 + i], local.at[i]);
}

bool body_carry(graph *g, const body *b, vec v, vec w, expr xi[BODY_U]) {
    int axes = body_axes(b);
    vec local = b->kind == BODY_SPATIAL ? mat_transposed_times(g, &b->pose.A, w) : w;
    bool follows = true;
    for (int i = 0; i < 3; i++)
        if (i < axes) xi[i] = v.at[i];
        else follows = follows && expr_equals(g, v.at[i], 0);
    if (b->kind == BODY_PLANAR) {
        xi[2] = w.at[2];
        follows = follows && expr_equals(g, w.at[0], 0) && expr_equals(g, w.at[1], 0);
    }
    for (int i = 0; i < 3 && b->kind == BODY_SPATIAL; i++) xi[3 + i] = local.at[i];
    return follows;
}
