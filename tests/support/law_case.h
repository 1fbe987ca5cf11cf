/* Derivatives of where a motion ends, by parameters: against closed forms, which are differentiated by complex steps,
 * or against extrapolated differences. Along the motion and back from its end they are the same to 1e-11 of the
 * largest, by lobatto and rattle, located and captured. */
#ifndef CAROM_TEST_LAW_CASE_H
#define CAROM_TEST_LAW_CASE_H

#include <complex.h>

typedef double complex number;
enum { MOST = 8 };

typedef struct law_case {
    const char *text, *of; /* a scene of located lobatto, which gets four stages, and a coordinate */
    const char *by[MOST];
    int count;
    number (*value)(const number *p); /* of the parameters by, in order */
    double bound;                     /* relative to the derivative; of differences, to the largest one */
} law_case;

void law_case_check(const law_case *x);
void law_case_check_by_differences(const law_case *x);

#endif
