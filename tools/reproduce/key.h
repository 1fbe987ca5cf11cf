/* Names for what a computation depends on: equal keys, equal results. */
#ifndef CAROM_KEY_H
#define CAROM_KEY_H

#include "reproduce/jobs.h"

/* The key of a file by its bytes: the program itself is the version. */
carom_status key_of_file(const char *path, char key[KEY_LENGTH + 1], carom_error *error);
/* The key of a computation: of the version, the command, whether it may fail, and the files that it names, scenes with
 * all that they extend. It begins with KEY_VERSION letters of the version's key. */
carom_status key_of_source(const char *root, const char *version, const source *s, char key[KEY_LENGTH + 1],
                           carom_error *error);

#endif
