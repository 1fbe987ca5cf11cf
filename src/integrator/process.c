#include "integrator/process_inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "integrator/vectors.h"

enum { MOST_PIECES = 4000, MOST_IMPACTS = 400, LONGEST = 10000 };
static const double turn = 0.2;  /* slip turns by no more than this in a piece, in rad */
static const double part = 0.25; /* slip changes by no more than this part in a piece, where friction depends on it */

typedef struct piece_end {
    ending_kind kind;
    int contact;
    double length, of[END_EXPANSION + 1]; /* the nearest of each kind */
} piece_end;

/* ---------------------------------------------------------------- the length of a piece */

static carom_expansion expansion_of(const process *p, int k) {
    const process_contact *c = &p->contact[k];
    return (carom_expansion){.restitution = c->e,
                             .speed = c->speed,
                             .compression = c->compression,
                             .absorbed = c->absorbed,
                             .expansion = p->now.expanded[k],
                             .released = p->now.work[k],
                             .gap_dot = p->now.s[p->m->N + k],
                             .slope = c->rate > 0 ? p->ds[p->m->N + k] / c->rate : 0};
}

/* How far the end is away at the present rates. */
static double length_to(const process *p, ending_kind kind, int k) {
    const double *s = p->now.s, *ds = p->ds;
    const int row = kind == END_ROW ? p->m->N + k : process_slip_row(p, k);
    if (kind == END_EXPANSION) {
        const carom_expansion x = expansion_of(p, k);
        return p->contact[k].law->expand(&x) / p->contact[k].rate;
    }
    if (kind == END_ROW || process_slips(p, k) == 1) return -s[row] / ds[row];
    double along = 0, square = 0;
    for (int j = row; j < row + process_slips(p, k); j++) along -= s[j] * ds[j], square += ds[j] * ds[j];
    return along / square;
}

static void consider(piece_end *end, ending_kind kind, int contact, double length) {
    end->of[kind] = fmin(end->of[kind], length);
    if (length < end->length) end->kind = kind, end->contact = contact, end->length = length;
}

/* Ends where gaps stop or begin to approach: contacts come to rest or join. */
static void look_at_gap(const process *p, int k, piece_end *end) {
    const double s = p->now.s[p->m->N + k], ds = p->ds[p->m->N + k];
    if (fabs(s) > p->still && s * ds < 0) consider(end, END_ROW, k, length_to(p, END_ROW, k));
}

/* Ends where slip stops. Slip that turns is taken in small pieces. */
static void look_at_slip(process *p, int k, piece_end *end, bool *curved) {
    const int n = process_slips(p, k), row = process_slip_row(p, k);
    const double *s = p->now.s + row, *ds = p->ds + row, size = process_size(n, s), rate = process_size(n, ds);
    if (!(contact_load(p->m, k, p->dP) > 0) || !process_slides(p, k, p->now.s)) return;
    double along = 0, across[3];
    for (int j = 0; j < n; j++) along += s[j] * ds[j] / size;
    for (int j = 0; j < n; j++) across[j] = ds[j] - along * s[j] / size;
    const double turns = n > 1 ? process_size(n, across) : 0;
    const bool by_slip = p->m->def.contact[k].by_slip;
    if (turns <= 1e-9 * rate && !by_slip) {
        if (along < 0) consider(end, END_SLIP, k, length_to(p, END_SLIP, k));
        return;
    }
    *curved = true;
    if (turns > 0) consider(end, END_LENGTH, k, turn * size / turns);
    if (by_slip && rate > 0) consider(end, END_LENGTH, k, part * size / rate);
    if (along < 0) consider(end, END_LENGTH, k, -size / along / 2);
}

/* ---------------------------------------------------------------- a piece */

static void reach_end(process *p, const piece_end *end) {
    const int row = end->kind == END_ROW ? p->m->N + end->contact : process_slip_row(p, end->contact);
    if (end->kind == END_EXPANSION) p->contact[end->contact].rebounds = false;
    else if (end->kind != END_LENGTH)
        memset(p->now.s + row, 0,
               (size_t)(end->kind == END_ROW ? 1 : process_slips(p, end->contact)) * sizeof *p->now.s);
}

/* The cost of an end of a piece. The process of a single contact always ends, however often its slip turns. Several
 * contacts may hold each other, and come to rest and part for ever. */
static int price_of_end(const process *p) {
    int active = 0;
    for (int k = 0; k < p->m->def.contacts; k++) active += p->contact[k].active && !contact_follows(p->m, k);
    return active > 1 ? 10 : 1;
}

/* Goes to the first end from here, with the rates found. On a curve Newton's method finds the end. If it fails, or if
 * the curve needs a shorter piece, the piece stops before the end. */
static bool go_on(process *p, piece_end end, bool curved, double tolerance, solver_report *report) {
    double length = curved ? fmin(end.length, p->pace) : end.length;
    const bool ends = length == end.length && end.kind != END_LENGTH;
    process_keep(p, &p->start, &p->now);
    p->met = false;
    p->spent++;
    for (int n = 0; n < 8; n++) {
        const double wanted = length;
        if (!process_take_piece(p, &length, curved, tolerance, report)) return false;
        if (!ends || length < wanted) return true;
        const double left = curved ? length_to(p, end.kind, end.contact) : 0;
        if (fabs(left) <= 1e-12 * length || end.length == 0) {
            reach_end(p, &end);
            p->met = true;
            p->spent += price_of_end(p);
            return true;
        }
        length = fmin(fmax(length + left, end.length / 2), end.length * 1.5);
    }
    length = end.length / 2;
    return process_take_piece(p, &length, curved, tolerance, report);
}

/* ---------------------------------------------------------------- compression and expansion */

static bool approaches(const process *p) {
    for (int k = 0; k < p->m->def.contacts; k++)
        if (p->contact[k].active && p->now.s[p->m->N + k] < -p->still) return true;
    return false;
}

/* Collects what may end a piece at the present rates. */
static piece_end first_end(process *p, bool *curved) {
    piece_end end = {.length = HUGE_VAL, .of = {HUGE_VAL, HUGE_VAL, HUGE_VAL, HUGE_VAL}};
    *curved = false;
    for (int k = 0; k < p->m->def.contacts; k++) {
        if (p->contact[k].active) look_at_gap(p, k, &end);
        if (p->expands && p->contact[k].rebounds)
            consider(&end, END_EXPANSION, k, fmax(0, length_to(p, END_EXPANSION, k)));
        look_at_slip(p, k, &end, curved);
    }
    return end;
}

/* Takes a piece at the rates found. False: it has no end, or there are no rates on the way; then nothing has changed.
 * Rates are scaled so that compression and expansion without friction last for about 1. */
static bool advance(process *p, double tolerance, solver_report *report) {
    bool curved;
    const piece_end end = first_end(p, &curved);
    if (!(end.length <= LONGEST)) return false;
    carom_expansion x = end.kind == END_EXPANSION ? expansion_of(p, end.contact) : (carom_expansion){0};
    p->piece = p->record ? p->record->ops : 0;
    if (go_on(p, end, curved, tolerance, report)) {
        if (curved && end.kind == END_EXPANSION) x = expansion_of(p, end.contact);
        process_record_piece(p, (process_op){PROCESS_PIECE, end.contact, end.kind, p->taken, curved, p->met, 0}, &x);
        for (int kind = END_ROW; kind <= END_EXPANSION; kind++)
            if (kind != (int)end.kind) process_record_margin(p, end.length, end.of[kind]);
        return true;
    }
    process_keep(p, &p->now, &p->start);
    return false;
}

/* (L8) */
static void compress(process *p, double tolerance, solver_report *report) {
    while (approaches(p) && !p->unended) {
        process_close(p);
        process_rise(p);
        bool moved = process_find_rates(p, p->now.s, tolerance, report) && advance(p, tolerance, report);
        moved = moved || (process_press_on(p, tolerance, report) && advance(p, tolerance, report));
        p->unended = !moved || p->spent > MOST_PIECES;
    }
}

static void end_compression(process *p) {
    p->expands = true;
    record_add(p->record, (process_op){.step = PROCESS_TURN}, 0);
    for (int k = 0; k < p->m->def.contacts; k++) {
        process_contact *c = &p->contact[k];
        c->compression += p->now.P[p->m->N + k];
        c->absorbed = -p->now.work[k], p->now.work[k] = p->now.expanded[k] = 0;
        c->rebounds = c->rebounds && c->compression > 0;
    }
}

/* Contacts expand in proportion to e_N times their compression; the law of each says how far. */
static bool set_expansion(process *p) {
    bool any = false;
    process_close(p);
    for (int k = 0; k < p->m->def.contacts; k++) {
        process_contact *c = &p->contact[k];
        if (c->rebounds) c->rate = c->e * c->compression, any = true;
    }
    if (any) process_record_given(p);
    return any;
}

/* (L9), (L10) */
static void expand(process *p, double tolerance, solver_report *report) {
    end_compression(p);
    while (!p->unended && set_expansion(p)) {
        bool moved = process_find_rates(p, p->now.s, tolerance, report) && advance(p, tolerance, report);
        p->unended = !moved || p->spent > MOST_PIECES;
    }
}

/* The work of friction since the start. The sum of P (s^- + s^+)/2 over all rows is the change of the energy;
 * friction's share is the rest beside the work of the normal percussions. */
static double work_of_friction(const process *p) {
    const int N = p->m->N;
    double sum = 0;
    for (int j = N; j < p->m->ns; j++) sum += (p->now.P[j] - p->first.P[j]) * (p->now.s[j] + p->first.s[j]) / 2;
    for (int k = 0; k < p->m->def.contacts; k++) sum += p->contact[k].absorbed - p->now.work[k];
    return sum;
}

static double absorbed(const process *p) {
    double sum = 0;
    for (int k = 0; k < p->m->def.contacts; k++) sum += p->contact[k].absorbed;
    return sum;
}

/* The process may not end, or its pieces may show that friction drives it. Then the velocity problem that follows
 * solves the impact, without rebound. */
static void strike(process *p, double tolerance, solver_report *report) {
    process_keep(p, &p->first, &p->now);
    compress(p, tolerance, report);
    if (!p->unended) expand(p, tolerance, report);
    else end_compression(p);
    if (work_of_friction(p) <= 1e-5 * absorbed(p)) return;
    process_keep(p, &p->now, &p->first);
    p->unended = true;
}

/* Forgets what earlier impacts of a sequence did. */
static void begin_impact(process *p) {
    p->expands = false;
    process_record_begin(p);
    p->pace = HUGE_VAL, p->stiff = false;
    p->spent = 0;
    for (int k = 0; k < p->m->def.contacts; k++) {
        process_contact *c = &p->contact[k];
        c->compression = -p->now.P[p->m->N + k];
        c->absorbed = p->now.work[k] = p->now.expanded[k] = 0;
        c->speed = fmax(0, -p->now.s[p->m->N + k]);
        c->rebounds = c->active && c->law->expand && c->e > 0;
    }
}

/* ---------------------------------------------------------------- one after the other */

/* The contact that approaches fastest, faster than what may rest; -1: none. */
static int next_to_strike(process *p, const impact *of, double tolerance) {
    int next = -1;
    double fastest = 0, second = 0;
    for (int k = 0; k < p->m->def.contacts; k++) {
        double speed = -p->now.s[p->m->N + k];
        if (!p->contact[k].touches || !(speed > contact_rest(&of->problem, of->m, 0, k, tolerance))) continue;
        second = fmax(second, fmin(speed, fastest));
        if (speed > fastest) next = k, fastest = speed;
    }
    if (second > 0) process_record_margin(p, second, fastest);
    return next;
}

static void run_sequence(process *p, const impact *of, double tolerance, solver_report *report) {
    for (int n = 0, k; n < MOST_IMPACTS && !p->unended && (k = next_to_strike(p, of, tolerance)) >= 0; n++) {
        p->unended = !contacts_restitution(&of->problem, of->m, 0, p->now.s, tolerance, of->speed, p->e);
        for (int j = 0; j < p->m->def.contacts; j++) p->contact[j].active = j == k, p->contact[j].e = p->e[j];
        begin_impact(p);
        if (p->contact[k].law->expand) strike(p, tolerance, report);
        else p->unended = p->unended || !process_strike_alone(p, k, tolerance, report);
    }
}

/* ---------------------------------------------------------------- the impact */

bool process_needed(const impact *of, double tolerance) {
    const carom_model *m = of->m;
    for (int k = 0; k < m->def.contacts; k++) {
        const problem_law *normal = law_of_contact((problem *)&of->problem, m, 0, k);
        if (!normal->enabled || normal->fixed || !impact_is_process(m, k)) continue;
        if (-of->before[m->N + k] > contact_rest(&of->problem, of->m, 0, k, tolerance)) return true;
    }
    return false;
}

static void take_matrices(process *p, const impact *of) {
    p->impact.M = of->M, p->impact.WT = of->WT, p->impact.v = p->zero, p->impact.q = of->q, p->impact.dt = of->dt;
    p->impact.problem.at = of->problem.at;
}

static void begin(process *p, const impact *of, double tolerance) {
    const carom_model *m = p->m;
    const double *s = of->start ? of->start : of->before;
    double fastest = 0;
    memset(p->begun, 0, (size_t)m->N * sizeof *s);
    memcpy(p->begun + m->N, s + m->N, (size_t)(m->ns - m->N) * sizeof *s);
    for (int k = 0; k < m->def.contacts; k++) {
        const problem_law *normal = law_of_contact((problem *)&of->problem, m, 0, k);
        process_contact *c = &p->contact[k];
        c->touches = normal->enabled;
        c->e = normal->fixed ? 0 : of->e[k][0];
        if (!c->touches) continue;
        fastest = fmax(fastest, fabs(s[m->N + k]));
        for (int j = process_slip_row(p, k); j < process_slip_row(p, k) + process_slips(p, k); j++)
            fastest = fmax(fastest, fabs(s[j]));
    }
    p->fastest = fastest, p->still = 1e-13 * fastest, p->tolerance = tolerance;
}

static void run(process *p, const impact *of, solver_report *report) {
    const carom_model *m = p->m;
    take_matrices(p, of);
    p->unended = false;
    if (p->record) record_clear(p->record);
    solver_forget(p->impact.solver); /* what follows depends on this impact alone */
    memcpy(p->now.s, p->begun, (size_t)m->ns * sizeof *p->begun);
    memset(p->now.P, 0, (size_t)m->ns * sizeof *p->begun);
    for (int k = 0; k < m->def.contacts; k++) p->contact[k].active = p->contact[k].touches;
    if (m->def.sequential) {
        run_sequence(p, of, p->tolerance, report);
        return;
    }
    begin_impact(p);
    strike(p, p->tolerance, report);
}

void process_run(process *p, const impact *of, double tolerance, solver_report *report) {
    *report = (solver_report){0};
    begin(p, of, tolerance);
    run(p, of, report);
}

void process_repeat(process *p, const impact *of) {
    solver_report report = {0};
    run(p, of, &report);
}

void process_shift(const process *p, problem *after, double *P, int sign) {
    const carom_model *m = p->m;
    for (int j = 0; j < m->ns; j++) P[j] += sign * p->now.P[j];
    for (int k = 0; k < m->def.contacts; k++) {
        problem_law *normal = law_of_contact(after, m, 0, k), *friction = law_of_friction(after, m, 0, k);
        const law_branch *left = p->contact[k].after;
        const bool pressed = p->now.P[m->N + k] > 0 && left[0] == LAW_OPEN && sign > 0;
        normal->branch = pressed ? LAW_HOLD : left[0];
        if (friction) friction->branch = pressed ? LAW_SLIDE : left[1];
    }
}

void process_add(process *p, problem *after, double *P) {
    for (int k = 0; k < p->m->def.contacts; k++) {
        const problem_law *friction = law_of_friction(after, p->m, 0, k);
        p->contact[k].after[0] = law_of_contact(after, p->m, 0, k)->branch;
        p->contact[k].after[1] = friction ? friction->branch : LAW_OPEN;
    }
    process_shift(p, after, P, 1);
}

/* ---------------------------------------------------------------- setup */

process *process_create(const carom_model *m) {
    process *p = calloc(1, sizeof *p);
    if (!p) return NULL;
    const int contacts = m->def.contacts;
    p->m = m;
    vector_part parts[] = {{&p->now.expanded, contacts},
                           {&p->start.expanded, contacts},
                           {&p->first.expanded, contacts},
                           {&p->first.s, m->ns},
                           {&p->first.P, m->ns},
                           {&p->first.work, contacts},
                           {&p->now.s, m->ns},
                           {&p->now.P, m->ns},
                           {&p->now.work, contacts},
                           {&p->start.s, m->ns},
                           {&p->start.P, m->ns},
                           {&p->start.work, contacts},
                           {&p->begun, m->ns},
                           {&p->ds, m->ns},
                           {&p->dP, m->ns},
                           {&p->stage, PROCESS_STAGES * 2 * m->ns},
                           {&p->e, contacts},
                           {&p->zero, m->def.nu > m->ns ? m->def.nu : m->ns}};
    p->memory = vectors_create(parts, sizeof parts / sizeof *parts);
    p->contact = calloc((size_t)contacts + 1, sizeof *p->contact);
    bool made = impact_create_plain(&p->impact, m) && p->memory && p->contact;
    p->impact.problem.rates = true;
    for (int k = 0; made && k < contacts; k++) p->contact[k].law = law_of_impact(&m->def.contact[k]);
    if (made) return p;
    process_destroy(p);
    return NULL;
}

void process_destroy(process *p) {
    if (!p) return;
    impact_destroy(&p->impact);
    free(p->memory);
    free(p->contact);
    free(p);
}
