/* Compresses chunks into what HDF5's filters shuffle and deflate make, several times faster than zlib. Shuffle sorts
 * the bytes of doubles into eight planes. Planes that look random, as those of the low bytes of mantissas, are stored
 * as they are. In the others, bytes that equal those of the row before become matches, and the rest is shortened by its
 * frequencies: a search for other matches would take most of the time and save a few percent. */
#ifndef CAROM_DEFLATE_H
#define CAROM_DEFLATE_H

#include <stddef.h>

typedef struct deflater deflater;

/* For chunks of so many rows and columns; at most 32768 columns. NULL: out of memory. */
deflater *deflater_create(size_t rows, size_t columns);
void deflater_destroy(deflater *d);

/* A chunk, stored by rows, that holds count rows and then zeros. Returns the bytes and their number. */
const unsigned char *deflater_run(deflater *d, const double *values, size_t count, size_t *size);

#endif
