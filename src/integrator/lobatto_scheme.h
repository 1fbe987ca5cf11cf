/* One step of the Lobatto IIIA-IIIB scheme with s stages that captures its events, and the parts that steps with fixed
 * states share with it (docs/theory/lobatto.md, (B6)-(B14)). */
#ifndef CAROM_LOBATTO_SCHEME_H
#define CAROM_LOBATTO_SCHEME_H

#include "integrator/ending.h"
#include "integrator/lobatto_stages.h"

typedef struct lobatto_scheme {
    const carom_model *m;
    lobatto_stages stages;
    ending end;
    bool overshoots; /* with an inner stage, a contact may be closed there and open at the end */
    bool easily;     /* stages by Newton's method alone; what that does not solve is done otherwise */
    bool undirected; /* in the last step slip had no direction to follow */
} lobatto_scheme;

/* located: with given senses of slip. False: out of memory; it is to be destroyed all the same. */
bool lobatto_scheme_create(lobatto_scheme *l, const carom_model *model, int s, bool published, bool located);
void lobatto_scheme_destroy(lobatto_scheme *l);
void lobatto_scheme_forget(lobatto_scheme *l);
/* Friction is that of the states at the start of the step, (L21). */
void lobatto_rub_as(lobatto_scheme *l, const motion *now);

/* Captures whatever happens in the step at its end. */
bool lobatto_capture(lobatto_scheme *l, const motion *now, motion *next, double dt, double tolerance,
                     step_report *report);

/* ---- its parts. A motion keeps R^1..R^{s-1}, divided by kept_over, and then s(t, q, u). */
double *lobatto_velocities(const lobatto_scheme *l, const motion *now);
double lobatto_kept_over(const lobatto_scheme *l);
void lobatto_guess(lobatto_scheme *l, const motion *now);
bool lobatto_balance_end(lobatto_scheme *l); /* false: the model is not defined there */
double lobatto_share_of_end(const lobatto_stages *stages);
void lobatto_read(lobatto_scheme *l, motion *next);

#endif
