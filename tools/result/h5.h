/* The HDF5 library behind carom's results: files that change by commits (store.h), and attributes.
 *
 * HDF5 need not be thread-safe, and it prints its errors: every use stands between h5_enter and h5_leave. */
#ifndef CAROM_H5_H
#define CAROM_H5_H

#include "result/store.h"

#include <hdf5.h>

enum { H5_FORMAT = 2 }; /* version of the format that is written */

/* No quantity can have these names. */
#define H5_CHECKPOINT "#checkpoint"
#define H5_EVENTS "#events"
#define H5_FOUND "#contacts"

void h5_enter(void);
void h5_leave(void);
/* Memory that is zero, to be freed. */
void *h5_memory(size_t count, size_t size);
/* Memory was refused since h5_enter: what seemed to be missing may be there. */
bool h5_exhausted(void);

typedef struct h5_file {
    store *store;
    hid_t id;
    int version; /* of the format: 2, or 1 of results by older caroms, which have no tables (table.h) but a dataset per
                    column */
} h5_file;

/* A new, empty file; creation order of its objects is kept. */
carom_status h5_create(const char *path, h5_file *file, carom_error *error);
/* A result of carom, read through its journal. */
carom_status h5_open(const char *path, store_mode mode, h5_file *file, carom_error *error);
bool h5_commit(h5_file *file);
/* What begins with '#' is no quantity. */
bool h5_is_own(const char *name);
/* A group that keeps the order of what it holds; one that exists is opened. */
hid_t h5_group(hid_t place, const char *name);
/* Closes all objects and the file; changes that were not committed are lost. */
void h5_close(h5_file *file);

/* Texts in UTF-8 of so many bytes, with the NUL at the end, or H5T_VARIABLE. */
hid_t h5_text_type(size_t size);
/* Attributes of an object; what was there under the name is replaced. */
bool h5_put_texts(hid_t object, const char *name, int count, const char *const *texts);
bool h5_put_text(hid_t object, const char *name, const char *text);
bool h5_put_numbers(hid_t object, const char *name, int count, const double *numbers);
bool h5_put_number(hid_t object, const char *name, double number);
bool h5_put_integers(hid_t object, const char *name, int count, const int *integers);
bool h5_put_integer(hid_t object, const char *name, int64_t integer);

/* Texts of a text attribute, *count of them (1 for a scalar); freed by h5_free_texts. NULL: none. */
char **h5_get_texts(hid_t object, const char *name, int *count);
void h5_free_texts(char **texts, int count);
/* A scalar attribute as text, a number with the digits it needs; to be freed. NULL: none. */
char *h5_get_text(hid_t object, const char *name);
/* Numbers of an attribute of numbers, *count of them; to be freed. NULL: none. */
double *h5_get_numbers(hid_t object, const char *name, int *count);
bool h5_get_integer(hid_t object, const char *name, int64_t *integer);

#endif
