/* Weights of a model's functions against their rates: w . f'(x) = f'^T(w) . x for any weights w and directions x, by
 * the function cotangent of formulas and by what takes its place in models without one. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/model.h"

static carom_error error;
static uint64_t seed = 1;

static double signed_random(void) {
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(seed >> 11) / 4503599627370496.0 - 1;
}

static double *numbers(int n, bool random) {
    double *x = calloc((size_t)n + 1, sizeof *x);
    assert_non_null(x);
    for (int i = 0; i < n && random; i++) x[i] = signed_random();
    return x;
}

/* All functions that derivatives of motions ask for, with numbers beside each. */
enum { ALL = 11 };
static carom_tangent every(const carom_model *m, bool random, double *of[ALL], int size[ALL]) {
    const carom_model_def *d = &m->def;
    const int sizes[ALL] = {d->nq, pattern_nnz(&d->M),  d->nu, d->nu,       d->nu,     m->nc,
                            m->ns, pattern_nnz(&d->WT), m->ns, d->switches, d->anchors};
    for (int i = 0; i < ALL; i++) of[i] = numbers(size[i] = sizes[i], random);
    return (carom_tangent){.q_dot = m->trivial ? NULL : of[0],
                           .M = of[1],
                           .h = of[2],
                           .p = of[3],
                           .b = of[4],
                           .c = m->nc ? of[5] : NULL,
                           .s = m->ns ? of[6] : NULL,
                           .WT = m->ns ? of[7] : NULL,
                           .zeta = m->ns ? of[8] : NULL,
                           .a = d->switches ? of[9] : NULL,
                           .anchors = d->anchors ? of[10] : NULL};
}

/* Along random directions of the state, and along every parameter. */
static void compare(const carom_model *m) {
    const carom_model_def *d = &m->def;
    const int nq = d->nq, nu = d->nu;
    double *w[ALL], *f[ALL], t = 0, *q = numbers(nq, false), *u = numbers(nu, false),
                             *constants = numbers(model_constants(m), false), *x = numbers(nq + nu, true),
                             *place = numbers(nq + nu, true);
    int size[ALL];
    for (int i = 0; i < nq; i++) place[i] = d->q0[i] + 0.01 * place[i];
    for (int i = 0; i < nu; i++) place[nq + i] += d->u0[i];
    const carom_place at = {d->t0 + 0.1, place, place + nq};
    const carom_tangent weight = every(m, true, w, size), rates = every(m, false, f, size);
    const carom_cotangent by = {&t, q, u, constants};
    assert_int_equal(model_cotangent(m, &at, &weight, &by), 0);
    for (int k = -1; k < d->parameters; k++) {
        if (k >= 0 && d->parameter_fixed && d->parameter_fixed[k]) continue;
        const carom_place rate = {0.7, x, x + nq};
        double there = 0, back = 0.7 * t, scale = 1;
        assert_int_equal(d->tangent(d->context, k, &at, &rate, &rates), 0);
        for (int i = 0; i < ALL; i++)
            for (int j = 0; j < size[i]; j++) there += w[i][j] * f[i][j], scale += fabs(w[i][j] * f[i][j]);
        for (int i = 0; i < nq; i++) back += q[i] * x[i], scale += fabs(q[i] * x[i]);
        for (int i = 0; i < nu; i++) back += u[i] * x[nq + i], scale += fabs(u[i] * x[nq + i]);
        if (k >= 0) back += model_constants_by(m, k, constants);
        if (!(fabs(there - back) <= 1e-12 * scale)) fail_msg("by %d: %.17g and %.17g", k, there, back);
    }
    for (int i = 0; i < ALL; i++) free(w[i]), free(f[i]);
    free(q), free(u), free(constants), free(x), free(place);
}

/* The same of restitution by the speed. */
static void compare_restitution(const carom_model *m) {
    const carom_model_def *d = &m->def;
    const int contacts = d->contacts;
    double *w = numbers(contacts, true), *speed = numbers(contacts, true), *x = numbers(contacts, true),
           *e = numbers(contacts, false), *by = numbers(contacts, false),
           *constants = numbers(model_constants(m), false);
    for (int i = 0; i < contacts; i++) speed[i] = 1 + fabs(speed[i]);
    assert_int_equal(model_restitution_cotangent(m, speed, w, by, constants), 0);
    for (int k = -1; k < d->parameters; k++) {
        double there = 0, back = k < 0 ? 0 : model_constants_by(m, k, constants);
        assert_int_equal(d->restitution_tangent(d->context, k, speed, x, e), 0);
        for (int i = 0; i < contacts; i++) there += w[i] * e[i], back += by[i] * x[i];
        assert_true(there != 0);
        if (!(fabs(there - back) <= 1e-12)) fail_msg("e by %d: %.17g and %.17g", k, there, back);
    }
    free(w), free(speed), free(x), free(e), free(by), free(constants);
}

static void restitution(void **state) {
    static const char text[] = "carom: 1\nparameters: {a: 0.9, c: 5}\nmodel:\n  coordinates: {x: 0.5}\n"
                               "  kinetic: x_dot^2/2\n  contacts:\n    left: {gap: x, restitution: a*exp(-speed/c)}\n"
                               "    right: {gap: 1 - x, restitution: a - c*speed^2/100}\n"
                               "run: {integrator: lobatto, dt: 0.1, until: 1}\n";
    carom_scene *scene;
    (void)state;
    if (carom_scene_parse(text, strlen(text), "scene", NULL, 0, &scene, &error)) fail_msg("%s", error.message);
    carom_model *fork = model_fork(carom_scene_model(scene));
    double parameter[] = {0.8, 4};
    if (model_assign(fork, parameter, fork->def.input, &error)) fail_msg("%s", error.message);
    compare_restitution(fork);
    fork->def.cotangent = NULL, fork->def.restitution_cotangent = NULL;
    compare_restitution(fork);
    model_unfork(fork);
    carom_scene_destroy(scene);
}

static void scenes(void **state) {
    static const char *const paths[] = {"scenes/gallery/belt.yaml",
                                        "scenes/gallery/crank_motor.yaml",
                                        "scenes/gallery/heavy_top.yaml",
                                        "scenes/gallery/cardan.yaml",
                                        "scenes/gallery/spin_up.yaml",
                                        "scenes/gallery/shaken_table.yaml",
                                        "scenes/gallery/rolling_disk.yaml",
                                        "scenes/gallery/compass_walker.yaml",
                                        "scenes/paper/rattle/slider_crank.yaml"};
    (void)state;
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        carom_scene *scene;
        if (carom_scene_load(paths[i], NULL, 0, &scene, &error)) fail_msg("%s", error.message);
        const carom_model *model = carom_scene_model(scene);
        carom_model *fork = model_fork(model);
        double *parameter = numbers(model->def.parameters, false);
        memcpy(parameter, model->def.parameter, (size_t)model->def.parameters * sizeof *parameter);
        if (model_assign(fork, parameter, model->def.input, &error)) fail_msg("%s", error.message);
        assert_non_null(fork->def.cotangent);
        compare(fork);
        fork->def.cotangent = NULL; /* as C models that have none */
        compare(fork);
        model_unfork(fork);
        free(parameter);
        carom_scene_destroy(scene);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(scenes), cmocka_unit_test(restitution)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
