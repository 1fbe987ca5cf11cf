/* Expressions as text, for messages. */
#ifndef CAROM_PRINT_H
#define CAROM_PRINT_H

#include "expr.h"

#include <stddef.h>

/* e as a formula, with "..." for what has no room. names[symbol]; NULL ones are printed by their number. Returns text.
 */
const char *expr_print(const graph *g, expr e, const char *const *names, char *text, size_t size);

#endif
