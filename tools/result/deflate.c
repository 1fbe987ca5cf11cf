#include "result/deflate.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { PLANES = sizeof(double), STORE = 0, FAST = 1, WINDOW = 15, MEMORY = 6 };
/* 64 random bytes have 56.7 different values on average, with a deviation of 2.4. Drawn from half as many values, they
 * have 50.6. */
enum { SAMPLES = 4, SAMPLE = 64, RANDOM = 50 };

struct deflater {
    z_stream stream;
    size_t chunk, room;
    unsigned char *planes, *out;
};

deflater *deflater_create(size_t chunk) {
    deflater *d = calloc(1, sizeof *d);
    if (!d || deflateInit2(&d->stream, FAST, Z_DEFLATED, WINDOW, MEMORY, Z_RLE) != Z_OK) {
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

static int count_different(const unsigned char *bytes) {
    bool seen[256] = {false};
    int different = 0;
    for (int i = 0; i < SAMPLE; i++) {
        different += !seen[bytes[i]];
        seen[bytes[i]] = true;
    }
    return different;
}

/* Do all samples of a plane look random? */
static bool is_noise(const unsigned char *plane, size_t count) {
    if (count < SAMPLES * SAMPLE) return false;
    for (size_t k = 0; k < SAMPLES; k++)
        if (count_different(plane + k * (count - SAMPLE) / (SAMPLES - 1)) < RANDOM) return false;
    return true;
}

const unsigned char *deflater_run(deflater *d, const double *values, size_t count, size_t *size) {
    z_stream *z = &d->stream;
    shuffle(d, values, count);
    deflateReset(z);
    z->next_out = d->out;
    z->avail_out = (uInt)d->room;
    for (size_t k = 0; k < PLANES; k++) {
        unsigned char *plane = d->planes + k * d->chunk;
        deflateParams(z, is_noise(plane, count) ? STORE : FAST, Z_RLE);
        z->next_in = plane;
        z->avail_in = (uInt)d->chunk;
        deflate(z, k < PLANES - 1 ? Z_BLOCK : Z_FINISH);
    }
    *size = z->total_out;
    return d->out;
}
