/* What a run can record: names and values, in one order (docs/guide/results.md):
 * t; q; u; per constraint g, g_dot, P; per velocity constraint gamma, P; per contact gap, gap_dot, slip, PN, PF, state,
 * loss, lossF; T, V, E; works; momentum maps; newton; residual. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "error.h"
#include "run/sim.h"

/* A pass over the columns: counts them, and names them unless name is NULL. */
typedef struct naming {
    char **name;
    int count;
    bool failed;
} naming;

__attribute__((format(printf, 2, 3))) static void add(naming *n, const char *format, ...) {
    if (n->name) {
        va_list arguments;
        va_start(arguments, format);
        if (vasprintf(&n->name[n->count], format, arguments) < 0) {
            n->name[n->count] = NULL;
            n->failed = true;
        }
        va_end(arguments);
    }
    n->count++;
}

/* "slip", or "slip1", "slip2", ... */
static void add_parts(naming *n, const carom_contact_def *c, const char *what) {
    if (c->slips == 1) add(n, "%s.%s", c->name, what);
    for (int i = 1; i <= c->slips && c->slips > 1; i++) add(n, "%s.%s%d", c->name, what, i);
}

static void name_columns(const carom_sim *sim, naming *n) {
    const carom_model_def *d = &sim->model->def;
    add(n, "t");
    for (int i = 0; i < d->nq; i++) add(n, "%s", d->q_names[i]);
    for (int i = 0; i < d->nu; i++) add(n, "%s", d->u_names[i]);
    for (int i = 0; i < d->ng; i++) {
        add(n, "%s.g", d->g_names[i]);
        add(n, "%s.g_dot", d->g_names[i]);
        add(n, "%s.P", d->g_names[i]);
    }
    for (int i = 0; i < d->ngamma; i++) {
        add(n, "%s.gamma", d->gamma_names[i]);
        add(n, "%s.P", d->gamma_names[i]);
    }
    for (int k = 0; k < d->contacts; k++) {
        const carom_contact_def *c = &d->contact[k];
        add(n, "%s.gap", c->name);
        add(n, "%s.gap_dot", c->name);
        add_parts(n, c, "slip");
        add(n, "%s.PN", c->name);
        add_parts(n, c, "PF");
        add(n, "%s.state", c->name);
        add(n, "%s.loss", c->name);
        if (c->slips) add(n, "%s.lossF", c->name);
    }
    if (d->energy) {
        add(n, "T");
        add(n, "V");
        add(n, "E");
    }
    if (d->power) add(n, "work.forces");
    if (d->rheonomic) add(n, "work.constraints");
    if (d->contacts) add(n, "work.impacts");
    if (sim->model->nF) add(n, "work.friction");
    for (int i = 0; i < d->symmetries; i++) add(n, "%s", d->symmetry_names[i]);
    add(n, "newton");
    for (int k = 1; k <= sim->integrator->stages && sim->integrator->stages > 1; k++) add(n, "newton.%d", k);
    add(n, "residual");
}

bool columns_create(carom_sim *sim) {
    const carom_model_def *d = &sim->model->def;
    naming n = {0};
    name_columns(sim, &n);
    sim->columns = n.count;
    sim->name = n.name = calloc((size_t)n.count, sizeof *n.name);
    sim->c = calloc((size_t)sim->model->nc + 1, sizeof *sim->c);
    size_t nu = (size_t)d->nu;
    if (d->symmetries) {
        sim->xi = calloc((size_t)d->symmetries * nu, sizeof *sim->xi);
        sim->p = calloc(nu, sizeof *sim->p);
        sim->M = calloc((size_t)pattern_nnz(&d->M) + 1, sizeof *sim->M);
        sim->maps = calloc((size_t)d->symmetries, sizeof *sim->maps);
        if (!sim->xi || !sim->p || !sim->M || !sim->maps) return false;
    }
    if (!sim->name || !sim->c) return false;
    n.count = 0;
    name_columns(sim, &n);
    return !n.failed;
}

void columns_destroy(carom_sim *sim) {
    for (int i = 0; sim->name && i < sim->columns; i++) free(sim->name[i]);
    free(sim->name);
    free(sim->c);
    free(sim->xi);
    free(sim->p);
    free(sim->M);
    free(sim->maps);
}

int carom_sim_columns(const carom_sim *sim) {
    return sim->columns;
}

const char *carom_sim_column_name(const carom_sim *sim, int column) {
    return column >= 0 && column < sim->columns ? sim->name[column] : NULL;
}

static double *put(double *row, int n, const double *values) {
    for (int i = 0; i < n; i++) *row++ = values[i];
    return row;
}

/* xi^T p, with the momentum that the scheme itself carries where it has one. */
static int momentum_maps(carom_sim *sim) {
    const carom_model_def *d = &sim->model->def;
    motion now = sim_motion(sim, sim->now);
    if (d->symmetry(d->context, now.t, now.q, sim->xi)) return 1;
    if (sim->integrator->momentum
            ? sim->integrator->momentum(sim->self, &now, sim->p)
            : model_momentum(sim->model, now.t, now.q, now.u, sim->M, sim->p, NULL, NULL, NULL, NULL))
        return 1;
    for (int k = 0; k < d->symmetries; k++) {
        sim->maps[k] = 0;
        for (int j = 0; j < d->nu; j++) sim->maps[k] += sim->xi[k * d->nu + j] * sim->p[j];
    }
    return 0;
}

static double *put_contact(const carom_sim *sim, const ledger *l, int k, double *row) {
    const carom_model *m = sim->model;
    const double *P = carom_sim_percussion(sim);
    int n = m->def.contact[k].slips, N = m->N + k, F = m->F + m->slip[k];
    row = put(row, 2, (double[]){sim->c[m->def.ng + k], l->s[N]});
    row = put(row, n, l->s + F);
    row = put(row, 1, P + N);
    row = put(row, n, P + F);
    row = put(row, 1, (double[]){carom_sim_contact(sim, k)});
    return put(row, n ? 2 : 1, l->loss + 2 * k);
}

/* G: at the present state, whose change is work too (W4) */
static double *put_works(const carom_sim *sim, const ledger *l, double G, double *row) {
    const carom_model_def *d = &sim->model->def;
    if (d->power) row = put(row, 1, (double[]){l->work[WORK_FORCES] + (G - sim->G)});
    if (d->rheonomic) row = put(row, 1, &l->work[WORK_CONSTRAINTS]);
    if (d->contacts) row = put(row, 1, &l->work[WORK_IMPACTS]);
    if (sim->model->nF) row = put(row, 1, &l->work[WORK_FRICTION]);
    return row;
}

static double *put_solver(const carom_sim *sim, double *row) {
    int stages = sim->integrator->stages;
    double newton = 0;
    for (int k = 0; k < stages; k++) newton += sim->now[STATE_NEWTON + k];
    row = put(row, 1, &newton);
    if (stages > 1) row = put(row, stages, sim->now + STATE_NEWTON);
    return put(row, 1, &sim->now[STATE_RESIDUAL]);
}

carom_status carom_sim_row(carom_sim *sim, double *row, carom_error *error) {
    const carom_model *m = sim->model;
    const carom_model_def *d = &m->def;
    double t = carom_sim_time(sim), energy[3] = {0}, G = 0;
    const double *q = carom_sim_q(sim), *u = carom_sim_u(sim), *P = carom_sim_percussion(sim), *c = sim->c;
    const ledger l = ledger_in(sim, sim->now);
    if ((m->nc && d->position(d->context, t, q, sim->c, NULL)) ||
        (d->energy && d->energy(d->context, t, q, u, &energy[0], &energy[1])) || (d->symmetries && momentum_maps(sim)))
        return carom_error_set(error, CAROM_FAILED, "the model is not defined at t = %.9g", t);
    energy[2] = energy[0] + energy[1];
    if (d->power && d->power(d->context, t, q, u, NULL, &G)) G = NAN;

    row = put(row, 1, &t);
    row = put(row, d->nq, q);
    row = put(row, d->nu, u);
    for (int i = 0; i < d->ng; i++) row = put(row, 3, (double[]){c[i], l.s[i], P[i]});
    for (int i = m->gamma; i < m->N; i++) row = put(row, 2, (double[]){l.s[i], P[i]});
    for (int k = 0; k < d->contacts; k++) row = put_contact(sim, &l, k, row);
    if (d->energy) row = put(row, 3, energy);
    row = put_works(sim, &l, G, row);
    row = put(row, d->symmetries, sim->maps);
    put_solver(sim, row);
    return CAROM_OK;
}
