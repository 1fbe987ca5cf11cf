/* What must not matter for the motion: the tolerance, the units of constraints and contacts, the order in which
 * contacts are listed, what the solver guesses from, and the parameter of its projections. A step may be off by the
 * tolerance, a velocity; so over n steps and time T positions may differ by n T tolerance. */
#include "run/sim.h"
#include "solver/solver.h"
#include "support/disks.h"
#include "support/trial.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- a pendulum that bounces against a rough wall until
 * it rests there, q = (x, y): joint x^2 + y^2 = 1, wall x >= 0.2. Percussions in the units p = (joint, gap, slip); the
 * friction coefficient relates the last two. */
enum { JOINT, GAP, SLIP };
static void swing_mass(double t, const cx *q, cx *M, const double *p) {
    (void)t, (void)q, (void)p;
    M[0] = M[3] = 1.3;
}
static void swing_force(double t, const cx *q, const cx *u, cx *h, const double *p) {
    (void)t, (void)q, (void)p;
    h[0] = -0.2 * u[0], h[1] = -1.3 * 9.81;
}
static void swing_position(double t, const cx *q, cx *c, const double *p) {
    (void)t;
    c[0] = p[JOINT] * (q[0] * q[0] + q[1] * q[1] - 1);
    c[1] = p[GAP] * (q[0] - 0.2);
}
static void swing_velocity(double t, const cx *q, const cx *u, cx *s, const double *p) {
    (void)t;
    s[0] = 2 * p[JOINT] * (q[0] * u[0] + q[1] * u[1]);
    s[1] = p[GAP] * u[0];
    s[2] = p[SLIP] * u[1];
}

typedef struct swing {
    carom_model_contact contact;
    double unit[3];
    complex_mechanics mechanics;
    carom_model *model;
} swing;

static void set_up(swing *s, double joint, double gap, double slip) {
    static const double q0[] = {0.8, -0.6}, u0[] = {0.3, 0.4};
    s->unit[JOINT] = joint, s->unit[GAP] = gap, s->unit[SLIP] = slip;
    s->contact = (carom_model_contact){.name = "wall", .slips = 1, .friction = 0.3 * gap / slip, .restitution = 0.5};
    s->mechanics = (complex_mechanics){.nq = 2,
                                       .nu = 2,
                                       .ng = 1,
                                       .contacts = 1,
                                       .contact = &s->contact,
                                       .q0 = q0,
                                       .u0 = u0,
                                       .parameter = s->unit,
                                       .mass = swing_mass,
                                       .force = swing_force,
                                       .position = swing_position,
                                       .velocity = swing_velocity};
    s->model = complex_model(&s->mechanics);
}

/* ---------------------------------------------------------------- two runs side by side */

static double difference(const trial *a, const trial *b) {
    const carom_model *m = a->sim->model;
    double worst = 0;
    for (int i = 0; i < m->def.nq; i++) worst = fmax(worst, fabs(carom_sim_q(a->sim)[i] - carom_sim_q(b->sim)[i]));
    for (int i = 0; i < m->def.nu; i++) worst = fmax(worst, fabs(carom_sim_u(a->sim)[i] - carom_sim_u(b->sim)[i]));
    return worst;
}

/* The largest difference of q and u over both runs, relative to n T tolerance. */
static double disagreement(trial *a, trial *b, double tolerance) {
    double worst = 0;
    while (!carom_sim_done(a->sim)) {
        trial_stride(a), trial_stride(b);
        double n = (double)carom_sim_steps(a->sim), T = fmax(1, carom_sim_time(a->sim));
        worst = fmax(worst, difference(a, b) / (n * T * tolerance));
        assert_at_most(carom_sim_residual(b->sim), tolerance);
    }
    trial_close(a), trial_close(b);
    return worst;
}

static const double dt = 5e-3, T = 3, usual = 1e-10;

static void tolerance(void **state) {
    (void)state;
    swing s;
    set_up(&s, 1, 1, 1);
    static const double loose[] = {1e-8, 1e-10, 1e-12};
    for (int i = 0; i < carom_integrators(); i++) {
        const char *name = carom_integrator(i)->name;
        for (int k = 0; k < 3; k++) {
            trial a, b;
            if (!trial_offer(&a, s.model, name, dt, T, 1e-13)) continue;
            trial_offer(&b, s.model, name, dt, T, loose[k]);
            double worst = disagreement(&a, &b, loose[k]);
            printf("%-20s tolerance %.0e: %.0e of what it explains\n", name, loose[k], worst);
            assert_at_most(worst, 1);
        }
    }
    carom_model_destroy(s.model);
}

static void units(void **state) {
    (void)state;
    static const double unit[][3] = {{1e-3, 1, 1}, {1e3, 1, 1}, {1, 1e-3, 1},    {1, 1e3, 1},
                                     {1, 1, 1e-3}, {1, 1, 1e3}, {1e3, 1e-3, 1e3}};
    swing plain, scaled;
    set_up(&plain, 1, 1, 1);
    for (size_t k = 0; k < sizeof unit / sizeof *unit; k++) {
        set_up(&scaled, unit[k][0], unit[k][1], unit[k][2]);
        for (int i = 0; i < carom_integrators(); i++) {
            const char *name = carom_integrator(i)->name;
            trial a, b;
            if (!trial_offer(&a, plain.model, name, dt, T, usual)) continue;
            trial_offer(&b, scaled.model, name, dt, T, usual);
            double worst = disagreement(&a, &b, usual);
            printf("%-20s units %g, %g, %g: %.0e of what the tolerance explains\n", name, unit[k][0], unit[k][1],
                   unit[k][2], worst);
            assert_at_most(worst, 2); /* each of the two may be off by one */
        }
        carom_model_destroy(scaled.model);
    }
    carom_model_destroy(plain.model);
}

/* Percussions of the last step are no more than a guess for the next. */
static void disturb(trial *run, double factor) {
    const carom_model *m = run->sim->model;
    double *P = (double *)carom_sim_percussion(run->sim);
    for (int i = 0; i < m->ns; i++) P[i] = factor * P[i] + 1e-3 * (i % 3 - 1);
}

static void guesses(void **state) {
    (void)state;
    swing s;
    set_up(&s, 1, 1, 1);
    for (int i = 0; i < carom_integrators(); i++) {
        const char *name = carom_integrator(i)->name;
        trial a, b;
        double worst = 0;
        if (!trial_offer(&a, s.model, name, dt, T, usual)) continue;
        trial_offer(&b, s.model, name, dt, T, usual);
        for (int n = 1; !carom_sim_done(a.sim); n++) {
            disturb(&b, n % 2 ? 0 : -3);
            trial_stride(&a), trial_stride(&b);
            worst = fmax(worst, difference(&a, &b) / (n * fmax(1, n * dt) * usual));
        }
        printf("%-20s other guesses: %.0e of what the tolerance explains\n", name, worst);
        assert_at_most(worst, 2);
        trial_close(&a), trial_close(&b);
    }
    carom_model_destroy(s.model);
}

/* The laws as projections, y in N_C(-r) <=> r = -prox_C(rho y - r), hold for every rho > 0; the problems carry 1/rho as
 * G. Each stage is solved again with another one, from other percussions, and must give the same velocities. */
static void solve_again(problem *p, const double *z, double factor) {
    double *x = malloc((size_t)p->n * sizeof *x);
    solver *s = solver_create(p);
    solver_report report;
    assert_true(x && s);
    for (int j = 0; j < p->n; j++) x[j] = j < p->nF ? z[j] : z[j] / 2;
    for (int k = 0; k < p->laws; k++) p->law[k].G *= factor;
    assert_true(solver_solve(s, p, x, usual, &report));
    for (int k = 0; k < p->laws; k++) p->law[k].G /= factor;
    for (int j = 0; j < p->nF; j++)
        assert_near(x[j] / p->scale[j], z[j] / p->scale[j], 100 * usual); /* condition of the step, joint and wall */
    solver_destroy(s);
    free(x);
}

/* The coming step by the scheme alone: its problems refer to the state it starts from, which a simulation replaces. */
static void step_scheme(carom_sim *sim) {
    const motion from = sim_motion(sim, sim->now);
    motion to = sim_motion(sim, sim->next);
    step_report report = {0};
    to.t = from.t + dt;
    if (!sim->integrator->step(sim->self, &from, &to, dt, usual, &report)) fail_msg("%s", report.reason);
}

static void projections(void **state) {
    (void)state;
    static const double factor[] = {1e-2, 0.3, 4, 1e2};
    swing s;
    set_up(&s, 1, 1, 1);
    for (int i = 0; i < carom_integrators(); i++) {
        trial run;
        if (!trial_offer(&run, s.model, carom_integrator(i)->name, dt, T, usual)) continue;
        for (; !carom_sim_done(run.sim); trial_stride(&run)) {
            if (carom_sim_steps(run.sim) % 10 != 9) continue;
            step_scheme(run.sim);
            for (int stage = 0; stage < run.sim->integrator->stages; stage++) {
                const double *z;
                problem *p = run.sim->integrator->stage(run.sim->self, stage, &z);
                double *copy = malloc((size_t)p->n * sizeof *copy);
                memcpy(copy, z, (size_t)p->n * sizeof *copy);
                for (int k = 0; k < 4; k++) solve_again(p, copy, factor[k]);
                free(copy);
            }
        }
        trial_close(&run);
    }
    carom_model_destroy(s.model);
}

static void order_of_contacts(void **state) {
    (void)state;
    static throw_of_disks d[2];
    for (int seed = 1; seed <= 2; seed++) {
        throw_disks(&d[0], (unsigned long long)seed, 0.35, 0.5, 1);
        throw_disks(&d[1], (unsigned long long)seed, 0.35, 0.5, 7);
        for (int i = 0; i < carom_integrators(); i++) {
            const char *name = carom_integrator(i)->name;
            trial a, b;
            if (!trial_offer(&a, d[0].model, name, 2e-3, 0.6, usual)) continue;
            trial_offer(&b, d[1].model, name, 2e-3, 0.6, usual);
            double worst = disagreement(&a, &b, usual);
            printf("%-20s contacts in another order: %.0e of what the tolerance explains\n", name, worst);
            assert_at_most(worst, 2);
        }
        carom_model_destroy(d[0].model), carom_model_destroy(d[1].model);
    }
}

/* Disks that jam: iterates stick everywhere, so that rows depend on each other and contradict each other, and guesses
 * rest on the edge of friction. In throws 4 and 23 rows that depend on each other pass as regular, (S29). Three stages
 * of lobatto, which are replaced by two where Newton's method finds no solution: so a choice that round-off makes shows
 * as the difference of two schemes. */
static void order_of_jammed_contacts(void **state) {
    (void)state;
    static const unsigned long long seed[] = {1, 4, 19, 23, 36, 43, 44, 52, 55};
    static throw_of_disks d[2];
    for (size_t i = 0; i < sizeof seed / sizeof *seed; i++) {
        trial a, b;
        throw_disks(&d[0], seed[i], 0.35, 0.5, 1);
        throw_disks(&d[1], seed[i], 0.35, 0.5, 7);
        assert_true(trial_offer(&a, d[0].model, "lobatto", 2e-3, 0.6, usual));
        trial_offer(&b, d[1].model, "lobatto", 2e-3, 0.6, usual);
        const double worst = disagreement(&a, &b, usual);
        printf("throw %llu: %.0e of what the tolerance explains\n", seed[i], worst);
        assert_at_most(worst, 2);
        carom_model_destroy(d[0].model), carom_model_destroy(d[1].model);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(tolerance),         cmocka_unit_test(units),
                                       cmocka_unit_test(guesses),           cmocka_unit_test(projections),
                                       cmocka_unit_test(order_of_contacts), cmocka_unit_test(order_of_jammed_contacts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
