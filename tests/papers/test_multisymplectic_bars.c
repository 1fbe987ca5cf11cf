/* Longitudinal impact of two elastic bars (multisymplectic, section 4.3, figures 4.2 and 4.3), against waves. */
#include "support/trial.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- the sets of figures 4.2 and 4.3 */
typedef struct bar_set {
    double LA, LB, MA, MB, EA, EB, vA, vB;
    double lB; /* of integrator 1; 0.4 for the massless tips of set 5 */
} bar_set;
enum { SETS = 6 };
static const bar_set sets[SETS] = {{10, 10, 1, 1, 1, 1, 0.1, -0.1, 0.2}, {10, 10, 1, 5, 1, 1, 0.1, -0.1, 0.2},
                                   {10, 10, 1, 1, 1, 5, 0.1, -0.1, 0.2}, {10, 5, 1, 1, 1, 1, 0.1, -0.1, 0.2},
                                   {10, 10, 1, 1, 1, 1, 0.1, -0.1, 5},   {10, 10, 1, 1, 1, 1, 1, 0, 0.2}};
static const double gap = 0.1;

static trial open_set(const char *kind, int i, const char *one, const char *two) {
    char scene[64];
    snprintf(scene, sizeof scene, "paper/multisymplectic/%s_%d", kind, i + 1);
    return trial_scene(scene, one, two, NULL);
}

/* ---------------------------------------------------------------- the waves
 * At the contact, with the impedances Z = sqrt(E M), bar A sends v - F/Z to the left and gets what it sent a double
 * travelling time ago, or v_A from the time before; bar B likewise to the right. Together F = (in_A - in_B)/(1/Z_A +
 * 1/Z_B) while they press, else 0. */
typedef struct waves {
    double impulse, release; /* over all contacts until the end; when the last one ended */
} waves;

static waves solve_waves(const bar_set *s, double end) {
    const double step = 1e-3, ZA = sqrt(s->EA * s->MA), ZB = sqrt(s->EB * s->MB);
    const int backA = (int)lround(2 * s->LA / sqrt(s->EA / s->MA) / step),
              backB = (int)lround(2 * s->LB / sqrt(s->EB / s->MB) / step), steps = (int)(end / step);
    double *sentA = malloc((size_t)steps * sizeof *sentA), *sentB = malloc((size_t)steps * sizeof *sentB), open = 0;
    waves w = {0};
    for (int n = 0; n < steps; n++) {
        double inA = n < backA ? s->vA : sentA[n - backA], inB = n < backB ? s->vB : sentB[n - backB];
        double F = open > 0 ? 0 : fmax(0, (inA - inB) / (1 / ZA + 1 / ZB));
        sentA[n] = inA - 2 * F / ZA, sentB[n] = inB + 2 * F / ZB; /* v = in - F/Z is the contact's own */
        open = fmax(0, open + step * ((inB + F / ZB) - (inA - F / ZA)));
        if (open < 1e-9) open = 0; /* pressed together: no distance but that of rounding */
        if (F > 0) w.release = n * step;
        w.impulse += F * step;
    }
    free(sentA), free(sentB);
    return w;
}

/* ---------------------------------------------------------------- runs */
typedef struct outcome {
    double energy, momentum; /* largest errors, relative */
    double jump;             /* largest change of the energy that impacts keep in one of them, relative */
    double first, last;      /* times of pressing */
    double vA, vB;           /* of the bars as a whole at the end */
} outcome;

static double mean_velocity(const trial *run, char bar, int nodes) {
    double sum = 0;
    for (int k = 1; k <= nodes; k++) {
        char name[32];
        snprintf(name, sizeof name, "%c%d.x_dot", bar, k);
        sum += trial_value(run, name) * (k == 1 || k == nodes ? 0.5 : 1); /* ends have half the mass, tips or not */
    }
    return sum / (nodes - 1);
}

/* Pressing: an impulse in the step, or, with massless tips, nodes behind them nearer than the tips are long. */
static bool presses(const trial *run, bool glued, const char *last, double tips) {
    if (!glued) return trial_value(run, "tip.PN") > 0;
    return trial_value(run, "B1.x") - trial_value(run, last) < tips;
}

/* kept: the energy on both sides of an impact that should be the same. */
static double largest_jump(const trial *run, int kept, double *before, double *after) {
    int count;
    double most = 0;
    carom_sim_events(run->sim, &count);
    for (int k = 0; k < count; k++) {
        carom_error error;
        assert_int_equal(carom_sim_event_row(run->sim, k, 0, before, &error), CAROM_OK);
        assert_int_equal(carom_sim_event_row(run->sim, k, 1, after, &error), CAROM_OK);
        most = fmax(most, fabs(after[kept] - before[kept]));
    }
    return most;
}

static outcome follow(trial *run, const bar_set *s, bool glued, double lB, const char *kept) {
    const double E = trial_value(run, "E"), p = trial_value(run, "p"), size = s->LA * s->MA * fabs(s->vA);
    const int columns = carom_sim_columns(run->sim);
    double *rows = malloc(2 * (size_t)columns * sizeof *rows);
    outcome o = {.first = NAN};
    char last[32];
    int nA = (int)lround(s->LA / 0.2), nB = (int)lround(s->LB / lB);
    snprintf(last, sizeof last, "A%d.x", nA + 1);
    while (!carom_sim_done(run->sim)) {
        trial_step(run);
        o.energy = fmax(o.energy, fabs(trial_value(run, "E") / E - 1));
        o.momentum = fmax(o.momentum, fabs(trial_value(run, "p") - p) / size);
        o.jump = fmax(o.jump, largest_jump(run, trial_column(run, kept), rows, rows + columns) / E);
        if (!presses(run, glued, last, 0.25 * (0.2 + lB))) continue;
        o.last = trial_value(run, "t");
        if (isnan(o.first)) o.first = o.last;
    }
    o.vA = mean_velocity(run, 'A', nA + 1), o.vB = mean_velocity(run, 'B', nB + 1);
    free(rows);
    return o;
}

/* Energy within what others have found for these schemes and this dt, momentum to round-off of 2667 steps, the energy
 * of impacts to round-off; and the bars leave with the velocities of the waves, to 3 percent of the faster one, where B
 * has elements as short as A's. */
static void check_set(int i, bool glued, const char *energy) {
    const bar_set *s = &sets[i];
    const double lB = glued && s->lB > 1 ? 0.4 : s->lB, meet = gap / (s->vA - s->vB);
    trial run = open_set(glued ? "bars_glued" : "bars", i, energy, NULL);
    outcome o = follow(&run, s, glued, lB, energy ? "E.interval" : "E");
    waves w = solve_waves(s, 40 - meet);
    double vA = s->vA - w.impulse / (s->LA * s->MA), vB = s->vB + w.impulse / (s->LB * s->MB);
    double fast = fmax(fabs(vA), fabs(vB));
    print_message(
        "%s %d: energy %.1e, per impact %.0e, momentum %.0e; presses from %.2f to %.2f, waves from %.2f to %.2f; "
        "leaves with %.4f, %.4f, waves with %.4f, %.4f\n",
        glued    ? "tips"
        : energy ? "ends, intervals"
                 : "ends",
        i + 1, o.energy, o.jump, o.momentum, o.first, o.last, meet, meet + w.release, o.vA, o.vB, vA, vB);
    assert_at_most(o.energy, glued ? 4.5e-4 : 2.3e-3);
    if (energy) assert_at_least(o.energy, 1e-4); /* published with this condition: less would be another one */
    assert_at_most(o.jump, 1e-12);
    assert_at_most(o.momentum, 1e-13);
    trial_close(&run);
    if (i == 0) assert_near(o.last - o.first, 20, 0.02 * 20); /* 2 L/c */
    if (lB > 0.2) return;
    assert_near(o.vA, vA, 0.03 * fast);
    assert_near(o.vB, vB, 0.03 * fast);
}

static void figures(void **state) {
    (void)state;
    for (int i = 0; i < SETS; i++) check_set(i, false, NULL), check_set(i, true, NULL);
}

/* The published condition. */
static void figures_of_intervals(void **state) {
    (void)state;
    for (int i = 0; i < SETS; i++) check_set(i, false, "run.energy=interval");
}

/* ---------------------------------------------------------------- identical bars */

/* d'Alembert's solution for a bar that meets its mirror image at t = 0 with the velocity v: a point at distance d from
 * the tip moves on until the wave reaches it at t = d, waits, and is sent back at t = 20 - d. */
static double displacement(double d, double t) {
    double on = fmin(t, d), back = fmax(0, t - (20 - d));
    return 0.1 * (on - back);
}

/* Root mean square over the nodes of A, 7 after they met. */
static double wave_error(const char *kind, double l) {
    char scene[64], with[4][40];
    snprintf(scene, sizeof scene, "paper/multisymplectic/%s", kind);
    snprintf(with[0], sizeof with[0], "parameters.lA=%g", l);
    snprintf(with[1], sizeof with[1], "parameters.lB=%g", l);
    snprintf(with[2], sizeof with[2], "run.dt=%.17g", 0.075 * l); /* the same CFL number */
    trial run = trial_scene(scene, with[0], with[1], with[2], "run.until=7.5", "plot=[E]", NULL);
    int n = (int)lround(10 / l);
    double sum = 0, *start = malloc((size_t)(n + 1) * sizeof *start);
    memcpy(start, carom_sim_q(run.sim), (size_t)(n + 1) * sizeof *start);
    while (!carom_sim_done(run.sim)) trial_stride(&run);
    for (int k = 0; k <= n; k++) {
        double exact = start[k] + 0.05 + displacement(-start[k], carom_sim_time(run.sim) - 0.5);
        sum += pow(carom_sim_q(run.sim)[k] - exact, 2) / (n + 1);
    }
    free(start);
    trial_close(&run);
    return sqrt(sum);
}

/* Velocities of the waves jump, so that displacements converge with the mesh width and no faster. */
static void converges_to_waves(void **state) {
    (void)state;
    static const char *const kinds[] = {"bars", "bars_glued"};
    for (int kind = 0; kind < 2; kind++) {
        double l[4], error[4];
        for (int i = 0; i < 4; i++) l[i] = 0.5 / (1 << i), error[i] = wave_error(kinds[kind], l[i]);
        double order = observed_order(4, l, error);
        print_message("%s: %.1e %.1e %.1e %.1e, order %.2f\n", kinds[kind], error[0], error[1], error[2], error[3],
                      order);
        assert_at_least(order, 0.85); /* one, and noise of where in a bounce the end is met */
    }
}

/* With massless tips there are no impacts at all: their potential has a continuous force. Where in a step the tips meet
 * and part moves the energy by something of the order of dt^2, so errors are means over the run and over nearby steps.
 */
static double energy_error(double size) {
    enum { NEARBY = 8 };
    double sum = 0;
    for (int i = 0; i < NEARBY; i++) {
        char dt[40];
        snprintf(dt, sizeof dt, "run.dt=%.17g", size * (1 + 0.02 * i));
        trial run = trial_scene("paper/multisymplectic/bars_glued_1", dt, NULL);
        double E = trial_value(&run, "E"), off = 0;
        while (!carom_sim_done(run.sim)) trial_step(&run), off += fabs(trial_value(&run, "E") / E - 1);
        sum += off / (double)carom_sim_steps(run.sim) / NEARBY;
        trial_close(&run);
    }
    return sum;
}

static void energy_error_is_of_second_order(void **state) {
    (void)state;
    double dt[3] = {0.06, 0.03, 0.015}, error[3];
    for (int i = 0; i < 3; i++) error[i] = energy_error(dt[i]);
    double order = observed_order(3, dt, error);
    print_message("%.1e %.1e %.1e, order %.2f\n", error[0], error[1], error[2], order);
    assert_at_least(order, 1.85);
}

/* Identical bars are mirror images: the tips meet in the middle and stay there while they touch, and they touch once or
 * twice. The middle of the nodes behind them is where they are. */
static void tips_stay(void **state) {
    (void)state;
    trial run = open_set("bars_glued", 0, NULL, NULL);
    int touches = 0;
    bool before = false;
    while (!carom_sim_done(run.sim)) {
        trial_step(&run);
        bool now = presses(&run, true, "A51.x", 0.1);
        touches += now && !before;
        before = now;
        assert_near((trial_value(&run, "A51.x") + trial_value(&run, "B1.x")) / 2, 0.05, 1e-12);
        assert_near((trial_value(&run, "A51.x_dot") + trial_value(&run, "B1.x_dot")) / 2, 0, 1e-12);
    }
    print_message("touches: %d\n", touches);
    assert_in_range(touches, 1, 2);
    trial_close(&run);
}

/* The tips are a potential like any other: rattle finds the same motion, each to second order. */
static void other_integrators_take_tips(void **state) {
    (void)state;
    trial own = open_set("bars_glued", 1, "run.until=25", NULL),
          other = open_set("bars_glued", 1, "run.until=25", "run.integrator=rattle");
    double worst = 0;
    while (!carom_sim_done(own.sim)) {
        trial_stride(&own), trial_stride(&other);
        for (int k = 0; k < 102; k++) worst = fmax(worst, fabs(carom_sim_q(own.sim)[k] - carom_sim_q(other.sim)[k]));
    }
    print_message("rattle is off by %.1e\n", worst);
    assert_at_most(worst, 0.2 * 0.015 * 0.015 * 25); /* velocity dt^2 T, frequencies of order one */
    trial_close(&own), trial_close(&other);
}

/* An energy of one's own beside the usual one, (DR1) added up from the positions; the bars are pressed together. */
static void energies_of_bars(void **state) {
    (void)state;
    trial run = open_set("bars", 0, "run.until=3", "model.bars.A.energy=(e^2-1)^2/8");
    const double E = trial_value(&run, "E");
    trial_finish(&run);
    double V = 0;
    for (int k = 0; k < 50; k++) {
        const double *A = carom_sim_q(run.sim) + k, *B = A + 51, e = (A[1] - A[0]) / 0.2, off = (B[1] - B[0]) / 0.2 - 1;
        V += 0.2 * (pow(e * e - 1, 2) / 8 + off * off / 2);
    }
    assert_at_least(V, 0.1 * E);
    assert_near(trial_value(&run, "V"), V, 1e-14); /* a hundred terms of 1e-3 */
    assert_near(trial_value(&run, "E"), E, 2.3e-3 * E);
    trial_close(&run);
}

/* ---------------------------------------------------------------- one bar against a wall */

/* Half of bars_1 is a bar that strikes a wall, and a beam that falls on a plane along its axis is such a bar: an
 * element of another kind, in space, with rotations. The same motion through some 17 impacts; chatter doubles what
 * round-off leaves every 0.75 s, so not for ever. */
static void beam_is_a_bar(void **state) {
    (void)state;
    trial bars = open_set("bars", 0, "run.until=5", NULL),
          beam = trial_scene("paper/multisymplectic/axial_beam", "run.until=5", NULL);
    double worst = 0;
    while (!carom_sim_done(bars.sim)) {
        trial_step(&bars), trial_step(&beam);
        for (int k = 1; k <= 51; k += 10) {
            char x[16], z[16];
            snprintf(x, sizeof x, "B%d.x", k), snprintf(z, sizeof z, "beam%d.z", k);
            worst = fmax(worst, fabs(trial_value(&bars, x) - 0.05 - trial_value(&beam, z)));
        }
    }
    print_message("off by %.1e\n", worst);
    assert_at_most(worst, 1e-9);
    trial_close(&bars), trial_close(&beam);
}

/* The same with tips: a bar against a wall that stands in the middle. Identical bars are mirror images bit by bit. */
static void tip_against_a_wall(void **state) {
    (void)state;
    trial bars = open_set("bars_glued", 0, NULL, NULL),
          bar = open_set("bars_glued", 0, "model.joins.tip.between=[A, 0.05]", NULL);
    double worst = 0;
    while (!carom_sim_done(bars.sim)) {
        trial_stride(&bars), trial_stride(&bar);
        for (int k = 0; k <= 50; k++) worst = fmax(worst, fabs(carom_sim_q(bars.sim)[k] - carom_sim_q(bar.sim)[k]));
    }
    print_message("off by %.1e\n", worst);
    assert_at_most(worst, 1e-12); /* 2667 steps of round-off, and nothing that amplifies it */
    trial_close(&bars), trial_close(&bar);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures),
        cmocka_unit_test(figures_of_intervals),
        cmocka_unit_test(converges_to_waves),
        cmocka_unit_test(energy_error_is_of_second_order),
        cmocka_unit_test(tips_stay),
        cmocka_unit_test(beam_is_a_bar),
        cmocka_unit_test(other_integrators_take_tips),
        cmocka_unit_test(energies_of_bars),
        cmocka_unit_test(tip_against_a_wall),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
