/* Siconos' text format: numbers separated by blanks,
 *
 *     dimension, contacts, W, q, mu                             local
 *     dimension, contacts, M, H, q, b, mu                       global: M v = H r + q, u = H^T v + b
 *
 * and a matrix is its kind (0 full, 1 sparse blocks, 2 sparse), rows, columns, and what the kind needs. Files do not
 * say which of the two they are. */
#include "error.h"
#include "fclib/file.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct scanner {
    const char *path;
    char *text, *at;
    carom_error *error;
    carom_status status; /* of the first complaint */
} scanner;

/* ---------------------------------------------------------------- numbers */

/* Line and column of where the scanner is. */
static int line_of(const scanner *s, int *column) {
    int line = 1;
    *column = 1;
    for (const char *c = s->text; c < s->at; c++) {
        line += *c == '\n';
        *column = *c == '\n' ? 1 : *column + 1;
    }
    return line;
}

static bool refuse(scanner *s, const char *what, const char *found) {
    if (s->status) return false;
    int length = 0, column, line = line_of(s, &column);
    while (length < 30 && found[length] && !isspace((unsigned char)found[length])) length++;
    if (length)
        s->status = carom_error_at(s->error, CAROM_DATA, s->path, line, column, "%s, not '%.*s'", what, length, found);
    else s->status = carom_error_at(s->error, CAROM_DATA, s->path, line, column, "%s, but the file ends", what);
    return false;
}

static void skip_blanks(scanner *s) {
    while (isspace((unsigned char)*s->at)) s->at++;
}

static bool read_number(scanner *s, const char *what, double *x) {
    if (s->status) return false;
    skip_blanks(s);
    char *end;
    *x = strtod(s->at, &end);
    if (end == s->at || (*end && !isspace((unsigned char)*end))) return refuse(s, what, s->at);
    s->at = end;
    return true;
}

static bool read_count(scanner *s, const char *what, int most, int *n) {
    double x;
    if (s->status) return false;
    skip_blanks(s);
    char *before = s->at;
    if (!read_number(s, what, &x)) return false;
    *n = (int)(x >= 0 && x <= most ? x : 0);
    if (*n == x) return true;
    s->at = before;
    return refuse(s, what, before);
}

static double *read_numbers(scanner *s, const char *what, int n) {
    double *x = s->status ? NULL : malloc(((size_t)n + 1) * sizeof *x);
    if (!x && !s->status) s->status = carom_error_memory(s->error);
    for (int i = 0; x && i < n; i++)
        if (!read_number(s, what, &x[i])) break;
    return x;
}

static bool add_entry(scanner *s, entries *e, int row, int col, double value) {
    if (entries_add(e, row, col, value)) return true;
    s->status = carom_error_memory(s->error);
    return false;
}

/* ---------------------------------------------------------------- matrices */

/* Full, by columns. */
static bool read_full(scanner *s, entries *A) {
    int rows, cols;
    double x;
    if (!read_count(s, "the rows of a full matrix belong here", A->rows, &rows) ||
        !read_count(s, "the columns of a full matrix belong here", A->cols, &cols))
        return false;
    if (rows != A->rows || cols != A->cols) return refuse(s, "the sizes of a full matrix must be its own", "others");
    for (int j = 0; j < cols; j++)
        for (int i = 0; i < rows; i++)
            if (!read_number(s, "an entry of a full matrix belongs here", &x) || !add_entry(s, A, i, j, x))
                return false;
    return true;
}

/* Where block rows or columns end; the first is put at zero. */
static int *read_ends(scanner *s, int n, int size) {
    int *ends = calloc((size_t)n + 1, sizeof *ends);
    if (!ends) s->status = carom_error_memory(s->error);
    for (int i = 1; ends && i <= n; i++)
        if (read_count(s, "the end of a block belongs here", size, &ends[i]) && ends[i] < ends[i - 1])
            refuse(s, "ends of blocks must ascend", "less");
    return ends;
}

static bool read_block(scanner *s, entries *A, const int *row, const int *col) {
    int number;
    double x;
    if (!read_count(s, "the number of a block belongs here", INT_MAX, &number)) return false;
    for (int j = col[0]; j < col[1]; j++)
        for (int i = row[0]; i < row[1]; i++)
            if (!read_number(s, "an entry of a block belongs here", &x) || !add_entry(s, A, i, j, x)) return false;
    return true;
}

static bool read_block_rows(scanner *s, entries *A, int rows, int cols, const int *row_end, const int *col_end) {
    int filled, blocks, *first = NULL, *index = NULL;
    bool made = read_count(s, "the number of block rows belongs here", rows + 1, &filled) &&
                read_count(s, "the number of blocks belongs here", INT_MAX / 16, &blocks) &&
                (first = calloc((size_t)filled + 1, sizeof *first)) &&
                (index = calloc((size_t)blocks + 1, sizeof *index));
    for (int i = 0; made && i < filled; i++)
        made = read_count(s, "the start of a block row belongs here", blocks, &first[i]);
    for (int i = 0; made && i < blocks; i++)
        made = read_count(s, "the column of a block belongs here", cols - 1, &index[i]);
    for (int i = 0; made && i + 1 < filled; i++)
        for (int b = first[i]; made && b < first[i + 1]; b++) made = read_block(s, A, row_end + i, col_end + index[b]);
    free(first);
    free(index);
    return made;
}

/* Sparse, of blocks by rows. */
static bool read_blocks(scanner *s, entries *A) {
    int count, rows, cols;
    if (!read_count(s, "the number of blocks belongs here", INT_MAX / 16, &count) ||
        !read_count(s, "the number of block rows belongs here", A->rows, &rows) ||
        !read_count(s, "the number of block columns belongs here", A->cols, &cols))
        return false;
    int *row_end = read_ends(s, rows, A->rows), *col_end = read_ends(s, cols, A->cols);
    bool made = !s->status && read_block_rows(s, A, rows, cols, row_end, col_end);
    free(row_end);
    free(col_end);
    return made;
}

static void skip_line(scanner *s) {
    while (*s->at && *s->at != '\n') s->at++;
    s->at += *s->at == '\n';
}

/* "row : value" lines of one column, or "row col : value". */
static bool read_printed(scanner *s, entries *A, int column) {
    int row, col = column;
    double x;
    if (!read_count(s, "the row of an entry belongs here", A->rows - 1, &row)) return false;
    if (column < 0 && !read_count(s, "the column of an entry belongs here", A->cols - 1, &col)) return false;
    skip_blanks(s);
    if (*s->at != ':') return refuse(s, "':' belongs between the place of an entry and its value", s->at);
    s->at++;
    return read_number(s, "the value of an entry belongs here", &x) && add_entry(s, A, row, col, x);
}

/* Sparse, as CSparse prints it: a line with its version, one with sizes, then entries. */
static bool read_sparse(scanner *s, entries *A) {
    int origin, rows, cols, most, count, used = 0;
    if (!read_count(s, "the kind of a sparse matrix belongs here", 9, &origin)) return false;
    skip_line(s);
    skip_line(s);
    skip_blanks(s);
    bool triplets = !strncmp(s->at, "triplet:", 8);
    if (triplets) s->at += 8;
    if (sscanf(s->at, "%d-by-%d, nzmax: %d nnz: %d%n", &rows, &cols, &most, &count, &used) < 4 || !used)
        return refuse(s, "the sizes of a sparse matrix, M-by-N, nzmax: Z nnz: Y, belong here", s->at);
    if (rows != A->rows || cols != A->cols || count < 0)
        return refuse(s, "the sizes of a sparse matrix must be its own", s->at);
    skip_line(s);
    for (int k = 0; k < count && triplets; k++)
        if (!read_printed(s, A, -1)) return false;
    for (int j = 0; j < cols && !triplets; j++) {
        int column, first, last;
        skip_blanks(s);
        if (sscanf(s->at, "col %d : locations %d to %d", &column, &first, &last) < 3 || column != j)
            return refuse(s, "the next column of a sparse matrix, col j : locations a to b, belongs here", s->at);
        skip_line(s);
        for (int k = first; k <= last; k++)
            if (!read_printed(s, A, j)) return false;
    }
    return true;
}

static bool read_matrix(scanner *s, entries *A) {
    enum { MOST = 100000000 };
    int kind;
    *A = (entries){0};
    if (!read_count(s, "the kind of a matrix, 0, 1 or 2, belongs here", 2, &kind) ||
        !read_count(s, "the rows of a matrix belong here", MOST, &A->rows) ||
        !read_count(s, "the columns of a matrix belong here", MOST, &A->cols))
        return false;
    return kind == 0 ? read_full(s, A) : kind == 1 ? read_blocks(s, A) : read_sparse(s, A);
}

/* ---------------------------------------------------------------- problems */

static bool wrong_size(scanner *s, const char *name, const entries *A, int rows, int cols) {
    if (s->status) return true;
    if (A->rows == rows && A->cols == cols) return false;
    s->status = carom_error_set(s->error, CAROM_DATA, "%s: %s is %d by %d; it must be %d by %d", s->path, name, A->rows,
                                A->cols, rows, cols);
    return true;
}

static void read_local(scanner *s, friction_file *f) {
    int n = f->dimension * f->contacts;
    f->map.A = (entries){0};
    f->map.B = (entries){.cols = n};
    f->map.C = (entries){.rows = n};
    if (wrong_size(s, "W", &f->map.D, n, n)) return;
    f->map.d = read_numbers(s, "an entry of q belongs here", n);
    f->mu = read_numbers(s, "a friction coefficient belongs here", f->contacts);
}

static bool transpose(scanner *s, const entries *H, entries *C) {
    *C = (entries){.rows = H->cols, .cols = H->rows};
    for (int e = 0; e < H->count; e++)
        if (!add_entry(s, C, H->at[e].col, H->at[e].row, H->at[e].value)) return false;
    return true;
}

static void read_global(scanner *s, friction_file *f) {
    int n = f->dimension * f->contacts;
    f->global = true;
    f->map.A = f->map.D;
    f->map.D = (entries){.rows = n, .cols = n};
    if (!read_matrix(s, &f->map.B) || wrong_size(s, "M", &f->map.A, f->map.A.rows, f->map.A.rows) ||
        wrong_size(s, "H", &f->map.B, f->map.A.rows, n) || !transpose(s, &f->map.B, &f->map.C))
        return;
    f->map.c = read_numbers(s, "an entry of q belongs here", f->map.A.rows);
    f->map.d = read_numbers(s, "an entry of b belongs here", n);
    f->mu = read_numbers(s, "a friction coefficient belongs here", f->contacts);
}

/* How many numbers follow before the end of the file or the first word that is no number. */
static int numbers_left(const scanner *s) {
    int count = 0;
    for (char *at = s->at, *end;; at = end, count++) {
        strtod(at, &end);
        if (end == at) return count;
    }
}

/* In a local problem only q, mu and at most one more number follow W. In a global one another matrix follows. */
static bool is_local(const scanner *s, const friction_file *f) {
    int n = f->dimension * f->contacts;
    bool fits = f->map.D.rows == n && f->map.D.cols == n;
    return fits && !strstr(s->at, "CSparse") && numbers_left(s) <= n + f->contacts + 1;
}

static char *read_whole(const char *path, carom_error *error, carom_status *status) {
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    size_t size = 0, room = 0;
    *status = file ? CAROM_OK : carom_error_set(error, CAROM_DATA, "%s: %s", path, strerror(errno));
    while (file && !*status) {
        if (size + 1 >= room) {
            char *more = realloc(text, room = 2 * room + 65536);
            if (!more) *status = carom_error_memory(error);
            if (!more) break;
            text = more;
        }
        size_t got = fread(text + size, 1, room - size - 1, file);
        size += got;
        if (!got) break;
    }
    if (text) text[size] = '\0';
    if (file) fclose(file);
    return text;
}

carom_status friction_read_text(const char *path, friction_file *f, carom_error *error) {
    scanner s = {.path = path, .error = error};
    s.at = s.text = read_whole(path, error, &s.status);
    if (!s.status && read_count(&s, "the dimension, 2 or 3, belongs here", 3, &f->dimension) &&
        read_count(&s, "the number of contacts belongs here", 30000000, &f->contacts)) {
        if (f->dimension < 2) refuse(&s, "the dimension must be 2 or 3", "less");
        else if (read_matrix(&s, &f->map.D)) {
            if (is_local(&s, f)) read_local(&s, f);
            else read_global(&s, f);
        }
    }
    free(s.text);
    return s.status;
}
