/* Every scene of the checkout that has contacts, with located events: at the end of every step contacts push or are
 * open, bodies do not overlap, and friction is in its cone. */
#include "support/trial.h"

#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/model.h"

typedef struct worst {
    double gap, pull, cone;
} worst;

static double largest_mass(const carom_model *m, const double *M) {
    double most = 0;
    for (int i = 0; i < m->def.nu; i++)
        for (int e = m->def.M.start[i]; e < m->def.M.start[i + 1]; e++)
            if (m->def.M.index[e] == i) most = fmax(most, M[e]);
    return most;
}

/* As velocities: what the percussion of a contact on the wrong side does to the heaviest coordinate. */
static void look(const carom_sim *sim, const carom_model *m, double *c, double *M, worst *w) {
    const carom_model_def *d = &m->def;
    const double *q = carom_sim_q(sim), *P = carom_sim_percussion(sim);
    assert_int_equal(d->position(d->context, carom_sim_time(sim), q, c, NULL), 0);
    assert_int_equal(d->mass(d->context, carom_sim_time(sim), q, M), 0);
    const double mass = largest_mass(m, M);
    for (int k = 0; k < d->contacts; k++) {
        double N = P[m->N + k], F = 0;
        for (int i = m->F + m->slip[k]; i < m->F + m->slip[k + 1]; i++) F = hypot(F, P[i]);
        w->gap = fmax(w->gap, -c[d->ng + k]);
        w->pull = fmax(w->pull, -N / mass);
        w->cone = fmax(w->cone, (F - d->contact[k].friction * N) / mass);
    }
}

static void run_scene(const char *path, const char *integrator, int steps) {
    carom_scene *scene;
    carom_sim *sim;
    carom_error error = {0};
    if (carom_scene_load(path, NULL, 0, &scene, &error)) fail_msg("%s: %s", path, error.message);
    const carom_model *m = carom_scene_model(scene);
    const carom_option events = {.name = "events", .text = "locate"};
    carom_run_def def = *carom_scene_run(scene);
    def.integrator = integrator, def.options = &events, def.option_count = 1;
    if (m->def.contacts && !carom_sim_create(m, &def, &sim, &error)) {
        worst w = {0};
        double *c = test_calloc((size_t)m->nc, sizeof *c), *M = test_calloc((size_t)pattern_nnz(&m->def.M), sizeof *M);
        const bool unstable = carom_sim_note(sim); /* the step of a scene for nsga is too long for explicit schemes */
        for (int i = 0; i < steps && !carom_sim_done(sim); i++) {
            carom_status status = carom_sim_step(sim, &error);
            if (status && unstable) break;
            if (status) fail_msg("%s, %s: %s", path, integrator, error.message);
            look(sim, m, c, M, &w);
        }
        /* gaps are zero to round-off of positions around 1; velocities to ten tolerances; the error of friction is a
         * part of what it changes within a step, which at accelerations around 10 within times around 1 is 10 dt^2/2 */
        assert_at_most(unstable ? 0 : w.gap, 1e-12);
        assert_at_most(unstable ? 0 : w.pull, 10 * def.tolerance);
        assert_at_most(unstable ? 0 : w.cone, 10 * def.tolerance + 5 * def.dt * def.dt);
        printf("%-45s %-8s gap %8.1e  pull %8.1e  cone %8.1e\n", path, integrator, -w.gap, w.pull, w.cone);
        carom_sim_destroy(sim);
        test_free(c);
        test_free(M);
    }
    carom_scene_destroy(scene);
}

static void laws_hold(void **state) {
    (void)state;
    glob_t list;
    assert_int_equal(glob("scenes/gallery/*.yaml", 0, NULL, &list), 0);
    const size_t gallery = list.gl_pathc;
    assert_int_equal(glob("scenes/paper/*/*.yaml", GLOB_APPEND, NULL, &list), 0);
    for (size_t k = 0; k < list.gl_pathc; k++) {
        run_scene(list.gl_pathv[k], "rattle", k < gallery ? 1000 : 200); /* dice and capsules rest in the end */
        run_scene(list.gl_pathv[k], "lobatto", k < gallery ? 250 : 50);
    }
    globfree(&list);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(laws_hold)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
