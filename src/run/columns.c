/* What a run can record: names and values, in one order (docs/guide/results.md):
 * t; q; u; per constraint g, g_dot, P; per velocity constraint gamma, P; per contact gap, gap_dot, slip, PN, PF, state,
 * loss, lossF; T, V, E; works; momentum maps; observables; inputs; what the integrator has of its own; newton;
 * residual. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "error.h"
#include "run/latch.h"

/* A pass over the columns: counts them, and names them unless name is NULL. */
typedef struct naming {
    char **name;
    bool *of_step;
    int count;
    bool failed;
} naming;

/* Whether a column describes a moment, or something summed over a step. */
typedef enum reach { MOMENT, STEP } reach;

__attribute__((format(printf, 3, 4))) static void add(naming *n, reach r, const char *format, ...) {
    if (n->name) {
        n->of_step[n->count] = r == STEP;
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
static void add_parts(naming *n, reach r, const carom_model_contact *c, const char *what) {
    if (c->slips == 1) add(n, r, "%s.%s", c->name, what);
    for (int i = 1; i <= c->slips && c->slips > 1; i++) add(n, r, "%s.%s%d", c->name, what, i);
}

/* Contacts that are found share one column for each work. */
static bool has_impacts(const carom_sim *sim) {
    return sim->model->def.contacts || sim->model->finder;
}
static bool has_friction(const carom_sim *sim) {
    return sim->model->slips || sim->model->finder;
}

static void name_columns(const carom_sim *sim, naming *n) {
    const carom_model_def *d = &sim->model->def;
    add(n, MOMENT, "t");
    for (int i = 0; i < d->nq - d->slacks; i++) add(n, MOMENT, "%s", d->q_names[i]);
    for (int i = 0; i < d->nu - d->slacks; i++) add(n, MOMENT, "%s", d->u_names[i]);
    for (int i = 0; i < d->ng; i++) {
        add(n, MOMENT, "%s.g", d->g_names[i]);
        add(n, MOMENT, "%s.g_dot", d->g_names[i]);
        add(n, STEP, "%s.P", d->g_names[i]);
    }
    for (int i = 0; i < d->ngamma; i++) {
        add(n, MOMENT, "%s.gamma", d->gamma_names[i]);
        add(n, STEP, "%s.P", d->gamma_names[i]);
    }
    for (int k = 0; k < d->contacts; k++) {
        const carom_model_contact *c = &d->contact[k];
        const bool gap = c->loads == 0;
        if (gap) add(n, MOMENT, "%s.gap", c->name);
        if (gap) add(n, MOMENT, "%s.gap_dot", c->name);
        add_parts(n, MOMENT, c, "slip");
        if (gap) add(n, STEP, "%s.PN", c->name);
        add_parts(n, STEP, c, "PF");
        add(n, MOMENT, "%s.state", c->name);
        add(n, STEP, "%s.loss", c->name);
        if (c->slips) add(n, STEP, "%s.lossF", c->name);
    }
    if (d->energy) {
        add(n, MOMENT, "T");
        add(n, MOMENT, "V");
        add(n, MOMENT, "E");
    }
    if (d->power) add(n, MOMENT, "work.forces");
    if (d->rheonomic) add(n, MOMENT, "work.constraints");
    if (has_impacts(sim)) add(n, MOMENT, "work.impacts");
    if (has_friction(sim)) add(n, MOMENT, "work.friction");
    for (int i = 0; i < d->symmetries; i++) add(n, MOMENT, "%s", d->symmetry_names[i]);
    for (int i = 0; i < d->observables; i++) add(n, MOMENT, "%s", d->observable_names[i]);
    for (int i = 0; i < d->inputs; i++) add(n, MOMENT, "%s", d->input_names[i]);
    for (int i = 0; i < sim->integrator->columns; i++) add(n, MOMENT, "%s", sim->integrator->column_names[i]);
    add(n, STEP, "newton");
    for (int k = 1; k <= sim->integrator->stages && sim->integrator->stages > 1; k++) add(n, STEP, "newton.%d", k);
    add(n, STEP, "residual");
}

bool columns_create(carom_sim *sim) {
    const carom_model_def *d = &sim->model->def;
    naming n = {0};
    name_columns(sim, &n);
    sim->columns = n.count;
    sim->name = n.name = calloc((size_t)n.count, sizeof *n.name);
    sim->of_step = n.of_step = calloc((size_t)n.count, sizeof *n.of_step);
    sim->c = calloc((size_t)sim->model->nc + 1, sizeof *sim->c);
    sim->row = calloc((size_t)n.count, sizeof *sim->row);
    sim->observed = calloc((size_t)d->observables + 1, sizeof *sim->observed);
    sim->anchors = calloc((size_t)d->anchors + 1, sizeof *sim->anchors);
    sim->scale = calloc(2 * (size_t)sim->model->slips + 1, sizeof *sim->scale);
    size_t nu = (size_t)d->nu;
    if (d->symmetries) {
        sim->xi = calloc((size_t)d->symmetries * nu, sizeof *sim->xi);
        sim->p = calloc(nu, sizeof *sim->p);
        sim->M = calloc((size_t)pattern_nnz(&d->M) + 1, sizeof *sim->M);
        sim->maps = calloc((size_t)d->symmetries, sizeof *sim->maps);
        if (!sim->xi || !sim->p || !sim->M || !sim->maps) return false;
    }
    if (!sim->name || !sim->of_step || !sim->row || !sim->c || !sim->observed || !sim->anchors || !sim->scale)
        return false;
    n.count = 0;
    name_columns(sim, &n);
    return !n.failed;
}

void columns_destroy(carom_sim *sim) {
    for (int i = 0; sim->name && i < sim->columns; i++) free(sim->name[i]);
    free(sim->name);
    free(sim->of_step);
    free(sim->row);
    free(sim->c);
    free(sim->xi);
    free(sim->p);
    free(sim->M);
    free(sim->maps);
    free(sim->scale);
    free(sim->observed);
    free(sim->anchors);
}

int carom_sim_columns(const carom_sim *sim) {
    assert_alive(sim);
    return sim->columns;
}

const char *carom_sim_column_name(const carom_sim *sim, int column) {
    assert_alive(sim);
    assert(column >= 0 && column < sim->columns);
    return sim->name[column];
}

bool carom_sim_column_of_step(const carom_sim *sim, int column) {
    assert_alive(sim);
    assert(column >= 0 && column < sim->columns);
    return sim->of_step[column];
}

static double *put(double *row, int n, const double *values) {
    for (int i = 0; i < n; i++) *row++ = values[i];
    return row;
}

/* What a row shows: the present state, or the state on one side of an event. */
typedef struct moment {
    motion x;
    const double *s, *work;
    const double *loss; /* [contacts][2] */
    const double *own;  /* the columns of the integrator at an event; NULL: the integrator is asked */
} moment;

/* xi^T p, with the momentum that the scheme itself carries where it has one. */
static int momentum_maps(carom_sim *sim, const motion *x) {
    const carom_model_def *d = &sim->model->def;
    if (d->symmetry(d->context, x->t, x->q, sim->xi)) return 1;
    if (sim->integrator->momentum && x->memory
            ? sim->integrator->momentum(sim->self, x, sim->p)
            : model_momentum(sim->model, x->t, x->q, x->u, sim->M, sim->p, NULL, NULL, NULL, NULL))
        return 1;
    for (int k = 0; k < d->symmetries; k++) {
        sim->maps[k] = 0;
        for (int j = 0; j < d->nu; j++) sim->maps[k] += sim->xi[k * d->nu + j] * sim->p[j];
    }
    return 0;
}

static double *put_contact(const carom_sim *sim, const moment *now, int k, double *row) {
    const carom_model *m = sim->model;
    int n = m->def.contact[k].slips, N = m->N + k, F = m->F + m->slip[k];
    const int gap = !contact_follows(m, k);
    row = put(row, 2 * gap, (double[]){sim->c[m->def.ng + k], now->s[N]});
    double *slip = row;
    row = put(row, n, now->s + F);
    row = put(row, gap, (double[]){now->x.P[N] - latch_pull(sim, k)});
    double *P = row;
    row = put(row, n, now->x.P + F);
    if (m->def.slip_scale) {
        slips_from_rows(n, sim->scale + m->slip[k], slip);
        percussions_from_rows(n, sim->scale + m->slip[k], P);
    }
    row = put(row, 1, now->x.contact + k);
    return put(row, n ? 2 : 1, now->loss + 2 * k);
}

/* G: at the present state, whose change is work too (W4) */
static double *put_works(const carom_sim *sim, const double *work, double G, double *row) {
    const carom_model_def *d = &sim->model->def;
    if (d->power) row = put(row, 1, (double[]){work[WORK_FORCES] + (G - sim->G)});
    if (d->rheonomic) row = put(row, 1, &work[WORK_CONSTRAINTS]);
    if (has_impacts(sim)) row = put(row, 1, &work[WORK_IMPACTS]);
    if (has_friction(sim)) row = put(row, 1, &work[WORK_FRICTION]);
    return row;
}

/* An observable that is not defined at a state is NaN there, and the run goes on. */
static double *put_observed(const carom_sim *sim, const motion *x, double *row) {
    const carom_model_def *d = &sim->model->def;
    for (int i = 0; i < d->observables; i++) sim->observed[i] = NAN;
    if (d->observables) d->observe(d->context, x->t, x->q, x->u, sim->observed);
    return put(row, d->observables, sim->observed);
}

static double *put_solver(const carom_sim *sim, double *row) {
    int stages = sim->integrator->stages;
    double newton = 0;
    for (int k = 0; k < stages; k++) newton += sim->now[STATE_NEWTON + k];
    row = put(row, 1, &newton);
    if (stages > 1) row = put(row, stages, sim->now + STATE_NEWTON);
    return put(row, 1, &sim->now[STATE_RESIDUAL]);
}

static bool put_own(const carom_sim *sim, const moment *now, double *row) {
    const integrator *i = sim->integrator;
    if (now->own) put(row, i->columns, now->own);
    return now->own || !i->columns || !i->column(sim->self, &now->x, row);
}

static carom_status fill_row(carom_sim *sim, const moment *now, double *row, carom_error *error) {
    const carom_model *m = sim->model;
    const carom_model_def *d = &m->def;
    double t = now->x.t, energy[3] = {0}, G = 0;
    const double *q = now->x.q, *u = now->x.u, *P = now->x.P, *c = sim->c, *s = now->s;
    if ((m->nc && d->position(d->context, t, q, sim->c, NULL)) ||
        (d->slip_scale && model_slip_scale(m, t, q, sim->scale)) ||
        (d->energy && d->energy(d->context, t, q, u, &energy[0], &energy[1])) ||
        (d->symmetries && momentum_maps(sim, &now->x)))
        return carom_error_set(error, CAROM_FAILED, "the model is not defined at t = %.9g", t);
    energy[2] = energy[0] + energy[1];
    if (d->power && d->power(d->context, t, q, u, NULL, &G)) G = NAN;

    row = put(row, 1, &t);
    row = put(row, d->nq - d->slacks, q);
    row = put(row, d->nu - d->slacks, u);
    for (int i = 0; i < d->ng; i++) row = put(row, 3, (double[]){c[i], s[i], P[i]});
    for (int i = m->gamma; i < m->N; i++) row = put(row, 2, (double[]){s[i], P[i]});
    for (int k = 0; k < d->contacts; k++) row = put_contact(sim, now, k, row);
    if (d->energy) row = put(row, 3, energy);
    row = put_works(sim, now->work, G, row);
    row = put(row, d->symmetries, sim->maps);
    row = put_observed(sim, &now->x, row);
    row = put(row, d->inputs, sim->now + sim->input);
    if (!put_own(sim, now, row)) return carom_error_set(error, CAROM_FAILED, "the model is not defined at t = %.9g", t);
    put_solver(sim, row + sim->integrator->columns);
    return CAROM_OK;
}

carom_status carom_sim_row(carom_sim *sim, double *row, carom_error *error) {
    assert_alive(sim);
    sim_take_turn(sim);
    const ledger l = ledger_in(sim, sim->now);
    moment now = {sim_motion(sim, sim->now), l.s, l.work, l.loss, NULL};
    return fill_row(sim, &now, row, error);
}

/* Derivatives of what follows from the state; NaN for everything else. */
static double *put_nothing(double *row, int n) {
    for (int i = 0; i < n; i++) *row++ = NAN;
    return row;
}

static double *put_contact_rates(const carom_sim *sim, const double *c, const double *s, int k, double *row) {
    const carom_model *m = sim->model;
    const int n = m->def.contact[k].slips, gap = !contact_follows(m, k);
    row = put(row, 2 * gap, (double[]){c[m->def.ng + k], s[m->N + k]});
    row = m->def.slip_scale ? put_nothing(row, n) : put(row, n, s + m->F + m->slip[k]);
    return put_nothing(row, gap + 1 + n + (n ? 2 : 1));
}

/* Energies. Elastic elements have no derivative of theirs. */
static double *put_energy_rates(const carom_sim *sim, int parameter, const carom_place *at, const carom_place *rate,
                                double *row) {
    const carom_model_def *d = &sim->model->def;
    double T = NAN, V = NAN;
    if (!d->energy) return row;
    if (d->tangent(d->context, parameter, at, rate, &(carom_tangent){.T = &T})) T = NAN;
    if (d->tangent(d->context, parameter, at, rate, &(carom_tangent){.V = &V})) V = NAN;
    return put(row, 3, (double[]){T, V, T + V});
}

carom_status carom_sim_row_along(carom_sim *sim, int parameter, const double *q_rate, const double *u_rate, double *row,
                                 carom_error *error) {
    assert_alive(sim);
    assert(parameter >= -1 && parameter < sim->model->def.parameters);
    sim_take_turn(sim);
    const carom_model *m = sim->model;
    const carom_model_def *d = &m->def;
    const motion x = sim_motion(sim, sim->now);
    const carom_place at = {x.t, x.q, x.u}, rate = {0, q_rate, u_rate};
    double *c = sim->c, *s = sim->sides, *const end = row + sim->columns;
    for (int i = 0; i < d->observables; i++) sim->observed[i] = NAN;
    const carom_tangent wanted = {.c = m->nc ? c : NULL, .s = m->ns ? s : NULL};
    if (!d->tangent)
        return carom_error_set(error, CAROM_DATA, "derivatives of the motion need the model's function tangent");
    if (d->tangent(d->context, parameter, &at, &rate, &wanted))
        return carom_error_set(error, CAROM_FAILED, "the model's derivatives are not defined at t = %.9g", x.t);
    row = put(row, 1, (double[]){0});
    row = put(row, d->nq - d->slacks, rate.q);
    row = put(row, d->nu - d->slacks, rate.u);
    for (int i = 0; i < d->ng; i++) row = put(row, 3, (double[]){c[i], s[i], NAN});
    for (int i = m->gamma; i < m->N; i++) row = put(row, 2, (double[]){s[i], NAN});
    for (int k = 0; k < d->contacts; k++) row = put_contact_rates(sim, c, s, k, row);
    row = put_energy_rates(sim, parameter, &at, &rate, row);
    row = put_nothing(row, !!d->power + !!d->rheonomic + !!d->contacts + !!m->slips + d->symmetries);
    if (d->observables && d->tangent(d->context, parameter, &at, &rate, &(carom_tangent){.observables = sim->observed}))
        put_nothing(sim->observed, d->observables);
    row = put(row, d->observables, sim->observed);
    put_nothing(row, (int)(end - row));
    return CAROM_OK;
}

carom_status carom_sim_row_by(carom_sim *sim, int derivative, double *row, carom_error *error) {
    assert_alive(sim);
    if (carom_sim_lost(sim))
        return carom_error_set(error, CAROM_FAILED, "there is no derivative: %s", carom_sim_lost(sim));
    return carom_sim_row_along(sim, sensitivity_parameter(sim, derivative), carom_sim_q_by(sim, derivative),
                               carom_sim_u_by(sim, derivative), row, error);
}

carom_status carom_sim_event_row(carom_sim *sim, int event, int side, double *row, carom_error *error) {
    assert_alive(sim);
    assert(event >= 0 && event < sim->log.events && (side == 0 || side == 1));
    const carom_model_def *d = &sim->model->def;
    const instant i = event_log_instant(&sim->log, sim->log.event[event].instant);
    moment then = {{*i.t[side], i.q, i.u[side], i.P[side], i.contact[side], NULL},
                   sim->sides,
                   i.work[side],
                   ledger_in(sim, sim->now).loss,
                   i.own[side]};
    sim_hold(sim, i.side[side]);
    bool defined = !d->velocity(d->context, *i.t[side], i.q, i.u[side], sim->sides, NULL, NULL);
    carom_status status =
        defined ? fill_row(sim, &then, row, error)
                : carom_error_set(error, CAROM_FAILED, "the model is not defined at t = %.9g", *i.t[side]);
    sim_hold(sim, NULL);
    for (int c = 0; c < sim->columns && !status; c++)
        if (sim->of_step[c]) row[c] = NAN;
    return status;
}
