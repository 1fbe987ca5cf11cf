/* Contacts that close and open again within a step whose events are captured: between its ends they are not seen
 * (docs/theory/passages.md, (Z1)-(Z3), (Z5)). */
#ifndef CAROM_PASSAGE_H
#define CAROM_PASSAGE_H

#include "model/far.h"

/* A straight piece of the motion, parts tau in [0, 1] of it. */
typedef struct straight {
    double t, h; /* when it begins, how long it lasts */
    const double *from, *to;
    const double *u[2];     /* velocities at its ends; NULL: of the straight piece */
    const double *state[2]; /* [contacts] at its ends; NULL: open */
} straight;

typedef struct passage {
    int contact;
    double in, deepest, out; /* the parts of the piece where the gap is passed and where it is smallest */
    double gap;              /* there */
} passage;

/* Room to look for them. */
typedef struct passages {
    const carom_model *m;
    double *q, *begin, *end, *at, *memory; /* [nq]; position functions at both ends, and anywhere */
    double *q_dot, *c_q;                   /* rates of the motion and derivatives of the gaps, at both ends */
    enum { SLOPES_ASKED, SLOPES_KNOWN, SLOPES_UNDEFINED } slopes; /* of the present path */
    bool *looked;                                                 /* [contacts] at */
    carom_range *range;                                           /* [2 (nq + nc)] */
    far_box far;
} passages;

bool passages_create(passages *p, const carom_model *model); /* false: out of memory */
void passages_destroy(passages *p);

/* False: no contact can close along the piece, or those that can stay closed. Then nothing is evaluated, most often. */
bool passage_possible(passages *p, straight path);

/* The first passage on the piece, among the contacts [first, last) that do not stay closed. True: there is one. */
bool passage_find(passages *p, straight path, int first, int last, passage *found);

/* The first contact that the piece enters and does not leave; in and deepest: where its gap closes. */
bool passage_enter(passages *p, straight path, passage *found);

#endif
