/* Errors of iterates that come again, (S22). */
#ifndef CAROM_REPETITION_H
#define CAROM_REPETITION_H

enum { REPETITION_LONGEST = 4 };

typedef struct repetition {
    double last[REPETITION_LONGEST];
    int again[REPETITION_LONGEST]; /* [period - 1] errors in a row that are those of so many iterates before */
    int seen;
} repetition;

/* One more error. Returns the period with which they come again, 0: none. */
int repetition_add(repetition *r, double error);

#endif
