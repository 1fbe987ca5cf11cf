/* Plots: panels of recorded quantities over time or each other. */
#include "error.h"
#include "result/canvas.h"
#include "result/gnuplot.h"
#include "result/points.h"
#include "result/reader.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    WIDTH = 860,    /* of the axes, alone */
    NARROW = 620,   /* of the axes, two side by side */
    HEIGHT = 210,   /* of the axes */
    TOP = 72,       /* for the title and a legend */
    BETWEEN = 80,   /* numbers, label, next legend */
    ONE_COLUMN = 4, /* panels, at most */
    LEGEND = 6,     /* entries, at most: two lines */
    TIME_POINTS = 20000,
    PHASE_POINTS = 100000 /* loops keep their shape only with many points per turn */
};

/* What is drawn: the results with their curves, and the part of the time. */
typedef struct picture {
    result_reader *const *results;
    int count;
    const window *window;
} picture;

static const result_reader *result_of(const picture *g, const curve *c) {
    return g->results[c->result];
}

/* ---- text */

enum { LABEL = 300 };

/* "phi [rad]" */
static const char *label_of(const result_reader *r, int column, char label[LABEL]) {
    const char *name = column >= 0 ? result_name(r, column) : "row", *unit = column >= 0 ? result_unit(r, column) : "";
    snprintf(label, LABEL, *unit ? "%s [%s]" : "%s", name, unit);
    return label;
}

static bool is_state(const result_reader *r, int column) {
    const char *name = result_name(r, column);
    size_t n = strlen(name);
    return strcmp(name, "state") == 0 || (n > 6 && strcmp(name + n - 6, ".state") == 0);
}

/* ---- a panel */

static const char *name_of(const picture *g, const curve *c) {
    return result_name(result_of(g, c), c->y);
}

static const char *unit_of(const picture *g, const curve *c) {
    return result_unit(result_of(g, c), c->y);
}

static bool all_states(const picture *g, const panel *p) {
    for (int i = 0; i < p->count; i++)
        if (!is_state(result_of(g, &p->curves[i]), p->curves[i].y)) return false;
    return true;
}

static bool one_unit(const picture *g, const panel *p) {
    for (int i = 1; i < p->count; i++)
        if (strcmp(unit_of(g, &p->curves[i]), unit_of(g, &p->curves[0])) != 0) return false;
    return true;
}

/* The same quantity of several results. */
static bool one_name(const picture *g, const panel *p) {
    for (int i = 1; i < p->count; i++)
        if (strcmp(name_of(g, &p->curves[i]), name_of(g, &p->curves[0])) != 0) return false;
    return true;
}

static points bounds(const panel *p, const points *all) {
    points b = all[0];
    for (int i = 1; i < p->count; i++) {
        b.x_min = fmin(b.x_min, all[i].x_min), b.x_max = fmax(b.x_max, all[i].x_max);
        b.y_min = fmin(b.y_min, all[i].y_min), b.y_max = fmax(b.y_max, all[i].y_max);
        b.integral = b.integral && all[i].integral;
    }
    return b;
}

/* From a quantity that hardly varies, such as an energy of 7.4955 with errors of 1e-8, a round number is subtracted, so
 * that the numbers at the axis stay short. Not from one that varies by rounding alone. */
static double offset(const panel *p, const points *b) {
    double size = fmax(fabs(b->y_min), fabs(b->y_max)), width = b->y_max - b->y_min;
    if (p->count > 1 || !(width < 1e-4 * size) || !(width > 1e-12 * size)) return 0;
    double grid = pow(10, ceil(log10(width)) + 1);
    return nearbyint(b->y_min / grid) * grid;
}

/* The round-off of what the result records in the unit of the panel, from its values at start and end. */
static double round_off(const picture *g, const panel *p) {
    result_reader *r = g->results[p->curves[0].result];
    double largest = 0, ends[2] = {0};
    for (int i = 0; i < result_columns(r); i++) {
        if (strcmp(result_unit(r, i), unit_of(g, &p->curves[0])) != 0) continue;
        for (int end = 0; end < 2; end++)
            if (!result_read(r, i, end ? result_rows(r) - 1 : 0, 1, &ends[end], NULL) && isfinite(ends[end]))
                largest = fmax(largest, fabs(ends[end]));
    }
    return DBL_EPSILON * largest;
}

/* An axis of values that are round-off is widened, so that they do not fill the panel. */
static range y_range(const picture *g, const panel *p, const points *b) {
    const double small = 1e-12, shift = offset(p, b), size = fmax(fabs(b->y_min), fabs(b->y_max));
    const double least = size < small && one_unit(g, p) ? round_off(g, p) : 0;
    if (size < least) return range_of(-least, least, 0.06);
    return range_of(b->y_min - shift, b->y_max - shift, 0.06);
}

static bool over_time(const picture *g, const curve *c) {
    return c->x == result_find(result_of(g, c), "t");
}

static void write_axes(canvas *c, const picture *g, const panel *p, const points *b) {
    canvas_range(c, 'x', range_of(b->x_min, b->x_max, over_time(g, &p->curves[0]) ? 0 : 0.04));
    if (all_states(g, p)) {
        fputs("set yrange [-0.3:2.3]\nset ytics ('open' 0, 'slip' 1, 'stick' 2)\n", c->script);
    } else {
        const range y = y_range(g, p, b); /* wider than the values, if these are all equal */
        canvas_range(c, 'y', y);
        fputs(b->integral && y.greatest - y.least < 9 ? "set ytics 1\n" : "set ytics autofreq\n", c->script);
    }
}

/* The label of the axis: what all curves of the panel share, their unit or their x. */
static void write_labels(FILE *f, const picture *g, const panel *p, const points *b, bool show_x) {
    char label[LABEL] = "";
    double shift = offset(p, b);
    fputs("set xlabel ", f);
    canvas_quote(f, show_x ? label_of(result_of(g, &p->curves[0]), p->curves[0].x, label) : "");
    label[0] = '\0';
    if (one_name(g, p)) label_of(result_of(g, &p->curves[0]), p->curves[0].y, label);
    else if (one_unit(g, p) && *unit_of(g, &p->curves[0])) snprintf(label, LABEL, "[%s]", unit_of(g, &p->curves[0]));
    size_t n = strlen(label);
    if (shift != 0) snprintf(label + n, LABEL - n, " %c %.12g", shift > 0 ? '-' : '+', fabs(shift));
    fputs("\nset ylabel ", f);
    canvas_quote(f, label);
    fputs("\n", f);
}

/* "phi", with its unit where the curves have several, and its result where there are several. */
static const char *legend(const picture *g, const panel *p, const curve *c, char text[LABEL]) {
    const char *path = result_path(result_of(g, c)), *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;
    int stem = (int)(strrchr(file, '.') && strrchr(file, '.') > file ? strrchr(file, '.') - file : (long)strlen(file));
    bool named = !one_name(g, p);
    text[0] = '\0';
    if (named && one_unit(g, p)) snprintf(text, LABEL, "%s", name_of(g, c));
    else if (named) label_of(result_of(g, c), c->y, text);
    size_t n = strlen(text);
    if (g->count > 1) snprintf(text + n, LABEL - n, "%s%.*s%s", named ? " (" : "", stem, file, named ? ")" : "");
    return text;
}

static void write_curve(FILE *f, const picture *g, const panel *p, int i, const points *all, double shift) {
    bool counts = all[i].integral && !*unit_of(g, &p->curves[i]);
    char label[LABEL];
    fprintf(f, "%s '-' binary record=%zu format='%%double%%double' using 1:($2-(%.17g)) with %s", i ? "," : "plot",
            all[i].count, shift,
            all[i].count < 2 ? "points pt 7"
            : counts         ? "steps"
                             : "lines");
    fprintf(f, " lc rgb '%s' lw %g dt %d title ", palette[i % COLOURS], line_width, i / COLOURS % 4 + 1);
    if (p->count == 1 || i >= LEGEND) canvas_quote(f, "");
    else if (i == LEGEND - 1 && p->count > LEGEND) fprintf(f, "'and %d more'", p->count - i);
    else canvas_quote(f, legend(g, p, &p->curves[i], label));
}

static void write_plot(canvas *c, const picture *g, const panel *p, const points *all, bool show_x) {
    FILE *f = c->script;
    points b = bounds(p, all);
    write_axes(c, g, p, &b);
    write_labels(f, g, p, &b, show_x);
    for (int i = 0; i < p->count; i++) write_curve(f, g, p, i, all, offset(p, &b));
    fputs("\n", f);
    for (int i = 0; i < p->count; i++) fwrite(all[i].xy, sizeof *all[i].xy, all[i].count, f);
}

/* gnuplot refuses an empty list: where the window has no points, write a gap */
static carom_status load_points(const picture *g, const curve *c, points *p, carom_error *error) {
    size_t most = over_time(g, c) ? TIME_POINTS : PHASE_POINTS;
    carom_status status = points_load(g->results[c->result], *c, g->window, most, p, error);
    if (!status && p->count == 0)
        status = carom_error_set(error, CAROM_DATA, "%s has no rows from t = %g to %g", result_path(result_of(g, c)),
                                 g->window ? g->window->from : 0, g->window ? g->window->to : 0);
    return status;
}

static carom_status write_panel(canvas *c, const picture *g, const panel *p, bool show_x, carom_error *error) {
    points *all = calloc((size_t)p->count, sizeof *all);
    if (!all) return carom_error_memory(error);
    carom_status status = CAROM_OK;
    for (int i = 0; status == CAROM_OK && i < p->count; i++) status = load_points(g, &p->curves[i], &all[i], error);
    if (status == CAROM_OK) write_plot(c, g, p, all, show_x);
    for (int i = 0; i < p->count; i++) points_free(&all[i]);
    free(all);
    return status;
}

/* ---- the page */

static layout lay_out(int panels) {
    int columns = panels > ONE_COLUMN ? 2 : 1;
    return (layout){.columns = columns,
                    .rows = (panels + columns - 1) / columns,
                    .width = columns == 1 ? WIDTH : NARROW,
                    .height = HEIGHT,
                    .top = TOP,
                    .between = BETWEEN};
}

/* Whether the panel shows numbers and name of x: at the end of its column, and above a panel with another x. */
static bool shows_x(const panel *panels, int number, layout l, int i) {
    int below = i + l.columns;
    return below >= number || panels[below].curves[0].x != panels[i].curves[0].x;
}

/* The title that all results share; "": they differ. */
static const char *title_of(const picture *g) {
    const char *title = result_text(g->results[0], "title");
    for (int k = 1; k < g->count; k++) {
        const char *other = result_text(g->results[k], "title");
        if (!title || !other || strcmp(title, other) != 0) return "";
    }
    return title;
}

static carom_status write_script(FILE *f, const picture *g, const panel *panels, int number, const char *path,
                                 carom_error *error) {
    layout l = lay_out(number);
    carom_status status = CAROM_OK;
    canvas c = canvas_begin(f, path, l, title_of(g));
    for (int i = 0; status == CAROM_OK && i < number; i++) {
        status = write_panel(&c, g, &panels[i], shows_x(panels, number, l, i), error);
        canvas_next(&c);
    }
    canvas_end(&c);
    return !status && result_exhausted(g->results[0]) ? carom_error_memory(error) : status;
}

carom_status result_draw_all(const result_picture *def, const char *path, carom_error *error) {
    panel *panels;
    int number;
    const window w = {def->from, def->to};
    const picture g = {def->results, def->count, def->from > -INFINITY || def->to < INFINITY ? &w : NULL};
    if (canvas_check(path, error)) return CAROM_DATA;
    for (int k = 0; k < g.count; k++)
        if (result_rows(g.results[k]) == 0)
            return carom_error_set(error, CAROM_DATA, "%s holds no rows yet", result_path(g.results[k]));
    carom_status status = panels_create(g.results, g.count, def->panels, def->panel_count, &panels, &number, error);
    if (status != CAROM_OK) return status;
    FILE *script = gnuplot_script(error);
    status = script ? write_script(script, &g, panels, number, path, error) : CAROM_FAILED;
    if (status == CAROM_OK) status = gnuplot_run(script, path, error);
    if (script) fclose(script);
    panels_destroy(panels, number);
    return status;
}

carom_status result_draw(result_reader *r, const char *path, const char *const *texts, int count, carom_error *error) {
    const result_picture def = {&r, 1, texts, count, -INFINITY, INFINITY};
    return result_draw_all(&def, path, error);
}
