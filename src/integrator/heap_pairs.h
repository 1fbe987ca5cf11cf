/* The contacts that may touch in a step of a heap: where they touch, and what they carry from step to step. */
#ifndef CAROM_HEAP_PAIRS_H
#define CAROM_HEAP_PAIRS_H

#include "model/found/search.h"

/* What a step reads of a contact again and again: a line of the cache. */
typedef struct heap_pair {
    int a, b; /* the bodies of its first and second feature */
    gap_kind kind;
    bool centred; /* both features are at the centres of their bodies: R and share are all that it has */
    const carom_model_contact *law;
    double size;      /* of the smaller solid */
    double normal[3]; /* with which it was listed */
} heap_pair;

/* The normal n from b to a, the gap, from the centres of both bodies the point that touches; and 1/(1 + n.m), with the
 * normal m with which the contact was listed. */
typedef struct touch {
    double n[3], gap, l[2][3], bend;
} touch;

/* Percussions in the world, of the step and of its first half, and the state of a contact. */
typedef struct heap_load {
    double P[3], half[3];
    carom_contact_state state;
} heap_load;

/* Of a contact whose rows are corrected: those that sweeps took last, by how much those at their end differ, and which
 * part of that was added. */
typedef struct heap_row {
    double d[3], miss[3], part;
} heap_row;

/* What a contact carried that is gone: on the body of the first of its solids, with the point that touched from its
 * centre. */
typedef struct heap_loss {
    int a, b; /* solids */
    heap_load load;
    double l[3];
} heap_loss;

typedef struct heap_pairs {
    int count, room;
    int losses; /* loads without a contact, of the last list */
    bool ended; /* touches at the end are those of the present contacts */
    heap_pair *at;
    found_contact *of;
    touch *touch[2];        /* at the start and at the end of a step */
    heap_load *load, *next; /* of the last step; of the present one */
    heap_loss *lost;
    double (*key)[2];   /* identities as numbers: of solids, of features */
    double (*radii)[2]; /* R and share */
    double *gap;        /* those of the touches taken last */
    bool *takes_part;
    heap_row *row;       /* room */
    double (*before)[3]; /* room: velocities before the step, as seen at its end */
    double *parting;     /* room: by how much the bodies of a contact are to part, a velocity */
} heap_pairs;

void heap_pairs_destroy(heap_pairs *x);
/* Other contacts: those that were there before keep their loads. False: out of memory. */
bool heap_pairs_list(heap_pairs *x, const finder *f, const contact_list *list);
/* Loads of contacts that are gone go to others of the same solids that touch at the same point, at this end (FC38). */
void heap_pairs_hand_over(heap_pairs *x, int end);

/* Loads as numbers, with the identities of their contacts and the points that touch: as many as there is room for; and
 * the loads of the present contacts from these. */
enum { HEAP_LOAD = 11 };
void heap_pairs_save(const heap_pairs *x, int room, double *memory); /* [1 + room * HEAP_LOAD] */
void heap_pairs_load(heap_pairs *x, const double *memory);

/* Touches of all contacts where bodies have these centres and axes, (CF2) to (CF5), (CF19), (CF20), (CF23) to (CF27).
 * axes NULL: bodies that move are spheres about their centres. */
void heap_pairs_touch(heap_pairs *x, const double (*centre)[3], const double (*axes)[3][3], int end, int threads);
void heap_pairs_clear(heap_pairs *x);  /* no loads in the present step so far */
void heap_pairs_accept(heap_pairs *x); /* the present step becomes the last one */

#endif
