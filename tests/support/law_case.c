#include "law_case.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "carom/carom.h"
#include "carom/model.h"

static carom_error error;

static void check(carom_status status) {
    if (status) fail_msg("%s", error.message);
}

static double closed_form(const law_case *x, const carom_model_def *d, const carom_model *model, int k) {
    number p[MOST];
    for (int i = 0; i < x->count; i++)
        p[i] = d->parameter[carom_model_parameter(model, x->by[i])] + (i == k ? 1e-40 * I : 0);
    return cimag(x->value(p)) / 1e-40;
}

/* Derivatives of one coordinate, along the motion and back from its end, which must be the same. */
static void differentiate(const law_case *x, const carom_scene *scene, double *by) {
    const carom_model *model = carom_scene_model(scene);
    carom_sim *ahead, *back;
    double weight[64] = {0}, gradient[MOST], most = 0;
    const int q = carom_model_coordinate(model, x->of);
    check(carom_sim_create(model, carom_scene_run(scene), &ahead, &error));
    check(carom_sim_create(model, carom_scene_run(scene), &back, &error));
    check(carom_sim_differentiate(ahead, x->by, x->count, &error));
    check(carom_sim_trace(back, x->by, x->count, 0, &error));
    check(carom_sim_run(ahead, &error));
    check(carom_sim_run(back, &error));
    if (carom_sim_lost(ahead)) fail_msg("%s", carom_sim_lost(ahead));
    weight[q] = 1;
    check(carom_sim_gradient(back, &(carom_weight){carom_sim_steps(back), -1, weight, NULL, 0}, 1, gradient, &error));
    for (int k = 0; k < x->count; k++) most = fmax(most, fabs(by[k] = carom_sim_q_by(ahead, k)[q]));
    for (int k = 0; k < x->count; k++)
        if (!(fabs(by[k] - gradient[k]) <= 1e-11 * most))
            fail_msg("%s by %s is %.15g, and back %.15g", x->of, x->by[k], by[k], gradient[k]);
    carom_sim_destroy(ahead);
    carom_sim_destroy(back);
}

static carom_scene *read(const law_case *x, const char *const *overrides, int count) {
    carom_scene *scene;
    check(carom_scene_parse(x->text, strlen(x->text), "scene", overrides, count, &scene, &error));
    return scene;
}

static const char *const four_stages[] = {"run.stages=4"};

/* Both ways agree under other schemes as well, whose derivatives are their own. */
static void go_back(const law_case *x) {
    static const char *const others[][2] = {
        {"run.integrator=rattle"}, {"run.events=capture"}, {"run.events=capture", "run.integrator=rattle"}};
    double by[MOST];
    for (int i = 0; i < 3; i++) {
        carom_scene *scene = read(x, others[i], i < 2 ? 1 : 2);
        differentiate(x, scene, by);
        carom_scene_destroy(scene);
    }
}

void law_case_check(const law_case *x) {
    carom_scene *scene = read(x, four_stages, 1);
    const carom_model *model = carom_scene_model(scene);
    double is[MOST], most = 0;
    differentiate(x, scene, is);
    for (int k = 0; k < x->count; k++) most = fmax(most, fabs(is[k]));
    for (int k = 0; k < x->count; k++) {
        const double expected = closed_form(x, carom_model_get(model), model, k);
        printf("%s by %-5s %.15g, in closed form %.15g\n", x->of, x->by[k], is[k], expected);
        if (!(fabs(is[k] - expected) <= x->bound * fabs(expected) + 1e-12 * most)) /* of what is zero, round-off */
            fail_msg("%s by %s is %.15g, not %.15g", x->of, x->by[k], is[k], expected);
    }
    carom_scene_destroy(scene);
    go_back(x);
}

/* The end of the motion with one parameter moved. */
static double moved(const law_case *x, const char *name, double by) {
    carom_scene *scene = read(x, four_stages, 1);
    const carom_model *model = carom_scene_model(scene);
    const carom_model_def *d = carom_model_get(model);
    carom_sim *sim;
    check(carom_sim_create(model, carom_scene_run(scene), &sim, &error));
    const int parameter = carom_model_parameter(model, name);
    check(carom_sim_set_parameter(sim, parameter, d->parameter[parameter] + by, &error));
    check(carom_sim_restart(sim, &error));
    check(carom_sim_run(sim, &error));
    const double end = carom_sim_q(sim)[carom_model_coordinate(model, x->of)];
    carom_sim_destroy(sim);
    carom_scene_destroy(scene);
    return end;
}

/* Central differences, extrapolated: h = 2^-k/64 leaves h^10 of the motion, and 1e-14/h of round-off. */
static double difference_by(const law_case *x, const char *name) {
    enum { ROWS = 5 };
    double D[ROWS][ROWS];
    for (int l = 0; l < ROWS; l++) {
        const double h = ldexp(1, -6 - l);
        D[l][0] = (moved(x, name, h) - moved(x, name, -h)) / (2 * h);
        for (int j = 1; j <= l; j++) D[l][j] = (ldexp(D[l][j - 1], 2 * j) - D[l - 1][j - 1]) / (ldexp(1, 2 * j) - 1);
    }
    return D[ROWS - 1][ROWS - 1];
}

void law_case_check_by_differences(const law_case *x) {
    carom_scene *scene = read(x, four_stages, 1);
    double is[MOST], most = 0;
    differentiate(x, scene, is);
    carom_scene_destroy(scene);
    for (int k = 0; k < x->count; k++) most = fmax(most, fabs(is[k]));
    for (int k = 0; k < x->count; k++) {
        const double expected = difference_by(x, x->by[k]);
        printf("%s by %-5s %.15g, by differences %.15g\n", x->of, x->by[k], is[k], expected);
        if (!(fabs(is[k] - expected) <= x->bound * most))
            fail_msg("%s by %s is %.15g, not %.15g", x->of, x->by[k], is[k], expected);
    }
    go_back(x);
}
