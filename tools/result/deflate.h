/* Chunks as HDF5's shuffle and deflate filters make them, several times faster: the bytes of doubles are sorted into
 * eight planes, and planes that did not get smaller (the low bytes of mantissas are noise) are stored as they are. */
#ifndef CAROM_DEFLATE_H
#define CAROM_DEFLATE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct deflater deflater;

/* For chunks of the given number of doubles. NULL: out of memory. */
deflater *deflater_create(size_t chunk);
void deflater_destroy(deflater *d);

/* A chunk that holds count values and then zeros. *noise has a bit for each plane that does not get smaller: it is
 * read and updated; 0 tries all of them. Returns the bytes and their number. */
const unsigned char *deflater_run(deflater *d, const double *values, size_t count, unsigned char *noise, size_t *size);

#endif
