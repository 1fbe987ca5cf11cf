/* Balls that bounce until they rest, and balls that never do: lobatto with located events through accumulation points
 * against geometric series, and the energy of elastic impacts. */
#include "support/smooth.h"
#include "support/trial.h"

#include <math.h>
#include <stdio.h>

/* ---------------------------------------------------------------- a ball with spin, m = 1, J = 2/5 R^2
 * Flights are parabolas of 2 v/g with v <- e v. An impact gives P_N = (1 + e) v and P_F = -2/7 slip, or what friction
 * allows of it. On the floor friction mu g takes 7/2 mu g per second from the slip; then the ball rolls. */
static const real g = 9.81, R = 0.1, mu = 0.2;

typedef struct ball {
    real x, phi, x_dot, phi_dot;
} ball;

static void pass(ball *b, real time) {
    b->x += time * b->x_dot, b->phi += time * b->phi_dot;
}

static real slip(const ball *b) {
    return b->x_dot + R * b->phi_dot;
}

static void rub(ball *b, real most) {
    real P = -2 / 7.L * slip(b);
    if (fabsl(P) > most) P = copysignl(most, P);
    b->x_dot += P, b->phi_dot += 5 / (2 * R) * P;
}

/* At time t, after the accumulation point. */
static ball at_rest(real e, real omega, real t) {
    ball b = {.phi_dot = omega};
    real fall = sqrtl(2 * (real)0.9 / g), now = fall, rest = fall + 2 * fall * e / (1 - e);
    pass(&b, fall);
    for (real v = g * fall; v > 1e-19L; v *= e) {
        rub(&b, mu * (1 + e) * v);
        pass(&b, 2 * e * v / g);
        now += 2 * e * v / g;
    }
    assert_near((double)(now - rest), 0, 1e-17);
    real left = t - rest, sliding = fminl(left, fabsl(slip(&b)) / (3.5L * mu * g));
    ball start = b;
    rub(&b, mu * g * sliding);
    b.x += sliding * (start.x_dot + b.x_dot) / 2, b.phi += sliding * (start.phi_dot + b.phi_dot) / 2;
    pass(&b, left - sliding);
    return b;
}

/* The worst of q and u at the end; an angle counts by what it moves the surface. The hops that are left out are lower
 * than 1e-11 g dt^2, and a few hundred steps are solved to 1e-13. */
static double error_at_rest(double e, double omega, int s, double dt) {
    char with_e[32], spin[32];
    snprintf(with_e, sizeof with_e, "parameters.e=%g", e);
    snprintf(spin, sizeof spin, "parameters.omega=%g", omega);
    trial run = trial_located("paper/rattle/ball", s, dt, e < 0.6 ? 3 : 6, with_e, spin);
    trial_finish(&run);
    ball b = at_rest(e, omega, carom_sim_time(run.sim));
    const double *q = carom_sim_q(run.sim), *u = carom_sim_u(run.sim), r = (double)R;
    const double off[] = {q[0] - (double)b.x,     q[1] - r, r * (q[2] - (double)b.phi),
                          u[0] - (double)b.x_dot, u[1],     r * (u[2] - (double)b.phi_dot)};
    double worst = 0;
    for (int i = 0; i < 6; i++) worst = fmax(worst, fabs(off[i]));
    assert_int_equal(carom_sim_contact(run.sim, 0), CAROM_STICK);
    trial_close(&run);
    return worst;
}

static void through_accumulation_points(void **state) {
    (void)state;
    static const double e[] = {0.5, 0.8}, omega[] = {0, 20, 50, 200}, dt[] = {0.25, 0.1, 0.01};
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 4; k++)
            for (int n = 0; n < 3; n++) {
                double worst = 0;
                for (int s = 2; s <= 5; s++) worst = fmax(worst, error_at_rest(e[i], omega[k], s, dt[n]));
                printf("e = %.1f, spin %3g, dt = %.2f: %.1e\n", e[i], omega[k], dt[n], worst);
                assert_at_most(worst, 1e-11);
            }
}

/* Ten thousand bounces, each of which may leave a few roundings of the velocity. */
static void elastic_bounces_keep_the_energy(void **state) {
    (void)state;
    trial run = trial_located("paper/moreau/ball", 3, 0.4, 9100, "model.contacts.floor.restitution=1", NULL);
    double start = trial_value(&run, "E"), worst = 0;
    int bounces = 0, count;
    while (!carom_sim_done(run.sim)) {
        trial_step(&run);
        carom_sim_events(run.sim, &count);
        bounces += count;
        worst = fmax(worst, fabs(trial_value(&run, "E") / start - 1));
    }
    printf("%d elastic bounces: energy %.1e\n", bounces, worst);
    assert_true(bounces > 10000);
    assert_at_most(worst, 1e-10);
    trial_close(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(through_accumulation_points),
                                       cmocka_unit_test(elastic_bounces_keep_the_energy)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
