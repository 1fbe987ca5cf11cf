/* Switches of formulas: every surface is found once and named, functions and derivatives held on a side go on smoothly
 * beyond it, and nobody but the thread that holds them notices. */
#include "carom/carom.h"

#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static carom_scene *parsed(const char *text) {
    carom_scene *scene;
    carom_error error;
    if (carom_scene_parse(text, strlen(text), "test", NULL, 0, &scene, &error)) fail_msg("%s", error.message);
    return scene;
}

static const carom_model_def *def_of(const carom_scene *scene) {
    return carom_model_get(carom_scene_model(scene));
}

static int find(const carom_model_def *d, const char *part) {
    for (int j = 0; j < d->switches; j++)
        if (strstr(d->switch_names[j], part)) return j;
    fail_msg("no switch '%s'", part);
    return -1;
}

#define RUN "run: {integrator: rattle, dt: 0.1, until: 1}\n"

/* ---------------------------------------------------------------- what is a switch */

static const char switched[] =
    "carom: 1\n"
    "model:\n"
    "  coordinates: {x: 0.5, y: 1}\n"
    "  kinetic: (x_dot^2 + y_dot^2)/2\n"
    "  potential: max(x, y)^2 + (2 + floor(3*t))*x\n"
    "  forces: {x: \"if(t < 0.3337 and x_dot > 0, 6*x, -abs(x)^3)\", y: \"-sign(y_dot)*y_dot^2 + min(x^2, 4)*y\"}\n"
    "  contacts: {wall: {gap: \"abs(x)*y + 2\"}}\n"
    "  observe: {o: \"sign(y - 7) + abs(x_dot - 3)\"}\n" RUN;
/* the same for t < 1/3, x > 0, x_dot > 0, y_dot > 0, |x| < 2, x < y */
static const char smooth[] = "carom: 1\n"
                             "model:\n"
                             "  coordinates: {x: 0.5, y: 1}\n"
                             "  kinetic: (x_dot^2 + y_dot^2)/2\n"
                             "  potential: y^2 + 2*x\n"
                             "  forces: {x: 6*x, y: \"-y_dot^2 + x^2*y\"}\n"
                             "  contacts: {wall: {gap: \"x*y + 2\"}}\n" RUN;

static void test_found(void **state) {
    (void)state;
    carom_scene *scene = parsed(switched);
    const carom_model_def *d = def_of(scene);
    assert_int_equal(d->switches, 7);
    int t = find(d, "force on x: t < 0.3337"), floors = find(d, "potential energy: floor(3*t)");
    find(d, "force on x: abs(x)");
    find(d, "force on y: sign(y_dot)");
    for (int j = 0; j < d->switches; j++) {
        assert_int_equal(d->switch_info[j].time_only, j == t || j == floors);
        assert_int_equal(d->switch_info[j].kind, j == floors ? CAROM_SWITCH_FLOOR : CAROM_SWITCH_SIGN);
    }
    double a[7];
    assert_int_equal(d->switching(d->context, 0.5, d->q0, d->u0, a), 0);
    assert_true(a[t] == 0.5 - 0.3337 && a[floors] == 1.5);
    carom_scene_destroy(scene);
}

/* One surface, however it is written. */
static void test_shared(void **state) {
    (void)state;
    carom_scene *scene =
        parsed("carom: 1\nmodel:\n  coordinates: {x: 0.5, y: 1}\n  kinetic: (x_dot^2 + y_dot^2)/2\n"
               "  potential: abs(x - y) + max(x, y)^2\n"
               "  forces: {x: \"if(2*x < 2*y, 1, 2) + sign(y - x) + if(3*y > 3*x, 1, 0) + if(4 - 8*x > 0, 1, x)\",\n"
               "           y: \"if(x >= 0.5, 1, 0) + sign(1 - 2*x)*y\"}\n" RUN);
    const carom_model_def *d = def_of(scene);
    if (d->switches != 2)
        fail_msg("%d switches: %s, %s, %s", d->switches, d->switch_names[0], d->switch_names[1], d->switch_names[2]);
    carom_scene_destroy(scene);
}

/* Where an element decides by itself (the nearest end of a capsule, the face of a box, how many turns an angle has
 * made) nothing happens to the motion. */
static void test_elements(void **state) {
    (void)state;
    static const char *const names[] = {"capsules", "box",          "coin",  "dice", "marbles",       "cardan",
                                        "door",     "rolling_disk", "screw", "drum", "doubled_joint", "spring_pair"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[200];
        carom_scene *scene;
        carom_error error;
        snprintf(path, sizeof path, CAROM_SOURCE_DIR "/scenes/gallery/%s.yaml", names[i]);
        if (carom_scene_load(path, NULL, 0, &scene, &error)) fail_msg("%s", error.message);
        if (def_of(scene)->switches) fail_msg("%s: %s", names[i], def_of(scene)->switch_names[0]);
        carom_scene_destroy(scene);
    }
}

/* ---------------------------------------------------------------- held */

enum { N = 2 };

static void spread(const carom_pattern *p, const double *values, double full[N * N]) {
    memset(full, 0, N * N * sizeof *full);
    for (int i = 0; i < p->rows; i++)
        for (int e = p->start[i]; e < p->start[i + 1]; e++) full[i * N + p->index[e]] = values[e];
}

/* Everything a model computes at one place, full. */
typedef struct values {
    double h[N], h_q[N * N], h_u[N * N], b[N], b_q[N * N], b_u[N * N], c, c_q[N * N], s, WT[N * N], s_q[N * N],
        Wr_q[N * N], V, zeta;
} values;

static values all_values(const carom_model_def *d) {
    const double t = 0.9, q[] = {-3, -5}, u[] = {-1, -2}, r = 0.7;
    values v;
    double x[N * N], y[N * N], T;
    assert_int_equal(d->force(d->context, t, q, u, v.h, x, y), 0);
    spread(&d->h_q, x, v.h_q), spread(&d->h_u, y, v.h_u);
    assert_int_equal(d->momentum(d->context, t, q, u, NULL, NULL, v.b, x, y), 0);
    spread(&d->b_q, x, v.b_q), spread(&d->b_u, y, v.b_u);
    assert_int_equal(d->position(d->context, t, q, &v.c, x), 0);
    spread(&d->c_q, x, v.c_q);
    assert_int_equal(d->velocity(d->context, t, q, u, &v.s, x, y), 0);
    spread(&d->WT, x, v.WT), spread(&d->s_q, y, v.s_q);
    assert_int_equal(d->direction_q(d->context, t, q, &r, x), 0);
    spread(&d->Wr_q, x, v.Wr_q);
    assert_int_equal(d->velocity_rate(d->context, t, q, u, &v.zeta), 0);
    assert_int_equal(d->energy(d->context, t, q, u, &T, &v.V), 0);
    return v;
}

static bool equal(const values *x, const values *y) {
    const double *a = (const double *)x, *b = (const double *)y;
    for (size_t i = 0; i < sizeof *x / sizeof *a; i++)
        if (!(fabs(a[i] - b[i]) <= 1e-13 * (1 + fabs(b[i])))) return false;
    return true;
}

/* The sides at a state. */
static void sides_at(const carom_model_def *d, double t, const double *q, const double *u, int *side) {
    double a[16];
    assert_int_equal(d->switching(d->context, t, q, u, a), 0);
    for (int j = 0; j < d->switches; j++)
        side[j] = d->switch_info[j].kind == CAROM_SWITCH_FLOOR ? (int)floor(a[j]) : a[j] < 0 ? -1 : 1;
}

static void *values_elsewhere(void *def) {
    values *v = malloc(sizeof *v);
    assert_non_null(v);
    *v = all_values(def);
    return v;
}

static void test_held(void **state) {
    (void)state;
    carom_scene *one = parsed(switched), *other = parsed(smooth);
    const carom_model_def *d = def_of(one);
    int side[16];
    values free_before = all_values(d), expected = all_values(def_of(other));
    assert_false(equal(&free_before, &expected));
    sides_at(d, 0.1, d->q0, (const double[]){1, 1}, side);
    d->take_sides(d->context, side);
    values held = all_values(d);
    assert_true(equal(&held, &expected));

    pthread_t thread; /* which holds nothing */
    void *seen;
    assert_int_equal(pthread_create(&thread, NULL, values_elsewhere, (void *)d), 0);
    assert_int_equal(pthread_join(thread, &seen), 0);
    assert_true(equal(seen, &free_before));
    free(seen);

    d->take_sides(d->context, NULL);
    values free_again = all_values(d);
    assert_true(equal(&free_again, &free_before));
    carom_scene_destroy(one);
    carom_scene_destroy(other);
}

/* Ranges are those of the held functions: abs(x)*y + 2 for x in [-1, 1] has a kink, x*y + 2 has none. */
static void test_held_ranges(void **state) {
    (void)state;
    carom_scene *scene = parsed(switched);
    const carom_model_def *d = def_of(scene);
    const carom_range t[2] = {{0, 0.1}, {1, 1}}, q[N] = {{-1, 1}, {2, 2}}, q_rate[N] = {{1, 1}, {0, 0}};
    carom_range c, c_rate;
    int side[16];
    assert_int_equal(d->ranges(d->context, t, q, q_rate, NULL, NULL, &c, &c_rate, NULL, NULL), 0);
    assert_true(fabs(c.least - 2) < 1e-14 && fabs(c.most - 4) < 1e-14);
    assert_true(fabs(c_rate.least + 2) < 1e-14 && fabs(c_rate.most - 2) < 1e-14);
    sides_at(d, 0.1, d->q0, (const double[]){1, 1}, side);
    d->take_sides(d->context, side);
    assert_int_equal(d->ranges(d->context, t, q, q_rate, NULL, NULL, &c, &c_rate, NULL, NULL), 0);
    d->take_sides(d->context, NULL);
    assert_true(fabs(c.least) < 1e-14 && fabs(c.most - 4) < 1e-14);
    assert_true(fabs(c_rate.least - 2) < 1e-14 && fabs(c_rate.most - 2) < 1e-14);
    carom_scene_destroy(scene);
}

/* A disk that may lie flat, within 0.04 rad or so, and 1 m above the ground: its rim of 0.5 m is not below 0.97 m. */
static void test_flat_disk(void **state) {
    (void)state;
    carom_scene *scene = parsed("carom: 1\nmodel:\n  bodies:\n"
                                "    disk: {type: spatial, mass: 1, position: [0, 0, 1], shape: {disk: 0.5}}\n"
                                "  contacts: {ground: {between: [disk, {body: world, plane: [0, 0, 1]}]}}\n" RUN);
    const carom_model_def *d = def_of(scene);
    carom_range t[2] = {{0, 0.1}, {1, 1}}, q[7], c;
    assert_true(d->nq == 7 && d->contacts == 1);
    for (int i = 0; i < 7; i++) q[i] = (carom_range){d->q0[i] - (i < 3 ? 0 : 0.01), d->q0[i] + (i < 3 ? 0 : 0.01)};
    assert_int_equal(d->ranges(d->context, t, q, NULL, NULL, NULL, &c, NULL, NULL, NULL), 0);
    assert_true(c.least > 0.97 && c.least < 1 && c.most >= 1 && c.most < 1.001);
    carom_scene_destroy(scene);
}

/* Differences across kinks and jumps are no errors of derivatives, right on the surface neither; nor over many steps of
 * 1e-8, which look like a slope to any difference but are none. */
static void test_checked(void **state) {
    (void)state;
    carom_scene *scene = parsed(
        "carom: 1\nmodel:\n  coordinates: {x: 0, y: 1e-9}\n  kinetic: (x_dot^2 + y_dot^2)/2\n"
        "  potential: 100*abs(x) + max(x, y)^2\n"
        "  forces: {x: \"if(y > 0, 1e5, -1e5*x) + floor(1e8*y)*1e-8\", y: \"-sign(x_dot)*1e3 - 1e3*abs(y_dot)\"}\n"
        "  contacts: {wall: {gap: \"abs(x) + y\"}}\n" RUN);
    carom_finding finding;
    if (carom_model_check(carom_scene_model(scene), &finding, 1)) fail_msg("%s", finding.text);
    carom_scene_destroy(scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_found),   cmocka_unit_test(test_shared),      cmocka_unit_test(test_elements),
        cmocka_unit_test(test_held),    cmocka_unit_test(test_held_ranges), cmocka_unit_test(test_flat_disk),
        cmocka_unit_test(test_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
