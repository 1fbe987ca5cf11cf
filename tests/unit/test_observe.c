/* Observables: columns that a scene or a C model defines, at every step and at located events. */
#include "support/trial.h"

#include <math.h>
#include <stdio.h>

static trial observed(const char *observe, const char *run_keys, const char *integrator) {
    char text[2048];
    snprintf(text, sizeof text,
             "carom: 1\nparameters: {g: 9.81}\nmodel:\n"
             "  coordinates: {x: {velocity: 1}, y: {start: 0.3}}\n"
             "  kinetic: (x_dot^2 + y_dot^2)/2\n  potential: g*y\n"
             "  contacts: {floor: {gap: y, restitution: 0.5}}\n"
             "  observe: %s\nrun: {integrator: %s, dt: 0.01, until: 0.65, %s}\n",
             observe, integrator, run_keys);
    return trial_text("%s", text);
}

/* Every row agrees with the formula of its other columns, to the rounding of a few operations. */
static void check_row(const trial *run) {
    double t = trial_value(run, "t"), x = trial_value(run, "x"), y = trial_value(run, "y");
    double vx = trial_value(run, "x_dot"), vy = trial_value(run, "y_dot");
    assert_near(trial_value(run, "reach"), hypot(x, y), 1e-15 * (1 + hypot(x, y)));
    assert_near(trial_value(run, "heading"), atan2(vy, vx), 1e-15);
    assert_near(trial_value(run, "power1"), t * vx, 1e-15 * t);
    assert_near(trial_value(run, "power2"), t * vx * t * vx, 1e-15 * t);
}

static const char formulas[] = "{reach: sqrt(x^2 + y^2), heading: 'atan2(y_dot, x_dot)', 'power[i=1..2]': (t*x_dot)^i}";

static void columns_are_the_formulas(void **state) {
    (void)state;
    trial run = observed(formulas, "every: 1", "moreau");
    int column = trial_column(&run, "reach");
    assert_int_equal(column, trial_column(&run, "work.impacts") + 1); /* no symmetries */
    assert_int_equal(trial_column(&run, "newton"), column + 4);
    assert_false(carom_sim_column_of_step(run.sim, column));
    for (check_row(&run); !carom_sim_done(run.sim); check_row(&run)) trial_step(&run);
    trial_close(&run);
}

/* Both sides of an impact have a row: the place is one, the heading turns. */
static void events_have_them(void **state) {
    (void)state;
    trial run = observed(formulas, "events: locate", "lobatto");
    carom_error error = {0};
    int strikes = 0;
    while (!carom_sim_done(run.sim)) {
        int count;
        trial_step(&run);
        carom_sim_events(run.sim, &count);
        for (int k = 0; k < count; k++, strikes++) {
            double heading[2];
            for (int side = 0; side < 2; side++) {
                assert_int_equal(carom_sim_event_row(run.sim, k, side, run.row, &error), 0);
                check_row(&run);
                heading[side] = trial_value(&run, "heading");
            }
            assert_true(heading[0] < 0 && heading[1] > 0);
        }
    }
    assert_int_equal(strikes, 3); /* after falls of 0.247, 0.247, 0.124; they would end at 0.74 */
    trial_close(&run);
}

/* What is not a number is recorded as such, alone; the run goes on. */
static void the_undefined_is_nan(void **state) {
    (void)state;
    trial run = observed("{late: sqrt(t - 0.5), twice: 2*x}", "every: 1", "moreau");
    while (!carom_sim_done(run.sim)) {
        trial_step(&run);
        double t = trial_value(&run, "t");
        assert_true(t < 0.5 ? isnan(trial_value(&run, "late")) : trial_value(&run, "late") == sqrt(t - 0.5));
        assert_true(trial_value(&run, "twice") == 2 * trial_value(&run, "x"));
    }
    carom_finding finding;
    assert_int_equal(carom_model_check(carom_scene_model(run.scene), &finding, 1), 1);
    assert_false(finding.fatal);
    assert_string_equal(finding.text, "'late' is not finite at the start");
    trial_close(&run);
}

/* ---- a C model: a free particle */

static int mass(void *x, double t, const double *q, double *M) {
    (void)x, (void)t, (void)q;
    M[0] = 1;
    return 0;
}

static int force(void *x, double t, const double *q, const double *u, double *h, double *h_q, double *h_u) {
    (void)x, (void)t, (void)q, (void)u;
    if (h) h[0] = 0;
    if (h_q) h_q[0] = 0;
    if (h_u) h_u[0] = 0;
    return 0;
}

/* The second value is known from x = 1 on only. */
static int observe(void *x, double t, const double *q, const double *u, double *values) {
    (void)x;
    values[0] = q[0] - t * u[0];
    if (q[0] < 1) return 1;
    values[1] = q[0];
    return 0;
}

static void c_models_observe(void **state) {
    (void)state;
    static const char *const known[] = {"start", NULL};
    const double q0 = 0.5, u0 = 1;
    carom_model_def def = carom_model_default();
    carom_model *model;
    carom_error error = {0};
    def.nq = def.nu = 1, def.q0 = &q0, def.u0 = &u0;
    def.mass = mass, def.force = force;
    def.observables = 2, def.observable_names = known;
    assert_int_equal(carom_model_create(&def, &model, &error), CAROM_DATA);
    assert_string_equal(error.message, "observables need the function observe");
    def.observe = observe;
    assert_int_equal(carom_model_create(&def, &model, &error), CAROM_OK);
    trial run = trial_model(model, "moreau", 0.125, 1, 1e-12, NULL);
    while (!carom_sim_done(run.sim)) {
        trial_step(&run);
        double x = trial_value(&run, "q1"), second = trial_value(&run, "observable2");
        assert_true(trial_value(&run, "start") == 0.5); /* dyadic numbers */
        assert_true(x < 1 ? isnan(second) : second == x);
    }
    trial_close(&run);
    carom_model_destroy(model);
}

/* A rotor that nothing brakes turns by w t, over any number of turns; a spring hangs by m g/k at rest. Nobody observes
 * these, 'record' and 'plot' ask for them. */
static void asked_by_name(void **state) {
    (void)state;
    const char *const ways[] = {"", "plot: [hinge.angle, 'hinge.angle_rate,strut.length', E]\n",
                                "plot: ['2*hinge.angle - 1:strut.length', hinge.angle_rate]\n"};
    for (int k = 0; k < 3; k++) {
        trial run = trial_text(
            "carom: 1\nmodel:\n  gravity: [0, 0, -10]\n  bodies:\n"
            "    rotor: {type: spatial, mass: 1, inertia: [1, 1, 1], angular_velocity: [0, 0, 9]}\n"
            "    load: {type: point, mass: 2, position: [0, 0, -1.2]}\n"
            "  joints:\n    hinge: {type: revolute, bodies: [world, rotor], at: [0, 0, 0], axis: [0, 0, 1]}\n"
            "  springs:\n    strut: {between: [world, load], stiffness: 100, length: 1}\n"
            "%srun: {integrator: rattle, dt: 0.01, until: 2%s}\n",
            ways[k], k ? "" : ", record: ['*.angle', hinge.angle_rate, strut.length]");
        trial_finish(&run);
        /* almost three turns; the scheme takes 4 atan(w dt/4) for w dt in each step: 18 (w dt)^2/48 are missing */
        assert_near(trial_value(&run, "hinge.angle"), 18, 18 * 0.09 * 0.09 / 40);
        assert_near(trial_value(&run, "hinge.angle_rate"), 9, 1e-11);
        assert_near(trial_value(&run, "strut.length"), 1.2, 1e-11);
        assert_string_equal(carom_scene_unit(run.scene, "hinge.angle_rate"), "rad/s");
        trial_close(&run);
    }
}

/* Patterns without a letter after the last dot ask for nothing that is not recorded anyway. */
static void patterns_ask_for_little(void **state) {
    (void)state;
    const char scene[] = "carom: 1\nmodel:\n  coordinates: {x: 1}\n  define: {twice: 2*x, other: 3*x}\n"
                         "  kinetic: x_dot^2/2\nrun: {integrator: rattle, dt: 0.1, until: 1, record: [%s]}\n";
    trial few = trial_text(scene, "'*'"), more = trial_text(scene, "'*', twice");
    assert_int_equal(carom_sim_columns(more.sim), carom_sim_columns(few.sim) + 1);
    assert_near(trial_value(&more, "twice"), 2, 0);
    trial_close(&few);
    trial_close(&more);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_the_formulas),
        cmocka_unit_test(events_have_them),
        cmocka_unit_test(the_undefined_is_nan),
        cmocka_unit_test(c_models_observe),
        cmocka_unit_test(asked_by_name),
        cmocka_unit_test(patterns_ask_for_little),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
