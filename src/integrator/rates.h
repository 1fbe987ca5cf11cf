/* The step problem at acceleration level (docs/theory/events.md, (V3)-(V6)): u_dot and the contact forces lambda of
 * closed contacts at (t, q, u),
 *
 *     M u_dot = h + W lambda                                                                                  (V3)
 *     g_dotdot = 0,  gamma_dot = 0                                                                            (V4)
 *     gN_dotdot in N(-lambda_N)                                                                               (V5)
 *     slipping: lambda_F = -mu lambda_N d;   sticking: gamma_F_dot in N(-lambda_F)                            (V6)
 *
 * with s_dot = W^T u_dot + zeta: the velocity problem (I1)-(I4) with (h, zeta) for (f, chi). Forces of redundant
 * contacts are not unique, but accelerations are. Accelerations decide which states persist, (V30), and which states
 * follow, (V31). */
#ifndef CAROM_RATES_H
#define CAROM_RATES_H

#include "integrator/impact.h"

typedef struct rates {
    impact impact; /* z = (u_dot, lambda) after solving */
    double *M, *WT, *s, *s_q, *q_dot, *zero;
    double *reach;          /* [nu] sizes of all forces, added up, over M, */
    const double *measured; /* [ns] with these ones of contacts */
    double largest;         /* acceleration of a single body without contacts, at least 1 */
    double tolerance;       /* of the velocities */
    double rest;            /* accelerations up to this make no velocity to speak of in a step */
    long work;              /* solutions and their iterations so far; whoever looks at it sets it to zero */
    double *memory;
} rates;

bool rates_create(rates *r, const carom_model *model); /* false: out of memory */
void rates_destroy(rates *r);

/* A place, and the contacts there. */
typedef struct rates_place {
    double t;
    const double *q, *u;
    const double *state; /* [contacts] carom_contact_state */
    const double *sense; /* [slips] unit vectors of slip */
    const double *guess; /* [ns] forces to begin with; NULL: zero */
} rates_place;

/* free: closed contacts may open, and sticking ones may slip. Else all keep their state, whatever force that takes. */
bool rates_solve(rates *r, const rates_place *at, bool free, solver_report *report);
/* s_dot of one row of s. */
double rates_row(const rates *r, int row);
/* After a solution: whether no other forces have the same accelerations. */
bool rates_unique(rates *r);
/* After a free solution: the states and senses that begin now, (V31). */
void rates_read(rates *r, double *state, double *sense);
static inline const double *rates_forces(const rates *r) {
    return impact_percussion(&r->impact);
}

/* Whether some forces in their cones keep all states, (V30): positive if so. *ends: no forces do, by more than counts
 * as zero; then the free solution can be read. held: [contacts] that stay closed whatever their force. NaN, and *ends:
 * no accelerations were found. */
double rates_persist(rates *r, const rates_place *at, const bool *held, bool *ends);

/* After a failure: whether a solution exists, (V35), so that the solver failed and not friction. */
bool rates_exist(const rates *r, const double *state);

/* Whether given forces are in the cones of the states, up to what counts as zero; after a look at the place. */
bool rates_look(rates *r, const rates_place *at); /* false: the model is not defined there */
bool rates_in_cones(rates *r, const rates_place *at, const bool *held, const double *lambda);

#endif
