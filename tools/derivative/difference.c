#include "derivative/difference.h"

#include <math.h>
#include <stdlib.h>

enum { LEVELS = 7, TRIES = LEVELS + 4 };

/* One value of the function. row[j] holds the difference after j extrapolations. For each step size, best is the best
 * entry, off how much it differs from its neighbours, and noise the error of the function that the change of the last
 * entry suggests. */
typedef struct column {
    double row[LEVELS], best[LEVELS], off[LEVELS], noise[LEVELS];
} column;

/* The next row of the table, (SE60). */
static void extrapolate(column *c, double first, double step, int level) {
    double factor = 4, before = c->row[0], last = level > 0 ? c->row[level - 1] : first;
    c->row[0] = c->best[level] = first;
    c->off[level] = INFINITY;
    for (int j = 1; j <= level; j++, factor *= 4) {
        const double next = (factor * c->row[j - 1] - before) / (factor - 1);
        const double off = fmax(fabs(next - c->row[j - 1]), fabs(next - before));
        if (off < c->off[level]) c->off[level] = off, c->best[level] = next;
        before = c->row[j];
        c->row[j] = next;
    }
    c->noise[level] = step * fabs(c->row[level] - last);
}

/* The largest noise at the shortest steps, where the error of truncation is negligible, (SE61). */
static double noise_of(const column *c, int levels) {
    enum { SEEN = 3 };
    double most = 0;
    for (int level = levels > SEEN ? levels - SEEN : 0; level < levels; level++) most = fmax(most, c->noise[level]);
    return most;
}

/* Two entries may agree by chance. So no entry counts as better than the noise divided by its step. */
static void choose(const column *c, int levels, double step, double *slope, double *error) {
    const double noise = noise_of(c, levels);
    *slope = *error = NAN;
    for (int level = levels - 1; level > 0; level--, step *= 2) {
        const double off = fmax(c->off[level], noise / step);
        if (!(off >= *error)) *slope = c->best[level], *error = off;
    }
}

bool difference_extrapolate(difference_function *f, void *context, double step, int size, double *slope,
                            double *error) {
    column *all = calloc((size_t)size + 1, sizeof *all);
    double *right = calloc(2 * (size_t)size + 1, sizeof *right), *left = right ? right + size : NULL;
    int level = 0;
    for (int i = 0; i < TRIES && level < LEVELS && all && right; i++, step /= 2) {
        if (!f(context, step, right) || !f(context, -step, left)) {
            level = 0;
            continue;
        }
        for (int k = 0; k < size; k++) extrapolate(&all[k], (right[k] - left[k]) / (2 * step), step, level);
        level++;
    }
    for (int k = 0; k < size && all; k++) choose(&all[k], level, 2 * step, &slope[k], &error[k]);
    const bool done = all && right;
    free(all);
    free(right);
    return done;
}
