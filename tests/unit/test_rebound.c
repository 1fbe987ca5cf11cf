/* Impacts that do not rebound (docs/theory/laws.md): slow ones, (L3), and those in which Newton's law with friction has
 * no solution, (L4). Point masses in corners, where both can be worked out by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "carom/carom.h"

static const char *const schemes[] = {"moreau", "symmetric_moreau",   "variational_moreau", "theta",
                                      "rattle", "lobatto, stages: 2", "lobatto, stages: 3", "nsga"};
enum { SCHEMES = sizeof schemes / sizeof *schemes };

typedef struct end {
    double u[4], lost, fastest; /* velocities at the end; largest x_dot on the way */
    long weakened;
} end;

static end run(const char *text, const char *scheme) {
    char scene[2000];
    carom_scene *s;
    carom_sim *sim;
    carom_error error;
    end e = {.fastest = -INFINITY};
    snprintf(scene, sizeof scene, text, scheme);
    if (carom_scene_parse(scene, strlen(scene), "rebound", NULL, 0, &s, &error)) fail_msg("%s", error.message);
    const carom_model *m = carom_scene_model(s);
    if (carom_sim_create(m, carom_scene_run(s), &sim, &error)) fail_msg("%s", error.message);
    while (!carom_sim_done(sim)) {
        if (carom_sim_step(sim, &error)) fail_msg("%s: %s", scheme, error.message);
        e.fastest = fmax(e.fastest, carom_sim_u(sim)[0]);
    }
    for (int i = 0; i < carom_model_get(m)->nu && i < 4; i++) e.u[i] = carom_sim_u(sim)[i];
    e.weakened = carom_sim_weakened(sim, &e.lost);
    carom_sim_destroy(sim);
    carom_scene_destroy(s);
    return e;
}

/* Without gravity a mass strikes floor and wall at once, each with 1 m/s. */
#define CORNER                                                                                                         \
    "carom: 1\nmodel:\n"                                                                                               \
    "  coordinates: {x: {start: 0.105, velocity: -1}, y: {start: 0.105, velocity: -1}}\n"                              \
    "  kinetic: (x_dot^2 + y_dot^2)/2\n"                                                                               \
    "  contacts:\n"                                                                                                    \
    "    floor: {gap: y, slip: x_dot, friction: %s, restitution: 0.5}\n"                                               \
    "    wall: {gap: x, slip: y_dot, friction: %s, restitution: 0.5}\n"                                                \
    "run: {integrator: %%s, dt: 0.01, until: 0.3}\n"

/* Below mu = 1 the balance (1 - mu) (P + P) = 2 (1 + e) has a solution: it rebounds from both. */
static void rebounds_where_it_can(void **state) {
    char text[1000];
    (void)state;
    snprintf(text, sizeof text, CORNER, "0.9", "0.9");
    for (int i = 0; i < SCHEMES; i++) {
        end e = run(text, schemes[i]);
        assert_int_equal(e.weakened, 0);
        assert_true(fabs(e.u[0] - 0.5) < 1e-8 && fabs(e.u[1] - 0.5) < 1e-8);
    }
}

/* From mu = 1 on it has none: the mass stays in the corner, which its friction can do whatever mu. */
static void stays_where_it_cannot(void **state) {
    static const char *const friction[] = {"1", "1.2", "10"};
    char text[1000];
    (void)state;
    for (int k = 0; k < 3; k++) {
        snprintf(text, sizeof text, CORNER, friction[k], friction[k]);
        for (int i = 0; i < SCHEMES; i++) {
            end e = run(text, schemes[i]);
            assert_int_equal(e.weakened, 2);
            assert_true(fabs(e.lost - 0.5) < 1e-8);
            assert_true(fabs(e.u[0]) < 1e-8 && fabs(e.u[1]) < 1e-8);
        }
    }
}

/* Another mass that strikes the floor in the same step has nothing to do with it, and rebounds. */
static void others_keep_their_law(void **state) {
    static const char text[] = "carom: 1\nmodel:\n"
                               "  coordinates: {z: {start: 0.105, velocity: -1}, x: {start: 0.105, velocity: -1}, "
                               "y: {start: 0.105, velocity: -1}}\n"
                               "  kinetic: (x_dot^2 + y_dot^2 + z_dot^2)/2\n"
                               "  contacts:\n"
                               "    floor: {gap: y, slip: x_dot, friction: 1.5, restitution: 0.5}\n"
                               "    wall: {gap: x, slip: y_dot, friction: 1.5, restitution: 0.5}\n"
                               "    other: {gap: z, restitution: 0.5}\n"
                               "run: {integrator: %s, dt: 0.01, until: 0.3}\n";
    (void)state;
    for (int i = 0; i < SCHEMES; i++) {
        end e = run(text, schemes[i]);
        assert_int_equal(e.weakened, 2);
        assert_true(fabs(e.u[0] - 0.5) < 1e-8);
        assert_true(fabs(e.u[1]) < 1e-8 && fabs(e.u[2]) < 1e-8);
    }
}

/* (L3): a mass between two walls, 1 m/s, e = 0.5: it rebounds with 1/2, 1/4, 1/8, and where it would with 1/16, less
 * than rest, it stops. No rest given: 100 times the tolerance. */
static void slow_rebounds_do_not_happen(void **state) {
    static const char text[] = "carom: 1\nmodel:\n"
                               "  coordinates: {x: {start: 0.5, velocity: 1}}\n"
                               "  kinetic: x_dot^2/2\n"
                               "  contacts:\n"
                               "    left: {gap: x, restitution: 0.5, rest: 0.1}\n"
                               "    right: {gap: 1 - x, restitution: 0.5, rest: 0.1}\n"
                               "run: {integrator: %s, dt: 0.0103, until: 40}\n";
    (void)state;
    for (int i = 0; i < SCHEMES; i++) {
        end e = run(text, schemes[i]);
        assert_int_equal(e.weakened, 0);
        assert_true(fabs(e.u[0]) < 1e-8);
    }
    static const char slow[] = "carom: 1\nmodel:\n"
                               "  coordinates: {x: {start: 1e-4, velocity: %s}}\n"
                               "  kinetic: x_dot^2/2\n"
                               "  contacts: {left: {gap: x, restitution: 0.5}}\n"
                               "run: {integrator: %%s, dt: %s, until: %s}\n";
    char above[600], below[600];
    snprintf(above, sizeof above, slow, "-2.1e-8", "100", "20000");
    snprintf(below, sizeof below, slow, "-1.9e-8", "100", "20000");
    for (int i = 0; i < SCHEMES; i++) {
        assert_true(fabs(run(above, schemes[i]).u[0] - 1.05e-8) < 1e-9);
        assert_true(fabs(run(below, schemes[i]).u[0]) < 1e-9);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rebounds_where_it_can),
        cmocka_unit_test(stays_where_it_cannot),
        cmocka_unit_test(others_keep_their_law),
        cmocka_unit_test(slow_rebounds_do_not_happen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
