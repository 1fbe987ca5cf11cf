/* Forces of a program's own, called at every evaluation (carom_model_with_force). */
#include "live.h"

#include <math.h>
#include <stdio.h>

/* ---------------------------------------------------------------- two bodies, forced by formula or by the program */

/* A cart with a pendulum, on a rail with a stop; M depends on q. The formula version has the force F(t, x, phi, x_dot).
 */
#define CART(force, integrator)                                                                                        \
    "carom: 1\n"                                                                                                       \
    "parameters: {m: 1, l: 0.5, g: 9.81, k: 7, d: 0.4}\n"                                                              \
    "model:\n"                                                                                                         \
    "  coordinates: {x: {start: 0.1}, phi: {start: 0.6}}\n"                                                            \
    "  kinetic: m*x_dot^2 + m/2*(l^2*phi_dot^2 + 2*l*cos(phi)*x_dot*phi_dot)\n"                                        \
    "  potential: -m*g*l*cos(phi)\n" force "  contacts: {stop: {gap: 0.3 - x, restitution: 0.5}}\n"                    \
    "run: {" integrator ", dt: 2e-3, until: 1}\n"
#define FORMULA "  forces: {x: 3*sin(5*t) - k*x*cos(phi) - d*x_dot, phi: -d*phi_dot*x}\n"

typedef struct controller {
    double wrong;         /* added to a derivative */
    int calls, forbidden; /* from this call on it is not defined; 0: it always is */
    double nothing;       /* added to the force: NaN */
} controller;

static int pull(void *context, double t, const double *q, const double *u, double *f) {
    controller *c = context;
    if (++c->calls >= c->forbidden && c->forbidden) return 1;
    f[0] = 3 * sin(5 * t) - 7 * q[0] * cos(q[1]) - 0.4 * u[0] + c->nothing;
    f[1] = -0.4 * u[1] * q[0];
    return 0;
}

static int pull_by(void *context, double t, const double *q, const double *u, double *f_q, double *f_u) {
    const controller *c = context;
    (void)t;
    if (f_q) {
        f_q[0] = -7 * cos(q[1]) + c->wrong, f_q[1] = 7 * q[0] * sin(q[1]);
        f_q[2] = -0.4 * u[1], f_q[3] = 0;
    }
    if (f_u) f_u[0] = -0.4, f_u[1] = 0, f_u[2] = 0, f_u[3] = -0.4 * q[0];
    return 0;
}

static carom_force_def on_both(controller *c, bool derivative) {
    static const int on[] = {0, 1};
    return (carom_force_def){
        .count = 2, .on = on, .context = c, .force = pull, .derivative = derivative ? pull_by : NULL};
}

static carom_model *forced(const carom_scene *scene, const carom_force_def *force) {
    carom_model *model;
    check(carom_model_with_force(carom_scene_model(scene), force, &model, &error));
    return model;
}

static carom_sim *simulate_model(const carom_model *model, const carom_scene *scene) {
    carom_sim *sim;
    check(carom_sim_create(model, carom_scene_run(scene), &sim, &error));
    return sim;
}

static double difference(const carom_sim *a, const carom_sim *b) {
    double most = 0;
    for (int i = 0; i < 2; i++)
        most =
            fmax(most, fmax(fabs(carom_sim_q(a)[i] - carom_sim_q(b)[i]), fabs(carom_sim_u(a)[i] - carom_sim_u(b)[i])));
    return most;
}

static const char *const cart[][2] = {
    {CART(FORMULA, "integrator: rattle"), CART("", "integrator: rattle")},
    {CART(FORMULA, "integrator: moreau"), CART("", "integrator: moreau")},
    {CART(FORMULA, "integrator: nsga"), CART("", "integrator: nsga")},
    {CART(FORMULA, "integrator: generalized_alpha"), CART("", "integrator: generalized_alpha")},
    {CART(FORMULA, "integrator: lobatto, stages: 3"), CART("", "integrator: lobatto, stages: 3")},
    {CART(FORMULA, "integrator: lobatto, stages: 3, events: locate"),
     CART("", "integrator: lobatto, stages: 3, events: locate")},
};

/* The same function of the state is the same force, whoever evaluates it: the two runs solve the same step problems.
 * Each solves them to 1e-10 (S11), or far better; the pendulum is not chaotic within a second (errors grow less than
 * thousandfold), so the motions agree to 1e-7. Work and energy are recorded alike. */
static void a_program_can_do_what_a_formula_does(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof cart / sizeof *cart; i++)
        for (int derivative = 0; derivative < 2; derivative++) {
            carom_scene *formula = parse(cart[i][0], NULL), *bare = parse(cart[i][1], NULL);
            controller c = {0};
            const carom_force_def force = on_both(&c, derivative);
            carom_model *model = forced(bare, &force);
            carom_sim *a = simulate(formula), *b = simulate_model(model, bare);
            check(carom_sim_run(a, &error)), check(carom_sim_run(b, &error));
            if (difference(a, b) > 1e-7) fail_msg("run %zu, derivative %d: %g", i, derivative, difference(a, b));
            for (const char *const *name = (const char *const[]){"E", "work.forces", NULL}; *name; name++) {
                double values[2];
                for (int k = 0; k < 2; k++) {
                    int sensor;
                    check(carom_sim_sensor(k ? b : a, *name, &sensor, NULL, &error));
                    check(carom_sim_sense(k ? b : a, sensor, &values[k], &error));
                }
                assert_true(fabs(values[0] - values[1]) < 1e-6 && fabs(values[0]) > 0.01);
            }
            assert_true(c.calls > 500);
            carom_sim_destroy(a), carom_sim_destroy(b);
            carom_model_destroy(model);
            carom_scene_destroy(formula), carom_scene_destroy(bare);
        }
}

/* ---------------------------------------------------------------- an exact motion */

static int spring(void *context, double t, const double *q, const double *u, double *f) {
    (void)context, (void)t, (void)u;
    f[0] = -8 * q[0];
    return 0;
}

/* 2 x'' = -8 x by the program, x = 0.3 cos 2t. lobatto with 4 stages is of order 6: (w dt)^6 = 6e-11 times a small
 * constant, so 1e-12, as of the same spring by a formula (live). The program's spring knows no energy, all of it is
 * work: W = 4 (a^2 - x^2) = 0.36 sin^2 2t, by the trapezoidal rule to dt^2/12 (W''(1) - W''(0)) = 4e-5, W'' = 2.88 cos
 * 4t, and a remainder of the order dt^4. */
static void the_motion_is_exact(void **state) {
    (void)state;
    carom_scene *scene = parse(OSCILLATOR, "parameters.k=0");
    const carom_force_def force = {.count = 1,
                                   .on = (const int[]){0},
                                   .of_q_count = 1,
                                   .of_q = (const int[]){0},
                                   .of_u_count = 0,
                                   .of_u = (const int[]){0},
                                   .force = spring};
    carom_model *model = forced(scene, &force);
    assert_int_equal(carom_model_get(model)->h_u.start[1], 0);
    assert_int_equal(carom_model_get(model)->h_q.start[1], 1);
    carom_sim *sim = simulate_model(model, scene);
    run(sim, 100);
    assert_true(fabs(carom_sim_q(sim)[0] - 0.3 * cos(2)) < 1e-12);
    assert_true(fabs(carom_sim_u(sim)[0] + 0.6 * sin(2)) < 1e-11);
    int sensor;
    double work;
    check(carom_sim_sensor(sim, "work.forces", &sensor, NULL, &error));
    check(carom_sim_sense(sim, sensor, &work, &error));
    assert_true(fabs(work - 0.36 * pow(sin(2), 2) - 1e-4 / 12 * 2.88 * (cos(4) - 1)) < 1e-8);
    carom_sim_destroy(sim);
    carom_model_destroy(model);
    carom_scene_destroy(scene);
}

/* Parameters and inputs of the scene stay what they were: each simulation has its own. */
static void simulations_keep_values_of_their_own(void **state) {
    (void)state;
    carom_scene *scene = parse(OSCILLATOR, "parameters.k=0"), *plain = parse(OSCILLATOR, NULL);
    const carom_force_def force = {.count = 1, .on = (const int[]){0}, .force = spring};
    carom_model *model = forced(scene, &force);
    carom_sim *a = simulate_model(model, scene), *b = simulate_model(model, scene), *of_plain = simulate(plain), *copy;
    set(a, scene, "m", 3), set(of_plain, plain, "m", 3);
    carom_sim_input(b, carom_model_input(carom_scene_model(scene), "motor"), 8);
    check(carom_sim_restart(a, &error)), check(carom_sim_restart(of_plain, &error));
    run(a, 50), run(of_plain, 50), run(b, 50);
    assert_true(fabs(carom_sim_q(a)[0] - carom_sim_q(of_plain)[0]) < 1e-12);
    assert_true(fabs(carom_sim_q(b)[0] - (1 - 0.7 * cos(1))) < 1e-12); /* 2 x'' = 8 - 8 x */
    check(carom_sim_copy(a, &copy, &error));
    run(a, 20), run(copy, 20);
    assert_true(carom_sim_hash(a) == carom_sim_hash(copy));
    carom_sim_destroy(a), carom_sim_destroy(b), carom_sim_destroy(copy), carom_sim_destroy(of_plain);
    carom_model_destroy(model);
    carom_scene_destroy(scene), carom_scene_destroy(plain);
}

/* One force on top of another, half of the spring each. */
static void forces_add_up(void **state) {
    (void)state;
    carom_scene *scene = parse(OSCILLATOR, "parameters.k=-8");
    const carom_force_def force = {.count = 1, .on = (const int[]){0}, .force = spring};
    carom_model *first = forced(scene, &force), *second;
    check(carom_model_with_force(first, &force, &second, &error));
    carom_sim *sim = simulate_model(second, scene);
    run(sim, 100);
    assert_true(fabs(carom_sim_q(sim)[0] - 0.3 * cos(2)) < 1e-12);
    carom_sim_destroy(sim);
    carom_model_destroy(second), carom_model_destroy(first);
    carom_scene_destroy(scene);
}

/* ---------------------------------------------------------------- contacts that are found */

#define PILE                                                                                                           \
    "carom: 1\n"                                                                                                       \
    "parameters: {h: 0}\n"                                                                                             \
    "model:\n"                                                                                                         \
    "  bodies:\n"                                                                                                      \
    "    a: {type: spatial, mass: 1, shape: {sphere: 0.1}, position: [0, 0, 0.1]}\n"                                   \
    "    b: {type: spatial, mass: 2, shape: {sphere: 0.1}, position: [0.5, 0, 0.1]}\n"                                 \
    "  contacts: {touch: {among: [a, b, {body: world, plane: [0, 0, 1], at: [0, 0, -h]}], friction: 0.5}}\n"           \
    "run: {integrator: moreau, dt: 1e-3, until: 1}\n"

static int weight(void *context, double t, const double *q, const double *u, double *f) {
    (void)context, (void)t, (void)q, (void)u;
    f[0] = -2 * 9.81, f[1] = -9.81;
    return 0;
}

/* The program is the weight of both spheres: they rest on the table, which bears it, and on a lower one, to which they
 * fall in 0.05 s. */
static void found_contacts_bear_it(void **state) {
    (void)state;
    carom_scene *scene = parse(PILE, NULL);
    const carom_model *base = carom_scene_model(scene);
    const int on[] = {carom_model_velocity(base, "b.z_dot"), carom_model_velocity(base, "a.z_dot")};
    const carom_force_def force = {.count = 2, .on = on, .force = weight};
    carom_model *model = forced(scene, &force);
    carom_sim *sim = simulate_model(model, scene);
    run(sim, 50);
    carom_found found[4];
    assert_int_equal(carom_sim_found(sim, found, 4), 2);
    double sum = found[0].PN + found[1].PN;
    assert_true(fabs(sum / 1e-3 - 3 * 9.81) < 1e-6);
    check(carom_sim_set_parameter(sim, 0, 0.01, &error));
    check(carom_sim_restart(sim, &error));
    run(sim, 100);
    assert_true(fabs(carom_sim_q(sim)[2] - 0.09) < 1e-3 * 9.81 * 0.05); /* moreau: less than the way of a step */
    assert_int_equal(carom_sim_found(sim, found, 4), 2);
    carom_sim_destroy(sim);
    carom_model_destroy(model);
    carom_scene_destroy(scene);
}

/* ---------------------------------------------------------------- what is wrong */

static void derivatives_are_checked(void **state) {
    (void)state;
    carom_scene *scene = parse(cart[0][1], NULL);
    controller c = {0};
    const carom_force_def force = on_both(&c, true);
    carom_model *model = forced(scene, &force);
    carom_finding found[4];
    assert_int_equal(carom_model_check(model, found, 4), 0);
    c.wrong = 0.5;
    assert_true(carom_model_check(model, found, 4) > 0);
    assert_non_null(strstr(found[0].text, "/dq[x_dot][x] is"));
    c.wrong = 0;
    carom_force_def narrow = on_both(&c, false); /* it depends on phi, which it does not say */
    narrow.of_q = (const int[]){0}, narrow.of_q_count = 1;
    carom_model *other = forced(scene, &narrow);
    assert_true(carom_model_check(other, found, 4) > 0);
    carom_model_destroy(model), carom_model_destroy(other);
    carom_scene_destroy(scene);
}

/* Where it is not defined, or not a number, the step fails and the state is that of the last one. */
static void a_force_that_is_not_defined_ends_the_step(void **state) {
    (void)state;
    for (int k = 0; k < 2 * (int)(sizeof cart / sizeof *cart); k++) {
        carom_scene *scene = parse(cart[k / 2][1], NULL);
        controller c = {0};
        const carom_force_def force = on_both(&c, false);
        carom_model *model = forced(scene, &force);
        carom_sim *sim = simulate_model(model, scene);
        run(sim, 3);
        const unsigned long long hash = carom_sim_hash(sim);
        if (k % 2) c.nothing = NAN;
        else c.forbidden = c.calls + 1;
        assert_int_equal(carom_sim_step(sim, &error), CAROM_FAILED);
        assert_true(carom_sim_hash(sim) == hash && error.message[0]);
        c.nothing = 0, c.forbidden = 0;
        run(sim, 3);
        carom_sim_destroy(sim);
        carom_model_destroy(model);
        carom_scene_destroy(scene);
    }
}

static void refused(const carom_force_def *force, const char *reason) {
    carom_scene *scene = parse(cart[0][1], NULL);
    carom_model *model;
    assert_int_equal(carom_model_with_force(carom_scene_model(scene), force, &model, &error), CAROM_DATA);
    assert_null(model);
    assert_non_null(strstr(error.message, reason));
    carom_scene_destroy(scene);
}

static void misuse_is_refused(void **state) {
    (void)state;
    const int twice[] = {0, 0}, outside[] = {2}, below[] = {-1}, first[] = {0};
    refused(&(carom_force_def){.count = 1, .on = first}, "needs its function");
    refused(&(carom_force_def){.count = 0, .on = first, .force = pull}, "one velocity or more");
    refused(&(carom_force_def){.count = 1, .force = pull}, "one velocity or more");
    refused(&(carom_force_def){.count = 2, .on = twice, .force = pull}, "each named once");
    refused(&(carom_force_def){.count = 1, .on = outside, .force = pull}, "each named once");
    refused(&(carom_force_def){.count = 1, .on = below, .force = pull}, "each named once");
    refused(&(carom_force_def){.count = 1, .on = first, .force = pull, .of_q = outside, .of_q_count = 1}, "depends on");
    refused(&(carom_force_def){.count = 1, .on = first, .force = pull, .of_u = twice, .of_u_count = 2}, "depends on");

    carom_scene *scene = parse(cart[0][1], NULL);
    controller c = {0};
    const carom_force_def force = on_both(&c, true);
    carom_model *model = forced(scene, &force);
    carom_sim *sim = simulate_model(model, scene);
    assert_int_equal(carom_sim_differentiate(sim, (const char *const[]){"k"}, 1, &error), CAROM_DATA);
    assert_non_null(strstr(error.message, "a force of the program"));
    carom_sim_destroy(sim);
    carom_model_destroy(model);
    carom_scene_destroy(scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_program_can_do_what_a_formula_does),
        cmocka_unit_test(the_motion_is_exact),
        cmocka_unit_test(simulations_keep_values_of_their_own),
        cmocka_unit_test(forces_add_up),
        cmocka_unit_test(found_contacts_bear_it),
        cmocka_unit_test(derivatives_are_checked),
        cmocka_unit_test(a_force_that_is_not_defined_ends_the_step),
        cmocka_unit_test(misuse_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
