/* Many contacts. The problem linearised at z is a friction problem of block rows, (FC1), and src/friction solves it.
 * Newton's method starts from its percussions and from the unknowns that follow from them. */
#include "solver/large.h"

#include "friction/friction.h"
#include "solver/contact_map.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* At this relative error the branches of all laws are known; Newton's method does the rest. */
static const double GOOD = 1e-9;
enum { STEPS = 400 }; /* factorisations at most */

/* r: [dimension contacts] from z, and back. */
static void percussions_of(const contact_map *c, const double *z, double *r) {
    for (int i = 0; i < c->dimension * c->contacts; i++)
        r[3 * (i / c->dimension) + i % c->dimension] = c->unknown[i] < 0 ? 0 : z[c->unknown[i]] * c->unit[i];
}

static void pack(const contact_map *c, double *r) {
    for (int i = 0; i < c->dimension * c->contacts; i++) r[i] = r[3 * (i / c->dimension) + i % c->dimension];
}

static bool solve(const contact_map *c, const problem *p, double *z) {
    friction_problem f;
    friction_report report;
    int row;
    if (friction_reduce(&c->map, c->dimension, c->contacts, c->mu, &f, &row) != CONDENSED) return false;
    double *r = calloc(3 * (size_t)f.contacts, sizeof *r);
    bool solved = r;
    if (solved) {
        percussions_of(c, z, r);
        friction_solve(&f, friction_solvers, &(friction_options){.tolerance = GOOD, .limit = INFINITY, .most = STEPS},
                       r, &report);
        solved = report.solved;
        pack(c, r);
        solved = solved && contact_map_recover(c, p, r, z);
    }
    free(r);
    friction_destroy(&f);
    return solved;
}

bool large_applies(const problem *p) {
    int contacts = 0;
    for (int k = 0; k < p->laws; k++) contacts += p->law[k].enabled && p->law[k].law == &law_signorini;
    return contacts >= LARGE;
}

bool large_improve(solver *s, problem *p, double *z) {
    contact_map c;
    if (p->evaluate(p->context, z, s->rows, true)) return false;
    if (!contact_map_create(&c, p, z, s->rows, CONTACT_UNITS_VELOCITY)) return false;
    bool solved = solve(&c, p, z);
    contact_map_free(&c);
    return solved;
}
