/* Features of two polytopes: the axis that parts them best, (CF6), and the contacts that belong to it, (CF8). */
#include "features_inside.h"

#include <string.h>

/* ---------------------------------------------------------------- axes */

/* The axis along which two polytopes are farthest apart, or overlap least: across a face of either, or across an edge
 * of each (CF6). */
typedef struct axis {
    double separation;
    bool edges, swapped; /* of edges, or of a face of a (of b, where swapped: the vertices are those of a) */
    int first, second;   /* edges of a and b, or the face in first */
} axis;

static double lowest(const core *c, const double n[3]) {
    double least = HUGE_VAL;
    for (int i = 0; i < c->vertices; i++) {
        const double height = space_dot(n, c->vertex[i]);
        if (height < least) least = height;
    }
    return least;
}

/* Until one of them parts the shapes by more than enough. The ball in the other one about its centre is no farther than
 * the shape itself, so faces that are worse even so are left out (CF6). */
static void try_faces(const core *of, const core *other, bool swapped, double enough, axis *best) {
    for (int i = 0; i < of->faces && best->separation <= enough; i++) {
        const double *n = of->face[i].normal, height = space_dot(n, of->face[i].point);
        if (!(space_dot(n, other->centre) - other->thin - height > best->separation)) continue;
        const double separation = lowest(other, n) - height;
        if (separation > best->separation) *best = (axis){separation, false, swapped, i, 0};
    }
}

/* The two edges support the shapes across n, from b to a: a lies above its edge, b below. */
static bool edges_support(const core *a, const core *b, const double x[3], const double y[3], const double n[3],
                          double size) {
    const double down[] = {-n[0], -n[1], -n[2]};
    return is_outward(a, x, down, size) && is_outward(b, y, n, size);
}

/* Whether a unit vector between the normals of both faces of an edge has a component of at least `least` > 0 along w,
 * as one across an edge that parts the shapes has (CF6). */
static bool faces_towards(const core *c, int edge, const double w[3], double least) {
    const double *A = c->face[c->side[edge][0]].normal, *B = c->face[c->side[edge][1]].normal;
    const double a = space_dot(A, w), b = space_dot(B, w);
    if (a >= least || b >= least) return true;
    const double cosine = space_dot(A, B);
    return a > cosine * b && b > cosine * a &&
           a * a + b * b - 2 * cosine * a * b >= least * least * (1 - cosine * cosine);
}

/* An edge as a vector, and the normals of the planes of both of its faces, across both. */
typedef struct ridge {
    int edge;
    const double *start;
    double way[3], across[3];
} ridge;

static ridge ridge_of(const core *c, int edge) {
    ridge r = {.edge = edge, .start = c->vertex[c->edge[edge][0]]};
    minus(c->vertex[c->edge[edge][1]], r.start, r.way);
    space_cross(c->face[c->side[edge][0]].normal, c->face[c->side[edge][1]].normal, r.across);
    return r;
}

/* Whether the normals of planes that touch a along an edge, an arc between those of its two faces, cross those that
 * touch b along another from the other side: only then both edges support the shapes across a common axis (CF29). */
static bool arcs_cross(const core *a, const ridge *x, const core *b, const ridge *y) {
    const double *C = b->face[b->side[y->edge][0]].normal, *D = b->face[b->side[y->edge][1]].normal;
    const double c = space_dot(C, x->across), d = space_dot(D, x->across);
    if (!(c * d < 0)) return false;
    const double *A = a->face[a->side[x->edge][0]].normal, *B = a->face[a->side[x->edge][1]].normal;
    const double e = space_dot(A, y->across), f = space_dot(B, y->across);
    return e * f < 0 && c * f < 0;
}

/* Two shapes whose centres are w apart, from b to a, and what an axis across edges has to exceed. */
typedef struct contest {
    const core *a, *b;
    double w[3], size, least;
} contest;

/* What a component along w exceeds if an axis does: the shapes hold balls about their centres (CF6). */
static double reach_needed(const contest *c) {
    return c->least + c->a->thin + c->b->thin;
}

static void try_ridges(contest *c, const ridge *x, const ridge *y, axis *best) {
    double n[3], apart[3];
    space_cross(x->way, y->way, n);
    const double square = space_dot(n, n);
    if (!(square > PARALLEL * space_dot(x->way, x->way) * space_dot(y->way, y->way))) return;
    const double length = space_dot(n, c->w) < 0 ? -sqrt(square) : sqrt(square);
    for (int i = 0; i < 3; i++) n[i] /= length;
    minus(x->start, y->start, apart);
    const double separation = space_dot(n, apart);
    if (!(separation > c->least) || !edges_support(c->a, c->b, x->start, y->start, n, c->size)) return;
    *best = (axis){separation, true, false, x->edge, y->edge};
    c->least = separation;
}

/* Edges of a that look towards b and edges of b that look towards a. */
static void try_edges(contest *c, axis *best) {
    enum { AT_ONCE = 32 };
    const double back[] = {-c->w[0], -c->w[1], -c->w[2]};
    for (int j = 0; j < c->b->edges;) {
        ridge of_b[AT_ONCE];
        int count = 0;
        for (; j < c->b->edges && count < AT_ONCE; j++)
            if (faces_towards(c->b, j, c->w, reach_needed(c))) of_b[count++] = ridge_of(c->b, j);
        for (int i = 0; i < c->a->edges && count > 0; i++) {
            if (!faces_towards(c->a, i, back, reach_needed(c))) continue;
            const ridge x = ridge_of(c->a, i);
            for (int k = 0; k < count; k++)
                if (arcs_cross(c->a, &x, c->b, &of_b[k])) try_ridges(c, &x, &of_b[k], best);
        }
    }
}

/* A face that parts them by more than enough will do. Faces of a and b that lie on each other are equally good. Those
 * of a are taken, so that contacts at rest keep their identities, unless one of b is better by more than round-off
 * could make it. */
static axis separating_axis(const core *a, const core *b, double enough, double better, double *separation) {
    axis best = {.separation = -HUGE_VAL};
    try_faces(a, b, false, enough, &best);
    axis of_b = best;
    try_faces(b, a, true, enough, &of_b);
    *separation = of_b.separation;
    if (*separation > enough) return of_b;
    if (of_b.separation > best.separation + better) best = of_b;
    contest c = {.a = a, .b = b, .size = fmin(a->reach, b->reach), .least = best.separation + better};
    minus(a->centre, b->centre, c.w);
    try_edges(&c, &best);
    *separation = fmax(*separation, best.separation);
    return best;
}

/* ---------------------------------------------------------------- what lies over a face */

/* Points of the other polytope that are found once. */
typedef struct region {
    const core *of, *other;
    const polytope_face *face;
    int number;
    bool swapped; /* the face is that of b */
    double point[MEETINGS_MOST][3];
    int points;
} region;

static bool is_new(region *r, const double x[3], double size) {
    double w[3];
    for (int i = 0; i < r->points; i++) {
        minus(x, r->point[i], w);
        along(w, -space_dot(w, r->face->normal), r->face->normal, w);
        if (space_dot(w, w) < SAME * SAME * size * size) return false;
    }
    if (r->points < MEETINGS_MOST) memcpy(r->point[r->points++], x, 3 * sizeof *x);
    return true;
}

/* Whether n of two edges that cross parts the polytopes: as their centres lie, and near the normal of the face or
 * supporting both. An edge that stands on the face crosses its sides too, but there n lies along the face (CF8). */
static bool crossing_parts(const region *r, const line *l, const line *k, double size) {
    double n[3], apart[3];
    space_cross(l->e, k->e, n);
    space_unit(n);
    const double up = space_dot(n, r->face->normal);
    for (int i = 0; i < 3 && up < 0; i++) n[i] = -n[i];
    minus(r->other->centre, r->of->centre, apart);
    return space_dot(n, apart) > 0 &&
           (fabs(up) >= NEAR_FACE || edges_support(r->other, r->of, l->start, k->start, n, size));
}

/* An edge l of the other polytope crosses a side k of the face, as seen along its normal; flat: what is seen of l, with
 * the part of its length that it has. */
static void crossing_edges(found *f, region *r, int edge, const line *l, const line *flat, double part, int side) {
    const line k = line_of(r->of, side);
    const double slack = SAME * f->size;
    double s, t, y[3];
    if (!lines_cross(flat, &k, &s, &t) || s < -slack || s > flat->length + slack || t < -slack || t > k.length + slack)
        return;
    if (!crossing_parts(r, l, &k, f->size)) return;
    along(l->start, s / part, l->e, y);
    if (face_height(r->face, y) <= f->margin && is_new(r, y, f->size)) {
        if (r->swapped) features_add(f, GAP_LINES, false, edge, side);
        else features_add(f, GAP_LINES, false, side, edge);
    }
}

/* Where an edge of the other polytope crosses the sides of the face, unless it stands on it. */
static void crossed_sides(found *f, region *r, int edge) {
    const line l = line_of(r->other, edge);
    line flat = l;
    double x[3];
    along(l.e, -space_dot(l.e, r->face->normal), r->face->normal, flat.e);
    const double part = sqrt(space_dot(flat.e, flat.e));
    if (!(part * part > PARALLEL)) return;
    for (int i = 0; i < 3; i++) flat.e[i] /= part;
    along(l.start, -face_height(r->face, l.start), r->face->normal, x);
    flat.start = x, flat.length = l.length * part;
    for (int side = 0; side < r->of->edges; side++)
        if (is_side(r->of, r->number, side)) crossing_edges(f, r, edge, &l, &flat, part, side);
}

/* Corners of the face below the face of the other polytope that looks towards it. */
static void corners_below(found *f, region *r) {
    int facing = -1;
    double most = NEAR_FACE;
    for (int i = 0; i < r->other->faces; i++) {
        const double against = -space_dot(r->other->face[i].normal, r->face->normal);
        if (against > most) most = against, facing = i;
    }
    for (int i = 0; i < r->face->count && facing >= 0; i++) {
        const int corner = r->of->corner[r->face->first + i];
        const double *x = r->of->vertex[corner];
        const polytope_face *above = &r->other->face[facing];
        if (face_height(above, x) <= f->margin && is_inside_face(r->other, above, x, SAME * f->size) &&
            is_new(r, x, f->size))
            features_add(f, GAP_FACE, r->swapped, corner, facing);
    }
}

/* Whether an end of an edge of the other polytope is near the plane of the face. */
static bool is_low(const found *f, const region *r, int edge) {
    const int *ends = r->other->edge[edge];
    return fmin(face_height(r->face, r->other->vertex[ends[0]]), face_height(r->face, r->other->vertex[ends[1]])) <=
           f->margin + SAME * f->size;
}

/* The corners of what two polytopes have in common as seen along the normal of a face (CF8). */
static void face_features(found *f, const core *of, const core *other, int face, bool swapped) {
    region r = {.of = of, .other = other, .face = &of->face[face], .number = face, .swapped = swapped};
    for (int i = 0; i < other->vertices; i++)
        if (face_height(r.face, other->vertex[i]) <= f->margin &&
            is_inside_face(of, r.face, other->vertex[i], SAME * f->size) && is_new(&r, other->vertex[i], f->size))
            features_add(f, GAP_FACE, !swapped, i, face);
    corners_below(f, &r);
    for (int edge = 0; edge < other->edges; edge++)
        if (is_low(f, &r, edge)) crossed_sides(f, &r, edge);
}

/* ---------------------------------------------------------------- pairs */

void polytope_features(found *f, const core *a, const core *b) {
    const axis best = separating_axis(a, b, f->out ? f->margin : HUGE_VAL, f->better, &f->least);
    if (f->least > f->margin || !f->out) return;
    if (best.edges) features_add(f, GAP_LINES, false, best.first, best.second);
    else face_features(f, best.swapped ? b : a, best.swapped ? a : b, best.first, best.swapped);
}

static bool is_polytope(const core *c) {
    return !c->half_space && c->rim == 0 && c->faces > 0;
}

/* One axis that parts two polytopes so far is enough (CF6). */
bool features_part(const core *a, const core *b, const double *n, double bound) {
    axis best = {.separation = -HUGE_VAL};
    if (is_polytope(a) && is_polytope(b)) {
        double apart[3];
        minus(a->centre, b->centre, apart);
        if (sqrt(space_dot(apart, apart)) >= a->reach + b->reach + fmax(bound, 0)) return true;
        if (n && supports_part(a, b, n) >= bound) return true;
        try_faces(a, b, false, bound, &best);
        if (best.separation >= bound) return true;
        try_faces(b, a, true, bound, &best);
        if (best.separation >= bound) return true;
    }
    return features_gap(a, b) >= bound;
}
