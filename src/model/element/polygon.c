/* The hull of points in the plane: from the leftmost point along its lower side, and back along its upper one. */
#include "polytope.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Points nearer to the line between their neighbours than this part of the size are no corners. */
#define STRAIGHT 1e-6

static int left_to_right(const void *a, const void *b) {
    const double *x = a, *y = b;
    return x[0] != y[0] ? (x[0] > y[0]) - (x[0] < y[0]) : (x[1] > y[1]) - (x[1] < y[1]);
}

static double cross(const double *a, const double *b) {
    return a[0] * b[1] - a[1] * b[0];
}

/* Whether b lies to the right of the way from a to c, by more than the tolerance. */
static bool is_corner(const double *a, const double *b, const double *c, double tolerance) {
    const double ab[2] = {b[0] - a[0], b[1] - a[1]}, ac[2] = {c[0] - a[0], c[1] - a[1]};
    return cross(ab, ac) > tolerance * hypot(ac[0], ac[1]);
}

/* The corners, counter-clockwise, of points from left to right. */
static int find_corners(const double (*x)[3], int count, double tolerance, double (*corner)[3]) {
    int n = 0;
    for (int back = 0; back < 2; back++) {
        const int start = n;
        for (int i = 0; i < count; i++) {
            const double *next = x[back ? count - 1 - i : i];
            while (n >= start + 2 && !is_corner(corner[n - 2], corner[n - 1], next, tolerance)) n--;
            memcpy(corner[n++], next, sizeof *corner);
        }
        n--; /* the way back begins here */
    }
    return n;
}

/* Triangles with a top at the first corner: area, first and second moments (CF60). */
static void weigh(polytope *h) {
    double second = 0, from[2] = {0}, reach = 0, thin = HUGE_VAL;
    const double *top = h->vertex[0];
    for (int i = 1; i + 1 < h->vertices; i++) {
        const double *p = h->vertex[i], *q = h->vertex[i + 1], a[2] = {p[0] - top[0], p[1] - top[1]},
                     b[2] = {q[0] - top[0], q[1] - top[1]}, area = cross(a, b) / 2;
        h->volume += area;
        for (int k = 0; k < 2; k++) {
            from[k] += area * (a[k] + b[k]) / 3;
            second += area * (a[k] * a[k] + a[k] * b[k] + b[k] * b[k]) / 6;
        }
    }
    for (int k = 0; k < 2; k++) from[k] /= h->volume, h->centre[k] = top[k] + from[k];
    h->J[2][2] = second - h->volume * (from[0] * from[0] + from[1] * from[1]);
    for (int i = 0; i < h->vertices; i++) {
        const double *p = h->vertex[i], *q = h->vertex[(i + 1) % h->vertices], e[2] = {q[0] - p[0], q[1] - p[1]},
                     w[2] = {h->centre[0] - p[0], h->centre[1] - p[1]};
        reach = fmax(reach, hypot(w[0], w[1])), thin = fmin(thin, cross(e, w) / hypot(e[0], e[1]));
    }
    h->reach = reach, h->thin = thin;
}

static bool number_parts(polytope *h) {
    const size_t n = (size_t)h->vertices;
    h->edges = h->corners = h->vertices, h->faces = 1;
    h->edge = calloc(n + 1, sizeof *h->edge), h->corner = calloc(n + 1, sizeof *h->corner);
    h->face = calloc(1, sizeof *h->face);
    if (!h->edge || !h->corner || !h->face) return false;
    for (int i = 0; i < h->vertices; i++) h->corner[i] = h->edge[i][0] = i, h->edge[i][1] = (i + 1) % h->vertices;
    h->face->count = h->vertices, h->face->normal[2] = 1;
    memcpy(h->face->point, h->vertex[0], sizeof h->face->point);
    return true;
}

polytope_verdict polygon_create(polytope *h, const double (*point)[3], int count) {
    double(*x)[3] = malloc(((size_t)count + 1) * sizeof *x), low[2] = {HUGE_VAL, HUGE_VAL};
    double high[2] = {-HUGE_VAL, -HUGE_VAL};
    *h = (polytope){.vertex = malloc((2 * (size_t)count + 1) * sizeof *h->vertex)};
    if (!x || !h->vertex) return free(x), POLYTOPE_MEMORY;
    memcpy(x, point, (size_t)count * sizeof *x);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 2; k++) low[k] = fmin(low[k], x[i][k]), high[k] = fmax(high[k], x[i][k]);
    const double tolerance = STRAIGHT * fmax(high[0] - low[0], high[1] - low[1]);
    qsort(x, (size_t)count, sizeof *x, left_to_right);
    h->vertices = find_corners((const double(*)[3])x, count, tolerance, h->vertex);
    free(x);
    if (h->vertices < 3) return POLYTOPE_FLAT;
    weigh(h);
    if (!(h->thin > tolerance)) return POLYTOPE_FLAT;
    return number_parts(h) ? POLYTOPE_DONE : POLYTOPE_MEMORY;
}
