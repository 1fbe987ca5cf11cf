/* Edges that cross the rims and sides of cylinders, as expressions: docs/theory/contacts.md, (CF44) to (CF47). */
#include "kind_rims.h"

/* Squares, of a length by the radius or of a sine, are held above this, and lengths by the radius above that. */
#define LEAST 1e-20
#define LEAST_REACH 1e-3

static vec past(graph *g, vec x, expr s, vec e) { /* x + s e */
    return vec_add(g, x, vec_scale(g, s, e));
}

static expr square_of(graph *g, expr x) {
    return expr_mul(g, x, x);
}

static expr held(graph *g, expr x, expr least) {
    return graph_exempt(g, expr_binary(g, OP_MAX, x, least));
}

/* A line x + t e beside an axis with the direction d through y. */
typedef struct beside {
    vec w, p, q;                         /* x - y; across d: of w, of e */
    expr slope, height, forward, square; /* e.d, w.d, p.q, |q|^2 */
    expr r, least;                       /* the radius, and the least of squares of lengths */
} beside;

static beside see(graph *g, const rim_form *f) {
    beside s = {.w = vec_sub(g, f->x, f->y), .r = f->radius[1]};
    vec c = vec_cross(g, f->e, f->d);
    s.slope = vec_dot(g, f->e, f->d), s.height = vec_dot(g, s.w, f->d);
    s.p = past(g, s.w, expr_neg(g, s.height), f->d), s.q = past(g, f->e, expr_neg(g, s.slope), f->d);
    s.forward = vec_dot(g, s.p, s.q), s.square = vec_dot(g, c, c);
    s.least = expr_scale(g, LEAST, square_of(g, s.r));
    return s;
}

/* Where the line is as high over the end, b + a t, as beside the side; m: across the edge and the rim, out (CF44). */
typedef struct crossing {
    expr t, height, reach, root, rise;
    vec m;
} crossing;

static crossing cross(graph *g, const rim_form *f, const beside *s) {
    crossing x;
    expr up = expr_add(g, s->height, s->r), side = f->side;
    expr A = expr_sub(g, square_of(g, s->slope), s->square);
    expr B = expr_sub(g, expr_mul(g, s->slope, up), s->forward);
    expr C = expr_sub(g, square_of(g, up), vec_dot(g, s->p, s->p));
    x.root = expr_unary(g, OP_SQRT, held(g, expr_sub(g, square_of(g, B), expr_mul(g, A, C)), s->least));
    expr ahead = held(g, expr_mul(g, side, B), expr_number(g, 0));
    x.t = expr_neg(g, expr_div(g, expr_mul(g, side, C), expr_add(g, ahead, x.root)));
    x.height = expr_add(g, s->height, expr_mul(g, s->slope, x.t));
    x.reach = held(g, expr_add(g, x.height, s->r), expr_scale(g, LEAST_REACH, s->r));
    x.rise = expr_div(g, expr_add(g, s->forward, expr_mul(g, s->square, x.t)), x.reach);
    vec out = past(g, s->p, x.t, s->q);
    vec m = vec_sub(g, vec_scale(g, expr_div(g, s->slope, x.reach), out), vec_scale(g, x.rise, f->d));
    x.m = vec_scale(g, side, m);
    return x;
}

static expr rim_edge_gap(graph *g, const rim_form *f, const beside *s, contact_place *place) {
    const crossing x = cross(g, f, s);
    expr square = expr_add(g, square_of(g, s->slope), square_of(g, x.rise));
    expr length = expr_unary(g, OP_SQRT, held(g, square, expr_number(g, LEAST)));
    place->normal = vec_scale(g, expr_div(g, expr_number(g, 1), length), x.m);
    place->point = past(g, f->x, x.t, f->e);
    return expr_div(g, expr_mul(g, x.height, x.root), expr_mul(g, x.reach, length));
}

/* h = w.(e x d), n = +-(e x d)/|e x d|, g = |h|/|e x d| - r - R (CF45) */
static expr edge_side_gap(graph *g, const rim_form *f, const beside *s, contact_place *place) {
    vec c = vec_cross(g, f->e, f->d);
    expr square = held(g, s->square, expr_number(g, LEAST)), sine = expr_unary(g, OP_SQRT, square);
    expr h = vec_dot(g, s->w, c), distance = expr_unary(g, OP_SQRT, held(g, square_of(g, h), s->least));
    place->normal = vec_scale(g, expr_div(g, h, expr_mul(g, distance, sine)), c);
    vec foot = past(g, f->x, expr_neg(g, expr_div(g, s->forward, square)), f->e);
    place->point = past(g, foot, expr_neg(g, f->R), place->normal);
    return expr_sub(g, expr_sub(g, expr_div(g, distance, sine), s->r), f->R);
}

/* The point x itself, b + r - |p| - R; and the point of the line nearest to the axis, times |q|^2 (CF43) */
static expr cone(graph *g, const rim_form *f, const beside *s) {
    expr distance = expr_unary(g, OP_SQRT, held(g, vec_dot(g, s->p, s->p), s->least));
    return expr_sub(g, expr_sub(g, expr_add(g, s->height, s->r), distance), f->R);
}

static expr cone_beside(graph *g, const rim_form *f, const beside *s) {
    expr h = vec_dot(g, s->w, vec_cross(g, f->e, f->d));
    expr distance = expr_unary(g, OP_SQRT, held(g, expr_mul(g, s->square, square_of(g, h)), s->least));
    expr up = expr_mul(g, s->square, expr_sub(g, expr_add(g, s->height, s->r), f->R));
    return expr_sub(g, expr_sub(g, up, expr_mul(g, s->slope, s->forward)), distance);
}

/* The lowest point of a rim about x over a face with the normal d, beside a plane through y (CF46) */
static expr lowest_beside(graph *g, const rim_form *f) {
    vec turn = vec_cross(g, f->d, f->e), m = vec_cross(g, f->e, turn);
    expr sine = expr_unary(g, OP_SQRT, held(g, vec_dot(g, turn, turn), expr_number(g, 1e-14)));
    vec lowest = past(g, f->x, expr_neg(g, expr_div(g, f->radius[0], sine)), m);
    return vec_dot(g, f->along, vec_sub(g, lowest, f->y));
}

expr crossing_derive(graph *g, gap_kind kind, const rim_form *f, contact_place *place) {
    const beside s = see(g, f);
    place->point = f->x, place->normal = f->d;
    switch (kind) {
    case GAP_RIM_EDGE:
        return rim_edge_gap(g, f, &s, place);
    case GAP_SIDE:
        return edge_side_gap(g, f, &s, place);
    case GAP_CONE:
        return cone(g, f, &s);
    case GAP_BESIDE:
        return cone_beside(g, f, &s);
    case GAP_LOWEST:
        return lowest_beside(g, f);
    default: /* m.u - R (CF47) */
        return expr_sub(g, vec_dot(g, cross(g, f, &s).m, f->along), f->R);
    }
}
