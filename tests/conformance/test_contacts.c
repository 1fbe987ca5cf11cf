/* Many contacts at once: disks thrown at random into a box, every law checked in every step; and what a run owes to its
 * user: the same bits twice, the same bits after a checkpoint, results that do not depend on the solver's tolerance. */
#include "support/complex_model.h"
#include "support/trial.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- disks, q = (x, y, phi) each, radius 0.2 in a box 1.5
 * wide */
enum { DISKS = 5, WALLS = 3 * DISKS, PAIRS = DISKS * (DISKS - 1) / 2, CONTACTS = WALLS + PAIRS };
static const double radius = 0.2, width = 1.5, disk_mass = 0.8, g = 9.81;

static void disks_mass(double t, const cx *q, cx *M, const double *p) {
    (void)t, (void)q, (void)p;
    const double inertia[3] = {disk_mass, disk_mass, disk_mass * radius * radius / 2};
    for (int i = 0; i < 3 * DISKS; i++) M[i * 3 * DISKS + i] = inertia[i % 3];
}
static void disks_force(double t, const cx *q, const cx *u, cx *h, const double *p) {
    (void)t, (void)q, (void)u, (void)p;
    for (int i = 0; i < 3 * DISKS; i++) h[i] = i % 3 == 1 ? -disk_mass * g : 0;
}

/* The contact a..b (b < 0: a wall) with normal n from b to a, tangent (-n_y, n_x). */
typedef struct touch {
    int a, b;
    cx gap, n[2];
} touch;

static touch touch_at(int k, const cx *q) {
    if (k < WALLS) {
        int a = k / 3;
        cx x = q[3 * a], y = q[3 * a + 1];
        if (k % 3 == 0) return (touch){a, -1, y - radius, {0, 1}};
        if (k % 3 == 1) return (touch){a, -1, x - radius, {1, 0}};
        return (touch){a, -1, width - x - radius, {-1, 0}};
    }
    int a = 0, b = k - WALLS;
    while (b >= DISKS - 1 - a) b -= DISKS - 1 - a, a++;
    b += a + 1;
    cx dx = q[3 * a] - q[3 * b], dy = q[3 * a + 1] - q[3 * b + 1], d = csqrt(dx * dx + dy * dy);
    return (touch){a, b, d - 2 * radius, {dx / d, dy / d}};
}
static void disks_gaps(double t, const cx *q, cx *gap, const double *p) {
    (void)t, (void)p;
    for (int k = 0; k < CONTACTS; k++) gap[k] = touch_at(k, q).gap;
}
static void disks_velocities(double t, const cx *q, const cx *u, cx *s, const double *p) {
    (void)t, (void)p;
    for (int k = 0; k < CONTACTS; k++) {
        touch c = touch_at(k, q);
        cx x = u[3 * c.a], y = u[3 * c.a + 1], spin = u[3 * c.a + 2];
        if (c.b >= 0) x -= u[3 * c.b], y -= u[3 * c.b + 1], spin += u[3 * c.b + 2];
        s[k] = c.n[0] * x + c.n[1] * y;
        s[CONTACTS + k] = -c.n[1] * x + c.n[0] * y - radius * spin;
    }
}

static double uniform(unsigned long long *seed) {
    *seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(*seed >> 11) * 0x1p-53;
}

typedef struct throw_of_disks {
    carom_contact_def contact[CONTACTS];
    char names[CONTACTS][8];
    double q0[3 * DISKS], u0[3 * DISKS];
    complex_mechanics mechanics;
    carom_model *model;
} throw_of_disks;

/* Disks in two columns above each other, thrown with random velocities; random restitution per contact, up to e. */
static void throw_disks(throw_of_disks *d, unsigned long long seed, double mu, double e) {
    for (int k = 0; k < CONTACTS; k++) {
        snprintf(d->names[k], sizeof d->names[k], "c%d", k);
        d->contact[k] = (carom_contact_def){d->names[k], 1, mu, k % 3 ? e * uniform(&seed) : 0, 0};
    }
    for (int i = 0; i < DISKS; i++) {
        d->q0[3 * i] = (i % 2 ? 1.1 : 0.4) + 0.1 * (uniform(&seed) - 0.5);
        d->q0[3 * i + 1] = 0.3 + 0.5 * (i / 2) + 0.05 * uniform(&seed);
        d->q0[3 * i + 2] = 0;
        for (int j = 0; j < 3; j++) d->u0[3 * i + j] = 4 * (uniform(&seed) - 0.5);
    }
    d->mechanics = (complex_mechanics){.nq = 3 * DISKS,
                                       .nu = 3 * DISKS,
                                       .contacts = CONTACTS,
                                       .contact = d->contact,
                                       .q0 = d->q0,
                                       .u0 = d->u0,
                                       .mass = disks_mass,
                                       .force = disks_force,
                                       .momentum_rate = complex_constant_mass,
                                       .position = disks_gaps,
                                       .velocity = disks_velocities};
    d->model = complex_model(&d->mechanics);
}

/* One contact over one step. The step was solved to 1e-11 as a velocity; 1e-8 covers it for masses and arms of order
 * one. */
static void check_laws(bool positions, double mu, double gap, double xi_N, double xi_F, double PN, double PF) {
    const double tolerance = 1e-8;
    if (positions) assert_at_least(gap, -tolerance);
    assert_at_least(PN, -1e-11);
    assert_at_most(fabs(PF), mu * PN + 1e-11);
    if (gap > tolerance) assert_at_most(PN, 1e-11);
    if (gap < -tolerance) assert_at_least(xi_N, -tolerance); /* closed for certain, on velocity level */
    if (PN < 1e-7) return;
    assert_at_most(gap, tolerance);
    assert_near(xi_N, 0, tolerance);
    if (fabs(PF) < mu * PN * (1 - 1e-6)) assert_near(xi_F, 0, tolerance);
    if (fabs(xi_F) > 1e-6) assert_near(PF, -copysign(mu * PN, xi_F), 1e-9);
}

static void laws_hold_for_random_disks(void **state) {
    (void)state;
    static throw_of_disks d;
    for (int n = 0; n < 2; n++)
        for (unsigned long long seed = 1; seed <= 4; seed++) {
            const bool positions = n == 0;
            throw_disks(&d, seed, 0.35, 0.7);
            trial run = trial_model(d.model, positions ? "rattle" : "moreau", 2e-3, 1, 1e-11, NULL);
            double q[3 * DISKS], u[3 * DISKS], gap[CONTACTS], before[2 * CONTACTS], after[2 * CONTACTS];
            long closed = 0, together = 0;
            while (!carom_sim_done(run.sim)) {
                memcpy(q, carom_sim_q(run.sim), sizeof q);
                memcpy(u, carom_sim_u(run.sim), sizeof u);
                trial_step(&run);
                const double *now = carom_sim_q(run.sim), *P = carom_sim_percussion(run.sim);
                complex_position(&d.mechanics, 0, now, gap);
                complex_velocity(&d.mechanics, 0, now, carom_sim_u(run.sim), after);
                /* The velocity before the impact: at the old configuration (30), at the new one in (56). */
                complex_velocity(&d.mechanics, 0, positions ? q : now, u, before);
                int count = 0;
                for (int k = 0; k < CONTACTS; k++) {
                    check_laws(positions, d.contact[k].friction, gap[k],
                               after[k] + d.contact[k].restitution * before[k], after[CONTACTS + k], P[k],
                               P[CONTACTS + k]);
                    count += P[k] > 1e-7;
                }
                closed += count, together = count > together ? count : together;
            }
            printf("%s, seed %llu: %ld closed contact steps, at most %ld at once\n", positions ? "rattle" : "moreau",
                   seed, closed, together);
            assert_true(together >= 4);
            trial_close(&run);
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
    static const unsigned long long seeds[] = {1, 7, 20, 34};
    for (int n = 0; n < 2; n++)
        for (int i = 0; i < 2; i++)
            for (int k = 0; k < 4; k++) {
                throw_disks(&d, seeds[k], mu[i], 0);
                trial run = trial_model(d.model, n ? "moreau" : "rattle", 2e-3, 1, 1e-10, NULL);
                trial_finish(&run);
                for (int j = 0; j < DISKS; j++) assert_at_least(carom_sim_q(run.sim)[3 * j + 1], radius - 0.1);
                trial_close(&run);
                carom_model_destroy(d.model);
            }
}

/* ---------------------------------------------------------------- same bits */
static void twice_the_same_bits(void **state) {
    (void)state;
    static throw_of_disks d;
    throw_disks(&d, 7, 0.35, 0.7);
    for (int n = 0; n < carom_integrators(); n++) {
        const char *name = carom_integrator(n)->name;
        trial a = trial_model(d.model, name, 2e-3, 0.6, 1e-10, NULL),
              b = trial_model(d.model, name, 2e-3, 0.6, 1e-10, NULL);
        unsigned long long first = carom_sim_hash(a.sim);
        while (!carom_sim_done(a.sim)) {
            trial_step(&a);
            trial_step(&b);
            assert_true(carom_sim_hash(a.sim) == carom_sim_hash(b.sim));
        }
        assert_true(carom_sim_done(b.sim) && carom_sim_hash(a.sim) != first);
        trial_close(&a);
        trial_close(&b);
    }
    carom_model_destroy(d.model);
}

/* Saved at a checkpoint and loaded into a fresh simulation, or into one that has run on, the run goes on with the same
 * bits: piles whose systems are large and sparse, redundant, and need cures. */
static void check_resume(trial *whole, trial *fresh) {
    size_t size = carom_sim_state_size(whole->sim);
    double *saved = calloc(size, sizeof *saved);
    assert_non_null(saved);
    long half = carom_sim_total_steps(whole->sim) / 2 / CAROM_CHECKPOINT * CAROM_CHECKPOINT;
    while (carom_sim_steps(whole->sim) < half) trial_step(whole);
    carom_sim_save(whole->sim, saved);
    unsigned long long middle = carom_sim_hash(whole->sim);
    trial_finish(whole);
    unsigned long long end = carom_sim_hash(whole->sim);
    carom_sim_load(fresh->sim, saved);
    assert_true(carom_sim_hash(fresh->sim) == middle);
    assert_int_equal(carom_sim_steps(fresh->sim), half);
    trial_finish(fresh);
    assert_true(carom_sim_hash(fresh->sim) == end);
    assert_memory_equal(fresh->row, whole->row, (size_t)carom_sim_columns(whole->sim) * sizeof *whole->row);
    carom_sim_load(whole->sim, saved);
    trial_finish(whole);
    assert_true(carom_sim_hash(whole->sim) == end);
    free(saved);
    trial_close(whole);
    trial_close(fresh);
}

static void checkpoints_continue_with_the_same_bits(void **state) {
    (void)state;
    static throw_of_disks d;
    throw_disks(&d, 11, 0.35, 0.7);
    for (int n = 0; n < carom_integrators(); n++) {
        const char *name = carom_integrator(n)->name;
        trial a = trial_model(d.model, name, 2e-3, 0.8, 1e-10, NULL),
              b = trial_model(d.model, name, 2e-3, 0.8, 1e-10, NULL);
        check_resume(&a, &b);
    }
    carom_model_destroy(d.model);
    throw_disks(&d, 5, 0.7, 0);
    for (int n = 0; n < carom_integrators(); n++) {
        const char *name = carom_integrator(n)->name;
        trial a = trial_model(d.model, name, 2e-3, 1, 1e-10, NULL),
              b = trial_model(d.model, name, 2e-3, 1, 1e-10, NULL);
        check_resume(&a, &b);
    }
    carom_model_destroy(d.model);
    static const char *scenes[] = {"paper/rattle/slider_crank", "paper/rattle/slope_4", "paper/rattle/ball_1",
                                   "gallery/column", "gallery/box"};
    for (int i = 0; i < 5; i++) {
        trial a = trial_scene(scenes[i], NULL), b = trial_scene(scenes[i], NULL);
        check_resume(&a, &b);
    }
}

/* ---------------------------------------------------------------- tolerance
 * Each step may be off by the tolerance, a velocity; over n steps and time T the positions by n T tolerance. */
static void results_do_not_depend_on_the_tolerance(void **state) {
    (void)state;
    static const char *scenes[] = {"paper/rattle/slope_2", "paper/rattle/ball_2", "paper/rattle/ball_3"};
    static const char *names[] = {"x", "y", "x_dot", "y_dot"};
    for (int i = 0; i < 3; i++) {
        trial loose = trial_scene(scenes[i], "run.tolerance=1e-8", NULL);
        trial tight = trial_scene(scenes[i], "run.tolerance=1e-12", NULL);
        while (!carom_sim_done(tight.sim)) {
            trial_step(&loose);
            trial_step(&tight);
            double n = (double)carom_sim_steps(tight.sim), T = fmax(1, carom_sim_time(tight.sim));
            for (int k = 0; k < 4; k++)
                assert_near(trial_value(&loose, names[k]), trial_value(&tight, names[k]), n * T * 1e-8);
            assert_at_most(carom_sim_residual(loose.sim), 1e-8);
            assert_at_most(carom_sim_residual(tight.sim), 1e-12);
        }
        trial_close(&loose);
        trial_close(&tight);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(laws_hold_for_random_disks),
        cmocka_unit_test(inelastic_disks_never_fail),
        cmocka_unit_test(twice_the_same_bits),
        cmocka_unit_test(checkpoints_continue_with_the_same_bits),
        cmocka_unit_test(results_do_not_depend_on_the_tolerance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
