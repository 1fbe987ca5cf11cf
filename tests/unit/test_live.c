/* Parameters and inputs that a program changes while a simulation runs. */
#include "folder.h"
#include "live.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

/* ---------------------------------------------------------------- parameters */

/* Whatever a parameter is used for (mass, length, friction, restitution, start), a run with another value has the bits
 * of one of a scene that was loaded with it. */
static void a_changed_parameter_is_a_fresh_load(void **state) {
    (void)state;
    static const struct {
        const char *path, *name, *override;
        double value;
    } cases[] = {{"scenes/paper/rattle/slider_crank.yaml", "m3", "parameters.m3=0.1", 0.1},
                 {"scenes/paper/rattle/slider_crank.yaml", "mu", "parameters.mu=0.2", 0.2},
                 {"scenes/paper/rattle/slider_crank.yaml", "e", "parameters.e=0.9", 0.9},
                 {"scenes/paper/rattle/slider_crank.yaml", "omega", "parameters.omega=100", 100},
                 {"scenes/paper/rattle/slider_crank.yaml", "l1", "parameters.l1=0.14", 0.14},
                 {"scenes/paper/rattle/ball_1.yaml", "R", "parameters.R=0.2", 0.2},
                 {"scenes/gallery/cradle.yaml", "m", "parameters.m=0.3", 0.3},
                 {"scenes/gallery/slider_crank_bodies.yaml", "m3", "parameters.m3=0.1", 0.1},
                 {"scenes/gallery/stick_slip.yaml", "mu", "parameters.mu=0.4", 0.4}};
    static const char *const integrators[] = {"run.integrator=rattle", "run.integrator=lobatto",
                                              "run.integrator=moreau", "run.integrator=nsga",
                                              "run.integrator=generalized_alpha"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t k = 0; k < sizeof integrators / sizeof *integrators; k++) {
            const char *overrides[] = {integrators[k], cases[i].override};
            carom_scene *scene, *other;
            bool own = strstr(cases[i].path, "gallery") != NULL; /* locates its events */
            check(carom_scene_load(cases[i].path, overrides, !own, &scene, &error));
            check(carom_scene_load(cases[i].path, own ? overrides + 1 : overrides, 2 - own, &other, &error));
            carom_sim *a = simulate(scene), *b = simulate(other);
            run(a, 20);
            set(a, scene, cases[i].name, cases[i].value);
            check(carom_sim_restart(a, &error));
            for (int step = 0; step < 100; step++) {
                assert_true(carom_sim_hash(a) == carom_sim_hash(b));
                run(a, 1), run(b, 1);
            }
            carom_sim_destroy(a), carom_sim_destroy(b);
            carom_scene_destroy(scene), carom_scene_destroy(other);
        }
}

/* The stiffness changes at t = 1: x goes on with the frequency of the new one. lobatto is of order 6, so 1e-12 is room
 * for (w dt)^6 = 6e-11 times a small constant. */
static void a_parameter_may_change_on_the_way(void **state) {
    (void)state;
    carom_scene *scene = parse(OSCILLATOR, NULL);
    carom_sim *sim = simulate(scene);
    run(sim, 100);
    double x = 0.3 * cos(2), v = -0.6 * sin(2), w = 3; /* k/m = 9 then */
    assert_true(fabs(carom_sim_q(sim)[0] - x) < 1e-12);
    set(sim, scene, "k", 18);
    run(sim, 100);
    assert_true(fabs(carom_sim_q(sim)[0] - (x * cos(w) + v / w * sin(w))) < 1e-12);
    assert_true(carom_sim_done(sim));
    carom_sim_destroy(sim);
    carom_scene_destroy(scene);
}

static const char *refusal(const carom_scene *scene, const char *name, double value) {
    carom_sim *sim = simulate(scene);
    int i = carom_model_parameter(carom_scene_model(scene), name);
    unsigned long long hash = carom_sim_hash(sim);
    assert_int_equal(carom_sim_set_parameter(sim, i, value, &error), CAROM_DATA);
    assert_true(carom_sim_hash(sim) == hash);
    run(sim, 1);
    carom_sim_destroy(sim);
    return error.message;
}

/* What decides on the structure, or follows from others, is refused and named; and so is what makes no sense. */
static void some_parameters_cannot_change(void **state) {
    (void)state;
    static const char chain[] = "carom: 1\n"
                                "parameters: {n: 3, e: 0.5, pair: n + 1}\n"
                                "model:\n"
                                "  coordinates: {\"x[i=1..n]\": {start: i}}\n"
                                "  kinetic: sum(i=1..n, x_dot[i]^2)\n"
                                "  contacts: {floor: {gap: x1, restitution: e}}\n"
                                "run: {integrator: rattle, dt: 1e-2, until: 1}\n";
    carom_scene *scene = parse(chain, NULL);
    assert_non_null(strstr(refusal(scene, "n", 4), "'n' cannot change: the scene is built on its value"));
    assert_non_null(strstr(refusal(scene, "pair", 7), "'pair' cannot change: it follows from others"));
    assert_non_null(strstr(refusal(scene, "e", 1.5), "restitution must lie in [0, 1]"));
    assert_non_null(strstr(refusal(scene, "e", NAN), "finite"));
    assert_int_equal(carom_model_parameter(carom_scene_model(scene), "z"), -1);
    carom_scene_destroy(scene);
}

/* Those that follow from others do so. */
static void formulas_of_parameters_follow(void **state) {
    (void)state;
    carom_scene *scene = parse(OSCILLATOR, NULL);
    carom_sim *sim = simulate(scene);
    int twice = carom_model_parameter(carom_scene_model(scene), "twice");
    set(sim, scene, "a", 0.7);
    assert_true(carom_sim_parameter(sim, twice) == 1.4);
    check(carom_sim_restart(sim, &error));
    assert_true(carom_sim_q(sim)[0] == 0.7);
    carom_sim_destroy(sim);
    carom_scene_destroy(scene);
}

/* One that is another by its formula follows it, in either order, and cannot be set itself. */
static void names_of_parameters_follow(void **state) {
    (void)state;
    static const char *const orders[] = {"{h: 1, y0: h}", "{y0: h, h: 1}"};
    for (int k = 0; k < 2; k++) {
        char text[300];
        snprintf(text, sizeof text,
                 "carom: 1\nparameters: %s\nmodel: {coordinates: {y: {start: y0}}, kinetic: y_dot^2/2}\n"
                 "run: {integrator: rattle, dt: 0.1, until: 1}\n",
                 orders[k]);
        carom_scene *scene = parse(text, NULL);
        carom_sim *sim = simulate(scene);
        const int y0 = carom_model_parameter(carom_scene_model(scene), "y0");
        set(sim, scene, "h", 3);
        check(carom_sim_restart(sim, &error));
        assert_true(carom_sim_parameter(sim, y0) == 3 && carom_sim_q(sim)[0] == 3);
        assert_int_equal(carom_sim_set_parameter(sim, y0, 2, &error), CAROM_DATA);
        assert_non_null(strstr(error.message, "it follows from others by its formula 'h'"));
        carom_sim_destroy(sim);
        carom_scene_destroy(scene);
    }
}

/* A term with a factor of 0 is not there, even where it is not defined; with another factor it is. */
static void terms_can_be_switched_on(void **state) {
    (void)state;
    static const char text[] = "carom: 1\n"
                               "parameters: {s: 0}\n"
                               "model: {coordinates: {x: {velocity: 1}}, kinetic: x_dot^2/2, potential: s*log(x)}\n"
                               "run: {integrator: rattle, dt: 1e-2, until: 1}\n";
    carom_scene *scene = parse(text, NULL);
    carom_sim *sim = simulate(scene);
    run(sim, 50);
    assert_true(fabs(carom_sim_q(sim)[0] - 0.5) < 1e-14);
    set(sim, scene, "s", 1);
    run(sim, 1); /* it pulls back now: x'' = -1/x */
    assert_true(fabs(carom_sim_u(sim)[0] - (1 - 0.01 / 0.505)) < 1e-3);
    check(carom_sim_restart(sim, &error));
    assert_int_equal(carom_sim_step(sim, &error), CAROM_FAILED); /* x = 0 */
    carom_sim_destroy(sim);
    carom_scene_destroy(scene);
}

/* ---------------------------------------------------------------- inputs */

/* A force that changes at every step: between two, x goes round (f/k, 0) with the frequency w. */
static void an_input_acts_from_the_next_step_on(void **state) {
    (void)state;
    carom_scene *scene = parse(OSCILLATOR, NULL);
    static const char *const integrators[] = {"lobatto", "rattle", "nsga", "generalized_alpha"};
    for (int k = 0; k < 3; k++) {
        carom_run_def def = *carom_scene_run(scene);
        if (k) def.integrator = integrators[k], def.option_count = 0;
        carom_sim *sim;
        check(carom_sim_create(carom_scene_model(scene), &def, &sim, &error));
        int motor = carom_model_input(carom_scene_model(scene), "motor");
        double x = 0.3, v = 0, w = 2, h = 0.01;
        for (int i = 0; i < 200; i++) {
            double f = sin(0.1 * i), x0 = f / 8, dx = x - x0;
            carom_sim_input(sim, motor, f);
            assert_true(carom_sim_input_value(sim, motor) == f);
            run(sim, 1);
            x = x0 + dx * cos(w * h) + v / w * sin(w * h), v = -w * dx * sin(w * h) + v * cos(w * h);
        }
        /* schemes of order 2 are off by about t w (w dt)^2 / 12 = 1.3e-4 */
        assert_true(fabs(carom_sim_q(sim)[0] - x) < (k ? 4e-4 : 1e-12));
        carom_sim_destroy(sim);
    }
    carom_scene_destroy(scene);
}

/* A mass that an input doubles: half the acceleration from that step on, v = (f/m) t, exact in every scheme. */
static void a_mass_may_be_an_input(void **state) {
    static const char text[] = "carom: 1\ninputs: {load: 0}\nmodel:\n  coordinates: {x: 0}\n"
                               "  kinetic: (1 + load)*x_dot^2/2\n  potential: -2*x\n"
                               "run: {integrator: rattle, dt: 0.1, until: 1}\n";
    static const char *const integrators[] = {"rattle", "lobatto", "nsga", "moreau"};
    (void)state;
    for (int k = 0; k < 4; k++) {
        carom_scene *scene;
        carom_sim *sim;
        check(carom_scene_parse(text, sizeof text - 1, "text", NULL, 0, &scene, &error));
        carom_run_def def = *carom_scene_run(scene);
        def.integrator = integrators[k];
        check(carom_sim_create(carom_scene_model(scene), &def, &sim, &error));
        run(sim, 2);
        carom_sim_input(sim, 0, 1);
        run(sim, 1);
        assert_true(fabs(carom_sim_u(sim)[0] - (0.4 + 0.1)) < 1e-12);
        carom_sim_destroy(sim);
        carom_scene_destroy(scene);
    }
}

/* The same force as an input that is set, and as a signal, a formula of time. */
static void a_signal_is_an_input_that_sets_itself(void **state) {
    (void)state;
    carom_scene *scene = parse(OSCILLATOR, NULL), *signal = parse(OSCILLATOR, "inputs.motor=if(t < 0.995, 0, 3)");
    carom_sim *a = simulate(scene), *b;
    carom_run_def def = *carom_scene_run(signal);
    carom_option options[] = {{"stages", NULL, 4}, {"events", "locate", 0}};
    def.options = options, def.option_count = 2;
    check(carom_sim_create(carom_scene_model(signal), &def, &b, &error));
    assert_int_equal(carom_model_input(carom_scene_model(signal), "motor"), -1);
    run(b, 200);
    /* at rest at f/k after the jump: x'' + 4 x = 1.5 from t = 0.995 on */
    double t = 0.995, x = 0.3 * cos(2 * t), v = -0.6 * sin(2 * t), rest = 2 - t, x0 = 3.0 / 8;
    assert_true(fabs(carom_sim_q(b)[0] - (x0 + (x - x0) * cos(2 * rest) + v / 2 * sin(2 * rest))) < 1e-12);
    carom_sim_destroy(a), carom_sim_destroy(b);
    carom_scene_destroy(scene), carom_scene_destroy(signal);
}

/* A block that sticks on a rough floor until the input exceeds mu m g: with located events it stays where it is to
 * round-off, and slides with (f - mu m g)/m from the step on at which f does. */
static void an_input_breaks_stick(void **state) {
    (void)state;
    static const char block[] = "carom: 1\n"
                                "parameters: {m: 2, mu: 0.5, g: 10}\n"
                                "inputs: {push: 0}\n"
                                "model:\n"
                                "  coordinates: {x: {}, y: {}}\n"
                                "  kinetic: m/2*(x_dot^2 + y_dot^2)\n"
                                "  potential: m*g*y\n"
                                "  forces: {x: push}\n"
                                "  contacts: {floor: {gap: y, slip: x_dot, friction: mu}}\n"
                                "run: {integrator: lobatto, stages: 3, events: locate, dt: 1e-2, until: 1}\n";
    carom_scene *scene = parse(block, NULL);
    carom_sim *sim = simulate(scene);
    for (int i = 0; i < 10; i++) {
        carom_sim_input(sim, 0, 0.99 * i);
        run(sim, 1);
        assert_true(fabs(carom_sim_q(sim)[0]) < 1e-16 && carom_sim_contact(sim, 0) == CAROM_STICK);
    }
    carom_sim_input(sim, 0, 14);
    run(sim, 10);
    assert_int_equal(carom_sim_contact(sim, 0), CAROM_SLIP);
    assert_true(fabs(carom_sim_q(sim)[0] - 2 * 0.1 * 0.1 / 2) < 1e-13);
    carom_sim_input(sim, 0, 0);
    run(sim, 10); /* it slows down with mu g from 0.2 m/s, and stops after 0.04 s and 4 mm */
    assert_int_equal(carom_sim_contact(sim, 0), CAROM_STICK);
    assert_true(fabs(carom_sim_q(sim)[0] - 0.014) < 1e-12);
    carom_sim_destroy(sim);
    carom_scene_destroy(scene);
}

static void inputs_are_recorded(void **state) {
    (void)state;
    carom_scene *scene = parse(OSCILLATOR, NULL);
    carom_sim *sim = simulate(scene);
    double row[64];
    int column = 0;
    while (strcmp(carom_sim_column_name(sim, column), "motor") != 0) column++;
    carom_sim_input(sim, 0, 4.5);
    run(sim, 3);
    check(carom_sim_row(sim, row, &error));
    assert_true(row[column] == 4.5);
    carom_sim_destroy(sim);
    carom_scene_destroy(scene);
}

static const char *file_of(const char *text) {
    const char *path = in_folder("signal.csv");
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    return path;
}

/* A free mass under a force from a table whose rows are no multiples of dt: its velocity is the integral of the force,
 * for lines by trapezoids, for steps by rectangles. A spline through points of a line is the line. Steps that end at
 * the rows integrate cubic polynomials exactly, so that what is left is round-off. */
static void a_table_pushes(void **state) {
    (void)state;
    static const char mass[] = "carom: 1\n"
                               "inputs: {f: 0}\n"
                               "model: {coordinates: {x: {}}, kinetic: x_dot^2/2, forces: {x: f}}\n"
                               "run: {integrator: lobatto, stages: 3, events: locate, dt: 0.07, until: 1.4}\n";
    static const char signal[] = "t, f\n# a comment\n0.1 ; 1\n\n0.333,2\n0.5\t-1\n1.1,3\n";
    static const char line[] = "0,1\n0.3,1.6\n0.45,1.9\n2,5\n";
    static const struct {
        const char *text, *method;
        double u;
    } cases[] = {{signal, "linear", 0.1 + 0.233 * 1.5 + 0.167 * 0.5 + 0.6 * 1 + 0.3 * 3},
                 {signal, "step", 0.1 + 0.233 * 1 + 0.167 * 2 - 0.6 + 0.3 * 3},
                 {line, "cubic", 1.4 + 1.4 * 1.4}};
    for (int i = 0; i < 3; i++) {
        char override[600];
        snprintf(override, sizeof override, "inputs.f=table(\"%s\", t, \"%s\")", file_of(cases[i].text),
                 cases[i].method);
        carom_scene *scene = parse(mass, override);
        carom_sim *sim = simulate(scene);
        carom_finding found;
        assert_int_equal(carom_model_check(carom_scene_model(scene), &found, 1), 0);
        run(sim, 20);
        assert_true(fabs(carom_sim_time(sim) - 1.4) < 1e-12);
        assert_true(fabs(carom_sim_u(sim)[0] - cases[i].u) < 1e-13);
        assert_true(carom_sim_switched(sim) >= (i == 2 ? 2 : 4));
        carom_sim_destroy(sim);
        carom_scene_destroy(scene);
    }
}

static void bad_tables_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *text, *sentence;
        int line, column;
    } cases[] = {{"t,f\n0,1\n1,x2\n", "expected a number, found 'x2'", 3, 3},
                 {"0,1\n0.5,2\n0.4,1\n", "the first column must ascend, but 0.4 follows 0.5", 3, 1},
                 {"0,1\n1\n", "expected a number, found the end of the line", 2, 2},
                 {"0,1\n1,inf\n", "must be finite", 2, 1},
                 {"0,1\n", "at least two rows", 1, 1},
                 {"", "at least two rows", 0, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char override[600];
        carom_scene *scene;
        const char *overrides[] = {override};
        snprintf(override, sizeof override, "inputs.motor=table(\"%s\", t)", file_of(cases[i].text));
        assert_int_equal(carom_scene_parse(OSCILLATOR, strlen(OSCILLATOR), "scene", overrides, 1, &scene, &error),
                         CAROM_DATA);
        assert_non_null(strstr(error.message, cases[i].sentence));
        assert_true(error.line == cases[i].line && error.column == cases[i].column);
        assert_non_null(strstr(error.file, "signal.csv"));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_changed_parameter_is_a_fresh_load),
        cmocka_unit_test(a_parameter_may_change_on_the_way),
        cmocka_unit_test(some_parameters_cannot_change),
        cmocka_unit_test(formulas_of_parameters_follow),
        cmocka_unit_test(names_of_parameters_follow),
        cmocka_unit_test(terms_can_be_switched_on),
        cmocka_unit_test(an_input_acts_from_the_next_step_on),
        cmocka_unit_test(a_mass_may_be_an_input),
        cmocka_unit_test(a_signal_is_an_input_that_sets_itself),
        cmocka_unit_test(an_input_breaks_stick),
        cmocka_unit_test(inputs_are_recorded),
        cmocka_unit_test(a_table_pushes),
        cmocka_unit_test(bad_tables_are_refused),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
