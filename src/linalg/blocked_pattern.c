/* The blocks of a pattern, and the strips that they make: where every number of the factors lies (blocked_inside.h). */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/blocked_inside.h"
#include "linalg/blocked_order.h"

typedef struct maker {
    blocked *b;
    const int *start, *index;
    int *block, *within; /* [n] of an unknown, and its place there */
    int *mark, *list;    /* [blocks] the strip that has this block; blocks of the present strip, ascending */
    int count, room;     /* of list; of column and offset */
    int widest;          /* strip */
} maker;

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

static void count_products(blocked *b, int I) {
    const double rows = size_of(b, I);
    for (int e = b->row[I]; e < b->diagonal[I]; e++)
        b->products += rows * size_of(b, b->column[e]) * right_width(b, b->column[e]);
    b->products += rows * rows * (rows / 3 + right_width(b, I));
    b->entries += rows * b->width[I];
}

static blocked_result make_strip(maker *m, int I) {
    blocked *b = m->b;
    find_blocks(m, I);
    int e = b->row[I], width = 0;
    if (!make_room(m, e + m->count)) return BLOCKED_NO_MEMORY;
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
    if (b->entries > INT_MAX / 2) return BLOCKED_DOES_NOT_PAY;
    b->strip[I + 1] = b->strip[I] + size_of(b, I) * width;
    return BLOCKED;
}

/* Where the entries of A go. */
static void place_entries(maker *m, int I) {
    blocked *b = m->b;
    for (int e = b->row[I]; e < b->row[I + 1]; e++) b->at[b->column[e]] = b->offset[e];
    for (int k = b->begin[I]; k < b->begin[I + 1]; k++)
        for (int e = m->start[b->pivot[k]]; e < m->start[b->pivot[k] + 1]; e++) {
            const int j = m->index[e];
            b->place[e] = (k - b->begin[I]) * b->width[I] + b->at[m->block[j]] + m->within[j];
        }
}

static blocked_result make_pattern(maker *m) {
    blocked *b = m->b;
    blocked_result result = BLOCKED;
    for (int I = 0; I < b->blocks; I++)
        for (int k = b->begin[I]; k < b->begin[I + 1]; k++)
            m->block[b->pivot[k]] = I, m->within[b->pivot[k]] = k - b->begin[I];
    for (int I = 0; I < b->blocks; I++) m->mark[I] = -1;
    b->row[0] = b->strip[0] = 0;
    for (int I = 0; I < b->blocks; I++) {
        if ((result = make_strip(m, I)) != BLOCKED) return result;
        place_entries(m, I);
    }
    memcpy(b->start, m->start, ((size_t)b->n + 1) * sizeof *b->start);
    b->factors = malloc((size_t)(b->strip[b->blocks] + 1) * sizeof *b->factors);
    b->part = malloc((size_t)(m->widest + 1) * sizeof *b->part);
    return b->factors && b->part ? BLOCKED : BLOCKED_NO_MEMORY;
}

/* Arrays by pivot and by block, in one piece of memory that begins with pivot. */
static bool allocate(blocked *b, size_t entries) {
    const size_t n = (size_t)b->n + 1;
    int **parts[] = {&b->pivot, &b->begin, &b->row, &b->diagonal, &b->strip, &b->width, &b->at, &b->start};
    int *room = malloc((sizeof parts / sizeof *parts * n + entries) * sizeof *room);
    b->pivot = room;
    b->inverse = malloc(2 * n * sizeof *b->inverse);
    if (!room || !b->inverse) return false;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++, room += n) *parts[i] = room;
    b->place = room;
    b->work = b->inverse + n;
    return true;
}

blocked_result blocked_create(int n, int balances, int first, const int *start, const int *index, blocked **made) {
    const size_t rows = (size_t)n + 1;
    blocked *b = calloc(1, sizeof *b);
    maker m = {.b = b, .start = start, .index = index, .block = malloc(4 * rows * sizeof *m.block)};
    if (b) b->n = n;
    blocked_result result = b && m.block && allocate(b, (size_t)start[n])
                                ? blocked_order(n, balances, first, start, index, b->pivot, b->begin, &b->blocks)
                                : BLOCKED_NO_MEMORY;
    if (result == BLOCKED) {
        m.within = m.block + rows, m.mark = m.within + rows, m.list = m.mark + rows;
        result = make_pattern(&m);
        for (b->laws = 0; b->laws < b->blocks && b->pivot[b->begin[b->laws]] < first;) b->laws++;
    }
    free(m.block);
    *made = result == BLOCKED ? b : NULL;
    if (!*made) blocked_destroy(b);
    return result;
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
