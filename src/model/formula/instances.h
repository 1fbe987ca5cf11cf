/* The functions of a model as sums over the instances of its kinds (docs/theory/formulas.md, (F27) and (F28)). */
#ifndef CAROM_INSTANCES_H
#define CAROM_INSTANCES_H

#include "assembly.h"

/* Kinds with the values that a simulation has given to parameters and inputs. */
typedef struct evaluation {
    const group *groups;
    int count;
    const double *image;     /* images of all tapes; NULL: their own */
    const double *parameter; /* open numbers of all instances */
    const int *side;         /* of switches; NULL: none is held */
    double *work;            /* instances_work numbers */
} evaluation;

/* Numbers of work space; bounds: enough for ranges as well. */
size_t instances_work(const group *groups, int count, bool bounds);

/* outputs [OUTPUTS], NULL: not wanted. Numbers of all instances are added to what is there. careful: as
 * tape_run_without_zeros. */
void instances_run(const evaluation *e, function f, const double *const blocks[TAPE_BLOCKS],
                   double *const outputs[OUTPUTS], bool careful);

/* Adds the rates of the outputs of all instances along a direction: of the state (NULL: at rest), of the images of all
 * tapes and of the open numbers (NULL: at rest). */
typedef struct instance_rates {
    const double *const *blocks; /* [TAPE_BLOCKS] */
    const double *image, *parameter;
} instance_rates;
void instances_rates(const evaluation *e, function f, const double *const blocks[TAPE_BLOCKS],
                     const instance_rates *rates, double *const outputs[OUTPUTS]);

/* The transpose: adds to the weights of the state, of the images of all tapes and of the open numbers what the weights
 * of the outputs (NULL: none) come to. */
typedef struct instance_weights {
    double *const *blocks; /* [TAPE_BLOCKS] */
    double *image, *parameter;
} instance_weights;
void instances_pull(const evaluation *e, function f, const double *const blocks[TAPE_BLOCKS],
                    const double *const weights[OUTPUTS], const instance_weights *to);

/* Ranges of c or of the arguments of switches, and of their rates. */
void instances_bound(const evaluation *e, function f, const tape_ranges blocks[TAPE_BLOCKS], carom_range *value,
                     carom_range *rate);

/* One row of c alone, and the instance it belongs to. */
typedef struct row_owner {
    int group, instance, local;
} row_owner;
void instances_own(const group *groups, int count, row_owner *of); /* [rows of c] */
double instances_row(const evaluation *e, row_owner of, const double *const blocks[TAPE_BLOCKS]);
void instances_bound_row(const evaluation *e, row_owner of, const tape_ranges blocks[TAPE_BLOCKS], carom_range *value,
                         carom_range *rate);

#endif
