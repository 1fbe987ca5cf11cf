/* Bytes for a page: deflated (zlib's format), then written in base64. */
#ifndef CAROM_VIEWER_PACKED_H
#define CAROM_VIEWER_PACKED_H

#include "carom/carom.h"

#include <stdio.h>
#include <zlib.h>

typedef struct packed {
    FILE *out;
    z_stream z;
    unsigned char rest[3]; /* bytes that do not make a group of base64 yet */
    int rests;
} packed;

carom_status packed_open(packed *s, FILE *out, carom_error *error);
void packed_write(packed *s, const void *bytes, size_t size);
void packed_close(packed *s); /* the owner of out checks it for errors */

#endif
