/* Features of convex shapes and their gaps, by geometry alone: distances against independent minimisations, overlaps
 * against all directions, contact regions that are known, derivatives against differences. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/found/features.h"
#include "model/found/kind.h"
#include "model/space.h"
#include "support/campaign.h"

static uint64_t chance = 17;

static double between(double least, double most) {
    return campaign_between(&chance, least, most);
}

/* ---- placed shapes */

typedef struct placed {
    core own, at;
    core_pose pose;
} placed;

static shape box_of(double a, double b, double c) {
    return (shape){.kind = SHAPE_BOX, .size = {a, b, c}, .A = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
}

static shape capsule_of(double radius, double length) {
    return (shape){.kind = length > 0 ? SHAPE_CAPSULE : SHAPE_SPHERE,
                   .radius = radius,
                   .length = length,
                   .A = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
}

static placed put(const shape *s, const double p[4], const double r[3]) {
    placed x;
    assert_true(core_create(&x.own, s, (double[3]){0}));
    space_rotation(p, x.pose.A);
    memcpy(x.pose.r, r, sizeof x.pose.r);
    x.at.vertex = calloc((size_t)x.own.vertices + 1, sizeof *x.at.vertex);
    x.at.face = calloc((size_t)x.own.faces + 1, sizeof *x.at.face);
    core_place(&x.own, &x.pose, &x.at);
    return x;
}

static void take_away(placed *x) {
    free(x->at.vertex);
    free(x->at.face);
    core_destroy(&x->own);
}

static placed put_anywhere(const shape *s, double far) {
    const double p[4] = {between(-1, 1), between(-1, 1), between(-1, 1), between(-1, 1)};
    return put(s, p, (double[3]){between(-far, far), between(-far, far), between(-far, far)});
}

/* ---- references that know no features */

static double distance_to_box(const placed *box, const double size[3], const double x[3]) {
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        double along = 0;
        for (int i = 0; i < 3; i++) along += box->pose.A[i][k] * (x[i] - box->pose.r[i]);
        const double out = fmax(0, fabs(along) - size[k] / 2);
        sum += out * out;
    }
    return sqrt(sum);
}

static double distance_to_segment(const core *c, const double x[3]) {
    double w[3], e[3], square = 0, part = 0, sum = 0;
    for (int i = 0; i < 3; i++) {
        e[i] = c->vertex[c->vertices - 1][i] - c->vertex[0][i], w[i] = x[i] - c->vertex[0][i];
        square += e[i] * e[i], part += e[i] * w[i];
    }
    part = square > 0 ? fmax(0, fmin(1, part / square)) : 0;
    for (int i = 0; i < 3; i++) sum += (w[i] - part * e[i]) * (w[i] - part * e[i]);
    return sqrt(sum);
}

/* The least distance of a point that runs along a segment from a convex set is that of a convex function. */
static double least_along(const core *segment, double (*distance)(const void *, const double *), const void *from) {
    double a = 0, b = 1, x[3];
    for (int step = 0; step < 120; step++) {
        double f[2];
        for (int k = 0; k < 2; k++) {
            const double part = a + (k + 1) * (b - a) / 3;
            for (int i = 0; i < 3; i++)
                x[i] =
                    segment->vertex[0][i] + part * (segment->vertex[segment->vertices - 1][i] - segment->vertex[0][i]);
            f[k] = distance(from, x);
        }
        if (f[0] < f[1]) b -= (b - a) / 3;
        else a += (b - a) / 3;
    }
    for (int i = 0; i < 3; i++)
        x[i] = segment->vertex[0][i] + a * (segment->vertex[segment->vertices - 1][i] - segment->vertex[0][i]);
    return distance(from, x);
}

static const double bounds[3] = {0.9, 0.6, 0.4};
static double from_box(const void *box, const double *x) {
    return distance_to_box(box, bounds, x);
}
static double from_segment(const void *c, const double *x) {
    return distance_to_segment(c, x);
}

/* Along n, from b to a. */
static double separation(const core *a, const core *b, const double n[3]) {
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (int i = 0; i < a->vertices; i++) low = fmin(low, space_dot(n, a->vertex[i]));
    for (int i = 0; i < b->vertices; i++) high = fmax(high, space_dot(n, b->vertex[i]));
    return low - high;
}

/* ---- gaps */

/* Third sections to 1e-20 of a length of order 1: the bound is that of round-off in a root, sqrt(eps) where flat. */
static void test_round_distances(void **state) {
    (void)state;
    const shape box = box_of(bounds[0], bounds[1], bounds[2]);
    int apart = 0;
    for (int round = 0; round < 3000; round++) {
        const shape pill = capsule_of(0.1, round % 3 ? 0.7 : 0);
        placed a = put_anywhere(&box, 1), b = put_anywhere(&pill, 1);
        const double distance = least_along(&b.at, from_box, &a);
        if (distance > 1e-3) {
            apart++;
            assert_true(fabs(features_gap(&a.at, &b.at) - (distance - 0.1)) < 1e-7);
            assert_true(fabs(features_gap(&b.at, &a.at) - (distance - 0.1)) < 1e-7);
        }
        take_away(&a), take_away(&b);
    }
    assert_true(apart > 1000);
}

static void test_capsules(void **state) {
    (void)state;
    for (int round = 0; round < 3000; round++) {
        const shape pills[2] = {capsule_of(0.1, round % 5 ? 0.7 : 0), capsule_of(0.15, round % 3 ? 0.4 : 0)};
        placed a = put_anywhere(&pills[0], 0.5), b = put_anywhere(&pills[1], 0.5);
        const double distance = least_along(&b.at, from_segment, &a.at);
        if (distance > 1e-3) assert_true(fabs(features_gap(&a.at, &b.at) - (distance - 0.25)) < 1e-7);
        take_away(&a), take_away(&b);
    }
}

/* Boxes: no direction parts them by more than the gap where they overlap, and the gap is that of a direction; apart, it
 * is positive where they do not overlap and never more than their distance, which no direction exceeds either. */
static void test_boxes(void **state) {
    (void)state;
    int overlapping = 0, apart = 0;
    for (int round = 0; round < 2000; round++) {
        const shape shapes[2] = {box_of(0.9, 0.6, 0.4), box_of(0.5, 0.7, 0.3)};
        placed a = put_anywhere(&shapes[0], 0.5), b = put_anywhere(&shapes[1], 0.5);
        const double gap = features_gap(&a.at, &b.at);
        double most = -HUGE_VAL;
        for (int k = 0; k < 200; k++) {
            double n[3] = {between(-1, 1), between(-1, 1), between(-1, 1)};
            if (space_unit(n)) most = fmax(most, separation(&a.at, &b.at, n));
        }
        if (gap < 0) assert_true(most <= gap + 2e-6);
        if (most > 1e-5) assert_true(gap > 0);
        overlapping += gap<0, apart += most> 1e-5;
        take_away(&a), take_away(&b);
    }
    assert_true(overlapping > 300 && apart > 300);
}

/* Boxes that come together until they overlap by a little: one of the meetings has the gap of the boxes, up to what
 * faces are preferred by. */
static void test_least_meeting(void **state) {
    (void)state;
    const shape shapes[2] = {box_of(0.9, 0.6, 0.4), box_of(0.5, 0.7, 0.3)};
    for (int round = 0; round < 500; round++) {
        placed a = put_anywhere(&shapes[0], 0), b = put_anywhere(&shapes[1], 0);
        double way[3] = {between(-1, 1), between(-1, 1), between(-1, 1)}, low = 0, high = 2, n[3], nearest = HUGE_VAL;
        if (!space_unit(way)) continue;
        for (int step = 0; step < 50; step++) {
            const double far = (low + high) / 2;
            for (int i = 0; i < 3; i++) b.pose.r[i] = far * way[i];
            core_place(&b.own, &b.pose, &b.at);
            if (features_gap(&a.at, &b.at) < -1e-4) low = far;
            else high = far;
        }
        meeting met[MEETINGS_MOST];
        const double gap = features_gap(&a.at, &b.at);
        const int count = features_meet(&a.at, &b.at, 0.01, 0, met);
        for (int i = 0; i < count; i++) nearest = fmin(nearest, fabs(meeting_gap(&a.at, &b.at, &met[i], n) - gap));
        assert_true(fabs(gap + 1e-4) < 1e-9 && nearest < 1e-6);
        take_away(&a), take_away(&b);
    }
}

/* ---- contact regions */

static int meetings_of_stack(double x, double y, double turn, double height, int kinds[GAP_KINDS]) {
    const shape cube = box_of(1, 1, 1);
    placed a = put(&cube, (double[4]){1, 0, 0, 0}, (double[3]){0, 0, 0});
    placed b = put(&cube, (double[4]){cos(turn / 2), 0, 0, sin(turn / 2)}, (double[3]){x, y, 1 + height});
    meeting met[MEETINGS_MOST];
    const int count = features_meet(&a.at, &b.at, 0.01, 0, met);
    double n[3];
    memset(kinds, 0, GAP_KINDS * sizeof *kinds);
    for (int i = 0; i < count; i++) {
        kinds[met[i].kind]++;
        assert_true(fabs(meeting_gap(&a.at, &b.at, &met[i], n) - height) < 1e-12);
        assert_true(fabs(fabs(n[2]) - 1) < 1e-12);
    }
    take_away(&a), take_away(&b);
    return count;
}

/* What two unit squares have in common has so many corners, of these kinds. */
static void test_regions(void **state) {
    (void)state;
    int kinds[GAP_KINDS];
    for (int k = -1; k <= 1; k++) {
        const double height = 1e-3 * k;
        assert_int_equal(meetings_of_stack(0, 0, 0, height, kinds), 4);
        assert_int_equal(kinds[GAP_FACE], 4);
        assert_int_equal(meetings_of_stack(0, 0, acos(-1) / 4, height, kinds), 8);
        assert_int_equal(kinds[GAP_LINES], 8);
        assert_int_equal(meetings_of_stack(0.5, 0, 0, height, kinds), 4);
        assert_int_equal(kinds[GAP_FACE], 4);
        assert_int_equal(meetings_of_stack(0.5, 0.3, 0, height, kinds), 4);
        assert_int_equal(kinds[GAP_FACE], 2);
        assert_int_equal(kinds[GAP_LINES], 2);
    }
    assert_int_equal(meetings_of_stack(0, 0, 0, 0.02, kinds), 0);
    assert_int_equal(meetings_of_stack(1.5, 0, 0, 0, kinds), 0);
}

/* Boxes that stand on each other keep their contacts, whatever round-off does to where they are: 1e-12 of their size in
 * every coordinate of both. */
static void test_same_contacts(void **state) {
    (void)state;
    const shape lower = box_of(1, 1, 1), upper = box_of(1, 1, 0.5);
    meeting first[MEETINGS_MOST], now[MEETINGS_MOST];
    int count = -1;
    for (int trial = 0; trial < 200; trial++) {
        double p[2][4] = {{1, 0, 0, 0}, {1, 0, 0, 0}}, r[2][3] = {{0, 0, 0}, {0, 0, 0.75}};
        for (int i = 0; i < 2; i++)
            for (int k = 0; k < 4; k++) p[i][k] += between(-1e-12, 1e-12), r[i][k % 3] += between(-1e-12, 1e-12);
        placed a = put(&lower, p[0], r[0]), b = put(&upper, p[1], r[1]);
        const int found = features_meet(&a.at, &b.at, 1e-3, 0, now);
        if (trial == 0) count = found, memcpy(first, now, sizeof first);
        assert_int_equal(found, count);
        for (int i = 0; i < count; i++)
            assert_true(now[i].kind == first[i].kind && now[i].swapped == first[i].swapped &&
                        now[i].first == first[i].first && now[i].second == first[i].second);
        take_away(&a), take_away(&b);
    }
    assert_int_equal(count, 4);
}

/* The same of boxes that lie askew on each other, where steps leave gaps that differ by up to 3e-5 of their size: their
 * faces meet, in the eight points where edges cross. Edges across which they are farther apart by this noise would be
 * listed alone, and other points sink. */
static void test_same_contacts_with_noise(void **state) {
    (void)state;
    const shape lower = box_of(1, 1, 1), upper = box_of(1, 1, 0.5);
    meeting first[MEETINGS_MOST], now[MEETINGS_MOST];
    int alone = 0;
    for (int trial = 0; trial < 200; trial++) {
        const double tilt[] = {between(-1e-5, 1e-5), between(-1e-5, 1e-5)}, depth = between(-1e-5, 1e-5);
        placed a = put(&lower, (double[4]){1}, (double[3]){0}),
               b = put(&upper, (double[4]){1, tilt[0], tilt[1], 0.15}, (double[3]){0, 0, 0.75 + depth});
        alone += features_meet(&a.at, &b.at, 1e-3, 0, now) == 1;
        const int found = features_meet(&a.at, &b.at, 1e-3, 1e-4, now);
        if (trial == 0) memcpy(first, now, sizeof first);
        assert_int_equal(found, 8);
        for (int i = 0; i < found; i++)
            assert_true(now[i].kind == GAP_LINES && now[i].swapped == first[i].swapped &&
                        now[i].first == first[i].first && now[i].second == first[i].second);
        take_away(&a), take_away(&b);
    }
    assert_true(alone > 0);
}

/* How far a shape reaches along n. */
static double reach_along(const core *c, const double n[3]) {
    double most = -HUGE_VAL;
    for (int i = 0; i < c->vertices; i++) most = fmax(most, space_dot(n, c->vertex[i]));
    return most;
}

/* A brick that lies on half of another one, a little tilted and turned, is pushed up: contacts whose normal lies along
 * the face would keep it from sliding. Normals more than 30 degrees off (25, and the tilt) have the whole of each brick
 * on its side, to 1e-6. */
static void test_tilted(void **state) {
    (void)state;
    const shape brick = box_of(0.2, 0.1, 0.1);
    meeting met[MEETINGS_MOST];
    int contacts = 0;
    for (int trial = 0; trial < 2000; trial++) {
        const double p[4] = {1, between(-0.03, 0.03), between(-0.03, 0.03), between(-0.03, 0.03)};
        placed a = put(&brick, (double[4]){1}, (double[3]){0}),
               b = put(&brick, p, (double[3]){0.1, between(-0.01, 0.01), 0.1});
        const int count = features_meet(&a.at, &b.at, 2e-3, 0, met);
        contacts += count;
        for (int i = 0; i < count; i++) {
            double n[3], down[3];
            meeting_gap(&a.at, &b.at, &met[i], n);
            if (fabs(n[2]) >= cos(acos(-1) / 6)) continue;
            const double gap = meeting_gap(&a.at, &b.at, &met[i], n);
            for (int k = 0; k < 3; k++) down[k] = -n[k];
            assert_true(-reach_along(&a.at, down) - reach_along(&b.at, n) > gap - 1e-6);
        }
        take_away(&a), take_away(&b);
    }
    assert_true(contacts > 2000);
}

static void test_half_space(void **state) {
    (void)state;
    const shape plane = {.kind = SHAPE_PLANE, .A = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, box = box_of(1, 1, 1);
    placed floor = put(&plane, (double[4]){1, 0, 0, 0}, (double[3]){0, 0, 0});
    placed cube = put(&box, (double[4]){1, 0, 0, 0}, (double[3]){3, 4, 0.5 + 1e-3});
    meeting met[MEETINGS_MOST];
    assert_int_equal(features_meet(&floor.at, &cube.at, 0.01, 0, met), 4);
    assert_true(fabs(features_gap(&cube.at, &floor.at) - 1e-3) < 1e-12);
    take_away(&floor), take_away(&cube);
}

/* Two cylinders side by side, whose axes cross at an angle, at parts of their lengths from the middles: their gap is
 * that of the axes less both radii, up to round-off, and overlaps that are shallow are as deep; what meets has it, but
 * for (CF42) at small angles. */
static void test_nearly_parallel(void **state) {
    (void)state;
    static const double angles[] = {0.3, 1e-2, 4e-3, 1.5e-3, 9e-4, 1e-4, 1e-5, 0}, apart[] = {1e-3, 1e-7, 0, -1e-7};
    const double r = 0.033, L = 0.12, half = sqrt(0.5);
    const shape can = {.kind = SHAPE_CYLINDER, .radius = r, .length = L, .A = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    for (int i = 0; i < 8 * 4 * 10; i++) {
        const double angle = angles[i % 8], g = apart[i / 8 % 4], s = between(-0.3, 0.3) * L,
                     t = between(-0.3, 0.3) * L;
        const double c = cos(angle / 2), d = sin(angle / 2);
        const double to[] = {s - t * cos(angle), -t * sin(angle), 2 * r + g};
        placed a = put(&can, (double[4]){half, 0, half, 0}, (double[3]){0, 0, 0});
        placed b = put(&can, (double[4]){half * c, -half * d, half * c, half * d}, to);
        meeting met[MEETINGS_MOST];
        const int count = features_meet(&a.at, &b.at, 0.002, 0, met);
        double least = HUGE_VAL, n[3];
        for (int k = 0; k < count; k++) least = fmin(least, meeting_gap(&a.at, &b.at, &met[k], n));
        const double gap = features_gap(&a.at, &b.at), bend = angle < 1e-3 ? angle * angle * L * L / (4 * r) : 0;
        if (!(fabs(gap - g) <= 1e-12 + bend * (g > 1e-4)) || !(fabs(least - g) <= 1e-11 + bend))
            fail_msg("angle %g: the gap is %g, of features %g, not %g", angle, gap, least, g);
        take_away(&a), take_away(&b);
    }
}

/* A coin lies askew in the side of a can by delta, at the lowest point of a rim along a direction n across the axis of
 * the can, and slides along this axis, over the end of the can and beyond. Along n they always part by -delta, so they
 * never overlap by more, but for what (CF28) leaves: O(delta^2/r), with a factor that grows where tangents are nearly
 * parallel. Less than delta is asked for; axes that are missing leave whole sizes. */
static void test_overlaps_at_ends(void **state) {
    (void)state;
    for (int slide = 0; slide < 150; slide++) {
        const double r = between(0.02, 0.05), L = between(0.005, 0.01), R = between(0.02, 0.05),
                     H = between(0.005, 0.3);
        const double least = fmin(fmin(r, L / 2), fmin(R, H / 2)), delta = least * (slide % 2 ? 0.1 : 0.02);
        const shape coin = {.kind = SHAPE_CYLINDER, .radius = r, .length = L, .A = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
        const shape can = {.kind = SHAPE_CYLINDER, .radius = R, .length = H, .A = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
        placed b = put(&can, (double[4]){1, 0, 0, 0}, (double[3]){0});
        const double p[4] = {between(-1, 1), between(-1, 1), between(-1, 1), between(-1, 1)};
        placed a = put(&coin, p, (double[3]){0});
        double low[3];
        core_support(&a.at, (double[3]){-1, 0, 0}, low);
        const double from = H / 2 - 4 * delta, step = 8 * delta / 200;
        for (int k = 0; k < 200; k++) {
            const double to[3] = {R - delta - low[0], -low[1], from + k * step - low[2]};
            memcpy(a.pose.r, to, sizeof a.pose.r);
            core_place(&a.own, &a.pose, &a.at);
            const double gap = features_gap(&a.at, &b.at);
            if (gap < -2 * delta)
                fail_msg("slide %d at %g: the gap is %g, not %g", slide, from + k * step - H / 2, gap, -delta);
        }
        take_away(&a), take_away(&b);
    }
}

/* ---- derivatives */

typedef struct sample {
    kind kind;
    kind_numbers numbers;
    double q[KIND_Q], u[KIND_U], r[KIND_ROWS];
} sample;

static void fill(double *x, int n) {
    for (int i = 0; i < n; i++) x[i] = between(-1, 1);
}

static sample sample_of(gap_kind gap, body_kind first, body_kind second) {
    sample s;
    body a = {0}, b = {0};
    body_shape(&a, first, 3), body_shape(&b, second, 3);
    if (second == BODY_FRAME) b.nq = b.nu = 0;
    assert_true(kind_create(&s.kind, gap, &a, &b, true, true));
    fill((double *)&s.numbers, KIND_NUMBERS);
    fill(s.q, KIND_Q), fill(s.u, KIND_U), fill(s.r, KIND_ROWS);
    space_unit(s.numbers.e), space_unit(s.numbers.d), space_unit(s.numbers.normal);
    return s;
}

static double value(const sample *s, kind_output of, const double *q, const double *u, int i) {
    double out[KIND_ROWS * KIND_Q];
    kind_run(&s->kind, of, &s->numbers, q, u, out);
    return out[i];
}

/* A central difference of an analytic function of order 1: h^2 + eps/h with h = 1e-5. */
static void check_rows(const sample *s, kind_output of, kind_output by, const kind_pattern *p, bool by_u) {
    double derivative[KIND_ROWS * KIND_Q];
    const int columns = by_u ? s->kind.nu : s->kind.nq;
    kind_run(&s->kind, by, &s->numbers, s->q, s->u, derivative);
    for (int row = 0; row < p->rows; row++)
        for (int j = 0; j < columns; j++) {
            const double h = 1e-5;
            double q[KIND_Q], u[KIND_U], ends[2], exact = 0;
            for (int side = 0; side < 2; side++) {
                memcpy(q, s->q, sizeof q), memcpy(u, s->u, sizeof u);
                (by_u ? u : q)[j] += side ? h : -h;
                ends[side] = value(s, of, q, u, row);
            }
            for (int e = p->start[row]; e < p->start[row + 1]; e++)
                if (p->index[e] == j) exact = derivative[e];
            const double difference = (ends[1] - ends[0]) / (2 * h);
            assert_true(fabs(difference - exact) < 1e-5 * (1 + fabs(exact) * fabs(exact)));
        }
}

/* W r from the derivatives by u; its own derivatives by q. */
static double pushed(const sample *s, const double *q, int velocity) {
    const kind_pattern *p = &s->kind.WT;
    double WT[KIND_U * KIND_Q], sum = 0;
    kind_run(&s->kind, KIND_WT, &s->numbers, q, s->u, WT);
    for (int row = 0; row < p->rows; row++)
        for (int e = p->start[row]; e < p->start[row + 1]; e++)
            if (p->index[e] == velocity) sum += s->r[row] * WT[e];
    return sum;
}

static void check_turning(const sample *s) {
    const kind_pattern *p = &s->kind.Wr_q;
    const double h = 1e-5;
    double turning[KIND_U * KIND_Q];
    kind_run(&s->kind, KIND_WR_Q, &s->numbers, s->q, s->r, turning);
    assert_int_equal(p->rows, s->kind.nu);
    for (int row = 0; row < p->rows; row++)
        for (int j = 0; j < s->kind.nq; j++) {
            double q[KIND_Q], ends[2], exact = 0;
            for (int side = 0; side < 2; side++) {
                memcpy(q, s->q, sizeof q);
                q[j] += side ? h : -h;
                ends[side] = pushed(s, q, row);
            }
            for (int e = p->start[row]; e < p->start[row + 1]; e++)
                if (p->index[e] == j) exact = turning[e];
            assert_true(fabs((ends[1] - ends[0]) / (2 * h) - exact) < 1e-5 * (1 + fabs(exact) * fabs(exact)));
        }
}

/* Random numbers may describe features that hardly meet, where differences tell nothing. */
static bool is_regular(const sample *s) {
    double WT[KIND_U * KIND_Q];
    kind_run(&s->kind, KIND_WT, &s->numbers, s->q, s->u, WT);
    for (int e = 0; e < s->kind.WT.start[s->kind.WT.rows]; e++)
        if (!(fabs(WT[e]) < 100)) return false;
    return true;
}

static sample regular_sample(gap_kind gap, body_kind first, body_kind second) {
    sample s = sample_of(gap, first, second);
    while (!is_regular(&s)) {
        kind_destroy(&s.kind);
        s = sample_of(gap, first, second);
    }
    return s;
}

static void test_derivatives(void **state) {
    (void)state;
    static const body_kind pairs[][2] = {
        {BODY_SPATIAL, BODY_SPATIAL}, {BODY_SPATIAL, BODY_FRAME}, {BODY_POINT, BODY_SPATIAL}};
    for (int gap = 0; gap < GAP_KINDS; gap++)
        for (int k = 0; k < 3; k++) {
            sample s = regular_sample((gap_kind)gap, pairs[k][0], pairs[k][1]);
            check_rows(&s, KIND_C, KIND_C_Q, &s.kind.c_q, false);
            check_rows(&s, KIND_S, KIND_WT, &s.kind.WT, true);
            check_rows(&s, KIND_S, KIND_S_Q, &s.kind.s_q, false);
            check_turning(&s);
            kind_destroy(&s.kind);
        }
}

/* The gap of a kind is the gap that geometry tells, for the features of two boxes as they are. */
static void test_gaps_of_kinds(void **state) {
    (void)state;
    const shape boxes[2] = {box_of(0.9, 0.6, 0.4), box_of(0.5, 0.7, 0.3)};
    const double p[4] = {0.3, -0.5, 0.2, 0.7}, q[4] = {0.9, 0.1, -0.4, 0.2};
    const double r[3] = {0.1, 0.2, 0.9}, o[3] = {-0.3, 0.1, -0.4};
    placed a = put(&boxes[0], p, r), b = put(&boxes[1], q, o);
    double local[KIND_Q], n[3];
    memcpy(local, r, sizeof r), memcpy(local + 3, p, sizeof p), memcpy(local + 7, o, sizeof o);
    memcpy(local + 10, q, sizeof q);
    for (int vertex = 0; vertex < 8; vertex++)
        for (int face = 0; face < 6; face++) {
            sample s = sample_of(GAP_FACE, BODY_SPATIAL, BODY_SPATIAL);
            memcpy(s.numbers.x, a.own.vertex[vertex], sizeof s.numbers.x);
            memcpy(s.numbers.y, b.own.face[face].point, sizeof s.numbers.y);
            memcpy(s.numbers.d, b.own.face[face].normal, sizeof s.numbers.d);
            s.numbers.R = 0;
            const meeting m = {GAP_FACE, false, vertex, face};
            assert_true(fabs(value(&s, KIND_C, local, NULL, 0) - meeting_gap(&a.at, &b.at, &m, n)) < 1e-13);
            kind_destroy(&s.kind);
        }
    take_away(&a), take_away(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_distances), cmocka_unit_test(test_capsules),
        cmocka_unit_test(test_boxes),           cmocka_unit_test(test_least_meeting),
        cmocka_unit_test(test_regions),         cmocka_unit_test(test_half_space),
        cmocka_unit_test(test_nearly_parallel), cmocka_unit_test(test_overlaps_at_ends),
        cmocka_unit_test(test_same_contacts),   cmocka_unit_test(test_same_contacts_with_noise),
        cmocka_unit_test(test_derivatives),     cmocka_unit_test(test_gaps_of_kinds),
        cmocka_unit_test(test_tilted)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
