/* The Jacobian of every stage of every integrator equals differences of its rows, at the solution of a step of a model
 * in which nothing vanishes: general kinematics, M(t,q), bodies that turn, velocity-dependent forces, moving
 * constraints on position and velocity, contacts with one, two and three slips. And Newton on it converges
 * quadratically. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "run/sim.h"
#include "scene/scene.h"
#include "solver/solver_inside.h"

static const char *const TRIVIAL = "carom: 1\n"
                                   "model:\n"
                                   "  coordinates: {x: {start: 0.3, velocity: 0.2}, y: {start: 0.1, velocity: -0.4}, "
                                   "z: {start: 0.2, velocity: 0.3}, w: {start: 0.15, velocity: -0.2}}\n"
                                   "  kinetic: (1 + x^2 + 0.1*sin(t))*x_dot^2/2 + y_dot^2 + z_dot^2*(2 + sin(y))/2 + "
                                   "0.2*x_dot*y_dot + w_dot^2 + 0.1*w_dot*z_dot*cos(x)\n"
                                   "  potential: x^4 + y^2*z + sin(w) + x*w\n"
                                   "  forces: {x: -0.5*x_dot*abs(y_dot) + cos(t), z: -z_dot^3}\n";

static const char *const GENERAL =
    "carom: 1\n"
    "model:\n"
    "  coordinates: {x: 0.3, y: 0.1, z: 0.2, w: 0.15}\n"
    "  velocities: {a: 0.2, b: -0.4, c: 0.3, d: -0.2}\n"
    "  kinematics: {x: a*cos(y) - b*sin(y) + 0.1*sin(t), y: a*x + b + 0.1*t*x, z: c*(1 + x^2), w: d + 0.3*c*y}\n"
    "  kinetic: (1 + x^2)*a^2/2 + b^2 + c^2*(2 + sin(y))/2 + 0.2*a*b + d^2 + 0.1*d*c*cos(x)\n"
    "  potential: x^4 + y^2*z + sin(w)\n"
    "  forces: {a: -0.5*a*abs(b) + cos(t), c: -c^3}\n";

/* Ordinary coordinates and a body that turns, with a constant M that couples them, and a rotor in it that runs up. */
static const char *const TURNING =
    "carom: 1\n"
    "model:\n"
    "  coordinates: {x: {start: 0.3, velocity: 0.2}, y: {start: 0.1, velocity: -0.4}, z: {start: 0.2, velocity: 0.3}, "
    "w: {start: 0.15, velocity: -0.2}}\n"
    "  bodies: {top: {type: spatial, mass: 1.3, inertia: [0.5, 0.7, 0.9], rotation: [1, 2, 3, 4], "
    "angular_velocity: [0.8, -0.6, 1]}}\n"
    "  kinetic: x_dot^2/2 + y_dot^2 + z_dot^2 + 0.2*x_dot*y_dot + w_dot^2 + 0.1*w_dot*top.wx + 0.2*top.wy*y_dot + "
    "t*top.wz\n"
    "  potential: x^4 + y^2*z + sin(w) + x*top.R13 + top.x^2*top.R21\n"
    "  forces: {x: -0.5*x_dot*abs(y_dot) + cos(t), top.wy: -top.wy*top.R11 - x_dot*top.wz}\n";

static const char *const LAWS =
    "  constraints: {link: x*y + z^2 - 0.5*sin(t) - 0.07}\n"
    "  velocity_constraints: {wheel: w_dot*cos(x) + 0.2*x_dot*w + 0.1*t + 0.14}\n"
    "  contacts:\n"
    "    one: {gap: x + 0.1*y^2 - 0.301 - 0.1*t, slip: y_dot*x + z_dot, friction: 0.3, restitution: 0.4, "
    "tangential_restitution: 0.2}\n"
    "    two: {gap: y + w*z - 0.1299, slip: [x_dot*z, w_dot - y_dot*x], friction: 0.4}\n"
    "    three: {gap: 1 + x*z, slip: [x_dot, y_dot*z, w_dot*x], friction: 0.5}\n";

static carom_scene *load(const char *model, const char *scheme) {
    char text[4096], complaint[1100];
    int size = snprintf(text, sizeof text, "%s%srun: {integrator: %s, dt: 0.01, until: 1}\n", model, LAWS, scheme);
    assert_true(size > 0 && (size_t)size < sizeof text);
    carom_scene *scene;
    carom_error error;
    if (scene_load_text(text, (size_t)size, "model", NULL, &scene, &error))
        fail_msg("%s", carom_error_text(&error, complaint, sizeof complaint));
    return scene;
}

/* Central differences of step 1e-5: error 1e-10 of third derivatives, round-off 1e-11. */
static void check_stage(problem *p, const double *z) {
    const double step = 1e-5;
    const int rows = p->n + p->looks;
    double *x = malloc((size_t)p->n * sizeof *x), *plus = malloc((size_t)rows * sizeof *x),
           *minus = malloc((size_t)rows * sizeof *x);
    memcpy(x, z, (size_t)p->n * sizeof *x);
    assert_int_equal(p->evaluate(p->context, x, plus, true), 0);
    double *full = calloc((size_t)(rows * p->n), sizeof *full);
    for (int i = 0; i < rows; i++)
        for (int e = p->J.start[i]; e < p->J.start[i + 1]; e++) full[i * p->n + p->J.index[e]] = p->J.value[e];
    for (int j = 0; j < p->n; j++) {
        double h = j < p->nF ? step * p->scale[j] : step;
        x[j] = z[j] + h;
        assert_int_equal(p->evaluate(p->context, x, plus, false), 0);
        x[j] = z[j] - h;
        assert_int_equal(p->evaluate(p->context, x, minus, false), 0);
        x[j] = z[j];
        for (int i = 0; i < rows; i++) {
            double difference = (plus[i] - minus[i]) / (2 * h), exact = full[i * p->n + j];
            if (!(fabs(difference - exact) < 1e-7 * (1 + fabs(exact))))
                fail_msg("J[%d][%d] = %.12g, differences give %.12g", i, j, exact, difference);
        }
    }
    free(x), free(plus), free(minus), free(full);
}

/* A step of the scheme alone: its problems refer to the state that it starts from, which a simulation replaces. */
static void step_scheme(carom_sim *sim, const char *name) {
    const motion from = sim_motion(sim, sim->now);
    motion to = sim_motion(sim, sim->next);
    step_report report = {0};
    to.t = from.t + 0.01;
    if (!sim->integrator->step(sim->self, &from, &to, 0.01, 1e-10, &report)) fail_msg("%s: %s", name, report.reason);
}

static void jacobians(void **state) {
    (void)state;
    const char *models[] = {TRIVIAL, GENERAL, TURNING};
    for (int m = 0; m < 3; m++)
        for (int i = 0; i < carom_integrators(); i++) {
            carom_scene *scene = load(models[m], carom_integrator(i)->name);
            carom_sim *sim;
            carom_error error;
            carom_status status = carom_sim_create(carom_scene_model(scene), carom_scene_run(scene), &sim, &error);
            if (status == CAROM_DATA) { /* not made for this model */
                print_message("%s skipped: %s\n", carom_integrator(i)->name, error.message);
                carom_scene_destroy(scene);
                continue;
            }
            assert_int_equal(status, CAROM_OK);
            for (int step = 0; step < 3; step++) {
                step_scheme(sim, carom_integrator(i)->name);
                for (int k = 0; k < sim->integrator->stages; k++) {
                    const double *z;
                    problem *p = sim->integrator->stage(sim->self, k, &z);
                    double *copy = malloc((size_t)p->n * sizeof *copy);
                    memcpy(copy, z, (size_t)p->n * sizeof *copy);
                    check_stage(p, copy);
                    free(copy);
                }
                if (carom_sim_step(sim, &error)) fail_msg("%s: %s", carom_integrator(i)->name, error.message);
            }
            carom_sim_destroy(sim);
            carom_scene_destroy(scene);
        }
}

/* From a start that is off by 1e-2 in every unknown, the residual falls quadratically: r, ~r^2, ~r^4. The model is
 * smooth near the solution and no law changes its branch, so that after three iterations round-off is reached. */
static void quadratic(void **state) {
    (void)state;
    const char *models[] = {TRIVIAL, GENERAL};
    for (int m = 0; m < 2; m++) {
        carom_scene *scene = load(models[m], "rattle");
        carom_sim *sim;
        carom_error error;
        const double *z;
        assert_int_equal(carom_sim_create(carom_scene_model(scene), carom_scene_run(scene), &sim, &error), CAROM_OK);
        step_scheme(sim, "rattle");
        problem *p = sim->integrator->stage(sim->self, 0, &z);
        double *x = malloc((size_t)p->n * sizeof *x), residual[5];
        solver *s = solver_create(p);
        solver_report report = {0};
        for (int n = 0; n < 5; n++) {
            for (int j = 0; j < p->n; j++) x[j] = z[j] + 1e-2 * cos(3 * j) * (j < p->nF ? p->scale[j] : 0);
            newton_solve(s, p, x, 1e-300, &(newton_options){.iterations = n}, &report);
            residual[n] = report.residual;
        }
        print_message("residuals: %.1e %.1e %.1e %.1e %.1e\n", residual[0], residual[1], residual[2], residual[3],
                      residual[4]);
        assert_true(residual[1] < 1e-1 * residual[0]);
        assert_true(residual[2] < 10 * residual[1] * residual[1] + 1e-14);
        assert_true(residual[3] < 10 * residual[2] * residual[2] + 1e-13);
        free(x);
        solver_destroy(s);
        carom_sim_destroy(sim);
        carom_scene_destroy(scene);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(jacobians), cmocka_unit_test(quadratic)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
