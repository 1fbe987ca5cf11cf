/* A folder of its own for a test program, removed at its end: set-up and tear-down of a cmocka group. */
#ifndef TEST_FOLDER_H
#define TEST_FOLDER_H

int make_folder(void **state);
int remove_folder(void **state);

/* Its path, and the path of a file in it (one of the last eight asked for). */
const char *the_folder(void);
const char *in_folder(const char *name);

#endif
