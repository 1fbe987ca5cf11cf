/* Continuing an interrupted result: the same scene, the same quantities, from the last checkpoint. */
#include "error.h"
#include "result/legend.h"
#include "result/writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static carom_status line_differs(const char *path, int line, const char *was, const char *is, carom_error *error) {
    int n = (int)strcspn(was, "\n"), m = (int)strcspn(is, "\n");
    return carom_error_set(error, CAROM_DATA, "%s belongs to a different scene: line %d was '%.*s' and is now '%.*s'",
                           path, line, n < 100 ? n : 100, was, m < 100 ? m : 100, is);
}

static carom_status compare_scene(const result_writer *w, const result_info *info, carom_error *error) {
    char *stored = h5_get_text(w->file.id, "scene");
    const char *was = stored ? stored : "", *is = info->scene ? info->scene : "";
    carom_status status = CAROM_OK;
    if (strcmp(was, is) != 0) {
        int line = 1;
        const char *was_line = was, *is_line = is;
        for (; *was == *is; was++, is++)
            if (*was == '\n') line++, was_line = was + 1, is_line = is + 1;
        status = line_differs(w->path, line, was_line, is_line, error);
    }
    free(stored);
    return status;
}

static bool put_resumed_by(const result_writer *w) {
    char by[100];
    snprintf(by, sizeof by, "%s (%s)", carom_version(), carom_revision());
    return h5_put_text(w->file.id, "resumed_by", by);
}

/* Another version may read the state differently, and then the bits would differ. If the user resumes anyway, the
 * result records it. */
static carom_status compare_version(const result_writer *w, bool any, carom_error *error) {
    char *version = h5_get_text(w->file.id, "carom_version"), *revision = h5_get_text(w->file.id, "carom_revision");
    bool same = version && revision && !strcmp(version, carom_version()) && !strcmp(revision, carom_revision());
    carom_status status = CAROM_OK;
    if (!same && any && !put_resumed_by(w))
        status = carom_error_set(error, CAROM_FAILED, "%s: HDF5 cannot write", w->path);
    else if (!same && !any)
        status = carom_error_set(
            error, CAROM_DATA,
            "%s was begun by another version, carom %s (%s), and this is %s (%s): resume it with that one, "
            "start it again, or try --any-version",
            w->path, version ? version : "unknown", revision ? revision : "unknown", carom_version(), carom_revision());
    free(version);
    free(revision);
    return status;
}

static int find_name(const char *name, int count, const char *const *names) {
    int i = 0;
    while (i < count && strcmp(names[i], name) != 0) i++;
    return i < count ? i : -1;
}

/* The columns that are recorded now, in the order of those in the file. */
static carom_status compare_names(const result_writer *w, int count, const char *const *was, int columns,
                                  const char *const *names, carom_error *error) {
    int same = 0;
    while (same < columns && same < count && strcmp(names[same], was[same]) == 0) same++;
    for (int c = same; c < columns; c++)
        if (find_name(names[c], count, was) < 0)
            return carom_error_set(error, CAROM_DATA, "%s does not record '%s'", w->path, names[c]);
    for (int c = same; c < count; c++)
        if (find_name(was[c], columns, names) < 0)
            return carom_error_set(error, CAROM_DATA, "%s also records '%s', which is not recorded now", w->path,
                                   was[c]);
    if (same == columns && same == count) return CAROM_OK;
    return carom_error_set(error, CAROM_DATA, "%s records '%s' in another place than now", w->path, was[same]);
}

static carom_status damaged(const result_writer *w, const char *name, carom_error *error) {
    return carom_error_set(error, CAROM_DATA, "%s is damaged: cannot read '%s'", w->path, name);
}

static carom_status open_columns(const result_writer *w, table *t, hid_t group, const char *const *names,
                                 carom_error *error) {
    char **was = NULL;
    int count = 0;
    if (!store_is_checked(w->file.store) && !views_are_intact(group))
        return carom_error_set(error, CAROM_DATA, "%s was changed by another program: start it again", w->path);
    if (!legend_get(group, &was, NULL, &count)) return damaged(w, LEGEND, error);
    carom_status status = compare_names(w, count, (const char *const *)was, t->columns, names, error);
    h5_free_texts(was, count);
    return status || table_open(t, w->file.store, group) ? status : damaged(w, TABLE, error);
}

static carom_status open_side(result_writer *w, int k, const result_events_info *info, carom_error *error) {
    static const char *const more[RESULT_SIDES] = {"also records events, which are not located now",
                                                   "also records contacts, which are not found now"},
                             *const less[RESULT_SIDES] = {"does not record events", "does not record found contacts"};
    bool recorded = H5Lexists(w->file.id, side_groups[k], H5P_DEFAULT) > 0;
    if (recorded != (info->columns > 0))
        return carom_error_set(error, CAROM_DATA, "%s %s", w->path, recorded ? more[k] : less[k]);
    if (!recorded) return CAROM_OK;
    hid_t group = H5Gopen2(w->file.id, side_groups[k], H5P_DEFAULT);
    if (group < 0) return damaged(w, side_groups[k], error);
    return open_columns(w, &w->side[k], group, info->names, error); /* open until the file is closed */
}

/* Drops rows past the checkpoint. Fewer rows than the checkpoint says are damage. */
static carom_status fit_rows(const result_writer *w, table *t, const char *what, carom_error *error) {
    long found;
    if (t->columns == 0 || table_fit(t, &found)) return CAROM_OK;
    return carom_error_set(error, CAROM_DATA, "%s is damaged: it has %ld of %ld %s", w->path, found, t->rows, what);
}

static carom_status read_rest(result_writer *w, carom_error *error) {
    size_t side[RESULT_SIDES];
    for (int k = 0; k < RESULT_SIDES; k++) side[k] = w->side[k].columns ? table_stored_chunk(&w->side[k]) : 0;
    carom_status status = writer_reserve(w, table_stored_chunk(&w->rows), side, error);
    if (status != CAROM_OK) return status;
    if (!table_read_rest(&w->rows)) return damaged(w, TABLE, error);
    for (int k = 0; k < RESULT_SIDES; k++)
        if (w->side[k].columns && !table_read_rest(&w->side[k])) return damaged(w, side_groups[k], error);
    return CAROM_OK;
}

static carom_status read_checkpoint(result_writer *w, double *state, long *step, carom_error *error) {
    int64_t rows = 0, beside[RESULT_SIDES] = {0}, at = 0;
    w->checkpoint = H5Dopen2(w->file.id, H5_CHECKPOINT, H5P_DEFAULT);
    if (w->checkpoint < 0 || !h5_get_integer(w->checkpoint, "rows", &rows))
        return carom_error_set(error, CAROM_DATA, "%s holds no checkpoint", w->path);
    if (rows == 0)
        return carom_error_set(error, CAROM_DATA, "%s was interrupted before its first checkpoint: start it again",
                               w->path);
    hid_t space = H5Dget_space(w->checkpoint);
    size_t size = (size_t)H5Sget_simple_extent_npoints(space);
    H5Sclose(space);
    if (size == 0 && w->state_size > 0)
        return carom_error_set(error, CAROM_DATA,
                               "%s holds no checkpoint: only the program that wrote it can go on with its run",
                               w->path);
    if (size != w->state_size)
        return carom_error_set(error, CAROM_DATA, "%s holds a state of %zu numbers, but this scene's has %zu", w->path,
                               size, w->state_size);
    bool fine = h5_get_integer(w->checkpoint, "step", &at) &&
                h5_get_integer(w->checkpoint, side_groups[RESULT_EVENTS] + 1, &beside[RESULT_EVENTS]) &&
                (!w->side[RESULT_FOUND].columns ||
                 h5_get_integer(w->checkpoint, side_groups[RESULT_FOUND] + 1, &beside[RESULT_FOUND])) &&
                H5Dread(w->checkpoint, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, state) >= 0;
    if (!fine) return carom_error_set(error, CAROM_DATA, "%s is damaged: its checkpoint cannot be trusted", w->path);
    w->rows.rows = (long)rows;
    for (int k = 0; k < RESULT_SIDES; k++) w->side[k].rows = (long)beside[k];
    w->step = *step = (long)at;
    if (size) memcpy(w->state, state, size * sizeof *state);
    return CAROM_OK;
}

/* Nothing is missing in one that is finished. */
static carom_status older(const result_writer *w, bool finished, carom_error *error) {
    if (finished) return CAROM_OK;
    return carom_error_set(error, CAROM_DATA,
                           "%s was begun by an older carom, which kept columns in another way: only that version can "
                           "resume it",
                           w->path);
}

static carom_status reopen(result_writer *w, const result_info *info, const char *const *names, double *state,
                           long *step, bool *finished, carom_error *error) {
    char *text = h5_get_text(w->file.id, "status");
    *finished = text && strcmp(text, "finished") == 0;
    free(text);
    carom_status status = compare_scene(w, info, error);
    if (status == CAROM_OK && w->file.version < H5_FORMAT) return older(w, *finished, error);
    if (status == CAROM_OK && !*finished) status = compare_version(w, info->any_version, error);
    if (status == CAROM_OK) status = open_columns(w, &w->rows, w->file.id, names, error);
    for (int k = 0; k < RESULT_SIDES && status == CAROM_OK; k++) status = open_side(w, k, side_info(info, k), error);
    if (status == CAROM_OK && !*finished) status = read_checkpoint(w, state, step, error);
    if (status == CAROM_OK && !*finished) status = fit_rows(w, &w->rows, "rows", error);
    for (int k = 0; k < RESULT_SIDES && status == CAROM_OK && !*finished; k++)
        status = fit_rows(w, &w->side[k], side_groups[k] + 1, error);
    if (status == CAROM_OK && !*finished) status = read_rest(w, error);
    return status;
}

carom_status result_resume(const char *path, const result_info *info, int columns, const char *const *names,
                           size_t state_size, result_writer **writer, double *state, long *step, bool *finished,
                           carom_error *error) {
    *writer = NULL;
    *finished = false;
    result_writer *w = NULL;
    carom_status status = writer_create(path, info, columns, names, state_size, &w, error);
    if (status != CAROM_OK) return status;
    h5_enter();
    status = h5_open(path, STORE_UPDATE, &w->file, error);
    bool opened = status == CAROM_OK;
    if (opened) status = reopen(w, info, names, state, step, finished, error);
    if (h5_exhausted()) status = carom_error_memory(error);
    h5_leave();
    if (status == CAROM_OK && !*finished) status = writer_start(w, error);
    if (status == CAROM_OK && !*finished) {
        *writer = w;
        return CAROM_OK;
    }
    writer_abandon(w, opened);
    return status;
}
