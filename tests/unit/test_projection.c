/* Nearest motions: masses 1 and 4 on a line that a rod makes move alike have the velocity of their centre of mass,
 * however often the rod is counted; rows that contradict each other are missed by what they contradict each other by.
 */
#include "integrator/projection.h"
#include "support/trial.h"

#include <math.h>

static trial two_masses(const char *rods) {
    return trial_text("carom: 1\n"
                      "model:\n"
                      "  coordinates: {x: {start: 0}, y: {start: 1}}\n"
                      "  kinetic: (x_dot^2 + 4*y_dot^2)/2\n"
                      "  constraints: {rods: [%s]}\n"
                      "run: {integrator: rattle, dt: 1e-3, until: 1}\n",
                      rods);
}

typedef struct nearest {
    bool independent; /* (Q1) can be solved with eps = 0 */
    double u[2], missed;
} nearest;

static nearest from(const char *rods, const bool *held) {
    trial run = two_masses(rods);
    const carom_model *m = carom_scene_model(run.scene);
    const carom_model_def *d = carom_model_get(m);
    double M[4], WT[8];
    projection p;
    nearest n = {.u = {1, 2}};
    assert_true(projection_create(&p, m, d->ng));
    assert_false(d->mass(d->context, 0, d->q0, M) || d->velocity(d->context, 0, d->q0, d->u0, NULL, WT, NULL));
    n.independent = projection_factor(&p, M, WT, held, 0);
    assert_true(projection_factor(&p, M, WT, held, 1e-9));
    n.missed = projection_nearest(&p, n.u);
    projection_destroy(&p);
    trial_close(&run);
    return n;
}

/* (1*1 + 4*2)/5 = 1.8; what (Q2) leaves is round-off of velocities of order one */
static void rods(void **state) {
    (void)state;
    static const char *const once = "y - x - 1", *const thrice = "y - x - 1, 2*(y - x - 1), 1e-6*(x - y + 1)";
    const nearest one = from(once, NULL), three = from(thrice, NULL);
    assert_true(one.independent && !three.independent);
    for (int j = 0; j < 2; j++) {
        assert_true(fabs(one.u[j] - 1.8) < 1e-14);
        assert_true(fabs(three.u[j] - 1.8) < 1e-14);
    }
    assert_true(one.missed < 1e-14 && three.missed < 1e-14);
}

/* A row that is not held asks for nothing. */
static void rows_left_out(void **state) {
    (void)state;
    const nearest n = from("y - x - 1, x", (const bool[]){true, false});
    assert_true(n.independent);
    assert_true(fabs(n.u[0] - 1.8) < 1e-14);
    assert_true(fabs(n.u[1] - 1.8) < 1e-14);
}

/* Two rods that are nearly the same, by a part of 1e-7, leave no motion but rest. With sigma^2 = 1e-14 below eps the
 * rows are missed instead, by about 1e-7, and said to be. */
static void rods_that_hardly_differ(void **state) {
    (void)state;
    const nearest n = from("y - x - 1, y - (1 + 1e-7)*x - 1", NULL);
    assert_true(n.missed > 1e-9 && n.missed < 1e-6);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rods),
        cmocka_unit_test(rows_left_out),
        cmocka_unit_test(rods_that_hardly_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
