/* The columns of the events: what happened at which contact and, in runs that locate events, the recorded quantities
 * just before and after. For events at the ends of steps the rows have these. */
#include "record/record.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "scene/scene.h"

static const char *const sides[2] = {"before", "after"};

/* Goes over the columns: counts them, and names them unless names is NULL. */
typedef struct naming {
    const char **names, **units;
    int count;
    bool failed;
} naming;

__attribute__((format(printf, 3, 4))) static void add(naming *n, const char *unit, const char *format, ...) {
    if (n->names) {
        char *name = NULL;
        va_list arguments;
        va_start(arguments, format);
        if (vasprintf(&name, format, arguments) < 0) name = NULL;
        va_end(arguments);
        n->failed = n->failed || !name;
        n->names[n->count] = name;
        n->units[n->count] = unit;
    }
    n->count++;
}

/* Contacts that are found have two slips; in the plane, and without friction, what is missing is zero. */
static int most_slips(const carom_scene *scene, const carom_model_def *d) {
    int most = scene && scene->finder ? 2 : 0;
    for (int k = 0; k < d->contacts; k++)
        if (d->contact[k].slips > most) most = d->contact[k].slips;
    return most;
}

/* As in the names of quantities: "slip", or "slip1", "slip2", ... */
static void add_parts(naming *n, const char *what, int parts, const char *end) {
    if (parts == 1) add(n, "", "%s%s", what, end);
    for (int i = 1; i <= parts && parts > 1; i++) add(n, "", "%s%d%s", what, i, end);
}

static bool is_two_sided(const recording *r, const carom_sim *sim, int i) {
    return carom_sim_locates(sim) && !carom_sim_column_of_step(sim, r->column[i]) && strcmp(r->names[i], "t") != 0;
}

static void name_columns(const recording *r, const carom_sim *sim, const char *time_unit, naming *n) {
    static const char *const ends[2] = {".before", ".after"};
    add(n, time_unit, "t");
    add(n, "", "contact");
    add(n, "", "kind");
    for (int side = 0; side < 2; side++) add(n, "", "state%s", ends[side]);
    for (int side = 0; side < 2; side++) add(n, "", "gap_dot%s", ends[side]);
    for (int side = 0; side < 2; side++) add_parts(n, "slip", r->slips, ends[side]);
    add(n, "", "PN");
    add_parts(n, "PF", r->slips, "");
    add(n, "", "loss");
    if (r->finds) add(n, "", "first"), add(n, "", "second");
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < r->count; i++)
            if (is_two_sided(r, sim, i)) add(n, r->units[i], "%s/%s", sides[side], r->names[i]);
}

/* A kind of event that the run does not look for has no name. */
static const char *kind_name(const carom_sim *sim, carom_event_kind kind) {
    const bool told = carom_sim_locates(sim) || kind == CAROM_THUD || kind == CAROM_FRACTURE;
    return told ? carom_event_kind_name(kind) : "";
}

static bool name_contacts(result_events_info *info, const carom_sim *sim) {
    const int count = carom_sim_event_names(sim);
    const char **contact = malloc(((size_t)count + 1) * sizeof *contact);
    const char **kind = malloc(CAROM_EVENT_KINDS * sizeof *kind);
    info->contact = contact;
    info->kind = kind;
    if (!contact || !kind) return false;
    info->contacts = count;
    info->kinds = CAROM_EVENT_KINDS;
    for (int k = 0; k < count; k++) contact[k] = carom_sim_event_name(sim, k);
    for (int k = 0; k < CAROM_EVENT_KINDS; k++) kind[k] = kind_name(sim, (carom_event_kind)k);
    return true;
}

carom_status recording_create_events(recording *r, const carom_scene *scene, const carom_sim *sim, carom_error *error) {
    const carom_model_def *d = carom_model_get(carom_sim_model(sim));
    const char *time_unit = scene ? carom_scene_unit(scene, "t") : "";
    naming n = {0};
    if (!carom_sim_has_events(sim)) return CAROM_OK;
    r->slips = most_slips(scene, d);
    r->finds = scene && scene->finder;
    name_columns(r, sim, time_unit, &n);
    r->events.names = n.names = calloc((size_t)n.count, sizeof *n.names);
    r->events.units = n.units = calloc((size_t)n.count, sizeof *n.units);
    r->event = malloc((size_t)n.count * sizeof *r->event);
    if (!n.names || !n.units || !r->event || !name_contacts(&r->events, sim)) return carom_error_memory(error);
    r->events.columns = n.count;
    n.count = 0;
    name_columns(r, sim, time_unit, &n);
    return n.failed ? carom_error_memory(error) : CAROM_OK;
}

void recording_destroy_events(recording *r) {
    for (int i = 0; i < r->events.columns; i++) free((char *)r->events.names[i]);
    free((const char **)r->events.names);
    free((const char **)r->events.units);
    free((const char **)r->events.contact);
    free((const char **)r->events.kind);
    free(r->event);
}

static double *put_values(double *row, const double *values, int n) {
    memcpy(row, values, (size_t)n * sizeof *row);
    return row + n;
}

carom_status recording_take_event(recording *r, carom_sim *sim, int event, carom_error *error) {
    int count;
    const carom_event *e = &carom_sim_events(sim, &count)[event];
    double *to = put_values(r->event, (double[]){e->time, e->contact, e->kind, e->state[0], e->state[1]}, 5);
    to = put_values(to, e->gap_dot, 2);
    for (int side = 0; side < 2; side++) to = put_values(to, e->slip[side], r->slips);
    to = put_values(to, &e->PN, 1);
    to = put_values(to, e->PF, r->slips);
    to = put_values(to, &e->loss, 1);
    if (r->finds) to = put_values(to, (double[]){e->bodies[0], e->bodies[1]}, 2);
    for (int side = 0; side < 2 && carom_sim_locates(sim); side++) {
        carom_status status = carom_sim_event_row(sim, event, side, r->all, error);
        if (status) return status;
        for (int i = 0; i < r->count; i++)
            if (is_two_sided(r, sim, i)) *to++ = r->all[r->column[i]];
    }
    return CAROM_OK;
}
