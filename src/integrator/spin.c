#include "integrator/spin.h"

#include <stdlib.h>

#include "integrator/frames.h"
#include "model/space.h"

/* ---------------------------------------------------------------- momenta and forces */

/* Z^T p = (1 - s.s) p + 2 s x p + 2 s (s.p) */
void spin_element(const spin *o, double dt, const double *u, double *p) {
    for (int k = 0; k < o->rotations; k++) {
        const double *w = u + o->m->def.rotation[k].u, s[3] = {dt / 4 * w[0], dt / 4 * w[1], dt / 4 * w[2]};
        double *own = p + o->m->def.rotation[k].u, turning[3], along = 2 * space_dot(s, own);
        const double stretch = 1 - space_dot(s, s);
        space_cross(s, own, turning);
        for (int i = 0; i < 3; i++) own[i] = stretch * own[i] + 2 * turning[i] + along * s[i];
    }
}

/* R of the quaternion r = a* o b, from a at q0 to b at q1 */
void spin_turn(const spin *o, const double *q0, const double *q1, double *p) {
    for (int k = 0; k < o->rotations; k++) {
        const double *a = q0 + o->m->def.rotation[k].q, *b = q1 + o->m->def.rotation[k].q;
        double *own = p + o->m->def.rotation[k].u, c[3], r[4] = {a[0] * b[0] + space_dot(a + 1, b + 1)};
        const double before[3] = {own[0], own[1], own[2]};
        space_cross(a + 1, b + 1, c);
        for (int i = 1; i < 4; i++) r[i] = a[0] * b[i] - b[0] * a[i] - c[i - 1];
        frame_turn_back(r, before, own);
    }
}

void spin_force(const spin *o, const double *u, const double *p, double *b) {
    for (int k = 0; k < o->rotations; k++) {
        const int first = o->m->def.rotation[k].u;
        double turning[3];
        space_cross(u + first, p + first, turning);
        for (int i = 0; i < 3; i++) b[first + i] += turning[i];
    }
}

/* ---------------------------------------------------------------- the Jacobian */

/* An entry of the matrix v^ with v^ x = v x x */
static double hat(const double v[3], int i, int j) {
    return i == j ? 0 : ((j - i + 3) % 3 == 1 ? -1 : 1) * v[3 - i - j];
}

/* Z^T - I, and d(Z^T p)/dw with p held */
static double turn(const double s[3], int i, int j) {
    return 2 * (hat(s, i, j) + s[i] * s[j]) - (i == j ? space_dot(s, s) : 0);
}
static double turn_by_w(const double s[3], const double p[3], double dt, int i, int j) {
    return dt / 2 * (s[i] * p[j] - p[i] * s[j] - hat(p, i, j) + (i == j ? space_dot(s, p) : 0));
}

enum { OWN = 9, SPIN_BLOCKS };

const double *spin_jacobian(spin *o, const spin_state *at) {
    csr_zero(&o->J);
    for (int k = 0; k < o->rotations; k++) {
        const int first = o->m->def.rotation[k].u;
        const double *w = at->u + first, *p = at->p + first, *mean = at->mean + first;
        const double s[3] = {at->dt / 4 * w[0], at->dt / 4 * w[1], at->dt / 4 * w[2]};
        const csr_block *block = o->block + k * SPIN_BLOCKS;
        double own[9];
        for (int n = 0; n < 9; n++) {
            const int i = n / 3, j = n % 3;
            csr_add(&o->J, &block[n], turn(s, i, j) / 2 - at->weight * hat(w, i, j), at->M);
            csr_add(&o->J, &block[n], turn(s, i, j) / 2, at->M_end);
            own[n] = turn_by_w(s, mean, at->dt, i, j) + at->weight * hat(p, i, j);
        }
        csr_add(&o->J, &block[OWN], 1, own);
    }
    return o->J.value;
}

/* ---------------------------------------------------------------- setup */

bool spin_create(spin *o, const carom_model *m) {
    static const int start[] = {0, 3, 6, 9}, index[] = {0, 1, 2, 0, 1, 2, 0, 1, 2};
    static const carom_pattern full = {3, 3, start, index};
    const carom_model_def *d = &m->def;
    *o = (spin){.m = m, .rotations = m->trivial ? 0 : d->rotations};
    const int blocks = o->rotations * SPIN_BLOCKS;
    if (!(o->block = calloc((size_t)blocks + 1, sizeof *o->block))) return false;
    for (int k = 0; k < o->rotations; k++) {
        const int first = d->rotation[k].u;
        csr_block *block = o->block + k * SPIN_BLOCKS;
        for (int n = 0; n < 9; n++)
            block[n] = (csr_block){&d->M, first + n % 3, first + n % 3 + 1, first + n / 3, 0, false, NULL};
        block[OWN] = (csr_block){&full, 0, 3, first, first, false, NULL};
    }
    if (!csr_assemble(&o->J, d->nu, d->nu, o->block, blocks)) return false;
    o->pattern = (carom_pattern){d->nu, d->nu, o->J.start, o->J.index};
    return true;
}

void spin_destroy(spin *o) {
    if (o->block) csr_blocks_free(o->block, o->rotations * SPIN_BLOCKS);
    free(o->block);
    csr_free(&o->J);
}
