/* Random friction problems of columns, walls, packings, wedges and tables, as they are and with every number changed a
 * little, in other units, and with friction from none to strong. All of them have a solution: where no support moves, a
 * body can always come to rest. All are solved, but for some whose W was changed until it is no longer that of bodies;
 * these end with a reason. */
#include "friction/body_blocks.h"
#include "support/campaign.h"
#include "support/friction_cases.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SOLVED, SWEEPS, FACTORED, TOLD };

/* u in other units: W and q by velocity, and r by percussion. */
static void change_units(friction_problem *p, double velocity, double percussion) {
    for (int e = 0; e < p->start[p->contacts]; e++)
        for (int k = 0; k < 9; k++) p->W[e][k] *= velocity / percussion;
    for (int i = 0; i < 3 * p->contacts; i++) p->q[i] *= velocity;
    for (int e = 0; p->bodies && e < p->bodies->start[p->contacts]; e++)
        for (int k = 0; k < 9; k++) p->bodies->C[e][k] *= velocity / percussion;
}

static void judge(uint64_t number, campaign_case *c) {
    uint64_t state = number;
    int kinds = 0;
    while (friction_kinds[kinds].name) kinds++;
    c->kind = (int)(kinds * campaign_random(&state));
    int contacts = (int)(8 * pow(60, campaign_random(&state)));
    double changed = campaign_random(&state) < 0.5 ? 0 : pow(10, -9 + 6 * campaign_random(&state));
    double friction = campaign_random(&state) < 0.1 ? 0 : 2 * campaign_random(&state);
    friction_case made;
    friction_problem p;
    friction_report report;
    friction_case_make(&friction_kinds[c->kind], contacts, number, &made);
    friction_case_perturb(&made, changed, number);
    friction_case_problem(&made, &p);
    for (int a = 0; a < p.contacts; a++) p.mu[a] *= friction;
    bool odd = campaign_random(&state) < 0.2;
    if (odd) friction_perturb(&p, pow(10, -9 + 6 * campaign_random(&state)), number);
    change_units(&p, pow(10, -1 + 2 * campaign_random(&state)), 1);
    double *r = calloc(3 * (size_t)p.contacts, sizeof *r);
    if (!r) return;
    friction_solve(&p, friction_solvers, &(friction_options){.tolerance = 1e-8, .limit = 30}, r, &report);
    if (campaign_loud)
        printf("%s, %d contacts, changed by %g, friction times %g: error %g, %d sweeps, %d factorisations %s\n",
               friction_kinds[c->kind].name, p.contacts, changed, friction, report.error, report.sweeps,
               report.factored, report.reason);
    bool told = odd && isfinite(report.error) && report.reason[0]; /* W is not that of bodies: there may be none */
    c->count[SOLVED] += report.solved;
    c->count[TOLD] += !report.solved && told;
    c->count[SWEEPS] += report.sweeps, c->count[FACTORED] += report.factored;
    if (!report.solved && !told)
        campaign_violation(c, "%s of %d contacts is not solved: %g, %s", friction_kinds[c->kind].name, p.contacts,
                           report.error, report.reason);
    free(r);
    friction_destroy(&p);
    friction_case_free(&made);
}

int main(int argc, char **argv) {
    static const campaign friction = {.cases = "friction problems",
                                      .few = 60,
                                      .patience = 60,
                                      .count = {"solved", "sweeps", "factorisations", "odd ones told to be unsolved"},
                                      .judge = judge};
    return campaign_main(&friction, argc, argv);
}
