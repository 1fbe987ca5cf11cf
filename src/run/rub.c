/* Friction by a formula of time and place stays positive while the contact is closed, (L15): where it passes zero, a
 * row of slip vanishes, and the motion ends. A piece of a step is looked at where it begins and ends. */
#include "run/sim.h"

#include <stdio.h>

static bool vanishes(const carom_sim *sim, int contact, double scale, double t, step_report *report) {
    snprintf(report->reason, sizeof report->reason,
             "the friction of '%.80s' falls to zero before t = %.9g: its formula gives %.3g there",
             sim->model->def.contact[contact].name, t, scale);
    report->hint = "; a formula such as max(mu, 1e-6) stays positive";
    return true;
}

bool friction_vanishes(const carom_sim *sim, const motion *start, const motion *end, step_report *report) {
    const carom_model *m = sim->model;
    double *before = sim->scale, *after = sim->scale + m->slips;
    if (!m->def.slip_scale || model_slip_scale(m, start->t, start->q, before) ||
        model_slip_scale(m, end->t, end->q, after))
        return false; /* where it is not defined the rows are not either, and the scheme reports it */
    for (int k = 0; k < m->def.contacts; k++)
        for (int i = m->slip[k]; i < m->slip[k + 1] && end->contact[k] != CAROM_OPEN; i++)
            if (!(before[i] * after[i] > 0)) return vanishes(sim, k, after[i], end->t, report);
    return false;
}
