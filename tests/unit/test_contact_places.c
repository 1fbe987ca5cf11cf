/* Contacts of shapes at special places: capsules that cross or lie along each other, flat disks, rims, tangents, the
 * plane. */
#include "touching.h"

#include <math.h>
#include <string.h>

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
