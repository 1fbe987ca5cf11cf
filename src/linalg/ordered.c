/* Elimination row by row with pivots among the columns, (S12). In
 *
 *     M du - W dr = ..,   W^T du = ..
 *
 * masses decide nothing if the rows of W^T come first: their pivots are velocities, and whether a row depends on others
 * is seen from directions alone. Where laws are on positions, the updates of these come before them, so that directions
 * are those of velocities: gaps of four quaternions that no velocity tells apart look independent. What is left of the
 * balances has no large terms that cancel. Row k becomes
 *
 *     row_k = sum_{q<k} L_kq U_q + pivot_k U_k,    U_k = 1 in its own column, at most 1 in columns to come.
 *
 * Rows are sparse. Those that a row needs are found on the way: the pivot of U_q is in a column that the row has. */
#include "linalg/ordered.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/csr.h"

static const double DEPENDENT = 3e-6; /* of a row of W^T is left: its square, in W^T M^-1 W, would be 1e-11 */
static const double CANCELLED = 1e-13;
static const double NOTHING = 16 * DBL_EPSILON; /* of its terms is left: an entry is zero */

/* Rows that grow one after the other. */
typedef struct rows {
    int *start, *index;
    double *value;
    int room;
} rows;

enum { NONE = -1, WORD = CHAR_BIT * sizeof(unsigned long) };

struct ordered {
    int n;
    rows L, U;             /* in the order of elimination; L by these, U by columns, without the pivot's */
    int *row, *column;     /* [n] in the order of elimination: row of A, column of its pivot */
    int *order;            /* [n] of the pivot in a column; NONE: it has none yet */
    int *list, *mark;      /* [n] columns of the present row, the last row that had a column */
    int count;             /* of list */
    unsigned long *needed; /* a bit each: rows that the present one needs */
    double *pivot;         /* [n] in the order of elimination */
    double *x, *sum;       /* [n] the present row; terms that made it, added up without their signs */
    double products;
};

ordered *ordered_create(int most) {
    const size_t n = (size_t)most + 1;
    ordered *o = calloc(1, sizeof *o);
    if (!o) return NULL;
    o->row = malloc(7 * n * sizeof *o->row);
    o->pivot = malloc(3 * n * sizeof *o->pivot);
    o->needed = malloc((n / WORD + 1) * sizeof *o->needed);
    if (!o->row || !o->pivot || !o->needed) {
        ordered_destroy(o);
        return NULL;
    }
    int **parts[] = {&o->column, &o->order, &o->list, &o->mark, &o->L.start, &o->U.start};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) *parts[i] = o->row + (i + 1) * n;
    o->x = o->pivot + n, o->sum = o->x + n;
    return o;
}

void ordered_destroy(ordered *o) {
    if (!o) return;
    free(o->L.index), free(o->L.value);
    free(o->U.index), free(o->U.value);
    free(o->row);
    free(o->pivot);
    free(o->needed);
    free(o);
}

static bool reserve(rows *r, int entries) {
    if (entries <= r->room) return true;
    const int room = 2 * entries;
    int *index = realloc(r->index, (size_t)room * sizeof *index);
    if (index) r->index = index;
    double *value = realloc(r->value, (size_t)room * sizeof *value);
    if (value) r->value = value;
    if (index && value) r->room = room;
    return index && value;
}

/* ---------------------------------------------------------------- factorisation */

static void begin_row(ordered *o, int k) {
    o->count = 0;
    o->L.start[k + 1] = o->L.start[k];
}

/* The entry of a column in the present row, which may have to be made. */
static double *entry_of(ordered *o, int k, int column) {
    if (o->mark[column] != k) {
        const int q = o->order[column];
        o->mark[column] = k;
        o->list[o->count++] = column;
        o->x[column] = o->sum[column] = 0;
        if (q != NONE) o->needed[q / WORD] |= 1ul << q % WORD;
    }
    return &o->x[column];
}

/* The first row from q on that the present one needs; k: none. */
static int next_needed(ordered *o, int q, int k) {
    for (int word = q / WORD; word * WORD < k; word++)
        if (o->needed[word]) return word * WORD + __builtin_ctzl(o->needed[word]);
    return k;
}

static void subtract(ordered *o, int k, int q, double f) {
    const rows *U = &o->U;
    for (int e = U->start[q]; e < U->start[q + 1]; e++) {
        const double term = f * U->value[e];
        *entry_of(o, k, U->index[e]) -= term;
        o->sum[U->index[e]] += fabs(term);
    }
    o->products += U->start[q + 1] - U->start[q];
}

/* Takes the earlier rows off row k. What is left of an entry as round-off becomes zero: multiplied with rows to come,
 * it would be the largest entry of what is left of them, and no round-off beside itself. False: out of memory. */
static bool eliminate(ordered *o, int k) {
    rows *L = &o->L;
    for (int q = next_needed(o, 0, k); q < k; q = next_needed(o, q, k)) {
        const int p = o->column[q];
        o->needed[q / WORD] &= ~(1ul << q % WORD);
        if (!(fabs(o->x[p]) > NOTHING * o->sum[p])) continue;
        if (!reserve(L, L->start[k + 1] + 1)) return false;
        L->index[L->start[k + 1]] = q, L->value[L->start[k + 1]++] = o->x[p];
        subtract(o, k, q, o->x[p]);
    }
    return true;
}

/* Columns without a pivot that are not zero stay in the list, in ascending order. */
static void keep_free(ordered *o) {
    int kept = 0;
    for (int i = 0; i < o->count; i++)
        if (o->order[o->list[i]] == NONE) o->list[kept++] = o->list[i];
    csr_sort(o->list, o->count = kept);
    for (int i = 0; i < o->count; i++) {
        const int j = o->list[i];
        if (fabs(o->x[j]) <= NOTHING * o->sum[j]) o->x[j] = 0;
    }
}

/* The largest entry that is not what cancellation left, nor less than the round-off of another one. NONE: none above
 * least. */
static int find_pivot(const ordered *o, double least) {
    int found = NONE;
    for (int i = 0; i < o->count; i++) least = fmax(least, DBL_EPSILON * o->sum[o->list[i]]);
    for (int i = 0; i < o->count; i++) {
        const int j = o->list[i];
        if (fabs(o->x[j]) > CANCELLED * o->sum[j] && fabs(o->x[j]) > least) found = j, least = fabs(o->x[j]);
    }
    return found;
}

static ordered_verdict store_row(ordered *o, int k, int pivot) {
    rows *U = &o->U;
    int e = U->start[k];
    if (!reserve(U, e + o->count)) return ORDERED_NO_MEMORY;
    for (int i = 0; i < o->count; i++) {
        const int j = o->list[i];
        if (j != pivot && o->x[j] != 0) U->index[e] = j, U->value[e++] = o->x[j] / o->x[pivot];
    }
    U->start[k + 1] = e;
    o->column[k] = pivot, o->order[pivot] = k;
    o->pivot[k] = o->x[pivot];
    return isfinite(1 / o->pivot[k]) ? ORDERED_REGULAR : ORDERED_NOT;
}

/* The present row of A has largest as its largest entry where it is that of a law, or 0. */
static ordered_verdict reduce_row(ordered *o, int k, double largest) {
    if (!eliminate(o, k)) return ORDERED_NO_MEMORY;
    keep_free(o);
    const int pivot = find_pivot(o, DEPENDENT * largest);
    return pivot == NONE ? ORDERED_NOT : store_row(o, k, pivot);
}

ordered_verdict ordered_factor(ordered *o, int n, int balances, int first, const int *start, const int *index,
                               const double *value) {
    ordered_verdict verdict = ORDERED_REGULAR;
    o->n = n;
    o->products = 0;
    o->L.start[0] = o->U.start[0] = 0;
    memset(o->needed, 0, ((size_t)n / WORD + 1) * sizeof *o->needed);
    for (int j = 0; j < n; j++) o->order[j] = o->mark[j] = NONE;
    for (int k = 0; k < n && verdict == ORDERED_REGULAR; k++) {
        const int i = o->row[k] = k < n - balances ? balances + k : k - (n - balances);
        double largest = 0;
        begin_row(o, k);
        for (int e = start[i]; e < start[i + 1]; e++) {
            *entry_of(o, k, index[e]) = value[e];
            o->sum[index[e]] = fabs(value[e]);
            if (i >= first) largest = fmax(largest, fabs(value[e]));
        }
        verdict = o->products > ORDERED_WORK ? ORDERED_NOT : reduce_row(o, k, largest);
    }
    return verdict;
}

/* ---------------------------------------------------------------- solutions */

static double less_product(const rows *A, int k, const double *x, double sum) {
    for (int e = A->start[k]; e < A->start[k + 1]; e++) sum -= A->value[e] * x[A->index[e]];
    return sum;
}

static void subtract_scaled(const rows *A, int k, double f, double *x) {
    for (int e = A->start[k]; e < A->start[k + 1]; e++) x[A->index[e]] -= f * A->value[e];
}

void ordered_solve(ordered *o, double *b) {
    double *y = o->x;
    for (int k = 0; k < o->n; k++) y[k] = less_product(&o->L, k, y, b[o->row[k]]) / o->pivot[k];
    for (int k = o->n - 1; k >= 0; k--) b[o->column[k]] = less_product(&o->U, k, b, y[k]);
}

/* ordered_solve with every step of it transposed, the last one first. */
void ordered_solve_transposed(ordered *o, double *b) {
    double *y = o->x;
    for (int k = 0; k < o->n; k++) {
        y[k] = b[o->column[k]];
        subtract_scaled(&o->U, k, y[k], b);
    }
    for (int k = o->n - 1; k >= 0; k--) subtract_scaled(&o->L, k, y[k] /= o->pivot[k], y);
    for (int k = 0; k < o->n; k++) b[o->row[k]] = y[k];
}

double ordered_factor_work(const ordered *o) {
    return o->products;
}

double ordered_solve_work(const ordered *o) {
    return o->L.start[o->n] + o->U.start[o->n];
}
