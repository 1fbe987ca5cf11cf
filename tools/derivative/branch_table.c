#include "carom/result.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "derivative/branch_output.h"
#include "error.h"
#include "result/csv.h"

enum { LONGEST = 96 };

typedef struct columns {
    const carom_model_def *d;
    const branch_question *q;
    int count, multipliers, room;
    char (*name)[LONGEST];
    double *row;
} columns;

/* ---------------------------------------------------------------- columns, by name and by value */

static void put_value(columns *c, const char *name, double value) {
    if (c->count < c->room) snprintf(c->name[c->count], LONGEST, "%s", name), c->row[c->count] = value;
    c->count++;
}

static void put_indexed(columns *c, const char *format, int index, double value) {
    char name[LONGEST];
    snprintf(name, sizeof name, format, index);
    put_value(c, name, value);
}

static void put_advances(columns *c, const orbit_answer *a) {
    for (int i = 0; i < c->q->orbit.modulos; i++) {
        char name[LONGEST];
        const int k = carom_model_coordinate(carom_scene_model(c->q->orbit.scene), c->q->orbit.modulo[i].name);
        snprintf(name, sizeof name, "%.80s.advance", c->q->orbit.modulo[i].name);
        put_value(c, name, a->advance[k]);
    }
}

/* One row: a point of a branch at one of its visits. */
static void fill_row(columns *c, const branch_point *p, int visit) {
    const carom_model_def *d = c->d;
    const orbit_answer *a = &p->orbit;
    const double *state = a->visit + visit * (d->nq + d->nu);
    c->count = 0;
    put_value(c, "branch", p->branch + 1);
    put_value(c, "kind", (double)p->kind);
    put_value(c, "visit", visit);
    put_value(c, c->q->orbit.parameter, a->value);
    put_value(c, "period", a->period);
    put_value(c, "start", a->t);
    for (int i = 0; i < d->nq; i++) put_value(c, d->q_names[i], state[i]);
    for (int i = 0; i < d->nu; i++) put_value(c, d->u_names[i], state[d->nq + i]);
    put_advances(c, a);
    for (int i = 0; i < c->multipliers; i++) {
        put_indexed(c, "multiplier%d.re", i + 1, i < a->count ? creal(a->multiplier[i]) : NAN);
        put_indexed(c, "multiplier%d.im", i + 1, i < a->count ? cimag(a->multiplier[i]) : NAN);
    }
    put_value(c, "largest", a->count ? cabs(a->multiplier[0]) : NAN);
    put_value(c, "events", (double)a->events);
    put_value(c, "slowest_strike", a->slowest);
    put_value(c, "transversality", a->margins.transversality.least);
    put_value(c, "separation", a->margins.separation.least);
    put_value(c, "friction", a->margins.friction.least);
}

static void destroy(columns *c) {
    free(c->name);
    free(c->row);
}

static bool create(columns *c, const branch_question *q, const branch_list *found) {
    *c = (columns){.d = carom_model_get(carom_scene_model(q->orbit.scene)), .q = q};
    for (int i = 0; i < found->count; i++)
        if (found->point[i].orbit.count > c->multipliers) c->multipliers = found->point[i].orbit.count;
    fill_row(c, &found->point[0], 0); /* counts */
    c->room = c->count;
    c->name = calloc((size_t)c->room, sizeof *c->name);
    c->row = calloc((size_t)c->room, sizeof *c->row);
    if (!c->name || !c->row) return false;
    fill_row(c, &found->point[0], 0);
    return true;
}

/* ---------------------------------------------------------------- files */

static void write_rows(columns *c, const branch_list *found, FILE *out) {
    for (int i = 0; i < c->count; i++) {
        if (i) fputc(',', out);
        csv_text(out, c->name[i]);
    }
    fputs(",note\n", out);
    for (int k = 0; k < found->count; k++)
        for (int visit = 0; visit < found->point[k].orbit.visits; visit++) {
            const branch_point *p = &found->point[k];
            fill_row(c, p, visit);
            for (int i = 0; i < c->count; i++) {
                if (i) fputc(',', out);
                if (!strcmp(c->name[i], "kind")) csv_text(out, branch_kind_name(p->kind));
                else csv_number(out, c->row[i]);
            }
            fputc(',', out);
            csv_text(out, p->note);
            fputc('\n', out);
        }
}

carom_status branch_write_csv(const branch_question *q, const branch_list *found, const char *path,
                              carom_error *error) {
    columns c;
    FILE *out = NULL;
    carom_status status = create(&c, q, found) ? csv_open(path, &out, error) : carom_error_memory(error);
    if (!status) {
        write_rows(&c, found, out);
        status = csv_close(path, out, CAROM_OK, error);
    }
    destroy(&c);
    return status;
}

static carom_status append_rows(columns *c, const branch_list *found, carom_result *result, carom_error *error) {
    carom_status status = CAROM_OK;
    for (int k = 0; k < found->count && !status; k++)
        for (int visit = 0; visit < found->point[k].orbit.visits && !status; visit++) {
            fill_row(c, &found->point[k], visit);
            status = carom_result_append(result, c->row, error);
        }
    return status;
}

carom_status branch_write_result(const branch_question *q, const branch_list *found, const char *path,
                                 carom_error *error) {
    columns c;
    carom_result *result = NULL;
    char panel[2 * LONGEST], size[2 * LONGEST], title[200];
    carom_status status = create(&c, q, found) ? CAROM_OK : carom_error_memory(error);
    const char **names = status ? NULL : calloc((size_t)c.count, sizeof *names);
    if (!status && !names) status = carom_error_memory(error);
    for (int i = 0; names && i < c.count; i++) names[i] = c.name[i];
    snprintf(panel, sizeof panel, "%.90s:%.90s", q->orbit.parameter, c.d->q_names[0]);
    snprintf(size, sizeof size, "%.90s:largest", q->orbit.parameter);
    snprintf(title, sizeof title, "Periodic motions: %.150s", carom_scene_title(q->orbit.scene));
    carom_result_def def = carom_default_result_def();
    def.title = title, def.columns = c.count, def.names = names;
    def.plot = (const char *const[]){panel, size}, def.plots = 2;
    if (!status) status = carom_result_create(path, &def, &result, error);
    if (!status) status = append_rows(&c, found, result, error);
    carom_status closed = carom_result_finish(result, status ? error->message : NULL, status ? NULL : error);
    free(names);
    destroy(&c);
    return status ? status : closed;
}
