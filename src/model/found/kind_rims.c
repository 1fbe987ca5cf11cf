#include "kind_rims.h"

/* n - (n.e) e */
static vec across(graph *g, vec n, vec e) {
    return vec_sub(g, n, vec_scale(g, vec_dot(g, n, e), e));
}

static vec past(graph *g, vec x, expr s, vec e) { /* x + s e */
    return vec_add(g, x, vec_scale(g, s, e));
}

static vec unit(graph *g, vec a) {
    return vec_scale(g, expr_div(g, expr_number(g, 1), vec_norm(g, a)), a);
}

vec rim_nearest(graph *g, const rim_form *f) {
    return past(g, f->y, f->radius[1], unit(g, across(g, vec_sub(g, f->x, f->y), f->d)));
}

/* g = n.(c - y) - r l, l = |m| = |n x e|, m = e x (n x e), at c - r m/l (CF23). Products of this kind keep m across e
 * where l is small; it is held above 1e-7. */
static expr rim_face(graph *g, const rim_form *f, contact_place *place) {
    vec turn = vec_cross(g, f->d, f->e), m = vec_cross(g, f->e, turn);
    expr least = expr_number(g, 1e-14), square = graph_exempt(g, expr_binary(g, OP_MAX, vec_dot(g, turn, turn), least));
    expr sine = expr_unary(g, OP_SQRT, square);
    place->normal = f->d;
    place->point = past(g, f->x, expr_neg(g, expr_div(g, f->radius[0], sine)), m);
    expr height = vec_dot(g, f->d, vec_sub(g, f->x, f->y));
    return expr_sub(g, expr_sub(g, height, expr_mul(g, f->radius[0], sine)), f->R);
}

/* g = |w| - r |m| - R, w from the line to the centre, n = w/|w| (CF27) */
static expr rim_line(graph *g, const rim_form *f, contact_place *place) {
    vec w = across(g, vec_sub(g, f->x, f->y), f->d), n = unit(g, w), m = across(g, n, f->e);
    expr sine = vec_norm(g, m);
    place->normal = n;
    place->point = past(g, f->x, expr_neg(g, expr_div(g, f->radius[0], sine)), m);
    return expr_sub(g, expr_sub(g, vec_norm(g, w), expr_mul(g, f->radius[0], sine)), f->R);
}

/* r sqrt(1 - (k/r)^2), held away from 0 */
static expr rest_of(graph *g, expr k, expr r) {
    expr part = expr_div(g, k, r), left = expr_sub(g, expr_number(g, 1), expr_mul(g, part, part));
    expr held = graph_exempt(g, expr_binary(g, OP_MAX, left, expr_number(g, 1e-6)));
    return expr_mul(g, r, expr_unary(g, OP_SQRT, held));
}

/* The normal across two tangents at x of the second and z of the first, and the gap along it (CF25), (CF26) */
static expr part_tangents(graph *g, const rim_form *f, vec first, vec z, vec second, vec x, contact_place *place) {
    vec n = vec_scale(g, f->side, unit(g, vec_cross(g, first, second)));
    expr gap = vec_dot(g, n, vec_sub(g, z, x));
    place->normal = n;
    place->point = past(g, x, expr_scale(g, 0.5, gap), n);
    return expr_sub(g, gap, f->R);
}

/* An edge x + t e and the rim about y: seen along its axis d, or in its plane (CF25) */
static expr rim_edge(graph *g, const rim_form *f, bool chord, contact_place *place) {
    vec w = vec_sub(g, f->y, f->x), radius;
    if (chord) {
        vec u = unit(g, vec_cross(g, f->e, f->d));
        expr k = vec_dot(g, u, w);
        radius = vec_sub(g, vec_scale(g, rest_of(g, k, f->radius[1]), vec_cross(g, f->d, u)), vec_scale(g, k, u));
    } else {
        vec pierced = past(g, f->x, expr_div(g, vec_dot(g, f->d, w), vec_dot(g, f->d, f->e)), f->e);
        radius = vec_scale(g, f->radius[1], unit(g, vec_sub(g, pierced, f->y)));
    }
    return part_tangents(g, f, f->e, f->x, vec_cross(g, f->d, radius), vec_add(g, f->y, radius), place);
}

/* Where the planes of two rims meet, on the line L (CF26) */
static expr rims(graph *g, const rim_form *f, contact_place *place) {
    vec across_both = vec_cross(g, f->e, f->d), L = unit(g, across_both), w = vec_sub(g, f->x, f->y);
    expr sine = vec_norm(g, across_both);
    expr k = expr_neg(g, expr_div(g, vec_dot(g, f->d, w), sine));
    expr m = expr_neg(g, expr_div(g, vec_dot(g, f->e, w), sine));
    vec first = past(g, vec_scale(g, k, vec_cross(g, L, f->e)), rest_of(g, k, f->radius[0]), L);
    vec second = past(g, vec_scale(g, m, vec_cross(g, L, f->d)), rest_of(g, m, f->radius[1]), L);
    return part_tangents(g, f, vec_cross(g, f->e, first), vec_add(g, f->x, first), vec_cross(g, f->d, second),
                         vec_add(g, f->y, second), place);
}

expr rim_derive(graph *g, gap_kind kind, const rim_form *f, contact_place *place) {
    if (kind == GAP_RIM_FACE) return rim_face(g, f, place);
    if (kind == GAP_RIM_LINE) return rim_line(g, f, place);
    if (kind == GAP_RIMS) return rims(g, f, place);
    return rim_edge(g, f, kind == GAP_RIM_CHORD, place);
}
