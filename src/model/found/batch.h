/* The contacts of one kind, run together: several instances at a time, results straight to their places in the rows of
 * the model. */
#ifndef CAROM_FOUND_BATCH_H
#define CAROM_FOUND_BATCH_H

#include "kind.h"

/* A contact as the rows of the model see it. Its coordinates are those of the first body, then of the second; in rows
 * of the model, columns ascend. */
typedef struct instance {
    const kind *kind;
    const kind_numbers *numbers;
    int q[2], u[2];   /* where the coordinates and velocities of its bodies begin */
    int row_N, row_F; /* in s */
} instance;

static inline int instance_row(const instance *i, int row) {
    return row == 0 ? i->row_N : i->row_F + row - 1;
}

static inline int instance_coordinate(const instance *i, int local) {
    return local < i->kind->first_q ? i->q[0] + local : i->q[1] + local - i->kind->first_q;
}

static inline int instance_velocity(const instance *i, int local) {
    return local < i->kind->first_u ? i->u[0] + local : i->u[1] + local - i->kind->first_u;
}

/* The columns of a local row among those of the model, ascending. Returns their end. */
int *instance_columns(const instance *i, const kind_pattern *p, int row, bool of_u, int *columns);

typedef struct batch {
    kind *kind;
    int count;
    double *numbers;          /* [count][KIND_NUMBERS] */
    int *q, *u;               /* [count][nq], [count][nu] */
    int *place[KIND_OUTPUTS]; /* of every result; NULL: that output is not run in batches */
} batch;

/* What the places refer to: rows of positions from gap on, and the patterns of the model. Rows of W r belong to
 * velocities, and several contacts may share their entries. */
typedef struct batch_target {
    int gap; /* the row of the first contact in c */
    const carom_pattern *c_q, *WT, *s_q, *Wr_q;
} batch_target;

/* The members of at[count] that are of this kind. False: out of memory. */
bool batch_create(batch *g, kind *k, const instance *at, int count, const batch_target *to);
void batch_destroy(batch *g);

/* Adds one output of all members to the values of the model. u: of d(W r)/dq percussions, in the order of s. */
void batch_run(const batch *g, kind_output output, const double *q, const double *u, double *values);

#endif
