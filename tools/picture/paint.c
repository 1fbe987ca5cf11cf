#include "picture/paint.h"

#include "picture/mesh.h"
#include "result/canvas.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    FINE = 48,
    COARSE = 24,
    FEW = 30,
    ROUND_TUBE = 10,
    RED = 0xCC0000,
    GREY = 0x606060,
    PALE = 0xD8D8D8,
    FIXED = 0xDDDDDA, /* what does not move */
    GROUND = 0xF4F4F2
};
static const double thin = 0.6, seam = 0.9, outline = 1.1;

/* Corners of a circle: fewer where there are many bodies. */
static int corners_of_circles(const film *f) {
    return f->drawing->things <= FEW ? FINE : COARSE;
}

/* ---- colours: those of plots, by the number of the thing; -1: grey */

static int mix(int a, int b, double part) {
    int result = 0;
    for (int shift = 0; shift < 24; shift += 8) {
        double x = (a >> shift & 255) * (1 - part) + (b >> shift & 255) * part;
        result |= (int)lrint(x) << shift;
    }
    return result;
}

static int base_colour(int number) {
    return (int)strtol(palette[number % (COLOURS - 1)] + 1, NULL, 16); /* without black */
}
static int light_colour(int number) {
    return number < 0 ? FIXED : mix(base_colour(number), 0xFFFFFF, 0.45);
}
static int dark(int number) {
    return number < 0 ? GREY : mix(base_colour(number), 0x000000, 0.45);
}

/* ---- strokes */

static void add_stroke(painting *p, stroke_kind kind, layer l, double depth, ink k) {
    if (p->strokes == p->stroke_room) {
        int room = p->strokes ? 2 * p->strokes : 256;
        stroke *larger = realloc(p->stroke, (size_t)room * sizeof *larger);
        p->failed |= !larger;
        if (!larger) return;
        p->stroke = larger, p->stroke_room = room;
    }
    p->stroke[p->strokes] =
        (stroke){.kind = kind, .layer = l, .depth = depth, .order = p->strokes, .first = p->points, .ink = k};
    p->strokes++;
}

/* A point of the last stroke. */
static void add_point(painting *p, const double *xy) {
    if (p->points == p->point_room) {
        int room = p->points ? 2 * p->points : 1024;
        double(*larger)[2] = realloc(p->xy, (size_t)room * sizeof *larger);
        p->failed |= !larger;
        if (!larger) return;
        p->xy = larger, p->point_room = room;
    }
    memcpy(p->xy[p->points++], xy, sizeof *p->xy);
    if (p->strokes) p->stroke[p->strokes - 1].count++;
}

static void add_segment(painting *p, layer l, const double a[3], const double b[3], double depth, ink k) {
    add_stroke(p, STROKE_CURVE, l, depth, k);
    add_point(p, a);
    add_point(p, b);
}

static void add_circle(painting *p, layer l, const double centre[3], double radius, ink k) {
    add_stroke(p, STROKE_CIRCLE, l, centre[2], k);
    add_point(p, centre);
    if (!p->failed) p->stroke[p->strokes - 1].radius = radius;
}

/* ---- surfaces in space: faces that look at the eye, with edges where they end or bend */

typedef struct surface {
    const mesh *mesh;
    double (*x)[3], (*normal)[3]; /* in the view */
    int number;
    double lift; /* brings outlines a little towards the eye: faces that are seen edge-on must not cover them */
} surface;

/* From the two diagonals, or from two edges of a triangle. */
static void face_normal(const surface *s, int f, double n[3]) {
    const int *k = s->mesh->face[f];
    bool three = k[3] < 0;
    double a[3], b[3], length = 0;
    for (int i = 0; i < 3; i++) {
        a[i] = s->x[k[three ? 1 : 2]][i] - s->x[k[0]][i];
        b[i] = s->x[k[three ? 2 : 3]][i] - s->x[k[three ? 0 : 1]][i];
    }
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, m = (i + 2) % 3;
        n[i] = a[j] * b[m] - a[m] * b[j];
        length += n[i] * n[i];
    }
    for (int i = 0; i < 3; i++) n[i] /= length > 0 ? sqrt(length) : 1;
}

static bool visible(const surface *s, int f) {
    return !s->mesh->closed || s->normal[f][2] > 0;
}

/* Light from above, over the left shoulder. */
static int shade(const surface *s, int f) {
    const double *n = s->normal[f], side = n[2] < 0 ? -1 : 1;
    double bright = side * (-0.37 * n[0] + 0.56 * n[1] + 0.74 * n[2]);
    int colour = mix(light_colour(s->number), dark(s->number), 0.55 * (1 - fmax(0, bright)));
    return s->mesh->tinted[f] ? mix(colour, 0xFFFFFF, 0.3) : colour;
}

static bool is_edge(const surface *s, int f, int k) {
    int other = s->mesh->neighbour[f][k];
    if (other < 0 || !visible(s, other)) return true;
    const double *a = s->normal[f], *b = s->normal[other];
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] < 0.5;
}

static void paint_face(painting *p, const surface *s, int f) {
    const int *face = s->mesh->face[f], corners = face[3] < 0 ? 3 : 4;
    double depth = 0;
    for (int k = 0; k < corners; k++) depth += s->x[face[k]][2] / corners;
    int colour = shade(s, f);
    add_stroke(p, STROKE_POLYGON, LAYER_BODIES, depth,
               (ink){colour, colour, seam}); /* an outline of its own colour closes the seams */
    for (int k = 0; k < corners; k++) add_point(p, s->x[face[k]]);
    for (int k = 0; k < corners; k++)
        if (is_edge(s, f, k))
            add_segment(p, LAYER_BODIES, s->x[face[k]], s->x[face[(k + 1) % corners]], depth + s->lift,
                        (ink){NO_COLOUR, dark(s->number), outline});
}

/* place NULL: the mesh is in the world */
static void paint_mesh(painting *p, const mesh *m, const double *place, const shape *in, const view *v, int number,
                       double radius) {
    surface s = {m, malloc((size_t)m->points * sizeof *s.x), malloc((size_t)m->faces * sizeof *s.normal), number,
                 m->closed ? 0.75 * radius : 0};
    if (!s.x || !s.normal) p->failed = true;
    for (int i = 0; i < m->points && !p->failed; i++) {
        double y[3];
        if (place) place_point(place, in, m->x[i], y);
        view_project(v, place ? y : m->x[i], s.x[i]);
    }
    for (int f = 0; f < m->faces && !p->failed; f++) face_normal(&s, f, s.normal[f]);
    for (int f = 0; f < m->faces && !p->failed; f++)
        if (visible(&s, f)) paint_face(p, &s, f);
    free(s.x);
    free(s.normal);
}

/* A parallel projection shows a sphere as a disk; the centre decides what is before it and what behind. Two great
 * circles show how it turns. */
static void paint_sphere(painting *p, const double *place, const shape *in, const view *v, int number, bool turns) {
    double centre[3], y[3], now[3], before[3];
    place_point(place, in, (double[3]){0}, y);
    view_project(v, y, centre);
    add_circle(p, LAYER_BODIES, centre, in->radius, (ink){light_colour(number), dark(number), outline});
    for (int circle = 0; circle < 2 && turns; circle++)
        for (int k = 0; k <= 2 * FINE; k++) {
            double c = in->radius * cos(M_PI * k / FINE), s = in->radius * sin(M_PI * k / FINE);
            place_point(place, in, (double[3]){c, circle ? 0 : s, circle ? s : 0}, y);
            view_project(v, y, now);
            if (k > 0 && now[2] + before[2] > 2 * centre[2])
                add_segment(p, LAYER_BODIES, before, now, centre[2], (ink){NO_COLOUR, dark(number), thin});
            memcpy(before, now, sizeof now);
        }
}

/* Draws the grid on the side where bodies are, on the other side only its lines. */
static void paint_plane(painting *p, const film *f, const double *place, const shape *in, const view *v) {
    double low[2], high[2], y[3], corner[4][3], normal[3], step = paint_grid(f);
    film_plane(f, place, in, low, high);
    place_direction(place, in, (double[3]){0, 0, 1}, y);
    view_project(v, y, normal);
    for (int k = 0; k < 4; k++) {
        place_point(place, in, (double[3]){k == 1 || k == 2 ? high[0] : low[0], k < 2 ? low[1] : high[1], 0}, y);
        view_project(v, y, corner[k]);
    }
    double depth = (corner[0][2] + corner[2][2]) / 2;
    add_stroke(p, STROKE_POLYGON, LAYER_PLANES, depth, (ink){normal[2] > 0 ? GROUND : NO_COLOUR, PALE, thin});
    for (int k = 0; k < 4; k++) add_point(p, corner[k]);
    for (int j = 0; j < 2; j++)
        for (double c = ceil(low[j] / step) * step; c <= high[j]; c += step) {
            double ends[2][3];
            for (int end = 0; end < 2; end++) {
                double along = end ? high[1 - j] : low[1 - j], x[3] = {j ? along : c, j ? c : along, 0};
                place_point(place, in, x, y);
                view_project(v, y, ends[end]);
            }
            add_segment(p, LAYER_PLANES, ends[0], ends[1], depth, (ink){NO_COLOUR, PALE, thin});
        }
}

static void paint_shape(painting *p, const film *f, const drawn *thing, const double *place, const shape *s,
                        const view *v, int number) {
    mesh m;
    if (s->kind == SHAPE_PLANE) {
        paint_plane(p, f, place, s, v);
    } else if (s->kind == SHAPE_SPHERE) {
        paint_sphere(p, place, s, v, number, thing->body != BODY_POINT);
    } else {
        p->failed |= !mesh_shape(&m, s, corners_of_circles(f));
        if (!p->failed) paint_mesh(p, &m, place, s, v, number, s->radius);
        mesh_free(&m);
    }
}

/* ---- outlines in the plane */

static int left_to_right(const void *a, const void *b) {
    const double *x = a, *y = b;
    return x[0] != y[0] ? (x[0] < y[0] ? -1 : 1) : (x[1] > y[1]) - (x[1] < y[1]);
}

static double turn(const double *a, const double *b, const double *c) {
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

/* Andrew's monotone chain; hull has room for 2 count. */
static int convex_hull(double (*xy)[2], int count, double (*hull)[2]) {
    int n = 0;
    qsort(xy, (size_t)count, sizeof *xy, left_to_right);
    for (int pass = 0; pass < 2; pass++) {
        int start = n;
        for (int i = 0; i < count; i++) {
            const double *next = xy[pass ? count - 1 - i : i];
            while (n >= start + 2 && turn(hull[n - 2], hull[n - 1], next) <= 0) n--;
            memcpy(hull[n++], next, sizeof *hull);
        }
        n--; /* the second pass begins here */
    }
    return n > 0 ? n : 1;
}

static void outline_mesh(painting *p, const mesh *m, const double *place, const shape *in, const view *v, int number) {
    double(*xy)[2] = malloc(3 * (size_t)m->points * sizeof *xy), y[3], z[3];
    if (!xy) {
        p->failed = true;
        return;
    }
    for (int i = 0; i < m->points; i++) {
        place_point(place, in, m->x[i], y);
        view_project(v, y, z);
        memcpy(xy[i], z, sizeof *xy);
    }
    int corners = convex_hull(xy, m->points, xy + m->points);
    add_stroke(p, STROKE_POLYGON, LAYER_BODIES, 0, (ink){light_colour(number), dark(number), outline});
    for (int k = 0; k < corners; k++) add_point(p, xy[m->points + k]);
    free(xy);
}

/* With a line from the centre that shows how it turns. */
static void outline_round(painting *p, const double *place, const shape *in, const view *v, int number, bool turns) {
    double y[3], centre[3], rim[3];
    place_point(place, in, (double[3]){0}, y);
    view_project(v, y, centre);
    centre[2] = 0;
    add_circle(p, LAYER_BODIES, centre, in->radius, (ink){light_colour(number), dark(number), outline});
    for (int i = 0; i < 3; i++) y[i] += in->radius * place[3 + i];
    view_project(v, y, rim);
    if (turns) add_segment(p, LAYER_BODIES, centre, rim, 0, (ink){NO_COLOUR, dark(number), outline});
}

static void outline_plane(painting *p, const double *place, const shape *in, const view *v) {
    double y[3], z[3];
    add_stroke(p, STROKE_GROUND, LAYER_PLANES, 0, (ink){GREY, GREY, outline});
    for (int k = 0; k < 2; k++) {
        place_point(place, in, (double[3]){0, 0, k}, y);
        view_project(v, y, z);
        add_point(p, z);
    }
}

static void outline_shape(painting *p, const film *f, const drawn *thing, const double *place, const shape *s,
                          const view *v, int number) {
    mesh m;
    if (s->kind == SHAPE_PLANE) {
        outline_plane(p, place, s, v);
    } else if (s->kind == SHAPE_SPHERE || (s->kind == SHAPE_DISK && fabs(s->A[2][2]) > 1 - 1e-9)) {
        outline_round(p, place, s, v, number, thing->body == BODY_PLANAR);
    } else {
        p->failed |= !mesh_shape(&m, s, corners_of_circles(f));
        if (!p->failed) outline_mesh(p, &m, place, s, v, number);
        mesh_free(&m);
    }
}

/* ---- things */

static void paint_body(painting *p, const film *f, const drawn *thing, const double *place, const view *v, int number) {
    const shape *shapes;
    for (int k = 0, count = film_shapes(f, thing, &shapes); k < count; k++) {
        const shape *s = &shapes[k];
        double y[3], z[3];
        if (s->kind == SHAPE_POINT) {
            place_point(place, s, (double[3]){0}, y);
            view_project(v, y, z);
            add_circle(p, LAYER_BODIES, z, f->mark[0].radius / 2, (ink){dark(number), NO_COLOUR, 0});
        } else if (v->flat) outline_shape(p, f, thing, place, s, v, number);
        else paint_shape(p, f, thing, place, s, v, number);
    }
}

/* Hatches on both sides of the curve. */
static void outline_tube(painting *p, const drawn *thing, const double *x, int number) {
    add_stroke(p, STROKE_POLYGON, LAYER_BODIES, 0, (ink){light_colour(number), dark(number), outline});
    for (int k = 0; k < 2 * thing->count; k++) {
        int i = k < thing->count ? k : 2 * thing->count - 1 - k, last = thing->count - 1;
        const double *a = x + 3 * (i > 0 ? i - 1 : i), *b = x + 3 * (i < last ? i + 1 : i);
        double d[2] = {b[0] - a[0], b[1] - a[1]}, length = hypot(d[0], d[1]), side = k < thing->count ? -1 : 1;
        double r = length > 0 ? side * thing->radius / length : 0;
        add_point(p, (double[2]){x[3 * i] + r * d[1], x[3 * i + 1] - r * d[0]});
    }
}

static void paint_tube(painting *p, const drawn *thing, const double *x, const view *v, int number) {
    mesh m;
    if (v->flat) {
        outline_tube(p, thing, x, number);
        return;
    }
    p->failed |= !mesh_tube(&m, (const double(*)[3])x, thing->count, thing->radius, ROUND_TUBE);
    if (!p->failed) paint_mesh(p, &m, NULL, NULL, v, number, thing->radius);
    mesh_free(&m);
}

/* As one stroke. */
static void paint_points(painting *p, stroke_kind kind, const double (*x)[3], int count, const view *v, ink k,
                         const char *text) {
    double y[3], depth = 0;
    int first = p->points;
    add_stroke(p, kind, LAYER_BODIES, 0, k);
    for (int i = 0; i < count; i++) {
        view_project(v, x[i], y);
        add_point(p, y);
        depth += y[2] / count;
    }
    if (p->failed || p->points == first) return;
    p->stroke[p->strokes - 1].depth = v->flat ? 0 : depth;
    p->stroke[p->strokes - 1].text = text;
}

/* In space each segment is a stroke of its own, since other things may lie between them. */
static void paint_curve(painting *p, const double (*x)[3], int count, const view *v) {
    const ink grey = {NO_COLOUR, GREY, 1.6};
    if (v->flat) paint_points(p, STROKE_CURVE, x, count, v, grey, NULL);
    for (int k = 0; k + 1 < count && !v->flat; k++) paint_points(p, STROKE_CURVE, x + k, 2, v, grey, NULL);
}

static void paint_spring(painting *p, const film *f, const drawn *thing, const double *ends, const view *v) {
    double x[SPRING_POINTS][3];
    film_spring(f, thing, ends, x);
    paint_curve(p, (const double(*)[3])x, SPRING_POINTS, v);
}

static void paint_thing(painting *p, const film *f, const drawn *thing, const double *at, const view *v, int number) {
    const double(*x)[3] = (const double(*)[3])at;
    switch (thing->kind) {
    case DRAWN_BODY:
        paint_body(p, f, thing, at, v, number);
        break;
    case DRAWN_LINE:
        if (thing->ground) paint_points(p, STROKE_HATCHED, x, thing->count, v, (ink){NO_COLOUR, GREY, outline}, NULL);
        else paint_curve(p, x, thing->count, v);
        break;
    case DRAWN_TUBE:
        paint_tube(p, thing, at, v, number);
        break;
    case DRAWN_POLYGON:
        paint_points(p, STROKE_POLYGON, x, thing->count, v, (ink){light_colour(number), dark(number), outline}, NULL);
        break;
    case DRAWN_SPRING:
        paint_spring(p, f, thing, at, v);
        break;
    case DRAWN_TEXT:
        paint_points(p, STROKE_TEXT, x, 1, v, (ink){NO_COLOUR, NO_COLOUR, 0}, thing->text);
        break;
    default:
        break;
    }
}

/* At the point x. */
static void paint_force(painting *p, const double x[3], const double force[3], const view *v, double scale) {
    double tip[3], a[3], b[3], size = 0;
    for (int i = 0; i < 3; i++) tip[i] = x[i] + scale * force[i], size += force[i] * force[i];
    if (!(size > 0) || isinf(size) || scale == 0) return;
    view_project(v, x, a);
    view_project(v, tip, b);
    add_stroke(p, STROKE_ARROW, LAYER_FORCES, 0, (ink){RED, RED, 1.8});
    add_point(p, a);
    add_point(p, b);
}

void paint_frame(painting *p, film *f, const view *v, int frame, const found_contact *met, long count, double force) {
    const double *numbers = film_numbers(f, frame);
    const double *touches = film_touches(f, frame);
    double x[3];
    p->strokes = p->points = 0;
    for (int i = 0, colours = 0, contact = 0; i < f->drawing->things; i++) {
        const drawn *thing = &f->drawing->thing[i];
        if (thing->kind == DRAWN_CONTACT) {
            film_force(f, thing, numbers, touches + TOUCH_NUMBERS * contact++, x);
            paint_force(p, numbers + thing->first, x, v, force);
        } else paint_thing(p, f, thing, numbers + thing->first, v, drawn_colour(thing, &colours));
    }
    for (long i = 0; i < count; i++) {
        film_found_force(f, &met[i], x);
        paint_force(p, &met[i][FOUND_POINT], x, v, force);
    }
}

void paint_paths(film *trail, const view *v, double (*path)[2]) {
    for (int k = 0; k < trail->frames; k++) {
        const double *numbers = film_numbers(trail, k);
        for (int i = 0; i < trail->drawing->things; i++) {
            double z[3];
            view_project(v, numbers + trail->drawing->thing[i].first, z);
            memcpy(path[i * trail->frames + k], z, sizeof *path);
        }
    }
}

bool leaves_trail(const drawn *thing, bool bodies) {
    return thing->kind == DRAWN_PATH || (bodies && thing->kind == DRAWN_BODY && !thing->ground);
}

void paint_trails(painting *p, const film *trail, const double (*path)[2], double t, bool bodies) {
    for (int i = 0, colours = 0; i < trail->drawing->things; i++) {
        const drawn *thing = &trail->drawing->thing[i];
        int number = drawn_colour(thing, &colours);
        if (!leaves_trail(thing, bodies)) continue;
        add_stroke(p, STROKE_CURVE, LAYER_TRAILS, i, (ink){NO_COLOUR, number < 0 ? GREY : light_colour(number), 1.2});
        for (int k = 0; k < trail->frames && trail->t[k] <= t; k++) add_point(p, path[i * trail->frames + k]);
    }
}

static int back_to_front(const void *a, const void *b) {
    const stroke *x = a, *y = b;
    if (x->layer != y->layer) return x->layer < y->layer ? -1 : 1;
    if (x->depth != y->depth) return x->depth < y->depth ? -1 : 1;
    return x->order < y->order ? -1 : 1;
}

void paint_sort(painting *p) {
    if (p->strokes) qsort(p->stroke, (size_t)p->strokes, sizeof *p->stroke, back_to_front);
}

void paint_free(painting *p) {
    free(p->stroke);
    free(p->xy);
    *p = (painting){0};
}

double round_step(double x) {
    double power = pow(10, floor(log10(x) + 1e-9)), part = x / power * (1 + 1e-9);
    return (part >= 5 ? 5 : part >= 2 ? 2 : 1) * power;
}

double paint_grid(const film *f) {
    return round_step(f->size / 5);
}
