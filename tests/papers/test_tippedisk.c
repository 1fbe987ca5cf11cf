/* The tippedisk (rattle, 5.4): spun fast about an axis in its plane, an eccentric disk turns over. Its centre of mass
 * rises from r - e to r + e, but for the lean that remains in the inverted spin.
 *
 * Nothing bounces, and drilling friction keeps the contact from sticking: with the contact closed the motion is that of
 * smooth equations, which CVODE solves here, written out by hand in body coordinates. */
#include "support/beams.h"
#include "support/ode.h"
#include "support/trial.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double r = 0.045, e = 0.02 * 0.015 * 0.015 / (0.045 * 0.045 - 0.015 * 0.015), m = 0.435, g = 9.81,
                    mu = 0.3, drill = 3 * M_PI / 16 * 1e-3, J[3] = {2.49e-4, 2.2972e-4, 4.7072e-4};

/* ---------------------------------------------------------------- by hand */

enum { P = 0, W = 4, V = 7, SIZE = 9 }; /* y = (p, w, v_x, v_y): z and v_z follow from the closed contact */

static void cross(const double a[3], const double b[3], double c[3]) {
    for (int i = 0; i < 3; i++) c[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}
static double dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* The normal of the table in the body. */
static void upward(const double *y, double a[3]) {
    const double back[4] = {y[0], -y[1], -y[2], -y[3]}, up[3] = {0, 0, 1};
    quaternion_turn(back, up, a);
}

/* z = e a_1 + r l, l = |(a_1, a_2)|, with a' = a x w */
static double height(const double *y) {
    double a[3];
    upward(y, a);
    return e * a[0] + r * hypot(a[0], a[1]);
}

/* z' = V_w.w, and z'' = V_w.w' + rest */
static void lifting(const double a[3], const double w[3], double V_w[3], double *rest) {
    double rate[3], l = hypot(a[0], a[1]), k = a[1] * w[0] - a[0] * w[1];
    cross(a, w, rate);
    double k_rate = rate[1] * w[0] - rate[0] * w[1], l_rate = a[2] * k / l;
    memcpy(V_w, (double[3]){r * a[2] * a[1] / l, -e * a[2] - r * a[2] * a[0] / l, e * a[1]}, 3 * sizeof *V_w);
    *rest = e * (rate[1] * w[2] - rate[2] * w[1]) + r * (rate[2] * k + a[2] * k_rate - a[2] * k * l_rate / l) / l;
}

/* Force and drilling torque per normal force, in the world; the contact point is rho from the centre of mass. */
static void friction(const double *y, const double a[3], const double rho[3], double force[3], double *torque) {
    const double *w = y + W;
    double v[3];
    cross(w, rho, v);
    quaternion_turn(y, v, v);
    double slip[3] = {y[V] + v[0], y[V + 1] + v[1], drill * dot(w, a)}, speed = sqrt(dot(slip, slip));
    force[0] = -mu * slip[0] / speed, force[1] = -mu * slip[1] / speed, force[2] = 1;
    *torque = -mu * drill * slip[2] / speed;
}

static void disk_ode(double t, const double *y, double *dy, const void *context) {
    (void)t, (void)context;
    const double *p = y, *w = y + W, back[4] = {p[0], -p[1], -p[2], -p[3]}, spin[4] = {0, w[0], w[1], w[2]};
    double a[3], V_w[3], rest, force[3], torque, pull[3], turn[3], moment[3], free[3], by_force[3];
    upward(y, a);
    const double l = hypot(a[0], a[1]), rho[3] = {-e - r * a[0] / l, -r * a[1] / l, 0};
    friction(y, a, rho, force, &torque);
    lifting(a, w, V_w, &rest);
    quaternion_turn(back, force, pull);
    cross(rho, pull, moment);
    cross((double[3]){J[0] * w[0], J[1] * w[1], J[2] * w[2]}, w, turn);
    for (int i = 0; i < 3; i++) free[i] = turn[i] / J[i], by_force[i] = (moment[i] + torque * a[i]) / J[i];
    const double N = (g + rest + dot(V_w, free)) / (1 / m - dot(V_w, by_force));
    quaternion_product(p, spin, dy + P);
    for (int i = 0; i < 4; i++) dy[P + i] /= 2;
    for (int i = 0; i < 3; i++) dy[W + i] = free[i] + N * by_force[i];
    for (int i = 0; i < 2; i++) dy[V + i] = N / m * force[i];
}

static ode *reference(ode_event *event, const void *context) {
    return ode_open(SIZE, disk_ode, event, context, 0, (double[SIZE]){0.5, 0.5, 0.5, -0.5, -60, 0, 1, e - r, 0});
}

static double above(double t, const double *y, const void *level) {
    (void)t;
    return height(y) - *(const double *)level;
}
static double instant_at(double level) {
    double t, y[SIZE];
    ode *phase = reference(above, &level);
    assert_true(ode_advance(phase, 1, &t, y));
    ode_close(phase);
    return t;
}

/* ---------------------------------------------------------------- by schemes */

/* When z passes a level, between the ends of a step in proportion. */
typedef struct passage {
    double level, t;
} passage;

static void watch(const trial *run, double t_0, double z_0, passage *pass) {
    double t = trial_value(run, "t"), z = trial_value(run, "disk.z");
    if (z_0 < pass->level && z >= pass->level && pass->t == 0)
        pass->t = t_0 + (t - t_0) * (pass->level - z_0) / (z - z_0);
}

/* Paper and exact solution: the contact never opens, the energy only falls. In a step drilling takes mu N drill w_z dt
 * = 4e-5 J, a hundred times what the step may err by. */
static void turns_over(void **state) {
    (void)state;
    trial run = trial_scene("paper/rattle/tippedisk", NULL);
    double energy = trial_value(&run, "E");
    passage level = {0.045, 0}, high = {0.047, 0};
    assert_near(trial_value(&run, "disk.z"), r - e, 1e-15);
    assert_near(trial_value(&run, "inclination"), -M_PI / 2, 1e-15);
    while (!carom_sim_done(run.sim)) {
        double t = trial_value(&run, "t"), z = trial_value(&run, "disk.z");
        const double *p = carom_sim_q(run.sim) + 3;
        trial_step(&run);
        /* rounding of z and of the rotation, of the size of r */
        assert_near(trial_value(&run, "table.gap"), 0, 1e-13);
        assert_near(trial_value(&run, "table.gap_dot"), 0, 1e-11); /* tolerance 1e-12, and w = 60 times round-off */
        assert_true(trial_value(&run, "table.PN") > 0);
        assert_int_equal(trial_value(&run, "table.state"), CAROM_SLIP);
        assert_true(trial_value(&run, "E") < energy);
        assert_near(sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]), 1, 4e-16); /* rounding */
        energy = trial_value(&run, "E");
        watch(&run, t, z, &level);
        watch(&run, t, z, &high);
    }
    const double exact[2] = {instant_at(level.level), instant_at(high.level)};
    printf("z = 0.045 at t = %.5f, exact %.5f; z = 0.047 at %.5f, exact %.5f\n", level.t, exact[0], high.t, exact[1]);
    /* The published curve (Fig. 10) can be read to some 4e-3. */
    assert_near(exact[0], 0.394, 4e-3);
    assert_near(exact[1], 0.552, 4e-3);
    /* Errors of z are below 3e-6 (next test), and z rises by 0.05 and 0.012 per second here. */
    assert_near(level.t, exact[0], 3e-6 / 0.05 + 1e-5);
    assert_near(high.t, exact[1], 3e-6 / 0.012 + 1e-5);
    /* The inverted spin wobbles by some 1e-5 in height, and thus by sqrt(2 1e-5/e) in angle. */
    assert_near(trial_value(&run, "disk.z"), r + e, 1e-4);
    assert_near(trial_value(&run, "inclination"), M_PI / 2, 0.1);
    trial_close(&run);
}

/* Largest error of z and of the angular velocity (divided by 60) at multiples of 1e-3, up to the end. */
static double error_of(const char *integrator, double dt, double until) {
    char with[3][48];
    snprintf(with[0], sizeof with[0], "run.integrator=%.*s", (int)strcspn(integrator, ":"), integrator);
    snprintf(with[1], sizeof with[1], "run.dt=%.17g", dt);
    snprintf(with[2], sizeof with[2], "run.until=%.17g", until);
    const char *option = strchr(integrator, ':');
    trial run = trial_scene("paper/rattle/tippedisk", with[0], with[1], with[2], option ? option + 1 : NULL, NULL);
    ode *phase = reference(NULL, NULL);
    double worst = 0;
    for (long n = 1, many = lround(1e-3 / dt); !carom_sim_done(run.sim); n++) {
        double t, y[SIZE];
        trial_stride(&run);
        if (many > 0 && n % many != 0) continue;
        ode_advance(phase, carom_sim_time(run.sim), &t, y);
        worst = fmax(worst, fabs(carom_sim_q(run.sim)[2] - height(y)) / r);
        for (int i = 0; i < 3; i++) worst = fmax(worst, fabs(carom_sim_u(run.sim)[3 + i] - y[W + i]) / 60);
    }
    ode_close(phase);
    trial_close(&run);
    return worst;
}

/* Every scheme comes to the same motion in its order: 2s - 2 of lobatto and 2 of rattle for a slip whose direction
 * turns all the time, 1 of nsga, generalized_alpha and moreau. */
static void same_motion(void **state) {
    (void)state;
    static const struct {
        const char *integrator;
        double dt, order, bound; /* largest error at dt, of z relative to r and of w relative to 60 */
    } scheme[] = {{"rattle", 1e-3, 2, 3e-3},
                  {"lobatto:run.stages=2", 1e-3, 2, 3e-3},
                  {"lobatto:run.stages=3", 1e-3, 4, 5e-7},
                  {"nsga", 1e-3, 1, 4e-2},
                  {"generalized_alpha", 1e-3, 1, 4e-2},
                  {"generalized_alpha:run.variant=published", 1e-3, 1, 4e-2},
                  {"moreau", 1e-4, 1, 2e-2}};
    for (size_t k = 0; k < sizeof scheme / sizeof *scheme; k++) {
        double h[3], error[3];
        for (int i = 0; i < 3; i++) {
            h[i] = scheme[k].dt * (1 << i) / 2;
            error[i] = error_of(scheme[k].integrator, h[i], 1);
        }
        double order = observed_order(3, h, error);
        printf("%-20s %.2e at dt = %g, order %.2f\n", scheme[k].integrator, error[1], h[1], order);
        assert_at_most(error[1], scheme[k].bound);
        assert_near(order, scheme[k].order, 0.25); /* two halvings, steps of up to 0.12 rad */
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(turns_over), cmocka_unit_test(same_motion)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
