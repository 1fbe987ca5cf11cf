#include "disks.h"

#include <stdio.h>

static const double radius = DISK_RADIUS, width = 1.5 /* of the box */, disk_mass = 0.8, g = 9.81;

static void disks_mass(double t, const cx *q, cx *M, const double *p) {
    (void)t, (void)q, (void)p;
    const double inertia[3] = {disk_mass, disk_mass, disk_mass * radius * radius / 2};
    for (int i = 0; i < 3 * DISKS; i++) M[i * 3 * DISKS + i] = inertia[i % 3];
}
static void disks_force(double t, const cx *q, const cx *u, cx *h, const double *p) {
    (void)t, (void)q, (void)u, (void)p;
    for (int i = 0; i < 3 * DISKS; i++) h[i] = i % 3 == 1 ? -disk_mass * g : 0;
}

/* The contact a..b (b < 0: a wall) with normal n from b to a, tangent (-n_y, n_x). */
typedef struct touch {
    int a, b;
    cx gap, n[2];
} touch;

static touch touch_at(int k, const cx *q) {
    if (k < WALLS) {
        int a = k / 3;
        cx x = q[3 * a], y = q[3 * a + 1];
        if (k % 3 == 0) return (touch){a, -1, y - radius, {0, 1}};
        if (k % 3 == 1) return (touch){a, -1, x - radius, {1, 0}};
        return (touch){a, -1, width - x - radius, {-1, 0}};
    }
    int a = 0, b = k - WALLS;
    while (b >= DISKS - 1 - a) b -= DISKS - 1 - a, a++;
    b += a + 1;
    cx dx = q[3 * a] - q[3 * b], dy = q[3 * a + 1] - q[3 * b + 1], d = csqrt(dx * dx + dy * dy);
    return (touch){a, b, d - 2 * radius, {dx / d, dy / d}};
}
/* Contact k of the model; the stride shares no factor with their number. */
static int listed(int k, const double *stride) {
    return k * (int)*stride % CONTACTS;
}
static void disks_gaps(double t, const cx *q, cx *gap, const double *p) {
    (void)t;
    for (int k = 0; k < CONTACTS; k++) gap[k] = touch_at(listed(k, p), q).gap;
}
static void disks_velocities(double t, const cx *q, const cx *u, cx *s, const double *p) {
    (void)t;
    for (int k = 0; k < CONTACTS; k++) {
        touch c = touch_at(listed(k, p), q);
        cx x = u[3 * c.a], y = u[3 * c.a + 1], spin = u[3 * c.a + 2];
        if (c.b >= 0) x -= u[3 * c.b], y -= u[3 * c.b + 1], spin += u[3 * c.b + 2];
        s[k] = c.n[0] * x + c.n[1] * y;
        s[CONTACTS + k] = -c.n[1] * x + c.n[0] * y - radius * spin;
    }
}

static void disks_direction(double t, const cx *q, const cx *r, cx *Wr, const double *p) {
    (void)t;
    for (int i = 0; i < 3 * DISKS; i++) Wr[i] = 0;
    for (int k = 0; k < CONTACTS; k++) {
        touch c = touch_at(listed(k, p), q);
        cx x = c.n[0] * r[k] - c.n[1] * r[CONTACTS + k], y = c.n[1] * r[k] + c.n[0] * r[CONTACTS + k];
        Wr[3 * c.a] += x, Wr[3 * c.a + 1] += y, Wr[3 * c.a + 2] -= radius * r[CONTACTS + k];
        if (c.b >= 0) Wr[3 * c.b] -= x, Wr[3 * c.b + 1] -= y, Wr[3 * c.b + 2] -= radius * r[CONTACTS + k];
    }
}

static double uniform(unsigned long long *seed) {
    *seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(*seed >> 11) * 0x1p-53;
}

void throw_disks(throw_of_disks *d, unsigned long long seed, double mu, double e, int stride) {
    double restitution[CONTACTS];
    d->stride = stride;
    for (int k = 0; k < CONTACTS; k++) restitution[k] = k % 3 ? e * uniform(&seed) : 0;
    for (int k = 0; k < CONTACTS; k++) {
        int n = listed(k, &d->stride);
        snprintf(d->names[k], sizeof d->names[k], "c%d", n);
        d->contact[k] =
            (carom_model_contact){.name = d->names[k], .slips = 1, .friction = mu, .restitution = restitution[n]};
    }
    for (int i = 0; i < DISKS; i++) {
        d->q0[3 * i] = (i % 2 ? 1.1 : 0.4) + 0.1 * (uniform(&seed) - 0.5);
        d->q0[3 * i + 1] = 0.3 + 0.5 * (i / 2) + 0.05 * uniform(&seed);
        d->q0[3 * i + 2] = 0;
        for (int j = 0; j < 3; j++) d->u0[3 * i + j] = 4 * (uniform(&seed) - 0.5);
    }
    d->mechanics = (complex_mechanics){.nq = 3 * DISKS,
                                       .nu = 3 * DISKS,
                                       .contacts = CONTACTS,
                                       .contact = d->contact,
                                       .q0 = d->q0,
                                       .u0 = d->u0,
                                       .parameter = &d->stride,
                                       .mass = disks_mass,
                                       .force = disks_force,
                                       .position = disks_gaps,
                                       .velocity = disks_velocities,
                                       .direction = disks_direction};
    d->model = complex_model(&d->mechanics);
}
