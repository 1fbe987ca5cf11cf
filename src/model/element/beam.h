/* Geometrically exact beams: two nodes, each a frame with its origin on the axis of the beam, the local x axis along it
 * (docs/theory/elements.md, labels DB1...). */
#ifndef CAROM_BEAM_H
#define CAROM_BEAM_H

#include "model/elastic.h"

/* Data of both kinds. Strains and stiffnesses in the order torsion, bending about the local y and z axes, axial, shear
 * along y and z: GJ, EI2, EI3, EA, GA2, GA3. */
typedef struct beam {
    double length;
    double stiffness[6];
    double strain[6]; /* of the reference */
} beam;

/* Each node a rigid body in space: q = (x, y, z, p0, p1, p2, p3) with a quaternion of any norm, u = (velocity in the
 * world's frame, angular velocity in its own). Not defined where one node is turned by pi against the other. */
extern const elastic elastic_beam;
/* Each node a rigid body in the plane: q = (x, y, phi), u = q_dot. GJ, EI2 and GA3 do not matter. */
extern const elastic elastic_planar_beam;

/* An element that is free of stress between these nodes; its length is that of the helix through both frames. False:
 * the nodes coincide, or one is turned by pi against the other. */
bool beam_between(beam *b, const double stiffness[6], const double q1[7], const double q2[7]);
bool beam_between_planar(beam *b, const double stiffness[6], const double q1[3], const double q2[3]);

/* The second node from the first and the strain, the inverse of (DB1); the quaternion keeps the norm of the first. */
void beam_next(double length, const double strain[6], const double q1[7], double q2[7]);
/* v and w of (x, p) that lead from one pose of a node to another in the given time: w by Cayley's map. False: turned by
 * pi. */
bool beam_velocity(const double from[7], const double to[7], double time, double u[6]);

#endif
