/* Laws and integrators of a program's own: registered, listed, run against exact solutions, and checked; what is wrong
 * with them is found. carom's own pass the same checks. */
#include "carom/plugin.h"
#include "law/law.h"
#include "support/trial.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- a law: friction acts along each axis for itself, C = [-radius, radius]^n */

static void box_prox(int n, const double *x, double radius, double *p) {
    for (int i = 0; i < n; i++) p[i] = fmax(-radius, fmin(x[i], radius));
}

static void box_linearise(int n, const double *v, const double *w, double radius, carom_law_row *row) {
    carom_law_hold(n, v, row);
    if (!(radius > 0)) {
        carom_law_open(n, w, row);
        return;
    }
    for (int i = 0; i < n; i++) {
        double x = v[i] - w[i];
        if (fabs(x) <= radius) continue;
        row->branch = CAROM_LAW_SLIDE;
        row->row[i] = w[i] + copysign(radius, x);
        row->v[i][i] = 0, row->w[i][i] = 1, row->radius[i] = copysign(1, x);
    }
}

static const carom_law_def box = {.info = {.name = "box",
                                           .title = "Friction along each axis for itself",
                                           .set = "C = {|x_i| <= mu P_N}",
                                           .reference = "none"},
                                  .least = 1,
                                  .most = 2,
                                  .prox = box_prox,
                                  .linearise = box_linearise};

/* ---- another one, of one slip: the hairs of a ski, C = [-radius, radius/4]. It slides easily forwards only. */

static void hair_prox(int n, const double *x, double radius, double *p) {
    (void)n;
    p[0] = radius > 0 ? fmax(-radius, fmin(x[0], radius / 4)) : 0;
}

static void hair_linearise(int n, const double *v, const double *w, double radius, carom_law_row *row) {
    double x = v[0] - w[0], p;
    if (!(radius > 0)) {
        carom_law_open(n, w, row);
        return;
    }
    carom_law_hold(n, v, row);
    hair_prox(n, &x, radius, &p);
    if (p == x) return;
    row->branch = CAROM_LAW_SLIDE;
    row->row[0] = w[0] + p;
    row->v[0][0] = 0, row->w[0][0] = 1, row->radius[0] = p / radius;
}

static const carom_law_def hair = {.info = {.name = "hair",
                                            .title = "Friction four times as large backwards",
                                            .set = "C = [-mu P_N, mu P_N/4]",
                                            .reference = "none"},
                                   .least = 1,
                                   .most = 1,
                                   .prox = hair_prox,
                                   .linearise = hair_linearise};

/* ---- an integrator: half a step of motion, the kick of a whole step, half a step of motion */

typedef struct middle {
    carom_node *node;
    double *q;
    long steps; /* of a scheme that remembers what it should not */
} middle;

static carom_status create(const carom_model *model, const carom_run_def *run, void **self, int *memory,
                           carom_error *error) {
    (void)run, (void)error;
    middle *m = *self = calloc(1, sizeof *m);
    *memory = 0;
    if (m) m->node = carom_node_create(model), m->q = calloc((size_t)carom_model_get(model)->nq, sizeof *m->q);
    return m && m->node && m->q ? CAROM_OK : CAROM_MEMORY;
}

static void destroy(void *self) {
    middle *m = self;
    if (!m) return;
    carom_node_destroy(m->node);
    free(m->q);
    free(m);
}

static bool start(void *self, carom_motion *first, carom_step_report *report) {
    (void)self, (void)first, (void)report;
    return true;
}

static bool step(void *self, const carom_motion *now, carom_motion *next, double dt, double tolerance,
                 carom_step_report *report) {
    middle *m = self;
    carom_motion half = *next;
    half.t = now->t + dt / 2, half.q = m->q;
    if (!carom_node_advance(m->node, now, now->u, &half, dt / 2, tolerance, report) ||
        !carom_node_kick(m->node, half.t, half.q, now->u, dt / 2, dt / 2, now->P, tolerance, report))
        return false;
    carom_node_read(m->node, next);
    return carom_node_advance(m->node, &half, next->u, next, dt / 2, tolerance, report);
}

static void forget(void *self) {
    carom_node_forget(((middle *)self)->node);
}

#define TEXTS                                                                                                          \
    .title = "Motion, kick, motion", .order = "2", .conserves = "momentum", .needs = "M, h, W", .stability = "none",   \
    .reference = "none"
#define FUNCTIONS .stages = 1, .any_laws = true, .create = create, .destroy = destroy, .start = start, .forget = forget

static const carom_integrator_def own_middle = {.info = {.name = "own_middle",
                                                         TEXTS,
                                                         .promise = {.order = 2,
                                                                     .velocity_order = 2,
                                                                     .joint_order = 1,
                                                                     .rolling_order = 1,
                                                                     .event_order = 1,
                                                                     .momentum = true,
                                                                     .energy = true,
                                                                     .velocities = false}},
                                                FUNCTIONS,
                                                .step = step};

/* A law of impact of one's own: the process goes on until the gap opens with e times the speed before (Routh). */
static double expand_to_speed(const carom_expansion *x) {
    return (x->restitution * x->speed - x->gap_dot) / x->slope;
}
static const carom_law_def routh = {.info = {.name = "routh",
                                             .title = "Newton's restitution at the end of a process",
                                             .set = "expansion until gN_dot = e_N times the speed before",
                                             .reference = "Routh (1877)",
                                             .energy = CAROM_ENERGY_MAY_GROW,
                                             .impact = true},
                                    .expand = expand_to_speed};

/* ---- tests */

static void listed_and_refused(void **state) {
    (void)state;
    carom_error error;
    int laws = carom_laws(), integrators = carom_integrators();
    assert_int_equal(carom_law_register(&box, &error), CAROM_OK);
    assert_int_equal(carom_law_register(&hair, &error), CAROM_OK);
    assert_int_equal(carom_law_register(&routh, &error), CAROM_OK);
    assert_int_equal(carom_integrator_register(&own_middle, &error), CAROM_OK);
    assert_int_equal(carom_laws(), laws + 3);
    assert_string_equal(carom_law(laws)->name, "box");
    assert_string_equal(carom_integrator(integrators)->name, "own_middle");
    assert_int_equal(carom_law_register(&box, &error), CAROM_DATA);
    assert_string_equal(error.message, "there is already a law 'box'");
    assert_int_equal(carom_integrator_register(&own_middle, &error), CAROM_DATA);
    assert_string_equal(error.message, "there is already an integrator 'own_middle'");
    carom_law_def lame = box;
    lame.info.name = "coulomb";
    assert_int_equal(carom_law_register(&lame, &error), CAROM_DATA);
    lame.info.name = "two words";
    assert_int_equal(carom_law_register(&lame, &error), CAROM_DATA);
    lame.info.name = "lame", lame.prox = NULL;
    assert_int_equal(carom_law_register(&lame, &error), CAROM_DATA);
    assert_string_equal(error.message, "the law 'lame' needs the functions prox and linearise");
    carom_integrator_def idle = own_middle;
    idle.info.name = "idle", idle.forget = NULL;
    assert_int_equal(carom_integrator_register(&idle, &error), CAROM_DATA);
    lame = routh, lame.info.name = "lame", lame.expand = NULL;
    assert_int_equal(carom_law_register(&lame, &error), CAROM_DATA);
    assert_string_equal(error.message, "the law 'lame' needs the function expand");
    assert_int_equal(carom_laws(), laws + 3);
    assert_int_equal(carom_integrators(), integrators + 1);
}

static void expect_none(int count, const carom_finding *findings, const char *what) {
    for (int i = 0; i < count && i < 8; i++) printf("%s: %s\n", what, findings[i].text);
    assert_int_equal(count, 0);
}

static void laws_pass(void **state) {
    (void)state;
    carom_finding findings[8];
    int friction = 0, impact = 0;
    for (int i = 0; i < carom_laws(); i++) {
        const law *l = law_find(carom_law(i)->name);
        if (l->most == 0 && !l->info.impact) continue;
        expect_none(carom_law_check(l, findings, 8), findings, l->info.name);
        friction += !l->info.impact, impact += l->info.impact;
    }
    assert_true(friction >= 3); /* coulomb, coulomb_contensou, box */
    assert_true(impact >= 5);   /* newton, poisson, energetic, plastic, routh */
}

static void integrators_pass(void **state) {
    (void)state;
    carom_finding findings[8];
    for (int i = 0; i < carom_integrators(); i++) {
        const char *name = carom_integrator(i)->name;
        expect_none(carom_integrator_check(name, findings, 8), findings, name);
    }
}

/* v = (2, 1), mu g = 5: along x 0.4 in 0.4 s, along y 0.1 in 0.2 s. Steps of capturing schemes are late by a step. */
static void block_stops(const char *integrator) {
    const double dt = 1e-3;
    trial run = trial_text("carom: 1\nmodel:\n"
                           "  coordinates: {x: {velocity: 2}, y: {velocity: 1}, z: 0}\n"
                           "  kinetic: (x_dot^2 + y_dot^2 + z_dot^2)/2\n  potential: 10*z\n"
                           "  contacts: {floor: {gap: z, slip: [x_dot, y_dot], friction: 0.5, law: box}}\n"
                           "run: {integrator: %s, dt: %g, until: 0.6}\n",
                           integrator, dt);
    while (!carom_sim_done(run.sim)) trial_step(&run);
    const double *q = carom_sim_q(run.sim), *u = carom_sim_u(run.sim);
    assert_true(fabs(q[0] - 0.4) < 2 * 2 * dt);
    assert_true(fabs(q[1] - 0.1) < 2 * 1 * dt);
    assert_true(fabs(u[0]) < 1e-9 && fabs(u[1]) < 1e-9);
    trial_close(&run);
}

static void friction_by_own_law(void **state) {
    (void)state;
    static const char *const names[] = {
        "moreau",  "symmetric_moreau",   "variational_moreau", "theta", "nsga", "rattle", "rattle, variant: published",
        "lobatto", "lobatto, stages: 4", "own_middle"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) block_stops(names[i]);
}

/* mu P_N = 4 N holds 1 kg backwards, 1 N forwards. Thrown forwards with 2 m/s it stops at t = 2, x = 2. From t = 3 on a
 * load grows so that it reaches one of both bounds at t = 5, by the rate k, and then x - 2 = k (t - 5)^3/6. Located
 * runs of order 4 are exact; rattle misses k dt^2/12 of the mean acceleration, and captured ones a step or two. */
static void ski_slides(const char *integrator, double k, double bound) {
    const double dt = 0.01;
    int count = 0;
    double last = 0;
    trial run = trial_text("carom: 1\nmodel:\n  coordinates: {x: {velocity: 2}, z: 0}\n"
                           "  kinetic: (x_dot^2 + z_dot^2)/2\n  potential: 10*z\n"
                           "  forces: {x: \"%g*max(0, t - 3)\"}\n"
                           "  contacts: {snow: {gap: z, slip: x_dot, friction: 0.4, law: hair}}\n"
                           "run: {integrator: %s, dt: %g, until: 6}\n",
                           k, integrator, dt);
    while (!carom_sim_done(run.sim)) {
        trial_step(&run);
        const carom_event *event = carom_sim_events(run.sim, &count);
        for (int i = 0; i < count; i++) last = event[i].kind == CAROM_BREAK ? event[i].time : last;
    }
    assert_near(carom_sim_q(run.sim)[0], 2 + k / 6, bound);
    assert_near(carom_sim_u(run.sim)[0], k / 2, bound);
    if (carom_sim_locates(run.sim)) assert_near(last, 5, 1e-9);
    trial_close(&run);
}

static void interval_of_one_slip(void **state) {
    static const struct {
        const char *name;
        double bound;
    } by[] = {{"moreau", 0.05},
              {"symmetric_moreau", 0.05},
              {"variational_moreau", 0.05},
              {"theta", 0.05},
              {"nsga", 0.05},
              {"generalized_alpha", 0.05},
              {"rattle", 0.05},
              {"lobatto", 0.05},
              {"own_middle", 0.05},
              {"rattle, events: locate", 2e-4 / 6 + 1e-9},
              {"lobatto, events: locate", 1e-9}};
    (void)state;
    for (size_t i = 0; i < sizeof by / sizeof *by; i++)
        for (int back = 0; back < 2; back++) ski_slides(by[i].name, back ? -2 : 0.5, by[i].bound);
    trial_refused("has no derivatives where events are located", "g",
                  "carom: 1\nparameters: {g: 10}\nmodel:\n  coordinates: {x: {velocity: 2}, z: 0}\n"
                  "  kinetic: (x_dot^2 + z_dot^2)/2\n  potential: g*z\n"
                  "  contacts: {snow: {gap: z, slip: x_dot, friction: 0.4, law: hair}}\n"
                  "run: {integrator: lobatto, events: locate, dt: 0.01, until: 1}\n");
}

static void laws_of_contacts_are_checked(void **state) {
    (void)state;
    static const char *const model = "carom: 1\nmodel:\n  coordinates: {x: 0, y: 0}\n  kinetic: (x_dot^2 + y_dot^2)/2\n"
                                     "  contacts: {floor: {gap: y, slip: %s, friction: 0.5, law: %s}}\n"
                                     "run: {integrator: %s, dt: 1e-3, until: 1}\n";
    static const struct {
        const char *slip, *law, *integrator, *message;
    } cases[] = {
        {"x_dot", "bx", "moreau", "there is no law 'bx', did you mean 'box'?"},
        {"x_dot", "coulomb_contensou", "moreau",
         "there is no law 'coulomb_contensou' for contact 'floor' with 1 slips"},
        {"x_dot", "signorini", "moreau", "there is no law 'signorini' for contact 'floor' with 1 slips"},
        {"[x_dot, y_dot]", "box", "generalized_alpha",
         "integrator 'generalized_alpha' needs one force for every direction of slip, contact 'floor' has the law "
         "'box' "
         "and 2 slips"},
        {"[x_dot, y_dot]", "box", "moreau", NULL},
        {"[x_dot, y_dot]", "box", "rattle, events: locate",
         "'events: locate' needs one force for every direction of slip, contact 'floor' has the law 'box' and 2 slips"},
        {"x_dot", "box", "rattle, events: locate", NULL},
        {"x_dot", "coulomb", "rattle, events: locate", NULL},
        {"x_dot", "box", "moreau", NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[600];
        carom_scene *scene = NULL;
        carom_sim *sim = NULL;
        carom_error error;
        snprintf(text, sizeof text, model, cases[i].slip, cases[i].law, cases[i].integrator);
        carom_status status = carom_scene_parse(text, strlen(text), "test", NULL, 0, &scene, &error);
        if (!status) status = carom_sim_create(carom_scene_model(scene), carom_scene_run(scene), &sim, &error);
        assert_int_equal(status, cases[i].message ? CAROM_DATA : CAROM_OK);
        if (cases[i].message && strncmp(error.message, cases[i].message, strlen(cases[i].message)))
            fail_msg("'%s'", error.message);
        carom_sim_destroy(sim);
        carom_scene_destroy(scene);
    }
}

/* ---- what is wrong is found */

static void short_prox(int n, const double *x, double radius, double *p) {
    box_prox(n, x, radius, p);
    for (int i = 0; i < n; i++) p[i] *= 0.9;
}

static void late_linearise(int n, const double *v, const double *w, double radius, carom_law_row *row) {
    box_linearise(n, v, w, radius, row);
    row->radius[0] = 0;
}

static void holding_linearise(int n, const double *v, const double *w, double radius, carom_law_row *row) {
    (void)w, (void)radius;
    carom_law_hold(n, v, row);
}

/* A ball of mass 1 without friction: every law gives e times the speed. */
static void impact_by_own_law(void **state) {
    static const char *const names[] = {"moreau", "theta", "nsga", "rattle", "lobatto, events: locate", "own_middle"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        trial run =
            trial_text("carom: 1\nmodel:\n  coordinates: {z: {start: 0.1, velocity: -1}}\n  kinetic: z_dot^2/2\n"
                       "  contacts: {floor: {gap: z, restitution: 0.6, impact: routh}}\n"
                       "run: {integrator: %s, dt: 1e-2, until: 0.3}\n",
                       names[i]);
        trial_finish(&run);
        assert_near(carom_sim_u(run.sim)[0], 0.6, 1e-9);
        trial_close(&run);
    }
}

static double expand_twice(const carom_expansion *x) {
    return sqrt(4 * x->absorbed / x->slope) - x->expansion;
}

static void wrong_statements_are_found(void **state) {
    carom_law_def wrong = routh;
    carom_finding finding;
    (void)state;
    wrong.info.energy = CAROM_ENERGY_NEVER_GROWS, wrong.expand = expand_twice;
    assert_int_equal(carom_law_check(&wrong, &finding, 1), 1);
    assert_non_null(strstr(finding.text, "releases"));
}

static void wrong_laws_are_found(void **state) {
    (void)state;
    carom_finding finding;
    carom_law_def wrong = box;
    wrong.prox = short_prox;
    assert_true(carom_law_check(&wrong, &finding, 1) > 0);
    wrong = box, wrong.linearise = late_linearise;
    assert_int_equal(carom_law_check(&wrong, &finding, 1), 1);
    assert_non_null(strstr(finding.text, "derivatives"));
    wrong = box, wrong.linearise = holding_linearise;
    assert_true(carom_law_check(&wrong, &finding, 1) > 0);
}

/* Euler: the kick at the start and then the whole motion, of first order. */
static bool euler_step(void *self, const carom_motion *now, carom_motion *next, double dt, double tolerance,
                       carom_step_report *report) {
    middle *m = self;
    if (!carom_node_kick(m->node, now->t, now->q, now->u, dt, 0, now->P, tolerance, report)) return false;
    carom_node_read(m->node, next);
    return carom_node_advance(m->node, now, next->u, next, dt, tolerance, report);
}

/* The forces of every step but the first are a little larger. */
static bool remembering_step(void *self, const carom_motion *now, carom_motion *next, double dt, double tolerance,
                             carom_step_report *report) {
    middle *m = self;
    bool good = step(self, now, next, dt, tolerance, report);
    next->u[0] *= m->steps++ ? 1 + 1e-12 : 1;
    return good;
}

/* It does not know contacts. */
static bool falling_step(void *self, const carom_motion *now, carom_motion *next, double dt, double tolerance,
                         carom_step_report *report) {
    bool good = step(self, now, next, dt, tolerance, report);
    next->u[0] = now->u[0] - 9.81 * dt, next->q[0] = now->q[0] + dt * now->u[0];
    return good;
}

static void expect_finding(carom_integrator_def *wrong, const char *name, const char *text) {
    static carom_integrator_def keep[4];
    static int kept;
    carom_finding findings[8];
    bool found = false;
    wrong->info.name = name;
    keep[kept] = *wrong;
    assert_int_equal(carom_integrator_register(&keep[kept++], NULL), CAROM_OK);
    int count = carom_integrator_check(name, findings, 8);
    for (int i = 0; i < count && i < 8; i++) found = found || strstr(findings[i].text, text);
    for (int i = 0; i < count && i < 8 && !found; i++) printf("%s: %s\n", name, findings[i].text);
    assert_true(found);
}

static void wrong_integrators_are_found(void **state) {
    (void)state;
    carom_integrator_def wrong = own_middle;
    wrong.step = euler_step;
    expect_finding(&wrong, "own_euler", "converges with order");
    wrong = own_middle, wrong.step = remembering_step;
    expect_finding(&wrong, "own_memory", "other bits");
    wrong = own_middle, wrong.step = falling_step;
    expect_finding(&wrong, "own_fall", "sinks into the floor");
    wrong = own_middle, wrong.info.promise.positions = true;
    expect_finding(&wrong, "own_boast", "positions are promised");
    carom_finding finding;
    assert_int_equal(carom_integrator_check("nobody", &finding, 1), 1);
}

static bool mute_step(void *self, const carom_motion *now, carom_motion *next, double dt, double tolerance,
                      carom_step_report *report) {
    (void)self, (void)now, (void)next, (void)dt, (void)tolerance, (void)report;
    return false;
}

/* A step that fails has a reason, also where the scheme has none. */
static void failures_have_reasons(void **state) {
    (void)state;
    static carom_integrator_def mute;
    carom_error error = {0};
    mute = own_middle, mute.info.name = "own_mute", mute.step = mute_step;
    assert_int_equal(carom_integrator_register(&mute, NULL), CAROM_OK);
    trial run = trial_text("carom: 1\nmodel: {coordinates: {x: 1}, kinetic: x_dot^2/2}\n"
                           "run: {integrator: own_mute, dt: 0.1, until: 1}\n");
    assert_int_equal(carom_sim_step(run.sim, &error), CAROM_FAILED);
    assert_non_null(strstr(error.message, "failed: own_mute finds no step and gives no reason"));
    trial_close(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(listed_and_refused),    cmocka_unit_test(laws_pass),
        cmocka_unit_test(integrators_pass),      cmocka_unit_test(friction_by_own_law),
        cmocka_unit_test(interval_of_one_slip),  cmocka_unit_test(laws_of_contacts_are_checked),
        cmocka_unit_test(impact_by_own_law),     cmocka_unit_test(wrong_statements_are_found),
        cmocka_unit_test(wrong_laws_are_found),  cmocka_unit_test(wrong_integrators_are_found),
        cmocka_unit_test(failures_have_reasons),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
