#include "modes/modes_record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "carom/result.h"
#include "error.h"
#include "scene/drawing.h"

/* Frames of a period, which takes a second; periods of each mode. */
enum { FRAMES = 24, PERIODS = 2 };

typedef struct show {
    const carom_scene *scene;
    const carom_model *model;
    const modes_answer *a;
    double complex *by; /* [nq] of the present mode */
    double *row;        /* t, mode, omega, growth, then coordinates */
    double *at, *moved; /* numbers of the drawing at rest, and moved */
    double size;        /* of the drawing */
    double amplitude;   /* given, or 0 */
} show;
enum { TIME, MODE, OMEGA, GROWTH, COORDINATES };

/* ---------------------------------------------------------------- how far to move */

static int points_of(const drawn *thing) {
    return thing->kind == DRAWN_BODY ? 1 : drawn_is_matter(thing) && thing->kind != DRAWN_SPRING ? thing->count : 0;
}

static double size_of(const drawing *d, const double *numbers) {
    double size = 0;
    for (int axis = 0; axis < 3; axis++) {
        double low = INFINITY, high = -INFINITY;
        for (int i = 0; i < d->things; i++)
            for (int k = 0; k < points_of(&d->thing[i]); k++) {
                const double x = numbers[d->thing[i].first + 3 * k + axis];
                low = fmin(low, x), high = fmax(high, x);
            }
        if (high > low) size = fmax(size, high - low);
    }
    return size;
}

static void move_coordinates(const show *s, double amplitude, double phase, double *q) {
    for (int i = 0; i < s->model->def.nq; i++) q[i] = s->a->at.q[i] + amplitude * creal(s->by[i] * cexp(I * phase));
    model_normalise(s->model, q);
}

/* How far the drawing moves for a small amplitude. A turn by one unit counts as a third of its size. */
static double response(const show *s) {
    const double small = 1e-4;
    const drawing *d = s->scene->drawing;
    double most = 0;
    for (int quarter = 0; quarter < 2; quarter++) {
        move_coordinates(s, small, quarter * M_PI / 2, s->row + COORDINATES);
        scene_draw(s->scene, s->a->t, s->row + COORDINATES, s->moved);
        for (int i = 0; i < d->things; i++) {
            const int first = d->thing[i].first, points = 3 * points_of(&d->thing[i]);
            const int numbers = d->thing[i].kind == DRAWN_BODY ? DRAWN_PLACE : points;
            for (int k = first; k < first + numbers; k++)
                most = fmax(most, fabs(s->moved[k] - s->at[k]) / small * (k < first + points ? 1 : s->size / 3));
        }
    }
    return most;
}

static double amplitude_of(const show *s) {
    const double moves = s->amplitude > 0 || !(s->size > 0) ? 0 : response(s);
    return s->amplitude > 0 ? s->amplitude : moves > 0 ? 0.1 * s->size / moves : 0.1;
}

/* ---------------------------------------------------------------- the result */

static carom_status show_mode(show *s, carom_result *result, int k, carom_error *error) {
    const double complex rate = s->a->mode[k].rate;
    if (modes_coordinates(s->model, s->a, k, s->by)) return carom_error_memory(error);
    const double amplitude = amplitude_of(s);
    carom_status status = CAROM_OK;
    for (int frame = 0; frame < FRAMES * PERIODS && !status; frame++) {
        s->row[TIME] = k * PERIODS + frame / (double)FRAMES;
        s->row[MODE] = k + 1, s->row[OMEGA] = cimag(rate), s->row[GROWTH] = creal(rate);
        move_coordinates(s, amplitude, 2 * M_PI * frame / FRAMES - M_PI / 2, s->row + COORDINATES);
        status = carom_result_append(result, s->row, error);
    }
    return status;
}

static carom_status name_columns(const carom_model_def *d, const char ***columns, carom_error *error) {
    static const char *const first[] = {[TIME] = "t", [MODE] = "mode", [OMEGA] = "omega", [GROWTH] = "growth"};
    *columns = calloc(COORDINATES + (size_t)d->nq + 1, sizeof **columns);
    if (!*columns) return carom_error_memory(error);
    memcpy(*columns, first, sizeof first);
    for (int i = 0; i < d->nq; i++) (*columns)[COORDINATES + i] = d->q_names[i];
    return CAROM_OK;
}

static carom_status write_result(show *s, const char *path, carom_error *error) {
    const carom_model_def *d = &s->model->def;
    const char **columns, *panels[] = {"omega", d->q_names[0]};
    carom_result *result = NULL;
    carom_status status = name_columns(d, &columns, error);
    if (status) return status;
    carom_result_def def = carom_default_result_def();
    def.title = "Modes", def.scene = s->scene;
    def.columns = COORDINATES + d->nq, def.names = columns;
    def.plot = panels, def.plots = 2;
    status = carom_result_create(path, &def, &result, error);
    for (int k = 0; k < s->a->count && !status; k++) status = show_mode(s, result, k, error);
    carom_error other;
    const carom_status ended =
        carom_result_finish(result, status ? "the modes could not be shown" : NULL, status ? &other : error);
    free(columns);
    return status ? status : ended;
}

carom_status modes_record(const char *path, const carom_scene *scene, const modes_answer *answer, double amplitude,
                          carom_error *error) {
    show s = {.scene = scene, .model = scene->model, .a = answer, .amplitude = amplitude};
    const size_t nq = (size_t)s.model->def.nq, numbers = (size_t)scene->drawing->numbers;
    s.by = calloc(nq + 1, sizeof *s.by);
    s.row = calloc(COORDINATES + nq + 2 * numbers + 1, sizeof *s.row);
    carom_status status = CAROM_OK;
    if (!s.by || !s.row) status = carom_error_memory(error);
    else {
        s.at = s.row + COORDINATES + nq, s.moved = s.at + numbers;
        scene_draw(scene, answer->t, answer->at.q, s.at);
        s.size = size_of(scene->drawing, s.at);
        status = write_result(&s, path, error);
    }
    free(s.by);
    free(s.row);
    return status;
}
