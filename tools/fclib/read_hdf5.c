/* FCLIB's HDF5 format: /fclib_local or /fclib_global with spacedim, matrices as groups (nzmax, m, n, nz, p, i, x as in
 * CSparse; nz = -1 by columns, -2 by rows, otherwise triplets with rows in i) and vectors. */
#include "error.h"
#include "fclib/file.h"
#include "result/h5.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct source {
    const char *path;
    hid_t file;
    const char *root; /* "fclib_local" */
    carom_error *error;
    carom_status status; /* of the first complaint */
} source;

#define REFUSE(s, ...) ((s)->status = (s)->status ? (s)->status : carom_error_set((s)->error, CAROM_DATA, __VA_ARGS__))

/* ---------------------------------------------------------------- arrays */

static bool exists(const source *s, const char *name) {
    char path[128], *end;
    snprintf(path, sizeof path, "%s/%s", s->root, name);
    for (end = path; *end; end++) { /* each part of the path must be there */
        if (*end != '/') continue;
        *end = '\0';
        bool there = H5Lexists(s->file, path, H5P_DEFAULT) > 0;
        *end = '/';
        if (!there) return false;
    }
    return H5Lexists(s->file, path, H5P_DEFAULT) > 0;
}

/* The values of a data set as type, *count of them (-1: any number); to be freed. NULL: the reason has been told. */
static void *read_array(source *s, const char *name, hid_t type, int *count) {
    char path[128];
    if (s->status) return NULL;
    snprintf(path, sizeof path, "%s/%s", s->root, name);
    hid_t set = exists(s, name) ? H5Dopen2(s->file, path, H5P_DEFAULT) : -1;
    if (set < 0) {
        REFUSE(s, "%s has no %s", s->path, path);
        return NULL;
    }
    hid_t space = H5Dget_space(set);
    hssize_t length = H5Sget_simple_extent_npoints(space);
    void *values = NULL;
    if (length < 0 || length > 2000000000 || (*count >= 0 && length != *count))
        REFUSE(s, "%s: %s has %lld values; %d belong there", s->path, path, (long long)length, *count);
    else if (!(values = h5_memory((size_t)length + 1, H5Tget_size(type)))) s->status = carom_error_memory(s->error);
    else if (length && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0)
        REFUSE(s, "%s: %s cannot be read", s->path, path);
    *count = (int)length;
    H5Sclose(space);
    H5Dclose(set);
    if (!s->status) return values;
    free(values);
    return NULL;
}

static int read_integer(source *s, const char *name) {
    int count = 1, *value = read_array(s, name, H5T_NATIVE_INT, &count), result = value ? *value : 0;
    free(value);
    return result;
}

static double *read_vector(source *s, const char *name, int length) {
    return read_array(s, name, H5T_NATIVE_DOUBLE, &length);
}

/* ---------------------------------------------------------------- matrices */

typedef struct stored {
    int m, n, nz;    /* CSparse's names */
    int p_count, *p; /* starts, or columns of triplets */
    int i_count, *i; /* the other index, or rows of triplets */
    int x_count;
    double *x;
} stored;

static bool add_one(source *s, const char *name, entries *A, int row, int col, double value) {
    if (row < 0 || col < 0 || row >= A->rows || col >= A->cols)
        REFUSE(s, "%s: %s/%s has an entry (%d, %d), but is %d by %d", s->path, s->root, name, row, col, A->rows,
               A->cols);
    else if (!entries_add(A, row, col, value)) s->status = carom_error_memory(s->error);
    return !s->status;
}

static void add_triplets(source *s, const char *name, const stored *k, entries *A) {
    if (k->nz > k->p_count || k->nz > k->i_count || k->nz > k->x_count)
        REFUSE(s, "%s: %s/%s holds fewer entries than it says", s->path, s->root, name);
    for (int e = 0; e < k->nz && !s->status; e++) add_one(s, name, A, k->i[e], k->p[e], k->x[e]);
}

static void add_compressed(source *s, const char *name, const stored *k, entries *A) {
    bool by_column = k->nz == -1;
    int lines = by_column ? k->n : k->m, most = k->i_count < k->x_count ? k->i_count : k->x_count;
    if (k->p_count != lines + 1)
        REFUSE(s, "%s: %s/%s/p has %d values; %d belong there", s->path, s->root, name, k->p_count, lines + 1);
    for (int j = 0; j < lines && !s->status; j++) {
        if (k->p[j] < 0 || k->p[j + 1] < k->p[j] || k->p[j + 1] > most)
            REFUSE(s, "%s: %s/%s/p points outside of the entries", s->path, s->root, name);
        for (int e = k->p[j]; !s->status && e < k->p[j + 1]; e++)
            add_one(s, name, A, by_column ? k->i[e] : j, by_column ? j : k->i[e], k->x[e]);
    }
}

static void *read_part(source *s, const char *name, const char *part, hid_t type, int *count) {
    char path[64];
    snprintf(path, sizeof path, "%s/%s", name, part);
    *count = -1;
    return read_array(s, path, type, count);
}

static int read_size(source *s, const char *name, const char *part) {
    char path[64];
    snprintf(path, sizeof path, "%s/%s", name, part);
    return read_integer(s, path);
}

static bool read_matrix(source *s, const char *name, int rows, int cols, entries *A) {
    stored k = {.m = read_size(s, name, "m"), .n = read_size(s, name, "n"), .nz = read_size(s, name, "nz")};
    *A = (entries){.rows = k.m, .cols = k.n};
    if ((rows >= 0 && k.m != rows) || (cols >= 0 && k.n != cols) || k.m < 0 || k.n < 0 || k.nz < -2)
        REFUSE(s, "%s: %s/%s is %d by %d, which does not fit the other arrays", s->path, s->root, name, k.m, k.n);
    k.p = read_part(s, name, "p", H5T_NATIVE_INT, &k.p_count);
    k.i = read_part(s, name, "i", H5T_NATIVE_INT, &k.i_count);
    k.x = read_part(s, name, "x", H5T_NATIVE_DOUBLE, &k.x_count);
    if (!s->status && k.nz >= 0) add_triplets(s, name, &k, A);
    else if (!s->status) add_compressed(s, name, &k, A);
    free(k.p);
    free(k.i);
    free(k.x);
    return !s->status;
}

/* ---------------------------------------------------------------- problems */

/* to += factor A at (row, col), transposed on request. */
static void place_block(source *s, const entries *A, double factor, bool transposed, int row, int col, entries *to) {
    for (int e = 0; e < A->count && !s->status; e++) {
        int i = transposed ? A->at[e].col : A->at[e].row, j = transposed ? A->at[e].row : A->at[e].col;
        if (!entries_add(to, row + i, col + j, factor * A->at[e].value)) s->status = carom_error_memory(s->error);
    }
}

/* u = W r + V l + q, 0 = V^T r + R l + s */
static void read_local(source *s, friction_file *f) {
    int n = f->dimension * f->contacts;
    linear_map *m = &f->map;
    read_matrix(s, "W", n, n, &m->D);
    m->d = read_vector(s, "vectors/q", n);
    m->B = (entries){.cols = n};
    m->C = (entries){.rows = n};
    if (s->status || !exists(s, "V")) return;
    read_matrix(s, "V", n, -1, &m->C);
    int joints = m->C.cols;
    read_matrix(s, "R", joints, joints, &m->A);
    m->c = read_vector(s, "vectors/s", joints);
    for (int i = 0; m->c && i < joints; i++) m->c[i] = -m->c[i];
    m->B = (entries){.rows = joints, .cols = n};
    place_block(s, &m->C, -1, true, 0, 0, &m->B);
}

/* Joints: 0 = G^T v + b, M v = H r + G l + f. */
static void read_joints(source *s, friction_file *f, int n) {
    linear_map *m = &f->map;
    entries G = {0};
    read_matrix(s, "G", n, -1, &G);
    double *b = read_vector(s, "vectors/b", G.cols),
           *c = b ? realloc(m->c, (size_t)(n + G.cols + 1) * sizeof *c) : NULL;
    if (c) m->c = c;
    else if (!s->status) s->status = carom_error_memory(s->error);
    for (int i = 0; c && i < G.cols; i++) c[n + i] = -b[i];
    m->A.rows = m->A.cols = m->B.rows = m->C.cols = n + G.cols;
    place_block(s, &G, -1, false, 0, n, &m->A);
    place_block(s, &G, 1, true, n, 0, &m->A);
    free(b);
    entries_free(&G);
}

static void read_global(source *s, friction_file *f) {
    int n = f->dimension * f->contacts;
    linear_map *m = &f->map;
    f->global = true;
    m->D = (entries){.rows = n, .cols = n};
    if (!read_matrix(s, "M", -1, -1, &m->A)) return;
    int velocities = m->A.rows;
    if (m->A.cols != velocities) {
        REFUSE(s, "%s: M is %d by %d, not square", s->path, velocities, m->A.cols);
        return;
    }
    read_matrix(s, "H", velocities, n, &m->B);
    m->C = (entries){.rows = n, .cols = velocities};
    place_block(s, &m->B, 1, true, 0, 0, &m->C);
    m->c = read_vector(s, "vectors/f", velocities);
    m->d = read_vector(s, "vectors/w", n);
    if (!s->status && exists(s, "G")) read_joints(s, f, velocities);
}

static void read_problem(source *s, friction_file *f) {
    bool local = H5Lexists(s->file, "fclib_local", H5P_DEFAULT) > 0;
    bool global = H5Lexists(s->file, "fclib_global", H5P_DEFAULT) > 0;
    int count = -1;
    if (!local && !global) {
        bool rolling = H5Lexists(s->file, "fclib_global_rolling", H5P_DEFAULT) > 0;
        REFUSE(s,
               rolling ? "%s is a problem with rolling friction, which carom does not solve"
                       : "%s is HDF5 without fclib_local or fclib_global, not a friction problem",
               s->path);
        return;
    }
    s->root = local ? "fclib_local" : "fclib_global";
    f->dimension = read_integer(s, "spacedim");
    f->mu = read_array(s, "vectors/mu", H5T_NATIVE_DOUBLE, &count);
    f->contacts = count;
    if (!s->status && f->dimension != 2 && f->dimension != 3)
        REFUSE(s, "%s: %s/spacedim is %d, not 2 or 3", s->path, s->root, f->dimension);
    if (s->status) return;
    if (local) read_local(s, f);
    else read_global(s, f);
}

carom_status friction_read_hdf5(const char *path, friction_file *f, carom_error *error) {
    source s = {.path = path, .error = error};
    h5_enter();
    s.file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (s.file < 0) REFUSE(&s, "%s is a damaged HDF5 file", path);
    else read_problem(&s, f);
    if (s.file >= 0) H5Fclose(s.file);
    h5_leave();
    return s.status;
}
