/* What the files of heaps share. */
#ifndef CAROM_FRICTION_HEAP_INSIDE_H
#define CAROM_FRICTION_HEAP_INSIDE_H

#include "friction/heap.h"

#include <math.h>

/* Written once, compiled for round bodies and for others. */
#define HEAP_ALWAYS __attribute__((always_inline))

/* LANES numbers are a line of the cache, and a register of AVX-512. */
enum { LANES = 8, PART = 16 };
typedef double lanes[LANES] __attribute__((aligned(64)));

/* Contacts without a body in common that moves: those of one island, or one each of several. */
struct heap_block {
    int a[LANES] __attribute__((aligned(64))), b[LANES];
    lanes n[3], arm[2], d[3], give[2], mu, p[3], before[3], own[2], scale;
    lanes narrow;       /* 1/span; 0: no matter */
    int contact[LANES]; /* -1: none */
    int end;            /* there is none in the lanes from here on */
};

/* Of the same contacts, where bodies are not round: l; what makes a block of W is filled in when it is swept. */
struct heap_arms {
    lanes l[2][3];
    lanes turn[2][3][3];    /* of both bodies K l x */
    lanes A[6], inverse[6]; /* the block and its inverse: entries 11, 22, 33, 23, 31, 12 */
    lanes along[3];         /* A n */
    lanes slide;            /* 1/largest value of the block across n */
};

/* Squares of the change and of the percussions, as velocities; the product of the change with that since the last
 * sweep. */
typedef struct sweep_effect {
    lanes change, size, onward;
} sweep_effect;

typedef struct law_error {
    lanes missed, size, worst;
    lanes sunk; /* how fast a contact approaches at most, beside its span */
} law_error;

/* At most PART blocks of one colour, and what the last sweep and the last look found there. */
struct heap_part {
    sweep_effect effect;
    law_error error;
    int first, end;
};

/* The block after this one comes into the cache meanwhile: processors find a stream of lines by themselves only within
 * a page, of which a block is a third, and not where lines are written in turns. */
static inline void heap_fetch_next(const heap_block *x) {
    for (size_t i = 0; i < sizeof *x; i += 64) __builtin_prefetch((const char *)(x + 1) + i, 1);
}

/* Islands of so many contacts add up their sums contact by contact, so that they have the same bits alone and side by
 * side with others. */
enum { SMALL = 64 };
static inline bool heap_is_small(const heap_island *s) {
    return s->contacts <= SMALL;
}

typedef struct island_report {
    int sweeps;
    double error, worst; /* worst: the square of what a law is missed by */
} island_report;

/* How the sweeps of an island go on: Nesterov's t and beta, what the last sweep changed and the percussions then, as
 * squares, and the ratio of the error to the change when the error was measured last. */
typedef struct sweep_state {
    double changed, size, t, beta, ratio;
    int looked;
    island_report report;
} sweep_state;

static inline sweep_state sweep_begin(void) {
    return (sweep_state){.changed = HUGE_VAL, .t = 1, .ratio = 1};
}

/* After a sweep: true if the error is to be measured. */
static inline bool sweep_goes_on(sweep_state *s, heap_aim aim, int most, double change, double size, double onward) {
    enum { EVERY = 16 };            /* sweeps between looks at the error, unless changes are small */
    static const double LESS = 0.8; /* part of Nesterov's factor t that remains where it led astray */
    const bool astray = change > s->changed || onward < 0;
    const double next = astray ? fmax(1, LESS * s->t) : (1 + sqrt(1 + 4 * s->t * s->t)) / 2;
    s->beta = astray ? 0 : (s->t - 1) / next;
    s->changed = change, s->size = size, s->t = next;
    s->report.sweeps++;
    const double wanted = s->looked == 0 ? aim.wanted : aim.enough;
    return s->ratio * s->ratio * change <= wanted * wanted * size || s->report.sweeps - s->looked == EVERY ||
           s->report.sweeps == most;
}

/* The error has been measured: true if the island is done. */
static inline bool sweep_is_done(sweep_state *s, heap_aim aim, int most, double error, double worst) {
    s->report.error = error, s->report.worst = worst, s->looked = s->report.sweeps;
    if (s->report.sweeps == 0) return error <= aim.good || most == 0;
    if (s->changed > 0) s->ratio = error / sqrt(s->changed / s->size);
    return error <= aim.accepted || s->report.sweeps >= most;
}

/* Islands side by side, one in each lane: slot k holds the k-th contact of each. */
typedef struct heap_crowd {
    const heap_island *island[LANES]; /* NULL: none */
    sweep_state state[LANES];
    bool looks[LANES]; /* whose errors are to be measured */
    int filled[LANES]; /* slots that hold contacts of a lane */
    int slots;
    lanes beta;
} heap_crowd;

/* heap_blocks.c: room, of which what was there is lost; a contact in a lane of a block, -1: none; what sweeps alone
 * need there; places by colour; an island in blocks, colour by colour, and back, first: of each colour; threads that
 * sweep it. False: out of memory. */
bool heap_reserve_blocks(heap *h, int blocks);
void heap_put(heap *h, int block, int lane, int contact);
void heap_fill(heap *h, int block, int lane);
void heap_colour(heap *h, heap_island *s);
bool heap_pack(heap *h, heap_island *s, int first[HEAP_COLOURS + 1]);
void heap_unpack(heap *h, const heap_island *s, const int first[HEAP_COLOURS + 1]);
int heap_threads_for(const heap *h);

/* A place: a colour, and which of the contacts of an island that have it. */
static inline int heap_colour_of(const heap *h, int contact) {
    return h->place[contact] % HEAP_COLOURS;
}
static inline int heap_among(const heap *h, int contact) {
    return h->place[contact] / HEAP_COLOURS;
}

/* heap_crowd.c: solves the small islands, if there are enough of them to be swept side by side. */
bool heap_crowd_solve(heap *h, heap_aim aim, int most, heap_report *report);
void heap_add_report(heap_report *report, heap_aim aim, const island_report *of);

/* heap_sweep.c: a sweep of each, and errors with the squares of what a law is missed by at most. */
void heap_crowd_sweep(heap *h, const heap_crowd *c, sweep_effect *sum);
void heap_crowd_measure(heap *h, const heap_crowd *c, double error[LANES], double worst[LANES]);

/* Zeros, from the beginning of a line of the cache on; the size in whole lines. */
void *heap_lines(size_t count, size_t size);

static inline bool heap_moves(const heap_body *b) {
    return b->light > 0;
}

#endif
