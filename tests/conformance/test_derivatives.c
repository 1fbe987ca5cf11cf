/* Derivatives of the motion against closed forms, differentiated by complex steps: f'(p) = Im f(p + i h)/h for h so
 * small that no digit is lost (docs/theory/sensitivity.md). */
#include <complex.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "carom/carom.h"

typedef double complex number;
enum { MOST = 8 };

static carom_error error;

static void check(carom_status status) {
    if (status) fail_msg("%s", error.message);
}

typedef struct run {
    carom_scene *scene;
    carom_sim *sim;
} run;

static run begin(const char *text, const char *const *overrides, int count) {
    run r;
    check(carom_scene_parse(text, strlen(text), "scene", overrides, count, &r.scene, &error));
    check(carom_sim_create(carom_scene_model(r.scene), carom_scene_run(r.scene), &r.sim, &error));
    return r;
}

static void end(run r) {
    carom_sim_destroy(r.sim);
    carom_scene_destroy(r.scene);
}

/* Names "a b c" in one string, as a list. */
static int split(const char *names, char room[MOST][32], const char *list[MOST]) {
    int count = 0, used;
    for (const char *p = names; sscanf(p, "%31s%n", room[count], &used) == 1; p += used)
        list[count] = room[count], count++;
    return count;
}

/* A case: a scene, what it is differentiated by, and a coordinate at the end in closed form. */
typedef struct exact {
    const char *text, *by, *of;
    number (*value)(const number *p, double T); /* p: parameters by, in order */
    double bound;                               /* relative; what the scheme leaves is said at each */
} exact;

static double derivative_of(const exact *x, const double *p, int count, int k, double T) {
    number moved[MOST];
    for (int i = 0; i < count; i++) moved[i] = p[i] + (i == k ? 1e-40 * I : 0);
    return cimag(x->value(moved, T)) / 1e-40;
}

/* The adjoint goes through the same steps, backwards: all that tells it from the derivatives is round-off, of the size
 * of what they grow to on the way. */
static void compare_adjoint(const run *ahead, const char *const *by, int count, int q, int u) {
    const carom_model_def *d = carom_model_get(carom_scene_model(ahead->scene));
    double *weight = calloc((size_t)(d->nq + d->nu), sizeof *weight), gradient[MOST], most = 1;
    carom_sim *sim;
    weight[q >= 0 ? q : d->nq + u] = 1;
    check(carom_sim_create(carom_scene_model(ahead->scene), carom_scene_run(ahead->scene), &sim, &error));
    check(carom_sim_trace(sim, by, count, 0, &error));
    check(carom_sim_run(sim, &error));
    const carom_weight weights = {carom_sim_steps(sim), -1, weight, weight + d->nq, 0};
    check(carom_sim_gradient(sim, &weights, 1, gradient, &error));
    for (int k = 0; k < count; k++) {
        for (int i = 0; i < d->nq; i++) most = fmax(most, fabs(carom_sim_q_by(ahead->sim, k)[i]));
        for (int i = 0; i < d->nu; i++) most = fmax(most, fabs(carom_sim_u_by(ahead->sim, k)[i]));
    }
    for (int k = 0; k < count; k++) {
        const double value = q >= 0 ? carom_sim_q_by(ahead->sim, k)[q] : carom_sim_u_by(ahead->sim, k)[u];
        if (!(fabs(gradient[k] - value) <= 1e-10 * most))
            fail_msg("by %s the adjoint is off by %.3g", by[k], fabs(gradient[k] - value) / most);
    }
    carom_sim_destroy(sim);
    free(weight);
}

/* The value of q or u by its name at the end of the run, and its derivatives; returns the worst error of these. */
static double worst_error(const exact *x, const char *const *overrides, int overridden, bool print) {
    char room[MOST][32];
    const char *by[MOST];
    const int count = split(x->by, room, by);
    run r = begin(x->text, overrides, overridden);
    const carom_model *m = carom_scene_model(r.scene);
    double p[MOST], worst = 0;
    number at[MOST];
    for (int k = 0; k < count; k++) at[k] = p[k] = carom_sim_parameter(r.sim, carom_model_parameter(m, by[k]));
    check(carom_sim_differentiate(r.sim, by, count, &error));
    check(carom_sim_run(r.sim, &error));
    if (carom_sim_lost(r.sim)) fail_msg("%s", carom_sim_lost(r.sim));
    const int q = carom_model_coordinate(m, x->of), u = carom_model_velocity(m, x->of);
    const double T = carom_sim_time(r.sim), is = q >= 0 ? carom_sim_q(r.sim)[q] : carom_sim_u(r.sim)[u];
    const double value = creal(x->value(at, T));
    if (print) printf("%s = %.12g, in closed form %.12g\n", x->of, is, value);
    for (int k = 0; k < count; k++) {
        const double d = q >= 0 ? carom_sim_q_by(r.sim, k)[q] : carom_sim_u_by(r.sim, k)[u];
        const double expected = derivative_of(x, p, count, k, T), miss = fabs(d - expected) / fmax(1, fabs(expected));
        if (print) printf("  by %-4s % .14g, in closed form % .14g, off by %.1e\n", by[k], d, expected, miss);
        worst = fmax(worst, miss);
    }
    compare_adjoint(&r, by, count, q, u);
    end(r);
    return worst;
}

static void compare(exact x, const char *override) {
    const double worst = worst_error(&x, &override, override != NULL, true);
    if (!(worst <= x.bound)) fail_msg("a derivative of %s is off by %.3g, more than %.3g", x.of, worst, x.bound);
}

/* ---------------------------------------------------------------- a ball falls, and bounces once */

#define BALL(options)                                                                                                  \
    "carom: 1\n"                                                                                                       \
    "parameters: {g: 9.81, e: 0.8, mu: 0.2, z0: 1, v0: 0.3, w0: 2}\n"                                                  \
    "model:\n"                                                                                                         \
    "  coordinates: {x: {start: 0, velocity: w0}, z: {start: z0, velocity: v0}}\n"                                     \
    "  kinetic: (x_dot^2 + z_dot^2)/2\n"                                                                               \
    "  potential: g*z\n"                                                                                               \
    "  contacts: {floor: {gap: z, restitution: e, slip: x_dot, friction: mu}}\n"                                       \
    "run: {integrator: lobatto, events: locate, tolerance: 1e-13, " options "}\n"

static number fall(number g, number z0, number v0, number *speed) {
    *speed = csqrt(v0 * v0 + 2 * g * z0);
    return (v0 + *speed) / g;
}

static number height(const number *p, double T) {
    number v, t = T - fall(p[0], p[2], p[3], &v);
    return p[1] * v * t - p[0] * t * t / 2;
}

static number slide(const number *p, double T) {
    number v, t = fall(p[0], p[2], p[3], &v);
    return p[5] * t + (p[5] - p[4] * (1 + p[1]) * v) * (T - t);
}

/* Parabolas: the scheme is exact. What is left is the tolerance, 1e-13, over the time of a step. */
static void bounces(void **state) {
    (void)state;
    compare((exact){BALL("dt: 0.1, until: 1.2"), "g e z0 v0", "z", height, 1e-11}, NULL);
    compare((exact){BALL("dt: 0.1, until: 1.2, stages: 2"), "g e z0 v0", "z", height, 1e-11}, NULL);
    compare((exact){BALL("dt: 0.1, until: 0.9"), "g e z0 v0 mu w0", "x", slide, 1e-11}, NULL);
    compare((exact){BALL("dt: 0.1, until: 1.2"), "g e z0 v0", "z", height, 1e-11}, "run.integrator=rattle");
    compare((exact){BALL("dt: 0.1, until: 0.9"), "g e z0 v0 mu w0", "x", slide, 1e-11}, "run.integrator=rattle");
}

/* ---------------------------------------------------------------- the same until it rests, slides and stops */

/* Impacts at speeds v, e v, e^2 v, ...; each takes mu (1 + e) of its speed off the velocity along the floor. */
static number rest(const number *p, double T) {
    (void)T;
    const number g = p[0], e = p[1], mu = p[4], w = p[5], one = 1;
    number v, t = fall(g, p[2], p[3], &v), all = mu * (1 + e) * v / (1 - e), left = w - all;
    number flights = 2 * v / g * (left * e / (one - e) + all * e * e / (one - e * e));
    return w * t + flights + left * left / (2 * mu * g);
}

/* Hops of less than 1e-5 dt are left out, (V9): about 1e-10 of the distance of a step. */
static void comes_to_rest(void **state) {
    (void)state;
    const char *fast = "parameters={e: 0.3, w0: 6}"; /* it still slides when it has come to rest on the floor */
    compare((exact){BALL("dt: 0.05, until: 5"), "g e z0 v0 mu w0", "x", rest, 1e-8}, fast);
}

/* ---------------------------------------------------------------- two balls exchange their velocities */

static const char BALLS[] = "carom: 1\n"
                            "parameters: {x1: 0, x2: 1, v1: 1, v2: -0.5}\n"
                            "model:\n"
                            "  coordinates: {a: {start: x1, velocity: v1}, b: {start: x2, velocity: v2}}\n"
                            "  kinetic: (a_dot^2 + b_dot^2)/2\n"
                            "  contacts: {touch: {gap: b - a - 0.2, restitution: 1}}\n"
                            "run: {integrator: lobatto, events: locate, dt: 0.3, until: 0.9, tolerance: 1e-13}\n";

/* d(a_dot, b_dot)/d(v1, v2) = (0, 1; 1, 0), d(a, b)/d(x1, x2) the same. */
static void balls_exchange(void **state) {
    (void)state;
    static const char *const by[] = {"v1", "v2", "x1", "x2", "start.a_dot"};
    run r = begin(BALLS, NULL, 0);
    check(carom_sim_differentiate(r.sim, by, 5, &error));
    check(carom_sim_run(r.sim, &error));
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 2; i++) {
            assert_true(fabs(carom_sim_u_by(r.sim, k)[i] - (i != k)) < 1e-14);
            assert_true(fabs(carom_sim_q_by(r.sim, 2 + k)[i] - (i != k)) < 1e-13);
            assert_true(fabs(carom_sim_u_by(r.sim, 4)[i] - carom_sim_u_by(r.sim, 0)[i]) < 1e-14);
        }
    end(r);
}

/* The time of the impact, (x2 - x1 - 0.2)/(v1 - v2). */
static void instants_move(void **state) {
    (void)state;
    static const char *const by[] = {"x2", "v1"};
    run r = begin(BALLS, NULL, 0);
    int count = 0;
    check(carom_sim_differentiate(r.sim, by, 2, &error));
    while (!count && !carom_sim_done(r.sim)) {
        check(carom_sim_step(r.sim, &error));
        carom_sim_events(r.sim, &count);
    }
    assert_int_equal(count, 1);
    assert_true(fabs(carom_sim_event_by(r.sim, 0, 0) - 1 / 1.5) < 1e-12);
    assert_true(fabs(carom_sim_event_by(r.sim, 0, 1) + 0.8 / 2.25) < 1e-12);
    assert_true(fabs(carom_sim_margins(r.sim).transversality.least - 1) < 1e-12);
    end(r);
}

/* ---------------------------------------------------------------- a ball on a table that is shaken */

static const char SHAKEN[] = "carom: 1\n"
                             "parameters: {g: 9.81, e: 0.7, A: 0.05, w: 7, z0: 0.3}\n"
                             "model:\n"
                             "  coordinates: {z: {start: z0}}\n"
                             "  kinetic: z_dot^2/2\n"
                             "  potential: g*z\n"
                             "  contacts: {table: {gap: z - A*sin(w*t), restitution: e}}\n"
                             "run: {integrator: lobatto, events: locate, dt: 0.05, until: 0.4, tolerance: 1e-13}\n";

static number shaken(const number *p, double T) {
    const number g = p[0], e = p[1], A = p[2], w = p[3];
    number t = 0.25;
    for (int i = 0; i < 30; i++) t -= (p[4] - g * t * t / 2 - A * csin(w * t)) / (-g * t - A * w * ccos(w * t));
    const number z = A * csin(w * t), v = e * g * t + (1 + e) * A * w * ccos(w * t), left = T - t;
    return z + v * left - g * left * left / 2;
}

static void table_shakes(void **state) {
    (void)state;
    compare((exact){SHAKEN, "g e A w z0", "z", shaken, 1e-10}, NULL);
}

/* ---------------------------------------------------------------- stick that breaks, contacts that open */

/* Pulled by f t, a block waits until f t = mu g: x = f (T - t)^3/6. */
static const char PULLED[] = "carom: 1\n"
                             "parameters: {g: 9.81, mu: 0.3, f: 4}\n"
                             "model:\n"
                             "  coordinates: {x: {start: 0}, y: {start: 0}}\n"
                             "  kinetic: (x_dot^2 + y_dot^2)/2\n"
                             "  potential: g*y\n"
                             "  forces: {x: f*t}\n"
                             "  contacts: {floor: {gap: y, slip: x_dot, friction: mu}}\n"
                             "run: {integrator: lobatto, events: locate, dt: 0.1, until: 1.5, tolerance: 1e-13}\n";

static number pull(const number *p, double T) {
    const number t = T - p[1] * p[0] / p[2];
    return p[2] * t * t * t / 6;
}

/* On a table A sin(w t) until its acceleration is that of gravity: A w^2 sin(w t) = g. */
static const char LIFTED[] = "carom: 1\n"
                             "parameters: {g: 9.81, A: 0.5, w: 6}\n"
                             "model:\n"
                             "  coordinates: {z: {start: 0, velocity: A*w}}\n"
                             "  kinetic: z_dot^2/2\n"
                             "  potential: g*z\n"
                             "  contacts: {table: {gap: z - A*sin(w*t)}}\n"
                             "run: {integrator: lobatto, events: locate, dt: 0.02, until: 0.3, tolerance: 1e-13}\n";

static number lift(const number *p, double T) {
    const number g = p[0], A = p[1], w = p[2], t = casin(g / (A * w * w)) / w, left = T - t;
    return g / (w * w) + A * w * ccos(w * t) * left - g * left * left / 2;
}

/* A cubic, and a contact that holds the position exactly: what is left is the tolerance. */
static void states_end(void **state) {
    (void)state;
    compare((exact){PULLED, "g mu f", "x", pull, 1e-10}, NULL);
    compare((exact){LIFTED, "g A w", "z", lift, 1e-9}, NULL);
}

/* On a belt the oscillator sticks for a while, and leaves it at the same place whatever it did before: nearby motions
 * are the same one a little later, and the derivative by the start lies along the motion. */
static const char BELT[] =
    "carom: 1\n"
    "parameters: {mu: 0.4, v: 0.2}\n"
    "model:\n"
    "  coordinates: {x: {start: 1}, y: {start: 0}}\n"
    "  kinetic: (x_dot^2 + y_dot^2)/2\n"
    "  potential: x^2/2 + y\n"
    "  contacts: {belt: {gap: y, slip: x_dot - v, friction: mu}}\n"
    "run: {integrator: lobatto, events: locate, dt: 0.1, until: 9, tolerance: 1e-13, stages: 4}\n";

static void belts_forget(void **state) {
    (void)state;
    run r = begin(BELT, NULL, 0);
    int breaks = 0, count;
    check(carom_sim_differentiate(r.sim, (const char *const[]){"start.x"}, 1, &error));
    while (!carom_sim_done(r.sim)) {
        check(carom_sim_step(r.sim, &error));
        const carom_event *event = carom_sim_events(r.sim, &count);
        for (int i = 0; i < count; i++) breaks += event[i].kind == CAROM_BREAK;
    }
    assert_true(breaks > 0);
    const double x = carom_sim_q(r.sim)[0], u = carom_sim_u(r.sim)[0];
    const double u_dot = (u < 0.2 ? 0.4 : -0.4) - x; /* friction drives it along with the belt, or holds it back */
    const double dx = carom_sim_q_by(r.sim, 0)[0], du = carom_sim_u_by(r.sim, 0)[0];
    const double across = (dx * u_dot - du * u) / (hypot(dx, du) * hypot(u, u_dot));
    printf("derivative (%.9g, %.9g), motion (%.9g, %.9g): across it %.1e\n", dx, du, u, u_dot, across);
    assert_true(hypot(dx, du) > 0.1);
    assert_true(fabs(across) < 1e-7); /* the error of the scheme at dt = 0.1: order 6 */
    end(r);
}

/* ---------------------------------------------------------------- orders, against motions that no scheme has exactly
 */

/* x'' + x = 0 strikes a wall at -a, from x0 at rest: at angle pi - acos(a/x0), with the speed sqrt(x0^2 - a^2). */
#define OSCILLATOR                                                                                                     \
    "carom: 1\n"                                                                                                       \
    "parameters: {a: 0.5, x0: 1, e: 0.6}\n"                                                                            \
    "model:\n"                                                                                                         \
    "  coordinates: {x: {start: x0}}\n"                                                                                \
    "  kinetic: x_dot^2/2\n"                                                                                           \
    "  potential: x^2/2\n"                                                                                             \
    "  contacts: {wall: {gap: x + a, restitution: e}}\n"                                                               \
    "run: {integrator: lobatto, events: locate, dt: 0.1, until: 3, tolerance: 1e-14}\n"

static number oscillate(const number *p, double T) {
    const number t = T - (M_PI - cacos(p[0] / p[1])), v = p[2] * csqrt(p[1] * p[1] - p[0] * p[0]);
    return -p[0] * ccos(t) + v * csin(t);
}

/* x'' + x = -f sign(x'): half a turn about +-f after every stop. */
#define RUBBING                                                                                                        \
    "carom: 1\n"                                                                                                       \
    "parameters: {f: 0.05, x0: 1}\n"                                                                                   \
    "model:\n"                                                                                                         \
    "  coordinates: {x: {start: x0}, y: {start: 0}}\n"                                                                 \
    "  kinetic: (x_dot^2 + y_dot^2)/2\n"                                                                               \
    "  potential: x^2/2 + y\n"                                                                                         \
    "  contacts: {floor: {gap: y, slip: x_dot, friction: f}}\n"                                                        \
    "run: {integrator: lobatto, events: locate, dt: 0.1, until: 7, tolerance: 1e-14}\n"

static number rub(const number *p, double T) {
    const number f = p[0], size = p[1] - 5 * f; /* two half turns, and a part of the third */
    return f + size * ccos(T);
}

/* x'' + x = F t - f from stick, which breaks at F t = f: x = F (tau - sin tau) with tau = t - f/F. */
#define BREAKING                                                                                                       \
    "carom: 1\n"                                                                                                       \
    "parameters: {f: 0.3, F: 1}\n"                                                                                     \
    "model:\n"                                                                                                         \
    "  coordinates: {x: {start: 0}, y: {start: 0}}\n"                                                                  \
    "  kinetic: (x_dot^2 + y_dot^2)/2\n"                                                                               \
    "  potential: x^2/2 + y\n"                                                                                         \
    "  forces: {x: F*t}\n"                                                                                             \
    "  contacts: {floor: {gap: y, slip: x_dot, friction: f}}\n"                                                        \
    "run: {integrator: lobatto, events: locate, dt: 0.1, until: 2, tolerance: 1e-14}\n"

static number break_loose(const number *p, double T) {
    const number tau = T - p[0] / p[1];
    return p[1] * (tau - csin(tau));
}

/* z'' + z = -g on a table A sin(w t), which it leaves where A (w^2 - 1) sin(w t) = g. */
#define LEAVING                                                                                                        \
    "carom: 1\n"                                                                                                       \
    "parameters: {g: 2, A: 0.5, w: 3}\n"                                                                               \
    "model:\n"                                                                                                         \
    "  coordinates: {z: {start: 0, velocity: A*w}}\n"                                                                  \
    "  kinetic: z_dot^2/2\n"                                                                                           \
    "  potential: z^2/2 + g*z\n"                                                                                       \
    "  contacts: {table: {gap: z - A*sin(w*t)}}\n"                                                                     \
    "run: {integrator: lobatto, events: locate, dt: 0.1, until: 1, tolerance: 1e-14}\n"

static number leave(const number *p, double T) {
    const number g = p[0], A = p[1], w = p[2], t = casin(g / (A * (w * w - 1))) / w, left = T - t;
    return -g + (A * csin(w * t) + g) * ccos(left) + A * w * ccos(w * t) * csin(left);
}

/* Errors of the derivatives at dt and dt/4: the order 2s-2 up to 0.3, since the place of an event in its step changes
 * the error as well; or round-off. */
static void has_order(const exact *x, int stages, double dt) {
    char texts[2][2][40];
    double miss[2];
    for (int i = 0; i < 2; i++) {
        snprintf(texts[i][0], sizeof texts[i][0], "run.stages=%d", stages);
        snprintf(texts[i][1], sizeof texts[i][1], "run.dt=%.17g", dt / (1 << 2 * i));
        miss[i] = worst_error(x, (const char *const[]){texts[i][0], texts[i][1]}, 2, false);
    }
    const double order = log2(miss[0] / miss[1]) / 2;
    printf("%s, %d stages: errors %.2e, %.2e, order %.2f\n", x->by, stages, miss[0], miss[1], order);
    if (!(miss[1] < 1e-11) && !(order > 2 * stages - 2 - 0.3)) fail_msg("the order is %.2f", order);
}

static void derivatives_have_orders(void **state) {
    (void)state;
    const exact struck = {OSCILLATOR, "a x0 e", "x", oscillate, 0}, rubbed = {RUBBING, "f x0", "x", rub, 0};
    const exact broken = {BREAKING, "f F", "x", break_loose, 0}, left = {LEAVING, "g A w", "z", leave, 0};
    for (int s = 2; s <= 4; s++) {
        has_order(&struck, s, s == 2 ? 0.1 : 0.25);
        has_order(&rubbed, s, s == 2 ? 0.1 : 0.25);
        has_order(&broken, s, s == 2 ? 0.1 : 0.25);
        has_order(&left, s, s == 2 ? 0.1 : 0.25);
    }
}

/* ---------------------------------------------------------------- events captured */

/* Captured, the derivative is that of the scheme: differences of its runs give it, in a step without an event. */
static void captured_runs_have_derivatives(void **state) {
    (void)state;
    static const char *const capture[] = {"run.events=capture", "run.dt=0.01"};
    const exact x = {BALL("dt: 0.1, until: 0.4"), "g z0 v0", "z", NULL, 0};
    run r = begin(x.text, capture, 2);
    check(carom_sim_differentiate(r.sim, (const char *const[]){"g", "z0", "v0"}, 3, &error));
    check(carom_sim_run(r.sim, &error));
    const double T = carom_sim_time(r.sim);
    assert_true(fabs(carom_sim_q_by(r.sim, 0)[1] + T * T / 2) < 1e-12);
    assert_true(fabs(carom_sim_q_by(r.sim, 1)[1] - 1) < 1e-12);
    assert_true(fabs(carom_sim_q_by(r.sim, 2)[1] - T) < 1e-12);
    end(r);
}

/* The step that captures an impact ends on the floor, wherever it began, with e times the velocity of its start, which
 * is -g t: the derivatives of the scheme are known. */
static void captured_impacts_have_derivatives(void **state) {
    (void)state;
    static const char *const by[] = {"g", "z0", "e"}, *const schemes[] = {"rattle", "lobatto"};
    for (int i = 0; i < 2; i++) {
        char scheme[40];
        snprintf(scheme, sizeof scheme, "run.integrator=%s", schemes[i]);
        const char *const capture[] = {"run.events=capture", "parameters.v0=0", "parameters.mu=0", scheme};
        const exact x = {BALL("dt: 0.1, until: 0.5"), "g z0 e", "z", NULL, 0}; /* the impact is at 0.4515 */
        run r = begin(x.text, capture, 4);
        check(carom_sim_differentiate(r.sim, by, 3, &error));
        check(carom_sim_run(r.sim, &error));
        const double expected[] = {0.8 * 0.4, 0, 9.81 * 0.4};
        for (int k = 0; k < 3; k++) {
            assert_true(fabs(carom_sim_q_by(r.sim, k)[1]) < 1e-12);
            assert_true(fabs(carom_sim_u_by(r.sim, k)[1] - expected[k]) < 1e-12);
        }
        compare_adjoint(&r, by, 3, -1, 1);
        end(r);
    }
}

/* ---------------------------------------------------------------- what is refused, and what does not change */

static void refused(const char *text, const char *integrator, const char *by, const char *sentence) {
    run r = begin(text, &integrator, !!integrator);
    assert_int_equal(carom_sim_differentiate(r.sim, &by, 1, &error), CAROM_DATA);
    if (!strstr(error.message, sentence)) fail_msg("'%s' lacks '%s'", error.message, sentence);
    assert_int_equal(carom_sim_derivatives(r.sim), 0);
    check(carom_sim_step(r.sim, &error));
    end(r);
}

static const char OSCILLATOR_PLAIN[] = "carom: 1\n"
                                       "parameters: {k: 1}\n"
                                       "model: {coordinates: {x: {start: 1}}, kinetic: x_dot^2/2, potential: k*x^2/2}\n"
                                       "run: {integrator: lobatto, dt: 0.1, until: 1}\n";

static void refusals_say_why(void **state) {
    (void)state;
    refused(BALLS, NULL, "x3", "there is no parameter 'x3', did you mean 'x1'?");
    refused(BALLS, NULL, "start.c", "there is no coordinate or velocity 'c'");
    refused(OSCILLATOR_PLAIN, "run.integrator=nsga", "k", "nsga has no derivatives");
    refused(RUBBING, "run.events=capture", "start.y", "'start.y' moves contact 'floor', which is closed at the start");
}

/* A box that lands flat on two corners: whichever is first turns it. */
static void ties_have_no_derivative(void **state) {
    (void)state;
    static const char text[] = "carom: 1\n"
                               "parameters: {h: 1}\n"
                               "model:\n"
                               "  coordinates: {y: {start: h}, phi: {start: 0}}\n"
                               "  kinetic: y_dot^2/2 + phi_dot^2/12\n"
                               "  potential: 10*y\n"
                               "  contacts:\n"
                               "    left: {gap: y - sin(phi), restitution: 0.5}\n"
                               "    right: {gap: y + sin(phi), restitution: 0.5}\n"
                               "run: {integrator: lobatto, events: locate, dt: 0.1, until: 0.6}\n";
    run r = begin(text, NULL, 0);
    check(carom_sim_differentiate(r.sim, (const char *const[]){"h"}, 1, &error));
    check(carom_sim_run(r.sim, &error));
    assert_non_null(carom_sim_lost(r.sim));
    assert_non_null(strstr(carom_sim_lost(r.sim), "contacts 'left' and 'right' strike at one instant, t = 0.447"));
    end(r);
}

/* A step that ends at the impact, as far as numbers can tell: from 0.2 it takes 4 steps of 0.05. The closed form is
 * that of any other height. */
static const char TIMED[] = "carom: 1\n"
                            "parameters: {g: 10, e: 0.5, z0: 0.2}\n"
                            "model:\n"
                            "  coordinates: {z: {start: z0}}\n"
                            "  kinetic: z_dot^2/2\n"
                            "  potential: g*z\n"
                            "  contacts: {floor: {gap: z, restitution: e}}\n"
                            "run: {integrator: lobatto, events: locate, dt: 0.05, until: 0.35, tolerance: 1e-13}\n";

static number rebound(const number *p, double T) {
    const number t = csqrt(2 * p[2] / p[0]), left = T - t;
    return p[1] * p[0] * t * left - p[0] * left * left / 2;
}

/* The same fall, with a push from h on, which begins as a step ends. */
static const char PUSHED[] = "carom: 1\n"
                             "parameters: {g: 10, f: 30, z0: 0.7, h: 0.5}\n"
                             "model:\n"
                             "  coordinates: {z: {start: z0}}\n"
                             "  kinetic: z_dot^2/2\n"
                             "  forces: {z: \"if(z < h, f, 0) - g\"}\n"
                             "run: {integrator: lobatto, events: locate, dt: 0.05, until: 0.35, tolerance: 1e-13}\n";

static number pushed(const number *p, double T) {
    const number t = csqrt(2 * (p[2] - p[3]) / p[0]), left = T - t;
    return p[3] - p[0] * t * left + (p[1] - p[0]) * left * left / 2;
}

static void steps_end_at_switches(void **state) {
    (void)state;
    static const char *const heights[] = {"parameters.z0=0.7", "parameters.z0=0.70000000000001",
                                          "parameters.z0=0.6999999999999"};
    for (int i = 0; i < 3; i++) compare((exact){PUSHED, "g f z0 h", "z", pushed, 1e-10}, heights[i]);
}

/* Pulled by f t, a block breaks away at t = mus g/f, as a step ends, and friction falls to 0.25. */
static const char BROKEN[] = "carom: 1\n"
                             "parameters: {g: 10, mus: 0.4, f: 4}\n"
                             "model:\n"
                             "  coordinates: {x: {start: 0}, y: {start: 0}}\n"
                             "  kinetic: (x_dot^2 + y_dot^2)/2\n"
                             "  potential: g*y\n"
                             "  forces: {x: f*t}\n"
                             "  contacts: {floor: {gap: y, slip: x_dot, friction: {static: mus, kinetic: 0.25}}}\n"
                             "run: {integrator: lobatto, events: locate, dt: 0.125, until: 1.5, tolerance: 1e-13}\n";

static number broken(const number *p, double T) {
    const number t = T - p[1] * p[0] / p[2];
    return (p[1] - 0.25) * p[0] * t * t / 2 + p[2] * t * t * t / 6;
}

static void steps_end_at_breaks(void **state) {
    (void)state;
    static const char *const frictions[] = {"parameters.mus=0.4", "parameters.mus=0.400000000000001",
                                            "parameters.mus=0.39999999999999"};
    for (int i = 0; i < 3; i++) compare((exact){BROKEN, "g mus f", "x", broken, 1e-9}, frictions[i]);
}

static void steps_end_at_impacts(void **state) {
    (void)state;
    static const char *const heights[] = {"parameters.z0=0.2", "parameters.z0=0.20000000000001",
                                          "parameters.z0=0.1999999999999"};
    for (int i = 0; i < 3; i++) compare((exact){TIMED, "g e z0", "z", rebound, 1e-10}, heights[i]);
    run r = begin(TIMED, (const char *const[]){"parameters.z0=0", "model.coordinates.z.velocity=-1"}, 2);
    check(carom_sim_differentiate(r.sim, (const char *const[]){"z0"}, 1, &error));
    check(carom_sim_run(r.sim, &error));
    assert_non_null(carom_sim_lost(r.sim));
    assert_non_null(strstr(carom_sim_lost(r.sim), "the run starts at an event"));
    end(r);
}

/* z' and the time of the start: z(T) = z + v (T - t) - g (T - t)^2/2 falls back by v - g (T - t) if t grows. Directions
 * keep a block on the floor that lies there, and let it move along. Another dt leaves parabolas as they are. */
static void directions_of_the_start(void **state) {
    (void)state;
    const double along[2][3] = {{1, 0, 0}, {0, 2, 3}};
    run r = begin(TIMED, (const char *const[]){"run.until=0.7", "run.dt=0.1"}, 2);
    check(carom_sim_differentiate_along(r.sim, NULL, 0, along[0], 2, &error));
    check(carom_sim_set_dt(r.sim, 0.07, &error));
    check(carom_sim_set_state(r.sim, 0.07, (double[]){2}, (double[]){1}, &error));
    check(carom_sim_run(r.sim, &error));
    assert_true(fabs(carom_sim_time(r.sim) - 0.7) < 1e-14);
    assert_true(fabs(carom_sim_q(r.sim)[0] - (2 + 0.63 - 5 * 0.63 * 0.63)) < 1e-13);
    assert_true(fabs(carom_sim_q_by(r.sim, 0)[0] + (1 - 10 * 0.63)) < 1e-12);
    assert_true(fabs(carom_sim_q_by(r.sim, 1)[0] - (2 + 3 * 0.63)) < 1e-12);
    end(r);
    const double both[5] = {0, 1, 1, 1, 1};
    r = begin(PULLED, NULL, 0);
    check(carom_sim_set_state(r.sim, 0, (double[]){0, 0}, (double[]){1, 0}, &error));
    check(carom_sim_differentiate_along(r.sim, NULL, 0, both, 1, &error));
    assert_true(carom_sim_q_by(r.sim, 0)[0] == 1 && fabs(carom_sim_q_by(r.sim, 0)[1]) < 1e-15);
    assert_true(carom_sim_u_by(r.sim, 0)[0] == 1 && fabs(carom_sim_u_by(r.sim, 0)[1]) < 1e-15);
    assert_int_equal(carom_sim_set_dt(r.sim, 0, &error), CAROM_DATA);
    end(r);
}

/* The motion has the same bits with derivatives and without, and a second run the same derivatives. */
static void motion_does_not_notice(void **state) {
    (void)state;
    static const char *const by[] = {"e", "mu"};
    run plain = begin(BALL("dt: 0.05, until: 3"), NULL, 0), varied = begin(BALL("dt: 0.05, until: 3"), NULL, 0);
    check(carom_sim_differentiate(varied.sim, by, 2, &error));
    check(carom_sim_run(plain.sim, &error));
    check(carom_sim_run(varied.sim, &error));
    assert_true(carom_sim_hash(plain.sim) == carom_sim_hash(varied.sim));
    const double first = carom_sim_q_by(varied.sim, 0)[0];
    check(carom_sim_restart(varied.sim, &error));
    check(carom_sim_run(varied.sim, &error));
    assert_true(carom_sim_q_by(varied.sim, 0)[0] == first);
    end(plain);
    end(varied);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounces),
        cmocka_unit_test(comes_to_rest),
        cmocka_unit_test(balls_exchange),
        cmocka_unit_test(instants_move),
        cmocka_unit_test(table_shakes),
        cmocka_unit_test(states_end),
        cmocka_unit_test(belts_forget),
        cmocka_unit_test(derivatives_have_orders),
        cmocka_unit_test(captured_runs_have_derivatives),
        cmocka_unit_test(captured_impacts_have_derivatives),
        cmocka_unit_test(refusals_say_why),
        cmocka_unit_test(ties_have_no_derivative),
        cmocka_unit_test(steps_end_at_impacts),
        cmocka_unit_test(steps_end_at_switches),
        cmocka_unit_test(steps_end_at_breaks),
        cmocka_unit_test(directions_of_the_start),
        cmocka_unit_test(motion_does_not_notice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
