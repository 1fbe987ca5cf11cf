#include "result/deflate.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { PLANES = sizeof(double), STORE = 0, FAST = 1 };

struct deflater {
    z_stream stream;
    size_t chunk, room;
    unsigned char *planes, *out;
};

deflater *deflater_create(size_t chunk) {
    deflater *d = calloc(1, sizeof *d);
    if (!d || deflateInit(&d->stream, FAST) != Z_OK) {
        free(d);
        return NULL;
    }
    d->chunk = chunk;
    d->room = deflateBound(&d->stream, chunk * PLANES) + 64 * PLANES; /* a few bytes per block and change of level */
    d->planes = malloc(chunk * PLANES);
    d->out = malloc(d->room);
    if (d->planes && d->out) return d;
    deflater_destroy(d);
    return NULL;
}

void deflater_destroy(deflater *d) {
    if (!d) return;
    deflateEnd(&d->stream);
    free(d->planes);
    free(d->out);
    free(d);
}

static void shuffle(deflater *d, const double *values, size_t count) {
    const unsigned char *bytes = (const unsigned char *)values;
    for (size_t k = 0; k < PLANES; k++) {
        unsigned char *plane = d->planes + k * d->chunk;
        for (size_t i = 0; i < count; i++) plane[i] = bytes[i * PLANES + k];
        memset(plane + count, 0, d->chunk - count);
    }
}

const unsigned char *deflater_run(deflater *d, const double *values, size_t count, unsigned char *noise, size_t *size) {
    z_stream *z = &d->stream;
    shuffle(d, values, count);
    deflateReset(z);
    z->next_out = d->out;
    z->avail_out = (uInt)d->room;
    for (int k = 0; k < PLANES; k++) {
        bool store = *noise >> k & 1;
        uLong before = z->total_out;
        deflateParams(z, store ? STORE : FAST, Z_DEFAULT_STRATEGY);
        z->next_in = d->planes + (size_t)k * d->chunk;
        z->avail_in = (uInt)d->chunk;
        deflate(z, k < PLANES - 1 ? Z_BLOCK : Z_FINISH);
        if (!store && z->total_out - before > d->chunk - d->chunk / 32) *noise |= (unsigned char)(1 << k);
    }
    *size = z->total_out;
    return d->out;
}
