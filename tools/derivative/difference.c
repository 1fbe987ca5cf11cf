#include "derivative/difference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEVELS = 7, TRIES = LEVELS + 4 };

/* The next row of the table of one value: row[j] has been extrapolated j times. */
static void extrapolate(double *row, double first, int level, double *slope, double *error) {
    double factor = 4, before = row[0];
    row[0] = first;
    for (int j = 1; j <= level; j++, factor *= 4) {
        const double next = (factor * row[j - 1] - before) / (factor - 1);
        const double off = fmax(fabs(next - row[j - 1]), fabs(next - before));
        if (!(off >= *error)) *error = off, *slope = next;
        before = row[j];
        row[j] = next;
    }
}

bool difference_extrapolate(difference_function *f, void *context, double step, int size, double *slope,
                            double *error) {
    double *row = calloc((size_t)size * (LEVELS + 2) + 1, sizeof *row), *right = row + size * LEVELS,
           *left = right + size;
    if (!row) return false;
    for (int i = 0; i < size; i++) slope[i] = error[i] = NAN;
    for (int i = 0, level = 0; i < TRIES && level < LEVELS; i++, step /= 2) {
        if (!f(context, step, right) || !f(context, -step, left)) {
            level = 0;
            continue;
        }
        for (int k = 0; k < size; k++)
            extrapolate(row + k * LEVELS, (right[k] - left[k]) / (2 * step), level, &slope[k], &error[k]);
        level++;
    }
    free(row);
    return true;
}
