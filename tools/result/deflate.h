/* Compresses chunks into what HDF5's filters shuffle and deflate make, several times faster. Shuffle sorts the bytes of
 * doubles into eight planes. Planes that look random, as those of the low bytes of mantissas, are stored as they are.
 * For the others only runs of equal bytes and byte frequencies are used: a search for longer matches would take most of
 * the time and save a few percent. */
#ifndef CAROM_DEFLATE_H
#define CAROM_DEFLATE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct deflater deflater;

/* For chunks of the given number of doubles. NULL: out of memory. */
deflater *deflater_create(size_t chunk);
void deflater_destroy(deflater *d);

/* A chunk that holds count values and then zeros. Returns the bytes and their number. */
const unsigned char *deflater_run(deflater *d, const double *values, size_t count, size_t *size);

#endif
