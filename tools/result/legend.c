#include "result/legend.h"

#include "result/h5.h"

#include <stdlib.h>
#include <string.h>

enum { PLAIN_BYTES = 8192 }; /* more are compressed */

static size_t longest(int count, const char *const *texts) {
    size_t most = 0;
    for (int i = 0; texts && i < count; i++)
        if (strlen(texts[i]) > most) most = strlen(texts[i]);
    return most + 1;
}

static hid_t pair_type(size_t name, size_t unit) {
    hid_t pair = H5Tcreate(H5T_COMPOUND, name + unit), name_type = h5_text_type(name), unit_type = h5_text_type(unit);
    H5Tinsert(pair, "name", 0, name_type);
    H5Tinsert(pair, "unit", name, unit_type);
    H5Tclose(name_type);
    H5Tclose(unit_type);
    return pair;
}

bool legend_put(hid_t group, int columns, const char *const *names, const char *const *units) {
    const size_t name = longest(columns, names), unit = longest(columns, units), size = name + unit;
    const hsize_t count = (hsize_t)columns;
    char *pairs = h5_memory(count, size);
    for (size_t c = 0; pairs && c < count; c++) {
        strcpy(pairs + c * size, names[c]);
        if (units) strcpy(pairs + c * size + name, units[c]);
    }
    hid_t type = pair_type(name, unit), space = H5Screate_simple(1, &count, NULL);
    hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    if (count * size > PLAIN_BYTES) H5Pset_chunk(creation, 1, &count), H5Pset_deflate(creation, 1);
    hid_t data = H5Dcreate2(group, LEGEND, type, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    bool fine = pairs && data >= 0 && H5Dwrite(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, pairs) >= 0;
    if (data >= 0) H5Dclose(data);
    H5Pclose(creation);
    H5Sclose(space);
    H5Tclose(type);
    free(pairs);
    return fine;
}

/* ---- reading */

static char **copy_texts(const char *from, int count, size_t size, size_t most) {
    char **texts = h5_memory((size_t)count + 1, sizeof *texts);
    for (int i = 0; texts && i < count; i++) {
        const char *text = from + (size_t)i * size;
        texts[i] = h5_memory(strnlen(text, most) + 1, 1);
        if (!texts[i]) return h5_free_texts(texts, count), NULL;
        memcpy(texts[i], text, strnlen(text, most));
    }
    return texts;
}

/* The place of a text in a pair, and the bytes that it has there. */
static bool find_member(hid_t pair, const char *name, size_t *at, size_t *bytes) {
    const int member = H5Tget_member_index(pair, name);
    if (member < 0 || H5Tget_member_class(pair, (unsigned)member) != H5T_STRING) return false;
    hid_t type = H5Tget_member_type(pair, (unsigned)member);
    *at = H5Tget_member_offset(pair, (unsigned)member);
    *bytes = H5Tget_size(type);
    bool fine = H5Tis_variable_str(type) == 0;
    H5Tclose(type);
    return fine;
}

static bool read_pairs(hid_t data, hid_t pair, char ***names, char ***units, int count) {
    const size_t size = H5Tget_size(pair);
    size_t name, name_bytes, unit, unit_bytes;
    if (!find_member(pair, "name", &name, &name_bytes) || !find_member(pair, "unit", &unit, &unit_bytes)) return false;
    char *pairs = h5_memory((size_t)count + 1, size);
    bool fine = pairs && H5Dread(data, pair, H5S_ALL, H5S_ALL, H5P_DEFAULT, pairs) >= 0;
    if (fine) *names = copy_texts(pairs + name, count, size, name_bytes);
    if (fine && units) *units = copy_texts(pairs + unit, count, size, unit_bytes);
    free(pairs);
    return fine && *names && (!units || *units);
}

bool legend_get(hid_t group, char ***names, char ***units, int *count) {
    hid_t data = H5Dopen2(group, LEGEND, H5P_DEFAULT);
    if (data < 0) return false;
    hid_t pair = H5Dget_type(data), space = H5Dget_space(data);
    *count = (int)H5Sget_simple_extent_npoints(space);
    bool fine = *count > 0 && H5Tget_class(pair) == H5T_COMPOUND && read_pairs(data, pair, names, units, *count);
    H5Sclose(space);
    H5Tclose(pair);
    H5Dclose(data);
    return fine;
}
