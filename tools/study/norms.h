/* Norms of the error e_n, n = 1..N, of a vector with m components at the times of a run, and the order they show. */
#ifndef CAROM_NORMS_H
#define CAROM_NORMS_H

#include <stdbool.h>

typedef struct norm {
    const char *name, *formula, *reference;
    int power; /* an error of order p makes this norm fall like dt^(power p): 2 for a norm that is a square */
    double components, duration; /* an error of c in every component at all times has the norm c^power
                                    m^components T^duration */
    bool relative;               /* divided by dt times the sum of the absolute values of the reference */
    double (*of)(double dt, long rows, int m, const double *e);
} norm;

enum { NORMS = 6, MOST_STEP_SIZES = 1000 };
extern const norm norms[NORMS];

/* The index in norms; -1: there is no such norm. */
int norm_find(const char *name);

/* e[rows][m]. The first row is the initial state; its error counts in 'moreau' only. total: the sum of |reference| over
 * all rows and components, for relative norms, which are NaN where it is zero. */
double norm_of(const norm *kind, double dt, long rows, int m, const double *e, double total);
/* The norm of an error that is c in every component at all times. */
double norm_of_constant(const norm *kind, double dt, long rows, int m, double c, double total);

/* p from two errors, or from several by least squares of log(error) over log(dt). Those with use[i] false are left out
 * (use may be NULL). NaN: errors are missing, zero, or fewer than two. */
double order_between(const norm *kind, double dt1, double error1, double dt2, double error2);
double order_of(const norm *kind, int count, const double *dt, const double *error, const bool *use);

/* Whether the last three errors are equal, whatever dt: then something else than the scheme causes them. Round-off does
 * not count. */
bool order_stalls(const norm *kind, int count, const double *dt, const double *error, const bool *floor);

/* Which of at most MOST_STEP_SIZES points of a curve are round-off: those below tiny[i], and those below small[i] from
 * which on the order breaks down. */
void mark_floor(const norm *kind, int count, const double *dt, const double *error, const double *tiny,
                const double *small, bool *floor);

#endif
