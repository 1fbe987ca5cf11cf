#include "integrator/impact.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "integrator/islands.h"
#include "integrator/process.h"

/* M (u - v) - f */
static int mass_balance(void *self, const csr_block *block, const double *u, double *rows, csr *J) {
    const impact *i = self;
    if (rows) {
        balance_momentum(i->m, i->M, i->WT, u, i->v, NULL, rows);
        for (int j = 0; j < i->m->def.nu; j++) rows[j] -= i->f[j];
    }
    if (J) csr_add(J, block, 1, i->M);
    return 0;
}

static void law_rows(const impact *i, const double *u, double *y) {
    const carom_model *m = i->m;
    memcpy(y, i->chi, (size_t)m->ns * sizeof *y);
    pattern_multiply(&m->def.WT, i->WT, 1, u, y);
    for (int k = 0; k < m->def.contacts; k++) {
        y[m->N + k] += i->e[k][0] * i->before[m->N + k];
        for (int l = m->F + m->slip[k]; l < m->F + m->slip[k + 1]; l++) y[l] += i->e[k][1] * i->before[l];
    }
}

static int evaluate(void *self, const double *z, double *rows, bool jacobian) {
    impact *i = self;
    const carom_pattern *WT = &i->m->def.WT;
    const double *forces = i->forces ? i->forces : i->WT;
    const impact_balance *b = &i->balance;
    csr *J = jacobian ? &i->problem.J : NULL;
    const csr_block *laws = i->block + b->blocks;
    if (J) {
        csr_zero(J);
        csr_add(J, &laws[0], -1, forces);
        csr_add(J, &laws[1], 1, i->WT);
    }
    if (b->evaluate(b->context, i->block, z, rows, J)) return 1;
    if (rows) {
        pattern_multiply_transposed(WT, forces, -1, z + b->unknowns, rows);
        law_rows(i, z, rows + b->unknowns);
        memcpy(rows + i->problem.n, i->direction, (size_t)i->m->slips * sizeof *rows);
    }
    return 0;
}

static bool create(impact *i, const carom_model *m, const impact_balance *own) {
    const carom_model_def *d = &m->def;
    int nF = own->unknowns, blocks = own->blocks;
    *i = (impact){.m = m, .balance = *own, .weight = {.penalty = 1}};
    memcpy(i->block, own->block, sizeof own->block);
    i->block[blocks] = (csr_block){&d->WT, 0, m->ns, 0, nF, true, NULL};
    i->block[blocks + 1] = (csr_block){&d->WT, 0, m->ns, nF, 0, false, NULL};
    i->f = calloc((size_t)d->nu, sizeof *i->f);
    i->chi = calloc((size_t)m->ns + 1, sizeof *i->chi);
    i->z = calloc((size_t)(nF + m->ns), sizeof *i->z);
    i->direction = calloc((size_t)m->slips + 1, sizeof *i->direction);
    problem_shape shape = {
        .balances = 1, .updates = nF > d->nu, .copies = 1, .looks = m->slips, .velocity_level = true};
    i->e = calloc((size_t)d->contacts + 1, sizeof *i->e);
    i->speed = calloc(2 * (size_t)d->contacts + 1, sizeof *i->speed);
    i->dulled = calloc((size_t)d->contacts + 1, sizeof *i->dulled);
    i->island = calloc((size_t)d->nu, sizeof *i->island);
    if (!i->direction || !i->f || !i->chi || !i->z || !i->e || !i->speed || !i->dulled || !i->island ||
        !problem_build(&i->problem, m, shape, i->block, blocks + 2))
        return false;
    i->problem.context = i;
    i->problem.evaluate = evaluate;
    i->problem.affine = own->evaluate == mass_balance;
    return (i->solver = solver_create(&i->problem)) != NULL;
}

bool impact_is_process(const carom_model *m, int contact) {
    return m->def.sequential || law_of_impact(&m->def.contact[contact])->expand;
}

bool impact_needs_process(const carom_model *m) {
    bool any = false;
    for (int k = 0; k < m->def.contacts; k++) any = any || impact_is_process(m, k);
    return any;
}

bool impact_create_with(impact *i, const carom_model *m, const impact_balance *own) {
    if (!create(i, m, own)) return false;
    return !impact_needs_process(m) || (i->process = process_create(m)) != NULL;
}

static impact_balance of_masses(impact *i, const carom_model *m) {
    return (impact_balance){.unknowns = m->def.nu,
                            .blocks = 1,
                            .block = {{.pattern = &m->def.M, .last = m->def.nu}},
                            .context = i,
                            .evaluate = mass_balance};
}

bool impact_create(impact *i, const carom_model *m) {
    const impact_balance own = of_masses(i, m);
    return impact_create_with(i, m, &own);
}

bool impact_create_plain(impact *i, const carom_model *m) {
    const impact_balance own = of_masses(i, m);
    return create(i, m, &own);
}

void impact_destroy(impact *i) {
    solver_destroy(i->solver);
    problem_free(&i->problem);
    csr_blocks_free(i->block, IMPACT_BLOCKS + 2);
    free(i->f);
    free(i->chi);
    free(i->direction);
    free(i->e);
    free(i->speed);
    process_destroy(i->process);
    free(i->dulled);
    free(i->island);
    free(i->z);
}

void impact_set_chi(impact *i, const double *s, const double *u) {
    memcpy(i->chi, s, (size_t)i->m->ns * sizeof *s);
    pattern_multiply(&i->m->def.WT, i->WT, -1, u, i->chi);
}

void impact_close(impact *i, int contact, bool closed) {
    problem_law *friction = law_of_friction(&i->problem, i->m, 0, contact);
    problem_law *normal = law_of_contact(&i->problem, i->m, 0, contact);
    normal->enabled = closed && !contact_follows(i->m, contact);
    normal->fixed = false;
    if (!friction) return;
    friction->given = 0, friction->directed = friction->fixed = false;
    memset(friction->known, 0, sizeof friction->known);
}

/* The rows that direct the slip of a contact, with the direction in them. */
static int directing_rows(impact *i, int contact, const double *direction) {
    int first = i->m->slip[contact], slips = i->m->def.contact[contact].slips;
    memcpy(i->direction + first, direction, (size_t)slips * sizeof *direction);
    return i->problem.n + first;
}

void impact_join(impact *i, int contact, const double *direction) {
    impact_close(i, contact, true);
    if (!direction) return;
    contact_fix(&i->problem, i->m, 0, contact, CAROM_SLIP, directing_rows(i, contact, direction));
    law_of_contact(&i->problem, i->m, 0, contact)->fixed = false;
}

void impact_press(impact *i, int contact) {
    problem_law *normal = law_of_contact(&i->problem, i->m, 0, contact);
    impact_close(i, contact, true);
    normal->fixed = true;
    normal->given_branch = LAW_HOLD;
}

void impact_fix(impact *i, int contact, carom_contact_state state, const double *direction) {
    impact_close(i, contact, true);
    contact_fix(&i->problem, i->m, 0, contact, state, directing_rows(i, contact, direction));
}

void impact_guide(impact *i, int contact, bool closed) {
    impact_close(i, contact, true);
    contact_fix(&i->problem, i->m, 0, contact, CAROM_OPEN, 0);
    if (closed) law_of_contact(&i->problem, i->m, 0, contact)->given_branch = LAW_HOLD;
}

void impact_slide_on(impact *i, int contact, double given, const double *direction, double still) {
    problem_law *friction = law_of_friction(&i->problem, i->m, 0, contact);
    friction->given = given;
    friction->directed = true;
    friction->still = still;
    friction->direction = directing_rows(i, contact, direction);
}

void impact_push(impact *i, int contact, bool closed, double percussion, const double *direction) {
    problem_law *friction = law_of_friction(&i->problem, i->m, 0, contact);
    impact_close(i, contact, closed);
    if (!friction) return;
    friction->given = -percussion;
    if (!direction) return;
    friction->fixed = friction->directed = true;
    friction->given_branch = LAW_SLIDE;
    friction->direction = directing_rows(i, contact, direction);
}

/* No law has a choice. */
static bool is_fixed(const problem *p) {
    for (int k = 0; k < p->laws; k++)
        if (p->law[k].enabled && !p->law[k].fixed && p->law[k].law != &law_bilateral) return false;
    return true;
}

/* ---------------------------------------------------------------- free motion */

static void forget_lost(impact *i) {
    i->weakened = 0, i->lost = 0;
    memset(i->dulled, 0, (size_t)i->m->def.contacts * sizeof *i->dulled);
}

static bool acts(const impact *i, int contact) {
    const problem_law *friction = law_of_friction((problem *)&i->problem, i->m, 0, contact);
    return law_of_contact((problem *)&i->problem, i->m, 0, contact)->enabled || contact_follows(i->m, contact) ||
           (friction && (friction->fixed || friction->given != 0));
}

/* No law acts, and every balance has one unknown. Variants as printed stop at a guess that is near enough. */
static bool is_free(const impact *i) {
    if (i->m->N > 0 || !i->m->diagonal || !i->problem.affine || i->problem.absolute) return false;
    for (int k = 0; k < i->m->def.contacts; k++)
        if (acts(i, k)) return false;
    return true;
}

/* (I1) without percussions: what it misses is the round-off of one sum. */
static bool move_freely(impact *i, solver_report *report) {
    problem *p = &i->problem;
    double poison = 0;
    for (int j = 0; j < i->m->def.nu; j++) {
        i->z[j] = i->v[j] + i->f[j] / i->M[j];
        poison += 0 * i->z[j];
    }
    memset(i->z + p->nF, 0, (size_t)i->m->ns * sizeof *i->z);
    for (int k = 0; k < p->laws; k++) p->law[k].branch = p->law[k].present = LAW_OPEN, p->law[k].error = 0;
    forget_lost(i);
    solver_leave(i->solver);
    *report = (solver_report){.iterations = 1, .undefined = poison != 0};
    return poison == 0;
}

/* ---------------------------------------------------------------- restitution */

static bool set_restitution(impact *i, double tolerance) {
    const carom_model *m = i->m;
    double *e = i->speed + m->def.contacts;
    forget_lost(i);
    if (!contacts_restitution(&i->problem, m, 0, i->before, tolerance, i->speed, e)) return false;
    for (int k = 0; k < m->def.contacts; k++) i->e[k][0] = e[k], i->e[k][1] = m->def.contact[k].tangential_restitution;
    return true;
}

/* (L4) for the contacts of an island, or, root -1, for all: true if one of them had a rebound to lose. */
static bool drop_rebounds(impact *i, int root) {
    const carom_model *m = i->m;
    bool any = false;
    for (int k = 0; k < m->def.contacts; k++) {
        int island = island_of_row(m, i->island, m->N + k);
        if (!law_of_contact(&i->problem, m, 0, k)->enabled || island < 0 || (root >= 0 && island != root)) continue;
        double rebound = i->e[k][0] * fabs(i->before[m->N + k]), drawn = 0;
        for (int l = m->F + m->slip[k]; l < m->F + m->slip[k + 1]; l++) drawn += i->e[k][1] * fabs(i->before[l]);
        i->e[k][0] = i->e[k][1] = 0;
        if (rebound + drawn == 0) continue;
        i->weakened++;
        i->lost = fmax(i->lost, rebound);
        i->dulled[k] = any = true;
    }
    return any;
}

/* The island with the largest error loses its rebounds; if it has none, all islands do. */
static bool weaken(impact *i, int worst) {
    islands_find(i->m, &i->problem, i->island);
    const int root = island_of_worst(i->m, &i->problem, i->island, worst);
    return (root >= 0 && drop_rebounds(i, root)) || drop_rebounds(i, -1);
}

bool impact_rebounds(const impact *i) {
    const carom_model *m = i->m;
    for (int k = 0; k < m->def.contacts; k++) {
        if (!law_of_contact((problem *)&i->problem, m, 0, k)->enabled) continue;
        if (i->e[k][0] * i->before[m->N + k] != 0) return true;
        for (int l = m->F + m->slip[k]; l < m->F + m->slip[k + 1]; l++)
            if (i->e[k][1] * i->before[l] != 0) return true;
    }
    return false;
}

/* The velocity problem with the restitution in effect, and without it where it has no solution. */
static bool solve(impact *i, double tolerance, solver_report *report) {
    solver_way *way = is_fixed(&i->problem) ? solver_solve_fixed : solver_solve;
    solver_way *first = way == solver_solve && impact_rebounds(i) ? solver_solve_doubtful : way;
    bool solved = first(i->solver, &i->problem, i->z, tolerance, report);
    while (!solved && !report->undefined && weaken(i, report->worst)) {
        int spent = report->iterations;
        solved = way(i->solver, &i->problem, i->z, tolerance, report);
        report->iterations += spent;
    }
    bool may_give_way = !report->undefined && way == solver_solve;
    return solved || (may_give_way && solver_give_way(i->solver, &i->problem, i->z, tolerance, report));
}

/* ---------------------------------------------------------------- impacts as a process, (L13) */

static void push_forces(impact *i, double factor) {
    pattern_multiply_transposed(&i->m->def.WT, i->forces ? i->forces : i->WT, factor, i->process->now.P, i->f);
}

/* Contacts that rebounded in the process do not rebound again. Where the process had no end, they did not rebound, and
 * the report says so. */
static void drop_done(impact *i) {
    for (int k = 0; k < i->m->def.contacts; k++) {
        if (!impact_is_process(i->m, k)) continue;
        const double rebound = i->e[k][0] * fabs(i->before[i->m->N + k]);
        i->e[k][0] = 0;
        if (!i->process->unended || rebound == 0) continue;
        i->weakened++, i->dulled[k] = 1;
        i->lost = fmax(i->lost, rebound);
    }
}

static bool set_units(impact *i, solver_report *report) {
    *report = (solver_report){.singular = true};
    const law_gain gain = {.velocity = 1};
    return i->extent ? problem_set_known_units(&i->problem, i->m, i->M, i->extent, &gain, i->dt)
                     : problem_set_units(&i->problem, i->m, i->M, i->WT, &gain, i->dt);
}

/* Units, floors and restitutions of the problem. False: there are none. */
static bool prepare(impact *i, double tolerance, solver_report *report) {
    if (!set_units(i, report)) return false;
    problem_set_floor(&i->problem, i->m, i->v, i->q, i->dt, i->stiff.value ? &i->stiff : NULL);
    if (i->known) problem_raise_floor(&i->problem, i->m, i->WT, i->known, i->known_over);
    *report = (solver_report){.undefined = true};
    return set_restitution(i, tolerance);
}

/* False: nothing strikes that needs a process. */
static bool run_process(impact *i, double tolerance, solver_report *report) {
    if (!i->process || !process_needed(i, tolerance)) return false;
    process_run(i->process, i, tolerance, report);
    drop_done(i);
    return true;
}

bool impact_process(impact *i, double tolerance, solver_report *report) {
    return prepare(i, tolerance, report) && run_process(i, tolerance, report);
}

static bool solve_after_process(impact *i, double tolerance, solver_report *report) {
    double *P = i->z + i->balance.unknowns;
    const int spent = report->iterations;
    push_forces(i, 1);
    memset(P, 0, (size_t)i->m->ns * sizeof *P);
    bool solved = solve(i, tolerance, report);
    push_forces(i, -1);
    report->iterations += spent;
    if (solved) process_add(i->process, &i->problem, P);
    return solved;
}

bool impact_solve(impact *i, double tolerance, solver_report *report) {
    i->struck = false;
    if (is_free(i)) return set_units(i, report) && move_freely(i, report);
    if (!prepare(i, tolerance, report)) return false;
    const bool struck = i->struck = run_process(i, tolerance, report);
    const double left = tolerance / contacts_weigh(&i->problem, i->m, i->weight, i->dt);
    return struck ? solve_after_process(i, left, report) : solve(i, left, report);
}

void impact_count(const impact *i, step_report *report) {
    report->weakened += i->weakened;
    report->lost = fmax(report->lost, i->lost);
}

void impact_tell(const impact *i, step_report *report) {
    impact_count(i, report);
    for (int k = 0; k < i->m->def.contacts && report->dulled; k++)
        report->dulled[k] = fmax(report->dulled[k], i->dulled[k]);
}

void impact_velocities(const impact *i, double *s) {
    memcpy(s, i->chi, (size_t)i->m->ns * sizeof *s);
    pattern_multiply(&i->m->def.WT, i->WT, 1, i->z, s);
}
