/* Appending copies a row into memory. A thread compresses and writes blocks of rows, and commits once a second together
 * with the state after the last row: the file always holds whole rows and the checkpoint that belongs to them. */
#include "result/writer.h"

#include "error.h"
#include "scene/signature.h"

#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
    CHUNK_ROWS = 4096,
    FEWEST = 256,  /* rows of a chunk, for a run that is resumed with a later end */
    PERIOD = 1000, /* milliseconds between commits */
    REST = 10      /* how many times as long as it took the thread commits nothing after a commit */
};
static const int chunk_side[RESULT_SIDES] = {512, CHUNK_ROWS}; /* most runs have few events */

const char *const side_groups[RESULT_SIDES] = {H5_EVENTS, H5_FOUND};
const char *const side_kinds[RESULT_SIDES] = {"kinds", "bodies"};

const result_events_info *side_info(const result_info *info, int side) {
    return side == RESULT_EVENTS ? &info->events : &info->found;
}

/* ---- memory */

carom_status writer_create(const char *path, const result_info *info, int columns, const char *const *names,
                           size_t state_size, result_writer **writer, carom_error *error) {
    result_writer *w = *writer = calloc(1, sizeof *w);
    if (!w) return carom_error_memory(error);
    w->state_size = state_size;
    w->period = PERIOD;
    w->last_time = w->committed_time = NAN;
    w->time = columns - 1;
    while (w->time >= 0 && strcmp(names[w->time], "t") != 0) w->time--;
    w->path = strdup(path);
    w->state = calloc(state_size + 1, sizeof *w->state);
    w->rows.columns = columns;
    for (int k = 0; k < RESULT_SIDES; k++) w->side[k].columns = side_info(info, k)->columns;
    if (w->path && w->state) return CAROM_OK;
    writer_abandon(w, false);
    *writer = NULL;
    return carom_error_memory(error);
}

static bool reserve_block(block *b, size_t numbers, size_t state_size) {
    b->rows = malloc(numbers * sizeof *b->rows);
    b->state = calloc(state_size + 1, sizeof *b->state);
    return b->rows && b->state;
}

carom_status writer_reserve(result_writer *w, size_t rows, const size_t side[RESULT_SIDES], carom_error *error) {
    size_t numbers = rows * (size_t)w->rows.columns;
    bool tables = table_reserve(&w->rows, rows);
    for (int k = 0; k < RESULT_SIDES; k++)
        tables = tables && (!w->side[k].columns || table_reserve(&w->side[k], side[k]));
    return tables && reserve_block(&w->front, numbers, w->state_size) && reserve_block(&w->back, numbers, w->state_size)
               ? CAROM_OK
               : carom_error_memory(error);
}

static void free_block(block *b) {
    free(b->rows);
    free(b->state);
    for (int k = 0; k < RESULT_SIDES; k++) free(b->side[k].rows);
}

static void free_writer(result_writer *w) {
    free_block(&w->front);
    free_block(&w->back);
    table_destroy(&w->rows);
    for (int k = 0; k < RESULT_SIDES; k++) free(w->pending[k].rows), table_destroy(&w->side[k]);
    free(w->state);
    free(w->path);
    free(w);
}

void writer_abandon(result_writer *w, bool opened) {
    h5_enter();
    if (opened) h5_close(&w->file);
    h5_leave();
    free_writer(w);
}

/* ---- writing, by the thread */

static bool write_block(result_writer *w, const block *b) {
    size_t columns = (size_t)w->rows.columns;
    if (w->state_size) memcpy(w->state, b->state, w->state_size * sizeof *w->state);
    if (w->time >= 0) w->last_time = b->rows[(b->count - 1) * columns + (size_t)w->time];
    w->step = b->step;
    h5_enter();
    bool fine = table_append(&w->rows, b->rows, b->count);
    for (int k = 0; k < RESULT_SIDES; k++) fine = fine && table_append(&w->side[k], b->side[k].rows, b->side[k].count);
    fine = fine && store_errno(w->file.store) == 0;
    h5_leave();
    return fine;
}

/* Writes everything collected so far, with the state that belongs to it. */
static bool write_rest(result_writer *w, bool last) {
    h5_enter();
    bool fine = table_write_rest(&w->rows, last);
    for (int k = 0; k < RESULT_SIDES; k++)
        fine = fine && table_write_rest(&w->side[k], last) &&
               h5_put_integer(w->checkpoint, side_groups[k] + 1, w->side[k].rows);
    fine = fine && H5Dwrite(w->checkpoint, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, w->state) >= 0 &&
           h5_put_integer(w->checkpoint, "step", w->step) && h5_put_integer(w->checkpoint, "rows", w->rows.rows) &&
           store_errno(w->file.store) == 0;
    h5_leave();
    return fine;
}

static bool show(result_writer *w, bool last) {
    bool fine = H5Fflush(w->file.id, H5F_SCOPE_GLOBAL) >= 0 && table_show(&w->rows, last);
    for (int k = 0; k < RESULT_SIDES; k++) fine = fine && (!w->side[k].columns || table_show(&w->side[k], last));
    return fine;
}

static bool commit(result_writer *w, bool last) {
    if (w->rows.rows == w->committed && !last) return true;
    if (!write_rest(w, last)) return false;
    h5_enter();
    bool fine = show(w, last) && h5_commit(&w->file);
    h5_leave();
    if (!fine) return false;
    w->committed = w->rows.rows;
    w->committed_time = w->last_time;
    return true;
}

/* "results.h5: no space left on device after 12 rows; rows up to t=0.1 are kept" */
static carom_status write_error(const result_writer *w, carom_error *error) {
    char reason[128] = "HDF5 cannot write", kept[64] = "they are kept";
    int number = store_errno(w->file.store);
    if (number) store_reason(number, reason, sizeof reason);
    if (!isnan(w->committed_time)) snprintf(kept, sizeof kept, "rows up to t=%g are kept", w->committed_time);
    if (w->committed == 0) return carom_error_set(error, CAROM_FAILED, "%s: %s before the first row", w->path, reason);
    return carom_error_set(error, CAROM_FAILED, "%s: %s after %ld rows; %s", w->path, reason, w->committed, kept);
}

/* ---- the thread. Everything below runs with the mutex held, writing aside. */

/* Any number of events and contacts may come. Beyond the size of a chunk they do not wait for their row. */
static bool is_full(const result_writer *w) {
    size_t bytes = 0;
    for (int k = 0; k < RESULT_SIDES; k++)
        bytes += w->front.side[k].count * (size_t)w->side[k].columns * sizeof(double);
    return w->front.count == w->front_size || bytes > TABLE_BYTES;
}

static void hand_over(result_writer *w) {
    if (w->handed || w->front.count == 0) return;
    block b = w->front;
    w->front = w->back;
    w->back = b;
    w->front.count = 0;
    for (int k = 0; k < RESULT_SIDES; k++) w->front.side[k].count = 0;
    w->front_size = w->front_size > b.count ? w->front_size - b.count : w->rows.chunk;
    w->handed = true;
}

/* Milliseconds. */
static long now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* A commit takes time in proportion to all columns and chunks: of many it may take seconds. */
static void set_deadline(result_writer *w, long begun) {
    const long end = now(), rest = REST * (end - begun);
    w->deadline = rest > PERIOD ? end + rest : begun + w->period;
}

static void wait_for_work(result_writer *w) {
    while (!w->handed && !w->stop && !is_full(w) && now() < w->deadline) {
        const struct timespec until = {w->deadline / 1000, w->deadline % 1000 * 1000000};
        pthread_cond_timedwait(&w->work, &w->mutex, &until);
    }
}

static void *run(void *writer) {
    result_writer *w = writer;
    pthread_mutex_lock(&w->mutex);
    while (w->failure.status == CAROM_OK && (!w->stop || w->handed || w->front.count > 0)) {
        wait_for_work(w);
        bool take_now = (hand_over(w), w->handed), commit_now = now() >= w->deadline;
        pthread_mutex_unlock(&w->mutex);
        bool fine = !take_now || write_block(w, &w->back);
        const long begun = now();
        fine = fine && (!commit_now || commit(w, false));
        pthread_mutex_lock(&w->mutex);
        if (commit_now) set_deadline(w, begun);
        if (take_now) w->handed = false;
        if (!fine) write_error(w, &w->failure);
        pthread_cond_signal(&w->room);
    }
    pthread_mutex_unlock(&w->mutex);
    return NULL;
}

/* The thread blocks all signals: they are for the program. A file above the limit then makes write fail, instead of
 * raising SIGXFSZ. */
static bool start_thread(result_writer *w) {
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&w->mutex, NULL);
    pthread_cond_init(&w->work, &monotonic);
    pthread_cond_init(&w->room, NULL);
    pthread_condattr_destroy(&monotonic);
    set_deadline(w, now() - w->making);
    w->front_size = w->rows.chunk - (size_t)w->rows.rows % w->rows.chunk;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = pthread_create(&w->thread, NULL, run, w) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

static void stop_thread(result_writer *w) {
    pthread_mutex_lock(&w->mutex);
    w->stop = true;
    pthread_cond_signal(&w->work);
    pthread_mutex_unlock(&w->mutex);
    pthread_join(w->thread, NULL);
    pthread_cond_destroy(&w->work);
    pthread_cond_destroy(&w->room);
    pthread_mutex_destroy(&w->mutex);
}

carom_status writer_start(result_writer *w, carom_error *error) {
    h5_enter();
    bool fine = h5_put_text(w->file.id, "status", "running") && h5_commit(&w->file);
    h5_leave();
    if (!fine) return write_error(w, error);
    w->committed = w->rows.rows;
    if (start_thread(w)) return CAROM_OK;
    return carom_error_set(error, CAROM_FAILED, "%s: no thread to write it", w->path);
}

/* ---- creating */

static bool put_info(hid_t file, uint64_t id, const result_info *info) {
    char hex[17];
    snprintf(hex, sizeof hex, "%016" PRIx64, id);
    return h5_put_text(file, "format", "carom result") && h5_put_integer(file, "format_version", H5_FORMAT) &&
           h5_put_text(file, "id", hex) && h5_put_text(file, "carom_version", carom_version()) &&
           h5_put_text(file, "carom_revision", carom_revision()) && h5_put_text(file, "title", info->title) &&
           h5_put_text(file, "scene", info->scene) && h5_put_text(file, "scene_path", info->scene_path) &&
           h5_put_text(file, "integrator", info->integrator) && h5_put_number(file, "dt", info->dt) &&
           h5_put_number(file, "until", info->until) && h5_put_integer(file, "every", info->every) &&
           h5_put_texts(file, "parameters", info->parameters, info->parameter_names) &&
           h5_put_numbers(file, "parameter_values", info->parameters, info->parameter_values) &&
           h5_put_texts(file, "plots", info->plots, info->plot);
}

static bool create_side(result_writer *w, int k, const result_events_info *info) {
    if (info->columns == 0) return true;
    hid_t group = h5_group(w->file.id, side_groups[k]); /* open until the file is closed */
    return group >= 0 && table_make(&w->side[k], w->file.store, group, info->names, info->units) &&
           h5_put_texts(group, "contacts", info->contacts, info->contact) &&
           h5_put_texts(group, side_kinds[k], info->kinds, info->kind);
}

static bool create_checkpoint(result_writer *w) {
    hid_t space = H5Screate_simple(1, &(hsize_t){w->state_size}, NULL);
    w->checkpoint = H5Dcreate2(w->file.id, H5_CHECKPOINT, H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Sclose(space);
    return w->checkpoint >= 0 && h5_put_integer(w->checkpoint, "rows", 0);
}

/* A mistyped command must not destroy another file: only results and empty files are replaced. */
static carom_status check_replaceable(const char *path, carom_error *error) {
    char head[HDF5_SIGNATURE_BYTES];
    struct stat info;
    FILE *file = stat(path, &info) == 0 && S_ISREG(info.st_mode) ? fopen(path, "rb") : NULL;
    if (!file) return CAROM_OK; /* nothing is there, or nothing that a store would replace */
    size_t n = fread(head, 1, sizeof head, file);
    fclose(file);
    if (n == 0 || begins_like_result(head, n)) return CAROM_OK;
    return carom_error_set(error, CAROM_DATA, "%s exists and is not an HDF5 file: not overwritten", path);
}

/* In a short run a chunk holds just the rows of the run. */
static size_t expected_rows(const result_info *info) {
    const double rows = ceil(info->until / (info->dt * (double)info->every)) + 1;
    return rows >= 1 && rows < CHUNK_ROWS ? (size_t)fmax(rows, FEWEST) : CHUNK_ROWS;
}

carom_status result_create(const char *path, const result_info *info, int columns, const char *const *names,
                           const char *const *units, size_t state_size, result_writer **writer, carom_error *error) {
    const long begun = now();
    *writer = NULL;
    if (columns < 1) return carom_error_set(error, CAROM_DATA, "%s: no quantities to record", path);
    carom_status status = check_replaceable(path, error);
    result_writer *w = NULL;
    if (status == CAROM_OK) status = writer_create(path, info, columns, names, state_size, &w, error);
    if (status != CAROM_OK) return status;
    size_t side[RESULT_SIDES];
    for (int k = 0; k < RESULT_SIDES; k++) side[k] = table_choose_chunk(side_info(info, k)->columns, chunk_side[k]);
    status = writer_reserve(w, table_choose_chunk(columns, expected_rows(info)), side, error);
    h5_enter();
    if (status == CAROM_OK) status = h5_create(path, &w->file, error);
    bool opened = status == CAROM_OK;
    if (opened) {
        if (!put_info(w->file.id, store_id(w->file.store), info) ||
            !table_make(&w->rows, w->file.store, w->file.id, names, units) ||
            !create_side(w, RESULT_EVENTS, &info->events) || !create_side(w, RESULT_FOUND, &info->found) ||
            !create_checkpoint(w))
            status = write_error(w, error);
    }
    h5_leave();
    if (status == CAROM_OK) w->making = now() - begun;
    if (status == CAROM_OK) status = writer_start(w, error);
    if (status == CAROM_OK) {
        *writer = w;
        return CAROM_OK;
    }
    writer_abandon(w, opened);
    return status;
}

/* ---- appending and finishing */

static bool add_rows(side_list *to, const double *rows, size_t count, size_t columns) {
    if (to->count + count > to->room) {
        size_t room = 2 * (to->count + count);
        double *larger = realloc(to->rows, room * columns * sizeof *larger);
        if (!larger) return false;
        to->rows = larger;
        to->room = room;
    }
    if (count) memcpy(to->rows + to->count * columns, rows, count * columns * sizeof *rows);
    to->count += count;
    return true;
}

static carom_status append_aside(result_writer *w, side_table k, const double *values, carom_error *error) {
    return add_rows(&w->pending[k], values, 1, (size_t)w->side[k].columns) ? CAROM_OK : carom_error_memory(error);
}

carom_status result_append_event(result_writer *w, const double *event, carom_error *error) {
    return append_aside(w, RESULT_EVENTS, event, error);
}

carom_status result_append_found(result_writer *w, const double *contact, carom_error *error) {
    return append_aside(w, RESULT_FOUND, contact, error);
}

static bool move_pending(result_writer *w) {
    for (int k = 0; k < RESULT_SIDES; k++) {
        side_list *from = &w->pending[k];
        if (!add_rows(&w->front.side[k], from->rows, from->count, (size_t)w->side[k].columns)) return false;
        from->count = 0;
    }
    return true;
}

carom_status result_append(result_writer *w, const double *row, const double *state, long step, carom_error *error) {
    size_t columns = (size_t)w->rows.columns;
    pthread_mutex_lock(&w->mutex);
    while (w->failure.status == CAROM_OK && is_full(w)) pthread_cond_wait(&w->room, &w->mutex);
    carom_status status = w->failure.status;
    if (status != CAROM_OK) {
        if (error) *error = w->failure;
    } else if (!move_pending(w)) {
        status = carom_error_memory(error);
    } else {
        memcpy(w->front.rows + w->front.count++ * columns, row, columns * sizeof *row);
        if (w->state_size) memcpy(w->front.state, state, w->state_size * sizeof *state);
        w->front.step = step;
        if (is_full(w) && !w->handed) {
            hand_over(w);
            pthread_cond_signal(&w->work);
        }
    }
    pthread_mutex_unlock(&w->mutex);
    return status;
}

static bool put_figures(hid_t file, const result_summary *summary) {
    bool fine = summary->figures == 0 || h5_put_texts(file, "figures", summary->figures, summary->figure_names);
    for (int i = 0; i < summary->figures && fine; i++)
        fine = h5_put_number(file, summary->figure_names[i], summary->figure_values[i]);
    return fine;
}

static bool put_summary(hid_t file, const result_summary *summary) {
    char hash[17];
    snprintf(hash, sizeof hash, "%016llx", summary->hash);
    return h5_put_text(file, "status", summary->status) && h5_put_text(file, "hash", hash) &&
           h5_put_number(file, "wall_seconds", summary->wall_seconds) &&
           h5_put_integers(file, "newton_max", summary->stages, summary->newton_max) &&
           h5_put_numbers(file, "newton_mean", summary->stages, summary->newton_mean) && put_figures(file, summary);
}

/* The store outlives HDF5's closing of the file, so that its failures can be reported. */
static carom_status close_writer(result_writer *w, carom_status status, carom_error *error) {
    h5_enter();
    H5Fclose(w->file.id);
    w->file.id = H5I_INVALID_HID;
    if (status == CAROM_OK && !store_seal(w->file.store)) status = write_error(w, error);
    h5_close(&w->file);
    h5_leave();
    free_writer(w);
    return status;
}

carom_status result_finish(result_writer *w, const result_summary *summary, carom_error *error) {
    stop_thread(w);
    carom_status status = w->failure.status;
    if (status != CAROM_OK && error) *error = w->failure;
    if (status == CAROM_OK && !commit(w, true)) status = write_error(w, error);
    h5_enter();
    if (status == CAROM_OK && !put_summary(w->file.id, summary)) status = write_error(w, error);
    if (status == CAROM_OK && strcmp(summary->status, "finished") == 0)
        H5Ldelete(w->file.id, H5_CHECKPOINT, H5P_DEFAULT);
    h5_leave();
    return close_writer(w, status, error);
}
