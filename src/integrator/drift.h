/* Motion over an interval with constant velocity, and the momenta at its two ends (docs/theory/multisymplectic.md):
 * ordinary coordinates by q + h v, rotations by Cayley's step p o (1, h w/2)/|1, h w/2|. With the discrete Lagrangian
 * h T(v) of constant mass the momenta are, (Y2),
 *
 *     p^- = p^+ = M v,    and of rotations    p^- = D^T J w,   p^+ = D J w,   D = I - h w^/2 + h^2 w w^T/4.
 *
 * Frames that move as one take their origin along on Cayley's step of SE(3), (Y15): v holds the velocity of the origin
 * in the axes of the frame, and the momenta of both are coupled, (Y16). */
#ifndef CAROM_DRIFT_H
#define CAROM_DRIFT_H

#include "integrator/frames.h"
#include "linalg/linear.h"

typedef struct drift {
    const carom_model *m;
    frames frames;
    double *M;
    double (*J)[3][3]; /* [rotations] */
    double *inverse;   /* [nu] of the diagonal: all there is to M of ordinary coordinates, unless ... */
    double *rate;      /* [nq] room for anchors */
    linear *factors;   /* ... it couples them: rows of M over its diagonal */
    bool joined;       /* frames move as one with their origins */
} drift;

/* CAROM_DATA: M or the kinematics are not of this kind, with a sentence. */
carom_status drift_create(drift *d, const carom_model *model, carom_error *error);
void drift_destroy(drift *d);
/* From now on frames move as one with their origins. CAROM_DATA: the mass of an origin is not the same along all axes.
 */
carom_status drift_join(drift *d, carom_error *error);

void drift_rates(const drift *d, const double *p, double *u);   /* M u = p */
void drift_momenta(const drift *d, const double *u, double *p); /* p = M u */
double drift_kinetic(const drift *d, const double *v);          /* v^T M v/2 */

/* v with p^-(v) = p at q. False: a rotation is too fast for h. */
bool drift_velocity(const drift *d, const double *q, const double *p, double h, double *v);
/* By how much p^-(v) misses p, (Y23): the largest entry above round-off, as a velocity. work: [nu] */
double drift_miss(const drift *d, const double *q, const double *p, double h, const double *v, double *work);
void drift_position(const drift *d, const double *q, const double *v, double h, double *q1);
/* p^+(v) from p = p^-(v): turned with the frames, so that its components in the world stay to the last digit (Y3). */
void drift_turn(const drift *d, const double *p, const double *v, double h, double *p1);

#endif
