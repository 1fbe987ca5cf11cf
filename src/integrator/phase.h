/* A state within a step whose contacts keep their states until an event ends them (docs/theory/events.md): what a trial
 * step starts from, and what an event takes and returns. */
#ifndef CAROM_PHASE_H
#define CAROM_PHASE_H

#include "integrator/integrator.h"

typedef struct phase {
    motion x;      /* x.contact: the states that are kept */
    double *s;     /* velocity functions at x, where the scheme keeps them: within x.memory */
    double *sense; /* [slips] unit vectors of slip */
    double *sum;   /* [ns] percussions since the start of the whole step, */
    double *work;  /* [ns] and what they did, row by row, (W9e) */
    int *side;     /* [switches] of the model's formulas, that are kept as well */
    bool *held;    /* [contacts] closed for the coming step, whatever their force, (V11) */
    size_t memory_size;
    double *memory; /* all of this in one piece */
} phase;

/* memory_size: doubles of scheme memory in a motion; s_at: where s begins in it. False: out of memory. */
bool phase_create(phase *p, const carom_model *model, int memory_size, int s_at);
void phase_destroy(phase *p);

/* to may be a motion of the run: the scheme's memory is copied, not what the run keeps behind it. */
void phase_copy_motion(const carom_model *model, motion *to, const motion *from, size_t memory_size);
void phase_copy(const carom_model *model, phase *to, const phase *from);

/* Adds the work of percussions P between the velocity functions a and b, (W6). */
void phase_work(phase *p, const carom_model *model, const double *P, const double *a, const double *b);

/* |gamma_F| of a contact; s: all velocity functions. */
double slip_speed(const carom_model *model, int contact, const double *s);
/* mu lambda_N - |lambda_F| of forces or percussions; by other laws than Coulomb's their margin (L28). */
double friction_margin(const carom_model *model, int contact, const double *lambda);
/* The direction in which slip begins against forces at the edge of their set; false: there are none. */
bool slip_against(const carom_model *model, int contact, const double *lambda, double *sense);
/* The same of the percussions of a step in which it slides; 0 where they have no such bound, since the load of a joint
 * turns, or mu depends on the slip. */
double sliding_margin(const carom_model *model, int contact, const double *P);
/* The sense of slip of a contact: a vector over its length, or against it if the length is negative. */
void phase_set_sense(phase *p, const carom_model *model, int contact, const double *vector, double length);

#endif
