#include "result/points.h"

#include "error.h"

#include <math.h>
#include <stdlib.h>

enum { BLOCK_ROWS = 1 << 16, KEPT = 5 }; /* of a stretch: least and greatest x and y, and a gap */

static void bound(double value, double *least, double *greatest) {
    if (value < *least) *least = value;
    if (value > *greatest) *greatest = value;
}

static void keep(points *p, double x, double y) {
    bool gap = !isfinite(x) || !isfinite(y);
    p->xy[p->count][0] = gap ? NAN : x;
    p->xy[p->count++][1] = gap ? NAN : y;
    if (gap) return;
    bound(x, &p->x_min, &p->x_max);
    bound(y, &p->y_min, &p->y_max);
    p->integral = p->integral && y == nearbyint(y);
}

static int by_number(const void *a, const void *b) {
    return *(const int *)a - *(const int *)b;
}

static void keep_stretch(points *p, const double *x, const double *y, int n) {
    int kept[KEPT] = {-1, -1, -1, -1, -1};
    for (int i = 0; i < n; i++) {
        if (!isfinite(x[i]) || !isfinite(y[i])) {
            kept[4] = i;
            continue;
        }
        if (kept[0] < 0 || x[i] < x[kept[0]]) kept[0] = i;
        if (kept[1] < 0 || x[i] > x[kept[1]]) kept[1] = i;
        if (kept[2] < 0 || y[i] < y[kept[2]]) kept[2] = i;
        if (kept[3] < 0 || y[i] > y[kept[3]]) kept[3] = i;
    }
    qsort(kept, KEPT, sizeof *kept, by_number);
    for (int k = 0; k < KEPT; k++)
        if (kept[k] >= 0 && (k == 0 || kept[k] != kept[k - 1])) keep(p, x[kept[k]], y[kept[k]]);
}

/* Room for rows thinned to about most points; *stretch rows are thinned together. */
static carom_status reserve(points *p, long rows, size_t most, long *stretch, carom_error *error) {
    long stretches = (long)(most / KEPT);
    *stretch = (size_t)rows > most ? (rows + stretches - 1) / stretches : 1;
    long room = rows / *stretch + 1;
    *p = (points){.x_min = INFINITY, .x_max = -INFINITY, .y_min = INFINITY, .y_max = -INFINITY, .integral = true};
    p->xy = malloc((size_t)room * (*stretch > 1 ? KEPT : 1) * sizeof *p->xy);
    return p->xy ? CAROM_OK : carom_error_memory(error);
}

static void keep_rows(points *p, const double *x, const double *y, long rows, long stretch) {
    for (long i = 0; i < rows; i += stretch)
        keep_stretch(p, x + i, y + i, (int)(rows - i < stretch ? rows - i : stretch));
}

carom_status points_thin(const double *x, const double *y, long count, size_t most, points *p, carom_error *error) {
    long stretch;
    carom_status status = reserve(p, count, most, &stretch, error);
    if (status == CAROM_OK) keep_rows(p, x, y, count, stretch);
    return status;
}

static carom_status read(result_reader *r, int column, long first, long count, double *values, carom_error *error) {
    if (column >= 0) return result_read(r, column, first, count, values, error);
    for (long i = 0; i < count; i++) values[i] = (double)(first + i);
    return CAROM_OK;
}

carom_status points_load(result_reader *r, curve c, size_t most, points *p, carom_error *error) {
    long rows = result_rows(r), stretch;
    carom_status status = reserve(p, rows, most, &stretch, error);
    if (status != CAROM_OK) return status;
    long block = (BLOCK_ROWS / stretch + 1) * stretch;
    double *x = malloc((size_t)block * sizeof *x), *y = malloc((size_t)block * sizeof *y);
    if (!x || !y) status = carom_error_memory(error);
    for (long first = 0; status == CAROM_OK && first < rows; first += block) {
        long n = rows - first < block ? rows - first : block;
        status = read(r, c.x, first, n, x, error);
        if (status == CAROM_OK) status = read(r, c.y, first, n, y, error);
        if (status == CAROM_OK) keep_rows(p, x, y, n, stretch);
    }
    free(x);
    free(y);
    if (status != CAROM_OK) points_free(p);
    return status;
}

void points_free(points *p) {
    free(p->xy);
    *p = (points){0};
}
