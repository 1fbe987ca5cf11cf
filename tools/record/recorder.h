/* The recording of a run in a result, and what the result says about the run before its start and after its end. */
#ifndef CAROM_RECORDER_H
#define CAROM_RECORDER_H

#include "record/record.h"

/* What a result tells about its run; path: of the scene. To be freed, also after a failure. */
carom_status recorder_describe(const carom_scene *scene, const recording *r, const char *path, result_info *info,
                               carom_error *error);
void recorder_free(result_info *info);

/* A file may be overwritten if it is a result. otherwise: which option to choose another one of, "--out". */
carom_status recorder_may_overwrite(const char *path, const char *other, carom_error *error);

/* Closes the file and frees the writer, also after a failure. outcome: "finished", "interrupted" or "failed:
 * reason". */
carom_status recorder_finish(result_writer *writer, const carom_sim *sim, const char *outcome, double wall_seconds,
                             carom_error *error);

#endif
