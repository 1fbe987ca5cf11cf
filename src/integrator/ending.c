#include "integrator/ending.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "integrator/phase.h"
#include "integrator/vectors.h"

bool ending_create(ending *e, const carom_model *m, bool published) {
    const vector_part parts[] = {
        {&e->earlier, m->ns}, {&e->counted, m->ns}, {&e->guess, m->ns}, {&e->before, m->ns}, {&e->gaps, 2 * m->nc}};
    *e = (ending){.published = published};
    e->memory = vectors_create(parts, sizeof parts / sizeof *parts);
    e->persistent = calloc((size_t)m->def.contacts + 1, sizeof *e->persistent);
    bool made = impact_create(&e->impact, m) && e->memory && e->persistent;
    e->impact.problem.absolute = published;
    return made;
}

void ending_destroy(ending *e) {
    impact_destroy(&e->impact);
    free(e->memory);
    free(e->persistent);
}

/* A contact is at rest if the tolerance of the step that ended here cannot tell it from one. */
void ending_begin(ending *e, const motion *now, const double *s, problem *stages, double dt, double tolerance) {
    const carom_model *m = e->impact.m;
    e->still = 10 * tolerance;
    memcpy(e->before, s, (size_t)m->ns * sizeof *s);
    memcpy(e->guess, now->P, (size_t)m->ns * sizeof *e->guess);
    for (int k = 0; k < m->def.contacts; k++) {
        const problem_law *normal = law_of_contact(stages, m, 0, k);
        double gap_dot = normal->level * dt * s[m->N + k];
        e->persistent[k] = now->contact[k] != CAROM_OPEN && fabs(gap_dot) <= 10 * (tolerance + normal->floor);
    }
}

bool ending_persists(const ending *e, int contact) {
    return !e->published && e->persistent[contact];
}

int ending_touches(const ending *e, problem *stages, int copies, int contact) {
    const int by = contact_pressed_by(e->impact.m, contact);
    int closed = 0;
    if (by < 0) return e->published ? 1 : copies;
    for (int copy = e->published ? copies - 1 : 0; copy < copies; copy++)
        closed += law_of_contact(stages, e->impact.m, copy, by)->branch == LAW_HOLD;
    return closed;
}

bool ending_strikes(const ending *e, problem *stages, int copies, int contact) {
    return !e->persistent[contact] && !contact_follows(e->impact.m, contact) &&
           ending_touches(e, stages, copies, contact) > 0;
}

/* (B14): the unknown is the percussion of the last stage alone. */
static void slide_on(ending *e, int contact, const double *y) {
    const carom_model *m = e->impact.m;
    size_t F = (size_t)(m->F + m->slip[contact]), slips = (size_t)m->def.contact[contact].slips;
    const bool joint = contact_pressed_by(m, contact) < 0;
    impact_slide_on(&e->impact, contact, joint ? 0 : contact_load(m, contact, e->earlier), y, e->still);
    contact_press_with(&e->impact.problem, m, contact, -1, e->earlier);
    memset(e->counted + F, 0, slips * sizeof *e->counted);
    memset(e->before + F, 0, slips * sizeof *e->before);
}

/* (L16): with the slip of the last stage, as the forces of the step. */
static void rub(ending *e, int contact, const double *slips, const double *sense) {
    const carom_model *m = e->impact.m;
    if (m->def.contact[contact].by_slip)
        contact_rub_at(&e->impact.problem, m, contact, slips + m->slip[contact],
                       sense ? sense + m->slip[contact] : NULL);
}

/* (B13) for all contacts; true: the step has an impact. */
static bool apply_laws(ending *e, problem *stages, const double *rows, int copies) {
    const carom_model *m = e->impact.m;
    bool strikes = e->published;
    e->whole = true;
    memcpy(e->counted, e->earlier, (size_t)m->ns * sizeof *e->counted);
    for (int k = 0; k < m->def.contacts; k++) {
        strikes = strikes || ending_strikes(e, stages, copies, k);
        impact_close(&e->impact, k, ending_touches(e, stages, copies, k) > 0);
        rub(e, k, rows + stages->nF + (copies - 1) * m->ns + m->F, NULL);
    }
    return strikes;
}

/* Where slip turns, or mu follows it, the percussions of the stages are no guide for the end of the step. */
static bool varies(const carom_model_contact *c) {
    return c->slips > 1 || c->by_slip;
}

/* Chooses (B14) where it applies; true: for some contact. */
static bool let_slide_on(ending *e, problem *stages, const double *rows, int copies) {
    const carom_model *m = e->impact.m;
    bool any = false;
    for (int k = 0; k < m->def.contacts; k++)
        if (varies(&m->def.contact[k]) && e->persistent[k] && law_follows_direction(&m->def.contact[k]) &&
            ending_touches(e, stages, copies, k) == copies) {
            slide_on(e, k, rows + law_of_friction(stages, m, copies - 1, k)->row);
            any = true;
        }
    return any;
}

/* Keeps the radii of (B14) from being negative. */
static bool all_press(ending *e, double tolerance) {
    const carom_model *m = e->impact.m;
    const double *P = impact_percussion(&e->impact);
    for (int k = 0; k < m->def.contacts; k++) {
        const problem_law *friction = law_of_friction(&e->impact.problem, m, 0, k);
        const double left = contact_load(m, k, P) - (friction ? friction->given : 0);
        if (friction && friction->directed && friction->mu * friction->G * left < -tolerance) return false;
    }
    return true;
}

static void guess_by_stages(ending *e, double share) {
    for (int k = 0; k < e->impact.m->ns; k++) e->guess[k] = (1 + share) * e->earlier[k];
}

/* Whether the percussions of contacts are unknown although some contacts rest: at the start of a run, or after a
 * pause. */
static bool rests_unknown(const ending *e) {
    const carom_model *m = e->impact.m;
    bool known = false, rests = false;
    for (int k = m->N; k < m->ns; k++) known = known || e->guess[k] != 0;
    for (int k = 0; k < m->def.contacts && !known; k++) rests = rests || e->persistent[k];
    return rests;
}

bool ending_capture(ending *e, problem *stages, const double *rows, int copies, double share, double tolerance,
                    step_report *report) {
    const double residual = report->residual;
    const bool roughly = stages->accept > 0;                    /* who sticks is not known well enough to slide on */
    if (roughly || rests_unknown(e)) guess_by_stages(e, share); /* (FC13) */
    bool slides = !apply_laws(e, stages, rows, copies) && !roughly && let_slide_on(e, stages, rows, copies);
    bool solved = ending_solve(e, tolerance, report);
    if (!slides || (solved && all_press(e, tolerance))) return solved;
    guess_by_stages(e, share);
    report->residual = residual;
    if (ending_solve(e, tolerance, report) && all_press(e, tolerance)) return true;
    apply_laws(e, stages, rows, copies);
    report->residual = residual;
    return ending_solve(e, tolerance, report);
}

void ending_fix(ending *e, const double *state, const double *sense, const double *slips, double share) {
    const carom_model *m = e->impact.m;
    e->whole = false;
    memset(e->counted, 0, (size_t)m->ns * sizeof *e->counted);
    memset(e->before, 0, (size_t)m->ns * sizeof *e->before);
    guess_by_stages(e, share);
    for (int k = 0; k < m->def.contacts; k++) {
        const double *direction = m->def.contact[k].slips > 1 ? slips : sense;
        impact_fix(&e->impact, k, (carom_contact_state)state[k], direction + m->slip[k]);
        rub(e, k, slips, sense);
    }
}

bool ending_solve(ending *e, double tolerance, step_report *report) {
    impact *i = &e->impact;
    const carom_model *m = i->m;
    int nu = m->def.nu;
    i->before = e->before;
    pattern_multiply_transposed(&m->def.WT, i->WT, -1, e->counted, i->f);
    memcpy(i->z, i->v, (size_t)nu * sizeof *i->z);
    for (int k = 0; k < m->ns; k++) i->z[nu + k] = e->guess[k] + e->counted[k] - e->earlier[k];
    solver_report found;
    bool solved = impact_solve(i, tolerance, &found);
    pattern_multiply_transposed(&m->def.WT, i->WT, 1, e->counted, i->f);
    report->newton[1] += found.iterations;
    report->yielded = fmax(report->yielded, found.yielded);
    if (solved) impact_tell(i, report);
    report->residual = fmax(report->residual, found.residual);
    if (!solved) explain(report, &i->problem, m, &found, "for the velocities");
    return solved;
}

void ending_read(ending *e, motion *next) {
    const carom_model *m = e->impact.m;
    const double *z = e->impact.z;
    int nu = m->def.nu;
    memcpy(next->u, z, (size_t)nu * sizeof *z);
    for (int k = 0; k < m->ns; k++) next->P[k] = z[nu + k] + e->earlier[k] - e->counted[k];
    contact_states(&e->impact.problem, m, next->contact);
}

/* Whether all closed contacts are still closed, and those that stick still stick. A law at the edge of its set may be
 * in either branch, so the velocities decide. */
static bool all_hold(ending *e, const double *state, double zero) {
    const carom_model *m = e->impact.m;
    double *s = e->before;
    impact_velocities(&e->impact, s);
    for (int k = 0; k < m->def.contacts; k++) {
        const problem_law *friction = law_of_friction(&e->impact.problem, m, 0, k);
        const double unit = fmax(1, law_of_contact(&e->impact.problem, m, 0, k)->level);
        if (state[k] != CAROM_OPEN && !(unit * fabs(s[m->N + k]) <= zero)) return false;
        for (int j = m->F + m->slip[k]; state[k] == CAROM_STICK && j < m->F + m->slip[k + 1]; j++)
            if (!(fmax(1, friction->level) * fabs(s[j]) <= zero)) return false;
    }
    return true;
}

/* Whether percussions of stages that pull, with slip that turns, add up to more friction than the normal percussions
 * allow. */
static bool all_in_cones(ending *e, const double *P, double tolerance) {
    const carom_model *m = e->impact.m;
    for (int k = 0; k < m->def.contacts; k++) {
        const problem_law *friction = law_of_friction(&e->impact.problem, m, 0, k);
        if (friction && friction->directed && friction->G * sliding_margin(m, k, P) < -tolerance) return false;
    }
    return true;
}

bool ending_admit(ending *e, const double *state, const double *sense, const double *slips, double zero,
                  double tolerance, step_report *report, motion *next) {
    const carom_model *m = e->impact.m;
    step_report part = {0};
    e->whole = true;
    memcpy(e->counted, e->earlier, (size_t)m->ns * sizeof *e->counted);
    for (int k = 0; k < m->def.contacts; k++) {
        const double *direction = (m->def.contact[k].slips > 1 ? slips : sense) + m->slip[k];
        bool slides = state[k] == CAROM_SLIP && m->def.contact[k].slips > 0;
        if (state[k] == CAROM_OPEN) impact_close(&e->impact, k, false);
        else impact_join(&e->impact, k, slides ? direction : NULL);
        if (slides) slide_on(e, k, direction);
        rub(e, k, slips, sense);
    }
    bool solved = ending_solve(e, tolerance, &part);
    report->newton[1] += part.newton[1];
    if (!solved || !all_hold(e, state, zero)) return false;
    double *P = e->before; /* room */
    for (int k = 0; k < m->ns; k++) P[k] = e->impact.z[m->def.nu + k] + e->earlier[k] - e->counted[k];
    if (!all_in_cones(e, P, tolerance)) return false;
    memcpy(next->P, P, (size_t)m->ns * sizeof *P);
    return true;
}
