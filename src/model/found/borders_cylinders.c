/* Borders of cylinders with polytopes: docs/theory/contacts.md, (CF43) to (CF47). */
#include <string.h>

#include "borders_inside.h"

/* Edges more parallel to the axis than this (squared sine of the angle) do not cross the side. */
#define AXIAL 1e-8
/* The normal of an edge and a rim that is tilted by more than the first over both faces at it is inside of what
 * supports it, by the second sine (CF47). */
#define NEARLY_FLAT 1e-3
#define INSIDE 1e-12
/* What an edge cuts off an end that is nearly flat on a face at it, or tilted, is at least this part of the radius: the
 * normal is not known where it only grazes the rim. */
#define CHORD 1e-4
#define GRAZE 1e-8

typedef struct couple {
    listing of_polytope, of_cylinder; /* the same two solids, the one or the other as x */
    const border_solid *p, *c;
} couple;

/* ---------------------------------------------------------------- conditions */

static border about_rim(const border_solid *c, int rim, gap_kind of) {
    border b = {.kind = of};
    memcpy(b.numbers.y, c->own->vertex[rim], sizeof b.numbers.y);
    memcpy(b.numbers.d, c->own->face[rim].normal, sizeof b.numbers.d);
    b.numbers.half[1] = c->own->rim;
    return b;
}

/* Contacts that take over from each other where an end meets the side do so at this distance from there (CF39). */
static double band(const couple *w) {
    return BORDERS_BAND * fmin(w->p->own->reach, w->c->own->reach);
}

/* Of a vertex on a rim, whether the end (1) or the side (-1) parts the shapes. */
static int parting(const couple *w, const border *b, int rim) {
    const core *p = w->p->placed, *c = w->c->placed;
    const double size = fmin(p->reach, c->reach), *end = c->face[rim].normal;
    double way, beside[3];
    if (!(fabs(borders_value(w->p, w->c, b, &way)) <= ON_BORDER * size)) return 0;
    minus(p->vertex[b->vertex], c->vertex[rim], beside);
    along(beside, -space_dot(beside, end), end, beside);
    space_unit(beside);
    const double more = supports_part(p, c, end) - supports_part(p, c, beside);
    return fabs(more) <= PREFERENCE * size ? 0 : more > 0 ? 1 : -1;
}

/* A vertex of the polytope higher over an end than beside the side, or lower (CF43). */
static void require_over(couple *w, int vertex, int rim, int side) {
    border b = about_rim(w->c, rim, GAP_CONE);
    b.vertex = vertex;
    const int favoured = parting(w, &b, rim);
    b.numbers.R = favoured ? -favoured * band(w) * (IN_FAVOUR / BORDERS_BAND) : side * band(w);
    borders_require(&w->of_polytope, w->p, w->c, &b, side);
}

static void set_edge(const couple *w, int edge, border *b) {
    const line l = line_of(w->p->own, edge);
    memcpy(b->numbers.e, l.e, sizeof b->numbers.e);
    b->vertex = w->p->own->edge[edge][0];
}

/* The point of an edge nearest to the axis; chord: what it must cut off the rim, besides. */
static void require_beside(couple *w, int edge, int rim, double chord, int side) {
    border b = about_rim(w->c, rim, GAP_BESIDE);
    set_edge(w, edge, &b);
    b.numbers.half[1] = w->c->own->rim * (1 - chord);
    b.numbers.R = side * band(w);
    borders_require(&w->of_polytope, w->p, w->c, &b, side);
}

/* That point lies between the ends of the edge (CF38). */
static void require_within(couple *w, int edge) {
    for (int k = 0; k < 2; k++) {
        border b = about_rim(w->c, 1, GAP_CROSSING);
        b.numbers.half[1] = 0;
        set_edge(w, edge, &b);
        b.vertex = w->p->own->edge[edge][k];
        borders_require(&w->of_polytope, w->p, w->c, &b, k == 0 ? -1 : 1);
    }
}

/* From an edge into one of its faces. */
static void into_face(const core *p, int edge, int face, double u[3]) {
    const polytope_face *f = &p->face[face], *g = &p->face[p->side[edge][p->side[edge][0] == face]];
    along(g->normal, -space_dot(g->normal, f->normal), f->normal, u);
    for (int i = 0; i < 3; i++) u[i] = -u[i];
    space_unit(u);
}

/* The normal of an edge and a rim goes to the other side of a face at the edge than the edge does (CF47). */
static void require_off_face(couple *w, int edge, const rim_edge *x, int face) {
    border b = about_rim(w->c, x->rim, GAP_TURN);
    set_edge(w, edge, &b);
    b.vertex = crossing_from(w->p->placed, edge, w->c->placed->face[x->rim].normal, x->sign);
    b.numbers.side = x->sign;
    into_face(w->p->own, edge, face, b.numbers.tangent[0]);
    b.numbers.R = INSIDE;
    borders_require(&w->of_polytope, w->p, w->c, &b, 1);
}

/* ---------------------------------------------------------------- vertices on the cylinder, (CF43) */

/* How far x is outside of a cylinder: over its ends, or beside its side. */
static double outside(const core *c, const double x[3]) {
    double w[3];
    minus(x, c->centre, w);
    const double up = space_dot(w, c->face[1].normal);
    along(w, -up, c->face[1].normal, w);
    const double over = fmax(borders_height(c, 0, x), borders_height(c, 1, x));
    return fmax(over, sqrt(space_dot(w, w)) - c->rim);
}

static void vertex_on_cylinder(couple *w, int vertex) {
    listing *l = &w->of_polytope;
    const double *x = w->p->placed->vertex[vertex];
    if (outside(w->c->placed, x) > borders_way(w->p, w->c, x)) return;
    for (int end = 0; end < 2; end++) {
        borders_begin_row(l);
        require_over(w, vertex, end, 1);
        borders_require_plane(l, w->p, w->c, vertex, w->c->own->centre, w->c->own->face[end].normal, 1);
        borders_end_row(l, GAP_FACE, vertex, end);
    }
    borders_begin_row(l);
    for (int end = 0; end < 2; end++) require_over(w, vertex, end, -1);
    borders_end_row(l, GAP_LINE, vertex, 0);
}

/* ---------------------------------------------------------------- edges on rims and on the side */

static void edge_on_rim(couple *w, int edge, const rim_edge *x) {
    const int *end = w->p->own->edge[edge], *face = w->p->own->side[edge];
    listing *l = &w->of_polytope;
    borders_begin_row(l);
    require_over(w, end[0], x->rim, x->chord ? -1 : -x->sign);
    require_over(w, end[1], x->rim, x->chord ? -1 : x->sign);
    for (int k = 0; k < 2; k++) {
        const bool flat = x->flat == k + 1;
        borders_require_tilt(l, w->c, w->p, face[k], NEARLY_FLAT, flat ? -1 : 1);
        if (l->possible && !flat) require_off_face(w, edge, x, face[k]);
    }
    if (l->possible && x->chord) require_within(w, edge), require_beside(w, edge, x->rim, x->flat ? CHORD : GRAZE, 1);
    borders_end_row(l, GAP_RIM_EDGE, edge, rim_edge_number(x));
}

static void edge_on_side(couple *w, int edge) {
    listing *l = &w->of_polytope;
    borders_begin_row(l);
    require_within(w, edge);
    for (int rim = 0; rim < 2; rim++) require_beside(w, edge, rim, 0, -1);
    borders_end_row(l, GAP_SIDE, edge, 0);
}

/* How far the nearest point of an edge is outside. */
static double edge_outside(const core *p, int edge, const core *c) {
    enum { STEPS = 40 };
    const line l = line_of(p, edge);
    return borders_least_along(&l, c, outside, STEPS);
}

/* A lower bound of the distance of an edge from a rim: that of points on it, less half of what is between them. */
static double edge_from_rim(const core *p, int edge, const core *c, int rim) {
    enum { PARTS = 64 };
    const line l = line_of(p, edge);
    double least = HUGE_VAL;
    for (int i = 0; i <= PARTS; i++) {
        double x[3], w[3];
        along(l.start, l.length * i / PARTS, l.e, x);
        const double height = borders_height(c, rim, x);
        minus(x, c->vertex[rim], w);
        along(w, -height, c->face[rim].normal, w);
        least = fmin(least, hypot(height, sqrt(space_dot(w, w)) - c->rim));
    }
    return least - l.length / (2 * PARTS);
}

/* As borders_way at its nearest point: those farther away are so by more than they may move. */
static double way_of_edge(const couple *w, double apart) {
    return w->p->allowed + w->c->allowed * (1 + fmax(0, apart) / w->c->arm);
}

static void edge_on_cylinder(couple *w, int edge) {
    const line l = line_of(w->p->placed, edge);
    const double *axis = w->c->placed->face[1].normal, slope = space_dot(l.e, axis);
    const bool axial = 1 - slope * slope < AXIAL;
    const double apart = edge_outside(w->p->placed, edge, w->c->placed);
    if (apart > way_of_edge(w, apart)) return;
    if (!axial) edge_on_side(w, edge);
    for (int rim = 0; rim < 2; rim++) {
        const double far = edge_from_rim(w->p->placed, edge, w->c->placed, rim);
        for (int k = 0; k < 12 && far <= way_of_edge(w, far); k++) {
            const rim_edge x = {rim, k % 2 ? 1 : -1, k / 2 % 3, k / 6};
            if (!axial || !x.chord) edge_on_rim(w, edge, &x);
        }
    }
}

/* ---------------------------------------------------------------- rims over faces, (CF46) */

static void require_lowest(couple *w, int rim, int face, int other) {
    const polytope_face *f = &w->p->own->face[face], *g = &w->p->own->face[other];
    border b = {.vertex = rim, .kind = GAP_LOWEST};
    double *between = b.numbers.tangent[1];
    minus(f->normal, g->normal, between);
    const double height = space_dot(f->normal, f->point) - space_dot(g->normal, g->point);
    along((double[3]){0, 0, 0}, height / space_dot(between, between), between, b.numbers.y);
    space_unit(between);
    memcpy(b.numbers.e, w->c->own->face[rim].normal, sizeof b.numbers.e);
    memcpy(b.numbers.d, f->normal, sizeof b.numbers.d);
    b.numbers.half[0] = w->c->own->rim;
    borders_require(&w->of_cylinder, w->c, w->p, &b, 1);
}

static void lowest_point(couple *w, int rim, int face) {
    listing *l = &w->of_cylinder;
    double low[3];
    borders_lowest(w->c->placed, rim, w->p->placed->face[face].normal, low);
    if (borders_height(w->p->placed, face, low) > borders_way(w->c, w->p, low)) return;
    borders_begin_row(l);
    borders_require_tilt(l, w->c, w->p, face, BORDERS_TILT, 1);
    for (int g = 0; g < w->p->own->faces && l->possible; g++)
        if (g != face) require_lowest(w, rim, face, g);
    borders_end_row(l, GAP_RIM_FACE, rim, face);
}

static void points_of_rim(couple *w, int rim, int face) {
    listing *l = &w->of_cylinder;
    for (int k = 0; k < BORDERS_POINTS; k++) {
        const int number = borders_point(w->c->own, rim, k);
        double x[3];
        core_point(w->c->placed, number, x);
        if (fabs(borders_height(w->p->placed, face, x)) > borders_way(w->c, w->p, x)) continue;
        borders_begin_row(l);
        borders_require_tilt(l, w->c, w->p, face, BORDERS_TILT, -1);
        for (int g = 0; g < w->p->own->faces && l->possible; g++)
            if (g != face) borders_require_higher(l, w->c, w->p, number, face, g, 1, 1);
        borders_end_row(l, GAP_FACE, number, face);
    }
}

void borders_of_cylinder(border_list *list, const border_solid *p, const border_solid *c, bool swapped) {
    couple w = {
        {.list = list, .x = p, .y = c, .swapped = swapped}, {.list = list, .x = c, .y = p, .swapped = !swapped}, p, c};
    for (int v = 0; v < p->own->vertices; v++) vertex_on_cylinder(&w, v);
    for (int e = 0; e < p->own->edges; e++) edge_on_cylinder(&w, e);
    for (int rim = 0; rim < 2; rim++)
        for (int f = 0; f < p->own->faces; f++) lowest_point(&w, rim, f), points_of_rim(&w, rim, f);
}

/* ---------------------------------------------------------------- overlaps */

/* Out of the cylinder, from its axis to x. */
static bool parts_from_axis(const core *p, const core *c, const double x[3], double least) {
    double n[3];
    minus(x, c->centre, n);
    along(n, -space_dot(n, c->face[1].normal), c->face[1].normal, n);
    return space_unit(n) && supports_part(p, c, n) >= least;
}

static bool edge_parts(const core *p, const core *c, int edge, double least) {
    const line l = line_of(p, edge);
    double n[3];
    side_gap(c, &l, n);
    if (supports_part(p, c, n) >= least) return true;
    for (int k = 0; k < 4; k++) {
        const circle o = rim_of(c, k / 2);
        crossing_gap(&o, &l, k % 2 ? 1 : -1, n);
        if (supports_part(p, c, n) >= least) return true;
    }
    return false;
}

/* One direction that parts them is enough: those of all features that may touch. */
bool borders_cylinder_parts(const core *p, const core *c, double least) {
    for (int v = 0; v < p->vertices; v++)
        if (parts_from_axis(p, c, p->vertex[v], least)) return true;
    for (int e = 0; e < p->edges; e++)
        if (edge_parts(p, c, e, least)) return true;
    return false;
}
