/* Contacts that a run found (docs/guide/results.md#contacts-that-are-found), row by row of its result. */
#ifndef CAROM_PICTURE_FOUND_H
#define CAROM_PICTURE_FOUND_H

#include "result/result.h"

/* What is known of a contact. FOUND_STRUCK: 1 if it presses at this row and did not touch at the previous one. */
enum {
    FOUND_ENTRY,
    FOUND_BODY, /* two */
    FOUND_KIND = FOUND_BODY + 2,
    FOUND_FEATURE, /* two */
    FOUND_STATE = FOUND_FEATURE + 2,
    FOUND_GAP,
    FOUND_POINT,
    FOUND_NORMAL = FOUND_POINT + 3,
    FOUND_PN = FOUND_NORMAL + 3,
    FOUND_P,
    FOUND_STRUCK = FOUND_P + 3,
    FOUND_NUMBERS
};

typedef double found_contact[FOUND_NUMBERS];

typedef struct found {
    result_reader *table; /* NULL: the run did not look for contacts */
    long rows, *from;     /* of the result; the contacts of row i are from[i] .. from[i + 1] - 1 of the table */
    found_contact *contact,
        *before; /* the part of the table that is in memory; the contacts of the last row, by identity */
    double *column;
    long first, count, room, before_room;
} found;

/* t: of all rows of the result. */
carom_status found_open(found *f, result_reader *r, const double *t, long rows, carom_error *error);
/* The contacts at a row, valid until the next call. Reading rows in increasing order is fastest. */
carom_status found_at(found *f, long row, const found_contact **contacts, long *count, carom_error *error);
void found_close(found *f);

#endif
