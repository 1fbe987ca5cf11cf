/* Shared by the files of steps of heaps: heap_step.c takes steps whose contacts are accepted at an error, heap_rest.c
 * takes steps of bodies at rest, heap_setup.c tells which models and runs are heaps. */
#ifndef CAROM_HEAP_STEP_INSIDE_H
#define CAROM_HEAP_STEP_INSIDE_H

#include "integrator/heap_bodies.h"
#include "integrator/heap_step.h"

typedef enum heap_scheme { MOREAU, SYMMETRIC, RATTLE } heap_scheme;

/* The sum of forces and percussions on a body, as percussions, and of their terms without signs. */
typedef struct heap_balance {
    double push[3], turn[3], pushes, turns;
} heap_balance;

struct heap_step {
    heap_scheme scheme;
    double accept; /* 0: bodies at rest alone */
    int threads;
    heap_bodies bodies;
    heap_pairs pairs;
    bool gave_up;
    bool forgot; /* loads are those of the memory */
    found_work work;
    heap_balance *sum; /* room: [bodies] */
};

/* The touches of all contacts at a place. */
void heap_step_touch(heap_step *g, place at);
/* The velocity of contact k at a place with the velocities of bodies x. */
static inline void heap_step_velocity(const heap_step *g, const heap_body *x, int k, place at, double u[3]) {
    const heap_pair *pair = &g->pairs.at[k];
    heap_velocity(&x[pair->a], &x[pair->b], (const double(*)[3])g->pairs.touch[at][k].l, u);
}
/* u without its part along the normal of contact k at a place. */
void heap_step_tangential(const heap_step *g, int k, place at, double u[3]);
/* u of contact k from one place to the other, as its tangents are carried: with the body of a face, or by the smallest
 * rotations of its normal to the one that it was listed with, and from there (DC7). */
void heap_step_carry(const heap_step *g, int k, place from, place to, double u[3]);
/* (R4), (R5) of contact k as a vector: its gap over dt along the normal of the start, and the mean of its slips; start:
 * its velocity at the start, with the present ones of bodies. */
void heap_step_position_row(const heap_step *g, int k, double dt, const double start[3], double y[3]);

/* A step of rattle in which velocities and percussions stay what they are, (FC20). False: they do not. */
bool heap_step_rest(heap_step *g, const motion *now, motion *next, double dt);

/* (S28): whether a contact turns over in a step of rattle, from its start to the present end, and its island has energy
 * from nowhere. parting: by how much the bodies of a contact are to part, by its number. */
bool heap_step_turned(const heap_step *g, const double *parting, double dt, double tolerance);

#endif
