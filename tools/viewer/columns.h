/* Columns of numbers in a page. Neighbours in time are near each other: a column is stored as whole numbers k_i, of
 * these the second differences, and of these the four planes of bytes, which deflate well. page/data.js reads them.
 *
 *     places        x = low + step k, step = (high - low)/2^26; the largest error is (high - low)/2^27 = 7.5e-9 (high -
 * low) quantities    k = the bits of x as a float, in the order of the numbers; the largest error is 2^-24 |x| = 6e-8
 * |x| times         doubles as they are, in eight planes
 *
 * What is not finite is -2^31 among places; floats have it. A column of equal numbers is that number. */
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
/* The number of the new column. */
int columns_add(columns *c, coding as, const double *values, long count);
/* The end of the stream; the list stays, for columns_describe. */
carom_status columns_close(columns *c, carom_error *error);
/* [[coding, count, low, step], ...] */
void columns_describe(const columns *c, FILE *out);
void columns_free(columns *c);

#endif
