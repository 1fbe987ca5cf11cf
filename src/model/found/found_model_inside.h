/* What the files of the model with found contacts share: found_model.c makes it, found_functions.c evaluates it. */
#ifndef CAROM_FOUND_MODEL_INSIDE_H
#define CAROM_FOUND_MODEL_INSIDE_H

#include "batch.h"
#include "found_model.h"
#include "found_sides.h"

/* Where a contact was bounded last, and its gap there, whether it counts or not. While it stays in there it need not be
 * bounded again if it was clear: open by more than what counts as deep. */
typedef struct contact_bound {
    carom_range q[KIND_Q], gap;
} contact_bound;

struct found_model {
    const carom_model *base; /* first, for the functions that it shares (forward.h) */
    carom_model model;
    const finder *finder; /* borrowed, */
    kind_table *kinds;    /* as these */
    int count;
    found_contact *contact;
    instance *at;
    carom_model_contact *described; /* of all contacts */
    char *names;
    int *slip;
    double *s, *WT, *s_q, *Wr_q; /* of the base */
    int *turned;                 /* [entries of Wr_q of the base] their places among all */
    batch *batch;
    int batches;
    found_sides sides;       /* which contacts count */
    int *switch_on;          /* [2 switches] first coordinates of the bodies of borders */
    jet *jets;               /* room for ranges */
    contact_bound *bound;    /* [count] */
    bool *clear;             /* [count] */
    const bool *asked;       /* [contacts] those to be bounded, */
    const bool *asked_sides; /* and [switches]; NULL: all */
    carom_range *seen;       /* [nq] where positions have been looked for */
    bool looked;
};

/* Makes parts of the model (found_part.c). */
extern const struct part_maker found_part_maker;

/* Gives the model its functions; turns: with d(W r)/dq, too. What schemes do not ask for, or what the found contacts
 * lack, is left out. */
void found_forward(found_model *m, bool turns);

#endif
