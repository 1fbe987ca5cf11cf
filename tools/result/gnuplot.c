#include "result/gnuplot.h"

#include "error.h"
#include "result/store.h"

#include <errno.h>
#include <spawn.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Runs gnuplot and returns its exit status, or -1 with errno. -d: without the settings of the user. */
static int spawn(FILE *script, FILE *picture, FILE *messages) {
    char *arguments[] = {"gnuplot", "-d", NULL};
    posix_spawn_file_actions_t actions;
    pid_t child;
    int status = -1;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, fileno(script), 0);
    posix_spawn_file_actions_adddup2(&actions, fileno(picture), 1);
    posix_spawn_file_actions_adddup2(&actions, fileno(messages), 2);
    errno = posix_spawnp(&child, arguments[0], &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (errno) return -1;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

/* The last line that is not a warning: gnuplot prints the reason last, after the line in question and a caret. */
static carom_status complaint(FILE *messages, carom_error *error) {
    char line[256], reason[256] = "no picture came out";
    rewind(messages);
    while (fgets(line, sizeof line, messages)) {
        line[strcspn(line, "\n")] = '\0';
        if (line[strspn(line, " ^")] && !strcasestr(line, "warning")) memcpy(reason, line, sizeof reason);
    }
    return carom_error_set(error, CAROM_FAILED, "gnuplot failed: %s", reason + strspn(reason, " "));
}

static carom_status file_error(const char *path, carom_status status, carom_error *error) {
    char reason[128];
    return carom_error_set(error, status, "%s: %s", path, store_reason(errno, reason, sizeof reason));
}

carom_status copy_picture(FILE *picture, const char *path, carom_error *error) {
    char bytes[1 << 14];
    size_t n;
    struct stat opened = {0};
    FILE *out = fopen(path, "wb");
    if (!out) return file_error(path, CAROM_DATA, error);
    fstat(fileno(out), &opened);
    rewind(picture);
    bool fine = true;
    while (fine && (n = fread(bytes, 1, sizeof bytes, picture)) > 0) fine = fwrite(bytes, 1, n, out) == n;
    fine = fine && fflush(out) == 0;
    carom_status status = fine ? CAROM_OK : file_error(path, CAROM_FAILED, error);
    if (fclose(out) != 0 && fine) status = file_error(path, CAROM_FAILED, error);
    if (status && S_ISREG(opened.st_mode)) unlink(path); /* a picture that is cut off is removed, but not a device */
    return status;
}

/* gnuplot does not notice a full disk: check that the picture has its end */
static bool complete(FILE *picture) {
    static const char *const ends[] = {"IEND", "</svg>", "%%EOF"};
    char last[64];
    if (fseek(picture, 0, SEEK_END) != 0) return false;
    long size = ftell(picture), count = size < (long)sizeof last ? size : (long)sizeof last;
    if (count <= 0 || fseek(picture, -count, SEEK_END) != 0) return false;
    size_t read = fread(last, 1, (size_t)count, picture);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (memmem(last, read, ends[i], strlen(ends[i]))) return true;
    return false;
}

static carom_status missing(int exit_status, carom_error *error) {
    if (exit_status < 0 && errno != ENOENT) return file_error("gnuplot", CAROM_FAILED, error);
    if (exit_status >= 0 && exit_status != 127) return CAROM_OK;
    return carom_error_set(error, CAROM_FAILED,
                           "plots need the program gnuplot, which was not found (Debian package gnuplot-nox)");
}

carom_status gnuplot_check(carom_error *error) {
    FILE *nothing = tmpfile();
    if (!nothing) return file_error("temporary file", CAROM_FAILED, error);
    carom_status status = missing(spawn(nothing, nothing, nothing), error);
    fclose(nothing);
    return status;
}

static carom_status draw(FILE *script, FILE *picture, FILE *messages, const char *path, carom_error *error) {
    rewind(script);
    int exit_status = spawn(script, picture, messages);
    carom_status status = missing(exit_status, error);
    if (status) return status;
    if (exit_status > 0 || fseek(picture, 0, SEEK_END) != 0 || ftell(picture) == 0) return complaint(messages, error);
    if (!complete(picture))
        return carom_error_set(error, CAROM_FAILED, "%s: the picture was cut off: no room for temporary files", path);
    return copy_picture(picture, path, error);
}

FILE *gnuplot_script(carom_error *error) {
    FILE *script = tmpfile();
    if (!script) carom_error_set(error, CAROM_FAILED, "no temporary file for gnuplot");
    return script;
}

carom_status gnuplot_run(FILE *script, const char *path, carom_error *error) {
    FILE *picture = tmpfile(), *messages = tmpfile();
    carom_status status = picture && messages && fflush(script) == 0
                              ? draw(script, picture, messages, path, error)
                              : file_error("temporary file", CAROM_FAILED, error);
    if (picture) fclose(picture);
    if (messages) fclose(messages);
    return status;
}
