/* A pendulum on a plate with flexible supports (nsga, 5.5): it strikes three times, slides in turning directions,
 * bounces and comes to stick. The exact motion is that of lobatto with located events: three stages with steps of 1e-3
 * and of 5e-4 have the same instants to 1e-7. */
#include "support/trial.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double mu = 0.3;

/* ---- the laws, in every step
 * The tolerance is 1e-10 m/s; the contact moves a mass of 1.1 kg, so that percussions follow as well. */
static void lawful(const trial *run) {
    const double gap = trial_value(run, "plate_bob.gap"), rate = trial_value(run, "plate_bob.gap_dot"),
                 PN = trial_value(run, "plate_bob.PN"),
                 PF[2] = {trial_value(run, "plate_bob.PF1"), trial_value(run, "plate_bob.PF2")},
                 slip[2] = {trial_value(run, "plate_bob.slip1"), trial_value(run, "plate_bob.slip2")},
                 speed = hypot(slip[0], slip[1]);
    assert_at_least(gap, -1e-12);
    assert_at_least(PN, 0);
    assert_at_most(hypot(PF[0], PF[1]), mu * PN + 1e-9);
    if (PN > 0) {
        assert_near(gap, 0, 1e-12);
        assert_near(rate, 0, 1e-9); /* e = 0: an impact leaves nothing */
    }
    if (trial_value(run, "plate_bob.state") == CAROM_STICK) assert_at_most(speed, 1e-9);
    if (PN == 0) assert_true(PF[0] == 0 && PF[1] == 0);
    /* Friction is opposite to slip and as large as it may be. A direction is known as well as the slip is. */
    if (PN > 0 && speed > 1e-3)
        for (int i = 0; i < 2; i++) assert_near(PF[i], -mu * PN * slip[i] / speed, 1e-6 * PN + 1e-9);
}

/* ---- what happens */

enum { CHANGES = 7 };
typedef struct change {
    double t;
    int state;
} change;

static int changes(trial run, bool check, change *list) {
    int count = 0, state = CAROM_OPEN;
    while (!carom_sim_done(run.sim)) {
        trial_step(&run);
        if (check) lawful(&run);
        int now = (int)trial_value(&run, "plate_bob.state");
        if (now == state) continue;
        assert_true(count < CHANGES);
        list[count++] = (change){trial_value(&run, "t"), state = now};
    }
    trial_close(&run);
    return count;
}

/* Each strike is seen up to a step late, and passes that on: dt for every change so far. */
static void slips_and_sticks(void **state) {
    (void)state;
    static const int expected[] = {CAROM_SLIP, CAROM_OPEN, CAROM_SLIP, CAROM_OPEN, CAROM_SLIP, CAROM_STICK};
    change exact[CHANGES], found[CHANGES];
    const double fine = 5e-4;
    assert_int_equal(changes(trial_located("paper/nsga/plate_pendulum", 3, fine, 2, NULL, NULL), false, exact), 6);
    for (int i = 0; i < 6; i++) assert_int_equal(exact[i].state, expected[i]);
    for (double dt = 2e-3; dt > 4e-4; dt /= 2) {
        char set[32];
        snprintf(set, sizeof set, "run.dt=%.17g", dt);
        int count = changes(trial_scene("paper/nsga/plate_pendulum", set, NULL), true, found);
        printf("dt = %.1e:", dt);
        for (int i = 0; i < count; i++)
            printf(" %s %.4f (%+.1f dt)", (const char *[]){"opens", "slips", "sticks"}[found[i].state], found[i].t,
                   (found[i].t - exact[i].t) / dt);
        printf("\n");
        assert_int_equal(count, 6);
        for (int i = 0; i < 6; i++) {
            assert_int_equal(found[i].state, expected[i]);
            assert_near(found[i].t, exact[i].t, fine + (i + 1) * dt);
        }
    }
}

/* ---- order */

enum { NQ = 10 };
static void state_at(trial run, double q[NQ], double u[9]) {
    while (!carom_sim_done(run.sim)) trial_stride(&run);
    memcpy(q, carom_sim_q(run.sim), NQ * sizeof *q);
    memcpy(u, carom_sim_u(run.sim), 9 * sizeof *u);
    trial_close(&run);
}

/* After an impact, sliding and an opening, in flight at t = 1. */
static void first_order(void **state) {
    (void)state;
    enum { SIZES = 6 };
    double exact[NQ], rates[9], h[SIZES], error[2][SIZES] = {{0}};
    state_at(trial_located("paper/nsga/plate_pendulum", 3, 5e-4, 1, NULL, NULL), exact, rates);
    for (int k = 0; k < SIZES; k++) {
        char set[32];
        double q[NQ], u[9];
        h[k] = 1 / (250 * pow(2, k));
        snprintf(set, sizeof set, "run.dt=%.17g", h[k]);
        state_at(trial_scene("paper/nsga/plate_pendulum", set, "run.until=1", NULL), q, u);
        for (int i = 0; i < NQ; i++) error[0][k] = fmax(error[0][k], fabs(q[i] - exact[i]));
        for (int i = 0; i < 9; i++) error[1][k] = fmax(error[1][k], fabs(u[i] - rates[i]));
        printf("dt = %.2e: q %.2e (%.2f dt), u %.2e (%.2f dt)\n", h[k], error[0][k], error[0][k] / h[k], error[1][k],
               error[1][k] / h[k]);
    }
    double orders[2] = {observed_order(SIZES, h, error[0]), observed_order(SIZES, h, error[1])};
    printf("orders %.2f, %.2f\n", orders[0], orders[1]);
    /* errors depend on the place of the impact in its step: by a factor of two or so over five halvings */
    for (int i = 0; i < 2; i++) assert_near(orders[i], 1, 0.3);
}

/* ---- the penalty */

/* It chooses branches, not results: 2000 steps of a tolerance of 1e-12, which the friction of the end forgets again. */
static void any_penalty(void **state) {
    (void)state;
    static const char *const penalty[] = {"run.penalty=1", "run.penalty=0.1", "run.penalty=10"};
    double q[3][NQ], u[3][9];
    for (int k = 0; k < 3; k++) {
        state_at(trial_scene("paper/nsga/plate_pendulum", "run.tolerance=1e-12", penalty[k], NULL), q[k], u[k]);
        double apart = 0;
        for (int i = 0; i < NQ; i++) apart = fmax(apart, fabs(q[k][i] - q[0][i]));
        for (int i = 0; i < 9; i++) apart = fmax(apart, fabs(u[k][i] - u[0][i]));
        printf("%s: %.1e apart\n", penalty[k], apart);
        assert_at_most(apart, 1e-7);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(slips_and_sticks), cmocka_unit_test(first_order),
                                       cmocka_unit_test(any_penalty)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
