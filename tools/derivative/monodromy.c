/* What becomes of deviations in a period, and its eigenvalues: the multipliers (docs/theory/sensitivity.md, (SE15)). */
#include <stdlib.h>
#include <string.h>

#include "derivative/multipliers.h"
#include "derivative/period.h"
#include "error.h"

static double dot(int n, const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

carom_status period_monodromy(const period_map *p, double *A, carom_error *error) {
    const int n = p->size, first = p->shot[0].free;
    double *now = calloc((size_t)(2 * n * n) + 1, sizeof *now), *then = now + n * n;
    if (!now) return carom_error_memory(error);
    for (int f = 0; f < first; f++) now[f * n + f] = 1; /* row f: what has become of direction f */
    for (int j = 0; j < p->shots; j++) {
        const shot *s = &p->shot[j], *next = &p->shot[(j + 1) % p->shots];
        for (int f = 0; f < first; f++)
            for (int g = 0; g < next->free; g++) {
                double sum = 0;
                for (int k = 0; k < s->free; k++) sum += now[f * n + k] * dot(n, next->B + g * n, s->E + k * n);
                then[f * n + g] = sum;
            }
        memcpy(now, then, (size_t)(n * n) * sizeof *now);
    }
    for (int f = 0; f < first; f++)
        for (int g = 0; g < first; g++) A[g * first + f] = now[f * n + g];
    free(now);
    return CAROM_OK;
}

static void drop_motion(double complex *value, int *count) {
    int along = 0;
    for (int i = 1; i < *count; i++)
        if (cabs(value[i] - 1) < cabs(value[along] - 1)) along = i;
    memmove(value + along, value + along + 1, (size_t)(*count - along - 1) * sizeof *value);
    --*count;
}

carom_status period_multipliers(const period_map *p, double complex *value, int *count, carom_error *error) {
    const int n = *count = p->shot[0].free;
    double *A = calloc((size_t)(n * n) + 1, sizeof *A);
    double complex *complete = calloc((size_t)(n * n) + 1, sizeof *complete);
    carom_status status = A && complete ? period_monodromy(p, A, error) : carom_error_memory(error);
    for (int i = 0; i < n * n && !status; i++) complete[i] = A[i];
    if (!status && !multipliers_find(n, complete, value))
        status = carom_error_set(error, CAROM_FAILED, "the multipliers were not found");
    if (!status && p->section) drop_motion(value, count);
    free(A);
    free(complete);
    return status;
}
