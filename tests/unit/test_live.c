/* A simulation that a program steers: parameters, inputs, state, copies, callbacks, sensors. */
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "carom/carom.h"
#include "folder.h"

static carom_error error;

static void check(carom_status status) {
    if (status) fail_msg("%s", error.message);
}

static carom_scene *parse(const char *text, const char *override) {
    carom_scene *scene;
    check(carom_scene_parse(text, strlen(text), "scene", &override, !!override, &scene, &error));
    return scene;
}

static carom_sim *simulate(const carom_scene *scene) {
    carom_sim *sim;
    check(carom_sim_create(carom_scene_model(scene), carom_scene_run(scene), &sim, &error));
    return sim;
}

static void run(carom_sim *sim, int steps) {
    for (int i = 0; i < steps; i++) check(carom_sim_step(sim, &error));
}

static void set(carom_sim *sim, const carom_scene *scene, const char *name, double value) {
    int i = carom_model_parameter(carom_scene_model(scene), name);
    assert_true(i >= 0);
    check(carom_sim_set_parameter(sim, i, value, &error));
    assert_true(carom_sim_parameter(sim, i) == value);
}

/* ---------------------------------------------------------------- parameters */

/* m x'' + k x = f, from x(0) = a with x'(0) = 0 */
static const char OSCILLATOR[] = "carom: 1\n"
                                 "parameters: {m: 2, k: 8, a: 0.3, twice: 2*a}\n"
                                 "inputs: {motor: 0}\n"
                                 "model:\n"
                                 "  coordinates: {x: {start: a}}\n"
                                 "  kinetic: m/2*x_dot^2\n"
                                 "  potential: k/2*x^2\n"
                                 "  forces: {x: motor}\n"
                                 "run: {integrator: lobatto, stages: 4, dt: 1e-2, until: 2}\n";

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

/* ---------------------------------------------------------------- state */

/* A pendulum set to another place and time goes on from there: the forced one knows the time. */
static void a_state_can_be_set(void **state) {
    (void)state;
    carom_scene *scene = parse(OSCILLATOR, "inputs.motor=8*sin(t)");
    carom_sim *sim = simulate(scene);
    run(sim, 7);
    /* x = (4/3) sin(t) solves it, with w = 2: x'' + 4 x = 4 sin(t) */
    double t = 1.2345, x = 4.0 / 3 * sin(t), v = 4.0 / 3 * cos(t);
    check(carom_sim_set_state(sim, t, &x, &v, &error));
    assert_true(carom_sim_time(sim) == t);
    check(carom_sim_run(sim, &error));
    double end = carom_sim_time(sim);
    assert_true(end >= 2 && end < 2.01 && fabs(carom_sim_q(sim)[0] - 4.0 / 3 * sin(end)) < 1e-11);
    assert_int_equal(carom_sim_set_state(sim, NAN, NULL, NULL, &error), CAROM_DATA);
    assert_true(carom_sim_time(sim) == end);
    carom_sim_destroy(sim);
    carom_scene_destroy(scene);
}

/* Another end: steps until it, none where it has been passed. What a program looks at stays in its place. */
static void the_end_can_be_moved(void **state) {
    (void)state;
    carom_scene *scene = parse(OSCILLATOR, NULL);
    carom_sim *sim = simulate(scene);
    const double *x = carom_sim_q(sim), *v = carom_sim_u(sim);
    check(carom_sim_set_until(sim, 0.3, &error));
    check(carom_sim_run(sim, &error));
    assert_int_equal(carom_sim_steps(sim), 30);
    assert_true(carom_sim_q(sim) == x && carom_sim_u(sim) == v);
    assert_true(fabs(*x - 0.3 * cos(0.6)) < 1e-11); /* a cos(w t), w = 2 */
    check(carom_sim_set_until(sim, 0.1, &error));
    assert_true(carom_sim_done(sim));
    check(carom_sim_set_until(sim, 0.5, &error));
    check(carom_sim_run(sim, &error));
    assert_int_equal(carom_sim_steps(sim), 50);
    assert_int_equal(carom_sim_set_until(sim, 0, &error), CAROM_DATA);
    assert_int_equal(carom_sim_total_steps(sim), 50);
    carom_sim_destroy(sim);
    carom_scene_destroy(scene);
}

/* Other steps from a state on are those of a simulation that was made with them, and derivatives go along. */
static void steps_can_change_their_length(void **state) {
    (void)state;
    static const char *const start[] = {"start.x"};
    carom_scene *scene = parse(OSCILLATOR, NULL);
    carom_run_def shorter = *carom_scene_run(scene);
    carom_sim *sim = simulate(scene), *other;
    check(carom_sim_differentiate(sim, start, 1, &error));
    check(carom_sim_set_until(sim, 0.5, &error));
    check(carom_sim_run(sim, &error));
    const double q = carom_sim_q(sim)[0], u = carom_sim_u(sim)[0], t = carom_sim_time(sim);
    shorter.dt = 0.013;
    check(carom_sim_create(carom_scene_model(scene), &shorter, &other, &error));
    check(carom_sim_set_state(other, t, &q, &u, &error));
    check(carom_sim_set_dt(sim, 0.013, &error));
    check(carom_sim_set_until(sim, 2, &error));
    while (!carom_sim_done(sim)) {
        check(carom_sim_step(sim, &error));
        check(carom_sim_step(other, &error));
        assert_true(carom_sim_time(sim) == carom_sim_time(other) && carom_sim_q(sim)[0] == carom_sim_q(other)[0]);
    }
    assert_true(carom_sim_done(other) && fabs(carom_sim_time(sim) - (0.5 + 116 * 0.013)) < 1e-14);
    assert_true(fabs(carom_sim_q_by(sim, 0)[0] - cos(2 * carom_sim_time(sim))) < 1e-10); /* x = a cos(w t), w = 2 */
    static const double none[] = {0, -1, NAN, INFINITY};
    for (int i = 0; i < 4; i++) assert_int_equal(carom_sim_set_dt(sim, none[i], &error), CAROM_DATA);
    check(carom_sim_set_dt(sim, 1e-2, &error));
    check(carom_sim_restart(sim, &error));
    check(carom_sim_set_until(sim, 0.5, &error));
    check(carom_sim_run(sim, &error));
    assert_true(carom_sim_q(sim)[0] == q && carom_sim_u(sim)[0] == u); /* as if it were new */
    carom_sim_destroy(other);
    carom_sim_destroy(sim);
    carom_scene_destroy(scene);
}

/* Directions are vectors: what is set is carried along as the combination that it is. */
static void directions_can_be_combined(void **state) {
    (void)state;
    static const char *const start[] = {"start.x", "start.x_dot"};
    carom_scene *scene = parse(OSCILLATOR, NULL);
    carom_sim *sim = simulate(scene), *both = simulate(scene);
    check(carom_sim_differentiate(sim, start, 2, &error));
    check(carom_sim_differentiate(both, start, 1, &error));
    carom_sim_set_direction(both, 0, (const double[]){3}, (const double[]){-2});
    for (int i = 0; i < 100; i++) {
        check(carom_sim_step(sim, &error));
        check(carom_sim_step(both, &error));
        const double q = 3 * carom_sim_q_by(sim, 0)[0] - 2 * carom_sim_q_by(sim, 1)[0];
        assert_true(fabs(carom_sim_q_by(both, 0)[0] - q) < 1e-13);
    }
    carom_sim_destroy(both);
    carom_sim_destroy(sim);
    carom_scene_destroy(scene);
}

static carom_sim *crank(carom_scene **scene) {
    check(carom_scene_load("scenes/paper/rattle/slider_crank.yaml", NULL, 0, scene, &error));
    return simulate(*scene);
}

static void a_copy_goes_on_alike_and_on_its_own(void **state) {
    (void)state;
    carom_scene *scene;
    carom_sim *sim = crank(&scene), *copy, *other;
    set(sim, scene, "mu", 0.1);
    run(sim, 77);
    check(carom_sim_copy(sim, &copy, &error));
    check(carom_sim_copy(sim, &other, &error));
    set(other, scene, "e", 0);
    run(other, 100);
    for (int i = 0; i < 100; i++) {
        assert_true(carom_sim_hash(sim) == carom_sim_hash(copy));
        run(sim, 1), run(copy, 1);
    }
    assert_true(carom_sim_hash(sim) != carom_sim_hash(other));
    carom_sim_destroy(sim), carom_sim_destroy(copy), carom_sim_destroy(other);
    carom_scene_destroy(scene);
}

/* Saved here, loaded and continued in another process, with the same bits, parameters and inputs. */
static void a_state_travels_between_processes(void **state) {
    (void)state;
    carom_scene *scene = parse(OSCILLATOR, NULL);
    carom_sim *sim = simulate(scene);
    set(sim, scene, "k", 5);
    carom_sim_input(sim, 0, 0.25);
    run(sim, 11);
    carom_sim_input(sim, 0, 0.5); /* not yet acting */
    carom_sim_forget(sim);
    double kept[256];
    assert_true(carom_sim_state_size(sim) <= 256);
    carom_sim_save(sim, kept);
    int pipes[2];
    assert_int_equal(pipe(pipes), 0);
    pid_t child = fork();
    if (child == 0) {
        carom_scene *again = parse(OSCILLATOR, NULL);
        carom_sim *loaded = simulate(again);
        check(carom_sim_load(loaded, kept, &error));
        run(loaded, 50);
        unsigned long long hash = carom_sim_hash(loaded);
        _exit(write(pipes[1], &hash, sizeof hash) != sizeof hash);
    }
    run(sim, 50);
    unsigned long long hash = 0;
    assert_int_equal(read(pipes[0], &hash, sizeof hash), sizeof hash);
    waitpid(child, NULL, 0);
    assert_true(hash == carom_sim_hash(sim));
    close(pipes[0]), close(pipes[1]);
    carom_sim_destroy(sim);
    carom_scene_destroy(scene);
}

/* A state is that of its parameters: loaded where others had been set, it brings its own back, also those that follow
 * from others, and also where these others have not acted yet. One that cannot change is refused, and nothing else
 * changes then. */
static const char CHAIN[] = "carom: 1\n"
                            "parameters: {n: 4}\n"
                            "model: {coordinates: {\"x[i=1..n]\": i}, kinetic: \"sum(i=1..n, x_dot[i]^2)/2\"}\n"
                            "run: {integrator: rattle, dt: 1e-2, until: 2}\n";
static void a_state_has_its_parameters(void **state) {
    (void)state;
    carom_scene *scene = parse(OSCILLATOR, NULL), *longer = parse(CHAIN, NULL);
    carom_sim *sim = simulate(scene), *other = simulate(scene), *chain = simulate(longer);
    double kept[256];
    set(sim, scene, "k", 5);
    run(sim, 11);
    carom_sim_forget(sim);
    carom_sim_save(sim, kept);
    set(other, scene, "k", 2);
    run(other, 3);
    set(other, scene, "m", 7);
    check(carom_sim_load(other, kept, &error));
    for (int i = 0; i < carom_model_get(carom_scene_model(scene))->parameters; i++)
        assert_true(carom_sim_parameter(other, i) == carom_sim_parameter(sim, i));
    run(sim, 50), run(other, 50);
    assert_true(carom_sim_hash(sim) == carom_sim_hash(other));

    const unsigned long long hash = carom_sim_hash(chain);
    carom_sim_save(chain, kept);
    kept[carom_sim_state_size(chain) - 1] += 1;
    assert_int_equal(carom_sim_load(chain, kept, &error), CAROM_DATA);
    assert_non_null(strstr(error.message, "parameter 'n' cannot change"));
    assert_true(carom_sim_hash(chain) == hash && carom_sim_parameter(chain, 0) == 4);
    carom_sim_destroy(sim), carom_sim_destroy(other), carom_sim_destroy(chain);
    carom_scene_destroy(scene), carom_scene_destroy(longer);
}

/* ---------------------------------------------------------------- callbacks and sensors */

typedef struct watcher {
    int before, after, events, stop_before, stop_after;
} watcher;

static bool watch(carom_sim *sim, carom_moment moment, int event, void *user) {
    watcher *w = user;
    int count;
    const carom_event *list = carom_sim_events(sim, &count);
    if (moment == CAROM_AT_EVENT) {
        assert_true(event >= 0 && event < count);
        assert_true(list[event].time <= carom_sim_time(sim));
        w->events++;
        return true;
    }
    assert_int_equal(event, -1);
    return moment == CAROM_BEFORE_STEP ? w->before++ != w->stop_before : w->after++ != w->stop_after;
}

/* A ball falls from 1.25 m with g = 10: it strikes at t = 0.5, and with e = 1/2 again at 1. */
static const char BALL[] = "carom: 1\n"
                           "model:\n"
                           "  gravity: [0, 0, -10]\n"
                           "  bodies: {ball: {type: spatial, mass: 3, shape: {sphere: 0.1}, position: [0, 0, 1.35]}}\n"
                           "  frames: {ground: {shape: {plane: [0, 0, 1]}}}\n"
                           "  contacts: {hit: {between: [ball, ground], restitution: 0.5, friction: 0.3}}\n"
                           "run: {integrator: lobatto, events: locate, stages: 2, dt: 0.03, until: 0.9}\n";

static void callbacks_are_called_and_may_stop(void **state) {
    (void)state;
    carom_scene *scene = parse(BALL, NULL);
    carom_sim *sim = simulate(scene);
    watcher w = {.stop_before = -1, .stop_after = -1};
    carom_sim_set_callback(sim, watch, &w);
    check(carom_sim_run(sim, &error));
    assert_true(w.before == 30 && w.after == 30 && w.events == 1);
    check(carom_sim_restart(sim, &error));
    w = (watcher){.stop_before = 4, .stop_after = -1};
    assert_int_equal(carom_sim_run(sim, &error), CAROM_STOPPED);
    assert_int_equal(carom_sim_steps(sim), 4); /* the fifth is not taken ... */
    w.stop_after = w.after;
    assert_int_equal(carom_sim_run(sim, &error), CAROM_STOPPED);
    assert_int_equal(carom_sim_steps(sim), 5); /* ... and then it is */
    check(carom_sim_run(sim, &error));
    carom_sim_destroy(sim);
    carom_scene_destroy(scene);
}

static void sense(carom_sim *sim, const char *name, int expected, double *values) {
    int sensor, count;
    check(carom_sim_sensor(sim, name, &sensor, &count, &error));
    assert_int_equal(count, expected);
    check(carom_sim_sense(sim, sensor, values, &error));
}

static void sensors_tell_what_elements_do(void **state) {
    (void)state;
    carom_scene *scene = parse(BALL, NULL);
    carom_sim *sim = simulate(scene);
    double x[4];
    int sensor;
    run(sim, 10);
    sense(sim, "ball.position", 3, x);
    assert_true(fabs(x[2] - (1.35 - 5 * 0.09)) < 1e-12 && x[0] == 0);
    sense(sim, "ball.velocity", 3, x);
    assert_true(fabs(x[2] + 3) < 1e-12);
    sense(sim, "ball.rotation", 4, x);
    assert_true(x[0] == 1);
    sense(sim, "ball.angular_velocity", 3, x);
    sense(sim, "hit.gap", 1, x);
    assert_true(fabs(x[0] - (1.25 - 5 * 0.09)) < 1e-12);
    carom_sim_destroy(sim);
    carom_scene_destroy(scene);
    scene = parse(BALL, "model.bodies.ball.position=[0, 0, 0.1]"); /* lies on the floor: the force is its weight */
    sim = simulate(scene);
    run(sim, 3);
    sense(sim, "hit.force", 3, x);
    assert_true(fabs(x[0] - 30) < 1e-10 && fabs(x[1]) < 1e-10);
    assert_int_equal(carom_sim_sensor(sim, "ball.positon", &sensor, NULL, &error), CAROM_DATA);
    assert_non_null(strstr(error.message, "there is no quantity 'ball.positon'"));
    carom_sim_destroy(sim);
    carom_scene_destroy(scene);
}

/* ---------------------------------------------------------------- models in C */

typedef struct spring {
    double k, f;
} spring;

static int mass(void *c, double t, const double *q, double *M) {
    (void)c, (void)t, (void)q;
    M[0] = 1;
    return 0;
}

static int force(void *c, double t, const double *q, const double *u, double *h, double *h_q, double *h_u) {
    const spring *s = c;
    (void)t, (void)u;
    if (h) h[0] = s->f - s->k * q[0];
    if (h_q) h_q[0] = -s->k;
    if (h_u) h_u[0] = 0;
    return 0;
}

static int assign(void *c, double *parameter, const double *input, double *q0, double *u0,
                  carom_model_contact *contact) {
    spring *s = c;
    (void)u0, (void)contact;
    s->k = parameter[0], s->f = input[0];
    if (q0) q0[0] = 1 / parameter[0];
    return parameter[0] < 0;
}

/* Two simulations of one model that keeps its values in one context take turns, and know nothing of each other. */
static void models_in_c_have_values_too(void **state) {
    (void)state;
    spring context = {0};
    const double one = 1, zero = 0;
    const char *const k = "k", *const f = "f";
    carom_model_def def = carom_model_default();
    def.nq = def.nu = 1, def.q0 = &one, def.u0 = &zero, def.context = &context, def.mass = mass, def.force = force;
    def.parameters = def.inputs = 1, def.parameter = &one, def.input = &zero, def.parameter_names = &k;
    def.input_names = &f, def.assign = assign;
    carom_model *model;
    check(carom_model_create(&def, &model, &error));
    carom_run_def lobatto = carom_run_default();
    lobatto.integrator = "lobatto", lobatto.dt = 1e-2, lobatto.until = 1;
    lobatto.options = &(carom_option){"stages", NULL, 4}, lobatto.option_count = 1;
    carom_sim *a, *b;
    check(carom_sim_create(model, &lobatto, &a, &error));
    check(carom_sim_create(model, &lobatto, &b, &error));
    check(carom_sim_set_parameter(b, carom_model_parameter(model, "k"), 4, &error));
    check(carom_sim_restart(b, &error));
    assert_true(carom_sim_q(b)[0] == 0.25);
    carom_sim_input(a, carom_model_input(model, "f"), 2);
    for (int i = 0; i < 100; i++) run(a, 1), run(b, 1);
    assert_true(fabs(carom_sim_q(a)[0] - (2 - cos(1))) < 1e-12);
    assert_true(fabs(carom_sim_q(b)[0] - 0.25 * cos(2)) < 1e-12);
    assert_int_equal(carom_sim_set_parameter(b, 0, -1, &error), CAROM_DATA);
    assert_true(carom_sim_parameter(b, 0) == 4);
    carom_sim_destroy(a), carom_sim_destroy(b);
    carom_model_destroy(model);
}

/* ---------------------------------------------------------------- misuse */

static void use_a_bad_event(carom_sim *sim) {
    double row[64];
    check(carom_sim_event_row(sim, 99, 0, row, &error));
}
static void use_a_bad_contact(carom_sim *sim) {
    carom_sim_contact(sim, 1);
}
static void use_a_bad_input(carom_sim *sim) {
    carom_sim_input(sim, 0, 1);
}
static void use_a_bad_side(carom_sim *sim) {
    double row[64];
    check(carom_sim_event_row(sim, 0, 2, row, &error));
}
static void use_null(carom_sim *sim) {
    (void)sim;
    carom_sim_time(NULL);
}
#ifndef CAROM_SANITIZED /* which sees it before the assertion does */
static void use_after_destruction(carom_sim *sim) {
    carom_sim_destroy(sim);
    carom_sim_time(sim);
}
#endif

/* Misuse of the interface ends the program at once, by an assertion. */
static void misuse_is_asserted(void **state) {
    (void)state;
    static void (*const misuses[])(carom_sim *) = {use_a_bad_event,      use_a_bad_contact, use_a_bad_input,
                                                   use_a_bad_side,       use_null,
#ifndef CAROM_SANITIZED
                                                   use_after_destruction
#endif
    };
    carom_scene *scene = parse(BALL, NULL);
    carom_sim *sim = simulate(scene);
    for (size_t i = 0; i < sizeof misuses / sizeof *misuses; i++) {
        int status;
        fflush(NULL);
        pid_t child = fork();
        if (child == 0) {
            signal(SIGABRT, SIG_DFL);
            if (!freopen("/dev/null", "w", stderr)) _exit(1);
            misuses[i](sim);
            _exit(0);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    }
    carom_sim_destroy(sim);
    carom_scene_destroy(scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_changed_parameter_is_a_fresh_load),
        cmocka_unit_test(a_parameter_may_change_on_the_way),
        cmocka_unit_test(some_parameters_cannot_change),
        cmocka_unit_test(formulas_of_parameters_follow),
        cmocka_unit_test(terms_can_be_switched_on),
        cmocka_unit_test(an_input_acts_from_the_next_step_on),
        cmocka_unit_test(a_signal_is_an_input_that_sets_itself),
        cmocka_unit_test(an_input_breaks_stick),
        cmocka_unit_test(inputs_are_recorded),
        cmocka_unit_test(a_table_pushes),
        cmocka_unit_test(bad_tables_are_refused),
        cmocka_unit_test(a_state_can_be_set),
        cmocka_unit_test(the_end_can_be_moved),
        cmocka_unit_test(steps_can_change_their_length),
        cmocka_unit_test(directions_can_be_combined),
        cmocka_unit_test(a_copy_goes_on_alike_and_on_its_own),
        cmocka_unit_test(a_state_travels_between_processes),
        cmocka_unit_test(a_state_has_its_parameters),
        cmocka_unit_test(callbacks_are_called_and_may_stop),
        cmocka_unit_test(sensors_tell_what_elements_do),
        cmocka_unit_test(models_in_c_have_values_too),
        cmocka_unit_test(misuse_is_asserted),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
