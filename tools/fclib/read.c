/* Which format a file has, what every problem must fulfil, and its W and q. */
#include "error.h"
#include "fclib/file.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void friction_file_free(friction_file *f) {
    linear_map_free(&f->map);
    free(f->mu);
    *f = (friction_file){0};
}

static carom_status check_numbers(const char *path, const char *name, const double *x, int n, carom_error *error) {
    for (int i = 0; i < n; i++)
        if (!isfinite(x[i]))
            return carom_error_set(error, CAROM_DATA, "%s: %s[%d] is %g, not a number", path, name, i, x[i]);
    return CAROM_OK;
}

static carom_status check_matrix(const char *path, const char *name, const entries *A, carom_error *error) {
    for (int e = 0; e < A->count; e++)
        if (!isfinite(A->at[e].value))
            return carom_error_set(error, CAROM_DATA, "%s: %s(%d, %d) is %g, not a number", path, name, A->at[e].row,
                                   A->at[e].col, A->at[e].value);
    return CAROM_OK;
}

static carom_status check_problem(const char *path, const friction_file *f, carom_error *error) {
    const linear_map *m = &f->map;
    const bool g = f->global;
    carom_status status = check_matrix(path, g ? "M" : "R", &m->A, error);
    if (!status) status = check_matrix(path, g ? "H" : "V", &m->B, error);
    if (!status) status = check_matrix(path, "W", &m->D, error);
    if (!status) status = check_numbers(path, g ? "f" : "s", m->c, m->A.rows, error);
    if (!status) status = check_numbers(path, g ? "w" : "q", m->d, m->D.rows, error);
    if (!status) status = check_numbers(path, "mu", f->mu, f->contacts, error);
    for (int a = 0; a < f->contacts && !status; a++)
        if (f->mu[a] < 0)
            status = carom_error_set(error, CAROM_DATA, "%s: contact %d has the friction coefficient %g, below zero",
                                     path, a, f->mu[a]);
    return status;
}

carom_status friction_read(const char *path, friction_file *f, carom_error *error) {
    static const unsigned char hdf5[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    unsigned char head[8] = {0};
    *f = (friction_file){0};
    FILE *file = fopen(path, "rb");
    if (!file) return carom_error_set(error, CAROM_DATA, "%s: %s", path, strerror(errno));
    size_t got = fread(head, 1, sizeof head, file);
    int reason = ferror(file) ? errno : 0;
    fclose(file);
    if (reason) return carom_error_set(error, CAROM_DATA, "%s: %s", path, strerror(reason));
    if (got == 0) return carom_error_set(error, CAROM_DATA, "%s: the file is empty", path);
    bool is_hdf5 = !memcmp(head, hdf5, sizeof head);
    carom_status status = is_hdf5 ? friction_read_hdf5(path, f, error) : friction_read_text(path, f, error);
    if (!status) status = check_problem(path, f, error);
    if (status) friction_file_free(f);
    return status;
}

carom_status friction_file_problem(const friction_file *f, const char *path, friction_problem *p, carom_error *error) {
    int row = 0;
    switch (friction_reduce(&f->map, f->dimension, f->contacts, f->mu, p, &row)) {
    case CONDENSED:
        return CAROM_OK;
    case CONDENSE_MEMORY:
        return carom_error_memory(error);
    default:
        return carom_error_set(error, CAROM_DATA, "%s: %s is singular in the part that holds row %d", path,
                               f->global ? "the matrix M (with G)" : "the matrix R", row);
    }
}
