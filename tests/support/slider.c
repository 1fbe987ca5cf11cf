#include "support/slider.h"

#include <math.h>

enum { N = SLIDER };

static const carom_model_contact ground = {.name = "ground", .slips = 1, .friction = SLIDER_FRICTION};

static void mass(double t, const cx *q, cx *M, const double *p) {
    (void)t, (void)p;
    M[0] = 2 + csin(q[0]), M[4] = 1 + q[0] * q[0], M[8] = 1.5 + 0.5 * ccos(q[2]);
    M[1] = M[3] = 0.2 * q[1];
}
static void force(double t, const cx *q, const cx *u, cx *h, const double *p) {
    (void)p;
    h[0] = -3 * q[0] - 0.4 * u[0] * u[1] + sin(t);
    h[1] = -9.81 * (1 + q[0] * q[0]) - q[1] * q[1];
    h[2] = -2 * csin(q[2]) - 0.3 * u[2] * u[0];
}
static void position(double t, const cx *q, cx *c, const double *p) {
    (void)t, (void)p;
    c[0] = q[2] - q[0] * q[0] / 2;
    c[1] = q[1] - 0.2 * csin(2 * q[0]);
}
static void velocity(double t, const cx *q, const cx *u, cx *s, const double *p) {
    (void)t, (void)p;
    s[JOINT] = u[2] - q[0] * u[0];
    s[GAP] = u[1] - 0.4 * ccos(2 * q[0]) * u[0];
    s[SLIP] = u[0] + 0.4 * ccos(2 * q[0]) * u[1];
}
const complex_mechanics slider = {.nq = SLIDER,
                                  .nu = SLIDER,
                                  .ng = 1,
                                  .contacts = 1,
                                  .contact = &ground,
                                  .q0 = (double[]){0, 0, 0},
                                  .u0 = (double[]){2, 0.8, 0},
                                  .mass = mass,
                                  .force = force,
                                  .position = position,
                                  .velocity = velocity};

void slider_mass(const carom_model_def *d, const double *q, const double *x, double *Mx) {
    double M[N * N];
    d->mass(d->context, 0, q, M);
    for (int i = 0; i < N; i++) Mx[i] = M[N * i] * x[0] + M[N * i + 1] * x[1] + M[N * i + 2] * x[2];
}
void slider_forces(const carom_model_def *d, double t, const double *q, const double *v, double *h) {
    d->force(d->context, t, q, v, h, NULL, NULL);
}
void slider_directions(const carom_model_def *d, const double *q, const double *r, int rows, double factor, double *f) {
    double W[SLIDER_ROWS * N], zero[N] = {0};
    d->velocity(d->context, 0, q, zero, NULL, W, NULL);
    for (int k = 0; k < rows; k++)
        for (int i = 0; i < N; i++) f[i] += factor * W[N * k + i] * r[k];
}

/* ---------------------------------------------------------------- Newton's method with differences */
enum { MOST = MOST_EQUATIONS };

static void eliminate(int n, double J[MOST][MOST], double *r) {
    for (int k = 0; k < n; k++) {
        int pivot = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(J[i][k]) > fabs(J[pivot][k])) pivot = i;
        for (int j = 0; j < n; j++) {
            double swap = J[k][j];
            J[k][j] = J[pivot][j], J[pivot][j] = swap;
        }
        double swap = r[k];
        r[k] = r[pivot], r[pivot] = swap;
        for (int i = k + 1; i < n; i++) {
            double f = J[i][k] / J[k][k];
            for (int j = k; j < n; j++) J[i][j] -= f * J[k][j];
            r[i] -= f * r[k];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++) r[k] -= J[k][j] * r[j];
        r[k] /= J[k][k];
    }
}

void solve_equations(int n, equations *f, double *z) {
    double r[MOST], plus[MOST], J[MOST][MOST];
    for (int iteration = 0; iteration < 20; iteration++) {
        f(z, r);
        for (int j = 0; j < n; j++) {
            double at = z[j], h = 1e-7;
            z[j] = at + h;
            f(z, plus);
            z[j] = at;
            for (int i = 0; i < n; i++) J[i][j] = (plus[i] - r[i]) / h;
        }
        eliminate(n, J, r);
        for (int i = 0; i < n; i++) z[i] -= r[i];
    }
    f(z, r); /* leaves what it computes at the solution */
}
