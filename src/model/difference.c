/* Central differences D(h) = (y(h) - y(-h)) / 2h for h, h/8, h/64, ... are extrapolated to
 *
 *   R(h) = (64 D(h/8) - D(h)) / 63 = y' + O(h^4),
 *
 * and the error of R(h) is estimated by the sum of
 *
 *   |R(h) - R(h/8)|                truncation, and kinks or jumps within reach
 *   |8 K(h/64) - K(h/8)| / 7       a kink at 0 itself: K(h) = (y(h) - 2 y(0) + y(-h)) / h = h y'' + O(h^3) vanishes
 *                                  with h where y is smooth, and is the jump of the derivative where it is not
 *   eps max(|y|, terms) / (h/64)   rounding.
 *
 * The h with the smallest estimate wins, component by component. R(h/8) is eight times as exposed to rounding as R(h),
 * so that the estimate rather exceeds the error. */
#include "model/difference.h"

#include <float.h>
#include <math.h>

enum { LEVELS = 8, RATIO = 8 };

size_t difference_work(int n) {
    return (size_t)n * (2 * LEVELS + 3);
}

/* D and K of one step, NaN where y is not defined. */
static void level(curve y, void *context, int n, double h, const double *middle, double *left, double *right, double *D,
                  double *K, double *largest) {
    int undefined = y(context, h, right) | y(context, -h, left);
    for (int i = 0; i < n; i++) {
        D[i] = undefined ? NAN : (right[i] - left[i]) / (2 * h);
        K[i] = undefined ? NAN : (right[i] - 2 * middle[i] + left[i]) / h;
        if (!undefined && isfinite(right[i])) *largest = fmax(*largest, fabs(right[i]));
    }
}

void difference(curve y, void *context, int n, double scale, const double *terms, double *work, double *d,
                double *error) {
    double *middle = work, *left = work + n, *right = work + 2 * n, *D[LEVELS], *K[LEVELS], h[LEVELS], largest = 0;
    int undefined = y(context, 0, middle);
    for (int l = 0; l < LEVELS; l++) {
        h[l] = l ? h[l - 1] / RATIO : scale;
        D[l] = work + (3 + 2 * l) * (size_t)n;
        K[l] = D[l] + n;
        level(y, context, n, h[l], middle, left, right, D[l], K[l], &largest);
    }
    for (int i = 0; i < n; i++) {
        double size = terms ? fmax(largest, terms[i]) : largest;
        error[i] = INFINITY;
        d[i] = NAN;
        for (int l = 0; !undefined && l + 2 < LEVELS; l++) {
            double R = (64 * D[l + 1][i] - D[l][i]) / 63, finer = (64 * D[l + 2][i] - D[l + 1][i]) / 63;
            double kink = fabs(8 * K[l + 2][i] - K[l + 1][i]) / 7;
            double estimate = fabs(R - finer) + kink + DBL_EPSILON * size / h[l + 2];
            if (estimate < error[i]) { /* false for NaN */
                error[i] = estimate;
                d[i] = R;
            }
        }
    }
}
