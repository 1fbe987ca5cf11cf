#include "picture/film.h"

#include "error.h"
#include "model/space.h"
#include "result/reader.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 4096 }; /* rows read at once */

/* ---- which rows */

static long nearest(const double *t, long rows, double time) {
    long low = 0, high = rows - 1;
    while (high - low > 1) {
        long middle = (low + high) / 2;
        *(t[middle] <= time ? &low : &high) = middle;
    }
    return time - t[low] <= t[high] - time ? low : high;
}

static carom_status add_frame(film *f, const double *t, long row, carom_error *error) {
    if (f->frames && f->row[f->frames - 1] == row) return CAROM_OK;
    if ((f->frames & (f->frames - 1)) == 0) { /* grows by powers of two */
        size_t room = f->frames ? 2 * (size_t)f->frames : 1;
        long *rows = realloc(f->row, room * sizeof *rows);
        if (rows) f->row = rows;
        double *times = realloc(f->t, room * sizeof *times);
        if (times) f->t = times;
        if (!rows || !times) return carom_error_memory(error);
    }
    f->row[f->frames] = row;
    f->t[f->frames++] = t[row];
    return CAROM_OK;
}

/* An end that is off by half a step of the recording still counts as the end. */
static carom_status take_time(film *f, const double *t, long rows, const char *text, const char *end,
                              const instants *when, carom_error *error) {
    char *rest;
    double time = strtod(text, &rest);
    if (rest == text || rest != end || !isfinite(time))
        return carom_error_set(error, CAROM_DATA, "%s %s: '%.*s' is not a time", when->given, when->times,
                               (int)(end - text), text);
    double first = t[0], last = t[rows - 1], slack = rows > 1 ? (last - first) / (double)(rows - 1) / 2 : 0;
    if (time < first - slack || time > last + slack)
        return carom_error_set(error, CAROM_DATA, "%s: t = %g is outside the run, which is recorded from %g to %g",
                               when->given, time, first, last);
    return add_frame(f, t, nearest(t, rows, time), error);
}

static carom_status add_frames_at(film *f, const double *t, long rows, const instants *when, carom_error *error) {
    carom_status status = CAROM_OK;
    for (const char *from = when->times; from && !status;) {
        const char *end = from + strcspn(from, ",");
        status = take_time(f, t, rows, from, end, when, error);
        from = *end ? end + 1 : NULL;
    }
    return status;
}

/* Many instants k/rate may share their nearest row, even billions. Look only at the first of them. */
static carom_status add_frames_per_second(film *f, const double *t, long rows, double rate, carom_error *error) {
    double last = (t[rows - 1] - t[0]) * rate * (1 + 1e-12);
    carom_status status = CAROM_OK;
    for (double k = 0; k <= last && !status;) {
        long row = nearest(t, rows, t[0] + k / rate);
        status = add_frame(f, t, row, error);
        double next = row + 1 < rows ? ceil(((t[row] + t[row + 1]) / 2 - t[0]) * rate) : last + 1;
        k = fmax(k + 1, next);
    }
    return status;
}

static carom_status choose(film *f, const double *t, long rows, const instants *when, carom_error *error) {
    carom_status status = CAROM_OK;
    double duration = t[rows - 1] - t[0];
    if (when->times) return add_frames_at(f, t, rows, when, error);
    for (long i = 0; i < when->row_count && !status; i++) status = add_frame(f, t, when->rows[i], error);
    for (long i = 0; when->every && i < rows && !status; i += when->every) status = add_frame(f, t, i, error);
    if (when->per_second > 0) return add_frames_per_second(f, t, rows, when->per_second, error);
    for (int k = 0; k < when->count && !status; k++)
        status =
            add_frame(f, t, nearest(t, rows, t[0] + (when->count > 1 ? duration * k / (when->count - 1) : 0)), error);
    return status;
}

/* t: of all rows, to be freed. */
static carom_status read_times(result_reader *r, double **t, carom_error *error) {
    long rows = result_rows(r);
    int column = result_find(r, "t");
    if (rows == 0) return carom_error_set(error, CAROM_DATA, "%s holds no rows yet", result_path(r));
    if (column < 0) return carom_error_set(error, CAROM_DATA, "%s does not record the time 't'", result_path(r));
    *t = malloc((size_t)rows * sizeof **t);
    return *t ? result_read(r, column, 0, rows, *t, error) : carom_error_memory(error);
}

static carom_status choose_rows(film *f, result_reader *r, const instants *when, carom_error *error) {
    double *t = NULL;
    carom_status status = read_times(r, &t, error);
    if (!status) status = choose(f, t, result_rows(r), when, error);
    free(t);
    return status;
}

/* ---- what is in them */

/* values[frame * stride] of a column */
static carom_status read_column(const film *f, result_reader *r, int column, double *values, size_t stride,
                                carom_error *error) {
    double block[BLOCK];
    long first = 0, count = 0, rows = result_rows(r);
    carom_status status = CAROM_OK;
    for (int k = 0; k < f->frames && !status; k++) {
        long row = f->row[k];
        if (row < first || row >= first + count) {
            first = row / BLOCK * BLOCK;
            count = rows - first < BLOCK ? rows - first : BLOCK;
            status = result_read(r, column, first, count, block, error);
        }
        if (!status) values[(size_t)k * stride] = block[row - first];
    }
    return status;
}

/* Columns are usually recorded in the order of the names. So look first at the column after the last one found. */
static int find_column(const result_reader *r, const char *name, int *last) {
    int next = *last + 1;
    bool there = next < result_columns(r) && strcmp(result_name(r, next), name) == 0;
    int column = there ? next : result_find(r, name);
    if (column >= 0) *last = column;
    return column;
}

static carom_status read_coordinates(film *f, result_reader *r, carom_error *error) {
    const char *const *q_name = f->scene->q_names;
    int last = 0;
    carom_status status = CAROM_OK;
    for (int i = 0; i < f->nq && !status; i++) {
        int column = find_column(r, q_name[i], &last);
        if (column >= 0) status = read_column(f, r, column, f->q + i, (size_t)f->nq, error);
        else
            status = carom_error_set(error, CAROM_DATA,
                                     "%s does not record the coordinate '%s', which a picture needs: run it again "
                                     "with all coordinates among 'run.record', or without 'record'",
                                     result_path(r), q_name[i]);
    }
    return status;
}

const carom_model_contact *film_contact(const film *f, const drawn *contact) {
    return &f->scene->contact[table_find(&f->scene->contacts, contact->name)->id];
}

static carom_status read_touches(film *f, result_reader *r, carom_error *error) {
    static const char *const quantities[TOUCH_NUMBERS] = {"gap", "state", "PN", "PF1", "PF2", "PF3"};
    int last = 0, k = 0;
    carom_status status = CAROM_OK;
    for (int i = 0; i < f->drawing->things; i++) {
        const drawn *thing = &f->drawing->thing[i];
        if (thing->kind != DRAWN_CONTACT) continue;
        int slips = film_contact(f, thing)->slips;
        for (int j = 0; j < TOUCH_NUMBERS && !status; j++) {
            char name[256];
            snprintf(name, sizeof name, "%s.%s", thing->name, slips == 1 && j == TOUCH_PF ? "PF" : quantities[j]);
            int column = find_column(r, name, &last);
            double *values = f->touch + k * TOUCH_NUMBERS + j;
            size_t stride = (size_t)f->contacts * TOUCH_NUMBERS;
            if (column >= 0) status = read_column(f, r, column, values, stride, error);
            else
                for (int n = 0; n < f->frames; n++) values[(size_t)n * stride] = j < TOUCH_PF + slips ? NAN : 0;
        }
        k++;
    }
    return status;
}

/* ---- places and sizes */

void place_direction(const double place[DRAWN_PLACE], const shape *s, const double x[3], double y[3]) {
    double in_body[3];
    for (int i = 0; i < 3; i++) in_body[i] = s->A[i][0] * x[0] + s->A[i][1] * x[1] + s->A[i][2] * x[2];
    for (int i = 0; i < 3; i++)
        y[i] = place[3 + i] * in_body[0] + place[6 + i] * in_body[1] + place[9 + i] * in_body[2];
}

void place_point(const double place[DRAWN_PLACE], const shape *s, const double x[3], double y[3]) {
    place_direction(place, s, x, y);
    for (int i = 0; i < 3; i++)
        y[i] += place[i] + place[3 + i] * s->r[0] + place[6 + i] * s->r[1] + place[9 + i] * s->r[2];
}

/* Half the width of a shape along a unit vector n of its own axes. */
static double half_width(const shape *s, const double n[3]) {
    double across = sqrt(fmax(0, 1 - n[2] * n[2])), along = s->length / 2 * fabs(n[2]);
    switch (s->kind) {
    case SHAPE_SPHERE:
        return s->radius;
    case SHAPE_CAPSULE:
        return s->radius + along;
    case SHAPE_CYLINDER:
        return s->radius * across + along;
    case SHAPE_DISK:
        return s->radius * across;
    case SHAPE_BOX:
        return (fabs(n[0]) * s->size[0] + fabs(n[1]) * s->size[1] + fabs(n[2]) * s->size[2]) / 2;
    case SHAPE_ELLIPSOID:
        return sqrt(pow(n[0] * s->size[0], 2) + pow(n[1] * s->size[1], 2) + pow(n[2] * s->size[2], 2));
    default:
        return 0;
    }
}

static void widen(film *f, const double *x, const double *by) {
    for (int i = 0; i < 3; i++) f->low[i] = fmin(f->low[i], x[i] - by[i]), f->high[i] = fmax(f->high[i], x[i] + by[i]);
}

static void widen_by_hull(film *f, const shape *s, const double *place) {
    for (int i = 0; i < s->hull->vertices; i++) {
        double x[3];
        place_point(place, s, s->hull->vertex[i], x);
        widen(f, x, (double[3]){0});
    }
}

static void widen_by_body(film *f, const drawn *thing, const double *place) {
    if (thing->count == 0) widen(f, place, (double[3]){0});
    for (int k = 0; k < thing->count; k++) {
        const shape *s = &thing->shape[k];
        double centre[3], axis[3][3], by[3];
        if (s->kind == SHAPE_PLANE) continue;
        if (s->kind == SHAPE_HULL) {
            widen_by_hull(f, s, place);
            continue;
        }
        place_point(place, s, (double[3]){0}, centre);
        for (int j = 0; j < 3; j++) place_direction(place, s, (double[3]){j == 0, j == 1, j == 2}, axis[j]);
        for (int i = 0; i < 3; i++) by[i] = half_width(s, (double[3]){axis[0][i], axis[1][i], axis[2][i]});
        widen(f, centre, by);
    }
}

static void measure(film *f) {
    for (int i = 0; i < 3; i++) f->low[i] = INFINITY, f->high[i] = -INFINITY;
    for (int k = 0; k < f->frames; k++) {
        const double *numbers = film_numbers(f, k);
        for (int i = 0; i < f->drawing->things; i++) {
            const drawn *thing = &f->drawing->thing[i];
            const double *at = numbers + thing->first, r = thing->radius;
            if (thing->kind == DRAWN_BODY) widen_by_body(f, thing, at);
            else if (drawn_is_matter(thing))
                for (int j = 0; j < thing->count; j++) widen(f, at + 3 * j, (double[3]){r, r, r});
        }
    }
    for (int i = 0; i < 3; i++) {
        if (!(f->low[i] <= f->high[i])) f->low[i] = f->high[i] = 0;
        f->size = fmax(f->size, f->high[i] - f->low[i]);
    }
    if (!(f->size > 0)) f->size = 1;
    double r = 0.015 * f->size;
    f->mark[0] = (shape){.kind = SHAPE_SPHERE, .radius = r, .A = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    f->mark[1] = (shape){.kind = SHAPE_BOX, .size = {2 * r, 2 * r, 2 * r}, .A = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
}

/* ---- a film */

static carom_status keep_scene(film *f, carom_scene *scene, const char *name, carom_error *error) {
    f->scene = scene;
    f->drawing = f->scene->drawing;
    f->nq = scene->nq;
    f->dt = f->scene->run.dt;
    int matter = 0;
    for (int i = 0; i < f->drawing->things; i++) {
        f->contacts += f->drawing->thing[i].kind == DRAWN_CONTACT;
        matter += drawn_is_matter(&f->drawing->thing[i]);
    }
    if (matter > 0) return CAROM_OK;
    return carom_error_set(error, CAROM_DATA,
                           "%s has nothing to draw: its scene is made of formulas alone; 'draw' in the model says what "
                           "to draw and where, as in ball: {circle: R, at: [x, y]}",
                           name);
}

static carom_status find_scene(film *f, result_reader *r, carom_error *error) {
    const char *text = result_text(r, "scene");
    carom_scene *scene;
    if (result_exhausted(r)) return carom_error_memory(error);
    if (!text || !*text) return carom_error_set(error, CAROM_DATA, "%s does not hold its scene", result_path(r));
    carom_status status = scene_load_drawing(text, strlen(text), result_path(r), &scene, error);
    return status ? status : keep_scene(f, scene, result_path(r), error);
}

static carom_status make_room(film *f, carom_error *error) {
    size_t frames = (size_t)f->frames;
    f->q = malloc((frames * (size_t)f->nq + 1) * sizeof *f->q);
    f->touch = malloc((frames * (size_t)f->contacts * TOUCH_NUMBERS + 1) * sizeof *f->touch);
    f->numbers = malloc(((size_t)f->drawing->numbers + 1) * sizeof *f->numbers);
    return f->q && f->touch && f->numbers ? CAROM_OK : carom_error_memory(error);
}

carom_status film_open(result_reader *r, const instants *when, film *f, carom_error *error) {
    *f = (film){0};
    carom_status status = find_scene(f, r, error);
    if (!status) status = choose_rows(f, r, when, error);
    if (!status) status = make_room(f, error);
    if (!status) status = read_coordinates(f, r, error);
    if (!status) status = read_touches(f, r, error);
    if (!status) measure(f);
    else film_close(f);
    return status;
}

carom_status film_open_scene(carom_scene *scene, const char *name, film *f, carom_error *error) {
    *f = (film){.frames = 1};
    carom_status status = keep_scene(f, scene, name, error);
    if (!status) status = make_room(f, error);
    if (!status && !(f->t = calloc(1, sizeof *f->t))) status = carom_error_memory(error);
    if (status) {
        film_close(f);
        return status;
    }
    memcpy(f->q, carom_model_get(scene->model)->q0, (size_t)f->nq * sizeof *f->q);
    for (int i = 0; i < f->contacts * TOUCH_NUMBERS; i++) f->touch[i] = NAN;
    measure(f);
    return CAROM_OK;
}

carom_status film_open_found(film *f, result_reader *r, carom_error *error) {
    double *t = NULL;
    carom_status status = read_times(r, &t, error);
    if (!status) status = found_open(&f->found, r, t, result_rows(r), error);
    free(t);
    return status;
}

void film_close(film *f) {
    carom_scene_destroy(f->scene);
    found_close(&f->found);
    free(f->row);
    free(f->t);
    free(f->q);
    free(f->touch);
    free(f->numbers);
    *f = (film){0};
}

const double *film_numbers(film *f, int frame) {
    scene_draw(f->scene, f->t[frame], f->q + (size_t)frame * (size_t)f->nq, f->numbers);
    return f->numbers;
}

const double *film_touches(const film *f, int frame) {
    return f->touch + (size_t)frame * (size_t)f->contacts * TOUCH_NUMBERS;
}

carom_status film_found(film *f, int frame, const found_contact **contacts, long *count, carom_error *error) {
    *contacts = NULL, *count = 0;
    return f->found.table ? found_at(&f->found, f->row[frame], contacts, count, error) : CAROM_OK;
}

int film_shapes(const film *f, const drawn *thing, const shape **shapes) {
    *shapes = thing->count ? thing->shape : &f->mark[thing->body == BODY_POINT ? 0 : 1];
    return thing->count ? thing->count : 1;
}

void film_plane(const film *f, const double place[DRAWN_PLACE], const shape *s, double low[2], double high[2]) {
    double origin[3], axis[3];
    place_point(place, s, (double[3]){0}, origin);
    for (int j = 0; j < 2; j++) {
        double middle = 0, half = 0.1 * f->size;
        place_direction(place, s, (double[3]){j == 0, j == 1, 0}, axis);
        for (int i = 0; i < 3; i++) {
            middle += axis[i] * ((f->low[i] + f->high[i]) / 2 - origin[i]);
            half += fabs(axis[i]) * (f->high[i] - f->low[i]) / 2;
        }
        low[j] = middle - half, high[j] = middle + half;
    }
}

/* A helix between two straight ends, each a tenth of the length. Seen across its axis, it is a wave. */
void film_spring(const film *f, const drawn *spring, const double *ends, double x[SPRING_POINTS][3]) {
    double d[3], z[3], A[3][3];
    for (int i = 0; i < 3; i++) d[i] = z[i] = ends[3 + i] - ends[i];
    double r = spring->radius > 0 ? spring->radius : fmin(0.02 * f->size, 0.2 * sqrt(space_dot(d, d)));
    if (!space_unit(z)) z[0] = z[1] = 0, z[2] = 1;
    bool upright = z[0] == 0 && z[1] == 0;
    space_axes(z, (double[3]){upright ? 1 : -z[1], upright ? 0 : z[0], 0}, A);
    for (int k = 0; k < SPRING_POINTS; k++) {
        double part = (k - 1.0) / (SPRING_POINTS - 3), turn = 2 * M_PI * SPRING_COILS * part;
        bool end = k == 0 || k == SPRING_POINTS - 1;
        for (int i = 0; i < 3; i++)
            x[k][i] = end ? ends[(k ? 3 : 0) + i]
                          : ends[i] + d[i] * (0.1 + 0.8 * part) + r * (sin(turn) * A[i][0] + cos(turn) * A[i][1]);
    }
}

void film_force(const film *f, const drawn *contact, const double *numbers, const double *touch, double force[3]) {
    const double *x = numbers + contact->first, *P = touch + TOUCH_PN; /* friction forces PF follow it */
    for (int i = 0; i < 3; i++) force[i] = 0;
    for (int j = 1; j < contact->count; j++)
        for (int i = 0; i < 3; i++) force[i] += x[3 * j + i] * P[j - 1] / f->dt;
}

void film_found_force(const film *f, const found_contact *contact, double force[3]) {
    for (int i = 0; i < 3; i++) force[i] = (*contact)[FOUND_P + i] / f->dt;
}
