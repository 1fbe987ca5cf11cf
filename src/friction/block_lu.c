/* A = L U by rows (IKJ): row i of A is spread out, the rows k < i of its pattern are subtracted in ascending order, and
 * the rest is stored. L has unit diagonal; U has the inverses of its diagonal blocks. Rows of zeros, as open contacts
 * have them, cost nothing. */
#include "friction/block_lu.h"

#include "friction/block.h"
#include "friction/contact.h"
#include "linalg/linear.h"
#include "wide.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef double quad __attribute__((vector_size(32), aligned(8), may_alias));
typedef double rows3[12]; /* a block whose rows have room for a fourth number, which nobody asks for */

struct block_lu {
    int n;
    int *order, *place;  /* [n] order[i]: the contact eliminated as i-th; place: its inverse */
    int *start, *middle; /* [n + 1] rows of L and U together; middle: the diagonal */
    int *index;
    block3 *value;
    rows3 *spread; /* [n] the row being worked on */
    bool *filled;  /* [entries] the block is not zero */
    double *x;     /* [3 n] */
    double work;
};

double block_lu_work(const block_lu *l) {
    return l->work;
}

void block_lu_destroy(block_lu *l) {
    if (!l) return;
    free(l->order);
    free(l->place);
    free(l->start);
    free(l->middle);
    free(l->index);
    free(l->value);
    free(l->spread);
    free(l->filled);
    free(l->x);
    free(l);
}

/* ---------------------------------------------------------------- pattern */

/* Both triangles of the pattern: *start, *index to be freed. */
static bool symmetric_pattern(int n, const int *from, const int *columns, int **start, int **index) {
    entries both = {.rows = n, .cols = n};
    entry *sorted = NULL;
    bool made = true;
    for (int a = 0; a < n; a++)
        for (int e = from[a]; e < from[a + 1] && made; e++)
            made = entries_add(&both, a, columns[e], 1) && entries_add(&both, columns[e], a, 1);
    made = made && entries_by_row(&both, start, &sorted) && (*index = malloc((size_t)(both.count + 1) * sizeof(int)));
    for (int e = 0; made && e < both.count; e++) (*index)[e] = sorted[e].col;
    free(sorted);
    entries_free(&both);
    return made;
}

static int ascending(const void *a, const void *b) {
    return *(const int *)a - *(const int *)b;
}

/* The rows of U, from which those of L follow by symmetry: the pattern of row i is that of A, and of each row whose
 * first entry behind the diagonal is i. upper[i]: its sorted list, counts in length. Stops where most is exceeded. */
static bool eliminate_pattern(block_lu *l, const int *start, const int *index, double most, int **upper, int *length) {
    int n = l->n, *mark = calloc((size_t)n + 1, sizeof *mark), *child = malloc(((size_t)n + 1) * sizeof *child),
        *sibling = malloc(((size_t)n + 1) * sizeof *sibling), *list = malloc(((size_t)n + 1) * sizeof *list);
    bool made = mark && child && sibling && list;
    for (int i = 0; made && i < n; i++) child[i] = -1;
    for (int i = 0; made && i < n; i++) {
        int count = 0, a = l->order[i];
        mark[i] = i + 1;
        for (int e = start[a]; e < start[a + 1]; e++) {
            int j = l->place[index[e]];
            if (j > i && mark[j] != i + 1) mark[j] = i + 1, list[count++] = j;
        }
        for (int c = child[i]; c >= 0; c = sibling[c])
            for (int k = 0; k < length[c]; k++) {
                int j = upper[c][k];
                if (mark[j] != i + 1) mark[j] = i + 1, list[count++] = j;
            }
        qsort(list, (size_t)count, sizeof *list, ascending);
        made = (upper[i] = malloc(((size_t)count + 1) * sizeof **upper));
        if (made) memcpy(upper[i], list, (size_t)count * sizeof *list);
        length[i] = count;
        l->work += (double)count * (count + 1);
        made = made && l->work <= most;
        if (count) sibling[i] = child[list[0]], child[list[0]] = i;
    }
    free(mark);
    free(child);
    free(sibling);
    free(list);
    return made;
}

/* Rows of L and U from the rows of U. */
static bool store_pattern(block_lu *l, int **upper, const int *length) {
    int n = l->n, *next = calloc((size_t)n + 1, sizeof *next);
    if (!next) return false;
    for (int i = 0; i < n; i++) {
        next[i] += length[i] + 1;
        for (int k = 0; k < length[i]; k++) next[upper[i][k]]++;
    }
    for (int i = 0; i < n; i++) l->start[i + 1] = l->start[i] + next[i];
    for (int i = 0; i < n; i++) next[i] = l->start[i];
    size_t count = (size_t)l->start[n] + 1;
    l->index = malloc(count * sizeof *l->index);
    l->value = calloc(count, sizeof *l->value); /* one more: the last row of a block is read as four numbers */
    l->filled = malloc(count * sizeof *l->filled);
    bool made = l->index && l->value && l->filled;
    for (int i = 0; made && i < n; i++) { /* rows before i have left their entries of column < i in row i */
        l->middle[i] = next[i];
        l->index[next[i]++] = i;
        for (int k = 0; k < length[i]; k++) {
            l->index[next[i]++] = upper[i][k];
            l->index[next[upper[i][k]]++] = i;
        }
    }
    free(next);
    return made;
}

/* Up to four contacts are full anyway. */
static bool find_order(int n, const int *start, const int *index, int *order) {
    for (int i = 0; i < n; i++) order[i] = i;
    return n <= 4 || linear_order(n, start, index, order);
}

static bool find_pattern(block_lu *l, const int *from, const int *columns, double most) {
    int n = l->n, *start = NULL, *index = NULL, **upper = calloc((size_t)n + 1, sizeof *upper);
    int *length = malloc(((size_t)n + 1) * sizeof *length);
    bool made =
        upper && length && symmetric_pattern(n, from, columns, &start, &index) && find_order(n, start, index, l->order);
    for (int i = 0; made && i < n; i++) l->place[l->order[i]] = i;
    made = made && eliminate_pattern(l, start, index, most, upper, length) && store_pattern(l, upper, length);
    for (int i = 0; upper && i < n; i++) free(upper[i]);
    free(upper);
    free(length);
    free(start);
    free(index);
    return made;
}

block_lu *block_lu_create(int size, const int *start, const int *index, double most) {
    block_lu *l = calloc(1, sizeof *l);
    size_t n = (size_t)size;
    if (!l) return NULL;
    l->n = size;
    l->order = malloc((n + 1) * sizeof *l->order);
    l->place = malloc((n + 1) * sizeof *l->place);
    l->start = calloc(n + 1, sizeof *l->start);
    l->middle = malloc((n + 1) * sizeof *l->middle);
    l->spread = calloc(n + 1, sizeof *l->spread);
    l->x = malloc((3 * n + 1) * sizeof *l->x);
    if (l->order && l->place && l->start && l->middle && l->spread && l->x && find_pattern(l, start, index, most))
        return l;
    block_lu_destroy(l);
    return NULL;
}

/* ---------------------------------------------------------------- numbers */

/* A singular diagonal block counts as the unit block: contacts that hang on others alone do not move. */
static void invert_diagonal(const block3 A, block3 inverse) {
    static const block3 unit = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    if (!block_invert(A, 1e-14, inverse)) memcpy(inverse, unit, sizeof unit);
}

static void spread_block(const double *block, double *rows) {
    for (int i = 0; i < 3; i++) memcpy(rows + 4 * i, block + 3 * i, 3 * sizeof *rows);
}

static void collect_block(const double *rows, double *block) {
    for (int i = 0; i < 3; i++) memcpy(block + 3 * i, rows + 4 * i, 3 * sizeof *rows);
}

/* Subtracts row k of U, times a block, from the row being worked on. */
IN_BOTH void subtract_row(block_lu *l, int k, const double *A) {
    for (int e = l->middle[k] + 1; e < l->start[k + 1]; e++) {
        if (!l->filled[e]) continue;
        const double *B = l->value[e];
        double *C = l->spread[l->index[e]];
        const quad first = *(const quad *)B, second = *(const quad *)(B + 3), third = *(const quad *)(B + 6);
        *(quad *)C -= A[0] * first + A[1] * second + A[2] * third;
        *(quad *)(C + 4) -= A[3] * first + A[4] * second + A[5] * third;
        *(quad *)(C + 8) -= A[6] * first + A[7] * second + A[8] * third;
    }
}

IN_BOTH void eliminate_row(block_lu *l, int i) {
    block3 own;
    for (int e = l->start[i]; e < l->middle[i]; e++) {
        const int k = l->index[e];
        collect_block(l->spread[k], own);
        l->filled[e] = !block_is_zero(own);
        if (!l->filled[e]) continue;
        block_multiply(own, l->value[l->middle[k]], l->value[e]);
        subtract_row(l, k, l->value[e]);
    }
    collect_block(l->spread[i], own);
    invert_diagonal(own, l->value[l->middle[i]]);
    for (int e = l->middle[i] + 1; e < l->start[i + 1]; e++) {
        collect_block(l->spread[l->index[e]], l->value[e]);
        l->filled[e] = !block_is_zero(l->value[e]);
    }
    for (int e = l->start[i]; e < l->start[i + 1]; e++) memset(l->spread[l->index[e]], 0, sizeof(rows3));
}

IN_BOTH void eliminate(block_lu *l, const int *start, const int *index, const block3 *rows) {
    for (int i = 0; i < l->n; i++) {
        const int a = l->order[i];
        for (int e = start[a]; e < start[a + 1]; e++) spread_block(rows[e], l->spread[l->place[index[e]]]);
        eliminate_row(l, i);
    }
}

#ifdef WIDE
WIDE static void eliminate_wide(block_lu *l, const int *start, const int *index, const block3 *rows) {
    eliminate(l, start, index, rows);
}
#endif

void block_lu_factor(block_lu *l, const int *start, const int *index, const block3 *rows) {
#ifdef WIDE
    if (__builtin_cpu_supports("avx2")) {
        eliminate_wide(l, start, index, rows);
        return;
    }
#endif
    eliminate(l, start, index, rows);
}

double block_lu_orientation(const block_lu *l) {
    double sign = 1;
    for (int i = 0; i < l->n; i++)
        if (block_determinant(l->value[l->middle[i]]) < 0) sign = -sign;
    return sign;
}

void block_lu_solve(block_lu *l, double *b) {
    for (int i = 0; i < l->n; i++) {
        memcpy(l->x + 3 * i, b + 3 * l->order[i], 3 * sizeof *b);
        for (int e = l->start[i]; e < l->middle[i]; e++)
            if (l->filled[e]) block_subtract(l->value[e], l->x + 3 * l->index[e], l->x + 3 * i);
    }
    for (int i = l->n - 1; i >= 0; i--) {
        for (int e = l->middle[i] + 1; e < l->start[i + 1]; e++)
            if (l->filled[e]) block_subtract(l->value[e], l->x + 3 * l->index[e], l->x + 3 * i);
        double y[3];
        memcpy(y, l->x + 3 * i, sizeof y);
        memset(l->x + 3 * i, 0, sizeof y);
        block_subtract(l->value[l->middle[i]], y, l->x + 3 * i);
        for (int j = 0; j < 3; j++) b[3 * l->order[i] + j] = l->x[3 * i + j] = -l->x[3 * i + j];
    }
}
