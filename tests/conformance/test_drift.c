/* What every integrator keeps at the end of each step: positions (g = 0, g_N >= 0) and velocities (g_dot = 0,
 * gamma = 0), where promised; unit quaternions, where promised. */
#include "support/drum.h"
#include "support/problems.h"
#include "support/trial.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double tolerance = 1e-10; /* of a step; it is met in every step anew and does not accumulate */
static const double slack = 10;        /* rows of W are of length one, up to this factor */

static const double free_of_force = 0, pull = 3;
static const carom_model_contact elastic = {.name = "drum", .slips = 1, .restitution = 1},
                                 accumulating = {.name = "drum", .slips = 1, .restitution = 0.8},
                                 rubbing = {.name = "drum", .slips = 1, .friction = 0.2, .restitution = 0.5};

/* ---------------------------------------------------------------- a ball between two moving walls: y in [0, 1 + sin(3
 * t)/4] under gravity, e = 0.8: impacts without end, and rest between them */
static void shaken_mass(double t, const cx *q, cx *M, const double *p) {
    (void)t, (void)q, (void)p;
    M[0] = 1;
}
static void shaken_force(double t, const cx *q, const cx *u, cx *h, const double *p) {
    (void)t, (void)q, (void)u, (void)p;
    h[0] = -9.81;
}
static void shaken_gaps(double t, const cx *q, cx *gap, const double *p) {
    (void)p;
    gap[0] = q[0] - sin(6 * t) / 10;
    gap[1] = 1 + sin(3 * t) / 4 - q[0];
}
static void shaken_velocity(double t, const cx *q, const cx *u, cx *s, const double *p) {
    (void)q, (void)p;
    s[0] = u[0] - 0.6 * cos(6 * t);
    s[1] = 0.75 * cos(3 * t) - u[0];
}
static const complex_mechanics shaken = {.nq = 1,
                                         .nu = 1,
                                         .contacts = 2,
                                         .contact = (const carom_model_contact[]){{.name = "floor", .restitution = 0.8},
                                                                                  {.name = "lid", .restitution = 0.5}},
                                         .q0 = (double[]){0.7},
                                         .u0 = (double[]){1},
                                         .mass = shaken_mass,
                                         .force = shaken_force,
                                         .position = shaken_gaps,
                                         .velocity = shaken_velocity};

/* ---------------------------------------------------------------- drift */
typedef struct held {
    const char *name;
    complex_mechanics mechanics;
} held;
enum { SYSTEMS = 8 };

static void list_systems(held *list) {
    const held all[SYSTEMS] = {
        {"joint", fixed_support},
        {"moving joint", moving_support},
        {"knife edge, pushed", pushed},
        {"drum, elastic", drum(&elastic, &free_of_force)},
        {"drum, accumulating", drum(&accumulating, &free_of_force)},
        {"drum, friction", drum(&rubbing, &free_of_force)},
        {"drum, central pull", drum(&elastic, &pull)},
        {"shaken ball", shaken},
    };
    memcpy(list, all, sizeof all);
}

/* The largest violations of constraints and gaps, and of the velocities of constraints. */
static bool measure(const held *h, const char *integrator, double *position, double *velocity, long *closed) {
    const complex_mechanics *m = &h->mechanics;
    carom_model *model = complex_model(m);
    trial run;
    bool offered = trial_offer(&run, model, integrator, 5e-3, 20, tolerance);
    *position = *velocity = 0;
    *closed = 0;
    while (offered && !carom_sim_done(run.sim)) {
        double c[2], s[3];
        trial_stride(&run);
        if (m->position) complex_position(m, carom_sim_time(run.sim), carom_sim_q(run.sim), c);
        complex_velocity(m, carom_sim_time(run.sim), carom_sim_q(run.sim), carom_sim_u(run.sim), s);
        for (int i = 0; i < m->ng; i++) *position = fmax(*position, fabs(c[i]));
        for (int i = 0; i < m->contacts; i++) {
            *position = fmax(*position, -c[m->ng + i]);
            *closed += carom_sim_percussion(run.sim)[m->ng + m->ngamma + i] > 0;
        }
        for (int i = 0; i < m->ng + m->ngamma; i++) *velocity = fmax(*velocity, fabs(s[i]));
    }
    if (offered) trial_close(&run);
    carom_model_destroy(model);
    return offered;
}

static void positions_and_velocities(void **state) {
    (void)state;
    held systems[SYSTEMS];
    list_systems(systems);
    int missed = 0;
    for (int i = 0; i < carom_integrators(); i++) {
        const carom_integrator_info *info = carom_integrator(i);
        int ran = 0;
        for (int k = 0; k < SYSTEMS; k++) {
            double position, velocity;
            long closed;
            if (!measure(&systems[k], info->name, &position, &velocity, &closed)) continue;
            bool kept = (!info->promise.positions || position <= slack * tolerance) &&
                        (!info->promise.velocities || velocity <= slack * tolerance);
            printf("%-20s %-28s position %.0e%s, velocity %.0e%s, %ld contacts closed%s\n", info->name, systems[k].name,
                   position, info->promise.positions ? "" : " (free)", velocity,
                   info->promise.velocities ? "" : " (free)", closed, kept ? "" : "  MISSED");
            assert_true(closed > 0 || systems[k].mechanics.contacts == 0);
            ran++;
            missed += !kept;
        }
        assert_true(ran > 0);
    }
    assert_int_equal(missed, 0);
}

/* An explicit update p + dt p_dot would lengthen p by (dt omega)^2/8 a step, 2e-5. */
static void unit_quaternions(void **state) {
    (void)state;
    carom_model *model = complex_model(&body);
    for (int i = 0; i < carom_integrators(); i++) {
        const carom_integrator_info *info = carom_integrator(i);
        trial run;
        double worst = 0;
        if (!trial_offer(&run, model, info->name, 1e-2, 5, 1e-13)) continue;
        while (!carom_sim_done(run.sim)) {
            trial_stride(&run);
            const double *p = carom_sim_q(run.sim);
            worst = fmax(worst, fabs(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3] - 1));
        }
        printf("%-20s |p|^2 off by %.0e%s\n", info->name, worst, info->promise.invariants ? "" : " (free)");
        if (info->promise.invariants) assert_at_most(worst, 1e-12); /* 500 steps of 1e-13 dt */
        trial_close(&run);
    }
    carom_model_destroy(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(positions_and_velocities), cmocka_unit_test(unit_quaternions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
