#include "contact.h"

#include <math.h>

/* The rim of a disk flatter than this (sine of the angle to the plane) is rounded off (DC3). */
#define FLAT 1e-8
/* Capsules more parallel than this (squared sine of the angle) touch at their ends alone (DC6). */
#define PARALLEL 1e-6

static expr number(graph *g, double x) {
    return expr_number(g, x);
}
static vec along(graph *g, vec x, expr s, vec a) { /* x + s a */
    return vec_add(g, x, vec_scale(g, s, a));
}
static pose place(graph *g, const surface *s) {
    return pose_fixed(g, &s->body, s->form.r, &s->form.A);
}

/* ---- tangents */

/* (n_y, -n_x): in the plane, to the right of somebody who looks along the normal */
static vec planar_tangent(graph *g, vec n) {
    expr zero = number(g, 0);
    return (vec){{n.at[1], expr_neg(g, n.at[0]), zero}};
}

/* The tangent T of n0, carried to n by the smallest rotation: T - (T.n)/(1 + n0.n) (n0 + n) (DC7) */
static vec carried(graph *g, vec T, vec n0, vec n) {
    expr one = number(g, 1), one_more = expr_add(g, one, vec_dot(g, n0, n));
    vec both = vec_add(g, n0, n);
    return vec_sub(g, T, vec_scale(g, expr_div(g, vec_dot(g, T, n), one_more), both));
}

/* From the normal at the start, or, where the present one is far from it, from its opposite. */
static void carry_tangents(graph *g, const double *start, touch *c) {
    double n0[3], A[3][3];
    vec n = c->place.normal;
    bool finite = true;
    for (int i = 0; i < 3; i++) n0[i] = expr_value(g, n.at[i], start), finite = finite && isfinite(n0[i]);
    if (!finite) n0[0] = n0[1] = 0, n0[2] = 1; /* centres coincide: the run does not start */
    shape_axes(n0, A);
    mat basis = mat_number(g, A);
    vec here = basis.axis[2], there = vec_scale(g, number(g, -1), here);
    expr limit = number(g, -0.5), far = graph_exempt(g, expr_binary(g, OP_LT, vec_dot(g, here, n), limit));
    for (int i = 0; i < 2; i++) {
        vec near_start = carried(g, basis.axis[i], here, n), near_opposite = carried(g, basis.axis[i], there, n);
        for (int k = 0; k < 3; k++) c->tangent[i].at[k] = expr_if(g, far, near_opposite.at[k], near_start.at[k]);
    }
}

/* ---- against a plane */

/* A ball, or with radius 0 a point, at x: g = n.(x - p) - r (DC1) */
static touch ball_on_face(graph *g, vec x, expr radius, const pose *face) {
    vec n = face->A.axis[2];
    expr gap = expr_sub(g, vec_dot(g, n, vec_sub(g, x, face->r)), radius);
    return (touch){.gap = gap, .place = {along(g, x, expr_neg(g, radius), n), n}};
}

/* Where on the rim the point is: v from the centre at the given height, 0 if that is lower than half of r l; and how
 * fast that may change: with the angular velocity w of the disk against the plane, |w x e|/l (DC3a). */
static void support_rim(graph *g, const pose *disk, const pose *face, vec v, expr l, expr height, touch *c) {
    vec tilting = vec_cross(g, vec_sub(g, disk->w, face->w), disk->A.axis[2]);
    expr zero = number(g, 0), one = number(g, 1);
    expr sunk = expr_binary(g, OP_LT, expr_add(g, height, c->gap), zero); /* height - gap = r l */
    c->on_rim = true;
    c->support = vec_scale(g, expr_if(g, sunk, zero, one), v);
    c->turning = expr_div(g, vec_norm(g, tilting), l);
}

/* The rim with centre x, axis e: its lowest point is x - r m/l, m = n - (n.e) e, l = |m| = |n x e| (DC2). Below l = d
 * = FLAT, l is continued as (l^2 + d^2)/(2 d) in the gap and as d in the point (DC3). The least of l^2 and d^2 there
 * changes no value, but keeps the range of the gap small where a range of l is on both sides of d. */
static touch rim_on_face(graph *g, vec x, const pose *disk, expr radius, const pose *face) {
    vec n = face->A.axis[2], e = disk->A.axis[2], across = vec_cross(g, n, e);
    vec m = vec_sub(g, n, vec_scale(g, vec_dot(g, n, e), e));
    expr square = vec_dot(g, across, across), l = expr_unary(g, OP_SQRT, square);
    expr leans = graph_exempt(g, expr_binary(g, OP_LT, number(g, FLAT * FLAT), square));
    expr limit = number(g, FLAT * FLAT), low = graph_exempt(g, expr_binary(g, OP_MIN, square, limit));
    expr flat = expr_scale(g, 1 / (2 * FLAT), expr_add(g, low, limit));
    expr drop = expr_mul(g, radius, expr_if(g, leans, l, flat));
    expr held = expr_if(g, leans, l, number(g, FLAT)), height = vec_dot(g, n, vec_sub(g, x, face->r));
    vec down = vec_scale(g, expr_div(g, expr_neg(g, radius), held), m);
    expr gap = expr_sub(g, height, drop), one = number(g, 1), inverse = expr_div(g, one, radius);
    touch c = {.gap = gap, .place = {vec_add(g, x, down), n}};
    support_rim(g, disk, face, vec_scale(g, inverse, down), held, height, &c);
    return c;
}

/* Points x + r (cos(a) e_1 + sin(a) e_2) of the rim, a = 2 pi k/N (DC3c) */
static int points_on_face(graph *g, vec x, const mat *A, const form *s, const pose *face, touch *out) {
    for (int k = 0; k < s->points; k++) {
        double angle = 2 * acos(-1) * k / s->points;
        vec on = along(g, x, expr_scale(g, cos(angle), s->radius), A->axis[0]);
        on = along(g, on, expr_scale(g, sin(angle), s->radius), A->axis[1]);
        out[k] = ball_on_face(g, on, number(g, 0), face);
    }
    return s->points;
}

static int edge_on_face(graph *g, vec x, const pose *disk, const form *s, const pose *face, touch *out) {
    if (s->points) return points_on_face(g, x, &disk->A, s, face, out);
    out[0] = rim_on_face(g, x, disk, s->radius, face);
    return 1;
}

static int corners_on_face(graph *g, const pose *box, const expr size[3], const pose *face, touch *out) {
    const expr zero = number(g, 0);
    int count = 0;
    for (int k = 0; k < 8; k++) {
        vec x = box->r;
        bool corner = true;
        for (int i = 0; i < 3; i++) {
            corner = corner && (!expr_equals(g, size[i], 0) || !(k >> i & 1)); /* a plate has no upper corners */
            x = along(g, x, expr_scale(g, k >> i & 1 ? 0.5 : -0.5, size[i]), box->A.axis[i]);
        }
        if (corner) out[count++] = ball_on_face(g, x, zero, face);
    }
    return count;
}

/* The point of an ellipsoid with half axes a_i along e_i farthest against n: x - sum a_i^2 (n.e_i) e_i/l, where
 * l = sqrt(sum a_i^2 (n.e_i)^2) is its support function (DC11) */
static touch ellipsoid_on_face(graph *g, const pose *p, const expr half[3], const pose *face) {
    vec n = face->A.axis[2], down = vec_zero(g);
    expr square = number(g, 0);
    for (int i = 0; i < 3; i++) {
        expr c = vec_dot(g, n, p->A.axis[i]), size = expr_mul(g, half[i], half[i]);
        square = expr_add(g, square, expr_mul(g, size, expr_mul(g, c, c)));
        down = vec_add(g, down, vec_scale(g, expr_mul(g, size, c), p->A.axis[i]));
    }
    expr l = expr_unary(g, OP_SQRT, square), height = vec_dot(g, n, vec_sub(g, p->r, face->r));
    vec point = vec_sub(g, p->r, vec_scale(g, expr_div(g, number(g, 1), l), down));
    return (touch){.gap = expr_sub(g, height, l), .place = {point, n}};
}

static int on_face(graph *g, const pose *p, const form *s, const pose *face, touch *out) {
    vec e = p->A.axis[2], end[2];
    for (int i = 0; i < 2; i++) end[i] = along(g, p->r, expr_scale(g, i - 0.5, s->length), e);
    int count = 0;
    switch (s->kind) {
    case SHAPE_POINT:
    case SHAPE_SPHERE:
        out[0] = ball_on_face(g, p->r, s->radius, face);
        return 1;
    case SHAPE_CAPSULE:
        for (int i = 0; i < 2; i++) out[i] = ball_on_face(g, end[i], s->radius, face);
        return 2;
    case SHAPE_DISK:
        return edge_on_face(g, p->r, p, s, face, out);
    case SHAPE_CYLINDER:
        for (int i = 0; i < 2; i++) count += edge_on_face(g, end[i], p, s, face, out + count);
        return count;
    case SHAPE_BOX:
        return corners_on_face(g, p, s->size, face, out);
    case SHAPE_ELLIPSOID:
        out[0] = ellipsoid_on_face(g, p, s->size, face);
        return 1;
    default:
        return 0;
    }
}

/* ---- round surfaces: everything within a radius of a point or a segment */

typedef struct core {
    vec x, a; /* its middle and its direction */
    expr half, radius;
} core;

static core core_of(graph *g, const pose *p, const form *s) {
    const expr half = s->kind == SHAPE_CAPSULE ? expr_scale(g, 0.5, s->length) : number(g, 0);
    return (core){p->r, p->A.axis[2], half, s->radius};
}

static bool is_point(graph *g, const core *c) {
    return expr_equals(g, c->half, 0);
}

static bool is_round(const form *s) {
    return s->kind == SHAPE_POINT || s->kind == SHAPE_SPHERE || s->kind == SHAPE_CAPSULE;
}

/* s held in [-half, half]; the gap and its direction stay smooth there, so that it is no switch */
static expr held(graph *g, expr s, expr half) {
    expr low = expr_neg(g, half), lower = graph_exempt(g, expr_binary(g, OP_MIN, half, s));
    return graph_exempt(g, expr_binary(g, OP_MAX, low, lower));
}

/* The point of the core at s, |s| <= half */
static vec clamped(graph *g, const core *c, expr s) {
    if (is_point(g, c)) return c->x;
    return vec_add(g, c->x, vec_scale(g, held(g, s, c->half), c->a));
}

/* The point of the core that is nearest to x: s = a.(x - x_c) (DC5) */
static vec nearest(graph *g, const core *c, vec x) {
    return clamped(g, c, vec_dot(g, c->a, vec_sub(g, x, c->x)));
}

/* Points x, y of two cores: g = |x - y| - r_a - r_b; the point divides x y in the ratio of the radii (DC4). */
static touch between(graph *g, const core *a, vec x, const core *b, vec y) {
    vec apart = vec_sub(g, x, y);
    expr distance = vec_norm(g, apart);
    expr both = expr_add(g, a->radius, b->radius), back = expr_neg(g, a->radius), share = expr_div(g, back, both);
    vec normal;
    for (int i = 0; i < 3; i++) normal.at[i] = expr_div(g, apart.at[i], distance);
    expr gap = expr_sub(g, distance, both);
    return (touch){.gap = gap, .place = {along(g, x, share, apart), normal}};
}

/* Nearest points of the two lines, each held on its segment: with w = x_a - x_b, c = a.b, D = 1 - c^2
 *     s = (c b.w - a.w)/D,    t = (b.w - c a.w)/D    (DC6) */
static touch crossing(graph *g, const core *a, const core *b) {
    vec w = vec_sub(g, a->x, b->x);
    expr c = vec_dot(g, a->a, b->a), aw = vec_dot(g, a->a, w), bw = vec_dot(g, b->a, w);
    vec across = vec_cross(g, a->a, b->a);
    expr least = number(g, PARALLEL), D = graph_exempt(g, expr_binary(g, OP_MAX, vec_dot(g, across, across), least));
    expr s = expr_div(g, expr_sub(g, expr_mul(g, c, bw), aw), D),
         t = expr_div(g, expr_sub(g, bw, expr_mul(g, c, aw)), D);
    vec x = clamped(g, a, s), y = clamped(g, b, t);
    return between(g, a, x, b, y);
}

/* The ends of one core (of a point, itself) against another one. */
static int ends_near(graph *g, const core *of, const core *other, bool first, touch *out) {
    int count = 0;
    for (int i = is_point(g, of) ? 1 : -1; i <= 1; i += 2) {
        vec end = along(g, of->x, expr_scale(g, i, of->half), of->a), x = nearest(g, other, end);
        out[count++] = first ? between(g, of, end, other, x) : between(g, other, x, of, end);
    }
    return count;
}

static int round_pair(graph *g, const core *a, const core *b, bool planar, touch *out) {
    if (is_point(g, a)) return ends_near(g, a, b, true, out);
    if (is_point(g, b)) return ends_near(g, b, a, false, out);
    int count = ends_near(g, a, b, true, out);
    count += ends_near(g, b, a, false, out + count);
    if (!planar) out[count++] = crossing(g, a, b);
    return count;
}

/* ---- a ball and a box: the distance of its centre from the box has continuous first derivatives outside */

/* The point of the box that is nearest to x: (DC5) along each of its axes */
static vec nearest_in_box(graph *g, const pose *box, const expr size[3], vec x) {
    vec y = box->r, d = vec_sub(g, x, box->r);
    for (int i = 0; i < 3; i++) {
        vec a = box->A.axis[i];
        const expr half = expr_scale(g, 0.5, size[i]);
        if (!expr_equals(g, half, 0)) y = vec_add(g, y, vec_scale(g, held(g, vec_dot(g, a, d), half), a));
    }
    return y;
}

/* (DC4), the box with radius 0 */
static touch ball_and_box(graph *g, const pose *p, expr radius, const pose *box, const expr size[3], bool first) {
    const core ball = {.radius = radius}, none = {.radius = number(g, 0)};
    vec y = nearest_in_box(g, box, size, p->r);
    return first ? between(g, &ball, p->r, &none, y) : between(g, &none, y, &ball, p->r);
}

/* ---- pairs */

int contact_pair(graph *g, const surface *a, const surface *b, bool planar, const double *start,
                 touch out[CONTACTS_MOST]) {
    form s = planar ? form_flattened(g, &a->form) : a->form, t = planar ? form_flattened(g, &b->form) : b->form;
    const bool sharp = expr_equals(g, s.radius, 0) && expr_equals(g, t.radius, 0);
    pose p = place(g, a), q = place(g, b);
    bool face = t.kind == SHAPE_PLANE;
    int count = 0;
    if (face) count = on_face(g, &p, &s, &q, out);
    else if (is_round(&s) && is_round(&t) && !sharp) {
        core of_a = core_of(g, &p, &s), of_b = core_of(g, &q, &t);
        count = round_pair(g, &of_a, &of_b, planar, out);
    } else if (s.kind == SHAPE_SPHERE && t.kind == SHAPE_BOX) {
        out[count++] = ball_and_box(g, &p, s.radius, &q, t.size, true);
    } else if (s.kind == SHAPE_BOX && t.kind == SHAPE_SPHERE) {
        out[count++] = ball_and_box(g, &q, t.radius, &p, s.size, false);
    }
    for (int i = 0; i < count; i++)
        if (planar) out[i].tangent[0] = out[i].tangent[1] = planar_tangent(g, out[i].place.normal);
        else if (face) out[i].tangent[0] = q.A.axis[0], out[i].tangent[1] = q.A.axis[1];
        else carry_tangents(g, start, &out[i]);
    return count;
}

bool contact_is_round(graph *g, const surface *post, bool planar) {
    const form s = planar ? form_flattened(g, &post->form) : post->form;
    return is_round(&s);
}

expr contact_apart(graph *g, vec x, const surface *post, bool planar) {
    const form s = planar ? form_flattened(g, &post->form) : post->form;
    const pose p = place(g, post);
    const core c = core_of(g, &p, &s);
    const vec d = vec_sub(g, x, nearest(g, &c, x));
    return expr_scale(g, 0.5, vec_dot(g, d, d));
}

int contact_slips(graph *g, const surface *a, const surface *b, const touch *c, bool planar, expr radius,
                  expr slip[3]) {
    vec x = c->place.point, va = pose_velocity(g, &a->body, x), vb = pose_velocity(g, &b->body, x);
    vec v = vec_sub(g, va, vb);
    int count = 0;
    for (int i = 0; i < (planar ? 1 : 2); i++) slip[count++] = vec_dot(g, c->tangent[i], v);
    expr turn = vec_dot(g, c->place.normal, vec_sub(g, a->body.w, b->body.w));
    if (!expr_equals(g, radius, 0)) slip[count++] = expr_mul(g, expr_scale(g, 3 * acos(-1) / 16, radius), turn);
    return count;
}

int contact_displacements(graph *g, const surface *a, const surface *b, const touch *c, bool planar,
                          expr displacement[2]) {
    if (a->form.kind != SHAPE_POINT || b->form.kind != SHAPE_PLANE) return 0;
    const vec from_face = vec_sub(g, c->place.point, b->body.r);
    const int count = planar ? 1 : 2;
    for (int i = 0; i < count; i++) displacement[i] = vec_dot(g, c->tangent[i], from_face);
    return count;
}
