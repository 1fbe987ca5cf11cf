/* Kinematics that schemes can take apart: ordinary coordinates, each moved by a velocity of its own, and the
 * quaternions of the model's rotations, p_dot = p o (0, w)/2. Anchors rest. */
#ifndef CAROM_FRAMES_H
#define CAROM_FRAMES_H

#include "model/model.h"

typedef struct frames {
    const carom_model *m;
    int singles, *q, *u; /* ordinary coordinate q[i] has the velocity u[i] */
    int *rotation;       /* [nu] of which rotation a velocity is; negative: of none */
} frames;

/* CAROM_DATA: the kinematics are not of this kind; others: "rattle takes" any kinematics. */
carom_status frames_create(frames *f, const carom_model *model, const char *scheme, const char *others,
                           carom_error *error);
void frames_destroy(frames *f);

/* For checks: some velocity, and a state around the initial one. Not 0: the model is not defined there. */
int frames_elsewhere(const frames *f, double *u, double *q);

/* A(r)^T x, r of any length */
void frame_turn_back(const double r[4], const double x[3], double y[3]);

#endif
