/* Files that hold a friction problem: HDF5 as FCLIB writes it, text as Siconos writes it. */
#ifndef CAROM_FCLIB_FILE_H
#define CAROM_FCLIB_FILE_H

#include "friction/condense.h"
#include "friction/friction.h"

typedef struct friction_file {
    int dimension, contacts;
    bool global;    /* it gives M, H, f, w rather than W, q */
    linear_map map; /* (FC6) */
    double *mu;     /* [contacts] */
} friction_file;

/* Everything read has been checked: sizes fit, numbers are finite, mu is not negative. */
carom_status friction_read(const char *path, friction_file *f, carom_error *error);
void friction_file_free(friction_file *f);
/* W and q of the contacts. */
carom_status friction_file_problem(const friction_file *f, const char *path, friction_problem *p, carom_error *error);

/* A local problem, with its solution r (may be NULL) [dimension contacts]. */
typedef struct friction_record {
    int dimension, contacts;
    const entries *W;
    const double *q, *mu, *r, *u;
    const char *title, *description;
} friction_record;
carom_status friction_write(const char *path, const friction_record *record, carom_error *error);

/* ---- inside the folder */
carom_status friction_read_text(const char *path, friction_file *f, carom_error *error);
carom_status friction_read_hdf5(const char *path, friction_file *f, carom_error *error);

#endif
