/* The position update of the one-step schemes,
 *
 *     q_1 = q_0 + dt/2 (q_dot(t_0,q_0,u) + q_dot(t_1,q_1,u)),                                                (K1)
 *
 * which is q_0 + dt u for q_dot = u, and keeps quadratic invariants of the kinematics (unit quaternions). */
#ifndef CAROM_KINEMATICS_H
#define CAROM_KINEMATICS_H

#include "integrator/balance.h"
#include "integrator/vectors.h"

typedef struct kinematics {
    const carom_model *m;
    problem problem;
    solver *solver;
    csr_block block[2];
    unit_matrix unit; /* of q */
    double *q_dot0, *q_dot1, *q_dot_q;
    double *memory;       /* these vectors in one piece */
    const double *q0, *u; /* of the present update */
    double t1, dt;
} kinematics;

bool kinematics_create(kinematics *k, const carom_model *model); /* false: out of memory */
void kinematics_destroy(kinematics *k);
bool kinematics_advance(kinematics *k, double t0, const double *q0, const double *u, double t1, double dt, double *q1,
                        double tolerance, solver_report *report);

#endif
