/* The transpositional force of general kinematics q_dot = B u + beta (docs/theory/formulas.md):
 *
 *   Y = B_dot - (B u + beta)_q B,   Gamma = B^+ Y                                           (F6)
 *   (Gamma^T p)_j = sum_i w_i Y_ij,   w = B (B^T B)^-1 p                                    (F7)
 *
 * Y vanishes for coordinates with q_dot_i = u_j, and with it all work. B^T B falls into blocks: velocities that occur
 * in one q_dot_i belong together. Each block is solved by L D L^T in expressions, where zeros cost nothing; that of a
 * quaternion is known: w x p with the other sign. */
#include "equations.h"

#include <stdlib.h>

typedef struct y_row {
    expr_entry *at;
    int count;
} y_row;

typedef struct transposition {
    equations *e;
    y_row *Y;                  /* [nq] */
    int *block;                /* [nu] union-find: the velocity that stands for the block of u_j */
    int *first_row, *next_row; /* coordinates of a block */
    int *first_col, *next_col; /* velocities of a block */
    expr *z;                   /* [nu] (B^T B)^-1 p, where a block needs it */
    double *point;             /* values of t, q, u for the test of integrability */
} transposition;

/* ---------------------------------------------------------------- Y */

enum { NOTHING = -2 }; /* no sum yet; -1 is one that ran out of memory */
typedef struct accumulator {
    expr *sum; /* [nu] */
    int *touched, count;
} accumulator;

static void accumulate(accumulator *a, graph *g, int j, expr term) {
    if (a->sum[j] == NOTHING) a->touched[a->count++] = j;
    a->sum[j] = a->sum[j] == NOTHING ? term : expr_add(g, a->sum[j], term);
}

/* Y_i = B_dot_i - sum_k d(q_dot_i)/dq_k B_k; none of an anchor, which the others decide on (F6a) */
static bool derive_row(equations *e, accumulator *a, int i, y_row *row) {
    graph *g = e->g;
    if (formula_is_anchor(e->def, i)) return true;
    a->count = 0;
    for (int k = e->B.start[i]; k < e->B.start[i + 1]; k++)
        accumulate(a, g, e->B.index[k], equations_rate(e, e->B.value[k]));
    for (int k = e->q_dot_q.start[i]; k < e->q_dot_q.start[i + 1]; k++) {
        int q = e->q_dot_q.index[k];
        for (int l = e->B.start[q]; l < e->B.start[q + 1]; l++) {
            expr term = expr_mul(g, e->q_dot_q.value[k], e->B.value[l]);
            accumulate(a, g, e->B.index[l], expr_unary(g, OP_NEG, term));
        }
    }
    if (a->count == 0) return true;
    row->at = equations_memory(e, (size_t)a->count, sizeof *row->at);
    for (int k = 0; row->at && k < a->count; k++) {
        int j = a->touched[k];
        if (!expr_equals(g, a->sum[j], 0)) row->at[row->count++] = (expr_entry){j, a->sum[j]};
        a->sum[j] = NOTHING;
    }
    return row->at != NULL;
}

static bool derive_rows(transposition *t, bool *any) {
    equations *e = t->e;
    accumulator a = {equations_memory(e, (size_t)e->def->nu, sizeof(expr)),
                     equations_memory(e, (size_t)e->def->nu, sizeof(int)), 0};
    bool ok = a.sum && a.touched;
    *any = false;
    for (int j = 0; ok && j < e->def->nu; j++) a.sum[j] = NOTHING;
    for (int i = 0; ok && i < e->def->nq; i++) {
        ok = derive_row(e, &a, i, &t->Y[i]);
        *any |= t->Y[i].count > 0;
    }
    return ok;
}

/* ---------------------------------------------------------------- blocks */

static int block_of(int *block, int j) {
    while (block[j] != j) j = block[j] = block[block[j]];
    return j;
}

static void find_blocks(transposition *t) {
    const expr_matrix *B = &t->e->B;
    const formula_def *def = t->e->def;
    for (int j = 0; j < B->cols; j++) t->block[j] = j, t->first_row[j] = t->first_col[j] = -1;
    for (int i = 0; i < B->rows; i++)
        for (int k = B->start[i] + 1; k < B->start[i + 1] && !formula_is_anchor(def, i); k++)
            t->block[block_of(t->block, B->index[k])] = block_of(t->block, B->index[k - 1]);
    for (int j = B->cols; j-- > 0;) {
        int block = block_of(t->block, j);
        t->next_col[j] = t->first_col[block];
        t->first_col[block] = j;
    }
    for (int i = B->rows; i-- > 0;) {
        if (B->start[i] == B->start[i + 1] || formula_is_anchor(def, i)) continue;
        int block = block_of(t->block, B->index[B->start[i]]);
        t->next_row[i] = t->first_row[block];
        t->first_row[block] = i;
    }
}

/* One block of B, full: rows x cols. */
typedef struct dense {
    int rows, cols;
    int *col;  /* velocity of each column */
    int *row;  /* coordinate of each row */
    expr *B;   /* by rows */
    expr *L;   /* cols x cols: B^T B, then its factors L (below) and D (diagonal) */
    double *Q; /* B as numbers, by columns */
} dense;

static bool gather(transposition *t, int block, dense *b) {
    equations *e = t->e;
    *b = (dense){0};
    for (int i = t->first_row[block]; i >= 0; i = t->next_row[i]) b->rows++;
    for (int j = t->first_col[block]; j >= 0; j = t->next_col[j]) b->cols++;
    size_t rows = (size_t)b->rows, cols = (size_t)b->cols;
    b->row = equations_memory(e, rows, sizeof *b->row);
    b->col = equations_memory(e, cols, sizeof *b->col);
    b->B = equations_memory(e, rows * cols, sizeof *b->B);
    b->L = equations_memory(e, cols * cols, sizeof *b->L);
    b->Q = equations_memory(e, rows * cols + rows, sizeof *b->Q);
    if (!b->row || !b->col || !b->B || !b->L || !b->Q) return false;
    int r = 0, c = 0;
    for (int j = t->first_col[block]; j >= 0; j = t->next_col[j]) b->col[c++] = j;
    for (int k = 0; k < b->rows * b->cols; k++) b->B[k] = expr_number(e->g, 0);
    for (int i = t->first_row[block]; i >= 0; i = t->next_row[i], r++) {
        b->row[r] = i;
        c = 0; /* both ascend */
        for (int k = e->B.start[i]; k < e->B.start[i + 1]; k++) {
            while (b->col[c] != e->B.index[k]) c++;
            b->B[r * b->cols + c] = e->B.value[k];
        }
    }
    return true;
}

/* ---------------------------------------------------------------- (B^T B)^-1 p */

/* (B^T B)_kl with like terms collected, so that for unit quaternions what cancels is gone. */
static expr column_product(graph *g, const dense *b, int k, int l, expr *rest, double *coefficient) {
    int terms = 0;
    for (int r = 0; r < b->rows; r++) {
        expr x, term = expr_mul(g, b->B[r * b->cols + k], b->B[r * b->cols + l]);
        if (term < 0) return -1;
        double c = expr_coefficient(g, term, &x);
        int n = 0;
        while (n < terms && rest[n] != x) n++;
        if (n == terms) rest[terms] = x, coefficient[terms++] = 0;
        coefficient[n] += c;
    }
    expr sum = expr_number(g, 0);
    for (int n = 0; n < terms; n++) sum = expr_add(g, sum, expr_mul(g, expr_number(g, coefficient[n]), rest[n]));
    return sum;
}

/* x - a*b*c */
static expr reduce(graph *g, expr x, expr a, expr b, expr c) {
    return expr_sub(g, x, expr_mul(g, expr_mul(g, a, b), c));
}

static void factorize(graph *g, expr *L, int n) {
    for (int j = 0; j < n; j++)
        for (int i = j; i < n; i++) {
            expr *x = &L[i * n + j];
            for (int k = 0; k < j; k++) *x = reduce(g, *x, L[i * n + k], L[j * n + k], L[k * n + k]);
            if (i > j) *x = expr_binary(g, OP_DIV, *x, L[j * n + j]);
        }
}

static bool solve(transposition *t, const dense *b) {
    graph *g = t->e->g;
    int n = b->cols;
    expr *rest = equations_memory(t->e, (size_t)b->rows, sizeof *rest), one = expr_number(g, 1);
    double *coefficient = equations_memory(t->e, (size_t)b->rows, sizeof *coefficient);
    if (!rest || !coefficient) return false;
    for (int k = 0; k < n; k++)
        for (int l = 0; l <= k; l++) b->L[k * n + l] = column_product(g, b, k, l, rest, coefficient);
    factorize(g, b->L, n);
    expr *z = t->z; /* L D L^T z = p */
    for (int i = 0; i < n; i++) {
        z[b->col[i]] = t->e->p[b->col[i]];
        for (int k = 0; k < i; k++) z[b->col[i]] = reduce(g, z[b->col[i]], b->L[i * n + k], z[b->col[k]], one);
    }
    for (int i = 0; i < n; i++) z[b->col[i]] = expr_binary(g, OP_DIV, z[b->col[i]], b->L[i * n + i]);
    for (int i = n; i-- > 0;)
        for (int k = i + 1; k < n; k++) z[b->col[i]] = reduce(g, z[b->col[i]], b->L[k * n + i], z[b->col[k]], one);
    return true;
}

/* ---------------------------------------------------------------- integrability */

static double dot(const double *x, const double *y, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

static void remove_part(double *x, const double *unit, int n) {
    double c = dot(x, unit, n);
    for (int i = 0; i < n; i++) x[i] -= c * unit[i];
}

/* Whether the columns of Y lie in the range of B: asked for one generic combination of them at one generic state, where
 * a relative 1e-9 separates rounding from a true commutator. */
static bool in_range(transposition *t, const dense *b) {
    graph *g = t->e->g;
    int n = b->rows;
    double *y = b->Q + n * b->cols, size = 0;
    for (int r = 0; r < n; r++) {
        const y_row *row = &t->Y[b->row[r]];
        for (int k = 0; k < row->count; k++) {
            double term = (1 + 0.5 * sin(row->at[k].index)) * expr_value(g, row->at[k].value, t->point);
            y[r] += term;
            size += fabs(term);
        }
        for (int c = 0; c < b->cols; c++) b->Q[c * n + r] = expr_value(g, b->B[r * b->cols + c], t->point);
    }
    for (int c = 0; c < b->cols; c++) { /* Gram-Schmidt, twice is enough */
        double *q = b->Q + c * n;
        for (int k = 0; k < 2 * c; k++) remove_part(q, b->Q + k % c * n, n);
        double length = sqrt(dot(q, q, n));
        for (int r = 0; r < n && length > 0; r++) q[r] /= length;
        remove_part(y, q, n);
    }
    return !(sqrt(dot(y, y, n)) > 1e-9 * size);
}

static void choose_point(const equations *e, double *point) {
    const formula_def *d = e->def;
    point[0] = d->t0 + 0.1;
    for (int i = 0; i < d->nq; i++) point[e->first_q + i] = (d->q0 ? d->q0[i] : 0) + 0.1 * sin(i + 1.0);
    for (int j = 0; j < d->nu; j++) point[e->first_u + j] = 1 + 0.5 * cos(2.0 * j);
}

/* ---------------------------------------------------------------- Gamma^T p */

static bool block_needed(const transposition *t, int block) {
    for (int i = t->first_row[block]; i >= 0; i = t->next_row[i])
        if (t->Y[i].count > 0) return true;
    return false;
}

static void add_force(transposition *t, const dense *b) {
    graph *g = t->e->g;
    for (int r = 0; r < b->rows; r++) {
        const y_row *row = &t->Y[b->row[r]];
        expr w = expr_number(g, 0);
        for (int c = 0; c < b->cols && row->count > 0; c++)
            w = expr_add(g, w, expr_mul(g, b->B[r * b->cols + c], t->z[b->col[c]]));
        for (int k = 0; k < row->count; k++) {
            expr *force = &t->e->b[row->at[k].index];
            *force = expr_add(g, *force, expr_mul(g, w, row->at[k].value));
        }
    }
}

/* ---------------------------------------------------------------- quaternions */

/* Is the block that of a quaternion, p_dot = p o (0, w)/2? Its entries are those of B = E(p)/2, row by row. */
static bool is_quaternion(const equations *e, const dense *b) {
    static const int of[12] = {1, 2, 3, 0, 3, 2, 3, 0, 1, 2, 1, 0};
    static const double half[12] = {-0.5, -0.5, -0.5, 0.5, -0.5, 0.5, 0.5, 0.5, -0.5, -0.5, 0.5, 0.5};
    bool same = b->rows == 4 && b->cols == 3;
    for (int k = 0; k < 12 && same; k++) {
        expr symbol;
        same = expr_coefficient(e->g, b->B[k], &symbol) == half[k] &&
               expr_symbol_of(e->g, symbol) == e->first_q + b->row[of[k]];
    }
    for (int r = 0; r < 4 && same; r++)
        same = expr_equals(e->g, expr_substitute(e->g, e->q_dot[b->row[r]], e->first_u, e->def->nu, e->rest), 0);
    return same;
}

/* (F7) in closed form: p x w, the gyroscopic torque of the momenta p conjugate to w. */
static void add_gyroscopic(equations *e, const dense *b) {
    graph *g = e->g;
    for (int i = 0; i < 3; i++) {
        const int j = b->col[(i + 1) % 3], k = b->col[(i + 2) % 3];
        expr w_j = expr_symbol(g, e->first_u + j), w_k = expr_symbol(g, e->first_u + k);
        expr one = expr_mul(g, e->p[j], w_k), other = expr_mul(g, e->p[k], w_j), *force = &e->b[b->col[i]];
        *force = expr_add(g, *force, expr_sub(g, one, other));
    }
}

carom_status transpositional_force(equations *e, bool *integrable) {
    size_t nq = (size_t)e->def->nq, nu = (size_t)e->def->nu;
    *integrable = true;
    if (e->trivial) return CAROM_OK;
    transposition t = {.e = e,
                       .Y = equations_memory(e, nq, sizeof *t.Y),
                       .block = equations_memory(e, nu, sizeof *t.block),
                       .first_row = equations_memory(e, nu, sizeof *t.first_row),
                       .next_row = equations_memory(e, nq, sizeof *t.next_row),
                       .first_col = equations_memory(e, nu, sizeof *t.first_col),
                       .next_col = equations_memory(e, nu, sizeof *t.next_col),
                       .z = equations_memory(e, nu, sizeof *t.z),
                       .point = equations_memory(e, 1 + nq + nu, sizeof *t.point)};
    bool any;
    if (!t.Y || !t.block || !t.first_row || !t.next_row || !t.first_col || !t.next_col || !t.z || !t.point ||
        !derive_rows(&t, &any))
        return CAROM_MEMORY;
    if (!any) return CAROM_OK;
    find_blocks(&t);
    choose_point(e, t.point);
    for (int block = 0; block < e->def->nu && *integrable; block++) {
        dense b;
        if (!block_needed(&t, block)) continue;
        if (!gather(&t, block, &b)) return CAROM_MEMORY;
        if (is_quaternion(e, &b)) {
            add_gyroscopic(e, &b);
            continue;
        }
        if (!solve(&t, &b)) return CAROM_MEMORY;
        *integrable = in_range(&t, &b);
        add_force(&t, &b);
    }
    return CAROM_OK;
}
