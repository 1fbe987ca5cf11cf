/* An initial state made consistent, for models with 'start: consistent'. Positions are moved onto g = 0, then
 * velocities onto g_dot = 0 and gamma = 0, as little as possible in the metric of M (docs/theory/elements.md):
 *
 *     M d = W l,   W^T d + eps l = -g,   q <- q + a B d,   again until g = 0                               (D11)
 *     M d = W l,   W^T d + eps l = -s,   u <- u + d,       s = (g_dot, gamma)                              (D12)
 *
 * eps makes redundant constraints solvable; the iteration takes up what it leaves. Gaps are left alone. */
#include "error.h"
#include "integrator/vectors.h"
#include "linalg/csr.h"
#include "linalg/linear.h"
#include "model/model.h"
#include "scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* eps in units where M and the rows of W^T have length one; it falls to its least value step by step. Redundant rows
 * agree at the solution only, and what they disagree by on the way there is magnified by 1/eps. */
static const double EPSILON = 1e-2, LEAST_EPSILON = 1e-8, FALL = 0.1;
static const double ENOUGH[] = {1e-9, 1e-7}; /* a tenth of what a run asks for, on position and on velocity */
enum { MOST = 50, HALVINGS = 10 };

enum { BLOCK_M, BLOCK_W, BLOCK_WT, BLOCK_EPSILON, BLOCKS };
typedef struct projection {
    const carom_scene *scene;
    const carom_model *m;
    bool velocities; /* which of the two problems */
    int rows;        /* constraints of it */
    double epsilon;
    csr K;
    csr_block block[BLOCKS];
    unit_matrix unit;
    linear *linear;
    double *q, *u, *q1, *u1;              /* the state, and one that is tried */
    double *M, *WT, *B, *unit_u, *unit_s; /* units: inverse lengths, of u and of the rows */
    double *x;                            /* (d, l) */
    double *c;                            /* g or s, and what follows them */
    double *memory;
} projection;

/* ---- one step of Newton's method */

/* S_j = 1/sqrt(M_jj), r_i = 1/|W_i^T S|: S M S and r W^T S have entries of order one. */
static void scale(projection *p) {
    const carom_model_def *d = &p->m->def;
    for (int i = 0; i < d->nu; i++)
        for (int e = d->M.start[i]; e < d->M.start[i + 1]; e++)
            if (d->M.index[e] == i) p->unit_u[i] = 1 / sqrt(p->M[e]);
    for (int i = 0; i < d->nu; i++)
        for (int e = d->M.start[i]; e < d->M.start[i + 1]; e++) p->M[e] *= p->unit_u[i] * p->unit_u[d->M.index[e]];
    for (int i = 0; i < p->rows; i++) {
        double square = 0;
        for (int e = d->WT.start[i]; e < d->WT.start[i + 1]; e++) {
            p->WT[e] *= p->unit_u[d->WT.index[e]];
            square += p->WT[e] * p->WT[e];
        }
        p->unit_s[i] = square > 0 ? 1 / sqrt(square) : 1;
        for (int e = d->WT.start[i]; e < d->WT.start[i + 1]; e++) p->WT[e] *= p->unit_s[i];
    }
}

/* d into x, for the residuals in c at (q, u) */
static bool newton_step(projection *p) {
    const carom_model_def *d = &p->m->def;
    if (d->mass(d->context, d->t0, p->q, p->M) || d->velocity(d->context, d->t0, p->q, p->u, NULL, p->WT, NULL))
        return false;
    scale(p);
    csr_zero(&p->K);
    csr_add(&p->K, &p->block[BLOCK_M], 1, p->M);
    csr_add(&p->K, &p->block[BLOCK_W], -1, p->WT);
    csr_add(&p->K, &p->block[BLOCK_WT], 1, p->WT);
    csr_add(&p->K, &p->block[BLOCK_EPSILON], p->epsilon, p->unit.value);
    if (!linear_factor(p->linear, d->nu + p->rows, p->K.start, p->K.index, p->K.value)) return false;
    for (int j = 0; j < d->nu; j++) p->x[j] = 0;
    for (int i = 0; i < p->rows; i++) p->x[d->nu + i] = -p->unit_s[i] * p->c[i];
    linear_solve(p->linear, p->x);
    for (int j = 0; j < d->nu; j++) p->x[j] *= p->unit_u[j];
    return true;
}

/* The residuals at a state; infinite where they are not defined. */
static double residual(projection *p, const double *q, const double *u) {
    const carom_model_def *d = &p->m->def;
    double sum = 0;
    if (p->velocities ? d->velocity(d->context, d->t0, q, u, p->c, NULL, NULL)
                      : d->position(d->context, d->t0, q, p->c, NULL))
        return INFINITY;
    for (int i = 0; i < p->rows; i++) sum += p->c[i] * p->c[i];
    return isfinite(sum) ? sqrt(sum) : INFINITY;
}

/* (q1, u1): a d further than (q, u) */
static bool move(projection *p, double a) {
    const carom_model_def *d = &p->m->def;
    const double *from = p->velocities ? p->u : p->q;
    double *to = p->velocities ? p->u1 : p->q1;
    memcpy(p->q1, p->q, (size_t)d->nq * sizeof *p->q);
    memcpy(p->u1, p->u, (size_t)d->nu * sizeof *p->u);
    if (p->velocities || p->m->trivial) {
        for (int j = 0; j < d->nu; j++) to[j] = from[j] + a * p->x[j];
        return true;
    }
    if (d->kinematics(d->context, d->t0, p->q, p->u, NULL, p->B, NULL)) return false;
    pattern_multiply(&d->B, p->B, a, p->x, p->q1);
    model_normalise(p->m, p->q1);
    return true;
}

/* The longest of the steps d, d/2, d/4, ... after which the residual is smaller; false: none. */
static bool descend(projection *p, double *size) {
    if (!newton_step(p)) return false;
    for (double a = 1; a > 1.0 / (1 << HALVINGS); a /= 2) {
        double tried = move(p, a) ? residual(p, p->q1, p->u1) : INFINITY;
        if (!(tried < *size)) continue;
        *size = tried;
        memcpy(p->q, p->q1, (size_t)p->m->def.nq * sizeof *p->q);
        memcpy(p->u, p->u1, (size_t)p->m->def.nu * sizeof *p->u);
        return true;
    }
    return false;
}

/* ---- the two problems */

static carom_status contradiction(const projection *p, double allowed, carom_error *error) {
    const carom_scene *scene = p->scene;
    const carom_model_def *d = &p->m->def;
    int worst = 0;
    for (int i = 1; i < p->rows; i++)
        if (fabs(p->c[i]) > fabs(p->c[worst])) worst = i;
    if (fabs(p->c[worst]) <= allowed) return CAROM_OK;
    bool gamma = worst >= d->ng;
    const char *name = gamma ? d->gamma_names[worst - d->ng] : d->g_names[worst];
    return node_error(
        error, gamma ? scene->gamma_where[worst - d->ng] : scene->g_where[worst],
        "no consistent %s near the given ones were found: constraint '%s' %s %.6g at best; start nearer, or "
        "look for constraints that contradict each other",
        p->velocities ? "velocities" : "positions", name, p->velocities && !gamma ? "has the rate" : "is still",
        p->c[worst]);
}

static carom_status project(projection *p, carom_error *error) {
    const carom_model_def *d = &p->m->def;
    p->rows = d->ng + (p->velocities ? d->ngamma : 0);
    if (!p->rows) return CAROM_OK;
    p->block[BLOCK_M] = (csr_block){.pattern = &d->M, .last = d->nu};
    p->block[BLOCK_W] = (csr_block){.pattern = &d->WT, .last = p->rows, .col = d->nu, .transposed = true};
    p->block[BLOCK_WT] = (csr_block){.pattern = &d->WT, .last = p->rows, .row = d->nu};
    p->block[BLOCK_EPSILON] = (csr_block){.pattern = &p->unit.pattern, .last = p->rows, .row = d->nu, .col = d->nu};
    int n = d->nu + p->rows;
    bool ok = unit_create(&p->unit, p->rows) && csr_assemble(&p->K, n, n, p->block, BLOCKS) &&
              (p->linear = linear_create(n, p->K.start[n]));
    double size = ok ? residual(p, p->q, p->u) : 0, scale_u = 1;
    p->epsilon = EPSILON;
    for (int i = 0; ok && i < MOST && isfinite(size) && descend(p, &size); i++)
        p->epsilon = fmax(FALL * p->epsilon, LEAST_EPSILON);
    residual(p, p->q, p->u);
    for (int j = 0; j < d->nu; j++) scale_u = fmax(scale_u, fabs(p->u[j]));
    carom_status status = !ok ? carom_error_memory(error) : CAROM_OK;
    if (ok && !isfinite(size))
        status =
            node_error(error, yaml_find(p->scene->root, "model")->key, "the constraints are not defined at the start");
    if (!status) status = contradiction(p, p->velocities ? ENOUGH[1] * scale_u : ENOUGH[0], error);
    linear_destroy(p->linear);
    csr_free(&p->K);
    csr_blocks_free(p->block, BLOCKS);
    unit_destroy(&p->unit);
    return status;
}

/* ---- how far */

static int farthest(const double *a, const double *b, int n, double *distance) {
    int at = 0;
    *distance = 0;
    for (int i = 0; i < n; i++)
        if (fabs(a[i] - b[i]) > *distance) at = i, *distance = fabs(a[i] - b[i]);
    return at;
}

carom_status make_consistent(carom_scene *scene, carom_error *error) {
    const carom_model *m = scene->model;
    const carom_model_def *d = &m->def;
    projection p = {.scene = scene, .m = m};
    const vector_part parts[] = {
        {&p.q, d->nq},
        {&p.u, d->nu},
        {&p.q1, d->nq},
        {&p.u1, d->nu},
        {&p.M, pattern_nnz(&d->M)},
        {&p.WT, pattern_nnz(&d->WT)},
        {&p.B, pattern_nnz(&d->B)},
        {&p.unit_u, d->nu},
        {&p.unit_s, d->ng + d->ngamma},
        {&p.x, d->nu + d->ng + d->ngamma},
        {&p.c, m->nc + m->ns},
    };
    p.memory = vectors_create(parts, sizeof parts / sizeof *parts);
    if (!p.memory) return carom_error_memory(error);
    memcpy(p.q, d->q0, (size_t)d->nq * sizeof *p.q);
    memcpy(p.u, d->u0, (size_t)d->nu * sizeof *p.u);
    carom_status status = project(&p, error);
    p.velocities = true;
    if (!status) status = project(&p, error);
    start_shift *shift = &scene->shift;
    *shift = (start_shift){.made = true};
    shift->coordinate = farthest(p.q, d->q0, d->nq, &shift->position);
    shift->rate = farthest(p.u, d->u0, d->nu, &shift->velocity);
    if (!status) model_set_start(scene->model, p.q, p.u);
    free(p.memory);
    return status;
}

bool scene_shift_text(const carom_scene *scene, char *text, size_t size) {
    const start_shift *s = &scene->shift;
    const carom_model_def *d = carom_model_get(scene->model);
    if (!s->made) return false;
    int used = snprintf(text, size, "consistent start: ");
    if (s->position > 0)
        used += snprintf(text + used, size - (size_t)used, "positions moved by up to %.3g (%.80s), ", s->position,
                         d->q_names[s->coordinate]);
    else used += snprintf(text + used, size - (size_t)used, "positions as given, ");
    if (s->velocity > 0)
        snprintf(text + used, size - (size_t)used, "velocities by up to %.3g (%.80s)", s->velocity,
                 d->u_names[s->rate]);
    else snprintf(text + used, size - (size_t)used, "velocities as given");
    return true;
}
