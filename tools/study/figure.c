/* A series keeps its colour and marker in all panels, and one legend stands above them: nothing covers data. */
#include "study/figure.h"

#include "error.h"
#include "result/canvas.h"
#include "result/gnuplot.h"
#include "result/points.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    HEIGHT = 320, /* of the axes, alone or two side by side */
    LOW = 230,    /* three and more side by side */
    TITLE = 36,
    MARGIN = 8, /* in place of the title, where there is none */
    LEGEND_LINE = 19,
    PANEL_TITLE = 34,
    BETWEEN = 104, /* numbers, label, next title */
    LETTER = 8,    /* of the legend */
    SAMPLE = 60,   /* of the legend: line and distances */
    LINE_SAMPLE = 28,
    ORDER_LINE = 16,      /* distance of the names of two orders */
    POINTS = 4000,        /* most points of a curve over time */
    PHASE_POINTS = 20000, /* most points of a curve that turns back */
    MARKERS_ON_LINE = 8
};

/* Sizes of the axes for this many columns; four and more share one. */
static const double widths[] = {620, 460, 330, 270};

/* Circle, square, triangle, diamond, other triangle; filled, then open. */
static const int marker[] = {7, 5, 9, 13, 11, 6, 4, 8, 12, 10};
enum { MARKERS = sizeof marker / sizeof *marker };

/* ---- the legend: all labels, in order of their first use */

typedef struct legend {
    const char **label;
    int count, columns;
    double width; /* of a column */
    double top;   /* below the title of the page, where it has one */
} legend;

static int look_of(const legend *l, const char *label) {
    for (int i = 0; label && i < l->count; i++)
        if (!strcmp(l->label[i], label)) return i;
    return -1;
}

/* Whether it has a point. A scheme that refused has none, and no place in the legend. */
static bool is_seen(const figure_series *s) {
    long i = 0;
    while (i < (long)s->count && !(isfinite(s->x[i]) && isfinite(s->y[i]))) i++;
    return i < (long)s->count;
}

static carom_status legend_create(legend *l, const figure_panel *panels, int count, double width, carom_error *error) {
    int most = 0;
    size_t longest = 1;
    for (int i = 0; i < count; i++) most += panels[i].count;
    *l = (legend){.label = malloc(((size_t)most + 1) * sizeof *l->label)};
    if (!l->label) return carom_error_memory(error);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < panels[i].count; k++) {
            const char *label = panels[i].series[k].label;
            if (!label || !is_seen(&panels[i].series[k]) || look_of(l, label) >= 0) continue;
            l->label[l->count++] = label;
            if (strlen(label) > longest) longest = strlen(label);
        }
    l->width = SAMPLE + LETTER * (double)longest;
    l->columns = width > l->width ? (int)(width / l->width) : 1;
    return CAROM_OK;
}

static int legend_lines(const legend *l) {
    return (l->count + l->columns - 1) / l->columns;
}

/* What is drawn first is larger, so that each of several equal series can be seen. A series without a label has look
 * -1: thin and grey. */
static void write_look(FILE *f, const legend *l, int look, bool lines, bool markers) {
    if (look < 0) {
        fprintf(f, " lc rgb '#404040' lw %g pt %d ps 0.7", line_width, marker[0]);
        return;
    }
    double under = l->count > 1 ? 1 - (double)look / (l->count - 1) : 0; /* 1: the first, 0: the last */
    fprintf(f, " lc rgb '%s'", palette[look % COLOURS]);
    if (lines) fprintf(f, " lw %g dt %d", line_width + 1.8 * under, look / COLOURS % 4 + 1);
    if (markers) fprintf(f, " pt %d ps %g", marker[look % MARKERS], 0.7 + 0.5 * under);
}

/* A legend of gnuplot belongs to one panel and has its width. This one belongs to the page. */
static void write_legend(const canvas *c, const legend *l) {
    FILE *f = c->script;
    for (int i = 0; i < l->count; i++) {
        double x = i % l->columns * l->width, y = 1 - (l->top + 8 + i / l->columns * LEGEND_LINE) / c->height;
        fprintf(f, "set arrow from screen (left + %g)/width,%.5f to screen (left + %g)/width,%.5f nohead", x, y,
                x + LINE_SAMPLE, y);
        write_look(f, l, i, true, false);
        fprintf(f, "\nset label at screen (left + %g)/width,%.5f '' point", x + LINE_SAMPLE / 2.0, y);
        write_look(f, l, i, false, true);
        fprintf(f, "\nset label at screen (left + %g)/width,%.5f left ", x + LINE_SAMPLE + 8, y);
        canvas_quote(f, l->label[i]);
        fputs("\n", f);
    }
}

/* ---- points */

/* Ends that were asked for replace those of the values. */
static void set_ends(double from, double to, double *least, double *greatest) {
    if (from < to || isnan(to)) *least = isnan(from) ? *least : from;
    if (from < to || isnan(from)) *greatest = isnan(to) ? *greatest : to;
}

/* The points that the axes can show, with a gap where a curve is outside. The caller frees p. */
static carom_status load_points(const figure_panel *view, const figure_series *s, points *p, carom_error *error) {
    double *x = malloc(((size_t)s->count + 1) * 2 * sizeof *x);
    if (!x) return carom_error_memory(error);
    double *y = x + s->count + 1;
    long count = 0;
    bool forward = true, away = false;
    double from = -INFINITY, to = INFINITY;
    set_ends(view->x_from, view->x_to, &from, &to);
    for (long i = 0; i < s->count; i++) {
        if ((view->x_log && s->x[i] <= 0) || (view->y_log && s->y[i] <= 0)) continue;
        bool outside = s->x[i] < from || s->x[i] > to;
        if (away && !outside && count > 0) x[count] = y[count] = NAN, count++; /* stands for all points outside */
        away = outside;
        if (outside) continue;
        forward = forward && !(count > 0 && s->x[i] < x[count - 1]);
        x[count] = s->x[i];
        y[count++] = s->y[i];
    }
    carom_status status = points_thin(x, y, count, forward ? POINTS : PHASE_POINTS, p, error);
    free(x);
    return status;
}

typedef struct box {
    double x_min, x_max, y_min, y_max;
} box;

static box box_of(const figure_panel *view, const points *all) {
    box b = {INFINITY, -INFINITY, INFINITY, -INFINITY};
    for (int i = 0; i < view->count; i++) {
        b.x_min = fmin(b.x_min, all[i].x_min), b.x_max = fmax(b.x_max, all[i].x_max);
        b.y_min = fmin(b.y_min, all[i].y_min), b.y_max = fmax(b.y_max, all[i].y_max);
    }
    set_ends(view->x_from, view->x_to, &b.x_min, &b.x_max);
    set_ends(view->y_from, view->y_to, &b.y_min, &b.y_max);
    return b;
}

/* ---- logarithmic axes, in decades */

/* The numbers 1, 2 and 5 are at most 0.4 decades apart, so a range of 0.8 decades shows two of them. */
static const double LEAST_DECADES = 0.8;
static const double MOST_DECADES = 300; /* gnuplot can neither show denormal numbers nor infinity */

/* Numbers have sixteen digits, and errors below 1e-17 differ from zero only by chance. A logarithmic axis leaves
 * smaller values out. If all values are that small, the axis keeps them. */
static double least_shown(double least, double greatest) {
    double floor = fmax(1e-16 * greatest, greatest > 1e-16 ? 1e-17 : 0);
    return least < floor && floor > 0 ? floor : least;
}

static range decades_of(double least, double greatest, double before, double after) {
    double from = least <= greatest ? log10(least) : -1, to = least <= greatest ? log10(greatest) : 0;
    double lacking = fmax(0, LEAST_DECADES - (to - from)), width = to - from + lacking;
    return (range){fmax(from - lacking / 2 - before * width, -MOST_DECADES),
                   fmin(to + lacking / 2 + after * width, MOST_DECADES), 0};
}

/* 0.01, 200, or else 1e-4, 1, 2e5 */
static void write_number(int factor, int power, bool plain, char text[24]) {
    if (plain || power == 0) snprintf(text, 24, "%g", factor * pow(10, power));
    else snprintf(text, 24, "%de%d", factor, power);
}

/* Labels at powers of ten, and marks in between if every power has a label. In a narrow range labels at 1, 2 and 5. */
static void write_decades(canvas *c, char axis, range r) {
    FILE *f = c->script;
    int first = (int)floor(r.least), last = (int)floor(r.greatest), between = last - first;
    bool plain = first >= -4 && last <= 3, narrow = between < 2;
    int every = between / 9 + 1;
    const char *comma = "";
    fprintf(f, "set logscale %c\nset %crange [%.17g:%.17g]\nset %ctics (", axis, axis, pow(10, r.least),
            pow(10, r.greatest), axis);
    for (int power = first; power <= last; power++)
        for (int factor = 1; factor < (every > 1 ? 2 : 10); factor++) {
            double place = power + log10(factor);
            if (place < r.least || place > r.greatest) continue;
            bool numbered = factor == 1 ? power % every == 0 : narrow && (factor == 2 || factor == 5);
            char text[24] = "";
            if (numbered) write_number(factor, power, plain, text);
            fprintf(f, "%s'%s' %de%d %d", comma, text, factor, power, numbered ? 0 : 1);
            if (axis == 'y') canvas_fit(c, text);
            comma = ", ";
        }
    fputs(")\n", f);
}

static void write_linear(canvas *c, char axis, range r) {
    fprintf(c->script, "unset logscale %c\nset %ctics autofreq\n", axis, axis);
    canvas_range(c, axis, r);
}

/* ---- lines of an order */

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The order that a series shows: the median of those slopes from point to point that reach half the greatest. Smaller
 * slopes are round-off. NaN: there is no slope. */
static double slope_of(const points *p) {
    double slopes[64];
    int count = 0, first = 0;
    for (size_t i = 1; i < p->count && count < 64; i++) {
        const double *a = p->xy[i - 1], *b = p->xy[i];
        double slope = log(b[1] / a[1]) / log(b[0] / a[0]);
        if (isfinite(slope)) slopes[count++] = slope;
    }
    if (count == 0) return NAN;
    qsort(slopes, (size_t)count, sizeof *slopes, by_size);
    while (slopes[first] < slopes[count - 1] / 2) first++;
    return slopes[(first + count) / 2];
}

static const points *nearest(const points *all, int count, double order) {
    const points *best = NULL;
    double least = INFINITY;
    for (int i = 0; i < count; i++) {
        double distance = fabs(slope_of(&all[i]) - order);
        if (distance < least) least = distance, best = &all[i];
    }
    return best;
}

/* log10 of the factor that puts the line just below all points. Round-off and coarse steps lie above the line of their
 * order. */
static double height_of(const points *p, double order) {
    double least = INFINITY;
    for (size_t i = 0; i < p->count; i++) least = fmin(least, log10(p->xy[i][1]) - order * log10(p->xy[i][0]));
    return least - 0.2;
}

typedef struct order_line {
    double order, from[2], to[2]; /* in decades */
    double name;                  /* height of its name */
} order_line;

static int by_end(const void *a, const void *b) {
    return by_size(&((const order_line *)a)->to[1], &((const order_line *)b)->to[1]);
}

/* Moves names apart, within the axes. */
static void place_names(order_line *lines, int count, range y) {
    double distance = ORDER_LINE * (y.greatest - y.least) / HEIGHT;
    qsort(lines, (size_t)count, sizeof *lines, by_end);
    for (int i = 0; i < count; i++) {
        lines[i].name = fmax(lines[i].to[1], y.least + distance);
        if (i) lines[i].name = fmax(lines[i].name, lines[i - 1].name + distance);
    }
    double excess = count ? fmax(0, lines[count - 1].name - y.greatest + distance) : 0;
    for (int i = 0; i < count; i++) lines[i].name -= excess;
}

/* Lines end a little beyond the data, where their names stand. */
static int find_orders(const figure_panel *view, const points *all, const box *b, range x, range y, order_line *lines) {
    int count = 0;
    double from = log10(b->x_min), to = log10(b->x_max) + 0.02 * (x.greatest - x.least);
    for (int i = 0; i < view->order_count; i++) {
        double order = view->orders[i];
        const points *p = nearest(all, view->count, order);
        if (!p) continue;
        double height = height_of(p, order);
        lines[count++] = (order_line){order, {from, height + order * from}, {to, height + order * to}, 0};
    }
    place_names(lines, count, y);
    return count;
}

static void write_names(FILE *f, const order_line *lines, int count) {
    for (int i = 0; i < count; i++)
        fprintf(f, "set label at %.17g,%.17g left offset 0.4,0 textcolor rgb '#606060' 'order %g'\n",
                pow(10, lines[i].to[0]), pow(10, lines[i].name), lines[i].order);
}

static const char *const inline_points = "'-' binary record=%zu format='%%double%%double' using 1:2";

static void write_order(FILE *f, size_t count) {
    fputs(", ", f);
    fprintf(f, inline_points, count);
    fputs(" with lines lc rgb '#909090' lw 1 dt 2 notitle", f);
}

static void put_order(FILE *f, const order_line *line) {
    double ends[2][2] = {{pow(10, line->from[0]), pow(10, line->from[1])},
                         {pow(10, line->to[0]), pow(10, line->to[1])}};
    fwrite(ends, sizeof *ends, 2, f);
}

/* ---- a panel */

static void write_series(FILE *f, const figure_series *s, const points *p, const legend *l) {
    int look = look_of(l, s->label);
    size_t every = s->style == FIGURE_LINES ? p->count / MARKERS_ON_LINE + 1 : 1;
    fputs(", ", f);
    fprintf(f, inline_points, p->count);
    bool lines = s->style != FIGURE_POINTS && p->count > 1, bare = lines && look < 0 && s->style == FIGURE_LINES;
    fprintf(f, bare ? " with lines" : lines ? " with linespoints pi %zu" : " with points", every);
    write_look(f, l, look, lines, true);
    fputs(" notitle", f);
}

static void write_text(FILE *f, const char *what, const char *text) {
    fprintf(f, "set %s ", what);
    canvas_quote(f, text ? text : "");
    fputs("\n", f);
}

enum { MOST_ORDERS = 8 };

static void write_panel(canvas *c, const figure_panel *view, const points *all, const legend *l) {
    FILE *f = c->script;
    box b = box_of(view, all);
    order_line lines[MOST_ORDERS];
    range x = view->x_log ? decades_of(b.x_min, b.x_max, 0.05, view->order_count ? 0.2 : 0.05)
                          : range_of(b.x_min, b.x_max, 0.02),
          y = view->y_log ? decades_of(least_shown(b.y_min, b.y_max), b.y_max, 0.06, 0.06)
                          : range_of(b.y_min, b.y_max, 0.06);
    (view->x_log ? write_decades : write_linear)(c, 'x', x);
    (view->y_log ? write_decades : write_linear)(c, 'y', y);
    int orders = find_orders(view, all, &b, x, y, lines);
    write_names(f, lines, orders);
    write_text(f, "title", view->title);
    write_text(f, "xlabel", view->x_label);
    write_text(f, "ylabel", view->y_label);
    fputs("plot NaN notitle", f);
    for (int i = 0; i < orders; i++) write_order(f, 2);
    for (int i = 0; i < view->count; i++)
        if (all[i].count) write_series(f, &view->series[i], &all[i], l);
    fputs("\n", f);
    for (int i = 0; i < orders; i++) put_order(f, &lines[i]);
    for (int i = 0; i < view->count; i++) fwrite(all[i].xy, sizeof *all[i].xy, all[i].count, f);
    canvas_next(c);
    fputs("unset arrow\n", f);
}

static carom_status load_panel(canvas *c, const figure_panel *view, const legend *l, carom_error *error) {
    assert(view->order_count <= MOST_ORDERS && (!view->order_count || (view->x_log && view->y_log)));
    points *all = calloc((size_t)view->count + 1, sizeof *all);
    if (!all) return carom_error_memory(error);
    carom_status status = CAROM_OK;
    for (int i = 0; status == CAROM_OK && i < view->count; i++)
        status = load_points(view, &view->series[i], &all[i], error);
    if (status == CAROM_OK) write_panel(c, view, all, l);
    for (int i = 0; i < view->count; i++) points_free(&all[i]);
    free(all);
    return status;
}

/* ---- the figure */

carom_status figure_write(FILE *script, const char *path, const char *title, const figure_panel *panels, int count,
                          int columns, carom_error *error) {
    assert(count > 0);
    carom_status status = canvas_check(path, error);
    if (status != CAROM_OK) return status;
    layout l = {.columns = columns ? columns : count > 4 ? 3 : count > 1 ? 2 : 1, .between = BETWEEN};
    l.rows = (count + l.columns - 1) / l.columns;
    l.width = widths[l.columns < 4 ? l.columns - 1 : 3];
    l.height = l.columns < 3 ? HEIGHT : LOW;
    legend names;
    status = legend_create(&names, panels, count, l.columns * l.width, error);
    if (status != CAROM_OK) return status;
    names.top = title[0] ? TITLE : MARGIN;
    l.top = names.top + legend_lines(&names) * LEGEND_LINE + PANEL_TITLE;
    canvas c = canvas_begin(script, path, l, title);
    fputs("unset key\nset title offset 0,-0.3\n", script);
    write_legend(&c, &names);
    for (int i = 0; status == CAROM_OK && i < count; i++) status = load_panel(&c, &panels[i], &names, error);
    canvas_end(&c);
    free(names.label);
    return status;
}

carom_status figure_draw(const char *path, const char *title, const figure_panel *panels, int count, int columns,
                         carom_error *error) {
    FILE *script = gnuplot_script(error);
    if (!script) return CAROM_FAILED;
    carom_status status = figure_write(script, path, title, panels, count, columns, error);
    if (status == CAROM_OK) status = gnuplot_run(script, path, error);
    fclose(script);
    return status;
}
