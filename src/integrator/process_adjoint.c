/* The transpose of processes of impact (docs/theory/sensitivity.md, (SE73)). From the last operation to the first, the
 * weights of its results become weights of its inputs. The vectors of process_rates hold weights here. */
#include <string.h>

#include "integrator/process_change.h"

static void zero(double *x, int n) {
    memset(x, 0, (size_t)n * sizeof *x);
}

/* Where weights of the place go. */
typedef struct place_weight {
    double *t, *q;
} place_weight;

/* ---------------------------------------------------------------- problems */

/* Of M' du in the balance, -W' P in it, and W'^T du in the rows of laws. */
static void pull_matrices(process_change *c, const double *laws) {
    const impact *i = &c->process->impact;
    const carom_model *m = i->m;
    const carom_pattern *M = &m->def.M;
    const double *du = i->z, *balance = c->inner.rows;
    for (int r = 0; r < m->def.nu; r++)
        for (int e = M->start[r]; e < M->start[r + 1]; e++) process_mass_by(c, 0)[e] += balance[r] * du[M->index[e]];
    adjoint_add_turn(m, 1, laws, du, process_direction_by(c, 0));
    adjoint_add_turn(m, -1, impact_percussion(i), balance, process_direction_by(c, 0));
}

/* Weights of s = W'^T du + W^T du' and of percussions, through the problem: those of its rows are in inner then. */
static bool pull_problem(process_change *c, adjoint *a, const double *s, const double *P, double *before) {
    const impact *i = &c->process->impact;
    const carom_model *m = i->m;
    zero(c->balance, m->def.nu);
    pattern_multiply_transposed(&m->def.WT, i->WT, 1, s, c->balance);
    adjoint_add_turn(m, 1, s, i->z, process_direction_by(c, 0));
    if (!impact_pull(&c->inner, a, i->problem.at.t, c->balance, P, before)) return false;
    pull_matrices(c, c->inner.rows + m->def.nu);
    return true;
}

/* Slip at rest loses the rest of its rate at once, (SE74). */
static bool pull_rest(process_change *c, adjoint *a) {
    process *p = c->process;
    const carom_model *m = p->m;
    const process_rates x = process_rates_of(c, 0);
    problem *of = &p->impact.problem;
    double *rows = c->inner.rows;
    bool any = false, redundant;
    for (int k = 0; k < m->def.contacts; k++) {
        const problem_law *l = law_of_friction(of, m, 0, k);
        any = any || (l && !l->directed && l->branch == LAW_HOLD);
    }
    if (!any) return true;
    zero(rows, of->n + of->looks);
    pattern_multiply_transposed(&m->def.WT, p->impact.WT, 1, x.s, rows);
    memcpy(rows + m->def.nu, x.P, (size_t)m->ns * sizeof *x.P);
    if (!adjoint_linearise(a, c->inner.solver, of, p->impact.z, of->at.t, &redundant)) return false;
    solver_pull(c->inner.solver, of, redundant, rows, c->inner.radius);
    for (int k = 0; k < m->def.contacts; k++) {
        const problem_law *l = law_of_friction(of, m, 0, k);
        for (int j = m->F + m->slip[k]; l && !l->directed && l->branch == LAW_HOLD && j < m->F + m->slip[k + 1]; j++)
            x.s[j] += rows[m->def.nu + j];
    }
    return true;
}

static void pull_given(process_change *c, const double *given) {
    const impact *i = &c->process->impact;
    const carom_model *m = i->m;
    const process_rates x = process_rates_of(c, 0);
    double *along = c->laws;
    zero(along, m->ns), zero(c->counted, m->ns);
    pattern_multiply(&m->def.WT, i->WT, 1, c->inner.rows, along);
    for (int k = 0; k < m->def.contacts; k++) {
        const int by = contact_pressed_by(m, k);
        const problem_law *l = law_of_friction((problem *)&i->problem, m, 0, k);
        c->counted[m->N + k] = -given[k];
        x.rate[k] -= along[m->N + k];
        if (l && by >= 0) x.rate[by] += l->mu * l->G * c->inner.radius[l - i->problem.law];
    }
    adjoint_add_turn(m, 1, c->counted, c->inner.rows, process_direction_by(c, 0));
}

bool process_rates_pull(process_change *c, const process_op *op, adjoint *a, double *t, double *q) {
    const carom_model *m = c->process->m;
    const process_rates x = process_rates_of(c, 0);
    const double *given = process_put_back(c, op), *laws = c->inner.rows + m->def.nu,
                 *direction = c->inner.rows + c->process->impact.problem.n;
    for (int k = 0; k < m->def.contacts; k++) x.rate[k] += x.dP[m->N + k];
    if (!pull_problem(c, a, x.ds, x.dP, NULL)) return false;
    for (int k = 0; k < m->def.contacts; k++) x.rise[k] -= laws[m->N + k];
    for (int j = 0; j < m->slips; j++) x.s[m->F + j] += direction[j];
    pull_given(c, given);
    if (!impact_pull_place(&c->inner, a, t, q, x.s + m->F)) return false;
    zero(x.ds, m->ns), zero(x.dP, m->ns);
    return true;
}

static bool pull_press(process_change *c, const process_op *op, adjoint *a, place_weight to) {
    const carom_model *m = c->process->m;
    const process_rates x = process_rates_of(c, 0);
    process_put_back(c, op);
    const double *P = impact_percussion(&c->process->impact), *laws = c->inner.rows + m->def.nu;
    zero(c->counted, m->ns), zero(c->counted_rate, m->ns);
    for (int k = 0; k < m->def.contacts; k++) {
        c->counted[m->N + k] = P[m->N + k] > 0 ? x.rate[k] : 0;
        x.rate[k] = x.rise[k] = 0;
    }
    if (!pull_problem(c, a, c->counted_rate, c->counted, NULL)) return false;
    for (int j = m->N; j < m->ns; j++) x.s[j] += laws[j];
    return impact_pull_place(&c->inner, a, to.t, to.q, NULL);
}

static bool pull_strike(process_change *c, const process_op *op, adjoint *a, place_weight to) {
    const carom_model *m = c->process->m;
    const process_rates x = process_rates_of(c, 0);
    const double *laws = c->inner.rows + m->def.nu;
    process_put_back(c, op);
    if (!pull_problem(c, a, x.s, x.P, x.s)) return false;
    for (int j = m->N; j < m->ns; j++) x.s[j] += laws[j];
    return impact_pull_place(&c->inner, a, to.t, to.q, NULL);
}

/* ---------------------------------------------------------------- pieces */

static void pull_length(const process_change *c, const process_op *op, const process_piece *p, double weight) {
    const carom_model *m = c->process->m;
    const process_rates x = process_rates_of(c, 0);
    const int k = op->contact, slips = m->def.contact[k].slips,
              row = op->kind == END_SLIP ? m->F + m->slip[k] : m->N + k;
    const double L = op->length;
    if (op->kind == END_EXPANSION) {
        const double w = L > 0 ? weight / p->rate[k] : 0, slope = w * p->by.slope / p->rate[k];
        x.e[k] += w * p->by.restitution, x.compression[k] += w * p->by.compression;
        x.absorbed[k] += w * p->by.absorbed, x.expanded[k] += w * p->by.expansion;
        x.work[k] += w * p->by.released, x.s[row] += w * p->by.gap_dot;
        x.ds[row] += slope, x.rate[k] -= slope * p->x.slope + w * L;
        return;
    }
    if (op->kind == END_ROW || slips == 1) {
        x.s[row] -= weight / p->ds[row], x.ds[row] -= weight / p->ds[row] * L;
        return;
    }
    double square = 0;
    for (int j = row; j < row + slips; j++) square += p->ds[j] * p->ds[j];
    for (int j = row; j < row + slips; j++) {
        x.s[j] -= weight / square * p->ds[j];
        x.ds[j] -= weight / square * (p->s[j] + 2 * L * p->ds[j]);
    }
}

static void pull_piece(const process_change *c, const process_op *op) {
    const carom_model *m = c->process->m;
    const process_piece p = process_piece_of(c, op);
    const process_rates x = process_rates_of(c, 0);
    const double L = op->length;
    double length = 0;
    if (op->kind == END_ROW) x.s[m->N + op->contact] = 0;
    for (int j = m->slip[op->contact]; j < m->slip[op->contact + 1] && op->kind == END_SLIP; j++) x.s[m->F + j] = 0;
    for (int j = 0; j < m->ns; j++) {
        length += x.s[j] * p.ds[j] + x.P[j] * p.dP[j];
        x.ds[j] += L * x.s[j], x.dP[j] += L * x.P[j];
    }
    for (int k = 0; k < m->def.contacts; k++) {
        const int n = m->N + k;
        const double mean = p.s[n] + L / 2 * p.ds[n], w = x.work[k];
        length += w * p.dP[n] * (mean + L / 2 * p.ds[n]) + x.expanded[k] * p.rate[k];
        x.dP[n] += w * L * mean, x.s[n] += w * L * p.dP[n], x.ds[n] += w * L * L / 2 * p.dP[n];
        x.rate[k] += L * x.expanded[k];
    }
    pull_length(c, op, &p, length);
}

/* ---------------------------------------------------------------- what needs no problem */

static void pull_simple(const process_change *c, const process_op *op) {
    const carom_model *m = c->process->m;
    const process_rates x = process_rates_of(c, 0);
    const double *kept = c->record.kept + op->at;
    const int contacts = m->def.contacts;
    for (int k = 0; k < contacts; k++) {
        double *P = &x.P[m->N + k];
        switch (op->step) {
        case PROCESS_BEGIN:
            *P -= x.compression[k];
            x.e[k] = x.compression[k] = x.absorbed[k] = x.work[k] = x.expanded[k] = 0;
            break;
        case PROCESS_RISE:
            x.s[m->N + k] += kept[k] * x.rise[k], x.rise[k] = x.rate[k] = 0;
            break;
        case PROCESS_GIVE:
            x.e[k] += kept[k] * x.rate[k] * kept[2 * contacts + k];
            x.compression[k] += kept[k] * x.rate[k] * kept[contacts + k];
            x.rate[k] = x.rise[k] = 0;
            break;
        default: /* PROCESS_TURN */
            *P += x.compression[k];
            x.work[k] = -x.absorbed[k], x.absorbed[k] = x.expanded[k] = 0;
        }
    }
}

static bool pull_begin(const process_change *c, const process_op *op, adjoint *a) {
    const process_rates x = process_rates_of(c, 0);
    const rebound by = process_rebound_of(c, op);
    const bool defined = rebound_pull(&by, a, x.e, x.s);
    pull_simple(c, op);
    return defined;
}

static bool go_back(process_change *c, const process_op *op, adjoint *a, place_weight to) {
    if (op->step == PROCESS_RATES) return process_rates_pull(c, op, a, to.t, to.q) && pull_rest(c, a);
    if (op->step == PROCESS_STAGE) return true;
    if (op->step == PROCESS_PIECE && op->curved) return process_curve_pull(c, op, a, to.t, to.q);
    if (op->step == PROCESS_PRESS) return pull_press(c, op, a, to);
    if (op->step == PROCESS_STRIKE) return pull_strike(c, op, a, to);
    if (op->step == PROCESS_BEGIN) return pull_begin(c, op, a);
    if (op->step == PROCESS_PIECE) pull_piece(c, op);
    else pull_simple(c, op);
    return true;
}

bool process_pull(process_change *c, adjoint *a, const double *P, double *s, double *t, double *q) {
    const carom_model *m = c->process->m;
    const process_rates x = process_rates_of(c, 0);
    const friction_place *place = &c->process->impact.problem.at;
    zero(c->x, c->size), zero(c->M, pattern_nnz(&m->def.M)), zero(c->WT, pattern_nnz(&m->def.WT));
    memcpy(x.P, P, (size_t)m->ns * sizeof *P);
    bool done = !c->record.failed;
    for (int i = c->record.ops - 1; i >= 0 && done; i--) done = go_back(c, &c->record.op[i], a, (place_weight){t, q});
    for (int j = m->N; j < m->ns; j++) s[j] += x.s[j];
    return done && adjoint_place(a, &(carom_place){place->t, place->q, c->process->zero},
                                 &(carom_tangent){.M = c->M, .WT = c->WT}, t, q, NULL);
}
