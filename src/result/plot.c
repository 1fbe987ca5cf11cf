/* Plots: panels of one size in one or two columns, their axes aligned, written as a gnuplot script with the points
 * inline. All lengths are in pixels of a screen. */
#include "error.h"
#include "result/gnuplot.h"
#include "result/points.h"
#include "result/reader.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
    WIDTH = 860,   /* of the axes, alone */
    NARROW = 620,  /* of the axes, two side by side */
    HEIGHT = 210,  /* of the axes */
    LEFT = 95,     /* for numbers and label, at least */
    LABELLED = 50, /* of it, without the numbers */
    DIGIT = 9,
    RIGHT = 25,
    TOP = 72, /* for the title and a legend */
    BOTTOM = 62,
    BETWEEN = 80,   /* numbers, label, next legend */
    ONE_COLUMN = 4, /* panels, at most */
    LEGEND = 6,     /* entries, at most: two lines */
    TIME_POINTS = 20000,
    PHASE_POINTS = 100000 /* loops keep their shape only with many points per turn */
};

/* Okabe and Ito: told apart with any kind of colour vision. */
static const char *const palette[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"};
enum { COLOURS = sizeof palette / sizeof *palette };

/* ---- text */

/* The length of the UTF-8 character at c; *common tells whether ordinary fonts have it: Latin, Greek, Cyrillic (below
 * U+0590), and letters with accents, punctuation and mathematics (U+1E00 to U+2BFF). */
static int character(const unsigned char *c, bool *common) {
    int length = 1;
    while (c[0] >= 0xC0 && (c[length] & 0xC0) == 0x80) length++;
    *common = c[0] < 0x80 || (c[0] >= 0xC0 && (c[0] << 8 | c[1]) < 0xD690) || (c[0] == 0xE1 && c[1] >= 0xB8) ||
              (c[0] == 0xE2 && c[1] < 0xB0);
    return length;
}

/* In gnuplot's single quotes only the quote itself is special. A character without a glyph can cover the picture: it
 * becomes a question mark. */
static void quote(FILE *f, const char *text) {
    bool common;
    fputc('\'', f);
    for (int length; *text; text += length) {
        length = character((const unsigned char *)text, &common);
        if (*text == '\'') fputc('\'', f);
        if (*text == '\n' || !common) fputc(common ? ' ' : '?', f);
        else fwrite(text, 1, (size_t)length, f);
    }
    fputc('\'', f);
}

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

typedef struct range {
    double least, greatest;
    int digits; /* of the numbers at the axis */
} range;

/* Around the values, with some air. */
static range range_of(double least, double greatest, double air) {
    if (!(least <= greatest)) least = -1, greatest = 1;
    double size = fmax(fabs(least), fabs(greatest)), width = greatest - least;
    if (width <= 1e-12 * size || width == 0) {
        double middle = least + width / 2;
        width = size > 0 ? 0.2 * size : 2;
        least = middle - width / 2, greatest = middle + width / 2;
    }
    int digits = (int)ceil(log10(fmax(size, 1e-300) / width)) + 3;
    return (range){least - air * width, greatest + air * width, digits < 5 ? 5 : digits};
}

static range y_range(const panel *p, const points *b) {
    double shift = offset(p, b);
    return range_of(b->y_min - shift, b->y_max - shift, 0.06);
}

static void write_range(FILE *f, char axis, range r) {
    fprintf(f, "set %crange [%.17g:%.17g]\n", axis, r.least, r.greatest);
    fprintf(f, "set format %c '%%.%dg'\n", axis, r.digits);
}

static void write_axes(FILE *f, const result_reader *r, const panel *p, const points *b) {
    write_range(f, 'x', range_of(b->x_min, b->x_max, p->curves[0].x == result_find(r, "t") ? 0 : 0.04));
    if (all_states(r, p)) {
        fputs("set yrange [-0.3:2.3]\nset ytics ('open' 0, 'slip' 1, 'stick' 2)\n", f);
    } else {
        write_range(f, 'y', y_range(p, b));
        fputs(b->integral && b->y_max - b->y_min < 8 ? "set ytics 1\n" : "set ytics autofreq\n", f);
    }
}

/* What the numbers at the vertical axis and the label need: gnuplot's tics are multiples of 1, 2 or 5 times a power of
 * ten, and '.' and '-' are half as wide as a digit. */
static double left_of(range r) {
    double width = r.greatest - r.least, power = pow(10, floor(log10(width)));
    double step = width < 2 * power ? power / 10 : width < 5 * power ? power / 2 : power, widest = 0;
    for (double k = ceil(r.least / step); k * step <= r.greatest; k++) {
        char text[40];
        double digits = snprintf(text, sizeof text, "%.*g", r.digits, k * step);
        for (const char *c = text; *c; c++) digits -= *c == '.' || *c == '-' ? 0.5 : 0;
        widest = fmax(widest, digits * DIGIT);
    }
    return fmax(LEFT, LABELLED + widest);
}

/* Several curves share what they have in common: their unit, or their x. */
static void write_labels(FILE *f, const result_reader *r, const panel *p, const points *b, bool show_x) {
    char label[LABEL] = "";
    double shift = offset(p, b);
    fputs("set xlabel ", f);
    quote(f, show_x ? label_of(r, p->curves[0].x, label) : "");
    label[0] = '\0';
    if (p->count == 1) label_of(r, p->curves[0].y, label);
    else if (one_unit(r, p) && *result_unit(r, p->curves[0].y))
        snprintf(label, LABEL, "[%s]", result_unit(r, p->curves[0].y));
    size_t n = strlen(label);
    if (shift != 0) snprintf(label + n, LABEL - n, " %c %.12g", shift > 0 ? '-' : '+', fabs(shift));
    fputs("\nset ylabel ", f);
    quote(f, label);
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
    fprintf(f, " lc rgb '%s' lw 1.8 dt %d title ", palette[i % COLOURS], i / COLOURS % 4 + 1);
    if (p->count == 1 || i >= LEGEND) quote(f, "");
    else if (i == LEGEND - 1 && p->count > LEGEND) fprintf(f, "'and %d more'", p->count - i);
    else quote(f, one_unit(r, p) ? result_name(r, p->curves[i].y) : label_of(r, p->curves[i].y, label));
}

/* *left grows to what the panel needs. */
static void write_plot(FILE *f, const result_reader *r, const panel *p, const points *all, bool show_x, double *left) {
    points b = bounds(p, all);
    if (!all_states(r, p)) *left = fmax(*left, left_of(y_range(p, &b)));
    write_axes(f, r, p, &b);
    write_labels(f, r, p, &b, show_x);
    for (int i = 0; i < p->count; i++) write_curve(f, r, p, i, all, offset(p, &b));
    fputs("\n", f);
    for (int i = 0; i < p->count; i++) fwrite(all[i].xy, sizeof *all[i].xy, all[i].count, f);
}

static carom_status write_panel(FILE *f, result_reader *r, const panel *p, bool show_x, double *left,
                                carom_error *error) {
    points *all = calloc((size_t)p->count, sizeof *all);
    if (!all) return carom_error_memory(error);
    carom_status status = CAROM_OK;
    for (int i = 0; status == CAROM_OK && i < p->count; i++) {
        bool over_time = p->curves[i].x == result_find(r, "t");
        status = points_load(r, p->curves[i], over_time ? TIME_POINTS : PHASE_POINTS, &all[i], error);
    }
    if (status == CAROM_OK) write_plot(f, r, p, all, show_x, left);
    for (int i = 0; i < p->count; i++) points_free(&all[i]);
    free(all);
    return status;
}

/* ---- the page */

typedef struct page {
    int columns, rows;
    double axes, height; /* width of all axes, height of the page */
} page;

static page lay_out(int panels) {
    page g = {.columns = panels > ONE_COLUMN ? 2 : 1};
    g.rows = (panels + g.columns - 1) / g.columns;
    g.axes = g.columns == 1 ? WIDTH : 2 * NARROW;
    g.height = TOP + BOTTOM + g.rows * HEIGHT + (g.rows - 1) * BETWEEN;
    return g;
}

typedef struct format {
    const char *extension, *terminal;
    double unit; /* of its sizes, in pixels */
    int font, title;
} format;

static const format formats[] = {{".png", "pngcairo", 1, 11, 13},
                                 {".svg", "svg dynamic", 1, 13, 16},
                                 {".pdf", "pdfcairo linewidth 1.5", 96, 14, 17}};
enum { FORMATS = sizeof formats / sizeof *formats };

static const format *find_format(const char *path) {
    const char *extension = strrchr(path, '.');
    for (int i = 0; extension && i < FORMATS; i++)
        if (strcasecmp(extension, formats[i].extension) == 0) return &formats[i];
    return NULL;
}

/* The left margin is known only when all panels are written; it stands first, always with as many characters. */
static void write_left(FILE *f, double left) {
    rewind(f);
    fprintf(f, "left = %7.1f\n", left);
}

static void write_page(FILE *f, const page *g, const format *t, const char *title) {
    double h = g->height;
    fprintf(f, "width = %g + %d*(left + %d.0)\n", g->axes, g->columns, RIGHT);
    fprintf(f, "set terminal %s size width/%g,%g font 'sans,%d' noenhanced background rgb 'white'\n", t->terminal,
            t->unit, h / t->unit, t->font);
    fputs("set encoding utf8\n"
          "set border 3 lc rgb '#606060'\n"
          "set tics nomirror out scale 0.6 textcolor rgb '#303030'\n"
          "set xtics offset 0,0.2\n"
          "set grid lt 1 lw 0.6 lc rgb '#DDDDDD'\n"
          "set key at graph 0,1.02 left bottom horizontal Left reverse samplen 2 width 1\n",
          f);
    fprintf(f, "set multiplot layout %d,%d rowsfirst margins left/width,1 - %d/width,%.5f,%.5f", g->rows, g->columns,
            RIGHT, BOTTOM / h, 1 - TOP / h);
    fprintf(f, " spacing (left + %d)/width,%.5f\n", RIGHT, BETWEEN / h);
    fprintf(f, "set label 1 at screen left/width,%.5f left font ',%d' ", 1 - 18 / h, t->title);
    quote(f, title ? title : "");
    fputs("\n", f);
}

/* Numbers and name of x stand below every column of panels, and where the next panel below has another x. */
static bool shows_x(const panel *panels, int number, const page *g, int i) {
    int below = i + g->columns;
    return below >= number || panels[below].curves[0].x != panels[i].curves[0].x;
}

static carom_status write_script(FILE *f, result_reader *r, const panel *panels, int number, const format *t,
                                 carom_error *error) {
    page g = lay_out(number);
    carom_status status = CAROM_OK;
    double left = LEFT;
    write_left(f, left);
    write_page(f, &g, t, result_text(r, "title"));
    for (int i = 0; status == CAROM_OK && i < number; i++) {
        status = write_panel(f, r, &panels[i], shows_x(panels, number, &g, i), &left, error);
        if (i == 0) fputs("unset label 1\n", f);
    }
    fputs("unset multiplot\n", f);
    write_left(f, left);
    return status;
}

carom_status result_draw(result_reader *r, const char *path, const char *const *texts, int count, carom_error *error) {
    panel *panels;
    int number;
    const format *t = find_format(path);
    if (!t) return carom_error_set(error, CAROM_DATA, "%s: the name of a plot ends in .png, .svg or .pdf", path);
    if (result_rows(r) == 0) return carom_error_set(error, CAROM_DATA, "%s holds no rows yet", result_path(r));
    carom_status status = panels_create(r, texts, count, &panels, &number, error);
    if (status != CAROM_OK) return status;
    FILE *script = tmpfile();
    if (script) {
        status = write_script(script, r, panels, number, t, error);
        if (status == CAROM_OK) status = gnuplot_run(script, path, error);
        fclose(script);
    } else {
        status = carom_error_set(error, CAROM_FAILED, "no temporary file for gnuplot");
    }
    panels_destroy(panels, number);
    return status;
}
