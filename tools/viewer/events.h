/* What happened when, for marks on the time line: the located events of a result or, if its run located none, the
 * changes of contact states from row to row. Contacts that are found strike at rows. All strikes of an entry of the
 * scene at one row are one event, with the greatest percussion. */
#ifndef CAROM_VIEWER_EVENTS_H
#define CAROM_VIEWER_EVENTS_H

#include "picture/found.h"

enum { EVENT_TIME, EVENT_CONTACT, EVENT_KIND, EVENT_PN, EVENT_LOSS, EVENT_FIELDS };

typedef struct events {
    bool located; /* inside steps; otherwise at rows */
    long count, room;
    double (*event)[EVENT_FIELDS]; /* by time */
    int contacts;
    const char **contact; /* names, of the reader or in text */
    char *text;
} events;

carom_status events_read(result_reader *r, const double *t, long rows, found *f, events *e, carom_error *error);
void events_free(events *e);

#endif
