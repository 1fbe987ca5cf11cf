#include "result/points.h"

#include "error.h"
#include "result/reader.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_ROWS = 1 << 14, KEPT = 5 }; /* values of a stretch: least and greatest x and y, and a gap */

static void bound(double value, double *least, double *greatest) {
    if (value < *least) *least = value;
    if (value > *greatest) *greatest = value;
}

static void append_point(points *p, double x, double y) {
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
        if (kept[k] >= 0 && (k == 0 || kept[k] != kept[k - 1])) append_point(p, x[kept[k]], y[kept[k]]);
}

/* Room for rows thinned to about most points; *stretch rows are thinned together. */
static carom_status reserve_points(points *p, long rows, size_t most, long *stretch, carom_error *error) {
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
    carom_status status = reserve_points(p, count, most, &stretch, error);
    if (status == CAROM_OK) keep_rows(p, x, y, count, stretch);
    return status;
}

/* ---- from a result: its rows, and between them both sides of its events */

enum { MOST_SOURCES = 5 };

/* Rows of some columns of a table, one after the other. */
typedef struct source {
    result_reader *table;
    int column[MOST_SOURCES]; /* -1: the number of the row */
    int columns;
    long rows, next, first, count; /* all of them, the next one, the block in memory */
    double *block;                 /* by columns */
} source;

static carom_status read_block(source *s, carom_error *error) {
    carom_status status = CAROM_OK;
    s->first = s->next;
    s->count = s->rows - s->first < BLOCK_ROWS ? s->rows - s->first : BLOCK_ROWS;
    for (int c = 0; c < s->columns && status == CAROM_OK; c++) {
        double *values = s->block + c * BLOCK_ROWS;
        if (s->column[c] >= 0) status = result_read(s->table, s->column[c], s->first, s->count, values, error);
        else
            for (long i = 0; i < s->count; i++) values[i] = (double)(s->first + i);
    }
    return status;
}

static double value(const source *s, int c) {
    return s->block[c * BLOCK_ROWS + (s->next - s->first)];
}

/* Makes sure that the next row, if there is one, is in memory. */
static carom_status ready(source *s, carom_error *error) {
    return s->next < s->rows && s->next >= s->first + s->count ? read_block(s, error) : CAROM_OK;
}

/* The table of events for a curve: time, x and y before and after. Empty where the quantity belongs to whole steps or
 * no times are recorded. */
static source events_of(result_reader *r, curve c) {
    source s = {.table = result_events(r), .columns = 5};
    if (!s.table || c.x < 0 || result_find(r, "t") < 0) return s;
    s.column[0] = result_find(s.table, "t");
    for (int side = 0; side < 2; side++) {
        const char *name = side == 0 ? "before" : "after";
        s.column[1 + 2 * side] = result_side(r, c.x, name);
        s.column[2 + 2 * side] = result_side(r, c.y, name);
    }
    s.rows = result_rows(s.table);
    for (int k = 0; k < s.columns; k++)
        if (s.column[k] < 0) s.rows = 0;
    return s;
}

typedef struct thinning {
    points *to;
    long stretch;
    double *x, *y; /* [stretch] */
    long count;
} thinning;

static void thin_point(thinning *t, double x, double y) {
    t->x[t->count] = x, t->y[t->count++] = y;
    if (t->count < t->stretch) return;
    keep_stretch(t->to, t->x, t->y, (int)t->count);
    t->count = 0;
}

/* Merges rows and events in the order of time. At one time events come before the row, since the step ends after
 * them. */
static carom_status merge(source *rows, source *events, thinning *t, carom_error *error) {
    for (;;) {
        carom_status status = ready(rows, error);
        if (status == CAROM_OK) status = ready(events, error);
        bool row = rows->next < rows->rows, event = events->next < events->rows;
        if (status != CAROM_OK || (!row && !event)) return status;
        if (event && (!row || value(events, 0) <= value(rows, 0))) {
            thin_point(t, value(events, 1), value(events, 2));
            thin_point(t, value(events, 3), value(events, 4));
            events->next++;
        } else {
            thin_point(t, value(rows, 1), value(rows, 2));
            rows->next++;
        }
    }
}

/* The first row whose time is at or after t, or after it, in a column that increases; status through error. */
static carom_status find_time(const source *s, double t, bool after, long *row, carom_error *error) {
    long low = s->next, high = s->rows;
    carom_status status = CAROM_OK;
    while (low < high && !status) {
        long middle = low + (high - low) / 2;
        double time = 0;
        status = result_read(s->table, s->column[0], middle, 1, &time, error);
        if (after ? time <= t : time < t) low = middle + 1;
        else high = middle;
    }
    *row = low;
    return status;
}

static carom_status limit(source *s, const window *w, carom_error *error) {
    long first = 0, end = s->rows;
    if (!w || !s->rows) return CAROM_OK;
    carom_status status = find_time(s, w->from, false, &first, error);
    if (!status) status = find_time(s, w->to, true, &end, error);
    s->next = first, s->rows = end;
    return status;
}

carom_status points_load(result_reader *r, curve c, const window *w, size_t most, points *p, carom_error *error) {
    source rows = {.table = r, .column = {result_find(r, "t"), c.x, c.y}, .columns = 3, .rows = result_rows(r)};
    source events = events_of(r, c);
    thinning t = {.to = p};
    if (w && rows.column[0] < 0)
        return carom_error_set(error, CAROM_DATA, "%s records no times: --from and --to need them", result_path(r));
    carom_status status = limit(&rows, w, error);
    if (!status) status = limit(&events, w, error);
    if (status) return status;
    status = reserve_points(p, rows.rows - rows.next + 2 * (events.rows - events.next), most, &t.stretch, error);
    if (status != CAROM_OK) return status;
    t.x = malloc(2 * (size_t)t.stretch * sizeof *t.x);
    t.y = t.x ? t.x + t.stretch : NULL;
    rows.block = malloc((size_t)rows.columns * BLOCK_ROWS * sizeof *rows.block);
    events.block = malloc((size_t)events.columns * BLOCK_ROWS * sizeof *events.block);
    status = t.x && rows.block && events.block ? merge(&rows, &events, &t, error) : carom_error_memory(error);
    if (status == CAROM_OK) keep_stretch(p, t.x, t.y, (int)t.count);
    free(t.x);
    free(rows.block);
    free(events.block);
    if (status != CAROM_OK) points_free(p);
    return status;
}

void points_free(points *p) {
    free(p->xy);
    *p = (points){0};
}
