/* The first two problems of a step of nsga (docs/theory/nsga.md), each divided by what makes it a balance of momentum.
 *
 * Smooth motion: v~, q~ and P~ = tau lambda~ of constraints, without contacts,
 *
 *     M(t_1,q~) (v~ - v^) = tau h(t_1,q~,v~) + W_b(t_1,q~) P~                                                 (G6)
 *     q~ by (K1) with w~ = offset + beta/gamma v~                                                             (G7)
 *     g_dot(t_1,q~,v~) = 0,   gamma(t_1,q~,v~) = 0                                                            (G8)
 *     or g(t_1,q~) = 0 in place of the former, where joints are kept closed                                   (G22)
 *
 * Position correction U = dt (w - w~): w, q_1 and N = nu/dt,
 *
 *     M(t_1,q~) (w - w~) = dt (h(t_1,q_1,v~) - h(t_1,q~,v~)) + dt (W_b(t_1,q_1) - W_b(t_1,q~)) lambda~ + W(t_1,q_1) N
 *     q_1 by (K1) with w                                                                              (G9), (G10)
 *     g(t_1,q_1) = 0,   g_N(t_1,q_1) in N(-N_N)                                                              (G11)
 *     1/2 (gamma(t_0,q_0,w) + gamma(t_1,q_1,w)) = 0, the same of gamma_F in N(-N_F)                          (G12)
 *     or, published, (d(t_1,q_1) - d(t_0,q_0))/dt in N(-N_F) with the displacements d of the contacts        (G25) */
#ifndef CAROM_NSGA_STAGES_H
#define CAROM_NSGA_STAGES_H

#include "integrator/balance.h"
#include "integrator/path.h"

/* The start of the present step. */
typedef struct nsga_start {
    const carom_model *m;
    motion now;
    double t1, dt;
    double *M, *WT, *s; /* at (t_0, q_0, u_0) */
} nsga_start;

enum { SMOOTH_BLOCKS = 9, POSITION_BLOCKS = 11 }; /* without those of the path */

typedef struct nsga_smooth {
    const nsga_start *start;
    int closed; /* joints, the first rows, that are imposed on position level: all or none */
    problem problem;
    solver *solver;
    csr_block block[SMOOTH_BLOCKS + PATH_BLOCKS];
    path path;
    double tau;
    double *v_hat;      /* [nu] set by the scheme, as is the offset of the path */
    double *z;          /* (v~, q~, P~) */
    double *M, *WT, *h; /* at (t_1, q~, v~) */
    bool stiff;         /* h_q at the start of the step tells what round-off does */
    double *jump, *c, *s, *Mv_q, *h_q, *h_u, *Wr_q, *c_q, *s_q;
    double *memory; /* these vectors in one piece */
} nsga_smooth;

/* closed: joints are held on position level; exponential: rotations follow (G24). False: out of memory. */
bool nsga_smooth_create(nsga_smooth *s, const nsga_start *start, bool closed, bool exponential);
void nsga_smooth_destroy(nsga_smooth *s);
/* From the guess z. On success M, WT, h and the path are those of the solution. */
bool nsga_smooth_solve(nsga_smooth *s, double tolerance, solver_report *report);
static inline const double *nsga_smooth_position(nsga_smooth *s) {
    return path_read(&s->path, s->z);
}

typedef struct nsga_position {
    const nsga_start *start;
    nsga_smooth *smooth;
    const double *lambda; /* [ns] lambda~, zero for contacts */
    problem problem;
    solver *solver;
    csr_block block[POSITION_BLOCKS + PATH_BLOCKS];
    path path;
    contact_weight weight;
    bool displaced; /* friction acts against displacements, (G25), not against (G12) */
    double *d0, *d1, *d_q;
    double *z; /* (w, q_1, N) */
    double *known, *r, *WT, *h, *c, *s, *h_q, *Wr_q, *c_q, *s_q;
    double *memory; /* these vectors in one piece */
} nsga_position;

/* friction: whether (G12) has friction; published: as printed, (G24), (G25). lambda is read when solving. */
bool nsga_position_create(nsga_position *p, const nsga_start *start, nsga_smooth *smooth, const double *lambda,
                          bool friction, bool published);
void nsga_position_destroy(nsga_position *p);
/* After the smooth motion, from the percussions in z. */
bool nsga_position_solve(nsga_position *p, double tolerance, solver_report *report);
static inline const double *nsga_position_end(nsga_position *p) {
    return path_read(&p->path, p->z);
}

#endif
