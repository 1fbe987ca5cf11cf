/* What the commands that study many runs have in common. */
#ifndef CAROM_STUDIES_H
#define CAROM_STUDIES_H

#include "cli.h"
#include "study/scheme.h"

#include <limits.h>

#define DEFAULT_NORM "lobatto"

/* As catch_signals; and who stops reading the table (head) does not stop the files from being written. */
void study_catch_signals(void);
/* --jobs; 0 where it is not given. */
carom_status study_workers(const arguments *a, int *workers, carom_error *error);
/* Makes the folder before anything is computed: what cannot be written is known then. */
carom_status study_folder(const char *path, carom_error *error);
/* "FOLDER/NAME"; NAME alone where the folder is "" */
carom_status study_path(const char *folder, const char *name, char path[PATH_MAX], carom_error *error);
/* The folder --out, which is made, and the picture --figure of a study; defaults: SCENE_NAME and NAME.png in the
 * folder.
 * "": none. */
carom_status study_outputs(const arguments *a, const char *name, char folder[PATH_MAX], char figure[PATH_MAX],
                           carom_error *error);
/* --integrators. A name that does not exist is a slip of the fingers: it is told from an integrator that refuses. */
carom_status study_schemes(const char *list, scheme **schemes, int *count, carom_error *error);
/* The place of a norm. all: "all" is a name, too, and gives -1. */
carom_status study_norm(const char *name, bool all, int *place, carom_error *error);

#endif
