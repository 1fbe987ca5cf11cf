#include "viewer/quantities.h"

#include "error.h"
#include "result/json.h"
#include "result/reader.h"

#include <stdlib.h>
#include <string.h>

/* A page holds all quantities of most results. If a result has more than this number, it holds those of the whole
 * system and of contacts that are drawn, up to the number. */
enum { MOST = 4000, FEW = 400 };

int quantities_expected(const result_reader *r) {
    return result_columns(r) < MOST ? result_columns(r) : MOST;
}

/* ---- which ones */

static bool of_contact(const char *name) {
    static const char *const ends[] = {".gap", ".state", ".PN", ".PF", ".PF1", ".PF2"};
    const char *dot = strrchr(name, '.');
    for (size_t i = 0; dot && i < sizeof ends / sizeof *ends; i++)
        if (!strcmp(dot, ends[i])) return true;
    return false;
}

static void mark_panels(quantities *q) {
    for (int i = 0; i < q->panel_count; i++)
        for (int k = 0; k < q->panels[i].count; k++) {
            const curve *c = &q->panels[i].curves[k];
            q->at[c->y] = 0;
            if (c->x >= 0) q->at[c->x] = 0;
        }
}

/* at: 0 for quantities that the page holds */
static void choose(quantities *q) {
    int recorded = result_columns(q->reader), left = MOST;
    for (int i = 0; i < q->columns; i++) q->at[i] = recorded <= MOST && i < recorded ? 0 : -1;
    mark_panels(q);
    if (recorded <= MOST) return;
    for (int i = 0; i < recorded; i++)
        if (!strchr(result_name(q->reader, i), '.') && left-- > 0) q->at[i] = 0;
    for (int i = 0; i < recorded; i++)
        if (of_contact(result_name(q->reader, i)) && left-- > 0) q->at[i] = 0;
}

/* ---- their values */

/* The panels of the scene. If it names none: its coordinates, unless there are many. */
static carom_status create_panels(quantities *q, carom_error *error) {
    result_reader *const one[] = {q->reader};
    const char *const energy[] = {"E"};
    bool many = result_plots(q->reader) == 0 && result_columns(q->reader) > FEW;
    if (many && result_find(q->reader, energy[0]) < 0) return CAROM_OK;
    return panels_create(one, 1, many ? energy : NULL, many, &q->panels, &q->panel_count, error);
}

static carom_status find_panels(quantities *q, carom_error *error) {
    carom_status status = create_panels(q, error);
    q->columns = result_columns(q->reader);
    for (int i = 0; i < q->panel_count && !status; i++)
        for (int k = 0; k < q->panels[i].count; k++) {
            const curve *c = &q->panels[i].curves[k];
            if (c->y >= q->columns) q->columns = c->y + 1;
            if (c->x >= q->columns) q->columns = c->x + 1;
        }
    return status;
}

static carom_status write_values(columns *c, quantities *q, const long *rows, long count, carom_error *error) {
    long last = rows[count - 1] + 1;
    double *values = malloc((size_t)last * sizeof *values);
    carom_status status = values ? CAROM_OK : carom_error_memory(error);
    for (int i = 0; i < q->columns && !status; i++) {
        if (q->at[i] < 0) continue;
        status = result_read(q->reader, i, 0, last, values, error);
        for (long k = 0; k < count; k++) values[k] = values[rows[k]];
        if (!status) q->at[i] = columns_add(c, columns_finest(values, count), values, count);
    }
    free(values);
    return status ? status : c->failed ? carom_error_memory(error) : CAROM_OK;
}

carom_status quantities_write(columns *c, result_reader *r, const long *rows, long count, quantities *q,
                              carom_error *error) {
    *q = (quantities){.reader = r};
    carom_status status = find_panels(q, error);
    if (!status && !(q->at = malloc(((size_t)q->columns + 1) * sizeof *q->at))) status = carom_error_memory(error);
    if (status) return status;
    choose(q);
    return write_values(c, q, rows, count, error);
}

/* ---- what they are */

static void describe_panel(FILE *out, const quantities *q, const panel *p) {
    fputc('[', out);
    for (int k = 0; k < p->count; k++)
        fprintf(out, "%s[%d, %d]", k > 0 ? ", " : "", p->curves[k].x < 0 ? -1 : q->at[p->curves[k].x],
                q->at[p->curves[k].y]);
    fputc(']', out);
}

void quantities_describe(FILE *out, const quantities *q) {
    const char *between = "";
    fprintf(out, "\"recorded\": %d, \"quantities\": [", result_columns(q->reader));
    for (int i = 0; i < q->columns; i++) {
        if (q->at[i] < 0) continue;
        fputs(between, out);
        json_entry(out, "{", "name", result_name(q->reader, i));
        json_entry(out, ", ", "unit", result_unit(q->reader, i));
        fprintf(out, ", \"at\": %d}", q->at[i]);
        between = ",\n";
    }
    fputs("], \"panels\": [", out);
    for (int i = 0; i < q->panel_count; i++) {
        fputs(i > 0 ? ", " : "", out);
        describe_panel(out, q, &q->panels[i]);
    }
    fputc(']', out);
}

void quantities_free(quantities *q) {
    panels_destroy(q->panels, q->panel_count);
    free(q->at);
}
