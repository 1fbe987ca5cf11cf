/* Parameters and starts with which a scene comes nearest to what was measured. */
#ifndef CAROM_IDENTIFY_H
#define CAROM_IDENTIFY_H

#include "identify/prediction.h"

/* What was found of an unknown. */
typedef struct estimate {
    char *name; /* "mu"; of one record "start.v[drop]" */
    double value;
    double deviation; /* standard deviation; NaN: a bound is in effect, or nothing is left to tell it from */
    double low, high; /* the 95 % interval; NaN where the deviation is */
    bool held;        /* a bound is in effect */
} estimate;

typedef struct identify_answer {
    int unknowns, measurements;
    int freedom; /* measurements that count, minus the unknowns that no bound holds */
    estimate *estimate;
    double *correlation; /* [unknowns][unknowns]; NaN in rows and columns of an unknown that a bound holds */
    double *prediction;  /* [measurements] */
    double *by;          /* [unknowns][measurements] derivatives of the predictions */
    bool *left_out;      /* [measurements] left out, since an event happens at its time */
    double sum;          /* of squares of residuals, each in units of its sigma */
    double scale; /* the standard deviation of the residuals in units of sigma, sqrt(sum/freedom); NaN: freedom 0 */
    int runs;     /* of each record */
    bool located; /* false: the derivatives are those of the scheme, not of the motion */
} identify_answer;

/* guess, low, high: [own], those of one record for each of them. CAROM_FAILED: no convergence, or unknowns that the
 * data do not tell apart; error says which. To be destroyed, also after a failure. */
carom_status identify_compute(const identify_question *q, const double *guess, const double *low, const double *high,
                              identify_answer *a, carom_error *error);
void identify_destroy(identify_answer *a);

/* How far derivatives are from differences of runs, of each unknown relative to its largest: [unknowns]. */
carom_status identify_check(const identify_question *q, const identify_answer *a, double *off, carom_error *error);

/* Measured columns with the motion that was found, and residuals. */
carom_status identify_draw(const identify_question *q, const identify_answer *a, const char *path, carom_error *error);

#endif
