/* Derivatives through what lets go: joints that break, (L22), (L22a), and contacts with adhesion, (L23), against closed
 * forms. Both ways, along the motion and back from its end. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "carom/carom.h"
#include "law_case.h"

/* A pendulum falls from the height of its pivot. Its rod carries 3 m g sin phi and breaks at F, where the speed is
 * v^2 = 2 g l sin phi; then the bob flies. t = int sqrt(l/(2 g sin phi)) dphi, by phi = s^2 and Simpson's rule, whose
 * 2000 intervals leave 1e-15. Four stages of 0.01 s miss (w dt)^6 = 1e-8 with a factor below 1e-2. */
static number fall_time(number phi, number l, number g) {
    enum { INTERVALS = 2000 };
    const number end = csqrt(phi), h = end / INTERVALS;
    number sum = 0;
    for (int i = 0; i <= INTERVALS; i++) {
        const number s = h * i, by = i == 0 ? 2 : 2 * s / csqrt(csin(s * s));
        sum += by * (i == 0 || i == INTERVALS ? 1 : i % 2 ? 4 : 2);
    }
    return csqrt(l / (2 * g)) * sum * h / 3;
}

static number rod_flight(const number *p, number *y) {
    const number F = p[0], m = p[1], g = p[2], l = p[3], sine = F / (3 * m * g), cosine = csqrt(1 - sine * sine),
                 v = csqrt(2 * g * l * sine), t = 0.8 - fall_time(casin(sine), l, g);
    *y = -l * sine - v * cosine * t - g * t * t / 2;
    return l * cosine - v * sine * t;
}

static number rod_x(const number *p) {
    number y;
    return rod_flight(p, &y);
}

static number rod_y(const number *p) {
    number y;
    rod_flight(p, &y);
    return y;
}

#define ROD                                                                                                            \
    "carom: 1\nparameters: {F: 40, m: 2, g: 10, l: 1}\nmodel:\n  gravity: [0, -g, 0]\n"                                \
    "  bodies: {bob: {type: point, mass: m, position: [l, 0]}}\n"                                                      \
    "  joints: {rod: {type: distance, bodies: [world, bob], breaks: {force: F}}}\n"                                    \
    "run: {integrator: lobatto, events: locate, dt: 0.01, until: 0.8, tolerance: 1e-13}\n"

static void a_rod_breaks(void **state) {
    static const law_case x = {ROD, "bob.x", {"F", "m", "g", "l"}, 4, rod_x, 1e-9},
                          y = {ROD, "bob.y", {"F", "m", "g", "l"}, 4, rod_y, 1e-9};
    (void)state;
    law_case_check(&x);
    law_case_check(&y);
}

/* A pull that grows by p a second takes off a magnet at p t = m g + F; from there on z = F/m d^2/2 + p/m d^3/6. A cubic
 * is exact. The second one comes off at the very end of a step. */
static number pulled_off(const number *p) {
    const number F = p[0], m = p[1], g = p[2], rate = p[3], d = 1.2 - (m * g + F) / rate;
    return F / m * d * d / 2 + rate / m * d * d * d / 6;
}

#define MAGNET(dt)                                                                                                     \
    "carom: 1\nparameters: {F: 30, m: 2, g: 10, p: 50}\nmodel:\n  gravity: [0, 0, -g]\n"                               \
    "  bodies: {magnet: {type: point, mass: m, position: [0, 0, 0]}}\n"                                                \
    "  loads: {pull: {body: magnet, force: [0, 0, p*t]}}\n"                                                            \
    "  contacts: {plate: {between: [{body: magnet, point: [0, 0, 0]}, {body: world, plane: [0, 0, 1]}], "              \
    "adhesion: F, friction: 0.5}}\n"                                                                                   \
    "run: {integrator: lobatto, events: locate, dt: " dt ", until: 1.2, tolerance: 1e-13}\n"

static void a_magnet_is_pulled_off(void **state) {
    static const law_case within = {MAGNET("0.03"), "magnet.z", {"F", "m", "g", "p"}, 4, pulled_off, 1e-10},
                          at_end = {MAGNET("0.05"), "magnet.z", {"F", "m", "g", "p"}, 4, pulled_off, 1e-10};
    (void)state;
    law_case_check(&within);
    law_case_check(&at_end);
}

/* A ball on a string rises, is caught by glue at a ceiling after a strike without rebound, and comes off when a load
 * reaches it. Parabolas and cubics again; the strike is at h = v t - g t^2/2. */
static number caught(const number *p) {
    const number F = p[0], m = p[1], g = p[2], rate = p[3], d = 0.9 - (F - m * g) / rate;
    return -(F / m * d * d / 2 + rate / m * d * d * d / 6);
}

static void glue_catches_and_lets_go(void **state) {
    static const law_case ceiling = {
        "carom: 1\nparameters: {F: 30, m: 2, g: 10, p: 20, h: 0.2}\nmodel:\n  gravity: [0, 0, -g]\n"
        "  bodies: {magnet: {type: point, mass: m, position: [0, 0, -h], velocity: [0, 0, 3]}}\n"
        "  loads: {pull: {body: magnet, force: [0, 0, -p*t]}}\n"
        "  contacts: {plate: {between: [{body: magnet, point: [0, 0, 0]}, {body: world, plane: [0, "
        "0, "
        "-1]}], adhesion: F, friction: 0.5}}\n"
        "run: {integrator: lobatto, events: locate, dt: 0.005, until: 0.9, tolerance: 1e-13}\n",
        "magnet.z",
        {"F", "m", "g", "p", "h"},
        5,
        caught,
        1e-10};
    (void)state;
    law_case_check(&ceiling);
}

/* Two bodies fall as one until the first strikes the floor, whose impact breaks the hinge between them. */
static void an_impact_breaks_a_hinge(void **state) {
    static const law_case hinge = {
        "carom: 1\nparameters: {m: 2, g: 10, h: 0.5, e: 0.5, w: 1, v: 0.3}\nmodel:\n  gravity: [0, -g]\n  bodies:\n"
        "    a: {type: planar, mass: m, inertia: 0.1, position: [0, h], velocity: [v, 0], angular_velocity: w}\n"
        "    b: {type: planar, mass: 1, inertia: 0.05, position: [0.5, h+0.2], angular_velocity: w, velocity: "
        "[v-0.2*w, "
        "0.5*w]}\n"
        "  joints: {j: {type: revolute, bodies: [a, b], at: [0, h], breaks: {impulse: 1}}}\n"
        "  contacts: {floor: {between: [{body: a, point: [0.0, 0]}, {body: world, plane: [0, 1]}], restitution: e}}\n"
        "run: {integrator: lobatto, events: locate, dt: 0.02, until: 0.6, tolerance: 1e-13}\n",
        "b.x",
        {"m", "g", "h", "e", "w", "v"},
        6,
        NULL,
        1e-8};
    (void)state;
    law_case_check_by_differences(&hinge);
}

/* Two rods share a load and reach what they bear at the same time: which of them is the first, nobody can say. */
static void a_tie_has_no_derivative(void **state) {
    static const char text[] =
        "carom: 1\nparameters: {F: 20}\nmodel:\n  gravity: [0, -10]\n"
        "  bodies: {bar: {type: planar, mass: 2, inertia: 0.1, position: [0, 0]}}\n"
        "  loads: {pull: {body: bar, force: [0, -40*t]}}\n  joints:\n"
        "    left: {type: distance, bodies: [world, bar], points: [[-1, 1], [-1, 0]], breaks: {force: F}}\n"
        "    right: {type: distance, bodies: [world, bar], points: [[1, 1], [1, 0]], breaks: {force: F}}\n"
        "run: {integrator: lobatto, events: locate, dt: 0.02, until: 0.6}\n";
    const char *by = "F";
    carom_error error;
    carom_scene *scene;
    carom_sim *sim;
    (void)state;
    if (carom_scene_parse(text, sizeof text - 1, "scene", NULL, 0, &scene, &error)) fail_msg("%s", error.message);
    assert_int_equal(carom_sim_create(carom_scene_model(scene), carom_scene_run(scene), &sim, &error), CAROM_OK);
    assert_int_equal(carom_sim_differentiate(sim, &by, 1, &error), CAROM_OK);
    assert_int_equal(carom_sim_run(sim, &error), CAROM_OK);
    assert_non_null(carom_sim_lost(sim));
    printf("%s\n", carom_sim_lost(sim));
    carom_sim_destroy(sim);
    carom_scene_destroy(scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_rod_breaks), cmocka_unit_test(a_magnet_is_pulled_off),
                                       cmocka_unit_test(glue_catches_and_lets_go),
                                       cmocka_unit_test(an_impact_breaks_a_hinge),
                                       cmocka_unit_test(a_tie_has_no_derivative)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
