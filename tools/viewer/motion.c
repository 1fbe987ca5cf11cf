#include "viewer/motion.h"

#include "error.h"
#include "model/space.h"
#include "result/canvas.h"
#include "result/json.h"

#include <stdlib.h>
#include <string.h>

enum { PLACE_COLUMNS = 7, BATCH = 1 << 22 }; /* numbers in memory at once */

/* ---- places */

static int columns_of(const drawn *thing) {
    return thing->kind == DRAWN_BODY ? PLACE_COLUMNS : 3 * thing->count;
}

/* position and axes to position and quaternion, nearest to the one before it */
static void turn_place(const double *place, const double *before, double *x) {
    double A[3][3];
    for (int i = 0; i < 9; i++) A[i % 3][i / 3] = place[3 + i];
    memcpy(x, place, 3 * sizeof *x);
    space_quaternion(A, x + 3);
    double same = 0;
    for (int i = 3; i < PLACE_COLUMNS; i++) same += x[i] * before[i];
    for (int i = 3; i < PLACE_COLUMNS && same < 0; i++) x[i] = -x[i];
}

typedef struct batch {
    int from, to, width; /* things, columns of all of them */
    double *values;      /* [width][frames] */
} batch;

static void fill_frame(const batch *b, film *f, int frame, double *row) {
    const double *numbers = film_numbers(f, frame);
    size_t frames = (size_t)f->frames, column = 0;
    for (int i = b->from; i < b->to; i++) {
        const drawn *thing = &f->drawing->thing[i];
        const double *x = numbers + thing->first;
        double place[PLACE_COLUMNS];
        int width = columns_of(thing);
        if (thing->kind == DRAWN_BODY) {
            turn_place(x, row + column, place);
            memcpy(row + column, place, sizeof place);
            x = place;
        }
        for (int k = 0; k < width; k++) b->values[(column + (size_t)k) * frames + (size_t)frame] = x[k];
        column += (size_t)width;
    }
}

static carom_status write_batch(columns *c, film *f, const batch *b, int *first, carom_error *error) {
    double *row = calloc((size_t)b->width + 1, sizeof *row);
    if (!row) return carom_error_memory(error);
    for (int k = 0; k < f->frames; k++) fill_frame(b, f, k, row);
    free(row);
    const double *values = b->values;
    for (int i = b->from; i < b->to; i++) {
        first[i] = c->count;
        for (int k = columns_of(&f->drawing->thing[i]); k > 0; k--, values += f->frames)
            columns_add(c, CODED_PLACE, values, f->frames);
    }
    return c->failed ? carom_error_memory(error) : CAROM_OK;
}

/* The next things whose numbers fit into memory together, but at least one. */
static bool next_batch(const film *f, batch *b) {
    b->from = b->to, b->width = 0;
    while (b->to < f->drawing->things) {
        int width = columns_of(&f->drawing->thing[b->to]);
        if (b->width > 0 && (long)(b->width + width) * f->frames > BATCH) break;
        b->width += width, b->to++;
    }
    return b->to > b->from;
}

carom_status motion_write(columns *c, film *f, int *first, carom_error *error) {
    batch b = {0};
    carom_status status = CAROM_OK;
    while (!status && next_batch(f, &b)) {
        b.values = malloc(((size_t)b.width * (size_t)f->frames + 1) * sizeof *b.values);
        status = b.values ? write_batch(c, f, &b, first, error) : carom_error_memory(error);
        free(b.values);
    }
    return status;
}

/* ---- what they are */

/* Faces by their corners, and vertices relative to the centre of the box around them, where the shape is placed. */
static void describe_hull(FILE *out, const polytope *h, double middle[3]) {
    for (int k = 0; k < 3; k++) {
        double low = INFINITY, high = -INFINITY;
        for (int i = 0; i < h->vertices; i++) low = fmin(low, h->vertex[i][k]), high = fmax(high, h->vertex[i][k]);
        middle[k] = (low + high) / 2;
    }
    fputs(", \"vertices\": [", out);
    for (int i = 0; i < h->vertices; i++) {
        double x[3];
        for (int k = 0; k < 3; k++) x[k] = h->vertex[i][k] - middle[k];
        fputs(i > 0 ? ", " : "", out);
        json_numbers(out, x, 3);
    }
    fputs("], \"faces\": [", out);
    for (int f = 0; f < h->faces; f++) {
        fputs(f > 0 ? ", [" : "[", out);
        for (int i = 0; i < h->face[f].count; i++)
            fprintf(out, "%s%d", i > 0 ? ", " : "", h->corner[h->face[f].first + i]);
        fputc(']', out);
    }
    fputc(']', out);
}

static void describe_shape(FILE *out, const shape *s) {
    double r[3], middle[3] = {0};
    json_entry(out, "{", "kind", shape_names[s->kind]);
    fputs(", \"radius\": ", out);
    json_number(out, s->radius);
    fputs(", \"length\": ", out);
    json_number(out, s->length);
    fputs(", \"size\": ", out);
    json_numbers(out, s->size, 3);
    if (s->kind == SHAPE_HULL) describe_hull(out, s->hull, middle);
    for (int i = 0; i < 3; i++) r[i] = s->r[i] + space_dot(s->A[i], middle);
    fputs(", \"r\": ", out);
    json_numbers(out, r, 3);
    fputs(", \"A\": ", out);
    json_numbers(out, s->A[0], 9);
    fputc('}', out);
}

static void describe_thing(FILE *out, const film *f, const drawn *thing, int first, int colour) {
    static const char *const kinds[] = {"body", "line", "tube",    "polygon", "spring",
                                        "text", "path", "contact", "joint"};
    json_entry(out, "{", "kind", kinds[thing->kind]);
    json_entry(out, ", ", "name", thing->name);
    json_entry(out, ", ", "colour", colour < 0 ? NULL : palette[colour % (COLOURS - 1)]); /* without black */
    fprintf(out, ", \"ground\": %s, \"count\": %d, \"at\": %d, \"radius\": ", thing->ground ? "true" : "false",
            thing->count, first);
    json_number(out, thing->radius);
    if (thing->text) json_entry(out, ", ", "text", thing->text);
    if (thing->kind == DRAWN_CONTACT) fputs(", \"mu\": ", out), json_number(out, film_contact(f, thing)->friction);
    if (thing->kind == DRAWN_BODY) {
        const shape *shapes;
        int count = film_shapes(f, thing, &shapes);
        fprintf(out, ", \"turns\": %s, \"shapes\": [", thing->body == BODY_POINT ? "false" : "true");
        for (int i = 0; i < count; i++) fputs(i > 0 ? ", " : "", out), describe_shape(out, &shapes[i]);
        fputc(']', out);
    }
    fputc('}', out);
}

void motion_describe(FILE *out, const film *f, const int *first) {
    const drawing *d = f->drawing;
    fprintf(out, "{\"planar\": %s, \"up\": %d, \"size\": ", d->planar ? "true" : "false", d->up);
    json_number(out, f->size);
    fputs(", \"low\": ", out);
    json_numbers(out, f->low, 3);
    fputs(", \"high\": ", out);
    json_numbers(out, f->high, 3);
    fputs(", \"things\": [", out);
    for (int i = 0, colours = 0; i < d->things; i++) {
        fputs(i > 0 ? ",\n" : "\n", out);
        describe_thing(out, f, &d->thing[i], first[i], drawn_colour(&d->thing[i], &colours));
    }
    fputs("]}", out);
}
