/* A geometrically exact beam thrown against a plane (multisymplectic, section 5.3, figures 5.1 to 5.4). */
#include "support/intervals.h"
#include "support/trial.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct thrown {
    double speed, time; /* of the first impact */
    double strikes, grazings;
    double energy;   /* largest error of E, relative */
    double walk;     /* root of the sum of squares of what impacts changed E by, relative */
    double jump;     /* largest change of the interval energy in an impact, relative */
    double momentum; /* largest change of px, py, Lz */
    double gap;      /* smallest */
} thrown;

static void watch_impacts(const trial *run, double *before, const drift *d, double E, thrown *r) {
    int count;
    const carom_event *event = carom_sim_events(run->sim, &count);
    if (count && !r->strikes) r->speed = -event[0].gap_dot[0], r->time = event[0].time;
    r->strikes += count;
    for (int i = 0; i < count; i++) r->walk = hypot(r->walk, event[i].loss / E);
    if (count != 1) return; /* the step was divided once: its first interval had the energy of its second */
    double first = interval_energy(run->sim, before, d, event[0].time - before[STATE_TIME]);
    r->jump = fmax(r->jump, fabs(first - trial_value(run, "E.interval")) / E);
}

static thrown throw_beam(const char *scene, const char *one, const char *two, const char *three) {
    static const char *const maps[3] = {"px", "py", "Lz"};
    trial run = trial_scene(scene, "run.record=all", one, two, three, NULL);
    const double E = trial_value(&run, "E");
    double kept[3], *before = malloc(carom_sim_state_size(run.sim) * sizeof *before);
    thrown r = {.gap = INFINITY};
    carom_error error;
    drift d;
    assert_int_equal(drift_create(&d, run.sim->model, &error), CAROM_OK);
    for (int i = 0; i < 3; i++) kept[i] = trial_value(&run, maps[i]);
    int column_E = trial_column(&run, "E"), column[3], nodes = run.sim->model->def.contacts;
    for (int i = 0; i < 3; i++) column[i] = trial_column(&run, maps[i]);
    while (!carom_sim_done(run.sim)) {
        carom_sim_save(run.sim, before);
        trial_step(&run);
        watch_impacts(&run, before, &d, E, &r);
        r.energy = fmax(r.energy, fabs(run.row[column_E] / E - 1));
        for (int i = 0; i < 3; i++) r.momentum = fmax(r.momentum, fabs(run.row[column[i]] - kept[i]));
        for (int k = 0; k < nodes; k++) r.gap = fmin(r.gap, carom_sim_q(run.sim)[7 * k + 2]);
    }
    carom_sim_figure(run.sim, 1, &r.grazings);
    drift_destroy(&d);
    free(before);
    trial_close(&run);
    return r;
}

/* speed: of the paper, to the digits it gives. Energy: of this scheme as others have found it, 1.5e-4; over many
 * impacts its changes at the nodes add up by chance, to four standard deviations at most. Momentum to round-off of
 * 12500 steps and more: the loss of angular momentum that the paper reports is not the scheme's. */
static void check(const char *name, const thrown *r, double speed, double digits) {
    print_message("%s: first impact at %.5f with %.2f, %g strikes (%g grazing), energy %.1e, per impact %.0e, momentum "
                  "%.0e, smallest gap %.0e, walk %.0e\n",
                  name, r->time, r->speed, r->strikes, r->grazings, r->energy, r->jump, r->momentum, r->gap, r->walk);
    assert_near(r->speed, speed, digits);
    assert_at_most(r->energy, 1.5e-4 + (r->strikes > 100 ? 4 * r->walk : 0));
    assert_at_most(r->jump, 1e-12);
    assert_at_most(r->momentum, 1e-11);
    assert_at_least(r->gap, -1e-12);
}

static void fast(void **state) {
    (void)state;
    thrown r = throw_beam("paper/multisymplectic/beam_fast", NULL, NULL, NULL);
    check("fast", &r, 30, 1);
}

static void medium(void **state) {
    (void)state;
    thrown r = throw_beam("paper/multisymplectic/beam_medium", "run.until=0.6", NULL, NULL);
    check("medium", &r, 15, 1);
}

static void slow(void **state) {
    (void)state;
    thrown r = throw_beam("paper/multisymplectic/beam_slow", "run.until=0.6", NULL, NULL);
    check("slow", &r, 6, 0.5);
}

/* The whole runs: `test_multisymplectic_beams full`. The paper counts about 200 contacts of the slow beam; impacts of a
 * vibrating beam are chaotic, so that the count is one of its kind and no more. */
static void whole_runs(void) {
    thrown r = throw_beam("paper/multisymplectic/beam_medium", NULL, NULL, NULL);
    check("medium, 2.5 s", &r, 15, 1);
    r = throw_beam("paper/multisymplectic/beam_slow", NULL, NULL, NULL);
    check("slow, 5 s", &r, 6, 0.5);
    assert_true(r.strikes >= 100 && r.strikes <= 400);
    r = throw_beam("paper/multisymplectic/beam_slow", "run.energy=node", NULL, NULL);
    print_message("slow, 5 s, energy: node: %g strikes, energy %.1e\n", r.strikes, r.energy);
    assert_at_most(r.energy, 1.5e-4); /* no walk */
}

/* Beams of 5, 10 and 20 elements: strains are exact to second order in the length of an element, and so is the time of
 * the first impact. */
static void meshes(void **state) {
    (void)state;
    static const char *const elements[] = {"parameters.n=5", "parameters.n=10", "parameters.n=20"};
    double t[3];
    for (int i = 0; i < 3; i++) {
        thrown r = throw_beam("paper/multisymplectic/beam_fast", elements[i], "run.until=0.006", "run.dt=1e-5");
        t[i] = r.time;
    }
    double order = log2((t[0] - t[1]) / (t[1] - t[2]));
    print_message("first impact at %.6f, %.6f, %.6f: order %.2f\n", t[0], t[1], t[2], order);
    assert_at_least(order, 1.75);
}

int main(int argc, char **argv) {
    (void)argv;
    if (argc > 1) {
        whole_runs();
        return 0;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(fast), cmocka_unit_test(medium), cmocka_unit_test(slow),
                                       cmocka_unit_test(meshes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
