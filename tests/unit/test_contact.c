/* Contacts of shapes against geometry by search, and their derivatives against mechanics: the rate of a gap is the
 * normal velocity of the material points that meet, so its gradient is the power of a normal force on both bodies. */
#include "touching.h"

#include <math.h>
#include <string.h>

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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gaps_are_distances),
        cmocka_unit_test(ellipsoids_touch_planes),
        cmocka_unit_test(points_are_where_surfaces_touch),
        cmocka_unit_test(gradients_are_those_of_the_distance),
        cmocka_unit_test(forces_do_the_work_of_their_contact),
        cmocka_unit_test(gaps_are_objective),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
