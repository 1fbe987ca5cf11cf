#include "linalg/csr.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

typedef void visit(void *data, int row, int col, int *place);

static void each_entry(csr_block *blocks, int count, visit *f, void *data) {
    for (int b = 0; b < count; b++) {
        const carom_pattern *p = blocks[b].pattern;
        for (int i = blocks[b].first; i < blocks[b].last; i++)
            for (int e = p->start[i]; e < p->start[i + 1]; e++) {
                int r = i - blocks[b].first, c = p->index[e];
                int row = blocks[b].row + (blocks[b].transposed ? c : r);
                int col = blocks[b].col + (blocks[b].transposed ? r : c);
                f(data, row, col, &blocks[b].place[e - p->start[blocks[b].first]]);
            }
    }
}

static void count_entry(void *data, int row, int col, int *place) {
    (void)col, (void)place;
    ((csr *)data)->start[row + 1]++;
}

static void store_entry(void *data, int row, int col, int *place) {
    (void)place;
    csr *m = data;
    m->index[m->start[row]++] = col;
}

static int ascending(const void *a, const void *b) {
    return *(const int *)a - *(const int *)b;
}

static void find_entry(void *data, int row, int col, int *place) {
    const csr *m = data;
    int *found =
        bsearch(&col, m->index + m->start[row], (size_t)(m->start[row + 1] - m->start[row]), sizeof col, ascending);
    *place = (int)(found - m->index);
}

void csr_sort(int *index, int count) {
    enum { FEW = 100 }; /* most rows are short and nearly sorted */
    if (count > FEW) {
        qsort(index, (size_t)count, sizeof *index, ascending);
        return;
    }
    for (int i = 1; i < count; i++) {
        const int moved = index[i];
        int k = i;
        for (; k > 0 && index[k - 1] > moved; k--) index[k] = index[k - 1];
        index[k] = moved;
    }
}

/* Sorts each row and merges equal columns; start holds the ends of the rows on entry. */
static void sort_rows(csr *m) {
    int kept = 0;
    for (int i = 0, begin = 0; i < m->rows; i++) {
        int end = m->start[i];
        csr_sort(m->index + begin, end - begin);
        m->start[i] = kept;
        for (int e = begin; e < end; e++)
            if (e == begin || m->index[e] != m->index[e - 1]) m->index[kept++] = m->index[e];
        begin = end;
    }
    m->start[m->rows] = kept;
}

bool csr_assemble(csr *m, int rows, int cols, csr_block *blocks, int count) {
    *m = (csr){.rows = rows, .cols = cols};
    bool ok = (m->start = calloc((size_t)rows + 2, sizeof *m->start)) != NULL;
    size_t entries = 0;
    for (int b = 0; b < count; b++) {
        const carom_pattern *p = blocks[b].pattern;
        size_t n = (size_t)(p->start[blocks[b].last] - p->start[blocks[b].first]);
        entries += n;
        blocks[b].place = malloc((n + 1) * sizeof(int));
        ok = ok && blocks[b].place;
    }
    ok = ok && entries <= INT_MAX && (m->index = malloc((entries + 1) * sizeof *m->index)) != NULL;
    if (!ok) {
        csr_free(m);
        csr_blocks_free(blocks, count);
        return false;
    }
    each_entry(blocks, count, count_entry, m);
    for (int i = 0; i < rows; i++) m->start[i + 1] += m->start[i];
    each_entry(blocks, count, store_entry, m);
    sort_rows(m);
    m->value = calloc((size_t)m->start[rows] + 1, sizeof *m->value);
    if (!m->value) {
        csr_free(m);
        csr_blocks_free(blocks, count);
        return false;
    }
    each_entry(blocks, count, find_entry, m);
    return true;
}

void csr_free(csr *m) {
    free(m->start);
    free(m->index);
    free(m->value);
    *m = (csr){0};
}

void csr_blocks_free(csr_block *blocks, int count) {
    for (int b = 0; b < count; b++) {
        free(blocks[b].place);
        blocks[b].place = NULL;
    }
}

void csr_zero(csr *m) {
    memset(m->value, 0, (size_t)m->start[m->rows] * sizeof *m->value);
}

void csr_add(csr *m, const csr_block *block, double scale, const double *values) {
    int begin = block->pattern->start[block->first], end = block->pattern->start[block->last];
    for (int e = begin; e < end; e++) m->value[block->place[e - begin]] += scale * values[e];
}

void pattern_multiply(const carom_pattern *a, const double *values, double scale, const double *x, double *y) {
    for (int i = 0; i < a->rows; i++) {
        double sum = 0;
        for (int e = a->start[i]; e < a->start[i + 1]; e++) sum += values[e] * x[a->index[e]];
        y[i] += scale * sum;
    }
}

void pattern_multiply_transposed(const carom_pattern *a, const double *values, double scale, const double *x,
                                 double *y) {
    for (int i = 0; i < a->rows; i++) {
        const double factor = scale * x[i];
        for (int e = a->start[i]; factor != 0 && e < a->start[i + 1]; e++) y[a->index[e]] += factor * values[e];
    }
}
