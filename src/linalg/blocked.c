/* Pivots come in blocks, (S24), those of a body or of the laws between two bodies. A row of blocks is one dense strip,
 *
 *     A'_IP ... | A'_II | V_IQ ...,     A'_IJ = A_IJ - sum_P A'_IP V_PJ,     V_IQ = A'_II^-1 A'_IQ,
 *
 * and the pattern says which blocks it holds. To factorise is to take the earlier strips off it, block by block, and
 * then to eliminate within it. The three parts of a strip are as wide as whole registers, and filled up with zeros.
 * Sums are in the same order whatever the width of the registers. */
#include "linalg/blocked.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/blocked_order.h"
#include "wide.h"

static const double RANK = 1e-11;      /* as in linear.c */
static const double SMALL = 1e-6;      /* pivots that may be round-off */
static const double ROUND_OFF = 1e-14; /* of W^T M^-1 W, over percussions of size one, (S26) */
static const double GROWTH = 32;       /* a longer row of V asks for other pivots */

enum { LANES = 4 };

/* The strip of block I begins at strip[I] of the factors. It holds the blocks row[I] to row[I + 1] - 1: block e is that
 * of the pivots of block column[e], and begins offset[e] numbers from the left; diagonal[I] is A'_II. */
struct blocked {
    int n, blocks;
    int *pivot, *begin;
    int *row, *diagonal, *strip, *width;
    int *column, *offset;
    int *from, *place; /* entries of A in the order of the strips: rows of pivot k are from[k] to from[k + 1] - 1 */
    int *entry;        /* and which of A they are */
    int *at;           /* [blocks] where blocks of the present strip begin */
    double *factors, *inverse, *work;
    double *part; /* numbers by which a part of a strip is multiplied */
    int laws;     /* the first block of laws */
    int left_out; /* laws that depend on others: */
    struct law {
        int block, within;
    } law[LINEAR_DEPENDENT];
    double products, entries;
};

/* ---------------------------------------------------------------- the pattern */

typedef struct maker {
    blocked *b;
    const int *start, *index;
    int *block, *within; /* [n] of an unknown, and its place there */
    int *mark, *list;    /* [blocks] the strip that has this block; blocks of the present strip, ascending */
    int count, room;     /* of list; of column and offset */
    int widest;          /* strip */
} maker;

static int size_of(const blocked *b, int block) {
    return b->begin[block + 1] - b->begin[block];
}

static void insert(maker *m, int strip, int block) {
    if (m->mark[block] == strip) return;
    m->mark[block] = strip;
    int i = m->count++;
    for (; i > 0 && m->list[i - 1] > block; i--) m->list[i] = m->list[i - 1];
    m->list[i] = block;
}

/* The blocks of strip I: those of A, and those that earlier strips put there. */
static void find_blocks(maker *m, int I) {
    const blocked *b = m->b;
    m->count = 0;
    insert(m, I, I);
    for (int k = b->begin[I]; k < b->begin[I + 1]; k++)
        for (int e = m->start[b->pivot[k]]; e < m->start[b->pivot[k] + 1]; e++) insert(m, I, m->block[m->index[e]]);
    for (int i = 0; m->list[i] < I; i++)
        for (int e = b->diagonal[m->list[i]] + 1; e < b->row[m->list[i] + 1]; e++) insert(m, I, b->column[e]);
}

static bool make_room(maker *m, int entries) {
    if (entries <= m->room) return true;
    const int room = 2 * entries;
    int *column = realloc(m->b->column, (size_t)room * sizeof *column);
    if (column) m->b->column = column;
    int *offset = realloc(m->b->offset, (size_t)room * sizeof *offset);
    if (offset) m->b->offset = offset;
    m->room = room;
    return column && offset;
}

static int whole(int width) {
    return (width + LANES - 1) / LANES * LANES;
}

/* The parts of strip I: where they begin, and how wide they are. */
static int left_width(const blocked *b, int I) {
    return b->offset[b->diagonal[I]];
}
static int right_begin(const blocked *b, int I) {
    return left_width(b, I) + whole(size_of(b, I));
}
static int right_width(const blocked *b, int I) {
    return b->width[I] - right_begin(b, I);
}

static void count_products(blocked *b, int I) {
    const double rows = size_of(b, I);
    for (int e = b->row[I]; e < b->diagonal[I]; e++)
        b->products += rows * size_of(b, b->column[e]) * right_width(b, b->column[e]);
    b->products += rows * rows * (rows / 3 + right_width(b, I));
    b->entries += rows * b->width[I];
}

static bool make_strip(maker *m, int I) {
    blocked *b = m->b;
    find_blocks(m, I);
    int e = b->row[I], width = 0;
    if (!make_room(m, e + m->count)) return false;
    for (int i = 0; i < m->count; i++, e++) {
        const bool middle = m->list[i] == I;
        if (middle) b->diagonal[I] = e, width = whole(width);
        b->column[e] = m->list[i];
        b->offset[e] = width;
        width += size_of(b, m->list[i]);
        if (middle) width = whole(width);
    }
    b->row[I + 1] = e;
    b->width[I] = width = whole(width);
    m->widest = width > m->widest ? width : m->widest;
    count_products(b, I);
    if (b->entries > INT_MAX / 2) return false;
    b->strip[I + 1] = b->strip[I] + size_of(b, I) * width;
    return true;
}

/* Where the entries of A go. */
static void place_entries(maker *m, int I) {
    blocked *b = m->b;
    for (int e = b->row[I]; e < b->row[I + 1]; e++) b->at[b->column[e]] = b->offset[e];
    for (int k = b->begin[I]; k < b->begin[I + 1]; k++) {
        int to = b->from[k];
        for (int e = m->start[b->pivot[k]]; e < m->start[b->pivot[k] + 1]; e++, to++) {
            const int j = m->index[e];
            b->entry[to] = e;
            b->place[to] = (k - b->begin[I]) * b->width[I] + b->at[m->block[j]] + m->within[j];
        }
        b->from[k + 1] = to;
    }
}

static bool make_pattern(maker *m) {
    blocked *b = m->b;
    for (int I = 0; I < b->blocks; I++)
        for (int k = b->begin[I]; k < b->begin[I + 1]; k++)
            m->block[b->pivot[k]] = I, m->within[b->pivot[k]] = k - b->begin[I];
    for (int I = 0; I < b->blocks; I++) m->mark[I] = -1;
    b->row[0] = b->strip[0] = b->from[0] = 0;
    for (int I = 0; I < b->blocks; I++) {
        if (!make_strip(m, I)) return false;
        place_entries(m, I);
    }
    b->factors = malloc((size_t)(b->strip[b->blocks] + 1) * sizeof *b->factors);
    b->part = malloc((size_t)(m->widest + 1) * sizeof *b->part);
    return b->factors && b->part;
}

/* Arrays by pivot and by block, in one piece of memory that begins with pivot. */
static bool allocate(blocked *b, size_t entries) {
    const size_t n = (size_t)b->n + 1;
    int **parts[] = {&b->pivot, &b->begin, &b->row, &b->diagonal, &b->strip, &b->width, &b->at, &b->from};
    int *room = malloc((sizeof parts / sizeof *parts * n + 2 * entries) * sizeof *room);
    b->pivot = room;
    b->inverse = malloc(2 * n * sizeof *b->inverse);
    if (!room || !b->inverse) return false;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++, room += n) *parts[i] = room;
    b->place = room, b->entry = room + entries;
    b->work = b->inverse + n;
    return true;
}

blocked *blocked_create(int n, int balances, int first, const int *start, const int *index) {
    const size_t rows = (size_t)n + 1;
    blocked *b = calloc(1, sizeof *b);
    maker m = {.b = b, .start = start, .index = index, .block = malloc(4 * rows * sizeof *m.block)};
    if (b) b->n = n;
    bool ok = b && m.block && allocate(b, (size_t)start[n]) &&
              blocked_order(n, balances, first, start, index, b->pivot, b->begin, &b->blocks) == BLOCKED;
    if (ok) {
        m.within = m.block + rows, m.mark = m.within + rows, m.list = m.mark + rows;
        ok = make_pattern(&m);
        for (b->laws = 0; b->laws < b->blocks && b->pivot[b->begin[b->laws]] < first;) b->laws++;
    }
    free(m.block);
    if (ok) return b;
    blocked_destroy(b);
    return NULL;
}

void blocked_destroy(blocked *b) {
    if (!b) return;
    free(b->pivot);
    free(b->inverse);
    free(b->column);
    free(b->offset);
    free(b->factors);
    free(b->part);
    free(b);
}

/* ---------------------------------------------------------------- elimination */

/* Numbers that a register holds, wherever they lie. */
typedef double quad __attribute__((vector_size(LANES * sizeof(double)), aligned(sizeof(double))));
typedef double pair __attribute__((vector_size(2 * sizeof(double)), aligned(sizeof(double))));

/* A block of a strip. */
typedef struct tile {
    double *a;
    int stride;
} tile;

static tile tile_of(const blocked *b, int I, int from) {
    return (tile){b->factors + b->strip[I] + from, b->width[I]};
}

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

IN_BOTH void subtract_product(int width, int rows, int size, tile A, tile B, tile C) {
    switch (width) {
    case 1:
        subtract_width(1, rows, size, A, B, C);
        break;
    case 2:
        subtract_width(2, rows, size, A, B, C);
        break;
    case 3:
        subtract_width(3, rows, size, A, B, C);
        break;
    case 4:
        subtract_width(4, rows, size, A, B, C);
        break;
    case 5:
        subtract_width(5, rows, size, A, B, C);
        break;
    case 6:
        subtract_width(6, rows, size, A, B, C);
        break;
    case 7:
        subtract_width(7, rows, size, A, B, C);
        break;
    default:
        subtract_width(8, rows, size, A, B, C);
    }
}

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
static void balance_before(const blocked *b, struct law of, double *y) {
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

/* (S26): what such percussions do is the pivot of this law. Whether it is round-off beside them. */
static bool is_round_off(const blocked *b, struct law of, double pivot, double largest) {
    double *y = b->work, square = 0;
    if (of.block < b->laws) return pivot <= ROUND_OFF * largest;
    balance_before(b, of, y);
    for (int k = b->begin[b->laws]; k < b->n; k++) square += y[k] * y[k];
    return pivot <= ROUND_OFF * largest * square;
}

/* The unknown of a law becomes zero by an infinite pivot. False: the law may not be left out. */
static bool leave_out(blocked *b, struct law of, extremes *x) {
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
        if (pivot <= SMALL * x->largest && is_round_off(b, (struct law){I, i}, pivot, x->largest)) {
            if (!leave_out(b, (struct law){I, i}, x)) return false;
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
    for (int e = b->from[b->begin[I]]; e < b->from[b->begin[I + 1]]; e++) a[b->place[e]] = value[b->entry[e]];
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

/* ---------------------------------------------------------------- solutions */

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

/* y -= A^T x for the blocks from e to last of strip I. */
static void subtract_transposed(const blocked *b, int I, int e, int last, const double *x, double *y) {
    for (; e < last; e++) {
        const tile A = tile_of(b, I, b->offset[e]);
        double *to = y + b->begin[b->column[e]];
        for (int i = 0; i < size_of(b, I); i++)
            for (int j = 0; j < size_of(b, b->column[e]); j++) to[j] -= A.a[i * A.stride + j] * x[i];
    }
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
    for (int I = 0; I < b->blocks; I++)
        subtract_transposed(b, I, b->diagonal[I] + 1, b->row[I + 1], y + b->begin[I], y);
    for (int I = b->blocks - 1; I >= 0; I--) {
        double *now = y + b->begin[I];
        divide_transposed(size_of(b, I), tile_of(b, I, left_width(b, I)), now);
        subtract_transposed(b, I, b->row[I], b->diagonal[I], now, y);
    }
    for (int k = 0; k < b->n; k++) x[b->pivot[k]] = y[k];
}

int blocked_left_out(const blocked *b) {
    return b->left_out;
}

/* What is left of the column of a law that depends on others is round-off, as is its row. */
void blocked_null(const blocked *b, int k, double *x) {
    balance_before(b, b->law[k], b->work);
    for (int i = 0; i < b->n; i++) x[b->pivot[i]] = b->work[i];
}

void blocked_null_transposed(const blocked *b, int k, double *x) {
    const struct law of = b->law[k];
    const tile D = tile_of(b, of.block, left_width(b, of.block));
    double *y = b->work, *now = y + b->begin[of.block];
    memset(y, 0, (size_t)b->n * sizeof *y);
    now[of.within] = 1;
    for (int i = of.within - 1; i >= 0; i--)
        for (int p = i + 1; p <= of.within; p++) now[i] -= D.a[p * D.stride + i] * now[p];
    subtract_transposed(b, of.block, b->row[of.block], b->diagonal[of.block], now, y);
    for (int I = of.block - 1; I >= 0; I--) {
        divide_transposed(size_of(b, I), tile_of(b, I, left_width(b, I)), y + b->begin[I]);
        subtract_transposed(b, I, b->row[I], b->diagonal[I], y + b->begin[I], y);
    }
    for (int i = 0; i < b->n; i++) x[b->pivot[i]] = y[i];
}

double blocked_factor_work(const blocked *b) {
    return b->products;
}

double blocked_solve_work(const blocked *b) {
    return b->entries;
}
