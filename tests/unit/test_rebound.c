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

static const char *const schemes[] = {"moreau",           "symmetric_moreau",   "variational_moreau", "theta",
                                      "rattle",           "lobatto, stages: 2", "lobatto, stages: 3", "nsga",
                                      "generalized_alpha"};
enum { SCHEMES = sizeof schemes / sizeof *schemes };

typedef struct end {
    double u[4], lost, fastest; /* velocities at the end; largest x_dot on the way */
    double E[2];                /* energies at the start and at the end */
    long weakened, yields, reduced;
    int newton;             /* most Newton steps of a step, for its positions */
    int thuds[2], strikes;  /* of the first two contacts; strikes of all */
    double thud, before[2]; /* time of the last thud, and velocities of the first contact's gap before and after it */
} end;

static double energy_of(const carom_sim *sim, const carom_model_def *d) {
    double T = NAN, V = NAN;
    d->energy(d->context, carom_sim_time(sim), carom_sim_q(sim), carom_sim_u(sim), &T, &V);
    return T + V;
}

static void see_events(const carom_sim *sim, end *e) {
    int count;
    const carom_event *event = carom_sim_events(sim, &count);
    for (int i = 0; i < count; i++) {
        e->strikes += event[i].kind == CAROM_STRIKE;
        if (event[i].kind != CAROM_THUD || event[i].contact > 1) continue;
        e->thuds[event[i].contact]++;
        e->thud = event[i].time;
        memcpy(e->before, event[i].gap_dot, sizeof e->before);
    }
}

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
    e.E[0] = energy_of(sim, carom_model_get(m));
    while (!carom_sim_done(sim)) {
        if (carom_sim_step(sim, &error)) fail_msg("%s: %s", scheme, error.message);
        e.fastest = fmax(e.fastest, carom_sim_u(sim)[0]);
        see_events(sim, &e);
    }
    for (int i = 0; i < carom_model_get(m)->nu && i < 4; i++) e.u[i] = carom_sim_u(sim)[i];
    e.weakened = carom_sim_weakened(sim, &e.lost);
    e.yields = carom_sim_yields(sim, NULL);
    e.reduced = carom_sim_reduced(sim);
    e.newton = carom_sim_newton_max(sim, 0);
    e.E[1] = energy_of(sim, carom_model_get(m));
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

/* Each impact without rebound is an event: at 0.105 s, where it happens, or in the step that captures it, which is the
 * next one for schemes that strike where a gap was closed before. The mass comes with 1 m/s and stays. */
static void impacts_without_rebound_are_events(void **state) {
    static const char *const located[] = {"rattle, events: locate", "lobatto, stages: 2, events: locate",
                                          "lobatto, stages: 3, events: locate"};
    char text[1000];
    (void)state;
    snprintf(text, sizeof text, CORNER, "1.2", "1.2");
    for (int i = 0; i < SCHEMES + 3; i++) {
        bool finds = i >= SCHEMES;
        end e = run(text, finds ? located[i - SCHEMES] : schemes[i]);
        assert_int_equal(e.thuds[0], 1);
        assert_int_equal(e.thuds[1], 1);
        assert_int_equal(e.strikes, finds ? 2 : 0);
        assert_true(fabs(e.thud - 0.105) < (finds ? 1e-9 : 0.02));
        assert_true(fabs(e.before[0] + 1) < 1e-9 && fabs(e.before[1]) < 1e-8);
    }
    snprintf(text, sizeof text, CORNER, "0.9", "0.9");
    for (int i = 0; i < SCHEMES + 3; i++) {
        end e = run(text, i >= SCHEMES ? located[i - SCHEMES] : schemes[i]);
        assert_int_equal(e.thuds[0] + e.thuds[1], 0);
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

/* A capsule with strong friction and no restitution gets wedged between floor and wall and slides down along both.
 * Nothing that happens can give it energy. Percussions that only hold each other (S13) would throw it out of the corner
 * with four times as much. */
static void a_wedged_body_gains_nothing(void **state) {
    static const char *const positions[] = {"rattle", "nsga", "generalized_alpha"};
    (void)state;
    for (int i = 0; i < 3; i++) {
        end e = run("carom: 1\nmodel:\n"
                    "  gravity: [-3, -3, -9.81]\n"
                    "  bodies:\n"
                    "    b: {type: spatial, mass: 1, shape: {capsule: {radius: 0.05, length: 0.15}},\n"
                    "        position: [0.207, 0.21, 0.212], rotation: [-0.223, -1.045, -0.92, -0.187],\n"
                    "        velocity: [-1, -1, 0], angular_velocity: [-2.083, 3.757, 4.551]}\n"
                    "  contacts:\n"
                    "    floor: {between: [b, {body: world, plane: [0, 0, 1]}], friction: 1.5}\n"
                    "    wall: {between: [b, {body: world, plane: [1, 0, 0]}], friction: 1.5}\n"
                    "run: {integrator: %s, dt: 1e-3, until: 0.5}\n",
                    positions[i]);
        print_message("%s: E from %.4f to %.4f, %ld simpler steps\n", positions[i], e.E[0], e.E[1], e.reduced);
        assert_true(e.E[1] <= e.E[0]);
        assert_true((e.reduced > 0) == (i == 2)); /* (A14) is told */
    }
}

/* A capsule comes to rest in a corner, where the gap at one end cannot open without the other end. A body at rest obeys
 * all laws with percussions that carry its weight, so that nothing has to give way but on the way to rest; steps that
 * asked for the gaps back that were left then, (L6), would give way for ever. */
static void what_gave_way_is_not_asked_back(void **state) {
    static const char *const positions[] = {"rattle", "lobatto, stages: 3", "lobatto, stages: 4"};
    (void)state;
    for (int i = 0; i < 3; i++) {
        end e = run(
            "carom: 1\nmodel:\n"
            "  gravity: [-3, -3, -9.81]\n"
            "  bodies:\n"
            "    b: {type: spatial, mass: 1, shape: {capsule: {radius: 0.12, length: 0.36}},\n"
            "        position: [0.79, 0.914, 1.104], rotation: [0.938, -0.609, -0.356, 0.55],\n"
            "        velocity: [-2.733, -0.696, -0.648], angular_velocity: [0.531, -1.212, 0.62]}\n"
            "  contacts:\n"
            "    a: {between: [b, {body: world, plane: [-0.236, -0.231, 0.944]}], friction: 0.4, restitution: 0.5}\n"
            "    b: {between: [b, {body: world, plane: [0.966, -0.256, -0.033]}], friction: 0.4, restitution: 0.5}\n"
            "    c: {between: [b, {body: world, plane: [-0.128, 0.958, -0.256]}], friction: 0.4, restitution: 0.5}\n"
            "run: {integrator: %s, dt: 5.6e-3, until: 2.8}\n",
            positions[i]);
        print_message("%s: contacts gave way in %ld of 500 steps\n", positions[i], e.yields);
        for (int k = 0; k < 4; k++) assert_true(fabs(e.u[k]) < 1e-6);
        assert_true(e.yields < 25);
    }
}

/* (B19): a disk with six points comes down in a corner that holds it by friction, several points at once. Stages that
 * close one after the other contradict each other there; two of them do not. Whatever the stages, it comes to rest
 * where the motion with located events does, to first order: within dt times its fastest speed, 5 m/s, times its
 * weight of 4.5 N. */
static void two_stages_go_on_where_more_cannot(void **state) {
    static const char text[] =
        "carom: 1\nmodel:\n"
        "  gravity: [-3, -3, -9.81]\n"
        "  bodies:\n"
        "    b: {type: spatial, mass: 0.42, shape: {disk: 0.3, points: 6}, position: [0.4, 1.03, 0.363],\n"
        "        rotation: [0.962, 0.965, 0.34, 0.508], velocity: [-0.04, -0.85, -0.6],\n"
        "        angular_velocity: [-4.37, 3.48, 1.17]}\n"
        "  contacts:\n"
        "    a: {between: [b, {body: world, plane: [0, 0, 1]}], friction: 10}\n"
        "    b: {between: [b, {body: world, plane: [1, 0, 0]}], friction: 10}\n"
        "    c: {between: [b, {body: world, plane: [0, 1, 0]}], friction: 10}\n"
        "run: {integrator: %s, dt: 6.2e-3, until: 2}\n";
    (void)state;
    const end located = run(text, "lobatto, stages: 3, events: locate");
    for (int stages = 3; stages <= 4; stages++) {
        end e = run(text, stages == 3 ? "lobatto, stages: 3" : "lobatto, stages: 4");
        print_message("%d stages: %ld steps with two, E %.4f, located %.4f\n", stages, e.reduced, e.E[1], located.E[1]);
        assert_true(e.reduced > 0 && located.reduced == 0);
        for (int k = 0; k < 4; k++) assert_true(fabs(e.u[k]) < 1e-6);
        assert_true(fabs(e.E[1] - located.E[1]) < 6.2e-3 * 5 * 4.5);
    }
}

/* (B19): a disk with eight points falls over in a corner with much friction. A step by four stages costs at most the 25
 * Newton steps that all stages may take, and what two stages cost; twice that, since both motions fall over
 * differently, and only until 0.7 s: later a step of two stages may be as hard as any. Cures of all stages take 690. */
static void hard_steps_cost_what_two_stages_cost(void **state) {
    static const char text[] =
        "carom: 1\nmodel:\n"
        "  gravity: [0, 0, -9.81]\n"
        "  bodies:\n"
        "    b: {type: spatial, mass: 1, shape: {disk: 0.3, points: 8}, position: [0.6395, 0.6372, 0.7374],\n"
        "        rotation: [-0.9857, 0.5513, 0.6484, 0.2377], velocity: [-0.658, -0.205, -0.42],\n"
        "        angular_velocity: [-1.898, 1.646, -0.285]}\n"
        "  contacts:\n"
        "    a: {between: [b, {body: world, plane: [0, 0, 1]}], friction: 10}\n"
        "    b: {between: [b, {body: world, plane: [1, 0, 0]}], friction: 10}\n"
        "    c: {between: [b, {body: world, plane: [0, 1, 0]}], friction: 10}\n"
        "run: {integrator: %s, dt: 6.287e-3, until: 0.7}\n";
    (void)state;
    const end two = run(text, "lobatto, stages: 2"), four = run(text, "lobatto, stages: 4");
    print_message("most Newton steps: %d with two stages, %d with four\n", two.newton, four.newton);
    assert_true(four.reduced > 0);
    assert_true(four.newton <= 2 * (two.newton + 25));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rebounds_where_it_can),
        cmocka_unit_test(stays_where_it_cannot),
        cmocka_unit_test(others_keep_their_law),
        cmocka_unit_test(slow_rebounds_do_not_happen),
        cmocka_unit_test(a_wedged_body_gains_nothing),
        cmocka_unit_test(what_gave_way_is_not_asked_back),
        cmocka_unit_test(impacts_without_rebound_are_events),
        cmocka_unit_test(two_stages_go_on_where_more_cannot),
        cmocka_unit_test(hard_steps_cost_what_two_stages_cost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
