/* Bytes of files, and what kind of file a path names. */
#ifndef CAROM_DISK_H
#define CAROM_DISK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

/* What lies past the end of the file reads as zeros. */
bool disk_read(int file, uint64_t at, size_t size, void *bytes);
bool disk_write(int file, uint64_t at, size_t size, const void *bytes);
uint64_t disk_size(int file);
/* Whether two paths name the same file, however they are spelled or linked; whether a path names a given file. */
bool disk_same(const char *a, const char *b);
bool disk_names(const char *path, const struct stat *file);

/* Waits until the file, or the folder of a path, is on the disk. A file system without this function is no failure. */
bool disk_sync(int file);
bool disk_sync_folder(const char *path);

/* Names what is in place of a file: "a directory", "a FIFO", "a socket", "a device". NULL: it is a regular file. */
const char *disk_kind(mode_t mode);

#endif
