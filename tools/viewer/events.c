#include "viewer/events.h"

#include "error.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static carom_status add_event(events *e, const double event[EVENT_FIELDS], carom_error *error) {
    if (e->count == e->room) {
        long room = e->room ? 2 * e->room : 256;
        double(*larger)[EVENT_FIELDS] = realloc(e->event, (size_t)room * sizeof *larger);
        if (!larger) return carom_error_memory(error);
        e->event = larger, e->room = room;
    }
    memcpy(e->event[e->count++], event, sizeof *e->event);
    return CAROM_OK;
}

/* ---- the table of a run that locates events */

static carom_status read_table(result_reader *table, events *e, carom_error *error) {
    static const char *const names[EVENT_FIELDS] = {"t", "contact", "kind", "PN", "loss"};
    long count = e->count = e->room = result_rows(table);
    double *values = malloc((size_t)(count + 1) * sizeof *values);
    e->event = malloc((size_t)(count + 1) * sizeof *e->event);
    carom_status status = values && e->event ? CAROM_OK : carom_error_memory(error);
    for (int f = 0; f < EVENT_FIELDS && !status; f++) {
        int column = result_find(table, names[f]);
        if (column >= 0) status = result_read(table, column, 0, count, values, error);
        for (long i = 0; i < count && !status; i++) e->event[i][f] = column >= 0 ? values[i] : NAN;
    }
    free(values);
    while (result_contact(table, e->contacts)) e->contacts++;
    e->contact = calloc((size_t)e->contacts + 1, sizeof *e->contact);
    if (!status && !e->contact) status = carom_error_memory(error);
    for (int i = 0; i < e->contacts && !status; i++) e->contact[i] = result_contact(table, i);
    return status;
}

/* A run that locates no events lists only impacts without a solution. The other kinds have no names then. */
static bool are_located(const result_reader *table) {
    const char *name = table ? result_kind(table, CAROM_STRIKE) : NULL;
    return name && *name;
}

/* ---- changes of "wall.state" from row to row */

static bool is_state(const char *name) {
    size_t length = strlen(name);
    return length > 6 && !strcmp(name + length - 6, ".state");
}

static int kind_of(double before, double after) {
    return after == CAROM_OPEN    ? CAROM_OPENING
           : before == CAROM_OPEN ? CAROM_STRIKE
           : after == CAROM_STICK ? CAROM_STOP
                                  : CAROM_BREAK;
}

/* The other columns of the same contact; NULL values: not recorded. */
static carom_status read_beside(result_reader *r, const char *contact, const char *quantity, long rows, double *values,
                                carom_error *error) {
    char name[512];
    snprintf(name, sizeof name, "%s.%s", contact, quantity);
    int column = result_find(r, name);
    for (long i = 0; column < 0 && i < rows; i++) values[i] = NAN;
    return column < 0 ? CAROM_OK : result_read(r, column, 0, rows, values, error);
}

typedef struct history { /* of a contact */
    double *state, *PN, *loss;
} history;

static carom_status read_changes(result_reader *r, const char *contact, const double *t, long rows, const history *h,
                                 events *e, carom_error *error) {
    carom_status status = read_beside(r, contact, "state", rows, h->state, error);
    if (!status) status = read_beside(r, contact, "PN", rows, h->PN, error);
    if (!status) status = read_beside(r, contact, "loss", rows, h->loss, error);
    for (long i = 1; i < rows && !status; i++)
        if (h->state[i] != h->state[i - 1])
            status = add_event(
                e,
                (double[EVENT_FIELDS]){t[i], e->contacts, kind_of(h->state[i - 1], h->state[i]), h->PN[i], h->loss[i]},
                error);
    return status;
}

static int by_time(const void *a, const void *b) {
    const double *x = a, *y = b;
    if (x[EVENT_TIME] != y[EVENT_TIME]) return x[EVENT_TIME] < y[EVENT_TIME] ? -1 : 1;
    return (x[EVENT_CONTACT] > y[EVENT_CONTACT]) - (x[EVENT_CONTACT] < y[EVENT_CONTACT]);
}

/* Room for the names of all contacts. */
static carom_status make_room(result_reader *r, events *e, carom_error *error) {
    size_t count = 0, letters = 0;
    for (int c = 0; c < result_columns(r); c++)
        if (is_state(result_name(r, c))) count++, letters += strlen(result_name(r, c));
    e->contact = calloc(count + 1, sizeof *e->contact);
    e->text = malloc(letters + 1);
    return e->contact && e->text ? CAROM_OK : carom_error_memory(error);
}

static carom_status read_states(result_reader *r, const double *t, long rows, events *e, carom_error *error) {
    double *values = malloc(3 * (size_t)rows * sizeof *values);
    carom_status status = values ? make_room(r, e, error) : carom_error_memory(error);
    const history h = {values, values + rows, values + 2 * rows};
    char *name = e->text;
    for (int c = 0; c < result_columns(r) && !status; c++) {
        if (!is_state(result_name(r, c))) continue;
        int length = (int)strlen(result_name(r, c)) - 6;
        e->contact[e->contacts] = name;
        memcpy(name, result_name(r, c), (size_t)length);
        name[length] = '\0';
        status = read_changes(r, name, t, rows, &h, e, error);
        e->contacts++, name += length + 1;
    }
    free(values);
    return status;
}

/* ---- strikes of contacts that are found */

static carom_status name_entries(events *e, const found *f, int *entries, carom_error *error) {
    for (*entries = 0; result_contact(f->table, *entries);) ++*entries;
    const char **larger = realloc(e->contact, (size_t)(e->contacts + *entries + 1) * sizeof *larger);
    if (!larger) return carom_error_memory(error);
    e->contact = larger;
    for (int i = 0; i < *entries; i++) e->contact[e->contacts++] = result_contact(f->table, i);
    return CAROM_OK;
}

static carom_status add_strikes(events *e, found *f, const double *t, long row, int first, double *PN,
                                carom_error *error) {
    const found_contact *contact;
    long count;
    carom_status status = found_at(f, row, &contact, &count, error);
    for (int i = first; i < e->contacts; i++) PN[i - first] = 0;
    for (long i = 0; i < count; i++) {
        double *greatest = &PN[(int)contact[i][FOUND_ENTRY]];
        if (contact[i][FOUND_STRUCK]) *greatest = fmax(*greatest, contact[i][FOUND_PN]);
    }
    for (int i = first; i < e->contacts && !status; i++)
        if (PN[i - first] > 0)
            status = add_event(e, (double[EVENT_FIELDS]){t[row], i, CAROM_STRIKE, PN[i - first], NAN}, error);
    return status;
}

static carom_status read_found(found *f, const double *t, long rows, events *e, carom_error *error) {
    int entries, first = e->contacts;
    carom_status status = name_entries(e, f, &entries, error);
    double *PN = malloc(((size_t)entries + 1) * sizeof *PN);
    if (!status && !PN) status = carom_error_memory(error);
    for (long row = 0; row < rows && !status; row++) status = add_strikes(e, f, t, row, first, PN, error);
    free(PN);
    return status;
}

carom_status events_read(result_reader *r, const double *t, long rows, found *f, events *e, carom_error *error) {
    result_reader *table = result_events(r);
    *e = (events){.located = are_located(table)};
    carom_status status = e->located ? read_table(table, e, error) : read_states(r, t, rows, e, error);
    if (!status && f->table && !e->located) status = read_found(f, t, rows, e, error);
    if (!status && e->count > 0 && !e->located) qsort(e->event, (size_t)e->count, sizeof *e->event, by_time);
    return status;
}

void events_free(events *e) {
    free(e->event);
    free(e->contact);
    free(e->text);
}
