/* Joints as rows: how many freedoms each type leaves, in the plane and in space, at random poses and along motions;
 * loops with more rows than they need. */
#include "support/trial.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double negligible = 1e-9; /* a pivot of rows of unit size that round-off has left */

/* ---------------------------------------------------------------- rank of W */

static int eliminate(double *A, int rows, int cols) {
    int rank = 0;
    for (; rank < rows && rank < cols; rank++) {
        int r = rank, c = rank;
        for (int i = rank; i < rows; i++)
            for (int j = rank; j < cols; j++)
                if (fabs(A[i * cols + j]) > fabs(A[r * cols + c])) r = i, c = j;
        if (fabs(A[r * cols + c]) < negligible) break;
        for (int j = 0; j < cols; j++) {
            double swap = A[r * cols + j];
            A[r * cols + j] = A[rank * cols + j], A[rank * cols + j] = swap;
        }
        for (int i = 0; i < rows; i++) {
            double swap = A[i * cols + c];
            A[i * cols + c] = A[i * cols + rank], A[i * cols + rank] = swap;
        }
        for (int i = rank + 1; i < rows; i++) {
            double factor = A[i * cols + rank] / A[rank * cols + rank];
            for (int j = rank; j < cols; j++) A[i * cols + j] -= factor * A[rank * cols + j];
        }
    }
    return rank;
}

/* Of the bilateral rows at the present state; rows of s beyond them belong to limits. */
static int rank_of(const trial *run) {
    const carom_model_def *def = carom_model_get(carom_scene_model(run->scene));
    int rows = def->ng + def->ngamma, all = def->WT.rows;
    double *values = calloc((size_t)def->WT.start[all] + 1, sizeof *values), *s = calloc((size_t)all + 1, sizeof *s);
    double *dense = calloc((size_t)(rows * def->nu) + 1, sizeof *dense);
    assert_true(values && s && dense);
    assert_int_equal(def->velocity(def->context, carom_sim_time(run->sim), carom_sim_q(run->sim), carom_sim_u(run->sim),
                                   s, values, NULL),
                     0);
    for (int i = 0; i < rows; i++)
        for (int k = def->WT.start[i]; k < def->WT.start[i + 1]; k++) dense[i * def->nu + def->WT.index[k]] = values[k];
    int rank = eliminate(dense, rows, def->nu);
    free(values), free(s), free(dense);
    return rank;
}

static int rows_of(const trial *run) {
    const carom_model_def *def = carom_model_get(carom_scene_model(run->scene));
    return def->ng + def->ngamma;
}

static void check_derivatives(const trial *run) {
    carom_finding worst;
    if (carom_model_check(carom_scene_model(run->scene), &worst, 1) != 0) fail_msg("%s", worst.text);
}

/* ---------------------------------------------------------------- one joint of each type */

static double uniform(void) { /* in (-1, 1), the same everywhere */
    static unsigned long long seed = 1;
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(seed >> 11) / (double)(1ull << 52) - 1;
}

static void vector_text(char *text, size_t size, int n, double *x) {
    size_t used = 0;
    for (int i = 0; i < n; i++) {
        x[i] = uniform();
        used += (size_t)snprintf(text + used, size - used, "%s%.17g", i ? ", " : "", x[i]);
    }
}

typedef struct type_of_joint {
    const char *name;
    int space, plane; /* rows; 0: none in the plane */
} type_of_joint;
static const type_of_joint types[] = {{"revolute", 5, 2},  {"prismatic", 5, 2}, {"cylindrical", 4, 0},
                                      {"spherical", 3, 2}, {"universal", 4, 0}, {"fixed", 6, 3},
                                      {"distance", 1, 1}};
enum { TYPES = sizeof types / sizeof *types };

/* Where a joint is, for its type: 'at' and axes, or the points of a distance. */
static void place_text(char *text, size_t size, const char *type, bool plane) {
    char at[128], axis[128], second[128];
    double x[3], z[3], y[3];
    int n = plane ? 2 : 3;
    vector_text(at, sizeof at, n, x);
    vector_text(axis, sizeof axis, n, z);
    vector_text(second, sizeof second, n, y);
    if (strcmp(type, "distance") == 0) snprintf(text, size, "points: [[%s], [%s]]", at, second);
    else if (strcmp(type, "universal") == 0)
        snprintf(text, size, "at: [%s], axis: [%s], axis2: [%.17g, %.17g, 0]", at, axis, -z[1], z[0]);
    else if (strcmp(type, "spherical") == 0 || strcmp(type, "fixed") == 0) snprintf(text, size, "at: [%s]", at);
    else if (strcmp(type, "revolute") == 0 && plane) snprintf(text, size, "at: [%s]", at);
    else snprintf(text, size, "at: [%s], axis: [%s]", at, axis);
}

static trial pair_in_space(const char *type, const char *first) {
    char place[512], r[2][128], p[2][160];
    double x[4];
    place_text(place, sizeof place, type, false);
    for (int i = 0; i < 2; i++) vector_text(r[i], sizeof r[i], 3, x), vector_text(p[i], sizeof p[i], 4, x);
    return trial_text("carom: 1\nmodel:\n  gravity: [0, 0, -10]\n  bodies:\n"
                      "    a: {type: spatial, mass: 1, inertia: [1, 2, 2.5], position: [%s], rotation: [%s]}\n"
                      "    b: {type: spatial, mass: 2, inertia: [0.3, 0.4, 0.5], position: [%s], rotation: [%s]}\n"
                      "  joints:\n    joint: {type: %s, bodies: [%s, b], %s}\n"
                      "run: {integrator: rattle, dt: 0.02, until: 0.6, tolerance: 1e-11}\n",
                      r[0], p[0], r[1], p[1], type, first, place);
}

static trial pair_in_the_plane(const char *type, const char *first) {
    char place[512], r[2][128];
    double x[2];
    place_text(place, sizeof place, type, true);
    for (int i = 0; i < 2; i++) vector_text(r[i], sizeof r[i], 2, x);
    return trial_text("carom: 1\nmodel:\n  gravity: [0, -10]\n  bodies:\n"
                      "    a: {type: planar, mass: 1, inertia: 1, position: [%s], angle: %.17g}\n"
                      "    b: {type: planar, mass: 2, inertia: 0.3, position: [%s], angle: %.17g}\n"
                      "  joints:\n    joint: {type: %s, bodies: [%s, b], %s}\n"
                      "run: {integrator: rattle, dt: 0.02, until: 0.6, tolerance: 1e-11}\n",
                      r[0], 3 * uniform(), r[1], 3 * uniform(), type, first, place);
}

/* No row is redundant, at the start and wherever the bodies swing. */
static void check_rank(trial *run, int rows) {
    assert_int_equal(rows_of(run), rows);
    check_derivatives(run);
    assert_int_equal(rank_of(run), rows);
    while (!carom_sim_done(run->sim)) {
        trial_step(run);
        assert_int_equal(rank_of(run), rows);
    }
    trial_close(run);
}

static void each_type_takes_its_freedoms(void **state) {
    (void)state;
    static const char *const firsts[] = {"a", "world"};
    for (int i = 0; i < TYPES; i++)
        for (int k = 0; k < 4; k++) {
            trial run = pair_in_space(types[i].name, firsts[k % 2]);
            check_rank(&run, types[i].space);
            if (!types[i].plane) continue;
            run = pair_in_the_plane(types[i].name, firsts[k % 2]);
            check_rank(&run, types[i].plane);
        }
}

/* ---------------------------------------------------------------- loops */

typedef struct loop {
    const char *scene;
    int velocities, rows, rank;
} loop;
static const loop loops[] = {
    {"gallery/slider_crank_bodies", 9, 8, 8},
    {"gallery/crank_driven", 9, 9, 9},
    {"gallery/double_pendulum_space", 12, 10, 10},
    {"gallery/four_bar_space", 18, 20, 17}, /* planar linkages hold their plane three times over */
    {"gallery/bricard", 30, 30, 29},        /* moves where counting says it can not */
    {"gallery/cardan", 12, 15, 12},
};

static void loops_have_their_mobility(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof loops / sizeof *loops; i++) {
        const loop *l = &loops[i];
        trial run = trial_scene(l->scene, NULL);
        check_derivatives(&run);
        assert_int_equal(carom_model_get(carom_scene_model(run.scene))->nu, l->velocities);
        assert_int_equal(rows_of(&run), l->rows);
        while (!carom_sim_done(run.sim) && carom_sim_steps(run.sim) < 400) {
            assert_int_equal(rank_of(&run), l->rank);
            trial_stride(&run);
        }
        trial_close(&run);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_type_takes_its_freedoms),
        cmocka_unit_test(loops_have_their_mobility),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
