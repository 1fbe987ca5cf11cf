/* What the commands that study many runs have in common. */
#ifndef CAROM_STUDIES_H
#define CAROM_STUDIES_H

#include "cli.h"
#include "study/scheme.h"

#include <limits.h>

#define DEFAULT_NORM "lobatto"

/* As catch_signals. Besides, the files are completed even if no one reads the table to its end (as with head). */
void study_catch_signals(void);
/* --jobs; 0 where it is not given. */
carom_status study_workers(const arguments *a, int *workers, carom_error *error);
/* Makes the folder before anything is computed, so that a folder that cannot be written is reported at once. */
carom_status study_folder(const char *path, carom_error *error);
/* "FOLDER/NAME"; NAME alone where the folder is "" */
carom_status study_path(const char *folder, const char *name, char path[PATH_MAX], carom_error *error);
/* The folder --out, which is made, and the picture --figure of a study; "": none. Defaults: the folder SCENE_NAME and
 * NAME.png in it. */
carom_status study_outputs(const arguments *a, const char *name, char folder[PATH_MAX], char figure[PATH_MAX],
                           carom_error *error);
/* Reads --integrators and complains of names that do not exist. Integrators that refuse the model say so later. */
carom_status study_schemes(const char *list, scheme **schemes, int *count, carom_error *error);
/* The index of a norm. all: the name "all" is allowed and gives -1. */
carom_status study_norm(const char *name, bool all, int *place, carom_error *error);

#endif
