/* Loops with more joints than freedoms, by the schemes that know joints on velocity level: joints stay closed, and the
 * motion has the order that the schemes promise with joints. */
#include "support/ode.h"
#include "support/trial.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct scheme {
    const char *run, *name;
    double order;
} scheme;
static const scheme schemes[] = {{"integrator: moreau", "moreau", 1},
                                 {"integrator: symmetric_moreau", "symmetric_moreau", 1},
                                 {"integrator: variational_moreau", "variational_moreau", 1},
                                 {"integrator: theta", "theta 1/2", 1},
                                 {"integrator: theta, theta: 1", "theta 1", 1},
                                 {"integrator: nsga", "nsga", 2},
                                 {"integrator: generalized_alpha", "generalized_alpha", 2}};
enum { DRIFTING = 5, SCHEMES = 7 }; /* the others close their steps */

/* Largest |g| at the present state. */
static double opening(const trial *run) {
    const carom_model_def *d = carom_model_get(carom_scene_model(run->scene));
    double c[64], worst = 0;
    assert_in_range(d->ng + d->contacts, 1, 64);
    assert_int_equal(d->position(d->context, carom_sim_time(run->sim), carom_sim_q(run->sim), c, NULL), 0);
    for (int i = 0; i < d->ng; i++) worst = fmax(worst, fabs(c[i]));
    return worst;
}

static trial bricard(const char *by, double dt, double until, double tolerance) {
    char run[160];
    snprintf(run, sizeof run, "run={%s, dt: %.17g, until: %.17g, tolerance: %g}", by, dt, until, tolerance);
    return trial_scene("gallery/bricard", "plot=[E]", run, NULL);
}

/* To the end; returns its energy. A step is accepted where g over dt and the length of its row, a velocity, is below
 * the tolerance. The longest rows are those of the hinges' points: a unit vector and an arm of 1/2 of each bar. */
static double finish(trial *run, double dt, double tolerance) {
    while (!carom_sim_done(run->sim)) {
        trial_stride(run);
        assert_at_most(opening(run), sqrt(2 * (1 + 0.25)) * dt * tolerance + 1e-15); /* and round-off */
    }
    carom_error error;
    assert_int_equal(carom_sim_row(run->sim, run->row, &error), CAROM_OK);
    return trial_value(run, "E");
}

/* The run of the scene. Each step loses the part of the velocity that the turned joints forbid: u (turn of a step)^2
 * in energy, so the whole of it falls with dt; rattle loses nothing. */
static void bricard_runs_to_its_end(void **state) {
    (void)state;
    const double dt = 2e-3, T = 4, tolerance = 1e-10;
    trial kept = bricard("integrator: rattle", dt, T, tolerance);
    const double E = finish(&kept, dt, tolerance);
    trial_close(&kept);
    for (int k = 0; k < DRIFTING; k++) {
        double loss[2];
        for (int fine = 0; fine < 2; fine++) {
            trial run = bricard(schemes[k].run, fine ? dt / 2 : dt, T, tolerance);
            loss[fine] = E - finish(&run, fine ? dt / 2 : dt, tolerance);
            trial_close(&run);
        }
        printf("%s: %.3g J, %.3g J of %.4g J lost\n", schemes[k].name, loss[0], loss[1], E);
        assert_at_least(loss[1], 0);
        assert_near(log2(loss[0] / loss[1]), 1, 0.15); /* a fifth is lost in all: the next power of dt shows */
    }
}

/* Hinges that are redundant have no forces of their own, but each of them is at most what the bars and their motion ask
 * for: weights of 5 m g, as much again from a fall of the energy 3 m g, and levers of some bars. An iterate that takes
 * dependent rows for independent ones ends at forces of a million newtons that hold each other, and closes the joints.
 */
static void bricard_bears_its_own_weight(void **state) {
    (void)state;
    const double dt = 2e-3, weights = 5 * 9.81 * dt;
    trial run = bricard("integrator: rattle", dt, 4, 1e-10);
    const carom_model_def *d = carom_model_get(carom_scene_model(run.scene));
    double most = 0;
    for (; !carom_sim_done(run.sim); trial_stride(&run))
        for (int k = 0; k < d->ng; k++) most = fmax(most, fabs(carom_sim_percussion(run.sim)[k]));
    printf("largest percussion of a hinge: %.2g N s, weights %.2g N s\n", most, weights);
    assert_at_most(most, 20 * weights);
    trial_close(&run);
}

static void bricard_has_the_order_of_joints(void **state) {
    (void)state;
    const double T = 0.4, tolerance = 1e-12;
    trial exact = bricard("integrator: lobatto, stages: 4", 2e-3, T, tolerance);
    const carom_model_def *d = carom_model_get(carom_scene_model(exact.scene));
    trial_finish(&exact);
    for (int k = 0; k < SCHEMES; k++) {
        double error[2] = {0}, dt[2] = {4e-3, 2e-3};
        for (int fine = 0; fine < 2; fine++) {
            trial run = bricard(schemes[k].run, dt[fine], T, tolerance);
            finish(&run, dt[fine], tolerance);
            for (int i = 0; i < d->nq; i++)
                error[fine] = fmax(error[fine], fabs(carom_sim_q(run.sim)[i] - carom_sim_q(exact.sim)[i]));
            trial_close(&run);
        }
        double order = log2(error[0] / error[1]);
        printf("%s: off by %.2e, %.2e, order %.2f\n", schemes[k].name, error[0], error[1], order);
        assert_near(order, schemes[k].order, 0.15); /* the next power of dt still shows */
    }
    trial_close(&exact);
}

/* ---------------------------------------------------------------- the elliptic trammel
 * The ends of a rod of length 2 a slide on two lines at right angles; a crank holds its middle on the circle on which
 * it moves anyway. It swings as a pendulum: (m a^2 + J) phi_dotdot = -m g a sin phi, J = m a^2/3. */
static const double a = 0.5, g = 9.81, start_angle = 1;

static void swing(double t, const double *y, double *dy, const void *context) {
    (void)t, (void)context;
    dy[0] = y[1];
    dy[1] = -3 * g / (4 * a) * sin(y[0]);
}

static trial trammel(const char *by, double dt, double T, double tolerance) {
    return trial_text("carom: 1\n"
                      "parameters: {a: %.17g, g: %.17g}\n"
                      "model:\n"
                      "  coordinates: {x: {start: a*cos(1)}, y: {start: a*sin(1)}, phi: {start: 1}}\n"
                      "  kinetic: (x_dot^2 + y_dot^2)/2 + a^2*phi_dot^2/6\n"
                      "  potential: -g*x\n"
                      "  constraints: {slides: [x - a*cos(phi), y - a*sin(phi)], crank: (x^2 + y^2 - a^2)/2}\n"
                      "run: {%s, dt: %.17g, until: %.17g, tolerance: %g}\n",
                      a, g, by, dt, T, tolerance);
}

static double trammel_error(const char *by, double dt, double T) {
    const double tolerance = 1e-11;
    double worst = 0, y[2] = {start_angle, 0}, t;
    trial run = trammel(by, dt, T, tolerance);
    ode *exact = ode_open(2, swing, NULL, NULL, 0, y);
    while (!carom_sim_done(run.sim)) {
        trial_step(&run);
        ode_advance(exact, trial_value(&run, "t"), &t, y);
        worst = fmax(worst, fabs(trial_value(&run, "phi") - y[0]));
        assert_at_most(opening(&run), sqrt(1 + a * a) * dt * tolerance + 1e-15); /* as above: a slide and its arm a */
    }
    ode_close(exact);
    trial_close(&run);
    return worst;
}

static void trammel_swings_as_a_pendulum(void **state) {
    (void)state;
    for (int k = 0; k < SCHEMES; k++) {
        const double T = 2, coarse = trammel_error(schemes[k].run, 2e-3, T),
                     fine = trammel_error(schemes[k].run, 1e-3, T);
        printf("%s: phi off by %.2e, %.2e, order %.2f\n", schemes[k].name, coarse, fine, log2(coarse / fine));
        assert_near(log2(coarse / fine), schemes[k].order, 0.15); /* the next power of dt still shows */
    }
}

/* Driven round on a table that moves, all but one of its rows depend on time: what the drive leaves of it before the
 * first step is nothing, or fits. The run then ends with a sentence that tells the way out. */
static trial driven(const char *joints) {
    return trial_text("carom: 1\n"
                      "parameters: {a: 0.5}\n"
                      "model:\n"
                      "  coordinates: {x: {start: a}, y: {start: 0}, phi: {start: 0}}\n"
                      "  kinetic: (x_dot^2 + y_dot^2)/2 + a^2*phi_dot^2/6\n"
                      "  constraints:\n"
                      "    slides: [x - t^2/10 - a*cos(phi), y - a*sin(phi)]\n"
                      "    crank: ((x - t^2/10)^2 + y^2 - a^2)/2\n"
                      "    drive: phi - t^2\n"
                      "run: {integrator: moreau, dt: 1e-3, until: 1, tolerance: 1e-11, joints: %s}\n",
                      joints);
}

static void a_loop_that_drifts_apart_tells_what_to_do(void **state) {
    (void)state;
    trial run = driven("auto");
    carom_error error = {0};
    while (!carom_sim_done(run.sim) && !carom_sim_step(run.sim, &error)) continue;
    printf("%s\n", error.message);
    assert_non_null(strstr(error.message, "joints: closed"));
    trial_close(&run);
    run = driven("closed");
    trial_finish(&run);
    assert_near(trial_value(&run, "phi"), 1, 1e-13); /* tolerance dt, and round-off */
    trial_close(&run);
}

/* ---------------------------------------------------------------- joints that need not be closed
 * A crank driven round: the schemes let it drift as printed, by O(dt), or keep it closed when told so. */
static void joints_are_closed_when_told(void **state) {
    (void)state;
    const double dt = 2e-3, tolerance = 1e-11;
    for (int k = 0; k < DRIFTING; k++) {
        double open[2] = {0};
        for (int closed = 0; closed < 2; closed++) {
            char with[160];
            snprintf(with, sizeof with, "run={%s, dt: %g, until: 1, tolerance: %g, joints: %s}", schemes[k].run, dt,
                     tolerance, closed ? "closed" : "auto");
            trial run = trial_scene("gallery/crank_driven", "plot=[E]", with, NULL);
            while (!carom_sim_done(run.sim)) {
                trial_stride(&run);
                open[closed] = fmax(open[closed], opening(&run));
            }
            trial_close(&run);
        }
        printf("%s: joints open by %.1e, closed %.1e\n", schemes[k].name, open[0], open[1]);
        assert_at_least(open[0], dt * dt);           /* a step alone opens them by (omega dt)^2/2 of an arm */
        assert_at_most(open[1], 2 * dt * tolerance); /* rows are shorter than two */
    }
}

/* ---------------------------------------------------------------- rings
 * n links on a circle of radius R with hinges along z hang from a ball joint at (R, 0, 0). They fall as a disk at
 * first: I = n (3/2 m R^2 + J) about the tangent, alpha = n m g R/I. Three rows of hinges are redundant. */
static void a_ring_falls_as_a_disk(int n) {
    const double dt = 1e-4, R = n / (2 * M_PI), alpha = 9.81 * R / (1.5 * R * R + 0.1);
    trial run = trial_text("carom: 1\n"
                           "parameters: {n: %d, R: n/(2*pi)}\n"
                           "model:\n"
                           "  gravity: [0, 0, -9.81]\n"
                           "  bodies:\n"
                           "    s[i=1..n]: {type: spatial, mass: 1, inertia: [0.1, 0.1, 0.1],\n"
                           "                position: [\"R*cos(2*pi*i/n)\", \"R*sin(2*pi*i/n)\", 0]}\n"
                           "  joints:\n"
                           "    j0: {type: spherical, bodies: [world, \"s[n]\"], at: [R, 0, 0]}\n"
                           "    j[i=1..n-1]: {type: revolute, axis: [0, 0, 1], bodies: [\"s[i]\", \"s[i+1]\"],\n"
                           "                  at: [\"R*cos(2*pi*(i+0.5)/n)\", \"R*sin(2*pi*(i+0.5)/n)\", 0]}\n"
                           "    jn: {type: revolute, axis: [0, 0, 1], bodies: [\"s[n]\", s1],\n"
                           "         at: [\"R*cos(pi/n)\", \"R*sin(pi/n)\", 0]}\n"
                           "run: {integrator: rattle, dt: %g, until: 1, tolerance: 1e-10}\n",
                           n, dt);
    for (int step = 1; step <= 5; step++) {
        const double turned = alpha * dt * dt * step * step / 2; /* the other forces grow with it */
        double worst = 0;
        trial_stride(&run);
        for (int i = 0; i < n; i++) {
            const double *u = carom_sim_u(run.sim) + 6 * i, arm = R - R * cos(2 * M_PI * (i + 1) / n);
            worst = fmax(worst, fabs(u[2] + alpha * step * dt * arm));
        }
        assert_at_most(worst, 9.81 * step * dt * turned + step * 1e-10); /* and the tolerance */
        /* One correction for each half of a step, and one more while delta counts. The first step has no guess. */
        if (step > 1) assert_at_most(carom_sim_newton(run.sim, 0) + carom_sim_newton(run.sim, 1), 3);
        if (step == 5) printf("ring of %d: velocities off by %.1e of %.1e\n", n, worst, 2 * alpha * step * dt * R);
    }
    trial_close(&run);
}

static void rings_fall_as_disks(void **state) {
    (void)state;
    static const int n[] = {10, 100, 1000, 3000};
    for (size_t i = 0; i < sizeof n / sizeof *n; i++) a_ring_falls_as_a_disk(n[i]);
}

/* One hinge slides along its axis as z = t^2, which no ring of hinges can do. The run says what is missed: of z over
 * the length dt of a part of a step, dt, more than a hundredth of its share per hinge, and no more than all of it. */
static void rings_that_are_forced_apart_say_so(void **state) {
    (void)state;
    const double dt = 1e-3 / 128;
    const int n = 20;
    trial run = trial_text("carom: 1\n"
                           "parameters: {n: %d, R: n/(2*pi)}\n"
                           "model:\n"
                           "  bodies:\n"
                           "    s[i=1..n]: {type: spatial, mass: 1, inertia: [0.1, 0.1, 0.1],\n"
                           "                position: [\"R*cos(2*pi*i/n)\", \"R*sin(2*pi*i/n)\", 0]}\n"
                           "  joints:\n"
                           "    j[i=1..n-1]: {type: revolute, axis: [0, 0, 1], bodies: [\"s[i]\", \"s[i+1]\"],\n"
                           "                  at: [\"R*cos(2*pi*(i+0.5)/n)\", \"R*sin(2*pi*(i+0.5)/n)\", 0]}\n"
                           "    last: {type: cylindrical, axis: [0, 0, 1], bodies: [\"s[n]\", s1], displacement: t^2,\n"
                           "           at: [\"R*cos(pi/n)\", \"R*sin(pi/n)\", 0]}\n"
                           "run: {integrator: rattle, dt: 1e-3, until: 1}\n",
                           n);
    carom_error error;
    assert_int_equal(carom_sim_step(run.sim, &error), CAROM_FAILED);
    const char *missed = strstr(error.message, "is missed by ");
    assert_non_null(missed);
    const double by = strtod(missed + strlen("is missed by "), NULL);
    assert_at_least(by, 0.01 * dt / n);
    assert_at_most(by, dt);
    trial_close(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bricard_runs_to_its_end),
        cmocka_unit_test(bricard_bears_its_own_weight),
        cmocka_unit_test(bricard_has_the_order_of_joints),
        cmocka_unit_test(trammel_swings_as_a_pendulum),
        cmocka_unit_test(a_loop_that_drifts_apart_tells_what_to_do),
        cmocka_unit_test(joints_are_closed_when_told),
        cmocka_unit_test(rings_fall_as_disks),
        cmocka_unit_test(rings_that_are_forced_apart_say_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
