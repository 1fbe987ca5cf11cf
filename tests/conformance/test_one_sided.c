/* Derivatives from one side, (SE63) to (SE67) of docs/theory/sensitivity.md, against closed forms. Motions between
 * events are parabolas and straight lines, which lobatto takes exactly: 1e-10 is what tolerances of 1e-13 leave after
 * division by velocities of order one. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "carom/carom.h"

static carom_error error;

static void check(carom_status status) {
    if (status) fail_msg("%s", error.message);
}

/* A scene, differentiated by one name from one side until its end; why: what keeps it from that, else NULL. */
typedef struct outcome {
    double q[3], u[3], first; /* derivatives of the state, and of the time of the first event */
    char why[256];
} outcome;

static void follow(carom_sim *sim, outcome *o) {
    int events;
    o->first = NAN;
    while (!carom_sim_done(sim)) {
        check(carom_sim_step(sim, &error));
        carom_sim_events(sim, &events);
        if (events && isnan(o->first)) o->first = carom_sim_event_by(sim, 0, 0);
    }
    if (carom_sim_lost(sim)) snprintf(o->why, sizeof o->why, "%s", carom_sim_lost(sim));
    memcpy(o->q, carom_sim_q_by(sim, 0), 2 * sizeof *o->q);
    memcpy(o->u, carom_sim_u_by(sim, 0), 2 * sizeof *o->u);
}

static outcome from(const char *text, const char *override, const char *by, int side) {
    outcome o = {0};
    carom_scene *scene;
    carom_sim *sim;
    check(carom_scene_parse(text, strlen(text), "scene", &override, !!override, &scene, &error));
    check(carom_sim_create(carom_scene_model(scene), carom_scene_run(scene), &sim, &error));
    const carom_status status = carom_sim_differentiate_from(sim, side, &by, 1, &error);
    if (status) snprintf(o.why, sizeof o.why, "%s", error.message);
    else follow(sim, &o);
    carom_sim_destroy(sim);
    carom_scene_destroy(scene);
    return o;
}

static void near(double value, double expected) {
    if (!(fabs(value - expected) <= 1e-10 * fmax(1, fabs(expected)))) fail_msg("%.17g is not %.17g", value, expected);
}

static void says(outcome o, const char *part) {
    if (!strstr(o.why, part)) fail_msg("'%s' lacks '%s'", o.why, part);
}

#define RUN "run: {integrator: lobatto, events: locate, dt: 0.01, until: 0.2, tolerance: 1e-13}\n"

/* ---------------------------------------------------------------- closed contacts at the start */

static const char BLOCK[] = "carom: 1\n"
                            "parameters: {mu: 0.3, g: 9.81, v: 2, push: 0}\n"
                            "model:\n"
                            "  coordinates: {x: {start: 0, velocity: v}, y: {start: 0}}\n"
                            "  kinetic: (x_dot^2 + y_dot^2)/2\n"
                            "  potential: g*y\n"
                            "  forces: {x: push}\n"
                            "  contacts: {floor: {gap: y, slip: x_dot, friction: mu, restitution: 0.5}}\n" RUN;

/* A block that slides. Thrown up by theta it comes down with e of its speed, again and again, and rests after a time of
 * order theta. The floor has given mg t_s - m theta until then, and friction mu times that: u_x' = mu, from both sides.
 * Lifted by theta it is back after a time of order sqrt(theta); friction missed what the floor missed, so that the two
 * displacements are in the proportion -mu: x' = mu. Below the floor it cannot start. */
static void closed_contacts_come_back(void **state) {
    (void)state;
    for (int side = -1; side <= 1; side++) {
        const outcome o = from(BLOCK, NULL, "start.y_dot", side);
        assert_string_equal(o.why, "");
        near(o.u[0], 0.3), near(o.q[0], 0.3 * 0.2), near(o.q[1], 0), near(o.u[1], 0);
    }
    const outcome above = from(BLOCK, NULL, "start.y", 1);
    assert_string_equal(above.why, "");
    near(above.q[0], 0.3), near(above.u[0], 0), near(above.q[1], 0), near(above.u[1], 0);
    says(from(BLOCK, NULL, "start.y", -1), "there is no derivative from this side");
    says(from(BLOCK, NULL, "start.y", 0), "there is no derivative but from one side");
}

/* What sticks is at rest again at once; how far it slips before, once lifted, depends on how it bounces. */
static void sticking_contacts(void **state) {
    (void)state;
    const char *still = "parameters.v=0";
    for (int side = -1; side <= 1; side++) {
        const outcome o = from(BLOCK, still, "start.x_dot", side);
        assert_string_equal(o.why, "");
        near(o.u[0], 0), near(o.q[0], 0);
    }
    says(from(BLOCK, still, "start.y", 1), "contacts that are closed at the start are moved, and stick");
    says(from(BLOCK, "parameters.g=0", "start.y_dot", 1), "nothing presses them");
}

/* A push of 6 N begins to move the block against 3 N of friction: x = v T + (push - mu g) T^2/2. Moved backwards, it
 * meets friction of the other sign until it turns, x' = (push - mu g)/(push + mu g) T: another derivative, which is
 * refused; so is what friction of impacts does that strike while it is at rest. */
static void slip_that_begins(void **state) {
    static const char text[] = "carom: 1\n"
                               "parameters: {v: 0}\n"
                               "model:\n"
                               "  coordinates: {x: {velocity: v}, y: 0}\n"
                               "  kinetic: (x_dot^2 + y_dot^2)/2\n"
                               "  potential: 10*y - 6*x\n"
                               "  contacts: {floor: {gap: y, slip: x_dot, friction: 0.3}}\n" RUN;
    const outcome above = from(text, NULL, "v", 1);
    (void)state;
    assert_string_equal(above.why, "");
    near(above.q[0], 0.2), near(above.u[0], 1);
    says(from(text, NULL, "v", -1), "begins to slip from rest");
    says(from(text, NULL, "v", 0), "there is no derivative but from one side");
    for (int side = -1; side <= 1; side++) says(from(text, NULL, "start.y_dot", side), "while slip begins from rest");
    near(from(text, "parameters.v=1e-3", "v", 0).q[0], 0.2);
}

/* ---------------------------------------------------------------- a start at a strike */

/* z(T) = e w (T - t) - g (T - t)^2/2 after a strike at t with w = sqrt(1 + 2 g h), t = (w - 1)/g: at h = 0
 * t' = 1, w' = g. From below the ball would start in the floor. By the restitution nothing happens to the instant. */
static void starts_at_a_strike(void **state) {
    static const char text[] = "carom: 1\n"
                               "parameters: {g: 9.81, e: 0.5, h: 0}\n"
                               "model:\n"
                               "  coordinates: {z: {start: h, velocity: -1}}\n"
                               "  kinetic: z_dot^2/2\n"
                               "  potential: g*z\n"
                               "  contacts: {floor: {gap: z, restitution: e}}\n"
                               "run: {integrator: lobatto, events: locate, dt: 0.01, until: 0.05, tolerance: 1e-13}\n";
    const double g = 9.81, e = 0.5, T = 0.05;
    const outcome h = from(text, NULL, "h", 1);
    (void)state;
    assert_string_equal(h.why, "");
    near(h.q[0], e * g * T - e + g * T), near(h.u[0], e * g + g), near(h.first, 1);
    says(from(text, NULL, "h", -1), "on this side beyond it");
    says(from(text, NULL, "h", 0), "its derivative is one-sided");
    for (int side = -1; side <= 1; side++) near(from(text, NULL, "e", side).q[0], T);
}

/* ---------------------------------------------------------------- strikes at one instant */

/* Three equal balls meet in the middle at t = 0.1. Elastic ones exchange their velocities, whoever is first: the first
 * ball goes on as the last one would have. Plastic ones are together where their centre of mass is. With e = 0.5 the
 * order of strikes decides on the velocities. */
static void three_balls(void **state) {
    static const char text[] =
        "carom: 1\n"
        "parameters: {e: 1}\n"
        "model:\n"
        "  coordinates: {a: {start: -0.1, velocity: 1}, b: {start: 0}, c: {start: 0.1, velocity: -1}}\n"
        "  kinetic: (a_dot^2 + b_dot^2 + c_dot^2)/2\n"
        "  potential: 0*a\n"
        "  contacts: {left: {gap: b - a, restitution: e}, right: {gap: c - b, restitution: e}}\n" RUN;
    static const char *const start[] = {"start.a", "start.b", "start.c"};
    (void)state;
    for (int side = -1; side <= 1; side += 2)
        for (int k = 0; k < 3; k++) {
            const outcome elastic = from(text, NULL, start[k], side),
                          plastic = from(text, "parameters.e=0", start[k], side);
            assert_string_equal(elastic.why, "");
            assert_string_equal(plastic.why, "");
            near(elastic.q[0], k == 2), near(elastic.q[1], k == 1);
            near(plastic.q[0], 1.0 / 3), near(plastic.q[1], 1.0 / 3);
        }
    near(from(text, NULL, "start.c_dot", 1).q[0], 0.2), near(from(text, NULL, "start.c_dot", 1).u[0], 1);
    near(from(text, "parameters.e=0", "start.a_dot", -1).q[0], 0.2 / 3);
    says(from(text, "parameters.e=0.5", "start.a", 1), "and the motion jumps with their order");
    says(from(text, NULL, "start.a", 0),
         "contacts 'left' and 'right' strike at one instant, t = 0.1, and their order decides");
}

/* A point flies into the corner of two elastic walls at 60 degrees: three strikes, whichever is first, are the
 * reflection across the bisector, x' = x, y' = -y. */
static void corner_of_60_degrees(void **state) {
    static const char text[] = "carom: 1\n"
                               "model:\n"
                               "  coordinates: {x: {start: 0}, y: {start: 0.1, velocity: -1}}\n"
                               "  kinetic: (x_dot^2 + y_dot^2)/2\n"
                               "  potential: 0*x\n"
                               "  contacts:\n"
                               "    right: {gap: y*sin(pi/6) - x*cos(pi/6), restitution: 1}\n"
                               "    left: {gap: y*sin(pi/6) + x*cos(pi/6), restitution: 1}\n" RUN;
    (void)state;
    for (int side = -1; side <= 1; side += 2) {
        const outcome x = from(text, NULL, "start.x", side), y = from(text, NULL, "start.y", side),
                      u = from(text, NULL, "start.x_dot", side), w = from(text, NULL, "start.y_dot", side);
        near(x.q[0], 1), near(x.q[1], 0), near(y.q[0], 0), near(y.q[1], -1);
        near(u.q[0], 0.2), near(u.u[0], 1), near(w.q[1], -0.2), near(w.u[1], -1);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(closed_contacts_come_back),
                                       cmocka_unit_test(sticking_contacts),
                                       cmocka_unit_test(slip_that_begins),
                                       cmocka_unit_test(starts_at_a_strike),
                                       cmocka_unit_test(three_balls),
                                       cmocka_unit_test(corner_of_60_degrees)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
