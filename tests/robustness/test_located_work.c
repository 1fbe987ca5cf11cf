/* Located events: no step works without end. What is counted are events and iterations, not seconds. */
#include "support/draft_text.h"
#include "support/trial.h"

#include <math.h>
#include <stdio.h>

/* ---------------------------------------------------------------- slip that comes to rest in two directions
 * The cue of the marbles slides, spins and hops on the table before it meets another one. All percussions act at its
 * lowest point, so m R v + J omega about that point is kept, and it rolls with 1/(1 + J/(m R^2)) = 5/7 of its speed,
 * whatever the friction. Its slip goes to zero with steps that are part of the time left, and falls below what a step
 * resolves before these are short, if the tolerance is coarse. */
static void slip_ends_at_every_tolerance(void **state) {
    (void)state;
    static const char *const integrators[] = {"lobatto", "rattle"};
    static const double tolerances[] = {1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6};
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 6; k++) {
            char override[128];
            snprintf(override, sizeof override,
                     "run={integrator: %s, events: locate, dt: 1e-3, until: 0.1, tolerance: %g}", integrators[i],
                     tolerances[k]);
            trial run = trial_scene("gallery/marbles", "plot=[]", override, NULL);
            int most = 0;
            while (!carom_sim_done(run.sim)) {
                trial_step(&run);
                most = (int)fmax(most, carom_sim_newton(run.sim, 0));
            }
            printf("%s, tolerance %.0e: up to %d iterations in a step\n", integrators[i], tolerances[k], most);
            assert_int_equal(carom_sim_captured(run.sim), 0);
            assert_int_equal(carom_sim_substeps(run.sim), 0);
            /* From 3 mm/s to 40 tolerances slip is halved up to 24 times, by two steps each that may be tried with
             * full and with damped Newton, 42 iterations together */
            assert_at_most(most, 24 * 2 * 42);
            assert_int_equal((int)trial_value(&run, "cue_table.state"), CAROM_STICK);
            /* 40 tolerances of slip are taken away at once; a step turns the body by 60 dt, with the order 4 of lobatto
             * and 2 of rattle */
            const double close = 40 * tolerances[k] + 0.6 * pow(60 * 1e-3, i == 0 ? 4 : 2);
            assert_near(trial_value(&run, "cue.x_dot"), 5. / 7 * 0.6, close);
            assert_near(trial_value(&run, "cue.y_dot"), 0, close);
            trial_close(&run);
        }
}

/* ---------------------------------------------------------------- more to locate than a step may cost
 * Pucks slide straight over a table, mu g = 1, and puck i comes to rest after t_i = i/(n+1), t_i^2/2 from its start.
 * Every one takes a sequence of ever shorter steps; in one step of the run they are too many, if springs that bear
 * nothing tie the pucks together. Otherwise each takes its step on its own, (V46). */
enum { PUCKS = 80 };

static int stops_located(double dt, bool tied, long *captured, double *error) {
    trial run =
        trial_text("carom: 1\nparameters: {n: %d}\nmodel:\n  coordinates:\n"
                   "    \"x[i=1..n]\": {velocity: 0.6*i/(n + 1)}\n    \"y[i=1..n]\": {velocity: 0.8*i/(n + 1)}\n"
                   "    \"z[i=1..n]\": {}\n"
                   "  kinetic: sum(i=1..n, (x_dot[i]^2 + y_dot[i]^2 + z_dot[i]^2)/2)\n"
                   "  potential: sum(i=1..n, 10*z[i])%s\n  contacts:\n    \"table[i=1..n]\": {gap: \"z[i]\", "
                   "slip: [\"x_dot[i]\", \"y_dot[i]\"], friction: 0.1}\n"
                   "run: {integrator: lobatto, events: locate, dt: %g, until: 1, tolerance: 1e-12}\n",
                   PUCKS, tied ? " + sum(i=1..n-1, (z[i+1] - z[i])^2)" : "", dt);
    int stops = 0;
    while (!carom_sim_done(run.sim)) {
        int count;
        trial_step(&run);
        carom_sim_events(run.sim, &count);
        stops += count;
    }
    *captured = carom_sim_captured(run.sim), *error = 0;
    for (int i = 1; i <= PUCKS; i++) {
        const double *q = carom_sim_q(run.sim) + i - 1, t = i / (PUCKS + 1.);
        *error = fmax(*error, fabs(hypot(q[0], q[PUCKS]) - t * t / 2));
        /* at rest, to what some dozen steps solved to 1e-12 leave */
        assert_near(hypot(carom_sim_u(run.sim)[i - 1], carom_sim_u(run.sim)[PUCKS + i - 1]), 0, 1e-10);
    }
    trial_close(&run);
    return stops;
}

static void work_of_a_step_is_bounded(void **state) {
    (void)state;
    long captured;
    double error;
    int stops;
    for (int k = 0; k < 2; k++) {
        const double dt = k ? 1 : 0.05;
        stops = stops_located(dt, k == 0, &captured, &error);
        printf("dt = %g: %d stops located, %ld steps captured, off by %.1e\n", dt, stops, captured, error);
        assert_int_equal(stops, PUCKS);
        assert_int_equal(captured, 0);
        assert_at_most(error, 1e-9); /* constant forces are integrated exactly; slip of 1e-6 dt is taken away at rest */
    }
    stops = stops_located(1, true, &captured, &error);
    printf("dt = 1, tied: %d stops located, %ld steps captured, off by %.1e\n", stops, captured, error);
    assert_int_equal(captured, 1);
    assert_in_range(stops, 1, PUCKS - 1);
    assert_at_most(error, 0.5); /* those left are stopped at the end of the step: no further than they slide in it */
}

/* ---------------------------------------------------------------- an impact without a solution
 * Four bodies are wedged into a corner. At t = 0.384 an impact of two capsules finds no percussions within the
 * tolerance: the step is captured, and the run goes on. Gravity alone drives the bodies and nothing rebounds: energy
 * grows no further than the error of the steps, a thousandth of what they fell through. */
static trial wedged(void) {
    static const char bodies[] =
        "    b0: {type: spatial, mass: 1.234, shape: {sphere: 0.08}, position: [0.246348,0.220672,0.25],"
        " rotation: [1.67552,-0.01327,-0.00097,1.34341], velocity: [-1,-1,0], angular_velocity: "
        "[-3.348,-12.634,-0.986]}\n"
        "    b1: {type: spatial, mass: 0.969, shape: {capsule: {radius: 0.05, length: 0.15}}, position: "
        "[0.288465,0.338297,0.53],"
        " rotation: [0.85157,-0.05322,-0.54575,-0.27692], velocity: [-1,-1,0], angular_velocity: [1.723,3.713,5.926]}\n"
        "    b2: {type: spatial, mass: 0.938, shape: {capsule: {radius: 0.05, length: 0.15}}, position: "
        "[0.240586,0.236468,0.81],"
        " rotation: [-1.73872,0.92133,0.12557,1.37223], velocity: [-1,-1,0], angular_velocity: [-4.031,2.927,-3.126]}\n"
        "    b3: {type: spatial, mass: 1.558, shape: {sphere: 0.08}, position: [0.309862,0.333331,1.09],"
        " rotation: [1.65732,-0.11410,-0.83449,0.13093], velocity: [-1,-1,0], angular_velocity: "
        "[7.720,-8.140,-6.660]}\n";
    static const char *const planes[] = {"0,0,1", "1,0,0", "0,1,0"};
    draft_text contacts = {.used = 0};
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < 3; k++)
            draft_add(&contacts,
                      "    w%d%d: {between: [b%d,{body: world, plane: [%s]}], friction: 0.1, restitution: 0}\n", i, k,
                      i, planes[k]);
        for (int j = 0; j < i; j++)
            draft_add(&contacts, "    c%d%d: {between: [b%d,b%d], friction: 0.1, restitution: 0}\n", i, j, i, j);
    }
    return trial_text("carom: 1\nmodel:\n  gravity: [-3,-3,-9.81]\n  bodies:\n%s  contacts:\n%s"
                      "run: {integrator: lobatto, events: locate, dt: 1e-3, until: 0.386}\n",
                      bodies, contacts.text);
}

static void unsolved_impact_is_captured(void **state) {
    (void)state;
    trial run = wedged();
    const double start = trial_value(&run, "E");
    while (!carom_sim_done(run.sim)) trial_step(&run);
    printf("%ld steps captured, energy %.9g, then %.9g\n", carom_sim_captured(run.sim), start, trial_value(&run, "E"));
    assert_at_least(carom_sim_captured(run.sim), 1);
    assert_at_most(trial_value(&run, "E"), start * 1.001);
    trial_close(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slip_ends_at_every_tolerance),
        cmocka_unit_test(work_of_a_step_is_bounded),
        cmocka_unit_test(unsolved_impact_is_captured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
