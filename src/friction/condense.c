/* A falls into parts that are not connected: bodies, for a mass matrix. Each is factorised on its own, small ones as
 * full matrices, and a column of B asks only those it touches. */
#include "friction/condense.h"

#include "linalg/linear.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FULL = 60 }; /* largest part that is a full matrix */

typedef struct part {
    int size, first; /* unknowns first .. first + size - 1 of the list of all */
    double *full;    /* factors by rows, of a small part */
    int *pivot;
    linear *sparse;
    bool done;
} part;

typedef struct parts {
    int n, count;
    int *of, *place, *list; /* [n] part of an unknown, its place there; unknowns by parts */
    part *part;
    int *row_start, *column_start, *b_start; /* A by rows, C and B by columns */
    entry *rows, *columns, *b;
    double *x, *y; /* [n] all zero between uses; the largest part */
    double *sum;   /* [C.rows] zero between uses */
    int *touched;
    bool *marked;
} parts;

void linear_map_free(linear_map *m) {
    entries_free(&m->A);
    entries_free(&m->B);
    entries_free(&m->C);
    entries_free(&m->D);
    free(m->c);
    free(m->d);
    *m = (linear_map){0};
}

/* ---------------------------------------------------------------- parts */

static int find(int *parent, int a) {
    while (parent[a] != a) a = parent[a] = parent[parent[a]];
    return a;
}

static void connect(parts *k, const entries *A) {
    int *parent = k->place;
    for (int i = 0; i < k->n; i++) parent[i] = i;
    for (int e = 0; e < A->count; e++) {
        int i = find(parent, A->at[e].row), j = find(parent, A->at[e].col);
        if (i < j) parent[j] = i;
        else parent[i] = j;
    }
    for (int i = 0; i < k->n; i++) k->of[i] = find(parent, i) == i ? k->count++ : k->of[find(parent, i)];
}

static bool list_parts(parts *k) {
    k->part = calloc((size_t)k->count + 1, sizeof *k->part);
    if (!k->part) return false;
    for (int i = 0; i < k->n; i++) k->part[k->of[i]].size++;
    for (int j = 1; j < k->count; j++) k->part[j].first = k->part[j - 1].first + k->part[j - 1].size;
    for (int j = 0; j < k->count; j++) k->part[j].size = 0;
    for (int i = 0; i < k->n; i++) {
        part *own = &k->part[k->of[i]];
        k->place[i] = own->size;
        k->list[own->first + own->size++] = i;
    }
    return true;
}

static bool parts_create(parts *k, const linear_map *m) {
    size_t n = (size_t)m->A.rows + 1, rows = (size_t)m->C.rows + 1;
    *k = (parts){.n = m->A.rows,
                 .of = malloc(3 * n * sizeof *k->of),
                 .x = calloc(2 * n + rows, sizeof *k->x),
                 .touched = malloc(rows * sizeof *k->touched),
                 .marked = calloc(rows, sizeof *k->marked)};
    if (!k->of || !k->x || !k->touched || !k->marked) return false;
    k->place = k->of + n, k->list = k->place + n;
    k->y = k->x + n, k->sum = k->y + n;
    connect(k, &m->A);
    return list_parts(k) && entries_by_row(&m->A, &k->row_start, &k->rows) &&
           entries_by_column(&m->C, &k->column_start, &k->columns) && entries_by_column(&m->B, &k->b_start, &k->b);
}

static void parts_destroy(parts *k) {
    for (int j = 0; k->part && j < k->count; j++) {
        free(k->part[j].full);
        free(k->part[j].pivot);
        linear_destroy(k->part[j].sparse);
    }
    free(k->of);
    free(k->part);
    free(k->row_start);
    free(k->column_start);
    free(k->b_start);
    free(k->rows);
    free(k->columns);
    free(k->b);
    free(k->x);
    free(k->touched);
    free(k->marked);
}

/* ---------------------------------------------------------------- full parts */

/* The largest entry of column k below row k, each compared with the size of its row. */
static int best_row(int n, const double *a, const double *size, int k) {
    int best = -1;
    for (int i = k; i < n; i++)
        if (size[i] > 0 && (best < 0 || fabs(a[i * n + k]) * size[best] > fabs(a[best * n + k]) * size[i])) best = i;
    return best;
}

static bool eliminate(int n, double *a, int *pivot, double *size) {
    for (int k = 0; k < n; k++) {
        int p = pivot[k] = best_row(n, a, size, k);
        if (p < 0 || !(fabs(a[p * n + k]) > 1e-13 * size[p])) return false;
        for (int j = 0; j < n && p != k; j++) {
            double x = a[k * n + j];
            a[k * n + j] = a[p * n + j], a[p * n + j] = x;
        }
        double own = size[k];
        size[k] = size[p], size[p] = own;
        for (int i = k + 1; i < n; i++) {
            double f = a[i * n + k] /= a[k * n + k];
            for (int j = k + 1; j < n && f != 0; j++) a[i * n + j] -= f * a[k * n + j];
        }
    }
    return true;
}

static condense_result factor_full(parts *k, part *own) {
    size_t n = (size_t)own->size;
    double size[FULL] = {0};
    own->full = calloc(n * n, sizeof *own->full);
    own->pivot = malloc(n * sizeof *own->pivot);
    if (!own->full || !own->pivot) return CONDENSE_MEMORY;
    for (int i = 0; i < own->size; i++) {
        int row = k->list[own->first + i];
        for (int e = k->row_start[row]; e < k->row_start[row + 1]; e++)
            own->full[(size_t)i * n + (size_t)k->place[k->rows[e].col]] += k->rows[e].value;
        for (size_t j = 0; j < n; j++) size[i] = fmax(size[i], fabs(own->full[(size_t)i * n + j]));
    }
    return eliminate(own->size, own->full, own->pivot, size) ? CONDENSED : CONDENSE_SINGULAR;
}

static void solve_full(const part *own, double *x) {
    int n = own->size;
    for (int k = 0; k < n; k++) {
        double y = x[own->pivot[k]];
        x[own->pivot[k]] = x[k], x[k] = y;
    }
    for (int k = 0; k < n; k++)
        for (int i = k + 1; i < n && x[k] != 0; i++) x[i] -= own->full[i * n + k] * x[k];
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++) x[i] -= own->full[i * n + j] * x[j];
        x[i] /= own->full[i * n + i];
    }
}

/* ---------------------------------------------------------------- large parts */

static int ascending(const void *a, const void *b) {
    return ((const entry *)a)->col - ((const entry *)b)->col;
}

/* Rows of the part with their entries in order, those of one place added up. Returns their number. */
static int gather_rows(parts *k, const part *own, int *start, int *index, double *value) {
    int count = start[0] = 0;
    for (int i = 0; i < own->size; i++) {
        int row = k->list[own->first + i], first = k->row_start[row], length = k->row_start[row + 1] - first;
        qsort(k->rows + first, (size_t)length, sizeof *k->rows, ascending);
        for (int e = first; e < first + length; e++) {
            bool same = e > first && k->rows[e].col == k->rows[e - 1].col;
            if (same) value[count - 1] += k->rows[e].value;
            else index[count] = k->place[k->rows[e].col], value[count++] = k->rows[e].value;
        }
        start[i + 1] = count;
    }
    return count;
}

static condense_result factor_sparse(parts *k, part *own) {
    size_t n = (size_t)own->size, room = (size_t)k->row_start[k->n] + 1;
    int *start = malloc((n + 1) * sizeof *start), *index = malloc(room * sizeof *index);
    double *value = malloc(room * sizeof *value);
    condense_result result = CONDENSE_MEMORY;
    if (start && index && value) {
        int count = gather_rows(k, own, start, index, value);
        own->sparse = linear_create_switched(own->size, count, LINEAR_DENSE);
        if (own->sparse)
            result = linear_factor(own->sparse, own->size, start, index, value) ? CONDENSED : CONDENSE_SINGULAR;
    }
    free(start);
    free(index);
    free(value);
    return result;
}

/* ---------------------------------------------------------------- columns */

/* The part of x = A^-1 x on one part of A. */
static void solve_part(parts *k, const part *own) {
    for (int i = 0; i < own->size; i++) k->y[i] = k->x[k->list[own->first + i]];
    if (own->full) solve_full(own, k->y);
    else linear_solve(own->sparse, k->y);
    for (int i = 0; i < own->size; i++) k->x[k->list[own->first + i]] = k->y[i];
}

/* sum += C x over a part, whose x becomes zero; rows that are touched are listed. Returns their number. */
static int multiply_part(parts *k, const part *own, int touched) {
    for (int i = 0; i < own->size; i++) {
        int j = k->list[own->first + i];
        for (int e = k->column_start[j]; e < k->column_start[j + 1] && k->x[j] != 0; e++) {
            int row = k->columns[e].row;
            if (!k->marked[row]) k->marked[row] = true, k->touched[touched++] = row;
            k->sum[row] += k->columns[e].value * k->x[j];
        }
        k->x[j] = 0;
    }
    return touched;
}

static bool condense_column(parts *k, int column, entries *W) {
    int touched = 0;
    const entry *first = k->b + k->b_start[column], *end = k->b + k->b_start[column + 1];
    for (const entry *e = first; e < end; e++) k->x[e->row] += e->value;
    for (const entry *e = first; e < end; e++) {
        part *own = &k->part[k->of[e->row]];
        if (own->done) continue;
        solve_part(k, own);
        touched = multiply_part(k, own, touched);
        own->done = true;
    }
    for (const entry *e = first; e < end; e++) k->part[k->of[e->row]].done = false;
    bool made = true;
    for (int i = 0; i < touched; i++) {
        int row = k->touched[i];
        made = made && entries_add(W, row, column, k->sum[row]);
        k->sum[row] = 0;
        k->marked[row] = false;
    }
    return made;
}

static void condense_given(parts *k, const linear_map *m, double *q) {
    memcpy(q, m->d, (size_t)m->D.rows * sizeof *q);
    if (k->n) memcpy(k->x, m->c, (size_t)k->n * sizeof *q);
    for (int j = 0; j < k->count; j++) {
        solve_part(k, &k->part[j]);
        int touched = multiply_part(k, &k->part[j], 0);
        for (int i = 0; i < touched; i++) {
            int row = k->touched[i];
            q[row] += k->sum[row];
            k->sum[row] = 0;
            k->marked[row] = false;
        }
    }
}

static condense_result factor_parts(parts *k, int *row) {
    condense_result result = CONDENSED;
    for (int j = 0; j < k->count && result == CONDENSED; j++) {
        result = k->part[j].size <= FULL ? factor_full(k, &k->part[j]) : factor_sparse(k, &k->part[j]);
        *row = k->list[k->part[j].first];
    }
    return result;
}

condense_result friction_condense(const linear_map *m, entries *W, double *q, int *row) {
    parts k;
    condense_result result = parts_create(&k, m) ? factor_parts(&k, row) : CONDENSE_MEMORY;
    *W = (entries){.rows = m->D.rows, .cols = m->D.cols};
    bool made = true;
    for (int e = 0; e < m->D.count && made && result == CONDENSED; e++)
        made = entries_add(W, m->D.at[e].row, m->D.at[e].col, m->D.at[e].value);
    for (int j = 0; j < m->B.cols && made && result == CONDENSED; j++) made = condense_column(&k, j, W);
    if (made && result == CONDENSED) condense_given(&k, m, q);
    parts_destroy(&k);
    return made ? result : CONDENSE_MEMORY;
}

condense_result friction_unknowns(const linear_map *m, const double *r, double *x) {
    parts k;
    int row;
    condense_result result = parts_create(&k, m) ? factor_parts(&k, &row) : CONDENSE_MEMORY;
    if (result == CONDENSED) {
        memcpy(k.x, m->c, (size_t)k.n * sizeof *x);
        for (int e = 0; e < m->B.count; e++) k.x[m->B.at[e].row] += m->B.at[e].value * r[m->B.at[e].col];
        for (int j = 0; j < k.count; j++) solve_part(&k, &k.part[j]);
        memcpy(x, k.x, (size_t)k.n * sizeof *x);
    }
    parts_destroy(&k);
    return result;
}
