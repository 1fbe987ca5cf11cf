/* The first gap that closes in a trial step, or argument of a switch that leaves its side, with nothing hidden between
 * two looks (docs/theory/events.md, (V19) to (V23)): both are bounded over whole parts of the dense output, and parts
 * that the bounds do not settle are halved. */
#ifndef CAROM_CERTIFY_H
#define CAROM_CERTIFY_H

#include "integrator/candidate.h"
#include "integrator/enclose.h"
#include "integrator/scales.h"
#include "integrator/trail.h"

enum { CERTIFY_DEPTH = 40 }; /* parts are no shorter than 2^-40 of the step */

/* Watched are n functions that are positive while nothing happens: gaps of open contacts, then two for each switch, its
 * distance from the lower and the upper end of its side. */
typedef struct certify_end {
    double theta;  /* the right end of a part that is still to be looked at */
    double *value; /* [n] there */
    bool *open;    /* [n] not settled yet up to there */
} certify_end;

typedef struct certifier {
    const carom_model *m;
    int n, samples;
    scales *scales; /* borrowed */
    enclosure enclosure;
    attempt_look look;
    carom_range *c, *c_rate, *a, *a_rate; /* [nc], [switches] over a part */
    double *gap, *argument;               /* [nc], [switches] at a place */
    double *left;                         /* [n] at the left end of the part */
    double *from, *zero;                  /* [n] where the look begins, what counts as zero */
    double *below;                        /* [n] how far below zero the step before may have ended, (V41) */
    double *rounding;                     /* [nq] of the coordinates of a gap */
    carom_range *room;                    /* [2][nc] */
    carom_range *known;                   /* room: [nq + nu + switches] */
    certify_end end[CERTIFY_DEPTH + 2];
    double *memory;
    bool *flags;
    bool *asked;  /* [contacts], then [switches] to be bounded */
    doubt doubt;  /* of the step looked at last */
    trail *trail; /* where it was seen to be, borrowed; NULL: nobody asks */
} certifier;

/* Whether the model can bound its gaps, and rounding allows it. */
bool certifier_can(const certifier *c);
/* samples: looks where the model bounds nothing. False: out of memory. */
bool certifier_create(certifier *c, const attempt *a, int samples, scales *z);
void certifier_destroy(certifier *c);

/* The first of them. False: none. c->doubt: what could not be settled of gaps. */
bool certify_first(certifier *c, const attempt *a, candidate *first);
/* [n] Which of them bounds over the whole step do not rule out. */
const bool *certify_suspects(certifier *c, const attempt *a);
/* The argument of a switch as its distance to the end of its side that it leaves, at a state; NaN: not defined. */
double certify_argument(certifier *c, const attempt *a, const candidate *x, double t, const double *q, const double *u);
/* What counts as zero of it, (V23). */
double certify_zero(const certifier *c, const candidate *x);

#endif
