#include "loop.h"

#include <time.h>

static double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static carom_status keep(loop *l, carom_error *error) {
    const bool due = carom_sim_steps(l->sim) % l->every == 0 || carom_sim_done(l->sim);
    if (!l->recording || !due) return CAROM_OK;
    double *row = l->rows + l->count * carom_recording_columns(l->recording, CAROM_ROWS);
    carom_status status = carom_recording_row(l->recording, row, error);
    if (!status) l->count++;
    return status;
}

/* What a step leaves, if it was taken: a callback may stop the run before a step or after it. */
static carom_status take(loop *l, carom_error *error) {
    carom_status status = keep(l, error);
    return !status && l->file ? carom_result_take(l->file, error) : status;
}

carom_status loop_run(loop *l, carom_error *error) {
    const double end = seconds_now() + l->seconds;
    carom_status status = CAROM_OK;
    int events = 0;
    while (!status && !events && !carom_sim_done(l->sim) && l->count < l->room && seconds_now() < end) {
        const long before = carom_sim_steps(l->sim);
        status = carom_sim_step(l->sim, error);
        if (carom_sim_steps(l->sim) == before) break;
        carom_status taken = take(l, status ? NULL : error);
        if (!status) status = taken;
        carom_sim_events(l->sim, &events);
    }
    return status;
}
