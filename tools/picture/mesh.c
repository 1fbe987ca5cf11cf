#include "picture/mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool reserve_mesh(mesh *m, int points, int faces, bool closed) {
    *m = (mesh){.closed = closed};
    m->x = malloc((size_t)points * sizeof *m->x);
    m->face = malloc((size_t)faces * sizeof *m->face);
    m->neighbour = malloc((size_t)faces * sizeof *m->neighbour);
    m->tinted = calloc((size_t)faces, sizeof *m->tinted);
    return m->x && m->face && m->neighbour && m->tinted;
}

static void add_face(mesh *m, int a, int b, int c, int d, bool tinted) {
    int *face = m->face[m->faces];
    face[0] = a, face[1] = b, face[2] = c, face[3] = d;
    m->tinted[m->faces++] = tinted;
}

/* ---- neighbours */

typedef struct edge {
    int low, high, face, corner;
} edge;

static int by_ends(const void *a, const void *b) {
    const edge *x = a, *y = b;
    return x->low != y->low ? (x->low < y->low ? -1 : 1) : (x->high > y->high) - (x->high < y->high);
}

static int corners(const int face[4]) {
    return face[3] < 0 ? 3 : 4;
}

static bool find_neighbours(mesh *m) {
    edge *edges = malloc(4 * (size_t)m->faces * sizeof *edges);
    int count = 0;
    if (!edges) return false;
    for (int f = 0; f < m->faces; f++)
        for (int k = 0, n = corners(m->face[f]); k < n; k++) {
            int a = m->face[f][k], b = m->face[f][(k + 1) % n];
            m->neighbour[f][k] = -1;
            edges[count++] = (edge){a < b ? a : b, a < b ? b : a, f, k};
        }
    qsort(edges, (size_t)count, sizeof *edges, by_ends);
    for (int i = 0; i + 1 < count; i++) {
        const edge *e = &edges[i], *next = &edges[i + 1];
        if (by_ends(e, next)) continue;
        m->neighbour[e->face][e->corner] = next->face;
        m->neighbour[next->face][next->corner] = e->face;
    }
    free(edges);
    return true;
}

/* ---- rings of points, one after the other, with faces between them */

typedef struct ring {
    double radius, z;
} ring;

/* A ring of radius 0 is one point. Rings go up along the axis, or outwards. */
static void join(mesh *m, int lower, bool lower_point, int upper, bool upper_point, int round) {
    for (int k = 0; k < round; k++) {
        int next = (k + 1) % round;
        bool tinted = 4 * k / round % 2;
        if (lower_point) add_face(m, lower, upper + next, upper + k, -1, tinted);
        else if (upper_point) add_face(m, lower + k, lower + next, upper, -1, tinted);
        else add_face(m, lower + k, lower + next, upper + next, upper + k, tinted);
    }
}

static bool lathe(mesh *m, const ring *rings, int count, int round, bool closed) {
    if (!reserve_mesh(m, count * round, count * round, closed)) return false;
    int before = 0;
    for (int i = 0; i < count; i++) {
        int first = m->points, n = rings[i].radius > 0 ? round : 1;
        for (int k = 0; k < n; k++) {
            double angle = 2 * M_PI * k / round, *x = m->x[m->points++];
            x[0] = rings[i].radius * cos(angle), x[1] = rings[i].radius * sin(angle), x[2] = rings[i].z;
        }
        if (i > 0) join(m, before, rings[i - 1].radius == 0, first, n == 1, round);
        before = first;
    }
    return find_neighbours(m);
}

enum { MOST_ROUND = 64, PARTS = 14, RINGS = MOST_ROUND / 2 + PARTS + 8 };

/* Rings between the two ends of the straight part, not farther apart than it is thick. */
static int straight_rings(const shape *s, ring *rings, int count) {
    int parts = (int)fmin(PARTS, ceil(s->length / (0.7 * s->radius)));
    for (int k = 1; k < parts; k++) rings[count++] = (ring){s->radius, s->length * ((double)k / parts - 0.5)};
    return count;
}

/* From pole to pole. */
static int capsule_rings(const shape *s, int round, ring *rings) {
    int half = round / 4, count = 0;
    for (int end = -1; end <= 1; end += 2) {
        if (end > 0) count = straight_rings(s, rings, count);
        for (int k = 0; k <= half; k++) {
            double angle = M_PI / 2 * (end < 0 ? k - half : k) / half;
            bool pole = end < 0 ? k == 0 : k == half;
            if (s->length == 0 && end > 0 && k == 0) continue;
            rings[count++] = (ring){pole ? 0 : s->radius * cos(angle), end * s->length / 2 + s->radius * sin(angle)};
        }
    }
    return count;
}

static int cylinder_rings(const shape *s, ring *rings) {
    int count = 0;
    for (int k = 0; k <= 2; k++) rings[count++] = (ring){s->radius * k / 2, -s->length / 2};
    count = straight_rings(s, rings, count);
    for (int k = 2; k >= 0; k--) rings[count++] = (ring){s->radius * k / 2, s->length / 2};
    return count;
}

static int disk_rings(const shape *s, ring *rings) {
    for (int k = 0; k <= 3; k++) rings[k] = (ring){s->radius * (3 - k) / 3, 0}; /* inwards: the normals face the axis */
    return 4;
}

static bool mesh_round(mesh *m, const shape *s, int round) {
    ring rings[RINGS];
    int count = s->kind == SHAPE_CYLINDER ? cylinder_rings(s, rings)
                : s->kind == SHAPE_DISK   ? disk_rings(s, rings)
                                          : capsule_rings(s, round, rings);
    return lathe(m, rings, count, round, s->kind != SHAPE_DISK);
}

/* ---- boxes: every face a grid, so that far and near parts of it are told apart */

/* The face n = side of the cube [-1, 1]^3, sized */
static void add_side(mesh *m, const double size[3], int n, int side, int cells) {
    int a = (n + 1) % 3, b = (n + 2) % 3, first = m->points, row = cells + 1;
    for (int i = 0; i <= cells; i++)
        for (int j = 0; j <= cells; j++) {
            double *x = m->x[m->points++];
            x[n] = side * size[n] / 2;
            x[a] = side * size[a] * ((double)i / cells - 0.5), x[b] = size[b] * ((double)j / cells - 0.5);
        }
    for (int i = 0; i < cells; i++)
        for (int j = 0; j < cells; j++) {
            int p = first + i * row + j;
            add_face(m, p, p + row, p + row + 1, p + 1, false);
        }
}

static bool mesh_box(mesh *m, const double size[3], int cells) {
    bool flat = size[2] == 0;
    int sides = flat ? 1 : 6, row = cells + 1;
    if (!reserve_mesh(m, sides * row * row, sides * cells * cells, !flat)) return false;
    for (int k = 0; k < sides; k++) add_side(m, size, flat ? 2 : k / 2, flat || k % 2 ? 1 : -1, cells);
    return find_neighbours(m);
}

/* A ball, stretched. */
static bool mesh_ellipsoid(mesh *m, const double half[3], int round) {
    if (!mesh_round(m, &(shape){.kind = SHAPE_SPHERE, .radius = 1}, round)) return false;
    for (int k = 0; k < m->points; k++)
        for (int i = 0; i < 3; i++) m->x[k][i] *= half[i];
    return true;
}

/* ---- hulls: every face in rings around its middle */

static void add_polygon(mesh *m, const polytope *h, const polytope_face *f, int rings) {
    const int first = m->points;
    double middle[3] = {0};
    for (int i = 0; i < f->count; i++)
        for (int k = 0; k < 3; k++) middle[k] += h->vertex[h->corner[f->first + i]][k] / f->count;
    memcpy(m->x[m->points++], middle, sizeof middle);
    for (int level = 1; level <= rings; level++)
        for (int i = 0; i < f->count; i++, m->points++)
            for (int k = 0; k < 3; k++)
                m->x[m->points][k] = middle[k] + level * (h->vertex[h->corner[f->first + i]][k] - middle[k]) / rings;
    for (int level = 0; level < rings; level++)
        for (int i = 0; i < f->count; i++) {
            const int next = (i + 1) % f->count, inner = first + 1 + (level - 1) * f->count,
                      outer = first + 1 + level * f->count;
            if (level == 0) add_face(m, first, outer + i, outer + next, -1, false);
            else add_face(m, inner + i, outer + i, outer + next, inner + next, false);
        }
}

static bool mesh_hull(mesh *m, const polytope *h) {
    const int rings = h->faces > 40 ? 1 : 4;
    if (!reserve_mesh(m, h->faces + rings * h->corners, rings * h->corners, true)) return false;
    for (int f = 0; f < h->faces; f++) add_polygon(m, h, &h->face[f], rings);
    return find_neighbours(m);
}

bool mesh_shape(mesh *m, const shape *s, int round) {
    enum { BOX_CELLS = 8 };
    if (s->kind == SHAPE_ELLIPSOID) return mesh_ellipsoid(m, s->size, round);
    if (s->kind == SHAPE_BOX) return mesh_box(m, s->size, BOX_CELLS);
    if (s->kind == SHAPE_HULL) return mesh_hull(m, s->hull);
    return mesh_round(m, s, round);
}

bool mesh_plane(mesh *m, const double low[2], const double high[2]) {
    if (!mesh_box(m, (double[3]){high[0] - low[0], high[1] - low[1], 0}, 1)) return false;
    for (int k = 0; k < m->points; k++)
        for (int i = 0; i < 2; i++) m->x[k][i] += (low[i] + high[i]) / 2;
    return true;
}

/* ---- tubes */

static void subtract(const double a[3], const double b[3], double c[3]) {
    for (int i = 0; i < 3; i++) c[i] = a[i] - b[i];
}

static double dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* n without its part along the unit vector d, of length 1 */
static void make_normal(double n[3], const double d[3]) {
    double along = dot(n, d);
    for (int i = 0; i < 3; i++) n[i] -= along * d[i];
    double length = sqrt(dot(n, n));
    for (int i = 0; i < 3; i++) n[i] /= length;
}

static void direction_at(const double (*x)[3], int count, int i, double d[3]) {
    subtract(x[i + 1 < count ? i + 1 : i], x[i > 0 ? i - 1 : i], d);
    double length = sqrt(dot(d, d));
    for (int k = 0; k < 3; k++) d[k] = length > 0 ? d[k] / length : k == 0;
}

/* The normal is carried along the curve without turning about it. */
bool mesh_tube(mesh *m, const double (*x)[3], int count, double radius, int round) {
    double n[3] = {0}, d[3];
    if (!reserve_mesh(m, (count + 2) * round, (count + 1) * round, true)) return false;
    direction_at(x, count, 0, d);
    n[fabs(d[2]) < 0.9 ? 2 : 0] = 1;
    memcpy(m->x[m->points++], x[0], sizeof *m->x);
    for (int i = 0; i < count; i++) {
        int first = m->points;
        direction_at(x, count, i, d);
        make_normal(n, d);
        for (int k = 0; k < round; k++) {
            double c = radius * cos(2 * M_PI * k / round), s = radius * sin(2 * M_PI * k / round),
                   *p = m->x[m->points++];
            for (int j = 0; j < 3; j++) {
                int a = (j + 1) % 3, b = (j + 2) % 3;
                p[j] = x[i][j] + c * n[j] + s * (d[a] * n[b] - d[b] * n[a]);
            }
        }
        join(m, i ? first - round : 0, i == 0, first, false, round);
    }
    memcpy(m->x[m->points++], x[count - 1], sizeof *m->x);
    join(m, m->points - 1 - round, false, m->points - 1, true, round);
    return find_neighbours(m);
}

void mesh_free(mesh *m) {
    free(m->x);
    free(m->face);
    free(m->neighbour);
    free(m->tinted);
    *m = (mesh){0};
}
