/* Points of contact that run along an edge, as the lowest one of a rim (docs/theory/elements.md, (DC3b)). While such a
 * row acts in a step, its unit vector v turns by at most 15 degrees from one look to the next, and by no more at
 * the rates at its ends,
 *     v_0 . v_1 >= cos(15 degrees),    dt (rate) <= tan(15 degrees),
 * or the motion has jumped over the kink of the gap. Looks are the ends of a step and its located instants. */
#include "run/sim.h"

#include <stdio.h>
#include <string.h>

static const double cosine = 0.96592582628906829, tangent = 0.26794919243112271; /* of 15 degrees */

/* Constraints always act. A contact does if it is closed at one of the ends or has a percussion, or if it has come to
 * touch: percussions at the two ends of a step may cancel each other and yet have moved it. */
static bool acts(const carom_sim *sim, int row, const motion *from, const motion *to) {
    const carom_model_def *d = &sim->model->def;
    int k = row - d->ng;
    if (k < 0 || from->contact[k] > CAROM_OPEN || to->contact[k] > CAROM_OPEN) return true;
    if (to->P[sim->model->N + k] != 0) return true;
    return d->position(d->context, to->t, to->q, sim->c, NULL) || sim->c[row] <= sim->tolerance * (to->t - from->t);
}

static bool turned(const double *v, const double *w, double dt) {
    bool near = v[0] * w[0] + v[1] * w[1] + v[2] * w[2] >= cosine;
    return !(near && dt * v[3] <= tangent && dt * w[3] <= tangent);
}

static bool lost(const carom_sim *sim, int k, step_report *report) {
    static const char *const reasons[] = {
        "the rim that touches in '%.100s' lies flat, or its lowest point runs round it by more than 15 degrees",
        "the beam that touches in '%.100s' is as near in another place, or the point runs round the post by more than "
        "15 "
        "degrees"};
    static const char *const hints[] = {
        "; take a smaller dt, or points on the rim if the body is to lie flat: {disk: r, points: 12}",
        "; take a smaller dt, or a thinner post if the beam is bent round it"};
    const carom_model_def *d = &sim->model->def;
    const int row = d->support_row[k], kind = d->support_kind ? d->support_kind[k] : CAROM_ROUND_A_RIM;
    const char *name = row < d->ng ? d->g_names[row] : d->contact[row - d->ng].name;
    snprintf(report->reason, sizeof report->reason, reasons[kind], name);
    report->hint = hints[kind];
    return true;
}

/* Where the function is not defined the point is not known. */
static void look(const carom_sim *sim, double t, const double *q, const double *u, double *v) {
    const carom_model_def *d = &sim->model->def;
    if (d->support(d->context, t, q, u, v)) memset(v, 0, 4 * (size_t)d->supports * sizeof *v);
}

void support_start(const carom_sim *sim, const motion *first) {
    if (sim->model->def.supports) look(sim, first->t, first->q, first->u, ledger_in(sim, sim->now).support);
}

bool support_lost(const carom_sim *sim, double *from, double *to, const motion *end, int first, step_report *report) {
    const carom_model_def *d = &sim->model->def;
    if (!d->supports) return false;
    const motion start = sim_motion(sim, from);
    const double *v = ledger_in(sim, from).support;
    for (int i = first; i <= sim->log.instants; i++) {
        bool last = i == sim->log.instants;
        double *w = last ? ledger_in(sim, to).support : sim->support + 4 * d->supports * (i % 2);
        instant x = last ? (instant){0} : event_log_instant(&sim->log, i);
        if (last) look(sim, end->t, end->q, end->u, w);
        else look(sim, *x.t[1], x.q, x.u[1], w);
        for (int k = 0; k < d->supports; k++)
            if (turned(v + 4 * k, w + 4 * k, end->t - start.t) && acts(sim, d->support_row[k], &start, end))
                return lost(sim, k, report);
        v = w;
    }
    return false;
}
