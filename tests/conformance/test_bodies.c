/* Rigid bodies in space as elements of scenes: unit quaternions (D7), and the order of lobatto on tops. */
#include "scene/scene.h"
#include "support/smooth.h"
#include "support/trial.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- scenes */

#define RUN "run: {integrator: lobatto, dt: 1e-2, until: 1}\n"
static const char *const free_top = "carom: 1\n"
                                    "model:\n"
                                    "  bodies:\n"
                                    "    top: {type: spatial, mass: 1, inertia: [1, 1.5, 2], rotation: [1, 2, 3, 4],\n"
                                    "          angular_velocity: [0.4, 2, 0.3]}\n" RUN;

/* Turns about its tip at the origin, the centre of mass is 0.3 up its axis. */
static const char *const heavy_top =
    "carom: 1\n"
    "model:\n"
    "  gravity: [0, 0, -9.81]\n"
    "  bodies:\n"
    "    top: {type: spatial, mass: 2, inertia: [0.1, 0.12, 0.15], center: [0, 0, 0.3],\n"
    "          rotation: {axis: [1, 0.5, 0], angle: 0.7},\n"
    "          angular_velocity: [0.5, -1, 12]}\n"
    "  constraints:\n"
    "    tip: [top.x - 0.3*top.R13, top.y - 0.3*top.R23, top.z - 0.3*top.R33]\n" RUN;

static carom_scene *scene_of(const char *text) {
    carom_scene *scene = NULL;
    carom_error error = {0};
    char complaint[1200];
    if (scene_load_text(text, strlen(text), "test.yaml", NULL, &scene, &error))
        fail_msg("%s", carom_error_text(&error, complaint, sizeof complaint));
    return scene;
}

static double length(const double *p) {
    return sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
}

/* x -> p o x o p* for the three axes; independent of the length of p */
static void rotation(const double *p, double R[9]) {
    double s = 2 / (p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
    for (int i = 0; i < 9; i++) R[i] = i % 4 == 0;
    const double *v = p + 1;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            int k = 3 - i - j;
            if (i == j) R[4 * i] -= s * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2] - v[i] * v[i]);
            else R[3 * i + j] += s * (v[i] * v[j] + ((i + 1) % 3 == j ? -1 : 1) * p[0] * v[k]);
        }
}

/* ---- unit quaternions */

/* Dividing four numbers by a rounded length leaves three roundings of 1.1e-16 each way. */
static void unit_length(void **state) {
    (void)state;
    carom_scene *scene = scene_of(free_top);
    int tried = 0;
    for (int i = 0; i < carom_integrators(); i++) {
        trial run;
        if (!trial_offer(&run, carom_scene_model(scene), carom_integrator(i)->name, 1e-2, 100, 1e-10)) continue;
        double worst = 0;
        while (!carom_sim_done(run.sim)) {
            trial_stride(&run);
            worst = fmax(worst, fabs(length(carom_sim_q(run.sim) + 3) - 1));
        }
        assert_int_equal(carom_sim_steps(run.sim), 10000);
        printf("%-20s ||p| - 1| <= %.2g\n", carom_integrator(i)->name, worst);
        assert_at_most(worst, 1e-15);
        trial_close(&run);
        tried++;
    }
    assert_true(tried >= 5);
    carom_scene_destroy(scene);
}

/* The same model without the hook: |p| drifts, the motion is the same. Every step rounds by some 1e-16, which the
 * motion of a top spreads linearly in time: 1000 steps, a factor of ten. */
static void same_motion(void **state) {
    (void)state;
    const char *const scenes[] = {free_top, heavy_top};
    for (int k = 0; k < 2; k++) {
        carom_scene *scene = scene_of(scenes[k]);
        carom_model_def def = *carom_model_get(carom_scene_model(scene));
        assert_int_equal(def.rotations, 1);
        def.rotations = 0, def.destroy = NULL;
        carom_model *bare;
        assert_int_equal(carom_model_create(&def, &bare, NULL), CAROM_OK);
        trial with = trial_model(carom_scene_model(scene), "lobatto", 2e-2, 20, 1e-14, "stages=3"),
              without = trial_model(bare, "lobatto", 2e-2, 20, 1e-14, "stages=3");
        double drift = 0, apart = 0;
        while (!carom_sim_done(with.sim)) {
            double R[2][9];
            trial_stride(&with), trial_stride(&without);
            rotation(carom_sim_q(with.sim) + 3, R[0]);
            rotation(carom_sim_q(without.sim) + 3, R[1]);
            for (int i = 0; i < 9; i++) apart = fmax(apart, fabs(R[0][i] - R[1][i]));
            drift = fmax(drift, fabs(length(carom_sim_q(without.sim) + 3) - 1));
        }
        printf("%s top: |p| drifts by %.2g without the hook, R differs by %.2g\n", k ? "heavy" : "free", drift, apart);
        assert_at_most(apart, 1e-12);
        assert_at_least(drift, 1e-11); /* else this test shows nothing */
        trial_close(&with);
        trial_close(&without);
        carom_model_destroy(bare);
        carom_scene_destroy(scene);
    }
}

/* ---- orders
 * Euler's equations about the centre of mass or the tip: J w' = J w x w + l e3 x R^T (0, 0, -m g), p' = p o (0, w)/2;
 * y = (p, w). */
typedef struct top {
    real J[3], weight_arm; /* m g l */
} top;

static void top_ode(real t, const real *y, real *dy, const void *context) {
    (void)t;
    const top *o = context;
    const real *v = y + 1, *w = y + 4, square = y[0] * y[0] + v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    const real down[3] = {2 * (v[0] * v[2] - y[0] * v[1]) / square, 2 * (v[1] * v[2] + y[0] * v[0]) / square, 0};
    const real torque[3] = {o->weight_arm * down[1], -o->weight_arm * down[0], 0};
    dy[0] = -(v[0] * w[0] + v[1] * w[1] + v[2] * w[2]) / 2;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        dy[1 + i] = (y[0] * w[i] + v[j] * w[k] - v[k] * w[j]) / 2;
        dy[4 + i] = ((o->J[j] - o->J[k]) * w[j] * w[k] + torque[i]) / o->J[i];
    }
}

static void reference(const carom_model_def *def, const top *o, double T, double R[9], double w[3]) {
    real y[7];
    double p[4];
    for (int i = 0; i < 4; i++) y[i] = def->q0[3 + i];
    for (int i = 0; i < 3; i++) y[4 + i] = def->u0[3 + i];
    smooth_solve(7, top_ode, o, 0, T, y);
    for (int i = 0; i < 4; i++) p[i] = (double)y[i];
    for (int i = 0; i < 3; i++) w[i] = (double)y[4 + i];
    rotation(p, R);
}

static void errors(const carom_model *model, int stages, double dt, double T, const double R[9], const double w[3],
                   double error[2]) {
    char option[32];
    double now[9];
    snprintf(option, sizeof option, "stages=%d", stages);
    trial run = trial_model(model, "lobatto", dt, T, 1e-14, option);
    while (!carom_sim_done(run.sim)) trial_stride(&run);
    rotation(carom_sim_q(run.sim) + 3, now);
    error[0] = error[1] = 0;
    for (int i = 0; i < 9; i++) error[0] = fmax(error[0], fabs(now[i] - R[i]));
    for (int i = 0; i < 3; i++) error[1] = fmax(error[1], fabs(carom_sim_u(run.sim)[3 + i] - w[i]));
    trial_close(&run);
}

enum { SIZES = 4 };
static void order_of_tops(void **state) {
    (void)state;
    const top tops[] = {{{1, 1.5L, 2}, 0}, {{0.1L + 2 * 0.09L, 0.12L + 2 * 0.09L, 0.15L}, 2 * 9.81L * 0.3L}};
    const char *const scenes[] = {free_top, heavy_top};
    const double T = 1, largest[2][3] = {{0.1, 0.2, 0.5}, {0.02, 0.04, 0.1}};
    for (int k = 0; k < 2; k++) {
        carom_scene *scene = scene_of(scenes[k]);
        const carom_model *model = carom_scene_model(scene);
        double R[9], w[3];
        reference(carom_model_get(model), &tops[k], T, R, w);
        for (int stages = 2; stages <= 4; stages++) {
            double h[SIZES], error[2][SIZES];
            for (int i = 0; i < SIZES; i++) {
                double both[2];
                h[i] = largest[k][stages - 2] / (1 << i);
                errors(model, stages, h[i], T, R, w, both);
                error[0][i] = both[0], error[1][i] = both[1];
            }
            double orders[2] = {observed_order(SIZES, h, error[0]), observed_order(SIZES, h, error[1])};
            printf("%s top, %d stages: R %.2g .. %.2g, order %.2f; w order %.2f\n", k ? "heavy" : "free", stages,
                   error[0][0], error[0][SIZES - 1], orders[0], orders[1]);
            /* four halvings measure an order to about a tenth */
            assert_near(orders[0], 2 * stages - 2, 0.15);
            assert_near(orders[1], 2 * stages - 2, 0.15);
        }
        carom_scene_destroy(scene);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unit_length),
        cmocka_unit_test(same_motion),
        cmocka_unit_test(order_of_tops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
