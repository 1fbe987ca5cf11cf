#include "result/h5.h"

#include "error.h"
#include "result/chunks.h"
#include "result/driver.h"
#include "scene/signature.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- one thread at a time, silently */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static H5E_auto2_t printer;
static void *printer_data;
static bool exhausted;

/* carom closes all files itself, so HDF5 need not do so at exit: after a damaged file it would complain of an endless
 * loop. */
void h5_enter(void) {
    static bool entered;
    pthread_mutex_lock(&mutex);
    if (!entered) H5dont_atexit();
    entered = true;
    exhausted = false;
    H5Eget_auto2(H5E_DEFAULT, &printer, &printer_data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

void h5_leave(void) {
    H5Eset_auto2(H5E_DEFAULT, printer, printer_data);
    pthread_mutex_unlock(&mutex);
}

void *h5_memory(size_t count, size_t size) {
    void *room = calloc(count, size);
    if (!room) exhausted = true;
    return room;
}

bool h5_exhausted(void) {
    return exhausted;
}

/* ---- files */

enum { FEW = 64 }; /* attributes and links of a file that need no index of their own */

carom_status h5_create(const char *path, h5_file *file, carom_error *error) {
    carom_status status = store_open(path, STORE_CREATE, &file->store, error);
    if (status != CAROM_OK) return status;
    hid_t creation = H5Pcreate(H5P_FILE_CREATE), access = driver_access(file->store);
    H5Pset_link_creation_order(creation, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
    H5Pset_userblock(creation, STORE_HEAD);
    H5Pset_istore_k(creation, CHUNKS_RANK);
    H5Pset_attr_creation_order(creation, H5P_CRT_ORDER_TRACKED); /* attributes above 64 KB need it: long scenes */
    H5Pset_attr_phase_change(creation, FEW, 0);
    H5Pset_link_phase_change(creation, FEW, 0);
    file->id = H5Fcreate(path, H5F_ACC_TRUNC, creation, access);
    H5Pclose(creation);
    H5Pclose(access);
    file->version = H5_FORMAT;
    if (file->id >= 0) return CAROM_OK;
    store_close(file->store);
    if (exhausted) return carom_error_memory(error);
    return carom_error_set(error, CAROM_FAILED, "%s: HDF5 cannot create it", path);
}

static hid_t open_through(store *s, const char *path, bool writable) {
    hid_t access = driver_access(s);
    hid_t id = H5Fopen(path, writable ? H5F_ACC_RDWR : H5F_ACC_RDONLY, access);
    H5Pclose(access);
    return id;
}

/* Whether a line near the beginning starts with "carom:". */
static bool is_scene(store *s) {
    char head[4096];
    size_t size = store_size(s) < sizeof head ? (size_t)store_size(s) : sizeof head - 1;
    if (!store_read(s, 0, size, head)) return false;
    head[size] = '\0';
    return strncmp(head, "carom:", 6) == 0 || strstr(head, "\ncarom:");
}

/* Superblock versions 2 and 3 hold the size of the file in bytes 28 to 35. */
static carom_status unreadable(store *s, const char *path, carom_error *error) {
    unsigned char head[36] = {0};
    uint64_t stored = 0;
    if (is_scene(s))
        return carom_error_set(error, CAROM_DATA, "%s is a scene, not a result: 'carom run %s' makes one", path, path);
    if (!store_read(s, 0, sizeof head, head) || memcmp(head, HDF5_SIGNATURE, HDF5_SIGNATURE_BYTES) != 0)
        return carom_error_set(error, CAROM_DATA, "%s is not an HDF5 file", path);
    for (int i = 7; i >= 0; i--) stored = stored << 8 | head[28 + i];
    if ((head[8] == 2 || head[8] == 3) && store_size(s) < stored)
        return carom_error_set(error, CAROM_DATA, "%s is truncated: %" PRIu64 " of %" PRIu64 " bytes are left", path,
                               store_size(s), stored);
    return carom_error_set(error, CAROM_DATA, "%s is a damaged HDF5 file", path);
}

static carom_status check_format(h5_file *file, const char *path, carom_error *error) {
    char *format = h5_get_text(file->id, "format");
    bool ours = format && strcmp(format, "carom result") == 0;
    free(format);
    int64_t version;
    if (!ours || !h5_get_integer(file->id, "format_version", &version))
        return carom_error_set(error, CAROM_DATA, "%s is HDF5, but not a carom result", path);
    file->version = (int)version;
    if (version >= 1 && version <= H5_FORMAT) return CAROM_OK;
    return carom_error_set(error, CAROM_DATA, "%s has result format %" PRId64 "; this carom reads formats 1 to %d",
                           path, version, H5_FORMAT);
}

carom_status h5_open(const char *path, store_mode mode, h5_file *file, carom_error *error) {
    carom_status status = store_open(path, mode, &file->store, error);
    if (status != CAROM_OK) return status;
    store *s = file->store;
    file->id = open_through(s, path, mode == STORE_UPDATE);
    status = file->id < 0 ? unreadable(s, path, error) : check_format(file, path, error);
    if (exhausted) status = carom_error_memory(error);
    if (status != CAROM_OK) h5_close(file);
    return status;
}

bool h5_is_own(const char *name) {
    return name[0] == '#';
}

hid_t h5_group(hid_t place, const char *name) {
    if (H5Lexists(place, name, H5P_DEFAULT) > 0) return H5Gopen2(place, name, H5P_DEFAULT);
    hid_t creation = H5Pcreate(H5P_GROUP_CREATE);
    H5Pset_link_creation_order(creation, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
    H5Pset_attr_creation_order(creation, H5P_CRT_ORDER_TRACKED); /* attributes above 64 KB need it: names of contacts */
    hid_t group = H5Gcreate2(place, name, H5P_DEFAULT, creation, H5P_DEFAULT);
    H5Pclose(creation);
    return group;
}

bool h5_commit(h5_file *file) {
    return H5Fflush(file->id, H5F_SCOPE_GLOBAL) >= 0 && store_commit(file->store);
}

void h5_close(h5_file *file) {
    if (file->id >= 0 && H5Fclose(file->id) < 0) return; /* HDF5 still holds the store */
    store_close(file->store);
}

/* ---- attributes */

enum { SCALAR = -1 }; /* in place of a count */

hid_t h5_text_type(size_t size) {
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, size);
    H5Tset_cset(type, H5T_CSET_UTF8);
    return type;
}

static bool put_attribute(hid_t object, const char *name, hid_t type, hid_t memory_type, int count,
                          const void *values) {
    if (H5Aexists(object, name) > 0 && H5Adelete(object, name) < 0) return false;
    hid_t space = count == SCALAR ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &(hsize_t){(hsize_t)count}, NULL);
    hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    bool fine = attribute >= 0 && (count == 0 || H5Awrite(attribute, memory_type, values) >= 0);
    if (attribute >= 0) H5Aclose(attribute);
    H5Sclose(space);
    return fine;
}

/* Texts are stored with the length of the longest one. So they lie among the other data, under the same checksums, and
 * reading them follows no addresses. */
bool h5_put_texts(hid_t object, const char *name, int count, const char *const *texts) {
    size_t size = 1, number = count == SCALAR ? 1 : (size_t)count;
    for (size_t i = 0; i < number; i++)
        if (strlen(texts[i]) + 1 > size) size = strlen(texts[i]) + 1;
    char *room = h5_memory(number + 1, size);
    for (size_t i = 0; room && i < number; i++) strcpy(room + i * size, texts[i]);
    hid_t type = h5_text_type(size);
    bool fine = room && put_attribute(object, name, type, type, count, room);
    H5Tclose(type);
    free(room);
    return fine;
}

bool h5_put_text(hid_t object, const char *name, const char *text) {
    return h5_put_texts(object, name, SCALAR, &(const char *){text ? text : ""});
}

bool h5_put_numbers(hid_t object, const char *name, int count, const double *numbers) {
    return put_attribute(object, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, count, numbers);
}

bool h5_put_number(hid_t object, const char *name, double number) {
    return put_attribute(object, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, SCALAR, &number);
}

bool h5_put_integers(hid_t object, const char *name, int count, const int *integers) {
    return put_attribute(object, name, H5T_STD_I64LE, H5T_NATIVE_INT, count, integers);
}

bool h5_put_integer(hid_t object, const char *name, int64_t integer) {
    return put_attribute(object, name, H5T_STD_I64LE, H5T_NATIVE_INT64, SCALAR, &integer);
}

typedef struct attribute {
    hid_t id, type, space;
    int count;
} attribute;

static bool open_attribute(hid_t object, const char *name, attribute *a) {
    if (H5Aexists(object, name) <= 0 || (a->id = H5Aopen(object, name, H5P_DEFAULT)) < 0) return false;
    a->type = H5Aget_type(a->id);
    a->space = H5Aget_space(a->id);
    a->count = (int)H5Sget_simple_extent_npoints(a->space);
    return true;
}

static void close_attribute(attribute *a) {
    H5Tclose(a->type);
    H5Sclose(a->space);
    H5Aclose(a->id);
}

void h5_free_texts(char **texts, int count) {
    for (int i = 0; texts && i < count; i++) free(texts[i]);
    free(texts);
}

static char *copy(const char *text) {
    size_t size = strlen(text) + 1;
    char *room = h5_memory(size, 1);
    return room ? memcpy(room, text, size) : NULL;
}

/* Texts of variable length, as other programs write them. */
static bool read_variable(const attribute *a, char **texts) {
    char **read = h5_memory((size_t)a->count, sizeof *read);
    hid_t type = h5_text_type(H5T_VARIABLE);
    bool fine = read && H5Aread(a->id, type, read) >= 0;
    for (int i = 0; fine && i < a->count; i++) fine = (texts[i] = copy(read[i] ? read[i] : "")) != NULL;
    if (read) H5Dvlen_reclaim(type, a->space, H5P_DEFAULT, read);
    H5Tclose(type);
    free(read);
    return fine;
}

/* A damaged file may claim any length for a text: read no more than the attribute can hold. */
static bool read_fixed(const attribute *a, char **texts) {
    size_t size = H5Tget_size(a->type) + 1;
    if (size > H5Aget_storage_size(a->id) + 1) return false;
    char *read = h5_memory((size_t)a->count, size);
    hid_t type = h5_text_type(size);
    bool fine = read && H5Aread(a->id, type, read) >= 0;
    for (int i = 0; fine && i < a->count; i++) fine = (texts[i] = copy(read + (size_t)i * size)) != NULL;
    H5Tclose(type);
    free(read);
    return fine;
}

static char **read_texts(const attribute *a) {
    char **texts = h5_memory((size_t)a->count, sizeof *texts);
    if (texts && (H5Tis_variable_str(a->type) > 0 ? read_variable : read_fixed)(a, texts)) return texts;
    h5_free_texts(texts, a->count);
    return NULL;
}

char **h5_get_texts(hid_t object, const char *name, int *count) {
    attribute a;
    if (!open_attribute(object, name, &a)) return NULL;
    char **texts = H5Tget_class(a.type) == H5T_STRING && a.count > 0 ? read_texts(&a) : NULL;
    *count = texts ? a.count : 0;
    close_attribute(&a);
    return texts;
}

/* The fewest digits that read back as the same number. */
static char *shortest(double number) {
    char text[32];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, number);
        if (strtod(text, NULL) == number) break;
    }
    return copy(text);
}

char *h5_get_text(hid_t object, const char *name) {
    attribute a;
    double number;
    char *text = NULL;
    if (!open_attribute(object, name, &a)) return NULL;
    H5T_class_t class = H5Tget_class(a.type);
    if (class == H5T_STRING && a.count == 1) {
        char **texts = read_texts(&a);
        if (texts) text = texts[0];
        free(texts);
    } else if ((class == H5T_FLOAT || class == H5T_INTEGER) && a.count == 1 &&
               H5Aread(a.id, H5T_NATIVE_DOUBLE, &number) >= 0) {
        text = shortest(number);
    }
    close_attribute(&a);
    return text;
}

double *h5_get_numbers(hid_t object, const char *name, int *count) {
    attribute a;
    *count = 0;
    if (!open_attribute(object, name, &a)) return NULL;
    H5T_class_t class = H5Tget_class(a.type);
    double *numbers = (class == H5T_FLOAT || class == H5T_INTEGER) && a.count > 0
                          ? h5_memory((size_t)a.count, sizeof *numbers)
                          : NULL;
    if (numbers && H5Aread(a.id, H5T_NATIVE_DOUBLE, numbers) >= 0) *count = a.count;
    close_attribute(&a);
    if (*count) return numbers;
    free(numbers);
    return NULL;
}

bool h5_get_integer(hid_t object, const char *name, int64_t *integer) {
    attribute a;
    if (!open_attribute(object, name, &a)) return false;
    bool fine = H5Tget_class(a.type) == H5T_INTEGER && a.count == 1 && H5Aread(a.id, H5T_NATIVE_INT64, integer) >= 0;
    close_attribute(&a);
    return fine;
}
