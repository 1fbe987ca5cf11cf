/* The velocity problem that schemes solve at a fixed configuration (t, q), (I1)-(I4) in docs/theory/mechanics.md:
 *
 *     M (u - v) = f + W P
 *     g_dot = 0,  gamma = 0
 *     xi_N = gN_dot + e_N gN_dot^-  in N(-P_N) for closed contacts, else P_N = 0
 *     xi_F = gamma_F + e_F gamma_F^- in N(-P_F)
 *
 * linear in (u, P) but for the laws. */
#ifndef CAROM_IMPACT_H
#define CAROM_IMPACT_H

#include "integrator/balance.h"

typedef struct impact {
    const carom_model *m;
    problem problem;
    solver *solver;
    csr_block block[3];
    /* set by the scheme before impact_solve */
    const double *M, *WT; /* at (t, q) */
    const double *v;      /* velocity before */
    const double *before; /* s before: gN_dot^-, gamma_F^- at their places */
    double *f;            /* [nu] */
    double *direction;    /* [slips] of contacts that slide on */
    double *chi;          /* [ns] s = W^T u + chi */
    double *z;            /* (u, P): guess, then solution */
} impact;

bool impact_create(impact *i, const carom_model *model); /* false: out of memory */
void impact_destroy(impact *i);

/* chi from s = s(t, q, u): subtracts W^T u. */
void impact_set_chi(impact *i, const double *s, const double *u);
void impact_close(impact *i, int contact, bool closed);
/* The contact slides on: its friction law bounds P_F by mu (P_N - given), and slip has the direction given. Holds until
 * the next impact_close. */
void impact_slide_on(impact *i, int contact, double given, const double *direction);
bool impact_solve(impact *i, double tolerance, solver_report *report);
/* s(t, q, u) of the solution */
void impact_velocities(const impact *i, double *s);

#endif
