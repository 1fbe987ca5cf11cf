#include "viewer/columns.h"

#include "error.h"
#include "result/json.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const double finest = 1 << 26; /* steps of a place over its range */

static bool same(double a, double b) {
    return a == b || (isnan(a) && isnan(b));
}

static bool is_constant(const double *values, long count) {
    for (long i = 1; i < count; i++)
        if (!same(values[i], values[0])) return false;
    return true;
}

/* low and step, from what is finite. */
static void measure(packed_column *c, const double *values, long count) {
    double low = INFINITY, high = -INFINITY;
    for (long i = 0; i < count; i++)
        if (isfinite(values[i])) low = fmin(low, values[i]), high = fmax(high, values[i]);
    c->low = low <= high ? low : 0;
    c->step = low < high ? high / finest - low / finest : 1;
}

coding columns_finest(const double *values, long count) {
    double low = INFINITY, high = -INFINITY;
    for (long i = 0; i < count; i++) {
        if (isinf(values[i])) return CODED_QUANTITY;
        low = fmin(low, values[i]), high = fmax(high, values[i]);
    }
    return low < high && high - low < fmax(low, -high) / 8 ? CODED_PLACE : CODED_QUANTITY;
}

/* ---- whole numbers */

static int32_t place_code(const packed_column *c, double x) {
    return isfinite(x) ? (int32_t)lrint((x - c->low) / c->step) : INT32_MIN;
}

/* Floats of either sign in one order: the bits of negative ones are turned around. */
static int32_t quantity_code(double x) {
    float narrow = (float)x;
    int32_t bits;
    memcpy(&bits, &narrow, sizeof bits);
    return bits < 0 ? bits ^ INT32_MAX : bits;
}

static void put_planes(const void *values, size_t size, size_t i, size_t count, unsigned char *planes) {
    for (size_t k = 0; k < size; k++) planes[k * count + i] = ((const unsigned char *)values)[k];
}

/* The second difference of k_i, modulo 2^32, with its sign in the lowest bit. */
static void put_codes(const packed_column *c, const double *values, unsigned char *planes) {
    uint32_t before = 0, before_that = 0;
    for (long i = 0; i < c->count; i++) {
        uint32_t k = (uint32_t)(c->coding == CODED_PLACE ? place_code(c, values[i]) : quantity_code(values[i]));
        uint32_t d = k - 2 * before + before_that, folded = d << 1 ^ (d >> 31 ? UINT32_MAX : 0);
        put_planes(&folded, sizeof folded, (size_t)i, (size_t)c->count, planes);
        before_that = before, before = k;
    }
}

/* ---- a column */

static bool make_room(columns *c, size_t bytes) {
    if (c->count == c->room) {
        int room = c->room ? 2 * c->room : 64;
        packed_column *larger = realloc(c->column, (size_t)room * sizeof *larger);
        if (!larger) return false;
        c->column = larger, c->room = room;
    }
    if (bytes > c->buffer_room) {
        unsigned char *larger = realloc(c->buffer, bytes);
        if (!larger) return false;
        c->buffer = larger, c->buffer_room = bytes;
    }
    return true;
}

int columns_add(columns *c, coding as, const double *values, long count) {
    size_t size = as == CODED_TIME ? sizeof(double) : sizeof(int32_t), bytes = size * (size_t)count;
    if (!make_room(c, bytes)) c->failed = true;
    if (c->failed) return 0;
    packed_column *added = &c->column[c->count];
    *added = (packed_column){.coding = as, .count = count};
    if (is_constant(values, count)) {
        added->coding = CODED_CONSTANT;
        added->low = count > 0 ? values[0] : 0;
        return c->count++;
    }
    if (as == CODED_PLACE) measure(added, values, count);
    if (as == CODED_TIME)
        for (long i = 0; i < count; i++) put_planes(&values[i], size, (size_t)i, (size_t)count, c->buffer);
    else put_codes(added, values, c->buffer);
    packed_write(&c->packed, c->buffer, bytes);
    return c->count++;
}

/* ---- all of them */

carom_status columns_open(columns *c, FILE *out, carom_error *error) {
    *c = (columns){0};
    return packed_open(&c->packed, out, error);
}

carom_status columns_close(columns *c, carom_error *error) {
    packed_close(&c->packed);
    return c->failed ? carom_error_memory(error) : CAROM_OK;
}

void columns_describe(const columns *c, FILE *out) {
    fputc('[', out);
    for (int i = 0; i < c->count; i++) {
        const packed_column *x = &c->column[i];
        fprintf(out, "%s[%d,%ld,", i > 0 ? "," : "", (int)x->coding, x->count);
        json_number(out, x->low);
        fputc(',', out);
        json_number(out, x->step);
        fputc(']', out);
    }
    fputs("]\n", out);
}

void columns_free(columns *c) {
    free(c->column);
    free(c->buffer);
}
