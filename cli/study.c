#include "study.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "error.h"
#include "interrupt.h"
#include "result/store.h"
#include "study/norms.h"

void study_catch_signals(void) {
    catch_signals();
    signal(SIGPIPE, SIG_IGN);
}

carom_status study_workers(const arguments *a, int *workers, carom_error *error) {
    const char *text = option_value(a, "--jobs");
    char *end = NULL;
    long number = text ? strtol(text, &end, 10) : 0;
    if (text && (end == text || *end || number < 1 || number > INT_MAX))
        return carom_error_set(error, CAROM_DATA, "--jobs is a number of processes, not '%s'", text);
    *workers = (int)number;
    return CAROM_OK;
}

carom_status study_folder(const char *path, carom_error *error) {
    char reason[128];
    struct stat there;
    if (!mkdir(path, 0777)) return CAROM_OK;
    int number = errno;
    if (number == EEXIST && !stat(path, &there)) number = S_ISDIR(there.st_mode) ? 0 : ENOTDIR;
    if (!number && access(path, W_OK)) number = errno;
    return number ? carom_error_set(error, CAROM_DATA, "%s: %s", path, store_reason(number, reason, sizeof reason))
                  : CAROM_OK;
}

carom_status study_norm(const char *name, bool all, int *place, carom_error *error) {
    const char *names[NORMS + 1] = {[NORMS] = "all"};
    for (int k = 0; k < NORMS; k++) names[k] = norms[k].name;
    *place = norm_find(name);
    if (*place >= 0 || (all && !strcmp(name, "all"))) return CAROM_OK;
    char hint[80];
    return carom_error_set(error, CAROM_DATA, "there is no norm '%s'%s (carom help converge)", name,
                           suggestion(name, names, NORMS + all, hint, sizeof hint));
}
