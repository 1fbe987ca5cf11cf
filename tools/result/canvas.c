#include "result/canvas.h"

#include "error.h"

#include <ctype.h>
#include <math.h>
#include <string.h>
#include <strings.h>

enum {
    LEFT = 95,     /* for numbers and label, at least */
    LABELLED = 50, /* of it, without the numbers */
    DIGIT = 9,
    RIGHT = 25,
    BOTTOM = 62
};

const char *const palette[COLOURS] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"};
const double line_width = 1.8;

/* ---- text */

/* The length of the UTF-8 character at c; *common tells whether it is one and ordinary fonts have it: Latin, Greek,
 * Cyrillic (below U+0590), and letters with accents, punctuation and mathematics (U+1E00 to U+2BFF). */
static int character(const unsigned char *c, bool *common) {
    int expected = c[0] < 0x80 ? 1 : c[0] < 0xE0 ? 2 : c[0] < 0xF0 ? 3 : 4, length = 1;
    while (length < expected && (c[length] & 0xC0) == 0x80) length++;
    *common = length == expected && (c[0] < 0x80 || (c[0] >= 0xC2 && (c[0] << 8 | c[1]) < 0xD690) ||
                                     (c[0] == 0xE1 && c[1] >= 0xB8) || (c[0] == 0xE2 && c[1] < 0xB0));
    return length;
}

/* gnuplot runs text between backquotes, takes @ for a macro, and stumbles over a leading quote. So every character that
 * could mean something to it is written by its code. A character without a glyph could cover the picture, so it becomes
 * a question mark. */
void canvas_quote(FILE *f, const char *text) {
    bool common;
    fputc('"', f);
    for (int length; *text; text += length) {
        length = character((const unsigned char *)text, &common);
        if (!common) fputc('?', f);
        else if (iscntrl((unsigned char)*text)) fputc(' ', f);
        else if (strchr("\"\\'`@$", *text)) fprintf(f, "\\%03o", (unsigned char)*text);
        else fwrite(text, 1, (size_t)length, f);
    }
    fputc('"', f);
}

/* ---- axes */

range range_of(double least, double greatest, double air) {
    const double tiny = 1e-300, most = 1e300; /* gnuplot can show neither denormal numbers nor infinity */
    if (!(least <= greatest)) least = -1, greatest = 1;
    least = fmin(fmax(least, -most), most), greatest = fmin(fmax(greatest, -most), most);
    double size = fmax(fabs(least), fabs(greatest)), width = greatest - least;
    if (width <= 1e-12 * size || width <= tiny) {
        double middle = least + width / 2;
        width = size > tiny ? 0.2 * size : 2;
        least = middle - width / 2, greatest = middle + width / 2;
    }
    int digits = (int)ceil(log10(fmax(size, tiny) / width)) + 3;
    return (range){least - air * width, greatest + air * width, digits < 5 ? 5 : digits};
}

/* '.' and '-' are half as wide as a digit. */
void canvas_fit(canvas *c, const char *number) {
    double digits = 0;
    for (const char *letter = number; *letter; letter++) digits += *letter == '.' || *letter == '-' ? 0.5 : 1;
    c->left = fmax(c->left, LABELLED + digits * DIGIT);
}

/* gnuplot's tics are multiples of 1, 2 or 5 times a power of ten. */
static void fit_range(canvas *c, range r) {
    double width = r.greatest - r.least, power = pow(10, floor(log10(width)));
    double step = width < 2 * power ? power / 10 : width < 5 * power ? power / 2 : power;
    for (double k = ceil(r.least / step); k * step <= r.greatest; k++) {
        char text[40];
        snprintf(text, sizeof text, "%.*g", r.digits, k * step);
        canvas_fit(c, text);
    }
}

void canvas_range(canvas *c, char axis, range r) {
    fprintf(c->script, "set %crange [%.17g:%.17g]\n", axis, r.least, r.greatest);
    fprintf(c->script, "set format %c '%%.%dg'\n", axis, r.digits);
    if (axis == 'y') fit_range(c, r);
}

/* ---- the page */

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

carom_status canvas_check(const char *path, carom_error *error) {
    if (find_format(path)) return CAROM_OK;
    return carom_error_set(error, CAROM_DATA, "%s: the name of a plot ends in .png, .svg or .pdf", path);
}

static void write_terminal(FILE *f, const format *t, const char *width, double height) {
    fprintf(f, "set terminal %s size (%s)/%g,%g font 'sans,%d' noenhanced background rgb 'white'\n", t->terminal, width,
            t->unit, height / t->unit, t->font);
    fputs("set encoding utf8\n", f);
}

void canvas_terminal(FILE *f, const char *path, const char *width, double height) {
    write_terminal(f, find_format(path), width, height);
}

void canvas_font(FILE *f, const char *path, bool title) {
    const format *t = find_format(path);
    fprintf(f, " font ',%d'", title ? t->title : t->font);
}

/* The left margin is known only after the last panel, but must stand first in the script. So its line always has the
 * same number of characters, and is written over. */
static void write_left(canvas *c) {
    rewind(c->script);
    fprintf(c->script, "left = %7.1f\n", c->left);
}

static void write_page(FILE *f, const format *t, layout l, double h, const char *title) {
    fprintf(f, "width = %g + %d*(left + %d.0)\n", l.columns * l.width, l.columns, RIGHT);
    write_terminal(f, t, "width", h);
    fputs("set border 3 lc rgb '#606060'\n"
          "set tics nomirror out scale 0.6 textcolor rgb '#303030'\n"
          "set xtics offset 0,0.2\n"
          "set grid lt 1 lw 0.6 lc rgb '#DDDDDD'\n"
          "set key at graph 0,1.02 left bottom horizontal Left reverse samplen 2 width 1\n",
          f);
    fprintf(f, "set multiplot layout %d,%d rowsfirst margins left/width,1 - %d/width,%.5f,%.5f", l.rows, l.columns,
            RIGHT, BOTTOM / h, 1 - l.top / h);
    fprintf(f, " spacing (left + %d)/width,%.5f\n", RIGHT, l.between / h);
    fprintf(f, "set label 1 at screen left/width,%.5f left font ',%d' ", 1 - 18 / h, t->title);
    canvas_quote(f, title ? title : "");
    fputs("\n", f);
}

canvas canvas_begin(FILE *script, const char *path, layout l, const char *title) {
    double height = l.top + BOTTOM + l.rows * l.height + (l.rows - 1) * l.between;
    canvas c = {script, height, LEFT};
    write_left(&c);
    write_page(script, find_format(path), l, height, title);
    return c;
}

void canvas_next(canvas *c) {
    fputs("unset label\n", c->script);
}

void canvas_end(canvas *c) {
    fputs("unset multiplot\n", c->script);
    write_left(c);
}
