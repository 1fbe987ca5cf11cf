/* The end of a step whose stages are solved (rattle, lobatto): the velocity problem (I1)-(I4) at the end of the step,
 * for the percussions P of the whole step, of which the stages have exerted `earlier` already:
 *
 *     M (u - v) = f + W (P - earlier)
 *     xi_N in N(-P_N) if a stage closed the contact, else P_N = 0;   xi_F in N(-P_F)                           (B13)
 *
 * In a step without impact, contacts that were closed before and have two or more directions of slip, or friction by
 * the slip speed, continue:
 *
 *     gamma_F in N(-(P_F - earlier_F)) on the ball of radius mu (P_N - earlier_N), sliding along y             (B14)
 *
 * with y the slip of the last stage, as long as P_N >= earlier_N. In one direction both say the same while the slip
 * keeps its sign. */
#ifndef CAROM_ENDING_H
#define CAROM_ENDING_H

#include "integrator/impact.h"

typedef struct ending {
    impact impact; /* M, WT, v, f, chi are set by the scheme */
    bool published;
    double still;     /* slips up to this have no direction */
    double *earlier;  /* [ns] set by the scheme */
    bool whole;       /* the unknown percussions are those of the whole step, */
    double *counted;  /* [ns] and contain this part of the earlier ones */
    double *guess;    /* [ns] percussions of the whole step */
    double *before;   /* [ns] s at the start of the step, without the slips of contacts that continue */
    double *gaps;     /* [2 nc] room */
    double *memory;   /* these vectors in one piece */
    bool *persistent; /* [contacts] closed and at rest in normal direction at the start */
} ending;

/* published: only the last stage closes contacts, and (B13) holds for all. False: out of memory. */
bool ending_create(ending *e, const carom_model *model, bool published);
void ending_destroy(ending *e);

/* Before the stages: s at the start of the step, stages with their units set. */
void ending_begin(ending *e, const motion *now, const double *s, problem *stages, double dt, double tolerance);
bool ending_persists(const ending *e, int contact);
/* After the stages: how many of them close the contact, and whether that is an impact. The laws decide, by the
 * augmented set of lobatto (67), since the sign of a gap that is zero up to round-off says nothing. */
int ending_touches(const ending *e, problem *stages, int copies, int contact);
bool ending_strikes(const ending *e, problem *stages, int copies, int contact);
/* After the stages: chooses the laws and solves. rows of their solved problem, with copies of the percussions; the last
 * stage's are about share times the earlier ones. */
bool ending_capture(ending *e, problem *stages, const double *rows, int copies, double share, double tolerance,
                    step_report *report);
/* With fixed states instead: the unknown percussions are those of the last stage. Slip in one direction has the given
 * sense; slip in several has the direction of slips, those at the end. */
void ending_fix(ending *e, const double *state, const double *sense, const double *slips, double share);
bool ending_solve(ending *e, double tolerance, step_report *report);
/* After that, if the percussions of the fixed states break their laws: finds percussions of the whole step that obey
 * their laws and lead to the same velocities (docs/theory/events.md, (V14)). zero: of velocities. False: there are
 * none, and next->P is left alone. */
bool ending_admit(ending *e, const double *state, const double *sense, const double *slips, double zero,
                  double tolerance, step_report *report, motion *next);
/* u, P and contacts of the solution into next */
void ending_read(ending *e, motion *next);

#endif
