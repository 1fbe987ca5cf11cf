/* Memory that is freed all at once: everything a scene allocates while it is read. */
#ifndef CAROM_ARENA_H
#define CAROM_ARENA_H

#include <stddef.h>

typedef struct arena {
    struct arena_block *blocks;
} arena; /* starts as {0} */

void *arena_get(arena *a, size_t size); /* zeroed; NULL: out of memory */
/* A list of count entries with room for so many more: the old one, or a larger copy; NULL: out of memory. */
void *arena_grow(arena *a, void *list, int count, int more, int *room, size_t size);
char *arena_text(arena *a, const char *text, size_t length); /* a terminated copy */
char *arena_format(arena *a, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The shortest text that reads as the same number, with a decimal point in every locale. */
char *arena_number(arena *a, double number);
void arena_release(arena *a);

#endif
