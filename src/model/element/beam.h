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
    double
        reference[14]; /* coordinates of both nodes where the element is free of stress; in the plane the first six */
    double strain[6];  /* of the reference, which follows from it */
} beam;
enum { BEAM_GIVEN = 1 + 6 + 14 }; /* numbers of it that do not follow from others */

/* Each node a rigid body in space: q = (x, y, z, p0, p1, p2, p3) with a quaternion of any norm, u = (velocity in the
 * world's frame, angular velocity in its own). Not defined where one node is turned by pi against the other. */
extern const elastic elastic_beam;
/* Each node a rigid body in the plane: q = (x, y, phi), u = q_dot. GJ, EI2 and GA3 do not matter. */
extern const elastic elastic_planar_beam;

#endif
