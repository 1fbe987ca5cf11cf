/* What an element says, as a text that is the same for all elements of a kind: coordinates and velocities are numbered
 * as they are met, component by component, and whatever does not change while time passes (numbers, parameters) is left
 * open. docs/theory/formulas.md, "Kinds and instances". */
#ifndef CAROM_ENCODE_H
#define CAROM_ENCODE_H

#include "components.h"

#include <stdint.h>

/* A formula of an element; index: which coordinate, velocity, row, contact or slip it belongs to. */
typedef struct formula_root {
    formula_part part;
    int index;
    expr value;
} formula_root;

/* The text is a list of words. A node is NODE with its operation, then its operands; a formula is ROOT with its part,
 * then what it is of, then the formula; COMPONENT comes before the rates of the coordinates of each component. Operands
 * have a tag and a number. */
enum { TAG_SHIFT = 28, TAG_MASK = 0xf };
typedef enum encode_tag {
    TAG_NODE,      /* operation */
    TAG_EXEMPT,    /* the same, for an operation that is no switch */
    TAG_ROOT,      /* part */
    TAG_COMPONENT, /* coordinates, then velocities in a word of its own */
    TAG_PLACE,     /* operand: node by its number */
    TAG_TIME,      /* operand */
    TAG_Q,         /* operand: local coordinate */
    TAG_U,         /* operand: local velocity */
    TAG_SLOT,      /* operand: the open place with this number */
    TAG_EXACT      /* operand: a number that is part of the text, in two more words */
} encode_tag;

typedef struct encoder encoder;

/* The encoding of the last element; valid until the next one. */
typedef struct encoding {
    const uint32_t *code;
    int length;
    const expr *slot; /* the expressions in the open places */
    int slots;
    const int *component; /* which components, in the order in which they were met */
    int components;
    bool decides; /* some operation is a switch */
} encoding;

encoder *encoder_create(const formula_def *def, const components *c); /* NULL: out of memory */
void encoder_destroy(encoder *e);
/* extra: components that the element has besides those of its formulas. False: out of memory. */
bool encode(encoder *e, const formula_root *roots, int count, const int *extra, int extras, encoding *result);

#endif
