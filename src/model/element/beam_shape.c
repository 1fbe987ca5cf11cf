#include "beam_shape.h"

#include <float.h>

beam_node beam_node_planar(graph *g, vec r, expr angle) {
    const expr half = expr_scale(g, 0.5, angle), zero = expr_number(g, 0);
    beam_node node = {.r = r};
    node.p[0] = expr_unary(g, OP_COS, half);
    node.p[1] = node.p[2] = zero;
    node.p[3] = expr_unary(g, OP_SIN, half);
    return node;
}

static vec vector_part(const expr p[4]) {
    return (vec){{p[1], p[2], p[3]}};
}

static expr norm2(graph *g, const expr p[4]) {
    const vec v = vector_part(p);
    const expr first = expr_mul(g, p[0], p[0]);
    return expr_add(g, first, vec_dot(g, v, v));
}

/* conj(p) r = (p_0 r_0 + v . w, p_0 w - r_0 v - v x w), v and w being the vector parts */
static void relative(graph *g, const expr p[4], const expr r[4], expr e[4]) {
    const vec v = vector_part(p), w = vector_part(r);
    e[0] = expr_mul(g, p[0], r[0]);
    for (int i = 1; i < 4; i++) e[0] = expr_add(g, e[0], expr_mul(g, p[i], r[i]));
    const vec ahead = vec_scale(g, p[0], w), back = vec_scale(g, r[0], v), both = vec_sub(g, ahead, back);
    const vec turned = vec_sub(g, both, vec_cross(g, v, w));
    for (int i = 0; i < 3; i++) e[1 + i] = turned.at[i];
}

beam_relation beam_relate(graph *g, const beam_node *a, const beam_node *b) {
    beam_relation s;
    relative(g, a->p, b->p, s.e);
    const mat A = mat_quaternion(g, a->p);
    s.d = mat_transposed_times(g, &A, vec_sub(g, b->r, a->r));
    const expr first = norm2(g, a->p), norms = expr_mul(g, first, norm2(g, b->p));
    const expr lost = expr_scale(g, 16 * DBL_EPSILON * DBL_EPSILON, norms), square = expr_mul(g, s.e[0], s.e[0]);
    s.unturned = expr_sub(g, square, lost);
    return s;
}

/* Screw motion by the angle alpha: the part of d across the axis is the chord of an arc, longer by
 * alpha/2 / sin(alpha/2)                                                                                      (DB9) */
static expr helix_length(graph *g, vec omega, vec d) {
    const expr tangent2 = expr_scale(g, 0.25, vec_dot(g, omega, omega)); /* tan(alpha/2)^2 */
    const expr d2 = vec_dot(g, d, d), along = expr_scale(g, 0.5, vec_dot(g, omega, d));
    const expr straight = expr_binary(g, OP_EQ, tangent2, expr_number(g, 0)), divisor = expr_not_zero(g, tangent2);
    const expr along2 = expr_div(g, expr_mul(g, along, along), divisor);
    const expr tangent = expr_unary(g, OP_SQRT, divisor), half = expr_unary(g, OP_ATAN, tangent);
    const expr secant = expr_unary(g, OP_SQRT, expr_add(g, expr_number(g, 1), divisor));
    const expr arc = expr_div(g, expr_mul(g, half, secant), tangent); /* alpha/2 / sin(alpha/2) */
    const expr across2 = expr_binary(g, OP_MAX, expr_sub(g, d2, along2), expr_number(g, 0));
    const expr curved = expr_add(g, along2, expr_mul(g, expr_mul(g, arc, arc), across2));
    return expr_unary(g, OP_SQRT, expr_if(g, straight, d2, curved));
}

expr beam_length(graph *g, const beam_relation *s) {
    const expr scale = expr_div(g, expr_number(g, 2), s->e[0]);
    return helix_length(g, vec_scale(g, scale, vector_part(s->e)), s->d);
}

/* d = (I - omega^/2)^-1 gamma = (gamma + omega x gamma/2 + omega (omega . gamma)/4)/(1 + omega^2/4)           (DB13) */
beam_node beam_next(graph *g, expr length, const expr strain[6], const beam_node *first) {
    const expr *p = first->p;
    const vec v = vector_part(p), omega = vec_scale(g, length, (vec){{strain[0], strain[1], strain[2]}});
    const vec gamma = vec_scale(g, length, (vec){{strain[3], strain[4], strain[5]}});
    const expr quarter = expr_scale(g, 0.25, vec_dot(g, omega, omega)),
               square = expr_add(g, expr_number(g, 1), quarter);
    const expr scale = expr_div(g, expr_number(g, 1), expr_unary(g, OP_SQRT, square));
    const vec along = vec_scale(g, expr_scale(g, 0.25, vec_dot(g, omega, gamma)), omega);
    const vec across = vec_scale(g, expr_number(g, 0.5), vec_cross(g, omega, gamma));
    const vec sum = vec_add(g, vec_add(g, gamma, across), along);
    const mat A = mat_quaternion(g, p);
    vec d;
    for (int i = 0; i < 3; i++) d.at[i] = expr_div(g, sum.at[i], square);
    const vec half = vec_scale(g, expr_scale(g, 0.5, p[0]), omega), ahead = vec_add(g, v, half);
    const vec turned = vec_sub(g, ahead, vec_scale(g, expr_number(g, 0.5), vec_cross(g, omega, v)));
    beam_node next;
    next.r = vec_add(g, first->r, mat_times(g, &A, d));
    next.p[0] = expr_mul(g, scale, expr_sub(g, p[0], expr_scale(g, 0.5, vec_dot(g, v, omega))));
    for (int i = 0; i < 3; i++) next.p[1 + i] = expr_mul(g, scale, turned.at[i]);
    return next;
}

void beam_velocity(graph *g, const beam_node *from, const beam_node *to, expr time, expr u[6], expr *e0) {
    expr e[4];
    relative(g, from->p, to->p, e);
    const vec way = vec_sub(g, to->r, from->r);
    const expr divisor = expr_mul(g, e[0], time);
    for (int i = 0; i < 3; i++) {
        u[i] = expr_div(g, way.at[i], time);
        u[3 + i] = expr_div(g, expr_scale(g, 2, e[1 + i]), divisor);
    }
    *e0 = e[0];
}
