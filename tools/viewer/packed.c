#include "viewer/packed.h"

#include "error.h"

#include <limits.h>

enum { BLOCK = 1 << 15, LEVEL = 5 };

/* ---- base64: three bytes as four letters */

static void put_group(packed *s) {
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    unsigned bits = 0;
    for (int i = 0; i < 3; i++) bits = bits << 8 | (i < s->rests ? s->rest[i] : 0u);
    for (int i = 0; i < 4; i++) putc(i <= s->rests ? letters[bits >> (18 - 6 * i) & 63] : '=', s->out);
    s->rests = 0;
}

static void put_bytes(packed *s, const unsigned char *bytes, size_t size) {
    for (size_t i = 0; i < size; i++) {
        s->rest[s->rests++] = bytes[i];
        if (s->rests == 3) put_group(s);
    }
}

/* ---- deflate */

static void run(packed *s, int flush) {
    unsigned char block[BLOCK];
    do {
        s->z.next_out = block, s->z.avail_out = BLOCK;
        deflate(&s->z, flush);
        put_bytes(s, block, BLOCK - s->z.avail_out);
    } while (s->z.avail_out == 0);
}

carom_status packed_open(packed *s, FILE *out, carom_error *error) {
    *s = (packed){.out = out};
    return deflateInit(&s->z, LEVEL) == Z_OK ? CAROM_OK : carom_error_memory(error);
}

void packed_write(packed *s, const void *bytes, size_t size) {
    for (const unsigned char *from = bytes; size > 0;) {
        uInt part = size < INT_MAX ? (uInt)size : INT_MAX;
        s->z.next_in = (unsigned char *)from, s->z.avail_in = part; /* zlib only reads */
        run(s, Z_NO_FLUSH);
        from += part, size -= part;
    }
}

void packed_close(packed *s) {
    s->z.avail_in = 0;
    run(s, Z_FINISH);
    deflateEnd(&s->z);
    if (s->rests > 0) put_group(s);
}
