#include "complex_model.h"
#include "trial.h"

#include <string.h>

enum { MAX = 96 }; /* most coordinates or rows of a test model */
static const double STEP = 1e-30;

typedef const complex_mechanics *mechanics;

static void promote(int n, const double *x, cx *z) {
    for (int i = 0; i < n; i++) z[i] = x[i];
}

static void real_parts(int n, const cx *z, double *x) {
    for (int i = 0; x && i < n; i++) x[i] = creal(z[i]);
}

/* Column j of a rows x cols matrix of derivatives. */
static void store(int rows, int cols, int j, const cx *z, double *J) {
    for (int i = 0; i < rows; i++) J[i * cols + j] = cimag(z[i]) / STEP;
}

typedef void evaluation(mechanics m, double t, const cx *q, const cx *u, cx *f);

/* f, df/dq and df/du of one of the functions below; u may be NULL. */
static void differentiate(mechanics m, evaluation *f, int rows, double t, const double *q, const double *u,
                          double *value, double *f_q, double *f_u) {
    cx Q[MAX], U[MAX] = {0}, F[MAX];
    promote(m->nq, q, Q);
    if (u) promote(m->nu, u, U);
    if (value) f(m, t, Q, U, F), real_parts(rows, F, value);
    for (int j = 0; f_q && j < m->nq; j++) {
        Q[j] += I * STEP;
        f(m, t, Q, U, F);
        store(rows, m->nq, j, F, f_q);
        Q[j] = q[j];
    }
    for (int j = 0; f_u && j < m->nu; j++) {
        U[j] += I * STEP;
        f(m, t, Q, U, F);
        store(rows, m->nu, j, F, f_u);
        U[j] = u[j];
    }
}

static int slips(mechanics m) {
    int n = 0;
    for (int k = 0; k < m->contacts; k++) n += m->contact[k].slips;
    return n;
}

static int velocity_rows(mechanics m) {
    return m->ng + m->ngamma + m->contacts + slips(m);
}

static void eval_kinematics(mechanics m, double t, const cx *q, const cx *u, cx *f) {
    m->kinematics(t, q, u, f, m->parameter);
}
static void eval_force(mechanics m, double t, const cx *q, const cx *u, cx *f) {
    m->force(t, q, u, f, m->parameter);
}
static void eval_position(mechanics m, double t, const cx *q, const cx *u, cx *f) {
    (void)u;
    m->position(t, q, f, m->parameter);
}
static void eval_velocity(mechanics m, double t, const cx *q, const cx *u, cx *f) {
    m->velocity(t, q, u, f, m->parameter);
}
static void eval_impulse_rate(mechanics m, double t, const cx *q, const cx *u, cx *f) {
    cx rate[MAX] = {0};
    m->force(t, q, u, f, m->parameter);
    m->momentum_rate(t, q, u, rate, m->parameter);
    for (int i = 0; i < m->nu; i++) f[i] += rate[i];
}
/* W r with r = u here. s is affine in the velocities, so the k-th column of W^T is s(e_k) - s(0). */
static void eval_direction(mechanics m, double t, const cx *q, const cx *r, cx *f) {
    cx u[MAX] = {0}, s0[MAX], s[MAX];
    int rows = velocity_rows(m);
    if (m->direction) {
        m->direction(t, q, r, f, m->parameter);
        return;
    }
    m->velocity(t, q, u, s0, m->parameter);
    for (int k = 0; k < m->nu; k++) {
        u[k] = 1;
        m->velocity(t, q, u, s, m->parameter);
        u[k] = f[k] = 0;
        for (int i = 0; i < rows; i++) f[k] += r[i] * (s[i] - s0[i]);
    }
}
/* M(q) u, so that its derivative by q is d(M v)/dq at v = u. */
static void eval_momentum(mechanics m, double t, const cx *q, const cx *u, cx *f) {
    cx M[MAX * MAX];
    memset(M, 0, (size_t)(m->nu * m->nu) * sizeof *M);
    m->mass(t, q, M, m->parameter);
    for (int i = 0; i < m->nu; i++) {
        f[i] = 0;
        for (int j = 0; j < m->nu; j++) f[i] += M[i * m->nu + j] * u[j];
    }
}

static int kinematics(void *context, double t, const double *q, const double *u, double *q_dot, double *B,
                      double *q_dot_q) {
    mechanics m = context;
    differentiate(m, eval_kinematics, m->nq, t, q, u, q_dot, q_dot_q, B);
    return 0;
}

static int mass(void *context, double t, const double *q, double *M) {
    mechanics m = context;
    cx Q[MAX], Z[MAX * MAX];
    promote(m->nq, q, Q);
    memset(Z, 0, (size_t)(m->nu * m->nu) * sizeof *Z);
    m->mass(t, Q, Z, m->parameter);
    real_parts(m->nu * m->nu, Z, M);
    return 0;
}

static int mass_q(void *context, double t, const double *q, const double *v, double *Mv_q) {
    mechanics m = context;
    differentiate(m, eval_momentum, m->nu, t, q, v, NULL, Mv_q, NULL);
    return 0;
}

static int force(void *context, double t, const double *q, const double *u, double *h, double *h_q, double *h_u) {
    mechanics m = context;
    differentiate(m, eval_force, m->nu, t, q, u, h, h_q, h_u);
    return 0;
}

static int momentum(void *context, double t, const double *q, const double *u, double *p, double *p_q, double *b,
                    double *b_q, double *b_u) {
    mechanics m = context;
    differentiate(m, eval_momentum, m->nu, t, q, u, p, p_q, NULL);
    differentiate(m, eval_impulse_rate, m->nu, t, q, u, b, b_q, b_u);
    return 0;
}

static int position(void *context, double t, const double *q, double *c, double *c_q) {
    mechanics m = context;
    differentiate(m, eval_position, m->ng + m->contacts, t, q, NULL, c, c_q, NULL);
    return 0;
}

static int velocity(void *context, double t, const double *q, const double *u, double *s, double *WT, double *s_q) {
    mechanics m = context;
    differentiate(m, eval_velocity, velocity_rows(m), t, q, u, s, s_q, WT);
    return 0;
}

static int direction_q(void *context, double t, const double *q, const double *r, double *Wr_q) {
    mechanics m = context;
    cx Q[MAX], R[MAX], F[MAX];
    promote(m->nq, q, Q);
    promote(velocity_rows(m), r, R);
    for (int j = 0; j < m->nq; j++) {
        Q[j] += I * STEP;
        eval_direction(m, t, Q, R, F);
        store(m->nu, m->nq, j, F, Wr_q);
        Q[j] = q[j];
    }
    return 0;
}

static int energy(void *context, double t, const double *q, const double *u, double *T, double *V) {
    mechanics m = context;
    cx Q[MAX], U[MAX], kinetic = 0, potential = 0;
    promote(m->nq, q, Q);
    promote(m->nu, u, U);
    m->energy(t, Q, U, &kinetic, &potential, m->parameter);
    if (T) *T = creal(kinetic);
    if (V) *V = creal(potential);
    return 0;
}

static bool constant_mass(mechanics m) {
    double q[MAX], M0[MAX * MAX], M[MAX * MAX];
    for (int i = 0; i < m->nq; i++) q[i] = m->q0[i] + 0.1 * (1 + i % 3);
    mass((void *)(size_t)m, 0, m->q0, M0);
    mass((void *)(size_t)m, 0.3, q, M);
    return !memcmp(M, M0, (size_t)(m->nu * m->nu) * sizeof *M);
}

carom_model *complex_model_anywhere(const complex_mechanics *m) {
    int rows = velocity_rows(m);
    assert_true(m->nq <= MAX && m->nu <= MAX && rows <= MAX);
    carom_model_def def = carom_model_default();
    def.nq = m->nq, def.nu = m->nu, def.ng = m->ng, def.ngamma = m->ngamma, def.contacts = m->contacts;
    def.contact = m->contact;
    def.q0 = m->q0, def.u0 = m->u0;
    def.rotations = m->rotations, def.rotation = m->rotation;
    def.context = (void *)(size_t)m;
    if (m->kinematics) {
        def.kinematics = kinematics;
        def.B = (carom_pattern){m->nq, m->nu, NULL, NULL};
        def.q_dot_q = (carom_pattern){m->nq, m->nq, NULL, NULL};
    }
    def.mass = mass, def.force = force;
    def.M = def.h_u = def.b_u = (carom_pattern){m->nu, m->nu, NULL, NULL};
    def.Mv_q = def.h_q = def.p_q = def.b_q = def.Wr_q = (carom_pattern){m->nu, m->nq, NULL, NULL};
    if (!constant_mass(m)) def.mass_q = mass_q;
    if (m->momentum_rate) def.momentum = momentum;
    if (m->position) {
        def.position = position;
        def.c_q = (carom_pattern){m->ng + m->contacts, m->nq, NULL, NULL};
    }
    if (m->velocity) {
        def.velocity = velocity, def.direction_q = direction_q;
        def.WT = (carom_pattern){rows, m->nu, NULL, NULL};
        def.s_q = (carom_pattern){rows, m->nq, NULL, NULL};
    }
    if (m->energy) def.energy = energy;

    carom_model *model = NULL;
    carom_error error = {0};
    if (carom_model_create(&def, &model, &error) != CAROM_OK) fail_msg("model: %s", error.message);
    return model;
}

carom_model *complex_model(const complex_mechanics *m) {
    carom_model *model = complex_model_anywhere(m);
    carom_finding finding;
    if (carom_model_check(model, &finding, 1) > 0 && finding.fatal) fail_msg("model: %s", finding.text);
    return model;
}

void complex_velocity(const complex_mechanics *m, double t, const double *q, const double *u, double *s) {
    differentiate(m, eval_velocity, velocity_rows(m), t, q, u, s, NULL, NULL);
}

void complex_position(const complex_mechanics *m, double t, const double *q, double *c) {
    differentiate(m, eval_position, m->ng + m->contacts, t, q, NULL, c, NULL, NULL);
}
