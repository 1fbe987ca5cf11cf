#include "result/disk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool disk_read(int file, uint64_t at, size_t size, void *bytes) {
    unsigned char *to = bytes;
    while (size > 0) {
        ssize_t n = pread(file, to, size, (off_t)at);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return false;
        if (n == 0) {
            memset(to, 0, size);
            return true;
        }
        to += n, at += (uint64_t)n, size -= (size_t)n;
    }
    return true;
}

bool disk_write(int file, uint64_t at, size_t size, const void *bytes) {
    const unsigned char *from = bytes;
    while (size > 0) {
        ssize_t n = pwrite(file, from, size, (off_t)at);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return false;
        from += n, at += (uint64_t)n, size -= (size_t)n;
    }
    return true;
}

uint64_t disk_size(int file) {
    struct stat info;
    return fstat(file, &info) == 0 ? (uint64_t)info.st_size : 0;
}

bool disk_names(const char *path, const struct stat *file) {
    struct stat info;
    return stat(path, &info) == 0 && info.st_ino == file->st_ino && info.st_dev == file->st_dev;
}

bool disk_same(const char *a, const char *b) {
    struct stat info;
    return stat(a, &info) == 0 && disk_names(b, &info);
}

bool disk_sync(int file) {
    int result;
    do result = fsync(file);
    while (result != 0 && errno == EINTR);
    return result == 0 || errno == EINVAL || errno == ENOTSUP;
}

bool disk_sync_folder(const char *path) {
    const char *slash = strrchr(path, '/');
    char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    int opened = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    free(folder);
    if (opened < 0) return errno == EACCES; /* a folder that may be written, but not read */
    bool fine = disk_sync(opened);
    int reason = errno;
    close(opened);
    errno = reason;
    return fine;
}

const char *disk_kind(mode_t mode) {
    return S_ISREG(mode)    ? NULL
           : S_ISDIR(mode)  ? "a directory"
           : S_ISFIFO(mode) ? "a FIFO"
           : S_ISSOCK(mode) ? "a socket"
                            : "a device";
}
