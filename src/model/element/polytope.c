/* The hull is wrapped face by face: about an edge of a face that is known a plane turns until it touches a point
 * (CF16). All points in this plane make the next face at once, so that the sides of a box are quadrilaterals. */
#include "polytope.h"

#include "model/space.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Points closer than this part of the size are one; what is flat or straight within it is so. Where faces then
 * contradict each other, as slivers do that are as thin, it becomes smaller. */
#define FLAT 1e-6
#define FLAT_LEAST 1e-12

/* A point, and the next corner of the face it is a corner of: a directed edge, whose face lies to its left. */
typedef struct corner {
    int point, face;
    int before; /* the corner at the same point that was made before; -1: none */
} corner;

typedef struct wrapping {
    const double (*x)[3];
    int *point, points; /* those that differ, ascending */
    double tolerance;
    polytope_face *face;
    corner *corner;
    int faces, corners, face_room, corner_room;
    int *last;      /* [count of x] the last corner made at a point; -1: none */
    int *flat;      /* [points] those in the plane of a face ... */
    double (*y)[2]; /* [points] ... and where they are in it */
} wrapping;

static void minus(const double a[3], const double b[3], double c[3]) {
    for (int i = 0; i < 3; i++) c[i] = a[i] - b[i];
}

static double distance(const double a[3], const double b[3]) {
    double w[3];
    minus(a, b, w);
    return sqrt(space_dot(w, w));
}

/* ---------------------------------------------------------------- points that differ */

typedef struct place {
    double x;
    int point;
} place;

static int by_place(const void *a, const void *b) {
    const place *p = a, *q = b;
    return p->x != q->x ? (p->x > q->x) - (p->x < q->x) : (p->point > q->point) - (p->point < q->point);
}

static double size_of(const double (*x)[3], int count) {
    double size = 0;
    for (int k = 0; k < 3; k++) {
        double low = HUGE_VAL, high = -HUGE_VAL;
        for (int i = 0; i < count; i++) low = fmin(low, x[i][k]), high = fmax(high, x[i][k]);
        size = fmax(size, high - low);
    }
    return size;
}

/* Of points that coincide the first one stays. */
static bool keep_points(wrapping *w, int count) {
    place *at = malloc(((size_t)count + 1) * sizeof *at);
    bool *same = calloc((size_t)count + 1, sizeof *same);
    for (int i = 0; at && i < count; i++) at[i] = (place){w->x[i][0], i};
    if (at && same) {
        qsort(at, (size_t)count, sizeof *at, by_place);
        for (int i = 0; i < count; i++)
            for (int j = i + 1; j < count && at[j].x - at[i].x <= w->tolerance; j++)
                if (distance(w->x[at[i].point], w->x[at[j].point]) <= w->tolerance)
                    same[at[i].point > at[j].point ? at[i].point : at[j].point] = true;
        for (int i = 0; i < count; i++)
            if (!same[i]) w->point[w->points++] = i;
    }
    const bool made = at && same;
    free(at), free(same);
    return made;
}

/* ---------------------------------------------------------------- turning a plane about an edge */

/* The plane through the line p + s e that touches the points, turned from the one with normal n on: its normal is
 * -e x w, w the direction from the line to the point that it touches. False: all points lie on the line. */
static bool turn_plane(const wrapping *w, const double p[3], const double e[3], double normal[3]) {
    bool found = false, turned = true;
    double farthest = 0;
    for (int pass = 0; pass < 4 && turned; pass++) {
        turned = false;
        for (int i = 0; i < w->points; i++) {
            double from[3], side[3];
            minus(w->x[w->point[i]], p, from);
            const double along = space_dot(from, e);
            for (int k = 0; k < 3; k++) side[k] = from[k] - along * e[k];
            const double far = sqrt(space_dot(side, side)), height = found ? space_dot(normal, from) : HUGE_VAL;
            if (far <= 2 * w->tolerance || height < -w->tolerance || (height <= w->tolerance && far <= farthest))
                continue;
            space_cross(side, e, normal);
            space_unit(normal);
            found = turned = true, farthest = far;
        }
    }
    return found;
}

/* ---------------------------------------------------------------- the face in a plane */

static int list_flat(wrapping *w, const double p[3], const double normal[3]) {
    double A[3][3], from[3];
    const double x[3] = {fabs(normal[0]) < 0.9, fabs(normal[0]) >= 0.9, 0};
    int count = 0;
    space_axes(normal, x, A);
    for (int i = 0; i < w->points; i++) {
        minus(w->x[w->point[i]], p, from);
        if (space_dot(normal, from) < -2 * w->tolerance) continue;
        w->flat[count] = w->point[i];
        for (int k = 0; k < 2; k++) w->y[count][k] = A[0][k] * from[0] + A[1][k] * from[1] + A[2][k] * from[2];
        count++;
    }
    return count;
}

/* The point farthest from the mean is a corner. */
static int first_corner(const wrapping *w, int count) {
    double mean[2] = {0}, most = -1;
    int best = 0;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 2; k++) mean[k] += w->y[i][k] / count;
    for (int i = 0; i < count; i++) {
        const double far = hypot(w->y[i][0] - mean[0], w->y[i][1] - mean[1]);
        if (far > most * (1 + 1e-9)) most = far, best = i;
    }
    return best;
}

/* The corner after one: no point lies to the right of the line between them. Of points on the line it is the last. */
static int next_corner(const wrapping *w, int count, int from) {
    int best = -1;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < count; i++) {
            const double a[2] = {w->y[i][0] - w->y[from][0], w->y[i][1] - w->y[from][1]}, far = hypot(a[0], a[1]);
            if (far <= w->tolerance) continue;
            if (best < 0) best = i;
            const double b[2] = {w->y[best][0] - w->y[from][0], w->y[best][1] - w->y[from][1]};
            const double length = hypot(b[0], b[1]), right = (b[1] * a[0] - b[0] * a[1]) / length;
            if (right > w->tolerance || (right > -w->tolerance && far > length && a[0] * b[0] + a[1] * b[1] > 0))
                best = i;
        }
    return best;
}

/* Newell's normal of a polygon, and its middle, moved out until no corner is beyond its plane. */
static bool lay_plane(const wrapping *w, polytope_face *f) {
    double normal[3] = {0}, middle[3] = {0}, out = -HUGE_VAL;
    for (int i = 0; i < f->count; i++) {
        const double *a = w->x[w->corner[f->first + i].point],
                     *b = w->x[w->corner[f->first + (i + 1) % f->count].point];
        for (int k = 0; k < 3; k++) {
            const int l = (k + 1) % 3, m = (k + 2) % 3;
            normal[k] += (a[l] - b[l]) * (a[m] + b[m]);
            middle[k] += a[k] / f->count;
        }
    }
    const bool flat = space_unit(normal);
    for (int i = 0; i < f->count; i++) {
        double from[3];
        minus(w->x[w->corner[f->first + i].point], middle, from);
        out = fmax(out, space_dot(normal, from));
    }
    memcpy(f->normal, normal, sizeof normal);
    for (int k = 0; k < 3; k++) f->point[k] = middle[k] + out * normal[k];
    return flat;
}

/* ---------------------------------------------------------------- wrapping */

static int point_after(const wrapping *w, int c) {
    const polytope_face *f = &w->face[w->corner[c].face];
    return w->corner[f->first + (c - f->first + 1) % f->count].point;
}

static bool has_edge(const wrapping *w, int from, int to) {
    for (int c = w->last[from]; c >= 0; c = w->corner[c].before)
        if (point_after(w, c) == to) return true;
    return false;
}

static bool grow(void *list, int used, int more, int *room, size_t size) {
    void **at = list;
    if (used + more <= *room) return true;
    void *larger = realloc(*at, (size_t)(2 * *room + more + 32) * size);
    if (larger) *at = larger, *room = 2 * *room + more + 32;
    return larger != NULL;
}

/* The polygon around all points in a plane becomes a face. */
static polytope_verdict add_face(wrapping *w, const double p[3], const double normal[3]) {
    const int count = list_flat(w, p, normal), start = first_corner(w, count);
    if (!grow(&w->face, w->faces, 1, &w->face_room, sizeof *w->face) ||
        !grow(&w->corner, w->corners, count, &w->corner_room, sizeof *w->corner))
        return POLYTOPE_MEMORY;
    polytope_face *f = &w->face[w->faces];
    *f = (polytope_face){.first = w->corners};
    for (int at = start; f->count < count;) {
        w->corner[f->first + f->count++] = (corner){.point = w->flat[at], .face = w->faces};
        at = next_corner(w, count, at);
        if (at < 0) return POLYTOPE_FLAT;
        if (at == start) break;
    }
    if (f->count < 3 || !lay_plane(w, f)) return POLYTOPE_FLAT;
    for (int c = f->first; c < f->first + f->count; c++)
        if (has_edge(w, w->corner[c].point, w->corner[c + 1 < f->first + f->count ? c + 1 : f->first].point))
            return POLYTOPE_TANGLED;
    w->faces++, w->corners += f->count;
    for (int c = f->first; c < w->corners; c++)
        w->corner[c].before = w->last[w->corner[c].point], w->last[w->corner[c].point] = c;
    return POLYTOPE_DONE;
}

/* The plane about a line through the lowest point holds a face, or an edge to turn it about once more. */
static polytope_verdict first_face(wrapping *w) {
    double normal[3], e[3] = {1, 0, 0};
    int low = w->point[0];
    for (int i = 1; i < w->points; i++) {
        const double *a = w->x[w->point[i]], *b = w->x[low];
        if (a[2] < b[2] || (a[2] == b[2] && a[1] < b[1])) low = w->point[i];
    }
    if (!turn_plane(w, w->x[low], e, normal)) return POLYTOPE_FLAT;
    const polytope_verdict verdict = add_face(w, w->x[low], normal);
    if (verdict != POLYTOPE_FLAT) return verdict;
    const int count = list_flat(w, w->x[low], normal);
    double most = 0;
    for (int i = 0; i < count; i++) {
        double way[3];
        minus(w->x[w->flat[i]], w->x[low], way);
        const double far = sqrt(space_dot(way, way));
        if (far <= most) continue;
        most = far;
        for (int k = 0; k < 3; k++) e[k] = way[k] / far;
    }
    return turn_plane(w, w->x[low], e, normal) ? add_face(w, w->x[low], normal) : POLYTOPE_FLAT;
}

static polytope_verdict wrap(wrapping *w) {
    polytope_verdict verdict = w->points < 4 ? POLYTOPE_FLAT : first_face(w);
    for (int c = 0; c < w->corners && !verdict; c++) {
        const int p = w->corner[c].point, q = point_after(w, c);
        double e[3], normal[3];
        if (has_edge(w, q, p)) continue;
        minus(w->x[q], w->x[p], e);
        space_unit(e);
        if (!turn_plane(w, w->x[p], e, normal)) return POLYTOPE_FLAT;
        if (space_dot(normal, w->face[w->corner[c].face].normal) < -1 + 1e-9) return POLYTOPE_FLAT;
        verdict = w->faces > 2 * w->points ? POLYTOPE_TANGLED : add_face(w, w->x[p], normal);
        if (!verdict && !has_edge(w, q, p)) verdict = POLYTOPE_TANGLED;
    }
    return verdict;
}

/* ---------------------------------------------------------------- the hull */

static int by_ends(const void *a, const void *b) {
    const int *p = a, *q = b;
    return p[0] != q[0] ? (p[0] > q[0]) - (p[0] < q[0]) : (p[1] > q[1]) - (p[1] < q[1]);
}

/* Vertices in the order of their points, edges in that of their ends; V - E + F = 2. */
static polytope_verdict number_parts(const wrapping *w, polytope *h) {
    int *number = calloc((size_t)w->point[w->points - 1] + 2, sizeof *number);
    h->vertex = malloc(((size_t)w->points + 1) * sizeof *h->vertex);
    h->edge = malloc(((size_t)w->corners + 1) * sizeof *h->edge);
    h->face = malloc(((size_t)w->faces + 1) * sizeof *h->face);
    h->corner = malloc(((size_t)w->corners + 1) * sizeof *h->corner);
    if (!number || !h->vertex || !h->edge || !h->face || !h->corner) return free(number), POLYTOPE_MEMORY;
    for (int i = 0; i < w->points; i++)
        if (w->last[w->point[i]] >= 0) {
            memcpy(h->vertex[h->vertices], w->x[w->point[i]], sizeof *h->vertex);
            number[w->point[i]] = h->vertices++;
        }
    h->faces = w->faces, h->corners = w->corners;
    memcpy(h->face, w->face, (size_t)w->faces * sizeof *h->face);
    for (int c = 0; c < w->corners; c++) {
        const int p = h->corner[c] = number[w->corner[c].point], q = number[point_after(w, c)];
        if (p < q) h->edge[h->edges][0] = p, h->edge[h->edges++][1] = q;
    }
    free(number);
    qsort(h->edge, (size_t)h->edges, sizeof *h->edge, by_ends);
    return h->vertices - h->edges + h->faces == 2 && 2 * h->edges == h->corners ? POLYTOPE_DONE : POLYTOPE_TANGLED;
}

/* Tetrahedra with a top at the origin: of a, b, c the volume V = a.(b x c)/6, the first moment V (a + b + c)/4 and the
 * second moments V/20 (a a^T + b b^T + c c^T + s s^T), s = a + b + c (CF17). */
static void add_tetrahedron(const double a[3], const double b[3], const double c[3], double *volume, double first[3],
                            double second[3][3]) {
    double across[3], s[3];
    space_cross(b, c, across);
    const double V = space_dot(a, across) / 6;
    for (int i = 0; i < 3; i++) s[i] = a[i] + b[i] + c[i], first[i] += V * s[i] / 4;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) second[i][j] += V / 20 * (a[i] * a[j] + b[i] * b[j] + c[i] * c[j] + s[i] * s[j]);
    *volume += V;
}

static void weigh(polytope *h) {
    double top[3] = {0}, first[3] = {0}, second[3][3] = {{0}};
    for (int i = 0; i < h->vertices; i++)
        for (int k = 0; k < 3; k++) top[k] += h->vertex[i][k] / h->vertices;
    for (int f = 0; f < h->faces; f++)
        for (int i = 1; i + 1 < h->face[f].count; i++) {
            const int *at = h->corner + h->face[f].first;
            double a[3], b[3], c[3];
            minus(h->vertex[at[0]], top, a), minus(h->vertex[at[i]], top, b), minus(h->vertex[at[i + 1]], top, c);
            add_tetrahedron(a, b, c, &h->volume, first, second);
        }
    for (int k = 0; k < 3; k++) first[k] /= h->volume, h->centre[k] = top[k] + first[k];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) second[i][j] -= h->volume * first[i] * first[j];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) h->J[i][j] = (i == j) * (second[0][0] + second[1][1] + second[2][2]) - second[i][j];
}

static void measure(polytope *h) {
    double from[3];
    h->thin = HUGE_VAL;
    for (int i = 0; i < h->vertices; i++) h->reach = fmax(h->reach, distance(h->vertex[i], h->centre));
    for (int f = 0; f < h->faces; f++) {
        minus(h->face[f].point, h->centre, from);
        h->thin = fmin(h->thin, space_dot(h->face[f].normal, from));
    }
}

static polytope_verdict try_tolerance(polytope *h, const double (*point)[3], int count, double tolerance) {
    const size_t room = (size_t)count + 1;
    wrapping w = {.x = point, .tolerance = tolerance};
    *h = (polytope){0};
    w.point = malloc(room * sizeof *w.point), w.last = malloc(room * sizeof *w.last);
    w.flat = malloc(room * sizeof *w.flat), w.y = malloc(room * sizeof *w.y);
    const bool made = w.point && w.last && w.flat && w.y && keep_points(&w, count);
    polytope_verdict verdict = made ? POLYTOPE_DONE : POLYTOPE_MEMORY;
    for (int i = 0; i < count && made; i++) w.last[i] = -1;
    if (!verdict) verdict = wrap(&w);
    if (!verdict) verdict = number_parts(&w, h);
    if (!verdict) weigh(h), measure(h);
    if (!verdict && !(h->thin > 0)) verdict = POLYTOPE_FLAT;
    free(w.point), free(w.last), free(w.flat), free(w.y);
    free(w.face), free(w.corner);
    return verdict;
}

polytope_verdict polytope_create(polytope *h, const double (*point)[3], int count) {
    const double size = size_of(point, count);
    polytope_verdict verdict = POLYTOPE_TANGLED;
    *h = (polytope){0};
    for (double flat = FLAT; verdict == POLYTOPE_TANGLED && flat >= FLAT_LEAST; flat /= 100) {
        polytope_destroy(h);
        verdict = try_tolerance(h, point, count, flat * size);
    }
    return verdict;
}

void polytope_destroy(polytope *h) {
    free(h->vertex);
    free(h->edge);
    free(h->face);
    free(h->corner);
    *h = (polytope){0};
}
