/* Piles: sweeps in the space of bodies against the error that W alone tells, and scenes whose steps are accepted at a
 * stated error: momentum, weight, penetration, nearness to the exact steps, checkpoints. */
#include "friction/bodies.h"
#include "support/friction_cases.h"
#include "support/trial.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FLOOR "{body: world, plane: [0, 0, 1]}"

/* ---- sweeps */

/* The same contacts over the velocities of bodies: M is diagonal in these cases. x = M^-1 f with r = 0. */
static void take_bodies(const friction_case *c, body_contacts *b, double *x) {
    const linear_map *m = &c->map;
    double *mass = calloc((size_t)m->A.rows, sizeof *mass);
    for (int e = 0; e < m->A.count; e++) mass[m->A.at[e].row] += m->A.at[e].value;
    assert_true(body_contacts_create(b, c->contacts, m->A.rows, m->C.count));
    for (int a = 0, used = 0; a < c->contacts; a++) {
        for (int j = 0; j < m->A.rows; j++) {
            double C[3] = {0};
            for (int e = 0; e < m->C.count; e++)
                if (m->C.at[e].row / 3 == a && m->C.at[e].col == j) C[m->C.at[e].row % 3] += m->C.at[e].value;
            if (C[0] == 0 && C[1] == 0 && C[2] == 0) continue;
            b->column[used] = j;
            for (int i = 0; i < 3; i++) b->C[used][i] = C[i], b->Y[used][i] = C[i] / mass[j];
            used++;
        }
        b->start[a + 1] = used;
        b->mu[a] = c->mu[a], b->takes_part[a] = true;
    }
    memcpy(b->d, m->d, 3 * (size_t)c->contacts * sizeof *b->d);
    for (int j = 0; j < m->A.rows; j++) x[j] = m->c[j] / mass[j];
    free(mass);
}

/* Whatever sweeps think of their error, W and q must agree: |missed| <= tolerance |r|. Sums of a hundred terms may
 * differ in their last digits. */
static void test_sweeps(void **state) {
    (void)state;
    for (const friction_kind *kind = friction_kinds; kind->name; kind++) {
        friction_case c;
        friction_problem p;
        body_contacts b;
        body_report report;
        friction_case_make(kind, 60, 7, &c);
        friction_case_problem(&c, &p);
        const size_t n = 3 * (size_t)c.contacts;
        double *r = calloc(n, sizeof *r), *u = calloc(n, sizeof *u), *x = calloc((size_t)c.map.A.rows, sizeof *x);
        double size = 0;
        take_bodies(&c, &b, x);
        body_contacts_divide(&b);
        body_contacts_solve(&b, 1e-5, 1e-5, 100000, r, x, &report);
        friction_velocities(&p, r, u);
        for (size_t i = 0; i < n; i++) size += r[i] * r[i];
        assert_true(report.solved);
        assert_true(report.sweeps > 0);
        assert_at_most(friction_missed(&p, r, u), (1 + 1e-6) * 1e-5 * sqrt(size) * sqrt(report.islands));
        body_contacts_solve(&b, 1e-5, 1e-5, 1, r, x, &report); /* a solution needs no sweep */
        assert_true(report.solved && report.sweeps == 0);
        free(r), free(u), free(x);
        body_contacts_destroy(&b), friction_destroy(&p), friction_case_free(&c);
    }
}

/* ---- scenes */

/* Balances are solved to round-off whatever the contacts are accepted at: momentum stays as it is, 1e-12 of the largest
 * that a body has (10 m/s, 1 kg, 8 bodies, 300 steps). */
static void test_momentum(void **state) {
    (void)state;
    static const char *const integrators[] = {"moreau", "symmetric_moreau", "rattle"};
    for (int k = 0; k < 3; k++) {
        trial run = trial_text("carom: 1\nmodel:\n  bodies:\n"
                               "    b[i=1..8]: {type: spatial, mass: 1, shape: {sphere: 0.2}, position: "
                               "[0.3*cos(2.4*i), 0.3*sin(2.4*i), 0.3*i - 1.35], "
                               "velocity: [-2*cos(2.4*i), -2*sin(2.4*i), 5.4 - 1.2*i], angular_velocity: [i, -2, 1]}\n"
                               "  contacts: {cloud: {among: [b], friction: 0.4, restitution: 0.5}}\n"
                               "run: {integrator: %s, dt: 1e-3, until: 0.3, accept: 1e-2}\n",
                               integrators[k]);
        double before[3] = {0}, after[3] = {0}, energy = trial_value(&run, "E");
        for (int i = 0; i < 24; i++) before[i % 3] += carom_sim_u(run.sim)[6 * (i / 3) + i % 3];
        trial_finish(&run);
        for (int i = 0; i < 24; i++) after[i % 3] += carom_sim_u(run.sim)[6 * (i / 3) + i % 3];
        for (int i = 0; i < 3; i++) assert_near(after[i], before[i], 1e-12);
        assert_at_most(trial_value(&run, "E"), 0.9 * energy); /* they have met */
        trial_close(&run);
    }
}

static double vertical_momentum(const trial *run) {
    double sum = 0;
    for (int i = 0; i < 48; i++) sum += carom_sim_u(run->sim)[6 * i + 2];
    return sum;
}

/* 48 spheres fall into a box and come to rest, within 1.6 s at any tolerance. What floor and walls exert is their
 * weight and what momentum they still lose, to the tolerance of the balances; nothing goes deeper than 1e-6 m into
 * anything. At rest percussions are guessed well, (FC12), (FC13): what sweeps have to correct is about five times the
 * accepted error. That takes less than 30 sweeps a step, both stages together; with other guesses it takes 150. */
static void test_rest(void **state) {
    (void)state;
    enum { BALLS = 48, MOST = 1000, LATE = 1700 };
    const double dt = 1e-3, weight = BALLS * 9.81 * dt;
    trial run = trial_text("carom: 1\nparameters: {R: 0.05}\nmodel:\n  gravity: [0, 0, -9.81]\n  bodies:\n"
                           "    s[i=1..48]: {type: spatial, mass: 1, shape: {sphere: R}, position: "
                           "[2.1*R*(i - 4*floor((i-1)/4) - 0.5) + 1e-3*sin(7*i), "
                           "2.1*R*(floor((i-1)/4) - 4*floor((i-1)/16) + 0.5) + 1e-3*sin(5*i), "
                           "2.05*R*(floor((i-1)/16) + 0.5)]}\n"
                           "  contacts: {pile: {among: [s, " FLOOR ", {body: world, plane: [1, 0, 0]}, "
                           "{body: world, plane: [0, 1, 0]}, {body: world, plane: [-1, 0, 0], at: [8.6*R, 0, 0]}, "
                           "{body: world, plane: [0, -1, 0], at: [0, 8.6*R, 0]}], friction: 0.3}}\n"
                           "run: {integrator: rattle, dt: %g, until: 1.8, accept: 1e-3}\n",
                           dt);
    double carried = 0, deepest = 0, falling = 0, sweeps = 0;
    int count_late = 0;
    static carom_found met[MOST];
    for (int taken = 0; !carom_sim_done(run.sim); taken++) {
        trial_stride(&run);
        const int count = carom_sim_found(run.sim, met, MOST);
        if (taken < LATE) falling = vertical_momentum(&run);
        if (taken < LATE) continue;
        count_late++;
        sweeps += carom_sim_newton(run.sim, 0) + carom_sim_newton(run.sim, 1);
        for (int i = 0; i < count; i++) {
            if (strcmp(met[i].second, "world") == 0) carried += met[i].P[2];
            if (strcmp(met[i].first, "world") == 0) carried -= met[i].P[2];
            deepest = fmin(deepest, met[i].gap);
        }
    }
    assert_true(count_late > 50);
    assert_at_most(sweeps / count_late, 30);
    assert_near(carried, count_late * weight + vertical_momentum(&run) - falling, 1e-9);
    assert_at_most(fabs(vertical_momentum(&run)), 1e-2); /* 48 balls, 0.2 mm/s each */
    assert_at_least(deepest, -1e-6);
    assert_at_most(carom_sim_residual(run.sim), 1e-3 * 48 * 9.81 * dt);
    trial_close(&run);
}

/* The motion is that of exact steps but for what is accepted: a ball that is thrown along the floor, slides and rolls.
 * What contacts may miss is 1e-4 of their percussions, and so is what these change: here 0.5 m/s, over 0.3 s. */
static void test_near_exact(void **state) {
    (void)state;
    static const char *const integrators[] = {"moreau", "symmetric_moreau", "rattle"};
    for (int k = 0; k < 3; k++) {
        double x[2];
        for (int roughly = 0; roughly < 2; roughly++) {
            trial run =
                trial_text("carom: 1\nmodel:\n  gravity: [0, 0, -9.81]\n  bodies:\n"
                           "    b[i=1..3]: {type: spatial, mass: 1, shape: {sphere: 0.1}, position: [0, 0.5*i, 0.1], "
                           "velocity: [i, 0.2, 0]}\n"
                           "  contacts: {all: {among: [b, " FLOOR "], friction: 0.2}}\n"
                           "run: {integrator: %s, dt: 1e-3, until: 0.3, accept: %s}\n",
                           integrators[k], roughly ? "1e-4" : "0");
            trial_finish(&run);
            x[roughly] = trial_value(&run, "b1.x");
            assert_at_most(carom_sim_residual(run.sim), roughly ? 1e-4 : 1e-10);
            trial_close(&run);
        }
        assert_near(x[1], x[0], 1e-4 * 0.5 * 0.3);
    }
}

static void test_checkpoint(void **state) {
    (void)state;
    static const char *const text =
        "carom: 1\nmodel:\n  gravity: [0, 0, -9.81]\n  bodies:\n"
        "    b[i=1..6]: {type: spatial, mass: 1, shape: {sphere: 0.1}, position: [0.03*(-1)^i, 0.02*i, "
        "0.12 + 0.22*(i-1)]}\n"
        "  contacts: {pile: {among: [b, " FLOOR "], friction: 0.5, restitution: 0.1}}\n"
        "run: {integrator: %s, dt: 2e-3, until: 0.3, accept: 1e-3}\n";
    static const char *const integrators[] = {"moreau", "symmetric_moreau", "rattle"};
    for (int k = 0; k < 3; k++) trial_resumes(trial_text(text, integrators[k]), trial_text(text, integrators[k]));
}

/* Walls of bricks that a ball strikes: edges pass each other and part the other way. The run ends, and without
 * restitution nothing gains energy, but for the part of what is exchanged that is accepted as an error. */
static void test_walls(void **state) {
    (void)state;
    static const double wall[][4] = {{6, 0.07, 0.23, 5}, {8, 0.15, 0.23, 5}, {6, -0.01, 0.13, 10}, {8, 0.04, 0.21, 5}};
    for (int k = 0; k < 4; k++) {
        trial run = trial_text("carom: 1\nmodel:\n  gravity: [0, 0, -9.81]\n  bodies:\n"
                               "    b[i=1..%g]: {type: spatial, mass: 1, shape: {box: [0.2, 0.1, 0.1]}, position: "
                               "[0.2*(i - 1 - 2*floor((i-1)/2)) + 0.1*(floor((i-1)/2) - 2*floor((i-1)/4)), 0, "
                               "0.05 + 0.1*floor((i-1)/2)]}\n"
                               "    ball: {type: spatial, mass: 5, shape: {sphere: 0.1}, position: [%g, -0.2, %g], "
                               "velocity: [0, %g, 0]}\n"
                               "  contacts: {wall: {among: [b, ball, " FLOOR "], friction: 0.5}}\n"
                               "run: {integrator: moreau, dt: 1e-3, until: 0.05, accept: 1e-2}\n",
                               wall[k][0], wall[k][1], wall[k][2], wall[k][3]);
        double energy = trial_value(&run, "E");
        while (!carom_sim_done(run.sim)) {
            trial_step(&run);
            assert_at_most(trial_value(&run, "E"), 1.01 * energy);
            energy = fmin(energy, trial_value(&run, "E"));
        }
        trial_close(&run);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sweeps),     cmocka_unit_test(test_momentum),   cmocka_unit_test(test_rest),
        cmocka_unit_test(test_near_exact), cmocka_unit_test(test_checkpoint), cmocka_unit_test(test_walls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
