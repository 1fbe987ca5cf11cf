/* Appending copies a row into memory. A thread compresses and writes blocks of rows, and commits once a second together
 * with the state after the last row: the file always holds whole rows and the checkpoint that belongs to them. */
#include "result/writer.h"

#include "error.h"

#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum {
    CHUNK_ROWS = 4096,
    LEAST_ROWS = 16,
    BLOCK_BYTES = 16 << 20, /* front, back and the open chunk: three times this */
    PERIOD = 1000,          /* milliseconds between commits */
    TRY_AGAIN = 16          /* every so many chunks noise gets another chance */
};

/* ---- memory */

carom_status writer_create(const char *path, int columns, const char *const *names, size_t state_size,
                           result_writer **writer, carom_error *error) {
    result_writer *w = *writer = calloc(1, sizeof *w);
    if (!w) return carom_error_memory(error);
    w->columns = columns;
    w->state_size = state_size;
    w->period = PERIOD;
    w->last_time = w->committed_time = NAN;
    w->time = columns - 1;
    while (w->time >= 0 && strcmp(names[w->time], "t") != 0) w->time--;
    w->path = strdup(path);
    w->dataset = calloc((size_t)columns, sizeof *w->dataset);
    w->noise = calloc((size_t)columns, sizeof *w->noise);
    w->state = calloc(state_size + 1, sizeof *w->state);
    if (w->path && w->dataset && w->noise && w->state) return CAROM_OK;
    writer_abandon(w, false);
    *writer = NULL;
    return carom_error_memory(error);
}

static bool reserve_block(block *b, size_t numbers, size_t state_size) {
    b->rows = malloc(numbers * sizeof *b->rows);
    b->state = calloc(state_size + 1, sizeof *b->state);
    return b->rows && b->state;
}

carom_status writer_reserve(result_writer *w, size_t chunk, carom_error *error) {
    w->chunk = chunk ? chunk : CHUNK_ROWS;
    while (!chunk && w->chunk > LEAST_ROWS && w->chunk * (size_t)w->columns * sizeof(double) > BLOCK_BYTES)
        w->chunk /= 2;
    size_t numbers = w->chunk * (size_t)w->columns;
    w->open = calloc(numbers, sizeof *w->open);
    w->deflater = deflater_create(w->chunk);
    return w->open && w->deflater && reserve_block(&w->front, numbers, w->state_size) &&
                   reserve_block(&w->back, numbers, w->state_size)
               ? CAROM_OK
               : carom_error_memory(error);
}

static void free_writer(result_writer *w) {
    free(w->front.rows);
    free(w->front.state);
    free(w->back.rows);
    free(w->back.state);
    free(w->open);
    deflater_destroy(w->deflater);
    free(w->state);
    free(w->noise);
    free(w->dataset);
    free(w->path);
    free(w);
}

void writer_abandon(result_writer *w, bool opened) {
    h5_enter();
    if (opened) h5_close(&w->file, false);
    h5_leave();
    free_writer(w);
}

/* ---- writing, by the thread */

/* A chunk that is going to be written again stays as it is: compressing waits until it is complete. */
static bool write_column(result_writer *w, int c, bool last) {
    enum { COMPRESSED = 0, PLAIN = 3 }; /* masks of the filters that were left out */
    hsize_t total = (hsize_t)w->rows, first = total - w->filled;
    const double *values = w->open + (size_t)c * w->chunk;
    if (H5Dset_extent(w->dataset[c], &total) < 0) return false;
    if (!last) return H5Dwrite_chunk(w->dataset[c], H5P_DEFAULT, PLAIN, &first, w->chunk * sizeof *values, values) >= 0;
    size_t size;
    if (first / w->chunk % TRY_AGAIN == 0) w->noise[c] = 0;
    const unsigned char *bytes = deflater_run(w->deflater, values, w->filled, &w->noise[c], &size);
    return H5Dwrite_chunk(w->dataset[c], H5P_DEFAULT, COMPRESSED, &first, size, bytes) >= 0;
}

static bool write_chunk(result_writer *w, bool last) {
    h5_enter();
    bool fine = true;
    for (int c = 0; fine && c < w->columns; c++) fine = write_column(w, c, last);
    fine = fine && store_errno(w->file.store) == 0;
    h5_leave();
    if (w->filled == w->chunk) w->filled = 0;
    return fine;
}

/* A block never crosses the end of a chunk. */
static bool take(result_writer *w, const block *b) {
    size_t columns = (size_t)w->columns;
    for (size_t c = 0; c < columns; c++) {
        double *to = w->open + c * w->chunk + w->filled;
        for (size_t i = 0; i < b->count; i++) to[i] = b->rows[i * columns + c];
    }
    if (w->state_size) memcpy(w->state, b->state, w->state_size * sizeof *w->state);
    if (w->time >= 0) w->last_time = b->rows[(b->count - 1) * columns + (size_t)w->time];
    w->step = b->step;
    w->rows += (long)b->count;
    w->filled += b->count;
    return w->filled < w->chunk || write_chunk(w, true);
}

uint64_t writer_sum(const double *state, size_t size) {
    uint64_t h = 0xCBF29CE484222325u;
    for (size_t i = 0; i < size; i++) {
        uint64_t bits;
        memcpy(&bits, &state[i], sizeof bits);
        h = (h ^ bits) * 0x100000001B3u;
        h ^= h >> 29;
    }
    return h;
}

/* Everything taken so far goes to the file, and the state that belongs to it. */
static bool write_rest(result_writer *w, bool last) {
    char sum[17];
    snprintf(sum, sizeof sum, "%016" PRIx64, writer_sum(w->state, w->state_size));
    if (w->filled > 0 && !write_chunk(w, last)) return false;
    h5_enter();
    bool fine = H5Dwrite(w->checkpoint, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, w->state) >= 0 &&
                h5_put_integer(w->checkpoint, "step", w->step) && h5_put_integer(w->checkpoint, "rows", w->rows) &&
                h5_put_text(w->checkpoint, "sum", sum);
    h5_leave();
    return fine;
}

static bool commit(result_writer *w, bool last) {
    if (w->rows == w->committed && !last) return true;
    if (!write_rest(w, last)) return false;
    h5_enter();
    bool fine = h5_commit(&w->file);
    h5_leave();
    if (!fine) return false;
    w->committed = w->rows;
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

static void hand_over(result_writer *w) {
    if (w->handed || w->front.count == 0) return;
    block b = w->front;
    w->front = w->back;
    w->back = b;
    w->front.count = 0;
    w->front_size = w->front_size > b.count ? w->front_size - b.count : w->chunk;
    w->handed = true;
}

static struct timespec now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t;
}

static void set_deadline(result_writer *w) {
    w->deadline = now();
    w->deadline.tv_sec += w->period / 1000;
    w->deadline.tv_nsec += w->period % 1000 * 1000000;
    if (w->deadline.tv_nsec >= 1000000000) w->deadline.tv_sec++, w->deadline.tv_nsec -= 1000000000;
}

static bool due(const result_writer *w) {
    struct timespec t = now();
    return t.tv_sec > w->deadline.tv_sec || (t.tv_sec == w->deadline.tv_sec && t.tv_nsec >= w->deadline.tv_nsec);
}

static void wait_for_work(result_writer *w) {
    while (!w->handed && !w->stop && w->front.count < w->front_size && !due(w))
        pthread_cond_timedwait(&w->work, &w->mutex, &w->deadline);
}

static void *run(void *writer) {
    result_writer *w = writer;
    pthread_mutex_lock(&w->mutex);
    while (w->failure.status == CAROM_OK && (!w->stop || w->handed || w->front.count > 0)) {
        wait_for_work(w);
        bool take_now = (hand_over(w), w->handed), commit_now = due(w);
        if (commit_now) set_deadline(w);
        pthread_mutex_unlock(&w->mutex);
        bool fine = (!take_now || take(w, &w->back)) && (!commit_now || commit(w, false));
        pthread_mutex_lock(&w->mutex);
        if (take_now) w->handed = false;
        if (!fine) write_error(w, &w->failure);
        pthread_cond_signal(&w->room);
    }
    pthread_mutex_unlock(&w->mutex);
    return NULL;
}

/* The thread takes no signals: they are for the program, and one for too large a file becomes an error of write. */
static bool start_thread(result_writer *w) {
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&w->mutex, NULL);
    pthread_cond_init(&w->work, &monotonic);
    pthread_cond_init(&w->room, NULL);
    pthread_condattr_destroy(&monotonic);
    set_deadline(w);
    w->front_size = w->chunk - (size_t)w->rows % w->chunk;
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
    w->committed = w->rows;
    if (start_thread(w)) return CAROM_OK;
    return carom_error_set(error, CAROM_FAILED, "%s: no thread to write it", w->path);
}

/* ---- creating */

static bool put_info(hid_t file, uint64_t id, const result_info *info) {
    char hex[17];
    snprintf(hex, sizeof hex, "%016" PRIx64, id);
    return h5_put_text(file, "format", "carom result") && h5_put_integer(file, "format_version", 1) &&
           h5_put_text(file, "id", hex) && h5_put_text(file, "carom_version", carom_version()) &&
           h5_put_text(file, "carom_revision", carom_revision()) && h5_put_text(file, "title", info->title) &&
           h5_put_text(file, "scene", info->scene) && h5_put_text(file, "scene_path", info->scene_path) &&
           h5_put_text(file, "integrator", info->integrator) && h5_put_number(file, "dt", info->dt) &&
           h5_put_number(file, "until", info->until) && h5_put_integer(file, "every", info->every) &&
           h5_put_texts(file, "parameters", info->parameters, info->parameter_names) &&
           h5_put_numbers(file, "parameter_values", info->parameters, info->parameter_values) &&
           h5_put_texts(file, "plots", info->plots, info->plot);
}

static bool create_columns(result_writer *w, const char *const *names, const char *const *units) {
    hsize_t chunk = w->chunk;
    hid_t space = H5Screate_simple(1, &(hsize_t){0}, &(hsize_t){H5S_UNLIMITED});
    hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    bool fine = H5Pset_chunk(creation, 1, &chunk) >= 0 && H5Pset_shuffle(creation) >= 0 &&
                H5Pset_deflate(creation, 1) >= 0 && H5Pset_fill_time(creation, H5D_FILL_TIME_NEVER) >= 0;
    for (int c = 0; fine && c < w->columns; c++) {
        w->dataset[c] = H5Dcreate2(w->file.id, names[c], H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, creation, H5P_DEFAULT);
        fine = w->dataset[c] >= 0 && h5_put_text(w->dataset[c], "unit", units ? units[c] : "");
    }
    H5Sclose(space);
    H5Pclose(creation);
    return fine;
}

static bool create_checkpoint(result_writer *w) {
    hid_t space = H5Screate_simple(1, &(hsize_t){w->state_size}, NULL);
    w->checkpoint = H5Dcreate2(w->file.id, H5_CHECKPOINT, H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Sclose(space);
    return w->checkpoint >= 0 && h5_put_integer(w->checkpoint, "rows", 0);
}

static uint64_t random_id(void) {
    uint64_t id = 0;
    struct timespec t = now();
    if (getrandom(&id, sizeof id, GRND_NONBLOCK) != sizeof id) id = (uint64_t)t.tv_nsec << 32 ^ (uint64_t)t.tv_sec;
    return id | 1; /* 0 means none */
}

/* A slip in the command must not destroy a text: only results and empty files are replaced. */
static carom_status check_replaceable(const char *path, carom_error *error) {
    unsigned char head[8];
    FILE *file = fopen(path, "rb");
    if (!file) return CAROM_OK;
    size_t n = fread(head, 1, sizeof head, file);
    fclose(file);
    if (n == 0 || (n == sizeof head && memcmp(head, "\211HDF\r\n\032\n", 8) == 0)) return CAROM_OK;
    return carom_error_set(error, CAROM_DATA, "%s exists and is not an HDF5 file: not overwritten", path);
}

carom_status result_create(const char *path, const result_info *info, int columns, const char *const *names,
                           const char *const *units, size_t state_size, result_writer **writer, carom_error *error) {
    *writer = NULL;
    if (columns < 1) return carom_error_set(error, CAROM_DATA, "%s: no quantities to record", path);
    carom_status status = check_replaceable(path, error);
    result_writer *w = NULL;
    if (status == CAROM_OK) status = writer_create(path, columns, names, state_size, &w, error);
    if (status != CAROM_OK) return status;
    status = writer_reserve(w, 0, error);
    h5_enter();
    if (status == CAROM_OK) status = h5_create(path, &w->file, error);
    bool opened = status == CAROM_OK;
    if (opened) {
        store_trust(w->file.store, random_id());
        if (!put_info(w->file.id, store_id(w->file.store), info) || !create_columns(w, names, units) ||
            !create_checkpoint(w))
            status = write_error(w, error);
    }
    h5_leave();
    if (status == CAROM_OK) status = writer_start(w, error);
    if (status == CAROM_OK) {
        *writer = w;
        return CAROM_OK;
    }
    writer_abandon(w, opened);
    return status;
}

/* ---- appending and finishing */

carom_status result_append(result_writer *w, const double *row, const double *state, long step, carom_error *error) {
    pthread_mutex_lock(&w->mutex);
    while (w->failure.status == CAROM_OK && w->front.count == w->front_size) pthread_cond_wait(&w->room, &w->mutex);
    carom_status status = w->failure.status;
    if (status == CAROM_OK) {
        memcpy(w->front.rows + w->front.count++ * (size_t)w->columns, row, (size_t)w->columns * sizeof *row);
        if (w->state_size) memcpy(w->front.state, state, w->state_size * sizeof *state);
        w->front.step = step;
        if (w->front.count == w->front_size && !w->handed) {
            hand_over(w);
            pthread_cond_signal(&w->work);
        }
    } else if (error) *error = w->failure;
    pthread_mutex_unlock(&w->mutex);
    return status;
}

static bool put_summary(hid_t file, const result_summary *summary) {
    char hash[17];
    snprintf(hash, sizeof hash, "%016llx", summary->hash);
    return h5_put_text(file, "status", summary->status) && h5_put_text(file, "hash", hash) &&
           h5_put_number(file, "wall_seconds", summary->wall_seconds) &&
           h5_put_integers(file, "newton_max", summary->stages, summary->newton_max) &&
           h5_put_numbers(file, "newton_mean", summary->stages, summary->newton_mean);
}

/* The store outlives HDF5's closing, so that a failure can still be told. */
static carom_status close_writer(result_writer *w, carom_status status, carom_error *error) {
    h5_enter();
    H5Fclose(w->file.id);
    w->file.id = H5I_INVALID_HID;
    if (status == CAROM_OK && !store_commit(w->file.store)) status = write_error(w, error);
    h5_close(&w->file, false);
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
