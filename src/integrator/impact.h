/* The velocity problem that schemes solve at a fixed place (t, q), (I1)-(I4) in docs/theory/mechanics.md:
 *
 *     M (u - v) = f + W P                        or a balance of the scheme's own, F(x) = W P with x = (u, ...)
 *     g_dot = 0,  gamma = 0
 *     xi_N = gN_dot + e_N gN_dot^-  in N(-P_N) for closed contacts, else P_N = 0
 *     xi_F = gamma_F + e_F gamma_F^- in N(-P_F)
 *
 * linear in (u, P) but for the laws and what a scheme adds. Rebounds that are too slow do not happen, (L3). Where the
 * law has no solution, the bodies concerned do not rebound at all, (L4). Contacts whose law of impact has an expansion
 * rebound in a process of their own. Its percussions act first; then this problem follows, without rebound for these
 * contacts, (L13). */
#ifndef CAROM_IMPACT_H
#define CAROM_IMPACT_H

#include "integrator/balance.h"

enum { IMPACT_BLOCKS = 8 }; /* at most, of a scheme's own balance */

/* A scheme's own balance. */
typedef struct impact_balance {
    int unknowns; /* of x: nu velocities, and nq positions where the scheme has them */
    int blocks;   /* of dF/dx */
    csr_block block[IMPACT_BLOCKS];
    void *context;
    /* rows = F (unless NULL), and dF/dx added to J by its blocks (unless NULL). Not 0: not defined at x. */
    int (*evaluate)(void *context, const csr_block *block, const double *x, double *rows, csr *J);
} impact_balance;

typedef struct impact {
    const carom_model *m;
    problem problem;
    solver *solver;
    impact_balance balance;
    csr_block block[IMPACT_BLOCKS + 2];
    /* set by the scheme before impact_solve */
    const double *M, *WT;     /* at (t, q) */
    const double *forces;     /* directions of percussions, in the pattern of WT; NULL: WT */
    const law_extent *extent; /* of the laws there; NULL: not known */
    const double *v;          /* velocity before */
    const double *before;     /* s before: gN_dot^-, gamma_F^- at their places */
    const double *start;      /* s from which a process of impact starts; NULL: before */
    double *f;                /* [nu] */
    double *direction;        /* [slips] of contacts that slide on */
    double *chi;              /* [ns] s = W^T u + chi */
    double *z;                /* (x, P): guess, then solution */
    const double *q;          /* positions before, and the step: where positions are unknowns */
    double dt;
    stiffness stiff; /* of forces that depend on the unknowns; without values: none do, or the model is not stiff */
    contact_weight weight; /* penalty 1 unless the scheme says otherwise */
    const double *known;   /* percussions that are in f, or forces over known_over; NULL: none */
    double known_over;
    /* told by impact_solve */
    int weakened;            /* contacts that (L4) made lose their rebound */
    double lost;             /* velocity of the fastest of these rebounds */
    double *dulled;          /* [contacts] 1: it is one of them; else 0 */
    double (*e)[2];          /* [contacts] e_N and e_F in effect */
    double *speed;           /* [2 contacts] room */
    int *island;             /* [nu] velocities that percussions couple, as a forest */
    bool struck;             /* the process ran, and what follows it has been solved */
    struct process *process; /* NULL: no contact needs one */
} impact;

bool impact_create(impact *i, const carom_model *model); /* with M (u - v) = f + W P; false: out of memory */
bool impact_create_with(impact *i, const carom_model *model, const impact_balance *own);
bool impact_create_plain(impact *i, const carom_model *model); /* with Newton's law of impact for all */
void impact_destroy(impact *i);

/* Some contact comes back, or slip is drawn back: what (L4) drops. */
bool impact_rebounds(const impact *i);

/* chi from s = s(t, q, u): subtracts W^T u. */
void impact_set_chi(impact *i, const double *s, const double *u);
void impact_close(impact *i, int contact, bool closed);
/* The contact slides on: its friction law bounds P_F by mu (P_N - given), and slip has the direction given if that is
 * longer than still. Holds until the next impact_close. */
void impact_slide_on(impact *i, int contact, double given, const double *direction, double still);
/* The contact takes part with its laws, but slides along the direction, unless NULL. */
void impact_join(impact *i, int contact, const double *direction);
/* The contact stays closed, whatever percussion that takes; friction keeps its law. */
void impact_press(impact *i, int contact);
/* The contact stays closed, or open, without friction. */
void impact_guide(impact *i, int contact, bool closed);
/* The contact keeps its state, whatever percussion that takes; a sliding one slides along the direction. */
void impact_fix(impact *i, int contact, carom_contact_state state, const double *direction);
/* A part of the normal percussion is given, and in f. The rest is zero unless the contact is closed. Friction follows
 * both parts, along the direction unless NULL. */
void impact_push(impact *i, int contact, bool closed, double percussion, const double *direction);
bool impact_solve(impact *i, double tolerance, solver_report *report);
/* Whether the contact rebounds in a process, since its law has an expansion or contacts strike one after the other; and
 * whether any contact of the model does. */
bool impact_is_process(const carom_model *model, int contact);
bool impact_needs_process(const carom_model *model);
/* The process alone, for schemes whose own problem follows it, (L13): true if there is one, with its percussions in
 * i->process->now.P. Then impact_tell tells what did not rebound. */
bool impact_process(impact *i, double tolerance, solver_report *report);
/* P of the solution, and its s(t, q, u) */
static inline const double *impact_percussion(const impact *i) {
    return i->z + i->balance.unknowns;
}
/* Reports what (L4) did in the solution: how often, and to which contacts. */
void impact_count(const impact *i, step_report *report);
void impact_tell(const impact *i, step_report *report);
void impact_velocities(const impact *i, double *s);

#endif
