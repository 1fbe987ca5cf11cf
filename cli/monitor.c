#include "monitor.h"

#include <math.h>
#include <stdio.h>

void monitor_print(const monitor *m, const carom_sim *sim) {
    const carom_model_def *d = m->def;
    const extremes *e = &m->seen;
    for (int k = 0; k < carom_sim_stages(sim); k++)
        printf("newton stage %d: max %d, mean %.4f\n", k + 1, carom_sim_newton_max(sim, k),
               carom_sim_newton_mean(sim, k));
    if (carom_sim_substeps(sim) > 0)
        printf("divided steps: %ld had no solution in one piece (a smaller dt is faster)\n", carom_sim_substeps(sim));
    printf("largest residual: %.3g\n", e->residual);
    if (d->contacts > 0)
        printf("smallest gap: %.3g (%s, t = %.6g)\n", e->gap, d->contact[(int)e->gap_contact].name, e->gap_time);
    if (d->ng + d->ngamma > 0)
        printf("largest bilateral constraint: %.3g on position, %.3g on velocity\n", e->position, e->velocity);
    if (!isnan(e->energy)) {
        double end = model_energy(d, carom_sim_time(sim), carom_sim_q(sim), carom_sim_u(sim));
        printf("energy: %.10g at the start, %.10g at the end\n", e->energy, end);
    }
    printf("state hash: %016llx\n", carom_sim_hash(sim));
}
