/* Corrections after a step that held contacts by their rates, (V15), (V16), against the balance of momentum: a block
 * that slides along the floor, or sticks to it, has come off by a little. */
#include "integrator/settle.h"
#include "scene/scene.h"
#include "support/trial.h"

#include <math.h>
#include <string.h>

static const double mass = 2, mu = 0.3, speed = 1, lift = 1e-3, height = 1e-6;

typedef struct bench {
    carom_scene *scene;
    blow blow;
    scales scales;
    settler settler;
    phase x;
} bench;

/* A step has ended with the given percussion of the floor, and friction at its limit, where it should not be. */
static void set_up(bench *b, carom_contact_state state, double PN) {
    static const char text[] = "carom: 1\nmodel:\n  coordinates: {x: 0, y: 0}\n  kinetic: x_dot^2 + y_dot^2\n"
                               "  contacts: {floor: {gap: y, slip: x_dot, friction: 0.3}}\n"
                               "run: {integrator: lobatto, dt: 0.01, until: 1}\n";
    carom_error error = {0};
    if (scene_load_text(text, sizeof text - 1, "test.yaml", NULL, &b->scene, &error)) fail_msg("%s", error.message);
    const carom_model *m = carom_scene_model(b->scene);
    assert_true(blow_create(&b->blow, m) && scales_create(&b->scales, m));
    assert_true(settler_create(&b->settler, m, &b->blow, &b->scales) && phase_create(&b->x, m, m->ns, 0));
    b->scales.tolerance = 1e-13, b->scales.dt = 0.01;
    motion *x = &b->x.x;
    x->q[1] = height, x->u[0] = state == CAROM_SLIP ? speed : 0, x->u[1] = lift;
    x->contact[0] = state, b->x.sense[0] = 1;
    x->P[m->N] = PN, x->P[m->F] = -mu * PN;
    scales_move(&b->scales, x);
}

static void take_down(bench *b) {
    phase_destroy(&b->x);
    settler_destroy(&b->settler);
    scales_destroy(&b->scales);
    blow_destroy(&b->blow);
    carom_scene_destroy(b->scene);
}

/* The block is back on the floor and does not leave it; sliding friction takes its part of that, sticking none. */
static void test_back_on_the_floor(void **state) {
    (void)state;
    for (int sticks = 0; sticks < 2; sticks++) {
        bench b = {0};
        set_up(&b, sticks ? CAROM_STICK : CAROM_SLIP, 0.5);
        settle(&b.settler, &b.x, true, 1e-13);
        assert_near(b.x.x.q[1], 0, 1e-15);
        assert_near(b.x.x.u[1], 0, 1e-13);
        assert_near(b.x.x.u[0], sticks ? 0 : speed + mu * lift, 1e-13);
        take_down(&b);
    }
}

/* Percussions that keep the states take up the momentum of the correction: m lift less. Those that obey laws do not: a
 * light touch, 0.001 N s, would become a pull of the same size, and its friction leave the cone. */
static void test_percussions(void **state) {
    (void)state;
    for (int counted = 0; counted < 2; counted++) {
        bench b = {0};
        const double PN = mass * lift / 2;
        set_up(&b, CAROM_SLIP, PN);
        const carom_model *m = carom_scene_model(b.scene);
        settle(&b.settler, &b.x, counted, 1e-13);
        const double *P = b.x.x.P;
        assert_near(P[m->N], counted ? PN - mass * lift : PN, 1e-13);
        assert_near(P[m->F], -mu * P[m->N], 1e-13);
        if (!counted) assert_at_least(friction_margin(m, 0, P), -1e-15);
        take_down(&b);
    }
}

/* The stone of a catapult lies in its cup, in a corner that holds it at more places than it can move: contacts are held
 * by their rates, and forces are not unique. Steps of such a run end with percussions that obey the laws, (V14), and
 * the correction of velocities is none of theirs: while the arm swings, before anything strikes, all of them are in
 * their cones, to the rounding of what is added up over a step. */
static void test_percussions_of_a_run(void **state) {
    (void)state;
    static const char *const overrides[] = {"run.integrator=rattle", "run.events=locate"};
    carom_scene *scene;
    carom_sim *sim;
    carom_error error;
    if (carom_scene_load("scenes/gallery/catapult.yaml", overrides, 2, &scene, &error)) fail_msg("%s", error.message);
    const carom_model *m = carom_scene_model(scene);
    if (carom_sim_create(m, carom_scene_run(scene), &sim, &error)) fail_msg("%s", error.message);
    double worst = 0, most = 0;
    int pressed = 0;
    while (carom_sim_time(sim) < 0.199) {
        if (carom_sim_step(sim, &error)) fail_msg("%s", error.message);
        const double *P = carom_sim_percussion(sim);
        for (int k = 0; k < m->def.contacts; k++) {
            worst = fmin(worst, fmin(P[m->N + k], friction_margin(m, k, P)));
            most = fmax(most, P[m->N + k]), pressed += P[m->N + k] > 0;
        }
    }
    print_message("%d percussions up to %g, least margin %g\n", pressed, most, worst);
    assert_true(pressed > 300);
    assert_at_least(worst, -1e-14 * most);
    carom_sim_destroy(sim);
    carom_scene_destroy(scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_back_on_the_floor), cmocka_unit_test(test_percussions),
                                       cmocka_unit_test(test_percussions_of_a_run)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
