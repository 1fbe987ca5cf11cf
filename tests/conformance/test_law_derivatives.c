/* Derivatives through laws of friction beside Coulomb's, against closed forms: rolling resistance (L19), friction in
 * joints (L20), static friction above kinetic friction (L21), friction by slip (L16), (L26). Closed forms and
 * integrations are differentiated by complex steps. Both ways, along the motion and back from its end, are the same to
 * 1e-11 of the largest derivative. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "law_case.h"

/* x = v T - a T^2/2, the torque c m g felt by m + I, R = 1: parabolas are exact, 1e-10 is what tolerances leave. */
static number rolled(const number *p) {
    const number v = p[0], c = p[1], m = p[2], J = p[3], g = p[4];
    return v * 2 - c * m * g / (m + J) * 2 * 2 / 2;
}

static void rolling_resistance(void **state) {
    static const law_case ball = {
        "carom: 1\nparameters: {v: 2, c: 0.05, m: 2, J: 0.8, g: 10}\nmodel:\n  gravity: [0, 0, -g]\n"
        "  bodies: {ball: {type: spatial, mass: m, inertia: [J, J, J], position: [0, 0, 1], velocity: [v, 0, 0], "
        "angular_velocity: [0, v, 0], shape: {sphere: 1}}}\n"
        "  contacts: {floor: {between: [ball, {body: world, plane: [0, 0, 1]}], friction: 0.3, rolling: c}}\n"
        "run: {integrator: lobatto, events: locate, dt: 0.05, until: 2, tolerance: 1e-13}\n",
        "ball.x",
        {"v", "c", "m", "J", "g"},
        5,
        rolled,
        1e-10};
    (void)state;
    law_case_check(&ball);
}

/* A journal spins down: w^2 J/(2 mu r m g) until it sticks. */
static number spun(const number *p) {
    return p[0] * p[0] * p[4] / (2 * p[1] * p[2] * p[3] * p[5]);
}

static void friction_in_a_joint(void **state) {
    static const law_case journal = {
        "carom: 1\nparameters: {w: 3, mu: 0.1, r: 0.05, m: 2, J: 0.5, g: 10}\nmodel:\n  gravity: [0, -g, 0]\n"
        "  bodies: {b: {type: planar, mass: m, inertia: J, position: [0, 0], angular_velocity: w}}\n"
        "  joints: {j: {bodies: [world, b], type: revolute, at: [0, 0], friction: mu, radius: r}}\n"
        "run: {integrator: lobatto, events: locate, dt: 0.1, until: 16, tolerance: 1e-13}\n",
        "b.phi",
        {"w", "mu", "r", "m", "J", "g"},
        6,
        spun,
        1e-9};
    (void)state;
    law_case_check(&journal);
}

/* A mass on a spring, carried by a belt until mus g = k x; then it swings about kinetic friction. Four stages of 0.01 s
 * miss (w dt)^6 = 1e-8 of the motion, with a small factor. */
static number broken_away(const number *p) {
    const number v = p[0], k = p[1], g = p[2], mus = p[3], w = csqrt(k), late = 1.8 - mus * g / (k * v);
    return 0.25 * g / k + (mus - 0.25) * g / k * ccos(w * late) + v / w * csin(w * late);
}

#define BELT_OF_TWO(g)                                                                                                 \
    "carom: 1\nparameters: {v: 0.2, k: 20, g: " g ", mus: 0.4}\nmodel:\n  coordinates: {x: {velocity: v}, y: 0}\n"     \
    "  kinetic: (x_dot^2 + y_dot^2)/2\n  potential: k*x^2/2 + g*y\n"                                                   \
    "  contacts: {belt: {gap: y, slip: x_dot - v, friction: {static: mus, kinetic: 0.25}}}\n"                          \
    "run: {integrator: lobatto, events: locate, dt: 0.01, until: 1.8, tolerance: 1e-13}\n"

/* With g = 10 it breaks away at t = 1, at the end of a step. */
static void static_above_kinetic(void **state) {
    static const law_case within = {BELT_OF_TWO("9.81"), "x", {"v", "k", "g", "mus"}, 4, broken_away, 1e-9},
                          at_end = {BELT_OF_TWO("10"), "x", {"v", "k", "g", "mus"}, 4, broken_away, 1e-9};
    (void)state;
    law_case_check(&within);
    law_case_check(&at_end);
}

/* Stribeck's friction, by place as well: a mass on a spring is carried by a belt, breaks away, slips back and sticks
 * again. The reference integrates slip in complex numbers by the classical Runge-Kutta method, 4000 steps, which leave
 * (w dt)^4 w t/180 = 1e-13. Four stages of 0.01 s miss as much as above. */
typedef struct belt {
    number v, k, g, rest, falls, fades, steep;
} belt;
typedef struct belt_state {
    number x, s; /* place, and how fast it slips back on the belt */
} belt_state;

static belt_state belt_rate(const belt *b, belt_state y) {
    const number mu = (b->rest + b->falls * cexp(-y.s / b->fades)) * (1 + b->steep * y.x);
    return (belt_state){b->v - y.s, b->k * y.x - mu * b->g};
}

static belt_state belt_move(belt_state y, number h, belt_state rate) {
    return (belt_state){y.x + h * rate.x, y.s + h * rate.s};
}

static belt_state belt_step(const belt *b, belt_state y, number h) {
    const belt_state k1 = belt_rate(b, y), k2 = belt_rate(b, belt_move(y, h / 2, k1)),
                     k3 = belt_rate(b, belt_move(y, h / 2, k2)), k4 = belt_rate(b, belt_move(y, h, k3));
    return (belt_state){y.x + h / 6 * (k1.x + 2 * k2.x + 2 * k3.x + k4.x),
                        y.s + h / 6 * (k1.s + 2 * k2.s + 2 * k3.s + k4.s)};
}

/* Where it sticks again, or is at the end: time is left there. */
static number belt_place(const belt *b, number start, double until) {
    const number x = (b->rest + b->falls) * b->g / (b->k - b->steep * (b->rest + b->falls) * b->g), h = 2e-4;
    number t = (x - start) / b->v;
    belt_state y = {x, 0}, next = belt_step(b, y, h);
    for (; creal(next.s) > 0 && creal(t + h) < until; next = belt_step(b, y, h)) y = next, t += h;
    if (creal(next.s) > 0) return belt_step(b, y, until - t).x;
    number rest = 0;
    for (int i = 0; i < 30; i++) next = belt_step(b, y, rest), rest -= next.s / belt_rate(b, next).s;
    next = belt_step(b, y, rest);
    return next.x + b->v * (until - t - rest);
}

static belt belt_of(const number *p) {
    return (belt){p[0], p[1], 9.81, p[2], p[3], p[4], p[5]};
}

static number slips_back(const number *p) {
    const belt b = belt_of(p);
    return belt_place(&b, 0, 2.0);
}

static number sticks_again(const number *p) {
    const belt b = belt_of(p);
    return belt_place(&b, 0, 2.6);
}

#define BELT(until)                                                                                                    \
    "carom: 1\nparameters: {v: 0.2, k: 20, rest: 0.25, falls: 0.15, fades: 0.5, steep: 0.3}\nmodel:\n"                 \
    "  coordinates: {x: {velocity: v}, y: 0}\n  kinetic: (x_dot^2 + y_dot^2)/2\n  potential: k*x^2/2 + 9.81*y\n"       \
    "  contacts: {belt: {gap: y, slip: x_dot - v, friction: (rest + falls*exp(-slip/fades))*(1 + steep*x)}}\n"         \
    "run: {integrator: lobatto, events: locate, dt: 0.01, until: " until ", tolerance: 1e-13}\n"

static void friction_by_slip(void **state) {
    static const law_case slips = {BELT("2"), "x", {"v", "k", "rest", "falls", "fades", "steep"}, 6, slips_back, 1e-9},
                          sticks = {BELT("2.6"), "x",          {"v", "k", "rest", "falls", "fades", "steep"},
                                    6,           sticks_again, 1e-9};
    (void)state;
    law_case_check(&slips);
    law_case_check(&sticks);
}

/* Slip in two directions that turns, on a grain, with friction by slip, place and time: differences of located runs. */
static void friction_by_slip_on_a_plane(void **state) {
    static const law_case plane = {
        "carom: 1\nparameters: {g: 10, a: 0.25, b: 0.2, c: 0.4, d: 0.1, v: 1.2, w: 0.7, pull: 0.9}\nmodel:\n"
        "  gravity: [pull, 0, -g]\n"
        "  bodies: {box: {type: point, mass: 2, position: [0, 0, 0], velocity: [v, w, 0]}}\n"
        "  contacts: {floor: {between: [{body: box, point: [0, 0, 0]}, {body: world, plane: [0, 0, 1]}],"
        " friction: {along: [a, 0.3], factor: (1 + b*exp(-slip/c))*(1 + d*t)}}}\n"
        "run: {integrator: lobatto, events: locate, dt: 0.02, until: 0.4, tolerance: 1e-13}\n",
        "box.x",
        {"a", "b", "c", "d", "v", "w"},
        6,
        NULL,
        1e-8};
    (void)state;
    law_case_check_by_differences(&plane);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(rolling_resistance), cmocka_unit_test(friction_in_a_joint),
                                       cmocka_unit_test(static_above_kinetic), cmocka_unit_test(friction_by_slip),
                                       cmocka_unit_test(friction_by_slip_on_a_plane)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
