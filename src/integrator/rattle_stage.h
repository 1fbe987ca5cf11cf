/* Stage 1 of a step of RATTLE as a step problem, (R1)-(R5) in docs/theory/rattle.md: it finds q_1, the midpoint
 * velocity u and the percussions P' of the first half step:
 *
 *     M_0 (u - u_0) = dt/2 h(t_0,q_0,u) + W_0 P'
 *     q_1 = q_0 + dt/2 (q_dot(t_0,q_0,u) + q_dot(t_1,q_1,u))
 *     g(t_1,q_1) = 0,   g_N(t_1,q_1) in N(-P_N')
 *     y = 1/2 (gamma(t_0,q_0,u) + gamma(t_1,q_1,u)) = 0,   y of gamma_F in N(-P_F')
 *
 * (published: y = gamma(t_1,q_1,u)). Unknowns (u, q_1, P'); where q_dot = u, q_1 = q_0 + dt u is eliminated. */
#ifndef CAROM_RATTLE_STAGE_H
#define CAROM_RATTLE_STAGE_H

#include "integrator/balance.h"
#include "integrator/vectors.h"

/* Model quantities at one (t, q). */
typedef struct rattle_place {
    bool known, weighed; /* weighed: M is known, which may be constant */
    double t, *q;
    double *M, *WT, *B;
    law_extent *extent; /* of laws */
} rattle_place;

enum { RATTLE_BLOCKS = 16 };

/* The memory of the scheme: [nu] the guess of what this first half adds to u, (R15); [nu] what the second half of the
 * last step added; [ns] P' of the last step; [ns] s(t, q, u); then modes, where events are located. */
static inline double *rattle_added(const motion *x) {
    return x->memory;
}
static inline double *rattle_second(const carom_model *m, const motion *x) {
    return x->memory + m->def.nu;
}
static inline double *rattle_last(const carom_model *m, const motion *x) {
    return x->memory + 2 * m->def.nu;
}
static inline int rattle_velocities_at(const carom_model *m) {
    return 2 * m->def.nu + m->ns;
}
static inline double *rattle_velocities(const carom_model *m, const motion *x) {
    return x->memory + rattle_velocities_at(m);
}
static inline int rattle_memory(const carom_model *m) {
    return 2 * m->def.nu + 2 * m->ns;
}

typedef struct rattle_stage {
    const carom_model *m;
    bool published; /* as printed, else cured */
    bool located;   /* with given senses of slip */
    int nF;         /* smooth unknowns: u, and q where it is not eliminated */
    problem problem;
    solver *solver;
    csr_block block[RATTLE_BLOCKS];
    unit_matrix unit; /* of q */
    double *sense;    /* [slips] the given ones */

    motion now;         /* start of the present step */
    const double *kept; /* what position functions are to stay at; NULL: zero */
    double t1, dt;
    bool sound;          /* M is positive definite at the start */
    bool positions_only; /* J lacks the rows of slips and spins: no closed law has them */
    bool gaps_as_slips;  /* the rows of W^T that belong to position functions are their derivatives by q */
    bool turns;          /* J has the rows of slips and spins at the present place */
    bool ended;          /* J is asked for at the solution, where at1 is */
    rattle_place at0, at1;
    double *z, *q1;    /* z: guess, then solution */
    double *given_way; /* kept of a step that captures events */
    double *h, *h_u, *c, *c_q, *s, *s_q, *WT, *q_dot0, *q_dot1, *B1, *q_dot_q;
    double *memory; /* these vectors and those of the places, in one piece */
} rattle_stage;

/* False: out of memory. */
bool rattle_stage_create(rattle_stage *r, const carom_model *model, bool published, bool located, double accept);
void rattle_stage_destroy(rattle_stage *r);

/* Places the stage in the step from now to t1 over dt; by_rates: the rows of g and g_N are replaced by those of their
 * rates (located only). False: the model is not defined at its start. */
bool rattle_stage_begin(rattle_stage *r, const motion *now, double t1, double dt, bool by_rates, const double *kept);
/* The same without units, for a solution that is known. */
void rattle_stage_forget(rattle_stage *r); /* places of before: the model may be another now */
bool rattle_stage_place(rattle_stage *r, const motion *now, double t1, double dt, bool by_rates, const double *kept);
/* Gaps by which contacts gave way are kept, (L6); factor times the memory are the percussions of the last step. */
bool rattle_stage_keep(rattle_stage *r, double factor, double tolerance);
/* From the motion of (R15) and the percussions of the guess, [ns] times scale; fixed: no law has a choice. */
bool rattle_stage_solve(rattle_stage *r, const double *guess, double scale, bool fixed, double tolerance,
                        solver_report *report);
/* M, W at the end of the step into at1, and s there with the velocity u. False: the model is not defined there. */
bool rattle_stage_end(rattle_stage *r);

/* q_1 and P' of the solution */
const double *rattle_stage_position(const rattle_stage *r);
const double *rattle_stage_percussion(const rattle_stage *r);
/* First row of y of the slips in the problem */
int rattle_slip_row(const rattle_stage *r);

#endif
