/* (E1a): a run ends where its mass matrix stops being positive definite, with the time and the velocities, whatever the
 * integrator. The instants are known in closed form. */
#include "model/definite.h"
#include "support/campaign.h"
#include "support/trial.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* x and y couple; frictionless contacts far away let every scheme take the model. */
static const char scene_text[] = "carom: 1\n"
                                 "title: inertia that ends\n"
                                 "model:\n"
                                 "  coordinates: {x: {start: %s, velocity: 1}, y: {velocity: 0.3}}\n"
                                 "  kinetic: %s\n"
                                 "  potential: y^2/2\n"
                                 "  contacts: {wall: {gap: y + 50, restitution: 1}}\n"
                                 "run: {integrator: %s, dt: %g, until: 2%s}\n";

typedef struct ending {
    bool refused; /* before the first step */
    double time;  /* of the last state that was reached */
    char reason[800];
} ending;

static ending run_until_it_ends(const char *start, const char *kinetic, const char *integrator, double dt,
                                const char *more) {
    char text[1000];
    carom_scene *scene;
    carom_sim *sim;
    carom_error error = {0};
    ending e = {0};
    snprintf(text, sizeof text, scene_text, start, kinetic, integrator, dt, more);
    if (carom_scene_parse(text, strlen(text), "text", NULL, 0, &scene, &error)) fail_msg("%s", error.message);
    e.refused = carom_sim_create(carom_scene_model(scene), carom_scene_run(scene), &sim, &error) != CAROM_OK;
    while (!e.refused && !carom_sim_done(sim) && !carom_sim_step(sim, &error)) continue;
    if (!e.refused) e.time = carom_sim_time(sim);
    snprintf(e.reason, sizeof e.reason, "%s", error.message);
    carom_sim_destroy(sim);
    carom_scene_destroy(scene);
    return e;
}

static const double steps[] = {1e-3, 7e-3, 0.03};

static bool can_locate(const carom_integrator_info *type) {
    for (int i = 0; i < type->option_count; i++)
        if (strcmp(type->options[i].name, "events") == 0) return true;
    return false;
}

/* The run stops within a step of the instant and says why. */
static void expect_end(const char *start, const char *kinetic, double instant, const char *name) {
    for (int i = 0; i < carom_integrators(); i++)
        for (int locate = 0; locate <= can_locate(carom_integrator(i)); locate++)
            for (int k = 0; k < 3; k++) {
                const char *type = carom_integrator(i)->name;
                ending e = run_until_it_ends(start, kinetic, type, steps[k], locate ? ", events: locate" : "");
                printf("%s, dt = %g%s: %s\n", type, steps[k], locate ? ", located" : "", e.reason);
                if (e.refused) continue;
                assert_true(e.time <= instant + 1e-9);
                assert_true(e.time >= instant - 1.01 * steps[k]);
                assert_non_null(strstr(e.reason, "the mass matrix is not positive definite at t = "));
                assert_non_null(strstr(e.reason, name));
            }
}

/* Eigenvalues 1 +- 2 t. */
static void coupling_grows_in_time(void **state) {
    (void)state;
    expect_end("0", "(x_dot^2 + y_dot^2)/2 + 2*t*x_dot*y_dot", 0.5, "y_dot");
}

/* x moves freely with the mass 1 - t. */
static void mass_vanishes_in_time(void **state) {
    (void)state;
    expect_end("0", "((1 - t)*x_dot^2 + y_dot^2)/2", 1, "x_dot");
}

/* The lesser eigenvalue 1 - 1.5 exp(-((t - 0.505)/0.002)^2) is negative for 0.0025 s in the middle of a step of 0.01 s,
 * where stages evaluate M. */
static void stages_look_too(void **state) {
    (void)state;
    const char *kinetic = "(x_dot^2 + y_dot^2)/2 + 1.5*exp(-((t - 0.505)/0.002)^2)*x_dot*y_dot";
    const char *more[] = {", stages: 3", ", stages: 3, events: locate"};
    for (int i = 0; i < 2; i++) {
        ending e = run_until_it_ends("0", kinetic, "lobatto", 0.01, more[i]);
        printf("lobatto%s: %s\n", more[i], e.reason);
        assert_near(e.time, 0.5, 1e-9);
        assert_non_null(strstr(e.reason, "not positive definite"));
    }
}

/* Thin but positive inertia is none of this: eigenvalues 1 +- (1 - 1e-5). */
static void thin_inertia_runs(void **state) {
    (void)state;
    ending e = run_until_it_ends("0", "(x_dot^2 + y_dot^2)/2 + 0.99999*x_dot*y_dot", "rattle", 1e-3, "");
    if (e.reason[0]) fail_msg("%s", e.reason);
    assert_near(e.time, 2, 1e-9);
}

/* ---------------------------------------------------------------- the factorisation */

enum { MOST = 12 };

/* Dense elimination: are all leading minors positive? Undecided: some pivot is near zero. */
static bool dense_positive(int n, double A[MOST][MOST], bool *decided) {
    *decided = true;
    for (int k = 0; k < n; k++) {
        if (fabs(A[k][k]) < 1e-9) return *decided = false;
        if (A[k][k] < 0) return false;
        for (int i = k + 1; i < n; i++)
            for (int j = k + 1; j < n; j++) A[i][j] -= A[i][k] * A[k][j] / A[k][k];
    }
    return true;
}

/* Random sparse matrices with a diagonal that makes about half of them positive definite. */
static void agrees_with_dense_elimination(void **state) {
    (void)state;
    uint64_t seed = 7;
    int positive = 0, indefinite = 0;
    for (int repeat = 0; repeat < 2000; repeat++) {
        double A[MOST][MOST] = {{0}}, values[MOST * MOST], pivot;
        int n = 1 + (int)(campaign_random(&seed) * MOST), start[MOST + 1] = {0}, index[MOST * MOST], count = 0;
        for (int i = 0; i < n; i++) {
            A[i][i] = 0.2 + 1.6 * campaign_random(&seed);
            for (int j = 0; j < i; j++)
                if (campaign_random(&seed) < 0.3) A[i][j] = A[j][i] = 1.4 * campaign_random(&seed) - 0.7;
        }
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++)
                if (A[i][j] != 0) index[count] = j, values[count++] = A[i][j];
            start[i + 1] = count;
        }
        bool decided, expected = dense_positive(n, A, &decided);
        if (!decided) continue;
        const carom_pattern M = {n, n, start, index};
        assert_int_equal(indefinite_row(&M, values, &pivot) == n, expected);
        positive += expected, indefinite += !expected;
    }
    printf("%d positive definite, %d not\n", positive, indefinite);
    assert_true(positive > 300 && indefinite > 300);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_dense_elimination),
        cmocka_unit_test(coupling_grows_in_time),
        cmocka_unit_test(mass_vanishes_in_time),
        cmocka_unit_test(stages_look_too),
        cmocka_unit_test(thin_inertia_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
