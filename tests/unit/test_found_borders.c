/* Features between borders, by geometry alone: of shapes that touch some contact counts and has no gap, of shapes that
 * are apart none is negative, wherever within its allowance the list was made. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/found/borders_inside.h"
#include "model/found/numbers.h"
#include "model/space.h"
#include "support/campaign.h"

static uint64_t chance = 3;

static double between(double least, double most) {
    return campaign_between(&chance, least, most);
}

/* ---- solids */

typedef struct placed {
    core own, at;
    core_pose pose;
    double p[4], arm;
    polytope hull;
} placed;

static void move(placed *x) {
    space_rotation(x->p, x->pose.A);
    core_place(&x->own, &x->pose, &x->at);
}

static void make(placed *x, const shape *s) {
    assert_true(core_create(&x->own, s, (double[3]){0}));
    x->at.vertex = calloc((size_t)x->own.vertices + 1, sizeof *x->at.vertex);
    x->at.face = calloc((size_t)x->own.faces + 1, sizeof *x->at.face);
    x->arm = 0;
    for (int i = 0; i < x->own.vertices; i++)
        x->arm = fmax(x->arm, sqrt(space_dot(x->own.vertex[i], x->own.vertex[i])) + x->own.rim);
    double size = 0;
    for (int i = 0; i < 4; i++) x->p[i] = between(-1, 1), size += x->p[i] * x->p[i];
    for (int i = 0; i < 4; i++) x->p[i] /= sqrt(size);
    for (int i = 0; i < 3; i++) x->pose.r[i] = between(-0.1, 0.1);
    move(x);
}

static void take_away(placed *x) {
    free(x->at.vertex), free(x->at.face);
    core_destroy(&x->own);
    polytope_destroy(&x->hull);
}

typedef enum what { BOX, HULL, SPHERE, CAPSULE, CYLINDER } what;

static placed any(what of) {
    placed x = {0};
    shape s = {.A = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    double points[9][3];
    for (int i = 0; i < 9; i++)
        for (int k = 0; k < 3; k++) points[i][k] = between(-0.5, 0.5);
    for (int k = 0; k < 3; k++) s.size[k] = between(0.3, 1);
    s.radius = between(0.1, 0.3), s.length = between(0.3, 1);
    s.kind = of == BOX       ? SHAPE_BOX
             : of == HULL    ? SHAPE_HULL
             : of == SPHERE  ? SHAPE_SPHERE
             : of == CAPSULE ? SHAPE_CAPSULE
                             : SHAPE_CYLINDER;
    if (of == HULL) assert_int_equal(polytope_create(&x.hull, (const double(*)[3])points, 9), POLYTOPE_DONE);
    s.hull = &x.hull;
    make(&x, &s);
    return x;
}

/* ---- distances that know no borders */

static double apart_along(const placed *a, const placed *b, const double n[3]) {
    const double down[3] = {-n[0], -n[1], -n[2]};
    double x[3], y[3];
    core_support(&a->at, down, x), core_support(&b->at, n, y);
    return (space_dot(n, x) - space_dot(n, y)) / sqrt(space_dot(n, n)) - a->own.radius - b->own.radius;
}

static void consider(const placed *a, const placed *b, double n[3], double *most) {
    double m[3] = {-n[0], -n[1], -n[2]};
    if (space_dot(n, n) > 1e-20) *most = fmax(*most, fmax(apart_along(a, b, n), apart_along(a, b, m)));
}

/* By every axis that can be the best one of polytopes. */
static double apart_of_polytopes(const placed *a, const placed *b) {
    double most = -HUGE_VAL, e[3], d[3], n[3];
    for (int i = 0; i < a->at.faces; i++) consider(a, b, a->at.face[i].normal, &most);
    for (int i = 0; i < b->at.faces; i++) consider(a, b, b->at.face[i].normal, &most);
    for (int i = 0; i < a->at.edges; i++)
        for (int j = 0; j < b->at.edges; j++) {
            for (int k = 0; k < 3; k++) {
                e[k] = a->at.vertex[a->at.edge[i][1]][k] - a->at.vertex[a->at.edge[i][0]][k];
                d[k] = b->at.vertex[b->at.edge[j][1]][k] - b->at.vertex[b->at.edge[j][0]][k];
            }
            space_cross(e, d, n);
            consider(a, b, n, &most);
        }
    return most;
}

/* By supports along normals of features, and along all directions that Gilbert, Johnson and Keerthi's algorithm tries,
 * which comes to within 1e-8 of curved shapes that touch: whatever they are, none says more than the distance. */
static double apart_of_cylinder(const placed *a, const placed *b) {
    const placed *c = a->own.rim > 0 ? a : b, *p = c == a ? b : a;
    const double *axis = c->at.face[1].normal;
    double most = supports_gap(&a->at, &b->at), n[3], w[3];
    for (int i = 0; i < p->at.faces; i++) consider(a, b, p->at.face[i].normal, &most);
    consider(a, b, c->at.face[1].normal, &most);
    for (int i = 0; i < p->at.vertices; i++) {
        minus(p->at.vertex[i], c->at.centre, w);
        along(w, -space_dot(w, axis), axis, n);
        consider(a, b, n, &most);
    }
    for (int i = 0; i < p->at.edges; i++) {
        const line l = line_of(&p->at, i);
        space_cross(l.e, axis, n);
        consider(a, b, n, &most);
        for (int k = 0; k < 4; k++) {
            const circle o = rim_of(&c->at, k / 2);
            crossing_gap(&o, &l, k % 2 ? 1 : -1, n);
            consider(a, b, n, &most);
        }
    }
    return most;
}

/* The least of a convex function along the axis, which supports confirm to 1e-7. */
static double apart_of_capsule(const placed *a, const placed *b) {
    const placed *capsule = a->own.radius > 0 ? a : b, *c = capsule == a ? b : a;
    const double gap = borders_capsule_gap(&capsule->at, &c->at), core_gap = gap + capsule->own.radius;
    if (core_gap > 0) assert_true(fabs(supports_gap(&a->at, &b->at) - core_gap) <= 1e-7);
    return gap;
}

static double apart(const placed *a, const placed *b) {
    const bool round = a->own.radius + b->own.radius > 0;
    if (round && a->own.rim + b->own.rim > 0) return apart_of_capsule(a, b);
    if (round) return supports_gap(&a->at, &b->at) - a->own.radius - b->own.radius;
    return a->own.rim > 0 || b->own.rim > 0 ? apart_of_cylinder(a, b) : apart_of_polytopes(a, b);
}

/* Moves a along a direction until they touch, from afar. False: they miss each other. */
static bool bring_together(placed *a, const placed *b) {
    double way[3], from[3], low = 0, high = 3;
    for (int i = 0; i < 3; i++) way[i] = between(-1, 1);
    space_unit(way);
    memcpy(from, a->pose.r, sizeof from);
    for (int i = 0; i < 60; i++) {
        const double middle = (low + high) / 2;
        for (int k = 0; k < 3; k++) a->pose.r[k] = from[k] + middle * way[k];
        move(a);
        if (apart(a, b) > 0) high = middle;
        else low = middle;
    }
    for (int k = 0; k < 3; k++) a->pose.r[k] = from[k] + high * way[k];
    move(a);
    return low > 0;
}

/* ---- lists */

/* Moves a solid so that no point of it goes farther than allowed, (CF12). */
static void nudge(placed *x, double allowed) {
    double size = 0;
    for (int i = 0; i < 4; i++) x->p[i] += allowed / (8 * x->arm + 1e-3) * between(-1, 1), size += x->p[i] * x->p[i];
    for (int i = 0; i < 4; i++) x->p[i] /= sqrt(size);
    for (int i = 0; i < 3; i++) x->pose.r[i] += allowed / 4 * between(-1, 1);
    move(x);
}

static void put_back(placed *x, const placed *to) {
    x->pose = to->pose;
    memcpy(x->p, to->p, sizeof x->p);
    move(x);
}

/* The list at a place nearby where they are apart. */
static void list_nearby(border_list *l, placed *a, placed *b, double allowed) {
    const placed was[] = {*a, *b};
    do {
        put_back(a, &was[0]), put_back(b, &was[1]);
        nudge(a, allowed), nudge(b, allowed);
    } while (apart(a, b) < 0);
    const border_solid solid[] = {{0, &a->own, &a->at, &a->pose, allowed, a->arm},
                                  {1, &b->own, &b->at, &b->pose, allowed, b->arm}};
    borders_meet(l, &solid[0], &solid[1]);
    assert_false(l->exhausted);
    put_back(a, &was[0]), put_back(b, &was[1]);
}

/* By the formulas that steps evaluate. */
static double value_of(gap_kind kind_of, const kind_numbers *numbers, const placed *first, const placed *second) {
    static kind made[GAP_KINDS];
    kind *k = &made[kind_of];
    body a = {0};
    double q[KIND_Q], value;
    body_shape(&a, BODY_SPATIAL, 3);
    if (!k->tape[KIND_C]) assert_true(kind_create(k, kind_of, &a, &a, false, false));
    memcpy(q, first->pose.r, 3 * sizeof *q), memcpy(q + 3, first->p, 4 * sizeof *q);
    memcpy(q + BODY_Q, second->pose.r, 3 * sizeof *q), memcpy(q + BODY_Q + 3, second->p, 4 * sizeof *q);
    kind_run(k, KIND_C, numbers, q, NULL, &value);
    return value;
}

static double side_of(const border *b, const placed *of[2]) {
    if (b->kind >= GAP_CONE) return value_of(b->kind, &b->numbers, of[b->of], of[b->by]);
    border_solid solid[2];
    double way;
    for (int k = 0; k < 2; k++) solid[k] = (border_solid){k, &of[k]->own, &of[k]->at, &of[k]->pose, 0, of[k]->arm};
    return borders_value(&solid[b->of], &solid[b->by], b, &way);
}

static bool counts(const border_list *l, const bordered *row, const placed *of[2]) {
    for (int i = row->from; i < row->from + row->conditions; i++)
        if (!(l->condition[i].side * side_of(&l->border[l->condition[i].border], of) > 0)) return false;
    return true;
}

static double gap_of(const bordered *row, const placed *a, const placed *b) {
    double n[3], gap = meeting_gap(&a->at, &b->at, &row->features, n);
    const placed *x = row->features.swapped ? b : a, *y = row->features.swapped ? a : b;
    if (row->features.kind == GAP_RIM_EDGE || row->features.kind == GAP_SIDE) {
        kind_numbers numbers = {0};
        const rim_edge e = rim_edge_of(row->features.second);
        numbers_of(&x->own, &y->own, &row->features, &numbers);
        if (row->features.kind == GAP_RIM_EDGE)
            numbers_start(&x->own, crossing_from(&x->at, row->features.first, y->at.face[e.rim].normal, e.sign),
                          &numbers);
        const double same = value_of(row->features.kind, &numbers, x, y);
        assert_true(fabs(same - gap) <= 1e-9);
        return same;
    }
    if (row->features.kind != GAP_LINES) return gap;
    double w[3];
    minus(x->at.vertex[x->at.edge[row->features.first][0]], y->at.vertex[y->at.edge[row->features.second][0]], w);
    assert_true(borders_normal(&a->at, &b->at, &row->features, n));
    return space_dot(n, w);
}

typedef struct tally {
    int touching, edges, deep, most, with[GAP_KINDS];
} tally;

/* Of shapes that touch, to 1e-12: the smallest gap of those that count is zero, to what supports know of distances. */
static void look(what first, what second, double zero, tally *t) {
    placed a = any(first), b = any(second);
    const placed *of[2] = {&a, &b};
    border_list l = {0};
    if (bring_together(&a, &b)) {
        double least = HUGE_VAL;
        bool edges = false;
        gap_kind nearest = GAP_KINDS;
        list_nearby(&l, &a, &b, 0.05);
        for (int i = 0; i < l.rows; i++) {
            if (!counts(&l, &l.row[i], of)) continue;
            const double gap = gap_of(&l.row[i], &a, &b);
            if (l.row[i].features.kind == GAP_LINES && gap < -zero) {
                t->deep++;
                continue;
            }
            if (gap < least) least = gap, nearest = l.row[i].features.kind, edges = nearest == GAP_LINES;
        }
        if (fabs(least) > zero)
            print_error("shapes %d and %d touch, the least gap is %g, of kind %d\n", first, second, least, nearest);
        assert_true(fabs(least) <= zero);
        t->touching++, t->edges += edges, t->with[nearest]++;
        if (l.borders > t->most) t->most = l.borders;
    }
    borders_destroy(&l);
    take_away(&a), take_away(&b);
}

/* Edges that count with a negative gap although nothing overlaps pass beside a corner, (CF35). */
static void test_polytopes(void **state) {
    (void)state;
    tally t = {0};
    for (int i = 0; i < 600; i++) look(i % 2 ? HULL : BOX, i % 3 ? HULL : BOX, 1e-12, &t);
    print_message("%d touch, %d of them with edges, %d beside corners, %d borders at most\n", t.touching, t.edges,
                  t.deep, t.most);
    assert_true(t.touching > 500 && t.edges > 100);
}

/* Against distances by supports alone, which are right to 1e-9. */
static void test_spheres(void **state) {
    (void)state;
    tally t = {0};
    for (int i = 0; i < 60; i++) look(SPHERE, i % 3 == 0 ? BOX : i % 3 == 1 ? HULL : CYLINDER, 1e-9, &t);
    print_message("%d touch, %d borders at most\n", t.touching, t.most);
    assert_true(t.touching > 40);
}

/* An axis and an edge that cross at less than a thousandth do not occur. */
static void test_capsules(void **state) {
    (void)state;
    tally t = {0};
    for (int i = 0; i < 200; i++) look(CAPSULE, i % 2 ? BOX : HULL, 1e-9, &t);
    print_message("%d touch, %d borders at most\n", t.touching, t.most);
    assert_true(t.touching > 150);
}

/* Every sort of feature is what touches, some time; besides rims that an axis crosses (CF49). */
static void test_capsules_on_cylinders(void **state) {
    (void)state;
    tally t = {0};
    for (int i = 0; i < 400; i++) look(i % 2 ? CAPSULE : CYLINDER, i % 2 ? CYLINDER : CAPSULE, 1e-13, &t);
    const int face = t.with[GAP_FACE], beside = t.with[GAP_LINE], rim = t.with[GAP_RIM_POINT];
    const int side = t.with[GAP_SIDE], axis = t.with[GAP_RIM_AXIS];
    print_message("%d touch, with their ends %d ends, %d sides, %d rims, with their axes %d sides, %d rims, %d borders "
                  "at most\n",
                  t.touching, face, beside, rim, side, axis, t.most);
    assert_int_equal(t.touching, face + beside + rim + side + axis);
    assert_true(t.touching > 300 && face > 10 && beside > 10 && rim > 20 && side > 20 && axis > 20);
}

/* Every sort of feature is what touches, some time: (CF31), (CF23), (CF44), (CF45). */
static void test_cylinders(void **state) {
    (void)state;
    tally t = {0};
    for (int i = 0; i < 400; i++) look(i % 3 ? CYLINDER : BOX, i % 3 == 2 ? BOX : i % 3 ? HULL : CYLINDER, 1e-11, &t);
    const int face = t.with[GAP_FACE], side = t.with[GAP_LINE], rim = t.with[GAP_RIM_FACE];
    const int edge = t.with[GAP_RIM_EDGE], across = t.with[GAP_SIDE];
    print_message(
        "%d touch, %d on ends, %d beside sides, %d rims on faces, %d on edges, %d edges on sides, %d borders at "
        "most\n",
        t.touching, face, side, rim, edge, across, t.most);
    assert_int_equal(t.touching, face + side + rim + edge + across);
    assert_true(t.touching > 300 && face > 5 && side > 5 && rim > 20 && edge > 20 && across > 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_polytopes), cmocka_unit_test(test_spheres),
                                       cmocka_unit_test(test_capsules), cmocka_unit_test(test_capsules_on_cylinders),
                                       cmocka_unit_test(test_cylinders)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
