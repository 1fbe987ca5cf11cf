/* Solutions with the factors of blocked.c, and percussions and sums of rows that are nothing. Sums are in the same
 * order whatever the width of the registers. */
#include <string.h>

#include "linalg/blocked_inside.h"

/* a . x, whole registers. */
IN_BOTH double product(int width, const double *a, const double *x) {
    quad sum = {0};
    for (int j = 0; j < width; j += LANES) sum += *(const quad *)(a + j) * *(const quad *)(x + j);
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* The numbers of y that belong to the blocks from e to last of a part of a strip. */
IN_BOTH void gather(const blocked *b, int e, int last, int width, const double *y) {
    double *to = b->part;
    for (int j = width < LANES ? 0 : width - LANES; j < width; j++) to[j] = 0;
    for (; e < last; e++) {
        const double *from = y + b->begin[b->column[e]];
        for (int j = size_of(b, b->column[e]); j > 0; j--) *to++ = *from++;
    }
}

/* y_I -= V_I y for the blocks from I back to the first. */
IN_BOTH void solve_back(const blocked *b, int I, int first, double *y) {
    for (; I >= first; I--) {
        const int size = size_of(b, I), width = right_width(b, I);
        const tile V = tile_of(b, I, right_begin(b, I));
        double *now = y + b->begin[I];
        gather(b, b->diagonal[I] + 1, b->row[I + 1], width, y);
        for (int i = 0; i < size && width > 0; i++) now[i] -= product(width, V.a + i * V.stride, b->part);
    }
}

/* The percussions, 1 at a law and 0 at those behind it, of which the laws before it feel nothing. */
void blocked_balance_before(const blocked *b, blocked_law of, double *y) {
    const tile D = tile_of(b, of.block, left_width(b, of.block));
    double *now = y + b->begin[of.block];
    memset(y, 0, (size_t)b->n * sizeof *y);
    now[of.within] = 1;
    for (int i = of.within - 1; i >= 0; i--) {
        for (int p = i + 1; p <= of.within; p++) now[i] -= D.a[i * D.stride + p] * now[p];
        now[i] /= D.a[i * D.stride + i];
    }
    solve_back(b, of.block - 1, b->laws, y);
}

/* y := A'_II^-1 y. Divides by the pivots, since a product with the inverse is rounded twice: bodies that do not move
 * shall not creep. */
IN_BOTH void divide(int size, tile D, double *y) {
    for (int i = 1; i < size; i++)
        for (int p = 0; p < i; p++) y[i] -= D.a[i * D.stride + p] * y[p];
    for (int i = size - 1; i >= 0; i--) {
        for (int p = i + 1; p < size; p++) y[i] -= D.a[i * D.stride + p] * y[p];
        y[i] /= D.a[i * D.stride + i];
    }
}

IN_BOTH void solve(const blocked *b, double *y) {
    for (int I = 0; I < b->blocks; I++) {
        const int size = size_of(b, I), width = left_width(b, I);
        const tile A = tile_of(b, I, 0);
        double *now = y + b->begin[I];
        gather(b, b->row[I], b->diagonal[I], width, y);
        for (int i = 0; i < size && width > 0; i++) now[i] -= product(width, A.a + i * A.stride, b->part);
        divide(size, tile_of(b, I, width), now);
    }
    solve_back(b, b->blocks - 1, 0, y);
}

#ifdef WIDE
WIDE static void solve_wide(const blocked *b, double *y) {
    solve(b, y);
}
#endif

static void solve_any(const blocked *b, double *y) {
#ifdef WIDE
    if (__builtin_cpu_supports("avx2")) {
        solve_wide(b, y);
        return;
    }
#endif
    solve(b, y);
}

void blocked_solve(blocked *b, double *x) {
    double *y = b->work;
    for (int k = 0; k < b->n; k++) y[k] = x[b->pivot[k]];
    solve_any(b, y);
    for (int k = 0; k < b->n; k++) x[b->pivot[k]] = y[k];
}

/* y -= A^T x for the blocks from e to last of a strip, which are a part of it, so wide. */
static void subtract_part(const blocked *b, int rows, tile A, int width, int e, int last, const double *x, double *y) {
    double *sum = b->part;
    memset(sum, 0, (size_t)width * sizeof *sum);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < width; j += LANES) *(quad *)(sum + j) += x[i] * *(const quad *)(A.a + i * A.stride + j);
    for (; e < last; e++) {
        double *to = y + b->begin[b->column[e]];
        for (int j = 0; j < size_of(b, b->column[e]); j++) to[j] -= *sum++;
    }
}

static void subtract_left(const blocked *b, int I, const double *x, double *y) {
    subtract_part(b, size_of(b, I), tile_of(b, I, 0), left_width(b, I), b->row[I], b->diagonal[I], x, y);
}

static void subtract_right(const blocked *b, int I, const double *x, double *y) {
    const tile V = tile_of(b, I, right_begin(b, I));
    subtract_part(b, size_of(b, I), V, right_width(b, I), b->diagonal[I] + 1, b->row[I + 1], x, y);
}

/* y := A'_II^-T y */
static void divide_transposed(int size, tile D, double *y) {
    for (int i = 0; i < size; i++) {
        for (int p = 0; p < i; p++) y[i] -= D.a[p * D.stride + i] * y[p];
        y[i] /= D.a[i * D.stride + i];
    }
    for (int i = size - 2; i >= 0; i--)
        for (int p = i + 1; p < size; p++) y[i] -= D.a[p * D.stride + i] * y[p];
}

/* The steps of blocked_solve transposed, the last one first. */
void blocked_solve_transposed(blocked *b, double *x) {
    double *y = b->work;
    for (int k = 0; k < b->n; k++) y[k] = x[b->pivot[k]];
    for (int I = 0; I < b->blocks; I++) subtract_right(b, I, y + b->begin[I], y);
    for (int I = b->blocks - 1; I >= 0; I--) {
        double *now = y + b->begin[I];
        divide_transposed(size_of(b, I), tile_of(b, I, left_width(b, I)), now);
        subtract_left(b, I, now, y);
    }
    for (int k = 0; k < b->n; k++) x[b->pivot[k]] = y[k];
}

/* What is left of the column of a law that depends on others is round-off, as is its row. */
void blocked_null(const blocked *b, int k, double *x) {
    blocked_balance_before(b, b->law[k], b->work);
    for (int i = 0; i < b->n; i++) x[b->pivot[i]] = b->work[i];
}

void blocked_null_transposed(const blocked *b, int k, double *x) {
    const blocked_law of = b->law[k];
    const tile D = tile_of(b, of.block, left_width(b, of.block));
    double *y = b->work, *now = y + b->begin[of.block];
    memset(y, 0, (size_t)b->n * sizeof *y);
    now[of.within] = 1;
    for (int i = of.within - 1; i >= 0; i--)
        for (int p = i + 1; p <= of.within; p++) now[i] -= D.a[p * D.stride + i] * now[p];
    subtract_left(b, of.block, now, y);
    for (int I = of.block - 1; I >= 0; I--) {
        divide_transposed(size_of(b, I), tile_of(b, I, left_width(b, I)), y + b->begin[I]);
        subtract_left(b, I, y + b->begin[I], y);
    }
    for (int i = 0; i < b->n; i++) x[b->pivot[i]] = y[i];
}
