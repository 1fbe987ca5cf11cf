/* Chains (docs/theory/elements.md, (DN1), (DN2)): their masses and lengths, a chain that hangs, a rope round a post. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/model.h"
#include "support/trial.h"

/* ---------------------------------------------------------------- what a chain is made of */

static double mass_of_all(const trial *run) {
    const carom_model *m = carom_sim_model(run->sim);
    const carom_model_def *d = carom_model_get(m);
    double M[64], sum = 0;
    assert_true(pattern_nnz(&d->M) <= 64 && !d->mass(d->context, 0, d->q0, M));
    for (int i = 0; i < pattern_nnz(&d->M); i++) sum += M[i];
    return sum;
}

/* Beads where no body is; half of the mass of a rod at each of its ends, and all of it somewhere. */
static void has_its_mass(void **state) {
    static const char scene[] =
        "carom: 1\nparameters: {n: 4}\nmodel:\n  bodies: {load: {type: point, mass: 3, position: [4, 0]}}\n"
        "  chains: {c: {links: %s, from: [0, 0], to: [4, 0], mass: 2, ends: [%s]}}\n"
        "run: {integrator: rattle, dt: 0.1, until: 0.1}\n";
    static const struct {
        const char *links, *ends;
        int beads;
        double first, last, x;
    } cases[] = {{"4", "free, free", 5, 0.25, 0.25, 0},
                 {"n", "world, free", 4, 0.75, 0.25, 1},
                 {"n", "world, load", 3, 0.75, 0.75, 1},
                 {"n - 2", "world, load", 1, 2, 2, 2},
                 {"1", "free, load", 1, 2, 2, 0}};
    (void)state;
    for (int i = 0; i < 5; i++) {
        trial run = trial_text(scene, cases[i].links, cases[i].ends);
        const carom_model_def *d = carom_model_get(carom_sim_model(run.sim));
        double M[64];
        assert_int_equal(d->nq, 2 + 2 * cases[i].beads);
        assert_true(!d->mass(d->context, 0, d->q0, M));
        assert_near(M[2], cases[i].first, 1e-15);
        assert_near(M[2 * cases[i].beads], cases[i].last, 1e-15);
        assert_near(mass_of_all(&run), 2 * (3 + 2), 1e-14);
        assert_near(trial_value(&run, "c1.x"), cases[i].x, 1e-15);
        trial_close(&run);
    }
}

/* Between two walls, 1.2 times as long as their distance: at rest its ends pull with half of its weight each,
 * downwards. Damped until it rests. */
static void hangs_between_walls(void **state) {
    (void)state;
    trial run = trial_text(
        "carom: 1\nmodel:\n  gravity: [0, -10, 0]\n  chains: {c: {links: 12, curve: [s, -0.9*s*(1 - s)], mass: 3, "
        "ends: "
        "[world, world]}}\n  dissipation: 4*(%s)\nrun: {integrator: rattle, dt: 0.01, until: 12}\n",
        "c1.x_dot^2 + c2.x_dot^2 + c3.x_dot^2 + c4.x_dot^2 + c5.x_dot^2 + c6.x_dot^2 + c7.x_dot^2 + c8.x_dot^2 + "
        "c9.x_dot^2 + c10.x_dot^2 + c11.x_dot^2 + c1.y_dot^2 + c2.y_dot^2 + c3.y_dot^2 + c4.y_dot^2 + c5.y_dot^2 + "
        "c6.y_dot^2 + c7.y_dot^2 + c8.y_dot^2 + c9.y_dot^2 + c10.y_dot^2 + c11.y_dot^2");
    trial_finish(&run);
    const double x = trial_value(&run, "c1.x"), y = trial_value(&run, "c1.y"),
                 T = trial_value(&run, "c_start1.P") / 0.01;
    assert_near(fabs(T) * fabs(y) / hypot(x, y), 15, 1e-6);
    assert_near(trial_value(&run, "c11.x"), 1 - x, 1e-7);
    assert_near(hypot(x, y), hypot(1. / 12, -0.9 / 12 * 11. / 12), 1e-12);
    trial_close(&run);
}

/* ---------------------------------------------------------------- a rope on a post */

/* N beads on the upper half of a post of radius 1, their rods turned by pi/N each; its ends hang down. It is pulled by
 * 1 at its left end and by 1 + t at its right one, and does not weigh. */
#define ROPE                                                                                                           \
    "carom: 1\nparameters: {N: %d, mu: %g, d: pi/N}\nmodel:\n"                                                         \
    "  bodies:\n    left: {type: point, mass: 1, position: [-cos(d/2), -1]}\n"                                         \
    "    right: {type: point, mass: 1, position: [cos(d/2), -1]}\n"                                                    \
    "  chains: {rope: {links: N + 1, curve: [-cos(pi*(s*(N + 1) - 0.5)/N), sin(pi*(s*(N + 1) - 0.5)/N)], mass: 2, "    \
    "ends: [left, right]}}\n"                                                                                          \
    "  loads:\n    hold: {body: left, force: [0, -1]}\n    pull: {body: right, force: [0, -1 - t]}\n"                  \
    "  contacts: {\"wrap[i=1..N]\": {between: [{body: \"rope[i]\", point: [0, 0]}, {body: world, disk: 1}], "          \
    "friction: mu}}\n"                                                                                                 \
    "run: {integrator: lobatto, stages: 2, events: locate, dt: %g, until: %g}\n"

/* The load at which it begins to slide. */
static double load_at_slip(int N, double mu, double dt) {
    const double late = exp(mu * M_PI) * 1.5;
    trial run = trial_text(ROPE, N, mu, dt, late);
    double load = NAN;
    while (!carom_sim_done(run.sim) && isnan(load)) {
        int count;
        trial_step(&run);
        const carom_event *event = carom_sim_events(run.sim, &count);
        for (int i = 0; i < count && isnan(load); i++)
            if (event[i].kind == CAROM_BREAK) load = 1 + event[i].time;
    }
    trial_close(&run);
    return load;
}

static void slides_as_on_a_capstan(void **state) {
    const double mu = 0.3;
    double h[3], error[3];
    (void)state;
    for (int i = 0; i < 3; i++) {
        const int N = 4 << i;
        const double x = mu * tan(M_PI / 2 / N), load = load_at_slip(N, mu, 0.03);
        assert_near(load, pow((1 + x) / (1 - x), N), 1e-6);
        h[i] = 1. / N, error[i] = load - exp(mu * M_PI);
    }
    assert_near(observed_order(3, h, error), 2, 0.1);
}

/* Forces of more and more beads are less and less unique, and those that a step finds may touch the edges of their
 * cones long before stick ends: it still ends by statics, in steps in which the load grows by 4 %. */
static void sticks_up_to_the_limit(void **state) {
    static const int beads[] = {12, 13, 20};
    const double mu = 0.3;
    (void)state;
    for (int i = 0; i < 3; i++) {
        const double x = mu * tan(M_PI / 2 / beads[i]);
        assert_near(load_at_slip(beads[i], mu, 0.1), pow((1 + x) / (1 - x), beads[i]), 1e-6);
    }
}

/* ---------------------------------------------------------------- what is refused */

static void refuses_what_it_cannot(void **state) {
#define CHAIN(text) "carom: 1\nmodel:\n  chains: {" text "}\nrun: {integrator: rattle, dt: 0.1, until: 1}\n"
    (void)state;
    trial_refused("needs 'links'", NULL, CHAIN("c: {from: [0, 0], to: [1, 0], mass: 1}"));
    trial_refused("needs a 'mass'", NULL, CHAIN("c: {links: 3, from: [0, 0], to: [1, 0]}"));
    trial_refused("needs 'to'", NULL, CHAIN("c: {links: 3, from: [0, 0], mass: 1}"));
    trial_refused("give one", NULL, CHAIN("c: {links: 3, from: [0, 0], curve: [s, 0], mass: 1}"));
    trial_refused("whole links", NULL, CHAIN("c: {links: 2.5, from: [0, 0], to: [1, 0], mass: 1}"));
    trial_refused("whole links", NULL, CHAIN("c: {links: 1, from: [0, 0], to: [1, 0], mass: 1, ends: [world, world]}"));
    trial_refused("no families", NULL, CHAIN("\"c[i=1..2]\": {links: 3, from: [0, 0], to: [1, 0], mass: 1}"));
    trial_refused("link", NULL, CHAIN("c: {link: 3, from: [0, 0], to: [1, 0], mass: 1}"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(has_its_mass), cmocka_unit_test(hangs_between_walls), cmocka_unit_test(slides_as_on_a_capstan),
        cmocka_unit_test(sticks_up_to_the_limit), cmocka_unit_test(refuses_what_it_cannot)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
