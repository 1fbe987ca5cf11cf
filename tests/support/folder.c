#include "folder.h"

#include <stdio.h>
#include <stdlib.h>

static char folder[] = "/tmp/carom_test_XXXXXX";

int make_folder(void **state) {
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

int remove_folder(void **state) {
    (void)state;
    char command[64];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

const char *the_folder(void) {
    return folder;
}

const char *in_folder(const char *name) {
    static char path[8][300];
    static int turn;
    char *p = path[turn++ % 8];
    snprintf(p, sizeof path[0], "%s/%s", folder, name);
    return p;
}
