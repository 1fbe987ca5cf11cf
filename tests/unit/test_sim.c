/* Creating models and simulations from C, stepping, dividing failed steps, checkpoints, columns: on a ball that falls
 * on a table, y'' = -10, gap y, exactly solvable by hand. */
#include <limits.h>
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

static struct {
    double reach; /* positions are refused this long after the last accepted time */
    double accepted;
    double undefined_below; /* heights at which the force is not defined */
    double unpowered_below; /* or the power */
    bool lost;              /* gaps are NaN */
} behaviour;

static int mass(void *c, double t, const double *q, double *M) {
    (void)c, (void)q;
    behaviour.accepted = t;
    M[0] = 2;
    return 0;
}

static int force(void *c, double t, const double *q, const double *u, double *h, double *h_q, double *h_u) {
    (void)c, (void)t, (void)u;
    if (h) h[0] = q[0] < behaviour.undefined_below ? NAN : -20;
    if (h_q) h_q[0] = 0;
    if (h_u) h_u[0] = 0;
    return 0;
}

static int position(void *c, double t, const double *q, double *g, double *g_q) {
    (void)c;
    if (g) g[0] = behaviour.lost ? NAN : q[0];
    if (g_q) g_q[0] = 1;
    return t - behaviour.accepted > behaviour.reach;
}

static int velocity(void *c, double t, const double *q, const double *u, double *s, double *WT, double *s_q) {
    (void)c, (void)t, (void)q;
    if (s) s[0] = u[0];
    if (WT) WT[0] = 1;
    if (s_q) s_q[0] = 0;
    return 0;
}

static int direction_q(void *c, double t, const double *q, const double *r, double *Wr_q) {
    (void)c, (void)t, (void)q, (void)r;
    Wr_q[0] = 0;
    return 0;
}

static int energy(void *c, double t, const double *q, const double *u, double *T, double *V) {
    (void)c, (void)t;
    *T = u[0] * u[0];
    *V = 20 * q[0];
    return 0;
}

static double turning;

static int support(void *c, double t, const double *q, const double *u, double *v) {
    (void)c, (void)q, (void)u;
    v[0] = cos(turning * t), v[1] = sin(turning * t), v[2] = 0, v[3] = turning;
    return 0;
}

static const carom_model_contact TABLE = {.name = "table", .restitution = 0.5};
static const double ONE = 1, ZERO = 0;

static carom_model_def ball(void) {
    behaviour.reach = 1e9;
    behaviour.undefined_below = behaviour.unpowered_below = -1e9;
    behaviour.lost = false;
    carom_model_def d = carom_model_default();
    d.nq = d.nu = d.contacts = 1;
    d.contact = &TABLE;
    d.q0 = &ONE;
    d.u0 = &ZERO;
    d.mass = mass;
    d.force = force;
    d.position = position;
    d.velocity = velocity;
    d.direction_q = direction_q;
    d.energy = energy;
    return d;
}

static carom_sim *simulate(carom_model **model, double dt, double until) {
    carom_model_def d = ball();
    carom_error error;
    carom_sim *sim;
    carom_run_def run = carom_run_default();
    run.dt = dt;
    run.until = until;
    assert_int_equal(carom_model_create(&d, model, &error), CAROM_OK);
    assert_int_equal(carom_sim_create(*model, &run, &sim, &error), CAROM_OK);
    return sim;
}

static double column(carom_sim *sim, const char *name) {
    double row[64];
    carom_error error;
    assert_int_equal(carom_sim_row(sim, row, &error), CAROM_OK);
    for (int i = 0; i < carom_sim_columns(sim); i++)
        if (!strcmp(carom_sim_column_name(sim, i), name)) return row[i];
    fail_msg("no column %s", name);
    return 0;
}

/* ---------------------------------------------------------------- bad definitions */

static void expect_refusal(const carom_model_def *d, const char *part) {
    carom_model *model;
    carom_error error;
    assert_int_equal(carom_model_create(d, &model, &error), CAROM_DATA);
    assert_null(model);
    if (!strstr(error.message, part)) fail_msg("'%s' lacks '%s'", error.message, part);
}

static int anchor(void *context, double t, const double *q, double *values) {
    (void)context, (void)t;
    values[0] = q[0];
    return 0;
}

static void refuses_models(void **state) {
    (void)state;
    carom_model_def d = ball();
    d.nq = 0;
    expect_refusal(&d, "at least one coordinate");
    d = ball(), d.contacts = -1;
    expect_refusal(&d, "negative");
    d = ball(), d.nq = 2;
    expect_refusal(&d, "kinematics");
    d = ball(), d.mass = NULL;
    expect_refusal(&d, "mass and force");
    d = ball(), d.u0 = NULL;
    expect_refusal(&d, "initial state");
    static const double nowhere = NAN;
    d = ball(), d.q0 = &nowhere;
    expect_refusal(&d, "not finite: q0[0]");
    d = ball(), d.position = NULL;
    expect_refusal(&d, "position");
    d = ball(), d.velocity = NULL;
    expect_refusal(&d, "velocity");
    d = ball(), d.contact = NULL;
    expect_refusal(&d, "descriptions");
    static const int second = 1;
    d = ball(), d.supports = 1;
    expect_refusal(&d, "supports need");
    d.support = support, d.support_row = &second;
    expect_refusal(&d, "support 1 is of no");
    static const int first = 0;
    d = ball(), d.anchors = 1;
    expect_refusal(&d, "anchors need their coordinates");
    d.anchor = anchor, d.anchor_q = &first;
    expect_refusal(&d, "anchors need the function kinematics");
    static const carom_rotation outside[] = {{.q = -1}, {.u = -1}, {.q = 1}, {.u = 2}, {.q = INT_MAX}, {.u = INT_MAX}};
    static const double four[4] = {1, 0, 0, 0};
    d = ball(), d.rotations = 1;
    expect_refusal(&d, "rotations need");
    d.nq = d.nu = 4, d.q0 = d.u0 = four;
    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++) {
        d.rotation = &outside[i];
        expect_refusal(&d, "rotation 1 lies outside");
    }
    struct {
        carom_model_contact contact;
        const char *part;
    } contacts[] = {{{.name = "a", .slips = 4}, "0 to 3"},
                    {{.name = "a", .slips = 1, .friction = -0.1}, "friction"},
                    {{.name = "a", .slips = 1, .friction = NAN}, "friction"},
                    {{.name = "a", .slips = 1, .restitution = 1.1}, "restitution"},
                    {{.name = "a", .slips = 1, .tangential_restitution = -1}, "tangential_restitution"},
                    {{.name = "a", .slips = 1, .rest = -1e-6}, "rest must not"},
                    {{.name = "a", .slips = 1, .rest = INFINITY}, "rest must not"},
                    {{.slips = 1, .restitution = NAN}, "restitution"}};
    for (size_t i = 0; i < sizeof contacts / sizeof *contacts; i++) {
        d = ball(), d.contact = &contacts[i].contact;
        expect_refusal(&d, contacts[i].part);
    }
    static const int none[] = {0, 0}, down[] = {0, -1}, late[] = {1, 1}, far[] = {0, 1}, column_two[] = {1};
    d = ball(), d.M = (carom_pattern){2, 1, none, none};
    expect_refusal(&d, "expected 1 x 1");
    d = ball(), d.M = (carom_pattern){1, 1, late, none};
    expect_refusal(&d, "start with 0");
    d = ball(), d.M = (carom_pattern){1, 1, down, none};
    expect_refusal(&d, "negative length");
    d = ball(), d.M = (carom_pattern){1, 1, far, column_two};
    expect_refusal(&d, "ascend");
}

static void refuses_runs(void **state) {
    (void)state;
    carom_model_def d = ball();
    carom_model *model;
    carom_sim *sim;
    carom_error error;
    carom_option option = {"stages", NULL, 3}, choice = {"variant", "publshed", 0};
    assert_int_equal(carom_model_create(&d, &model, &error), CAROM_OK);
    struct {
        carom_run_def run;
        const char *part;
    } runs[] = {{{"ratle", 1e-2, 1, 1e-10, NULL, 0, false}, "did you mean 'rattle'?"},
                {{NULL, 1e-2, 1, 1e-10, NULL, 0, false}, "no integrator"},
                {{"rattle", 0, 1, 1e-10, NULL, 0, false}, "dt must be positive"},
                {{"rattle", NAN, 1, 1e-10, NULL, 0, false}, "dt must be positive"},
                {{"rattle", 1e-2, -1, 1e-10, NULL, 0, false}, "until"},
                {{"rattle", 1e-20, 1, 1e-10, NULL, 0, false}, "too small"},
                {{"rattle", 1e-2, 1, 0, NULL, 0, false}, "tolerance"},
                {{"rattle", 1e-2, 1, INFINITY, NULL, 0, false}, "tolerance"},
                {{"rattle", 1e-2, 1, 1e-10, &option, 1, false}, "no option 'stages'"},
                {{"rattle", 1e-2, 1, 1e-10, &choice, 1, false}, "'cured' or 'published'"}};
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        assert_int_equal(carom_sim_create(model, &runs[i].run, &sim, &error), CAROM_DATA);
        assert_null(sim);
        if (!strstr(error.message, runs[i].part)) fail_msg("'%s' lacks '%s'", error.message, runs[i].part);
    }
    carom_model_destroy(model);
}

/* ---------------------------------------------------------------- stepping */

/* Steps end at the first t >= until; free fall is quadratic in t, so RATTLE has it exactly. */
static void falls(void **state) {
    (void)state;
    carom_model *model;
    carom_sim *sim = simulate(&model, 0.03, 0.4);
    carom_error error;
    assert_int_equal(carom_sim_total_steps(sim), 14);
    while (!carom_sim_done(sim)) assert_int_equal(carom_sim_step(sim, &error), CAROM_OK);
    assert_int_equal(carom_sim_steps(sim), 14);
    double t = carom_sim_time(sim);
    assert_true(fabs(t - 0.42) < 1e-15);
    assert_true(fabs(carom_sim_q(sim)[0] - (1 - 5 * t * t)) < 1e-14); /* round-off of 14 steps */
    assert_true(fabs(carom_sim_u(sim)[0] + 10 * t) < 1e-14);
    assert_int_equal(carom_sim_contact(sim, 0), CAROM_OPEN);
    assert_true(carom_sim_percussion(sim)[0] == 0);
    carom_sim_destroy(sim);
    carom_model_destroy(model);
}

/* An impact with e = 0.5: in the step that closes the gap the velocity turns to half of that at its start. At rest the
 * percussion of a step is the weight times dt. */
static void bounces_and_rests(void **state) {
    (void)state;
    carom_model *model;
    carom_sim *sim = simulate(&model, 0.01, 3);
    carom_error error;
    double before = 0;
    bool struck = false;
    while (!carom_sim_done(sim)) {
        assert_int_equal(carom_sim_step(sim, &error), CAROM_OK);
        assert_true(column(sim, "table.gap") >= -1e-14);
        if (!struck && carom_sim_percussion(sim)[0] > 0) {
            struck = true;
            assert_true(fabs(carom_sim_u(sim)[0] + 0.5 * before) < 1e-13);
            assert_true(fabs(before + sqrt(20)) < 0.11); /* free fall from 1, within a step */
        }
        before = carom_sim_u(sim)[0];
    }
    assert_true(struck);
    assert_true(fabs(column(sim, "table.PN") - 0.2) < 1e-9 && fabs(column(sim, "q1")) < 1e-9);
    assert_true(column(sim, "E") == column(sim, "T") + column(sim, "V"));
    assert_true(column(sim, "table.state") != CAROM_OPEN);
    assert_true(carom_sim_residual(sim) <= 1e-10);
    carom_sim_destroy(sim);
    carom_model_destroy(model);
}

/* A step that has no solution in one piece is taken in parts, and counted: here dt = 0.08 can be evaluated only 0.021
 * ahead, so 4 parts it is. The motion is that of free fall all the same, and percussions are those of the whole step.
 */
static void divides_steps(void **state) {
    (void)state;
    carom_model *model;
    carom_sim *sim = simulate(&model, 0.08, 0.4);
    carom_error error;
    behaviour.reach = 0.021;
    while (!carom_sim_done(sim)) {
        assert_int_equal(carom_sim_step(sim, &error), CAROM_OK);
        assert_true(carom_sim_residual(sim) <= 1e-10); /* of the parts that were accepted */
    }
    assert_int_equal(carom_sim_substeps(sim), 5);
    assert_true(fabs(carom_sim_q(sim)[0] - 0.2) < 1e-14);
    carom_sim_destroy(sim);
    carom_model_destroy(model);
}

/* A model that stops being defined ends the run with a reason, and the state is that of the last accepted step. */
static void fails_honestly(void **state) {
    (void)state;
    carom_model *model;
    carom_sim *sim = simulate(&model, 0.01, 3);
    carom_error error;
    carom_status status = CAROM_OK;
    behaviour.undefined_below = 0.5;
    unsigned long long hash = 0;
    while (!status) {
        hash = carom_sim_hash(sim);
        status = carom_sim_step(sim, &error);
    }
    assert_int_equal(status, CAROM_FAILED);
    assert_true(carom_sim_hash(sim) == hash);
    assert_non_null(strstr(error.message, "finite"));
    assert_non_null(strstr(error.message, "t = 0.31"));
    assert_true(fabs(carom_sim_time(sim) - 0.31) < 1e-12); /* 1 - 5 t^2 passes 0.5 at t = 0.316 */
    assert_int_equal(carom_sim_step(sim, &error), CAROM_FAILED);
    carom_sim_destroy(sim);
    carom_model_destroy(model);
}

/* A support that turns at 20 rad/s, that is 23 degrees in a step of 0.02: in the air nobody minds, the step in which
 * the ball strikes the table, at t = sqrt(0.2), is taken in two parts, and so is the one that starts with the contact
 * closed. At 100 times the rate no division helps; the state is that before the step. */
static void follows_supports(void **state) {
    (void)state;
    const int row = 0;
    carom_model_def d = ball();
    carom_model *model;
    carom_sim *sim;
    carom_error error;
    carom_run_def run = carom_run_default();
    run.integrator = "moreau", run.dt = 0.02, run.until = 0.5;
    d.supports = 1, d.support_row = &row, d.support = support;
    assert_int_equal(carom_model_create(&d, &model, &error), CAROM_OK);
    for (turning = 20; turning < 2001; turning *= 100) {
        carom_status status = CAROM_OK;
        assert_int_equal(carom_sim_create(model, &run, &sim, &error), CAROM_OK);
        while (!status && !carom_sim_done(sim)) {
            assert_int_equal(carom_sim_substeps(sim) > 0, carom_sim_time(sim) > 0.45);
            status = carom_sim_step(sim, &error);
        }
        assert_int_equal(status, turning < 100 ? CAROM_OK : CAROM_FAILED);
        if (status) assert_non_null(strstr(error.message, "'table'"));
        if (status) assert_true(fabs(carom_sim_time(sim) - 0.44) < 1e-12);
        else assert_int_equal(carom_sim_substeps(sim), 2);
        carom_sim_destroy(sim);
    }
    carom_model_destroy(model);
}

/* A gap that is no number is noticed by schemes that only look at its sign, too. */
static void notices_lost_gaps(void **state) {
    (void)state;
    carom_model_def d = ball();
    carom_model *model;
    carom_error error;
    assert_int_equal(carom_model_create(&d, &model, &error), CAROM_OK);
    for (int i = 0; i < carom_integrators(); i++) {
        carom_run_def run = carom_run_default();
        carom_sim *sim;
        run.integrator = carom_integrator(i)->name;
        behaviour.lost = true;
        if (carom_sim_create(model, &run, &sim, &error) == CAROM_DATA) continue; /* not made for this ball */
        assert_int_equal(carom_sim_step(sim, &error), CAROM_FAILED);
        assert_non_null(strstr(error.message, "finite"));
        carom_sim_destroy(sim);
    }
    carom_model_destroy(model);
}

/* Kinematics with more positions than velocities that refuse to go on: named as a failure of the positions, by every
 * scheme. q_i_dot = u, not defined beyond q = 0.01. */
static int stuck_kinematics(void *c, double t, const double *q, const double *u, double *q_dot, double *B,
                            double *q_dot_q) {
    (void)c, (void)t;
    for (int i = 0; i < 8; i++) {
        if (q_dot) q_dot[i] = q[i] > 0.01 ? NAN : u[0];
        if (B) B[i] = 1;
        for (int j = 0; q_dot_q && j < 8; j++) q_dot_q[8 * i + j] = 0;
    }
    return 0;
}

static int no_force(void *c, double t, const double *q, const double *u, double *h, double *h_q, double *h_u) {
    (void)c, (void)t, (void)q, (void)u;
    if (h) h[0] = 0;
    for (int i = 0; h_q && i < 8; i++) h_q[i] = 0;
    if (h_u) h_u[0] = 0;
    return 0;
}

static void names_stuck_kinematics(void **state) {
    (void)state;
    static const double q0[8] = {0}, u0[1] = {1};
    carom_model_def d = carom_model_default();
    carom_model *model;
    carom_error error;
    d.nq = 8, d.nu = 1, d.q0 = q0, d.u0 = u0, d.mass = mass, d.force = no_force, d.kinematics = stuck_kinematics;
    assert_int_equal(carom_model_create(&d, &model, &error), CAROM_OK);
    for (int i = 0; i < carom_integrators(); i++) {
        carom_run_def run = carom_run_default();
        carom_sim *sim;
        carom_status status = CAROM_OK;
        run.integrator = carom_integrator(i)->name;
        if (carom_sim_create(model, &run, &sim, &error) == CAROM_DATA) continue; /* a scheme for q_dot = u */
        assert_non_null(sim);
        while (!status) status = carom_sim_step(sim, &error);
        assert_int_equal(status, CAROM_FAILED);
        assert_non_null(strstr(error.message, "for the positions"));
        assert_true(fabs(carom_sim_q(sim)[0] - 0.01) < 1e-12); /* ten steps of 1e-3 fit */
        carom_sim_destroy(sim);
    }
    carom_model_destroy(model);
}

/* ---------------------------------------------------------------- units */

/* A pendulum as a constraint written in three ways, long and with small steps: round-off of L^2 eps must not count as
 * an error, and a factor in front must not change what the tolerance means. */
static void units_do_not_matter(void **state) {
    (void)state;
    static const char *constraints[] = {"x^2 + y^2 - L^2", "1e-8*(x^2 + y^2 - L^2)", "1e6*(sqrt(x^2 + y^2) - L)"};
    for (size_t i = 0; i < sizeof constraints / sizeof *constraints; i++) {
        char rod[128];
        snprintf(rod, sizeof rod, "model.constraints.rod=%s", constraints[i]);
        const char *overrides[] = {rod};
        carom_scene *scene;
        carom_sim *sim;
        carom_error error;
        if (carom_scene_load("tests/unit/long_pendulum.yaml", overrides, 1, &scene, &error))
            fail_msg("%s", error.message);
        assert_int_equal(carom_sim_create(carom_scene_model(scene), carom_scene_run(scene), &sim, &error), CAROM_OK);
        while (!carom_sim_done(sim)) {
            if (carom_sim_step(sim, &error)) fail_msg("%s: %s", constraints[i], error.message);
            const double *q = carom_sim_q(sim);
            assert_true(fabs(hypot(q[0], q[1]) - 100) < 1e-12 + 100 * 8 * 2.3e-16); /* tolerance times dt, round-off */
        }
        assert_int_equal(carom_sim_substeps(sim), 0);
        carom_sim_destroy(sim);
        carom_scene_destroy(scene);
    }
}

/* ---------------------------------------------------------------- checkpoints */

static void resumes_with_the_same_bits(void **state) {
    (void)state;
    carom_model *model, *other;
    carom_sim *sim = simulate(&model, 0.01, 2), *second = simulate(&other, 0.01, 2);
    carom_error error;
    double *saved = malloc(carom_sim_state_size(sim) * sizeof *saved);
    int saves = 0;
    while (!carom_sim_done(sim)) {
        assert_int_equal(carom_sim_step(sim, &error), CAROM_OK);
        if (!carom_sim_checkpoint(sim)) continue;
        carom_sim_save(sim, saved);
        saves++;
    }
    assert_int_equal(saves, 200 / CAROM_CHECKPOINT);
    assert_int_equal(carom_sim_load(second, saved, &error), CAROM_OK);
    assert_int_equal(carom_sim_steps(second), 200 / CAROM_CHECKPOINT * CAROM_CHECKPOINT);
    while (!carom_sim_done(second)) assert_int_equal(carom_sim_step(second, &error), CAROM_OK);
    assert_true(carom_sim_hash(sim) == carom_sim_hash(second));
    for (int k = 0; k < carom_sim_stages(sim); k++) {
        assert_true(carom_sim_newton_mean(sim, k) == carom_sim_newton_mean(second, k));
        assert_int_equal(carom_sim_newton_max(sim, k), carom_sim_newton_max(second, k));
    }
    free(saved);
    carom_sim_destroy(sim);
    carom_sim_destroy(second);
    carom_model_destroy(model);
    carom_model_destroy(other);
}

/* The optional functions power and symmetry: upwards is a symmetry that gravity breaks, as momentum map 2 y_dot. The
 * weight is in V already; on top of it a power of 6. */
static int power(void *c, double t, const double *q, const double *u, double *value, double *G) {
    (void)c, (void)t, (void)u;
    if (value) *value = 6;
    if (G) *G = 0;
    return q[0] < behaviour.unpowered_below;
}

static int symmetry(void *c, double t, const double *q, double *xi) {
    (void)c, (void)t, (void)q;
    xi[0] = 1;
    return 0;
}

static int mass_q(void *c, double t, const double *q, const double *v, double *Mv_q) {
    (void)c, (void)t, (void)q, (void)v;
    Mv_q[0] = 0;
    return 0;
}

static void optional_functions(void **state) {
    (void)state;
    static const char *const upwards = "upwards";
    carom_model_def d = ball();
    carom_model *model;
    carom_sim *sim;
    carom_error error;
    carom_run_def run = carom_run_default();
    d.symmetries = 1;
    expect_refusal(&d, "the function symmetry");
    d.symmetry = symmetry, d.symmetry_names = &upwards, d.power = power;
    assert_int_equal(carom_model_create(&d, &model, &error), CAROM_OK);
    assert_int_equal(carom_sim_create(model, &run, &sim, &error), CAROM_OK);
    for (int i = 0; i < 250; i++) assert_int_equal(carom_sim_step(sim, &error), CAROM_OK);
    assert_true(fabs(column(sim, "work.forces") - 1.5) < 1e-12); /* 6 for 0.25 s, summed in 250 steps */
    assert_true(fabs(column(sim, "upwards") + 5) < 1e-12);       /* -m g t */
    behaviour.unpowered_below = 0.6; /* reached in 0.03 s: no number is better than a wrong one, and the run goes on */
    for (int i = 0; i < 100; i++) assert_int_equal(carom_sim_step(sim, &error), CAROM_OK);
    assert_true(isnan(column(sim, "work.forces")) && fabs(column(sim, "upwards") + 7) < 1e-12);
    carom_sim_destroy(sim);
    carom_model_destroy(model);

    d.mass_q = mass_q; /* M depends on q: what p is only the model could tell */
    assert_int_equal(carom_model_create(&d, &model, &error), CAROM_OK);
    assert_int_equal(carom_sim_create(model, &run, &sim, &error), CAROM_DATA);
    assert_non_null(strstr(error.message, "momentum"));
    carom_model_destroy(model);
}

/* Across an impact in a step taken in parts: the loss of the step is that of its parts, and all of them together is the
 * work of impacts. Velocities before and after a part differ, but the sum is what T and the weight leave. */
static void divided_losses(void **state) {
    (void)state;
    carom_model *model;
    carom_sim *sim = simulate(&model, 0.08, 2);
    carom_error error;
    behaviour.reach = 0.021;
    double loss = 0, weight = 0;
    while (!carom_sim_done(sim)) {
        double v = column(sim, "q1_dot"), T = column(sim, "T"), impacts = column(sim, "work.impacts");
        assert_int_equal(carom_sim_step(sim, &error), CAROM_OK);
        loss += column(sim, "table.loss");
        assert_true(fabs(impacts - column(sim, "work.impacts") - column(sim, "table.loss")) < 1e-13);
        if (column(sim, "table.PN") == 0) {
            weight = -20 * 0.08 * (v + column(sim, "q1_dot")) / 2;
            assert_true(fabs(column(sim, "T") - T - weight) < 1e-12);
        }
    }
    assert_int_equal(carom_sim_substeps(sim), 25);
    assert_true(loss > 5 && fabs(loss + column(sim, "work.impacts")) < 1e-12);
    carom_sim_destroy(sim);
    carom_model_destroy(model);
}

static void names_columns(void **state) {
    (void)state;
    carom_model *model;
    carom_sim *sim = simulate(&model, 0.01, 2);
    const char *expected[] = {
        "t", "q1", "q1_dot", "table.gap",    "table.gap_dot", "table.PN", "table.state", "table.loss",
        "T", "V",  "E",      "work.impacts", "newton",        "newton.1", "newton.2",    "residual"};
    assert_int_equal(carom_sim_columns(sim), sizeof expected / sizeof *expected);
    for (int i = 0; i < carom_sim_columns(sim); i++) assert_string_equal(carom_sim_column_name(sim, i), expected[i]);
    carom_sim_destroy(sim);
    carom_model_destroy(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_models),
        cmocka_unit_test(refuses_runs),
        cmocka_unit_test(falls),
        cmocka_unit_test(bounces_and_rests),
        cmocka_unit_test(divides_steps),
        cmocka_unit_test(fails_honestly),
        cmocka_unit_test(follows_supports),
        cmocka_unit_test(notices_lost_gaps),
        cmocka_unit_test(names_stuck_kinematics),
        cmocka_unit_test(units_do_not_matter),
        cmocka_unit_test(names_columns),
        cmocka_unit_test(optional_functions),
        cmocka_unit_test(divided_losses),
        cmocka_unit_test(resumes_with_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
