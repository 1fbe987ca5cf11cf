/* How much more than what can have caused them the velocities of a step may be (docs/theory/solver.md, (S20)). Whatever
 * accepts a step asks this: Newton's method and piles in solver/cause, heaps in integrator/heap_cause. */
#ifndef CAROM_CAUSE_H
#define CAROM_CAUSE_H

#include <math.h>
#include <stdbool.h>

static const double CAUSE_MOST = 30;  /* times the velocities */
static const double CAUSE_TURNED = 2; /* the same where a contact turns round, (S28) */

/* Whether a velocity beside that before is one that has a cause without asking. */
static inline bool cause_is_plain(double after, double before, double tolerance) {
    return !(fabs(after) > fmax(CAUSE_MOST * fabs(before), tolerance));
}

/* Whether a body may have this energy after the step; cause: that of all bodies connected with it, and of their laws.
 */
static inline bool cause_suffices(double energy, double cause) {
    return !(energy > CAUSE_MOST * CAUSE_MOST * cause);
}

/* The same for all connected bodies, where a contact of theirs turns round in the step. */
static inline bool cause_suffices_where_turned(double energy, double cause) {
    return !(energy > CAUSE_TURNED * CAUSE_TURNED * cause);
}

#endif
