/* A plan is made once for a pattern: the order of the pivots, which are on the diagonal, those of balances before those
 * of laws and the ones that fill in least first; where the entries of L and U lie; and the target of every product. To
 * factorise is to follow it: no search, no zeros, no indices to compare. */
#include "linalg/planned.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { PLANS = 8 };               /* kept at a time: contacts open and close */
static const double RANK = 1e-11; /* as in linear.c */
static const double GROWTH = 32;  /* multipliers beyond ask for other pivots */

typedef struct plan {
    int n, first, entries;
    int *start, *index;          /* the pattern */
    bool pays;                   /* false: no order of pivots does, and nothing else is known */
    int pivot[PLANNED_MOST];     /* the row and column eliminated k-th */
    int begin[PLANNED_MOST + 1]; /* of row k of L, U: entries left of the diagonal, the diagonal, those right of it */
    int diagonal[PLANNED_MOST];
    uint16_t *place;  /* [entries] of A in L, U */
    uint16_t *column; /* of the entries of L, U */
    uint16_t *target; /* of the products, in the order in which they are subtracted */
} plan;

struct planned {
    plan plan[PLANS];
    int next;        /* the one to be replaced */
    const plan *now; /* of the present factors */
    int *numbers;    /* the arrays of the plans */
    uint16_t *places;
    double *factors, *inverse, *work;
};

/* Room for the plans of systems of up to n unknowns. */
static bool allocate(planned *p, size_t n) {
    const size_t entries = n * n, products = n * n * n / (3 * PLANNED_LESS), numbers = n + 2 + entries,
                 places = 2 * entries + products + 1;
    p->numbers = malloc(PLANS * numbers * sizeof *p->numbers);
    p->places = malloc(PLANS * places * sizeof *p->places);
    p->factors = malloc((entries + 2 * n + 1) * sizeof *p->factors);
    if (!p->numbers || !p->places || !p->factors) return false;
    p->inverse = p->factors + entries, p->work = p->inverse + n;
    for (size_t i = 0; i < PLANS; i++) {
        plan *x = &p->plan[i];
        x->n = -1;
        x->start = p->numbers + i * numbers, x->index = x->start + n + 1;
        x->place = p->places + i * places, x->column = x->place + entries, x->target = x->column + entries;
    }
    return true;
}

planned *planned_create(int n) {
    planned *p = calloc(1, sizeof *p);
    if (p && allocate(p, (size_t)n)) return p;
    planned_destroy(p);
    return NULL;
}

void planned_destroy(planned *p) {
    if (!p) return;
    free(p->numbers);
    free(p->places);
    free(p->factors);
    free(p);
}

/* ---------------------------------------------------------------- planning */

/* Rows and columns of a pattern as sets of bits. */
typedef struct shape {
    uint64_t row[PLANNED_MOST], column[PLANNED_MOST];
} shape;

static uint64_t bit(int i) {
    return (uint64_t)1 << i;
}

static int count(uint64_t set) {
    int n = 0;
    for (; set; set &= set - 1) n++;
    return n;
}

static void read_shape(const plan *x, shape *s) {
    *s = (shape){{0}, {0}};
    for (int i = 0; i < x->n; i++)
        for (int e = x->start[i]; e < x->start[i + 1]; e++) {
            s->row[i] |= bit(x->index[e]);
            s->column[x->index[e]] |= bit(i);
        }
}

/* Of the rows that are left, the one on whose diagonal elimination costs least (Markowitz); -1: none has a diagonal. */
static int choose_pivot(const plan *x, const shape *s, uint64_t left) {
    int best = -1, least = 0;
    for (int k = 0; k < x->n; k++) {
        if (!(left & s->row[k] & bit(k)) || (k >= x->first && (left & (bit(x->first) - 1)))) continue;
        const int cost = (count(s->row[k] & left) - 1) * (count(s->column[k] & left) - 1);
        if (best < 0 || cost < least) best = k, least = cost;
    }
    return best;
}

/* Rows below take the entries of the pivot's. */
static int fill_in(shape *s, uint64_t left, int pivot) {
    const uint64_t below = s->column[pivot] & left, right = s->row[pivot] & left;
    for (int i = 0; i < PLANNED_MOST; i++) {
        if (below & bit(i)) s->row[i] |= right;
        if (right & bit(i)) s->column[i] |= below;
    }
    return count(below) * count(right);
}

/* The order of the pivots; s becomes the shape of L and U. Returns the number of products; -1: no order. */
static int order_pivots(plan *x, shape *s) {
    uint64_t left = x->n < PLANNED_MOST ? bit(x->n) - 1 : ~(uint64_t)0;
    int products = 0;
    for (int k = 0; k < x->n; k++) {
        const int pivot = choose_pivot(x, s, left);
        if (pivot < 0) return -1;
        x->pivot[k] = pivot;
        left &= ~bit(pivot);
        products += fill_in(s, left, pivot);
    }
    return products;
}

/* Numbers the entries of L and U, and lists the targets of the products. */
static void number_entries(plan *x, const shape *s) {
    int at[PLANNED_MOST][PLANNED_MOST], entries = 0, products = 0;
    for (int k = 0; k < x->n; k++) {
        const uint64_t row = s->row[x->pivot[k]];
        x->begin[k] = entries;
        for (int j = 0; j < x->n; j++) {
            if (!(row & bit(x->pivot[j]))) continue;
            if (j == k) x->diagonal[k] = entries;
            at[k][j] = entries;
            x->column[entries++] = (uint16_t)j;
        }
    }
    x->begin[x->n] = entries;
    for (int k = 0; k < x->n; k++)
        for (int e = x->begin[k]; e < x->diagonal[k]; e++) {
            const int p = x->column[e];
            for (int u = x->diagonal[p] + 1; u < x->begin[p + 1]; u++)
                x->target[products++] = (uint16_t)at[k][x->column[u]];
        }
    int rank[PLANNED_MOST];
    for (int k = 0; k < x->n; k++) rank[x->pivot[k]] = k;
    for (int i = 0; i < x->n; i++)
        for (int e = x->start[i]; e < x->start[i + 1]; e++) x->place[e] = (uint16_t)at[rank[i]][rank[x->index[e]]];
}

static void make(plan *x, int n, int first, const int *start, const int *index) {
    shape s;
    x->n = n, x->first = first, x->entries = start[n];
    memcpy(x->start, start, ((size_t)n + 1) * sizeof *start);
    memcpy(x->index, index, (size_t)x->entries * sizeof *index);
    read_shape(x, &s);
    const int products = order_pivots(x, &s);
    x->pays = products >= 0 && 3 * PLANNED_LESS * products <= n * n * n;
    if (x->pays) number_entries(x, &s);
}

static bool is_of(const plan *x, int n, int first, const int *start, const int *index) {
    return x->n == n && x->first == first && x->entries == start[n] &&
           !memcmp(x->start, start, ((size_t)n + 1) * sizeof *start) &&
           !memcmp(x->index, index, (size_t)x->entries * sizeof *index);
}

static const plan *find(planned *p, int n, int first, const int *start, const int *index) {
    if (p->now && is_of(p->now, n, first, start, index)) return p->now;
    for (int i = 0; i < PLANS; i++)
        if (is_of(&p->plan[i], n, first, start, index)) return &p->plan[i];
    plan *x = &p->plan[p->next];
    p->next = (p->next + 1) % PLANS;
    make(x, n, first, start, index);
    return x;
}

/* ---------------------------------------------------------------- following the plan */

bool planned_factor(planned *p, int n, int first, const int *start, const int *index, const double *value) {
    const plan *x = p->now = find(p, n, first, start, index);
    if (!x->pays) return false;
    double *a = p->factors, smallest = DBL_MAX, largest = 0, growth = 0;
    const uint16_t *target = x->target;
    memset(a, 0, (size_t)x->begin[n] * sizeof *a);
    for (int e = 0; e < x->entries; e++) a[x->place[e]] = value[e];
    for (int k = 0; k < n; k++) {
        for (int e = x->begin[k]; e < x->diagonal[k]; e++) {
            const int row = x->column[e];
            const double f = a[e] *= p->inverse[row], size = fabs(f);
            growth = size > growth ? size : growth;
            for (int u = x->diagonal[row] + 1; u < x->begin[row + 1]; u++) a[*target++] -= f * a[u];
        }
        const double pivot = fabs(a[x->diagonal[k]]);
        if (!(pivot > 0)) return false;
        smallest = pivot < smallest ? pivot : smallest;
        largest = pivot > largest ? pivot : largest;
        p->inverse[k] = 1 / a[x->diagonal[k]];
    }
    return smallest > RANK * largest && growth <= GROWTH;
}

/* Divides by the pivots, since a product with the inverse is rounded twice: bodies that do not move shall not creep. */
void planned_solve(planned *p, double *b) {
    const plan *x = p->now;
    const double *a = p->factors;
    double *y = p->work;
    for (int k = 0; k < x->n; k++) {
        double sum = b[x->pivot[k]];
        for (int e = x->begin[k]; e < x->diagonal[k]; e++) sum -= a[e] * y[x->column[e]];
        y[k] = sum;
    }
    for (int k = x->n - 1; k >= 0; k--) {
        double sum = y[k];
        for (int e = x->diagonal[k] + 1; e < x->begin[k + 1]; e++) sum -= a[e] * y[x->column[e]];
        b[x->pivot[k]] = y[k] = sum / a[x->diagonal[k]];
    }
}

/* A = P^T L U P: U^T y = P b, L^T (P x) = y. */
void planned_solve_transposed(planned *p, double *b) {
    const plan *x = p->now;
    const double *a = p->factors;
    double *y = p->work;
    for (int k = 0; k < x->n; k++) y[k] = b[x->pivot[k]];
    for (int k = 0; k < x->n; k++) {
        y[k] /= a[x->diagonal[k]];
        for (int e = x->diagonal[k] + 1; e < x->begin[k + 1]; e++) y[x->column[e]] -= a[e] * y[k];
    }
    for (int k = x->n - 1; k >= 0; k--)
        for (int e = x->begin[k]; e < x->diagonal[k]; e++) y[x->column[e]] -= a[e] * y[k];
    for (int k = 0; k < x->n; k++) b[x->pivot[k]] = y[k];
}
