/* The step problem at acceleration level (docs/theory/events.md, (V3)-(V6)): u_dot and the contact forces lambda of
 * closed contacts at (t, q, u),
 *
 *     M u_dot = h + W lambda                                                                                  (V3)
 *     g_dotdot = 0,  gamma_dot = 0                                                                            (V4)
 *     gN_dotdot in N(-lambda_N)                                                                               (V5)
 *     slipping: lambda_F = -mu lambda_N d;   sticking: gamma_F_dot in N(-lambda_F)                            (V6)
 *
 * with s_dot = W^T u_dot + zeta: the velocity problem (I1)-(I4) with (h, zeta) for (f, chi). */
#ifndef CAROM_RATES_H
#define CAROM_RATES_H

#include "integrator/impact.h"

typedef struct rates {
    impact impact; /* z = (u_dot, lambda) after solving */
    double *M, *WT, *s_q, *q_dot, *zero;
    double tolerance; /* of the velocities */
    long work;        /* solutions and their iterations so far; whoever looks at it sets it to zero */
    double *memory;
} rates;

bool rates_create(rates *r, const carom_model *model); /* false: out of memory */
void rates_destroy(rates *r);

/* state: carom_contact_state of every contact; sense: unit vectors of slip. free: closed contacts may open, and
 * sticking ones slip; else all keep their state, whatever force that takes. */
bool rates_solve(rates *r, double t, const double *q, const double *u, const double *state, const double *sense,
                 bool free, solver_report *report);
/* s_dot of one row of s. */
double rates_row(const rates *r, int row);
/* After a free solution: states and senses of what begins now. */
void rates_read(rates *r, double *state, double *sense);
static inline const double *rates_forces(const rates *r) {
    return impact_percussion(&r->impact);
}

#endif
