/* Pieces of a process whose slip turns, or changes its friction, (SE76) in docs/theory/sensitivity.md: six rates by the
 * method of Cash and Karp. The length of a piece is a number, unless the piece ends where a function is zero: then it
 * follows from that, as the end of a step does from an event. */
#include <string.h>

#include "integrator/process_change.h"
#include "integrator/process_inside.h"

enum { STAGES = PROCESS_STAGES };

static void zero(double *x, int n) {
    memset(x, 0, (size_t)n * sizeof *x);
}

/* ds and dP at stage i. */
static const double *stage_of(const process_change *c, const process_op *op, int i) {
    const int ns = c->process->m->ns;
    return c->record.kept + op->at + ns + 2 * i * ns;
}

/* Weights of ds of the stages before, or, i = STAGES, at the end. */
static double share(int i, int of) {
    return i == STAGES ? process_weight[of] : process_place[i][of];
}

/* s at stage i: its rows of gaps. */
static double gap_dot(const process_change *c, const process_op *op, int i, int row) {
    double s = c->record.kept[op->at + (size_t)row];
    for (int l = 0; l < i; l++) s += op->length * process_place[i][l] * stage_of(c, op, l)[row];
    return s;
}

/* ---------------------------------------------------------------- at a length that changes at the rate given */

static void place_stage(const process_change *c, const process_op *op, int i, double length_by, int column) {
    const int ns = c->process->m->ns;
    const process_rates x = process_rates_of(c, column);
    const double *start = process_stage_by(c, column), *by = start + ns;
    memcpy(x.s, start, (size_t)ns * sizeof *x.s);
    for (int l = 0; l < i; l++)
        for (int j = 0; j < ns; j++)
            x.s[j] += share(i, l) * (op->length * by[2 * l * ns + j] + length_by * stage_of(c, op, l)[j]);
}

/* Work and what has been found at stage i. */
static void take_stage(const process_change *c, const process_op *op, int i, double length_by, int column) {
    const carom_model *m = c->process->m;
    const int ns = m->ns;
    const process_rates x = process_rates_of(c, column);
    const double *dP = stage_of(c, op, i) + ns, L = op->length, w = process_weight[i];
    double *by = process_stage_by(c, column) + ns + 2 * i * ns;
    for (int k = 0; k < m->def.contacts; k++) {
        const int n = m->N + k;
        const double s = gap_dot(c, op, i, n);
        x.work[k] += w * (length_by * dP[n] * s + L * x.dP[n] * s + L * dP[n] * x.s[n]);
    }
    memcpy(by, x.ds, (size_t)ns * sizeof *by);
    memcpy(by + ns, x.dP, (size_t)ns * sizeof *by);
}

static void finish(const process_change *c, const process_op *op, double length_by, int column) {
    const carom_model *m = c->process->m;
    const int ns = m->ns;
    const process_rates x = process_rates_of(c, column);
    const double *by = process_stage_by(c, column) + ns, *rate = stage_of(c, op, STAGES);
    place_stage(c, op, STAGES, length_by, column);
    for (int l = 0; l < STAGES; l++)
        for (int j = 0; j < ns; j++)
            x.P[j] +=
                process_weight[l] * (op->length * by[(2 * l + 1) * ns + j] + length_by * stage_of(c, op, l)[ns + j]);
    for (int k = 0; k < m->def.contacts; k++) x.expanded[k] += length_by * rate[k] + op->length * x.rate[k];
}

/* The columns that go along; the operations of the stages come before op. */
static solver_change take(process_change *c, const process_op *op, double length_by) {
    const int ns = c->process->m->ns;
    solver_change found = CHANGE_FOUND;
    for (int k = c->first; k < c->last; k++)
        memcpy(process_stage_by(c, k), process_rates_of(c, k).s, (size_t)ns * sizeof(double));
    for (int i = 0; i < STAGES && found == CHANGE_FOUND; i++) {
        for (int k = c->first; k < c->last; k++) place_stage(c, op, i, length_by, k);
        found = process_rates_change(c, op - STAGES + i);
        for (int k = c->first; k < c->last; k++) take_stage(c, op, i, length_by, k);
    }
    for (int k = c->first; k < c->last; k++) finish(c, op, length_by, k);
    return found;
}

/* ---------------------------------------------------------------- the length of a piece that ends somewhere */

/* How the function that is zero at the end changes. */
static double end_rate(const process_change *c, const process_op *op, int column) {
    const carom_model *m = c->process->m;
    const process_rates x = process_rates_of(c, column);
    const int k = op->contact, slips = m->def.contact[k].slips;
    const double *ds = stage_of(c, op, STAGES - 1);
    if (op->kind == END_ROW) return x.s[m->N + k];
    if (op->kind == END_EXPANSION) {
        const carom_expansion by = process_piece_of(c, op).by;
        return by.restitution * x.e[k] + by.compression * x.compression[k] + by.absorbed * x.absorbed[k] +
               by.expansion * x.expanded[k] + by.released * x.work[k] + by.gap_dot * x.s[m->N + k];
    }
    double sum = 0;
    for (int j = m->F + m->slip[k]; j < m->F + m->slip[k] + slips; j++) sum += x.s[j] * ds[j];
    return sum;
}

/* The transpose: weight of it. */
static void pull_end(const process_change *c, const process_op *op, double weight) {
    const carom_model *m = c->process->m;
    const process_rates x = process_rates_of(c, 0);
    const int k = op->contact, slips = m->def.contact[k].slips;
    const double *ds = stage_of(c, op, STAGES - 1);
    if (op->kind == END_ROW) x.s[m->N + k] += weight;
    else if (op->kind == END_EXPANSION) {
        const carom_expansion by = process_piece_of(c, op).by;
        x.e[k] += weight * by.restitution, x.compression[k] += weight * by.compression;
        x.absorbed[k] += weight * by.absorbed, x.expanded[k] += weight * by.expansion;
        x.work[k] += weight * by.released, x.s[m->N + k] += weight * by.gap_dot;
    } else
        for (int j = m->F + m->slip[k]; j < m->F + m->slip[k] + slips; j++) x.s[j] += weight * ds[j];
}

/* The end of the piece by its length alone, into c->by_length; *rate: of the function that is zero there. */
static solver_change find_by_length(process_change *c, const process_op *op, double *rate) {
    const carom_model_def *d = &c->process->m->def;
    const int column = c->v->columns, first = c->first, last = c->last, M = pattern_nnz(&d->M),
              WT = pattern_nnz(&d->WT);
    double *spare = c->spare;
    double *const of[] = {process_rates_of(c, column).s, process_mass_by(c, column), process_direction_by(c, column),
                          c->place + column * (1 + d->nq)};
    const int size[] = {c->size, M, WT, 1 + d->nq};
    for (int i = 0; i < 4; spare += size[i++]) {
        memcpy(spare, of[i], (size_t)size[i] * sizeof *spare);
        zero(of[i], size[i]);
    }
    c->first = column, c->last = column + 1;
    const solver_change found = take(c, op, 1);
    *rate = end_rate(c, op, column);
    memcpy(c->by_length, of[0], (size_t)c->size * sizeof *c->by_length);
    c->first = first, c->last = last;
    spare = c->spare;
    for (int i = 0; i < 4; spare += size[i++]) memcpy(of[i], spare, (size_t)size[i] * sizeof *spare);
    return found;
}

static void make_zero(const process_change *c, const process_op *op, int column) {
    const carom_model *m = c->process->m;
    double *s = process_rates_of(c, column).s;
    if (op->kind == END_ROW) s[m->N + op->contact] = 0;
    for (int j = m->slip[op->contact]; j < m->slip[op->contact + 1] && op->kind == END_SLIP; j++) s[m->F + j] = 0;
}

solver_change process_curve_change(process_change *c, const process_op *op) {
    double rate;
    solver_change found = op->met ? find_by_length(c, op, &rate) : CHANGE_FOUND;
    if (found == CHANGE_FOUND) found = take(c, op, 0);
    for (int k = c->first; k < c->last && op->met; k++) {
        double *x = process_rates_of(c, k).s;
        const double by = -end_rate(c, op, k) / rate;
        for (int j = 0; j < c->size; j++) x[j] += by * c->by_length[j];
        make_zero(c, op, k);
    }
    return found;
}

/* ---------------------------------------------------------------- transposed */

/* Weights of ds, dP and s of the stages, in the order of stage_of, from those of the end. */
static void spread(process_change *c, const process_op *op) {
    const carom_model *m = c->process->m;
    const int ns = m->ns;
    const process_rates x = process_rates_of(c, 0);
    double *start = process_stage_by(c, 0), *by = start + ns;
    memcpy(start, x.s, (size_t)ns * sizeof *start);
    for (int i = 0; i < STAGES; i++) {
        const double w = process_weight[i] * op->length;
        double *ds = by + 2 * i * ns, *dP = ds + ns;
        for (int j = 0; j < ns; j++) ds[j] = w * x.s[j], dP[j] = w * x.P[j];
        for (int k = 0; k < m->def.contacts; k++) dP[m->N + k] += w * x.work[k] * gap_dot(c, op, i, m->N + k);
    }
    for (int k = 0; k < m->def.contacts; k++) x.rate[k] += op->length * x.expanded[k];
}

static bool pull_stage(process_change *c, const process_op *op, int i, adjoint *a, double *t, double *q) {
    const carom_model *m = c->process->m;
    const int ns = m->ns;
    const process_rates x = process_rates_of(c, 0);
    double *start = process_stage_by(c, 0), *by = start + ns;
    memcpy(x.ds, by + 2 * i * ns, (size_t)ns * sizeof *x.ds);
    memcpy(x.dP, by + (2 * i + 1) * ns, (size_t)ns * sizeof *x.dP);
    zero(x.s, ns);
    for (int k = 0; k < m->def.contacts; k++)
        x.s[m->N + k] = process_weight[i] * op->length * x.work[k] * stage_of(c, op, i)[ns + m->N + k];
    if (!process_rates_pull(c, op - STAGES + i, a, t, q)) return false;
    for (int j = 0; j < ns; j++) start[j] += x.s[j];
    for (int l = 0; l < i; l++)
        for (int j = 0; j < ns; j++) by[2 * l * ns + j] += op->length * share(i, l) * x.s[j];
    return true;
}

bool process_curve_pull(process_change *c, const process_op *op, adjoint *a, double *t, double *q) {
    const process_rates x = process_rates_of(c, 0);
    if (op->met) {
        double rate, weight = 0;
        if (find_by_length(c, op, &rate) != CHANGE_FOUND) return false;
        make_zero(c, op, 0);
        for (int j = 0; j < c->size; j++) weight += x.s[j] * c->by_length[j];
        pull_end(c, op, -weight / rate);
    }
    spread(c, op);
    bool done = true;
    for (int i = STAGES - 1; i >= 0 && done; i--) done = pull_stage(c, op, i, a, t, q);
    memcpy(x.s, process_stage_by(c, 0), (size_t)c->process->m->ns * sizeof *x.s);
    return done;
}
