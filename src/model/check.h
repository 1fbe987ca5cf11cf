/* Inside carom check: what its parts share. check.c says what is compared with what. */
#ifndef CAROM_CHECK_H
#define CAROM_CHECK_H

#include "model/probe.h"

#define CHECK_ROUNDING 1e-10 /* two exact expressions may differ by this part of their terms */

typedef struct mismatch {
    double size, is, should;
} mismatch;

typedef struct checker {
    probe probe;
    int states;      /* of probe.at at which everything is defined */
    mismatch *worst; /* per row, over the states */
    int *group;      /* of each column */
    carom_finding *found;
    int count;
} checker;

/* One more finding. */
void check_report(checker *k, bool fatal, double size, const char *format, ...) __attribute__((format(printf, 4, 5)));
/* Keeps the worst of a row, over the states. */
void check_compare(checker *k, int row, double is, double should, double allowance);
/* Reports the rows that disagree, and forgets them. */
void check_report_rows(checker *k, axis rows, const char *what, const char *column, const char *other);
/* What differences cannot tell from zero in a row. */
double check_allowance(const checker *k, int row, double value);
/* The largest velocity at the base, or 1 if that is larger. */
double check_fastest(const probe *p);
/* The terms of probe.h for a function with these rows; AXIS_Q: none. */
void check_set_terms(probe *p, axis rows);
/* The first entry that is not finite; n: none. */
int check_not_finite(const double *x, int n);

void check_derivatives(checker *k);
void check_identities(checker *k);
void check_start(checker *k);

#endif
