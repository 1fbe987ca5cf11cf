/* A disk thrown onto rough ground: it bounces, slides, and in the end rolls. A model in C callbacks, simulated by the
 * installed library.
 *
 *   q = (x, y, phi): centre and rotation, phi counted positive when rolling to the right; u = q_dot
 *   kinetic energy   T = m/2 (x_dot^2 + y_dot^2) + J/2 phi_dot^2,  J = m r^2 / 2
 *   ground           gap g_N = y - r,  slip gamma_F = x_dot - r phi_dot
 *
 * Every percussion of the ground acts at the point of contact, so J phi_dot + m r x_dot keeps its initial value m r v:
 * however the disk bounces and slides, once it rolls (x_dot = r phi_dot) its speed is exactly v / (1 + J/(m r^2)) =
 * 2v/3. */
#include <carom/carom.h>
#include <math.h>
#include <stdio.h>

typedef struct disk {
    double m, r, J, g;
} disk;

/* M = diag(m, m, J): a full matrix, stored by rows. */
static int mass(void *context, double t, const double *q, double *M) {
    const disk *d = context;
    (void)t, (void)q;
    for (int i = 0; i < 9; i++) M[i] = 0;
    M[0] = M[4] = d->m;
    M[8] = d->J;
    return 0;
}

/* h = (0, -m g, 0), constant: both derivatives vanish. Outputs that are NULL are not wanted now. */
static int force(void *context, double t, const double *q, const double *u, double *h, double *h_q, double *h_u) {
    const disk *d = context;
    (void)t, (void)q, (void)u;
    for (int i = 0; i < 9; i++) {
        if (h_q) h_q[i] = 0;
        if (h_u) h_u[i] = 0;
    }
    if (h) {
        h[0] = h[2] = 0;
        h[1] = -d->m * d->g;
    }
    return 0;
}

/* c = g_N = y - r. */
static int position(void *context, double t, const double *q, double *c, double *c_q) {
    const disk *d = context;
    (void)t;
    if (c) c[0] = q[1] - d->r;
    if (c_q) {
        c_q[0] = c_q[2] = 0;
        c_q[1] = 1;
    }
    return 0;
}

/* s = (gN_dot, gamma_F) = W^T u with constant W. */
static int velocity(void *context, double t, const double *q, const double *u, double *s, double *WT, double *s_q) {
    const disk *d = context;
    const double W[6] = {0, 1, 0, 1, 0, -d->r};
    (void)t, (void)q;
    for (int i = 0; i < 2; i++) {
        if (s) s[i] = W[3 * i] * u[0] + W[3 * i + 1] * u[1] + W[3 * i + 2] * u[2];
        for (int j = 0; j < 3; j++) {
            if (WT) WT[3 * i + j] = W[3 * i + j];
            if (s_q) s_q[3 * i + j] = 0;
        }
    }
    return 0;
}

/* W does not depend on q: d(W r)/dq = 0. */
static int direction_q(void *context, double t, const double *q, const double *r, double *Wr_q) {
    (void)context, (void)t, (void)q, (void)r;
    for (int i = 0; i < 9; i++) Wr_q[i] = 0;
    return 0;
}

static int energy(void *context, double t, const double *q, const double *u, double *T, double *V) {
    const disk *d = context;
    (void)t;
    if (T) *T = (d->m * (u[0] * u[0] + u[1] * u[1]) + d->J * u[2] * u[2]) / 2;
    if (V) *V = d->m * d->g * q[1];
    return 0;
}

static carom_status create_disk(disk *d, double v, carom_model **model, carom_error *error) {
    const char *const q_names[] = {"x", "y", "phi"}, *const u_names[] = {"x_dot", "y_dot", "phi_dot"};
    const double q0[] = {0, 1, 0}, u0[] = {v, 0, 0};
    const carom_model_contact ground = {.name = "ground", .slips = 1, .friction = 0.3, .restitution = 0.5};
    carom_model_def def = carom_model_default(); /* patterns stay empty: all matrices are full */
    def.nq = def.nu = 3;
    def.q_names = q_names;
    def.u_names = u_names;
    def.q0 = q0;
    def.u0 = u0;
    def.contacts = 1;
    def.contact = &ground;
    def.context = d;
    def.mass = mass;
    def.force = force;
    def.position = position;
    def.velocity = velocity;
    def.direction_q = direction_q;
    def.energy = energy;
    return carom_model_create(&def, model, error);
}

static int findings(const carom_model *model) {
    carom_finding finding[4];
    int count = carom_model_check(model, finding, 4);
    for (int i = 0; i < count && i < 4; i++) fprintf(stderr, "check: %s\n", finding[i].text);
    return count;
}

/* Runs to the end; *lowest receives the smallest gap. */
static carom_status run(const carom_model *model, double r, double *lowest, double u[3], carom_error *error) {
    carom_run_def def = carom_run_default();
    def.integrator = "rattle";
    def.dt = 1e-3;
    def.until = 3;
    carom_sim *sim = NULL;
    carom_status status = carom_sim_create(model, &def, &sim, error);
    *lowest = INFINITY;
    while (!status && !carom_sim_done(sim)) {
        status = carom_sim_step(sim, error);
        *lowest = fmin(*lowest, carom_sim_q(sim)[1] - r);
    }
    for (int i = 0; !status && i < 3; i++) u[i] = carom_sim_u(sim)[i];
    carom_sim_destroy(sim);
    return status;
}

int main(void) {
    disk d = {.m = 2, .r = 0.25, .J = 0.0625, .g = 9.81};
    const double v = 3, exact = v / (1 + d.J / (d.m * d.r * d.r));
    double u[3] = {0}, lowest = 0;
    carom_model *model = NULL;
    carom_error error;
    carom_status status = create_disk(&d, v, &model, &error);
    if (!status && findings(model)) return 1;
    if (!status) status = run(model, d.r, &lowest, u, &error);
    carom_model_destroy(model);
    if (status) {
        char text[1024];
        fprintf(stderr, "thrown_disk: %s\n", carom_error_text(&error, text, sizeof text));
        return status;
    }
    printf("carom %s: x_dot = %.15g, exact %.15g; r phi_dot = %.15g; lowest gap %.3g\n", carom_version(), u[0], exact,
           d.r * u[2], lowest);
    /* The conserved quantity is summed over 3000 steps of rounding 1e-16; the gap is kept by the step's tolerance. */
    return fabs(u[0] - exact) < 1e-11 && fabs(d.r * u[2] - exact) < 1e-11 && lowest > -1e-10 ? 0 : 1;
}
