/* Bodies and frames of scenes: rotations, initial states, mass matrices, frames that move. */
#include "picture/film.h"
#include "scene/read.h"
#include "trial.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

/* Short sums of products of order one. */
#define assert_same(a, b) assert_near(a, b, 1e-15 * 4 * fmax(1, fabs((double)(b))))

static carom_scene *scene_of(const char *given) {
    carom_scene *scene = NULL;
    carom_error error = {0};
    char complaint[1200], text[2048];
    snprintf(text, sizeof text,
             "carom: 1\nparameters: {n: 2}\nmodel:\n  bodies:\n    b: %s\n"
             "run: {integrator: rattle, dt: 1e-2, until: 1}\n",
             given);
    if (scene_load_text(text, strlen(text), "test.yaml", NULL, &scene, &error))
        fail_msg("%s", carom_error_text(&error, complaint, sizeof complaint));
    return scene;
}

static const carom_model_def *def_of(const carom_scene *scene) {
    return carom_model_get(carom_scene_model(scene));
}

/* M at the start, full. */
static void mass_of(const carom_model_def *def, double *full) {
    double values[64];
    assert_int_equal(def->mass(def->context, 0, def->q0, values), 0);
    memset(full, 0, (size_t)(def->nu * def->nu) * sizeof *full);
    for (int i = 0; i < def->nu; i++)
        for (int k = def->M.start[i]; k < def->M.start[i + 1]; k++) full[i * def->nu + def->M.index[k]] = values[k];
}

/* ---- rotations */

static void elementary(char axis, double angle, double R[3][3]) {
    int i = axis - 'x', j = (i + 1) % 3, k = (i + 2) % 3;
    memset(R, 0, 9 * sizeof(double));
    R[i][i] = 1, R[j][j] = R[k][k] = cos(angle), R[k][j] = sin(angle), R[j][k] = -sin(angle);
}

static void product(double A[3][3], const double B[3][3]) {
    double C[3][3] = {{0}};
    for (int i = 0; i < 27; i++) C[i / 9][i / 3 % 3] += A[i / 9][i % 3] * B[i % 3][i / 3 % 3];
    memcpy(A, C, sizeof C);
}

/* x -> p o x o p*: the axes of the body in the world */
static void assert_rotation(const double *p, const double R[3][3]) {
    assert_same(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3], 1);
    const double w = p[0], x = p[1], y = p[2], z = p[3];
    const double A[3][3] = {{w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)},
                            {2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)},
                            {2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z}};
    for (int i = 0; i < 9; i++) assert_same(A[i / 3][i % 3], R[i / 3][i % 3]);
}

static const char *const sequences[12] = {"xyx", "xyz", "xzx", "xzy", "yxy", "yxz",
                                          "yzx", "yzy", "zxy", "zxz", "zyx", "zyz"};

static void euler_angles(void **state) {
    (void)state;
    const double angle[3] = {0.3, -1.1, 2};
    for (int s = 0; s < 12; s++) {
        char text[256];
        snprintf(text, sizeof text,
                 "{type: spatial, mass: 1, inertia: [1, 1, 1], rotation: {euler: %s, angles: [0.3, -1.1, n]}}",
                 sequences[s]);
        carom_scene *scene = scene_of(text);
        double R[3][3], next[3][3];
        elementary(sequences[s][0], angle[0], R);
        for (int i = 1; i < 3; i++) elementary(sequences[s][i], angle[i], next), product(R, next);
        assert_rotation(def_of(scene)->q0 + 3, R);
        carom_scene_destroy(scene);
    }
}

static void axis_and_angle(void **state) {
    (void)state;
    const double third[3][3] = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}}; /* x to y to z */
    carom_scene *scene =
        scene_of("{type: spatial, mass: 1, inertia: [1, 1, 1], rotation: {axis: [1, 1, 1], angle: 2*pi/3}}");
    assert_rotation(def_of(scene)->q0 + 3, third);
    carom_scene_destroy(scene);
    scene = scene_of("{type: spatial, mass: 1, inertia: [1, 1, 1], rotation: [3, 3, 3, 3]}");
    assert_rotation(def_of(scene)->q0 + 3, third);
    carom_scene_destroy(scene);
}

/* ---- initial states */

/* The frame's origin is at position and moves with velocity; the centre of mass is 1 ahead along the body's x, which
 * points to y. */
static void centre_of_mass(void **state) {
    (void)state;
    carom_scene *scene = scene_of("{type: spatial, density: 3, shape: {box: [2, 1, 1], at: [1, 0, 0]},\n"
                                  "        rotation: {axis: [0, 0, 1], angle: pi/2}, position: [5, 6, 7],\n"
                                  "        velocity: [1, 0, 0], angular_velocity_world: [0, 1, 4]}");
    const carom_model_def *def = def_of(scene);
    const double r[] = {5, 7, 7}, u[] = {1 - 4, 0, 0, 1, 0, 4};
    for (int i = 0; i < 3; i++) assert_same(def->q0[i], r[i]);
    for (int i = 0; i < 6; i++) assert_same(def->u0[i], u[i]); /* w = (0, 1, 4) in the world is (1, 0, 4) in the body */
    assert_string_equal(carom_scene_unit(scene, "b.x"), "m");
    assert_string_equal(carom_scene_unit(scene, "b.wx"), "rad/s");
    carom_scene_destroy(scene);
    scene = scene_of("{type: planar, mass: 2, inertia: 1, center: [0, 0.5], angle: pi/2, position: [1, 1],\n"
                     "        angular_velocity: 2}");
    def = def_of(scene);
    const double q[] = {0.5, 1, pi / 2}, v[] = {0, -1, 2};
    for (int i = 0; i < 3; i++) assert_same(def->q0[i], q[i]), assert_same(def->u0[i], v[i]);
    carom_scene_destroy(scene);
}

/* What is attached to a body, and its picture, refer to the frame of the scene, not to the centre of mass: a joint at
 * the origins of world and body is closed where the body's position is the origin; the box is drawn where it is. */
static void attached_to_the_frame(void **state) {
    (void)state;
    trial run = trial_text("carom: 1\nmodel:\n  bodies:\n"
                           "    b: {type: spatial, density: 3, shape: {box: [2, 1, 1], at: [1, 0, 0]}, "
                           "rotation: {axis: [0, 0, 1], angle: pi/2}}\n"
                           "  springs:\n    s: {between: [world, b], points: [[0, 0, 0], [2, 0, 0]], stiffness: 1}\n"
                           "  joints:\n    pin: {type: spherical, bodies: [world, b], points: [[0, 0, 0], [0, 0, 0]]}\n"
                           "  observe: {length: s.length, top: b.y}\n"
                           "run: {integrator: rattle, dt: 1e-2, until: 1e-2}\n");
    assert_same(trial_value(&run, "pin1.g"), 0);
    assert_same(trial_value(&run, "pin2.g"), 0);
    assert_same(trial_value(&run, "top"), 1);
    assert_same(trial_value(&run, "length"), 2);
    double numbers[64], box[3];
    const drawing *picture = run.scene->drawing;
    assert_in_range(picture->numbers, 12, 64);
    scene_draw(run.scene, 0, def_of(run.scene)->q0, numbers);
    for (int i = 0; i < picture->things; i++) {
        const drawn *thing = &picture->thing[i];
        if (thing->kind != DRAWN_BODY) continue;
        place_point(numbers + thing->first, thing->shape, (double[3]){0}, box);
        for (int k = 0; k < 3; k++) assert_same(box[k], k == 1), assert_same(numbers[thing->first + k], k == 1);
    }
    trial_close(&run);
}

/* ---- mass matrices */

static void assert_mass(const char *given, double mass, int axes, const double J[3][3], int turns) {
    double M[36];
    carom_scene *scene = scene_of(given);
    const carom_model_def *def = def_of(scene);
    assert_int_equal(def->nu, axes + turns);
    mass_of(def, M);
    for (int i = 0; i < def->nu; i++)
        for (int j = 0; j < def->nu; j++) {
            double expected = i == j ? mass : 0;
            if (i >= axes && j >= axes) expected = turns == 1 ? J[2][2] : J[i - axes][j - axes];
            else if (i >= axes || j >= axes) expected = 0;
            assert_same(M[i * def->nu + j], expected);
        }
    carom_scene_destroy(scene);
}

static void mass_matrices(void **state) {
    (void)state;
    const double none[3][3] = {{0}}, rod[3][3] = {{1, 0, 0}, {0, 2, 0}, {0, 0, 2.5}};
    const double full[3][3] = {{3, 0.5, 0.25}, {0.5, 4, -1}, {0.25, -1, 5}};
    assert_mass("{type: point, mass: 3, position: 1}", 3, 1, none, 0);
    assert_mass("{type: point, mass: 3, position: [1, 2]}", 3, 2, none, 0);
    assert_mass("{type: point, mass: 3, position: [1, 2, 3]}", 3, 3, none, 0);
    assert_mass("{type: planar, mass: 3, inertia: 2.5}", 3, 2, rod, 1);
    assert_mass("{type: spatial, mass: 3, inertia: [1, 2, 2.5]}", 3, 3, rod, 3);
    assert_mass("{type: spatial, mass: 3, inertia: [[3, 0.5, 1/4], [0.5, 2*n, -1], [0.25, -1, 5]]}", 3, 3, full, 3);
    const double plate[3][3] = {{0}, {0}, {0, 0, 12 * 5 / 12.}}, cube[3][3] = {{4, 0, 0}, {0, 4, 0}, {0, 0, 4}};
    assert_mass("{type: planar, mass: 12, shape: {box: [1, 2]}}", 12, 2, plate, 1);
    assert_mass("{type: planar, density: 6, shape: {box: [1, 2], at: [3, 4]}}", 12, 2, plate, 1);
    assert_mass("{type: spatial, mass: 6, shape: {box: [2, 2, 2]}}", 6, 3, cube, 3);
    /* two half boxes, and a larger box with the rest taken away */
    assert_mass("{type: spatial, mass: 6, shape: [{box: [1, 2, 2]}, {box: [1, 2, 2], at: [1, 0, 0]}]}", 6, 3, cube, 3);
    assert_mass("{type: spatial, density: 0.75, shape: [{box: [3, 2, 2], at: [1.5, 0, 0], hole: false},\n"
                "        {box: [1, 2, 2], at: [2.5, 0, 0], hole: true}]}",
                6, 3, cube, 3);
}

/* ---- frames that move: velocities are those of the axes, by differences */

static void read_frame(draft *d, const char *text, vec *r, mat *A) {
    node *root;
    assert_int_equal(yaml_parse(d->n->memory, text, strlen(text), "frame", true, &root, d->n->error), CAROM_OK);
    const element e = {.name = "frame", .value = root};
    bool has;
    assert_int_equal(read_formulas(d, &e, "position", r, &has), CAROM_OK);
    assert_int_equal(read_turning(d, &e, "rotation", A), CAROM_OK);
}

/* v, w by central differences of step h: errors h^2 and 1e-16/h */
static void assert_moves(draft *d, const pose *p, double t) {
    graph *g = d->n->g;
    const double h = 1e-5, tolerance = 1e-9;
    for (int j = 0; j < 4; j++) {
        const vec x = j < 3 ? p->A.axis[j] : p->r;
        double axis[3], rate[3], w[3], v[3];
        for (int i = 0; i < 3; i++) {
            double after = t + h, before = t - h;
            axis[i] = expr_value(g, x.at[i], &t);
            rate[i] = (expr_value(g, x.at[i], &after) - expr_value(g, x.at[i], &before)) / (2 * h);
            w[i] = expr_value(g, p->w.at[i], &t), v[i] = expr_value(g, p->v.at[i], &t);
        }
        for (int i = 0; i < 3; i++) {
            int k = (i + 1) % 3, l = (i + 2) % 3;
            assert_near(j < 3 ? w[k] * axis[l] - w[l] * axis[k] : v[i], rate[i], tolerance);
        }
    }
}

static void moving_frames(void **state) {
    (void)state;
    arena memory = {0};
    carom_error error = {0};
    names n = {.memory = &memory, .g = graph_create(), .error = &error, .elements = 1000, .values = 1000};
    draft d = {.n = &n};
    char text[256];
    for (int s = 0; s < 13; s++) {
        snprintf(text, sizeof text,
                 "{position: [sin(t), t^2, 1], rotation: {euler: %s, angles: [t, 0.3 + t^2, sin(2*t)]}}",
                 sequences[s % 12]);
        if (s == 12) strcpy(text, "{position: [t], rotation: {axis: [1, 2, 2], angle: 3*sin(t)}}");
        vec r;
        mat A;
        read_frame(&d, text, &r, &A);
        const pose p = pose_moving(n.g, r, &A);
        assert_moves(&d, &p, 0.7);
        /* and a place on it */
        const double c = 0.6, turned[3][3] = {{c, -0.8, 0}, {0.8, c, 0}, {0, 0, 1}}, at[3] = {1, -2, 0.5};
        const mat B = mat_number(n.g, turned);
        const pose on = pose_fixed(n.g, &p, vec_number(n.g, at), &B);
        assert_moves(&d, &on, 0.7);
    }
    double R[3][3], next[3][3], t = 0.7;
    vec r;
    mat A;
    read_frame(&d, "{rotation: {euler: zyx, angles: [t, 0.3, t^2]}}", &r, &A);
    elementary('z', 0.7, R), elementary('y', 0.3, next), product(R, next), elementary('x', 0.49, next);
    product(R, next);
    for (int i = 0; i < 9; i++) assert_same(expr_value(n.g, A.axis[i % 3].at[i / 3], &t), R[i / 3][i % 3]);
    graph_destroy(n.g);
    arena_release(&memory);
}

/* ---- from C */

static void from_text(void **state) {
    (void)state;
    const char text[] = "carom: 1\nparameters: {m: 1}\n"
                        "model: {bodies: {b: {type: spatial, mass: m, inertia: [1, 1, 1]}}}\n"
                        "run: {integrator: rattle, dt: 1e-2, until: 1}\nthis is not read";
    const size_t size = strlen(text) - strlen("this is not read");
    const char *const overrides[] = {"parameters.m=7", "model.bodies.b.position=[1, 2, 3]"};
    carom_scene *scene;
    assert_int_equal(carom_scene_parse(text, size, "text", overrides, 2, &scene, NULL), CAROM_OK);
    const carom_model *model = carom_scene_model(scene);
    const carom_model_def *def = carom_model_get(model);
    double M[36];
    mass_of(def, M);
    assert_same(M[0], 7);
    assert_int_equal(carom_model_coordinate(model, "b.y"), 1);
    assert_int_equal(carom_model_coordinate(model, "b.p3"), 6);
    assert_int_equal(carom_model_velocity(model, "b.wz"), 5);
    assert_int_equal(carom_model_velocity(model, "b.y"), -1);
    assert_int_equal(carom_model_coordinate(model, "b"), -1);
    assert_same(def->q0[carom_model_coordinate(model, "b.z")], 3);
    carom_scene_destroy(scene);
    carom_error error = {0};
    assert_int_equal(carom_scene_parse(text, sizeof text - 1, "text", NULL, 0, &scene, &error), CAROM_DATA);
    assert_null(scene);
    assert_string_equal(error.file, "text");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(euler_angles),          cmocka_unit_test(axis_and_angle), cmocka_unit_test(centre_of_mass),
        cmocka_unit_test(mass_matrices),         cmocka_unit_test(moving_frames),  cmocka_unit_test(from_text),
        cmocka_unit_test(attached_to_the_frame),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
