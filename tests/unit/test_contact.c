/* Contacts of shapes against geometry by search, and their derivatives against mechanics: the rate of a gap is the
 * normal velocity of the material points that meet, so its gradient is the power of a normal force on both bodies. */
#include "model/element/body.h"
#include "model/element/contact.h"
#include "support/forms.h"
#include "support/trial.h"

#include <math.h>
#include <string.h>

/* ---- two rigid bodies in space (or in the plane) whose states are numbers */

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

static double uniform(double low, double high) {
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return low + (high - low) * (double)(seed >> 11) * 0x1p-53;
}

static void give_symbols(graph *g, body *b, body_kind kind, int q, int u) {
    body_shape(b, kind, 3);
    for (int i = 0; i < b->nq; i++) b->q[i] = expr_symbol(g, q + i);
    for (int i = 0; i < b->nu; i++) b->u[i] = expr_symbol(g, u + i);
    body_place(g, b);
}

static void randomise(scene *s, double spread) {
    for (int i = 0; i < 1 + s->nq + s->nu; i++) s->state[i] = uniform(-1, 1);
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < (s->planar ? 2 : 3); i++) s->state[1 + k * s->a.nq + i] *= spread;
}

static shape shape_of(shape_kind kind) {
    shape s = {.kind = kind, .radius = 0.3, .length = 1.2, .size = {0.5, 0.8, 1.1}, .r = {0.1, -0.2, 0.3}};
    if (kind == SHAPE_POINT || kind == SHAPE_BOX) s.radius = 0;
    shape_axes((double[3]){2. / 7, -3. / 7, 6. / 7}, s.A);
    return s;
}

static partner partner_of(graph *g, const pose *on, const shape *s) {
    return (partner){*on, *s, {*on, form_of_shape(g, s)}};
}

static scene open_scene(bool planar, shape a, shape b) {
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

static double value(scene *s, expr e) {
    return expr_value(s->g, e, s->state);
}

static void values(scene *s, vec x, double out[3]) {
    for (int i = 0; i < 3; i++) out[i] = value(s, x.at[i]);
}

static double dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* d(gap)/dt by the chain rule: gradient times q_dot */
static double gap_rate(scene *s, expr gap) {
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

static placed where(scene *s, const partner *of) {
    placed p;
    mat A = mat_number(s->g, of->shape.A);
    pose at = pose_fixed(s->g, &of->body, vec_number(s->g, of->shape.r), &A);
    values(s, at.r, p.x);
    for (int i = 0; i < 3; i++) values(s, at.A.axis[i], p.axes[i]);
    memcpy(p.e, p.axes[2], sizeof p.e);
    return p;
}

static double above(const placed *plane, const double x[3]) {
    double d[3] = {x[0] - plane->x[0], x[1] - plane->x[1], x[2] - plane->x[2]};
    return dot(plane->e, d);
}

/* The least of f on [low, high], f with one minimum, and where it is */
static double least_in(double (*f)(double, const void *), const void *context, double *low, double *high) {
    for (int i = 0; i < 120; i++) {
        double third = (*high - *low) / 3;
        if (f(*low + third, context) < f(*high - third, context)) *high -= third;
        else *low += third;
    }
    return f((*low + *high) / 2, context);
}

static double least(double (*f)(double, const void *), const void *context, double low, double high) {
    return least_in(f, context, &low, &high);
}

typedef struct rim {
    placed disk, plane;
    double radius, shift; /* shift: of its centre along the axis */
} rim;

static double on_rim(double angle, const void *context) {
    const rim *r = context;
    double x[3];
    for (int i = 0; i < 3; i++)
        x[i] = r->disk.x[i] + r->shift * r->disk.e[i] +
               r->radius * (cos(angle) * r->disk.axes[0][i] + sin(angle) * r->disk.axes[1][i]);
    return above(&r->plane, x);
}

static double rim_gap(const rim *r) {
    int best = 0;
    for (int i = 1; i < 64; i++)
        if (on_rim(i * acos(-1) / 32, r) < on_rim(best * acos(-1) / 32, r)) best = i;
    return least(on_rim, r, (best - 1) * acos(-1) / 32, (best + 1) * acos(-1) / 32);
}

typedef struct segments {
    placed a, b;
    double half_a, half_b, s;
} segments;

static double apart(double t, const void *context) {
    const segments *c = context;
    double square = 0;
    for (int i = 0; i < 3; i++) {
        double d = c->a.x[i] + c->s * c->a.e[i] - c->b.x[i] - t * c->b.e[i];
        square += d * d;
    }
    return sqrt(square);
}

static double apart_at(double along, const void *context) {
    segments c = *(const segments *)context;
    c.s = along;
    return least(apart, &c, -c.half_b, c.half_b);
}

typedef struct inside {
    const double *x, *axis;
    double y[3];
} inside;

static double from_inside(double along, const void *context) {
    const inside *c = context;
    double d[3];
    for (int i = 0; i < 3; i++) d[i] = c->x[i] - c->y[i] - along * c->axis[i];
    return sqrt(dot(d, d));
}

/* The distance of x from a box: its axes are perpendicular, so that one search along each after the other finds it */
static double from_box(const placed *box, const double size[3], const double x[3]) {
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
static double searched(scene *s) {
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

static int closest(scene *s) {
    int best = 0;
    for (int i = 1; i < s->count; i++)
        if (value(s, s->at[i].gap) < value(s, s->at[best].gap)) best = i;
    return best;
}

static bool is_round(shape_kind kind) {
    return kind == SHAPE_POINT || kind == SHAPE_SPHERE || kind == SHAPE_CAPSULE;
}

static const struct known_pair {
    shape_kind a, b;
    int count;
} pairs[] = {{SHAPE_POINT, SHAPE_PLANE, 1},    {SHAPE_SPHERE, SHAPE_PLANE, 1},    {SHAPE_CAPSULE, SHAPE_PLANE, 2},
             {SHAPE_CYLINDER, SHAPE_PLANE, 2}, {SHAPE_DISK, SHAPE_PLANE, 1},      {SHAPE_BOX, SHAPE_PLANE, 8},
             {SHAPE_POINT, SHAPE_SPHERE, 1},   {SHAPE_SPHERE, SHAPE_POINT, 1},    {SHAPE_POINT, SHAPE_CAPSULE, 1},
             {SHAPE_CAPSULE, SHAPE_POINT, 1},  {SHAPE_SPHERE, SHAPE_SPHERE, 1},   {SHAPE_SPHERE, SHAPE_CAPSULE, 1},
             {SHAPE_CAPSULE, SHAPE_SPHERE, 1}, {SHAPE_CAPSULE, SHAPE_CAPSULE, 5}, {SHAPE_SPHERE, SHAPE_BOX, 1},
             {SHAPE_BOX, SHAPE_SPHERE, 1}};
enum { PAIRS = sizeof pairs / sizeof *pairs };

static scene open_pair(int k) {
    shape other = shape_of(pairs[k].b);
    seed = (unsigned long long)k + 1;
    other.radius *= 0.7;
    scene s = open_scene(false, shape_of(pairs[k].a), other);
    assert_int_equal(s.count, pairs[k].count);
    return s;
}

/* Is the centre of a ball all but inside a box? There is no normal then. */
static bool sunk(scene *s) {
    bool box = s->sb.shape.kind == SHAPE_BOX || (s->sa.shape.kind == SHAPE_BOX && s->sb.shape.kind == SHAPE_SPHERE);
    return box && value(s, s->at[0].gap) < 0.1 - s->sa.shape.radius - s->sb.shape.radius;
}

static void gaps_are_distances(void **state) {
    (void)state;
    for (int k = 0; k < PAIRS; k++) {
        scene s = open_pair(k);
        for (int i = 0; i < TRIALS; i++) {
            randomise(&s, i % 2 ? 1 : 3);
            double gap = value(&s, s.at[closest(&s)].gap), expected = searched(&s);
            /* A search by comparison finds the place to 1e-8, and so the value to rounding; but to 1e-8 only where
             * cores all but meet, since the distance has a tip there. */
            assert_near(gap, expected, 1e-7);
            if (gap > -0.4 && !sunk(&s)) assert_near(gap, expected, 1e-12);
        }
        graph_destroy(s.g);
    }
}

/* An ellipsoid touches where its outer normal is that of the plane turned round: the point is on the surface, its
 * gradient there is along -n, and no other point is lower. 1e-12: some roundings of numbers of order one. */
static void ellipsoids_touch_planes(void **state) {
    (void)state;
    shape egg = shape_of(SHAPE_SPHERE);
    egg.kind = SHAPE_ELLIPSOID;
    egg.size[0] = 0.3, egg.size[1] = 0.5, egg.size[2] = 0.9;
    scene s = open_scene(false, egg, shape_of(SHAPE_PLANE));
    assert_int_equal(s.count, 1);
    for (int i = 0; i < TRIALS; i++) {
        randomise(&s, 3);
        placed a = where(&s, &s.sa), b = where(&s, &s.sb);
        double x[3], y[3], square = 0, along = 0, length = 0;
        values(&s, s.at[0].place.point, x);
        for (int k = 0; k < 3; k++) y[k] = x[k] - a.x[k];
        for (int k = 0; k < 3; k++) {
            double at = dot(y, a.axes[k]) / egg.size[k], slope = at / egg.size[k];
            square += at * at, length += slope * slope, along += slope * dot(a.axes[k], b.e);
        }
        assert_near(square, 1, 1e-12);
        assert_near(along, -sqrt(length), 1e-12 * sqrt(length));
        assert_near(value(&s, s.at[0].gap), above(&b, x), 1e-12);
        for (int k = 0; k < 200; k++) {
            double polar = acos(1 - 2 * (k + 0.5) / 200), around = 2.399963 * k, other[3];
            const double unit[3] = {sin(polar) * cos(around), sin(polar) * sin(around), cos(polar)};
            memcpy(other, a.x, sizeof other);
            for (int j = 0; j < 3; j++)
                for (int m = 0; m < 3; m++) other[m] += egg.size[j] * unit[j] * a.axes[j][m];
            assert_true(above(&b, other) >= value(&s, s.at[0].gap) - 1e-12);
        }
    }
    graph_destroy(s.g);
}

/* How far x is beyond the face of a box that it is farthest out of: 0 on the surface */
static double beyond(const placed *box, const double size[3], const double x[3]) {
    double most = -HUGE_VAL, d[3] = {x[0] - box->x[0], x[1] - box->x[1], x[2] - box->x[2]};
    for (int i = 0; i < 3; i++) most = fmax(most, fabs(dot(box->axes[i], d)) - size[i] / 2);
    return most;
}

/* How far x is from the core of a round surface, how high it is above a plane or a box */
static double away(scene *s, const partner *from, const double x[3]) {
    placed p = where(s, from);
    if (from->shape.kind == SHAPE_PLANE) return above(&p, x);
    if (from->shape.kind == SHAPE_BOX) return beyond(&p, from->shape.size, x);
    segments c = {.a = p, .b = p, .half_b = from->shape.kind == SHAPE_CAPSULE ? from->shape.length / 2 : 0};
    memcpy(c.a.x, x, sizeof c.a.x);
    return least(apart, &c, -c.half_b, c.half_b) - from->shape.radius;
}

/* Where the gap is closed, the point of contact is on both surfaces. */
static void points_are_where_surfaces_touch(void **state) {
    (void)state;
    for (int k = 0; k < PAIRS; k++) {
        scene s = open_pair(k);
        for (int i = 0; i < 20; i++) {
            double n[3], x[3];
            randomise(&s, 3);
            int best = closest(&s);
            double gap = value(&s, s.at[best].gap);
            if (gap < 0) continue;
            values(&s, s.at[best].place.normal, n);
            for (int j = 0; j < 3; j++) s.state[1 + j] -= gap * n[j];
            values(&s, s.at[best].place.point, x);
            /* rounding, and for capsules that of the search */
            assert_near(value(&s, s.at[best].gap), 0, 1e-13);
            assert_near(away(&s, &s.sb, x), 0, 1e-12);
            if (is_round(pairs[k].a)) assert_near(away(&s, &s.sa, x), 0, 1e-12);
        }
        graph_destroy(s.g);
    }
}

/* The gradient of the least gap, by differences of the searched distance along random directions. */
static void gradients_are_those_of_the_distance(void **state) {
    (void)state;
    const double h = 1e-5;
    for (int k = 0; k < PAIRS; k++) {
        scene s = open_pair(k);
        for (int i = 0; i < 20; i++) {
            double middle[MOST], turn[2 * BODY_Q], rate = 0, gap[2];
            expr gradient[2 * BODY_Q];
            randomise(&s, 3);
            int best = closest(&s);
            if (value(&s, s.at[best].gap) < 0.1) continue;
            assert_true(expr_gradient(s.g, s.at[best].gap, 1, s.nq, gradient));
            for (int j = 0; j < s.nq; j++) turn[j] = uniform(-1, 1), rate += turn[j] * value(&s, gradient[j]);
            memcpy(middle, s.state, sizeof middle);
            for (int side = 0; side < 2; side++) {
                for (int j = 0; j < s.nq; j++) s.state[1 + j] = middle[1 + j] + (side ? h : -h) * turn[j];
                gap[side] = searched(&s);
            }
            /* rounding of the search over h and second derivatives of some 100: 1e-14/h + 100 h^2 */
            assert_near((gap[1] - gap[0]) / (2 * h), rate, 2e-8);
        }
        graph_destroy(s.g);
    }
}

/* The velocity of the material point of a body that is at x, by numbers alone */
static void material_velocity(scene *s, const body *b, const double x[3], double v[3]) {
    double r[3], w[3];
    values(s, b->pose.r, r), values(s, b->pose.w, w), values(s, b->pose.v, v);
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        v[i] += w[j] * (x[k] - r[k]) - w[k] * (x[j] - r[j]);
    }
}

static void check_power(scene *s, const touch *c) {
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

static void forces_do_the_work_of_their_contact(void **state) {
    (void)state;
    for (int k = 0; k < PAIRS; k++) {
        scene s = open_pair(k);
        for (int i = 0; i < 20; i++) {
            randomise(&s, 3);
            if (sunk(&s)) continue;
            /* the crossing of capsules: where both points are inside or, as ends, nearest (DC6) */
            for (int j = 0; j < s.count; j++)
                if (s.count < 5 || j < 4 || closest(&s) == 4) check_power(&s, &s.at[j]);
        }
        graph_destroy(s.g);
    }
}

/* A motion of everything changes no gap: what the gaps exert has no resultant and no moment. */
static void gaps_are_objective(void **state) {
    (void)state;
    for (int k = 0; k < PAIRS; k++) {
        scene s = open_pair(k);
        for (int i = 0; i < 20; i++) {
            randomise(&s, 3);
            if (sunk(&s)) continue;
            double w[3] = {uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)}, v[3] = {1, 2, 3};
            for (int b = 0; b < 2; b++) {
                const body *of = b ? &s.b : &s.a;
                double *u = s.state + 1 + s.nq + b * s.nu / 2, r[3], axis[3];
                values(&s, of->pose.r, r);
                for (int j = 0; j < 3; j++) {
                    int m = (j + 1) % 3, n = (j + 2) % 3;
                    u[j] = v[j] + w[m] * r[n] - w[n] * r[m];
                    values(&s, of->pose.A.axis[j], axis);
                    u[3 + j] = dot(axis, w);
                }
            }
            for (int j = 0; j < s.count; j++) {
                expr slip[3];
                const expr area = expr_number(s.g, 0.1);
                int slips = contact_slips(s.g, &s.sa.surface, &s.sb.surface, &s.at[j], false, area, slip);
                assert_int_equal(slips, 3);
                /* rounding of velocities up to 20 */
                assert_near(gap_rate(&s, s.at[j].gap), 0, 1e-11);
                for (int m = 0; m < slips; m++) assert_near(value(&s, slip[m]), 0, 1e-11);
            }
        }
        graph_destroy(s.g);
    }
}

/* ---- special places */

static void set_pose(scene *s, int b, double x, double y, double z, const double p[4]) {
    double *q = s->state + 1 + b * s->nq / 2;
    q[0] = x, q[1] = y, q[2] = z;
    memcpy(q + 3, p, 4 * sizeof *p);
}

static void gradient_of(scene *s, expr gap, double *out) {
    expr gradient[2 * BODY_Q];
    assert_true(expr_gradient(s->g, gap, 1, s->nq, gradient));
    for (int i = 0; i < s->nq; i++) {
        out[i] = value(s, gradient[i]);
        assert_true(isfinite(out[i]));
    }
}

static shape along_x(shape_kind kind, double radius, double length) {
    shape s = {.kind = kind, .radius = radius, .length = length};
    shape_axes((double[3]){1, 0, 0}, s.A);
    return s;
}

/* A capsule above another one, turned by the given angles about z (they cross) and y (one end is lower). */
static void stack(scene *s, double x, double height, double crossed, double tilted) {
    const double still[4] = {1, 0, 0, 0};
    double c = cos(crossed / 2), d = sin(crossed / 2), e = cos(tilted / 2), f = sin(tilted / 2);
    set_pose(s, 0, x, 0, height, (double[4]){c * e, -d * f, c * f, d * e});
    set_pose(s, 1, 0, 0, 0, still);
}

static void capsules(void **state) {
    (void)state;
    const double r = 0.1, h = 0.5;
    scene s = open_scene(false, along_x(SHAPE_CAPSULE, r, 2 * h), along_x(SHAPE_CAPSULE, r, 2 * h));
    assert_int_equal(s.count, 5);
    /* crossed at right angles, 0.3 apart */
    stack(&s, 0.2, 0.3, acos(-1) / 2, 0);
    assert_int_equal(closest(&s), 4);
    assert_near(value(&s, s.at[4].gap), 0.3 - 2 * r, 1e-15);
    /* parallel, shifted along: every end that lies beside the other capsule is 0.3 away, and nothing is nearer */
    stack(&s, 0.4, 0.3, 0, 0);
    double gap[5], at[2 * BODY_Q], other[2 * BODY_Q];
    for (int i = 0; i < 5; i++) gap[i] = value(&s, s.at[i].gap) + 2 * r, gradient_of(&s, s.at[i].gap, at);
    assert_near(gap[0], 0.3, 1e-15);                         /* left end of the upper one */
    assert_near(gap[1], sqrt(0.3 * 0.3 + 0.4 * 0.4), 1e-15); /* its right end, beyond */
    assert_near(gap[2], sqrt(0.3 * 0.3 + 0.4 * 0.4), 1e-15); /* left end of the lower one */
    assert_near(gap[3], 0.3, 1e-15);                         /* its right end */
    assert_near(gap[4], sqrt(0.3 * 0.3 + 0.4 * 0.4), 1e-15); /* the middles */
    /* collinear: the ends meet */
    stack(&s, 2 * h + 0.25, 0, 0, 0);
    assert_near(value(&s, s.at[closest(&s)].gap), 0.25 - 2 * r, 1e-15);
    for (int i = 0; i < 5; i++) gradient_of(&s, s.at[i].gap, at);
    /* Tilting through the parallel position moves no gradient by more than its second derivatives allow: 1/0.3 for an
     * end, 0.3/1e-6 for the place of the crossing (DC6). */
    for (int i = 0; i < 5; i++) {
        double most = i < 4 ? 1e-9 : 1e-3;
        stack(&s, 0.1, 0.3, 0, 1e-10);
        gradient_of(&s, s.at[i].gap, at);
        stack(&s, 0.1, 0.3, 0, -1e-10);
        gradient_of(&s, s.at[i].gap, other);
        for (int j = 0; j < s.nq; j++) assert_near(at[j], other[j], most);
    }
    graph_destroy(s.g);
}

/* A disk that lies flat (DC3): defined, resting on its centre; at the threshold value and gradient join. */
static void a_flat_disk_is_well_defined(void **state) {
    (void)state;
    const double r = 0.5, identity[4] = {1, 0, 0, 0};
    shape disk = {.kind = SHAPE_DISK, .radius = r}, plane = {.kind = SHAPE_PLANE};
    shape_axes((double[3]){0, 0, 1}, disk.A), shape_axes((double[3]){0, 0, 1}, plane.A);
    scene s = open_scene(false, disk, plane);
    double x[3], below[2 * BODY_Q], beyond[2 * BODY_Q];
    set_pose(&s, 1, 0, 0, 0, identity);
    set_pose(&s, 0, 0.3, 0.4, 0.2, identity);
    assert_near(value(&s, s.at[0].gap), 0.2 - r * 1e-8 / 2, 1e-15);
    gradient_of(&s, s.at[0].gap, below);
    values(&s, s.at[0].place.point, x);
    assert_near(x[0], 0.3, 1e-15);
    assert_near(x[1], 0.4, 1e-15);
    double gap[2];
    for (int side = 0; side < 2; side++) {
        double lean = 1e-8 * (side ? 1 + 1e-6 : 1 - 1e-6);
        set_pose(&s, 0, 0.3, 0.4, 0.2, (double[4]){cos(lean / 2), sin(lean / 2), 0, 0});
        gradient_of(&s, s.at[0].gap, side ? beyond : below);
        gap[side] = value(&s, s.at[0].gap);
    }
    assert_near(gap[0], gap[1], 1e-13); /* a step of 2e-14 */
    /* second derivative r/1e-8 times the step of 2e-14, doubled for derivatives by half angles, squared roundings */
    for (int j = 0; j < s.nq; j++) assert_near(below[j], beyond[j], 1e-5);
    graph_destroy(s.g);
}

/* What tells where on the rim the point is (DC3a): a unit vector from the centre to it, none where a third of the rim
 * has sunk in: where the centre is lower than half of r l. By the chain rule, with the plane at rest, its rate is that
 * of the axis over l, and the vector turns about the axis no faster. */
static void check_turning(scene *s, const placed *disk, const double v[3], double l) {
    mat A = mat_number(s->g, s->sa.shape.A);
    pose at = pose_fixed(s->g, &s->sa.body, vec_number(s->g, s->sa.shape.r), &A);
    double e_dot[3], about = 0, turning = value(s, s->at[0].turning);
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        e_dot[k] = gap_rate(s, at.A.axis[2].at[k]);
        about += gap_rate(s, s->at[0].support.at[k]) * (disk->e[i] * v[j] - disk->e[j] * v[i]);
    }
    assert_near(turning * l, sqrt(dot(e_dot, e_dot)), 1e-12);
    assert_at_most(fabs(about), turning + 1e-12);
}

static void supports_of_a_rim(void **state) {
    (void)state;
    scene s = open_scene(false, shape_of(SHAPE_DISK), shape_of(SHAPE_PLANE));
    const double r = s.sa.shape.radius;
    int sunk = 0;
    assert_true(s.at[0].on_rim);
    for (int i = 0; i < TRIALS; i++) {
        double to[3], x[3];
        randomise(&s, 1);
        for (int k = 0; k < s.nu / 2; k++) s.state[1 + s.nq + s.nu / 2 + k] = 0;
        placed disk = where(&s, &s.sa), plane = where(&s, &s.sb);
        values(&s, s.at[0].support, to), values(&s, s.at[0].place.point, x);
        double height = above(&plane, disk.x), below = height - value(&s, s.at[0].gap); /* r l */
        bool lost = height < below / 2;
        sunk += lost;
        for (int k = 0; k < 3; k++) assert_near(to[k], lost ? 0 : (x[k] - disk.x[k]) / r, 1e-14);
        if (lost) continue;
        assert_near(dot(to, to), 1, 1e-14);
        check_turning(&s, &disk, to, below / r);
    }
    assert_in_range(sunk, 10, TRIALS - 10); /* both cases were met */
    graph_destroy(s.g);
}

/* Points on a rim (DC3c): each is on the circle, they divide it evenly, and none is below its lowest point. The nearest
 * one is at most half of the angle between two away from that, so at most r l (1 - cos(pi/N)) higher. */
enum { POINTS = 7 };

static void check_points(scene *s, const touch *at, const double centre[3], double gap) {
    placed on = where(s, &s->sa), face = where(s, &s->sb);
    double x[POINTS][3], lowest = HUGE_VAL, r = s->sa.shape.radius, half = acos(-1) / POINTS;
    for (int k = 0; k < POINTS; k++) {
        values(s, at[k].place.point, x[k]);
        assert_near(value(s, at[k].gap), above(&face, x[k]), 1e-14);
        assert_false(at[k].on_rim);
        lowest = fmin(lowest, value(s, at[k].gap));
    }
    for (int k = 0; k < POINTS; k++) {
        double out[3], side[3];
        for (int j = 0; j < 3; j++) out[j] = x[k][j] - centre[j], side[j] = x[k][j] - x[(k + 1) % POINTS][j];
        assert_near(dot(out, on.e), 0, 1e-14);
        assert_near(dot(out, out), r * r, 1e-14);
        assert_near(sqrt(dot(side, side)), 2 * r * sin(half), 1e-14);
    }
    assert_at_least(lowest, gap - 1e-14);
    assert_at_most(lowest, gap + (above(&face, centre) - gap) * (1 - cos(half)) + 1e-14);
}

static void points_on_a_rim(void **state) {
    (void)state;
    for (int rims = 1; rims <= 2; rims++) {
        shape of = shape_of(rims == 1 ? SHAPE_DISK : SHAPE_CYLINDER), plane = shape_of(SHAPE_PLANE);
        scene whole = open_scene(false, of, plane);
        of.points = POINTS;
        scene s = open_scene(false, of, plane);
        assert_int_equal(s.count, POINTS * rims);
        for (int i = 0; i < TRIALS; i++) {
            randomise(&s, 3);
            memcpy(whole.state, s.state, sizeof s.state);
            placed on = where(&s, &s.sa);
            for (int end = 0; end < rims; end++) {
                double centre[3], shift = rims == 1 ? 0 : (end - 0.5) * of.length;
                for (int k = 0; k < 3; k++) centre[k] = on.x[k] + shift * on.e[k];
                check_points(&s, s.at + end * POINTS, centre, value(&whole, whole.at[end].gap));
                check_power(&s, &s.at[end * POINTS + i % POINTS]);
            }
        }
        graph_destroy(whole.g), graph_destroy(s.g);
    }
}

/* Around a sphere, through the opposite of the normal at the start: tangents stay tangents. */
static void tangents_everywhere(void **state) {
    (void)state;
    scene s = open_scene(false, shape_of(SHAPE_SPHERE), (shape){.kind = SHAPE_SPHERE, .radius = 1});
    double n0[3];
    shape ball = {.kind = SHAPE_SPHERE, .radius = 1};
    for (int i = 0; i < 3; i++) ball.A[i][i] = 1;
    s.sa = partner_of(s.g, &s.a.pose, &ball), s.sb = partner_of(s.g, &s.b.pose, &ball);
    s.count = contact_pair(s.g, &s.sa.surface, &s.sb.surface, false, s.state, s.at);
    values(&s, s.at[0].place.normal, n0);
    for (int i = -20; i < TRIALS; i++) {
        expr slip[3];
        double change[2 * BODY_Q], near_pole = i < -19 ? 0 : pow(10, i / 2.);
        randomise(&s, 3);
        for (int j = 0; j < 3 && i < 0; j++)
            s.state[1 + j] = s.state[1 + s.nq / 2 + j] - 3 * n0[j] + near_pole * uniform(-1, 1);
        check_power(&s, &s.at[0]);
        contact_slips(s.g, &s.sa.surface, &s.sb.surface, &s.at[0], false, expr_number(s.g, 0), slip);
        /* A slip of some 10 turns with the tangent, at rates of 4/3 for centres that are 3 apart (DC7). */
        for (int k = 0; k < 2 && i < 0; k++) {
            gradient_of(&s, slip[k], change);
            for (int j = 0; j < 3; j++) assert_at_most(fabs(change[j]), 50);
        }
    }
    graph_destroy(s.g);
}

/* In the plane: a disk is a circle, with points a polygon, a box has four corners, a cylinder seen from the side is a
 * box. */
static void planar_pairs(void **state) {
    (void)state;
    shape plane = {.kind = SHAPE_PLANE}, disk = {.kind = SHAPE_DISK, .radius = 0.3};
    shape box = {.kind = SHAPE_BOX, .size = {0.4, 0.6, 1}};
    shape_axes((double[3]){0.6, 0.8, 0}, plane.A);
    shape_axes((double[3]){0, 0, 1}, disk.A), shape_axes((double[3]){0, 0, 1}, box.A);
    shape polygon = disk;
    polygon.points = POINTS;
    const struct {
        shape a, b;
        int count;
    } all[] = {{disk, plane, 1},
               {polygon, plane, POINTS},
               {box, plane, 4},
               {along_x(SHAPE_CYLINDER, 0.3, 0.4), plane, 4},
               {along_x(SHAPE_CAPSULE, 0.1, 0.5), plane, 2},
               {disk, disk, 1},
               {disk, box, 1},
               {box, disk, 1},
               {along_x(SHAPE_CAPSULE, 0.1, 0.5), disk, 1},
               {along_x(SHAPE_CAPSULE, 0.1, 0.5), along_x(SHAPE_CAPSULE, 0.2, 0.4), 4}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        seed = k + 1;
        scene s = open_scene(true, all[k].a, all[k].b);
        assert_int_equal(s.count, all[k].count);
        for (int i = 0; i < 20; i++) {
            randomise(&s, 3);
            for (int j = 0; j < s.count; j++) check_power(&s, &s.at[j]);
            if (all[k].b.kind != SHAPE_PLANE || all[k].a.kind != SHAPE_DISK) continue;
            placed of = where(&s, &s.sa), on = where(&s, &s.sb);
            if (s.count > 1) check_points(&s, s.at, of.x, above(&on, of.x) - 0.3);
            else /* the circle, by its centre */ assert_near(value(&s, s.at[0].gap), above(&on, of.x) - 0.3, 1e-14);
        }
        graph_destroy(s.g);
    }
}

/* Pairs carom does not have: points have no extent, disks touch planes alone, boxes planes and spheres, planes nothing.
 */
static void no_contact(void **state) {
    (void)state;
    const shape_kind none[][2] = {
        {SHAPE_POINT, SHAPE_POINT},     {SHAPE_BOX, SHAPE_CAPSULE},      {SHAPE_POINT, SHAPE_BOX},
        {SHAPE_BOX, SHAPE_BOX},         {SHAPE_DISK, SHAPE_DISK},        {SHAPE_DISK, SHAPE_BOX},
        {SHAPE_CYLINDER, SHAPE_SPHERE}, {SHAPE_ELLIPSOID, SHAPE_SPHERE}, {SHAPE_PLANE, SHAPE_PLANE}};
    for (size_t k = 0; k < sizeof none / sizeof *none; k++) {
        scene s = open_scene(false, shape_of(none[k][0]), shape_of(none[k][1]));
        assert_int_equal(s.count, 0);
        graph_destroy(s.g);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gaps_are_distances),
        cmocka_unit_test(ellipsoids_touch_planes),
        cmocka_unit_test(points_are_where_surfaces_touch),
        cmocka_unit_test(gradients_are_those_of_the_distance),
        cmocka_unit_test(forces_do_the_work_of_their_contact),
        cmocka_unit_test(gaps_are_objective),
        cmocka_unit_test(capsules),
        cmocka_unit_test(a_flat_disk_is_well_defined),
        cmocka_unit_test(supports_of_a_rim),
        cmocka_unit_test(points_on_a_rim),
        cmocka_unit_test(tangents_everywhere),
        cmocka_unit_test(planar_pairs),
        cmocka_unit_test(no_contact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
