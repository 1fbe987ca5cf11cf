#include "numbers.h"

#include <string.h>

#include "features_inside.h"

static void edge_numbers(const core *c, int edge, double x[3], double e[3]) {
    memcpy(x, c->vertex[c->edge[edge][0]], 3 * sizeof *x);
    for (int i = 0; i < 3; i++) e[i] = c->vertex[c->edge[edge][1]][i] - x[i];
    space_unit(e);
}

static void face_numbers(const core *c, int face, double x[3], double n[3]) {
    memcpy(x, c->face[face].point, 3 * sizeof *x);
    memcpy(n, c->face[face].normal, 3 * sizeof *n);
}

/* The number of a rim, or, with a side, twice it and 1 for the positive one. */
static void circle_numbers(const core *c, int number, bool sided, double x[3], double e[3], double *radius) {
    const int rim = sided ? number / 2 : number;
    memcpy(x, c->vertex[rim], 3 * sizeof *x);
    memcpy(e, c->face[rim].normal, 3 * sizeof *e);
    *radius = sided && number % 2 == 0 ? -c->rim : c->rim;
}

static void rim_numbers(const core *first, const core *second, const meeting *m, kind_numbers *n) {
    const gap_kind k = m->kind;
    if (k == GAP_RIM_FACE || k == GAP_RIM_LINE || k == GAP_RIMS)
        circle_numbers(first, m->first, k == GAP_RIMS, n->x, n->e, &n->half[0]);
    else if (k == GAP_RIM_POINT) core_point(first, m->first, n->x);
    else edge_numbers(first, m->first, n->x, n->e);
    if (k == GAP_RIM_FACE) face_numbers(second, m->second, n->y, n->d);
    else if (k == GAP_RIM_LINE) edge_numbers(second, m->second, n->y, n->d);
    else if (k == GAP_RIM_AXIS) circle_numbers(second, m->second / 2, false, n->y, n->d, &n->half[1]);
    else if (k == GAP_RIM_EDGE) circle_numbers(second, rim_edge_of(m->second).rim, false, n->y, n->d, &n->half[1]);
    else circle_numbers(second, m->second, k == GAP_RIM_CHORD || k == GAP_RIMS, n->y, n->d, &n->half[1]);
    n->side = k == GAP_RIM_EDGE   ? rim_edge_of(m->second).sign
              : k == GAP_RIM_AXIS ? (m->second % 2 ? 1 : -1)
                                  : gap_has_side(k);
}

/* The middle of an edge, its direction and half its length. */
static void segment_numbers(const core *c, int edge, double x[3], double e[3], double *half) {
    const double *start = c->vertex[c->edge[edge][0]], *end = c->vertex[c->edge[edge][1]];
    edge_numbers(c, edge, x, e);
    for (int i = 0; i < 3; i++) x[i] = (start[i] + end[i]) / 2;
    double w[3] = {end[0] - x[0], end[1] - x[1], end[2] - x[2]};
    *half = sqrt(space_dot(w, w));
}

void numbers_of(const core *first, const core *second, const meeting *m, kind_numbers *n) {
    const int i = m->first, j = m->second;
    double radius[2];
    meeting_radii(first, second, m->kind, radius);
    n->R = radius[0] + radius[1];
    n->share = n->R > 0 ? radius[0] / n->R : 0.5;
    if (m->kind >= GAP_RIM_FACE) {
        rim_numbers(first, second, m, n);
        return;
    }
    if (m->kind == GAP_LINES) edge_numbers(first, i, n->x, n->e);
    else if (m->kind == GAP_SEGMENTS) segment_numbers(first, i, n->x, n->e, &n->half[0]);
    else core_point(first, i, n->x);
    if (m->kind == GAP_SEGMENTS || m->kind == GAP_SEGMENT) segment_numbers(second, j, n->y, n->d, &n->half[1]);
    else if (m->kind == GAP_LINES || m->kind == GAP_LINE) edge_numbers(second, j, n->y, n->d);
    else if (m->kind == GAP_POINTS) memcpy(n->y, second->vertex[j], sizeof n->y);
    else face_numbers(second, j, n->y, n->d);
}

void numbers_start(const core *first, int from, kind_numbers *n) {
    memcpy(n->x, first->vertex[from], sizeof n->x);
}

void numbers_turn(const meeting *m, kind_numbers *n) {
    if (gap_has_side(m->kind)) n->side = -n->side;
    for (int i = 0; i < 3 && m->kind == GAP_LINES; i++) n->e[i] = -n->e[i];
}
