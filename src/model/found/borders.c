#include "borders_inside.h"

#include <stdlib.h>
#include <string.h>

/* Planes that differ by no more than this, round-off, are one. */
#define SAME_PLANE 1e-15

/* ---------------------------------------------------------------- lists */

void borders_destroy(border_list *l) {
    free(l->border), free(l->condition), free(l->row);
}

void borders_clear(border_list *l) {
    l->borders = l->conditions = l->rows = 0;
}

static void *room_for(border_list *l, void **at, int count, int *room, size_t size) {
    if (count == *room) {
        const int more = *room ? 2 * *room : 32;
        void *grown = realloc(*at, (size_t)more * size);
        if (!grown) return l->exhausted = true, NULL;
        *at = grown, *room = more;
    }
    return (char *)*at + (size_t)count * size;
}
#define ONE_MORE(l, field, count, room) room_for(l, (void **)&(l)->field, (l)->count, &(l)->room, sizeof *(l)->field)

static bool is_same_direction(const double a[3], const double b[3], double sign) {
    for (int i = 0; i < 3; i++)
        if (!(fabs(a[i] - sign * b[i]) <= SAME_PLANE)) return false;
    return true;
}

/* sign -1: a plane with the other side up. */
static bool is_same_surface(const border *x, const border *y, double sign) {
    const kind_numbers *a = &x->numbers, *b = &y->numbers;
    double apart[3], size = fabs(a->R) + fabs(b->R);
    minus(a->y, b->y, apart);
    for (int i = 0; i < 3; i++) size += fabs(a->y[i]) + fabs(b->y[i]);
    if (!is_same_direction(a->d, b->d, sign) || !is_same_direction(a->e, b->e, 1)) return false;
    if (a->side != b->side || a->half[0] != b->half[0] || a->half[1] != b->half[1]) return false;
    for (int i = 0; i < 2; i++)
        if (!is_same_direction(a->tangent[i], b->tangent[i], 1)) return false;
    if (x->kind == GAP_FACE) return fabs(space_dot(a->d, apart)) <= SAME_PLANE * size;
    return sign > 0 && sqrt(space_dot(apart, apart)) <= SAME_PLANE * size && fabs(a->R - b->R) <= SAME_PLANE * size;
}

static bool is_same_vertex(const border *x, const border *y) {
    return x->of == y->of && x->vertex == y->vertex && x->by == y->by && x->kind == y->kind;
}

bool border_same(const border *x, const border *y) {
    return is_same_vertex(x, y) && is_same_surface(x, y, 1);
}

bool borders_same(const border_list *x, const border_list *y) {
    if (x->borders != y->borders || x->conditions != y->conditions) return false;
    for (int i = 0; i < x->borders; i++)
        if (!border_same(&x->border[i], &y->border[i])) return false;
    for (int i = 0; i < x->conditions; i++)
        if (x->condition[i].border != y->condition[i].border || x->condition[i].side != y->condition[i].side)
            return false;
    return true;
}

bool borders_copy(border_list *to, const border_list *from) {
    *to = (border_list){.borders = from->borders, .conditions = from->conditions};
    to->border = calloc((size_t)from->borders + 1, sizeof *to->border);
    to->condition = calloc((size_t)from->conditions + 1, sizeof *to->condition);
    if (!to->border || !to->condition) return false;
    if (from->borders) memcpy(to->border, from->border, (size_t)from->borders * sizeof *to->border);
    if (from->conditions) memcpy(to->condition, from->condition, (size_t)from->conditions * sizeof *to->condition);
    return true;
}

/* ---------------------------------------------------------------- along lines */

double borders_least_along(const line *l, const core *c, double (*value)(const core *c, const double x[3]), int steps) {
    double from = 0, to = l->length, x[3], least = HUGE_VAL;
    for (int step = 0; step < steps; step++) {
        const double a = from + (to - from) / 3, b = to - (to - from) / 3;
        along(l->start, a, l->e, x);
        const double at_a = value(c, x);
        along(l->start, b, l->e, x);
        const double at_b = value(c, x);
        least = fmin(least, fmin(at_a, at_b));
        if (at_a < at_b) to = b;
        else from = a;
    }
    return least;
}

/* ---------------------------------------------------------------- conditions */

/* How far a vertex of x may move as seen from y: lengths at its distance turn with y by more than its arm tells. */
double borders_way(const border_solid *x, const border_solid *y, const double vertex[3]) {
    double apart[3];
    minus(vertex, y->at->r, apart);
    return x->allowed + y->allowed * fmax(1, y->arm > 0 ? sqrt(space_dot(apart, apart)) / y->arm : 1);
}

/* Of (CF38): besides, directions turn by as much as their bodies may, allowed/arm, about a lever. */
static double way_of_crossing(const border_solid *x, const border_solid *y, const double vertex[3],
                              const double point[3]) {
    double lever[3], turn = 0;
    minus(vertex, point, lever);
    if (x->arm > 0) turn += x->allowed / x->arm;
    if (y->arm > 0) turn += y->allowed / y->arm;
    return borders_way(x, y, vertex) + 2 * turn * sqrt(space_dot(lever, lever));
}

/* Of (CF40): both bodies turn. */
static double way_of_tilt(const border_solid *x, const border_solid *y) {
    return 2 * ((x->arm > 0 ? x->allowed / x->arm : 0) + (y->arm > 0 ? y->allowed / y->arm : 0));
}

static double tilt(const double e[3], const double n[3]) {
    double across[3];
    space_cross(n, e, across);
    return sqrt(space_dot(across, across));
}

/* A vertex beside the axis w has its foot on: how much higher it is over the end (CF43). */
static double cone(const double w[3], const double d[3], double r) {
    double p[3];
    const double height = space_dot(w, d);
    along(w, -height, d, p);
    return height + r - sqrt(space_dot(p, p));
}

double borders_lowest(const core *c, int rim, const double n[3], double x[3]) {
    const double *e = c->face[rim].normal;
    double m[3], turn[3];
    space_cross(n, e, turn), space_cross(e, turn, m);
    const double sine = fmax(1e-7, sqrt(space_dot(turn, turn)));
    along(c->vertex[rim], -c->rim / sine, m, x);
    return sine;
}

/* It runs round the rim as the axis turns (CF46). */
static double lowest(const border_solid *x, const border_solid *y, const border *b, const double point[3],
                     const double n[3], double *way) {
    double low[3], beside[3], w[3];
    const double sine = borders_lowest(x->placed, b->vertex, n, low);
    pose_direction(y->at, b->numbers.tangent[1], beside);
    minus(low, point, w);
    *way = borders_way(x, y, low) + x->own->rim * fmin(2, 2 * way_of_tilt(x, y) / sine);
    return space_dot(w, beside);
}

/* Of (CF52): by twice what the point may move, and directions turn. */
static double ahead(const border_solid *x, const border_solid *y, const border *b, const double w[3], const double d[3],
                    const double e[3], double *way) {
    double p[3], turn = 0;
    const double height = space_dot(w, d), r = b->numbers.half[1];
    along(w, -height, d, p);
    const double R = fmax(sqrt(space_dot(p, p)), 1e-10 * r);
    if (x->arm > 0) turn += x->allowed / x->arm;
    if (y->arm > 0) turn += y->allowed / y->arm;
    *way = 2 * (*way + 2 * turn * (sqrt(space_dot(w, w)) + r));
    const double out = space_dot(p, e) / R * fmax(R - r, 0), kept = b->numbers.side / 2 * fmax(r - R, 0);
    return space_dot(e, d) * height + out - kept - b->numbers.R;
}

double borders_value(const border_solid *x, const border_solid *y, const border *b, double *way) {
    double point[3], d[3], e[3], w[3], vertex[3];
    core_point(x->placed, b->vertex, vertex);
    pose_point(y->at, b->numbers.y, point);
    pose_direction(y->at, b->numbers.d, d), pose_direction(x->at, b->numbers.e, e);
    minus(vertex, point, w);
    *way = b->kind == GAP_CROSSING ? way_of_crossing(x, y, vertex, point)
           : b->kind == GAP_TILT   ? way_of_tilt(x, y)
                                   : borders_way(x, y, vertex);
    if (b->kind == GAP_TILT) return tilt(e, d) - b->numbers.R;
    if (b->kind == GAP_LOWEST) return lowest(x, y, b, point, d, way);
    if (b->kind == GAP_CONE) return *way *= 2, cone(w, d, b->numbers.half[1]) - b->numbers.R;
    if (b->kind == GAP_AHEAD) return ahead(x, y, b, w, d, e, way);
    if (b->kind > GAP_CONE) return *way = HUGE_VAL, 0; /* not known here */
    if (b->kind == GAP_CROSSING) return space_dot(e, w) - space_dot(e, d) * space_dot(d, w);
    if (b->kind == GAP_LINE) along(w, -space_dot(w, d), d, w);
    return (b->kind == GAP_LINE ? sqrt(space_dot(w, w)) : space_dot(w, d)) - b->numbers.R;
}

/* The border, with the sign by which it is listed; -1: out of memory. */
static int number_of(border_list *l, const border *b, int *sign) {
    for (int i = 0; i < l->borders; i++)
        for (*sign = 1; *sign >= -1; *sign -= 2)
            if (is_same_vertex(b, &l->border[i]) && is_same_surface(b, &l->border[i], *sign)) return i;
    *sign = 1;
    border *made = ONE_MORE(l, border, borders, border_room);
    if (!made) return -1;
    *made = *b;
    return l->borders++;
}

/* The vertex is to be on this side. If it cannot leave the one where it is, that decides. */
void borders_require(listing *l, const border_solid *x, const border_solid *y, border *b, int side) {
    double way;
    const double value = borders_value(x, y, b, &way);
    if (!l->possible) return;
    if (fabs(value) > way) {
        l->possible = (value > 0) == (side > 0);
        return;
    }
    int sign;
    b->of = x->number, b->by = y->number;
    core_point(x->own, b->vertex, b->numbers.x);
    const int number = number_of(l->list, b, &sign);
    condition *c = number < 0 ? NULL : ONE_MORE(l->list, condition, conditions, condition_room);
    if (!c) return;
    *c = (condition){number, sign * side};
    l->list->conditions++;
}

void borders_require_plane(listing *l, const border_solid *x, const border_solid *y, int vertex, const double point[3],
                           const double direction[3], int side) {
    border b = {.vertex = vertex, .kind = GAP_FACE};
    memcpy(b.numbers.y, point, sizeof b.numbers.y);
    memcpy(b.numbers.d, direction, sizeof b.numbers.d);
    space_unit(b.numbers.d);
    borders_require(l, x, y, &b, side);
}

void borders_begin_row(listing *l) {
    l->possible = true, l->from = l->list->conditions, l->from_border = l->list->borders;
}

void borders_end_row(listing *l, gap_kind gap, int first, int second) {
    bordered *row = l->possible ? ONE_MORE(l->list, row, rows, row_room) : NULL;
    if (!row) {
        l->list->conditions = l->from, l->list->borders = l->from_border;
        return;
    }
    *row = (bordered){{gap, l->swapped, first, second}, l->from, l->list->conditions - l->from};
    l->list->rows++;
}

/* ---------------------------------------------------------------- pairs */

static bool is_faceted(const core *c) {
    return !c->half_space && c->rim == 0 && c->faces > 0;
}

static bool is_round(const core *c) {
    return c->faces == 0 && c->radius > 0;
}

static bool is_bare_point(const core *c) {
    return c->vertices == 1 && c->radius == 0;
}

static bool is_cylinder_on_half_space(const core *a, const core *b) {
    return a->rim > 0 && b->half_space;
}

bool borders_apply(const core *a, const core *b) {
    if (is_cylinder_on_half_space(a, b) || is_cylinder_on_half_space(b, a)) return true;
    if (is_faceted(a)) return is_faceted(b) || is_round(b) || is_bare_point(b) || b->rim > 0;
    if (is_faceted(b)) return is_round(a) || is_bare_point(a) || a->rim > 0;
    return (a->rim > 0 && is_round(b)) || (b->rim > 0 && is_round(a));
}

void borders_meet(border_list *l, const border_solid *a, const border_solid *b) {
    const bool second = is_round(b->own) || a->own->half_space;
    listing of = {.list = l, .x = second ? b : a, .y = second ? a : b, .swapped = second};
    if (of.y->own->half_space) borders_of_rims(&of);
    else if (a->own->rim > 0 && is_faceted(b->own)) borders_of_cylinder(l, b, a, true);
    else if (b->own->rim > 0 && is_faceted(a->own)) borders_of_cylinder(l, a, b, false);
    else if (is_round(of.x->own) && of.y->own->rim > 0) borders_of_capsule(&of);
    else if (!is_round(of.x->own)) borders_of_polytopes(l, a, b);
    else if (features_gap(a->placed, b->placed) <= a->allowed + b->allowed) borders_of_round(&of);
}

bool borders_overlap(const core *a, const core *b, double depth) {
    if (a->rim > 0 && is_round(b)) return borders_capsule_gap(b, a) < -depth;
    if (b->rim > 0 && is_round(a)) return borders_capsule_gap(a, b) < -depth;
    if (features_part(a, b, NULL, -depth)) return false;
    if (a->rim > 0 && is_faceted(b) && borders_cylinder_parts(b, a, -depth)) return false;
    if (b->rim > 0 && is_faceted(a) && borders_cylinder_parts(a, b, -depth)) return false;
    for (int i = 0; i < a->edges && is_faceted(a); i++)
        for (int j = 0; j < b->edges && is_faceted(b); j++) {
            double n[3];
            if (!borders_normal(a, b, &(meeting){GAP_LINES, false, i, j}, n)) continue;
            const double down[3] = {-n[0], -n[1], -n[2]};
            if (fmax(supports_part(a, b, n), supports_part(a, b, down)) >= -depth) return false;
        }
    return true;
}
