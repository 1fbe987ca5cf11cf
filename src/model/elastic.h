/* Elements whose elastic energy V(q) is written in C, since formulas for it would be too large to differentiate twice.
 * A formula model has any number of them and adds their energies and forces to its own. */
#ifndef CAROM_ELASTIC_H
#define CAROM_ELASTIC_H

#include "carom/carom.h"

enum { ELASTIC_MAX = 24, ELASTIC_NUMBERS = 32 }; /* coordinates, and velocities, and data of one element at most */

/* A kind of element, on nq coordinates q and nu velocities u of its own with q_dot = B(q) u. */
typedef struct elastic {
    const char *name;
    int nq, nu;
    int numbers, given; /* numbers of data for one element: the first `given` are given, the others follow from them */
    /* V, f = -B^T dV/dq [nu], f_q = df/dq [nu][nq] by rows, each unless NULL; not 0: not defined there */
    int (*evaluate)(const void *data, const double *q, double *V, double *f, double *f_q);
    /* The change of f if the data change at the given rate and q does not. */
    int (*by_data)(const void *data, const void *data_rate, const double *q, double *f_rate);
    /* Fills in the numbers that follow from those given, in data and in rates of data. */
    void (*derive)(void *data);
    void (*derive_rate)(const void *data, void *data_rate);
} elastic;

typedef struct elastic_element {
    const elastic *kind;
    const int *q, *u; /* its coordinates and velocities in the model; no place occurs twice */
} elastic_element;

/* The elements of a model, with the places of their blocks in its matrices. The caller keeps the data of all elements,
 * one after the other: data[elastics_numbers]. */
typedef struct elastics elastics;
typedef enum elastic_matrix { ELASTIC_H_Q, ELASTIC_B_Q, ELASTIC_MATRICES } elastic_matrix;

/* Copies elements and places; the patterns must hold the block [u][q] of every element. NULL: out of memory */
elastics *elastics_create(int count, const elastic_element *elements, const carom_pattern patterns[ELASTIC_MATRICES]);
void elastics_destroy(elastics *e);
size_t elastics_numbers(int count, const elastic_element *elements);
/* Fills in the numbers that follow from those given, and their rates. */
void elastics_derive(const elastics *e, double *data);
void elastics_derive_rates(const elastics *e, const double *data, double *data_rate);

/* Adds the sums over all elements to V, f [nu] and the entries of f_q in the given matrix, each unless NULL. */
int elastics_add(const elastics *e, const double *data, const double *q, double *V, double *f, double *f_q,
                 elastic_matrix matrix);
/* Adds to rate [nu] the change of f for these rates of q and of the data (NULL: they do not change). */
int elastics_add_rates(const elastics *e, const double *data, const double *data_rate, const double *q,
                       const double *q_rate, double *rate);
/* Transposed: takes weights [nu] of f, adds the weights of q to q_weight [nq], and those of the data to data_weight,
 * unless that is NULL. */
int elastics_add_weights(const elastics *e, const double *data, const double *q, const double *weight, double *q_weight,
                         double *data_weight);

#endif
