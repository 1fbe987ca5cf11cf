#include "integrator/lobatto_fixed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "integrator/vectors.h"

/* ---------------------------------------------------------------- stages */

/* Laws of the stages for fixed states. Slip in one direction has a given sense; in more it follows y_{i-1}, which says
 * nothing in the first stage where slip begins from rest, and nowhere before there is slip at all (straight). True:
 * some slip begins. */
static bool fix_stages(lobatto_scheme *l, const motion *now, double tolerance, bool straight) {
    lobatto_stages *st = &l->stages;
    const carom_model *m = l->m;
    const double *s = lobatto_velocities(l, now);
    bool any = false;
    for (int k = 0; k < m->def.contacts; k++) {
        carom_contact_state state = (carom_contact_state)now->contact[k];
        int slips = m->def.contact[k].slips;
        bool begins = state == CAROM_SLIP && slips > 1;
        for (int j = 0; j < slips; j++) begins = begins && fabs(s[m->F + m->slip[k] + j]) <= 100 * tolerance;
        for (int copy = 0; copy < st->s - 1; copy++) {
            bool given = slips == 1 || (begins && (straight || copy == 0));
            contact_fix(&st->problem, m, copy, k, state,
                        given ? lobatto_sense_row(st, k) : lobatto_slip_row(st, copy, k));
        }
        any = any || begins;
    }
    return any;
}

static bool solve_stages(lobatto_scheme *l, const motion *now, double tolerance, step_report *report) {
    lobatto_stages *st = &l->stages;
    solver_report found;
    bool begins = fix_stages(l, now, tolerance, true);
    lobatto_guess(l, now);
    bool solved = lobatto_stages_solve(st, solver_solve_fixed, tolerance, &found);
    report->newton[0] += found.iterations;
    if (solved && begins && st->s > 2) {
        fix_stages(l, now, tolerance, false);
        solved = lobatto_stages_solve(st, solver_solve_fixed, tolerance, &found);
        report->newton[0] += found.iterations;
    }
    report->residual = found.residual;
    if (!solved) explain(report, &st->problem, l->m, &found, "for the positions");
    return solved;
}

static const double *stage_slips(const lobatto_scheme *l, int i) {
    const lobatto_stages *st = &l->stages;
    return solver_rows(st->solver) + lobatto_slip_row(st, i, 0);
}

static const double *last_slips(const lobatto_scheme *l) {
    return stage_slips(l, l->stages.s - 1);
}

static bool step_by(lobatto_scheme *l, const motion *now, const double *sense, bool by_rates, const double *kept,
                    motion *next, double tolerance, step_report *report) {
    const carom_model *m = l->m;
    lobatto_stages *st = &l->stages;
    lobatto_rub_as(l, now);
    memcpy(st->sense, sense, (size_t)m->slips * sizeof *sense);
    if (!lobatto_stages_begin(st, now->t, now->q, now->u, next->t - now->t, by_rates))
        return explain_undefined(report, "start");
    st->kept = kept;
    if (!solve_stages(l, now, tolerance, report)) return false;
    if (!lobatto_balance_end(l)) return explain_undefined(report, "end");
    ending_fix(&l->end, now->contact, sense, last_slips(l), lobatto_share_of_end(st));
    if (!ending_solve(&l->end, tolerance, report)) return false;
    lobatto_read(l, next);
    memcpy(next->contact, now->contact, (size_t)m->def.contacts * sizeof *next->contact);
    return true;
}

/* ---------------------------------------------------------------- nodes */

static const double *percussions(const lobatto_fixed *f, int j) {
    return j < f->by->stages.s - 1 ? lobatto_percussions(&f->by->stages, j) : f->last;
}

static void add(double *sum, double weight, const double *x, int n) {
    for (int k = 0; k < n; k++) sum[k] += weight * x[k];
}

static int node_size(const carom_model *m) {
    return m->def.nq + m->def.nu + m->nc + m->slips + m->ns;
}

/* The values of the fine scheme at a node, between its stages. Its first stage knows no gaps and slips. */
static void interpolate_node(lobatto_fixed *f, double c, double *shown) {
    const carom_model *m = f->own->m;
    const int nq = m->def.nq, nu = m->def.nu, S = f->fine.scheme.stages.s;
    double *q = shown, *u = q + nq, *P = u + nu, *gaps = P + m->ns, *slips = gaps + m->nc;
    memset(shown, 0, (size_t)node_size(m) * sizeof *shown);
    dense_plain(&f->all, c, f->weights);
    for (int j = 0; j < S; j++) {
        add(q, f->weights[j], f->fine.scheme.stages.stage[j].Q, nq);
        add(u, f->weights[j], f->fine.scheme.stages.stage[j].V, nu);
        add(P, f->weights[j], percussions(f, j), m->ns);
    }
    dense_plain(&f->later, c, f->weights);
    for (int j = 1; j < S; j++) {
        add(gaps, f->weights[j - 1], f->fine.scheme.stages.stage[j].c, m->nc);
        add(slips, f->weights[j - 1], stage_slips(&f->fine.scheme, j), m->slips);
    }
}

static void show_node(const void *self, int i, scheme_node *node) {
    const lobatto_fixed *f = self;
    const carom_model *m = f->own->m;
    const lobatto_stages *st = &f->own->stages;
    if (f->by == f->own) {
        *node = (scheme_node){.q = st->stage[i].Q, .u = st->stage[i].V, .percussion = percussions(f, i)};
        if (i > 0) node->gaps = st->stage[i].c, node->slips = stage_slips(f->own, i);
        return;
    }
    const double *q = f->shown + i * node_size(m), *u = q + m->def.nq, *P = u + m->def.nu, *gaps = P + m->ns;
    *node = (scheme_node){.q = q, .u = u, .percussion = P};
    if (i > 0) node->gaps = gaps, node->slips = gaps + m->nc;
}

/* By the weights of the stages (W9g). Two of them have the velocity of the middle, as in rattle (W9f). */
static void add_work(const void *self, const motion *now, const motion *next, double *work) {
    const lobatto_fixed *f = self;
    const lobatto_stages *st = &f->by->stages;
    const double *s0 = lobatto_velocities(f->own, now), *s1 = lobatto_velocities(f->own, next);
    const double own = st->s == 2 ? 0.5 : 1;
    for (int k = 0; k < f->own->m->ns; k++) {
        double left = next->P[k];
        for (int j = 0; j < st->s - 1; j++) {
            const double P = st->b[j] * lobatto_percussions(st, j)[k], s = st->stage[j].s[k];
            work[k] += P * (j == 0 ? own * s + (1 - own) * s0[k] : s), left -= P;
        }
        work[k] += left * (own * st->stage[st->s - 1].s[k] + (1 - own) * s1[k]);
    }
}

/* ---------------------------------------------------------------- what located events ask for */

static bool step_finely(lobatto_fixed *f, const motion *now, const double *sense, bool by_rates, const double *kept,
                        motion *next, double tolerance, step_report *report) {
    const motion from = lobatto_other_from(&f->fine, now);
    motion to = lobatto_other_to(&f->fine, next);
    if (!step_by(&f->fine.scheme, &from, sense, by_rates, kept, &to, tolerance, report)) return false;
    lobatto_other_read(&f->fine, &to, next, next->t - now->t);
    return true;
}

static bool step_fixed(void *self, const motion *now, const double *sense, bool by_rates, bool finely,
                       const double *kept, motion *next, double tolerance, step_report *report) {
    lobatto_fixed *f = self;
    f->by = finely && f->has_fine ? &f->fine.scheme : f->own;
    if (f->by == f->own ? !step_by(f->own, now, sense, by_rates, kept, next, tolerance, report)
                        : !step_finely(f, now, sense, by_rates, kept, next, tolerance, report))
        return false;
    const lobatto_stages *st = &f->by->stages;
    const impact *end = &f->by->end.impact;
    memcpy(f->ended, end->z, (size_t)(f->own->m->def.nu + f->own->m->ns) * sizeof *f->ended);
    for (int k = 0; k < f->own->m->ns; k++) f->last[k] = impact_percussion(end)[k] / st->b[st->s - 1];
    for (int i = 0; i < f->own->stages.s && f->by != f->own; i++)
        interpolate_node(f, f->own->stages.c[i], f->shown + i * node_size(f->own->m));
    return true;
}

static bool admit(void *self, const motion *now, const double *sense, motion *next, double zero, double tolerance,
                  step_report *report) {
    lobatto_fixed *f = self;
    lobatto_scheme *l = f->by;
    if (!ending_admit(&l->end, now->contact, sense, last_slips(l), zero, tolerance, report, next)) return false;
    lobatto_keep_percussions(f->own, next, next->t - now->t);
    return true;
}

static bool obey(void *self, const motion *now, motion *next, double tolerance, step_report *report) {
    lobatto_fixed *f = self;
    f->by = f->own;
    contacts_release(&f->own->stages.problem);
    f->own->easily = f->rough != NULL;
    bool obeyed = lobatto_capture(f->own, now, next, next->t - now->t, tolerance, report);
    f->own->easily = false;
    return obeyed;
}

/* What is captured has order 1 for any number of stages, and two stages find solutions where more do not. */
static bool capture(void *self, const motion *now, motion *next, double tolerance, step_report *report) {
    lobatto_fixed *f = self;
    if (!f->rough) return obey(self, now, next, tolerance, report);
    return lobatto_other_capture(f->rough, now, next, next->t - now->t, tolerance, report);
}

/* The end of a step with fixed states may have been solved again, with other percussions. */
static void vary(void *self, const motion *now, const double *sense, bool by_laws) {
    lobatto_fixed *f = self;
    lobatto_scheme *l = f->by;
    if (!by_laws) {
        ending_fix(&l->end, now->contact, sense, last_slips(l), lobatto_share_of_end(&l->stages));
        memcpy(l->end.impact.z, f->ended, (size_t)(l->m->def.nu + l->m->ns) * sizeof *f->ended);
    }
    lobatto_change_step(l == f->own ? &f->own_change : &f->fine_change, now);
}

bool lobatto_fixed_vary(lobatto_fixed *f, variation *v) {
    lobatto_change_destroy(&f->own_change);
    lobatto_change_destroy(&f->fine_change);
    if (!v) return true;
    bool ok = lobatto_change_create(&f->own_change, f->own, v);
    if (f->has_fine) ok = lobatto_change_create(&f->fine_change, &f->fine.scheme, v) && ok;
    return ok;
}

fixed_scheme lobatto_fixed_scheme(lobatto_fixed *f) {
    const int s = f->own->stages.s;
    return (fixed_scheme){.self = f,
                          .nodes = s,
                          .c = f->own->stages.c,
                          .s_at = (s - 1) * f->own->m->ns,
                          .onset = s > 2 ? 1 : 1e-3, /* two stages cannot tell where slip turns */
                          .step = step_fixed,
                          .node = show_node,
                          .work = add_work,
                          .admit = admit,
                          .obey = obey,
                          .capture = capture,
                          .vary = vary};
}

/* ---------------------------------------------------------------- setup */

/* Whether slip may turn while the error of more stages is above round-off. */
static bool wants_fine(const lobatto_scheme *own) {
    bool turns = false;
    for (int k = 0; k < own->m->def.contacts; k++)
        turns = turns || (own->m->def.contact[k].slips > 1 && own->m->def.contact[k].friction > 0);
    return turns && own->stages.s > 2 && own->stages.s < 7;
}

bool lobatto_fixed_create(lobatto_fixed *f, lobatto_scheme *own, lobatto_other *rough) {
    const carom_model *m = own->m;
    const int s = own->stages.s, S = 2 * s - 1;
    *f = (lobatto_fixed){.own = own, .rough = rough, .by = own, .has_fine = wants_fine(own)};
    const vector_part parts[] = {{&f->last, m->ns},
                                 {&f->ended, m->def.nu + m->ns},
                                 {&f->weights, S},
                                 {&f->shown, f->has_fine ? s * node_size(m) : 0}};
    f->memory = vectors_create(parts, sizeof parts / sizeof *parts);
    bool ok = f->memory != NULL;
    if (!f->has_fine) return ok;
    ok = lobatto_other_create(&f->fine, own, S) && ok;
    return ok && dense_create(&f->all, S, f->fine.scheme.stages.c) &&
           dense_create(&f->later, S - 1, f->fine.scheme.stages.c + 1);
}

void lobatto_fixed_destroy(lobatto_fixed *f) {
    lobatto_fixed_vary(f, NULL);
    if (f->has_fine) lobatto_other_destroy(&f->fine);
    dense_destroy(&f->all);
    dense_destroy(&f->later);
    free(f->memory);
}

void lobatto_fixed_forget(lobatto_fixed *f) {
    if (f->has_fine) lobatto_scheme_forget(&f->fine.scheme);
}
