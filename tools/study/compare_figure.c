/* The figure of a comparison: what is followed over time, and with several step sizes the cost of precision. */
#include "error.h"
#include "study/compare.h"
#include "study/figure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const over_titles[OVER_COUNT] = {
    "Energy error", "Error of q", "Error of u", "Penetration", "Constraints on position", "Constraints on velocity"};
static const char *const over_labels[OVER_COUNT] = {
    "|E - E(0)|",  "largest |q - reference|", "largest |u - reference|", "depth",
    "largest |g|", "largest |g_dot|, |gamma|"};

/* What is shown over step sizes or times: a number of each run. */
typedef double (*number)(const compared *run);

static double step_size(const compared *run) {
    return run->dt;
}

static double seconds(const compared *run) {
    return run->seconds;
}

static double error_q(const compared *run) {
    return run->error_q;
}

static double error_u(const compared *run) {
    return run->error_u;
}

static double newton(const compared *run) {
    return run->run.newton / (double)run->run.steps;
}

static double step_cost(const compared *run) {
    return 1e6 * run->seconds / (double)run->run.steps;
}

static const struct {
    const char *title, *x_label, *y_label; /* x_label NULL: dt with its unit */
    number x, y;
    bool y_log;
} size_panels[] = {
    {"Work and precision: q", "processor time [s]", "error of q", seconds, error_q, true},
    {"Work and precision: u", "processor time [s]", "error of u", seconds, error_u, true},
    {"Newton iterations", NULL, "per step", step_size, newton, false},
    {"Cost of a step", NULL, "processor time [\u00b5s]", step_size, step_cost, true},
};
enum { SIZE_PANELS = sizeof size_panels / sizeof *size_panels, PANELS = OVER_COUNT + SIZE_PANELS };

typedef struct drawing {
    const comparison *c;
    figure_panel panel[PANELS];
    char title[PANELS][80], dt[80]; /* dt: "dt [s]" */
    int count;
    figure_series *series; /* [PANELS][schemes] */
    double *values;        /* [SIZE_PANELS][schemes][2][sizes] */
} drawing;

static figure_series *next_series(const drawing *d) {
    return d->series + d->count * d->c->schemes;
}

static void add_over_time(drawing *d, over_time what) {
    const comparison *c = d->c;
    figure_series *series = next_series(d);
    bool error = what != OVER_ENERGY || c->conserved, any = false;
    for (int i = 0; i < c->schemes; i++) {
        const compared *run = &c->all[i * c->sizes + c->shown];
        const curve_over_time *o = &run->over[what];
        series[i] = (figure_series){run->scheme->label, o->t, o->value, o->count,
                                    what == OVER_PENETRATION ? FIGURE_POINTS : FIGURE_LINES};
        any = any || o->count > 0;
    }
    if (!any) return;
    const char *title = error ? over_titles[what] : "Energy", *label = error ? over_labels[what] : "E";
    if (what == OVER_ENERGY && error && c->relative) label = "|E - E(0)| / |E(0)|";
    snprintf(d->title[d->count], sizeof *d->title, c->sizes > 1 ? "%s, dt = %g" : "%s", title, c->all[c->shown].dt);
    d->panel[d->count] = (figure_panel){.title = d->title[d->count],
                                        .x_label = c->time,
                                        .y_label = label,
                                        .y_log = error,
                                        .series = series,
                                        .count = c->schemes,
                                        .x_from = c->t0,
                                        .x_to = c->until};
    d->count++;
}

static void add_over_sizes(drawing *d, int what) {
    const comparison *c = d->c;
    figure_series *series = next_series(d);
    double *x = d->values + (size_t)(what * c->schemes * 2 * c->sizes), *y = x + c->sizes;
    for (int i = 0; i < c->schemes; i++, x += 2 * c->sizes, y += 2 * c->sizes) {
        for (int k = 0; k < c->sizes; k++) {
            const compared *run = &c->all[i * c->sizes + k];
            bool good = run->run.status == CAROM_OK;
            x[k] = good ? size_panels[what].x(run) : NAN;
            y[k] = good ? size_panels[what].y(run) : NAN;
        }
        series[i] = (figure_series){c->all[i * c->sizes].scheme->label, x, y, c->sizes, FIGURE_BOTH};
    }
    d->panel[d->count++] = (figure_panel){.title = size_panels[what].title,
                                          .x_label = size_panels[what].x_label ? size_panels[what].x_label : d->dt,
                                          .y_label = size_panels[what].y_label,
                                          .x_log = true,
                                          .y_log = size_panels[what].y_log,
                                          .series = series,
                                          .count = c->schemes};
}

carom_status comparison_draw(const comparison *c, const char *path, carom_error *error) {
    drawing d = {.c = c};
    snprintf(d.dt, sizeof d.dt, "d%s", c->time);
    size_t schemes = (size_t)c->schemes, sizes = (size_t)c->sizes;
    d.series = calloc(PANELS * schemes, sizeof *d.series);
    d.values = calloc(SIZE_PANELS * schemes * 2 * sizes, sizeof *d.values);
    carom_status status = d.series && d.values ? CAROM_OK : carom_error_memory(error);
    for (int i = 0; i < OVER_COUNT && !status; i++) add_over_time(&d, (over_time)i);
    for (int i = 0; i < SIZE_PANELS && !status && c->sizes > 1; i++) add_over_sizes(&d, i);
    if (!status && d.count == 0)
        status = carom_error_set(error, CAROM_FAILED, "no run got far enough to draw anything");
    if (!status) status = figure_draw(path, c->title, d.panel, d.count, 0, error);
    free(d.series);
    free(d.values);
    return status;
}
