/* The convex hull of points: {hull: [[0, 0, 0], [1, 0, 0], ...]}, or of those of a mesh, {hull: stone.obj,
 * scale: 0.001}. A mesh is replaced by the corners of its hull in the scene, so that a result holds them. */
#include "error.h"
#include "read.h"

#include <locale.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { POINTS_MOST = 4096, CORNERS_MOST = 60 };

/* ---------------------------------------------------------------- hulls */

static carom_status wrap(draft *d, const node *at, const double (*point)[3], int count, bool planar, polytope *h) {
    if (count > POINTS_MOST)
        return node_error(d->n->error, at, "the hull has %d points, at most %d are taken: make the mesh coarser", count,
                          POINTS_MOST);
    switch (planar ? polygon_create(h, point, count) : polytope_create(h, point, count)) {
    case POLYTOPE_DONE:
        return CAROM_OK;
    case POLYTOPE_FLAT:
        return node_error(d->n->error, at, "the points of a hull may not lie %s",
                          planar ? "on a line, and are at least three" : "in a plane, and are at least four");
    case POLYTOPE_TANGLED:
        return node_error(d->n->error, at,
                          "round-off hides the faces of this hull: remove points that nearly coincide "
                          "or lie nearly on an edge");
    default:
        return carom_error_memory(d->n->error);
    }
}

static void *kept(draft *d, const void *list, int count, size_t size) {
    void *copy = zeros(d, count + 1, size);
    return copy ? memcpy(copy, list, (size_t)count * size) : NULL;
}

/* A copy in the memory of the scene. */
static carom_status keep(draft *d, const polytope *h, const polytope **out) {
    polytope *copy = kept(d, h, 1, sizeof *h);
    if (!copy) return carom_error_memory(d->n->error);
    copy->vertex = kept(d, h->vertex, h->vertices, sizeof *h->vertex);
    copy->edge = kept(d, h->edge, h->edges, sizeof *h->edge);
    copy->face = kept(d, h->face, h->faces, sizeof *h->face);
    copy->corner = kept(d, h->corner, h->corners, sizeof *h->corner);
    *out = copy;
    return copy->vertex && copy->edge && copy->face && copy->corner ? CAROM_OK : carom_error_memory(d->n->error);
}

/* ---------------------------------------------------------------- meshes */

typedef struct mesh_points {
    draft *d;
    const char *path;
    double (*at)[3];
    int count, room;
    long named; /* the largest number of a vertex that faces name, and where */
    int named_in;
} mesh_points;

static carom_status add_point(mesh_points *m, const double x[3]) {
    m->at = arena_grow(m->d->n->memory, m->at, m->count, 1, &m->room, sizeof *m->at);
    if (!m->at) return carom_error_memory(m->d->n->error);
    memcpy(m->at[m->count++], x, sizeof *m->at);
    return CAROM_OK;
}

/* "f 1/1/1 2/2/1 3//2" of OBJ: the first of each are vertices, from 1. */
static void read_face(mesh_points *m, const char *at, int line) {
    while (at += strspn(at, " \t"), *at && !strchr("\r\n", *at)) {
        const long vertex = strtol(at, NULL, 10);
        if (vertex > m->named) m->named = vertex, m->named_in = line;
        at += strcspn(at, " \t\r\n");
    }
}

/* "v 1 2 3" and "f 1 2 3" of OBJ, "vertex 1 2 3" of STL */
static carom_status read_line(mesh_points *m, const char *text, int line, locale_t numbers) {
    const char *at = text + strspn(text, " \t");
    const size_t word = strcspn(at, " \t\r\n");
    if (word == 1 && *at == 'f') read_face(m, at + word, line);
    if (!(word == 1 && *at == 'v') && !(word == 6 && strncmp(at, "vertex", word) == 0)) return CAROM_OK;
    double x[3];
    at += word;
    for (int i = 0; i < 3; i++) {
        char *end;
        at += strspn(at, " \t");
        x[i] = strtod_l(at, &end, numbers);
        if (end == at || *at == '\n' || !isfinite(x[i]))
            return carom_error_at(m->d->n->error, CAROM_DATA, m->path, line, (int)(at - text) + 1,
                                  "expected a coordinate of a vertex");
        at = end;
    }
    return add_point(m, x);
}

static carom_status read_lines(mesh_points *m, const char *text) {
    locale_t numbers = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    carom_status status = numbers ? CAROM_OK : carom_error_memory(m->d->n->error);
    for (int line = 1; *text && !status; line++) {
        status = read_line(m, text, line, numbers);
        text += strcspn(text, "\n");
        if (*text) text++;
    }
    if (numbers) freelocale(numbers);
    return status;
}

/* 80 bytes, the number of triangles, and 50 bytes for each: a normal, three vertices, two bytes; little-endian */
enum { STL_HEAD = 84, STL_TRIANGLE = 50 };

static uint32_t four_bytes(const char *text) {
    const unsigned char *b = (const unsigned char *)text;
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static bool is_binary(const char *text, size_t size) {
    return size >= STL_HEAD && (size - STL_HEAD) / STL_TRIANGLE == four_bytes(text + STL_HEAD - 4) &&
           (size - STL_HEAD) % STL_TRIANGLE == 0;
}

static carom_status read_binary(mesh_points *m, const char *text, size_t size) {
    carom_status status = CAROM_OK;
    for (const char *at = text + STL_HEAD; at < text + size && !status; at += STL_TRIANGLE)
        for (int k = 0; k < 3 && !status; k++) {
            double x[3];
            for (int i = 0; i < 3; i++) {
                const uint32_t bits = four_bytes(at + 12 * (k + 1) + 4 * i);
                float value;
                memcpy(&value, &bits, sizeof value);
                x[i] = value;
                if (!isfinite(value))
                    return carom_error_at(m->d->n->error, CAROM_DATA, m->path, 0, 0,
                                          "a vertex of the mesh is not finite");
            }
            status = add_point(m, x);
        }
    return status;
}

/* A file that was cut off has a hull, too: that of what is left of the body. */
static carom_status check_whole(const mesh_points *m, bool text_stl, const char *text) {
    carom_error *error = m->d->n->error;
    if (text_stl && !strstr(text, "endsolid"))
        return carom_error_at(error, CAROM_DATA, m->path, 0, 0,
                              "this STL is not whole: a text ends with 'endsolid', a binary file has 50 bytes for each "
                              "of its triangles");
    if (m->named > m->count)
        return carom_error_at(error, CAROM_DATA, m->path, m->named_in, 1,
                              "this OBJ is not whole: a face has vertex %ld of %d", m->named, m->count);
    if (!m->count) return carom_error_at(error, CAROM_DATA, m->path, 0, 0, "the mesh has no vertices");
    return CAROM_OK;
}

static carom_status read_mesh(draft *d, const node *name, mesh_points *m) {
    const char *ending = name->kind == NODE_TEXT ? strrchr(name->text, '.') : NULL;
    const bool stl = ending && strcasecmp(ending, ".stl") == 0;
    if (!ending || (!stl && strcasecmp(ending, ".obj") != 0))
        return node_error(d->n->error, name,
                          "a hull is a list of points, [[x, y, z], ...], or a mesh, stone.obj or "
                          "stone.stl");
    *m = (mesh_points){.d = d, .path = names_path(d->n, name, name->text, strlen(name->text))};
    size_t size = 0;
    char *text = m->path ? names_read(d->n, m->path, "mesh", &size) : NULL;
    if (!text) return m->path ? CAROM_DATA : carom_error_memory(d->n->error);
    const bool binary = stl && is_binary(text, size);
    carom_status status = binary ? read_binary(m, text, size) : read_lines(m, text);
    if (!status) status = check_whole(m, stl && !binary, text);
    free(text);
    return status;
}

/* The points that differ of many triangles that share them. */
static int by_coordinates(const void *a, const void *b) {
    const double *x = a, *y = b;
    for (int i = 0; i < 3; i++)
        if (x[i] != y[i]) return x[i] < y[i] ? -1 : 1;
    return 0;
}

static void merge_points(mesh_points *m) {
    int count = 0;
    if (m->count) qsort(m->at, (size_t)m->count, sizeof *m->at, by_coordinates);
    for (int i = 0; i < m->count; i++)
        if (!count || by_coordinates(m->at[count - 1], m->at[i]) != 0) memmove(m->at[count++], m->at[i], sizeof *m->at);
    m->count = count;
}

/* ---------------------------------------------------------------- the tree */

static bool append_point(draft *d, node *list, node **last, const double x[3]) {
    node *point = yaml_new(d->n->memory, NODE_LIST, NULL, list), **next = point ? &point->first : NULL;
    for (int i = 0; i < 3 && next; i++) {
        const char *text = arena_number(d->n->memory, x[i]);
        node *number = text ? yaml_new(d->n->memory, NODE_TEXT, text, list) : NULL;
        *next = number;
        next = number ? &number->next : NULL;
    }
    if (*last) (*last)->next = point;
    else list->first = point;
    *last = point;
    return next != NULL;
}

/* A mesh becomes the list of the corners of its hull. */
static carom_status replace_mesh(draft *d, node *name) {
    mesh_points m = {0};
    polytope h = {0};
    carom_status status = read_mesh(d, name, &m);
    if (!status) merge_points(&m);
    if (!status) status = wrap(d, name, (const double(*)[3])m.at, m.count, false, &h);
    node list = *name, *last = NULL;
    list.kind = NODE_LIST, list.text = list.raw = list.raw_end = NULL;
    for (int i = 0; i < h.vertices && !status; i++)
        if (!append_point(d, &list, &last, h.vertex[i])) status = carom_error_memory(d->n->error);
    polytope_destroy(&h);
    if (!status) *name = list;
    return status;
}

/* ---------------------------------------------------------------- points */

/* In the plane a third coordinate may be written, too; it is zero. */
static carom_status read_point(draft *d, const element *e, const node *at, bool planar, double scale, double x[3]) {
    const int count = at->kind == NODE_LIST ? yaml_count(at) : 0;
    carom_status status = CAROM_OK;
    if (count != 3 && !(planar && count == 2))
        return node_error(d->n->error, at, "a point of a hull has %s",
                          planar ? "two coordinates in the plane, [x, y]" : "three coordinates, [x, y, z]");
    const node *number = at->first;
    for (int k = 0; k < count && !status; k++, number = number->next) {
        status = names_number(d->n, number, &e->index, &x[k]);
        x[k] *= scale;
    }
    if (!status && planar && x[2] != 0) return node_error(d->n->error, at, "this point leaves the plane of x and y");
    return status;
}

static carom_status read_points(draft *d, const element *e, const node *list, bool planar, double (*point)[3]) {
    double scale = 1;
    carom_status status = read_positive(d, e, "scale", &scale);
    for (const node *at = list->first; at && !status; at = at->next, point++)
        status = read_point(d, e, at, planar, scale, *point);
    return status;
}

static carom_status check_faces(draft *d, const node *at, const polytope *h) {
    for (int f = 0; f < h->faces; f++)
        if (h->face[f].count > CORNERS_MOST)
            return node_error(d->n->error, at, "a face of the hull has %d corners, at most %d are taken",
                              h->face[f].count, CORNERS_MOST);
    return CAROM_OK;
}

carom_status read_hull(draft *d, const element *e, bool planar, form *s) {
    node *list = yaml_find(e->value, "hull");
    if (planar && list->kind != NODE_LIST)
        return node_error(d->n->error, list, "in the plane a hull is a list of points, [[x, y], ...]");
    carom_status status = list->kind == NODE_LIST ? CAROM_OK : replace_mesh(d, list);
    if (status) return status;
    const int count = yaml_count(list);
    double(*point)[3] = zeros(d, count + 1, sizeof *point);
    polytope h = {0};
    status = point ? read_points(d, e, list, planar, point) : carom_error_memory(d->n->error);
    if (!status) status = wrap(d, list, (const double(*)[3])point, count, planar, &h);
    if (!status) status = check_faces(d, list, &h);
    if (!status) status = keep(d, &h, &s->hull);
    polytope_destroy(&h);
    return status;
}
