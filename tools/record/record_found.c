/* The table of contacts that are found: for every row those that touch, or that acted in its step. */
#include "record/record.h"

#include <stdlib.h>

#include "error.h"
#include "model/found/finder.h"
#include "scene/scene.h"

static const char *const column_names[] = {"t",     "contact", "first", "second", "kind", "feature1", "feature2",
                                           "state", "gap",     "x",     "y",      "z",    "nx",       "ny",
                                           "nz",    "PN",      "Px",    "Py",     "Pz"},
                         *const column_units[] = {"s", "",  "", "", "", "",    "",    "",    "m",  "m",
                                                  "m", "m", "", "", "", "N s", "N s", "N s", "N s"};
enum { COLUMNS = sizeof column_names / sizeof *column_names };
_Static_assert(sizeof column_units == sizeof column_names, "a unit for every column");

carom_status recording_create_found(recording *r, const carom_scene *scene, carom_error *error) {
    const finder *f = scene->finder;
    if (!f) return CAROM_OK;
    const char **contact = malloc(((size_t)f->laws + 1) * sizeof *contact);
    const char **body_name = malloc(((size_t)f->bodies + 1) * sizeof *body_name);
    r->found = (result_events_info){COLUMNS, column_names, column_units, f->laws, f->bodies, contact, body_name};
    if (!contact || !body_name) return carom_error_memory(error);
    for (int i = 0; i < f->laws; i++) contact[i] = f->law[i].contact.name;
    for (int i = 0; i < f->bodies; i++) body_name[i] = f->body[i].name;
    return CAROM_OK;
}

void recording_destroy_found(recording *r) {
    free((const char **)r->found.contact);
    free((const char **)r->found.kind);
    free(r->contact);
}

static bool reserve_contacts(recording *r, int count) {
    if (count <= r->contact_room) return true;
    carom_found *more = realloc(r->contact, 2 * (size_t)count * sizeof *more);
    if (more) r->contact = more, r->contact_room = 2 * count;
    return more != NULL;
}

carom_status recording_append_found(recording *r, const carom_sim *sim, result_writer *writer, carom_error *error) {
    if (!r->found.columns) return CAROM_OK;
    const int count = carom_sim_found(sim, NULL, 0);
    if (!reserve_contacts(r, count)) return carom_error_memory(error);
    carom_sim_found(sim, r->contact, count);
    carom_status status = CAROM_OK;
    for (int i = 0; i < count && !status; i++) {
        const carom_found *c = &r->contact[i];
        const double row[COLUMNS] = {carom_sim_time(sim),
                                     c->entry,
                                     c->bodies[0],
                                     c->bodies[1],
                                     c->kind,
                                     c->features[0],
                                     c->features[1],
                                     c->state,
                                     c->gap,
                                     c->point[0],
                                     c->point[1],
                                     c->point[2],
                                     c->normal[0],
                                     c->normal[1],
                                     c->normal[2],
                                     c->PN,
                                     c->P[0],
                                     c->P[1],
                                     c->P[2]};
        status = result_append_found(writer, row, error);
    }
    return status;
}
