/* Scenes of several files: extends and overrides; the effective text; the scenes that come with carom. */
#include "folder.h"
#include "scene_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
        cmocka_unit_test(test_extends),         cmocka_unit_test(test_extends_errors),
        cmocka_unit_test(test_long_file),       cmocka_unit_test(test_overrides),
        cmocka_unit_test(test_override_errors), cmocka_unit_test(test_override_names),
        cmocka_unit_test(test_override_family), cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_shipped),         cmocka_unit_test(test_columns),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
