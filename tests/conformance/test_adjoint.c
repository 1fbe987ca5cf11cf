/* Gradients by the adjoint against derivatives that go along with the motion: two ways through the same steps, so that
 * only round-off may tell them apart (docs/theory/sensitivity.md, (SE50)). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "carom/carom.h"

enum { MOST = 400, LENGTH = 80 };

static carom_error error;

static void check(carom_status status) {
    if (status) fail_msg("%s", error.message);
}

static carom_sim *simulate(const carom_scene *scene) {
    carom_sim *sim;
    check(carom_sim_create(carom_scene_model(scene), carom_scene_run(scene), &sim, &error));
    return sim;
}

/* ---------------------------------------------------------------- what a scene can be differentiated by */

typedef struct names {
    char text[MOST][LENGTH];
    const char *list[MOST];
    int count;
} names;

/* Those that a closed contact of the start refuses are left out. */
static void add(names *n, const carom_scene *scene, const char *prefix, const char *name) {
    char *text = n->text[n->count];
    if (n->count == MOST) return;
    snprintf(text, LENGTH, "%s%s", prefix, name);
    n->list[n->count] = text;
    carom_sim *sim = simulate(scene);
    if (!carom_sim_trace(sim, &n->list[n->count], 1, 0, &error)) n->count++;
    carom_sim_destroy(sim);
}

static void find_names(names *n, const carom_scene *scene) {
    const carom_model_def *d = carom_model_get(carom_scene_model(scene));
    n->count = 0;
    for (int i = 0; i < d->parameters; i++)
        if (!d->parameter_fixed || !d->parameter_fixed[i]) add(n, scene, "", d->parameter_names[i]);
    for (int i = 0; i < d->nq; i++) add(n, scene, "start.", d->q_names[i]);
    for (int i = 0; i < d->nu; i++) add(n, scene, "start.", d->u_names[i]);
}

/* ---------------------------------------------------------------- both ways */

/* The number: a sum of all coordinates and velocities at the end with weights of both signs, and of the time of the
 * last event of the run that was located. */
typedef struct number {
    double *q, *u; /* weights */
    long step;     /* of that event; -1: none */
    int event;
} number;

static double weight(int i) {
    return 1 + 2 * sin(1 + 3.7 * i);
}

static void follow(carom_sim *sim, number *n, int derivatives, double *by) {
    n->step = -1;
    while (!carom_sim_done(sim)) {
        int events;
        check(carom_sim_step(sim, &error));
        carom_sim_events(sim, &events);
        if (events == 0 || !carom_sim_locates(sim)) continue;
        n->step = carom_sim_steps(sim), n->event = events - 1;
        for (int k = 0; k < derivatives; k++) by[k] = carom_sim_event_by(sim, events - 1, k);
    }
    if (carom_sim_lost(sim)) fail_msg("%s", carom_sim_lost(sim));
}

/* Relative to the largest derivative. */
static double difference(const carom_scene *scene, const names *n, size_t memory) {
    static double forward[MOST], backward[MOST];
    const carom_model_def *d = carom_model_get(carom_scene_model(scene));
    carom_sim *ahead = simulate(scene), *back = simulate(scene);
    number x = {calloc((size_t)d->nq + 1, sizeof(double)), calloc((size_t)d->nu + 1, sizeof(double)), -1, 0};
    double worst = 0, most = 1e-3;
    for (int i = 0; i < d->nq; i++) x.q[i] = weight(i);
    for (int i = 0; i < d->nu; i++) x.u[i] = weight(d->nq + i);
    memset(forward, 0, sizeof forward);
    check(carom_sim_differentiate(ahead, n->list, n->count, &error));
    follow(ahead, &x, n->count, forward);
    for (int k = 0; k < n->count; k++) {
        for (int i = 0; i < d->nq; i++) forward[k] += x.q[i] * carom_sim_q_by(ahead, k)[i];
        for (int i = 0; i < d->nu; i++) forward[k] += x.u[i] * carom_sim_u_by(ahead, k)[i];
        most = fmax(most, fabs(forward[k]));
    }
    check(carom_sim_trace(back, n->list, n->count, memory, &error));
    follow(back, &x, 0, NULL);
    const unsigned long long end = carom_sim_hash(back);
    assert_true(end == carom_sim_hash(ahead));
    const carom_weight weights[] = {{carom_sim_steps(back), -1, x.q, x.u, 0}, {x.step, x.event, NULL, NULL, 1}};
    check(carom_sim_gradient(back, weights, x.step < 0 ? 1 : 2, backward, &error));
    assert_true(end == carom_sim_hash(back));
    for (int k = 0; k < n->count; k++) worst = fmax(worst, fabs(backward[k] - forward[k]) / most);
    carom_sim_destroy(ahead);
    carom_sim_destroy(back);
    free(x.q);
    free(x.u);
    return worst;
}

/* Scenes with impacts, stick, stops, lift-off, slip in two directions, joints, quaternions, anchors, beams, switches
 * and given motions, by both schemes, captured and located; each in one piece, and from checkpoints every 32 steps. */
static void scenes_agree(void **state) {
    static const char *const cases[][5] = {
        {"scenes/gallery/shaken_ball.yaml"},
        {"scenes/gallery/belt.yaml"},
        {"scenes/gallery/impact_oscillator.yaml"},
        {"scenes/gallery/rimless_wheel.yaml"},
        {"scenes/gallery/compass_walker.yaml"},
        {"scenes/gallery/column.yaml"},
        {"scenes/gallery/polar_pendulum.yaml", "run.until=1"},
        {"scenes/gallery/crank_driven.yaml", "run.until=0.05"},
        {"scenes/gallery/crank_motor.yaml", "run.until=0.3"},
        {"scenes/gallery/heavy_top.yaml", "run.until=0.2"},
        {"scenes/gallery/rolling_disk.yaml", "run.until=0.5"},
        {"scenes/gallery/cardan.yaml", "run.until=0.3"},
        {"scenes/gallery/spin_up.yaml", "run.integrator=rattle", "run.dt=1e-4", "run.until=0.002"},
        {"scenes/gallery/stick_slip.yaml", "run.until=1"},
        {"scenes/gallery/turning_slide.yaml"},
        {"scenes/gallery/thrown_ball.yaml"},
        {"scenes/gallery/tethered_puck.yaml", "run.until=1"},
        {"scenes/gallery/shaken_table.yaml", "run.until=1"},
        {"scenes/gallery/shaken_table.yaml", "run.until=1", "run.integrator=rattle"},
        {"scenes/paper/rattle/slider_crank.yaml", "run.until=0.02"},
        {"scenes/paper/lobatto/slider_crank.yaml", "run.until=0.02"}};
    static names n;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        carom_scene *scene;
        int overrides = 0;
        while (cases[i][1 + overrides]) overrides++;
        check(carom_scene_load(cases[i][0], &cases[i][1], overrides, &scene, &error));
        find_names(&n, scene);
        const double whole = difference(scene, &n, 0), parts = difference(scene, &n, 1);
        printf("%-42s %3d derivatives: apart by %.1e, from checkpoints by %.1e\n", cases[i][0], n.count, whole, parts);
        if (!(whole <= 1e-10 && parts <= 1e-10)) fail_msg("the adjoint of %s is another one", cases[i][0]);
        carom_scene_destroy(scene);
    }
}

/* ---------------------------------------------------------------- what it says */

static const char ball[] = "carom: 1\n"
                           "parameters: {g: 9.81, e: 0.8, h: 1}\n"
                           "model:\n"
                           "  coordinates: {z: {start: h}}\n"
                           "  kinetic: z_dot^2/2\n"
                           "  potential: g*z\n"
                           "  contacts: {floor: {gap: z, restitution: e}}\n"
                           "run: {integrator: lobatto, events: locate, dt: 0.05, until: 0.6}\n";

/* Steps go on after a gradient, and the next one knows all of them: d z/d h of the flight after the bounce in closed
 * form, z = e v s - g s^2/2, s = t - v/g, v = sqrt(2 g h). */
static void gradients_may_be_asked_for_again(void **state) {
    (void)state;
    const char *by[] = {"h"};
    const double one = 1, g = 9.81, e = 0.8;
    carom_scene *scene;
    double found;
    check(carom_scene_parse(ball, strlen(ball), "ball", NULL, 0, &scene, &error));
    for (size_t memory = 0; memory < 2; memory++) {
        carom_sim *sim = simulate(scene);
        check(carom_sim_trace(sim, by, 1, memory, &error));
        while (!carom_sim_done(sim)) {
            check(carom_sim_step(sim, &error));
            const carom_weight w = {carom_sim_steps(sim), -1, &one, NULL, 0};
            check(carom_sim_gradient(sim, &w, 1, &found, &error));
            const double v = sqrt(2 * g), t = carom_sim_time(sim), s = t - v / g, v_h = g / v;
            const double expected = s < 0 ? 1 : e * v_h * s + (e * v - g * s) * (-v_h / g);
            if (!(fabs(found - expected) <= 1e-11)) fail_msg("at t = %g: %.15g, not %.15g", t, found, expected);
        }
        carom_sim_destroy(sim);
    }
    carom_scene_destroy(scene);
}

static void expect(carom_status status, const char *sentence) {
    if (!status || !strstr(error.message, sentence))
        fail_msg("'%s' expected, not '%s'", sentence, status ? error.message : "(nothing)");
}

/* What has no derivative has no gradient, with the same sentence. */
static void refusals_are_the_same(void **state) {
    (void)state;
    static const char *const nothing[] = {"mass"};
    static const char *const by[] = {"e"};
    static const char *const at_end[] = {"parameters.h=1.22625",
                                         "run.until=0.5"}; /* v/g = 0.5: it ends at the impact */
    carom_scene *scene;
    double found;
    check(carom_scene_parse(ball, strlen(ball), "ball", at_end, 2, &scene, &error));
    carom_sim *sim = simulate(scene);
    expect(carom_sim_trace(sim, nothing, 1, 0, &error), "there is no parameter 'mass'");
    check(carom_sim_trace(sim, by, 1, 0, &error));
    check(carom_sim_run(sim, &error));
    const double one = 1;
    const carom_weight w = {carom_sim_steps(sim), -1, &one, NULL, 0};
    if (carom_sim_lost(sim)) expect(carom_sim_gradient(sim, &w, 1, &found, &error), "at the very end of the last step");
    carom_sim_destroy(sim);
    carom_scene_destroy(scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scenes_agree),
        cmocka_unit_test(gradients_may_be_asked_for_again),
        cmocka_unit_test(refusals_are_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
