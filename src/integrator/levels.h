/* The step problem of generalized_alpha (docs/theory/generalized_alpha.md): joints and contacts on the levels of
 * position, velocity and acceleration at once. It finds the mean velocity w of the step, the velocity u_1, the velocity
 * v that it has without impulses, q_1, and with 1 for (t_1,q_1,u_1)
 *
 *     M_1 (w - w^) = beta/gamma tau h_1 + W_1 (K - K^)      on joints and gaps, by (A4) on spins and slips        (A1)
 *     M_1 (u_1 - v^) = tau h_1 + W_1 (P - P^)               and P^I of impacts that are a process, (A17)         (A2)
 *     M_1 (v - v^) = tau h_1 + W_1 L                        u_dot_1 = (v - v^)/tau, L = tau lambda_1             (A3)
 *     q_1 by (K1) with w, or by (A9)
 *
 *     g(t_1,q_1) = 0,   g_dot_1 = 0,   gamma_1 = 0,   g_dotdot_1 = 0,   gamma_dot_1 = 0                          (A5)
 *     g_N(t_1,q_1) in N(-K_N)
 *     xi_N in N(-P_N) where that holds the gap closed, else P_N = 0;           xi_F in N(-P_F)                   (A6)
 *     gN_dotdot_1 in N(-L_N) where this does so as well, else L_N = 0                                            (A7)
 *     gamma_F_dot_1 in N(-L_F) where the contact sticks, L_F = -mu L_N gamma_F/|gamma_F| where it slips          (A8)
 *
 * Unknowns (w, u_1, v, q_1, r, P, L, K) with r = q_0 + dt q_dot_1, by which accelerations know the velocity of the
 * place; where q_dot = u, q_1 and r are inserted. */
#ifndef CAROM_LEVELS_H
#define CAROM_LEVELS_H

#include "integrator/impact.h"
#include "integrator/path.h"

/* The copies of the laws. */
enum { ON_VELOCITIES, ON_ACCELERATIONS, ON_POSITIONS, LEVELS };
enum { LEVEL_BLOCKS = 36 }; /* without those of the path */

typedef struct levels {
    const carom_model *m;
    problem problem;
    solver *solver;
    csr_block block[LEVEL_BLOCKS + PATH_BLOCKS];
    path path;
    /* set by the scheme before levels_solve */
    motion now;
    double t1, dt, tau, share; /* share: beta/gamma */
    double *w_hat, *v_hat;     /* [nu] */
    double *P_hat, *K_hat;     /* [ns] */
    double *z;                 /* guess, then solution */
    /* during the solution */
    double *speed, *e_N, *e_F; /* [contacts] before, and restitution in effect */
    impact *strike;            /* whose process comes before the velocities, (A17); NULL: no contact needs one */
    double *P_I;               /* [ns] its percussions */
    bool impulsive;            /* contacts exert no forces, percussions only, (A14) */
    bool chosen;               /* which contacts take part on which levels stays as it is */
    double still;              /* slips up to this have no direction */
    double *M0, *WT0, *s0;     /* at (t_0, q_0, u_0) */
    double *M, *WT, *h, *s;    /* at (t_1, q_1, u_1) */
    double *r;                 /* [LEVELS][ns] percussions of the balances */
    double *q_dot, *B, *q_dot_q, *c, *zeta, *missed;
    double *x, *moved, *h_q, *h_u, *Mv_q, *Wr_q, *c_q, *s_q, *turned, *before_WT, *before_s_q;
    double *memory; /* these vectors in one piece */
    int *island;    /* [nu] */
} levels;

/* series: positions follow (A9), not (K1). False: out of memory. */
bool levels_create(levels *o, const carom_model *model, bool series);
void levels_destroy(levels *o);

/* Places the problem in the step from now to t1. False: the model is not defined at its start. */
bool levels_begin(levels *o, const motion *now, double t1, double dt);
/* From the guess z. On success w, u_1, v, q_1, P, L and K can be read. Impacts without a solution do not rebound, (L4);
 * the report of the step says so. */
bool levels_solve(levels *o, double tolerance, solver_report *found, step_report *report);

static inline double *levels_mean(const levels *o) {
    return o->z;
}
static inline double *levels_velocity(const levels *o) {
    return o->z + o->m->def.nu;
}
static inline double *levels_smooth(const levels *o) {
    return o->z + 2 * o->m->def.nu;
}
static inline double *levels_percussion(const levels *o, int level) {
    return o->z + o->problem.nF + level * o->m->ns;
}
static inline const double *levels_position(levels *o) {
    return path_read(&o->path, o->z);
}

#endif
