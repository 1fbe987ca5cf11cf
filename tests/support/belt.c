#include "support/belt.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/rk4.h"
#include "support/trial.h"

const char *const belt_schemes[BELT_SCHEMES] = {"moreau", "symmetric_moreau", "variational_moreau", "theta", "nsga",
                                                "rattle", "lobatto",          "generalized_alpha"};

static const double stiffness = 20, belt = 0.2, g = 9.81;

#define OSCILLATOR                                                                                                     \
    "carom: 1\nparameters: {k: 20, v: 0.2}\nmodel:\n  coordinates: {x: {velocity: v}, y: 0}\n"                         \
    "  kinetic: (x_dot^2 + y_dot^2)/2\n  potential: k/2*x^2 + 9.81*y\n"                                                \
    "  contacts: {belt: {gap: y, slip: x_dot - v, friction: %s}}\n"                                                    \
    "run: {integrator: %s, dt: %g, until: %g, tolerance: 1e-13}\n"

/* ---------------------------------------------------------------- the reference */

static const belt_friction *now; /* of the rates below */

/* x and the slip speed of the mass that is left behind */
static void left_behind(double t, const double *y, double *rate) {
    rate[0] = belt - y[1], rate[1] = stiffness * y[0] - now->mu(y[1], y[0], t) * g;
}

typedef struct history {
    int events;
    double time[16], x, slip; /* of events; at the end */
} history;

/* Where 20 x = mu(0, x, t) g on the belt, x = x0 + v (t - t0): by Newton's method with a slope that is good enough. */
static double breaks_at(double t0, double x0) {
    double t = t0;
    for (int i = 0; i < 60; i++)
        t -= (stiffness * (x0 + belt * (t - t0)) - now->mu(0, x0 + belt * (t - t0), t) * g) / (stiffness * belt);
    return t;
}

/* From the break at t to the stop, or to the end. True: it stops. */
static bool slip_back(double *t, double *y, double until) {
    for (int n = 0; *t < until; n++) {
        double step = fmin(1e-4, until - *t), z[2] = {y[0], y[1]}, rate[2];
        rk4_step(left_behind, 2, *t, step, z);
        const bool stops = n > 10 && z[1] < 0;
        for (int i = 0; i < 20 && stops; i++) {
            left_behind(*t + step, z, rate);
            step -= z[1] / rate[1];
            memcpy(z, y, sizeof z);
            rk4_step(left_behind, 2, *t, step, z);
        }
        *t += step, y[0] = z[0], y[1] = z[1];
        if (stops) return true;
    }
    return false;
}

/* Steps of 1e-4 miss 1e-4^4 times derivatives of size 100: 1e-14. The last one ends where the slip is zero. */
static history stick_and_slip(const belt_friction *friction, double until) {
    history h = {0};
    double t = 0, y[2] = {0, 0};
    now = friction;
    while (t < until) {
        const double next = fmin(breaks_at(t, y[0]), until);
        y[0] += belt * (next - t), y[1] = 0, t = next;
        if (t >= until) break;
        h.time[h.events++] = t;
        if (slip_back(&t, y, until)) h.time[h.events++] = t;
    }
    h.x = y[0], h.slip = y[1];
    return h;
}

/* ---------------------------------------------------------------- runs against it */

/* The largest error of the times of events, and of the state at the end. */
static double located_error(const belt_friction *friction, const char *scheme, double dt, double until) {
    const history exact = stick_and_slip(friction, until);
    trial run = trial_text(OSCILLATOR, friction->formula, scheme, dt, until);
    double error = 0;
    int events = 0;
    while (!carom_sim_done(run.sim)) {
        int count;
        trial_step(&run);
        const carom_event *event = carom_sim_events(run.sim, &count);
        for (int i = 0; i < count; i++, events++) {
            assert_true(events < exact.events && event[i].kind == (events % 2 ? CAROM_STOP : CAROM_BREAK));
            error = fmax(error, fabs(event[i].time - exact.time[events]));
        }
    }
    assert_int_equal(events, exact.events);
    error = fmax(error, fabs(carom_sim_q(run.sim)[0] - exact.x));
    error = fmax(error, fabs(belt - carom_sim_u(run.sim)[0] - exact.slip));
    trial_close(&run);
    return error;
}

/* Between events mu is smooth: the order 2s-2 is kept. */
void belt_check_located(const belt_friction *friction) {
    const double four = located_error(friction, "lobatto, stages: 4, events: locate", 1e-2, 5);
    const double coarse = located_error(friction, "lobatto, stages: 3, events: locate", 4e-2, 5),
                 fine = located_error(friction, "lobatto, stages: 3, events: locate", 2e-2, 5);
    const double two = located_error(friction, "rattle, events: locate", 2e-2, 5),
                 better = located_error(friction, "rattle, events: locate", 1e-2, 5);
    printf("lobatto 4: %.1e; lobatto 3: %.1e, order %.2f; rattle: %.1e, order %.2f\n", four, fine, log2(coarse / fine),
           better, log2(two / better));
    assert_at_most(four, 1e-9);
    assert_at_least(log2(coarse / fine), 3.7);
    assert_at_least(log2(two / better), 1.8);
}

/* Schemes of first order miss the acceleration of 4 m/s^2 times a step where stick breaks, which the falling friction
 * at most doubles in a second. */
void belt_check_captured(const belt_friction *friction) {
    const history exact = stick_and_slip(friction, 1.9);
    for (int i = 0; i < BELT_SCHEMES; i++) {
        trial run = trial_text(OSCILLATOR, friction->formula, belt_schemes[i], 1e-3, 1.9);
        trial_finish(&run);
        assert_near(carom_sim_q(run.sim)[0], exact.x, 8e-3);
        assert_near(belt - carom_sim_u(run.sim)[0], exact.slip, 8e-3);
        trial_close(&run);
    }
}
