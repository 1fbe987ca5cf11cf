/* The axis of a capsule and a rim where they are nearest, as expressions; and its borders: docs/theory/contacts.md,
 * (CF49) to (CF53). */
#include "kind_rims.h"

/* Squares, of a length by the radius, are held above this. */
#define LEAST 1e-20

static vec past(graph *g, vec x, expr s, vec e) { /* x + s e */
    return vec_add(g, x, vec_scale(g, s, e));
}

static expr larger(graph *g, expr x, expr least) {
    return graph_exempt(g, expr_binary(g, OP_MAX, x, least));
}

/* The length of a vector, away from 0. */
static expr length_of(graph *g, const rim_form *f, vec x) {
    expr least = expr_scale(g, LEAST, expr_mul(g, f->radius[1], f->radius[1]));
    return expr_unary(g, OP_SQRT, larger(g, vec_dot(g, x, x), least));
}

/* Of w from the centre of the rim: what is across its axis. */
static vec beside_axis(graph *g, const rim_form *f, vec w) {
    return past(g, w, expr_neg(g, vec_dot(g, w, f->d)), f->d);
}

/* From the centre of the rim to the point of the line that is nearest to it on one side (CF49). */
static vec to_foot(graph *g, const rim_form *f) {
    vec w = vec_sub(g, f->x, f->y), across = vec_cross(g, f->e, f->d);
    expr r = f->radius[1], k = vec_dot(g, across, across);
    vec start = past(g, w, expr_neg(g, vec_dot(g, w, f->e)), f->e), p = beside_axis(g, f, start);
    expr slope = vec_dot(g, f->e, f->d), height = vec_dot(g, start, f->d), square = expr_mul(g, r, r);
    expr j = expr_div(g, expr_mul(g, slope, height), r), P = expr_div(g, vec_dot(g, p, p), square);
    expr s = expr_foot(g, k, expr_mul(g, f->side, j), P);
    return past(g, start, expr_mul(g, f->side, expr_mul(g, r, s)), f->e);
}

static expr rim_axis(graph *g, const rim_form *f, contact_place *place) {
    vec foot = to_foot(g, f), p = beside_axis(g, f, foot);
    vec nearest = vec_scale(g, expr_div(g, f->radius[1], length_of(g, f, p)), p), apart = vec_sub(g, foot, nearest);
    expr distance = length_of(g, f, apart);
    place->normal = vec_scale(g, expr_div(g, expr_number(g, 1), distance), apart);
    place->point = vec_add(g, f->y, nearest);
    return expr_sub(g, distance, f->R);
}

/* How the distance of a point x of the line from the cylinder grows along it (CF52). */
static expr ahead_of_foot(graph *g, const rim_form *f) {
    vec w = vec_sub(g, f->x, f->y), p = beside_axis(g, f, w);
    expr R = length_of(g, f, p), zero = expr_number(g, 0), beyond = expr_sub(g, R, f->radius[1]);
    expr outside = larger(g, beyond, zero), inside = expr_sub(g, outside, beyond);
    expr up = expr_mul(g, vec_dot(g, f->e, f->d), vec_dot(g, w, f->d));
    expr out = expr_mul(g, expr_div(g, vec_dot(g, p, f->e), R), outside);
    expr kept = expr_scale(g, 0.5, expr_mul(g, f->side, inside));
    return expr_sub(g, expr_sub(g, expr_add(g, up, out), kept), f->R);
}

/* How far the line is tilted against the end, beyond what a chord of it allows (CF53). */
static expr steep(graph *g, const rim_form *f) {
    vec w = vec_sub(g, f->x, f->y), across = vec_cross(g, f->e, f->d);
    expr k = vec_dot(g, across, across), distance = expr_div(g, vec_dot(g, w, across), f->radius[1]);
    expr square = expr_mul(g, distance, distance), zero = expr_number(g, 0);
    expr left = larger(g, expr_sub(g, k, square), zero), slope = expr_mul(g, k, vec_dot(g, f->e, f->d));
    expr tilt = expr_mul(g, expr_mul(g, f->side, f->radius[0]), slope);
    return expr_sub(g, expr_sub(g, tilt, expr_scale(g, 0.05, expr_mul(g, left, left))), f->R);
}

expr foot_derive(graph *g, gap_kind kind, const rim_form *f, contact_place *place) {
    place->point = f->x, place->normal = f->d;
    if (kind == GAP_RIM_AXIS) return rim_axis(g, f, place);
    return (kind == GAP_AHEAD ? ahead_of_foot : steep)(g, f);
}
