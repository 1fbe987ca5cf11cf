/* What the step problems of all schemes share: rows M du - W P, the laws of constraints and contacts, their inverse
 * effective masses. The unknowns are z = (u, others, P), the rows (F, y) with y in the order of s. */
#ifndef CAROM_BALANCE_H
#define CAROM_BALANCE_H

#include "integrator/integrator.h"
#include "problem/problem.h"
#include "solver/solver.h"

/* The options of schemes whose step problems may be accepted at a stated error, (FC2): this error, and how many threads
 * sweep over heaps. If the error is 0, (S11) decides. */
#define ACCEPT_OPTIONS                                                                                                 \
    {"accept", "number in [0, 0.1]",                                                                                   \
     "relative error of the percussions at which the contacts of a step are accepted, for piles: 1e-3 is "             \
     "usual; "                                                                                                         \
     "the summary tells what laws miss; 0: steps are solved to the tolerance",                                         \
     "0"},                                                                                                             \
    {                                                                                                                  \
        "threads", "integer from 1 to 256",                                                                            \
            "threads that sweep over heaps of spheres; results are the same for any number; more than one needs a "    \
            "carom that was built with OpenMP",                                                                        \
            "1"                                                                                                        \
    }
carom_status accept_option(const carom_run_def *run, double *accept, carom_error *error);
carom_status threads_option(const carom_run_def *run, int *threads, carom_error *error);

/* The unknowns of a step problem: momentum balances and position updates of a scheme's stages, copies of all
 * percussions of the model, and rows that laws look at. */
typedef struct problem_shape {
    int balances, updates, copies, looks;
    bool velocity_level; /* g and g_N enter by their rates */
    int rated;           /* they do so in these copies, the first ones */
} problem_shape;

/* Fills the laws and vectors of a problem and its Jacobian from the blocks. False: out of memory (free with
 * problem_free). */
bool problem_build(problem *p, const carom_model *model, problem_shape shape, csr_block *blocks, int count);
void problem_free(problem *p);

/* rows = M (u - v) - W P; P NULL: without it */
void balance_momentum(const carom_model *model, const double *M, const double *WT, const double *u, const double *v,
                      const double *P, double *rows);

/* How far a percussion moves its own row, in units of W^T M^-1 W: at position level over dt, and at velocity level. */
typedef struct law_gain {
    double position, velocity;
} law_gain;

/* Units, (S1): weights and scales, level and G of every law from the length of its row of W^T and its inverse effective
 * mass, (S4), with the gain of its copy. False: M is not positive definite. */
bool problem_set_units(problem *p, const carom_model *model, const double *M, const double *WT, const law_gain *gain,
                       double dt);
/* The same by what was measured before, of all laws of one copy: the length of their rows of W^T, and their inverse
 * effective mass. */
typedef struct law_extent {
    double length, inverse_mass;
} law_extent;
void problem_measure(const problem *p, const carom_model *model, const double *M, const double *WT, law_extent *extent);
bool problem_set_known_units(problem *p, const carom_model *model, const double *M, const law_extent *extent,
                             const law_gain *gain, double dt);
bool problem_mass_sound(const problem *p, const carom_model *model,
                        const double *M); /* M is positive definite, (E1a) */
/* Sets the mass by which branches of contacts are chosen: a multiple of their effective mass, or, if positive, a given
 * mass for all. */
typedef struct contact_weight {
    double penalty, mass;
} contact_weight;
/* After problem_set_units. Returns by what factor percussions weigh less than with their effective mass, at most; not
 * below 1. */
double contacts_weigh(problem *p, const carom_model *model, contact_weight weight, double dt);
/* The derivatives by q of the forces in a balance, for models that are stiff. */
typedef struct stiffness {
    const carom_pattern *pattern;
    const double *value;
} stiffness;

/* Sets what round-off cannot resolve in a row: velocities relative to the largest of u. Balances add the forces that
 * round-off of the positions makes (by, unless NULL); position rows add the positions they depend on, over dt. After
 * problem_set_units. */
void problem_set_floor(problem *p, const carom_model *model, const double *u, const double *q, double dt,
                       const stiffness *by);

/* Adds the round-off of known percussions that cancel in the balances, however small the unknown ones are. After
 * problem_set_floor. */
void problem_raise_floor(problem *p, const carom_model *model, const double *WT, const double *P, double factor);

/* Sets the values that gaps keep, (L6): zero, or, where contacts gave way in earlier steps, what they gave way by. P: a
 * multiple of the percussions of the last step; factor undoes the multiple. After problem_set_units. False: the model
 * is not defined at (t, q). */
bool gaps_given_way(problem *p, const carom_model *m, double t, const double *q, const double *P, double factor,
                    double tolerance, double *kept);
/* Whether a position function keeps its value. Those of joints always do: redundant joints then have no changes whose
 * round-off could contradict each other. */
static inline bool position_is_kept(const carom_model *m, const double *kept, int row) {
    return kept && (row < m->def.ng || kept[row] != 0);
}

/* Any of contacts. Those of joints stay what they are, and so do their rates. */
static inline bool gaps_are_kept(const carom_model *m, const double *kept) {
    bool any = false;
    for (int n = m->def.ng; n < m->nc && !any; n++) any = position_is_kept(m, kept, n);
    return any;
}

/* Laws of a copy: g, gamma, g_N, then one friction law per contact with slips. */
problem_law *law_of_contact(problem *p, const carom_model *m, int copy, int contact);
problem_law *law_of_friction(problem *p, const carom_model *m, int copy, int contact); /* NULL: no slips */
/* The law whose mass measures the forces of a contact: that of its gap, or of its friction if it has no gap. */
problem_law *law_that_rubs(problem *p, const carom_model *m, int contact);

/* Makes the contact keep its state, whatever percussion that takes. Rows from direction on give the direction of slip.
 */
void contact_fix(problem *p, const carom_model *m, int copy, int contact, carom_contact_state state, int direction);
/* The rebound of a contact that is too slow to be one, and e[contacts] in effect for the velocities s before, (L3), by
 * a copy of its laws. speed: [contacts] room. After problem_set_units. False: the model gives none. */
double contact_rest(const problem *p, const carom_model *m, int copy, int contact, double tolerance);
bool contacts_restitution(const problem *p, const carom_model *m, int copy, const double *s, double tolerance,
                          double *speed, double *e);
/* Static friction above kinetic, (L21): that of the states in which a step begins. */
void contacts_rub_as(problem *p, const carom_model *m, const double *state);
/* Friction that follows the slip speed, (L16), of the first copy: that of given slips of the contact, or of the rows of
 * its law. slip NULL: it sticks. In one direction the speed is that along the sense, unless NULL, and may be negative.
 */
void contact_rub_at(problem *p, const carom_model *m, int contact, const double *slip, const double *sense);
void contact_rub_by_rows(problem *p, const carom_model *m, int contact);
/* Joints press their contacts with factor P in addition to the unknowns of the problem. */
void contact_press_with(problem *p, const carom_model *m, int contact, double factor, const double *P);
/* All laws choose again. */
void contacts_release(problem *p);

/* open, slip or stick from the branches of a solved problem */
void contact_states(problem *p, const carom_model *m, double *contact);

/* "contact 'P1': ..." what was worst in an unsolved problem, or that memory ran out. */
void explain(step_report *report, const problem *p, const carom_model *m, const solver_report *r, const char *stage);
/* Says how to keep joints together, if a joint or the balance of what it holds was worst. */
void explain_joints(step_report *report, const problem *p, const carom_model *m, const solver_report *r);
/* "the model is not defined at the end of the step", where: "end"; false */
bool explain_undefined(step_report *report, const char *where);

#endif
