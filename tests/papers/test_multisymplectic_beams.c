/* A geometrically exact beam thrown against a plane (multisymplectic, section 5.3, figures 5.1 to 5.4). */
#include "support/intervals.h"
#include "support/trial.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct thrown {
    double speed, time; /* of the first impact of the end that was thrown; the other end begins on the plane */
    double strikes, grazings;
    double energy;   /* largest error of E, relative */
    double walk;     /* root of the sum of squares of what impacts changed E by, relative */
    double jump;     /* largest change, in an impact, of the energy that it should keep, relative */
    double momentum; /* largest change of px, py, Lz */
    double gap;      /* smallest */
} thrown;

/* The energy on both sides of an impact that divided its step once: T + V at the node, reached from the state before
 * and, backwards, from the state after; or those of the intervals. */
static double change(const trial *run, double *before, double *after, const drift *d, double at, bool of_node) {
    const double first = at - before[STATE_TIME], second = at - after[STATE_TIME];
    return of_node ? node_energy(run->sim, after, d, second) - node_energy(run->sim, before, d, first)
                   : trial_value(run, "E.interval") - interval_energy(run->sim, before, d, first);
}

static void watch_impacts(const trial *run, double *before, double *after, const drift *d, bool of_node, double E,
                          thrown *r) {
    int count;
    const carom_event *event = carom_sim_events(run->sim, &count);
    for (int i = 0; i < count && r->speed == 0; i++)
        if (event[i].contact == run->sim->model->def.contacts - 1)
            r->speed = -event[i].gap_dot[0], r->time = event[i].time;
    r->strikes += count;
    for (int i = 0; i < count; i++) r->walk = hypot(r->walk, event[i].loss / E);
    if (count != 1) return;
    carom_sim_save(run->sim, after);
    r->jump = fmax(r->jump, fabs(change(run, before, after, d, event[0].time, of_node)) / E);
}

#define INTERVAL "run.energy=interval"
#define SE3 "run.frames=se3"

static thrown throw_beam(const char *scene, const char *one, const char *two, const char *three) {
    static const char *const maps[3] = {"px", "py", "Lz"};
    trial run = trial_scene(scene, "plot=[E]", one, two, three, NULL);
    const bool of_node = !one || strcmp(one, INTERVAL) != 0;
    const bool se3 = (two && !strcmp(two, SE3)) || (three && !strcmp(three, SE3));
    const double E = trial_value(&run, "E");
    const size_t size = carom_sim_state_size(run.sim);
    double kept[3], *before = malloc(2 * size * sizeof *before);
    thrown r = {.gap = INFINITY};
    carom_error error;
    drift d;
    assert_int_equal(drift_create(&d, run.sim->model, &error), CAROM_OK);
    if (se3) assert_int_equal(drift_join(&d, &error), CAROM_OK);
    for (int i = 0; i < 3; i++) kept[i] = trial_value(&run, maps[i]);
    int column_E = trial_column(&run, "E"), column[3], nodes = run.sim->model->def.contacts;
    for (int i = 0; i < 3; i++) column[i] = trial_column(&run, maps[i]);
    for (int n = 1; !carom_sim_done(run.sim); n++) {
        int count;
        carom_sim_save(run.sim, before);
        trial_stride(&run);
        for (int k = 0; k < nodes; k++) r.gap = fmin(r.gap, carom_sim_q(run.sim)[7 * k + 2]);
        carom_sim_events(run.sim, &count);
        if (!count && n % 4 && !carom_sim_done(run.sim)) continue; /* the fastest vibration has 60 steps and more */
        assert_int_equal(carom_sim_row(run.sim, run.row, &error), CAROM_OK);
        watch_impacts(&run, before, before + size, &d, of_node, E, &r);
        r.energy = fmax(r.energy, fabs(run.row[column_E] / E - 1));
        for (int i = 0; i < 3; i++) r.momentum = fmax(r.momentum, fabs(run.row[column[i]] - kept[i]));
    }
    carom_sim_figure(run.sim, 1, &r.grazings);
    drift_destroy(&d);
    free(before);
    trial_close(&run);
    return r;
}

/* speed: of the paper, to the digits it gives; NAN: any. Energy: of this scheme as others have found it, 1.5e-4. With
 * the energy of intervals kept, its changes at the nodes add up by chance over many impacts, to four standard
 * deviations at most. Momentum to round-off of 12500 steps and more: the loss of angular momentum that the paper
 * reports is not the scheme's. */
static void check(const char *name, const thrown *r, double speed, double digits, bool walks) {
    print_message("%s: first impact at %.5f with %.2f, %g strikes (%g grazing), energy %.2e, per impact %.0e, momentum "
                  "%.0e, smallest gap %.0e, walk %.0e\n",
                  name, r->time, r->speed, r->strikes, r->grazings, r->energy, r->jump, r->momentum, r->gap, r->walk);
    if (!isnan(speed)) assert_near(r->speed, speed, digits);
    assert_at_most(r->energy, 1.5e-4 + (walks && r->strikes > 100 ? 4 * r->walk : 0));
    assert_at_most(r->jump, 1e-12);
    assert_at_most(r->momentum, 1e-11);
    assert_at_least(r->gap, -1e-12);
}

#define FAST "paper/multisymplectic/beam_fast"
#define MEDIUM "paper/multisymplectic/beam_medium"
#define SLOW "paper/multisymplectic/beam_slow"

static void fast(void **state) {
    (void)state;
    thrown r = throw_beam(FAST, NULL, NULL, NULL);
    check("fast", &r, 30, 1, false);
    r = throw_beam(FAST, "parameters.n=5", NULL, NULL);
    check("fast, 5 elements", &r, NAN, 0, false);
    r = throw_beam(FAST, "parameters.n=20", NULL, NULL);
    check("fast, 20 elements", &r, NAN, 0, false);
}

static void medium(void **state) {
    (void)state;
    thrown r = throw_beam(MEDIUM, NULL, NULL, NULL);
    check("medium", &r, 15, 1, false);
}

/* The slow beam from where it starts, and with another tilt in the last bits: impacts of a vibrating beam are chaotic,
 * and what is true of one run only is chance. The paper counts about 200 contacts, with one digit: each run has between
 * 150 and 250. */
static void throw_slowly(int runs, const char *energy) {
    double least = INFINITY, most = 0;
    for (int k = 0; k < runs; k++) {
        char tilt[48];
        snprintf(tilt, sizeof tilt, "parameters.tilt=%.17g", 0.5 * (1 + k * 1e-12));
        thrown r = throw_beam(SLOW, energy ? energy : tilt, energy ? tilt : NULL, NULL);
        check(energy ? "slow, intervals" : "slow", &r, 6, 0.5, energy);
        assert_true(r.strikes >= 150 && r.strikes <= 250);
        least = fmin(least, r.energy), most = fmax(most, r.energy);
    }
    print_message("slow, %d runs: energy %.2e to %.2e\n", runs, least, most);
}

static void slow(void **state) {
    (void)state;
    throw_slowly(5, NULL);
}

/* The published scheme, for a while. */
static void as_published(void **state) {
    (void)state;
    static const char *const maps[] = {"run.frames=so3", SE3};
    for (int i = 0; i < 2; i++) {
        print_message("%s\n", maps[i]);
        thrown r = throw_beam(FAST, INTERVAL, maps[i], NULL);
        check("fast, intervals", &r, 30, 1, true);
        r = throw_beam(MEDIUM, INTERVAL, "run.until=0.6", maps[i]);
        check("medium, intervals", &r, 15, 1, true);
        r = throw_beam(SLOW, INTERVAL, "run.until=0.6", maps[i]);
        check("slow, intervals", &r, 6, 0.5, true);
    }
}

/* Beams of 5, 10 and 20 elements: strains are exact to second order in the length of an element, and so is the time of
 * the first impact. */
static void meshes(void **state) {
    (void)state;
    static const char *const elements[] = {"parameters.n=5", "parameters.n=10", "parameters.n=20"};
    double t[3];
    for (int i = 0; i < 3; i++) {
        thrown r = throw_beam(FAST, elements[i], "run.until=0.006", "run.dt=1e-5");
        t[i] = r.time;
    }
    double order = log2((t[0] - t[1]) / (t[1] - t[2]));
    print_message("first impact at %.6f, %.6f, %.6f: order %.2f\n", t[0], t[1], t[2], order);
    assert_at_least(order, 1.75);
}

/* `test_multisymplectic_beams full`: ten runs of the slow beam with either energy. */
int main(int argc, char **argv) {
    (void)argv;
    if (argc > 1) {
        throw_slowly(10, NULL);
        throw_slowly(10, INTERVAL);
        return 0;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(fast), cmocka_unit_test(medium), cmocka_unit_test(slow),
                                       cmocka_unit_test(as_published), cmocka_unit_test(meshes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
