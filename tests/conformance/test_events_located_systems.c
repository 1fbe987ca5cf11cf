/* Located events in systems of several contacts: rods between two supports, redundant joints and contacts, the
 * slider-crank and the woodpecker; and units, which must not matter. */
#include "support/complex_model.h"
#include "support/phased.h"
#include "support/trial.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---------------------------------------------------------------- rods on two supports */
enum { KEPT = 6 };
typedef struct log {
    double instant[KEPT]; /* of the first impacts */
    int events, impacts;
    double q[9], u[9];
} log_of_run;

static void finish(trial *run, log_of_run *log) {
    const carom_model_def *d = carom_model_get(carom_scene_model(run->scene));
    *log = (log_of_run){0};
    while (!carom_sim_done(run->sim)) {
        int count;
        trial_step(run);
        const carom_event *e = carom_sim_events(run->sim, &count);
        for (int i = 0; i < count; i++, log->events++) {
            if (e[i].kind == CAROM_STRIKE && log->impacts < KEPT) log->instant[log->impacts++] = e[i].time;
            assert_at_least(e[i].loss, -1e-12); /* of an energy of about 1: impacts take, they do not give */
        }
        for (int k = 0; k < d->contacts; k++) {
            char name[32];
            snprintf(name, sizeof name, "%s.gap", d->contact[k].name);
            assert_at_least(trial_value(run, name), -1e-11); /* 64000 eps is what counts as touching */
        }
    }
    memcpy(log->q, carom_sim_q(run->sim), (size_t)d->nq * sizeof *log->q);
    memcpy(log->u, carom_sim_u(run->sim), (size_t)d->nu * sizeof *log->u);
    trial_close(run);
}

/* It falls without turning: the lower side touches where y = a/2 tan(tilt). */
static double first_touch(double height, double a, double tilt, double gravity) {
    return sqrt(2 * (height - a / 2 * tan(tilt)) / gravity);
}

static double disagreement(const log_of_run *a, const log_of_run *b) {
    double worst = 0;
    for (int k = 0; k < KEPT; k++) worst = fmax(worst, fabs(a->instant[k] - b->instant[k]));
    return worst;
}

/* However small the tilt, that is however near the two impacts: the run goes through, nothing penetrates, and the
 * instants do not depend on dt. Errors of order 6 at dt = 1e-2 in a motion with frequencies of about 10/s. */
static void rods_of_any_tilt(void **state) {
    (void)state;
    static const double tilt[] = {0.2, 1e-2, 1e-4, 1e-6, 1e-8, 1e-10, 1e-12, 0}, e[] = {0, 0.5, 0.9};
    for (int i = 0; i < 8; i++)
        for (int k = 0; k < 3; k++) {
            char with_tilt[64], with_e[64];
            log_of_run coarse, fine;
            snprintf(with_tilt, sizeof with_tilt, "parameters.tilt=%g", tilt[i]);
            snprintf(with_e, sizeof with_e, "parameters.e=%g", e[k]);
            trial one = trial_located("gallery/rocking_rod", 4, 1e-2, 1, with_tilt, with_e);
            trial two = trial_located("gallery/rocking_rod", 4, 5e-3, 1, with_tilt, with_e);
            finish(&one, &coarse), finish(&two, &fine);
            printf("tilt %.0e e %.1f: %d events, instants differ by %.0e\n", tilt[i], e[k], fine.events,
                   disagreement(&coarse, &fine));
            assert_near(fine.instant[0], first_touch(0.05 + 0.3 * sin(tilt[i]), 0.6, tilt[i], 9.81), 1e-14);
            assert_at_most(disagreement(&coarse, &fine), 1e-9);
        }
}

/* ---------------------------------------------------------------- self-convergence
 * Against the finest of four runs; order 2s-2 for the rest, in q and u together at the end. */
static double distance(int n, const double *a, const double *b) {
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(a[i] - b[i]));
    return most;
}

static double self_order(const char *scene, int s, double until, int steps, int n, const char *override) {
    enum { SIZES = 4 };
    log_of_run log[SIZES];
    double dt[SIZES], error[SIZES];
    for (int k = 0; k < SIZES; k++) {
        dt[k] = until / (steps << k);
        trial run = trial_located(scene, s, dt[k], until, override, NULL);
        finish(&run, &log[k]);
    }
    for (int k = 0; k < SIZES - 1; k++)
        error[k] = fmax(distance(n, log[k].q, log[SIZES - 1].q), distance(n, log[k].u, log[SIZES - 1].u));
    double order = observed_order(SIZES - 1, dt, error);
    printf("%-26s s = %d: %.1e %.1e %.1e order %.2f, %d to %d events\n", scene, s, error[0], error[1], error[2], order,
           log[0].events, log[SIZES - 1].events);
    return order;
}

/* One revolution, some ninety events. Orders come out a little high since the finest run is no exact solution. */
static void slider_crank(void **state) {
    (void)state;
    const double revolution = 2 * acos(-1) / 150;
    assert_at_least(self_order("paper/rattle/slider_crank", 3, revolution, 50, 9, NULL), 3.7);
    assert_at_least(self_order("paper/rattle/slider_crank", 4, revolution, 50, 9, NULL), 5.7);
}

/* Two pecks. The upper edge of the sleeve strikes and leaves at once: its acceleration is away from the pole. */
static void woodpecker(void **state) {
    (void)state;
    assert_at_least(self_order("paper/moreau/woodpecker", 3, 0.3, 300, 3, NULL), 3.7);
    assert_at_least(self_order("paper/moreau/woodpecker", 4, 0.3, 300, 3, NULL), 5.7);
}

/* Between impacts the rod flies, a parabola and a steady rotation that no step misses: dt does not matter. Both
 * placements of the supports that fit the paper's words. */
static void rocking_rods_of_the_paper(void **state) {
    (void)state;
    static const char *const placement[] = {"parameters.y0=h1", "parameters.y0=h1 - a/2*tan(tilt)"};
    for (int i = 0; i < 2; i++)
        for (int k = 1; k <= 4 - 2 * i; k++) { /* so near a low support 2 the rod would be below support 1 */
            char scene[64];
            log_of_run coarse, fine;
            double tilt = acos(-1) / 15, height = i == 0 ? 0.104 : 0.104 - 0.2 * tan(tilt);
            snprintf(scene, sizeof scene, "paper/nsga/rocking_rod_%d", k);
            trial one = trial_located(scene, 3, 1e-2, 0.3, placement[i], NULL);
            trial two = trial_located(scene, 3, 1e-3, 0.3, placement[i], NULL);
            finish(&one, &coarse), finish(&two, &fine);
            printf("%s %s: %d events, end differs by %.0e\n", scene, placement[i], fine.events,
                   distance(3, coarse.q, fine.q));
            assert_near(fine.instant[0], first_touch(height, 0.4, tilt, 9.8), 1e-14);
            assert_at_most(disagreement(&coarse, &fine), 1e-12); /* round-off of 300 steps */
            assert_at_most(distance(3, coarse.q, fine.q), 1e-12);
        }
}

/* ---------------------------------------------------------------- a pendulum with everything twice, q = (x, y)
 * Joint x^2 + y^2 = 1 and wall x <= 0.4, e = 0.7, each written once or twice. The angle moves freely between impacts:
 * a_dotdot = -g sin a, a_dot <- -e a_dot at sin a = 0.4. */
static void pendulum_mass(double t, const cx *q, cx *M, const double *p) {
    (void)t, (void)q, (void)p;
    M[0] = M[3] = 1;
}
static void pendulum_force(double t, const cx *q, const cx *u, cx *h, const double *p) {
    (void)t, (void)q, (void)u, (void)p;
    h[0] = 0, h[1] = -9.81;
}
static void pendulum_position(double t, const cx *q, cx *c, const double *p) {
    int copies = (int)p[0];
    (void)t;
    for (int k = 0; k < copies; k++) c[k] = (q[0] * q[0] + q[1] * q[1] - 1) / 2, c[copies + k] = 0.4 - q[0];
}
static void pendulum_velocity(double t, const cx *q, const cx *u, cx *s, const double *p) {
    int copies = (int)p[0];
    (void)t;
    for (int k = 0; k < copies; k++) s[k] = q[0] * u[0] + q[1] * u[1], s[copies + k] = -u[0];
}
static void angle_rhs(real t, const real *y, real *dy, const void *context) {
    (void)t, (void)context;
    dy[0] = y[1], dy[1] = -(real)9.81 * sinl(y[0]);
}
static real angle_watch(int k, real t, const real *y, const void *context) {
    (void)k, (void)t, (void)context;
    return (real)0.4 - sinl(y[0]);
}
static void angle_happen(int k, real t, real *y, void *context) {
    (void)k, (void)t, (void)context;
    y[0] = asinl((real)0.4), y[1] *= -(real)0.7;
}

static double pendulum_error(int copies, double dt) {
    static const carom_model_contact wall[2] = {{.name = "wall", .restitution = 0.7},
                                                {.name = "copy", .restitution = 0.7}};
    const double p[] = {copies}, q0[] = {-0.6, -0.8}, u0[] = {0, 0};
    const complex_mechanics pendulum = {.nq = 2,
                                        .nu = 2,
                                        .ng = copies,
                                        .contacts = copies,
                                        .contact = wall,
                                        .q0 = q0,
                                        .u0 = u0,
                                        .parameter = p,
                                        .mass = pendulum_mass,
                                        .force = pendulum_force,
                                        .position = pendulum_position,
                                        .velocity = pendulum_velocity};
    carom_model *model = complex_model(&pendulum);
    trial run = trial_model(model, "lobatto", dt, 4, 1e-13, "events=locate");
    phased r = {
        .n = 2, .watched = 1, .rhs = angle_rhs, .watch = angle_watch, .happen = angle_happen, .stride = 1 / 64.L};
    double worst = 0;
    r.y[0] = -asinl((real)0.6);
    while (!carom_sim_done(run.sim)) {
        trial_stride(&run);
        phased_advance(&r, carom_sim_time(run.sim));
        worst = fmax(worst, fabs(carom_sim_q(run.sim)[0] - (double)sinl(r.y[0])));
        worst = fmax(worst, fabs(carom_sim_q(run.sim)[1] + (double)cosl(r.y[0])));
    }
    assert_true(r.events >= 2);
    trial_close(&run);
    carom_model_destroy(model);
    return worst;
}

/* Order 4 of three stages, and what is written twice changes round-off only. */
static void doubled_joint_and_wall(void **state) {
    (void)state;
    for (int copies = 1; copies <= 2; copies++) {
        double dt[3], error[3];
        for (int k = 0; k < 3; k++) dt[k] = 0.1 / (1 << k), error[k] = pendulum_error(copies, dt[k]);
        printf("pendulum with %d joint(s) and wall(s): %.2e %.2e %.2e order %.2f\n", copies, error[0], error[1],
               error[2], observed_order(3, dt, error));
        assert_at_least(observed_order(3, dt, error), 3.5);
    }
    assert_near(pendulum_error(1, 0.05), pendulum_error(2, 0.05), 1e-11);
}

/* ---------------------------------------------------------------- what must not matter */

/* Lengths in millimetres: everything of length is a thousand times as large, tolerances included. */
static void compare_units(const char *scene, double dt, double until, const char *metres, const char *coordinates,
                          const char *parameters, int n, const double *unit) {
    char with_dt[64], with_until[64];
    snprintf(with_dt, sizeof with_dt, "run.dt=%.17g", dt);
    snprintf(with_until, sizeof with_until, "run.until=%.17g", until);
    trial a = trial_scene(scene, "run.integrator=lobatto", "run.events=locate", with_dt, with_until, metres,
                          "run.tolerance=1e-13", NULL);
    trial b = trial_scene(scene, "run.integrator=lobatto", "run.events=locate", with_dt, with_until, coordinates,
                          parameters, "run.tolerance=1e-10", NULL);
    double worst = 0;
    int events = 0, other = 0, count;
    while (!carom_sim_done(a.sim)) {
        trial_stride(&a), trial_stride(&b);
        carom_sim_events(a.sim, &count), events += count;
        carom_sim_events(b.sim, &count), other += count;
        for (int i = 0; i < n; i++) {
            worst = fmax(worst, fabs(carom_sim_q(a.sim)[i] - carom_sim_q(b.sim)[i] / unit[i]));
            worst = fmax(worst, fabs(carom_sim_u(a.sim)[i] - carom_sim_u(b.sim)[i] / unit[i]));
        }
    }
    printf("%s in mm: %d events, in m %d; differ by %.1e\n", scene, other, events, worst);
    assert_at_most(worst, 1e-11); /* some hundred steps of 1e-13, and an angle of a hundred radians */
    trial_close(&a), trial_close(&b);
}

static void units_of_length(void **state) {
    (void)state;
    compare_units("paper/rattle/ball", 0.05, 2, "parameters={e: 0.5, omega: 50}", "model.coordinates.y.start=1000",
                  "parameters={R: 100, g: 9810, e: 0.5, omega: 50}", 3, (double[]){1e3, 1e3, 1});
    compare_units("gallery/stick_slip", 0.05, 6, "parameters.mu=0.3", "model.coordinates.x.velocity=300",
                  "parameters={g: 9810, F: 8000, drift: 500}", 2, (double[]){1e3, 1e3});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rods_of_any_tilt),
        cmocka_unit_test(slider_crank),
        cmocka_unit_test(woodpecker),
        cmocka_unit_test(rocking_rods_of_the_paper),
        cmocka_unit_test(doubled_joint_and_wall),
        cmocka_unit_test(units_of_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
