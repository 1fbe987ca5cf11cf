/* What studies compare: q, u and percussions, with the names they have in results. */
#ifndef CAROM_QUANTITIES_H
#define CAROM_QUANTITIES_H

#include "carom/carom.h"

/* A vector that has an error of its own: components [first, first + count) of all, which are (q, u, P). */
typedef struct quantity {
    const char *name; /* "q", "u", "P" of bilateral constraints, "PN", "PF"; with "_step": against its own steps */
    int first, count;
    bool
        own_step; /* compares percussions of a step with those of the reference's own step that ends at the same time */
} quantity;

enum { QUANTITIES = 8 };

typedef struct quantities {
    int nq, nu, np, count; /* count: nq + nu + np */
    int sampled;           /* for reference_sample: count, and np percussions of the reference's own steps */
    char **names;          /* [count] "x", "x_dot", "floor.PN" */
    int *rate;             /* [nq] index of the velocity that is the rate of a coordinate; -1: there is none */
    quantity of[QUANTITIES];
} quantities;

carom_status quantities_create(const carom_model *model, quantities *all, carom_error *error);
void quantities_destroy(quantities *all);
int quantities_find(const quantities *all, const char *name); /* -1: none */

#endif
