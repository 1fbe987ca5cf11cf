/* The gradient of a number that a motion leads to, and differences to compare it with. */
#ifndef CAROM_GRADIENT_H
#define CAROM_GRADIENT_H

#include "derivative/objective.h"

/* GRADIENT_FORWARD carries derivatives along with the motion: its cost grows with their number. GRADIENT_ADJOINT goes
 * back from the number to the start: it costs about two runs for any number of derivatives. GRADIENT_EITHER chooses the
 * adjoint from GRADIENT_MANY derivatives on, where it can. */
typedef enum gradient_method { GRADIENT_EITHER, GRADIENT_FORWARD, GRADIENT_ADJOINT } gradient_method;
enum { GRADIENT_MANY = 8 };

typedef struct gradient_question {
    const carom_scene *scene;
    carom_run_def run; /* that of the scene, or another end */
    const char *of;    /* formula */
    const char *const *by;
    int count;
    gradient_method method;
    int side; /* 1: from above, -1: from below, (SE63); 0: both, which must agree */
} gradient_question;

/* A derivative that differs between both sides: from above [0] and from below [1]. NaN: there is none on this side, and
 * reason says why. */
typedef struct gradient_sides {
    double value[2];
    char reason[2][200];
} gradient_sides;

/* A derivative by differences of runs. */
typedef struct gradient_difference {
    double value, error; /* extrapolated, and how far it may be off; NaN: no difference could be taken */
    char reason[160];    /* why not */
} gradient_difference;

typedef struct gradient_answer {
    double value;
    double *by;            /* [count]; NaN: sides tell */
    gradient_sides *sides; /* [count]; NaN: the two sides differ, see sides */
    carom_margins margins;
    char caveat[192];       /* what the derivatives leave out; empty: nothing */
    bool located;           /* false: the derivatives are those of the scheme, not of the motion */
    gradient_method method; /* by which it was found */
    long events;
} gradient_answer;

/* The run of the scene, with a step that ends at T and is no longer than before. */
carom_status gradient_run_until(const carom_scene *scene, double T, carom_run_def *run, carom_error *error);

/* Where the motion has no derivative, tries derivatives from one side. CAROM_FAILED: there is none, and error
 * says why. */
carom_status gradient_compute(const gradient_question *q, gradient_answer *answer, carom_error *error);
void gradient_free(gradient_answer *answer);
/* The derivative of index k by extrapolated differences of runs. */
carom_status gradient_compare(const gradient_question *q, const gradient_answer *answer, int k,
                              gradient_difference *found, carom_error *error);

#endif
