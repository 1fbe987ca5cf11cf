/* Contacts that were found, in a page: for each of its rows those that touch, or the strongest of them if there are
 * many. */
#ifndef CAROM_VIEWER_TOUCHES_H
#define CAROM_VIEWER_TOUCHES_H

#include "picture/film.h"
#include "picture/found.h"
#include "viewer/columns.h"

typedef struct touches {
    long held, there;      /* contacts in the page; in all rows that it holds */
    int from, at;          /* columns: how many contacts the rows before each row have; the first of FOUND_NUMBERS */
    found_contact *strong; /* contacts of a row, by percussion */
    long room;
} touches;

carom_status touches_write(columns *c, found *f, const long *rows, long count, touches *t, carom_error *error);
void touches_describe(FILE *out, const touches *t, const found *f, const film *m);
void touches_free(touches *t);

#endif
