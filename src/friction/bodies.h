/* Friction problems in the space of bodies: contacts see velocities x of bodies and move them,
 *
 *     u = C x + d,      x = Y r,      so that W = C Y in (FC1),                                             (FC9)
 *
 * and W is never formed. docs/theory/friction.md. */
#ifndef CAROM_FRICTION_BODIES_H
#define CAROM_FRICTION_BODIES_H

#include "friction/contact.h"

typedef struct body_contacts {
    int contacts, velocities;
    int *start;              /* [contacts + 1] contact a has columns start[a] to start[a + 1] */
    int *column;             /* of these, the velocities; ascending for a contact */
    double (*C)[3], (*Y)[3]; /* by columns: what x adds to u, what r adds to x */
    double *d;               /* [3 contacts] */
    double *mu;              /* [contacts] */
    double *scale;           /* [contacts] velocities that count beside percussions, for the size of errors */
    bool *takes_part;        /* [contacts] */
    struct contact *one;     /* [contacts] room: one contact alone */
    block3 *own;             /* [contacts] room: its block of W */
    double *last_r, *last_x; /* room */
    int *of, *first, *list;  /* room: islands of velocities; the contacts of island k are list[first[k]...] */
    int *reached, *first_x;  /* room: the velocities of island k */
    int islands;
} body_contacts;

/* Room for contacts with so many columns together; start and column are the caller's to fill. False: out of memory. */
bool body_contacts_create(body_contacts *b, int contacts, int velocities, int columns);
void body_contacts_destroy(body_contacts *b);

typedef struct body_report {
    bool solved;
    int islands, sweeps; /* sweeps over the largest number that an island took */
    double error;        /* the largest error (FC2) of an island, relative to its |r| and scales */
} body_report;

/* Finds the islands of the contacts that take part. */
void body_contacts_divide(body_contacts *b);

/* r and x: the guess on entry, x with the effect of r; the solution on return. An island whose error is good is left as
 * it is; any other is swept until its error is as small as wanted (<= good), or most sweeps are spent. */
void body_contacts_solve(body_contacts *b, double good, double wanted, int most, double *r, double *x,
                         body_report *report);

/* x += factor Y r of one contact */
void body_contacts_push(const body_contacts *b, int a, double factor, const double r[3], double *x);

#endif
