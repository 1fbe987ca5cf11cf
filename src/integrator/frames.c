#include "integrator/frames.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "model/space.h"

/* x - 2 (s v x x - v x (v x x))/|r|^2 for r = (s, v) */
void frame_turn_back(const double r[4], const double x[3], double y[3]) {
    const double *v = r + 1, scale = 2 / (r[0] * r[0] + space_dot(v, v));
    double a[3], b[3];
    space_cross(v, x, a);
    space_cross(v, a, b);
    for (int i = 0; i < 3; i++) y[i] = x[i] - scale * (r[0] * a[i] - b[i]);
}

int frames_elsewhere(const frames *f, double *u, double *q) {
    const carom_model_def *def = &f->m->def;
    for (int j = 0; j < def->nu; j++) u[j] = cos(1.7 * j + 0.3);
    if (model_q_dot(f->m, def->t0, def->q0, u, q)) return 1;
    for (int i = 0; i < def->nq; i++) q[i] = def->q0[i] + 0.1 * q[i];
    model_normalise(f->m, q);
    return 0;
}

/* ---------------------------------------------------------------- setup */

enum { SINGLE = -1, FREE = -2 }; /* instead of a rotation: of an ordinary coordinate, of none */

static void mark(const carom_model_def *def, bool *known, int *of_u) {
    for (int j = 0; j < def->nu; j++) of_u[j] = FREE;
    for (int i = 0; i < def->anchors; i++) known[def->anchor_q[i]] = true;
    for (int k = 0; k < def->rotations; k++) {
        for (int i = 0; i < 4; i++) known[def->rotation[k].q + i] = true;
        for (int j = 0; j < 3; j++) of_u[def->rotation[k].u + j] = k;
    }
}

/* Which velocity moves which coordinate: rows of B with a single entry, which is one; no velocity moves two. Returns a
 * coordinate that moves otherwise, or nq. */
static int pair_singles(frames *f, const double *B, const bool *known) {
    const carom_model_def *def = &f->m->def;
    for (int i = 0; i < def->nq; i++) {
        if (known[i]) continue;
        int found = f->m->trivial ? i : -1, entries = f->m->trivial;
        for (int e = f->m->trivial ? 0 : def->B.start[i]; !f->m->trivial && e < def->B.start[i + 1]; e++)
            if (B[e] != 0) found = B[e] == 1 ? def->B.index[e] : -1, entries++;
        if (found < 0 || entries != 1 || f->rotation[found] != FREE) return i;
        f->rotation[found] = SINGLE;
        f->q[f->singles] = i, f->u[f->singles++] = found;
    }
    return def->nq;
}

static void expect(const frames *f, const double *q, const double *u, double *q_dot) {
    const carom_model_def *def = &f->m->def;
    for (int i = 0; i < f->singles; i++) q_dot[f->q[i]] = u[f->u[i]];
    for (int k = 0; k < def->rotations; k++) {
        const double *p = q + def->rotation[k].q, *w = u + def->rotation[k].u;
        double *rate = q_dot + def->rotation[k].q, c[3];
        space_cross(p + 1, w, c);
        rate[0] = -space_dot(p + 1, w) / 2;
        for (int i = 0; i < 3; i++) rate[1 + i] = (p[0] * w[i] + c[i]) / 2;
    }
}

/* q_dot at some velocity is what the pairs and rotations say, and beta = 0: seen at states around the initial one.
 * Returns a coordinate that moves otherwise, or nq. */
static int compare_rates(const frames *f, double *work) {
    const carom_model_def *def = &f->m->def;
    double *u = work, *q = u + def->nu, *is = q + def->nq, *expected = is + def->nq;
    if (frames_elsewhere(f, u, q)) return def->nq; /* not defined there: the state shows nothing */
    for (int still = 0; still < 2; still++) {
        for (int j = 0; still && j < def->nu; j++) u[j] = 0;
        if (model_q_dot(f->m, def->t0 + 0.37, q, u, is)) return def->nq;
        memcpy(expected, is, (size_t)def->nq * sizeof *is); /* anchors may move in any way */
        expect(f, q, u, expected);
        for (int i = 0; i < def->nq; i++)
            if (!(fabs(is[i] - expected[i]) <= 1e-12 * (1 + fabs(expected[i])))) return i;
    }
    return def->nq;
}

carom_status frames_create(frames *f, const carom_model *m, const char *scheme, const char *others,
                           carom_error *error) {
    const carom_model_def *def = &m->def;
    const size_t nu = (size_t)def->nu, nq = (size_t)def->nq, nB = (size_t)pattern_nnz(&def->B);
    *f = (frames){.m = m};
    f->q = malloc((2 * nq + nu) * sizeof *f->q);
    bool *known = calloc(nq, sizeof *known); /* not ordinary */
    int otherwise = def->nq;
    double *work = calloc(nu + 3 * nq + nB, sizeof *work);
    carom_status status = f->q && known && work ? CAROM_OK : carom_error_memory(error);
    if (!status) {
        f->u = f->q + nq, f->rotation = f->u + nq;
        mark(def, known, f->rotation);
        if (!m->trivial && def->kinematics(def->context, def->t0, def->q0, def->u0, NULL, work, NULL))
            status = carom_error_set(error, CAROM_DATA, "the model is not defined at the initial state");
    }
    if (!status) otherwise = pair_singles(f, work, known);
    if (!status && otherwise == def->nq) otherwise = compare_rates(f, work);
    if (!status && otherwise < def->nq)
        status = carom_error_set(error, CAROM_DATA,
                                 "%s moves coordinates by velocities of their own, and quaternions of bodies; '%s' "
                                 "moves otherwise: %s any kinematics",
                                 scheme, def->q_names[otherwise], others);
    free(known);
    free(work);
    return status;
}

void frames_destroy(frames *f) {
    free(f->q);
}
