/* Islands of two or three contacts: Newton steps on (FC5) with full matrices, each around its own start,
 *
 *     F(r) + F'(r) (s - r) = 0 with W + alpha D in place of W in F',                                         (FC21)
 *
 * where alpha is so small that steps converge as Newton's do, and large enough for rows that depend on each other. The
 * steps end where F = 0 whatever alpha is. Nothing is allocated. */
#include "friction/contact.h"
#include "friction/parts.h"

#include <math.h>
#include <string.h>

enum { MOST = 8, N = 3 * FEW };
static const double alpha = 1e-11;

/* x -> A^-1 x by elimination with pivots; A is destroyed. False: A is singular. */
static bool solve(int n, double A[N][N], double *x) {
    for (int k = 0; k < n; k++) {
        int p = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(A[i][k]) > fabs(A[p][k])) p = i;
        if (!(fabs(A[p][k]) > 0)) return false;
        for (int j = k; j < n && p != k; j++) {
            const double y = A[k][j];
            A[k][j] = A[p][j], A[p][j] = y;
        }
        const double y = x[k], inverse = 1 / A[k][k];
        x[k] = x[p], x[p] = y;
        for (int i = k + 1; i < n; i++) {
            const double f = A[i][k] * inverse;
            if (f == 0) continue;
            for (int j = k + 1; j < n; j++) A[i][j] -= f * A[k][j];
            x[i] -= f * x[k];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++) x[k] -= A[k][j] * x[j];
        x[k] /= A[k][k];
    }
    return true;
}

/* Rows of F' at contact a, and F. */
static void fill_rows(const friction_problem *p, int a, const double *r, const double *u, double A[N][N], double *F) {
    const double *own = p->W[p->diagonal[a]], give = alpha * (own[0] + own[4] + own[8]) / 3;
    const double rho[2] = {1 / own[0], 2 / (own[4] + own[8])};
    block3 by_u, by_r;
    contact_linearise(p->mu[a], rho, r + 3 * a, u + 3 * a, F + 3 * a, by_u, by_r);
    for (int i = 0; i < 3; i++) {
        memset(A[3 * a + i], 0, N * sizeof(double));
        for (int e = p->start[a]; e < p->start[a + 1]; e++)
            for (int j = 0; j < 3; j++)
                for (int k = 0; k < 3; k++) A[3 * a + i][3 * p->index[e] + j] += by_u[3 * i + k] * p->W[e][3 * k + j];
        for (int j = 0; j < 3; j++) A[3 * a + i][3 * a + j] += by_r[3 * i + j] + give * by_u[3 * i + j];
    }
}

static bool regular(const friction_problem *p) {
    for (int a = 0; a < p->contacts; a++) {
        const double *own = p->W[p->diagonal[a]];
        if (!(own[0] > 0 && own[4] + own[8] > 0)) return false;
    }
    return true;
}

static bool newton(island *s) {
    const friction_problem *p = &s->problem;
    const int n = 3 * p->contacts;
    double r[N], u[N], step[N], A[N][N];
    memcpy(r, s->r, (size_t)n * sizeof *r), memcpy(u, s->u, (size_t)n * sizeof *u);
    for (int k = 0; k < MOST && s->error > s->tolerance; k++, s->factored++) {
        for (int a = 0; a < p->contacts; a++) fill_rows(p, a, r, u, A, step);
        if (!solve(n, A, step)) return false;
        for (int i = 0; i < n; i++) r[i] -= step[i];
        friction_velocities(p, r, u);
        island_compare(s, r, u);
    }
    return s->error <= s->tolerance;
}

bool few_solve(island *s) {
    return s->problem.contacts > 1 && s->problem.contacts <= FEW && regular(&s->problem) && newton(s);
}
