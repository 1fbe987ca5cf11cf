#include "integrator/drift.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "linalg/csr.h"
#include "model/definite.h"

/* ---------------------------------------------------------------- vectors and matrices of three */

static double dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double c[3]) {
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

static void times(double A[3][3], const double x[3], double y[3]) {
    for (int i = 0; i < 3; i++) y[i] = dot(A[i], x);
}

/* A x = b by Cramer's rule; false: A is singular. */
static bool solve(double A[3][3], const double b[3], double x[3]) {
    double c[3][3];
    for (int i = 0; i < 3; i++) cross(A[(i + 1) % 3], A[(i + 2) % 3], c[i]);
    double det = dot(A[0], c[0]);
    for (int i = 0; i < 3; i++) x[i] = (c[0][i] * b[0] + c[1][i] * b[1] + c[2][i] * b[2]) / det;
    return det != 0;
}

/* ---------------------------------------------------------------- rotations */

/* J w + h/2 w x J w + h^2/4 w (w . J w) = p by Newton's method from a w without the last term. */
static bool angular_velocity(double J[3][3], const double p[3], double h, double w[3]) {
    enum { ITERATIONS = 30 };
    double Jw[3], turning[3], miss[3], A[3][3];
    if (!solve(J, p, w)) return false;
    cross(w, p, turning);
    for (int i = 0; i < 3; i++) miss[i] = p[i] - h / 2 * turning[i];
    solve(J, miss, w);
    for (int n = 0; n < ITERATIONS; n++) {
        times(J, w, Jw);
        cross(w, Jw, turning);
        const double T2 = dot(w, Jw), size = fmax(fabs(w[0]), fmax(fabs(w[1]), fabs(w[2])));
        double step[3];
        for (int i = 0; i < 3; i++) {
            miss[i] = p[i] - Jw[i] - h / 2 * turning[i] - h * h / 4 * T2 * w[i];
            for (int j = 0; j < 3; j++) {
                int k = 3 - i - j; /* w x J - (J w) x as a matrix */
                double spin = i == j ? 0 : ((j - i + 3) % 3 == 1 ? 1 : -1) * Jw[k];
                int a = (i + 1) % 3, b = (i + 2) % 3;
                A[i][j] = J[i][j] + h / 2 * (w[a] * J[b][j] - w[b] * J[a][j] + spin) +
                          h * h / 4 * ((i == j ? T2 : 0) + 2 * w[i] * Jw[j]);
            }
        }
        if (!solve(A, miss, step)) return false;
        for (int i = 0; i < 3; i++) w[i] += step[i];
        if (fmax(fabs(step[0]), fmax(fabs(step[1]), fabs(step[2]))) <= 4 * DBL_EPSILON * size) return true;
    }
    return false;
}

/* p o (1, h w/2), of the length of p */
static void turn(const double p[4], const double w[3], double h, double p1[4]) {
    const double e[3] = {h / 2 * w[0], h / 2 * w[1], h / 2 * w[2]}, scale = 1 / sqrt(1 + dot(e, e));
    double c[3];
    cross(p + 1, e, c);
    p1[0] = scale * (p[0] - dot(p + 1, e));
    for (int i = 0; i < 3; i++) p1[1 + i] = scale * (p[1 + i] + p[0] * e[i] + c[i]);
}

/* A^T x for the rotation A of (1, h w/2): x - 2 (e x x - e x (e x x))/(1 + e^2) */
static void turn_back(const double w[3], double h, const double x[3], double y[3]) {
    const double e[3] = {h / 2 * w[0], h / 2 * w[1], h / 2 * w[2]}, scale = 2 / (1 + dot(e, e));
    double a[3], b[3];
    cross(e, x, a);
    cross(e, a, b);
    for (int i = 0; i < 3; i++) y[i] = x[i] - scale * (a[i] - b[i]);
}

/* ---------------------------------------------------------------- the maps */

void drift_rates(const drift *d, const double *p, double *u) {
    const carom_model_def *def = &d->m->def;
    for (int j = 0; j < def->nu; j++) u[j] = p[j] * d->inverse[j];
    if (d->factors) linear_solve(d->factors, u);
    for (int k = 0; k < def->rotations; k++) solve(d->J[k], p + def->rotation[k].u, u + def->rotation[k].u);
}

void drift_momenta(const drift *d, const double *u, double *p) {
    memset(p, 0, (size_t)d->m->def.nu * sizeof *p);
    pattern_multiply(&d->m->def.M, d->M, 1, u, p);
}

double drift_kinetic(const drift *d, const double *v) {
    const carom_pattern *M = &d->m->def.M;
    double twice = 0;
    for (int i = 0; i < M->rows; i++)
        for (int e = M->start[i]; e < M->start[i + 1]; e++) twice += v[i] * d->M[e] * v[M->index[e]];
    return twice / 2;
}

bool drift_velocity(const drift *d, const double *p, double h, double *v) {
    const carom_model_def *def = &d->m->def;
    bool found = true;
    for (int j = 0; j < def->nu; j++) v[j] = p[j] * d->inverse[j];
    if (d->factors) linear_solve(d->factors, v);
    for (int k = 0; k < def->rotations && found; k++)
        found = angular_velocity(d->J[k], p + def->rotation[k].u, h, v + def->rotation[k].u);
    return found;
}

void drift_position(const drift *d, const double *q, const double *v, double h, double *q1) {
    const carom_model_def *def = &d->m->def;
    for (int i = 0; i < d->singles; i++) q1[d->q[i]] = q[d->q[i]] + h * v[d->u[i]];
    for (int k = 0; k < def->rotations; k++)
        turn(q + def->rotation[k].q, v + def->rotation[k].u, h, q1 + def->rotation[k].q);
}

void drift_turn(const drift *d, const double *p, const double *v, double h, double *p1) {
    const carom_model_def *def = &d->m->def;
    if (p1 != p) memcpy(p1, p, (size_t)def->nu * sizeof *p1);
    for (int k = 0; k < def->rotations; k++) {
        int u = def->rotation[k].u;
        double own[3] = {p[u], p[u + 1], p[u + 2]};
        turn_back(v + u, h, own, p1 + u);
    }
}

/* ---------------------------------------------------------------- setup */

/* Of which rotation a coordinate or velocity is, or of none. */
enum { SINGLE = -1, FREE = -2 };
static void mark(const carom_model_def *def, int *of_q, int *of_u) {
    for (int i = 0; i < def->nq; i++) of_q[i] = SINGLE;
    for (int j = 0; j < def->nu; j++) of_u[j] = FREE;
    for (int k = 0; k < def->rotations; k++) {
        for (int i = 0; i < 4; i++) of_q[def->rotation[k].q + i] = k;
        for (int j = 0; j < 3; j++) of_u[def->rotation[k].u + j] = k;
    }
}

static carom_status refuse_kinematics(const carom_model_def *def, int i, carom_error *error) {
    return carom_error_set(error, CAROM_DATA,
                           "multisymplectic moves coordinates by velocities of their own, and quaternions of bodies; "
                           "'%s' moves otherwise: rattle and lobatto take any kinematics",
                           def->q_names[i]);
}

/* Which velocity moves which coordinate: rows of B with a single entry, which is one; no velocity moves two. */
static carom_status pair_singles(drift *d, const double *B, const int *of_q, int *of_u, carom_error *error) {
    const carom_model_def *def = &d->m->def;
    for (int i = 0; i < def->nq; i++) {
        if (of_q[i] >= 0) continue;
        int found = d->m->trivial ? i : -1, entries = d->m->trivial;
        for (int e = d->m->trivial ? 0 : def->B.start[i]; !d->m->trivial && e < def->B.start[i + 1]; e++)
            if (B[e] != 0) found = B[e] == 1 ? def->B.index[e] : -1, entries++;
        if (found < 0 || entries != 1 || of_u[found] != FREE) return refuse_kinematics(def, i, error);
        of_u[found] = SINGLE;
        d->q[d->singles] = i, d->u[d->singles++] = found;
    }
    return CAROM_OK;
}

/* q_dot at some velocity is what the pairs and rotations say, and beta = 0: seen at states around the initial one. */
static carom_status check_kinematics(const drift *d, double *work, carom_error *error) {
    const carom_model_def *def = &d->m->def;
    double *u = work, *q = u + def->nu, *is = q + def->nq, *expected = is + def->nq;
    for (int j = 0; j < def->nu; j++) u[j] = cos(1.7 * j + 0.3);
    drift_position(d, def->q0, u, 0.1, q);
    for (int still = 0; still < 2; still++) {
        for (int j = 0; still && j < def->nu; j++) u[j] = 0;
        if (model_q_dot(d->m, def->t0 + 0.37, q, u, is)) return CAROM_OK; /* not defined there: nothing to be learnt */
        for (int i = 0; i < d->singles; i++) expected[d->q[i]] = u[d->u[i]];
        for (int k = 0; k < def->rotations; k++) {
            const double *p = q + def->rotation[k].q, *w = u + def->rotation[k].u;
            double *rate = expected + def->rotation[k].q, c[3];
            cross(p + 1, w, c);
            rate[0] = -dot(p + 1, w) / 2;
            for (int i = 0; i < 3; i++) rate[1 + i] = (p[0] * w[i] + c[i]) / 2;
        }
        for (int i = 0; i < def->nq; i++)
            if (!(fabs(is[i] - expected[i]) <= 1e-12 * (1 + fabs(expected[i]))))
                return refuse_kinematics(def, i, error);
    }
    return CAROM_OK;
}

/* M is the same elsewhere, and does not couple rotations with anything else. */
static carom_status check_mass(const drift *d, const int *of_u, double *work, carom_error *error) {
    const carom_model_def *def = &d->m->def;
    const carom_pattern *M = &def->M;
    double *u = work, *q = u + def->nu, *elsewhere = q + def->nq;
    for (int j = 0; j < def->nu; j++) u[j] = cos(1.7 * j + 0.3);
    drift_position(d, def->q0, u, 0.1, q);
    bool defined = !def->mass(def->context, def->t0 + 0.37, q, elsewhere);
    for (int i = 0; i < def->nu; i++)
        for (int e = M->start[i]; e < M->start[i + 1]; e++) {
            if (defined && !(fabs(elsewhere[e] - d->M[e]) <= 1e-12 * fabs(d->M[e])))
                return carom_error_set(error, CAROM_DATA,
                                       "multisymplectic needs a constant mass matrix, that of '%s' changes with the "
                                       "state; variational_moreau takes M(q)",
                                       def->u_names[i]);
            if (d->M[e] != 0 && of_u[i] != of_u[M->index[e]])
                return carom_error_set(error, CAROM_DATA,
                                       "multisymplectic needs a mass matrix that leaves rotations alone, this one "
                                       "couples '%s' with '%s'; beams have one with 'mass: lumped'",
                                       def->u_names[i], def->u_names[M->index[e]]);
        }
    return CAROM_OK;
}

/* J of the rotations; the diagonal of the others, or factors where it is not all. */
static carom_status split_mass(drift *d, const int *of_u, carom_error *error) {
    const carom_model_def *def = &d->m->def;
    const carom_pattern *M = &def->M;
    bool coupled = false;
    for (int i = 0; i < def->nu; i++) {
        const double *diagonal = pattern_entry(M, d->M, i, i);
        if (!diagonal || !(*diagonal > 0))
            return carom_error_set(error, CAROM_DATA, "the mass matrix is not positive definite: '%s' has no mass",
                                   def->u_names[i]);
        d->inverse[i] = 1 / *diagonal;
        for (int e = M->start[i]; e < M->start[i + 1]; e++) {
            coupled = coupled || (of_u[i] < 0 && M->index[e] != i && d->M[e] != 0);
            if (of_u[i] >= 0 && of_u[M->index[e]] == of_u[i]) {
                int first = def->rotation[of_u[i]].u;
                d->J[of_u[i]][i - first][M->index[e] - first] = d->M[e];
            }
        }
    }
    if (!coupled) return CAROM_OK;
    double *scaled = malloc((size_t)pattern_nnz(M) * sizeof *scaled);
    d->factors = linear_create(def->nu, pattern_nnz(M));
    for (int i = 0; scaled && i < def->nu; i++)
        for (int e = M->start[i]; e < M->start[i + 1]; e++) scaled[e] = d->M[e] * d->inverse[i];
    bool ok = scaled && d->factors;
    bool regular = ok && linear_factor(d->factors, def->nu, M->start, M->index, scaled);
    free(scaled);
    if (!ok) return carom_error_memory(error);
    return regular ? CAROM_OK : carom_error_set(error, CAROM_DATA, "the mass matrix is singular at the start");
}

carom_status drift_create(drift *d, const carom_model *m, carom_error *error) {
    const carom_model_def *def = &m->def;
    const size_t nu = (size_t)def->nu, nq = (size_t)def->nq, nM = (size_t)pattern_nnz(&def->M);
    const size_t nB = (size_t)pattern_nnz(&def->B);
    *d = (drift){.m = m};
    d->q = malloc((2 * nq + 1) * sizeof *d->q), d->u = d->q ? d->q + nq : NULL;
    d->M = malloc((nM + nu + 1) * sizeof *d->M), d->inverse = d->M ? d->M + nM : NULL;
    d->J = calloc((size_t)def->rotations + 1, sizeof *d->J);
    int *of_q = malloc((nq + nu) * sizeof *of_q), *of_u = of_q ? of_q + nq : NULL;
    double *work = calloc(2 * nu + 3 * nq + nM + nB + 1, sizeof *work);
    carom_status status = d->q && d->M && d->J && of_q && work ? CAROM_OK : carom_error_memory(error);
    if (!status) mark(def, of_q, of_u);
    if (!status && (def->mass(def->context, def->t0, def->q0, d->M) ||
                    (!m->trivial && def->kinematics(def->context, def->t0, def->q0, def->u0, NULL, work, NULL))))
        status = carom_error_set(error, CAROM_DATA, "the model is not defined at the initial state");
    if (!status) status = pair_singles(d, work, of_q, of_u, error);
    if (!status) status = check_kinematics(d, work, error);
    if (!status) status = check_mass(d, of_u, work, error);
    if (!status) status = split_mass(d, of_u, error);
    free(of_q);
    free(work);
    return status;
}

void drift_destroy(drift *d) {
    linear_destroy(d->factors);
    free(d->q);
    free(d->M);
    free(d->J);
}
