/* Energy over 1e5 steps: where it is promised, the error of the last tenth is that of the first, in width and in the
 * mean. A drift of a thousandth of the error per period would show: each tenth has a hundred periods and more. Energy
 * of elastic impacts over 1e4 of them. */
#include "support/problems.h"
#include "support/trial.h"

#include <math.h>
#include <stdio.h>

static const double tolerance = 1e-13; /* of a step: what it misses adds up over a run */

static void spring_force(double t, const cx *q, const cx *u, cx *h, const double *p) {
    (void)t, (void)u, (void)p;
    cx l = csqrt(q[0] * q[0] + q[1] * q[1]);
    for (int i = 0; i < 2; i++) h[i] = -30 * (l - 1) * q[i] / l - (i ? 9.81 : 0);
}
static void spring_energy(double t, const cx *q, const cx *u, cx *T, cx *V, const double *p) {
    (void)t, (void)p;
    cx l = csqrt(q[0] * q[0] + q[1] * q[1]);
    *T = (u[0] * u[0] + u[1] * u[1]) / 2;
    *V = 15 * (l - 1) * (l - 1) + 9.81 * q[1];
}
static void point_mass(double t, const cx *q, cx *M, const double *p) {
    (void)t, (void)q, (void)p;
    M[0] = M[3] = 1;
}
static const complex_mechanics spring = {.nq = 2,
                                         .nu = 2,
                                         .q0 = (double[]){0.7, -1},
                                         .u0 = (double[]){0.5, 0},
                                         .mass = point_mass,
                                         .force = spring_force,
                                         .energy = spring_energy};

enum { LONG = 100000, TENTH = LONG / 10 };

typedef struct tenth {
    double low, high, mean;
} tenth;

static tenth read_tenth(trial *run, const complex_mechanics *m) {
    tenth x = {INFINITY, -INFINITY, 0};
    for (int n = 0; n < TENTH; n++) {
        cx q[2], u[2], T, V;
        trial_stride(run);
        for (int i = 0; i < m->nq; i++) q[i] = carom_sim_q(run->sim)[i], u[i] = carom_sim_u(run->sim)[i];
        m->energy(0, q, u, &T, &V, m->parameter);
        double E = creal(T + V);
        x.low = fmin(x.low, E), x.high = fmax(x.high, E), x.mean += E / TENTH;
    }
    return x;
}

/* Widths of the energy in the first and last tenth, and the change of its mean. */
static bool energy_error(const complex_mechanics *m, const carom_integrator_info *info, double *first, double *last,
                         double *drift) {
    const double dt = info->promise.order <= 2 ? 0.02 : 0.05;
    carom_model *model = complex_model(m);
    trial run;
    bool made = trial_offer(&run, model, info->name, dt, LONG * dt, tolerance);
    if (made) {
        tenth a = read_tenth(&run, m), b = a;
        for (int n = 0; n < 9; n++) b = read_tenth(&run, m);
        *first = a.high - a.low, *last = b.high - b.low, *drift = fabs(b.mean - a.mean);
        trial_close(&run);
    }
    carom_model_destroy(model);
    return made;
}

static void energy_over_long_times(void **state) {
    (void)state;
    static const struct {
        const char *name;
        const complex_mechanics *mechanics;
    } systems[] = {{"spring pendulum", &spring}, {"spring pendulum, polar", &polar}, {"joint", &fixed_support}};
    int missed = 0;
    for (int i = 0; i < carom_integrators(); i++) {
        const carom_integrator_info *info = carom_integrator(i);
        int ran = 0;
        for (int k = 0; k < 3 && info->promise.energy; k++) {
            double first, last, drift;
            if (systems[k].mechanics->ng > 0 && !info->promise.positions) continue;
            if (!energy_error(systems[k].mechanics, info, &first, &last, &drift)) continue;
            bool kept = last <= 1.25 * first && drift <= 0.1 * first;
            printf("%-20s %-28s energy within %.1e, later %.1e, mean moves %.0e%s\n", info->name, systems[k].name,
                   first, last, drift, kept ? "" : "  MISSED");
            ran++;
            missed += !kept;
        }
        assert_true(ran > 0 || !info->promise.energy);
    }
    assert_int_equal(missed, 0);
}

/* ---------------------------------------------------------------- impacts */

/* A mass that bounces on a floor under gravity: T + V of a parabola is kept by steps of any length, so that all there
 * is to see is impacts. */
static const double gravity = 9.81, height = 0.05;

static void bouncer_mass(double t, const cx *q, cx *M, const double *p) {
    (void)t, (void)q, (void)p;
    M[0] = 1;
}
static void bouncer_force(double t, const cx *q, const cx *u, cx *h, const double *p) {
    (void)t, (void)q, (void)u, (void)p;
    h[0] = -gravity;
}
static void bouncer_gap(double t, const cx *q, cx *gap, const double *p) {
    (void)t, (void)p;
    gap[0] = q[0];
}
static void bouncer_rate(double t, const cx *q, const cx *u, cx *s, const double *p) {
    (void)t, (void)q, (void)p;
    s[0] = u[0];
}
static void bouncer_energy(double t, const cx *q, const cx *u, cx *T, cx *V, const double *p) {
    (void)t, (void)p;
    *T = u[0] * u[0] / 2, *V = gravity * q[0];
}
static const complex_mechanics bouncer = {.nq = 1,
                                          .nu = 1,
                                          .contacts = 1,
                                          .contact = &(carom_model_contact){.name = "floor", .restitution = 1},
                                          .q0 = &height,
                                          .u0 = (double[]){0},
                                          .mass = bouncer_mass,
                                          .force = bouncer_force,
                                          .position = bouncer_gap,
                                          .velocity = bouncer_rate,
                                          .energy = bouncer_energy};

/* The largest error of T + V, relative, over 1e4 impacts: they are 2 sqrt(2 height/g) apart. */
static double impact_error(const carom_model *model, const char *name, double dt) {
    trial run = trial_model(model, name, dt, 1e4 * 2 * sqrt(2 * height / gravity), tolerance, NULL);
    double worst = 0;
    while (!carom_sim_done(run.sim)) {
        trial_stride(&run);
        const double x = carom_sim_q(run.sim)[0], v = carom_sim_u(run.sim)[0];
        worst = fmax(worst, fabs((v * v / 2 + gravity * x) / (gravity * height) - 1));
    }
    trial_close(&run);
    return worst;
}

/* Round-off only: 1e-16 of each of some 1e5 steps and 1e4 impacts, and 1e-13 of a gap in which the contact is met.
 * The last step is longer than the hops. */
static void energy_of_impacts(void **state) {
    (void)state;
    const double dt[] = {0.0173, 0.37};
    carom_model *model = complex_model(&bouncer);
    for (int i = 0; i < carom_integrators(); i++)
        for (int k = 0; k < 2 && carom_integrator(i)->promise.impact_energy; k++) {
            double worst = impact_error(model, carom_integrator(i)->name, dt[k]);
            printf("%-20s 1e4 impacts with dt = %-6g  energy within %.1e\n", carom_integrator(i)->name, dt[k], worst);
            assert_at_most(worst, 1e-10);
        }
    carom_model_destroy(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(energy_over_long_times), cmocka_unit_test(energy_of_impacts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
