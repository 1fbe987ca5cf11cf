/* Convex hulls of points: vertices, edges and flat faces, and what a homogeneous body of this shape weighs.
 * docs/theory/contacts.md, (CF16), (CF17), (CF60). */
#ifndef CAROM_POLYTOPE_H
#define CAROM_POLYTOPE_H

typedef struct polytope_face {
    double normal[3]; /* outward, of length 1 */
    int first, count; /* its corners in corner, counter-clockwise as seen from outside */
    double point[3];  /* on it */
} polytope_face;

typedef struct polytope {
    int vertices, edges, faces, corners;
    double (*vertex)[3]; /* in the order of the points that they are of */
    int (*edge)[2];
    polytope_face *face;
    int *corner;
    double volume, centre[3], J[3][3]; /* of density one; J about the centre of mass */
    double reach;                      /* no vertex is farther from the centre of mass */
    double thin;                       /* the distance of the centre of mass from the nearest face */
} polytope;

typedef enum polytope_verdict { POLYTOPE_DONE, POLYTOPE_FLAT, POLYTOPE_TANGLED, POLYTOPE_MEMORY } polytope_verdict;

/* POLYTOPE_FLAT: the points lie in a plane, or are fewer than four. POLYTOPE_TANGLED: round-off leaves no closed
 * surface. Whatever the verdict, *h is to be destroyed. */
polytope_verdict polytope_create(polytope *h, const double (*point)[3], int count);
/* The same of points in the plane of x and y: vertices counter-clockwise, one face; volume is its area and J[2][2] its
 * polar moment (polygon.c). */
polytope_verdict polygon_create(polytope *h, const double (*point)[3], int count);
void polytope_destroy(polytope *h);

#endif
