/* A local friction problem as FCLIB stores it; W by rows. */
#include "error.h"
#include "fclib/file.h"
#include "result/h5.h"

#include <stdlib.h>
#include <string.h>

static bool put_array(hid_t group, const char *name, hid_t type, hid_t in_memory, int count, const void *values) {
    hid_t space = H5Screate_simple(1, &(hsize_t){(hsize_t)count}, NULL);
    hid_t set = H5Dcreate2(group, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool fine = set >= 0 && (count == 0 || H5Dwrite(set, in_memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    if (set >= 0) H5Dclose(set);
    H5Sclose(space);
    return fine;
}

static bool put_integers(hid_t group, const char *name, int count, const int *values) {
    return put_array(group, name, H5T_STD_I32LE, H5T_NATIVE_INT, count, values);
}

static bool put_numbers(hid_t group, const char *name, int count, const double *values) {
    return put_array(group, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, count, values);
}

static bool put_text(hid_t group, const char *name, const char *text) {
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, strlen(text) + 1);
    bool fine = put_array(group, name, type, type, 1, text);
    H5Tclose(type);
    return fine;
}

static hid_t make_group(hid_t parent, const char *name) {
    return H5Gcreate2(parent, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
}

static int ascending(const void *a, const void *b) {
    return ((const entry *)a)->col - ((const entry *)b)->col;
}

static bool put_rows(hid_t group, const entries *A, int *start, entry *sorted, int *index, double *value) {
    for (int i = 0; i < A->rows; i++)
        qsort(sorted + start[i], (size_t)(start[i + 1] - start[i]), sizeof *sorted, ascending);
    for (int e = 0; e < A->count; e++) index[e] = sorted[e].col, value[e] = sorted[e].value;
    return put_integers(group, "nzmax", 1, &A->count) && put_integers(group, "m", 1, &A->rows) &&
           put_integers(group, "n", 1, &A->cols) && put_integers(group, "nz", 1, &(int){-2}) &&
           put_integers(group, "p", A->rows + 1, start) && put_integers(group, "i", A->count, index) &&
           put_numbers(group, "x", A->count, value);
}

static bool put_matrix(hid_t parent, const char *name, const entries *A) {
    int *start = NULL, *index = h5_memory((size_t)A->count + 1, sizeof *index);
    entry *sorted = NULL;
    double *value = h5_memory((size_t)A->count + 1, sizeof *value);
    hid_t group = make_group(parent, name);
    bool fine = group >= 0 && index && value && entries_by_row(A, &start, &sorted) &&
                put_rows(group, A, start, sorted, index, value);
    if (group >= 0) H5Gclose(group);
    free(start);
    free(sorted);
    free(index);
    free(value);
    return fine;
}

static bool put_problem(hid_t root, const friction_record *k) {
    int n = k->dimension * k->contacts;
    hid_t vectors = make_group(root, "vectors"), info = make_group(root, "info");
    bool fine = vectors >= 0 && info >= 0 && put_integers(root, "spacedim", 1, &k->dimension) &&
                put_matrix(root, "W", k->W) && put_numbers(vectors, "q", n, k->q) &&
                put_numbers(vectors, "mu", k->contacts, k->mu) && put_text(info, "title", k->title) &&
                put_text(info, "description", k->description) && put_text(info, "math_info", "");
    if (vectors >= 0) H5Gclose(vectors);
    if (info >= 0) H5Gclose(info);
    return fine;
}

static bool put_solution(hid_t file, const friction_record *k) {
    int n = k->dimension * k->contacts;
    hid_t group = make_group(file, "solution");
    bool fine = group >= 0 && put_numbers(group, "r", n, k->r) && put_numbers(group, "u", n, k->u);
    if (group >= 0) H5Gclose(group);
    return fine;
}

carom_status friction_write(const char *path, const friction_record *record, carom_error *error) {
    h5_enter();
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t root = file >= 0 ? make_group(file, "fclib_local") : -1;
    bool fine = root >= 0 && put_problem(root, record) && (!record->r || put_solution(file, record));
    if (root >= 0) H5Gclose(root);
    if (file >= 0) fine = H5Fclose(file) >= 0 && fine;
    h5_leave();
    return fine ? CAROM_OK : carom_error_set(error, CAROM_FAILED, "%s cannot be written", path);
}
