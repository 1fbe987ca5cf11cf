/* Contacts between free bodies, swept without a matrix of the whole. A body has the velocity v of its centre and the
 * angular velocity w, both in the world; a contact between bodies i and j has the normal n from j to i, and l_i, l_j
 * from the centres to the point that touches:
 *
 *     u = v_i + w_i x l_i - v_j - w_j x l_j + d,                                                            (FC14)
 *     v_i += p/m_i,   w_i += K_i (l_i x p),   v_j -= p/m_j,   w_j -= K_j (l_j x p)
 *
 * K is the inverse of the inertia. Of round bodies l lies along n and K is 1/J: the contact's own block of W is A_N
 * along n and A_T across it, and one contact is solved by a division and a cut,
 *
 *     p_N = max(0, p_N - u_N/A_N),   p_T = the point of the disk of radius mu p_N nearest to p_T - u_T/A_T   (FC15)
 *
 * Of others it is a full block A: the contact opens, or sticks with p - A^-1 u, or slips (FC18). No tangents are
 * needed: percussions are vectors in the world. docs/theory/friction.md. */
#ifndef CAROM_FRICTION_HEAP_H
#define CAROM_FRICTION_HEAP_H

#include <stdbool.h>
#include <stddef.h>

typedef struct heap_body {
    double v[3], light;  /* light: 1/m ... */
    double w[3], nimble; /* ... and 1/J of a round one; both zero: it cannot be moved */
} heap_body;

enum { HEAP_COLOURS = 32 }; /* contacts of one share no body that moves; the last one is for those that are left */

typedef struct heap_contact {
    int a, b;
    int number;           /* the caller's own */
    bool idle;            /* it carries nothing, and has its place for when it does */
    double n[3], l[2][3]; /* l: from the centres of both bodies to the point that touches */
    double d[3];          /* the part of u that bodies do not know */
    double own[2];        /* A_N, and A_T or half the trace of this block */
    double mu, scale;     /* scale: a velocity that counts beside percussions, for the size of errors */
    double span;          /* a velocity: its part E is how fast it may end to approach; 0: no matter */
    double p[3];          /* percussion on a */
} heap_contact;

typedef struct heap_island {
    int contact, contacts, body, bodies; /* first of each, in order and among members, and how many */
    bool coloured;                       /* its contacts have places ... */
    int count[HEAP_COLOURS];             /* ... and these how many they have */
} heap_island;

typedef struct heap_block heap_block;
typedef struct heap_arms heap_arms;
typedef struct heap_part heap_part;

typedef struct heap {
    int bodies, contacts, room, islands;
    int threads;           /* that sweep large islands; the numbers are the same for any */
    heap_body *body;       /* [bodies + 1], the last one for nothing */
    double (*turn)[3][3];  /* [bodies + 1] K in the world, symmetric; NULL: all bodies are round */
    heap_contact *contact; /* [contacts] */
    int *order;            /* [contacts] those of an island one after the other, once they are divided */
    int *place;            /* [contacts] colour + HEAP_COLOURS x which of its contacts in the island */
    int (*ends)[2];        /* [divided] the bodies of the contacts that were divided last */
    int divided;
    int *of, *first; /* room: [bodies] the island of a body; where islands begin */
    int *member;     /* [bodies] the bodies of islands */
    heap_island *island;
    heap_body *last;   /* room: [bodies] before the last sweep */
    unsigned *busy;    /* room: [bodies] colours */
    heap_block *block; /* room: the contacts of an island ... */
    heap_arms *arms;   /* ... what else those of bodies that are not round have ... */
    heap_part *part;   /* ... and parts of it whose blocks can be swept at the same time, colour by colour */
    int blocks, block_room, parts;
    bool small;                       /* whether the island in the blocks is */
    int *queue;                       /* room: [bodies] small islands, the largest first */
    int first_part[HEAP_COLOURS + 1]; /* of each colour */
} heap;

/* Bodies are the caller's to fill. False: out of memory. */
bool heap_create(heap *h, int bodies, bool round, int threads);
void heap_destroy(heap *h);
bool heap_reserve(heap *h, int contacts);

/* (FC14): u without d, and what a percussion p on body a does to the bodies x. */
static inline void heap_velocity(const heap_body *a, const heap_body *b, const double l[2][3], double u[3]) {
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        u[i] = a->v[i] - b->v[i] + (a->w[j] * l[0][k] - a->w[k] * l[0][j]) - (b->w[j] * l[1][k] - b->w[k] * l[1][j]);
    }
}

static inline void heap_cross(const double a[3], const double b[3], double c[3]) {
    for (int i = 0; i < 3; i++) c[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

/* K x of a body. */
static inline void heap_turned(const heap *h, int body, const double x[3], double y[3]) {
    const double(*K)[3] = h->turn ? (const double(*)[3])h->turn[body] : NULL;
    for (int i = 0; i < 3; i++)
        y[i] = K ? K[i][0] * x[0] + K[i][1] * x[1] + K[i][2] * x[2] : h->body[body].nimble * x[i];
}

static inline void heap_push(const heap *h, heap_body *x, int a, int b, const double l[2][3], const double p[3]) {
    double torque[2][3], turn[2][3];
    heap_cross(l[0], p, torque[0]), heap_cross(l[1], p, torque[1]);
    heap_turned(h, a, torque[0], turn[0]), heap_turned(h, b, torque[1], turn[1]);
    for (int i = 0; i < 3; i++) {
        x[a].v[i] += x[a].light * p[i], x[b].v[i] -= x[b].light * p[i];
        x[a].w[i] += turn[0][i], x[b].w[i] -= turn[1][i];
    }
}

/* A_N and A_T from bodies, normal and l. */
void heap_prepare(const heap *h, heap_contact *c);
/* Contacts that share bodies are an island; those that can be moved couple. Contacts of the same bodies as those before
 * are divided as these were: whether a body can be moved does not change. */
void heap_divide(heap *h);

typedef struct heap_report {
    bool solved;
    int sweeps;    /* the most that an island took */
    double error;  /* the largest of an island, (FC11), or of a contact beside its span, (FC22) */
    double missed; /* how far a law is missed at most, a velocity: the larger of both natural maps (L1) */
} heap_report;

/* Errors: an island whose guess has a good one stays as it is. Others are swept towards the wanted one, or, if they
 * do not get there before somebody looks, towards one that is enough, until it is accepted when somebody looks. */
typedef struct heap_aim {
    double accepted, good, wanted, enough;
} heap_aim;

/* Percussions and velocities: the guess on entry, the solution on return, velocities with the effect of percussions,
 * after no more than most sweeps. */
heap_report heap_solve(heap *h, heap_aim aim, int most);

/* The branch of a contact with the velocity u, d included. */
typedef enum heap_branch { HEAP_OPEN, HEAP_STICK, HEAP_SLIP } heap_branch;
heap_branch heap_branch_of(const heap_contact *c, const double u[3]);

#endif
