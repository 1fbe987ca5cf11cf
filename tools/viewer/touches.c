#include "viewer/touches.h"

#include "error.h"
#include "model/found/finder.h"
#include "result/json.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 300000, FEWEST = 50 }; /* contacts that a page holds; of each row, where there are as many */

/* ---- the strongest */

static double strength(const found_contact *c) {
    const double *P = &(*c)[FOUND_P];
    return P[0] * P[0] + P[1] * P[1] + P[2] * P[2];
}

static int by_strength(const void *a, const void *b) {
    double x = strength(a), y = strength(b);
    return (x < y) - (x > y);
}

static carom_status make_room(touches *t, long count, carom_error *error) {
    if (count <= t->room) return CAROM_OK;
    found_contact *more = realloc(t->strong, (size_t)count * sizeof *more);
    if (!more) return carom_error_memory(error);
    t->strong = more, t->room = count;
    return CAROM_OK;
}

/* Keeps at most this many contacts at a row. */
static carom_status choose(touches *t, found *f, long row, long most, const found_contact **chosen, long *count,
                           carom_error *error) {
    carom_status status = found_at(f, row, chosen, count, error);
    if (status || *count <= most) return status;
    status = make_room(t, *count, error);
    if (status) return status;
    memcpy(t->strong, *chosen, (size_t)*count * sizeof *t->strong);
    qsort(t->strong, (size_t)*count, sizeof *t->strong, by_strength);
    *chosen = (const found_contact *)t->strong, *count = most;
    return CAROM_OK;
}

/* ---- their columns */

static carom_status add_counts(touches *t, columns *c, const found *f, const long *rows, long count, long most,
                               carom_error *error) {
    double *before = malloc(((size_t)count + 1) * sizeof *before);
    if (!before) return carom_error_memory(error);
    for (long k = 0; k < count; k++) {
        long there = f->from[rows[k] + 1] - f->from[rows[k]];
        before[k] = (double)t->held;
        t->there += there, t->held += there < most ? there : most;
    }
    before[count] = (double)t->held;
    t->from = columns_add(c, CODED_QUANTITY, before, count + 1);
    free(before);
    return CAROM_OK;
}

static carom_status gather(touches *t, found *f, const long *rows, long count, long most, double *values,
                           carom_error *error) {
    carom_status status = CAROM_OK;
    for (long k = 0, at = 0; k < count && !status; k++) {
        const found_contact *contact;
        long n;
        status = choose(t, f, rows[k], most, &contact, &n, error);
        for (long i = 0; i < n && !status; i++, at++)
            for (int j = 0; j < FOUND_NUMBERS; j++) values[j * t->held + at] = contact[i][j];
    }
    return status;
}

carom_status touches_write(columns *c, found *f, const long *rows, long count, touches *t, carom_error *error) {
    *t = (touches){0};
    if (!f->table) return CAROM_OK;
    long most = MOST / count < FEWEST ? FEWEST : MOST / count;
    carom_status status = add_counts(t, c, f, rows, count, most, error);
    if (status) return status;
    double *values = malloc(((size_t)t->held * FOUND_NUMBERS + 1) * sizeof *values);
    status = values ? gather(t, f, rows, count, most, values, error) : carom_error_memory(error);
    t->at = c->count;
    for (int j = 0; j < FOUND_NUMBERS && !status; j++) columns_add(c, CODED_QUANTITY, values + j * t->held, t->held);
    free(values);
    return status ? status : c->failed ? carom_error_memory(error) : CAROM_OK;
}

void touches_free(touches *t) {
    free(t->strong);
}

/* ---- what they are */

static void describe_names(FILE *out, const char *key, const char *(*name)(const result_reader *, int),
                           const result_reader *from) {
    fprintf(out, ", \"%s\": [", key);
    for (int i = 0; name(from, i); i++) fputs(i > 0 ? ", " : "", out), json_text(out, name(from, i));
    fputc(']', out);
}

void touches_describe(FILE *out, const touches *t, const found *f, const film *m) {
    const finder *laws = m->scene ? m->scene->finder : NULL;
    fprintf(out, "\"found\": {\"held\": %ld, \"there\": %ld, \"from\": %d, \"at\": %d", t->held, t->there, t->from,
            t->at);
    describe_names(out, "entries", result_contact, f->table);
    describe_names(out, "bodies", result_kind, f->table);
    fputs(", \"mu\": [", out);
    for (int i = 0; laws && i < laws->laws; i++)
        fputs(i > 0 ? ", " : "", out), json_number(out, laws->law[i].contact.friction);
    fputs("]},\n", out);
}
