#include "study/report.h"

#include "error.h"
#include "result/csv.h"
#include "study/figure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- CSV */

static void write_number(FILE *out, double value) {
    fputc(',', out);
    csv_number(out, value);
}

static void write_text(FILE *out, const char *text) {
    fputc(',', out);
    csv_text(out, text);
}

static void write_curve(FILE *out, const convergence *c, int x, int k, int s) {
    const convergence_curve *curve = convergence_of(c, x, k, s);
    for (int i = 0; i < c->def.dt_count; i++) {
        const convergence_run *run = convergence_at(c, s, i);
        char reason[1100] = "";
        if (run->status) carom_error_text(&run->error, reason, sizeof reason);
        fprintf(out, "%s,%s,%s", c->all.of[x].name, norms[k].name, c->labels[s]);
        write_number(out, c->def.dt[i]);
        fprintf(out, ",%ld", run->steps);
        write_number(out, run->t);
        write_number(out, curve->error[i]);
        write_number(out, curve->order[i]);
        write_number(out, curve->overall);
        fprintf(out, ",%d", curve->floor[i]);
        write_number(out, run->newton);
        fprintf(out, ",%s", run->status ? "failed" : "finished");
        write_text(out, reason);
        write_text(out, c->reference.text);
        fputc('\n', out);
    }
}

static void write_table(FILE *out, const convergence *c) {
    fputs("quantity,norm,integrator,dt,steps,t,error,order,overall_order,floor,newton,status,reason,reference\n", out);
    for (int x = 0; x < QUANTITIES; x++)
        for (int k = 0; k < NORMS && c->components[x]; k++)
            for (int s = 0; s < c->schemes; s++) write_curve(out, c, x, k, s);
}

carom_status convergence_csv(const convergence *c, const char *path, carom_error *error) {
    FILE *out;
    carom_status status = csv_open(path, &out, error);
    if (status) return status;
    write_table(out, c);
    return csv_close(path, out, CAROM_OK, error);
}

/* ---------------------------------------------------------------- figure */

enum { MOST_ORDERS = 4 };

typedef struct drawing {
    const convergence *c;
    double *y; /* of all series, one after the other */
    figure_series *series;
    char (*labels)[2][128]; /* title and y label of each panel */
    double (*orders)[MOST_ORDERS];
    figure_panel *panels;
    int panel_count;
    const char *x_label;
} drawing;

static void add_order(double *orders, int *count, double overall) {
    double order =
        overall < 0.75 ? round(2 * overall) / 2 : round(overall); /* jumps have half an order in some norms */
    if (!(order > 0) || *count == MOST_ORDERS) return;
    for (int i = 0; i < *count; i++)
        if (orders[i] == order) return;
    orders[(*count)++] = order;
}

static void add_panel(drawing *d, int x, int k) {
    const convergence *c = d->c;
    int p = d->panel_count++, count = c->def.dt_count, power = norms[k].power;
    figure_panel *panel = &d->panels[p];
    figure_series *series = d->series + p * c->schemes;
    snprintf(d->labels[p][0], sizeof d->labels[p][0], "%s, norm '%s'", c->all.of[x].name, norms[k].name);
    snprintf(d->labels[p][1], sizeof d->labels[p][1], "%serror", power > 1 ? "root of the " : "");
    *panel = (figure_panel){.title = d->labels[p][0],
                            .x_label = d->x_label,
                            .y_label = d->labels[p][1],
                            .x_log = true,
                            .y_log = true,
                            .series = series,
                            .count = c->schemes,
                            .orders = d->orders[p]};
    for (int s = 0; s < c->schemes; s++) {
        const convergence_curve *curve = convergence_of(c, x, k, s);
        double *y = d->y + (p * c->schemes + s) * count;
        for (int i = 0; i < count; i++) y[i] = pow(curve->error[i], 1.0 / power);
        series[s] = (figure_series){c->labels[s], c->def.dt, y, count, FIGURE_BOTH};
        add_order(d->orders[p], &panel->order_count, curve->overall);
    }
}

carom_status convergence_draw(const convergence *c, const int *kinds, int count, const char *path, carom_error *error) {
    size_t panels = (size_t)(QUANTITIES * count), series = panels * (size_t)c->schemes;
    drawing d = {.c = c,
                 .y = calloc(series * (size_t)c->def.dt_count, sizeof *d.y),
                 .series = calloc(series, sizeof *d.series),
                 .labels = calloc(panels, sizeof *d.labels),
                 .orders = calloc(panels, sizeof *d.orders),
                 .panels = calloc(panels, sizeof *d.panels),
                 .x_label = "dt"};
    const char *unit = carom_scene_unit(c->scene, "t");
    char x_label[64];
    if (unit[0]) {
        snprintf(x_label, sizeof x_label, "dt [%s]", unit);
        d.x_label = x_label;
    }
    carom_status status = d.y && d.series && d.labels && d.orders && d.panels ? CAROM_OK : carom_error_memory(error);
    for (int x = 0; x < QUANTITIES && !status; x++)
        for (int k = 0; k < count && c->components[x]; k++)
            if (convergence_differs(c, x, kinds[k]) || d.panel_count == 0) add_panel(&d, x, kinds[k]);
    if (!status) status = figure_draw(path, carom_scene_title(c->scene), d.panels, d.panel_count, 0, error);
    free(d.y);
    free(d.series);
    free(d.labels);
    free(d.orders);
    free(d.panels);
    return status;
}
