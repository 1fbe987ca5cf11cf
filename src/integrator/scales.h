/* What counts as zero for a contact (docs/theory/events.md, (V17), (V18)): from its own coordinates and velocities, and
 * the tolerance of the run. A body far away changes nothing. */
#ifndef CAROM_SCALES_H
#define CAROM_SCALES_H

#include "integrator/integrator.h"

typedef struct scales {
    const carom_model *m;
    double tolerance, dt; /* of the run: pieces of its steps count the same as zero */
    const motion *at;     /* where they are measured ... */
    struct {
        bool known, defined;
    } places, speeds; /* ... on first use, both on their own */
    double *c_q, *q_dot, *WT, *s;
    double *memory;
} scales;

bool scales_create(scales *z, const carom_model *model); /* false: out of memory */
void scales_destroy(scales *z);

/* From now on the scales are those at x, which is borrowed. Nothing is evaluated before their first use. */
void scales_move(scales *z, const motion *x);

/* Round-off of a row of c. */
double scales_round_off(scales *z, int row);
/* The size of the terms in a row of c. */
double scales_size(scales *z, int row);
/* |W_k| of a row of s, at most 1. */
double scales_slope(scales *z, int row);
/* Positions that are zero: round-off, or what the tolerance leaves of a closed contact, (V17). */
double zero_position(scales *z, int row);
double zero_gap(scales *z, int contact);
/* The same for an open contact, (V41): the round-off of its gap, and the largest gap and rate that count as zero. */
typedef struct open_scale {
    double round_off, gap, rate;
} open_scale;
open_scale scales_of_open(scales *z, int contact);
open_scale scales_of_open_at(scales *z, int contact, const motion *x); /* at another state */
/* [nq] There: by how much coordinates are to move to move a row of c by its round-off. */
void scales_rounding(scales *z, int row, const motion *x, double *rounding);
/* Velocities that are zero, (V18): a row of s; the slip of a contact, and what of this is round-off; and what of
 * velocities of bodies moves a contact by as much. */
double zero_rate(scales *z, int row);
double zero_slip(scales *z, int contact);
double slip_round_off(scales *z, int contact);
double zero_speed(scales *z, int contact);

#endif
