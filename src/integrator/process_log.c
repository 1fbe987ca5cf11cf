/* The record that a process keeps for derivatives (process_record.h). */
#include <math.h>
#include <string.h>

#include "integrator/adjoint.h"
#include "integrator/impact_change.h"
#include "integrator/process_inside.h"

static double *add(process *p, process_op op, int size) {
    return record_add(p->record, op, (size_t)size);
}

/* Restitutions in effect, of contacts that take part, and the velocities of which they are. */
void process_record_begin(process *p) {
    double *to = add(p, (process_op){.step = PROCESS_BEGIN}, p->m->def.contacts + p->m->ns);
    for (int k = 0; to && k < p->m->def.contacts; k++) to[k] = p->contact[k].active ? p->contact[k].e : 0;
    if (to) keep(to + p->m->def.contacts, p->now.s, p->m->ns);
}

void process_record_rise(process *p) {
    p->mark = p->record ? p->record->ops : 0;
    double *to = add(p, (process_op){.step = PROCESS_RISE}, p->m->def.contacts);
    for (int k = 0; to && k < p->m->def.contacts; k++)
        to[k] = p->contact[k].rise > 0 ? p->contact[k].rise / p->now.s[p->m->N + k] : 0;
}

void process_record_given(process *p) {
    const int contacts = p->m->def.contacts;
    double *to = add(p, (process_op){.step = PROCESS_GIVE}, 3 * contacts);
    for (int k = 0; to && k < contacts; k++) {
        const process_contact *c = &p->contact[k];
        to[k] = c->rebounds, to[contacts + k] = c->e, to[2 * contacts + k] = c->compression;
    }
}

/* A problem, with what is not part of it: chi, and the percussions that are given. */
static void add_problem(process *p, process_step step, int contact, bool gives) {
    const carom_model *m = p->m;
    double *to =
        add(p, (process_op){.step = step, .contact = contact}, impact_room(&p->impact) + m->ns + m->def.contacts);
    if (!to) return;
    to = keep(impact_keep(&p->impact, to), p->impact.chi, m->ns);
    for (int k = 0; k < m->def.contacts; k++) to[k] = gives ? p->contact[k].rate : 0;
}

void process_record_rates(process *p) {
    add_problem(p, PROCESS_RATES, 0, true);
}

/* Where approaches cannot go down, other rates replace those that were not found. */
void process_record_press(process *p) {
    if (p->record) record_cut(p->record, p->mark);
    add_problem(p, PROCESS_PRESS, 0, false);
}

void process_record_strike(process *p) {
    add_problem(p, PROCESS_STRIKE, 0, false);
}

/* The distance to the next candidate: another end of a piece, or a slower approach. */
void process_record_margin(process *p, double length, double next) {
    if (p->record && next < HUGE_VAL) p->record->margin = fmin(p->record->margin, (next - length) / next);
}

void process_record_again(process *p) {
    if (p->record) record_cut(p->record, p->piece);
}

/* The stages of a piece that turns come before it. */
static const double *take_rates(process *p, const process_op *op) {
    process_record *r = p->record;
    if (!op->curved) return NULL;
    r->stiff = r->stiff || p->stiff;
    for (int i = r->ops - PROCESS_STAGES; i < r->ops && !p->stiff; i++) r->op[i].step = PROCESS_STAGE;
    return p->stage;
}

/* Slip that came to rest along a curve has stopped at the end of the piece. */
static void see_rest(const process *p, process_op *op) {
    for (int k = 0; k < p->m->def.contacts && op->curved && !op->met; k++)
        if (process_slides(p, k, p->start.s) && !process_slides(p, k, p->now.s))
            op->kind = END_SLIP, op->contact = k, op->met = true;
}

void process_record_piece(process *p, process_op op, const carom_expansion *x) {
    const int ns = p->m->ns, contacts = p->m->def.contacts, expansion = sizeof *x / sizeof(double),
              rates = op.curved ? 2 * PROCESS_STAGES * ns : 2 * ns;
    carom_expansion by = {0};
    see_rest(p, &op);
    const double *stage = p->record ? take_rates(p, &op) : NULL;
    double *to = add(p, op, ns + rates + contacts + 2 * expansion);
    if (!to) return;
    if (op.kind == END_EXPANSION) p->contact[op.contact].law->expand_by(x, &by);
    to = keep(to, p->start.s, ns);
    to = stage ? keep(to, stage, rates) : keep(keep(to, p->ds, ns), p->dP, ns);
    for (int k = 0; k < contacts; k++) *to++ = p->contact[k].rate;
    memcpy(to, x, sizeof *x);
    memcpy(to + expansion, &by, sizeof by);
}

/* ---------------------------------------------------------------- to run once more */

int process_room(const process *p) {
    return p->m->ns + 4 * p->m->def.contacts + 3;
}

double *process_save(const process *p, double *to) {
    memcpy(to, p->begun, (size_t)p->m->ns * sizeof *to);
    to += p->m->ns;
    *to++ = p->tolerance, *to++ = p->fastest, *to++ = p->still;
    for (int k = 0; k < p->m->def.contacts; k++) {
        const process_contact *c = &p->contact[k];
        *to++ = c->touches, *to++ = c->e, *to++ = c->after[0], *to++ = c->after[1];
    }
    return to;
}

const double *process_load(process *p, const double *from) {
    memcpy(p->begun, from, (size_t)p->m->ns * sizeof *from);
    from += p->m->ns;
    p->tolerance = *from++, p->fastest = *from++, p->still = *from++;
    for (int k = 0; k < p->m->def.contacts; k++) {
        process_contact *c = &p->contact[k];
        c->touches = *from++ != 0, c->e = *from++;
        c->after[0] = (law_branch)*from++, c->after[1] = (law_branch)*from++;
    }
    return from;
}
