/* Gaps of features as functions of the states of two bodies, each derived and compiled once: docs/theory/contacts.md,
 * (CF2) to (CF5). An instance is a pair of bodies with numbers of its own. */
#ifndef CAROM_KIND_H
#define CAROM_KIND_H

#include "features.h"
#include "model/element/body.h"
#include "model/formula/tape.h"

#include "carom/carom.h"

/* The numbers of an instance. Points and directions of a feature are in the coordinates of its body. */
typedef struct kind_numbers {
    double x[3], e[3];               /* of the first: a vertex; or a point of an edge and its direction */
    double y[3], d[3];               /* of the second: a point, and the direction of an edge or the normal of a face */
    double half[2];                  /* of edges of round cores: half their lengths; x and y are their middles then;
                                        of rims: their radii, negative on the other side; e or d are their axes then */
    double side;                     /* of rims that cross something: +1 or -1, where the normal points */
    double R;                        /* both radii */
    double share;                    /* of the first in R; where R = 0, one half */
    double tangent[2][3], normal[3]; /* tangents and the normal they belong to: in the world, of a face in its body;
                                        of borders: the direction (CF46), (CF47) in the first or in the second body */
} kind_numbers;
enum { KIND_NUMBERS = sizeof(kind_numbers) / sizeof(double) };
enum { KIND_Q = 2 * BODY_Q, KIND_U = 2 * BODY_U, KIND_ROWS = 3, KIND_PLACES = 12 };

/* What the functions of a kind give: of the gap c(q), of its velocities s(q, u) = (gap_dot, slips), of zeta = s_q q_dot
 * and of d(W r)/dq with percussions r in place of u; and, for records, the point that touches, the normal and the
 * tangents, in the world. */
typedef enum kind_output {
    KIND_C,
    KIND_C_Q,
    KIND_S,
    KIND_WT,
    KIND_S_Q,
    KIND_ZETA,
    KIND_WR_Q,
    KIND_PLACE,
    KIND_OUTPUTS
} kind_output;

/* Sparse rows over the local coordinates or velocities. */
typedef struct kind_pattern {
    int rows, start[KIND_U + 1], index[KIND_U * KIND_Q];
} kind_pattern;

typedef struct kind {
    gap_kind gap;
    body first, second;
    int slips;                    /* 0; 1 in the plane; 2 */
    int nq, nu, first_q, first_u; /* local sizes; those of the first body, which comes first */
    int rows;                     /* of s: 1 and the slips */
    tape *tape[KIND_OUTPUTS];     /* NULL: d(W r)/dq where it is not wanted; zeta until it is */
    kind_pattern c_q, WT, s_q, Wr_q;
    double *work; /* TAPE_LANES times the registers */
} kind;

/* Bodies of these kinds (BODY_FRAME: the world); turns: d(W r)/dq is wanted. False: out of memory. */
bool kind_create(kind *k, gap_kind gap, const body *first, const body *second, int slips, bool turns);
/* Compiles zeta, unless it is there: schemes ask for it that locate events, or hold accelerations. False: out of
 * memory. */
bool kind_want_zeta(kind *k);
void kind_destroy(kind *k);

/* One output at local q and u; of d(W r)/dq r in place of u. */
void kind_run(const kind *k, kind_output output, const kind_numbers *numbers, const double *q, const double *u,
              double *values);

/* Ranges of the gap and of its rate (NULL: not wanted) over ranges of local q and their rates. work:
 * [kind_range_room] */
int kind_range_room(const kind *k);
void kind_bound(const kind *k, const kind_numbers *numbers, const carom_range *q, const carom_range *q_rate, jet *work,
                carom_range *gap, carom_range *rate);

#endif
