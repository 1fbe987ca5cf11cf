/* The recorded quantities of a result in a page, and the panels that the page draws at first. */
#ifndef CAROM_VIEWER_QUANTITIES_H
#define CAROM_VIEWER_QUANTITIES_H

#include "result/panel.h"
#include "viewer/columns.h"

typedef struct quantities {
    result_reader *reader;
    panel *panels;
    int panel_count, columns; /* columns of the result, and those derived for panels */
    int *at;                  /* [columns] the column of the page; -1: left out */
} quantities;

/* How many columns of a result a page will hold. */
int quantities_expected(const result_reader *r);
carom_status quantities_write(columns *c, result_reader *r, const long *rows, long count, quantities *q,
                              carom_error *error);
void quantities_describe(FILE *out, const quantities *q);
void quantities_free(quantities *q);

#endif
