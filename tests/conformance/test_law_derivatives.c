/* Derivatives through laws of friction beside Coulomb's, against closed forms: rolling resistance (L19), friction in
 * joints (L20), static friction above kinetic friction (L21), friction by slip (L16), (L26). Closed forms and
 * integrations are differentiated by complex steps. Both ways, along the motion and back from its end, are the same to
 * 1e-11 of the largest derivative. */
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

/* Derivatives of one coordinate, along the motion and back from its end, which must be the same. */
static void differentiate(const law_case *x, const carom_scene *scene, double *by) {
    const carom_model *model = carom_scene_model(scene);
    carom_sim *ahead, *back;
    double weight[64] = {0}, gradient[MOST], most = 0;
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
    for (int k = 0; k < x->count; k++) most = fmax(most, fabs(by[k] = carom_sim_q_by(ahead, k)[q]));
    for (int k = 0; k < x->count; k++)
        if (!(fabs(by[k] - gradient[k]) <= 1e-11 * most))
            fail_msg("%s by %s is %.15g, and back %.15g", x->of, x->by[k], by[k], gradient[k]);
    carom_sim_destroy(ahead);
    carom_sim_destroy(back);
}

static carom_scene *read(const law_case *x, const char *const *overrides, int count) {
    carom_scene *scene;
    check(carom_scene_parse(x->text, strlen(x->text), "scene", overrides, count, &scene, &error));
    return scene;
}

static const char *const four_stages[] = {"run.stages=4"};

/* Both ways agree under other schemes as well, whose derivatives are their own. */
static void go_back(const law_case *x) {
    static const char *const others[][2] = {
        {"run.integrator=rattle"}, {"run.events=capture"}, {"run.events=capture", "run.integrator=rattle"}};
    double by[MOST];
    for (int i = 0; i < 3; i++) {
        carom_scene *scene = read(x, others[i], i < 2 ? 1 : 2);
        differentiate(x, scene, by);
        carom_scene_destroy(scene);
    }
}

static void compare(const law_case *x) {
    carom_scene *scene = read(x, four_stages, 1);
    const carom_model *model = carom_scene_model(scene);
    double is[MOST];
    differentiate(x, scene, is);
    for (int k = 0; k < x->count; k++) {
        const double expected = closed_form(x, carom_model_get(model), model, k);
        printf("%s by %-5s %.15g, in closed form %.15g\n", x->of, x->by[k], is[k], expected);
        if (!(fabs(is[k] - expected) <= x->bound * fabs(expected)))
            fail_msg("%s by %s is %.15g, not %.15g", x->of, x->by[k], is[k], expected);
    }
    carom_scene_destroy(scene);
    go_back(x);
}

/* The end of the motion with one parameter moved. */
static double moved(const law_case *x, const char *name, double by) {
    carom_scene *scene = read(x, four_stages, 1);
    const carom_model *model = carom_scene_model(scene);
    const carom_model_def *d = carom_model_get(model);
    carom_sim *sim;
    check(carom_sim_create(model, carom_scene_run(scene), &sim, &error));
    const int parameter = carom_model_parameter(model, name);
    check(carom_sim_set_parameter(sim, parameter, d->parameter[parameter] + by, &error));
    check(carom_sim_restart(sim, &error));
    check(carom_sim_run(sim, &error));
    const double end = carom_sim_q(sim)[carom_model_coordinate(model, x->of)];
    carom_sim_destroy(sim);
    carom_scene_destroy(scene);
    return end;
}

/* Central differences, extrapolated: h = 2^-k/64 leaves h^10 of the motion, and 1e-14/h of round-off. */
static double difference_by(const law_case *x, const char *name) {
    enum { ROWS = 5 };
    double D[ROWS][ROWS];
    for (int l = 0; l < ROWS; l++) {
        const double h = ldexp(1, -6 - l);
        D[l][0] = (moved(x, name, h) - moved(x, name, -h)) / (2 * h);
        for (int j = 1; j <= l; j++) D[l][j] = (ldexp(D[l][j - 1], 2 * j) - D[l - 1][j - 1]) / (ldexp(1, 2 * j) - 1);
    }
    return D[ROWS - 1][ROWS - 1];
}

static void compare_with_differences(const law_case *x) {
    carom_scene *scene = read(x, four_stages, 1);
    double is[MOST], most = 0;
    differentiate(x, scene, is);
    carom_scene_destroy(scene);
    for (int k = 0; k < x->count; k++) most = fmax(most, fabs(is[k]));
    for (int k = 0; k < x->count; k++) {
        const double expected = difference_by(x, x->by[k]);
        printf("%s by %-5s %.15g, by differences %.15g\n", x->of, x->by[k], is[k], expected);
        if (!(fabs(is[k] - expected) <= x->bound * most))
            fail_msg("%s by %s is %.15g, not %.15g", x->of, x->by[k], is[k], expected);
    }
    go_back(x);
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
        "run: {integrator: lobatto, events: locate, dt: 0.01, until: 1.8, tolerance: 1e-13}\n",
        "x",
        {"v", "k", "g", "mus"},
        4,
        broken_away,
        1e-9};
    (void)state;
    compare(&belt);
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
    compare(&slips);
    compare(&sticks);
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
    compare_with_differences(&plane);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(rolling_resistance), cmocka_unit_test(friction_in_a_joint),
                                       cmocka_unit_test(static_above_kinetic), cmocka_unit_test(friction_by_slip),
                                       cmocka_unit_test(friction_by_slip_on_a_plane)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
