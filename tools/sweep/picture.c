#include "sweep/picture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "result/canvas.h"
#include "result/gnuplot.h"
#include "study/figure.h"

enum { WIDTH = 640, HEIGHT = 400, MOST_PANELS = 4 };

/* Pixels row by row from the lower left corner, and the values at the middles of the first and last ones. */
typedef struct image {
    int width, height;
    double x[2], y[2];
    unsigned char (*rgb)[3];
    const char *title, *x_label, *y_label;
} image;

carom_status sweep_picture_check(const sweep_question *q, bool random, const char *path, carom_error *error) {
    carom_status status = canvas_check(path, error);
    if (status) return status;
    if (q->plan->axes > 2 || (q->plan->axes == 2 && random))
        return carom_error_set(error, CAROM_DATA, "--figure shows one thing that is varied, or two on a grid");
    return gnuplot_check(error);
}

/* ---------------------------------------------------------------- images */

static double pixel(const double ends[2], int count) {
    return ends[1] != ends[0] ? (ends[1] - ends[0]) / (count - 1) : 1;
}

static void write_image(canvas *c, const image *m) {
    FILE *f = c->script;
    const double dx = pixel(m->x, m->width), dy = pixel(m->y, m->height);
    canvas_range(c, 'x', range_of(fmin(m->x[0], m->x[1]) - fabs(dx) / 2, fmax(m->x[0], m->x[1]) + fabs(dx) / 2, 0));
    canvas_range(c, 'y', range_of(fmin(m->y[0], m->y[1]) - fabs(dy) / 2, fmax(m->y[0], m->y[1]) + fabs(dy) / 2, 0));
    const char *const text[][2] = {{"title", m->title}, {"xlabel", m->x_label}, {"ylabel", m->y_label}};
    for (int i = 0; i < 3; i++) {
        fprintf(f, "set %s ", text[i][0]);
        canvas_quote(f, text[i][1]);
        fputc('\n', f);
    }
    fprintf(f,
            "plot '-' binary array=(%d,%d) format='%%uchar%%uchar%%uchar' origin=(%.17g,%.17g) dx=%.17g dy=%.17g "
            "using 1:2:3 with rgbimage notitle\n",
            m->width, m->height, fmin(m->x[0], m->x[1]), fmin(m->y[0], m->y[1]), fabs(dx), fabs(dy));
    for (int row = 0; row < m->height; row++)
        for (int column = 0; column < m->width; column++)
            fwrite(m->rgb[(dy < 0 ? m->height - 1 - row : row) * m->width + (dx < 0 ? m->width - 1 - column : column)],
                   1, 3, f);
    canvas_next(c);
}

static bool image_create(image *m, int width, int height) {
    m->width = width, m->height = height;
    m->rgb = malloc((size_t)width * (size_t)height * sizeof *m->rgb);
    if (m->rgb) memset(m->rgb, 255, (size_t)width * (size_t)height * sizeof *m->rgb);
    return m->rgb;
}

/* A colour of the palette mixed with white; part 0: white. */
static void paint(unsigned char rgb[3], const char *colour, double part) {
    const long number = strtol(colour + 1, NULL, 16);
    for (int k = 0; k < 3; k++) rgb[k] = (unsigned char)(255.5 - part * (255 - (double)(number >> (16 - 8 * k) & 255)));
}

static carom_status draw_images(const char *path, const char *title, const image *images, int count,
                                carom_error *error) {
    FILE *script = gnuplot_script(error);
    if (!script) return CAROM_FAILED;
    const layout l = {.columns = 1, .rows = count, .width = WIDTH, .height = HEIGHT, .top = 66, .between = 90};
    canvas c = canvas_begin(script, path, l, title);
    fputs("unset key\n", script);
    for (int i = 0; i < count; i++) write_image(&c, &images[i]);
    canvas_end(&c);
    carom_status status = gnuplot_run(script, path, error);
    fclose(script);
    return status;
}

/* ---------------------------------------------------------------- bifurcation diagrams */

static void extend(double ends[2], double value) {
    ends[0] = fmin(ends[0], value), ends[1] = fmax(ends[1], value);
}

static int place_of(const double ends[2], int count, double value) {
    return ends[1] > ends[0] ? (int)((value - ends[0]) / (ends[1] - ends[0]) * (count - 1) + 0.5) : 0;
}

/* The number of points of component k in each pixel. Where there are few values, each has one column. */
static bool count_points(const sweep_question *q, const sections *s, int k, image *m, int **hits) {
    const int values = q->plan->axis[0].count, width = values > 0 && values < WIDTH ? values : WIDTH;
    *hits = calloc((size_t)width * HEIGHT, sizeof **hits);
    if (!*hits || !image_create(m, width, HEIGHT)) return false;
    m->x[0] = m->y[0] = INFINITY, m->x[1] = m->y[1] = -INFINITY;
    for (long run = 0; run < s->runs; run++) extend(m->x, q->plan->value[run]);
    for (long i = 0; i < s->first[s->runs]; i++)
        if (isfinite(s->point[i * s->size + k])) extend(m->y, s->point[i * s->size + k]);
    if (!(m->y[0] <= m->y[1])) m->y[0] = m->y[1] = 0;
    for (long run = 0; run < s->runs; run++)
        for (long i = s->first[run]; i < s->first[run + 1]; i++) {
            const double y = s->point[i * s->size + k];
            if (isfinite(y)) (*hits)[place_of(m->y, HEIGHT, y) * width + place_of(m->x, width, q->plan->value[run])]++;
        }
    return true;
}

/* A column is darkest where most of its points lie. */
static carom_status shade_points(const sweep_question *q, const sweep_whole *w, int k, image *m, carom_error *error) {
    int *hits = NULL;
    const bool counted = count_points(q, &w->sections, k, m, &hits);
    for (int x = 0; x < m->width && counted; x++) {
        int most = 1;
        for (int y = 0; y < HEIGHT; y++) most = hits[y * m->width + x] > most ? hits[y * m->width + x] : most;
        for (int y = 0; y < HEIGHT; y++) {
            const int here = hits[y * m->width + x];
            if (here) paint(m->rgb[y * m->width + x], palette[0], 0.5 + 0.5 * sqrt((double)here / most));
        }
    }
    free(hits);
    return counted ? CAROM_OK : carom_error_memory(error);
}

static carom_status draw_bifurcations(const sweep_question *q, const sweep_whole *w, const char *path,
                                      carom_error *error) {
    image images[MOST_PANELS] = {0};
    const int count = q->kept < MOST_PANELS ? q->kept : MOST_PANELS;
    carom_status status = CAROM_OK;
    for (int k = 0; k < count && !status; k++) {
        images[k].title = "", images[k].x_label = q->plan->axis[0].name, images[k].y_label = q->keep_name[k];
        status = shade_points(q, w, 1 + k, &images[k], error);
    }
    if (!status) status = draw_images(path, carom_scene_title(q->scene), images, count, error);
    for (int k = 0; k < count; k++) free(images[k].rgb);
    return status;
}

/* ---------------------------------------------------------------- maps of two axes */

/* Each attractor has a colour. Runs without a cycle are light grey, runs that failed are white. */
static void paint_attractor(unsigned char rgb[3], double number) {
    if (isnan(number)) return;
    if (number == 0) paint(rgb, "#000000", 0.2);
    else paint(rgb, palette[((int)number - 1) % COLOURS], number <= COLOURS ? 0.9 : 0.5);
}

static carom_status draw_map(const sweep_question *q, const sweep_whole *w, const char *path, carom_error *error) {
    const sweep_axis *x = &q->plan->axis[0], *y = &q->plan->axis[1];
    const int shown = q->points ? w->columns - 1 : 1 + q->plan->axes;
    double ends[2] = {INFINITY, -INFINITY};
    char title[128];
    image m = {.x = {x->values[0], x->values[x->count - 1]}, .y = {y->values[0], y->values[y->count - 1]}};
    if (!image_create(&m, x->count, y->count)) return carom_error_memory(error);
    for (long run = 0; run < q->plan->runs; run++)
        if (isfinite(w->row[run * w->columns + shown])) extend(ends, w->row[run * w->columns + shown]);
    for (long run = 0; run < q->plan->runs; run++) {
        const double value = w->row[run * w->columns + shown];
        unsigned char *rgb = m.rgb[run % y->count * x->count + run / y->count];
        if (q->points) paint_attractor(rgb, value);
        else if (isfinite(value))
            paint(rgb, palette[0], ends[1] > ends[0] ? (value - ends[0]) / (ends[1] - ends[0]) : 1);
    }
    snprintf(title, sizeof title, "%.60s, from %.6g (light) to %.6g (dark)", q->keep_name[0], ends[0], ends[1]);
    m.title = q->points ? "" : title, m.x_label = x->name, m.y_label = y->name;
    carom_status status = draw_images(path, carom_scene_title(q->scene), &m, 1, error);
    free(m.rgb);
    return status;
}

/* ---------------------------------------------------------------- curves over one axis */

static int by_x(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The values of a column of the rows, in the order of the axis. */
static carom_status draw_curves(const sweep_question *q, const sweep_whole *w, const char *path, carom_error *error) {
    const long runs = q->plan->runs;
    const int lyapunov = 3 + q->kept, kept = q->kept < MOST_PANELS ? q->kept : MOST_PANELS;
    const int count = kept + (q->exponents > 0);
    figure_series series[MOST_PANELS + 1];
    figure_panel panels[MOST_PANELS + 1];
    double(*xy)[2] = malloc((size_t)runs * sizeof *xy), *values = malloc(2 * (size_t)(count * runs) * sizeof *values);
    carom_status status = xy && values ? CAROM_OK : carom_error_memory(error);
    for (int k = 0; k < count && !status; k++) {
        double *x = values + 2 * k * runs, *y = x + runs;
        for (long i = 0; i < runs; i++)
            xy[i][0] = q->plan->value[i], xy[i][1] = w->row[i * w->columns + (k < kept ? 2 + k : lyapunov)];
        qsort(xy, (size_t)runs, sizeof *xy, by_x);
        for (long i = 0; i < runs; i++) x[i] = xy[i][0], y[i] = xy[i][1];
        series[k] = (figure_series){.x = x, .y = y, .count = runs, .style = FIGURE_LINES};
        panels[k] = (figure_panel){.title = "",
                                   .x_label = q->plan->axis[0].name,
                                   .y_label = k < kept ? q->keep_name[k] : "lyapunov1",
                                   .series = &series[k],
                                   .count = 1};
    }
    if (!status) status = figure_draw(path, carom_scene_title(q->scene), panels, count, 1, error);
    free(xy);
    free(values);
    return status;
}

carom_status sweep_picture_draw(const sweep_question *q, const sweep_whole *w, const char *path, carom_error *error) {
    if (q->plan->axes == 2) return draw_map(q, w, path, error);
    return q->points ? draw_bifurcations(q, w, path, error) : draw_curves(q, w, path, error);
}
