/* A storyboard: panels of the mechanism at some instants, all with the same view and scale; or one panel, of the
 * start alone. */
#include "error.h"
#include "picture/paint.h"
#include "result/canvas.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    WIDTH = 1160, /* for all panels of a row */
    HEIGHT = 800, /* for all rows, about */
    START_WIDTH = 480,
    START_HEIGHT = 360,
    TOP = 44,     /* title */
    BOTTOM = 34,  /* notes */
    TIME = 44,    /* below a panel: numbers and time */
    TICKS = 22,   /* the numbers alone */
    BETWEEN = 16, /* panels of a row */
    NUMBERS = 52, /* left of a row, where there are axes */
    EDGE = 14,    /* of the page */
    TRAIL = 1000, /* points */
    MOST = 400    /* panels */
};

typedef struct board {
    film film, trail;
    double (*path)[2]; /* of the trail; NULL: none */
    bool trails;       /* of bodies, not only of what is drawn as a path */
    bool start;        /* alone */
    view view;
    painting painting;
    double low[2], high[2]; /* of all panels, in the view */
    double force, longest;  /* length of an arrow per force; the greatest force */
    int columns, rows;
    double scale; /* pixels per unit of length */
    double left;  /* of the panels */
    pen pen;
} board;

/* ---- what there is to see */

static void widen(board *b, const double *xy, double by) {
    for (int i = 0; i < 2; i++) b->low[i] = fmin(b->low[i], xy[i] - by), b->high[i] = fmax(b->high[i], xy[i] + by);
}

/* The border of a half plane comes into view if it is near: then its point below the middle of everything else is in
 * the picture. */
static void widen_by_ground(board *b, const double (*xy)[2]) {
    double n[2] = {xy[1][0] - xy[0][0], xy[1][1] - xy[0][1]}, distance = 0, foot[2];
    for (int i = 0; i < 2; i++) distance += n[i] * ((b->low[i] + b->high[i]) / 2 - xy[0][i]);
    for (int i = 0; i < 2; i++) foot[i] = (b->low[i] + b->high[i]) / 2 - distance * n[i];
    if (fabs(distance) < 1.5 * b->film.size) widen(b, foot, 0);
}

static void measure_frame(board *b, bool ground) {
    const painting *p = &b->painting;
    for (int i = 0; i < p->strokes; i++) {
        const stroke *s = &p->stroke[i];
        if ((s->kind == STROKE_GROUND) != ground) continue;
        if (ground) widen_by_ground(b, (const double(*)[2])p->xy + s->first);
        else
            for (int k = 0; k < s->count; k++) widen(b, p->xy[s->first + k], s->radius);
    }
}

static void lengthen(board *b, const double force[3]) {
    double size = sqrt(force[0] * force[0] + force[1] * force[1] + force[2] * force[2]);
    if (isfinite(size)) b->longest = fmax(b->longest, size);
}

static carom_status find_longest(board *b, carom_error *error) {
    film *f = &b->film;
    carom_status status = CAROM_OK;
    for (int k = 0; k < f->frames && !status; k++) {
        const double *numbers = film_numbers(f, k);
        const double *touch = film_touches(f, k);
        const found_contact *met;
        double force[3];
        long count;
        for (int i = 0; i < f->drawing->things; i++) {
            if (f->drawing->thing[i].kind != DRAWN_CONTACT) continue;
            film_force(f, &f->drawing->thing[i], numbers, touch, force);
            touch += TOUCH_NUMBERS;
            lengthen(b, force);
        }
        status = film_found(f, k, &met, &count, error);
        for (long i = 0; i < count; i++) film_found_force(f, &met[i], force), lengthen(b, force);
    }
    b->force = b->longest > 0 ? 0.22 * f->size / b->longest : 0;
    return status;
}

static carom_status paint(board *b, int frame, carom_error *error) {
    const found_contact *met;
    long count;
    carom_status status = film_found(&b->film, frame, &met, &count, error);
    if (status) return status;
    paint_frame(&b->painting, &b->film, &b->view, frame, met, count, b->force);
    return b->painting.failed ? carom_error_memory(error) : CAROM_OK;
}

static carom_status measure(board *b, carom_error *error) {
    for (int i = 0; i < 2; i++) b->low[i] = INFINITY, b->high[i] = -INFINITY;
    carom_status status = find_longest(b, error);
    for (int ground = 0; ground < 2; ground++)
        for (int k = 0; k < b->film.frames && !status; k++) {
            status = paint(b, k, error);
            if (!status) measure_frame(b, ground);
        }
    if (status) return status;
    for (int i = 0; b->path && i < b->film.drawing->things; i++)
        for (int k = 0; leaves_trail(&b->film.drawing->thing[i], b->trails) && k < b->trail.frames; k++)
            widen(b, b->path[i * b->trail.frames + k], 0);
    double air = 0.05 * fmax(b->high[0] - b->low[0], b->high[1] - b->low[1]),
           least = 0.25 * fmax(b->high[0] - b->low[0], b->high[1] - b->low[1]);
    for (int i = 0; i < 2; i++) {
        double more = fmax(air, (least - (b->high[i] - b->low[i])) / 2);
        b->low[i] -= more, b->high[i] += more;
    }
    return CAROM_OK;
}

/* ---- the page: as many columns as make the panels largest */

static double below_panel(const board *b) {
    return b->start ? TICKS : TIME;
}
static double panel_width(const board *b) {
    return b->scale * (b->high[0] - b->low[0]);
}
static double panel_height(const board *b) {
    return b->scale * (b->high[1] - b->low[1]);
}

static void lay_out(board *b) {
    int n = b->film.frames;
    double left = b->view.name[0] ? NUMBERS : 0, page = b->start ? START_WIDTH : WIDTH;
    b->left = EDGE + left;
    for (int columns = 1; columns <= n; columns++) {
        int rows = (n + columns - 1) / columns;
        double height = b->start ? START_HEIGHT : fmax(HEIGHT, rows * 110.0); /* many panels: a longer page */
        double across = (page - left - (columns - 1) * BETWEEN) / columns / (b->high[0] - b->low[0]);
        double down = (height - rows * below_panel(b)) / rows / (b->high[1] - b->low[1]), scale = fmin(across, down);
        if (scale <= b->scale) continue;
        b->scale = scale, b->columns = columns, b->rows = rows;
    }
}

static double page_top(const board *b) {
    return b->start ? EDGE : TOP;
}
static double page_width(const board *b) {
    return fmax(b->start ? 0 : 480, b->left + b->columns * panel_width(b) + (b->columns - 1) * BETWEEN + EDGE);
}
static double page_height(const board *b) {
    return page_top(b) + b->rows * (panel_height(b) + below_panel(b)) + BOTTOM;
}

/* ---- a panel */

typedef struct panel {
    double x, y; /* of its upper left corner on the page */
    bool numbers[2];
} panel;

static void to_page(const board *b, const panel *at, const double *xy, double out[2]) {
    out[0] = at->x + b->scale * (xy[0] - b->low[0]);
    out[1] = at->y + b->scale * (b->high[1] - xy[1]);
}

static const ink frame_ink = {NO_COLOUR, 0x606060, 0.8}, grid_ink = {NO_COLOUR, 0xDDDDDD, 0.6};

static void draw_ticks(board *b, const panel *at, int axis) {
    double w = panel_width(b), h = panel_height(b), step = round_step((b->high[axis] - b->low[axis]) / 2.5);
    for (double k = ceil(b->low[axis] / step); k * step <= b->high[axis]; k++) {
        double xy[2] = {b->low[0], b->low[1]}, line[2][2];
        char text[40];
        xy[axis] = k * step;
        to_page(b, at, xy, line[0]);
        memcpy(line[1], line[0], sizeof line[1]);
        *(axis ? &line[1][0] : &line[1][1]) = axis ? at->x + w : at->y;
        pen_curve(&b->pen, (const double(*)[2])line, 2, grid_ink);
        if (!at->numbers[axis]) continue;
        snprintf(text, sizeof text, "%.6g", k == 0 ? 0 : k * step);
        if (axis) pen_text(&b->pen, at->x - 6, line[0][1] + 4, ANCHOR_END, TEXT_Y_TICK, text);
        else pen_text(&b->pen, line[0][0], at->y + h + 14, ANCHOR_MIDDLE, TEXT_X_TICK, text);
    }
}

/* The name of an axis stands in place of its last number. */
static void draw_axes(board *b, const panel *at) {
    double w = panel_width(b), h = panel_height(b);
    const double frame[4][2] = {{at->x, at->y}, {at->x + w, at->y}, {at->x + w, at->y + h}, {at->x, at->y + h}};
    if (b->view.name[0])
        for (int axis = 0; axis < 2; axis++) draw_ticks(b, at, axis);
    pen_polygon(&b->pen, frame, 4, frame_ink);
}

static void draw_arrow(board *b, const double (*xy)[2], ink k) {
    double d[2] = {xy[1][0] - xy[0][0], xy[1][1] - xy[0][1]}, length = hypot(d[0], d[1]), head = fmin(9, 0.7 * length);
    if (!(length > 0.5)) return;
    for (int i = 0; i < 2; i++) d[i] /= length;
    double base[2] = {xy[1][0] - head * d[0], xy[1][1] - head * d[1]}, half = 0.42 * head;
    pen_curve(&b->pen, (const double[2][2]){{xy[0][0], xy[0][1]}, {base[0], base[1]}}, 2, k);
    pen_polygon(&b->pen,
                (const double[3][2]){{xy[1][0], xy[1][1]},
                                     {base[0] - half * d[1], base[1] + half * d[0]},
                                     {base[0] + half * d[1], base[1] - half * d[0]}},
                3, (ink){k.fill, NO_COLOUR, 0});
}

/* The part of the line a + s d that lies in the panel: s from *from to *to. */
static bool clip(const board *b, const panel *at, const double a[2], const double d[2], double *from, double *to) {
    const double low[2] = {at->x, at->y}, high[2] = {at->x + panel_width(b), at->y + panel_height(b)};
    for (int i = 0; i < 2; i++) {
        if (fabs(d[i]) < 1e-12) {
            if (a[i] < low[i] || a[i] > high[i]) return false;
            continue;
        }
        double s = (low[i] - a[i]) / d[i], e = (high[i] - a[i]) / d[i];
        *from = fmax(*from, fmin(s, e)), *to = fmin(*to, fmax(s, e));
    }
    return *from < *to;
}

/* A line with hatching on the inner side. */
static void draw_ground(board *b, const panel *at, const double (*xy)[2], ink k) {
    double n[2] = {xy[1][0] - xy[0][0], xy[1][1] - xy[0][1]}, length = hypot(n[0], n[1]);
    double d[2] = {-n[1] / length, n[0] / length}, from = -INFINITY, to = INFINITY;
    if (!clip(b, at, xy[0], d, &from, &to)) return;
    for (double s = ceil(from / 9) * 9; s < to; s += 9) {
        double a[2] = {xy[0][0] + s * d[0], xy[0][1] + s * d[1]}, begin = 0, end = 9;
        double h[2] = {d[0] * 0.7 - n[0] / length * 0.7, d[1] * 0.7 - n[1] / length * 0.7};
        if (!clip(b, at, a, h, &begin, &end)) continue;
        pen_curve(&b->pen, (const double[2][2]){{a[0], a[1]}, {a[0] + end * h[0], a[1] + end * h[1]}}, 2,
                  (ink){NO_COLOUR, k.line, 0.6});
    }
    pen_curve(&b->pen,
              (const double[2][2]){{xy[0][0] + from * d[0], xy[0][1] + from * d[1]},
                                   {xy[0][0] + to * d[0], xy[0][1] + to * d[1]}},
              2, k);
}

/* Hatches of a ground line that is not straight, on its right. */
static void draw_hatched(board *b, const panel *at, const double (*xy)[2], int count, ink k) {
    double along = 0;
    pen_curve(&b->pen, xy, count, k);
    for (int i = 0; i + 1 < count; i++) {
        double d[2] = {xy[i + 1][0] - xy[i][0], xy[i + 1][1] - xy[i][1]}, length = hypot(d[0], d[1]);
        if (!(length > 0)) continue;
        double h[2] = {0.7 * (d[0] - d[1]) / length, 0.7 * (d[1] + d[0]) / length};
        for (; along < length; along += 9) {
            double a[2] = {xy[i][0] + along * d[0] / length, xy[i][1] + along * d[1] / length}, begin = 0, end = 9;
            if (clip(b, at, a, h, &begin, &end))
                pen_curve(&b->pen, (const double[2][2]){{a[0], a[1]}, {a[0] + end * h[0], a[1] + end * h[1]}}, 2,
                          (ink){NO_COLOUR, k.line, 0.6});
        }
        along -= length;
    }
}

static void draw_stroke(board *b, const panel *at, const stroke *s, double (*xy)[2]) {
    const double(*points)[2] = (const double(*)[2])xy;
    for (int k = 0; k < s->count; k++) to_page(b, at, (double[2]){xy[k][0], xy[k][1]}, xy[k]);
    if (s->kind == STROKE_CIRCLE) pen_circle(&b->pen, xy[0][0], xy[0][1], b->scale * s->radius, s->ink);
    else if (s->kind == STROKE_POLYGON) pen_polygon(&b->pen, points, s->count, s->ink);
    else if (s->kind == STROKE_CURVE) pen_curve(&b->pen, points, s->count, s->ink);
    else if (s->kind == STROKE_HATCHED) draw_hatched(b, at, points, s->count, s->ink);
    else if (s->kind == STROKE_TEXT) pen_text(&b->pen, xy[0][0], xy[0][1] + 4, ANCHOR_MIDDLE, TEXT_NOTE, s->text);
    else if (s->kind == STROKE_ARROW) draw_arrow(b, points, s->ink);
    else draw_ground(b, at, points, s->ink);
}

static carom_status draw_panel(board *b, int i, carom_error *error) {
    int column = i % b->columns, row = i / b->columns;
    panel at = {.x = b->left + column * (panel_width(b) + BETWEEN),
                .y = page_top(b) + row * (panel_height(b) + below_panel(b))};
    painting *p = &b->painting;
    char text[64];
    at.numbers[0] = i + b->columns >= b->film.frames, at.numbers[1] = column == 0;
    carom_status status = paint(b, i, error);
    if (status) return status;
    if (b->path) paint_trails(p, &b->trail, (const double(*)[2])b->path, b->film.t[i], b->trails);
    if (p->failed) return carom_error_memory(error);
    paint_sort(p);
    pen_begin(&b->pen, "panel", b->film.t[i]);
    draw_axes(b, &at);
    for (int k = 0; k < p->strokes; k++) draw_stroke(b, &at, &p->stroke[k], p->xy + p->stroke[k].first);
    snprintf(text, sizeof text, "t = %.4g s", b->film.t[i]);
    if (!b->start)
        pen_text(&b->pen, at.x + panel_width(b) / 2,
                 at.y + panel_height(b) + (at.numbers[0] && b->view.name[0] ? 31 : 17), ANCHOR_MIDDLE, TEXT_TIME, text);
    pen_end(&b->pen);
    return CAROM_OK;
}

/* ---- around the panels */

static bool has_planes(const drawing *d) {
    for (int i = 0; i < d->things; i++)
        for (int k = 0; d->thing[i].kind == DRAWN_BODY && k < d->thing[i].count; k++)
            if (d->thing[i].shape[k].kind == SHAPE_PLANE) return true;
    return false;
}

/* A bar shows the scale where no axes do. */
static double draw_bar(board *b, double x, double y) {
    double length = round_step(panel_width(b) / b->scale / 3);
    double bar[2][2] = {{x, y - 4}, {x + b->scale * length, y - 4}};
    char text[40];
    pen_curve(&b->pen, (const double(*)[2])bar, 2, (ink){NO_COLOUR, 0x303030, 2});
    snprintf(text, sizeof text, "%.6g m", length);
    pen_text(&b->pen, bar[1][0] + 8, y, ANCHOR_START, TEXT_NOTE, text);
    return bar[1][0] + 90;
}

/* Arrows that show the axes of the world. */
static double draw_tripod(board *b, double x, double y) {
    static const char *const letters[] = {"x", "y", "z"};
    double from[2] = {x + 26, y - 8};
    for (int i = 0; i < 3; i++) {
        double d[2] = {b->view.axis[0][i], -b->view.axis[1][i]};
        const double line[2][2] = {{from[0], from[1]}, {from[0] + 22 * d[0], from[1] + 22 * d[1]}};
        draw_arrow(b, line, (ink){0x303030, 0x303030, 1.2});
        if (hypot(d[0], d[1]) > 0.2)
            pen_text(&b->pen, from[0] + 31 * d[0], from[1] + 31 * d[1] + 4, ANCHOR_MIDDLE, TEXT_NOTE, letters[i]);
    }
    return x + 80;
}

static void draw_notes(board *b, const char *title) {
    double y = page_height(b) - 14, x = b->left;
    char text[160];
    pen_text(&b->pen, EDGE, 28, ANCHOR_START, TEXT_TITLE, title ? title : "");
    if (b->view.name[0]) {
        snprintf(text, sizeof text, "%s and %s in m", b->view.name[0], b->view.name[1]);
        pen_text(&b->pen, x, y, ANCHOR_START, TEXT_NOTE, text);
    } else {
        x = draw_tripod(b, x, y);
        if (has_planes(b->film.drawing)) {
            snprintf(text, sizeof text, "grid: %.6g m", paint_grid(&b->film));
            pen_text(&b->pen, x, y, ANCHOR_START, TEXT_NOTE, text);
        } else draw_bar(b, x, y);
    }
    if (b->longest > 0) {
        snprintf(text, sizeof text, "forces on bodies: the longest arrow is %.4g N", b->longest);
        pen_text(&b->pen, page_width(b) - EDGE, y, ANCHOR_END, TEXT_NOTE, text);
    }
}

static carom_status draw(board *b, const char *path, const char *title, carom_error *error) {
    carom_status status = pen_open(&b->pen, path, ceil(page_width(b)), ceil(page_height(b)), error);
    if (status) return status;
    draw_notes(b, title);
    for (int i = 0; i < b->film.frames && !status; i++) status = draw_panel(b, i, error);
    return pen_close(&b->pen, status, error);
}

static bool has_trails(const board *b) {
    for (int i = 0; i < b->film.drawing->things; i++)
        if (leaves_trail(&b->film.drawing->thing[i], b->trails)) return true;
    return false;
}

static carom_status prepare(board *b, result_reader *r, const storyboard *s, carom_error *error) {
    carom_status status = film_open(r, &s->when, &b->film, error);
    b->trails = s->trails;
    if (!status) status = film_open_found(&b->film, r, error);
    if (!status) status = view_read(&b->view, s->view, b->film.drawing, error);
    if (!status && b->film.frames > MOST)
        status = carom_error_set(error, CAROM_DATA, "%d panels are too many for a page: at most %d", b->film.frames,
                                 (int)MOST);
    if (!status && has_trails(b)) {
        status = film_open(r, &(instants){.count = TRAIL}, &b->trail, error);
        size_t room = (size_t)b->trail.frames * (size_t)b->film.drawing->things;
        if (!status && !(b->path = malloc((room + 1) * sizeof *b->path))) status = carom_error_memory(error);
        if (!status) paint_paths(&b->trail, &b->view, b->path);
    }
    return status ? status : measure(b, error);
}

static void close_board(board *b) {
    paint_free(&b->painting);
    free(b->path);
    film_close(&b->trail);
    film_close(&b->film);
}

carom_status picture_storyboard(result_reader *r, const char *path, const storyboard *s, carom_error *error) {
    board b = {0};
    if (canvas_check(path, error)) return CAROM_DATA;
    carom_status status = prepare(&b, r, s, error);
    if (!status) {
        lay_out(&b);
        const char *title = result_text(r, "title");
        status = result_exhausted(r) ? carom_error_memory(error) : draw(&b, path, title, error);
    }
    close_board(&b);
    return status;
}

carom_status picture_start(const char *scene, const char *const *overrides, int count, const char *path,
                           const char *from, carom_error *error) {
    board b = {.start = true};
    carom_scene *loaded;
    if (canvas_check(path, error)) return CAROM_DATA;
    carom_status status = carom_scene_load(scene, overrides, count, &loaded, error);
    if (status) return status;
    status = film_open_scene(loaded, scene, &b.film, error);
    if (!status) status = view_read(&b.view, from, b.film.drawing, error);
    if (!status) status = measure(&b, error);
    if (!status) lay_out(&b);
    if (!status) status = draw(&b, path, NULL, error);
    close_board(&b);
    return status;
}
