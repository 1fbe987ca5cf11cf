/* Names for what a computation depends on: equal keys, equal results. */
#ifndef CAROM_KEY_H
#define CAROM_KEY_H

#include "reproduce/jobs.h"

/* Of the bytes of a file: the program itself is the version that counts. */
carom_status key_of_file(const char *path, char key[KEY_LENGTH + 1], carom_error *error);
/* Of the version, the command, whether it may fail, and the files it names: scenes with everything they extend.
 * Its first KEY_VERSION letters are those of the version. */
carom_status key_of_source(const char *root, const char *version, const source *s, char key[KEY_LENGTH + 1],
                           carom_error *error);

#endif
