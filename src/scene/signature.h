/* The first bytes of results: of any HDF5 file, and before them of those that carom wrote with checksums (seal.h). */
#ifndef CAROM_SIGNATURE_H
#define CAROM_SIGNATURE_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define HDF5_SIGNATURE "\211HDF\r\n\032\n"
#define SEAL_MAGIC "carom h5"
enum { HDF5_SIGNATURE_BYTES = 8, SEAL_MAGIC_BYTES = 8 };

static inline bool begins_like_result(const void *bytes, size_t size) {
    return size >= HDF5_SIGNATURE_BYTES && (memcmp(bytes, HDF5_SIGNATURE, HDF5_SIGNATURE_BYTES) == 0 ||
                                            memcmp(bytes, SEAL_MAGIC, SEAL_MAGIC_BYTES) == 0);
}

#endif
