#include "friction/body_blocks.h"

#include <stdlib.h>
#include <string.h>

void body_blocks_destroy(body_blocks *b) {
    if (!b) return;
    free(b->start);
    free(b->touched);
    free(b->A);
    free(b->B);
    free(b->C);
    free(b);
}

static body_blocks *room_for(int count, int contacts, int touches) {
    body_blocks *b = calloc(1, sizeof *b);
    if (!b) return NULL;
    b->count = count;
    b->start = calloc((size_t)contacts + 1, sizeof *b->start);
    b->touched = calloc((size_t)touches + 1, sizeof *b->touched);
    b->A = calloc((size_t)count + 1, sizeof *b->A);
    b->B = calloc((size_t)touches + 1, sizeof *b->B);
    b->C = calloc((size_t)touches + 1, sizeof *b->C);
    if (b->start && b->touched && b->A && b->B && b->C) return b;
    body_blocks_destroy(b);
    return NULL;
}

/* ---------------------------------------------------------------- from entries */

static bool positive(const block3 A) {
    const bool symmetric = A[1] == A[3] && A[2] == A[6] && A[5] == A[7];
    const double second = A[0] * A[4] - A[1] * A[3], third = A[0] * (A[4] * A[8] - A[5] * A[7]) -
                                                             A[1] * (A[3] * A[8] - A[5] * A[6]) +
                                                             A[2] * (A[3] * A[7] - A[4] * A[6]);
    return symmetric && A[0] > 0 && second > 0 && third > 0;
}

/* The blocks of A. False: there are others, or some are not those of a mass. */
static bool fill_masses(body_blocks *b, const entries *A) {
    for (int e = 0; e < A->count; e++) {
        const entry *x = &A->at[e];
        if (x->row / 3 != x->col / 3) return false;
        b->A[x->row / 3][3 * (x->row % 3) + x->col % 3] += x->value;
    }
    for (int j = 0; j < b->count; j++)
        if (!positive(b->A[j])) return false;
    return true;
}

static int ascending(const void *a, const void *b) {
    return *(const int *)a - *(const int *)b;
}

/* Adds the block of an entry to the list of a contact that begins at start[a]. */
static void note_block(body_blocks *b, int a, int block, int *mark) {
    if (mark[block] == a + 1) return;
    mark[block] = a + 1;
    b->touched[b->start[a + 1]++] = block;
}

static void list_touched(body_blocks *b, int dimension, int contacts, const int *column, const entry *B, const int *row,
                         const entry *C, int *mark) {
    for (int a = 0; a < contacts; a++) {
        b->start[a + 1] = b->start[a];
        for (int e = column[dimension * a]; e < column[dimension * (a + 1)]; e++) note_block(b, a, B[e].row / 3, mark);
        for (int e = row[dimension * a]; e < row[dimension * (a + 1)]; e++) note_block(b, a, C[e].col / 3, mark);
        qsort(b->touched + b->start[a], (size_t)(b->start[a + 1] - b->start[a]), sizeof *b->touched, ascending);
    }
}

static int place_of(const body_blocks *b, int a, int block) {
    const int *list = b->touched + b->start[a];
    const size_t count = (size_t)(b->start[a + 1] - b->start[a]);
    return (int)((int *)bsearch(&block, list, count, sizeof block, ascending) - b->touched);
}

static void fill_touched(body_blocks *b, int dimension, const entries *B, const entries *C) {
    for (int e = 0; e < B->count; e++) {
        const entry *x = &B->at[e];
        b->B[place_of(b, x->col / dimension, x->row / 3)][3 * (x->row % 3) + x->col % dimension] += x->value;
    }
    for (int e = 0; e < C->count; e++) {
        const entry *x = &C->at[e];
        b->C[place_of(b, x->row / dimension, x->col / 3)][3 * (x->row % dimension) + x->col % 3] += x->value;
    }
}

bool body_blocks_create(const linear_map *m, int dimension, int contacts, body_blocks **made) {
    int *column = NULL, *row = NULL, *mark = calloc((size_t)m->A.rows / 3 + 1, sizeof *mark);
    entry *B = NULL, *C = NULL;
    *made = NULL;
    if (m->D.count || m->A.rows % 3 || !m->A.rows) {
        free(mark);
        return true;
    }
    body_blocks *b = room_for(m->A.rows / 3, contacts, m->B.count + m->C.count);
    bool enough = b && mark && entries_by_column(&m->B, &column, &B) && entries_by_row(&m->C, &row, &C);
    if (enough && fill_masses(b, &m->A)) {
        list_touched(b, dimension, contacts, column, B, row, C, mark);
        fill_touched(b, dimension, &m->B, &m->C);
        *made = b;
    } else body_blocks_destroy(b);
    free(mark);
    free(column);
    free(row);
    free(B);
    free(C);
    return enough;
}

/* ---------------------------------------------------------------- parts */

body_blocks *body_blocks_of(const body_blocks *b, const int *list, int contacts, int *place) {
    int touches = 0, count = 0;
    for (int i = 0; i < contacts; i++) touches += b->start[list[i] + 1] - b->start[list[i]];
    body_blocks *part = room_for(touches < b->count ? touches : b->count, contacts, touches);
    for (int i = 0; part && i < contacts; i++) {
        const int first = b->start[list[i]], length = b->start[list[i] + 1] - first, to = part->start[i];
        for (int e = 0; e < length; e++) {
            const int j = b->touched[first + e];
            if (place[j] < 0) memcpy(part->A[count], b->A[j], sizeof(block3)), place[j] = count++;
            part->touched[to + e] = place[j];
        }
        memcpy(part->B[to], b->B[first], (size_t)length * sizeof(block3));
        memcpy(part->C[to], b->C[first], (size_t)length * sizeof(block3));
        part->start[i + 1] = to + length;
    }
    for (int i = 0; part && i < contacts; i++)
        for (int e = b->start[list[i]]; e < b->start[list[i] + 1]; e++) place[b->touched[e]] = -1;
    if (part) part->count = count;
    return part;
}

/* ---------------------------------------------------------------- problems */

condense_result friction_reduce(const linear_map *m, int dimension, int contacts, const double *mu, friction_problem *p,
                                int *row) {
    entries W = {0};
    double *q = malloc(((size_t)m->D.rows + 1) * sizeof *q);
    condense_result result = q ? friction_condense(m, &W, q, row) : CONDENSE_MEMORY;
    if (result == CONDENSED && !friction_create(p, dimension, contacts, &W, q, mu)) result = CONDENSE_MEMORY;
    entries_free(&W);
    free(q);
    if (result == CONDENSED && !body_blocks_create(m, dimension, contacts, &p->bodies)) {
        friction_destroy(p);
        result = CONDENSE_MEMORY;
    }
    return result;
}
