/* Contacts between round bodies, swept without any matrix. A body has the velocity v of its centre and the angular
 * velocity w, both in the world; contact a between bodies i and j has the normal n and, from the point that touches,
 * the arms l_i, l_j to the centres along it:
 *
 *     u = v_i - v_j - (l_i w_i + l_j w_j) x n + d,                                                          (FC14)
 *     v_i += p/m_i,   v_j -= p/m_j,   w_i -= l_i n x p/J_i,   w_j -= l_j n x p/J_j
 *
 * Its own block of W is A_N along n and A_T across it, so that one contact is solved by a division and a cut:
 *
 *     p_N = max(0, p_N - u_N/A_N),   p_T = the point of the disk of radius mu p_N nearest to p_T - u_T/A_T   (FC15)
 *
 * No tangents are needed: percussions are vectors in the world. docs/theory/friction.md. */
#ifndef CAROM_FRICTION_HEAP_H
#define CAROM_FRICTION_HEAP_H

#include <stdbool.h>

typedef struct heap_body {
    double v[3], light;  /* light: 1/m ... */
    double w[3], nimble; /* ... and 1/J; both zero: it cannot be moved */
} heap_body;

enum { HEAP_COLOURS = 32 }; /* contacts of one share no body that moves; the last one is for those that are left */

typedef struct heap_contact {
    int a, b;
    int number;        /* the caller's own */
    int colour, place; /* place: among those of its colour */
    double n[3], arm[2];
    double d[3];      /* the part of u that bodies do not know */
    double own[2];    /* A_N, A_T */
    double give[2];   /* 1/A_N, 1/A_T */
    double mu, scale; /* scale: a velocity that counts beside percussions, for the size of errors */
    double p[3];      /* percussion on a */
} heap_contact;

typedef struct heap_island {
    int contact, contacts, body, bodies; /* first of each, and how many */
} heap_island;

typedef struct heap_block heap_block;
typedef struct heap_part heap_part;

typedef struct heap {
    int bodies, contacts, room, islands;
    int threads;           /* that sweep large islands; the numbers are the same for any */
    heap_body *body;       /* [bodies + 1], the last one for nothing */
    heap_contact *contact; /* [contacts], those of an island one after the other once they are divided */
    heap_contact *sorted;  /* room */
    int *of, *first;       /* room: [bodies] the island of a body; where islands begin */
    int *member;           /* [bodies] the bodies of islands */
    heap_island *island;
    heap_body *last;   /* room: [bodies] before the last sweep */
    unsigned *busy;    /* room: [bodies] colours */
    heap_block *block; /* room: the contacts of an island ... */
    heap_part *part;   /* ... and parts of it whose blocks can be swept at the same time, colour by colour */
    int blocks, block_room, parts;
    int first_part[HEAP_COLOURS + 1]; /* of each colour */
} heap;

/* Bodies are the caller's to fill. False: out of memory. */
bool heap_create(heap *h, int bodies, int threads);
void heap_destroy(heap *h);
bool heap_reserve(heap *h, int contacts);

/* (FC14): u, and what a percussion p does. */
static inline void heap_velocity(const heap_body *a, const heap_body *b, const double n[3], const double arm[2],
                                 double u[3]) {
    const double k = arm[0], l = arm[1];
    const double w[] = {k * a->w[0] + l * b->w[0], k * a->w[1] + l * b->w[1], k * a->w[2] + l * b->w[2]};
    u[0] = a->v[0] - b->v[0] - (w[1] * n[2] - w[2] * n[1]);
    u[1] = a->v[1] - b->v[1] - (w[2] * n[0] - w[0] * n[2]);
    u[2] = a->v[2] - b->v[2] - (w[0] * n[1] - w[1] * n[0]);
}

static inline void heap_push(heap_body *a, heap_body *b, const double n[3], const double arm[2], const double p[3]) {
    const double k = arm[0] * a->nimble, l = arm[1] * b->nimble;
    const double turn[] = {n[1] * p[2] - n[2] * p[1], n[2] * p[0] - n[0] * p[2], n[0] * p[1] - n[1] * p[0]};
    for (int i = 0; i < 3; i++) {
        a->v[i] += a->light * p[i], b->v[i] -= b->light * p[i];
        a->w[i] -= k * turn[i], b->w[i] -= l * turn[i];
    }
}

/* A_N, A_T and their inverses from bodies, normal and arms. */
void heap_prepare(const heap *h, heap_contact *c);
/* Contacts that share bodies are an island; those that can be moved couple. */
void heap_divide(heap *h);

typedef struct heap_report {
    bool solved;
    int sweeps;    /* the most that an island took */
    double error;  /* the largest of an island, (FC11) */
    double missed; /* how far a law is missed at most, a velocity: the larger of both natural maps (L1) */
} heap_report;

/* Percussions and velocities: the guess on entry, the solution on return, velocities with the effect of percussions. An
 * island whose error is good stays as it is; any other is swept until its error is as small as wanted, or most sweeps
 * are spent. */
heap_report heap_solve(heap *h, double good, double wanted, int most);

/* The branch of a contact with the velocity u, d included. */
typedef enum heap_branch { HEAP_OPEN, HEAP_STICK, HEAP_SLIP } heap_branch;
heap_branch heap_branch_of(const heap_contact *c, const double u[3]);

#endif
