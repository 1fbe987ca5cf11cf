/* Many contacts at once: disks thrown at random into a box, every law checked in every step. */
#include "support/disks.h"
#include "support/trial.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double dt = 2e-3;

typedef struct contact_step {
    double mu, e, gap;      /* at the end */
    double rate, slip;      /* velocities at the end */
    double from, from_here; /* gap_dot before, seen at the old and at the new configuration */
    double PN, PF;
    double travel; /* what a gap that is closed elsewhere in the step may have opened by at its end */
} contact_step;

/* One contact over one step. The step was solved to 1e-11 as a velocity; 1e-8 covers it for masses and arms of order
 * one. Schemes on position level press only on gaps that are closed at the end of the step; others may look at gaps
 * elsewhere. Newton's law is taken against the velocity before, which schemes see at the configuration they come from
 * or at the one they go to. */
static void check_laws(const contact_step *c, const carom_promise *promise) {
    const double tolerance = 1e-8, xi = c->rate + c->e * c->from, xi_here = c->rate + c->e * c->from_here;
    if (promise->positions) assert_at_least(c->gap, -tolerance);
    assert_at_least(c->PN, -1e-11);
    assert_at_most(fabs(c->PF), c->mu * c->PN + 1e-11);
    if (c->gap > c->travel + tolerance) assert_at_most(c->PN, 1e-11);
    if (!promise->velocities) return;
    if (c->gap < -tolerance) assert_at_least(fmax(xi, xi_here), -tolerance); /* closed for certain, on velocity level */
    if (c->PN < 1e-7) return;
    assert_at_most(fmin(fabs(xi), fabs(xi_here)), tolerance);
    if (fabs(c->PF) < c->mu * c->PN * (1 - 1e-6)) assert_near(c->slip, 0, tolerance);
    if (fabs(c->slip) > 1e-6) assert_near(c->PF, -copysign(c->mu * c->PN, c->slip), 1e-9);
}

/* All contacts over one step; returns how many of them press. */
static int check_step(const throw_of_disks *d, trial *run, const carom_promise *promise) {
    double q[3 * DISKS], u[3 * DISKS], gap[CONTACTS], from[2 * CONTACTS], here[2 * CONTACTS], after[2 * CONTACTS];
    memcpy(q, carom_sim_q(run->sim), sizeof q);
    memcpy(u, carom_sim_u(run->sim), sizeof u);
    trial_stride(run);
    const double *now = carom_sim_q(run->sim), *P = carom_sim_percussion(run->sim);
    complex_position(&d->mechanics, 0, now, gap);
    complex_velocity(&d->mechanics, 0, now, carom_sim_u(run->sim), after);
    complex_velocity(&d->mechanics, 0, q, u, from);
    complex_velocity(&d->mechanics, 0, now, u, here);
    int pressing = 0;
    double fastest = 0; /* of all disks, before and after */
    for (int i = 0; i < 3 * DISKS; i++) fastest = fmax(fastest, fmax(fabs(u[i]), fabs(carom_sim_u(run->sim)[i])));
    for (int k = 0; k < CONTACTS; k++) {
        const contact_step c = {.mu = d->contact[k].friction,
                                .e = d->contact[k].restitution,
                                .gap = gap[k],
                                .rate = after[k],
                                .slip = after[CONTACTS + k],
                                .from = from[k],
                                .from_here = here[k],
                                .PN = P[k],
                                .PF = P[CONTACTS + k],
                                .travel = promise->positions ? 0 : 2 * dt * fastest};
        check_laws(&c, promise);
        pressing += P[k] > 1e-7;
    }
    return pressing;
}

static void laws_hold_for_random_disks(void **state) {
    (void)state;
    static throw_of_disks d;
    for (unsigned long long seed = 2; seed <= 3; seed++) {
        throw_disks(&d, seed, 0.35, 0.7, 1);
        for (int n = 0; n < carom_integrators(); n++) {
            const carom_integrator_info *info = carom_integrator(n);
            trial run;
            int closed = 0, together = 0;
            if (!trial_offer(&run, d.model, info->name, dt, 1, 1e-11)) continue;
            while (!carom_sim_done(run.sim)) {
                int pressing = check_step(&d, &run, &info->promise);
                closed += pressing, together = pressing > together ? pressing : together;
            }
            printf("%-20s seed %llu: %d closed contact steps, at most %d at once\n", info->name, seed, closed,
                   together);
            assert_true(together >= 4);
            trial_close(&run);
        }
        carom_model_destroy(d.model);
    }
}

/* Without restitution the step's friction problem always has a solution (in the plane Lemke's method ends in one),
 * however many contacts wedge the disks and whatever mu is; mu = 1 in a right-angled corner makes its matrix singular.
 */
static void inelastic_disks_never_fail(void **state) {
    (void)state;
    static throw_of_disks d;
    static const double mu[] = {0.7, 1};
    static const unsigned long long seeds[2][2] = {{1, 20}, {7, 34}};
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++) {
            throw_disks(&d, seeds[i][k], mu[i], 0, 1);
            for (int n = 0; n < carom_integrators(); n++) {
                trial run;
                if (!trial_offer(&run, d.model, carom_integrator(n)->name, dt, 1, 1e-10)) continue;
                while (!carom_sim_done(run.sim)) trial_stride(&run);
                for (int j = 0; j < DISKS; j++) assert_at_least(carom_sim_q(run.sim)[3 * j + 1], DISK_RADIUS - 0.1);
                trial_close(&run);
            }
            carom_model_destroy(d.model);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(laws_hold_for_random_disks),
        cmocka_unit_test(inelastic_disks_never_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
