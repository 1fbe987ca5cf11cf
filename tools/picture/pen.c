#include "picture/pen.h"

#include "result/canvas.h"
#include "result/gnuplot.h"

#include <string.h>
#include <strings.h>

static const struct {
    const char *class;
    int size, colour;
    bool title;
} styles[TEXT_STYLES] = {{"title", 16, 0x000000, true},
                         {"time", 13, 0x000000, false},
                         {"x-tick", 11, 0x303030, false},
                         {"y-tick", 11, 0x303030, false},
                         {"note", 12, 0x303030, false}};

/* ---- the page */

static void begin_svg(FILE *out, double width, double height) {
    fprintf(
        out,
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%g\" "
        "height=\"%g\" viewBox=\"0 0 %g %g\" font-family=\"sans, DejaVu Sans, sans-serif\" "
        "stroke-linejoin=\"round\" stroke-linecap=\"round\">\n<rect width=\"%g\" height=\"%g\" fill=\"#ffffff\"/>\n",
        width, height, width, height, width, height);
}

/* The axes of gnuplot are the page. */
static void begin_script(FILE *out, const char *path, double width, double height) {
    char text[32];
    snprintf(text, sizeof text, "%g", width);
    canvas_terminal(out, path, text, height);
    fprintf(out,
            "set margins 0,0,0,0\nset xrange [0:%g]\nset yrange [%g:0]\nunset border\nunset tics\nunset key\n"
            "set style fill solid\n",
            width, height);
}

carom_status pen_open(pen *p, const char *path, double width, double height, carom_error *error) {
    const char *extension = strrchr(path, '.');
    *p = (pen){.path = path, .script = !extension || strcasecmp(extension, ".svg") != 0};
    carom_status status = CAROM_OK;
    if (p->script) status = (p->out = gnuplot_script(error)) ? CAROM_OK : CAROM_FAILED;
    else status = file_create(&p->file, path, error);
    if (status) return status;
    if (!p->script) p->out = p->file.out;
    if (p->script) begin_script(p->out, path, width, height);
    else begin_svg(p->out, width, height);
    return CAROM_OK;
}

carom_status pen_close(pen *p, carom_status status, carom_error *error) {
    fputs(p->script ? "plot -1 notitle\n" : "</svg>\n", p->out);
    if (!p->script) return file_finish(&p->file, status, error);
    if (!status) status = gnuplot_run(p->out, p->path, error);
    fclose(p->out);
    return status;
}

/* ---- drawing */

/* A colour, or 'none'. */
static const char *colour(int value, char text[8]) {
    if (value == NO_COLOUR) return "none";
    snprintf(text, 8, "#%06x", (unsigned)value & 0xFFFFFFu);
    return text;
}

static void finish_svg(pen *p, ink k) {
    char fill[8], line[8];
    fprintf(p->out, " fill=\"%s\"", colour(k.fill, fill));
    if (k.line != NO_COLOUR) fprintf(p->out, " stroke=\"%s\" stroke-width=\"%g\"", colour(k.line, line), k.width);
    fputs("/>\n", p->out);
}

static void finish_object(pen *p, ink k) {
    char fill[8], line[8];
    fprintf(p->out, " fc rgb '%s' fs %s", colour(k.fill == NO_COLOUR ? k.line : k.fill, fill),
            k.fill == NO_COLOUR ? "empty" : "solid");
    if (k.line == NO_COLOUR) fputs(" noborder\n", p->out);
    else fprintf(p->out, " border rgb '%s' lw %g\n", colour(k.line, line), k.width);
}

static void write_points(pen *p, const double (*xy)[2], int count) {
    for (int i = 0; i < count; i++) fprintf(p->out, "%s%.2f,%.2f", i ? " " : "", xy[i][0], xy[i][1]);
}

static void write_path(pen *p, const double (*xy)[2], int from, int to) {
    int step = from <= to ? 1 : -1;
    for (int i = from; i != to + step; i += step) fprintf(p->out, " to %.2f,%.2f", xy[i][0], xy[i][1]);
}

void pen_polygon(pen *p, const double (*xy)[2], int count, ink k) {
    if (p->script) {
        fprintf(p->out, "set object %d polygon from %.2f,%.2f", ++p->objects, xy[0][0], xy[0][1]);
        write_path(p, xy, 1, count - 1);
        fprintf(p->out, " to %.2f,%.2f", xy[0][0], xy[0][1]);
        finish_object(p, k);
    } else {
        fputs("<polygon points=\"", p->out);
        write_points(p, xy, count);
        fputc('"', p->out);
        finish_svg(p, k);
    }
}

/* gnuplot paints polygons in their order, but no curves. So a curve is a polygon that goes back the way it came. */
void pen_curve(pen *p, const double (*xy)[2], int count, ink k) {
    k.fill = NO_COLOUR;
    if (count < 2) return;
    if (p->script) {
        fprintf(p->out, "set object %d polygon from %.2f,%.2f", ++p->objects, xy[0][0], xy[0][1]);
        write_path(p, xy, 1, count - 1);
        write_path(p, xy, count - 2, 0);
        finish_object(p, k);
    } else {
        fputs("<polyline points=\"", p->out);
        write_points(p, xy, count);
        fputc('"', p->out);
        finish_svg(p, k);
    }
}

void pen_circle(pen *p, double x, double y, double radius, ink k) {
    if (p->script) {
        fprintf(p->out, "set object %d circle at %.2f,%.2f size %.2f", ++p->objects, x, y, radius);
        finish_object(p, k);
    } else {
        fprintf(p->out, "<circle cx=\"%.3f\" cy=\"%.3f\" r=\"%.3f\"", x, y, radius);
        finish_svg(p, k);
    }
}

/* ---- text and groups */

static void write_escaped(FILE *out, const char *text) {
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '&') fputs("&amp;", out);
        else if (c == '<') fputs("&lt;", out);
        else fputc(c < ' ' ? ' ' : c, out);
    }
}

void pen_text(pen *p, double x, double y, anchor a, text_style style, const char *text) {
    static const char *const of_svg[] = {"start", "middle", "end"}, *const of_gnuplot[] = {"left", "center", "right"};
    char value[8];
    if (p->script) {
        fputs("set label ", p->out);
        canvas_quote(p->out, text);
        fprintf(p->out, " at %.2f,%.2f %s textcolor rgb '%s'", x, y - 0.35 * styles[style].size, of_gnuplot[a],
                colour(styles[style].colour, value));
        canvas_font(p->out, p->path, styles[style].title);
        fputs(" front\n", p->out);
    } else {
        fprintf(p->out, "<text class=\"%s\" x=\"%.2f\" y=\"%.2f\" text-anchor=\"%s\" font-size=\"%d\" fill=\"%s\">",
                styles[style].class, x, y, of_svg[a], styles[style].size, colour(styles[style].colour, value));
        write_escaped(p->out, text);
        fputs("</text>\n", p->out);
    }
}

void pen_begin(pen *p, const char *class, double t) {
    if (!p->script) fprintf(p->out, "<g class=\"%s\" data-t=\"%.17g\">\n", class, t);
}

void pen_end(pen *p) {
    if (!p->script) fputs("</g>\n", p->out);
}
