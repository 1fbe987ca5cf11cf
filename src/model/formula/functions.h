/* The functions of a kind: its equations compiled to tapes. */
#ifndef CAROM_FUNCTIONS_H
#define CAROM_FUNCTIONS_H

#include "equations.h"
#include "kinds.h"
#include "tape.h"

typedef enum function {
    KINEMATICS,
    MASS,
    MASS_Q,
    FORCE,
    MOMENTUM_P,
    MOMENTUM_B,
    POSITION,
    GAPS, /* the rows of c after those of g alone, to be bounded */
    VELOCITY,
    VELOCITY_RATE,
    DIRECTION_Q,
    DISPLACEMENT,
    ENERGY,
    POWER,
    SWITCHING,
    FUNCTIONS
} function;

/* One function: a tape for every selection of its outputs, so that asking for less costs less. */
enum { OUTPUTS = 3, SELECTIONS = 1 << OUTPUTS };
typedef struct callback {
    int size[OUTPUTS];
    unsigned present; /* outputs that have entries at all */
    tape *tapes[SELECTIONS];
    size_t image[SELECTIONS]; /* where the images of the tapes are in those of a fork */
} callback;

/* What is compiled, with which symbols. */
typedef struct compilation {
    graph *g;
    tape_layout layout;
    const switches *sw; /* NULL: none */
    size_t image_size;  /* of all tapes so far */
    size_t registers;   /* most of any tape, */
    size_t length;      /* and instructions */
} compilation;

/* False: out of memory. Destroy in any case. */
bool callback_compile(compilation *x, callback *c, const tape_array outputs[OUTPUTS]);
void callback_destroy(callback *c);

/* The equations of a kind, without the rates of coordinates that it does not own. */
bool functions_select(equations *e, const int *own, int owned);
bool functions_compile(compilation *x, const equations *e, int owned, callback of[FUNCTIONS]);

#endif
