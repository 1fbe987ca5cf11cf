#include "arena.h"

#include <stdalign.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct arena_block {
    struct arena_block *next;
    size_t used, size;
    alignas(max_align_t) char data[];
};

enum { BLOCK = 1 << 16 };

void *arena_get(arena *a, size_t size) {
    size_t unit = alignof(max_align_t);
    size = (size + unit - 1) / unit * unit;
    struct arena_block *block = a->blocks;
    if (!block || block->size - block->used < size) {
        size_t room = size > BLOCK ? size : BLOCK;
        block = calloc(1, sizeof *block + room);
        if (!block) return NULL;
        block->size = room;
        block->next = a->blocks;
        a->blocks = block;
    }
    void *memory = block->data + block->used;
    block->used += size;
    return memory;
}

void *arena_grow(arena *a, void *list, int count, int more, int *room, size_t size) {
    enum { LEAST = 16 };
    if (list && count + more <= *room) return list;
    int wanted = count + more > 2 * count ? count + more : 2 * count;
    if (wanted < LEAST) wanted = LEAST;
    void *larger = arena_get(a, (size_t)wanted * size);
    if (!larger) return NULL;
    if (count) memcpy(larger, list, (size_t)count * size);
    *room = wanted;
    return larger;
}

char *arena_text(arena *a, const char *text, size_t length) {
    char *copy = arena_get(a, length + 1);
    if (copy && length) memcpy(copy, text, length);
    return copy;
}

char *arena_format(arena *a, const char *format, ...) {
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    char *text = length < 0 ? NULL : arena_get(a, (size_t)length + 1);
    if (text) vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    va_end(arguments);
    return text;
}

char *arena_number(arena *a, double number) {
    char text[40];
    int digits = 15;
    do snprintf(text, sizeof text, "%.*g", digits, number);
    while (strtod(text, NULL) != number && ++digits <= 17);
    for (char *c = text; *c; c++)
        if (*c == ',') *c = '.';
    return arena_text(a, text, strlen(text));
}

void arena_release(arena *a) {
    for (struct arena_block *block = a->blocks, *next; block; block = next) {
        next = block->next;
        free(block);
    }
    a->blocks = NULL;
}
