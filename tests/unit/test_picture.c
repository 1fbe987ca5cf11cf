/* What pictures are made of: surfaces with the volume of their shapes, views, and things at their places. */
#include "forms.h"
#include "picture/mesh.h"
#include "picture/paint.h"
#include "scene/draft.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- surfaces */

static void cross(const double *a, const double *b, double *c) {
    for (int i = 0; i < 3; i++) c[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

/* Divergence theorem: the sum of x . (y x z) / 6 over triangles, positive where faces are counterclockwise outside. */
static double volume(const mesh *m) {
    double sum = 0;
    for (int f = 0; f < m->faces; f++)
        for (int k = 1; k + 1 < (m->face[f][3] < 0 ? 3 : 4); k++) {
            double c[3];
            const double *x = m->x[m->face[f][0]];
            cross(m->x[m->face[f][k]], m->x[m->face[f][k + 1]], c);
            sum += (x[0] * c[0] + x[1] * c[1] + x[2] * c[2]) / 6;
        }
    return sum;
}

/* With d = 2 pi/64, a polygon of 64 corners lacks a part d^2/6 of its circle. Between parallels d apart a sphere lacks
 * a layer of thickness r d^2/12 as well, d^2/4 of its volume: d^2 (1/6 + 1/4) = 4.02e-3 in all. */
static void has_volume(const shape *s, double exact) {
    mesh m;
    assert_true(mesh_shape(&m, s, 64));
    assert_true(volume(&m) <= exact * (1 + 1e-12) && volume(&m) >= exact * (1 - 4.1e-3));
    if (s->kind != SHAPE_BOX) /* whose sides meet in edges without neighbours */
        for (int f = 0; f < m.faces; f++)
            for (int k = 0; k < (m.face[f][3] < 0 ? 3 : 4); k++) assert_true(m.neighbour[f][k] >= 0);
    mesh_free(&m);
}

static void surfaces_enclose_their_shapes(void **state) {
    (void)state;
    double r = 0.3, l = 1.7, round = M_PI * r * r;
    has_volume(&(shape){.kind = SHAPE_SPHERE, .radius = r}, round * 4 / 3 * r);
    has_volume(&(shape){.kind = SHAPE_CAPSULE, .radius = r, .length = l}, round * (l + 4.0 / 3 * r));
    has_volume(&(shape){.kind = SHAPE_CAPSULE, .radius = r, .length = 1e-3}, round * (1e-3 + 4.0 / 3 * r));
    has_volume(&(shape){.kind = SHAPE_CYLINDER, .radius = r, .length = l}, round * l);
    has_volume(&(shape){.kind = SHAPE_CYLINDER, .radius = r, .length = 100}, round * 100);
    has_volume(&(shape){.kind = SHAPE_ELLIPSOID, .size = {1, 2, 3}}, 8 * M_PI);
    has_volume(&(shape){.kind = SHAPE_BOX, .size = {1, 2, 3}}, 6);
}

/* A quarter of a torus has the volume of a straight tube of the same length (Pappus), its ends included; the polygon of
 * 40 pieces and 48 corners misses a part of (pi/80)^2/2 + (2 pi/48)^2/6 < 4e-3 of it. */
static void tubes_enclose_their_curve(void **state) {
    (void)state;
    enum { COUNT = 41 };
    double x[COUNT][3], r = 0.1;
    mesh m;
    for (int k = 0; k < COUNT; k++) {
        double angle = M_PI / 2 * k / (COUNT - 1);
        x[k][0] = cos(angle), x[k][1] = 0, x[k][2] = sin(angle);
    }
    assert_true(mesh_tube(&m, (const double(*)[3])x, COUNT, r, 48));
    double exact = M_PI * r * r * M_PI / 2;
    assert_true(volume(&m) < exact && volume(&m) > exact * (1 - 4e-3));
    mesh_free(&m);
}

/* ---- views */

static void check_view(const char *text, int up, const double right[3], const double over[3]) {
    const drawing d = {.up = up};
    view v;
    double eye[3];
    assert_int_equal(view_read(&v, text, &d, NULL), CAROM_OK);
    cross(v.axis[0], v.axis[1], eye);
    for (int i = 0; i < 3; i++) {
        assert_true(fabs(v.axis[2][i] - eye[i]) < 1e-15); /* a right-handed frame: nothing is mirrored */
        if (right) assert_true(v.axis[0][i] == right[i] && v.axis[1][i] == over[i]);
    }
}

static void views_are_upright(void **state) {
    (void)state;
    const double x[3] = {1, 0, 0}, y[3] = {0, 1, 0}, z[3] = {0, 0, 1}, back[3] = {0, 0, -1};
    check_view("front", 2, x, z);
    check_view("side", 2, y, z);
    check_view("top", 2, x, y);
    check_view("front", 1, x, y);
    check_view("side", 1, back, y);
    check_view("top", 1, x, back);
    check_view("1,-2,3", 2, NULL, NULL);
    check_view(NULL, 2, NULL, NULL);
    check_view(NULL, 1, NULL, NULL);
}

/* ---- things: a planar body at (q0, q1) turned by q2, built as a scene would build it */

typedef struct stage {
    carom_scene scene;
    names names;
    node model, key;
    draft draft;
    carom_error error;
    film film;
    double t, q[3];
    double touch[TOUCH_NUMBERS];
    form form[3];
} stage;

static void set_up(stage *s, const shape *given, int shapes) {
    *s = (stage){.model = {.kind = NODE_MAP}, .t = 0.5, .q = {2, 1, M_PI / 2}};
    s->model.key = &s->key;
    s->names = (names){.memory = &s->scene.memory, .g = graph_create(), .error = &s->error};
    s->draft = (draft){.scene = &s->scene, .n = &s->names, .model = &s->model};
    member *m;
    element from = {.key = &s->key};
    assert_int_equal(draft_member(&s->draft, "world", BODY_FRAME, 0, &from, &m), CAROM_OK);
    m->body.pose = pose_world(s->names.g);
    assert_int_equal(draft_member(&s->draft, "arm", BODY_PLANAR, 0, &from, &m), CAROM_OK);
    for (int i = 0; i < 3; i++) m->body.q[i] = expr_symbol(s->names.g, 1 + i);
    for (int i = 0; i < 3; i++) m->body.u[i] = expr_symbol(s->names.g, 4 + i);
    body_place(s->names.g, &m->body);
    for (int i = 0; i < shapes; i++) s->form[i] = form_of_shape(s->names.g, &given[i]);
    m->form = s->form, m->shapes = shapes;
}

static void finish(stage *s) {
    assert_int_equal(draft_finish_drawing(&s->draft), CAROM_OK);
    s->film = (film){.scene = &s->scene,
                     .drawing = s->scene.drawing,
                     .frames = 1,
                     .nq = 3,
                     .t = &s->t,
                     .q = s->q,
                     .touch = s->touch,
                     .dt = 0.01,
                     .numbers = calloc((size_t)s->scene.drawing->numbers, sizeof(double))};
}

static void tear_down(stage *s) {
    free(s->film.numbers);
    drawing_destroy(s->scene.drawing);
    graph_destroy(s->names.g);
    arena_release(&s->scene.memory);
}

static const drawn *find(const stage *s, const char *name) {
    const drawing *d = s->scene.drawing;
    for (int i = 0; i < d->things; i++)
        if (strcmp(d->thing[i].name, name) == 0) return &d->thing[i];
    return NULL;
}

/* Up to a few roundings of the largest of them. */
static void is_at(const double *x, double a, double b, double c) {
    double tolerance = 1e-15 * (1 + fabs(a) + fabs(b) + fabs(c));
    assert_true(fabs(x[0] - a) < tolerance && fabs(x[1] - b) < tolerance && fabs(x[2] - c) < tolerance);
}

static void things_are_where_they_belong(void **state) {
    (void)state;
    const shape disk = {.kind = SHAPE_DISK, .radius = 0.5, .r = {1, 0, 0}, .A = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    const shape ground = {.kind = SHAPE_PLANE, .A = {{0, 1, 0}, {0, 0, 1}, {1, 0, 0}}};
    stage s;
    set_up(&s, &disk, 1);
    graph *g = s.names.g;
    const pose *arm = &s.draft.members.at[1].body.pose;
    mat one = mat_identity(g);
    pose tip = pose_fixed(g, arm, vec_number(g, (double[3]){3, 0, 0}), &one);
    const drawn spring = {.kind = DRAWN_SPRING, .name = "spring", .count = 2};
    assert_int_equal(draft_draw_points(&s.draft, &spring, (vec[2]){vec_zero(g), tip.r}), CAROM_OK);
    assert_int_equal(draft_draw_contact(&s.draft, "stop", tip.r, arm->A.axis[0], &arm->A.axis[1], 1), CAROM_OK);
    const form floor = form_of_shape(g, &ground);
    for (int i = 0; i < 2; i++) assert_int_equal(draft_draw_shape(&s.draft, "ground", 0, &floor), CAROM_OK);
    finish(&s);
    assert_int_equal(s.scene.drawing->things, 4); /* one ground, though two have asked for it */
    assert_true(s.scene.drawing->planar);

    const double *numbers = film_numbers(&s.film, 0), *place = numbers + find(&s, "arm")->first;
    double y[3];
    is_at(place, 2, 1, 0);
    is_at(place + 3, 0, 1, 0);
    is_at(place + 6, -1, 0, 0);
    place_point(place, &disk, (double[3]){0.5, 0, 0}, y);
    is_at(y, 2, 2.5, 0);
    is_at(numbers + find(&s, "spring")->first + 3, 2, 4, 0);
    is_at(numbers + find(&s, "stop")->first, 2, 4, 0);

    /* 5 N s along the arm, which points up, and 2 N s across it, to the left, over 0.01 s */
    s.touch[TOUCH_PN] = 5, s.touch[TOUCH_PF] = 2;
    film_force(&s.film, find(&s, "stop"), numbers, s.touch, y);
    is_at(y, -200, 500, 0);

    painting p = {0};
    view v;
    view_read(&v, NULL, s.scene.drawing, NULL);
    paint_frame(&p, &s.film, &v, 0, NULL, 0, 0.001);
    paint_sort(&p);
    assert_int_equal(p.stroke[0].kind, STROKE_GROUND); /* behind everything */
    assert_int_equal(p.stroke[p.strokes - 1].kind, STROKE_ARROW);
    const double(*arrow)[2] = (const double(*)[2])p.xy + p.stroke[p.strokes - 1].first;
    assert_true(fabs(arrow[0][0] - 2) + fabs(arrow[0][1] - 4) < 1e-15);
    assert_true(fabs(arrow[1][0] - 1.8) + fabs(arrow[1][1] - 4.5) < 1e-15);
    const int without = p.strokes;

    /* the same percussion of a contact that was found, elsewhere */
    const found_contact met = {[FOUND_POINT] = 7, 8, 9, [FOUND_P] = -2, 5, 0};
    paint_frame(&p, &s.film, &v, 0, &met, 1, 0.001);
    assert_int_equal(p.strokes, without + 1);
    arrow = (const double(*)[2])p.xy + p.stroke[without].first;
    assert_true(fabs(arrow[0][0] - 7) + fabs(arrow[0][1] - 8) < 1e-15);
    assert_true(fabs(arrow[1][0] - 6.8) + fabs(arrow[1][1] - 8.5) < 1e-14);
    paint_free(&p);
    tear_down(&s);
}

/* Its nodes are not drawn a second time; as an outline it has the area of a rectangle. */
static void tubes_follow_their_members(void **state) {
    (void)state;
    stage s;
    set_up(&s, NULL, 0);
    assert_int_equal(draft_draw_tube(&s.draft, "beam", (int[]){0, 1}, 2, 0.1), CAROM_OK);
    finish(&s);
    assert_int_equal(s.scene.drawing->things, 1);
    const double *numbers = film_numbers(&s.film, 0);
    is_at(numbers, 0, 0, 0);
    is_at(numbers + 3, 2, 1, 0);
    painting p = {0};
    view v;
    view_read(&v, NULL, s.scene.drawing, NULL);
    paint_frame(&p, &s.film, &v, 0, NULL, 0, 0);
    assert_int_equal(p.strokes, 1);
    double area = 0;
    for (int k = 0; k < p.points; k++) {
        const double *a = p.xy[k], *b = p.xy[(k + 1) % p.points];
        area += (a[0] * b[1] - a[1] * b[0]) / 2;
    }
    assert_true(fabs(fabs(area) - 0.2 * sqrt(5)) < 1e-14);
    paint_free(&p);
    tear_down(&s);
}

/* A face behind another one is painted before it: a ball before and a ball behind a wall, seen from the front. */
static void what_is_nearer_is_painted_later(void **state) {
    (void)state;
    const shape balls[] = {
        {.kind = SHAPE_SPHERE, .radius = 0.1, .r = {0, -1, 0}, .A = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
        {.kind = SHAPE_BOX, .size = {1, 0.2, 1}, .A = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
        {.kind = SHAPE_SPHERE, .radius = 0.1, .r = {0, 1, 0}, .A = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}};
    stage s;
    set_up(&s, balls, 3);
    s.q[0] = s.q[1] = s.q[2] = 0;
    finish(&s);
    painting p = {0};
    view v;
    view_read(&v, "front", s.scene.drawing, NULL);
    paint_frame(&p, &s.film, &v, 0, NULL, 0, 0);
    paint_sort(&p);
    int circles = 0, faces = 0;
    double depth = -INFINITY;
    for (int i = 0; i < p.strokes; i++) {
        assert_true(p.stroke[i].depth >= depth);
        depth = p.stroke[i].depth;
        circles += p.stroke[i].kind == STROKE_CIRCLE;
        faces += p.stroke[i].kind == STROKE_POLYGON;
        if (p.stroke[i].kind == STROKE_POLYGON) assert_int_equal(circles, 1);
    }
    assert_int_equal(circles, 2);
    assert_true(faces > 0);
    paint_free(&p);
    tear_down(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(surfaces_enclose_their_shapes),
        cmocka_unit_test(tubes_enclose_their_curve),
        cmocka_unit_test(views_are_upright),
        cmocka_unit_test(things_are_where_they_belong),
        cmocka_unit_test(tubes_follow_their_members),
        cmocka_unit_test(what_is_nearer_is_painted_later),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
