#include "core.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool reserve(core *c, int vertices, int edges, int faces, int corners) {
    c->vertices = vertices, c->edges = edges, c->faces = faces;
    c->vertex = calloc((size_t)vertices + 1, sizeof *c->vertex);
    c->edge = calloc((size_t)edges + 1, sizeof *c->edge);
    c->face = calloc((size_t)faces + 1, sizeof *c->face);
    c->corner = calloc((size_t)corners + 1, sizeof *c->corner);
    return c->vertex && c->edge && c->face && c->corner;
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

/* Vertex i lies at +size/2 along axis k where bit k of i is set. */
static bool make_box(core *c, const double size[3]) {
    static const int corner[6][4] = {{1, 3, 7, 5}, {0, 4, 6, 2}, {2, 6, 7, 3},
                                     {0, 1, 5, 4}, {4, 5, 7, 6}, {0, 2, 3, 1}};
    if (!reserve(c, 8, 12, 6, 24)) return false;
    int edge = 0;
    for (int i = 0; i < 8; i++)
        for (int k = 0; k < 3; k++) {
            c->vertex[i][k] = (i >> k & 1 ? 0.5 : -0.5) * size[k];
            if (!(i >> k & 1)) c->edge[edge][0] = i, c->edge[edge++][1] = i | 1 << k;
        }
    for (int f = 0; f < 6; f++) {
        c->face[f] = (core_face){.first = 4 * f, .count = 4};
        c->face[f].normal[f / 2] = f % 2 ? -1 : 1;
        c->face[f].point[f / 2] = (f % 2 ? -0.5 : 0.5) * size[f / 2];
        memcpy(c->corner + 4 * f, corner[f], sizeof corner[f]);
    }
    c->reach = sqrt(size[0] * size[0] + size[1] * size[1] + size[2] * size[2]) / 2;
    c->thin = fmin(size[0], fmin(size[1], size[2])) / 2;
    return true;
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
    core_face *face = placed->face;
    *placed = *c;
    placed->vertex = vertex, placed->face = face;
    for (int i = 0; i < c->vertices; i++) pose_point(at, c->vertex[i], vertex[i]);
    for (int f = 0; f < c->faces; f++) {
        face[f] = c->face[f];
        pose_direction(at, c->face[f].normal, face[f].normal);
        pose_point(at, c->face[f].point, face[f].point);
    }
    pose_point(at, c->centre, placed->centre);
}

bool core_exists(const shape *s) {
    return s->kind == SHAPE_POINT || s->kind == SHAPE_SPHERE || s->kind == SHAPE_CAPSULE || s->kind == SHAPE_BOX ||
           s->kind == SHAPE_PLANE;
}

bool core_create(core *c, const shape *s, const double origin[3]) {
    assert(core_exists(s));
    *c = (core){0};
    bool made = s->kind == SHAPE_PLANE ? make_half_space(c)
                : s->kind == SHAPE_BOX ? make_box(c, s->size)
                                       : make_segment(c, s->kind == SHAPE_CAPSULE ? s->length : 0, s->radius);
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
    free(c->face);
    free(c->corner);
}
