#include "integrator/process_change.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "integrator/vectors.h"

static void zero(double *x, int n) {
    memset(x, 0, (size_t)n * sizeof *x);
}

process_rates process_rates_of(const process_change *c, int column) {
    const carom_model *m = c->process->m;
    const int ns = m->ns, contacts = m->def.contacts;
    double *x = c->x + column * c->size, *of = x + 4 * ns;
    return (process_rates){.s = x,
                           .P = x + ns,
                           .ds = x + 2 * ns,
                           .dP = x + 3 * ns,
                           .work = of,
                           .expanded = of + contacts,
                           .compression = of + 2 * contacts,
                           .absorbed = of + 3 * contacts,
                           .e = of + 4 * contacts,
                           .rise = of + 5 * contacts,
                           .rate = of + 6 * contacts};
}

const double *process_put_back(process_change *c, const process_op *op) {
    impact *i = &c->process->impact;
    const carom_model *m = c->process->m;
    const double *from = put_back(i->chi, impact_put_back(i, c->before, c->record.kept + op->at), m->ns);
    zero(c->given, m->ns), zero(i->f, m->def.nu);
    memcpy(c->given + m->N, from, (size_t)m->def.contacts * sizeof *from);
    pattern_multiply_transposed(&m->def.WT, i->WT, 1, c->given, i->f);
    return from;
}

/* ---------------------------------------------------------------- problems */

/* M' du */
static void balance_rows(process_change *c, int k) {
    const carom_model *m = c->process->m;
    zero(c->balance, m->def.nu);
    pattern_multiply(&m->def.M, process_mass_by(c, k), 1, c->process->impact.z, c->balance);
}

/* W'^T du */
static void law_rows(process_change *c, int k) {
    const carom_model *m = c->process->m;
    zero(c->laws, m->ns);
    pattern_multiply(&m->def.WT, process_direction_by(c, k), 1, c->process->impact.z, c->laws);
}

static bool fill(process_change *c, int k, const impact_rate *parts) {
    const carom_model_def *d = &c->process->m->def;
    const double *by = c->place + k * (1 + d->nq);
    const carom_place at = {c->process->impact.problem.at.t, c->process->impact.problem.at.q, c->process->zero},
                      rate = {by[0], by + 1, c->v->rest + d->nq};
    return impact_change_column(&c->inner, k, &at, &rate, parts);
}

/* s' = W'^T du + W^T du' (+ s' of before) */
static void slip_rates(process_change *c, int k, double *s) {
    const carom_model *m = c->process->m;
    pattern_multiply(&m->def.WT, process_direction_by(c, k), 1, c->process->impact.z, s);
    pattern_multiply(&m->def.WT, c->process->impact.WT, 1, impact_change_of(&c->inner, k), s);
}

/* For the columns that go along. */
static solver_change solve(process_change *c) {
    impact *i = &c->process->impact;
    const int rows = i->problem.n + i->problem.looks;
    return solver_rates(c->inner.solver, NULL, &i->problem, i->z, c->last - c->first, c->inner.rows + c->first * rows,
                        c->inner.radius + c->first * i->problem.laws);
}

/* Slip that is at rest and sticks loses the rest of its rate at once, (SE74). */
static solver_change rest(process_change *c) {
    process *p = c->process;
    const carom_model *m = p->m;
    problem *of = &p->impact.problem;
    const int nu = m->def.nu;
    bool any = false;
    for (int k = c->first; k < c->last; k++)
        for (int j = 0; j < m->ns; j++) c->most[k] = fmax(c->most[k], fabs(process_rates_of(c, k).s[j]));
    zero(c->inner.rows + c->first * (of->n + of->looks), (c->last - c->first) * (of->n + of->looks));
    zero(c->inner.radius + c->first * of->laws, (c->last - c->first) * of->laws);
    for (int k = c->first; k < c->last; k++)
        for (int n = 0; n < m->def.contacts; n++) {
            const problem_law *l = law_of_friction(of, m, 0, n);
            if (!l || l->directed || l->branch == LAW_OPEN) continue;
            for (int j = m->F + m->slip[n]; j < m->F + m->slip[n + 1]; j++) {
                const double s = process_rates_of(c, k).s[j];
                c->inner.rows[k * (of->n + of->looks) + nu + j] = s;
                any = any || s != 0;
                if (fabs(s) > 1e-9 * c->most[k] && l->branch != LAW_HOLD) return CHANGE_AT_EDGE;
            }
        }
    const solver_change found = any ? solve(c) : CHANGE_FOUND;
    for (int k = c->first; k < c->last && any && found == CHANGE_FOUND; k++) {
        const process_rates x = process_rates_of(c, k);
        const double *change = impact_change_of(&c->inner, k);
        pattern_multiply(&m->def.WT, p->impact.WT, 1, change, x.s);
        for (int j = 0; j < m->ns; j++) x.P[j] += change[nu + j];
    }
    return found;
}

/* M du - W (dP + r) = 0 and its rows at fixed (du, dP), r: rates that are given. */
static bool rates_column(process_change *c, int k, const double *given) {
    const carom_model *m = c->process->m;
    const process_rates x = process_rates_of(c, k);
    balance_rows(c, k), law_rows(c, k);
    zero(c->counted, m->ns), zero(c->counted_rate, m->ns), zero(c->given, m->ns);
    for (int n = 0; n < m->def.contacts; n++) {
        const int by = contact_pressed_by(m, n);
        c->laws[m->N + n] -= x.rise[n];
        c->counted[m->N + n] = -given[n], c->counted_rate[m->N + n] = -x.rate[n];
        c->given[m->N + n] = by < 0 ? 0 : -x.rate[by];
    }
    return fill(c, k,
                &(impact_rate){.balance = c->balance,
                               .counted = c->counted,
                               .counted_rate = c->counted_rate,
                               .WT = process_direction_by(c, k),
                               .laws = c->laws,
                               .direction = x.s + m->F,
                               .given = c->given,
                               .slips = x.s + m->F});
}

solver_change process_rates_change(process_change *c, const process_op *op) {
    const carom_model *m = c->process->m;
    const double *given = process_put_back(c, op);
    solver_change found = CHANGE_FOUND;
    for (int k = c->first; k < c->last && found == CHANGE_FOUND; k++)
        if (!rates_column(c, k, given)) found = CHANGE_UNDEFINED;
    if (found == CHANGE_FOUND) found = solve(c);
    for (int k = c->first; k < c->last && found == CHANGE_FOUND; k++) {
        const process_rates x = process_rates_of(c, k);
        zero(x.ds, m->ns);
        slip_rates(c, k, x.ds);
        memcpy(x.dP, impact_change_of(&c->inner, k) + m->def.nu, (size_t)m->ns * sizeof *x.dP);
        for (int n = 0; n < m->def.contacts; n++) x.dP[m->N + n] += x.rate[n];
    }
    return found;
}

static solver_change find_rates(process_change *c, const process_op *op) {
    process_put_back(c, op);
    const solver_change found = rest(c);
    return found == CHANGE_FOUND ? process_rates_change(c, op) : found;
}

static solver_change press(process_change *c, const process_op *op) {
    const carom_model *m = c->process->m;
    solver_change found = CHANGE_FOUND;
    process_put_back(c, op);
    for (int k = c->first; k < c->last && found == CHANGE_FOUND; k++) {
        balance_rows(c, k), law_rows(c, k);
        for (int j = m->N; j < m->ns; j++) c->laws[j] += process_rates_of(c, k).s[j];
        const impact_rate parts = {.balance = c->balance, .WT = process_direction_by(c, k), .laws = c->laws};
        if (!fill(c, k, &parts)) found = CHANGE_UNDEFINED;
    }
    if (found == CHANGE_FOUND) found = solve(c);
    const double *P = impact_percussion(&c->process->impact);
    for (int k = c->first; k < c->last && found == CHANGE_FOUND; k++) {
        const process_rates x = process_rates_of(c, k);
        const double *by = impact_change_of(&c->inner, k) + m->def.nu;
        for (int n = 0; n < m->def.contacts; n++) x.rate[n] = P[m->N + n] > 0 ? by[m->N + n] : 0, x.rise[n] = 0;
    }
    return found;
}

static solver_change strike_alone(process_change *c, const process_op *op) {
    const carom_model *m = c->process->m;
    solver_change found = CHANGE_FOUND;
    process_put_back(c, op);
    for (int k = c->first; k < c->last && found == CHANGE_FOUND; k++) {
        const process_rates x = process_rates_of(c, k);
        balance_rows(c, k), law_rows(c, k);
        for (int j = m->N; j < m->ns; j++) c->laws[j] += x.s[j];
        const impact_rate parts = {
            .balance = c->balance, .WT = process_direction_by(c, k), .s = c->laws, .before = x.s};
        if (!fill(c, k, &parts)) found = CHANGE_UNDEFINED;
    }
    if (found == CHANGE_FOUND) found = solve(c);
    for (int k = c->first; k < c->last && found == CHANGE_FOUND; k++) {
        const process_rates x = process_rates_of(c, k);
        slip_rates(c, k, x.s);
        for (int j = 0; j < m->ns; j++) x.P[j] += impact_change_of(&c->inner, k)[m->def.nu + j];
    }
    return found;
}

/* ---------------------------------------------------------------- pieces */

process_piece process_piece_of(const process_change *c, const process_op *op) {
    const int ns = c->process->m->ns, rates = op->curved ? 2 * PROCESS_STAGES : 2;
    const double *at = c->record.kept + op->at;
    process_piece piece = {.s = at, .ds = at + ns, .dP = at + 2 * ns, .rate = at + (1 + rates) * ns};
    const double *x = piece.rate + c->process->m->def.contacts;
    memcpy(&piece.x, x, sizeof piece.x);
    memcpy(&piece.by, x + sizeof piece.x / sizeof *x, sizeof piece.by);
    return piece;
}

/* L of a piece, (SE73). */
static double length_rate(const process_change *c, const process_op *op, const process_piece *p, int column) {
    const carom_model *m = c->process->m;
    const process_rates x = process_rates_of(c, column);
    const int k = op->contact, slips = m->def.contact[k].slips,
              row = op->kind == END_SLIP ? m->F + m->slip[k] : m->N + k;
    const double L = op->length;
    if (op->kind == END_EXPANSION) {
        const double rate = p->rate[k], slope = (x.ds[row] - p->x.slope * x.rate[k]) / rate;
        const double d = p->by.restitution * x.e[k] + p->by.compression * x.compression[k] +
                         p->by.absorbed * x.absorbed[k] + p->by.expansion * x.expanded[k] + p->by.released * x.work[k] +
                         p->by.gap_dot * x.s[row] + p->by.slope * slope;
        return L > 0 ? (d - L * x.rate[k]) / rate : 0;
    }
    if (op->kind == END_ROW || slips == 1) return -(x.s[row] + L * x.ds[row]) / p->ds[row];
    double sum = 0, square = 0;
    for (int j = row; j < row + slips; j++) {
        sum -= x.s[j] * p->ds[j] + p->s[j] * x.ds[j] + 2 * L * p->ds[j] * x.ds[j];
        square += p->ds[j] * p->ds[j];
    }
    return sum / square;
}

static void move(const process_change *c, const process_op *op, int column) {
    const carom_model *m = c->process->m;
    const process_piece p = process_piece_of(c, op);
    const process_rates x = process_rates_of(c, column);
    const double L = op->length, by = length_rate(c, op, &p, column);
    for (int k = 0; k < m->def.contacts; k++) {
        const int n = m->N + k;
        const double end = p.s[n] + L * p.ds[n], end_by = x.s[n] + by * p.ds[n] + L * x.ds[n];
        x.work[k] += (by * p.dP[n] + L * x.dP[n]) * (p.s[n] + end) / 2 + L * p.dP[n] * (x.s[n] + end_by) / 2;
        x.expanded[k] += by * p.rate[k] + L * x.rate[k];
    }
    for (int j = 0; j < m->ns; j++) {
        x.s[j] += by * p.ds[j] + L * x.ds[j];
        x.P[j] += by * p.dP[j] + L * x.dP[j];
    }
    if (op->kind == END_ROW) x.s[m->N + op->contact] = 0;
    for (int j = m->slip[op->contact]; j < m->slip[op->contact + 1] && op->kind == END_SLIP; j++) x.s[m->F + j] = 0;
}

/* ---------------------------------------------------------------- what needs no problem */

rebound process_rebound_of(const process_change *c, const process_op *op) {
    const double *kept = c->record.kept + op->at;
    return (rebound){kept + c->process->m->def.contacts, kept, 1, c->inner.rebound};
}

static void simple(const process_change *c, const process_op *op, int column) {
    const carom_model *m = c->process->m;
    const process_rates x = process_rates_of(c, column);
    const double *kept = c->record.kept + op->at;
    const int contacts = m->def.contacts;
    for (int k = 0; k < contacts; k++) {
        const double P = x.P[m->N + k];
        switch (op->step) {
        case PROCESS_BEGIN:
            x.compression[k] = -P, x.absorbed[k] = x.work[k] = x.expanded[k] = 0;
            break;
        case PROCESS_RISE:
            x.rise[k] = kept[k] * x.s[m->N + k], x.rate[k] = 0;
            break;
        case PROCESS_GIVE:
            x.rate[k] = kept[k] * (x.e[k] * kept[2 * contacts + k] + kept[contacts + k] * x.compression[k]);
            x.rise[k] = 0;
            break;
        default: /* PROCESS_TURN */
            x.compression[k] += P, x.absorbed[k] = -x.work[k], x.work[k] = x.expanded[k] = 0;
        }
    }
}

/* An impact begins: (SE79). */
static bool begin(const process_change *c, const process_op *op, int column) {
    const process_rates x = process_rates_of(c, column);
    const rebound by = process_rebound_of(c, op);
    simple(c, op, column);
    return rebound_change(&by, c->v, column, x.s, x.e);
}

static solver_change follow(process_change *c, const process_op *op) {
    if (op->step == PROCESS_RATES) return find_rates(c, op);
    if (op->step == PROCESS_PRESS) return press(c, op);
    if (op->step == PROCESS_STRIKE) return strike_alone(c, op);
    if (op->step == PROCESS_STAGE) return CHANGE_FOUND;
    if (op->step == PROCESS_PIECE && op->curved) return process_curve_change(c, op);
    for (int k = c->first; k < c->last; k++)
        if (op->step == PROCESS_BEGIN && !begin(c, op, k)) return CHANGE_UNDEFINED;
        else if (op->step == PROCESS_PIECE) move(c, op, k);
        else simple(c, op, k);
    return CHANGE_FOUND;
}

/* ---------------------------------------------------------------- the impact */

bool process_change_begin(process_change *c, int column, const carom_place *rate, const double *s, bool taken_up) {
    const carom_model *m = c->process->m;
    const friction_place *place = &c->process->impact.problem.at;
    const carom_place at = {place->t, place->q, c->process->zero}, by = {rate->t, rate->q, c->v->rest + m->def.nq};
    double *kept = c->place + column * (1 + m->def.nq), *start = process_rates_of(c, column).s;
    zero(c->x + column * c->size, c->size);
    c->most[column] = 0;
    kept[0] = rate->t;
    memcpy(kept + 1, rate->q, (size_t)m->def.nq * sizeof *kept);
    for (int j = m->N; j < m->ns; j++) start[j] = taken_up && c->process->begun[j] == 0 ? 0 : s[j];
    const carom_tangent wanted = {.M = process_mass_by(c, column), .WT = process_direction_by(c, column)};
    return variation_tangent(c->v, column, &at, &by, &wanted);
}

solver_change process_change_run(process_change *c) {
    solver_change found = c->record.failed      ? CHANGE_UNDEFINED
                          : c->process->unended ? CHANGE_UNENDED
                          : c->record.stiff     ? CHANGE_TURNS
                                                : CHANGE_FOUND;
    c->first = 0, c->last = variation_count(c->v);
    for (int i = 0; i < c->record.ops && found == CHANGE_FOUND; i++) found = follow(c, &c->record.op[i]);
    return found;
}

/* ---------------------------------------------------------------- setup */

process_change *process_change_create(process *p, const variation *v) {
    process_change *c = calloc(1, sizeof *c);
    if (!c) return NULL;
    const carom_model *m = p->m;
    const int columns = v->columns + 1;
    c->process = p, c->v = v;
    c->size = 4 * m->ns + 7 * m->def.contacts;
    const vector_part parts[] = {
        {&c->x, columns * c->size},
        {&c->M, columns * pattern_nnz(&m->def.M)},
        {&c->WT, columns * pattern_nnz(&m->def.WT)},
        {&c->place, columns * (1 + m->def.nq)},
        {&c->stage, columns * (1 + 2 * PROCESS_STAGES) * m->ns},
        {&c->by_length, c->size},
        {&c->spare, c->size + pattern_nnz(&m->def.M) + pattern_nnz(&m->def.WT) + 1 + m->def.nq},
        {&c->most, columns},
        {&c->before, m->ns},
        {&c->balance, m->def.nu},
        {&c->laws, m->ns},
        {&c->counted, m->ns},
        {&c->counted_rate, m->ns},
        {&c->given, m->ns}};
    c->memory = vectors_create(parts, sizeof parts / sizeof *parts);
    if (impact_change_create(&c->inner, &p->impact, v) && c->memory) {
        p->record = &c->record;
        return c;
    }
    process_change_destroy(c);
    return NULL;
}

void process_change_destroy(process_change *c) {
    if (!c) return;
    if (c->process->record == &c->record) c->process->record = NULL;
    impact_change_destroy(&c->inner);
    record_destroy(&c->record);
    free(c->memory);
    free(c);
}
