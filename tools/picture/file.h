/* Files that are there completely or not at all: written beside their place under another name, and moved. */
#ifndef CAROM_PICTURE_FILE_H
#define CAROM_PICTURE_FILE_H

#include "carom/carom.h"

#include <stdio.h>

typedef struct file {
    FILE *out;
    char path[4096], name[4120]; /* where it will be; where it is written */
} file;

carom_status file_create(file *f, const char *path, carom_error *error);
/* status: of what was written so far. In any case but success nothing is left behind. */
carom_status file_finish(file *f, carom_status status, carom_error *error);

#endif
