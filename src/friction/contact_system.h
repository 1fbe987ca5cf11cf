/* Systems of all contacts of an island with a block of each,
 *
 *     (P W + Q) x = f,      P, Q block diagonal,                                                            (FC31)
 *
 * by block LU in the space of contacts, or where bodies are known in theirs, with E = Q^-1 P:
 *
 *     (A + B E C) y = B Q^-1 f,      x = Q^-1 f - E C y,                                                    (FC32)
 *
 * whichever is predicted to take fewer products of blocks. */
#ifndef CAROM_FRICTION_CONTACT_SYSTEM_H
#define CAROM_FRICTION_CONTACT_SYSTEM_H

#include "friction/body_blocks.h"

typedef struct contact_system contact_system;

/* bodies: of these contacts, or NULL; the system's to destroy. NULL: out of memory. */
contact_system *contact_system_create(const friction_problem *p, body_blocks *bodies);
void contact_system_destroy(contact_system *s);
double contact_system_work(const contact_system *s); /* products of blocks for one P, Q */

/* P and Q: [contacts] kept by the caller while it solves. Zero rows of P cost nothing. */
void contact_system_factor(contact_system *s, const block3 *P, const block3 *Q);
double contact_system_orientation(const contact_system *s); /* the sign of det(P W + Q) if that of det A is 1 */
void contact_system_solve(contact_system *s, double *f);    /* [3 contacts] f becomes x */

#endif
