/* Captured piles of found contacts converge with first order to the located motion, by step problems and as heaps. */
#include "support/trial.h"

#include <math.h>
#include <stdio.h>

enum { BALLS = 4 };

/* A ball falls between three others and drives them apart over a rough floor: every contact slides or rolls or opens,
 * and percussions are unique. */
static trial pile(const char *run) {
    return trial_text("carom: 1\nmodel:\n  gravity: [0, 0, -9.81]\n  bodies:\n"
                      "    s[i=1..3]: {type: spatial, mass: 1, shape: {sphere: 0.1}, position: "
                      "[0.12*cos(2*pi*i/3 + 0.2), 0.12*sin(2*pi*i/3 + 0.2), 0.1]}\n"
                      "    top: {type: spatial, mass: 2, shape: {sphere: 0.1}, position: [0.01, 0.004, 0.33]}\n"
                      "  contacts:\n"
                      "    pile: {among: [s, top, {body: world, plane: [0, 0, 1]}], friction: 0.2, restitution: 0}\n"
                      "run: {until: 0.3, %s}\n",
                      run);
}

static void end_of(const char *run, double place[3 * BALLS]) {
    trial t = pile(run);
    trial_finish(&t);
    for (int i = 0; i < 3 * BALLS; i++) place[i] = carom_sim_q(t.sim)[7 * (i / 3) + i % 3];
    trial_close(&t);
}

static double distance(const double a[3 * BALLS], const double b[3 * BALLS]) {
    double most = 0;
    for (int i = 0; i < 3 * BALLS; i++) most = fmax(most, fabs(a[i] - b[i]));
    return most;
}

/* A captured step takes an impact at most dt late, and until then a ball is wrong by its speed, which the height of the
 * top one limits to (2 g 0.23 m)^1/2. The bound is linear in dt; an order of one half, from the same error at the
 * largest dt, would exceed it at the smallest. The reference is lobatto, located, of order 4; its two step sizes agree
 * to a hundredth of what is compared with it. */
static void test_first_order(void **state) {
    (void)state;
    static const char *const schemes[] = {
        "integrator: moreau",           "integrator: moreau, accept: 1e-6",
        "integrator: symmetric_moreau", "integrator: symmetric_moreau, accept: 1e-6",
        "integrator: rattle",           "integrator: rattle, accept: 1e-6",
        "integrator: lobatto",
    };
    static const double dt[] = {4e-3, 1e-3, 2.5e-4, 6.25e-5};
    const double speed = sqrt(2 * 9.81 * 0.23);
    double exact[3 * BALLS], coarse[3 * BALLS], place[3 * BALLS];
    end_of("integrator: lobatto, stages: 3, events: locate, dt: 1e-3", exact);
    end_of("integrator: lobatto, stages: 3, events: locate, dt: 2e-3", coarse);
    assert_at_most(distance(exact, coarse), 0.01 * speed * 6.25e-5);
    for (size_t k = 0; k < sizeof schemes / sizeof *schemes; k++) {
        printf("%-46s", schemes[k]);
        for (size_t i = 0; i < sizeof dt / sizeof *dt; i++) {
            char run[120];
            snprintf(run, sizeof run, "%s, dt: %g", schemes[k], dt[i]);
            end_of(run, place);
            printf(" %.2f", distance(place, exact) / (speed * dt[i]));
            assert_at_most(distance(place, exact), speed * dt[i]);
        }
        printf("\n");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_first_order)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
