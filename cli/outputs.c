/* Checks the names of files that a command will write, before anything is computed: no command replaces a file that it
 * reads. */
#include "cli.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "error.h"
#include "result/disk.h"
#include "result/store.h"
#include "scene/document.h"

bool ends_in_csv(const char *path) {
    size_t length = strlen(path);
    return length > 4 && !strcmp(path + length - 4, ".csv");
}

/* Standard streams and devices for text: writing there overwrites nothing. */
static bool is_stream(const char *path) {
    return !strcmp(path, "-") || !strcmp(path, "/dev/null") || !strcmp(path, "/dev/full") ||
           !strncmp(path, "/dev/std", 8) || !strncmp(path, "/dev/fd/", 8);
}

/* Whether a command that reads the input also reads this file. The input is a scene or a result. A scene may extend
 * other files, and a journal may complete a result. */
static bool reads(const char *input, const struct stat *file) {
    char journal[PATH_MAX];
    struct stat regular;
    if (!input || stat(input, &regular) || !S_ISREG(regular.st_mode)) return false;
    snprintf(journal, sizeof journal, "%s.journal", input);
    return disk_names(input, file) || disk_names(journal, file) || document_reads(input, file);
}

static carom_status check_writable(const char *path, carom_error *error) {
    char folder[PATH_MAX], reason[128];
    const char *slash = strrchr(path, '/');
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".");
    bool there = !access(path, F_OK), possible = there || errno == ENOENT;
    if (possible && !access(there ? path : folder, W_OK)) return CAROM_OK;
    return carom_error_set(error, CAROM_DATA, "%s: %s", path, store_reason(errno, reason, sizeof reason));
}

carom_status check_output(const arguments *a, const char *path, carom_error *error) {
    struct stat file;
    if (is_stream(path)) return CAROM_OK;
    if (stat(path, &file)) return check_writable(path, error);
    const char *kind = disk_kind(file.st_mode);
    if (kind) return carom_error_set(error, CAROM_DATA, "%s is %s, not a file: choose another name", path, kind);
    for (int i = 0; i <= a->word_count; i++) {
        const char *input = i < a->word_count ? a->words[i] : option_value(a, "--reference");
        bool output =
            i > 0 && i < a->word_count && !strcmp(input, path); /* the word of 'export' that names its output */
        if (!output && reads(input, &file))
            return carom_error_set(error, CAROM_DATA,
                                   "%s would overwrite what this command reads, %s%s: choose another name", path,
                                   disk_names(input, &file) ? "" : "a part of ", input);
    }
    return check_writable(path, error);
}

carom_status check_csv(const arguments *a, const char *path, carom_error *error) {
    struct stat file;
    if (!path[0]) return carom_error_set(error, CAROM_DATA, "--csv needs a file name, or '-'");
    if (!is_stream(path) && !ends_in_csv(path) && !stat(path, &file) && S_ISREG(file.st_mode) && file.st_size > 0)
        return carom_error_set(error, CAROM_DATA, "%s exists and is not called .csv: choose another name", path);
    return check_output(a, path, error);
}
