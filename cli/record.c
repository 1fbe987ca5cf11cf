/* The columns of a result: t, and whatever the scene's names and patterns select, in the order of the simulation. */
#include "record.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "scene/scene.h"

static bool wanted(const carom_scene *scene, const char *name) {
    int records = carom_scene_records(scene);
    if (records == 0 || !strcmp(name, "t")) return true;
    for (int i = 0; i < records; i++)
        if (!fnmatch(carom_scene_record(scene, i), name, 0)) return true;
    return false;
}

static carom_status check_names(const carom_scene *scene, const carom_sim *sim, carom_error *error) {
    int count = carom_sim_columns(sim);
    const char **columns = malloc((size_t)count * sizeof *columns);
    if (!columns) return carom_error_memory(error);
    for (int i = 0; i < count; i++) columns[i] = carom_sim_column_name(sim, i);
    carom_status status = scene_check_columns(scene, count, columns, error);
    free(columns);
    return status;
}

carom_status recording_create(recording *r, const carom_scene *scene, const carom_sim *sim, carom_error *error) {
    *r = (recording){0};
    carom_status status = check_names(scene, sim, error);
    if (status) return status;
    size_t count = (size_t)carom_sim_columns(sim);
    r->column = malloc(count * sizeof *r->column);
    r->names = malloc(count * sizeof *r->names);
    r->units = malloc(count * sizeof *r->units);
    r->all = malloc(count * sizeof *r->all);
    r->row = malloc(count * sizeof *r->row);
    if (!r->column || !r->names || !r->units || !r->all || !r->row) return carom_error_memory(error);
    for (int i = 0; i < (int)count; i++) {
        const char *name = carom_sim_column_name(sim, i);
        if (!wanted(scene, name)) continue;
        r->column[r->count] = i;
        r->names[r->count] = name;
        r->units[r->count++] = carom_scene_unit(scene, name);
    }
    return recording_create_events(r, scene, sim, error);
}

void recording_destroy(recording *r) {
    recording_destroy_events(r);
    free(r->column);
    free(r->names);
    free(r->units);
    free(r->all);
    free(r->row);
}

static bool holds(const recording *r, const char *from, size_t length) {
    char name[256];
    if (length >= sizeof name) return false;
    memcpy(name, from, length);
    name[length] = '\0';
    for (int i = 0; i < r->count; i++)
        if (!fnmatch(name, r->names[i], 0)) return true;
    return false;
}

bool recording_fits(const recording *r, const char *panel) {
    for (const char *from = panel + strspn(panel, ",: "); *from; from += strspn(from, ",: ")) {
        size_t length = strcspn(from, ",: ");
        if (!holds(r, from, length)) return false;
        from += length;
    }
    return true;
}

carom_status recording_take(recording *r, carom_sim *sim, carom_error *error) {
    carom_status status = carom_sim_row(sim, r->all, error);
    for (int i = 0; i < r->count && !status; i++) r->row[i] = r->all[r->column[i]];
    return status;
}
