#include "studies.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "error.h"
#include "integrator/integrator.h"
#include "interrupt.h"
#include "result/canvas.h"
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

carom_status study_path(const char *folder, const char *name, char path[PATH_MAX], carom_error *error) {
    char reason[128];
    if (snprintf(path, PATH_MAX, "%s%s%s", folder, folder[0] ? "/" : "", name) < PATH_MAX) return CAROM_OK;
    return carom_error_set(error, CAROM_DATA, "%s: %s", folder[0] ? folder : name,
                           store_reason(ENAMETOOLONG, reason, sizeof reason));
}

carom_status study_outputs(const arguments *a, const char *name, char folder[PATH_MAX], char figure[PATH_MAX],
                           carom_error *error) {
    const char *out = option_value(a, "--out"), *elsewhere = option_value(a, "--figure");
    char ending[32], picture[32], own[PATH_MAX];
    snprintf(ending, sizeof ending, "_%s", name);
    snprintf(picture, sizeof picture, "%s.png", name);
    replace_extension(a->words[0], ending, own, sizeof own);
    if (out && !out[0]) return carom_error_set(error, CAROM_DATA, "--out needs a folder, or 'none'");
    if (elsewhere && !elsewhere[0]) return carom_error_set(error, CAROM_DATA, "--figure needs a file name");
    const bool none = out && !strcmp(out, "none");
    folder[0] = figure[0] = '\0';
    carom_status status = none ? CAROM_OK : study_path("", out ? out : own, folder, error);
    if (!status && elsewhere) status = study_path("", elsewhere, figure, error);
    else if (!status && !none) status = study_path(folder, picture, figure, error);
    if (!status && figure[0]) status = canvas_check(figure, error);
    if (!status && elsewhere) status = check_output(a, figure, error);
    if (!status && !none) status = study_folder(folder, error);
    return !status && figure[0] ? check_output(a, figure, error) : status;
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
