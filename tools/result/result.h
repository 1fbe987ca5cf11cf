/* Results: one HDF5 file per run, a compressed table of all recorded quantities, each of which is also a dataset under
 * its name, readable by anything that reads HDF5. docs/guide/results.md describes the layout. */
#ifndef CAROM_RESULT_H
#define CAROM_RESULT_H

#include "carom/carom.h"

/* A table beside that of the rows (docs/guide/results.md): located events, or contacts that are found. Any number of
 * its rows belongs to a row. No columns: there is none. */
typedef struct result_events_info {
    int columns;
    const char *const *names, *const *units;
    int contacts, kinds; /* whose numbers it holds; of found contacts, kinds are the bodies */
    const char *const *contact, *const *kind;
} result_events_info;

typedef struct result_info {
    const char *title, *scene, *scene_path; /* effective scene text; path it was read from */
    const char *integrator;
    double dt, until;
    int every;
    int parameters;
    const char *const *parameter_names;
    const double *parameter_values;
    int plots;
    const char *const *plot; /* default panels */
    result_events_info events, found;
    bool any_version; /* also resume what another version of carom began */
} result_info;

/* ---- writing. Everything handed over longer than two seconds ago survives kill -9. */
typedef struct result_writer result_writer;

carom_status result_create(const char *path, const result_info *info, int columns, const char *const *names,
                           const char *const *units, size_t state_size, result_writer **writer, carom_error *error);
/* Reopen an interrupted result of the same scene and columns; rows after its last checkpoint are dropped.
 * state receives the checkpoint (state_size doubles), *step the step it belongs to.
 * A finished result gives CAROM_OK with *finished = true and *writer = NULL. */
carom_status result_resume(const char *path, const result_info *info, int columns, const char *const *names,
                           size_t state_size, result_writer **writer, double *state, long *step, bool *finished,
                           carom_error *error);
/* Appends a row. state and step are those after it and become the next checkpoint. Rows are collected and written about
 * once a second. */
carom_status result_append(result_writer *writer, const double *row, const double *state, long step,
                           carom_error *error);
/* Appends an event since the last row, or a contact of the next row. It reaches the file together with the next row. */
carom_status result_append_event(result_writer *writer, const double *event, carom_error *error);
carom_status result_append_found(result_writer *writer, const double *contact, carom_error *error);
typedef struct result_summary {
    const char *status;      /* "finished", "interrupted" or "failed: reason" */
    unsigned long long hash; /* of the final state */
    double wall_seconds;
    int stages; /* Newton iterations per stage */
    const int *newton_max;
    const double *newton_mean;
    int figures; /* of the integrator's own */
    const char *const *figure_names;
    const double *figure_values;
} result_summary;
/* Flushes and closes; frees the writer in any case. "finished" makes the file immutable for resume. */
carom_status result_finish(result_writer *writer, const result_summary *summary, carom_error *error);

/* ---- reading, also of files whose writer was killed or is still running */
typedef struct result_reader result_reader;

carom_status result_open(const char *path, result_reader **reader, carom_error *error);
/* Whether a file is a result. Its quantities are not looked at. */
bool result_is_result(const char *path);
void result_close(result_reader *reader);
long result_rows(const result_reader *reader);
int result_columns(const result_reader *reader);
const char *result_name(const result_reader *reader, int column);
const char *result_unit(const result_reader *reader, int column); /* "" where unknown */
int result_find(const result_reader *reader, const char *name);   /* -1: none */
/* The column of a quantity, recorded or derived by a formula of recorded ones. */
carom_status result_quantity(result_reader *reader, const char *name, int *column, carom_error *error);
carom_status result_read(result_reader *reader, int column, long first, long count, double *values, carom_error *error);
const char *result_text(result_reader *reader, const char *attribute); /* "title", "scene", "status", ...; NULL: none */
/* Numbers of an attribute ("newton_max", "dt", ...), *count of them, to be freed; NULL: none. */
double *result_numbers(result_reader *reader, const char *attribute, int *count);
/* Memory was refused to one of the two functions above: what it did not find may be there. */
bool result_exhausted(const result_reader *reader);
/* Names of the scene's parameters, whose values are the numbers "parameter_values". */
int result_parameters(const result_reader *reader);
const char *result_parameter(const result_reader *reader, int i);
int result_plots(const result_reader *reader);
const char *result_plot(const result_reader *reader, int i);
/* Figures of the integrator's own, once the run has ended: names, whose values are attributes (result_text). */
int result_figures(const result_reader *reader);
const char *result_figure(const result_reader *reader, int i);

/* The table of events: a reader like the other, of the columns that result_append_event got. It lives as long as the
 * result. NULL: the run located none. */
result_reader *result_events(const result_reader *reader);
/* The table of contacts that are found, in the same way; its kinds are the bodies. */
result_reader *result_found(const result_reader *reader);
/* Names behind the numbers in its columns "contact" and "kind"; NULL: no such number. */
const char *result_contact(const result_reader *events, int i);
const char *result_kind(const result_reader *events, int i);

/* ---- CSV: header of names, one line per row, 17 significant digits. path "-" is standard output. */
carom_status result_export_csv(result_reader *reader, const char *path, const int *columns, int count,
                               carom_error *error);

/* ---- plots by gnuplot. A panel is "phi3", "x,y" (several curves), "phi_M:phi_M_dot" (phase plot), with shell-like
 * patterns ("*.gap"). Format by the extension of path: png, svg, pdf. */
carom_status result_draw(result_reader *reader, const char *path, const char *const *panels, int count,
                         carom_error *error);
/* Several results in the same panels, over a part of the time. Panels may be formulas of quantities ("sqrt(x^2 +
 * y^2)"), and forces where percussions are recorded ("wall.FN"). */
typedef struct result_picture {
    result_reader *const *results;
    int count;
    const char *const *panels;
    int panel_count; /* 0: those of the first result */
    double from, to; /* -INFINITY, INFINITY: all of it */
} result_picture;
carom_status result_draw_all(const result_picture *picture, const char *path, carom_error *error);

#endif
