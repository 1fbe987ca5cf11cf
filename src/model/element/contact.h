/* Contacts between the shapes of two bodies: how far apart they are, where they touch, how fast they slip.
 * docs/theory/elements.md, (DC1) to (DC11).
 *
 *   point, sphere, capsule, cylinder, disk, box, ellipsoid    against a plane; a rim as a circle, or as points on it
 *   point, sphere, capsule                                    against a sphere or a capsule
 *   sphere                                                    against a box */
#ifndef CAROM_CONTACT_H
#define CAROM_CONTACT_H

#include "form.h"
#include "pose.h"

typedef struct surface {
    pose body; /* what carries it */
    form form;
} surface;

typedef struct contact_place {
    vec point, normal; /* in the world; the normal points from the second surface to the first */
} contact_place;

typedef struct touch {
    expr gap;
    contact_place place;
    vec tangent[2]; /* in the plane of motion: the first alone */
    bool on_beam;   /* the point runs along a beam (DA7), or, */
    bool on_rim;    /* round a rim: */
    vec support;    /* from the centre to it, a unit vector, shorter where the point is not known (DC3a) */
    expr turning;   /* a bound on how fast that turns, relative to the plane (DC3a) */
} touch;

enum { CONTACTS_MOST = 2 * SHAPE_POINTS_MOST }; /* of one pair: the points on both rims of a cylinder */

/* The contacts of a pair, 0: carom has none for it. A plane stands second. planar: everything moves in the plane of x
 * and y, so that a disk is a circle (with points, a polygon) and a box has four corners. start: values of the symbols
 * at the start, where the tangents of curved surfaces are chosen. */
int contact_pair(graph *g, const surface *a, const surface *b, bool planar, const double *start,
                 touch out[CONTACTS_MOST]);

/* Half the square of the distance of the point x from the core of a point, sphere or capsule: smooth where its own
 * direction has none. (DA3) */
expr contact_apart(graph *g, vec x, const surface *post, bool planar);
bool contact_is_round(graph *g, const surface *post, bool planar); /* such a one; in the plane also what is a circle */

/* The velocity of a relative to b in the contact, along its tangents, and, where the radius of the contact area is
 * not the number 0, against drilling. Returns the number of components. (DC8), (DC9) */
int contact_slips(graph *g, const surface *a, const surface *b, const touch *c, bool planar, expr radius, expr slip[3]);
/* Where a point is on a plane, along the tangents that are fixed in it (DC10). Returns the number of components; 0: no
 * such coordinates, as of what may roll. */
int contact_displacements(graph *g, const surface *a, const surface *b, const touch *c, bool planar,
                          expr displacement[2]);

#endif
