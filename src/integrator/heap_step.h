/* Steps of heaps: moreau, symmetric_moreau and rattle for free round bodies, whose contacts are all found and are
 * accepted at an error. The equations are those of the schemes; they go straight from pairs of bodies to sweeps over
 * velocities, and no step problem is made (docs/theory/friction.md, (FC14) to (FC17)). */
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

/* Other contacts: those that were there before keep their percussions. False: out of memory. */
bool heap_step_list(heap_step *g, const contact_list *list);
/* The states of contacts where a run begins. */
void heap_step_start(heap_step *g, const motion *first, double tolerance, double dt);
/* False: contacts could not be solved to the error that is accepted. */
bool heap_step_take(heap_step *g, const motion *now, motion *next, double dt, double tolerance, step_report *report);

/* After a step: what contacts did. Of contact k, what is told of it; percussions are added. */
found_work heap_step_worked(const heap_step *g);
void heap_step_tell(const heap_step *g, int k, carom_found *x);
/* What contact k carries to the next step, as its guess. */
heap_load *heap_step_load(heap_step *g, int k);

#endif
