/* Contacts that are far are not looked at in every step (docs/theory/passages.md, (Z5)). Walls that are thinner than a
 * step by a factor of 500 come near a point in ways that its earlier motion does not announce: each passage is told,
 * and with continuous detection the point comes back. */
#include "live.h"

#include <math.h>

#include "run/monitor.h"

/* A point that moves by 0.01 m in a step, or rests; the walls are 2e-5 m thick. */
#define SCENE(DECLARED, VELOCITY, GAP)                                                                                 \
    "carom: 1\n" DECLARED "model:\n  coordinates: {x: {velocity: " VELOCITY "}, y: 0}\n"                               \
    "  kinetic: (x_dot^2 + y_dot^2)/2\n  contacts: {wall: {gap: \"" GAP "\", restitution: 1}}\n"                       \
    "run: {dt: 0.01, until: 20}\n"

static const char *const ways[][2] = {{"run.integrator=moreau", "run.detection=discrete"},
                                      {"run.integrator=theta", "run.detection=discrete"},
                                      {"run.integrator=rattle", "run.detection=discrete"},
                                      {"run.integrator=rattle", "run.detection=continuous"},
                                      {"run.integrator=moreau", "run.detection=continuous"}};
enum { WAYS = sizeof ways / sizeof *ways, TELLING = 3 };

static carom_sim *begin(const char *text, int way, carom_scene **scene) {
    const bool continuous = way >= TELLING;
    check(carom_scene_parse(text, strlen(text), "wall", ways[way], continuous ? 2 : 1, scene, &error));
    return simulate(*scene);
}

static void end(carom_sim *sim, carom_scene *scene, int way, bool back) {
    if (way < TELLING) assert_int_equal((int)monitor_unseen(sim).count, 1);
    else assert_true(monitor_unseen(sim).count == 0 && (carom_sim_u(sim)[0] < 0) == back);
    carom_sim_destroy(sim);
    carom_scene_destroy(scene);
}

/* 10 s after the start, the wall is put where the next step leads through it. */
static void a_wall_that_is_moved(void **state) {
    (void)state;
    static const char *const texts[] = {SCENE("inputs: {at: 1000}\n", "1", "abs(x - at) - 1e-5"),
                                        SCENE("parameters: {at: 1000}\n", "1", "abs(x - at) - 1e-5")};
    for (int way = 0; way < WAYS; way++)
        for (int by = 0; by < 2; by++) {
            carom_scene *scene;
            carom_sim *sim = begin(texts[by], way, &scene);
            run(sim, 1000);
            assert_true(monitor_unseen(sim).count == 0);
            const double there = carom_sim_q(sim)[0] + 0.005;
            if (by == 0) carom_sim_input(sim, 0, there);
            else check(carom_sim_set_parameter(sim, 0, there, &error));
            run(sim, 3);
            end(sim, scene, way, true);
        }
}

/* It rests at x = 1000 for 10 s, then comes at 2e5 m/s and is at the point, which rests at x = 0, in the middle of
 * a step. */
static void a_wall_that_sets_off(void **state) {
    (void)state;
    for (int way = 0; way < TELLING; way++) {
        carom_scene *scene;
        carom_sim *sim = begin(SCENE("", "0", "abs(x - 1000 + 200000*max(0, t - 10)) - 1e-5"), way, &scene);
        run(sim, 1000);
        assert_true(monitor_unseen(sim).count == 0);
        run(sim, 3);
        end(sim, scene, way, false);
    }
}

/* y rests for 10 s beside a wall at y = 5e-3 and is then thrown at it by a state that the program sets. */
static void a_point_that_is_thrown(void **state) {
    (void)state;
    for (int way = 0; way < WAYS; way++) {
        carom_scene *scene;
        carom_sim *sim = begin(SCENE("", "1", "abs(y - 5e-3) - 1e-5"), way, &scene);
        run(sim, 1000);
        const double u[2] = {-1, 1};
        check(carom_sim_set_state(sim, carom_sim_time(sim), NULL, u, &error));
        run(sim, 3);
        if (way >= TELLING) assert_true(carom_sim_u(sim)[1] < 0);
        end(sim, scene, way, true);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wall_that_is_moved),
        cmocka_unit_test(a_wall_that_sets_off),
        cmocka_unit_test(a_point_that_is_thrown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
