/* Scene files: what they mean, and where the finger points when they are wrong. */
#include "folder.h"
#include "scene/scene.h"
#include "trial.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- helpers */

static carom_scene *scene_of(const char *text) {
    carom_scene *scene = NULL;
    carom_error error = {0};
    char complaint[1200];
    if (scene_load_text(text, strlen(text), "test.yaml", NULL, &scene, &error))
        fail_msg("%s", carom_error_text(&error, complaint, sizeof complaint));
    return scene;
}

/* Takes the '@' out of marked and tells where it was. */
static void unmark(const char *marked, char *text, size_t size, int *line, int *column) {
    const char *mark = strchr(marked, '@');
    assert_non_null(mark);
    snprintf(text, size, "%.*s%s", (int)(mark - marked), marked, mark + 1);
    *line = *column = 1;
    for (const char *c = marked; c < mark; c++) *c == '\n' ? (++*line, *column = 1) : ++*column;
}

/* The error must be one sentence at line and column that says part. */
static void assert_error(const carom_error *error, const char *text, int line, int column, const char *part) {
    char complaint[1200];
    carom_error_text(error, complaint, sizeof complaint);
    assert_int_equal(error->status, CAROM_DATA);
    if (!strstr(error->message, part)) fail_msg("\"%s\" does not say \"%s\"", complaint, part);
    if (error->line != line || error->column != column)
        fail_msg("%s: expected %d:%d in\n%s", complaint, line, column, text);
    assert_null(strchr(error->message, '\n'));
}

/* Loading the text fails at the '@'. */
static void rejects(const char *marked, const char *part) {
    char text[8192];
    int line, column;
    unmark(marked, text, sizeof text, &line, &column);
    carom_scene *scene = NULL;
    carom_error error = {0};
    if (scene_load_text(text, strlen(text), "test.yaml", NULL, &scene, &error) == CAROM_OK)
        fail_msg("accepted:\n%s", text);
    assert_null(scene);
    assert_string_equal(error.file, "test.yaml");
    assert_error(&error, text, line, column, part);
}

#define RUN "run: {integrator: rattle, dt: 1e-2, until: 1}\n"
#define MODEL                                                                                                          \
    "model:\n"                                                                                                         \
    "  coordinates: {x: 0, y: 1}\n"                                                                                    \
    "  kinetic: x_dot^2 + y_dot^2\n"

static const carom_model_def *def_of(const carom_scene *scene) {
    return carom_model_get(carom_scene_model(scene));
}

/* M at a state, full storage; the pattern of every matrix of a model is explicit. */
static void mass(const carom_model_def *def, const double *q, double *full) {
    double values[64];
    assert_true(def->M.start[def->nu] <= 64);
    assert_int_equal(def->mass(def->context, 0, q, values), 0);
    memset(full, 0, (size_t)(def->nu * def->nu) * sizeof *full);
    for (int i = 0; i < def->nu; i++)
        for (int k = def->M.start[i]; k < def->M.start[i + 1]; k++) full[i * def->nu + def->M.index[k]] = values[k];
}

/* equal up to a few roundings */
#define assert_close(a, b) assert_near(a, b, 1e-14 * fmax(1, fabs((double)(b))))

/* ---- what scenes mean */

static const char ball[] = "carom: 1\n"
                           "title: A ball\n"
                           "parameters: {J: 2/5*m*R^2, m: 2*R*10, R: 0.1, omega: 50, mu: 0.2}\n"
                           "model:\n"
                           "  coordinates:\n"
                           "    x:\n"
                           "    y: {start: 10*R, unit: m}\n"
                           "    phi: {velocity: omega, unit: rad}\n"
                           "  kinetic: m/2*(x_dot^2 + y_dot^2) + J/2*phi_dot^2\n"
                           "  potential: m*9.81*y\n"
                           "  contacts:\n"
                           "    floor: {gap: y - R, slip: x_dot + R*phi_dot, friction: mu, restitution: 1/2}\n"
                           "run: {integrator: rattle, dt: 1e-2, until: 3*pi, tolerance: 1e-9, every: 5,\n"
                           "      record: [y, '*.gap'], variant: published}\n"
                           "plot: [y, 'x:y']\n"
                           "units: {x: mm}\n";

static void test_ball(void **state) {
    (void)state;
    carom_scene *scene = scene_of(ball);
    const carom_model_def *def = def_of(scene);
    assert_int_equal(def->nq, 3);
    assert_int_equal(def->nu, 3);
    assert_string_equal(def->q_names[2], "phi");
    assert_string_equal(def->u_names[0], "x_dot");
    assert_close(def->q0[1], 1);
    assert_close(def->u0[2], 50);
    assert_int_equal(def->contacts, 1);
    assert_string_equal(def->contact[0].name, "floor");
    assert_int_equal(def->contact[0].slips, 1);
    assert_close(def->contact[0].friction, 0.2);
    assert_close(def->contact[0].restitution, 0.5);
    double M[9];
    mass(def, def->q0, M);
    assert_close(M[0], 2); /* m = 2 R 10 */
    assert_close(M[8], 0.4 * 2 * 0.01);
    double s[2], u[3] = {3, -2, 7};
    assert_int_equal(def->velocity(def->context, 0, def->q0, u, s, NULL, NULL), 0);
    assert_close(s[0], -2);
    assert_close(s[1], 3 + 0.1 * 7);
    carom_scene_destroy(scene);
}

static void test_run(void **state) {
    (void)state;
    carom_scene *scene = scene_of(ball);
    const carom_run_def *run = carom_scene_run(scene);
    assert_string_equal(carom_scene_title(scene), "A ball");
    assert_string_equal(run->integrator, "rattle");
    assert_close(run->dt, 1e-2);
    assert_close(run->until, 3 * acos(-1));
    assert_close(run->tolerance, 1e-9);
    assert_int_equal(run->option_count, 1);
    assert_string_equal(run->options[0].name, "variant");
    assert_string_equal(run->options[0].text, "published");
    assert_int_equal(carom_scene_every(scene), 5);
    assert_int_equal(carom_scene_records(scene), 2);
    assert_string_equal(carom_scene_record(scene, 1), "*.gap");
    assert_int_equal(carom_scene_plots(scene), 2);
    assert_string_equal(carom_scene_plot(scene, 1), "x:y");
    double value;
    assert_int_equal(carom_scene_parameters(scene), 5);
    assert_string_equal(carom_scene_parameter(scene, 0, &value), "J");
    assert_close(value, 0.4 * 2 * 0.01);
    carom_scene_destroy(scene);
}

static void test_units(void **state) {
    (void)state;
    static const char *const units[][2] = {
        {"t", "s"},          {"x", "mm"},         {"y", "m"},          {"y_dot", "m/s"},      {"phi_dot", "rad/s"},
        {"x_dot", ""},       {"E", "J"},          {"floor.gap", "m"},  {"floor.slip", "m/s"}, {"floor.gap_dot", "m/s"},
        {"floor.PN", "N s"}, {"floor.PF", "N s"}, {"floor.state", ""}, {"newton", ""},        {"nothing.gap", ""},
    };
    carom_scene *scene = scene_of(ball);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        assert_string_equal(carom_scene_unit(scene, units[i][0]), units[i][1]);
    carom_scene_destroy(scene);
}

static void test_families(void **state) {
    (void)state;
    carom_scene *scene =
        scene_of("carom: 1\n"
                 "parameters: {n: 4, d: 0.5, 'k[i=1..n]': 10*i, m: [1, 2, m1 + m2, 4]}\n"
                 "model:\n"
                 "  coordinates:\n"
                 "    'x[i=1..n]': {start: i*d, velocity: -i}\n"
                 "  define:\n"
                 "    'load[i=1..n]': 'm[i]*x_dot[i]^2'\n"
                 "  kinetic: sum(i=1..n, load[i]/2)\n"
                 "  potential: sum(i=1..n, k[i]/2*x[i]^2)\n"
                 "  forces: {'x[i=2..n]': 'i*t'}\n"
                 "  constraints: {pair: [x1 - d, x2 - 2*d], 'both[i=1..2]': ['x[i]', 'x[i+1]']}\n"
                 "  contacts:\n"
                 "    'ground[i=1..n-1]': {gap: 'x[i+1] - x[i]', friction: '0.1*i', slip: 'x[i]_dot'}\n" RUN);
    const carom_model_def *def = def_of(scene);
    assert_int_equal(def->nq, 4);
    assert_string_equal(def->q_names[3], "x4");
    assert_string_equal(def->u_names[3], "x4_dot");
    assert_close(def->q0[2], 1.5);
    assert_close(def->u0[2], -3);
    double M[16];
    mass(def, def->q0, M);
    assert_close(M[10], 3); /* m3 = m1 + m2 */
    assert_close(M[11], 0);
    assert_int_equal(def->ng, 6);
    const char *const expected[] = {"pair1", "pair2", "both1_1", "both1_2", "both2_1", "both2_2"};
    for (int i = 0; i < 6; i++) assert_string_equal(def->g_names[i], expected[i]);
    assert_int_equal(def->contacts, 3);
    assert_string_equal(def->contact[2].name, "ground3");
    assert_close(def->contact[2].friction, 0.3);
    double h[4];
    assert_int_equal(def->force(def->context, 2, def->q0, def->u0, h, NULL, NULL), 0);
    assert_close(h[0], -10 * 0.5);         /* -k1 x1 */
    assert_close(h[3], -40 * 2. + 4 * 2.); /* -k4 x4 + 4 t */
    carom_scene_destroy(scene);
}

/* Quaternion kinematics: velocities are those of coordinates first, then the declared ones. */
static void test_kinematics(void **state) {
    (void)state;
    carom_scene *scene = scene_of("carom: 1\n"
                                  "model:\n"
                                  "  coordinates: {a: 1, b: , z: {start: 2, velocity: 3}}\n"
                                  "  velocities: {w: {start: 5, unit: rad/s}}\n"
                                  "  kinematics: {a: -b*w, b: a*w}\n"
                                  "  kinetic: (w^2 + z_dot^2)/2\n"
                                  "  forces: {w: 7, z: a_dot}\n" RUN);
    const carom_model_def *def = def_of(scene);
    assert_int_equal(def->nq, 3);
    assert_int_equal(def->nu, 2);
    assert_string_equal(def->u_names[0], "z_dot");
    assert_string_equal(def->u_names[1], "w");
    assert_close(def->u0[1], 5);
    double q[3] = {0.6, 0.8, 2}, u[2] = {3, 5}, q_dot[3], h[2];
    assert_int_equal(def->kinematics(def->context, 0, q, u, q_dot, NULL, NULL), 0);
    assert_close(q_dot[0], -0.8 * 5);
    assert_close(q_dot[1], 0.6 * 5);
    assert_close(q_dot[2], 3);
    assert_int_equal(def->force(def->context, 0, q, u, h, NULL, NULL), 0);
    assert_close(h[0], -0.8 * 5); /* a_dot is its formula */
    assert_close(h[1], 7);
    assert_string_equal(carom_scene_unit(scene, "w"), "rad/s");
    carom_scene_destroy(scene);
}

/* Definitions in any order, however deep they lie: s_1 needs s_2 needs ... s_1000. */
static void test_deep_definitions(void **state) {
    (void)state;
    carom_scene *scene = scene_of(
        "carom: 1\n"
        "parameters: {total: 'a1', n: 1000, 'a[i=1..n]': 'a[i+1] + 1', 'a[i=n+1..n+1]': 5}\n" MODEL "  potential: s1\n"
        "  define: {'s[i=1..1000]': 'x + s[i+1]', s1001: 0}\n" RUN);
    double value;
    assert_string_equal(carom_scene_parameter(scene, 0, &value), "total");
    assert_close(value, 1005);
    double q[2] = {1, 1}, T, V;
    const carom_model_def *def = def_of(scene);
    assert_int_equal(def->energy(def->context, 0, q, def->u0, &T, &V), 0);
    assert_close(V, 1000);
    carom_scene_destroy(scene);
}

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

/* ---- files: extends and overrides */

static const char *write_file(const char *name, const char *text) {
    const char *p = in_folder(name);
    FILE *file = fopen(p, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    return p;
}

static carom_scene *load(const char *path, const char *const *overrides, int count) {
    carom_scene *scene = NULL;
    carom_error error = {0};
    char complaint[1200];
    if (carom_scene_load(path, overrides, count, &scene, &error))
        fail_msg("%s", carom_error_text(&error, complaint, sizeof complaint));
    return scene;
}

/* file: the end of the file's name, "" for none */
static void load_rejects(const char *path, const char *override, const char *file, int line, int column,
                         const char *part) {
    carom_scene *scene = NULL;
    carom_error error = {0};
    assert_int_equal(carom_scene_load(path, &override, override ? 1 : 0, &scene, &error), CAROM_DATA);
    assert_null(scene);
    assert_true(strlen(error.file) >= strlen(file));
    assert_string_equal(error.file + strlen(error.file) - strlen(file), file);
    assert_error(&error, path, line, column, part);
}

static void test_extends(void **state) {
    (void)state;
    write_file("base.yaml", ball);
    write_file("middle.yaml", "carom: 1\nextends: base.yaml\nparameters: {R: 0.2}\n"
                              "model:\n  coordinates: {y: 7, phi: {start: 1}}\n");
    const char *path = write_file("top.yaml", "carom: 1\nextends: ./middle.yaml\ntitle: Top\n"
                                              "model: {contacts: {floor: {restitution: 0}}}\nplot: [E]\n");
    carom_scene *scene = load(path, NULL, 0);
    const carom_model_def *def = def_of(scene);
    assert_string_equal(carom_scene_title(scene), "Top");
    assert_close(def->q0[1], 7); /* y: 7 changes the start and keeps the unit */
    assert_string_equal(carom_scene_unit(scene, "y"), "m");
    assert_close(def->q0[2], 1);
    assert_close(def->u0[2], 50);
    assert_close(def->contact[0].friction, 0.2);
    assert_close(def->contact[0].restitution, 0);
    double M[9];
    mass(def, def->q0, M);
    assert_close(M[0], 4);                         /* m = 2 R 10 with the new R */
    assert_int_equal(carom_scene_plots(scene), 1); /* lists are replaced */
    carom_scene_destroy(scene);
}

static void test_extends_errors(void **state) {
    (void)state;
    write_file("wrong.yaml", "carom: 1\nparameters: {a: 1,\n  b: 2*c}\n");
    load_rejects(write_file("good.yaml", "carom: 1\nextends: wrong.yaml\n" MODEL RUN), NULL, "/wrong.yaml", 3, 8,
                 "undefined name 'c'");
    load_rejects(write_file("lost.yaml", "carom: 1\nextends: nowhere.yaml\n"), NULL, "/lost.yaml", 2, 10,
                 "No such file");
    write_file("a.yaml", "carom: 1\nextends: b.yaml\n");
    load_rejects(write_file("b.yaml", "carom: 1\nextends: a.yaml\n"), NULL, "/a.yaml", 2, 10, "extends itself");
    load_rejects(write_file("self.yaml", "carom: 1\nextends: self.yaml\n"), NULL, "/self.yaml", 2, 10,
                 "extends itself");
    load_rejects(write_file("list.yaml", "carom: 1\nextends: [a.yaml]\n"), NULL, "/list.yaml", 2, 10,
                 "path of a scene");
    load_rejects("/nowhere/scene.yaml", NULL, "/nowhere/scene.yaml", 0, 0, "No such file");
    load_rejects("/", NULL, "/", 0, 0, "cannot read");
}

/* Two megabytes of comment are read, more than 64 are not. */
static void test_long_file(void **state) {
    (void)state;
    enum { MUCH = 2 << 20, TOO_MUCH = 65 << 20 };
    const char scene[] = "\ncarom: 1\nmodel: {coordinates: {x: 0}, kinetic: x_dot^2}\n"
                         "run: {integrator: moreau, dt: 1, until: 1}\n";
    char *text = malloc(TOO_MUCH + 1);
    carom_scene *loaded = NULL;
    carom_error error = {0};
    assert_non_null(text);
    memset(text, '#', TOO_MUCH);
    text[TOO_MUCH] = '\0';
    load_rejects(write_file("long.yaml", text), NULL, "/long.yaml", 0, 0, "longer than 64 MiB");
    strcpy(text + MUCH, scene);
    if (carom_scene_load(write_file("long.yaml", text), NULL, 0, &loaded, &error)) fail_msg("%s", error.message);
    carom_scene_destroy(loaded);
    free(text);
}

static void test_overrides(void **state) {
    (void)state;
    const char *path = write_file("set.yaml", ball);
    const char *const overrides[] = {"run.dt=1e-4",
                                     "parameters.mu=3*R",
                                     "model.contacts.floor.restitution=0.1",
                                     "model.coordinates.phi.start=pi",
                                     "model.coordinates.y=5",
                                     "plot=[x, y, phi]",
                                     "run.integrator=rattle",
                                     "title=a: b"};
    carom_scene *scene = load(path, overrides, 7);
    const carom_model_def *def = def_of(scene);
    assert_close(carom_scene_run(scene)->dt, 1e-4);
    assert_close(def->contact[0].friction, 0.3);
    assert_close(def->contact[0].restitution, 0.1);
    assert_close(def->q0[2], acos(-1));
    assert_close(def->u0[2], 50);
    assert_close(def->q0[1], 5);
    assert_int_equal(carom_scene_plots(scene), 3);
    carom_scene_destroy(scene);
}

static void test_override_errors(void **state) {
    (void)state;
    const char *path = write_file("wrong_set.yaml", ball);
    load_rejects(path, "run.dtt=1e-4", "--set run.dtt=1e-4", 0, 0,
                 "unknown key 'dtt' in a run with integrator 'rattle', did you mean 'dt'?");
    load_rejects(path, "parameters.mus=1", "--set parameters.mus=1", 0, 0,
                 "there is no parameter 'mus', did you mean 'mu'?");
    load_rejects(path, "model.contacts.flor.friction=1", "--set model.contacts.flor.friction=1", 0, 0,
                 "did you mean 'floor'?");
    load_rejects(path, "model.contacts.floor.friction=-1", "--set model.contacts.floor.friction=-1", 0, 0,
                 "must not be negative");
    load_rejects(path, "parameters.mu=2*foo", "--set parameters.mu=2*foo", 0, 0, "undefined name 'foo'");
    load_rejects(path, "run.dt", "--set run.dt", 0, 0, "key=value");
    load_rejects(path, "run..dt=1", "--set run..dt=1", 0, 0, "key=value");
    load_rejects(path, "=1", "--set =1", 0, 0, "key=value");
    load_rejects(path, "runn.dt=1", "--set runn.dt=1", 0, 0, "did you mean 'run'?");
    load_rejects(path, "extends=a.yaml", "--set extends=a.yaml", 0, 0, "belongs in a scene file");
    load_rejects(path, "run.dt=[1", "--set run.dt=[1", 0, 0, "not valid YAML");
    load_rejects(path, "run.dt=[1]", "--set run.dt=[1]", 0, 0, "expected a number or a formula");
}

/* Every map of the model whose names the scene chose: one entry of each, a slip of the fingers in it, and a body whose
 * name is that of a map. */
static void test_override_names(void **state) {
    (void)state;
    const char *bodies =
        write_file("names.yaml",
                   "carom: 1\nparameters: {l: 1}\nmodel:\n  gravity: [0, -9.81]\n"
                   "  frames: {shelf: {position: [0, 2]}}\n"
                   "  bodies:\n    loads: {type: planar, mass: 1, inertia: 1, position: [l, 0], shape: {sphere: 0.1}}\n"
                   "    wheel: {type: planar, mass: 1, inertia: 1, position: [3, 1], shape: {sphere: 1}}\n"
                   "  joints: {hinge: {type: revolute, bodies: [world, loads], at: [0, 0]}}\n"
                   "  rolling: {track: {between: [wheel, {body: world, plane: [0, 1]}]}}\n" RUN);
    const char *bars = "scenes/paper/multisymplectic/bars_glued.yaml";
    static const char *const slips[][2] = {
        {"model.joints.hnge.torque=1", "there is no joint 'hnge', did you mean 'hinge'?"},
        {"model.rolling.trak.drilling=true", "there is no rolling contact 'trak', did you mean 'track'?"},
        {"model.bodies.weel.mass=1", "there is no body 'weel', did you mean 'wheel'?"},
        {"model.frames.shelv.position=[0, 1]", "there is no frame 'shelv', did you mean 'shelf'?"}};
    for (size_t i = 0; i < sizeof slips / sizeof *slips; i++) load_rejects(bodies, slips[i][0], "", 0, 0, slips[i][1]);
    load_rejects(bars, "model.bars.a.stiffness=1", "", 0, 0, "there is no bar 'a'");
    load_rejects(bars, "model.joins.tpi.between=[A, 1]", "", 0, 0, "there is no join 'tpi', did you mean 'tip'?");
    const char *const new_key = "model.bodies.loads.velocity=[0, 0]";
    carom_scene_destroy(load(bodies, &new_key, 1));
}

/* A family is overridden by its name, with or without its range. */
static void test_override_family(void **state) {
    (void)state;
    const char *path =
        write_file("family.yaml", "carom: 1\nparameters: {n: 2}\nmodel:\n  coordinates: {'x[i=1..n]': 'i'}\n"
                                  "  kinetic: sum(i=1..n, x_dot[i]^2)\n"
                                  "  contacts: {'ground[i=1..n]': {gap: 'x[i]', restitution: 0.2}}\n" RUN);
    const char *const overrides[] = {"parameters.n=3", "model.contacts.ground.restitution=0.1*i",
                                     "model.coordinates.x[i=1..n].velocity=7*i"};
    carom_scene *scene = load(path, overrides, 3);
    assert_int_equal(def_of(scene)->contacts, 3);
    assert_close(def_of(scene)->contact[2].restitution, 0.3);
    assert_close(def_of(scene)->u0[2], 21);
    assert_close(def_of(scene)->q0[2], 3);
    carom_scene_destroy(scene);
}

/* ---- the effective text */

/* Same names, same state, same M and h bit by bit. */
static void assert_same_model(const carom_scene *a, const carom_scene *b) {
    const carom_model_def *x = def_of(a), *y = def_of(b);
    assert_int_equal(x->nq, y->nq);
    assert_int_equal(x->nu, y->nu);
    assert_int_equal(x->ng, y->ng);
    assert_int_equal(x->contacts, y->contacts);
    for (int i = 0; i < x->nq; i++) assert_string_equal(x->q_names[i], y->q_names[i]);
    assert_memory_equal(x->q0, y->q0, (size_t)x->nq * sizeof(double));
    assert_memory_equal(x->u0, y->u0, (size_t)x->nu * sizeof(double));
    int entries = x->M.start[x->nu];
    assert_int_equal(entries, y->M.start[y->nu]);
    double *values = calloc((size_t)(2 * entries + 2 * x->nu), sizeof *values);
    assert_non_null(values);
    double *M1 = values, *M2 = M1 + entries, *h1 = M2 + entries, *h2 = h1 + x->nu;
    assert_int_equal(x->mass(x->context, 0.1, x->q0, M1) | y->mass(y->context, 0.1, x->q0, M2), 0);
    assert_int_equal(x->force(x->context, 0.1, x->q0, x->u0, h1, NULL, NULL) |
                         y->force(y->context, 0.1, x->q0, x->u0, h2, NULL, NULL),
                     0);
    assert_memory_equal(M1, M2, (size_t)entries * sizeof(double));
    assert_memory_equal(h1, h2, (size_t)x->nu * sizeof(double));
    free(values);
}

static void assert_round_trip(const carom_scene *scene) {
    const char *text = carom_scene_text(scene);
    carom_scene *again = scene_of(text);
    assert_string_equal(carom_scene_text(again), text);
    assert_string_equal(carom_scene_title(again), carom_scene_title(scene));
    assert_true(carom_scene_run(again)->dt == carom_scene_run(scene)->dt);
    assert_true(carom_scene_run(again)->until == carom_scene_run(scene)->until);
    assert_int_equal(carom_scene_every(again), carom_scene_every(scene));
    assert_int_equal(carom_scene_plots(again), carom_scene_plots(scene));
    assert_same_model(scene, again);
    carom_scene_destroy(again);
}

static void test_round_trip(void **state) {
    (void)state;
    const char *title = "title=\"it''s: \\\"quoted\\\" # \\t\\u00e4\\nnew line\"";
    const char *const overrides[] = {title, "run.dt=1e-5", "description='null'", "model.forces={x: '-x_dot'}"};
    carom_scene *scene = load(write_file("trip.yaml", ball), overrides, 4);
    assert_string_equal(carom_scene_title(scene), "it''s: \"quoted\" # \t\u00e4\nnew line");
    assert_non_null(strstr(carom_scene_text(scene), "dt: 1e-5"));
    assert_round_trip(scene);
    carom_scene_destroy(scene);
}

/* ---- the scenes that come with carom */

static void test_shipped(void **state) {
    (void)state;
    FILE *list = popen("ls scenes/paper/*/*.yaml scenes/gallery/*.yaml", "r");
    char path[256];
    int count = 0;
    assert_non_null(list);
    for (; fgets(path, sizeof path, list); count++) {
        path[strcspn(path, "\n")] = '\0';
        carom_scene *scene = load(path, NULL, 0);
        carom_error error = {0};
        char complaint[1200];
        if (scene_validate_start(scene, &error)) fail_msg("%s", carom_error_text(&error, complaint, sizeof complaint));
        assert_true(strlen(carom_scene_title(scene)) > 0);
        assert_true(carom_scene_plots(scene) > 0);
        assert_round_trip(scene);
        carom_scene_destroy(scene);
    }
    assert_int_equal(pclose(list), 0);
    assert_true(count >= 18);
}

static void test_columns(void **state) {
    (void)state;
    static const char *const columns[] = {"t", "x", "x_dot", "y", "y_dot", "floor.gap", "E"};
    static const char *const good[] = {"plot: [E, 'x,y', 'x : x_dot', '*.gap', '?_dot', 'y*x', 'max(x, y),E/dt']\n",
                                       "units: {x: mm, floor.gap: mm}\n"};
    struct {
        const char *text, *part;
        int line, column;
    } bad[] = {{"plot: [E, 'x,z']\n", "named 'z'", 6, 14},
               {"plot: [flor.gap]\n", "did you mean 'floor.gap'?", 6, 8},
               {"units: {xx: m}\n", "named 'xx'", 6, 9},
               {"plot: ['y*z + 2']\n", "named 'z'", 6, 11}};
    char text[1024];
    carom_error error;
    for (int i = 0; i < 2; i++) {
        snprintf(text, sizeof text, "carom: 1\n" MODEL RUN "%s", good[i]);
        carom_scene *scene = scene_of(text);
        assert_int_equal(scene_check_columns(scene, 7, columns, &error), CAROM_OK);
        carom_scene_destroy(scene);
    }
    for (int i = 0; i < 4; i++) {
        snprintf(text, sizeof text, "carom: 1\n" MODEL RUN "%s", bad[i].text);
        carom_scene *scene = scene_of(text);
        assert_int_equal(scene_check_columns(scene, 7, columns, &error), CAROM_DATA);
        assert_error(&error, text, bad[i].line, bad[i].column, bad[i].part);
        carom_scene_destroy(scene);
    }
    carom_scene *scene = scene_of("carom: 1\n" MODEL "run: {integrator: rattle, dt: 1, until: 1, record: ['x,y']}\n");
    assert_int_equal(scene_check_columns(scene, 7, columns, NULL), CAROM_DATA); /* a record is one name */
    carom_scene_destroy(scene);
    scene = scene_of("carom: 1\n" MODEL "run: {integrator: rattle, dt: 1, until: 1, record: ['x + y']}\n");
    assert_int_equal(scene_check_columns(scene, 7, columns, NULL), CAROM_DATA); /* and no formula */
    carom_scene_destroy(scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ball),
        cmocka_unit_test(test_run),
        cmocka_unit_test(test_units),
        cmocka_unit_test(test_families),
        cmocka_unit_test(test_kinematics),
        cmocka_unit_test(test_deep_definitions),
        cmocka_unit_test(test_yaml_errors),
        cmocka_unit_test(test_key_errors),
        cmocka_unit_test(test_missing_parts),
        cmocka_unit_test(test_type_errors),
        cmocka_unit_test(test_formula_errors),
        cmocka_unit_test(test_formula_parts),
        cmocka_unit_test(test_constant_errors),
        cmocka_unit_test(test_name_errors),
        cmocka_unit_test(test_symmetries),
        cmocka_unit_test(test_observables),
        cmocka_unit_test(test_range_errors),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_mass_errors),
        cmocka_unit_test(test_start),
        cmocka_unit_test(test_extends),
        cmocka_unit_test(test_extends_errors),
        cmocka_unit_test(test_long_file),
        cmocka_unit_test(test_overrides),
        cmocka_unit_test(test_override_errors),
        cmocka_unit_test(test_override_names),
        cmocka_unit_test(test_override_family),
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_shipped),
        cmocka_unit_test(test_columns),
    };
    return cmocka_run_group_tests_name("scene", tests, make_folder, remove_folder);
}
