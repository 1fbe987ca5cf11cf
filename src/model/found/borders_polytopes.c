/* Borders of polytopes with each other: docs/theory/contacts.md, (CF31) to (CF35). */
#include <string.h>

#include "borders_inside.h"

/* Edges more parallel than this (squared sine of the angle) do not cross: n of (CF34) is not known there. */
#define BORDERS_PARALLEL 1e-8

double borders_height(const core *c, int face, const double x[3]) {
    double w[3];
    minus(x, c->face[face].point, w);
    return space_dot(c->face[face].normal, w);
}

static double lowest_over(const core *y, int face, const core *x) {
    const double *n = y->face[face].normal, down[3] = {-n[0], -n[1], -n[2]};
    double least = HUGE_VAL, lowest[3];
    if (x->rim > 0) return core_support(x, down, lowest), borders_height(y, face, lowest);
    for (int i = 0; i < x->vertices; i++) least = fmin(least, borders_height(y, face, x->vertex[i]));
    return least;
}

/* Which of two faces parts the shapes, for a vertex on both of them: +1 the first, -1 the second. */
static int parting_face(const border_solid *x, const border_solid *y, int vertex, int first, int second) {
    double v[3];
    core_point(x->placed, vertex, v);
    const double apart = borders_height(y->placed, first, v) - borders_height(y->placed, second, v);
    const double size = fmin(x->own->reach, y->own->reach);
    if (!(fabs(apart) <= ON_BORDER * size)) return 0;
    const double more = lowest_over(y->placed, first, x->placed) - lowest_over(y->placed, second, x->placed);
    return fabs(more) <= PREFERENCE * size ? 0 : more > 0 ? 1 : -1;
}

/* But for the band, (CF39). */
void borders_require_higher(listing *l, const border_solid *x, const border_solid *y, int vertex, int first, int second,
                            int side, int pushes) {
    const polytope_face *f = &y->own->face[first], *g = &y->own->face[second];
    const double size = fmin(x->own->reach, y->own->reach);
    const int favoured = parting_face(x, y, vertex, first, second);
    double between[3], point[3] = {0, 0, 0}, height = space_dot(f->normal, f->point) - space_dot(g->normal, g->point);
    minus(f->normal, g->normal, between);
    height += favoured ? -IN_FAVOUR * size * favoured : pushes * BORDERS_BAND * size;
    along(point, height / space_dot(between, between), between, point);
    borders_require_plane(l, x, y, vertex, point, between, side);
}

/* ---------------------------------------------------------------- vertices of polytopes, (CF31) */

/* The highest face of y below the vertex counts; those that are lower by more than twice the way cannot become it. */
static void vertex_on_faces(listing *l, int vertex) {
    const core *y = l->y->placed;
    const double *x = l->x->placed->vertex[vertex], way = borders_way(l->x, l->y, x);
    double highest = -HUGE_VAL;
    for (int f = 0; f < y->faces; f++) highest = fmax(highest, borders_height(y, f, x));
    for (int f = 0; f < y->faces && highest <= way; f++) {
        if (borders_height(y, f, x) < highest - 2 * way) continue;
        borders_begin_row(l);
        for (int g = 0; g < y->faces; g++)
            if (g != f && borders_height(y, g, x) >= highest - 2 * way)
                borders_require_higher(l, l->x, l->y, vertex, f, g, 1, 1);
        borders_end_row(l, GAP_FACE, vertex, f);
    }
}

/* ---------------------------------------------------------------- edges of polytopes, (CF33), (CF34) */

bool borders_normal(const core *a, const core *b, const meeting *m, double normal[3]) {
    const line l = line_of(a, m->swapped ? m->second : m->first), k = line_of(b, m->swapped ? m->first : m->second);
    space_cross(l.e, k.e, normal);
    return space_dot(normal, normal) > BORDERS_PARALLEL && space_unit(normal);
}

/* The sign of e x (n + m) along n - m, of an edge with the faces n and m. */
static int turn_of(const core *c, int edge) {
    const line l = line_of(c, edge);
    const double *n = c->face[c->side[edge][0]].normal, *m = c->face[c->side[edge][1]].normal;
    double sum[3], between[3], across[3];
    along(n, 1, m, sum), minus(n, m, between);
    space_cross(l.e, sum, across);
    return space_dot(across, between) > 0 ? 1 : -1;
}

/* The ends of an edge of x are on both sides of the plane through an edge of y that halves the angle of its faces, the
 * second on that of the first face (rises 1) or the other (-1). out: the normal of the contact, out of y. */
static void require_ends(listing *l, const border_solid *x, int edge, const border_solid *y, int of, int rises,
                         const double out[3]) {
    const int *face = y->own->side[of], *end = x->own->edge[edge];
    const double first = space_dot(out, y->placed->face[face[0]].normal);
    const int pushes = first > space_dot(out, y->placed->face[face[1]].normal) ? 1 : -1;
    borders_require_higher(l, x, y, end[0], face[0], face[1], -rises, pushes);
    borders_require_higher(l, x, y, end[1], face[0], face[1], rises, pushes);
}

static bool counts_now(const listing *l) {
    const border_list *list = l->list;
    for (int i = l->from; i < list->conditions; i++) {
        const condition *c = &list->condition[i];
        const border *b = &list->border[c->border];
        const border_solid *x = b->of == l->x->number ? l->x : l->y, *y = x == l->x ? l->y : l->x;
        double way;
        if (!(c->side * borders_value(x, y, b, &way) > 0)) return false;
    }
    return true;
}

/* Edges i and j with the normal out of b along e x d (sign 1), or against it (-1: listed as swapped). */
static void edges_cross(listing *l, int i, int j, int sign, double gap, const double normal[3]) {
    const core *a = l->x->own, *b = l->y->own;
    double out_of_a[3], out_of_b[3];
    for (int k = 0; k < 3; k++) out_of_b[k] = sign * normal[k], out_of_a[k] = -out_of_b[k];
    borders_begin_row(l);
    require_ends(l, l->x, i, l->y, j, sign * turn_of(b, j), out_of_b);
    require_ends(l, l->y, j, l->x, i, sign * turn_of(a, i), out_of_a);
    if (l->possible && sign * gap < -BORDERS_DEEP * fmin(a->reach, b->reach)) l->possible = !counts_now(l); /* (CF35) */
    l->swapped = sign < 0;
    borders_end_row(l, GAP_LINES, sign < 0 ? j : i, sign < 0 ? i : j);
}

static void edges_meet(listing *l, int i, int j) {
    const core *a = l->x->placed, *b = l->y->placed;
    double normal[3], w[3];
    if (!borders_normal(a, b, &(meeting){GAP_LINES, false, i, j}, normal)) return;
    minus(a->vertex[a->edge[i][0]], b->vertex[b->edge[j][0]], w);
    const double gap = space_dot(normal, w);
    if (fabs(gap) > l->x->allowed + l->y->allowed) return;
    for (int sign = 1; sign >= -1; sign -= 2) edges_cross(l, i, j, sign, gap, normal);
}

void borders_of_polytopes(border_list *list, const border_solid *a, const border_solid *b) {
    listing of_a = {.list = list, .x = a, .y = b}, of_b = {.list = list, .x = b, .y = a, .swapped = true};
    for (int i = 0; i < a->own->vertices && b->own->faces; i++) vertex_on_faces(&of_a, i);
    for (int i = 0; i < b->own->vertices && a->own->faces; i++) vertex_on_faces(&of_b, i);
    for (int i = 0; i < a->own->edges; i++)
        for (int j = 0; j < b->own->edges; j++) edges_meet(&of_a, i, j);
}
