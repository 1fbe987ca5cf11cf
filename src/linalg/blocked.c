/* Factorisation: the earlier strips are taken off each strip (blocked_inside.h), block by block, then what is left is
 * eliminated within it. Sums are in the same order whatever the width of the registers. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg/blocked_inside.h"
#include "linalg/blocked_order.h"

static const double RANK = 1e-11;      /* as in linear.c */
static const double SMALL = 1e-6;      /* pivots that may be round-off */
static const double ROUND_OFF = 1e-14; /* of W^T M^-1 W, over percussions of size one, (S26) */
static const double GROWTH = 32;       /* a longer row of V asks for other pivots */

/* ---------------------------------------------------------------- earlier strips */

/* C -= A B, rows by size and size by width. */
IN_BOTH void subtract_width(const int width, int rows, int size, tile A, tile B, tile C) {
    for (int i = 0; i < rows; i++) {
        const double *a = A.a + i * A.stride, *b = B.a;
        double *c = C.a + i * C.stride, w = c[width - 1];
        quad x = {0}, y = {0};
        pair z = {0};
        if (width >= 4) x = *(const quad *)c;
        if (width == 8) y = *(const quad *)(c + 4);
        if (width & 2) z = *(const pair *)(c + (width & 4));
        for (int p = 0; p < size; p++, b += B.stride) {
            const double f = a[p];
            if (width >= 4) x -= f * *(const quad *)b;
            if (width == 8) y -= f * *(const quad *)(b + 4);
            if (width & 2) z -= f * *(const pair *)(b + (width & 4));
            if (width & 1) w -= f * b[width - 1];
        }
        if (width >= 4) *(quad *)c = x;
        if (width == 8) *(quad *)(c + 4) = y;
        if (width & 2) *(pair *)(c + (width & 4)) = z;
        if (width & 1) c[width - 1] = w;
    }
}

/* The same with a loop for each width, which keeps a row of C in registers. */
IN_BOTH void subtract_product(int width, int rows, int size, tile A, tile B, tile C) {
#define OF_WIDTH(w)                                                                                                    \
    if (width == w) subtract_width(w, rows, size, A, B, C)
    OF_WIDTH(1);
    OF_WIDTH(2);
    OF_WIDTH(3);
    OF_WIDTH(4);
    OF_WIDTH(5);
    OF_WIDTH(6);
    OF_WIDTH(7);
    OF_WIDTH(8);
#undef OF_WIDTH
    _Static_assert(BLOCK_MOST == 8, "all widths of blocks");
}

/* ---------------------------------------------------------------- within a strip */

/* x -= f y, whole registers. */
IN_BOTH void subtract_row(int width, double f, const double *y, double *x) {
    for (int j = 0; j < width; j += LANES) *(quad *)(x + j) -= f * *(const quad *)(y + j);
}

/* x *= f. Returns the square of its length. */
IN_BOTH double scale_row(int width, double f, double *x) {
    quad sum = {0};
    for (int j = 0; j < width; j += LANES) {
        const quad now = *(quad *)(x + j) *= f;
        sum += now * now;
    }
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* Of the factorisation so far; and how many more laws may be left out. */
typedef struct extremes {
    double smallest, largest, growth;
    int dependent;
} extremes;

/* (S26): what such percussions do is the pivot of this law. Whether it is round-off beside them. */
static bool is_round_off(const blocked *b, blocked_law of, double pivot, double largest) {
    double *y = b->work, square = 0;
    if (of.block < b->laws) return pivot <= ROUND_OFF * largest;
    blocked_balance_before(b, of, y);
    for (int k = b->begin[b->laws]; k < b->n; k++) square += y[k] * y[k];
    return pivot <= ROUND_OFF * largest * square;
}

/* The unknown of a law becomes zero by an infinite pivot. False: the law may not be left out. */
static bool leave_out(blocked *b, blocked_law of, extremes *x) {
    if (of.block < b->laws || x->dependent == 0) return false;
    b->law[b->left_out++] = of;
    x->dependent--;
    return true;
}

/* A'_II = L U, in D. False: a pivot is round-off, and its row cannot be left out. */
IN_BOTH bool eliminate(blocked *b, int I, extremes *x) {
    const int size = size_of(b, I), width = right_width(b, I);
    const tile D = tile_of(b, I, left_width(b, I)), V = tile_of(b, I, right_begin(b, I));
    double *inverse = b->inverse + b->begin[I];
    for (int i = 0; i < size; i++) {
        double *d = D.a + i * D.stride;
        for (int p = 0; p < i; p++) {
            if (d[p] == 0) continue;
            const double f = d[p] *= inverse[p], *u = D.a + p * D.stride;
            for (int j = p + 1; j < size; j++) d[j] -= f * u[j];
            subtract_row(width, f, V.a + p * V.stride, V.a + i * V.stride);
        }
        const double pivot = fabs(d[i]);
        x->largest = pivot > x->largest ? pivot : x->largest;
        if (isnan(pivot)) return false;
        if (pivot <= SMALL * x->largest && is_round_off(b, (blocked_law){I, i}, pivot, x->largest)) {
            if (!leave_out(b, (blocked_law){I, i}, x)) return false;
            d[i] = INFINITY;
        } else x->smallest = pivot < x->smallest ? pivot : x->smallest;
        inverse[i] = 1 / d[i];
    }
    for (int i = size - 1; i >= 0; i--) {
        const double *u = D.a + i * D.stride;
        double *v = V.a + i * V.stride;
        for (int p = i + 1; p < size; p++)
            if (u[p] != 0) subtract_row(width, u[p], V.a + p * V.stride, v);
        const double growth = scale_row(width, inverse[i], v);
        x->growth = growth > x->growth ? growth : x->growth;
    }
    return true;
}

static void load(blocked *b, int I, const double *value) {
    double *a = b->factors + b->strip[I];
    memset(a, 0, (size_t)(b->strip[I + 1] - b->strip[I]) * sizeof *a);
    for (int k = b->begin[I]; k < b->begin[I + 1]; k++)
        for (int e = b->start[b->pivot[k]]; e < b->start[b->pivot[k] + 1]; e++) a[b->place[e]] = value[e];
    for (int e = b->row[I]; e < b->row[I + 1]; e++) b->at[b->column[e]] = b->offset[e];
}

IN_BOTH bool factor(blocked *b, const double *value, extremes *x) {
    for (int I = 0; I < b->blocks; I++) {
        const int rows = size_of(b, I);
        load(b, I, value);
        for (int e = b->row[I]; e < b->diagonal[I]; e++) {
            const int P = b->column[e], size = size_of(b, P);
            const tile A = tile_of(b, I, b->offset[e]);
            for (int q = b->diagonal[P] + 1; q < b->row[P + 1]; q++) {
                const int Q = b->column[q];
                subtract_product(size_of(b, Q), rows, size, A, tile_of(b, P, b->offset[q]), tile_of(b, I, b->at[Q]));
            }
        }
        if (!eliminate(b, I, x)) return false;
    }
    return true;
}

#ifdef WIDE
WIDE static bool factor_wide(blocked *b, const double *value, extremes *x) {
    return factor(b, value, x);
}
#endif

static bool factor_any(blocked *b, const double *value, extremes *x) {
#ifdef WIDE
    if (__builtin_cpu_supports("avx2")) return factor_wide(b, value, x);
#endif
    return factor(b, value, x);
}

blocked_verdict blocked_factor(blocked *b, const double *value, int dependent) {
    extremes x = {.smallest = DBL_MAX, .dependent = dependent};
    b->left_out = 0;
    if (!factor_any(b, value, &x)) return BLOCKED_SINGULAR;
    return x.smallest > RANK * x.largest && x.growth <= GROWTH * GROWTH ? BLOCKED_REGULAR : BLOCKED_DOUBTFUL;
}

int blocked_left_out(const blocked *b) {
    return b->left_out;
}

double blocked_factor_work(const blocked *b) {
    return b->products;
}

double blocked_solve_work(const blocked *b) {
    return b->entries;
}
