/* Continuing an interrupted result: the same scene, the same quantities, from the last checkpoint. */
#include "error.h"
#include "result/writer.h"

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

static carom_status find_extra(const result_writer *w, const char *const *names, carom_error *error) {
    char name[256];
    H5G_info_t group = {0};
    H5Gget_info(w->file.id, &group);
    for (hsize_t i = 0; group.nlinks > (hsize_t)w->columns + 1 && i < group.nlinks; i++) {
        if (H5Lget_name_by_idx(w->file.id, ".", H5_INDEX_NAME, H5_ITER_INC, i, name, sizeof name, H5P_DEFAULT) < 0)
            continue;
        bool known = strcmp(name, H5_CHECKPOINT) == 0;
        for (int c = 0; !known && c < w->columns; c++) known = strcmp(name, names[c]) == 0;
        if (!known)
            return carom_error_set(error, CAROM_DATA, "%s also records '%s', which is not recorded now", w->path, name);
    }
    return CAROM_OK;
}

static carom_status open_columns(result_writer *w, const char *const *names, carom_error *error) {
    carom_status status = CAROM_OK;
    for (int c = 0; status == CAROM_OK && c < w->columns; c++) {
        if (H5Lexists(w->file.id, names[c], H5P_DEFAULT) <= 0)
            status = carom_error_set(error, CAROM_DATA, "%s does not record '%s'", w->path, names[c]);
        else if ((w->dataset[c] = H5Dopen2(w->file.id, names[c], H5P_DEFAULT)) < 0)
            status = carom_error_set(error, CAROM_DATA, "%s is damaged: cannot open '%s'", w->path, names[c]);
    }
    return status == CAROM_OK ? find_extra(w, names, error) : status;
}

/* Rows past the checkpoint are dropped, fewer cannot be. */
static carom_status fit_columns(result_writer *w, const char *const *names, carom_error *error) {
    for (int c = 0; c < w->columns; c++) {
        hid_t space = H5Dget_space(w->dataset[c]);
        hsize_t rows = 0, wanted = (hsize_t)w->rows;
        H5Sget_simple_extent_dims(space, &rows, NULL);
        H5Sclose(space);
        if (rows < wanted || (rows > wanted && H5Dset_extent(w->dataset[c], &wanted) < 0))
            return carom_error_set(error, CAROM_DATA, "%s is damaged: '%s' has %ld of %ld rows", w->path, names[c],
                                   (long)rows, w->rows);
    }
    return CAROM_OK;
}

/* The rows of the chunk that is not complete: it will be written again. */
static carom_status read_open_chunk(result_writer *w, const char *const *names, carom_error *error) {
    hsize_t chunk = 0, count, first;
    hid_t creation = H5Dget_create_plist(w->dataset[0]);
    H5Pget_chunk(creation, 1, &chunk);
    H5Pclose(creation);
    carom_status status = writer_reserve(w, (size_t)chunk, error);
    if (status != CAROM_OK) return status;
    w->filled = (size_t)w->rows % w->chunk;
    if (w->filled == 0) return CAROM_OK;
    count = w->filled, first = (hsize_t)w->rows - count;
    hid_t memory = H5Screate_simple(1, &count, NULL), space = H5Screate_simple(1, &(hsize_t){(hsize_t)w->rows}, NULL);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, &first, NULL, &count, NULL);
    for (int c = 0; status == CAROM_OK && c < w->columns; c++)
        if (H5Dread(w->dataset[c], H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, w->open + (size_t)c * w->chunk) < 0)
            status = carom_error_set(error, CAROM_DATA, "%s is damaged: cannot read '%s'", w->path, names[c]);
    H5Sclose(memory);
    H5Sclose(space);
    return status;
}

static carom_status read_checkpoint(result_writer *w, double *state, long *step, carom_error *error) {
    int64_t rows = 0, at = 0;
    w->checkpoint = H5Dopen2(w->file.id, H5_CHECKPOINT, H5P_DEFAULT);
    if (w->checkpoint < 0 || !h5_get_integer(w->checkpoint, "rows", &rows))
        return carom_error_set(error, CAROM_DATA, "%s holds no checkpoint", w->path);
    if (rows == 0)
        return carom_error_set(error, CAROM_DATA, "%s was interrupted before its first checkpoint: start it again",
                               w->path);
    hid_t space = H5Dget_space(w->checkpoint);
    size_t size = (size_t)H5Sget_simple_extent_npoints(space);
    H5Sclose(space);
    if (size != w->state_size)
        return carom_error_set(error, CAROM_DATA, "%s holds a state of %zu numbers, but this scene's has %zu", w->path,
                               size, w->state_size);
    char *sum = h5_get_text(w->checkpoint, "sum");
    bool fine = sum && h5_get_integer(w->checkpoint, "step", &at) &&
                H5Dread(w->checkpoint, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, state) >= 0 &&
                strtoull(sum, NULL, 16) == writer_sum(state, size);
    free(sum);
    if (!fine) return carom_error_set(error, CAROM_DATA, "%s is damaged: its checkpoint cannot be trusted", w->path);
    w->rows = (long)rows;
    w->step = *step = (long)at;
    if (size) memcpy(w->state, state, size * sizeof *state);
    return CAROM_OK;
}

static carom_status reopen(result_writer *w, const result_info *info, const char *const *names, double *state,
                           long *step, bool *finished, carom_error *error) {
    char *text = h5_get_text(w->file.id, "status");
    *finished = text && strcmp(text, "finished") == 0;
    free(text);
    carom_status status = compare_scene(w, info, error);
    if (status == CAROM_OK) status = open_columns(w, names, error);
    if (status == CAROM_OK && !*finished) status = read_checkpoint(w, state, step, error);
    if (status == CAROM_OK && !*finished) status = fit_columns(w, names, error);
    if (status == CAROM_OK && !*finished) status = read_open_chunk(w, names, error);
    return status;
}

carom_status result_resume(const char *path, const result_info *info, int columns, const char *const *names,
                           size_t state_size, result_writer **writer, double *state, long *step, bool *finished,
                           carom_error *error) {
    *writer = NULL;
    *finished = false;
    result_writer *w = NULL;
    carom_status status = writer_create(path, columns, names, state_size, &w, error);
    if (status != CAROM_OK) return status;
    h5_enter();
    status = h5_open(path, STORE_UPDATE, &w->file, error);
    bool opened = status == CAROM_OK;
    if (opened) status = reopen(w, info, names, state, step, finished, error);
    h5_leave();
    if (status == CAROM_OK && !*finished) status = writer_start(w, error);
    if (status == CAROM_OK && !*finished) {
        *writer = w;
        return CAROM_OK;
    }
    writer_abandon(w, opened);
    return status;
}
