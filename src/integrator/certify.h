/* The first gap that closes in a trial step, with nothing hidden between two looks (docs/theory/events.md, (V19) to
 * (V21)): gaps are bounded over whole parts of the dense output, and parts that the bounds do not settle are halved. */
#ifndef CAROM_CERTIFY_H
#define CAROM_CERTIFY_H

#include "integrator/candidate.h"
#include "integrator/enclose.h"
#include "integrator/scales.h"

enum { CERTIFY_DEPTH = 26 }; /* parts are no shorter than 2^-26 of the step */

/* The right end of a part that is still to be looked at. */
typedef struct certify_end {
    double theta;
    double *gap; /* [contacts] there */
    bool *open;  /* [contacts] not settled yet up to there */
} certify_end;

typedef struct certifier {
    const carom_model *m;
    scales *scales; /* borrowed */
    enclosure enclosure;
    attempt_look look;
    carom_range *c, *c_rate;            /* [nc] over a part */
    double *point, *left, *from, *zero; /* [nc], [contacts]: gaps at a place, and at the left end of the part; where the
                                         * look begins, and what counts as zero */
    certify_end end[CERTIFY_DEPTH + 2];
    double *memory;
    bool *flags;
    doubt doubt; /* of the step looked at last */
} certifier;

/* Whether the model can bound its gaps, and rounding allows it. */
bool certifier_can(const certifier *c);
bool certifier_create(certifier *c, const attempt *a, scales *z); /* false: out of memory */
void certifier_destroy(certifier *c);

/* The first strike among contacts that are open. False: none. c->doubt: what could not be settled. */
bool certify_strike(certifier *c, const attempt *a, candidate *first);

#endif
