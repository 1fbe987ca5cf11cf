#include "picture/file.h"

#include "error.h"
#include "result/store.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static carom_status fail(const file *f, int number, carom_status status, carom_error *error) {
    char reason[128];
    return carom_error_set(error, status, "%s: %s", f->path,
                           store_reason(number ? number : EIO, reason, sizeof reason));
}

/* Other programs, or a killed process, may have left files with such names. They stay: take the first name that is
 * free. */
static int open_beside(file *f) {
    enum { NAMES = 100 };
    int opened = -1;
    for (int i = 0; i < NAMES && opened < 0; i++) {
        snprintf(f->name, sizeof f->name, "%s.part%.*d", f->path, i > 0, i);
        opened = open(f->name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (opened < 0 && errno != EEXIST) break;
    }
    return opened;
}

carom_status file_create(file *f, const char *path, carom_error *error) {
    snprintf(f->path, sizeof f->path, "%s", path);
    if (strlen(path) >= sizeof f->path) return fail(f, ENAMETOOLONG, CAROM_DATA, error);
    int number = open_beside(f);
    f->out = number < 0 ? NULL : fdopen(number, "wb");
    if (!f->out && number >= 0) unlink(f->name), close(number);
    if (!f->out) return fail(f, errno, CAROM_DATA, error);
    errno = 0;
    return CAROM_OK;
}

carom_status file_finish(file *f, carom_status status, carom_error *error) {
    bool written = fflush(f->out) == 0 && !ferror(f->out);
    int number = errno;
    if (fclose(f->out) != 0 && written) written = false, number = errno;
    if (!status && !written) status = fail(f, number, CAROM_FAILED, error);
    if (!status && rename(f->name, f->path) != 0) status = fail(f, errno, CAROM_DATA, error);
    if (status) unlink(f->name);
    return status;
}
