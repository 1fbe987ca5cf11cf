/* A series for ParaView and everything else that reads VTK's XML files: a collection NAME.pvd of the instants, each
 * with the surfaces of bodies and tubes, lines, and contacts as points with their forces. */
#include "error.h"
#include "picture/file.h"
#include "picture/film.h"
#include "picture/mesh.h"
#include "result/reader.h"
#include "result/store.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- XML */

static void write_text(FILE *out, const char *text) {
    for (; *text; text++) {
        const char *name = *text == '&' ? "&amp;" : *text == '<' ? "&lt;" : *text == '"' ? "&quot;" : NULL;
        if (name) fputs(name, out);
        else fputc(*text, out);
    }
}

/* Three bytes become four letters. */
static void write_base64(FILE *out, const unsigned char *bytes, size_t size) {
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3) {
        unsigned last = (unsigned)(size - i < 3 ? size - i : 3), group = 0;
        for (unsigned k = 0; k < 3; k++) group = group << 8 | (k < last ? bytes[i + k] : 0);
        for (unsigned k = 0; k < 4; k++) fputc(k <= last ? letters[group >> (18 - 6 * k) & 63] : '=', out);
    }
}

/* An array of a piece: the number of its bytes, then the bytes. */
typedef struct array {
    unsigned char *bytes; /* data with room for that number in front */
    size_t size, room;
} array;

static bool append_bytes(array *a, const void *bytes, size_t size) {
    if (!a->size) a->size = sizeof(uint64_t);
    if (a->size + size > a->room) {
        size_t room = 2 * (a->size + size);
        unsigned char *larger = realloc(a->bytes, room);
        if (!larger) return false;
        a->bytes = larger, a->room = room;
    }
    memcpy(a->bytes + a->size, bytes, size);
    a->size += size;
    return true;
}

static bool add_integer(array *a, int64_t value) {
    return append_bytes(a, &value, sizeof value);
}

static bool add_numbers(array *a, const double *x, int count) {
    return append_bytes(a, x, (size_t)count * sizeof *x);
}

static void write_array(FILE *out, const char *type, const char *name, int parts, const array *a) {
    uint64_t size = a->size ? a->size - sizeof size : 0;
    fprintf(out, "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" format=\"binary\">\n", type, name,
            parts);
    if (size) memcpy(a->bytes, &size, sizeof size);
    write_base64(out, size ? a->bytes : (const unsigned char *)&size, size ? a->size : sizeof size);
    fputs("\n</DataArray>\n", out);
}

/* ---- a piece: points with cells of one kind */

enum { POINT_ARRAYS = 5 };
static const struct {
    const char *name;
    int parts;
} contact_arrays[POINT_ARRAYS] = {{"force", 3}, {"PN", 1}, {"PF", 3}, {"gap", 1}, {"state", 1}};

typedef struct piece {
    int points, cells;
    array x, corners, ends, body; /* body: number of the thing a cell belongs to */
    array of_contact[POINT_ARRAYS];
} piece;

static void piece_free(piece *p) {
    array *arrays[] = {&p->x, &p->corners, &p->ends, &p->body};
    for (int i = 0; i < 4; i++) free(arrays[i]->bytes);
    for (int i = 0; i < POINT_ARRAYS; i++) free(p->of_contact[i].bytes);
    *p = (piece){0};
}

static bool add_cell(piece *p, const int *corners, int count, int first, int64_t of) {
    bool fine = true;
    for (int k = 0; k < count && fine; k++) fine = add_integer(&p->corners, first + corners[k]);
    p->cells++;
    return fine && add_integer(&p->ends, (int64_t)((p->corners.size - sizeof(uint64_t)) / sizeof(int64_t))) &&
           add_integer(&p->body, of);
}

static bool add_mesh(piece *p, const mesh *m, const double *place, const shape *s, int of) {
    bool fine = true;
    for (int i = 0; i < m->points && fine; i++) {
        double y[3];
        if (s) place_point(place, s, m->x[i], y);
        fine = add_numbers(&p->x, s ? y : m->x[i], 3);
    }
    for (int f = 0; f < m->faces && fine; f++) fine = add_cell(p, m->face[f], m->face[f][3] < 0 ? 3 : 4, p->points, of);
    p->points += m->points;
    return fine;
}

/* A line or a polygon: one cell. */
static bool add_points(piece *p, const double *x, int count, int of) {
    bool fine = add_numbers(&p->x, x, 3 * count);
    for (int k = 0; k < count && fine; k++) fine = add_integer(&p->corners, p->points + k);
    p->points += count;
    return fine && add_cell(p, NULL, 0, 0, of);
}

static bool add_contact(piece *p, const double x[3], const double force[3], const double *touch, int of) {
    const double *values[POINT_ARRAYS] = {force, touch + TOUCH_PN, touch + TOUCH_PF, touch + TOUCH_GAP,
                                          touch + TOUCH_STATE};
    bool fine = add_numbers(&p->x, x, 3) && add_cell(p, (int[]){0}, 1, p->points, of);
    for (int i = 0; i < POINT_ARRAYS && fine; i++)
        fine = add_numbers(&p->of_contact[i], values[i], contact_arrays[i].parts);
    p->points++;
    return fine;
}

static bool add_drawn_contact(piece *p, const film *f, const drawn *thing, const double *numbers, const double *touch,
                              int of) {
    double force[3];
    film_force(f, thing, numbers, touch, force);
    return add_contact(p, numbers + thing->first, force, touch, of);
}

/* The directions of PF are not recorded. Entries have the numbers after those of contacts that are drawn. */
static bool add_found_contact(piece *p, const film *f, const found_contact *c) {
    const double touch[TOUCH_NUMBERS] = {[TOUCH_GAP] = (*c)[FOUND_GAP], [TOUCH_STATE] = (*c)[FOUND_STATE],
                                         [TOUCH_PN] = (*c)[FOUND_PN],   [TOUCH_PF] = NAN,
                                         [TOUCH_PF + 1] = NAN,          [TOUCH_PF + 2] = NAN};
    double force[3];
    film_found_force(f, c, force);
    return add_contact(p, &(*c)[FOUND_POINT], force, touch, f->contacts + (int)(*c)[FOUND_ENTRY]);
}

/* ---- what an instant holds */

enum { BODIES, LINES, CONTACTS, KINDS };
static const char *const kind_names[KINDS] = {"bodies", "lines", "contacts"};
static const char *const cell_names[KINDS] = {"Polys", "Lines", "Verts"};

/* Texts, paths and joints are left out: they are for pictures. */
static int kind_of(const drawn *thing) {
    static const int kinds[] = {[DRAWN_BODY] = BODIES,    [DRAWN_LINE] = LINES,       [DRAWN_TUBE] = BODIES,
                                [DRAWN_POLYGON] = BODIES, [DRAWN_SPRING] = LINES,     [DRAWN_TEXT] = KINDS,
                                [DRAWN_PATH] = KINDS,     [DRAWN_CONTACT] = CONTACTS, [DRAWN_JOINT] = KINDS};
    return kinds[thing->kind];
}

enum { ROUND = 32, ROUND_TUBE = 12 };

static bool add_body(piece *p, const film *f, const drawn *thing, const double *place, int of) {
    const shape *shapes;
    double low[2], high[2];
    bool fine = true;
    for (int k = 0, count = film_shapes(f, thing, &shapes); k < count && fine; k++) {
        shape s = shapes[k];
        if (s.kind == SHAPE_POINT) s.kind = SHAPE_SPHERE, s.radius = f->mark[0].radius / 2;
        mesh m;
        if (s.kind == SHAPE_PLANE) film_plane(f, place, &s, low, high);
        fine = s.kind == SHAPE_PLANE ? mesh_plane(&m, low, high) : mesh_shape(&m, &s, ROUND);
        fine = fine && add_mesh(p, &m, place, &s, of);
        mesh_free(&m);
    }
    return fine;
}

static bool add_tube(piece *p, const drawn *thing, const double *x, int of) {
    mesh m;
    bool fine = mesh_tube(&m, (const double(*)[3])x, thing->count, thing->radius, ROUND_TUBE) &&
                add_mesh(p, &m, NULL, NULL, of);
    mesh_free(&m);
    return fine;
}

static bool fill_pieces(piece *pieces, film *f, int frame, const found_contact *met, long count) {
    const double *numbers = film_numbers(f, frame);
    const double *touches = film_touches(f, frame);
    int number[KINDS + 1] = {0};
    bool fine = true;
    for (int i = 0; i < f->drawing->things && fine; i++) {
        const drawn *thing = &f->drawing->thing[i];
        const double *at = numbers + thing->first;
        int kind = kind_of(thing), of = number[kind]++;
        if (kind == KINDS) continue;
        if (kind == CONTACTS)
            fine = add_drawn_contact(&pieces[kind], f, thing, numbers, touches + of * TOUCH_NUMBERS, of);
        else if (kind == LINES || thing->kind == DRAWN_POLYGON) fine = add_points(&pieces[kind], at, thing->count, of);
        else if (thing->kind == DRAWN_TUBE) fine = add_tube(&pieces[kind], thing, at, of);
        else fine = add_body(&pieces[kind], f, thing, at, of);
    }
    for (long i = 0; i < count && fine; i++) fine = add_found_contact(&pieces[CONTACTS], f, &met[i]);
    return fine;
}

/* ---- files */

/* As letters by their numbers. */
static void write_name(FILE *out, const char *name) {
    for (; *name; name++) fprintf(out, "%d ", (unsigned char)*name);
    fputs("0\n", out);
}

/* Names of the things, then of the entries of contacts that are found; and the time. */
static void write_fields(FILE *out, const film *f, int kind, double t) {
    const result_reader *entries = kind == CONTACTS ? f->found.table : NULL;
    int count = 0;
    for (int i = 0; i < f->drawing->things; i++) count += kind_of(&f->drawing->thing[i]) == kind;
    for (int i = 0; entries && result_contact(entries, i); i++) count++;
    fprintf(out,
            "<FieldData>\n<DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">"
            "%.17g</DataArray>\n<Array type=\"String\" Name=\"names\" NumberOfTuples=\"%d\" format=\"ascii\">\n",
            t, count);
    for (int i = 0; i < f->drawing->things; i++)
        if (kind_of(&f->drawing->thing[i]) == kind) write_name(out, f->drawing->thing[i].name);
    for (int i = 0; entries && result_contact(entries, i); i++) write_name(out, result_contact(entries, i));
    fputs("</Array>\n</FieldData>\n", out);
}

static void write_piece(FILE *out, const piece *p, int kind) {
    fprintf(out, "<Piece NumberOfPoints=\"%d\" NumberOf%s=\"%d\">\n<Points>\n", p->points, cell_names[kind], p->cells);
    write_array(out, "Float64", "Points", 3, &p->x);
    fprintf(out, "</Points>\n<%s>\n", cell_names[kind]);
    write_array(out, "Int64", "connectivity", 1, &p->corners);
    write_array(out, "Int64", "offsets", 1, &p->ends);
    fprintf(out, "</%s>\n<CellData>\n", cell_names[kind]);
    write_array(out, "Int64", kind == BODIES ? "body" : kind == LINES ? "line" : "contact", 1, &p->body);
    fputs("</CellData>\n<PointData>\n", out);
    for (int i = 0; i < POINT_ARRAYS && kind == CONTACTS; i++)
        write_array(out, "Float64", contact_arrays[i].name, contact_arrays[i].parts, &p->of_contact[i]);
    fputs("</PointData>\n</Piece>\n", out);
}

static const char *byte_order(void) {
    return *(const unsigned char *)&(uint16_t){1} ? "LittleEndian" : "BigEndian";
}

static void write_head(FILE *out, const char *type) {
    fprintf(out,
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"%s\" version=\"1.0\" byte_order=\"%s\" header_type=\"UInt64\">\n",
            type, byte_order());
}

typedef struct series {
    const char *folder, *name;
    film film;
    bool present[KINDS + 1];
} series;

static void file_name(const series *s, int kind, int frame, char *name, size_t size) {
    snprintf(name, size, "%s_%s_%06d.vtp", s->name, kind_names[kind], frame);
}

static carom_status write_kind(series *s, const piece *p, int kind, int frame, carom_error *error) {
    char path[4096], name[512];
    file f;
    file_name(s, kind, frame, name, sizeof name);
    snprintf(path, sizeof path, "%s/%s", s->folder, name);
    carom_status status = file_create(&f, path, error);
    if (status) return status;
    write_head(f.out, "PolyData");
    fputs("<PolyData>\n", f.out);
    write_fields(f.out, &s->film, kind, s->film.t[frame]);
    write_piece(f.out, p, kind);
    fputs("</PolyData>\n</VTKFile>\n", f.out);
    return file_finish(&f, CAROM_OK, error);
}

static carom_status write_frame(series *s, int frame, carom_error *error) {
    piece pieces[KINDS] = {0};
    const found_contact *met;
    long count;
    carom_status status = film_found(&s->film, frame, &met, &count, error);
    if (!status && !fill_pieces(pieces, &s->film, frame, met, count)) status = carom_error_memory(error);
    for (int kind = 0; kind < KINDS; kind++) {
        if (!status && s->present[kind]) status = write_kind(s, &pieces[kind], kind, frame, error);
        piece_free(&pieces[kind]);
    }
    return status;
}

static carom_status write_collection(const series *s, const char *path, carom_error *error) {
    file f;
    char name[512];
    carom_status status = file_create(&f, path, error);
    if (status) return status;
    write_head(f.out, "Collection");
    fputs("<Collection>\n", f.out);
    for (int k = 0; k < s->film.frames; k++)
        for (int kind = 0; kind < KINDS; kind++) {
            if (!s->present[kind]) continue;
            file_name(s, kind, k, name, sizeof name);
            fprintf(f.out, "<DataSet timestep=\"%.17g\" part=\"%d\" name=\"%s\" file=\"", s->film.t[k], kind,
                    kind_names[kind]);
            write_text(f.out, name);
            fputs("\"/>\n", f.out);
        }
    fputs("</Collection>\n</VTKFile>\n", f.out);
    return file_finish(&f, CAROM_OK, error);
}

static carom_status make_folder(const char *path, carom_error *error) {
    char reason[128];
    struct stat there;
    if (mkdir(path, 0777) == 0) return CAROM_OK;
    int number = errno;
    if (number == EEXIST && stat(path, &there) == 0) number = S_ISDIR(there.st_mode) ? 0 : ENOTDIR;
    if (number == 0) return CAROM_OK;
    return carom_error_set(error, CAROM_DATA, "%s: %s", path, store_reason(number, reason, sizeof reason));
}

/* A collection file stands for a complete series. So an older one is removed first, and the new one is written last. */
static carom_status write_series(series *s, int *written, carom_error *error) {
    char path[4096], reason[128];
    carom_error problem = {0};
    if (snprintf(path, sizeof path, "%s/%s.pvd", s->folder, s->name) >= (int)sizeof path)
        return carom_error_set(error, CAROM_DATA, "%s: %s", s->folder,
                               store_reason(ENAMETOOLONG, reason, sizeof reason));
    for (int i = 0; i < s->film.drawing->things; i++) s->present[kind_of(&s->film.drawing->thing[i])] = true;
    if (s->film.found.table) s->present[CONTACTS] = true;
    carom_status status = make_folder(s->folder, error);
    if (status) return status;
    unlink(path);
    for (*written = 0; *written < s->film.frames && !status; *written += !status)
        status = write_frame(s, *written, &problem);
    if (!status) return write_collection(s, path, error);
    return carom_error_set(error, status, "%.700s (%d of %d instants are written, and no %s.pvd)", problem.message,
                           *written, s->film.frames, s->name);
}

carom_status picture_vtk(result_reader *r, const char *folder, const char *name, const instants *when, int *written,
                         carom_error *error) {
    series s = {.folder = folder, .name = name};
    if (!*folder) return carom_error_set(error, CAROM_DATA, "the name of the folder is empty");
    carom_status status = film_open(r, when, &s.film, error);
    if (status) return status;
    status = film_open_found(&s.film, r, error);
    if (!status) status = write_series(&s, written, error);
    film_close(&s.film);
    return status;
}
