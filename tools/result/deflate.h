/* Chunks as HDF5's shuffle and deflate filters make them, several times faster: the bytes of doubles are sorted into
 * eight planes. Planes of noise, as the low bytes of mantissas, are stored as they are. In the others only runs of
 * equal bytes and their frequencies are used, since longer matches take most of the time and save a few percent. */
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
