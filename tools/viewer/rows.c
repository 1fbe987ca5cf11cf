#include "viewer/rows.h"

#include "error.h"

#include <stdlib.h>

/* The first row at or after a time; rows: all are before it. */
static long row_at(const double *t, long rows, double time) {
    long low = 0, high = rows;
    while (low < high) {
        long middle = (low + high) / 2;
        if (t[middle] < time) low = middle + 1;
        else high = middle;
    }
    return low;
}

static long keep_row(bool *kept, long rows, long row) {
    bool fresh = row >= 0 && row < rows && !kept[row];
    if (fresh) kept[row] = true;
    return fresh;
}

/* Keeps the rows around events, at most so many rows. If there are more events, evenly spaced ones. */
static long keep_events(bool *kept, const double *t, long rows, const events *e, long most) {
    long number = 0, every = e->count / (most / 3 + 1) + 1;
    for (long i = 0; i < e->count; i += every) {
        long row = row_at(t, rows, e->event[i][EVENT_TIME]);
        for (long beside = row - 1; beside <= row + 1; beside++) number += keep_row(kept, rows, beside);
    }
    return number;
}

static void keep_evenly(bool *kept, const double *t, long rows, long count) {
    for (long k = 0; k < count; k++)
        keep_row(kept, rows, row_at(t, rows, t[0] + (t[rows - 1] - t[0]) * (double)k / (double)(count - 1)));
    kept[0] = kept[rows - 1] = true;
}

carom_status rows_choose(const double *t, long rows, const events *e, long most, long **chosen, long *count,
                         carom_error *error) {
    bool *kept = calloc((size_t)rows + 1, sizeof *kept);
    *chosen = malloc((size_t)(rows + 1) * sizeof **chosen);
    *count = 0;
    if (!kept || !*chosen) {
        free(kept);
        return carom_error_memory(error);
    }
    bool all = rows <= most;
    if (!all) keep_evenly(kept, t, rows, most - keep_events(kept, t, rows, e, most / 2));
    for (long i = 0; i < rows; i++)
        if (all || kept[i]) (*chosen)[(*count)++] = i;
    free(kept);
    return CAROM_OK;
}
