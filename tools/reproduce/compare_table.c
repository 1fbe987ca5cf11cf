/* compare.csv as a table to read: a row per integrator, with its finest run and what it said where it refused or
 * failed. */
#include "error.h"
#include "reproduce/evaluate.h"
#include "reproduce/jobs.h"
#include "result/csv.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *head, *column, *format, *instead;
    double unit;
} shown[] = {{"dt", "dt", "%.3g", NULL, 1},
             {"error q", "error_q", "%.2e", NULL, 1},
             {"error u", "error_u", "%.2e", NULL, 1},
             {"energy change", "energy_change_relative", "%.2e", "energy_change", 1},
             {"smallest gap", "smallest_gap", "%.2e", NULL, 1},
             {"position drift", "position_drift", "%.2e", NULL, 1},
             {"Newton per step", "newton_mean", "%.2f", NULL, 1},
             {"µs per step", "seconds_per_step", "%.3g", NULL, 1e6}};
enum { SHOWN = sizeof shown / sizeof *shown, MOST_FIELDS = 64 };

/* The last run of an integrator that came to its end, and the first complaint. */
typedef struct best {
    double number[SHOWN], dt_failed;
    bool ok, failed;
    char complaint[400];
} best;

typedef struct comparison_reader {
    int column[SHOWN], integrator, status;
    const source *source;
    best *best;
} comparison_reader;

static int split(char *record, char **fields) {
    int count = 0;
    for (char *rest = record; rest && count < MOST_FIELDS;) fields[count++] = csv_field(&rest);
    return count;
}

static int place_of(char *const *fields, int count, const char *name) {
    for (int i = 0; i < count; i++)
        if (!strcmp(fields[i], name)) return i;
    return -1;
}

static void read_head(comparison_reader *r, char *const *fields, int count) {
    for (int k = 0; k < SHOWN; k++) {
        r->column[k] = place_of(fields, count, shown[k].column);
        if (r->column[k] < 0 && shown[k].instead) r->column[k] = place_of(fields, count, shown[k].instead);
    }
    r->integrator = place_of(fields, count, "integrator");
    r->status = place_of(fields, count, "status");
}

static void read_row(comparison_reader *r, char *const *fields, int count) {
    if (r->integrator < 0 || r->status < 0 || r->status >= count) return;
    for (int i = 0; i < r->source->schemes; i++) {
        best *b = &r->best[i];
        if (strcmp(r->source->label[i], fields[r->integrator])) continue;
        bool ok = !strcmp(fields[r->status], "ok");
        for (int k = 0; k < SHOWN && ok; k++)
            b->number[k] = r->column[k] < 0 ? NAN : shown[k].unit * strtod(fields[r->column[k]], NULL);
        b->ok |= ok;
        if (ok || b->failed) continue;
        b->failed = true, b->dt_failed = strtod(fields[r->column[0]], NULL);
        snprintf(b->complaint, sizeof b->complaint, "%s", fields[r->status]);
    }
}

static carom_status read_comparison(comparison_reader *r, const char *path, carom_error *error) {
    char *record = NULL, *fields[MOST_FIELDS];
    size_t room = 0;
    FILE *in = fopen(path, "r");
    if (!in) return carom_error_set(error, CAROM_FAILED, "%s cannot be read", path);
    for (int line = 0; csv_record(in, &record, &room); line++) {
        int count = split(record, fields);
        if (line == 0) read_head(r, fields, count);
        else read_row(r, fields, count);
    }
    free(record);
    fclose(in);
    return CAROM_OK;
}

/* Columns in which no integrator has a number are left out. */
static bool anyone_has(const comparison_reader *r, int k) {
    for (int i = 0; i < r->source->schemes; i++)
        if (r->best[i].ok && !isnan(r->best[i].number[k])) return true;
    return false;
}

static const char *remark(arena *memory, const best *b) {
    if (!b->failed) return "";
    if (!b->ok) return arena_format(memory, "%s", b->complaint);
    return arena_format(memory, "dt = %.3g %s", b->dt_failed, b->complaint);
}

static carom_status fill_cells(arena *memory, const comparison_reader *r, table_recipe *t, carom_error *error) {
    const source *s = r->source;
    int at[SHOWN];
    t->columns = 2, t->rows = s->schemes;
    for (int k = 0; k < SHOWN; k++) at[k] = anyone_has(r, k) ? t->columns++ - 1 : 0;
    t->head = arena_get(memory, (size_t)t->columns * sizeof *t->head);
    t->cells = arena_get(memory, (size_t)(t->rows * t->columns) * sizeof *t->cells);
    if (!t->head || !t->cells) return carom_error_memory(error);
    t->head[0] = "integrator", t->head[t->columns - 1] = "remarks";
    for (int k = 0; k < SHOWN; k++)
        if (at[k]) t->head[at[k]] = shown[k].head;
    for (int i = 0; i < t->rows; i++) {
        cell *row = &t->cells[i * t->columns];
        const best *b = &r->best[i];
        row[0].text = s->label[i];
        row[t->columns - 1].text = remark(memory, b);
        for (int k = 0; k < SHOWN; k++)
            if (at[k])
                row[at[k]].text =
                    b->ok && !isnan(b->number[k]) ? arena_format(memory, shown[k].format, b->number[k]) : "–";
        for (int k = 0; k < t->columns; k++)
            if (!row[k].text) return carom_error_memory(error);
    }
    return CAROM_OK;
}

carom_status fill_comparison(recipes *all, const source *s, table_recipe *t, carom_error *error) {
    comparison_reader r = {.source = s, .best = calloc((size_t)s->schemes + 1, sizeof *r.best)};
    if (!r.best) return carom_error_memory(error);
    carom_status status = read_comparison(&r, s->job->table, error);
    if (!status) status = fill_cells(&all->memory, &r, t, error);
    free(r.best);
    return status;
}
