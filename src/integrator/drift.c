#include "integrator/drift.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "linalg/csr.h"
#include "model/definite.h"
#include "model/space.h"

/* ---------------------------------------------------------------- vectors and matrices of three */

static void times(double A[3][3], const double x[3], double y[3]) {
    for (int i = 0; i < 3; i++) y[i] = space_dot(A[i], x);
}

/* A x = b by Cramer's rule; false: A is singular. */
static bool solve(double A[3][3], const double b[3], double x[3]) {
    double c[3][3];
    for (int i = 0; i < 3; i++) space_cross(A[(i + 1) % 3], A[(i + 2) % 3], c[i]);
    double det = space_dot(A[0], c[0]);
    for (int i = 0; i < 3; i++) x[i] = (c[0][i] * b[0] + c[1][i] * b[1] + c[2][i] * b[2]) / det;
    return det != 0;
}

/* ---------------------------------------------------------------- rotations */

/* An origin of mass m that moves with the frame: its momentum pi in the axes of the frame at the beginning. */
typedef struct carried {
    double m, pi[3];
} carried;

/* (Y18): what the origin adds to (Y2), h/2 gamma x pi with (I + a^) m gamma = pi and a = h w/2, and its derivatives by
 * w. */
static void add_origin(const carried *o, const double w[3], double h, double added[3], double by_w[3][3]) {
    const double a[3] = {h / 2 * w[0], h / 2 * w[1], h / 2 * w[2]}, *pi = o->pi;
    const double n = 1 + space_dot(a, a), along = space_dot(a, pi), square = space_dot(pi, pi), c = h / (2 * o->m * n);
    double turned[3];
    space_cross(a, pi, turned);
    for (int i = 0; i < 3; i++) added[i] = c * (a[i] * square - pi[i] * along + along * turned[i]);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double cross = i == j ? 0 : ((j - i + 3) % 3 == 1 ? 1 : -1) * pi[3 - i - j]; /* -pi^ */
            double rate = (i == j ? square : 0) - pi[i] * pi[j] + turned[i] * pi[j] + along * cross;
            by_w[i][j] = h / 2 * (c * rate - 2 * added[i] * a[j] / n);
        }
}

/* By how much p exceeds (Y2) with what an origin adds to it. */
static void spin_miss(double J[3][3], const double p[3], const double added[3], double h, const double w[3],
                      double Jw[3], double miss[3]) {
    double turning[3];
    times(J, w, Jw);
    space_cross(w, Jw, turning);
    const double T2 = space_dot(w, Jw);
    for (int i = 0; i < 3; i++) miss[i] = p[i] - Jw[i] - h / 2 * turning[i] - h * h / 4 * T2 * w[i] - added[i];
}

/* J w + h/2 w x J w + h^2/4 w (w . J w) = p by Newton's method from a w without the last term; with an origin that
 * moves along unless NULL. */
static bool angular_velocity(double J[3][3], const double p[3], const carried *origin, double h, double w[3]) {
    enum { ITERATIONS = 30 };
    double Jw[3], turning[3], miss[3], A[3][3], added[3] = {0}, by_w[3][3] = {{0}};
    if (!solve(J, p, w)) return false;
    space_cross(w, p, turning);
    for (int i = 0; i < 3; i++) miss[i] = p[i] - h / 2 * turning[i];
    solve(J, miss, w);
    for (int n = 0; n < ITERATIONS; n++) {
        if (origin) add_origin(origin, w, h, added, by_w);
        spin_miss(J, p, added, h, w, Jw, miss);
        const double T2 = space_dot(w, Jw), size = fmax(fabs(w[0]), fmax(fabs(w[1]), fabs(w[2])));
        double step[3];
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) {
                int k = 3 - i - j; /* w x J - (J w) x as a matrix */
                double spin = i == j ? 0 : ((j - i + 3) % 3 == 1 ? 1 : -1) * Jw[k];
                int a = (i + 1) % 3, b = (i + 2) % 3;
                A[i][j] = J[i][j] + h / 2 * (w[a] * J[b][j] - w[b] * J[a][j] + spin) +
                          h * h / 4 * ((i == j ? T2 : 0) + 2 * w[i] * Jw[j]) + by_w[i][j];
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
    const double e[3] = {h / 2 * w[0], h / 2 * w[1], h / 2 * w[2]}, scale = 1 / sqrt(1 + space_dot(e, e));
    double c[3];
    space_cross(p + 1, e, c);
    p1[0] = scale * (p[0] - space_dot(p + 1, e));
    for (int i = 0; i < 3; i++) p1[1 + i] = scale * (p[1 + i] + p[0] * e[i] + c[i]);
}

/* (I + a^)^-1 x */
static void unwind(const double a[3], const double x[3], double y[3]) {
    double turned[3], along = space_dot(a, x), n = 1 + space_dot(a, a);
    space_cross(a, x, turned);
    for (int i = 0; i < 3; i++) y[i] = (x[i] - turned[i] + along * a[i]) / n;
}

/* ---------------------------------------------------------------- frames that move as one */

static bool moves_as_one(const drift *d, int k) {
    return d->joined && d->m->def.rotation[k].placed;
}

/* (Y16): gamma and w of a frame from its momenta at the beginning. */
static bool frame_velocity(const drift *d, int k, const double *q, const double *p, double h, double *v) {
    const carom_rotation *r = &d->m->def.rotation[k];
    carried o = {.m = 1 / d->inverse[r->origin_u]};
    double A[3][3], *w = v + r->u, *gamma = v + r->origin_u;
    space_rotation(q + r->q, A);
    space_transposed_times(A, p + r->origin_u, o.pi);
    if (!angular_velocity(d->J[k], p + r->u, &o, h, w)) return false;
    unwind((double[]){h / 2 * w[0], h / 2 * w[1], h / 2 * w[2]}, o.pi, gamma);
    for (int i = 0; i < 3; i++) gamma[i] /= o.m;
    return true;
}

/* (Y15): how far the origin moves, in the axes of the frame at the beginning. */
static void frame_way(const carom_rotation *r, const double *v, double h, double way[3]) {
    const double *w = v + r->u;
    unwind((double[]){-h / 2 * w[0], -h / 2 * w[1], -h / 2 * w[2]}, v + r->origin_u, way);
    for (int i = 0; i < 3; i++) way[i] *= h;
}

static void frame_position(const carom_rotation *r, const double *q, const double *v, double h, double *q1) {
    double A[3][3], way[3], moved[3];
    space_rotation(q + r->q, A);
    frame_way(r, v, h, way);
    space_times(A, way, moved);
    for (int i = 0; i < 3; i++) q1[r->origin_q + i] = q[r->origin_q + i] + moved[i];
}

/* (Y17): the angular momentum about a fixed point stays, that about the origin loses way x pi. */
static void leave_origin(const drift *d, int k, const double *v, double h, double own[3]) {
    const carom_rotation *r = &d->m->def.rotation[k];
    const double *w = v + r->u, *gamma = v + r->origin_u, m = 1 / d->inverse[r->origin_u];
    double way[3], turned[3], pi[3], lost[3];
    frame_way(r, v, h, way);
    space_cross(w, gamma, turned);
    for (int i = 0; i < 3; i++) pi[i] = m * (gamma[i] + h / 2 * turned[i]);
    space_cross(way, pi, lost);
    for (int i = 0; i < 3; i++) own[i] -= lost[i];
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

bool drift_velocity(const drift *d, const double *q, const double *p, double h, double *v) {
    const carom_model_def *def = &d->m->def;
    bool found = true;
    for (int j = 0; j < def->nu; j++) v[j] = p[j] * d->inverse[j];
    if (d->factors) linear_solve(d->factors, v);
    for (int k = 0; k < def->rotations && found; k++)
        found = moves_as_one(d, k) ? frame_velocity(d, k, q, p, h, v)
                                   : angular_velocity(d->J[k], p + def->rotation[k].u, NULL, h, v + def->rotation[k].u);
    return found;
}

/* What a momentum misses, as a velocity; 0 if that is round-off of the momenta of this size that it is made of. */
static double miss_as_velocity(const drift *d, int j, double miss, double size) {
    if (!isfinite(miss)) return INFINITY;
    return fabs(miss) > 64 * DBL_EPSILON * size ? fabs(miss) * d->inverse[j] : 0;
}

static double largest(const double x[3]) {
    return fmax(fabs(x[0]), fmax(fabs(x[1]), fabs(x[2])));
}

/* (Y2), or (Y16) with the origin. */
static double rotation_miss(const drift *d, int k, const double *q, const double *p, double h, const double *v) {
    const carom_rotation *r = &d->m->def.rotation[k];
    const double *w = v + r->u, *gamma = v + r->origin_u;
    double Jw[3], miss[3], added[3] = {0}, by_w[3][3], A[3][3], turned[3], most = 0, size = largest(p + r->u);
    if (moves_as_one(d, k)) {
        carried o = {.m = 1 / d->inverse[r->origin_u]};
        space_rotation(q + r->q, A);
        space_transposed_times(A, p + r->origin_u, o.pi);
        space_cross(w, gamma, turned);
        for (int i = 0; i < 3; i++)
            most = fmax(most, miss_as_velocity(d, r->origin_u + i, o.pi[i] - o.m * (gamma[i] + h / 2 * turned[i]),
                                               largest(o.pi)));
        add_origin(&o, w, h, added, by_w);
        size += largest(added);
    }
    spin_miss(d->J[k], p + r->u, added, h, w, Jw, miss);
    for (int i = 0; i < 3; i++) most = fmax(most, miss_as_velocity(d, r->u + i, miss[i], size + largest(Jw)));
    return most;
}

double drift_miss(const drift *d, const double *q, const double *p, double h, const double *v, double *work) {
    const carom_model_def *def = &d->m->def;
    const carom_pattern *M = &def->M;
    double most = 0;
    if (d->factors) drift_momenta(d, v, work);
    for (int i = 0; i < def->nu && d->factors; i++) {
        double size = fabs(p[i]);
        for (int e = M->start[i]; e < M->start[i + 1]; e++) size += fabs(d->M[e] * v[M->index[e]]);
        if (d->frames.rotation[i] < 0 && !d->joined) most = fmax(most, miss_as_velocity(d, i, work[i] - p[i], size));
    }
    for (int k = 0; k < def->rotations; k++) most = fmax(most, rotation_miss(d, k, q, p, h, v));
    return most;
}

/* Anchors are functions of the other coordinates: first along their rates, then by their own functions (Y25). */
static void move_anchors(const drift *d, const double *q, const double *v, double h, double *q1) {
    const carom_model_def *def = &d->m->def;
    const bool defined = !model_q_dot(d->m, def->t0, q, v, d->rate);
    for (int i = 0; i < def->anchors; i++)
        q1[def->anchor_q[i]] = q[def->anchor_q[i]] + (defined ? h * d->rate[def->anchor_q[i]] : 0);
    if (defined) model_settle_anchors(d->m, def->t0, q1, d->rate);
}

void drift_position(const drift *d, const double *q, const double *v, double h, double *q1) {
    const carom_model_def *def = &d->m->def;
    const frames *f = &d->frames;
    for (int i = 0; i < f->singles; i++) q1[f->q[i]] = q[f->q[i]] + h * v[f->u[i]];
    for (int k = 0; k < def->rotations; k++) {
        turn(q + def->rotation[k].q, v + def->rotation[k].u, h, q1 + def->rotation[k].q);
        if (moves_as_one(d, k)) frame_position(&def->rotation[k], q, v, h, q1);
    }
    if (def->anchors) move_anchors(d, q, v, h, q1);
}

void drift_turn(const drift *d, const double *p, const double *v, double h, double *p1) {
    const carom_model_def *def = &d->m->def;
    if (p1 != p) memcpy(p1, p, (size_t)def->nu * sizeof *p1);
    for (int k = 0; k < def->rotations; k++) {
        int u = def->rotation[k].u;
        double own[3] = {p[u], p[u + 1], p[u + 2]};
        if (moves_as_one(d, k)) leave_origin(d, k, v, h, own);
        frame_turn_back((double[]){1, h / 2 * v[u], h / 2 * v[u + 1], h / 2 * v[u + 2]}, own, p1 + u);
    }
}

/* ---------------------------------------------------------------- setup */

/* M is the same elsewhere, and does not couple rotations with anything else. */
static carom_status check_mass(const drift *d, double *work, carom_error *error) {
    const carom_model_def *def = &d->m->def;
    const carom_pattern *M = &def->M;
    const int *of_u = d->frames.rotation;
    double *u = work, *q = u + def->nu, *elsewhere = q + def->nq;
    bool defined = !frames_elsewhere(&d->frames, u, q) && !def->mass(def->context, def->t0 + 0.37, q, elsewhere);
    for (int i = 0; i < def->nu; i++)
        for (int e = M->start[i]; e < M->start[i + 1]; e++) {
            if (defined && !(fabs(elsewhere[e] - d->M[e]) <= 1e-12 * fabs(d->M[e])))
                return carom_error_set(error, CAROM_DATA,
                                       "multisymplectic needs a constant mass matrix, that of '%s' changes with the "
                                       "state; rattle and lobatto take M(q)",
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
static carom_status split_mass(drift *d, carom_error *error) {
    const carom_model_def *def = &d->m->def;
    const carom_pattern *M = &def->M;
    const int *of_u = d->frames.rotation;
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
    *d = (drift){.m = m};
    carom_status status = frames_create(&d->frames, m, "multisymplectic", "rattle and lobatto take", error);
    if (status) return status;
    d->M = malloc((nM + nu + 1) * sizeof *d->M), d->inverse = d->M ? d->M + nM : NULL;
    d->J = calloc((size_t)def->rotations + 1, sizeof *d->J);
    d->rate = calloc(nq + 1, sizeof *d->rate);
    double *work = calloc(nu + nq + nM, sizeof *work);
    if (!d->M || !d->J || !d->rate || !work) status = carom_error_memory(error);
    if (!status && def->mass(def->context, def->t0, def->q0, d->M))
        status = carom_error_set(error, CAROM_DATA, "the model is not defined at the initial state");
    if (!status) status = check_mass(d, work, error);
    if (!status) status = split_mass(d, error);
    free(work);
    return status;
}

carom_status drift_join(drift *d, carom_error *error) {
    const carom_model_def *def = &d->m->def;
    for (int k = 0; k < def->rotations; k++) {
        const carom_rotation *r = &def->rotation[k];
        for (int i = 0; r->placed && i < 3; i++)
            if (d->factors || d->inverse[r->origin_u + i] != d->inverse[r->origin_u])
                return carom_error_set(error, CAROM_DATA,
                                       "frames of SE(3) need the same mass along all axes, that of '%s' is not; take "
                                       "'frames: so3'",
                                       def->u_names[r->origin_u + i]);
    }
    d->joined = true;
    return CAROM_OK;
}

void drift_destroy(drift *d) {
    linear_destroy(d->factors);
    frames_destroy(&d->frames);
    free(d->M);
    free(d->J);
    free(d->rate);
}
