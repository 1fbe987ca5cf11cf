/* What the files of cylinders share: cylinder.c lists their features, cylinder_axes.c finds the axis that parts them
 * best from polytopes and each other, cylinder_points.c has points of rims. */
#ifndef CAROM_CYLINDER_INSIDE_H
#define CAROM_CYLINDER_INSIDE_H

#include "features_inside.h"

/* cylinder_points.c */
int rim_number(const core *c, int rim, double angle); /* the point nearest to an angle */
double angle_of(const core *c, const double n[3]);    /* of a direction, about the axis */
double half_length(const core *c);
/* How far x is from the axis, and where along it from the centre. */
double radius_at(const core *c, const double x[3], double *height);
/* The angle near `angle` at which a rim, seen along the axis of the other cylinder, crosses its rim. */
double crossing_angle(const core *c, int rim, const core *of, double angle);
/* Where the rims of two ends that face each other cross, as seen along the axis of the second: points of the first. */
bool find_crossing_points(const core *c, int rim, const core *of, int face, int number[2]);

/* Points of a rim that are nearest to an edge: at most this many have their feet on it, or are nearer than R to
 * its line (CF48), and lie on the side of the cylinder that looks towards it. normal: from the line to the
 * rim. */
enum { NEAREST_MOST = 4 };
typedef struct near_point {
    int number;
    double normal[3];
} near_point;
int points_near_line(const core *c, int rim, const core *of, int edge, double R, near_point out[NEAREST_MOST]);

static inline double square_sine(const double e[3], const double d[3]) {
    double across[3];
    space_cross(e, d, across);
    return space_dot(across, across);
}

/* Sides more parallel than this (squared sine) touch with their rims: (CF20) is not exact there. */
#define SIDE_BY_SIDE 1e-6
/* How much nearer two lines may come to each other between their ends than there, beyond a distance R (CF42). */
static inline double between_ends(double square_of_sine, double length, double R) {
    return square_of_sine * length * length / (8 * R);
}

static inline bool is_on(const line *l, double at, double size) { /* at from its start, up to what makes points one */
    return at >= -SAME * size && at <= l->length + SAME * size;
}

static inline void turn_round(double n[3]) {
    for (int i = 0; i < 3; i++) n[i] = -n[i];
}

/* cylinder_axes.c: the axis that parts a cylinder and a polytope or another cylinder best, (CF28). */
typedef enum axis_kind { OF_FACE, OF_SIDE, OF_RIM } axis_kind;
typedef struct axis {
    axis_kind kind;
    double separation, n[3]; /* from the cylinder to the other shape */
    const core *owner;       /* of the first feature; of a face, of it ... */
    meeting features;        /* ... whose number is the second */
} axis;

typedef struct contest {
    found *f;
    const core *c, *o;
    axis best;
} contest;
void contest_run(contest *t);

#endif
