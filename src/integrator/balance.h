/* What the step problems of all schemes share: rows M du - W P, the laws of constraints and contacts, their inverse
 * effective masses. The unknowns are z = (u, others, P), the rows (F, y) with y in the order of s. */
#ifndef CAROM_BALANCE_H
#define CAROM_BALANCE_H

#include "integrator/integrator.h"
#include "problem/problem.h"
#include "solver/solver.h"

/* Fills the laws and vectors of a problem with nF smooth unknowns and all percussions of the model (none for NULL), and
 * its Jacobian from the blocks. False: out of memory (free with problem_free). */
bool problem_build(problem *p, const carom_model *model, int nF, csr_block *blocks, int count);
void problem_free(problem *p);

/* rows = M (u - v) - W P; P NULL: without it */
void balance_momentum(const carom_model *model, const double *M, const double *WT, const double *u, const double *v,
                      const double *P, double *rows);

/* Units, (S1): weight and scale of the velocities, level and G of every law from the length of its row of W^T and its
 * inverse effective mass, (S4); level is that of g and g_N. False: M is not positive definite. */
bool problem_set_units(problem *p, const carom_model *model, const double *M, const double *WT, double level);
/* What round-off cannot resolve in a row: velocities relative to the largest of u, and, for position rows, the
 * positions they depend on over dt (dt = 0: all rows are on velocity level). */
void problem_set_floor(problem *p, const carom_model *model, const double *u, const double *q, double dt);

/* Laws: g, gamma, g_N, then one friction law per contact with slips. */
static inline problem_law *law_of_contact(problem *p, const carom_model *m, int k) {
    return &p->law[m->N + k];
}

/* open, slip or stick from the branches of a solved problem */
void contact_states(problem *p, const carom_model *m, double *contact);

/* "contact 'P1': ..." what was worst in an unsolved problem, into reason. */
void explain(char *reason, size_t size, const problem *p, const carom_model *m, const solver_report *r,
             const char *stage);

#endif
