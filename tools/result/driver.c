/* A virtual file driver for HDF5 on top of a store. HDF5 reads, writes and closes; nothing lasts before
 * store_commit. */
#include "result/h5.h"

#include "result/driver.h"

#include <stdlib.h>
#if __has_include(<H5FDdevelop.h>)
#include <H5FDdevelop.h> /* HDF5 1.14 and later */
#endif

typedef struct driver_file {
    H5FD_t base; /* first, as HDF5 wants it */
    store *store;
    haddr_t end; /* end of the addresses that HDF5 has allocated */
} driver_file;

static store *store_of(const H5FD_t *file) {
    return ((const driver_file *)file)->store;
}

static H5FD_t *driver_open(const char *name, unsigned flags, hid_t access, haddr_t maximum) {
    (void)name, (void)flags, (void)maximum;
    store *const *info = H5Pget_driver_info(access);
    driver_file *file = info ? h5_memory(1, sizeof *file) : NULL;
    if (!file) return NULL;
    file->store = *info;
    return &file->base;
}

static herr_t driver_close(H5FD_t *file) {
    free(file);
    return 0;
}

static int driver_compare(const H5FD_t *a, const H5FD_t *b) {
    uintptr_t x = (uintptr_t)store_of(a), y = (uintptr_t)store_of(b);
    return (x > y) - (x < y);
}

/* HDF5 does not collect metadata in a piece that it writes as a whole: views (views.h) may lie between. */
static herr_t driver_query(const H5FD_t *file, unsigned long *flags) {
    (void)file;
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_DATA_SIEVE | H5FD_FEAT_AGGREGATE_SMALLDATA;
    return 0;
}

static haddr_t driver_get_eoa(const H5FD_t *file, H5FD_mem_t type) {
    (void)type;
    return ((const driver_file *)file)->end;
}

static herr_t driver_set_eoa(H5FD_t *file, H5FD_mem_t type, haddr_t end) {
    (void)type;
    ((driver_file *)file)->end = end;
    return 0;
}

static haddr_t driver_get_eof(const H5FD_t *file, H5FD_mem_t type) {
    (void)type;
    return (haddr_t)store_size(store_of(file));
}

static herr_t driver_read(H5FD_t *file, H5FD_mem_t type, hid_t transfer, haddr_t at, size_t size, void *bytes) {
    (void)type, (void)transfer;
    return store_read(store_of(file), at, size, bytes) ? 0 : -1;
}

static herr_t driver_write(H5FD_t *file, H5FD_mem_t type, hid_t transfer, haddr_t at, size_t size, const void *bytes) {
    (void)type, (void)transfer;
    return store_write(store_of(file), at, size, bytes) ? 0 : -1;
}

static herr_t driver_truncate(H5FD_t *file, hid_t transfer, hbool_t closing) {
    (void)transfer, (void)closing;
    store_resize(store_of(file), ((driver_file *)file)->end);
    return 0;
}

static const H5FD_class_t driver = {
#ifdef H5FD_CLASS_VERSION
    .version = H5FD_CLASS_VERSION,
    .value = (H5FD_class_value_t)601,
#endif
    .name = "carom_store",
    .maxaddr = ((haddr_t)1 << 62),
    .fc_degree = H5F_CLOSE_STRONG,
    .fapl_size = sizeof(store *),
    .open = driver_open,
    .close = driver_close,
    .cmp = driver_compare,
    .query = driver_query,
    .get_eoa = driver_get_eoa,
    .set_eoa = driver_set_eoa,
    .get_eof = driver_get_eof,
    .read = driver_read,
    .write = driver_write,
    .truncate = driver_truncate,
    .fl_map = H5FD_FLMAP_DICHOTOMY,
};

hid_t driver_access(store *s) {
    static hid_t registered = H5I_INVALID_HID;
    if (registered < 0) registered = H5FDregister(&driver);
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    if (access < 0) return access;
    if (H5Pset_driver(access, registered, &s) < 0 || H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18) < 0) {
        H5Pclose(access);
        return H5I_INVALID_HID;
    }
    return access;
}
