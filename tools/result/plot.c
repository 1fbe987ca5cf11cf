/* Plots: panels of recorded quantities over time or each other. */
#include "error.h"
#include "result/canvas.h"
#include "result/gnuplot.h"
#include "result/points.h"
#include "result/reader.h"

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

static bool all_states(const result_reader *r, const panel *p) {
    for (int i = 0; i < p->count; i++)
        if (!is_state(r, p->curves[i].y)) return false;
    return true;
}

static bool one_unit(const result_reader *r, const panel *p) {
    for (int i = 1; i < p->count; i++)
        if (strcmp(result_unit(r, p->curves[i].y), result_unit(r, p->curves[0].y)) != 0) return false;
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

/* A quantity that hardly varies is drawn without its round part, so that the numbers at the axis stay short: an energy
 * of 7.4955 with errors of 1e-8. A constant up to rounding is not blown up. */
static double offset(const panel *p, const points *b) {
    double size = fmax(fabs(b->y_min), fabs(b->y_max)), width = b->y_max - b->y_min;
    if (p->count > 1 || !(width < 1e-4 * size) || !(width > 1e-12 * size)) return 0;
    double grid = pow(10, ceil(log10(width)) + 1);
    return nearbyint(b->y_min / grid) * grid;
}

static range y_range(const panel *p, const points *b) {
    double shift = offset(p, b);
    return range_of(b->y_min - shift, b->y_max - shift, 0.06);
}

static void write_axes(canvas *c, const result_reader *r, const panel *p, const points *b) {
    canvas_range(c, 'x', range_of(b->x_min, b->x_max, p->curves[0].x == result_find(r, "t") ? 0 : 0.04));
    if (all_states(r, p)) {
        fputs("set yrange [-0.3:2.3]\nset ytics ('open' 0, 'slip' 1, 'stick' 2)\n", c->script);
    } else {
        const range y = y_range(p, b); /* wider than the values where these are all the same */
        canvas_range(c, 'y', y);
        fputs(b->integral && y.greatest - y.least < 9 ? "set ytics 1\n" : "set ytics autofreq\n", c->script);
    }
}

/* Several curves share what they have in common: their unit, or their x. */
static void write_labels(FILE *f, const result_reader *r, const panel *p, const points *b, bool show_x) {
    char label[LABEL] = "";
    double shift = offset(p, b);
    fputs("set xlabel ", f);
    canvas_quote(f, show_x ? label_of(r, p->curves[0].x, label) : "");
    label[0] = '\0';
    if (p->count == 1) label_of(r, p->curves[0].y, label);
    else if (one_unit(r, p) && *result_unit(r, p->curves[0].y))
        snprintf(label, LABEL, "[%s]", result_unit(r, p->curves[0].y));
    size_t n = strlen(label);
    if (shift != 0) snprintf(label + n, LABEL - n, " %c %.12g", shift > 0 ? '-' : '+', fabs(shift));
    fputs("\nset ylabel ", f);
    canvas_quote(f, label);
    fputs("\n", f);
}

static void write_curve(FILE *f, const result_reader *r, const panel *p, int i, const points *all, double shift) {
    bool counts = all[i].integral && !*result_unit(r, p->curves[i].y);
    char label[LABEL];
    fprintf(f, "%s '-' binary record=%zu format='%%double%%double' using 1:($2-(%.17g)) with %s", i ? "," : "plot",
            all[i].count, shift,
            all[i].count < 2 ? "points pt 7"
            : counts         ? "steps"
                             : "lines");
    fprintf(f, " lc rgb '%s' lw %g dt %d title ", palette[i % COLOURS], line_width, i / COLOURS % 4 + 1);
    if (p->count == 1 || i >= LEGEND) canvas_quote(f, "");
    else if (i == LEGEND - 1 && p->count > LEGEND) fprintf(f, "'and %d more'", p->count - i);
    else canvas_quote(f, one_unit(r, p) ? result_name(r, p->curves[i].y) : label_of(r, p->curves[i].y, label));
}

static void write_plot(canvas *c, const result_reader *r, const panel *p, const points *all, bool show_x) {
    FILE *f = c->script;
    points b = bounds(p, all);
    write_axes(c, r, p, &b);
    write_labels(f, r, p, &b, show_x);
    for (int i = 0; i < p->count; i++) write_curve(f, r, p, i, all, offset(p, &b));
    fputs("\n", f);
    for (int i = 0; i < p->count; i++) fwrite(all[i].xy, sizeof *all[i].xy, all[i].count, f);
}

static carom_status write_panel(canvas *c, result_reader *r, const panel *p, bool show_x, carom_error *error) {
    points *all = calloc((size_t)p->count, sizeof *all);
    if (!all) return carom_error_memory(error);
    carom_status status = CAROM_OK;
    for (int i = 0; status == CAROM_OK && i < p->count; i++) {
        bool over_time = p->curves[i].x == result_find(r, "t");
        status = points_load(r, p->curves[i], over_time ? TIME_POINTS : PHASE_POINTS, &all[i], error);
    }
    if (status == CAROM_OK) write_plot(c, r, p, all, show_x);
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

/* Numbers and name of x stand below every column of panels, and where the next panel below has another x. */
static bool shows_x(const panel *panels, int number, layout l, int i) {
    int below = i + l.columns;
    return below >= number || panels[below].curves[0].x != panels[i].curves[0].x;
}

static carom_status write_script(FILE *f, result_reader *r, const panel *panels, int number, const char *path,
                                 carom_error *error) {
    layout l = lay_out(number);
    carom_status status = CAROM_OK;
    canvas c = canvas_begin(f, path, l, result_text(r, "title"));
    for (int i = 0; status == CAROM_OK && i < number; i++) {
        status = write_panel(&c, r, &panels[i], shows_x(panels, number, l, i), error);
        canvas_next(&c);
    }
    canvas_end(&c);
    return !status && result_exhausted(r) ? carom_error_memory(error) : status;
}

carom_status result_draw(result_reader *r, const char *path, const char *const *texts, int count, carom_error *error) {
    panel *panels;
    int number;
    if (canvas_check(path, error)) return CAROM_DATA;
    if (result_rows(r) == 0) return carom_error_set(error, CAROM_DATA, "%s holds no rows yet", result_path(r));
    carom_status status = panels_create(r, texts, count, &panels, &number, error);
    if (status != CAROM_OK) return status;
    FILE *script = gnuplot_script(error);
    status = script ? write_script(script, r, panels, number, path, error) : CAROM_FAILED;
    if (status == CAROM_OK) status = gnuplot_run(script, path, error);
    if (script) fclose(script);
    panels_destroy(panels, number);
    return status;
}
