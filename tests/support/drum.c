#include "drum.h"

static void mass(double t, const cx *q, cx *M, const double *p) {
    (void)t, (void)q, (void)p;
    M[0] = M[3] = DRUM_MASS;
}
static void force(double t, const cx *q, const cx *u, cx *h, const double *p) {
    (void)t, (void)u;
    for (int i = 0; i < 2; i++) h[i] = -p[0] * q[i];
}
static void energy(double t, const cx *q, const cx *u, cx *T, cx *V, const double *p) {
    (void)t;
    *T = DRUM_MASS * (u[0] * u[0] + u[1] * u[1]) / 2;
    *V = p[0] * (q[0] * q[0] + q[1] * q[1]) / 2;
}
static void gap(double t, const cx *q, cx *c, const double *p) {
    (void)t, (void)p;
    c[0] = 1 - csqrt(q[0] * q[0] + q[1] * q[1]);
}
static void velocity(double t, const cx *q, const cx *u, cx *s, const double *p) {
    (void)t, (void)p;
    cx r = csqrt(q[0] * q[0] + q[1] * q[1]);
    s[0] = -(q[0] * u[0] + q[1] * u[1]) / r;
    s[1] = (q[0] * u[1] - q[1] * u[0]) / r;
}

complex_mechanics drum(const carom_model_contact *contact, const double *stiffness) {
    static const double q0[] = {0.3, -0.2}, u0[] = {1.1, 2.3};
    return (complex_mechanics){.nq = 2,
                               .nu = 2,
                               .contacts = 1,
                               .contact = contact,
                               .q0 = q0,
                               .u0 = u0,
                               .parameter = stiffness,
                               .mass = mass,
                               .force = force,
                               .position = gap,
                               .velocity = velocity,
                               .energy = energy};
}
