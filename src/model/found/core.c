#include "core.h"

#include "model/space.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool reserve(core *c, int vertices, int edges, int faces, int corners) {
    c->vertices = vertices, c->edges = edges, c->faces = faces;
    c->vertex = calloc((size_t)vertices + 1, sizeof *c->vertex);
    c->edge = calloc((size_t)edges + 1, sizeof *c->edge);
    c->side = calloc((size_t)edges + 1, sizeof *c->side);
    c->face = calloc((size_t)faces + 1, sizeof *c->face);
    c->corner = calloc((size_t)corners + 1, sizeof *c->corner);
    return c->vertex && c->edge && c->side && c->face && c->corner;
}

/* ---- shapes, in their own axes */

static bool make_half_space(core *c) {
    if (!reserve(c, 0, 0, 1, 0)) return false;
    c->half_space = true;
    c->face[0].normal[2] = 1;
    c->reach = c->thin = HUGE_VAL;
    return true;
}

static bool make_segment(core *c, double length, double radius) {
    const int ends = length > 0 ? 2 : 1;
    if (!reserve(c, ends, ends - 1, 0, 0)) return false;
    for (int i = 0; i < ends; i++) c->vertex[i][2] = (i - 0.5 * (ends - 1)) * length;
    c->edge[0][1] = ends - 1;
    c->radius = c->thin = radius;
    c->reach = length / 2 + radius;
    return true;
}

static bool make_cylinder(core *c, double length, double radius) {
    if (!reserve(c, 2, 1, 2, 0)) return false;
    for (int i = 0; i < 2; i++) {
        c->vertex[i][2] = c->face[i].point[2] = (i - 0.5) * length;
        c->face[i].normal[2] = 2 * i - 1;
    }
    c->edge[0][1] = 1;
    c->rim = radius, c->across[0][0] = c->across[1][1] = 1;
    c->reach = hypot(length / 2, radius);
    c->thin = fmin(length / 2, radius);
    return true;
}

static bool has_edge(const core *c, const polytope_face *f, const int edge[2]) {
    int ends = 0;
    for (int i = 0; i < f->count; i++) ends += c->corner[f->first + i] == edge[0] || c->corner[f->first + i] == edge[1];
    return ends == 2;
}

static void find_sides(core *c) {
    for (int i = 0; i < c->edges; i++)
        for (int f = 0, found = 0; f < c->faces && found < 2; f++)
            if (has_edge(c, &c->face[f], c->edge[i])) c->side[i][found++] = f;
}

static bool copy_hull(core *c, const polytope *h) {
    if (!reserve(c, h->vertices, h->edges, h->faces, h->corners)) return false;
    memcpy(c->vertex, h->vertex, (size_t)h->vertices * sizeof *c->vertex);
    memcpy(c->edge, h->edge, (size_t)h->edges * sizeof *c->edge);
    memcpy(c->face, h->face, (size_t)h->faces * sizeof *c->face);
    memcpy(c->corner, h->corner, (size_t)h->corners * sizeof *c->corner);
    memcpy(c->centre, h->centre, sizeof c->centre);
    c->reach = h->reach, c->thin = h->thin;
    find_sides(c);
    return true;
}

/* The hull of its corners. Corner i lies at +size/2 along axis k where bit k of i is set. */
static bool make_box(core *c, const double size[3]) {
    double corner[8][3];
    polytope h;
    for (int i = 0; i < 8; i++)
        for (int k = 0; k < 3; k++) corner[i][k] = (i >> k & 1 ? 0.5 : -0.5) * size[k];
    const bool made = polytope_create(&h, (const double(*)[3])corner, 8) == POLYTOPE_DONE && copy_hull(c, &h);
    polytope_destroy(&h);
    return made;
}

/* What touches are points on the rims (DC3c). */
static bool make_prism(core *c, double length, double radius, int points) {
    double corner[2 * SHAPE_POINTS_MOST][3];
    const double pi = acos(-1);
    polytope h;
    for (int i = 0; i < 2 * points; i++) {
        const double angle = 2 * pi * (i % points) / points;
        corner[i][0] = radius * cos(angle), corner[i][1] = radius * sin(angle);
        corner[i][2] = (i < points ? -0.5 : 0.5) * length;
    }
    const bool made = polytope_create(&h, (const double(*)[3])corner, 2 * points) == POLYTOPE_DONE && copy_hull(c, &h);
    polytope_destroy(&h);
    return made;
}

/* ---- figures in the plane */

/* Corners around c->centre, and the direction about which they turn. */
static bool make_polygon(core *c, const double (*corner)[3], int count, const double out[3]) {
    if (!reserve(c, count, 0, count, 2 * count)) return false;
    c->thin = HUGE_VAL;
    for (int i = 0; i < count; i++) {
        const double *start = corner[i], *end = corner[(i + 1) % count];
        polytope_face *side = &c->face[i];
        double along[3], from[3];
        for (int k = 0; k < 3; k++) along[k] = end[k] - start[k], from[k] = start[k] - c->centre[k];
        memcpy(c->vertex[i], start, sizeof *c->vertex), memcpy(side->point, start, sizeof side->point);
        side->first = 2 * i, side->count = 2;
        c->corner[2 * i] = i, c->corner[2 * i + 1] = (i + 1) % count;
        space_cross(along, out, side->normal), space_unit(side->normal);
        c->reach = fmax(c->reach, sqrt(space_dot(from, from)));
        c->thin = fmin(c->thin, space_dot(from, side->normal));
    }
    return true;
}

/* A box without a size along the axis that is across the plane. */
static bool make_rectangle(core *c, const double size[3]) {
    static const int sign[4][2] = {{1, 1}, {-1, 1}, {-1, -1}, {1, -1}};
    const int axis[2] = {size[0] == 0, size[2] == 0 ? 1 : 2};
    double corner[4][3] = {0}, out[3] = {0};
    out[3 - axis[0] - axis[1]] = axis[0] + 1 == axis[1] ? 1 : -1;
    for (int i = 0; i < 8; i++) corner[i / 2][axis[i % 2]] = 0.5 * sign[i / 2][i % 2] * size[axis[i % 2]];
    return make_polygon(c, (const double(*)[3])corner, 4, out);
}

/* A disk with points on its rim. */
static bool make_points(core *c, double radius, int points) {
    const double pi = acos(-1);
    double corner[SHAPE_POINTS_MOST][3] = {0};
    for (int i = 0; i < points; i++)
        corner[i][0] = radius * cos(2 * pi * i / points), corner[i][1] = radius * sin(2 * pi * i / points);
    return make_polygon(c, (const double(*)[3])corner, points, (const double[]){0, 0, 1});
}

static bool make_figure(core *c, const shape *s) {
    switch (s->kind) {
    case SHAPE_PLANE:
        return make_half_space(c);
    case SHAPE_BOX:
        return make_rectangle(c, s->size);
    case SHAPE_HULL:
        memcpy(c->centre, s->hull->centre, sizeof c->centre);
        return make_polygon(c, (const double(*)[3])s->hull->vertex, s->hull->vertices, s->hull->face->normal);
    case SHAPE_DISK:
        return make_points(c, s->radius, s->points);
    default:
        return make_segment(c, s->kind == SHAPE_CAPSULE ? s->length : 0, s->radius);
    }
}

/* ---- points */

void core_point(const core *c, int number, double x[3]) {
    if (number < c->vertices) {
        memcpy(x, c->vertex[number], 3 * sizeof *x);
        return;
    }
    const int rim = (number - c->vertices) / RIM_POINTS, at = (number - c->vertices) % RIM_POINTS;
    const double angle = 2 * acos(-1) * at / RIM_POINTS, u = c->rim * cos(angle), v = c->rim * sin(angle);
    for (int i = 0; i < 3; i++) x[i] = c->vertex[rim][i] + u * c->across[0][i] + v * c->across[1][i];
}

void core_support(const core *c, const double n[3], double x[3]) {
    int best = 0;
    for (int i = 1; i < c->vertices; i++)
        if (space_dot(n, c->vertex[i]) > space_dot(n, c->vertex[best])) best = i;
    memcpy(x, c->vertex[best], 3 * sizeof *x);
    if (!(c->rim > 0)) return;
    const double u = space_dot(n, c->across[0]), v = space_dot(n, c->across[1]), length = hypot(u, v);
    for (int i = 0; i < 3 && length > 0; i++)
        x[i] += c->rim * (u / length * c->across[0][i] + v / length * c->across[1][i]);
}

/* ---- places */

void pose_direction(const core_pose *at, const double x[3], double y[3]) {
    double sum[3];
    for (int i = 0; i < 3; i++) sum[i] = at->A[i][0] * x[0] + at->A[i][1] * x[1] + at->A[i][2] * x[2];
    memcpy(y, sum, sizeof sum);
}

void pose_point(const core_pose *at, const double x[3], double y[3]) {
    pose_direction(at, x, y);
    for (int i = 0; i < 3; i++) y[i] += at->r[i];
}

void core_place(const core *c, const core_pose *at, core *placed) {
    double(*vertex)[3] = placed->vertex;
    polytope_face *face = placed->face;
    *placed = *c;
    placed->vertex = vertex, placed->face = face;
    for (int i = 0; i < c->vertices; i++) pose_point(at, c->vertex[i], vertex[i]);
    for (int f = 0; f < c->faces; f++) {
        face[f] = c->face[f];
        pose_direction(at, c->face[f].normal, face[f].normal);
        pose_point(at, c->face[f].point, face[f].point);
    }
    for (int i = 0; i < 2; i++) pose_direction(at, c->across[i], placed->across[i]);
    pose_point(at, c->centre, placed->centre);
}

bool core_exists(const shape *s) {
    if (s->planar && s->kind == SHAPE_DISK) return s->points > 0;
    return s->kind == SHAPE_POINT || s->kind == SHAPE_SPHERE || s->kind == SHAPE_CAPSULE || s->kind == SHAPE_BOX ||
           s->kind == SHAPE_HULL || s->kind == SHAPE_PLANE || s->kind == SHAPE_CYLINDER;
}

static bool make(core *c, const shape *s) {
    switch (s->kind) {
    case SHAPE_PLANE:
        return make_half_space(c);
    case SHAPE_BOX:
        return make_box(c, s->size);
    case SHAPE_HULL:
        return copy_hull(c, s->hull);
    case SHAPE_CYLINDER:
        if (s->points) return make_prism(c, s->length, s->radius, s->points);
        return make_cylinder(c, s->length, s->radius);
    default:
        return make_segment(c, s->kind == SHAPE_CAPSULE ? s->length : 0, s->radius);
    }
}

bool core_create(core *c, const shape *s, const double origin[3]) {
    assert(core_exists(s));
    *c = (core){.planar = s->planar};
    const bool made = s->planar ? make_figure(c, s) : make(c, s);
    core_pose at;
    memcpy(at.A, s->A, sizeof at.A);
    for (int i = 0; i < 3; i++) at.r[i] = s->r[i] - origin[i];
    core same = *c;
    if (made) core_place(&same, &at, c);
    return made;
}

void core_destroy(core *c) {
    free(c->vertex);
    free(c->edge);
    free(c->side);
    free(c->face);
    free(c->corner);
}
