/* Rates of an impact that is a process (docs/theory/laws.md, (L7), (L8)), as velocity problems with M du = W dP. */
#include "integrator/process_inside.h"

#include <math.h>
#include <string.h>

int process_slips(const process *p, int k) {
    return p->m->def.contact[k].friction > 0 ? p->m->def.contact[k].slips : 0;
}

double process_size(int n, const double *x) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] * x[i];
    return sqrt(sum);
}

/* Slip in one direction comes to rest exactly. Slip in several does so along a curve that ends there. */
bool process_slides(const process *p, int k, const double *s) {
    const int n = process_slips(p, k);
    return process_size(n, s + process_slip_row(p, k)) > (n > 1 ? 1e3 : 1) * p->still;
}

static void begin_problem(process *p) {
    impact *i = &p->impact;
    memset(i->f, 0, (size_t)p->m->def.nu * sizeof *i->f);
    memset(i->z, 0, (size_t)(p->m->def.nu + p->m->ns) * sizeof *i->z);
    memset(i->chi, 0, (size_t)p->m->ns * sizeof *i->chi);
    i->before = p->zero;
}

/* Solves without contacts that give way: rates have none. */
static bool solve(process *p, double tolerance, solver_report *report) {
    const int spent = report->iterations;
    bool solved = impact_solve(&p->impact, tolerance, report) && report->yielded == 0;
    report->iterations += spent;
    return solved;
}

static bool find_rates(process *p, const double *s, double ahead, double tolerance, solver_report *report) {
    const carom_model *m = p->m;
    impact *i = &p->impact;
    begin_problem(p);
    memset(p->dP, 0, (size_t)m->ns * sizeof *p->dP);
    for (int k = 0; k < m->def.contacts; k++) {
        const process_contact *c = &p->contact[k];
        const double *slip = s + process_slip_row(p, k);
        const bool slides = process_slides(p, k, s);
        const int by = contact_pressed_by(m, k), slips = process_slips(p, k);
        const bool given = ahead == 0 || slips < 2;
        impact_push(i, k, c->closed, by < 0 ? 0 : p->contact[by].rate, slides && given ? slip : NULL);
        for (int j = 0; slides && !given && j < slips; j++) i->chi[process_slip_row(p, k) + j] = slip[j] / ahead;
        contact_rub_at(&i->problem, m, k, slides ? slip : NULL, NULL);
        i->chi[m->N + k] = -c->rise;
        p->dP[m->N + k] = c->rate;
    }
    pattern_multiply_transposed(&m->def.WT, i->WT, 1, p->dP, i->f);
    if (!solve(p, tolerance, report)) return false;
    for (int j = 0; j < m->ns; j++) p->dP[j] += impact_percussion(i)[j];
    impact_velocities(i, p->ds);
    for (int j = m->F; j < m->ns; j++) p->ds[j] -= i->chi[j];
    for (int k = 0; k < m->def.contacts; k++) p->ds[m->N + k] += p->contact[k].rise;
    process_record_rates(p);
    return true;
}

bool process_find_rates(process *p, const double *s, double tolerance, solver_report *report) {
    return find_rates(p, s, 0, tolerance, report);
}

bool process_find_mean_rates(process *p, const double *s, double length, double tolerance, solver_report *report) {
    return find_rates(p, s, length, tolerance, report);
}

void process_close(process *p) {
    for (int k = 0; k < p->m->def.contacts; k++) {
        process_contact *c = &p->contact[k];
        c->closed = c->active && p->now.s[p->m->N + k] <= p->still;
        c->rise = c->rate = 0;
    }
}

/* The fastest approach sets the pace. */
void process_rise(process *p) {
    double most = 0;
    for (int k = 0; k < p->m->def.contacts; k++)
        if (p->contact[k].closed) most = fmax(most, -p->now.s[p->m->N + k]);
    for (int k = 0; k < p->m->def.contacts; k++)
        if (p->contact[k].closed) p->contact[k].rise = fmax(0, -p->now.s[p->m->N + k]) * p->fastest / most;
    process_record_rise(p);
}

/* These rows are velocities after an impact, not rates. */
static void close_alone(impact *i, int contact, bool closed) {
    impact_close(i, contact, closed);
    contact_rub_by_rows(&i->problem, i->m, contact);
}

bool process_press_on(process *p, double tolerance, solver_report *report) {
    const carom_model *m = p->m;
    impact *i = &p->impact;
    begin_problem(p);
    for (int j = m->N; j < m->ns; j++) i->chi[j] = p->now.s[j];
    for (int k = 0; k < m->def.contacts; k++) close_alone(i, k, p->contact[k].closed);
    if (!solve(p, tolerance, report)) return false;
    for (int k = 0; k < m->def.contacts; k++) {
        process_contact *c = &p->contact[k];
        c->rate = fmax(0, impact_percussion(i)[m->N + k]);
        c->closed = false, c->rise = 0;
    }
    process_record_press(p);
    return process_find_rates(p, p->now.s, tolerance, report);
}

bool process_strike_alone(process *p, int contact, double tolerance, solver_report *report) {
    impact *i = &p->impact;
    begin_problem(p);
    for (int j = p->m->N; j < p->m->ns; j++) i->chi[j] = p->now.s[j];
    i->before = p->start.s;
    memcpy(p->start.s, p->now.s, (size_t)p->m->ns * sizeof *p->start.s);
    for (int k = 0; k < p->m->def.contacts; k++) close_alone(i, k, k == contact);
    if (!solve(p, tolerance, report)) return false;
    process_record_strike(p);
    for (int j = 0; j < p->m->ns; j++) p->now.P[j] += impact_percussion(i)[j];
    impact_velocities(i, p->now.s);
    return true;
}
