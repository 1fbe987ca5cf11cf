/* Pictures of a figure, as assets/PAPER_FIGURE_N.svg. */
#include "error.h"
#include "picture/picture.h"
#include "reproduce/evaluate.h"
#include "reproduce/jobs.h"
#include "result/gnuplot.h"
#include "study/figure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- panels */

typedef struct sheet_of_panels {
    figure_panel *panels;
    figure_series *series; /* of all panels, one after the other */
    int panel_count, series_count;
} sheet_of_panels;

/* The values x and y of a curve, of equal length. CAROM_FAILED: its source was left out or failed, and so is the
 * curve. */
static carom_status evaluate_curve(const figure_recipe *f, const curve_recipe *c, figure_series *s,
                                   carom_error *error) {
    static const node time = {.kind = NODE_TEXT, .text = "t"};
    formula over = c->x.where ? c->x : (formula){&time, c->y.home, c->y.skip}, of = c->y;
    measured x = {0}, y = {0};
    if (c->y.skip) return CAROM_FAILED;
    carom_status status = evaluate_formula(f, &over, &x, error);
    if (!status) status = evaluate_formula(f, &of, &y, error);
    if (!status && x.count != y.count) status = node_error(error, c->y.where, "%ld values over %ld", y.count, x.count);
    if (status) return free(x.values), free(y.values), status;
    *s = (figure_series){c->label, x.values, y.values, x.count, (figure_style)c->style};
    return CAROM_OK;
}

/* A panel without curves is left out. */
static carom_status evaluate_panel(const figure_recipe *f, const panel_recipe *p, sheet_of_panels *sheet,
                                   carom_error *error) {
    figure_panel *panel = &sheet->panels[sheet->panel_count++];
    *panel = (figure_panel){.title = p->title,
                            .x_label = p->x_label,
                            .y_label = p->y_label,
                            .x_log = p->x_log,
                            .y_log = p->y_log,
                            .series = &sheet->series[sheet->series_count],
                            .orders = p->orders,
                            .order_count = p->order_count,
                            .x_from = p->x_from,
                            .x_to = p->x_to,
                            .y_from = p->y_from,
                            .y_to = p->y_to};
    carom_status status = CAROM_OK;
    for (int i = 0; i < p->count && !status; i++) {
        status = evaluate_curve(f, &p->curves[i], &sheet->series[sheet->series_count], error);
        if (!status) panel->count++, sheet->series_count++;
        if (status == CAROM_FAILED) status = CAROM_OK;
    }
    if (panel->count == 0) sheet->panel_count--;
    return status;
}

/* *drawn: false where no panel has a curve. */
static carom_status draw_panels(const figure_recipe *f, const picture *p, const char *path, bool *drawn,
                                carom_error *error) {
    int curves = 0;
    for (int i = 0; i < p->count; i++) curves += p->panels[i].count;
    sheet_of_panels sheet = {.panels = calloc((size_t)p->count + 1, sizeof *sheet.panels),
                             .series = calloc((size_t)curves + 1, sizeof *sheet.series)};
    carom_status status = sheet.panels && sheet.series ? CAROM_OK : carom_error_memory(error);
    for (int i = 0; i < p->count && !status; i++) status = evaluate_panel(f, &p->panels[i], &sheet, error);
    *drawn = sheet.panel_count > 0;
    if (!status && *drawn)
        status = figure_draw(path, p->title ? p->title : "", sheet.panels, sheet.panel_count, p->columns, error);
    for (int i = 0; i < sheet.series_count; i++) free((double *)sheet.series[i].x), free((double *)sheet.series[i].y);
    free(sheet.panels);
    free(sheet.series);
    return status;
}

/* ---- other pictures */

static carom_status draw_storyboard(const source *s, const picture *p, const char *path, carom_error *error) {
    enum { FRAMES = 6 };
    result_reader *reader = NULL;
    storyboard board = {
        .when = {.times = p->at, .count = p->at ? 0 : FRAMES, .given = "at"}, .view = p->view, .trails = p->trails};
    carom_status status = result_open(s->job->output, &reader, error);
    if (!status) status = picture_storyboard(reader, path, &board, error);
    result_close(reader);
    return status;
}

static carom_status copy_comparison(const source *s, const char *path, carom_error *error) {
    FILE *drawn = fopen(s->job->picture, "rb");
    if (!drawn) return carom_error_set(error, CAROM_FAILED, "%s is missing", s->job->picture);
    carom_status status = copy_picture(drawn, path, error);
    fclose(drawn);
    return status;
}

/* ---- all of them */

static const char *describe(recipes *r, const figure_recipe *f, const picture *p) {
    const char *what = p->kind == PICTURE_STORYBOARD ? "the bodies at some instants"
                       : p->kind == PICTURE_COMPARE  ? "integrators side by side"
                       : p->count == 1               ? p->panels[0].y_label
                                                     : "panels of curves";
    return arena_format(&r->memory, "%s: %s; %s", f->label, p->title ? p->title : f->title, what);
}

/* What the picture shows was left out or failed. */
static bool lacks_source(const figure_recipe *f, const picture *p) {
    return p->kind != PICTURE_PANELS && f->sources[p->source].table.count == 0;
}

/* Without an explicit 'sketch' it is no mistake if a scene has nothing to draw. */
static carom_status draw_sketches(recipes *r, const paper_recipe *paper, figure_recipe *f, const char *assets,
                                  carom_error *error) {
    for (int i = 0; i < f->sketch_count; i++) {
        sketch_recipe *s = &f->sketches[i];
        const char *name = arena_format(&r->memory, "%s_%s_sketch_%d.svg", paper->name, f->name, i + 1);
        const char *path = arena_format(&r->memory, "%s/%s", assets, name);
        if (!name || !path) return carom_error_memory(error);
        carom_status status = picture_start(s->scene, s->settings, s->count, path, s->view, error);
        if (status && (s->where || status != CAROM_DATA)) return status;
        if (!status) s->asset = name;
    }
    return CAROM_OK;
}

carom_status draw_pictures(recipes *r, const paper_recipe *paper, figure_recipe *f, const char *assets,
                           carom_error *error) {
    carom_status made = draw_sketches(r, paper, f, assets, error);
    if (made) return made;
    for (int i = 0; i < f->picture_count; i++) {
        picture *p = &f->pictures[i];
        if (lacks_source(f, p)) continue;
        const char *name = arena_format(&r->memory, "%s_%s_%d.svg", paper->name, f->name, i + 1);
        const char *path = arena_format(&r->memory, "%s/%s", assets, name);
        if (!name || !path || !(p->alt = describe(r, f, p))) return carom_error_memory(error);
        bool drawn = true;
        carom_status status = p->kind == PICTURE_PANELS       ? draw_panels(f, p, path, &drawn, error)
                              : p->kind == PICTURE_STORYBOARD ? draw_storyboard(&f->sources[p->source], p, path, error)
                                                              : copy_comparison(&f->sources[p->source], path, error);
        if (status) return status;
        if (drawn) p->asset = name;
    }
    return CAROM_OK;
}
