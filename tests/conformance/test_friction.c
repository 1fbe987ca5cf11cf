/* Coulomb friction in one, two and three directions (Coulomb-Contensou) and Newton's impact law, against mechanics. */
#include "support/complex_model.h"
#include "support/trial.h"

#include <math.h>
#include <stdio.h>

static const double g = 10;

/* ---------------------------------------------------------------- one direction: q = (x, y) on y = 0 */
static void point_mass(double t, const cx *q, cx *M, const double *p) {
    (void)t, (void)q, (void)p;
    M[0] = M[3] = 1;
}
static void height(double t, const cx *q, cx *gap, const double *p) {
    (void)t, (void)p;
    gap[0] = q[1];
}
static void height_velocity(double t, const cx *q, const cx *u, cx *s, const double *p) {
    (void)t, (void)q, (void)p;
    s[0] = u[1], s[1] = u[0];
}

/* Pulled by F = 2 t against mu N = 3: sticks exactly until t = 1.5, friction equal to the pull. */
static void pulled(double t, const cx *q, const cx *u, cx *h, const double *p) {
    (void)q, (void)u, (void)p;
    h[0] = 2 * t, h[1] = -g;
}

static void stick_until_the_pull_wins(void **state) {
    (void)state;
    const carom_model_contact contact = {.name = "floor", .slips = 1, .friction = 0.3};
    const complex_mechanics block = {.nq = 2,
                                     .nu = 2,
                                     .contacts = 1,
                                     .contact = &contact,
                                     .q0 = (double[]){0, 0},
                                     .u0 = (double[]){0, 0},
                                     .mass = point_mass,
                                     .force = pulled,
                                     .position = height,
                                     .velocity = height_velocity};
    carom_model *model = complex_model(&block);
    const double dt = 1e-2;
    for (int k = 0; k < carom_integrators(); k++) {
        trial run;
        if (!trial_offer(&run, model, carom_integrator(k)->name, dt, 2.5, 1e-12)) continue;
        while (!carom_sim_done(run.sim)) {
            double before = carom_sim_time(run.sim);
            trial_step(&run);
            double t = carom_sim_time(run.sim), PF = carom_sim_percussion(run.sim)[1];
            if (t > 1.5 + 2 * dt) assert_int_equal(carom_sim_contact(run.sim, 0), CAROM_SLIP);
            if (t > 1.5 - dt) continue;
            assert_int_equal(carom_sim_contact(run.sim, 0), CAROM_STICK);
            assert_near(carom_sim_u(run.sim)[0], 0, 1e-13);
            assert_near(carom_sim_q(run.sim)[0], 0, 1e-13);
            assert_near(PF, -(before + t) * dt, dt * dt + 1e-13); /* the pull at either end, or any mean of it */
        }
        /* x_dot = t^2 - 3 t + 2.25 from 1.5 on: 1 at the end; it starts up to a step late. */
        assert_near(carom_sim_u(run.sim)[0], 1, 2 * 2 * dt);
        trial_close(&run);
    }
    carom_model_destroy(model);
}

/* ---------------------------------------------------------------- two directions: q = (x, y, z) on z = 0, force along
 * y */
static void mass3(double t, const cx *q, cx *M, const double *p) {
    (void)t, (void)q, (void)p;
    M[0] = M[4] = M[8] = 1;
}
static void pushed_aside(double t, const cx *q, const cx *u, cx *h, const double *p) {
    (void)t, (void)q, (void)u, (void)p;
    h[0] = 0, h[1] = 4, h[2] = -g;
}
static void height3(double t, const cx *q, cx *gap, const double *p) {
    (void)t, (void)p;
    gap[0] = q[2];
}
static void slip2(double t, const cx *q, const cx *u, cx *s, const double *p) {
    (void)t, (void)q, (void)p;
    s[0] = u[2], s[1] = u[0], s[2] = u[1];
}
/* The slip direction turns from x to y. The percussion of a step is a mean of forces on the cone, against slips that
 * occur in the step: inside the cone, against the slip but for what that turns in a step, 4/3 dt at most. */
static void slip_that_turns(void **state) {
    (void)state;
    const carom_model_contact contact = {.name = "floor", .slips = 2, .friction = 0.3};
    const complex_mechanics point = {.nq = 3,
                                     .nu = 3,
                                     .contacts = 1,
                                     .contact = &contact,
                                     .q0 = (double[]){0, 0, 0},
                                     .u0 = (double[]){3, 0, 0},
                                     .mass = mass3,
                                     .force = pushed_aside,
                                     .position = height3,
                                     .velocity = slip2};
    carom_model *model = complex_model(&point);
    const double dt = 1e-2;
    for (int i = 0; i < carom_integrators(); i++) {
        trial run;
        if (!trial_offer(&run, model, carom_integrator(i)->name, dt, 0.8, 1e-12)) continue;
        while (!carom_sim_done(run.sim)) {
            trial_step(&run);
            if (carom_sim_steps(run.sim) == 1) continue; /* a first step may kick at both of its ends */
            const double *P = carom_sim_percussion(run.sim), *u = carom_sim_u(run.sim), v = hypot(u[0], u[1]);
            double along = -(P[1] * u[0] + P[2] * u[1]) / v, across = (P[1] * u[1] - P[2] * u[0]) / v;
            assert_near(P[0], g * dt, 1e-11);
            assert_at_most(hypot(along, across), 0.3 * P[0] + 1e-12);
            assert_at_least(along, 0.3 * P[0] * cos(4. / 3 * dt) - 1e-12);
            assert_at_most(fabs(across), 0.3 * P[0] * sin(4. / 3 * dt) + 1e-12);
            assert_int_equal(carom_sim_contact(run.sim, 0), CAROM_SLIP);
        }
        trial_close(&run);
    }
    carom_model_destroy(model);
}

/* ---------------------------------------------------------------- three directions: a spinning puck, q = (x, y, z,
 * psi) Slip (x_dot, y_dot, r psi_dot), or its first components, in one ball of radius mu N. */
enum { ARM, INERTIA, SLIPS };
static void puck_mass(double t, const cx *q, cx *M, const double *p) {
    (void)t, (void)q;
    M[0] = M[5] = M[10] = 1;
    M[15] = p[INERTIA];
}
static void puck_force(double t, const cx *q, const cx *u, cx *h, const double *p) {
    (void)t, (void)q, (void)u, (void)p;
    h[0] = h[1] = h[3] = 0, h[2] = -g;
}
static void slip3(double t, const cx *q, const cx *u, cx *s, const double *p) {
    (void)t, (void)q;
    const cx slip[] = {u[0], u[1], p[ARM] * u[3]};
    s[0] = u[2];
    for (int i = 0; i < (int)p[SLIPS]; i++) s[1 + i] = slip[i];
}
static complex_mechanics puck(const double *p, const carom_model_contact *contact, const double *u0) {
    static const double q0[4] = {0};
    return (complex_mechanics){.nq = 4,
                               .nu = 4,
                               .contacts = 1,
                               .contact = contact,
                               .q0 = q0,
                               .u0 = u0,
                               .parameter = p,
                               .mass = puck_mass,
                               .force = puck_force,
                               .position = height3,
                               .velocity = slip3};
}

/* J = m r^2: all three slips decay along a straight line, |slip| = |slip_0| - mu g t, and stop together. Any scheme
 * that puts the percussion on the ball against the slip integrates this exactly. */
static void puck_that_stops_in_a_straight_line(void **state) {
    (void)state;
    const carom_model_contact contact = {.name = "table", .slips = 3, .friction = 0.4};
    const double p[] = {0.25, 0.0625, 3}, u0[] = {2, -1, 0, 8}, start = 3, dt = 1e-2;
    complex_mechanics m = puck(p, &contact, u0);
    carom_model *model = complex_model(&m);
    for (int k = 0; k < carom_integrators(); k++) {
        const carom_integrator_info *info = carom_integrator(k);
        /* 100 steps of 1e-12; or half a step, where u is the velocity of an element */
        const double slack =
            info->promise.velocity_order < info->promise.order ? 0.4 * g * dt / 2 * 8 / 3 + 1e-10 : 1e-10;
        trial run;
        if (!trial_offer(&run, model, info->name, dt, 1, 1e-12)) continue;
        while (!carom_sim_done(run.sim)) {
            trial_step(&run);
            double share = fmax(0, 1 - 0.4 * g * carom_sim_time(run.sim) / start);
            for (int i = 0; i < 4; i++) assert_near(carom_sim_u(run.sim)[i], share * u0[i], slack);
            if (share > 0.01) assert_int_equal(carom_sim_contact(run.sim, 0), CAROM_SLIP);
            if (carom_sim_time(run.sim) > 0.75 + dt) assert_int_equal(carom_sim_contact(run.sim, 0), CAROM_STICK);
        }
        trial_close(&run);
    }
    carom_model_destroy(model);
}

/* ---------------------------------------------------------------- single impacts
 * The puck thrown on the table without gravity: (z, slip) are decoupled with effective masses 1 (J = m r^2), so
 *     P_N = (1 + e_N) v,  P_F = -(1 + e_F) slip if that is inside the ball of radius mu P_N, else -mu P_N slip/|slip|.
 */
static void no_force(double t, const cx *q, const cx *u, cx *h, const double *p) {
    (void)t, (void)q, (void)u, (void)p;
    for (int i = 0; i < 4; i++) h[i] = 0;
}

static void check_impact(double e_N, double e_F, double mu, int slips, const char *integrator) {
    const carom_model_contact contact = {
        .name = "table", .slips = slips, .friction = mu, .restitution = e_N, .tangential_restitution = e_F};
    const double p[] = {0.25, 0.0625, slips}, q0[] = {0, 0, 0.105, 0}, v = 2,
                 u0[] = {1, slips > 1 ? -0.7 : 0, -v, slips > 2 ? 5 : 0};
    complex_mechanics m = puck(p, &contact, u0);
    m.q0 = q0;
    m.force = no_force;
    carom_model *model = complex_model(&m);
    trial run;
    if (!trial_offer(&run, model, integrator, 1e-2, 0.1, 1e-13)) {
        carom_model_destroy(model);
        return;
    }
    double slip0[3] = {u0[0], u0[1], p[ARM] * u0[3]}, size = 0, PN = (1 + e_N) * v, total[4] = {0};
    for (int i = 0; i < slips; i++) size += slip0[i] * slip0[i];
    double change = fmin((1 + e_F), mu * PN / sqrt(size));
    while (!carom_sim_done(run.sim)) {
        trial_step(&run);
        for (int i = 0; i < 1 + slips; i++) total[i] += carom_sim_percussion(run.sim)[i];
    }
    const double *u = carom_sim_u(run.sim), slip[3] = {u[0], u[1], p[ARM] * u[3]};
    assert_near(u[2], e_N * v, 1e-11); /* solved to 1e-13 */
    assert_near(total[0], PN, 1e-11);
    for (int i = 0; i < slips; i++) {
        assert_near(slip[i], (1 - change) * slip0[i], 1e-11);
        assert_near(total[1 + i], -change * slip0[i], 1e-11);
    }
    trial_close(&run);
    carom_model_destroy(model);
}

static void single_impacts(void **state) {
    (void)state;
    static const double e_N[] = {0, 0.4, 1}, e_F[] = {0, 0.5, 1}, mu[] = {0, 0.1, 0.4, 2};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 4; k++)
                for (int slips = 1; slips <= 3; slips++)
                    for (int n = 0; n < carom_integrators(); n++)
                        check_impact(e_N[i], e_F[j], mu[k], slips, carom_integrator(n)->name);
}

/* Two masses on a line: the mean velocity stays, the relative one turns by -e_N. */
static void row_mass(double t, const cx *q, cx *M, const double *p) {
    (void)t, (void)q;
    for (int i = 0; i < 2; i++) M[3 * i] = p[i];
}
static void row_force(double t, const cx *q, const cx *u, cx *h, const double *p) {
    (void)t, (void)q, (void)u, (void)p;
    h[0] = h[1] = 0;
}
static void row_gap(double t, const cx *q, cx *gap, const double *p) {
    (void)t, (void)p;
    gap[0] = q[1] - q[0];
}
static void row_velocity(double t, const cx *q, const cx *u, cx *s, const double *p) {
    (void)t, (void)q, (void)p;
    s[0] = u[1] - u[0];
}

static void two_masses_collide(void **state) {
    (void)state;
    static const double e_N[] = {0, 0.3, 1}, masses[][2] = {{1, 1}, {1, 4}, {3, 0.5}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < carom_integrators(); k++) {
                const carom_model_contact contact = {.name = "pair", .restitution = e_N[i]};
                const double *m = masses[j], u0[] = {2, -1}, mean = (m[0] * u0[0] + m[1] * u0[1]) / (m[0] + m[1]);
                const complex_mechanics pair = {.nq = 2,
                                                .nu = 2,
                                                .contacts = 1,
                                                .contact = &contact,
                                                .q0 = (double[]){0, 0.047},
                                                .u0 = u0,
                                                .parameter = m,
                                                .mass = row_mass,
                                                .force = row_force,
                                                .position = row_gap,
                                                .velocity = row_velocity};
                carom_model *model = complex_model(&pair);
                trial run;
                if (trial_offer(&run, model, carom_integrator(k)->name, 1e-3, 0.05, 1e-13)) {
                    trial_finish(&run);
                    for (int n = 0; n < 2; n++)
                        assert_near(carom_sim_u(run.sim)[n], mean - e_N[i] * (u0[n] - mean), 1e-11);
                    trial_close(&run);
                }
                carom_model_destroy(model);
            }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stick_until_the_pull_wins),
        cmocka_unit_test(slip_that_turns),
        cmocka_unit_test(puck_that_stops_in_a_straight_line),
        cmocka_unit_test(single_impacts),
        cmocka_unit_test(two_masses_collide),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
