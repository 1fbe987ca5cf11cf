/* Norms of the error e_n, n = 1..N, of a vector with m components at the times of a run, and the order they show. */
#ifndef CAROM_NORMS_H
#define CAROM_NORMS_H

#include <stdbool.h>

typedef struct norm {
    const char *name, *formula, *reference;
    int power;                   /* an error of order p falls like dt^(power p): 2 for a norm that is a square */
    double components, duration; /* an error of c in every component at all times has the norm c^power
                                    m^components T^duration */
    bool relative;               /* divided by dt times the sum of all values of the reference, without their signs */
    double (*of)(double dt, long rows, int m, const double *e);
} norm;

enum { NORMS = 6, MOST_STEP_SIZES = 1000 };
extern const norm norms[NORMS];

/* Place in norms; -1: none. */
int norm_find(const char *name);

/* e[rows][m], the first row being the initial state, whose error counts in 'moreau' only. total: sum over all rows and
 * components of |reference|, for relative norms; NaN where it is zero. */
double norm_of(const norm *kind, double dt, long rows, int m, const double *e, double total);
/* The norm of an error that is c in every component at all times. */
double norm_of_constant(const norm *kind, double dt, long rows, int m, double c, double total);

/* p from two errors, and from several by least squares of log(error) over log(dt), those with use[i] false left out
 * (use may be NULL). NaN where errors are missing, zero or fewer than two. */
double order_between(const norm *kind, double dt1, double error1, double dt2, double error2);
double order_of(const norm *kind, int count, const double *dt, const double *error, const bool *use);

/* The last three errors are the same, whatever dt: what they show is not the scheme. Round-off does not count. */
bool order_stalls(const norm *kind, int count, const double *dt, const double *error, const bool *floor);

/* Which of at most MOST_STEP_SIZES points of a curve are round-off: errors below tiny[i], and those below small[i] at
 * which the order breaks down. */
void mark_floor(const norm *kind, int count, const double *dt, const double *error, const double *tiny,
                const double *small, bool *floor);

#endif
