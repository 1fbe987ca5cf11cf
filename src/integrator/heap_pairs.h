/* The pairs of round bodies that may touch in a step of a heap: where they touch, and what they carry from step to
 * step. */
#ifndef CAROM_HEAP_PAIRS_H
#define CAROM_HEAP_PAIRS_H

#include "model/found/search.h"

/* A sphere against a sphere, or against the plane through y with the normal n. Bodies that do not move have their
 * centre at zero. */
typedef struct heap_pair {
    int a, b;
    bool plane;
    double x[3], y[3], n[3]; /* x, y: centres of the spheres from those of the bodies, zero for bodies that move */
    double R, share;         /* both radii, and the part of the first */
    const carom_model_contact *law;
    int solid[2]; /* whose pair it is: one contact each */
} heap_pair;

typedef struct touch {
    double n[3], gap, arm[2];
} touch;

/* Percussions in the world, of the step and of its first half, and the state of a contact. */
typedef struct heap_load {
    double P[3], half[3];
    carom_contact_state state;
} heap_load;

typedef struct heap_pairs {
    int count, room;
    heap_pair *at;
    touch *touch[2];        /* at the start and at the end of a step */
    heap_load *load, *next; /* of the last step; of the present one */
    bool *takes_part;
} heap_pairs;

void heap_pairs_destroy(heap_pairs *x);
/* Other pairs: those that were there before keep their loads. False: out of memory. */
bool heap_pairs_list(heap_pairs *x, const finder *f, const contact_list *list);
/* Touches of all pairs where the centres of bodies are, (CF2) and (CF4). */
void heap_pairs_touch(heap_pairs *x, const double (*centre)[3], int end, int threads);
void heap_pairs_clear(heap_pairs *x);  /* no loads in the present step so far */
void heap_pairs_accept(heap_pairs *x); /* the present step becomes the last one */

#endif
