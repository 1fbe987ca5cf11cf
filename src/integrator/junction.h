/* The place where a step ends and the next one begins. Rates of the model's functions there, along the columns of a
 * variation, serve both steps, unless an event moves the place (docs/theory/sensitivity.md, (SE69)). */
#ifndef CAROM_JUNCTION_H
#define CAROM_JUNCTION_H

#include "integrator/variation.h"

typedef struct junction {
    const carom_model *m;
    bool known;
    double t, *q;        /* the place, */
    double *t_by, *q_by; /* [columns + 1], [columns + 1][nq]: how it moves, */
    double *M, *WT, *h;  /* [columns + 1] rates there; those of h count where it does not depend on u; */
    double *chi;         /* [columns + 1][ns] and those of s = W^T u + chi */
    double *memory;
} junction;

bool junction_create(junction *j, const carom_model *model, const variation *v); /* false: out of memory */
void junction_destroy(junction *j);

/* Whether the next step starts at the junction; and whether a column moves as it did there. */
void junction_find(junction *j, const motion *now);
bool junction_goes_on(const junction *j, const span *k);

/* The junction is that of the end of a step. Columns first: place with its rates, then M, W^T, chi. */
void junction_move(junction *j, int index, double t_by, const double *q_by);
void junction_keep(junction *j, double t, const double *q);

/* Rates along a column, to be written and read. */
double *junction_mass(const junction *j, int index);
double *junction_direction(const junction *j, int index);
double *junction_force(const junction *j, int index);
double *junction_chi(const junction *j, int index); /* s' where u and u' are zero */
/* chi' from s', where u changes at the rate u_by; after W^T'. */
void junction_split(junction *j, int index, const double *WT, const double *s_by, const double *u, const double *u_by);
/* s' at fixed u; and where u changes. */
void junction_slip(const junction *j, int index, const double *u, double *s_by);
void junction_slip_along(const junction *j, int index, const double *WT, const double *u, const double *u_by,
                         double *s_by);

#endif
