/* Lemke's pivoting method (docs/theory/solver.md, (S9)). With the disk of friction replaced by the polygon with
 * directions d_i, the condensed problem is a linear complementarity problem in (w_N, beta, lambda) per contact,
 *
 *     0 <= w_N      complementary to  v_N >= 0
 *     0 <= beta_i   complementary to  d_i^T v_F + lambda >= 0,         w_F = sum beta_i d_i
 *     0 <= lambda   complementary to  radius - sum beta_i >= 0,
 *
 * which Lemke's method solves in finitely many pivots whenever restitution is zero, however redundant the contacts. For
 * planar friction it is exact; in two and three directions it is a start for Newton. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solver/condensed.h"

/* Directions of the polygon: both, eight of a circle, faces and corners of a cube. */
static int directions(int size, double d[16][LAW_SIZE]) {
    if (size == 1) {
        d[0][0] = 1, d[1][0] = -1;
        return 2;
    }
    int n = 0;
    if (size == 2)
        for (; n < 8; n++) d[n][0] = cos(n * acos(-1) / 4), d[n][1] = sin(n * acos(-1) / 4);
    for (int axis = 0; size == 3 && axis < 3; axis++)
        for (int sign = -1; sign <= 1; sign += 2, n++)
            for (int i = 0; i < 3; i++) d[n][i] = i == axis ? sign : 0;
    for (int corner = 0; size == 3 && corner < 8; corner++, n++)
        for (int i = 0; i < 3; i++) d[n][i] = (corner >> i & 1 ? 1 : -1) / sqrt(3);
    return n;
}

/* Unknowns of the complementarity problem as combinations of w and the lambdas. */
typedef struct unknown {
    int at, size; /* part of w that it moves by d; -1: a lambda */
    double d[LAW_SIZE];
    int lambda;             /* of its contact: the unknown lambda it goes with; -1: none */
    const problem_law *law; /* of a lambda: the friction law */
} unknown;

enum { MOST = 800 };
static const double WORK = 3e8; /* of additions, a fraction of a second */

/* For each law: w_N; or the betas and lambda of friction. Returns how many, -1 if too many. */
static int list_unknowns(const problem *p, unknown *u) {
    int n = 0;
    for (int k = 0; k < p->laws; k++) {
        const problem_law *l = &p->law[k];
        if (n + 17 > MOST) return -1;
        if (l->normal < 0) {
            u[n++] = (unknown){.at = l->col, .size = 1, .d = {1}, .lambda = -1};
            continue;
        }
        double d[16][LAW_SIZE];
        int facets = directions(l->size, d);
        for (int i = 0; i < facets; i++, n++) {
            u[n] = (unknown){.at = l->col, .size = l->size, .lambda = n - i + facets};
            memcpy(u[n].d, d[i], sizeof d[i]);
        }
        u[n++] = (unknown){.at = -1, .lambda = -1, .law = l};
    }
    return n;
}

static double moved(const condensed *c, const unknown *row, const unknown *col) {
    double sum = 0;
    for (int i = 0; i < row->size; i++)
        for (int j = 0; j < col->size; j++)
            sum += row->d[i] * c->contacts.J.value[(row->at + i) * c->m + col->at + j] * col->d[j];
    return sum;
}

/* Tableau  basic + T nonbasic = q, columns [n + 1 nonbasic | q]: at first the slacks are basic, the unknowns and the
 * cover are not. Right-hand sides are shifted by different amounts below every tolerance, so that no pivots tie.
 */
static void fill_tableau(const condensed *c, const unknown *u, int n, double *T) {
    const size_t width = (size_t)n + 2;
    for (int i = 0; i < n; i++) {
        double *row = T + (size_t)i * width, q = 0;
        row[n] = -1;
        for (int j = 0; j < n; j++) {
            double a = 0;
            if (u[i].at >= 0 && u[j].at >= 0) a = moved(c, &u[i], &u[j]);
            if (u[i].lambda == j) a = 1;
            if (u[i].at < 0 && u[j].lambda == i) a = -1;
            if (u[i].at < 0 && u[j].at >= 0 && u[j].lambda < 0 && u[j].at == u[i].law->normal) a = u[i].law->mu;
            row[j] = -a;
        }
        if (u[i].at < 0) q = -u[i].law->mu * u[i].law->given;
        for (int k = 0; k < u[i].size && u[i].at >= 0; k++) q += u[i].d[k] * c->v0[u[i].at + k];
        row[n + 1] = q + 1e-14 * (1 + fmod(0.61803398875 * i, 1));
    }
}

/* The variables of a row and a column change places. */
static void pivot(double *T, int n, int row, int col) {
    const size_t width = (size_t)n + 2;
    double *r = T + (size_t)row * width, inverse = 1 / r[col];
    r[col] = 1;
    for (size_t j = 0; j < width; j++) r[j] *= inverse;
    for (int i = 0; i < n; i++) {
        double *t = T + (size_t)i * width, f = t[col];
        if (i == row || f == 0) continue;
        t[col] = 0;
        for (size_t j = 0; j < width; j++) t[j] -= f * r[j];
    }
}

/* Variables are 0..n-1 slacks, n..2n-1 unknowns, 2n the cover. basic[i]: the one of row i, other[j]: of column j. True:
 * complementary solution found. */
static bool lemke(double *T, int n, int *basic, int *other, double *work) {
    const size_t width = (size_t)n + 2;
    const double one = (double)n * (double)width; /* of a pivot */
    int row = 0, col = n;
    for (int i = 0; i < n; i++) {
        basic[i] = i;
        if (T[(size_t)i * width + width - 1] < T[(size_t)row * width + width - 1]) row = i;
    }
    for (int j = 0; j <= n; j++) other[j] = n + j;
    if (T[(size_t)row * width + width - 1] >= 0) return true;
    for (int pivots = 0; pivots < 20 * n + 100 && pivots * one < WORK; pivots++) {
        *work += one;
        pivot(T, n, row, col);
        const int leave = basic[row], enter = leave < n ? leave + n : leave - n;
        basic[row] = other[col], other[col] = leave;
        if (leave == 2 * n) return true;
        for (col = 0; other[col] != enter;) col++;
        row = -1;
        double least = INFINITY;
        for (int i = 0; i < n; i++) {
            double a = T[(size_t)i * width + (size_t)col], ratio = T[(size_t)i * width + width - 1] / a;
            if (a > 1e-11 && (ratio < least || (basic[i] == 2 * n && ratio <= least * (1 + 1e-12))))
                least = ratio, row = i;
        }
        if (row < 0) return false; /* a ray: no solution this way */
    }
    return false;
}

bool lemke_improve(condensed *c) {
    unknown *u = malloc(MOST * sizeof *u);
    int n = u ? list_unknowns(&c->contacts, u) : 0;
    size_t width = (size_t)(n > 0 ? n : 0) + 2;
    double *T = n > 0 ? calloc((size_t)n * width, sizeof *T) : NULL;
    int *basic = n > 0 ? calloc(2 * (size_t)n + 1, sizeof *basic) : NULL;
    bool solved = false;
    if (T && basic) {
        fill_tableau(c, u, n, T);
        solved = lemke(T, n, basic, basic + n, &c->solver->work);
    }
    if (solved) memset(c->w, 0, (size_t)c->m * sizeof *c->w);
    for (int i = 0; solved && i < n; i++) {
        if (basic[i] < n || u[basic[i] - n].at < 0) continue;
        const unknown *x = &u[basic[i] - n];
        for (int k = 0; k < x->size; k++) c->w[x->at + k] += x->d[k] * T[(size_t)i * width + width - 1];
    }
    free(T);
    free(basic);
    free(u);
    return solved;
}
