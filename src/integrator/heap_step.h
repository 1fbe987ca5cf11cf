/* Steps of heaps: moreau, symmetric_moreau and rattle for free bodies, whose contacts are all found and are accepted at
 * an error; and, by rattle, bodies at rest, whatever is accepted. The equations are those of the schemes; they go
 * straight from pairs of bodies to sweeps over velocities, and no step problem is made (docs/theory/friction.md, (FC14)
 * to (FC20)). */
#ifndef CAROM_HEAP_STEP_H
#define CAROM_HEAP_STEP_H

#include "integrator/found.h"
#include "integrator/heap_pairs.h"

typedef struct heap_step heap_step;

/* NULL in *made: the model or the run is not of this kind. The finder is that of the base, with the present values of
 * parameters. False: out of memory. */
bool heap_step_create(heap_step **made, const carom_model *base, const finder *f, const carom_run_def *run);
void heap_step_destroy(heap_step *g);
void heap_step_forget(heap_step *g);

/* What gaps of a pair may differ by, as a part of a size: three times what steps accept of them, (FC22) and (FC37).
 * NULL: nothing. */
double heap_step_noise(const heap_step *g);

/* What contacts carry from step to step, as numbers, so many of them: after heap_step_forget it is read from there. */
int heap_step_memory(const heap_step *g);
void heap_step_save(const heap_step *g, double *memory);

/* Other contacts: those that were there before keep their percussions. False: out of memory. */
bool heap_step_list(heap_step *g, const contact_list *list, const double *memory);
/* The states of contacts where a run begins. */
void heap_step_start(heap_step *g, const motion *first, double tolerance, double dt);
/* A step in two halves, between which somebody may look whether contacts are missing where it leads: positions at its
 * end, then velocities and percussions. False: contacts could not be solved to the error that is accepted; or, where
 * none is, bodies do not rest. */
bool heap_step_move(heap_step *g, const motion *now, motion *next, double dt, double tolerance, step_report *report);
bool heap_step_finish(heap_step *g, const motion *now, motion *next, double dt, double tolerance, step_report *report);
/* Corrections of positions that failed came to no end, and it has so many contacts that parts of it cost less than its
 * step problem. */
bool heap_step_gave_up(const heap_step *g);

/* The step taken last is accepted; or its positions are found again, from the percussions that they have. */
void heap_step_accept(heap_step *g);
void heap_step_again(heap_step *g);

/* After a step: what the contacts did, contact by contact; percussions are added. */
found_work heap_step_worked(const heap_step *g);
void heap_step_tell(const heap_step *g, int k, carom_found *x);
/* What contact k carries to the next step, as its guess. */
heap_load *heap_step_load(heap_step *g, int k);

#endif
