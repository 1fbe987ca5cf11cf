/* (Y23): what p^-(v) misses, on velocities that are off by a known amount. */
#include "integrator/drift.h"
#include "support/trial.h"

#include <math.h>
#include <string.h>

static const char scene_text[] =
    "carom: 1\n"
    "title: a body and two masses that are coupled\n"
    "model:\n"
    "  coordinates: {x: {velocity: 0.3}, y: {velocity: -0.7}}\n"
    "  kinetic: x_dot^2 + y_dot^2/2 + 0.4*x_dot*y_dot\n"
    "  bodies:\n"
    "    stone: {type: spatial, mass: 2, inertia: [1, 2, 2.5], angular_velocity: [1, 2, 3]}\n"
    "run: {integrator: multisymplectic, dt: 1e-2, until: 1}\n";

enum { MOST_NU = 16 };

typedef struct fixture {
    carom_scene *scene;
    const carom_model *model;
    drift drift;
    double h, p[MOST_NU], v[MOST_NU], work[MOST_NU];
} fixture;

/* v solves p^-(v) = p for the momenta of the start. */
static void begin(fixture *x, double h) {
    carom_error error = {0};
    if (carom_scene_parse(scene_text, strlen(scene_text), "text", NULL, 0, &x->scene, &error))
        fail_msg("%s", error.message);
    x->model = carom_scene_model(x->scene);
    if (drift_create(&x->drift, x->model, &error)) fail_msg("%s", error.message);
    const carom_model_def *d = carom_model_get(x->model);
    x->h = h;
    drift_momenta(&x->drift, d->u0, x->p);
    assert_true(drift_velocity(&x->drift, d->q0, x->p, h, x->v));
}

static double miss(fixture *x) {
    return drift_miss(&x->drift, carom_model_get(x->model)->q0, x->p, x->h, x->v, x->work);
}

static void end(fixture *x) {
    drift_destroy(&x->drift);
    carom_scene_destroy(x->scene);
}

/* A solution leaves nothing above round-off, also where the rotation makes (Y2) nonlinear: h |w| = 0.37. */
static void solutions_miss_nothing(void **state) {
    (void)state;
    const double lengths[] = {1e-6, 1e-2, 0.1};
    for (int i = 0; i < 3; i++) {
        fixture x;
        begin(&x, lengths[i]);
        assert_near(miss(&x), 0, 0);
        end(&x);
    }
}

/* x_dot off by e: rows M e of x and y over the diagonal, e and 0.4 e; a component of w alike, up to h |w| e = 4e-6 e.
 */
static void misses_are_velocities(void **state) {
    (void)state;
    const double e = 1e-7;
    fixture x;
    begin(&x, 1e-6);
    for (int j = 0; j < carom_model_get(x.model)->nu; j++) {
        double before = x.v[j];
        if (strncmp(carom_model_get(x.model)->u_names[j], "stone.", 6) == 0 &&
            strncmp(carom_model_get(x.model)->u_names[j], "stone.w", 7) != 0)
            continue; /* the centre: its momenta are its velocities */
        x.v[j] += e;
        assert_near(miss(&x), e, 2e-5 * e);
        x.v[j] = before;
    }
    x.v[0] = NAN;
    assert_true(isinf(miss(&x)));
    end(&x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solutions_miss_nothing),
        cmocka_unit_test(misses_are_velocities),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
