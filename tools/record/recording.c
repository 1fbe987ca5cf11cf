/* What a run records, for programs that keep it themselves (carom/result.h). */
#include "carom/result.h"

#include <stdlib.h>
#include <string.h>

#include "alive.h"
#include "error.h"
#include "record/record.h"

struct carom_recording {
    unsigned alive;
    recording recording;
    carom_sim *sim;
};

carom_status carom_recording_create(const carom_scene *scene, carom_sim *sim, carom_recording **result,
                                    carom_error *error) {
    *result = NULL;
    carom_recording *r = calloc(1, sizeof *r);
    if (!r) return carom_error_memory(error);
    r->alive = ALIVE, r->sim = sim;
    carom_status status = recording_create(&r->recording, scene, sim, error);
    if (status) carom_recording_destroy(r);
    else *result = r;
    return status;
}

void carom_recording_destroy(carom_recording *r) {
    if (!r) return;
    assert_alive(r);
    recording_destroy(&r->recording);
    mark_destroyed(r);
    free(r);
}

int carom_recording_columns(const carom_recording *r, carom_table table) {
    assert_alive(r);
    return table == CAROM_EVENTS ? r->recording.events.columns : r->recording.count;
}

const char *carom_recording_name(const carom_recording *r, carom_table table, int column) {
    assert_alive(r);
    assert(column >= 0 && column < carom_recording_columns(r, table));
    return table == CAROM_EVENTS ? r->recording.events.names[column] : r->recording.names[column];
}

const char *carom_recording_unit(const carom_recording *r, carom_table table, int column) {
    assert_alive(r);
    assert(column >= 0 && column < carom_recording_columns(r, table));
    return table == CAROM_EVENTS ? r->recording.events.units[column] : r->recording.units[column];
}

carom_status carom_recording_row(carom_recording *r, double *row, carom_error *error) {
    assert_alive(r);
    carom_status status = recording_take(&r->recording, r->sim, error);
    if (!status) memcpy(row, r->recording.row, (size_t)r->recording.count * sizeof *row);
    return status;
}

carom_status carom_recording_event(carom_recording *r, int event, double *row, carom_error *error) {
    int count;
    assert_alive(r);
    carom_sim_events(r->sim, &count);
    assert(event >= 0 && event < count);
    carom_status status = recording_take_event(&r->recording, r->sim, event, error);
    if (!status) memcpy(row, r->recording.event, (size_t)r->recording.events.columns * sizeof *row);
    return status;
}
