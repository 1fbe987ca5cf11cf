/* Two rigid bodies that may touch, in space or in the plane, whose states are numbers; and geometry by search. */
#ifndef CAROM_TOUCHING_H
#define CAROM_TOUCHING_H

#include "model/element/body.h"
#include "model/element/contact.h"
#include "support/forms.h"
#include "support/trial.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 1 + 2 * (BODY_Q + BODY_U), TRIALS = 100 };

typedef struct partner {
    pose body;
    shape shape;
    surface surface; /* of both */
} partner;

typedef struct scene {
    graph *g;
    body a, b;
    partner sa, sb;
    int nq, nu, count;
    bool planar;
    double state[MOST]; /* t, q, u */
    touch at[CONTACTS_MOST];
} scene;

static unsigned long long seed;

static inline double uniform(double low, double high) {
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return low + (high - low) * (double)(seed >> 11) * 0x1p-53;
}

static inline void give_symbols(graph *g, body *b, body_kind kind, int q, int u) {
    body_shape(b, kind, 3);
    for (int i = 0; i < b->nq; i++) b->q[i] = expr_symbol(g, q + i);
    for (int i = 0; i < b->nu; i++) b->u[i] = expr_symbol(g, u + i);
    body_place(g, b);
}

static inline void randomise(scene *s, double spread) {
    for (int i = 0; i < 1 + s->nq + s->nu; i++) s->state[i] = uniform(-1, 1);
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < (s->planar ? 2 : 3); i++) s->state[1 + k * s->a.nq + i] *= spread;
}

static inline shape shape_of(shape_kind kind) {
    shape s = {.kind = kind, .radius = 0.3, .length = 1.2, .size = {0.5, 0.8, 1.1}, .r = {0.1, -0.2, 0.3}};
    if (kind == SHAPE_POINT || kind == SHAPE_BOX) s.radius = 0;
    shape_axes((double[3]){2. / 7, -3. / 7, 6. / 7}, s.A);
    return s;
}

static inline partner partner_of(graph *g, const pose *on, const shape *s) {
    return (partner){*on, *s, {*on, form_of_shape(g, s)}};
}

static inline scene open_scene(bool planar, shape a, shape b) {
    scene s = {.g = graph_create(), .planar = planar};
    body_kind kind = planar ? BODY_PLANAR : BODY_SPATIAL;
    s.nq = planar ? 6 : 14, s.nu = planar ? 6 : 12;
    give_symbols(s.g, &s.a, kind, 1, 1 + s.nq);
    give_symbols(s.g, &s.b, kind, 1 + s.nq / 2, 1 + s.nq + s.nu / 2);
    s.sa = partner_of(s.g, &s.a.pose, &a), s.sb = partner_of(s.g, &s.b.pose, &b);
    randomise(&s, 1);
    s.count = contact_pair(s.g, &s.sa.surface, &s.sb.surface, planar, s.state, s.at);
    return s;
}

static inline double value(scene *s, expr e) {
    return expr_value(s->g, e, s->state);
}

static inline void values(scene *s, vec x, double out[3]) {
    for (int i = 0; i < 3; i++) out[i] = value(s, x.at[i]);
}

static inline double dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* d(gap)/dt by the chain rule: gradient times q_dot */
static inline double gap_rate(scene *s, expr gap) {
    double rate = 0;
    expr gradient[2 * BODY_Q];
    assert_true(expr_gradient(s->g, gap, 1, s->nq, gradient));
    for (int i = 0; i < s->nq; i++) {
        const body *of = i < s->nq / 2 ? &s->a : &s->b;
        rate += value(s, gradient[i]) * value(s, body_rate(s->g, of, i % (s->nq / 2)));
    }
    return rate;
}

/* ---- geometry by search */

typedef struct placed {
    double x[3], e[3], axes[3][3]; /* axes[i]: the i-th axis */
} placed;

static inline placed where(scene *s, const partner *of) {
    placed p;
    mat A = mat_number(s->g, of->shape.A);
    pose at = pose_fixed(s->g, &of->body, vec_number(s->g, of->shape.r), &A);
    values(s, at.r, p.x);
    for (int i = 0; i < 3; i++) values(s, at.A.axis[i], p.axes[i]);
    memcpy(p.e, p.axes[2], sizeof p.e);
    return p;
}

static inline double above(const placed *plane, const double x[3]) {
    double d[3] = {x[0] - plane->x[0], x[1] - plane->x[1], x[2] - plane->x[2]};
    return dot(plane->e, d);
}

/* The least of f on [low, high], f with one minimum, and where it is */
static inline double least_in(double (*f)(double, const void *), const void *context, double *low, double *high) {
    for (int i = 0; i < 120; i++) {
        double third = (*high - *low) / 3;
        if (f(*low + third, context) < f(*high - third, context)) *high -= third;
        else *low += third;
    }
    return f((*low + *high) / 2, context);
}

static inline double least(double (*f)(double, const void *), const void *context, double low, double high) {
    return least_in(f, context, &low, &high);
}

typedef struct rim {
    placed disk, plane;
    double radius, shift; /* shift: of its centre along the axis */
} rim;

static inline double on_rim(double angle, const void *context) {
    const rim *r = context;
    double x[3];
    for (int i = 0; i < 3; i++)
        x[i] = r->disk.x[i] + r->shift * r->disk.e[i] +
               r->radius * (cos(angle) * r->disk.axes[0][i] + sin(angle) * r->disk.axes[1][i]);
    return above(&r->plane, x);
}

static inline double rim_gap(const rim *r) {
    int best = 0;
    for (int i = 1; i < 64; i++)
        if (on_rim(i * acos(-1) / 32, r) < on_rim(best * acos(-1) / 32, r)) best = i;
    return least(on_rim, r, (best - 1) * acos(-1) / 32, (best + 1) * acos(-1) / 32);
}

typedef struct segments {
    placed a, b;
    double half_a, half_b, s;
} segments;

static inline double apart(double t, const void *context) {
    const segments *c = context;
    double square = 0;
    for (int i = 0; i < 3; i++) {
        double d = c->a.x[i] + c->s * c->a.e[i] - c->b.x[i] - t * c->b.e[i];
        square += d * d;
    }
    return sqrt(square);
}

static inline double apart_at(double along, const void *context) {
    segments c = *(const segments *)context;
    c.s = along;
    return least(apart, &c, -c.half_b, c.half_b);
}

typedef struct inside {
    const double *x, *axis;
    double y[3];
} inside;

static inline double from_inside(double along, const void *context) {
    const inside *c = context;
    double d[3];
    for (int i = 0; i < 3; i++) d[i] = c->x[i] - c->y[i] - along * c->axis[i];
    return sqrt(dot(d, d));
}

/* The distance of x from a box: its axes are perpendicular, so that one search along each after the other finds it */
static inline double from_box(const placed *box, const double size[3], const double x[3]) {
    inside c = {.x = x};
    double distance = 0;
    memcpy(c.y, box->x, sizeof c.y);
    for (int i = 0; i < 3; i++) {
        double low = -size[i] / 2, high = size[i] / 2;
        c.axis = box->axes[i];
        distance = least_in(from_inside, &c, &low, &high);
        for (int k = 0; k < 3; k++) c.y[k] += (low + high) / 2 * c.axis[k];
    }
    return distance;
}

/* The distance of surfaces a and b */
static inline double searched(scene *s) {
    placed a = where(s, &s->sa), b = where(s, &s->sb);
    const shape *of = &s->sa.shape, *on = &s->sb.shape;
    if (on->kind == SHAPE_BOX) return from_box(&b, on->size, a.x) - of->radius;
    if (of->kind == SHAPE_BOX && on->kind == SHAPE_SPHERE) return from_box(&a, of->size, b.x) - on->radius;
    double half = of->kind == SHAPE_CAPSULE || of->kind == SHAPE_CYLINDER ? of->length / 2 : 0;
    if (on->kind != SHAPE_PLANE) {
        segments c = {a, b, half, on->kind == SHAPE_CAPSULE ? on->length / 2 : 0, 0};
        return least(apart_at, &c, -c.half_a, c.half_a) - of->radius - on->radius;
    }
    double gap = HUGE_VAL;
    if (of->kind == SHAPE_DISK || of->kind == SHAPE_CYLINDER)
        for (int end = -1; end <= 1; end += 2) gap = fmin(gap, rim_gap(&(rim){a, b, of->radius, end * half}));
    else
        for (int k = 0; k < 8; k++) {
            double x[3];
            for (int i = 0; i < 3; i++) {
                x[i] = a.x[i] + (k & 1 ? 1 : -1) * half * a.e[i];
                for (int j = 0; j < 3 && of->kind == SHAPE_BOX; j++)
                    x[i] += (k >> j & 1 ? 0.5 : -0.5) * of->size[j] * a.axes[j][i];
            }
            gap = fmin(gap, above(&b, x) - of->radius);
        }
    return gap;
}

static inline int closest(scene *s) {
    int best = 0;
    for (int i = 1; i < s->count; i++)
        if (value(s, s->at[i].gap) < value(s, s->at[best].gap)) best = i;
    return best;
}

static inline bool is_round(shape_kind kind) {
    return kind == SHAPE_POINT || kind == SHAPE_SPHERE || kind == SHAPE_CAPSULE;
}

/* The velocity of the material point of a body that is at x, by numbers alone */
static inline void material_velocity(scene *s, const body *b, const double x[3], double v[3]) {
    double r[3], w[3];
    values(s, b->pose.r, r), values(s, b->pose.w, w), values(s, b->pose.v, v);
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        v[i] += w[j] * (x[k] - r[k]) - w[k] * (x[j] - r[j]);
    }
}

static inline void check_power(scene *s, const touch *c) {
    double x[3], n[3], va[3], vb[3], v[3], T[2][3];
    expr slip[3];
    values(s, c->place.point, x), values(s, c->place.normal, n);
    material_velocity(s, &s->a, x, va), material_velocity(s, &s->b, x, vb);
    for (int i = 0; i < 3; i++) v[i] = va[i] - vb[i];
    assert_near(dot(n, n), 1, 1e-13);
    /* rounding of velocities up to 10, and of rotations divided by |p|^2, which is seldom below 0.1 */
    assert_near(gap_rate(s, c->gap), dot(n, v), 1e-11);
    int slips = contact_slips(s->g, &s->sa.surface, &s->sb.surface, c, s->planar, expr_number(s->g, 0), slip);
    assert_int_equal(slips, s->planar ? 1 : 2);
    for (int i = 0; i < slips; i++) {
        values(s, c->tangent[i], T[i]);
        assert_near(dot(T[i], T[i]), 1, 1e-12);
        assert_near(dot(T[i], n), 0, 1e-12);
        assert_near(value(s, slip[i]), dot(T[i], v), 1e-11);
    }
    if (slips == 2) assert_near(dot(T[0], T[1]), 0, 1e-12);
}

#endif
