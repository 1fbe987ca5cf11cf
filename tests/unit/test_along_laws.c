/* Beams that touch between their nodes (docs/theory/elements.md, (DA1) to (DA8)) with every law of impact and friction,
 * against bodies that move and against planes with more contacts than the nodes can tell apart. */
#include "support/trial.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SOFT "stiffness: [2, 2, 2, 200, 100, 100], mass_per_length: 0.3, inertia_per_length: [2e-3, 1e-3, 1e-3]"

/* ---------------------------------------------------------------- a body in free flight */

static const char flight[] =
    "carom: 1\nmodel:\n  beams: {arm: {type: planar, elements: 6, from: [-1, 0.2], to: [1, 0.2], velocity: [0.3, -2], "
    "angular_velocity: 1, " SOFT "}}\n"
    "  bodies: {ball: {type: planar, mass: 0.2, shape: {disk: 0.1}, position: [0.31, 0], angular_velocity: 9}}\n"
    "  contacts: {post: {between: [ball, {beam: arm, radius: 0.02}], friction: %s, impact: %s%s}}\n"
    "  symmetries: {px: {translate: [1, 0]}, py: {translate: [0, 1]}, L: {rotate: [0, 0, 1]}}\n"
    "run: {integrator: %s, dt: 1e-3, until: 0.15}\n";

static const char *const frictions[] = {"0.4", "0.2 + 0.3*exp(-slip)", "{static: 0.6, kinetic: 0.3}", "0.3 + 0.5*t",
                                        "0.3*(1 + 0.2*ball.x)"};
static const char *const impacts[] = {"newton", "poisson", "energetic", "plastic"};
static const char *const schemes[] = {"rattle", "lobatto", "rattle, events: locate", "lobatto, events: locate"};
enum { FRICTIONS = 5, IMPACTS = 4, SCHEMES = 4 };

/* The greatest coefficient of each of them here: |slip| >= 0, t <= 0.15, |x| <= 1. */
static const double most_friction[FRICTIONS] = {0.4, 0.5, 0.6, 0.375, 0.36};

/* A beam and a disk in free flight collide, stick and slide. Linear and angular momentum stay to round-off, friction
 * stays in its cone, and the gap does not close beyond zero. No force does work from outside, so under the laws whose
 * energy never grows it does not, up to the error of the schemes: the elastic energy of the beam is of order one and
 * its fastest motion has omega dt = 0.2 (shear, sqrt(GA/J) = 224 1/s), of which second order leaves at most its square
 * a tenth, and lobatto far less. */
static void laws_against_a_body(void **state) {
    static const char *const names[] = {"px", "py", "L"};
    int strikes = 0;
    (void)state;
    for (int n = 0; n < FRICTIONS * IMPACTS * SCHEMES; n++) {
        const int friction = n % FRICTIONS, impact = n / FRICTIONS % IMPACTS;
        trial run = trial_text(flight, frictions[friction], impacts[impact], impact == 3 ? "" : ", restitution: 0.6",
                               schemes[n / FRICTIONS / IMPACTS]);
        double first[3], most = 0;
        for (int i = 0; i < 3; i++) first[i] = trial_value(&run, names[i]);
        const double energy = trial_value(&run, "E");
        while (!carom_sim_done(run.sim)) {
            trial_step(&run);
            const double PN = trial_value(&run, "post.PN"), PF = trial_value(&run, "post.PF");
            for (int i = 0; i < 3; i++) assert_near(trial_value(&run, names[i]), first[i], 1e-12);
            assert_at_most(fabs(PF), most_friction[friction] * PN + 1e-10);
            assert_at_least(trial_value(&run, "post.gap"), -1e-10);
            most = fmax(most, PN);
        }
        if (impact > 1) assert_at_most(trial_value(&run, "E"), energy * (1 + 4e-3));
        strikes += most > 1e-2;
        trial_close(&run);
    }
    assert_int_equal(strikes, FRICTIONS * IMPACTS * SCHEMES);
}

/* ---------------------------------------------------------------- many points on a floor */

/* A soft rod falls flat onto 13 points of a rough floor and slides to rest. Its four nodes cannot tell the points
 * apart: percussions are redundant, along and across. All are found, gaps stay closed, percussions stay in their cones,
 * and what is left is the weight m g r of the rod on the floor and at most what the impact has not taken: the energy of
 * the fall, m g 0.02, is gone. */
static void redundant_points_with_friction(void **state) {
    static const char *const runs[] = {"lobatto", "rattle, events: locate", "lobatto, events: locate"};
    const double weight = 10 * 1000 * acos(-1) * 1e-4;
    char name[16];
    (void)state;
    for (int i = 0; i < 3; i++) {
        trial run = trial_text(
            "carom: 1\nmodel:\n  gravity: [0, -10]\n  beams: {rod: {type: planar, elements: 3, from: [0, 0.03], to: "
            "[1, 0.03], section: {circle: 0.01}, young: 1e5, density: 1000, velocity: [0.2, 0]}}\n"
            "  contacts: {floor: {between: [{beam: rod, radius: 0.01, points: 4}, {body: world, plane: [0, 1]}], "
            "friction: 0.3}}\nrun: {integrator: %s, dt: 4e-4, until: 0.1}\n",
            runs[i]);
        const double energy = trial_value(&run, "E");
        double load = 0;
        while (!carom_sim_done(run.sim)) {
            trial_step(&run);
            load = 0;
            for (int k = 1; k <= 13; k++) {
                snprintf(name, sizeof name, "floor%d.PN", k);
                const double PN = trial_value(&run, name);
                snprintf(name, sizeof name, "floor%d.PF", k);
                assert_at_most(fabs(trial_value(&run, name)), 0.3 * PN + 1e-9);
                snprintf(name, sizeof name, "floor%d.gap", k);
                assert_at_least(trial_value(&run, name), -1e-12);
                load += PN;
            }
        }
        printf("%-24s energy %.6f -> %.6f, load %.6f of %.6f\n", runs[i], energy, trial_value(&run, "E"), load / 4e-4,
               weight);
        assert_at_most(trial_value(&run, "E"), energy - 0.02 * weight);
        assert_at_least(trial_value(&run, "E"), 0.01 * weight);
        assert_near(load / 4e-4, weight, 1e-6 * weight); /* flat: nothing moves up or down any more */
        trial_close(&run);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(laws_against_a_body),
                                       cmocka_unit_test(redundant_points_with_friction)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
