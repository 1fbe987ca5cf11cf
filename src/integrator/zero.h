/* The zero of a function between a place where it is positive and one where it is not. */
#ifndef CAROM_ZERO_H
#define CAROM_ZERO_H

#include <stdbool.h>

typedef struct bracket {
    double left, f_left, right, f_right; /* 0 <= left < right, f_left > 0, f_right not */
} bracket;

/* Not a number: the function is not defined there. */
typedef double zero_function(void *context, double theta);

/* Regula falsi (Illinois), until the bracket is as narrow as round-off allows. A place where the function is not
 * defined counts as beyond the zero; at_edge: and the search ends there. */
void zero_search(bracket *b, zero_function *f, void *context, bool at_edge);

#endif
