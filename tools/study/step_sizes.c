#include "study/converge.h"

#include "error.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static carom_status read_size(const char *text, const char *end, double *dt, carom_error *error) {
    char *rest;
    *dt = strtod(text, &rest);
    if (rest == text || rest != end || strchr(" \t\n", *text))
        return carom_error_set(error, CAROM_DATA, "'%.*s' is not a step size: --dt 1e-2,5e-3 or 1e-1..1e-3/5",
                               (int)(end - text), text);
    if (!(*dt > 0) || isinf(*dt))
        return carom_error_set(error, CAROM_DATA, "a step size must be positive, '%.*s' is not", (int)(end - text),
                               text);
    return CAROM_OK;
}

/* "a..b/n". Fifteen digits make 0.0128 of 0.0256..0.0002/8, as typed. */
static carom_status read_range(const char *text, const char *dots, const char *end, double *dt, int *count,
                               carom_error *error) {
    const char *slash = memchr(dots, '/', (size_t)(end - dots));
    double a, b;
    char *rest = NULL, digits[32];
    carom_status status = read_size(text, dots, &a, error);
    if (!status) status = read_size(dots + 2, slash ? slash : end, &b, error);
    long n = slash ? strtol(slash + 1, &rest, 10) : 0;
    if (!status && (!slash || rest != end || n < 2 || n > MOST_STEP_SIZES - *count))
        status = carom_error_set(
            error, CAROM_DATA,
            "'%.*s': a range is FIRST..LAST/NUMBER, as in 1e-1..1e-3/5, with a NUMBER from 2 to %d in all",
            (int)(end - text), text, MOST_STEP_SIZES);
    for (long i = 0; i < n && !status; i++) {
        snprintf(digits, sizeof digits, "%.15g", a * pow(b / a, (double)i / (double)(n - 1)));
        dt[(*count)++] = strtod(digits, NULL);
    }
    return status;
}

static int coarse_first(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

carom_status read_step_sizes(const char *text, double **sizes, int *count, carom_error *error) {
    double *dt = *sizes = malloc(MOST_STEP_SIZES * sizeof *dt);
    carom_status status = dt ? CAROM_OK : carom_error_memory(error);
    int given = 0;
    for (const char *from = text; from && !status;) {
        const char *end = from + strcspn(from, ","), *dots = strstr(from, "..");
        if (given == MOST_STEP_SIZES)
            status = carom_error_set(error, CAROM_DATA, "more than %d step sizes", MOST_STEP_SIZES);
        else if (dots && dots < end) status = read_range(from, dots, end, dt, &given, error);
        else status = read_size(from, end, &dt[given++], error);
        from = *end ? end + 1 : NULL;
    }
    if (status) {
        free(dt);
        *sizes = NULL;
        return status;
    }
    qsort(dt, (size_t)given, sizeof *dt, coarse_first);
    *count = 0;
    for (int i = 0; i < given; i++)
        if (*count == 0 || dt[i] < dt[*count - 1]) dt[(*count)++] = dt[i];
    return CAROM_OK;
}
