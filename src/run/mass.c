/* The mass matrix must stay positive definite; if it does not, the motion ends (docs/theory/mechanics.md, (E1a)). Steps
 * are checked at their ends and located instants. The schemes themselves check where they evaluate M. */
#include "run/sim.h"

#include <math.h>
#include <stdio.h>

/* The column that row i couples with most, |M_ij|/sqrt(M_ii M_jj); -1: none. */
static int strongest(const carom_pattern *M, const double *values, int i) {
    const double *own = pattern_entry(M, values, i, i);
    double most = 0;
    int column = -1;
    for (int e = M->start[i]; own && *own > 0 && e < M->start[i + 1]; e++) {
        int j = M->index[e];
        const double *other = pattern_entry(M, values, j, j);
        double size = other && *other > 0 ? fabs(values[e]) / sqrt(*own * *other) : 0;
        if (j != i && size > most) most = size, column = j;
    }
    return column;
}

static bool indefinite(const carom_sim *sim, double t, int row, step_report *report) {
    const carom_model_def *d = &sim->model->def;
    int other = strongest(&d->M, sim->mass_values, row);
    snprintf(report->reason, sizeof report->reason,
             "the mass matrix is not positive definite at t = %.9g: along '%.80s'%s%.80s%s no inertia is left", t,
             d->u_names[row], other < 0 ? "" : " and '", other < 0 ? "" : d->u_names[other], other < 0 ? "" : "'");
    return false;
}

bool mass_holds(const carom_sim *sim, double t, const double *q, step_report *report) {
    const carom_model_def *d = &sim->model->def;
    double pivot;
    if (d->mass(d->context, t, q, sim->mass_values)) return true; /* the scheme that needs M there reports it */
    int row = definite_row(sim->mass, sim->mass_values, &pivot);
    return row == d->nu || indefinite(sim, t, row, report);
}

bool mass_holds_to(const carom_sim *sim, const motion *end, int first, step_report *report) {
    if (sim->model->constant_mass) return true;
    for (int i = first; i < sim->log.instants; i++) {
        instant x = event_log_instant(&sim->log, i);
        if (!mass_holds(sim, *x.t[1], x.q, report)) return false;
    }
    return mass_holds(sim, end->t, end->q, report);
}
