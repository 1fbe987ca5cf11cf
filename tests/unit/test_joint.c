/* Joints as functions of poses: both markers move by formulas of the time, the second one by the freedoms of the joint
 * in the frame of the first. Rows must be zero, coordinates those formulas, rates their derivatives, and the power of a
 * drive must be load times rate. */
#include "model/element/joint.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const double round_off = 1e-13; /* some dozen operations on numbers of size one */

/* ---------------------------------------------------------------- motions */

static expr add(graph *g, expr a, expr b) {
    return expr_binary(g, OP_ADD, a, b);
}

/* constant + amplitude sin(rate t) */
static expr swing(graph *g, double constant, double amplitude, double rate) {
    expr phase = expr_binary(g, OP_MUL, expr_number(g, rate), expr_symbol(g, 0));
    expr wave = expr_binary(g, OP_MUL, expr_number(g, amplitude), expr_unary(g, OP_SIN, phase));
    return add(g, expr_number(g, constant), wave);
}

/* A frame that turns about an axis and moves along a curve. */
static void wander(graph *g, vec *r, mat *A) {
    *r = (vec){{swing(g, 0.3, 0.5, 1.3), swing(g, -0.2, 0.7, 0.9), swing(g, 1, 0.4, 1.7)}};
    *A = mat_turn(g, vec_number(g, (double[3]){2. / 3, -1. / 3, 2. / 3}), swing(g, 0.4, 1.1, 0.8));
}

typedef struct stage {
    graph *g;
    joint joint;
    expr angle, second, shift; /* the freedoms */
    vec apart;                 /* of a distance, in the world */
} stage;

/* What the joint leaves free, and nothing else. */
static stage act(joint_kind kind) {
    graph *g = graph_create();
    stage s = {g,
               {.kind = kind, .turn = -1},
               swing(g, 0.2, 0.9, 1.1),
               swing(g, -0.3, 0.8, 0.7),
               swing(g, 0.5, 0.6, 1.9),
               vec_zero(g)};
    vec r, origin = vec_zero(g), z = vec_number(g, (double[3]){0, 0, 1});
    mat A, turned = mat_turn(g, z, s.angle), relative = mat_identity(g);
    wander(g, &r, &A);
    bool turns = kind == JOINT_REVOLUTE || kind == JOINT_CYLINDRICAL || kind == JOINT_UNIVERSAL || kind == JOINT_PLANAR;
    bool slides = kind == JOINT_PRISMATIC || kind == JOINT_CYLINDRICAL;
    if (turns) relative = turned;
    if (kind == JOINT_UNIVERSAL) { /* x_b = z_a and z_b = x_a before the second turn */
        mat cross = mat_number(g, (const double[3][3]){{0, 0, 1}, {0, -1, 0}, {1, 0, 0}});
        mat second = mat_turn(g, z, s.second), tilted = mat_product(g, &relative, &cross);
        relative = mat_product(g, &tilted, &second);
    }
    if (kind == JOINT_SPHERICAL || kind == JOINT_DISTANCE)
        relative = mat_turn(g, vec_number(g, (double[3]){0.6, 0, 0.8}), s.second);
    if (kind == JOINT_DISTANCE) origin = (vec){{s.shift, s.angle, expr_number(g, 0.7)}};
    if (slides) origin.at[2] = s.shift;
    if (kind == JOINT_PLANAR) origin = (vec){{s.shift, s.second, expr_number(g, 0)}};
    s.apart = mat_times(g, &A, origin);
    vec r_b = vec_add(g, r, s.apart);
    mat B = mat_product(g, &A, &relative);
    s.joint.a = pose_moving(g, r, &A);
    s.joint.b = pose_moving(g, r_b, &B);
    return s;
}

static const double times[] = {0, 0.4, 1.1, 2.3};
enum { TIMES = 4 };

static double at(stage *s, expr e, double t) {
    assert_true(e >= 0);
    return expr_value(s->g, e, &t);
}

/* ---------------------------------------------------------------- rows */
static void rows_hold(void **state) {
    (void)state;
    static const int count[JOINT_KINDS] = {5, 5, 4, 3, 4, 6, 0, 3};
    for (int kind = 0; kind < JOINT_KINDS; kind++) {
        stage s = act((joint_kind)kind);
        expr row[JOINT_ROWS];
        assert_int_equal(joint_rows(s.g, &s.joint, row), count[kind]);
        for (int i = 0; i < count[kind]; i++)
            for (int k = 0; k < TIMES; k++) assert_true(fabs(at(&s, row[i], times[k])) < round_off);
        graph_destroy(s.g);
    }
}

/* Zero at the length, and there with the rate of |d| - L. */
static void rod_has_its_length(void **state) {
    (void)state;
    stage s = act(JOINT_DISTANCE);
    expr length = vec_norm(s.g, s.apart), row = joint_rod(s.g, &s.joint, expr_number(s.g, at(&s, length, 1)));
    double rate = at(&s, expr_derivative(s.g, length, 0), 1);
    assert_true(fabs(at(&s, row, 1)) < round_off);
    assert_true(fabs(at(&s, expr_derivative(s.g, row, 0), 1) - rate) < round_off);
    assert_true(fabs(at(&s, joint_drive_row(s.g, &s.joint, JOINT_LENGTH, expr_number(s.g, 0), length), 2)) < round_off);
    graph_destroy(s.g);
}

/* ---------------------------------------------------------------- coordinates, rates, drives */

static double power(stage *s, joint_freedom f, expr load, double t) {
    graph *g = s->g;
    joint_load l = joint_drive(g, &s->joint, f, load);
    vec v_a = pose_velocity(g, &s->joint.a, l.at_a), v_b = pose_velocity(g, &s->joint.b, l.at_b);
    expr moved = vec_dot(g, l.force, vec_sub(g, v_b, v_a));
    expr turned = vec_dot(g, l.torque, vec_sub(g, s->joint.b.w, s->joint.a.w));
    return at(s, add(g, moved, turned), t);
}

/* wanted: the coordinate but for its offset */
static void check_coordinate(joint_kind kind, joint_freedom f, bool absolute) {
    stage s = act(kind);
    graph *g = s.g;
    expr wanted = f == JOINT_LENGTH         ? vec_norm(g, s.apart)
                  : f == JOINT_DISPLACEMENT ? s.shift
                  : f == JOINT_SECOND_ANGLE ? s.second
                                            : s.angle;
    double offset = absolute ? 0 : 0.25;
    const expr shift = expr_number(g, offset), centre = expr_number(g, 0.5);
    expr value = joint_coordinate(g, &s.joint, f, shift, centre), rate = joint_rate(g, &s.joint, f);
    expr load = swing(g, 2, 1, 1);
    expr target = add(g, wanted, shift);
    expr follow = joint_drive_row(g, &s.joint, f, shift, target);
    for (int k = 0; k < TIMES; k++) {
        double t = times[k], exact = at(&s, expr_derivative(g, wanted, 0), t);
        assert_true(fabs(at(&s, value, t) - at(&s, wanted, t) - offset) < round_off);
        assert_true(fabs(at(&s, rate, t) - exact) < round_off);
        assert_true(fabs(power(&s, f, load, t) - at(&s, load, t) * exact) < 10 * round_off);
        assert_true(fabs(at(&s, follow, t)) < round_off);
    }
    graph_destroy(g);
}

static void coordinates(void **state) {
    (void)state;
    check_coordinate(JOINT_REVOLUTE, JOINT_ANGLE, false);
    check_coordinate(JOINT_PRISMATIC, JOINT_DISPLACEMENT, false);
    check_coordinate(JOINT_CYLINDRICAL, JOINT_ANGLE, false);
    check_coordinate(JOINT_CYLINDRICAL, JOINT_DISPLACEMENT, false);
    check_coordinate(JOINT_UNIVERSAL, JOINT_CROSS_ANGLE, false);
    check_coordinate(JOINT_UNIVERSAL, JOINT_SECOND_ANGLE, false);
    check_coordinate(JOINT_DISTANCE, JOINT_LENGTH, true);
    check_coordinate(JOINT_PLANAR, JOINT_ANGLE, false);
}

/* The angle goes from 0.2 to 1.1 and back: taken about a centre a full turn away it is that much more; the row that
 * follows a formula is the sine of how far it is off, and does not see full turns. */
static void branches(void **state) {
    (void)state;
    stage s = act(JOINT_REVOLUTE);
    const expr zero = expr_number(s.g, 0), centre = expr_number(s.g, 6.5);
    expr away = joint_coordinate(s.g, &s.joint, JOINT_ANGLE, zero, centre);
    expr ahead = add(s.g, s.angle, expr_number(s.g, 2 * M_PI - 0.3));
    expr follow = joint_drive_row(s.g, &s.joint, JOINT_ANGLE, zero, ahead);
    for (int k = 0; k < TIMES; k++) {
        double t = times[k];
        assert_true(fabs(at(&s, away, t) - at(&s, s.angle, t) - 2 * M_PI) < round_off);
        assert_true(fabs(at(&s, follow, t) - sin(0.3)) < round_off);
    }
    graph_destroy(s.g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_hold),
        cmocka_unit_test(rod_has_its_length),
        cmocka_unit_test(coordinates),
        cmocka_unit_test(branches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
