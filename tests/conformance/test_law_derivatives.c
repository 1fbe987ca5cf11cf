/* Derivatives through laws of friction beside Coulomb's, against closed forms: rolling resistance (L19), friction in
 * joints (L20), static friction above kinetic friction (L21). Closed forms are differentiated by complex steps. Both
 * ways, along the motion and back from its end, are the same to 1e-11 of the largest derivative. */
#include <complex.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "carom/carom.h"

typedef double complex number;
enum { MOST = 6 };
static carom_error error;

static void check(carom_status status) {
    if (status) fail_msg("%s", error.message);
}

typedef struct law_case {
    const char *text, *of;
    const char *by[MOST];
    int count;
    number (*value)(const number *p); /* of the parameters by, in order */
    double bound;                     /* relative to the derivative */
} law_case;

static double closed_form(const law_case *x, const carom_model_def *d, const carom_model *model, int k) {
    number p[MOST];
    for (int i = 0; i < x->count; i++)
        p[i] = d->parameter[carom_model_parameter(model, x->by[i])] + (i == k ? 1e-40 * I : 0);
    return cimag(x->value(p)) / 1e-40;
}

static void compare(const law_case *x) {
    carom_scene *scene;
    carom_sim *ahead, *back;
    check(carom_scene_parse(x->text, strlen(x->text), "scene", NULL, 0, &scene, &error));
    const carom_model *model = carom_scene_model(scene);
    const carom_model_def *d = carom_model_get(model);
    double weight[32] = {0}, gradient[MOST], most = 0;
    const int q = carom_model_coordinate(model, x->of);
    check(carom_sim_create(model, carom_scene_run(scene), &ahead, &error));
    check(carom_sim_create(model, carom_scene_run(scene), &back, &error));
    check(carom_sim_differentiate(ahead, x->by, x->count, &error));
    check(carom_sim_trace(back, x->by, x->count, 0, &error));
    check(carom_sim_run(ahead, &error));
    check(carom_sim_run(back, &error));
    if (carom_sim_lost(ahead)) fail_msg("%s", carom_sim_lost(ahead));
    weight[q] = 1;
    check(carom_sim_gradient(back, &(carom_weight){carom_sim_steps(back), -1, weight, NULL, 0}, 1, gradient, &error));
    for (int k = 0; k < x->count; k++) most = fmax(most, fabs(carom_sim_q_by(ahead, k)[q]));
    for (int k = 0; k < x->count; k++) {
        const double is = carom_sim_q_by(ahead, k)[q], expected = closed_form(x, d, model, k);
        printf("%s by %-5s %.15g, in closed form %.15g, back %.15g\n", x->of, x->by[k], is, expected, gradient[k]);
        if (!(fabs(is - expected) <= x->bound * fabs(expected)) || !(fabs(is - gradient[k]) <= 1e-11 * most))
            fail_msg("%s by %s is %.15g, not %.15g", x->of, x->by[k], is, expected);
    }
    carom_sim_destroy(ahead);
    carom_sim_destroy(back);
    carom_scene_destroy(scene);
}

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
    compare(&ball);
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
    compare(&journal);
}

/* A mass on a spring, carried by a belt until mus g = k x; then it swings about kinetic friction. Four stages of 0.01 s
 * miss (w dt)^6 = 1e-8 of the motion, with a small factor. */
static number broken_away(const number *p) {
    const number v = p[0], k = p[1], g = p[2], mus = p[3], w = csqrt(k), late = 1.8 - mus * g / (k * v);
    return 0.25 * g / k + (mus - 0.25) * g / k * ccos(w * late) + v / w * csin(w * late);
}

static void static_above_kinetic(void **state) {
    static const law_case belt = {
        "carom: 1\nparameters: {v: 0.2, k: 20, g: 9.81, mus: 0.4}\nmodel:\n  coordinates: {x: {velocity: v}, y: 0}\n"
        "  kinetic: (x_dot^2 + y_dot^2)/2\n  potential: k*x^2/2 + g*y\n"
        "  contacts: {belt: {gap: y, slip: x_dot - v, friction: {static: mus, kinetic: 0.25}}}\n"
        "run: {integrator: lobatto, stages: 4, events: locate, dt: 0.01, until: 1.8, tolerance: 1e-13}\n",
        "x",
        {"v", "k", "g", "mus"},
        4,
        broken_away,
        1e-9};
    (void)state;
    compare(&belt);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(rolling_resistance), cmocka_unit_test(friction_in_a_joint),
                                       cmocka_unit_test(static_above_kinetic)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
