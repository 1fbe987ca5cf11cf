/* Shared by the files of steps of heaps: heap_rattle.c and heap_moreau.c take steps whose contacts are accepted at an
 * error, with what heap_step.c knows of contacts; heap_rest.c takes steps of bodies at rest, heap_setup.c tells which
 * models and runs are heaps. */
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

enum {
    HEAP_LARGE = 200
}; /* so many contacts cost less in many sweeps, or in parts of a step, than in a step problem */

/* Bodies are at the end where they are at the start. */
void heap_step_stay(heap_bodies *b);
/* Contact k takes part as it is at a place, with a guess of its percussion. */
heap_contact *heap_step_add(heap_step *g, int k, place at, const double p[3], double tolerance);
/* The change by forces alone of the velocity along the normal of a contact, as a sum of absolute values; at least what
 * counts as no error. */
double heap_step_scale(const heap_step *g, const heap_pair *x, const double n[3], double tolerance);
/* Velocities are those without percussions and the effect of these, added up anew. */
void heap_step_add_up(heap_step *g);
/* (I3), (I4): d of a contact, from its velocity before, seen at a place. */
void heap_step_rebound(const heap_step *g, heap_contact *c, place seen, double tolerance);
/* What is accepted, and how many sweeps may be taken for it. */
heap_aim heap_step_aim(const heap_step *g);
int heap_step_sweeps(const heap *h);
/* Velocities and percussions of all contacts that take part, from a guess: velocities with the effect of percussions.
 * False: they are not accepted. */
bool heap_step_solve(heap_step *g, int stage, heap_aim aim, double tolerance, step_report *report);
/* Percussions, states and work of the contacts that took part; of rattle the guess of the next first half, (FC39). */
void heap_step_conclude(heap_step *g);

/* Steps of the schemes, as heap_step_move and heap_step_finish take them. */
bool heap_rattle_move(heap_step *g, const motion *now, motion *next, double dt, double tolerance, step_report *report);
bool heap_rattle_finish(heap_step *g, const motion *now, motion *next, double dt, double tolerance,
                        step_report *report);
void heap_rattle_again(heap_step *g);
bool heap_moreau_move(heap_step *g, const motion *now, motion *next, double dt, double tolerance, step_report *report);
bool heap_moreau_finish(heap_step *g, const motion *now, motion *next, double dt, double tolerance,
                        step_report *report);

/* A step of rattle in which velocities and percussions stay what they are, (FC20). False: they do not. */
bool heap_step_rest(heap_step *g, const motion *now, motion *next, double dt);

/* (S28): whether a contact turns over in a step of rattle, from its start to the present end, and its island has energy
 * from nowhere. parting: by how much the bodies of a contact are to part, by its number. */
bool heap_step_turned(const heap_step *g, const double *parting, double dt, double tolerance);

#endif
