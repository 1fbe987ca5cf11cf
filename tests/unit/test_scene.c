/* Scene files: what they mean. */
#include "scene_text.h"

#include <math.h>

/* ---- what scenes mean */

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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ball),     cmocka_unit_test(test_run),        cmocka_unit_test(test_units),
        cmocka_unit_test(test_families), cmocka_unit_test(test_kinematics), cmocka_unit_test(test_deep_definitions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
