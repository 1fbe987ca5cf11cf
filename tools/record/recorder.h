/* A run on its way to a result: what the file says about the run, before it and after it. */
#ifndef CAROM_RECORDER_H
#define CAROM_RECORDER_H

#include "record/record.h"

/* What a result tells about its run; path: of the scene. To be freed, also after a failure. */
carom_status recorder_describe(const carom_scene *scene, const recording *r, const char *path, result_info *info,
                               carom_error *error);
void recorder_free(result_info *info);

/* An older result may be overwritten, anything else not. other: what to choose another one of, "--out". */
carom_status recorder_may_overwrite(const char *path, const char *other, carom_error *error);

/* Closes the file; frees the writer in any case. outcome: "finished", "interrupted" or "failed: reason". */
carom_status recorder_finish(result_writer *writer, const carom_sim *sim, const char *outcome, double wall_seconds,
                             carom_error *error);

#endif
