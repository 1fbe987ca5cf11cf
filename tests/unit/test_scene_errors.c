/* Scene files that are wrong: one sentence, and where the finger points. */
#include "scene_text.h"

#include <math.h>
#include <string.h>

/* ---- errors, by class */

static void test_yaml_errors(void **state) {
    (void)state;
    rejects("carom: 1\nrun: {dt: 1,\n  until: 2\n@", "not valid YAML");
    rejects("carom: 1\nrun: 1\n@run: 2\n", "the key 'run' appears twice");
    rejects("carom: 1\nmodel: &@a 3\n", "anchors");
    rejects("carom: 1\nmodel: *@a\n", "aliases");
    rejects("carom: 1\nmodel: @!!str x\n", "tags");
    rejects("carom: 1\n? @{a: 1}\n: 2\n", "a key must be a name");
    rejects("@%YAML 1.2\n---\ncarom: 1\n", "directives");
    rejects("carom: 1\ntitle: a@\x01\n", "control character");
    rejects("carom: 1\ntitle: a@\xff\n", "UTF-8");
    rejects("@\ufeffcarom: 1\n", "byte order mark");
    rejects("carom: 1\ntitle: '@a''''b'\n", "double quotes");
    rejects("carom: 1\n---\n@carom: 1\n", "one YAML document");
    rejects("@", "'carom: 1'");
    rejects("@- 1\n", "'carom: 1'");
    rejects("@model: 1\n", "'carom: 1'");
    rejects("carom: @2\n", "version 1");
    rejects("carom: 1\nextends: @other.yaml\n", "needs a scene that is a file");
    rejects("carom: 1\ntitle: \"@a\\0b\"\n", "NUL");
}

static void test_key_errors(void **state) {
    (void)state;
    rejects("carom: 1\n" MODEL RUN "@plots: [x]\n", "unknown key 'plots' in a scene, did you mean 'plot'?");
    rejects("carom: 1\n@gravity: [0, -9.81]\n" MODEL RUN, "the key 'gravity' stands under 'model'");
    rejects("carom: 1\n" MODEL RUN "@record: [x]\n", "the key 'record' stands under 'run'");
    rejects("carom: 1\n" MODEL "  @kinetics: 1\n" RUN, "did you mean 'kinetic'?");
    rejects("carom: 1\n" MODEL "  contacts: {floor: {gap: y, @restituton: 0.5}}\n" RUN,
            "unknown key 'restituton' in contact 'floor', did you mean 'restitution'?");
    rejects("carom: 1\nmodel:\n  coordinates: {x: {@strat: 1}}\n  kinetic: x_dot^2\n" RUN, "did you mean 'start'?");
    rejects("carom: 1\nmodel:\n  coordinates: {x: 0}\n  velocities: {w: {@velocity: 1}}\n  kinetic: 1\n" RUN,
            "in a velocity");
}

static void test_missing_parts(void **state) {
    (void)state;
    rejects("@carom: 1\n" RUN, "no 'model'");
    rejects("@carom: 1\n" MODEL, "no 'run'");
    rejects("carom: 1\nmodel: @{kinetic: 1}\n" RUN, "no 'coordinates'");
    rejects("carom: 1\n@model: {coordinates: {x: 0}}\n" RUN, "no 'kinetic' energy");
    rejects("carom: 1\n" MODEL "  contacts: {@floor: {friction: 0}}\n" RUN, "contact 'floor' has no 'gap'");
    rejects("carom: 1\n" MODEL "@run: {dt: 1, until: 1}\n", "no 'integrator'");
    rejects("carom: 1\n" MODEL "@run: {integrator: rattle, until: 1}\n", "no 'dt'");
    rejects("carom: 1\n" MODEL "@run: {integrator: rattle, dt: 1}\n", "no 'until'");
}

static void test_type_errors(void **state) {
    (void)state;
    rejects("carom: 1\nmodel: @5\n" RUN, "the model must be a map");
    rejects("carom: 1\n" MODEL "run: @fast\n", "'run' must be a map");
    rejects("carom: 1\nparameters: @[1, 2]\n" MODEL RUN, "'parameters' must be a map");
    rejects("carom: 1\nparameters: {m: @{a: 1}}\n" MODEL RUN, "'m' must be a number or a formula");
    rejects("carom: 1\nparameters: {@m: }\n" MODEL RUN, "'m' must be a number or a formula");
    rejects("carom: 1\ntitle: @[a]\n" MODEL RUN, "the title must be a text");
    rejects("carom: 1\n" MODEL "  potential: @[x]\n" RUN, "expected a number or a formula");
    rejects("carom: 1\n" MODEL "  contacts: {floor: @y}\n" RUN, "contact 'floor' must be a map");
    rejects("carom: 1\n" MODEL "  contacts: {floor: {gap: y, unit: @[m]}}\n" RUN, "a unit must be a text");
    rejects("carom: 1\n" MODEL "  contacts: {floor: {gap: y, slip: @[x_dot, 1, 2, 3]}}\n" RUN, "one to three slip");
    rejects("carom: 1\n" MODEL "  contacts: {floor: {gap: y, slip: @[]}}\n" RUN, "one to three slip");
    rejects("carom: 1\n" MODEL RUN "plot: @{x: y}\n", "'plot' must be a list");
    rejects("carom: 1\n" MODEL RUN "plot: [x, @[y]]\n", "'plot' must be a list");
    rejects("carom: 1\n" MODEL RUN "units: @m\n", "'units' must be a map");
    rejects("carom: 1\n" MODEL RUN "units: {x: @[m]}\n", "a unit must be a text");
    rejects("carom: 1\n" MODEL "run: {integrator: rattle, dt: @small, until: 1}\n", "undefined name 'small'");
}

static void test_formula_errors(void **state) {
    (void)state;
    rejects("carom: 1\n" MODEL "  potential: 9.81*@z\n" RUN, "undefined name 'z'");
    rejects("carom: 1\nparameters: {mass: 1}\n" MODEL "  potential: 2*@mas*y\n" RUN, "did you mean 'mass'?");
    rejects("carom: 1\n" MODEL "  potential: 2*(x + y@\n" RUN, "expected ')'");
    rejects("carom: 1\n" MODEL "  potential: \"2*(x + @q)\"\n" RUN, "undefined name 'q'");
    rejects("carom: 1\n" MODEL "  potential: 'x + @q'\n" RUN, "undefined name 'q'");
    rejects("carom: 1\n" MODEL "  potential: x +\n    y + @q\n" RUN, "undefined name 'q'");
    rejects("carom: 1\n" MODEL "  potential: |\n    x +\n      y + @q\n" RUN, "undefined name 'q'");
    rejects("carom: 1\n" MODEL "  potential: >\n    x\n    + y\n    + @q\n" RUN, "undefined name 'q'");
    rejects("carom: 1\n" MODEL "  contacts: {floor: {gap: y - @R}}\n" RUN, "undefined name 'R'");
    rejects("carom: 1\n" MODEL "  constraints: {joint: [x, y - @z]}\n" RUN, "undefined name 'z'");
    rejects("carom: 1\n" MODEL "  constraints: {'joint[i=1..3]': '@x[i] + y'}\n" RUN, "undefined name 'x1'");
    rejects("carom: 1\n" MODEL "  constraints: {'joint[i=1..@m]': 'x'}\n" RUN, "undefined name 'm'");
    rejects("carom: 1\ntitle: 'ä'\n" MODEL "  potential: 'x + @ä'\n" RUN, "a character that formulas do not use");
}

static void test_formula_parts(void **state) {
    (void)state;
    rejects("carom: 1\nmodel:\n  coordinates: {x: 0}\n  kinetic: @x_dot^4\n" RUN, "quadratic");
    rejects("carom: 1\n" MODEL "  potential: @x*x_dot\n" RUN, "velocit");
    rejects("carom: 1\n" MODEL "  constraints: {a: x, b: @y - y_dot}\n" RUN, "velocit");
    rejects("carom: 1\n" MODEL "  velocity_constraints: {a: x_dot, b: @y_dot^2}\n" RUN, "affine");
    rejects("carom: 1\n" MODEL "  contacts: {a: {gap: x}, b: {gap: @x_dot}}\n" RUN, "velocit");
    rejects("carom: 1\n" MODEL "  contacts: {a: {gap: x, slip: [x_dot, y_dot]}, b: {gap: y, slip: @x_dot*y_dot}}\n" RUN,
            "affine");
}

static void test_constant_errors(void **state) {
    (void)state;
    rejects("carom: 1\nparameters: {a: b + 1, b: 2*c, c: @a}\n" MODEL RUN, "circular definition: a -> b -> c -> a");
    rejects("carom: 1\nparameters: {a: 1 + @a}\n" MODEL RUN, "circular definition: a -> a");
    rejects("carom: 1\n" MODEL "  define: {u: v*x, v: @u + 1}\n" RUN, "circular definition: u -> v -> u");
    rejects("carom: 1\n" MODEL "  define: {'@s[i=1..500]': 's[i+1]', s501: s1}\n" RUN, "circular definition of 's");
    rejects("carom: 1\nparameters: {a: 2*@x}\n" MODEL RUN, "undefined name 'x'");
    rejects("carom: 1\nparameters: {a: 2*@t}\n" MODEL RUN, "'t' is the time, here only parameters may be used");
    rejects("carom: 1\nmodel:\n  coordinates: {x: 1, y: {start: 2*@x}}\n  kinetic: 1\n" RUN, "'x' is a coordinate");
    rejects("carom: 1\nparameters: {a: @1/0}\n" MODEL RUN, "not a finite number");
    rejects("carom: 1\nmodel:\n  coordinates: {x: @log(-1)}\n  kinetic: x_dot^2\n" RUN, "not a finite number");
}

static void test_name_errors(void **state) {
    (void)state;
    rejects("carom: 1\nparameters: {@1a: 1}\n" MODEL RUN, "a name starts with a letter");
    rejects("carom: 1\nparameters: {@\u00ff\u03c6: 1}\n" MODEL RUN, "ASCII letters");
    rejects("carom: 1\nparameters: {@m\u00fc: 1}\n" MODEL RUN, "ASCII letters");
    rejects("carom: 1\nparameters: {@sin: 1}\n" MODEL RUN, "has a meaning in formulas already");
    rejects("carom: 1\nparameters: {@t: 1}\n" MODEL RUN, "has a meaning in formulas already");
    rejects("carom: 1\nparameters: {x: 1}\nmodel:\n  coordinates: {@x: 0}\n  kinetic: x_dot^2\n" RUN,
            "'x' is already a parameter");
    rejects("carom: 1\nparameters: {x_dot: 1}\nmodel:\n  coordinates: {@x: 0}\n  kinetic: 1\n" RUN,
            "'x_dot' is already a parameter");
    rejects("carom: 1\nmodel:\n  coordinates: {@x: 0, x_dot: 0}\n  kinetic: 1\n" RUN, "x_dot");
    rejects("carom: 1\nmodel:\n  coordinates: {x1: 0, '@x[i=1..2]': 0}\n  kinetic: 1\n" RUN,
            "'x1' is already a coordinate");
    rejects("carom: 1\nmodel:\n  coordinates: {@E: 0}\n  kinetic: 1\n" RUN, "recorded quantity");
    rejects("carom: 1\nmodel:\n  coordinates: {@residual: 0}\n  kinetic: 1\n" RUN, "recorded quantity");
    rejects("carom: 1\n" MODEL "  define: {@y: 1}\n" RUN, "'y' is already a coordinate");
    rejects("carom: 1\n" MODEL "  contacts: {@a-b: {gap: x}}\n" RUN, "'a-b' is not a name");
    rejects("carom: 1\n" MODEL "  constraints: {a: x}\n  contacts: {@a: {gap: x}}\n" RUN,
            "two constraints or contacts named 'a'");
    rejects(
        "carom: 1\nmodel: {bodies: {a: {type: planar, mass: 1, inertia: 1}, b: {type: planar, mass: 1, inertia: 1}}, "
        "joints: {@pin: {type: revolute, bodies: [world, a], at: [0, 0]}, "
        "pin1: {type: revolute, bodies: [a, b], at: [0, 0]}}}\n" RUN,
        "joint 'pin' has a row 'pin1', and something else has this name");
    rejects("carom: 1\n" MODEL "  forces: {@z: 1}\n" RUN, "a force needs a coordinate");
    rejects("carom: 1\n" MODEL "  forces: {@x_dot: 1}\n" RUN, "a force needs a coordinate");
    rejects("carom: 1\n" MODEL "  forces: {x: 1, '@x[i=1..1]': 1}\n" RUN, "a force needs a coordinate");
    rejects("carom: 1\n" MODEL "  kinematics: {@z: 1}\n" RUN, "there is no coordinate 'z'");
    rejects("carom: 1\nmodel:\n  coordinates: {p: 0, q: {velocity: @1}}\n  velocities: {w: 0}\n  kinematics: {q: w}\n  "
            "kinetic: 1\n" RUN,
            "'q' has its velocity from 'kinematics'");
    rejects("carom: 1\nmodel:\n  coordinates: {q: 0}\n  velocities: {w: 0}\n  kinematics: {q: w}\n  forces: {@q: 1}\n  "
            "kinetic: w^2\n" RUN,
            "no velocity of its own");
}

static void test_symmetries(void **state) {
    (void)state;
    rejects("carom: 1\n" MODEL "  symmetries: @[x]\n" RUN, "'symmetries' must be a map");
    rejects("carom: 1\n" MODEL "  symmetries: {L: @3}\n" RUN, "'L' must be a map");
    rejects("carom: 1\n" MODEL "  symmetries: {@L: {}}\n" RUN, "the symmetry 'L' moves nothing");
    rejects("carom: 1\n" MODEL "  symmetries: {L: {x: -y, @z: 1}}\n" RUN, "a symmetry needs a coordinate, 'z' is none");
    rejects("carom: 1\n" MODEL "  symmetries: {L: {@x_dot: 1}}\n" RUN, "a symmetry needs a coordinate");
    rejects("carom: 1\n" MODEL "  symmetries: {L: {x: @y_dot}}\n" RUN, "a symmetry must not depend on velocities");
    rejects("carom: 1\n" MODEL "  symmetries: {K: {x: 1}, L: {x: 1, y: @2*x_dot}}\n" RUN,
            "must not depend on velocities");
    rejects("carom: 1\n" MODEL "  symmetries: {L: {x: @foo}}\n" RUN, "undefined name 'foo'");
    rejects("carom: 1\n" MODEL "  symmetries: {L1: {x: 1}, '@L[i=1..2]': {x: i}}\n" RUN,
            "two symmetries or observables named 'L1'");
    rejects("carom: 1\n" MODEL "  symmetries: {@x: {x: 1}}\n" RUN, "'x' is the name of a recorded quantity");
    rejects("carom: 1\n" MODEL "  symmetries: {@y_dot: {x: 1}}\n" RUN, "'y_dot' is the name of a recorded quantity");
    rejects("carom: 1\n" MODEL "  symmetries: {@E: {x: 1}}\n" RUN, "'E' is the name of a recorded quantity");
    rejects("carom: 1\n" MODEL "  symmetries: {@a-b: {x: 1}}\n" RUN, "letters, digits and underscores");
    rejects("carom: 1\nmodel:\n  coordinates: {'x[i=1..2]': 0}\n  kinetic: x1_dot^2 + x2_dot^2\n"
            "  symmetries: {L: {x1: 1, '@x[i=1..2]': i}}\n" RUN,
            "the symmetry 'L' moves 'x1' twice");
    rejects("carom: 1\nmodel:\n  coordinates: {q: 0}\n  velocities: {w: 0}\n  kinematics: {q: w}\n"
            "  kinetic: w^2\n  symmetries: {L: {@q: 1}}\n" RUN,
            "no velocity of its own");
    carom_scene *scene = scene_of("carom: 1\n" MODEL "  define: {L: x}\n  symmetries: {L: {x: -y, y: L}}\n"
                                  "  contacts: {wall: {gap: x}}\nunits: {L: N m s}\n" RUN);
    const carom_model_def *def = def_of(scene);
    double xi[2], q[] = {3, 5};
    assert_int_equal(def->symmetries, 1);
    assert_int_equal(def->symmetry(def->context, 0, q, xi), 0);
    assert_true(xi[0] == -5 && xi[1] == 3);
    assert_string_equal(carom_scene_unit(scene, "L"), "N m s");
    assert_string_equal(carom_scene_unit(scene, "work.friction"), "J");
    assert_string_equal(carom_scene_unit(scene, "wall.loss"), "J");
    assert_false(def->power || def->rheonomic); /* nothing that could do work but the contact */
    carom_scene_destroy(scene);
}

static void test_observables(void **state) {
    (void)state;
    rejects("carom: 1\n" MODEL "  observe: @[x]\n" RUN, "'observe' must be a map");
    rejects("carom: 1\n" MODEL "  observe: {r: @{x: 1}}\n" RUN, "expected a number or a formula");
    rejects("carom: 1\n" MODEL "  observe: {r: sqrt(@z)}\n" RUN, "undefined name 'z'");
    rejects("carom: 1\n" MODEL "  observe: {@x: y}\n" RUN, "'x' is the name of a recorded quantity, an observable");
    rejects("carom: 1\n" MODEL "  observe: {@x_dot: y}\n" RUN, "'x_dot' is the name of a recorded quantity");
    rejects("carom: 1\n" MODEL "  observe: {@newton: y}\n" RUN, "'newton' is the name of a recorded quantity");
    rejects("carom: 1\n" MODEL "  observe: {@t: y}\n" RUN, "has a meaning in formulas already");
    rejects("carom: 1\n" MODEL "  observe: {@a.b: y}\n" RUN, "letters, digits and underscores");
    rejects("carom: 1\n" MODEL "  symmetries: {L: {x: 1}}\n  observe: {@L: y}\n" RUN,
            "two symmetries or observables named 'L'");
    carom_scene *scene = scene_of("carom: 1\nparameters: {n: 2}\n" MODEL "  define: {d: x - y}\n"
                                  "  observe: {d: d, 'a[i=1..n]': x^i*y_dot, s: [t, 7]}\nunits: {d: mm}\n" RUN);
    const carom_model_def *def = def_of(scene);
    static const char *const known[] = {"d", "a1", "a2", "s1", "s2"};
    const double q[] = {3, 5}, u[] = {7, 11}, expected[] = {-2, 33, 99, 0.25, 7};
    double values[5];
    assert_int_equal(def->observables, 5);
    assert_int_equal(def->observe(def->context, 0.25, q, u, values), 0);
    for (int i = 0; i < 5; i++) {
        assert_string_equal(def->observable_names[i], known[i]);
        assert_true(values[i] == expected[i]);
    }
    assert_string_equal(carom_scene_unit(scene, "d"), "mm");
    assert_string_equal(carom_scene_unit(scene, "a1"), "");
    carom_scene_destroy(scene);
}

static void test_range_errors(void **state) {
    (void)state;
    rejects("carom: 1\n" MODEL "  contacts: {a: {gap: x, slip: x_dot, friction: @-0.1}}\n" RUN,
            "friction must not be negative, it is -0.1");
    rejects("carom: 1\n" MODEL "  contacts: {a: {gap: x, restitution: @1.5}}\n" RUN,
            "restitution must lie in [0, 1], it is 1.5");
    rejects("carom: 1\n" MODEL "  contacts: {a: {gap: x, restitution: @-1}}\n" RUN, "must not be negative");
    rejects("carom: 1\n" MODEL "  contacts: {a: {gap: x, tangential_restitution: @2}}\n" RUN,
            "tangential_restitution must lie");
    rejects("carom: 1\n" MODEL "  contacts: {a: {gap: x, friction: @0.3}}\n" RUN, "no 'slip' velocity");
    rejects("carom: 1\n" MODEL "run: {integrator: rattle, dt: @0, until: 1}\n", "'dt' must be positive, it is 0");
    rejects("carom: 1\n" MODEL "run: {integrator: rattle, dt: @-1e-3, until: 1}\n", "'dt' must be positive");
    rejects("carom: 1\n" MODEL "run: {integrator: rattle, dt: @1/0, until: 1}\n", "not a finite number");
    rejects("carom: 1\n" MODEL "run: {integrator: rattle, dt: 1, until: @0}\n", "'until' must be positive");
    rejects("carom: 1\n" MODEL "run: {integrator: rattle, dt: 1, until: 1, tolerance: @0}\n",
            "'tolerance' must be positive");
    rejects("carom: 1\n" MODEL "run: {integrator: rattle, dt: 1, until: 1, every: @0}\n", "'every' must be at least 1");
    rejects("carom: 1\n" MODEL "run: {integrator: rattle, dt: 1, until: 1, every: @1e10}\n",
            "'every' must be at most 2147483647, it is 10000000000");
    rejects("carom: 1\n" MODEL "run: {integrator: rattle, dt: 1, until: 1, every: @1.5}\n", "whole number");
    rejects("carom: 1\n" MODEL "run: {integrator: @ratle, dt: 1, until: 1}\n",
            "unknown integrator 'ratle', did you mean 'rattle'?");
    rejects("carom: 1\n" MODEL "run: {integrator: rattle, @dtt: 1, until: 1}\n", "did you mean 'dt'?");
    rejects("carom: 1\n" MODEL "run: {integrator: rattle, dt: 1, until: 1, variant: @publishd}\n",
            "did you mean 'published'?");
    rejects("carom: 1\nmodel:\n  coordinates: {'x[i=1..999999]': 0, '@y[i=1..2]': 0}\n  kinetic: 1\n" RUN, "too large");
}

/* A short text cannot keep carom busy for long. */
static void test_limits(void **state) {
    (void)state;
    static const char text[] = "carom: 1\nparameters: {a: 'sum(i=1..900, i)', b: 'sum(i=1..900, i)'}\n" MODEL RUN;
    const scene_limits enough = {10, 5000}, few_values = {10, 1500}, few_elements = {3, 5000};
    carom_scene *scene = NULL;
    carom_error error = {0};
    assert_int_equal(scene_load_text(text, strlen(text), "test.yaml", &enough, &scene, &error), CAROM_OK);
    carom_scene_destroy(scene);
    assert_int_equal(scene_load_text(text, strlen(text), "test.yaml", &few_values, &scene, &error), CAROM_DATA);
    assert_int_equal(error.line, 2);
    assert_non_null(strstr(error.message, "too large"));
    assert_int_equal(scene_load_text(text, strlen(text), "test.yaml", &few_elements, &scene, NULL), CAROM_DATA);
}

static void test_mass_errors(void **state) {
    (void)state;
    rejects("carom: 1\nmodel:\n  coordinates: {x: 0, y: 0}\n  kinetic: @x_dot^2\n" RUN,
            "the kinetic energy does not grow with y_dot, so the mass matrix is singular");
    rejects("carom: 1\nmodel:\n  coordinates: {x: 0, y: 0}\n  kinetic: @(x_dot + y_dot)^2\n" RUN,
            "the mass matrix is singular");
    rejects("carom: 1\nmodel:\n  coordinates: {x: 0, y: 0}\n  kinetic: @x_dot^2 - y_dot^2\n" RUN,
            "not positive definite: coordinate 'y'");
    rejects("carom: 1\nmodel:\n  coordinates: {x: 0, y: 0}\n  kinetic: @x_dot^2 + 3*x_dot*y_dot + y_dot^2\n" RUN,
            "not positive definite");
    rejects("carom: 1\nmodel:\n  coordinates: {x: 0}\n  velocities: {w: 0}\n  kinetic: @x_dot^2\n" RUN,
            "does not grow with w");
    rejects("carom: 1\nmodel:\n  coordinates: {x: 0}\n  kinetic: @x*x_dot^2\n" RUN,
            "singular: coordinate 'x' has no kinetic energy");
    rejects("carom: 1\nmodel:\n  coordinates: {x: 0}\n  kinetic: @x_dot^2/x\n" RUN, "the mass matrix is not");
}

/* ---- the initial state */

static void start_rejects(const char *marked, const char *part) {
    char text[4096];
    int line, column;
    unmark(marked, text, sizeof text, &line, &column);
    carom_scene *scene = scene_of(text);
    carom_error error = {0};
    assert_int_equal(scene_validate_start(scene, &error), CAROM_DATA);
    assert_error(&error, text, line, column, part);
    carom_scene_destroy(scene);
}

static void test_start(void **state) {
    (void)state;
    start_rejects("carom: 1\n" MODEL "  constraints: {a: x, b: @y - 0.9}\n" RUN,
                  "constraint 'b' is violated at the start: it is 0.1");
    start_rejects("carom: 1\n" MODEL "  contacts: {a: {gap: x}, b: {gap: @x - 2e-8}}\n" RUN,
                  "contact 'b' penetrates at the start: its gap is -2e-08");
    start_rejects(
        "carom: 1\nmodel:\n  coordinates: {x: {velocity: 3}}\n  kinetic: x_dot^2\n  constraints: {a: @x}\n" RUN,
        "the initial velocities violate constraint 'a': its rate is 3");
    start_rejects("carom: 1\nmodel:\n  coordinates: {x: {velocity: 3}}\n  kinetic: x_dot^2\n  velocity_constraints: "
                  "{a: @x_dot - 1}\n" RUN,
                  "velocity constraint 'a': it is 2");
    start_rejects("carom: 1\nmodel:\n  coordinates: {x: 0}\n  kinetic: x_dot^2\n  contacts: {a: {gap: @log(x)}}\n" RUN,
                  "");
    carom_scene *scene =
        scene_of("carom: 1\n" MODEL "  constraints: {a: x - 5e-9}\n  contacts: {b: {gap: -5e-9 + x}}\n" RUN);
    assert_int_equal(scene_validate_start(scene, NULL), CAROM_OK);
    carom_scene_destroy(scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_yaml_errors),     cmocka_unit_test(test_key_errors),
        cmocka_unit_test(test_missing_parts),   cmocka_unit_test(test_type_errors),
        cmocka_unit_test(test_formula_errors),  cmocka_unit_test(test_formula_parts),
        cmocka_unit_test(test_constant_errors), cmocka_unit_test(test_name_errors),
        cmocka_unit_test(test_symmetries),      cmocka_unit_test(test_observables),
        cmocka_unit_test(test_range_errors),    cmocka_unit_test(test_limits),
        cmocka_unit_test(test_mass_errors),     cmocka_unit_test(test_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
