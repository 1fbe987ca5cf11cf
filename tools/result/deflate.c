#include "result/deflate.h"

#include "result/blocks.h"

#include <stdlib.h>

enum { PLANES = sizeof(double) };
/* 64 random bytes have 56.7 different values on average, with a deviation of 2.4. What has half as many saves less than
 * a fifth by the frequencies of its bytes, and costs most of the time. */
enum { SAMPLES = 4, SAMPLE = 64, RANDOM = 32 };

struct deflater {
    size_t columns, plane; /* plane: bytes of one */
    unsigned char *planes, *out;
    packer *packer;
};

deflater *deflater_create(size_t rows, size_t columns) {
    deflater *d = calloc(1, sizeof *d);
    if (!d) return NULL;
    d->columns = columns;
    d->plane = rows * columns;
    d->planes = malloc(d->plane * PLANES);
    /* no plane takes more than if it were stored; 16: what stands around them, and what bits_put needs */
    d->out = malloc(PLANES * (d->plane + STORED_HEAD * (d->plane / STORED_MOST + 2)) + 16);
    d->packer = packer_create(d->plane, columns);
    if (d->planes && d->out && d->packer) return d;
    deflater_destroy(d);
    return NULL;
}

void deflater_destroy(deflater *d) {
    if (!d) return;
    packer_destroy(d->packer);
    free(d->planes);
    free(d->out);
    free(d);
}

/* ---- planes */

static void exchange(uint64_t *a, uint64_t *b, int shift, uint64_t lower) {
    const uint64_t differ = (*a >> shift ^ *b) & lower;
    *a ^= differ << shift;
    *b ^= differ;
}

/* Eight rows of eight bytes become eight columns. Each round exchanges squares of half the size. */
static void transpose(uint64_t w[PLANES]) {
    for (int i = 0; i < 4; i++) exchange(&w[i], &w[i + 4], 32, 0x00000000ffffffff);
    for (int i = 0; i < 8; i += 4) {
        exchange(&w[i], &w[i + 2], 16, 0x0000ffff0000ffff);
        exchange(&w[i + 1], &w[i + 3], 16, 0x0000ffff0000ffff);
    }
    for (int i = 0; i < 8; i += 2) exchange(&w[i], &w[i + 1], 8, 0x00ff00ff00ff00ff);
}

static void shuffle(deflater *d, const double *values, size_t count) {
    size_t i = 0;
    for (; i + PLANES <= count; i += PLANES) {
        uint64_t word[PLANES];
        memcpy(word, values + i, sizeof word);
        for (int k = 0; k < PLANES; k++) word[k] = le64toh(word[k]);
        transpose(word);
        for (size_t k = 0; k < PLANES; k++) {
            const uint64_t column = htole64(word[k]);
            memcpy(d->planes + k * d->plane + i, &column, sizeof column);
        }
    }
    const unsigned char *bytes = (const unsigned char *)values;
    for (size_t k = 0; k < PLANES; k++) {
        unsigned char *plane = d->planes + k * d->plane;
        for (size_t rest = i; rest < count; rest++) plane[rest] = bytes[rest * PLANES + k];
        memset(plane + count, 0, d->plane - count);
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

static int count_repeated(const unsigned char *bytes, size_t distance) {
    int repeated = 0;
    for (int i = 0; i < SAMPLE; i++) repeated += bytes[i] == bytes[i - (ptrdiff_t)distance];
    return repeated;
}

/* Do all samples of a plane look random, and unlike the row before? */
static bool is_noise(const deflater *d, const unsigned char *plane, size_t count) {
    if (count < SAMPLES * SAMPLE) return false;
    for (size_t k = 0; k < SAMPLES; k++) {
        const size_t at = k * (count - SAMPLE) / (SAMPLES - 1);
        if (count_different(plane + at) < RANDOM) return false;
        if (at >= d->columns && count_repeated(plane + at, d->columns) > SAMPLE / 4) return false;
    }
    return true;
}

/* ---- the sum of zlib, Adler-32 */

enum { LANES = 16, MOST_STEPS = 4096, PRIME = 65521 }; /* 4096 * 4097 / 2 * 255 is below 2^32 */

/* sum = 1 + the bytes, weighted = the sum of all sums on the way; each lane adds up every sixteenth byte. In steps i of
 * n, lane l holds a = sum d_i and b = sum (n-1-i) d_i, so that its bytes weigh 16 b + (16-l) a in the end. */
static uint32_t adler(const unsigned char *bytes, size_t count) {
    uint64_t sum = 1, weighted = 0;
    while (count >= LANES) {
        const size_t steps = count / LANES < MOST_STEPS ? count / LANES : MOST_STEPS;
        uint32_t a[LANES] = {0}, b[LANES] = {0};
        for (size_t i = 0; i < steps; i++, bytes += LANES)
            for (int l = 0; l < LANES; l++) b[l] += a[l], a[l] += bytes[l];
        weighted += LANES * steps * sum;
        for (uint64_t l = 0; l < LANES; l++) {
            weighted += LANES * (uint64_t)b[l] + (LANES - l) * a[l];
            sum += a[l];
        }
        sum %= PRIME, weighted %= PRIME;
        count -= LANES * steps;
    }
    for (; count > 0; count--) sum += *bytes++, weighted += sum;
    return (uint32_t)(weighted % PRIME << 16 | sum % PRIME);
}

/* ---- chunks */

/* The stream of zlib: its head (a window of 32 KB), blocks, and a sum of the bytes that they stand for. */
const unsigned char *deflater_run(deflater *d, const double *values, size_t count, size_t *size) {
    const size_t filled = count * d->columns, all = PLANES * d->plane;
    size_t stored = 0; /* planes up to here are written */
    bits to = {.to = d->out};
    shuffle(d, values, filled);
    bits_put(&to, 0x0178, 16);
    for (size_t at = 0; at < all; at += d->plane) {
        const unsigned char *plane = d->planes + at;
        if (is_noise(d, plane, filled) || packer_find(d->packer, plane, d->plane, at) >= 8 * d->plane) continue;
        put_stored(&to, d->planes + stored, at - stored, false);
        stored = at + d->plane;
        packer_put(d->packer, &to, stored == all);
    }
    put_stored(&to, d->planes + stored, all - stored, true);
    bits_end(&to);
    const uint32_t sum = htobe32(adler(d->planes, all));
    memcpy(to.to, &sum, sizeof sum);
    *size = (size_t)(to.to - d->out) + sizeof sum;
    return d->out;
}
