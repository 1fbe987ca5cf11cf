/* The operations of an impact that is a process, one by one, so that its derivatives can follow them, (SE73) in
 * docs/theory/sensitivity.md. */
#ifndef CAROM_PROCESS_RECORD_H
#define CAROM_PROCESS_RECORD_H

#include <stdbool.h>
#include <stddef.h>

/* What ends a piece: a row of s that comes to zero, slips of a contact that do, an expansion that is over. */
typedef enum ending_kind { END_LENGTH, END_ROW, END_SLIP, END_EXPANSION } ending_kind;

/* Operations, with what they keep in this order. */
typedef enum process_step {
    PROCESS_BEGIN,  /* an impact: restitutions in effect [contacts], s [ns] */
    PROCESS_RISE,   /* approaches go down: rise over approach, [contacts]; nothing is given */
    PROCESS_PRESS,  /* percussions of an impact without rebound are given: the problem */
    PROCESS_GIVE,   /* those of expansions are: whether, restitution, compression, [contacts] each */
    PROCESS_RATES,  /* rates: the problem, rates that are given [contacts] */
    PROCESS_STAGE,  /* the same, of a piece that turns, which comes after its stages */
    PROCESS_PIECE,  /* a piece along them: s, ds, dP [ns], given rates [contacts], the expansion and its derivatives */
    PROCESS_TURN,   /* compression is over */
    PROCESS_STRIKE, /* Newton's law of the contact alone: the problem, s before [ns] */
} process_step;

typedef struct process_op {
    process_step step;
    int contact;
    ending_kind kind; /* of a piece, */
    double length;    /* its length, */
    bool curved, met; /* whether it turned, and met its end; then it follows the rates of its stages */
    size_t at;        /* of what it keeps */
} process_op;

typedef struct process_record {
    process_op *op;
    int ops, room;
    double *kept;
    size_t used, size;
    bool failed;   /* there was no memory */
    bool stiff;    /* a piece that turned was taken by the implicit method */
    double margin; /* how far the ends of pieces were apart, relative to the way: the least, (SE75) */
} process_record;

void record_clear(process_record *r);
void record_destroy(process_record *r);
/* Back to the first ops of it. */
void record_cut(process_record *r, int ops);
/* Room for what an operation keeps; NULL: nothing is recorded (r NULL), or there is no memory. */
double *record_add(process_record *r, process_op op, size_t size);

#endif
