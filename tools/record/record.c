/* The columns of a result: t, and whatever the scene's names and patterns select, in the order of the simulation. */
#include "record/record.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "scene/scene.h"

/* ---- forces */

bool force_name(const carom_sim *sim, int column, char *name, size_t size) {
    const char *percussion = carom_sim_column_name(sim, column), *dot = strrchr(percussion, '.');
    if (!dot || dot[1] != 'P' || !carom_sim_column_of_step(sim, column)) return false;
    return snprintf(name, size, "%.*s.F%s", (int)(dot - percussion), percussion, dot + 2) < (int)size;
}

const char *force_unit(const char *percussion) {
    return !strcmp(percussion, "N s") ? "N" : !strcmp(percussion, "N m s") ? "N m" : "";
}

/* ---- names */

static bool wanted(const carom_scene *scene, const char *name) {
    int records = scene ? carom_scene_records(scene) : 0;
    if (records == 0 || !strcmp(name, "t")) return true;
    for (int i = 0; i < records; i++)
        if (!fnmatch(carom_scene_record(scene, i), name, 0)) return true;
    return false;
}

/* The scene asks for a force by its name, or by a pattern that has a letter behind its last dot: "*.FN". */
static bool asked(const carom_scene *scene, const char *name) {
    for (int i = 0; scene && i < carom_scene_records(scene); i++) {
        const char *text = carom_scene_record(scene, i), *dot = strrchr(text, '.');
        if (dot && !strchr("*?[", dot[1]) && !fnmatch(text, name, 0)) return true;
    }
    return false;
}

static int name_forces(recording *r, const carom_sim *sim) {
    int count = 0;
    char name[256];
    for (int i = 0; i < carom_sim_columns(sim); i++)
        if (force_name(sim, i, name, sizeof name) && !(r->forces[count++] = strdup(name))) return -1;
    return count;
}

static carom_status check_names(const recording *r, int forces, const carom_scene *scene, const carom_sim *sim,
                                carom_error *error) {
    int count = carom_sim_columns(sim);
    const char **columns = malloc((size_t)(count + forces) * sizeof *columns);
    if (!columns) return carom_error_memory(error);
    for (int i = 0; i < count; i++) columns[i] = carom_sim_column_name(sim, i);
    for (int i = 0; i < forces; i++) columns[count + i] = r->forces[i];
    carom_status status = scene_check_columns(scene, count + forces, columns, error);
    free(columns);
    return status;
}

/* ---- columns */

static void add_column(recording *r, int column, double factor, const char *name, const char *unit) {
    r->column[r->count] = column;
    r->factor[r->count] = factor;
    r->names[r->count] = name;
    r->units[r->count++] = unit;
}

static const char *unit_of(const carom_scene *scene, const char *name) {
    return scene ? carom_scene_unit(scene, name) : "";
}

static void choose(recording *r, const carom_scene *scene, const carom_sim *sim) {
    char force[256];
    double dt = scene ? carom_scene_run(scene)->dt : 1;
    for (int i = 0, forces = 0; i < carom_sim_columns(sim); i++) {
        const char *name = carom_sim_column_name(sim, i);
        if (wanted(scene, name)) add_column(r, i, 1, name, unit_of(scene, name));
        if (!force_name(sim, i, force, sizeof force)) continue;
        const char *own = r->forces[forces++];
        const char *told = unit_of(scene, own);
        if (asked(scene, own)) add_column(r, i, 1 / dt, own, told[0] ? told : force_unit(unit_of(scene, name)));
    }
}

carom_status recording_create(recording *r, const carom_scene *scene, const carom_sim *sim, carom_error *error) {
    *r = (recording){0};
    size_t count = (size_t)carom_sim_columns(sim);
    r->column = malloc(2 * count * sizeof *r->column);
    r->factor = malloc(2 * count * sizeof *r->factor);
    r->names = malloc(2 * count * sizeof *r->names);
    r->units = malloc(2 * count * sizeof *r->units);
    r->all = malloc(count * sizeof *r->all);
    r->row = malloc(2 * count * sizeof *r->row);
    r->forces = calloc(count + 1, sizeof *r->forces);
    if (!r->column || !r->factor || !r->names || !r->units || !r->all || !r->row || !r->forces)
        return carom_error_memory(error);
    int forces = name_forces(r, sim);
    if (forces < 0) return carom_error_memory(error);
    carom_status status = scene ? check_names(r, forces, scene, sim, error) : CAROM_OK;
    if (status) return status;
    choose(r, scene, sim);
    status = recording_create_events(r, scene, sim, error);
    return status || !scene ? status : recording_create_found(r, scene, error);
}

void recording_destroy(recording *r) {
    recording_destroy_events(r);
    recording_destroy_found(r);
    for (int i = 0; r->forces && r->forces[i]; i++) free(r->forces[i]);
    free(r->forces);
    free(r->factor);
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

static bool is_parameter(const carom_scene *scene, const char *name, size_t length) {
    for (int i = 0; i < carom_scene_parameters(scene); i++) {
        const char *known = carom_scene_parameter(scene, i, NULL);
        if (strlen(known) == length && !strncmp(known, name, length)) return true;
    }
    return length == 2 && (!strncmp(name, "dt", 2) || !strncmp(name, "pi", 2));
}

/* A force is recorded if its percussion is. */
static bool holds_force(const recording *r, const char *name, size_t length) {
    char percussion[256];
    if (length >= sizeof percussion) return false;
    snprintf(percussion, sizeof percussion, "%.*s", (int)length, name);
    char *dot = strrchr(percussion, '.');
    if (!dot || dot[1] != 'F') return false;
    dot[1] = 'P';
    return holds(r, percussion, length);
}

/* Every name in a formula that is not a function. */
static bool holds_names(const recording *r, const carom_scene *scene, const char *text) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_.0123456789";
    for (text += strcspn(text, letters); *text; text += strcspn(text, letters)) {
        size_t length = strspn(text, letters);
        bool number = isdigit((unsigned char)text[text[0] == '.']),
             function = text[length + strspn(text + length, " ")] == '(';
        if (!number && !function && !holds(r, text, length) && !holds_force(r, text, length) &&
            !is_parameter(scene, text, length))
            return false;
        text += length;
    }
    return true;
}

bool recording_fits(const recording *r, const carom_scene *scene, const char *panel) {
    bool plain = true;
    for (const char *from = panel + strspn(panel, ",: "); *from && plain; from += strspn(from, ",: ")) {
        size_t length = strcspn(from, ",: ");
        plain = holds(r, from, length);
        from += length;
    }
    return plain || (!strchr(panel, '?') && !strchr(panel, '[') && holds_names(r, scene, panel));
}

carom_status recording_take(recording *r, carom_sim *sim, carom_error *error) {
    carom_status status = carom_sim_row(sim, r->all, error);
    for (int i = 0; i < r->count && !status; i++) r->row[i] = r->factor[i] * r->all[r->column[i]];
    return status;
}
