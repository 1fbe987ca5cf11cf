/* A flat list of instructions that computes some expressions of a graph: constants and shared subexpressions once,
 * registers reused. Evaluation allocates nothing.
 *
 * Constants are numbers and what depends on still symbols alone. Those are computed when the values of the symbols are
 * set (F22), into an image: the tape's own, or one of many that share the tape. */
#ifndef CAROM_TAPE_H
#define CAROM_TAPE_H

#include "jet.h"
#include "switches.h"

typedef struct tape tape;

/* Symbols are read from consecutive blocks: block b holds symbols [first[b], first[b+1]). */
enum { TAPE_BLOCKS = 5 }; /* (t), q, u, w, and the open numbers of an instance */
typedef struct tape_layout {
    int first[TAPE_BLOCKS + 1];
} tape_layout;

/* Results are written to several arrays. None may overlap a block or another one. */
enum { TAPE_ARRAYS = 4 };
typedef struct tape_array {
    const expr *values;
    int count;
} tape_array;

tape *tape_compile(graph *g, const tape_array *arrays, int count, const tape_layout *layout); /* NULL: out of memory */
/* Of still symbols alone, which are block 0. */
tape *tape_compile_still(graph *g, const expr *values, int count);
/* The same, with operations that can be held on a side of their switch. */
tape *tape_compile_switched(graph *g, const tape_array *arrays, int count, const tape_layout *layout,
                            const switches *sw);
void tape_destroy(tape *t);
int tape_registers(const tape *t); /* doubles of work space, or jets */
int tape_length(const tape *t);    /* instructions */

const double *tape_image(const tape *t); /* its own: with the values at first */
int tape_image_size(const tape *t);
bool tape_live(const tape *t); /* whether its image depends on inputs */
/* A copy of the tape's own image for these values of the still symbols. */
void tape_set(const tape *t, const double *values, double *work, double *image);

void tape_run(const tape *t, const double *const blocks[TAPE_BLOCKS], double *work, double *const arrays[TAPE_ARRAYS]);
/* side[j]: the side on which switch j is held; NULL: every operation decides by its operands. False: a result is not
 * finite. */
bool tape_run_held(const tape *t, const double *image, const double *const blocks[TAPE_BLOCKS], const int *side,
                   double *work, double *const arrays[TAPE_ARRAYS]);

/* One tape over many instances, LANES of them at a time, with the bits of one at a time. A block is read at block[map[k
 * stride + i]], or without a map at block[k stride + i], for symbol i of instance k. Result i of instance k is added to
 * array[place[k count + i]]. work: TAPE_LANES times tape_registers. */
enum { TAPE_LANES = 8 };
typedef struct tape_instances {
    int count;
    const double *block[TAPE_BLOCKS];
    const int *map[TAPE_BLOCKS];
    int stride[TAPE_BLOCKS];
    const int *place[TAPE_ARRAYS];
} tape_instances;
void tape_run_lanes(const tape *t, const double *image, const tape_instances *in, double *work,
                    double *const arrays[TAPE_ARRAYS]);

/* tape_run_held where results were not finite: a product with a still factor that is 0 is 0 now, whatever the other
 * factor is, and so is a quotient of it (F23). False: results are still not finite. */
bool tape_run_without_zeros(const tape *t, const double *image, const double *const blocks[TAPE_BLOCKS],
                            const int *side, double *work, double *const arrays[TAPE_ARRAYS]);

/* Rates of the results along a direction (F25): that of the blocks (NULL: they rest) and of the image, made by
 * tape_set_rates from rates of the still symbols. work: twice the registers. False: one of them is not finite. */
bool tape_rates(const tape *t, const double *image, const double *image_rate, const double *const blocks[TAPE_BLOCKS],
                const double *const rates[TAPE_BLOCKS], const int *side, double *work,
                double *const array_rates[TAPE_ARRAYS]);
void tape_set_rates(const tape *t, const double *values, const double *rates, double *work, double *image_rate);

/* The transpose (F31): weights of the results are added, derivative by derivative, to those of the blocks and of the
 * image (NULL: not wanted). work: tape_pull_room doubles. */
void tape_pull(const tape *t, const double *image, const double *const blocks[TAPE_BLOCKS], const int *side,
               const double *const weights[TAPE_ARRAYS], double *work, double *const block_weights[TAPE_BLOCKS],
               double *image_weight);
size_t tape_pull_room(const tape *t);

/* Ranges of values and rates of the first array, from ranges of the symbols and of their rates (F19). rate of a block
 * NULL: the symbols are constant. rate of the results NULL: not wanted. */
typedef struct tape_ranges {
    const carom_range *value, *rate;
} tape_ranges;
void tape_bound(const tape *t, const double *image, const tape_ranges blocks[TAPE_BLOCKS], const int *side, jet *work,
                carom_range *value, carom_range *rate);

/* 0 times anything not finite is NaN, and stays in its sum. Four sums need not wait for each other. */
static inline bool numbers_finite(const double *x, int n) {
    double sum[4] = {0};
    int i = 0;
    for (; i + 4 <= n; i += 4)
        for (int k = 0; k < 4; k++) sum[k] += 0 * x[i + k];
    for (; i < n; i++) sum[0] += 0 * x[i];
    return sum[0] + sum[1] + sum[2] + sum[3] == 0;
}

#endif
