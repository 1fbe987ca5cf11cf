/* Columns of numbers in a page. Neighbours in time differ little. So a column is stored as whole numbers k_i, of these
 * the second differences, and of these the four planes of bytes, which deflate well. page/data.js reads them.
 *
 * A place is x = low + step k with step = (high - low)/2^26; its largest error is (high - low)/2^27. A quantity is a
 * float, with its bits k in the order of the numbers; its largest error is 2^-24 |x| = 6e-8 |x|. A time is a double,
 * unchanged, in eight planes.
 *
 * What is not finite is -2^31 among places; floats have it. A column of equal numbers is stored as that number. */
#ifndef CAROM_VIEWER_COLUMNS_H
#define CAROM_VIEWER_COLUMNS_H

#include "viewer/packed.h"

typedef enum coding { CODED_CONSTANT, CODED_PLACE, CODED_QUANTITY, CODED_TIME } coding;

typedef struct packed_column {
    coding coding;
    long count;
    double low, step; /* of places; low: of constants */
} packed_column;

typedef struct columns {
    packed packed;
    int count, room;
    packed_column *column;
    size_t buffer_room;
    unsigned char *buffer;
    bool failed; /* out of memory */
} columns;

carom_status columns_open(columns *c, FILE *out, carom_error *error);
/* The finer one of the codings that suit a quantity. If numbers have one sign and differ by less than an eighth of the
 * smallest, as an energy that is kept to round-off, they are finer as places: floats would show their own steps. */
coding columns_finest(const double *values, long count);
/* Returns the number of the new column. */
int columns_add(columns *c, coding as, const double *values, long count);
/* Ends the stream; columns_describe still needs the list. */
carom_status columns_close(columns *c, carom_error *error);
/* [[coding, count, low, step], ...] */
void columns_describe(const columns *c, FILE *out);
void columns_free(columns *c);

#endif
