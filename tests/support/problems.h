/* Motions without events and their exact solutions, one per part of the model interface: forces, M(t,q), kinematics
 * q_dot = B u + beta, joints, moving joints, velocity constraints, rolling and sliding contacts. What has no closed
 * solution is integrated by CVODE in coordinates without constraints. */
#ifndef TEST_PROBLEMS_H
#define TEST_PROBLEMS_H

#include "complex_model.h"

typedef enum motion_kind { MOTION_FREE, MOTION_JOINT, MOTION_ROLLING, MOTION_SLIDING } motion_kind;

typedef struct problem_of_motion {
    const char *name;
    motion_kind kind;
    double T; /* no event before */
    const complex_mechanics *mechanics;
    void (*exact)(double T, double *q, double *u);
} problem_of_motion;

enum { SMOOTH_PROBLEMS = 10, CONTACT_PROBLEMS = 6, PROBLEMS = SMOOTH_PROBLEMS + CONTACT_PROBLEMS };
extern const problem_of_motion smooth_problems[SMOOTH_PROBLEMS], contact_problems[CONTACT_PROBLEMS];

static inline const problem_of_motion *problem_at(int i) {
    return i < SMOOTH_PROBLEMS ? &smooth_problems[i] : &contact_problems[i - SMOOTH_PROBLEMS];
}

/* Those that other tests use as well: spring pendulum in polar coordinates; pendulum in Cartesian coordinates at a
 * fixed and at a moving support; spherical pendulum; knife edge on an incline, and pushed sideways; free rigid body
 * with a unit quaternion, and the same in a field; ball rolling in a trough, held by a contact that sticks. */
extern const complex_mechanics polar, fixed_support, moving_support, sphere, knife, pushed, body, heavy, ball;
extern const double body_inertia[3];

#endif
