/* Distances by supports alone: the point nearest to the origin of the difference of two shapes, by the algorithm of
 * Gilbert, Johnson and Keerthi. */
#include <string.h>

#include "features_inside.h"

enum { STEPS_MOST = 64 };

double supports_part(const core *first, const core *second, const double n[3]) {
    const double down[3] = {-n[0], -n[1], -n[2]};
    double x[3], y[3];
    core_support(first, down, x), core_support(second, n, y);
    return space_dot(n, x) - space_dot(n, y);
}

/* Solves the equations of `size` unknowns, the last column the right sides, with pivots. False: they are singular. */
static bool solve(int size, double A[5][6]) {
    for (int k = 0; k < size; k++) {
        int best = k;
        for (int i = k + 1; i < size; i++)
            if (fabs(A[i][k]) > fabs(A[best][k])) best = i;
        if (!(fabs(A[best][k]) > 0)) return false;
        for (int j = 0; j <= size; j++) {
            const double keep = A[k][j];
            A[k][j] = A[best][j], A[best][j] = keep;
        }
        for (int i = 0; i < size; i++) {
            const double factor = i == k ? 0 : A[i][k] / A[k][k];
            for (int j = k; j <= size && i != k; j++) A[i][j] -= factor * A[k][j];
        }
    }
    for (int k = 0; k < size; k++) A[k][size] /= A[k][k];
    return true;
}

/* The point nearest to the origin of the plane through some corners, if it lies between them. */
static bool nearest_between(double corner[4][3], const int *of, int count, double v[3]) {
    double A[5][6] = {{0}};
    for (int i = 0; i < count; i++) {
        for (int j = 0; j < count; j++) A[i][j] = space_dot(corner[of[i]], corner[of[j]]);
        A[i][count] = A[count][i] = 1;
    }
    A[count][count + 1] = 1;
    if (!solve(count + 1, A)) return false;
    for (int k = 0; k < 3; k++) v[k] = 0;
    for (int i = 0; i < count; i++) {
        if (!(A[i][count + 1] > 0)) return false;
        along(v, A[i][count + 1], corner[of[i]], v);
    }
    return true;
}

/* Keeps the corners that the point of their hull nearest to the origin lies between. */
static void reduce(double corner[4][3], int *count, double v[3]) {
    double least = HUGE_VAL, kept[4][3];
    int keep = 0;
    for (int subset = 1; subset < 1 << *count; subset++) {
        int of[4], size = 0;
        double x[3];
        for (int i = 0; i < *count; i++)
            if (subset >> i & 1) of[size++] = i;
        if (!nearest_between(corner, of, size, x) || !(space_dot(x, x) < least)) continue;
        least = space_dot(x, x), keep = size;
        memcpy(v, x, sizeof x);
        for (int i = 0; i < size; i++) memcpy(kept[i], corner[of[i]], sizeof *kept);
    }
    memcpy(corner, kept, (size_t)keep * sizeof *kept);
    *count = keep;
}

/* Every direction v that is tried on the way is an axis, which parts the shapes by v.s/|v|: the best is kept. */
double supports_gap(const core *first, const core *second) {
    double corner[4][3], v[3], x[3], y[3], best = -HUGE_VAL;
    int count = 0;
    minus(first->centre, second->centre, v);
    for (int step = 0; step < STEPS_MOST && space_dot(v, v) > 0; step++) {
        const double down[3] = {-v[0], -v[1], -v[2]}, square = space_dot(v, v);
        core_support(first, down, x), core_support(second, v, y);
        minus(x, y, corner[count]);
        const double parts = space_dot(v, corner[count]);
        best = fmax(best, parts / sqrt(square));
        if (step > 0 && square - parts <= 1e-12 * square) break;
        count++;
        reduce(corner, &count, v);
        if (count == 4 || count == 0) break;
    }
    return best;
}
