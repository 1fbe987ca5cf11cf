/* The free bodies of a heap in a step: where they are at both ends, their velocities in the world, forces. */
#ifndef CAROM_HEAP_BODIES_H
#define CAROM_HEAP_BODIES_H

#include "friction/heap.h"
#include "integrator/integrator.h"
#include "model/found/finder.h"

typedef enum place { START, END } place;

typedef struct heap_bodies {
    const carom_model *base;
    const finder *f;
    bool round;    /* spheres about their centres: axes are needed for forces alone */
    bool spins;    /* forces know angular velocities, each those of its own body */
    double *h;     /* [nu] forces ... */
    double h_time; /* ... at this time, where they know nothing else; else NaN */
    double *h_u, *u;
    heap heap;                                /* velocities */
    heap_body *initial, *free;                /* [bodies] where the step begins; those without percussions */
    double (*r[2])[3], (*A[2])[3][3];         /* [bodies] centres and axes at both ends */
    double (*J)[3], (*pull)[3], (*torque)[3]; /* [bodies] inertias; what forces change in v, without sign; turning
                                              percussions */
} heap_bodies;

/* spheres: all of them are, about their centres. *fits: all masses and inertias are positive. False: out of memory. */
bool heap_bodies_create(heap_bodies *g, const carom_model *base, const finder *f, bool spheres, int threads,
                        bool *fits);
void heap_bodies_destroy(heap_bodies *g);
const finder_body *heap_bodies_moving(const heap_bodies *g, int i); /* NULL: it does not */
/* Velocities or forces of a body as of one in space, along its axes where it turns. In the plane it turns about z
 * alone, and none of its percussions turns it otherwise. */
static inline void heap_bodies_part(const finder_body *b, const double *u, double v[3], double w[3]) {
    const bool planar = b->form.kind == BODY_PLANAR;
    for (int k = 0; k < 3; k++) {
        v[k] = planar && k == 2 ? 0 : u[b->u + k];
        w[k] = !planar ? u[b->u + 3 + k] : k == 2 ? u[b->u + 2] : 0;
    }
}

/* Centres, axes, velocities and K at the start of a step; the same at its end. */
void heap_bodies_enter(heap_bodies *g, const motion *now);
void heap_bodies_leave(heap_bodies *g, motion *next);
/* (FC16): positions after a time, and the centres and, of bodies that are not round, the axes at the end. */
void heap_bodies_move(heap_bodies *g, const motion *now, double dt, double *q);
/* Axes at a place, if someone needs them, and K there. */
void heap_bodies_turn(heap_bodies *g, const double *q, place at);
/* Whether bodies are at the start where they were at the end, to the last bit. */
bool heap_bodies_go_on(const heap_bodies *g);
/* Velocities as the model has them. */
const double *heap_bodies_velocities(heap_bodies *g, place at);

/* Velocities change by factor times the forces at a place; turning: also those that turn. False: they are not
 * defined. */
bool heap_bodies_force(heap_bodies *g, double t, const double *q, const double *u, double factor, place at,
                       bool turning);
/* The present velocities are those without percussions. */
void heap_bodies_set_free(heap_bodies *g);
/* A percussion p on body a. */
static inline void heap_bodies_push(heap_bodies *g, int a, int b, const double l[2][3], const double p[3]) {
    double turn[2][3];
    heap_push(&g->heap, g->heap.body, a, b, l, p);
    if (!g->spins) return;
    heap_cross(l[0], p, turn[0]), heap_cross(l[1], p, turn[1]);
    for (int i = 0; i < 3; i++) g->torque[a][i] += turn[0][i], g->torque[b][i] -= turn[1][i];
}
/* Solves (R1) for the angular velocities w at the start, with all percussions given, (FC19), and finds K there. False:
 * no solution was found. */
bool heap_bodies_spin(heap_bodies *g, const motion *now, double dt);

/* (S20): whether the step can have caused the present velocities of bodies in contact. parting: by how much the bodies
 * of a contact are to part, by its number; NULL: by nothing. (heap_cause.c) */
bool heap_bodies_caused(const heap_bodies *g, const double *parting, double tolerance);

#endif
