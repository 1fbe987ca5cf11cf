/* What the two ways along the path (FC33) share: one linear system, made and solved by interior.c. */
#ifndef CAROM_FRICTION_INTERIOR_INSIDE_H
#define CAROM_FRICTION_INTERIOR_INSIDE_H

#include "friction/parts.h"

typedef struct interior {
    island *s;
    int n;                       /* contacts */
    bool bends;                  /* |U_T| changes within the step */
    double *T;                   /* [n] mu; 1 without friction, where tangents stay zero */
    double *R, *U;               /* [3 n], one behind the other */
    double *dR, *dU;             /* a direction, likewise */
    double *goal;                /* what F dR + F^-1 dU shall be, times F */
    double *missed;              /* T^-1 u + |U_T| n - U */
    double *x;                   /* percussions, or room for a right-hand side */
    block3 *F, *inverse, *P, *Q; /* [n] F R = F^-1 U; the matrix P W + Q */
} interior;

bool interior_create(interior *m, island *s);
void interior_destroy(interior *m);

/* What (FC33) misses; percussions and velocities of R are left in x and in the island. Returns their error, and keeps
 * the percussions if they are the best so far. */
double interior_look(interior *m);
/* The matrix of (FC34) at R and U. */
void interior_factor(interior *m);
/* The goal is that of l o g = tau e - squares l o l - product (F dR) o (F^-1 dU), with l = F R. */
void interior_aim(interior *m, double tau, double squares, double products);
/* dR and dU that bring F dR + F^-1 dU to the goal and what is missed to zero. */
void interior_direct(interior *m);
/* How far R and U can go along dR and dU within L. */
double interior_longest_step(const interior *m);
/* The mean of R.U after a step along them. */
double interior_mean_gap(const interior *m, double step);

#endif
