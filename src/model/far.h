/* Contacts that are far: gaps that stay open wherever the motion goes in a box of times and places around it
 * (docs/theory/passages.md, (Z5)). */
#ifndef CAROM_FAR_H
#define CAROM_FAR_H

#include "model/model.h"

typedef struct far_box {
    const carom_model *m;
    bool made;
    unsigned long assigned; /* values of the model when it was made */
    carom_range t, *q;      /* [nq] */
    carom_range *c;         /* [nc] room for the gaps in it */
    bool *open;             /* [contacts] the gap is positive in it */
    double *span;           /* [nq] how far coordinates went in a step, now or lately */
    double ahead;           /* how many steps the next box reaches */
    int pause, patience;    /* looks until the next one is made, now and after the last one that was of no use */
} far_box;

bool far_create(far_box *f, const carom_model *model); /* false: out of memory */
void far_destroy(far_box *f);

/* Whether the gaps of these contacts (NULL: of all) are positive along the straight piece of length h from one place at
 * time t to another one, as the box shows. False: not known. */
bool far_along(far_box *f, double t, double h, const double *from, const double *to, const bool *asked);

#endif
