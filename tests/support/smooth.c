#include "smooth.h"
#include "trial.h"

#include <math.h>
#include <string.h>

enum { MOST = 8, COLUMNS = 7 };

/* y(t + H) - y(t) by `parts` (even) steps of the modified midpoint rule; its error is a series in (H/parts)^2. Small
 * differences instead of values: extrapolation would magnify the round-off of values. */
static void midpoint(int n, smooth_rhs *rhs, const void *context, real t, real H, int parts, const real *y, real *now) {
    real before[MOST] = {0}, at[MOST], dy[MOST], h = H / parts;
    rhs(t, y, dy, context);
    for (int i = 0; i < n; i++) now[i] = h * dy[i];
    for (int k = 1; k < parts; k++) {
        for (int i = 0; i < n; i++) at[i] = y[i] + now[i];
        rhs(t + k * h, at, dy, context);
        for (int i = 0; i < n; i++) {
            real next = before[i] + 2 * h * dy[i];
            before[i] = now[i], now[i] = next;
        }
    }
}

/* One step: 2, 4, ..., 14 parts, extrapolated to infinitely many by Aitken and Neville; order 14. */
static void step(int n, smooth_rhs *rhs, const void *context, real t, real H, real *y) {
    real table[COLUMNS][MOST];
    for (int k = 0; k < COLUMNS; k++) {
        midpoint(n, rhs, context, t, H, 2 * (k + 1), y, table[k]);
        for (int j = k - 1; j >= 0; j--) {
            real ratio = (real)(k + 1) / (j + 1), weight = 1 / (ratio * ratio - 1);
            for (int i = 0; i < n; i++) table[j][i] = table[j + 1][i] + weight * (table[j + 1][i] - table[j][i]);
        }
    }
    for (int i = 0; i < n; i++) y[i] += table[0][i];
}

static void advance(int n, smooth_rhs *rhs, const void *context, real t0, real until, int steps, real *y) {
    real H = (until - t0) / steps;
    for (int k = 0; k < steps; k++) step(n, rhs, context, t0 + k * H, H, y);
}

void smooth_solve(int n, smooth_rhs *rhs, const void *context, real t0, real until, real *y) {
    real halved[MOST];
    assert_true(n <= MOST);
    memcpy(halved, y, (size_t)n * sizeof *y);
    int steps = 1 + (int)ceill((until - t0) * 32);
    advance(n, rhs, context, t0, until, steps, y);
    advance(n, rhs, context, t0, until, 2 * steps, halved);
    for (int i = 0; i < n; i++) assert_near((double)(y[i] - halved[i]), 0, 1e-16 * fmax(1, fabs((double)y[i])));
    memcpy(y, halved, (size_t)n * sizeof *y);
}
