/* A single contact with friction, solved exactly (docs/theory/solver.md, (S8)):
 *
 *     v_N = q_N + A_NN w_N + A_NF w_F  complementary to  w_N >= 0
 *     v_F = q_F + A_FN w_N + A_FF w_F  in N(-w_F) on the ball of radius slope w_N - less */
#ifndef CAROM_ONE_CONTACT_H
#define CAROM_ONE_CONTACT_H

#include "law/law.h"

typedef struct one_contact {
    int slips;                            /* 0: no friction */
    double A[LAW_SIZE + 1][LAW_SIZE + 1]; /* normal first */
    double q[LAW_SIZE + 1], slope, less;
    bool pressed;        /* v_N = 0 whatever w_N */
    bool sticks, slides; /* given: v_F = 0; or w_F = -radius d */
    double d[LAW_SIZE];
} one_contact;

/* w: normal, then friction. False: the block is degenerate, and w is left alone. */
bool one_contact_solve(const one_contact *c, double *w);

#endif
