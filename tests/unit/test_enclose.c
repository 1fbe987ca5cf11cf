/* Ranges of dense output, (V19): no value and no rate of the polynomials lies outside, and they shrink with the part.
 */
#include "support/trial.h"

#include <math.h>

#include "integrator/enclose.h"

enum { NODES = 4, PARTS = 16, LOOKS = 50 };

static void show_nothing(const void *self, int i, scheme_node *node) {
    (void)self, (void)i;
    *node = (scheme_node){0};
}

/* A step of length h whose q is a polynomial of degree five, which the dense output of four nodes and two rates is. */
static double value(double offset, double t) {
    return offset + t - 3 * t * t + 0.5 * t * t * t - 2 * pow(t, 4) + pow(t, 5);
}
static double rate(double t) {
    return 1 - 6 * t + 1.5 * t * t - 8 * pow(t, 3) + 5 * pow(t, 4);
}

static void fill(attempt *a, double offset) {
    const int s = a->dense.s;
    for (int j = 0; j < s; j++) {
        double t = a->dense.c[j] * a->h;
        a->position[j] = value(offset, t), a->velocity[j] = rate(t);
    }
    a->position[s] = a->h * rate(0), a->position[s + 1] = a->h * rate(a->h);
}

static void check_part(enclosure *e, const attempt *a, double offset, int part, int parts, double *widest) {
    double left = (double)part / parts, right = (part + 1.) / parts;
    enclose(e, left, right, true);
    *widest = fmax(*widest, e->q_rate[0].most - e->q_rate[0].least);
    for (int i = 0; i <= LOOKS; i++) {
        double t = (left + (right - left) * i / LOOKS) * a->h;
        assert_true(e->t[0].least <= t && t <= e->t[0].most);
        assert_true(e->q[0].least <= value(offset, t) && value(offset, t) <= e->q[0].most);
        assert_true(e->q_rate[0].least <= rate(t) && rate(t) <= e->q_rate[0].most);
    }
}

static void polynomials_stay_inside(void **state) {
    (void)state;
    static const double nodes[NODES] = {0, 0.276393202250021, 0.723606797749979, 1};
    trial run = trial_text("carom: 1\nmodel:\n  coordinates: {x: 0}\n  kinetic: x_dot^2/2\nrun: {integrator: lobatto, "
                           "dt: 1, until: 1}\n");
    const fixed_scheme scheme = {.nodes = NODES, .c = nodes, .node = show_nothing};
    attempt a;
    enclosure e;
    assert_true(attempt_create(&a, carom_scene_model(run.scene), &scheme, 1));
    assert_true(enclosure_create(&e, &a));
    a.h = 0.8;
    for (int k = 0; k < 2; k++) {
        const double offset = k ? 1e6 : 0; /* far from zero only round-off grows */
        double one = 0, many = 0;
        fill(&a, offset);
        enclosure_begin(&e, &a);
        check_part(&e, &a, offset, 0, 1, &one);
        for (int part = 0; part < PARTS; part++) check_part(&e, &a, offset, part, PARTS, &many);
        assert_at_most(many, 2 * 12 * a.h / PARTS); /* |rate'| < 12 within the step, and little more in each part */
    }
    enclosure_destroy(&e);
    attempt_destroy(&a);
    trial_close(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(polynomials_stay_inside)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
