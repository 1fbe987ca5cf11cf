/* The state nearest to a given one that joints allow (docs/theory/elements.md). Positions move onto g = 0, then
 * velocities onto g_dot = 0 and gamma = 0, as little as possible in the metric of M:
 *
 *     M d = W l,   W^T d + eps l = -g,   q <- q + a B d,   again until g = 0                                   (D11)
 *     M d = W l,   W^T d + eps l = -s,   u <- u + d,       s = (g_dot, gamma)                                  (D12)
 *
 * Contacts that are to stay closed hold their gaps, and those that are to stick hold their slips, by rows of W like
 * those of joints. Other gaps are left alone. */
#ifndef CAROM_CONSISTENT_H
#define CAROM_CONSISTENT_H

#include "integrator/integrator.h"

typedef enum consistency {
    CONSISTENT,
    CONSISTENT_NOT,       /* constraints contradict each other, or the given state is too far off */
    CONSISTENT_UNDEFINED, /* the constraints are not defined at the given state */
    CONSISTENT_MEMORY
} consistency;

typedef struct contradiction {
    bool velocities; /* on which level */
    int row;         /* of s, the one that is missed most */
    double value;    /* what is left of it */
} contradiction;

/* At the time t, from (q, u) to (q, u). contact: states that contacts keep; NULL: they take no part. */
consistency make_consistent(const carom_model *m, double t, const double *contact, double *q, double *u,
                            contradiction *left);

#endif
