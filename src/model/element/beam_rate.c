/* With the angular velocities w_1, w_2 of the nodes in their own axes, and D of (DB3),
 *
 *   omega' = D^T w_2 - D w_1,   d' = A_1^T (v_2 - v_1) + d x w_1,   gamma' = d' - (omega' x d + omega x d')/2   (DB14)
 */
#include "beam_rate.h"

static vec half_cross(graph *g, double factor, vec a, vec b) {
    return vec_scale(g, expr_number(g, factor / 2), vec_cross(g, a, b));
}

/* x + sign omega x x/2 + omega (omega . x)/4: D x for sign = -1, D^T x for 1 */
static vec apply_D(graph *g, vec omega, double sign, vec x) {
    expr along = expr_scale(g, 0.25, vec_dot(g, omega, x));
    return vec_add(g, vec_add(g, x, half_cross(g, sign, omega, x)), vec_scale(g, along, omega));
}

/* 2 vec(e)/e_0, e = conj(p_1) p_2; in the plane the angle between the nodes has half of this as its tangent of a half
 */
static vec omega_of(graph *g, const body *a, const body *b) {
    if (a->kind == BODY_PLANAR) {
        vec omega = vec_zero(g);
        expr half = expr_scale(g, 0.5, expr_sub(g, b->q[2], a->q[2]));
        expr tangent = expr_div(g, expr_unary(g, OP_SIN, half), expr_unary(g, OP_COS, half));
        omega.at[2] = expr_scale(g, 2, tangent);
        return omega;
    }
    const expr *p = a->q + 3, *r = b->q + 3;
    vec u = {{p[1], p[2], p[3]}}, v = {{r[1], r[2], r[3]}};
    expr e0 = expr_add(g, expr_mul(g, p[0], r[0]), vec_dot(g, u, v));
    vec e = vec_sub(g, vec_sub(g, vec_scale(g, p[0], v), vec_scale(g, r[0], u)), vec_cross(g, u, v));
    return vec_scale(g, expr_div(g, expr_number(g, 2), e0), e);
}

/* In the axes of the node. */
static vec turning(const body *b) {
    return b->kind == BODY_SPATIAL ? (vec){{b->u[3], b->u[4], b->u[5]}} : b->pose.w;
}

void beam_strain_rate(graph *g, const body *a, const body *b, expr rate[6]) {
    const vec w1 = turning(a), w2 = turning(b), omega = omega_of(g, a, b);
    vec bent = vec_sub(g, apply_D(g, omega, 1, w2), apply_D(g, omega, -1, w1));
    vec d = mat_transposed_times(g, &a->pose.A, vec_sub(g, b->pose.r, a->pose.r));
    vec moved = mat_transposed_times(g, &a->pose.A, vec_sub(g, b->pose.v, a->pose.v));
    moved = vec_add(g, moved, vec_cross(g, d, w1));
    vec turned = vec_add(g, half_cross(g, 1, bent, d), half_cross(g, 1, omega, moved));
    vec stretched = vec_sub(g, moved, turned);
    for (int i = 0; i < 3; i++) rate[i] = bent.at[i], rate[3 + i] = stretched.at[i];
}

expr beam_dissipation(graph *g, const body *a, const body *b, expr length, const expr viscosity[6]) {
    expr rate[6], sum = expr_number(g, 0);
    beam_strain_rate(g, a, b, rate);
    for (int i = 0; i < 6; i++) {
        const expr square = expr_mul(g, rate[i], rate[i]), twice = expr_scale(g, 2, length);
        sum = expr_add(g, sum, expr_mul(g, expr_div(g, viscosity[i], twice), square));
    }
    return sum;
}
