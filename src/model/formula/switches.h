/* Switching surfaces: where an expression jumps or has a kink because an operation decides by the sign of something, or
 * by which integers it lies between (docs/theory/formulas.md, F17).
 *
 *   sign(a), abs(a)                  argument a
 *   a < b, a <= b, min, max          argument a - b
 *   floor(a)                         argument a, between integers
 *
 * Arguments that differ by a factor are one switch. a == b is none: it does not hold on either side. */
#ifndef CAROM_SWITCHES_H
#define CAROM_SWITCHES_H

#include "carom/carom.h"
#include "expr.h"

#include <stdint.h>

typedef enum switch_class { SWITCH_NONE, SWITCH_SIGN, SWITCH_FLOOR } switch_class;
switch_class switch_kind(op operation); /* of the argument of an operation */

typedef struct switches switches;

/* What the equations depend on; name: what a root is, as in "force on x". */
typedef struct switch_root {
    expr value;
    const char *name, *of;
} switch_root;

/* The switches of the roots, of symbols 1 .. last besides t, which is 0. NULL: out of memory. */
switches *switches_collect(graph *g, const switch_root *roots, int count, const char *const *symbols, int last);
void switches_destroy(switches *sw);
int switches_count(const switches *sw);
const expr *switches_arguments(const switches *sw);
const carom_switch *switches_info(const switches *sw);
const char *const *switches_names(const switches *sw); /* "force on x: t < 0.3337" */
/* The switch of an operation as its operand on tapes (tape_code.h), 0: none. */
uint32_t switches_operand(const switches *sw, expr e);

#endif
