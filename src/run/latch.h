/* What lets go during a run (docs/theory/laws.md, (L22) to (L24)): joints that break, contacts that bear a pull. Where
 * events are captured it does so between steps; where they are located, a step is divided at the instant. */
#ifndef CAROM_LATCH_H
#define CAROM_LATCH_H

#include "run/sim.h"

bool latches_create(carom_sim *sim); /* false: out of memory */
void latches_destroy(carom_sim *sim);

/* All joints whole, in sim->now; then contacts that bear a pull by their states, which are known. */
void latch_reset(carom_sim *sim);
void latch_start(carom_sim *sim, const motion *first);
/* Located: if the scheme finds a contact open where it starts, the contact does not hold there, and the scheme starts
 * again without it. */
bool latch_settle(carom_sim *sim, double *state, step_report *report);
/* A step begins at sim->now. What earlier tries of it have switched is undone. */
void latch_begin_step(carom_sim *sim);

/* Located: loads at a state that a piece is to begin with are too large for a joint. */
bool latch_overloaded(carom_sim *sim, double *state);
/* Located: something lets go within the piece from one state to another. *part: of its length, to be tried instead. */
bool latch_cut(carom_sim *sim, double *from, double *to, double h, double *part);
/* After a piece of length h, which stays; 0: between two of them. Switches what let go. False: with the reason. */
bool latch_finish(carom_sim *sim, double *from, double *to, double h, bool again, step_report *report);

/* Derivatives go along, or not, as sim->sensitivity says. False: out of memory. */
bool latch_vary(carom_sim *sim);

/* The pull that a contact bore in the last step, a percussion: (L23). */
double latch_pull(const carom_sim *sim, int contact);

#endif
