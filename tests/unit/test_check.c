/* carom_model_check finds every wrong entry of every function, by name, and nothing in a right model. */
#include "carom/carom.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---------------------------------------------------------------- a model that uses everything
 *
 * q = (x, phi), u = (v, w), with
 *   q_dot = (v + x w + t, w + sin(x)/2)
 *   p = ((2 + x^2) v + 0.3 w + t phi, 0.3 v + 1.5 w)       M = dp/du
 *   b = (-k x + v w phi, -sin(phi) - v^2)                  h = b - p_q q_dot - p_t
 *   g = x cos(phi) - t,  gap = phi + x^2 + 1/2,  gamma = w - x v,  slip = v + phi w + sin(x) */
enum { NONE, B, Q_DOT_Q, M, MV_Q, H_Q, H_U, P_Q, B_Q, B_U, C_Q, WT, S_Q, WR_Q, VALUE_H, VALUE_C, VALUE_S, VALUE_NAN };

typedef struct mistake {
    int where, entry;
    double amount;
} mistake;

static const double k = 3;

static void spoil(const mistake *wrong, int where, double *values) {
    if (wrong->where == where && values) values[wrong->entry] += wrong->amount;
}

static int kinematics(void *wrong, double t, const double *q, const double *u, double *q_dot, double *Bu, double *q_q) {
    double x = q[0];
    if (q_dot) q_dot[0] = u[0] + x * u[1] + t, q_dot[1] = u[1] + sin(x) / 2;
    if (Bu) memcpy(Bu, (double[]){1, x, 0, 1}, 4 * sizeof *Bu);
    if (q_q) memcpy(q_q, (double[]){u[1], 0, cos(x) / 2, 0}, 4 * sizeof *q_q);
    spoil(wrong, B, Bu);
    spoil(wrong, Q_DOT_Q, q_q);
    return 0;
}

static int mass(void *wrong, double t, const double *q, double *Mq) {
    (void)t;
    memcpy(Mq, (double[]){2 + q[0] * q[0], 0.3, 0.3, 1.5}, 4 * sizeof *Mq);
    spoil(wrong, M, Mq);
    return 0;
}

static int mass_q(void *wrong, double t, const double *q, const double *v, double *Mv_q) {
    (void)t;
    memcpy(Mv_q, (double[]){2 * q[0] * v[0], 0, 0, 0}, 4 * sizeof *Mv_q);
    spoil(wrong, MV_Q, Mv_q);
    return 0;
}

static int force(void *wrong, double t, const double *q, const double *u, double *h, double *h_q, double *h_u) {
    double x = q[0], phi = q[1], v = u[0], w = u[1], x_dot = v + x * w + t, phi_dot = w + sin(x) / 2;
    if (h) h[0] = -k * x + v * w * phi - 2 * x * v * x_dot - t * phi_dot - phi, h[1] = -sin(phi) - v * v;
    if (h_q)
        memcpy(h_q, (double[]){-k - 2 * v * x_dot - 2 * x * v * w - t * cos(x) / 2, v * w - 1, 0, -cos(phi)},
               4 * sizeof *h_q);
    if (h_u)
        memcpy(h_u, (double[]){w * phi - 2 * x * x_dot - 2 * x * v, v * phi - 2 * x * v * x - t, -2 * v, 0},
               4 * sizeof *h_u);
    spoil(wrong, VALUE_H, h);
    spoil(wrong, H_Q, h_q);
    spoil(wrong, H_U, h_u);
    if (h && ((mistake *)wrong)->where == VALUE_NAN) h[1] = NAN;
    return 0;
}

static int momentum(void *wrong, double t, const double *q, const double *u, double *p, double *p_q, double *b,
                    double *b_q, double *b_u) {
    double x = q[0], phi = q[1], v = u[0], w = u[1];
    if (p) p[0] = (2 + x * x) * v + 0.3 * w + t * phi, p[1] = 0.3 * v + 1.5 * w;
    if (p_q) memcpy(p_q, (double[]){2 * x * v, t, 0, 0}, 4 * sizeof *p_q);
    if (b) b[0] = -k * x + v * w * phi, b[1] = -sin(phi) - v * v;
    if (b_q) memcpy(b_q, (double[]){-k, v * w, 0, -cos(phi)}, 4 * sizeof *b_q);
    if (b_u) memcpy(b_u, (double[]){w * phi, v * phi, -2 * v, 0}, 4 * sizeof *b_u);
    spoil(wrong, P_Q, p_q);
    spoil(wrong, B_Q, b_q);
    spoil(wrong, B_U, b_u);
    return 0;
}

static int position(void *context, double t, const double *q, double *c, double *c_q) {
    const mistake *wrong = context;
    double x = q[0], phi = q[1];
    if (c) c[0] = x * cos(phi) - t, c[1] = phi + x * x + 0.5;
    if (c && wrong->where == VALUE_C) c[wrong->entry] += wrong->amount * t; /* s lacks the rate of this */
    if (c_q) memcpy(c_q, (double[]){cos(phi), -x * sin(phi), 2 * x, 1}, 4 * sizeof *c_q);
    spoil(wrong, C_Q, c_q);
    return 0;
}

static int velocity(void *context, double t, const double *q, const double *u, double *s, double *Wt, double *s_q) {
    const mistake *wrong = context;
    double x = q[0], phi = q[1], v = u[0], w = u[1], x_dot = v + x * w + t, phi_dot = w + sin(x) / 2;
    double S = sin(phi), C = cos(phi);
    if (s) {
        s[0] = x_dot * C - x * S * phi_dot - 1;
        s[1] = w - x * v;
        s[2] = phi_dot + 2 * x * x_dot;
        s[3] = v + phi * w + sin(x);
    }
    if (Wt) memcpy(Wt, (double[]){C, x * C - x * S, -x, 1, 2 * x, 1 + 2 * x * x, 1, phi}, 8 * sizeof *Wt);
    if (s_q)
        memcpy(s_q,
               (double[]){w * C - S * phi_dot - x * S * cos(x) / 2, -x_dot * S - x * C * phi_dot, -v, 0,
                          cos(x) / 2 + 2 * x_dot + 2 * x * w, 0, cos(x), w},
               8 * sizeof *s_q);
    if (wrong->where == VALUE_S && s) s[3] += wrong->amount * v * v; /* no longer affine in u, derivative right */
    if (wrong->where == VALUE_S && Wt) Wt[6] += 2 * wrong->amount * v;
    spoil(wrong, WT, Wt);
    spoil(wrong, S_Q, s_q);
    return 0;
}

static int direction_q(void *wrong, double t, const double *q, const double *r, double *Wr_q) {
    (void)t;
    double x = q[0], S = sin(q[1]), C = cos(q[1]);
    memcpy(Wr_q, (double[]){-r[1] + 2 * r[2], -S * r[0], (C - S) * r[0] + 4 * x * r[2], (-x * S - x * C) * r[0] + r[3]},
           4 * sizeof *Wr_q);
    spoil(wrong, WR_Q, Wr_q);
    return 0;
}

static const char *const q_names[] = {"x", "phi"}, *const u_names[] = {"v", "w"}, *const g_names[] = {"rod"},
                         *const gamma_names[] = {"blade"};
static const carom_model_contact wall = {.name = "wall", .slips = 1, .friction = 0.3, .restitution = 0.5};
static const double q0[] = {0, 0}, u0[] = {1, 0}; /* on the constraints at t = 0 */

static carom_model_def full_def(mistake *wrong) {
    carom_model_def def = carom_model_default();
    def.nq = def.nu = 2;
    def.ng = def.ngamma = def.contacts = 1;
    def.q_names = q_names, def.u_names = u_names, def.g_names = g_names, def.gamma_names = gamma_names;
    def.contact = &wall;
    def.q0 = q0, def.u0 = u0;
    def.context = wrong;
    def.kinematics = kinematics;
    def.mass = mass, def.mass_q = mass_q;
    def.force = force, def.momentum = momentum;
    def.position = position, def.velocity = velocity, def.direction_q = direction_q;
    def.rheonomic = true;
    return def;
}

static int check(const carom_model_def *def, carom_finding *findings, int max) {
    carom_model *model;
    carom_error error;
    if (carom_model_create(def, &model, &error)) fail_msg("%s", error.message);
    int count = carom_model_check(model, findings, max);
    carom_model_destroy(model);
    return count;
}

/* Exactly one finding, fatal or not, whose text starts like this. */
static void expect_one(const carom_model_def *def, bool fatal, const char *start) {
    carom_finding f[4];
    int count = check(def, f, 4);
    if (count < 1) fail_msg("nothing found where '%s' was expected", start);
    if (count > 1) fail_msg("'%s', '%s' and so on where '%s' was expected", f[0].text, f[1].text, start);
    if (strncmp(f[0].text, start, strlen(start))) fail_msg("'%s' where '%s' was expected", f[0].text, start);
    assert_int_equal(f[0].fatal, fatal);
}

static void expect_none(const carom_model_def *def) {
    carom_finding f;
    if (check(def, &f, 1)) fail_msg("unexpected finding '%s'", f.text);
}

/* ---------------------------------------------------------------- tests */

static void right_model_has_no_findings(void **unused) {
    (void)unused;
    mistake none = {NONE, 0, 0};
    carom_model_def def = full_def(&none);
    expect_none(&def);
    def.momentum = NULL, def.direction_q = NULL; /* optional functions */
    expect_none(&def);
}

/* Every entry of every matrix, wrong by 1e-4: well below what a plot or the convergence of Newton's method shows. */
static void every_wrong_entry_is_named(void **unused) {
    (void)unused;
    const struct {
        int where, rows;
        const char *text;
        const char *const *row, *const *column;
    } matrices[] = {
        {B, 2, "dq_dot/du", q_names, u_names},
        {Q_DOT_Q, 2, "dq_dot/dq", q_names, q_names},
        {MV_Q, 2, "d(M v)/dq", u_names, q_names},
        {H_Q, 2, "dh/dq", u_names, q_names},
        {H_U, 2, "dh/du", u_names, u_names},
        {P_Q, 2, "dp/dq", u_names, q_names},
        {B_Q, 2, "db/dq", u_names, q_names},
        {B_U, 2, "db/du", u_names, u_names},
        {C_Q, 2, "dc/dq", (const char *const[]){"rod.g", "wall.gap"}, q_names},
        {WT, 4, "ds/du", (const char *const[]){"rod.g_dot", "blade.gamma", "wall.gap_dot", "wall.slip"}, u_names},
        {S_Q, 4, "ds/dq", (const char *const[]){"rod.g_dot", "blade.gamma", "wall.gap_dot", "wall.slip"}, q_names},
        {WR_Q, 2, "d(W r)/dq", u_names, q_names},
    };
    for (size_t m = 0; m < sizeof matrices / sizeof *matrices; m++)
        for (int entry = 0; entry < 2 * matrices[m].rows; entry++) {
            mistake wrong = {matrices[m].where, entry, 1e-4};
            carom_model_def def = full_def(&wrong);
            char start[128];
            snprintf(start, sizeof start, "%s[%s][%s] is ", matrices[m].text, matrices[m].row[entry / 2],
                     matrices[m].column[entry % 2]);
            expect_one(&def, true, start);
        }
}

static void sizes_are_the_errors(void **unused) {
    (void)unused;
    mistake wrong = {H_U, 2, -0.25};
    carom_model_def def = full_def(&wrong);
    carom_finding f;
    assert_int_equal(check(&def, &f, 1), 1);
    assert_true(fabs(f.size - 0.25) < 1e-6); /* 1e-7 relative is what a difference is trusted for */
}

static void mass_is_symmetric_and_the_derivative_of_momentum(void **unused) {
    (void)unused;
    mistake wrong = {M, 1, 1e-4};
    carom_model_def def = full_def(&wrong);
    carom_finding f[3];
    assert_int_equal(check(&def, f, 3), 2);
    for (int i = 0; i < 2; i++)
        assert_true(!strncmp(f[i].text, "dp/du = M[v][w] is ", 19) ||
                    !strncmp(f[i].text, "M[v][w] is 0.3001, but M[w][v] is 0.3", 37));
    def.momentum = NULL;
    expect_one(&def, true, "M[v][w] is 0.3001, but M[w][v] is 0.3");
}

static void values_fit_each_other(void **unused) {
    (void)unused;
    mistake wrong = {VALUE_H, 1, 1e-3};
    carom_model_def def = full_def(&wrong);
    expect_one(&def, true, "h[w] is ");
    wrong = (mistake){VALUE_C, 0, 1e-3};
    expect_one(&def, true, "s[rod.g_dot] is ");
    wrong = (mistake){VALUE_C, 1, 1e-3};
    expect_one(&def, true, "s[wall.gap_dot] is ");
    wrong = (mistake){VALUE_S, 0, 1e-3};
    def.direction_q = NULL;
    expect_one(&def, true, "s - W^T u[wall.slip] is ");
}

static void initial_state_is_checked(void **unused) {
    (void)unused;
    mistake none = {NONE, 0, 0};
    carom_model_def def = full_def(&none);
    double q[] = {0, -0.75}, u[] = {1 / cos(0.75), 0};
    def.q0 = q, def.u0 = u;
    expect_one(&def, true, "wall.gap is -0.25 at the start");
    q[1] = -0.5, u[0] = 1 / cos(0.5); /* closed; the gap's rate is w */
    expect_none(&def);
    u[1] = -2;
    carom_finding f[3];
    assert_int_equal(check(&def, f, 3), 2); /* blade = w - x v */
    assert_true(f[0].fatal && !strncmp(f[0].text, "blade.gamma is -2 at the start", 30));
    assert_true(!f[1].fatal && !strncmp(f[1].text, "wall.gap_dot is -2 at the start", 31));
    q[0] = 0.1, q[1] = 0, u[0] = 1 / 1.01, u[1] = 0.1 * u[0]; /* rod_dot = v + x w - 1 = 0, blade = 0 */
    expect_one(&def, true, "rod.g is 0.1 at the start");
    q[0] = 0, u[0] = 1.5, u[1] = 0;
    expect_one(&def, true, "rod.g_dot is 0.5 at the start");
    none.where = VALUE_NAN;
    def = full_def(&none);
    expect_one(&def, true, "h[w] is nan at the start");
}

static int massless(void *context, double t, const double *q, double *Mq) {
    (void)context, (void)t, (void)q;
    memcpy(Mq, (double[]){1, 2, 2, 4}, 4 * sizeof *Mq); /* rank one */
    return 0;
}

static int no_force(void *context, double t, const double *q, const double *u, double *h, double *h_q, double *h_u) {
    (void)context, (void)t, (void)q, (void)u;
    if (h) memset(h, 0, 2 * sizeof *h);
    if (h_q) memset(h_q, 0, 4 * sizeof *h_q);
    if (h_u) memset(h_u, 0, 4 * sizeof *h_u);
    return 0;
}

static int undefined_force(void *context, double t, const double *q, const double *u, double *h, double *h_q,
                           double *h_u) {
    (void)context, (void)t, (void)q, (void)u, (void)h, (void)h_q, (void)h_u;
    return 1;
}

static void singular_mass_and_undefined_functions(void **unused) {
    (void)unused;
    carom_model_def def = carom_model_default();
    def.nq = def.nu = 2;
    def.q0 = q0, def.u0 = u0;
    def.mass = massless, def.force = no_force;
    expect_one(&def, true, "M is not positive definite at the start: its pivot at q2_dot is 0");
    def.force = undefined_force;
    expect_one(&def, true, "h is not defined at the start");
}

/* ---- kinks, jumps, stiff and steep functions at the initial state must not raise a false alarm */

static int unit_mass(void *context, double t, const double *q, double *Mq) {
    (void)context, (void)t, (void)q;
    memcpy(Mq, (double[]){1, 0, 0, 1}, 4 * sizeof *Mq);
    return 0;
}

static int rough_force(void *context, double t, const double *q, const double *u, double *h, double *h_q, double *h_u) {
    (void)context, (void)t;
    double x = q[0], steep = exp(q[1] / 1e-3);
    if (h) h[0] = 5 * fabs(x) + (u[0] > 0) - (u[0] < 0), h[1] = -1e8 * x + steep;
    if (h_q) memcpy(h_q, (double[]){x < 0 ? -5 : 5, 0, -1e8, 1e3 * steep}, 4 * sizeof *h_q);
    if (h_u) memset(h_u, 0, 4 * sizeof *h_u);
    return 0;
}

static void no_false_alarms_at_kinks(void **unused) {
    (void)unused;
    double zero[] = {0, 0};
    carom_model_def def = carom_model_default();
    def.nq = def.nu = 2;
    def.q0 = def.u0 = zero;
    def.mass = unit_mass, def.force = rough_force;
    expect_none(&def);
}

/* ---- power and symmetries: a particle of mass 2 in a frame that runs off with velocity t, L = (v + t)^2 - x^2,
 * under a force -v/2 + 1:  E = (v + t)^2 + x^2,  p = 2 (v + t),  h = -2 x - v/2 + 1 - 2,  G = 2 v t + 2 t^2,
 * power = v (1 - v/2) - L_t,  L_t = 2 (v + t) */

static int frame_mass(void *wrong, double t, const double *q, double *Mq) {
    (void)wrong, (void)t, (void)q;
    Mq[0] = 2;
    return 0;
}

static int frame_force(void *wrong, double t, const double *q, const double *u, double *h, double *h_q, double *h_u) {
    (void)wrong, (void)t;
    if (h) h[0] = -2 * q[0] - u[0] / 2 - 1;
    if (h_q) h_q[0] = -2;
    if (h_u) h_u[0] = -0.5;
    return 0;
}

static int frame_energy(void *wrong, double t, const double *q, const double *u, double *T, double *V) {
    (void)wrong;
    *T = (u[0] + t) * (u[0] + t);
    *V = q[0] * q[0];
    return 0;
}

static int frame_power(void *wrong, double t, const double *q, const double *u, double *value, double *G) {
    (void)q;
    const double *w = wrong;
    if (value) *value = u[0] * (1 - u[0] / 2) - 2 * (u[0] + t) + w[0];
    if (G) *G = 2 * u[0] * t + 2 * t * t + w[1] * u[0];
    return 0;
}

static int frame_symmetry(void *wrong, double t, const double *q, double *xi) {
    (void)t, (void)q;
    xi[0] = ((double *)wrong)[2];
    return 0;
}

/* Gyroscopic torques of round bodies and slips at rest are sums that cancel: the round-off of their terms is all there
 * is, in a body of any mass. */
static void no_false_alarms_about_round_off(void **unused) {
    (void)unused;
    const char *const models[] = {
        "{bodies: {b: {type: spatial, mass: m, shape: {sphere: 0.1}, velocity: [0.3, 0.6, 0.6]}}}",
        "{bodies: {b: {type: spatial, mass: m, inertia: [0.01*m, 0.01*m, 0.01*m], angular_velocity: [0, 0, 3]}}}",
        "{bodies: {b: {type: spatial, mass: m, shape: {capsule: {radius: 0.1, length: 0.3}}, rotation: {axis: [1, 2, "
        "3], "
        "angle: 1}, angular_velocity: [0, 70, 2]}}}",
        "{bodies: {b: {type: spatial, mass: m, shape: {disk: 0.05}, position: [0, 0, 0.05*sin(0.3)], rotation: {axis: "
        "[0, 1, 0], angle: 0.3}, angular_velocity: [-15, 0, 0]}}, rolling: {r: {between: [b, {body: world, plane: [0, "
        "0, 1]}]}}}",
    };
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        for (double m = 1e-3; m < 2e3; m *= 7) {
            char text[640];
            carom_scene *scene;
            carom_error error;
            carom_finding f;
            int size = snprintf(text, sizeof text,
                                "carom: 1\nparameters: {m: %g}\nmodel: %s\n"
                                "run: {integrator: rattle, dt: 1, until: 1}\n",
                                m, models[i]);
            assert_in_range(size, 1, sizeof text - 1);
            if (carom_scene_parse(text, (size_t)size, "text", NULL, 0, &scene, &error)) fail_msg("%s", error.message);
            if (carom_model_check(carom_scene_model(scene), &f, 1)) fail_msg("m = %g: '%s'", m, f.text);
            carom_scene_destroy(scene);
        }
}

static void power_and_symmetries_are_checked(void **unused) {
    (void)unused;
    static const char *const along = "along";
    const double x = 0.3, v = 0.7;
    double wrong[3] = {0, 0, 1};
    carom_model_def def = carom_model_default();
    def.nq = def.nu = 1;
    def.q0 = &x, def.u0 = &v;
    def.context = wrong;
    def.mass = frame_mass, def.force = frame_force, def.energy = frame_energy, def.power = frame_power;
    expect_none(&def);
    wrong[0] = 1e-3;
    expect_one(&def, true, "power - u^T h is ");
    wrong[0] = 0, wrong[1] = 1e-3;
    expect_one(&def, true, "v^T M u is ");
    wrong[1] = NAN;
    expect_one(&def, false, "the power is not finite");
    wrong[1] = 0;
    def.symmetries = 1, def.symmetry_names = &along, def.symmetry = frame_symmetry;
    expect_one(&def, false, "the forces change 'along' at the rate ");
    wrong[2] = NAN;
    expect_one(&def, true, "the symmetries are not finite");
}

static void moving_constraints_are_noticed(void **unused) {
    (void)unused;
    mistake none = {NONE, 0, 0};
    carom_model_def def = full_def(&none);
    carom_finding f[5];
    def.rheonomic = false;
    assert_int_equal(check(&def, f, 5), 3); /* rod, wall and slip; blade = w - x v does not */
    for (int i = 0; i < 3; i++) assert_true(!f[i].fatal && strstr(f[i].text, "moves by itself"));
}

/* ---- a chain of n masses, sparse: h_i = x_{i-1} - 2 x_i + x_{i+1} */

enum { N = 1000 };

typedef struct chain {
    int lacking;          /* the pattern lacks the first entry of this row, which is not 0; -1: none */
    int wrong;            /* entry of h_q that is wrong, -1: none */
    int hidden, far_away; /* row that depends on a coordinate far away, -1: none */
    int start[N + 1], index[3 * N];
} chain;

static int chain_mass(void *context, double t, const double *q, double *Mq) {
    (void)context, (void)t, (void)q;
    for (int i = 0; i < N; i++) Mq[i] = 1;
    return 0;
}

static int chain_force(void *context, double t, const double *q, const double *u, double *h, double *h_q, double *h_u) {
    const chain *c = context;
    (void)t, (void)u, (void)h_u;
    for (int i = 0; h && i < N; i++) h[i] = (i ? q[i - 1] : 0) - 2 * q[i] + (i < N - 1 ? q[i + 1] : 0);
    if (h && c->hidden >= 0) h[c->hidden] += 0.25 * q[c->far_away];
    for (int i = 0; h_q && i < N; i++)
        for (int e = c->start[i]; e < c->start[i + 1]; e++)
            h_q[e] = (c->index[e] == i ? -2 : 1) + (e == c->wrong ? 0.5 : 0);
    return 0;
}

static void check_chain(chain *c, const char *expected) {
    static int diagonal_start[N + 1], diagonal[N], zero_start[N + 1];
    static double zero[N];
    for (int i = 0, e = 0; i < N; i++) {
        diagonal_start[i + 1] = i + 1, diagonal[i] = i;
        for (int j = i - 1; j <= i + 1; j++)
            if (j >= 0 && j < N && !(i == c->lacking && j == i - 1)) c->index[e++] = j;
        c->start[i + 1] = e;
    }
    carom_model_def def = carom_model_default();
    def.nq = def.nu = N;
    def.q0 = def.u0 = zero;
    def.context = c;
    def.mass = chain_mass, def.force = chain_force;
    def.M = (carom_pattern){N, N, diagonal_start, diagonal};
    def.h_q = (carom_pattern){N, N, c->start, c->index};
    def.h_u = (carom_pattern){N, N, zero_start, diagonal};
    if (expected) expect_one(&def, true, expected);
    else expect_none(&def);
}

/* Every column of a sparse matrix is compared; columns are compared together, and told apart where something is wrong.
 */
static void every_column_of_sparse_matrices(void **unused) {
    (void)unused;
    check_chain(&(chain){.lacking = -1, .wrong = -1, .hidden = -1, .far_away = 0}, NULL);
    check_chain(&(chain){.lacking = 1, .wrong = -1, .hidden = -1, .far_away = 0},
                "dh/dq[q2_dot][q1] is 0, differences give 1");
    check_chain(&(chain){.lacking = -1, .wrong = 3 * 611, .hidden = -1, .far_away = 0},
                "dh/dq[q612_dot][q612] is -1.5, differences give -2");
    check_chain(&(chain){.lacking = -1, .wrong = 3 * 611 + 1, .hidden = -1, .far_away = 0},
                "dh/dq[q612_dot][q613] is 1.5, differences give 1");
    check_chain(&(chain){.lacking = -1, .wrong = -1, .hidden = 17, .far_away = 911},
                "dh/dq[q18_dot][q912] is 0, differences give 0.25");
}

static void at_most_max_are_written(void **unused) {
    (void)unused;
    mistake wrong = {M, 1, 1e-4};
    carom_model_def def = full_def(&wrong);
    carom_finding f[2];
    memset(f, 'x', sizeof f);
    assert_int_equal(check(&def, f, 1), 2);
    assert_int_equal(f[1].text[0], 'x');
    assert_int_equal(check(&def, NULL, 0), 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(right_model_has_no_findings),
        cmocka_unit_test(every_wrong_entry_is_named),
        cmocka_unit_test(sizes_are_the_errors),
        cmocka_unit_test(mass_is_symmetric_and_the_derivative_of_momentum),
        cmocka_unit_test(values_fit_each_other),
        cmocka_unit_test(initial_state_is_checked),
        cmocka_unit_test(singular_mass_and_undefined_functions),
        cmocka_unit_test(no_false_alarms_at_kinks),
        cmocka_unit_test(no_false_alarms_about_round_off),
        cmocka_unit_test(power_and_symmetries_are_checked),
        cmocka_unit_test(moving_constraints_are_noticed),
        cmocka_unit_test(every_column_of_sparse_matrices),
        cmocka_unit_test(at_most_max_are_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
