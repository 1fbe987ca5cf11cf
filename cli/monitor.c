#include "monitor.h"

#include <math.h>
#include <stdio.h>

/* "3 (2 strikes, 1 stop)" */
static void print_events(const double *counts) {
    double sum = 0;
    for (int k = 0; k < CAROM_EVENT_KINDS; k++) sum += counts[k];
    printf("located events: %.0f", sum);
    const char *between = " (";
    for (int k = 0; k < CAROM_EVENT_KINDS; k++) {
        if (counts[k] == 0) continue;
        printf("%s%.0f %s%s", between, counts[k], carom_event_kind_name((carom_event_kind)k),
               counts[k] == 1 ? "" : "s");
        between = ", ";
    }
    printf("%s\n", sum > 0 ? ")" : "");
}

static void print_creation(const creation *c, const carom_model_contact *contact) {
    if (!(c->sum > 0)) return;
    const bool rubs = contact[c->contact].slips > 0 && contact[c->contact].friction > 0;
    printf("energy created by impacts: %.3g, by %.0f of them, %.3g in one (%s, t = %.6g)%s\n", c->sum, c->impacts,
           c->most, contact[c->contact].name, c->time,
           rubs          ? "; Newton's impact law may do so with friction"
           : c->measured ? ""
                         : "; try a smaller dt");
}

/* (W9d): always the number; a sentence from a twentieth on. Energies that are sums of large ones are known to round-off
 * only. */
static void print_balance(energy_balance b, double energies) {
    const double part = fabs(b.unaccounted) / b.turnover, noise = 1e-9 * energies;
    if (!(fabs(b.unaccounted) > noise)) {
        printf("energy balance: closed to round-off\n");
        return;
    }
    printf("energy balance: %.3g unaccounted for, %.2g of the energy turned over\n", b.unaccounted, part);
    if (!(part > 0.05)) return;
    if (b.unaccounted > 0)
        printf("energy gained: %.3g that no force did work for; this motion is wrong, try a smaller dt\n",
               b.unaccounted);
    else
        printf("energy lost: %.3g, taken by the scheme and not by a force, friction or impact; try a smaller dt "
               "(rattle and lobatto lose least)\n",
               -b.unaccounted);
}

/* "not finite: root in 80 rows, first at t = 0.21 (and 1 other quantity)" */
static void print_undefined(const extremes *e, const char *const *names) {
    if (e->undefined == 0) return;
    printf("not finite: %s in %.0f row%s, first at t = %.6g", names[(int)e->undefined_column], e->undefined,
           e->undefined == 1 ? "" : "s", e->undefined_time);
    if (e->undefined_columns > 1)
        printf(" (and %.0f other quantit%s)", e->undefined_columns - 1, e->undefined_columns == 2 ? "y" : "ies");
    printf("\n");
}

/* Says whether a contact may have closed unseen. There are no bounds for other events. */
static void print_certificate(const carom_model_def *d, const carom_sim *sim) {
    int contact;
    double time;
    long doubts = carom_sim_doubts(sim, &contact, &time);
    if (!carom_sim_certifies(sim))
        printf("contacts that close between two looks may be missed: %s\n",
               d->ranges ? "only rattle, and lobatto with up to some dozens of stages, bound gaps"
                         : "the model gives no bounds of its gaps");
    else {
        const located_zero zero = monitor_zero(sim);
        const char *where = carom_sim_captured(sim) > 0 ? ", except in captured steps" : "";
        if (doubts > 0)
            printf("contacts that close were found%s; %ld time%s it could not be excluded that a gap touches zero, "
                   "first that of '%s' at t = %.9g",
                   where, doubts, doubts == 1 ? "" : "s", carom_sim_event_name(sim, contact), time);
        else printf("every contact that closes was found%s", where);
        printf("; but for round-off, one nearer than %.2g and slower than %.2g counts as touching\n", zero.gap,
               zero.rate);
    }
    printf("lift-off, stick and slip were looked for at points of each step: a change and its reverse between two "
           "points are not seen\n");
}

/* "passed unseen: 2 contacts that closed and opened within a step, ..." */
static void print_unseen(unseen u, const carom_model_contact *contact) {
    if (u.count == 0) return;
    printf(
        "passed unseen: %.0f time%s a contact closed and opened within a step; deepest: %s at t = %.6g, gap %.3g; try "
        "detection: continuous, or a smaller dt\n",
        u.count, u.count == 1 ? "" : "s", contact[u.contact].name, u.time, u.gap);
}

/* "broken joints: rod at t = 0.31, pin at t = 0.4" */
static void print_broken(const carom_model_def *d, const carom_sim *sim) {
    const char *between = "broken joints: ";
    double time;
    for (int i = 0; i < d->latches; i++) {
        if (!carom_sim_broken(sim, i, &time)) continue;
        printf("%s%s at t = %.9g", between, d->latch[i].name, time);
        between = ", ";
    }
    if (between[0] == ',') printf("\n");
}

void monitor_print(const monitor *m, const carom_sim *sim, const char *const *names) {
    const carom_model_def *d = carom_model_get(carom_sim_model(sim));
    const extremes *e = &m->seen;
    for (int k = 0; k < carom_sim_stages(sim); k++)
        printf("newton stage %d: max %d, mean %.4f\n", k + 1, carom_sim_newton_max(sim, k),
               carom_sim_newton_mean(sim, k));
    for (int i = 0; i < carom_sim_figures(sim); i++) {
        double value;
        const char *name = carom_sim_figure(sim, i, &value);
        printf("%s: %.6g\n", name, value);
    }
    if (carom_sim_captured(sim) > 0)
        printf("captured steps: %ld with events that could not all be located (order 1 there; try a smaller dt)\n",
               carom_sim_captured(sim));
    if (carom_sim_reduced(sim) > 0)
        printf(
            "simpler steps: %ld, where Newton's method did not solve the scheme's own at their contacts (lobatto: two "
            "stages; generalized_alpha: friction on velocity level alone; order 1 there)\n",
            carom_sim_reduced(sim));
    if (carom_sim_substeps(sim) > 0)
        printf("divided steps: %ld had no solution in one piece (a smaller dt is faster)\n", carom_sim_substeps(sim));
    double lost;
    long weakened = carom_sim_weakened(sim, &lost);
    if (weakened > 0)
        printf(
            "impacts without rebound: %ld, where the laws had no solution with it (the fastest rebound would have been "
            "%.3g)\n",
            weakened, lost);
    long yields = carom_sim_yields(sim, &lost);
    if (yields > 0)
        printf("contacts gave way in %ld step%s, by %.3g m/s at most: a body is wedged in (a smaller dt helps)\n",
               yields, yields == 1 ? "" : "s", lost);
    if (carom_sim_locates(sim)) print_events(e->events);
    print_broken(d, sim);
    if (carom_sim_switched(sim) > 0)
        printf("located switches of formulas, or of features that meet: %ld\n", carom_sim_switched(sim));
    if (carom_sim_locates(sim) && carom_sim_event_names(sim) > d->latches) print_certificate(d, sim);
    if (monitor_accepts(sim) > 0)
        printf("contacts accepted at an error of %g: laws missed by at most %.3g m/s\n", monitor_accepts(sim),
               e->residual);
    else printf("largest residual: %.3g\n", e->residual);
    if (d->contacts > 0)
        printf("smallest gap: %.3g (%s, t = %.6g)\n", e->gap, d->contact[(int)e->gap_contact].name, e->gap_time);
    print_unseen(monitor_unseen(sim), d->contact);
    if (d->ng + d->ngamma > 0)
        printf("largest bilateral constraint: %.3g on position, %.3g on velocity\n", e->position, e->velocity);
    if (!isnan(e->energy)) {
        double end = model_energy(d, carom_sim_time(sim), carom_sim_q(sim), carom_sim_u(sim));
        printf("energy: %.10g at the start, %.10g at the end\n", e->energy, end);
        creation created = monitor_creation(m, sim);
        print_creation(&created, d->contact);
        print_balance(monitor_balance(m, sim), fabs(e->energy) + fabs(end));
    }
    print_undefined(e, names);
    printf("state hash: %016llx\n", carom_sim_hash(sim));
}
