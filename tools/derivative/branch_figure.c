#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "derivative/branch_output.h"
#include "error.h"
#include "study/figure.h"

/* Series of one kind of point: stable, unstable, or those at which something happens; with room for gaps. */
typedef struct line {
    double *x, *y;
    long count;
} line;

static void put_point(line *l, double x, double y) {
    l->x[l->count] = x, l->y[l->count++] = y;
}

static bool is_stable(const branch_point *p) {
    return !(p->orbit.count && cabs(p->orbit.multiplier[0]) > 1);
}

static bool create(line *l, long most) {
    *l = (line){calloc((size_t)most + 1, sizeof *l->x), calloc((size_t)most + 1, sizeof *l->y), 0};
    return l->x && l->y;
}

static int most_visits(const branch_list *found) {
    int most = 1;
    for (int i = 0; i < found->count; i++)
        if (found->point[i].orbit.visits > most) most = found->point[i].orbit.visits;
    return most;
}

/* The first coordinate that does not advance. */
static int shown_coordinate(const branch_question *q, const carom_model_def *d) {
    for (int i = 0; i < d->nq; i++) {
        bool advances = false;
        for (int k = 0; k < q->orbit.modulos; k++)
            advances =
                advances || carom_model_coordinate(carom_scene_model(q->orbit.scene), q->orbit.modulo[k].name) == i;
        if (!advances) return i;
    }
    return 0;
}

/* What a panel shows of a point: a coordinate at the start of a visit, or the size of a multiplier. */
typedef struct aspect {
    const carom_model_def *d;
    int coordinate; /* -1: multipliers */
} aspect;

static double value_of(const aspect *a, const branch_point *p, int index) {
    if (a->coordinate >= 0)
        return index < p->orbit.visits ? p->orbit.visit[index * (a->d->nq + a->d->nu) + a->coordinate] : NAN;
    return index < p->orbit.count ? cabs(p->orbit.multiplier[index]) : NAN;
}

/* Lines of stable or unstable points; each reaches to the points at which this changes. */
static void collect_line(const aspect *a, const branch_list *found, int indices, bool stable, line *l) {
    for (int index = 0; index < indices; index++)
        for (int i = 0; i < found->count; i++) {
            const branch_point *p = &found->point[i];
            if (i && p->branch != found->point[i - 1].branch) put_point(l, NAN, NAN);
            const bool shown = is_stable(p) == stable || p->kind != BRANCH_PLAIN;
            put_point(l, p->orbit.value, shown ? value_of(a, p, index) : NAN);
            if (i + 1 == found->count) put_point(l, NAN, NAN);
        }
}

static void collect_marks(const aspect *a, const branch_list *found, int indices, branch_kind kind, line *l) {
    for (int index = 0; index < indices; index++)
        for (int i = 0; i < found->count; i++)
            if (found->point[i].kind == kind)
                put_point(l, found->point[i].orbit.value, value_of(a, &found->point[i], index));
}

enum { SERIES = 2 + BRANCH_KINDS };

static bool collect(const aspect *a, const branch_list *found, int indices, line *lines, figure_series *series,
                    int *count) {
    const long most = (long)indices * (2 * found->count + 2);
    bool ok = true;
    *count = 0;
    for (int i = 0; i < SERIES; i++) {
        line *l = &lines[i];
        const branch_kind kind = i < 2 ? BRANCH_PLAIN : (branch_kind)(i - 2);
        if (!create(l, most)) ok = false;
        else if (i < 2) collect_line(a, found, indices, i == 0, l);
        else if (kind != BRANCH_PLAIN) collect_marks(a, found, indices, kind, l);
        if (!ok || !l->count) continue;
        series[(*count)++] = (figure_series){.label = i == 0   ? "stable"
                                                      : i == 1 ? "unstable"
                                                               : branch_kind_name(kind),
                                             .x = l->x,
                                             .y = l->y,
                                             .count = l->count,
                                             .style = i < 2 ? FIGURE_LINES : FIGURE_POINTS};
    }
    return ok;
}

carom_status branch_draw(const branch_question *q, const branch_list *found, const char *path, carom_error *error) {
    const carom_model_def *d = carom_model_get(carom_scene_model(q->orbit.scene));
    const aspect aspects[2] = {{d, shown_coordinate(q, d)}, {d, -1}};
    const int indices[2] = {most_visits(found), found->point[0].orbit.count};
    line lines[2][SERIES] = {0};
    figure_series series[2][SERIES];
    figure_panel panels[2] = {{.x_label = q->orbit.parameter, .y_label = d->q_names[aspects[0].coordinate]},
                              {.x_label = q->orbit.parameter, .y_label = "size of multipliers"}};
    bool ok = true;
    for (int i = 0; i < 2; i++) {
        ok = collect(&aspects[i], found, indices[i], lines[i], series[i], &panels[i].count) && ok;
        panels[i].series = series[i];
    }
    carom_status status =
        ok ? figure_draw(path, carom_scene_title(q->orbit.scene), panels, 2, 2, error) : carom_error_memory(error);
    for (int i = 0; i < 2 * SERIES; i++) free(lines[i / SERIES][i % SERIES].x), free(lines[i / SERIES][i % SERIES].y);
    return status;
}
