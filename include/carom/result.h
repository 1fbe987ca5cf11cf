/* carom: results (HDF5) that a program writes or reads. Those written are for carom plot, carom view, carom export,
 * carom events and anything that reads HDF5 (docs/guide/results.md). In the library carom-tools, not in carom itself.
 *
 *   carom_result *result = NULL;
 *   carom_status status = carom_result_create_run("ball.h5", scene, sim, &result, &error);
 *   while (!status && !carom_sim_done(sim)) {
 *       status = carom_sim_step(sim, &error);
 *       if (!status) status = carom_result_take(result, &error);
 *   }
 *   carom_status closed = carom_result_finish(result, status ? error.message : NULL, status ? NULL : &error);
 *
 * What was handed over longer than two seconds ago survives kill -9. A result belongs to the process that has created
 * it: a forked child leaves it alone. Misuse ends the program by an assertion, as in carom.h.
 * SPDX-License-Identifier: MIT */
#ifndef CAROM_RESULT_FILE_H
#define CAROM_RESULT_FILE_H

#include <carom/carom.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct carom_result carom_result;

/* The result of a run: what the scene asks to be recorded, every n-th step as it says. An older result at path is
 * replaced, any other file is not. Scene and simulation are borrowed until carom_result_finish. The present state is
 * the first row. */
CAROM_API CAROM_CHECK carom_status carom_result_create_run(const char *path, const carom_scene *scene, carom_sim *sim,
                                                           carom_result **result, carom_error *error);
/* After every step: its events, and a row where one is due. */
CAROM_API CAROM_CHECK carom_status carom_result_take(carom_result *result, carom_error *error);

/* The same for a program that keeps it itself: what a result of the run would hold, in two tables. Scene and simulation
 * are borrowed. Of a model without a scene (NULL) every quantity is recorded. */
typedef struct carom_recording carom_recording;
typedef enum carom_table { CAROM_ROWS, CAROM_EVENTS } carom_table;
CAROM_API CAROM_CHECK carom_status carom_recording_create(const carom_scene *scene, carom_sim *sim,
                                                          carom_recording **recording, carom_error *error);
CAROM_API void carom_recording_destroy(carom_recording *recording);
/* Columns of a table; 0: the run tells no events. */
CAROM_API int carom_recording_columns(const carom_recording *recording, carom_table table);
CAROM_API const char *carom_recording_name(const carom_recording *recording, carom_table table, int column);
CAROM_API const char *carom_recording_unit(const carom_recording *recording, carom_table table, int column);
/* [columns] values at the present state, or of an event of the last step. */
CAROM_API CAROM_CHECK carom_status carom_recording_row(carom_recording *recording, double *row, carom_error *error);
CAROM_API CAROM_CHECK carom_status carom_recording_event(carom_recording *recording, int event, double *row,
                                                         carom_error *error);

/* A table of the program's own. */
typedef struct carom_result_def {
    const char *title;
    int columns;
    const char *const *names, *const *units; /* units may be NULL, and so may each of them */
    const char *const *plot;                 /* [plots] panels for carom plot: "x,y" */
    int plots;
    const carom_scene *scene; /* whose quantities the columns are, for pictures; NULL: none */

    int event_columns; /* of a second table, of events; 0: there is none */
    const char *const *event_names, *const *event_units;
    const char *const *contact, *const *kind; /* names behind the numbers in its columns "contact" and "kind" */
    int contacts, kinds;
} carom_result_def;
CAROM_API carom_result_def carom_default_result_def(void);
CAROM_API CAROM_CHECK carom_status carom_result_create(const char *path, const carom_result_def *def,
                                                       carom_result **result, carom_error *error);
CAROM_API CAROM_CHECK carom_status carom_result_append(carom_result *result, const double *row,
                                                       carom_error *error); /* [columns] */
/* An event, before the row that follows it. */
CAROM_API CAROM_CHECK carom_status carom_result_append_event(carom_result *result, const double *event,
                                                             carom_error *error); /* [event_columns] */

/* Writes everything and closes the file; frees the result in any case. failure: why the run ended early; NULL: it did
 * not, or was given up by the program. result may be NULL. */
CAROM_API CAROM_CHECK carom_status carom_result_finish(carom_result *result, const char *failure, carom_error *error);

/* ---- reading, also of a result whose writer was killed or is still running. A damaged file is refused. */
typedef struct carom_reader carom_reader;
CAROM_API CAROM_CHECK carom_status carom_reader_open(const char *path, carom_reader **reader, carom_error *error);
CAROM_API void carom_reader_close(carom_reader *reader);
/* Of its tables; the run told no events: 0. */
CAROM_API long carom_reader_rows(const carom_reader *reader, carom_table table);
CAROM_API int carom_reader_columns(const carom_reader *reader, carom_table table);
CAROM_API const char *carom_reader_name(const carom_reader *reader, carom_table table, int column);
CAROM_API const char *carom_reader_unit(const carom_reader *reader, carom_table table, int column);
/* All rows of a column. */
CAROM_API CAROM_CHECK carom_status carom_reader_read(carom_reader *reader, carom_table table, int column,
                                                     double *values, carom_error *error);
/* The column of the rows that is a quantity by its name, or a formula of quantities, parameters and dt: "T + V". Forces
 * are percussions over dt, "wall.FN" of "wall.PN". */
CAROM_API CAROM_CHECK carom_status carom_reader_quantity(carom_reader *reader, const char *name, int *column,
                                                         carom_error *error);
/* The column of the events that is this one of the rows just before each of them (side 0) or after (1); -1: none is. */
CAROM_API int carom_reader_side(carom_reader *reader, int column, int side);
/* Names behind the numbers in the columns "contact" and "kind" of the events; NULL: there is no such number. */
CAROM_API const char *carom_reader_contact(const carom_reader *reader, int number);
CAROM_API const char *carom_reader_kind(const carom_reader *reader, int number);
/* What the result tells about its run (docs/guide/results.md): "title", "scene", "status", ...; NULL: nothing. */
CAROM_API const char *carom_reader_text(carom_reader *reader, const char *attribute);
CAROM_API int carom_reader_plots(const carom_reader *reader); /* panels for carom plot */
CAROM_API const char *carom_reader_plot(const carom_reader *reader, int i);

#ifdef __cplusplus
}
#endif
#endif
