#include "sweep/attractors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct search {
    const sections *s;
    double *near;  /* [size] how far equal points may be apart */
    long *last[2]; /* [MOST_ATTRACTORS] for each known one: the end of a run that has it, and its cycle */
    int known;
} search;

static bool find_scales(search *a, double tolerance) {
    const sections *s = a->s;
    a->near = calloc((size_t)s->size + 1, sizeof *a->near);
    for (int k = 0; a->near && k < s->size; k++) {
        double least = INFINITY, most = -INFINITY;
        for (long i = 0; i < s->first[s->runs]; i++) {
            least = fmin(least, s->point[i * s->size + k]);
            most = fmax(most, s->point[i * s->size + k]);
        }
        a->near[k] = tolerance * (most > least ? most - least : 1);
    }
    return a->near;
}

static bool is_same(const search *a, long i, long j, double factor) {
    const double *x = a->s->point + i * a->s->size, *y = a->s->point + j * a->s->size;
    for (int k = 0; k < a->s->size; k++)
        if (!(fabs(x[k] - y[k]) <= factor * a->near[k])) return false;
    return true;
}

/* The least p after which all points of the later half repeat. */
static long find_cycle(const search *a, long first, long end) {
    const long half = (end - first) / 2;
    for (long p = 1; p <= half; p++) {
        long i = end - half;
        while (i < end && is_same(a, i, i - p, 1)) i++;
        if (i == end) return p;
    }
    return 0;
}

/* Whether two cycles have the same points in the same order, from whichever point on. Each may be off by the
 * tolerance. */
static bool is_same_cycle(const search *a, long end, long other, long p) {
    for (long shift = 0; shift < p; shift++) {
        long j = 0;
        while (j < p && is_same(a, end - p + j, other - p + (j + shift) % p, 2)) j++;
        if (j == p) return true;
    }
    return false;
}

static double number_of(search *a, long end, long p) {
    for (int i = 0; i < a->known; i++)
        if (a->last[1][i] == p && is_same_cycle(a, end, a->last[0][i], p)) return i + 1;
    if (a->known == MOST_ATTRACTORS) return NAN;
    a->last[0][a->known] = end, a->last[1][a->known] = p;
    return ++a->known;
}

bool attractors_find(const sections *s, double tolerance, double *cycle, double *attractor) {
    search a = {.s = s, .last = {malloc(2 * MOST_ATTRACTORS * sizeof *a.last[0])}};
    const bool ok = find_scales(&a, tolerance) && a.last[0];
    a.last[1] = a.last[0] ? a.last[0] + MOST_ATTRACTORS : NULL;
    for (long run = 0; ok && run < s->runs; run++) {
        const long p = find_cycle(&a, s->first[run], s->first[run + 1]);
        cycle[run] = (double)p;
        attractor[run] = p ? number_of(&a, s->first[run + 1], p) : 0;
    }
    free(a.near);
    free(a.last[0]);
    return ok;
}
