#include "study.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "error.h"
#include "integrator/integrator.h"
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

static carom_status no_integrator(const char *name, carom_error *error) {
    const char *names[64];
    char hint[80];
    for (int k = 0; k < carom_integrators(); k++) names[k] = carom_integrator(k)->name;
    suggestion(name, names, carom_integrators(), hint, sizeof hint);
    if (strchr("0123456789", name[0]))
        snprintf(hint, sizeof hint, ": write each in full, lobatto:stages=2,lobatto:stages=3");
    return carom_error_set(error, CAROM_DATA, "there is no integrator '%.500s'%s (carom list integrators)", name, hint);
}

carom_status study_schemes(const char *list, scheme **schemes, int *count, carom_error *error) {
    carom_status status = schemes_read(list, schemes, count, error);
    for (int i = 0; i < *count && !status; i++)
        if (!integrator_find((*schemes)[i].integrator)) status = no_integrator((*schemes)[i].integrator, error);
    return status;
}

carom_status study_norm(const char *name, bool all, int *place, carom_error *error) {
    const char *names[NORMS + 1] = {[NORMS] = "all"};
    for (int k = 0; k < NORMS; k++) names[k] = norms[k].name;
    *place = norm_find(name);
    if (*place >= 0 || (all && !strcmp(name, "all"))) return CAROM_OK;
    if (!strcmp(name, "all")) return carom_error_set(error, CAROM_DATA, "here --norm takes one norm, not 'all'");
    char hint[80], list[160] = "";
    for (int k = 0; k < NORMS; k++)
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", k ? ", " : "", names[k]);
    return carom_error_set(error, CAROM_DATA, "there is no norm '%s'%s (%s%s)", name,
                           suggestion(name, names, NORMS + all, hint, sizeof hint), list, all ? ", all" : "");
}
