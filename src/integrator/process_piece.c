/* A piece of the process of an impact, (L7). Where slips keep their directions it is exact. Else the method of Cash and
 * Karp (1990) takes it with order 5; its embedded method of order 4 gives the error. If friction turns the slip much
 * faster than the motion goes on, Euler's implicit method takes it, extrapolated to order 2. */
#include "integrator/process_inside.h"

#include <math.h>
#include <string.h>

enum { STAGES = PROCESS_STAGES };
static const double allowed = 1e-8;   /* error of a piece, as a part of the fastest velocity, ... */
static const double of_slip = 1e-3;   /* ... and of slip that turns: on its way to rest it keeps a direction */
static const double shortest = 1e-12; /* pieces are not divided further; compression and expansion last for about 1 */
const double process_place[STAGES][STAGES - 1] = {
    {0},
    {1. / 5},
    {3. / 40, 9. / 40},
    {3. / 10, -9. / 10, 6. / 5},
    {-11. / 54, 5. / 2, -70. / 27, 35. / 27},
    {1631. / 55296, 175. / 512, 575. / 13824, 44275. / 110592, 253. / 4096},
};
const double process_weight[STAGES] = {37. / 378, 0, 250. / 621, 125. / 594, 0, 512. / 1771};
static const double rough[STAGES] = {2825. / 27648, 0, 18575. / 48384, 13525. / 55296, 277. / 14336, 1. / 4};

void process_keep(const process *p, process_state *to, const process_state *from) {
    memcpy(to->s, from->s, (size_t)p->m->ns * sizeof *to->s);
    memcpy(to->P, from->P, (size_t)p->m->ns * sizeof *to->P);
    memcpy(to->work, from->work, (size_t)p->m->def.contacts * sizeof *to->work);
    memcpy(to->expanded, from->expanded, (size_t)p->m->def.contacts * sizeof *to->expanded);
}

static void take_straight(process *p, double length) {
    const carom_model *m = p->m;
    for (int j = 0; j < m->ns; j++) {
        p->now.s[j] = p->start.s[j] + length * p->ds[j];
        p->now.P[j] = p->start.P[j] + length * p->dP[j];
    }
    for (int k = 0; k < m->def.contacts; k++)
        p->now.work[k] = p->start.work[k] + length * p->dP[m->N + k] * (p->start.s[m->N + k] + p->now.s[m->N + k]) / 2;
}

/* The method of Cash and Karp. *error: the largest error of s over the piece. */
static bool take_explicit(process *p, double length, double tolerance, solver_report *report, double *error) {
    const carom_model *m = p->m;
    const int ns = m->ns;
    process_record_again(p);
    memcpy(p->now.work, p->start.work, (size_t)m->def.contacts * sizeof *p->now.work);
    for (int i = 0; i < STAGES; i++) {
        double *ds = p->stage + 2 * i * ns;
        memcpy(p->now.s, p->start.s, (size_t)ns * sizeof *p->now.s);
        for (int l = 0; l < i; l++)
            for (int j = 0; j < ns; j++) p->now.s[j] += length * process_place[i][l] * p->stage[2 * l * ns + j];
        if (!process_find_rates(p, p->now.s, tolerance, report)) return false;
        memcpy(ds, p->ds, (size_t)ns * sizeof *ds);
        memcpy(ds + ns, p->dP, (size_t)ns * sizeof *ds);
        for (int k = 0; k < m->def.contacts; k++)
            p->now.work[k] += process_weight[i] * length * p->dP[m->N + k] * p->now.s[m->N + k];
    }
    *error = 0;
    for (int j = 0; j < ns; j++) {
        double s = 0, P = 0, missed = 0;
        for (int i = 0; i < STAGES; i++) {
            const double *ds = p->stage + 2 * i * ns;
            s += process_weight[i] * ds[j], P += process_weight[i] * ds[ns + j],
                missed += (process_weight[i] - rough[i]) * ds[j];
        }
        p->now.s[j] = p->start.s[j] + length * s, p->now.P[j] = p->start.P[j] + length * P;
        *error = fmax(*error, fabs(length * missed));
    }
    return true;
}

/* Extrapolates from one step and from two halves of it: the sum of the rates of the halves, less those of the step. */
static bool take_implicit(process *p, double length, double tolerance, solver_report *report, double *error) {
    const carom_model *m = p->m;
    const int ns = m->ns;
    double *whole = p->stage, *sum = whole + 2 * ns;
    memcpy(p->now.s, p->start.s, (size_t)ns * sizeof *p->now.s);
    memcpy(p->now.work, p->start.work, (size_t)m->def.contacts * sizeof *p->now.work);
    if (!process_find_mean_rates(p, p->now.s, length, tolerance, report)) return false;
    memcpy(whole, p->ds, (size_t)ns * sizeof *whole), memcpy(whole + ns, p->dP, (size_t)ns * sizeof *whole);
    memset(sum, 0, 2 * (size_t)ns * sizeof *sum);
    for (int half = 0; half < 2; half++) {
        if (!process_find_mean_rates(p, p->now.s, length / 2, tolerance, report)) return false;
        for (int j = 0; j < ns; j++) sum[j] += p->ds[j], sum[ns + j] += p->dP[j];
        for (int k = 0; k < m->def.contacts; k++) {
            const double before = p->now.s[m->N + k], after = before + length / 2 * p->ds[m->N + k];
            p->now.work[k] += length / 2 * p->dP[m->N + k] * (before + after) / 2;
        }
        for (int j = 0; j < ns; j++) p->now.s[j] += length / 2 * p->ds[j];
    }
    *error = 0;
    for (int j = 0; j < ns; j++) {
        p->now.s[j] = p->start.s[j] + length * (sum[j] - whole[j]);
        p->now.P[j] = p->start.P[j] + length * (sum[ns + j] - whole[ns + j]);
        *error = fmax(*error, fabs(length * (sum[j] / 2 - whole[j])));
    }
    return true;
}

static double most_error(const process *p) {
    double most = allowed * p->fastest;
    for (int k = 0; k < p->m->def.contacts; k++) {
        const int n = process_slips(p, k);
        if (n > 1 && process_slides(p, k, p->start.s) && contact_load(p->m, k, p->dP) > 0)
            most = fmin(most, of_slip * process_size(n, p->start.s + process_slip_row(p, k)));
    }
    return most;
}

/* How long the next piece may be: errors grow with this power of the length. A piece that was shorter than necessary
 * does not make the next one shorter. */
static void set_pace(process *p, double length, double excess, double power, bool taken) {
    const double next = length * fmin(4, fmax(0.2, 0.9 * pow(fmax(excess, 1e-10), -1 / power)));
    p->pace = taken && length < p->pace ? fmax(p->pace, next) : next;
}

/* Whether friction turns a slip so fast in a piece of this length that an explicit method is unstable. */
static bool is_stiff(process *p, double length) {
    for (int k = 0; k < p->m->def.contacts; k++) {
        const int n = process_slips(p, k);
        if (n < 2 || !process_slides(p, k, p->start.s)) continue;
        const problem_law *friction = law_of_friction(&p->impact.problem, p->m, 0, k);
        const double size = process_size(n, p->start.s + process_slip_row(p, k));
        if (friction->mu * friction->G * contact_load(p->m, k, p->dP) * length > 2 * size) return true;
    }
    return false;
}

/* Tries the method that took the last piece, then the other one. Only stiff pieces may be taken implicitly. */
static bool take_curved(process *p, double length, double most, double tolerance, solver_report *report, bool *taken) {
    const bool stiff = is_stiff(p, length);
    p->stiff = p->stiff && stiff;
    for (int other = 0; other < (stiff ? 2 : 1); other++) {
        const bool implicit = p->stiff != (other == 1);
        double error;
        if (!(implicit ? take_implicit : take_explicit)(p, length, tolerance, report, &error)) return false;
        *taken = error <= most || length <= shortest;
        if (*taken || !implicit) set_pace(p, length, error / most, implicit ? 2 : 5, *taken);
        if (!*taken) continue;
        p->stiff = implicit;
        return true;
    }
    p->stiff = false;
    return true;
}

bool process_take_piece(process *p, double *length, bool curved, double tolerance, solver_report *report) {
    const double most = most_error(p);
    bool taken = !curved;
    if (!curved) take_straight(p, *length);
    while (!taken) {
        if (!take_curved(p, *length, most, tolerance, report, &taken)) return false;
        if (!taken) *length = p->pace;
    }
    p->taken = *length;
    for (int k = 0; k < p->m->def.contacts; k++)
        p->now.expanded[k] = p->start.expanded[k] + *length * p->contact[k].rate;
    return true;
}
