/* New content of a store on its way into the file. HDF5 writes it in pieces of some hundred bytes, a million of them
 * for a table of so many columns, and reads many of them back. A call of the system for each of them costs more than
 * all the rest, and the more the larger the file: so pages wait in memory until they are many, or until a commit. */
#include "result/disk.h"
#include "result/store_inside.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FRESH = 8192, AT_ONCE = 64 }; /* pages in memory: 32 MB; pages of one call */

static bool write_part(store *s, uint64_t at, size_t size, const unsigned char *from) {
    const uint64_t number = at / PAGE;
    page *p = page_find(&s->fresh, number);
    if (!p) {
        if (s->fresh.count >= MOST_FRESH && !s->failure && !store_flush_fresh(s)) store_fail(s);
        if (!(p = page_add(&s->fresh, number))) return errno = ENOMEM, store_fail(s);
        if (size < PAGE && !disk_read(s->file, number * PAGE, PAGE, p->bytes)) return store_fail(s);
    }
    memcpy(p->bytes + at % PAGE, from, size);
    return true;
}

/* Bytes in whole pages, none of which waits. */
static size_t count_whole(const store *s, uint64_t at, size_t size) {
    size_t bytes = 0;
    if (at % PAGE || s->failure) return 0;
    while (bytes + PAGE <= size && !page_find(&s->fresh, (at + bytes) / PAGE)) bytes += PAGE;
    return bytes;
}

bool store_write_fresh(store *s, uint64_t at, size_t size, const unsigned char *from) {
    for (size_t part; size > 0; from += part, at += part, size -= part) {
        part = count_whole(s, at, size);
        if (part > 0 && disk_write(s->file, at, part, from)) continue;
        if (part > 0) store_fail(s); /* to memory, now */
        part = PAGE - at % PAGE < size ? PAGE - at % PAGE : size;
        if (!write_part(s, at, part, from)) return false;
    }
    return true;
}

static int by_number(const void *a, const void *b) {
    const page *x = *(page *const *)a, *y = *(page *const *)b;
    return (x->number > y->number) - (x->number < y->number);
}

/* Neighbours go together. */
static bool write_sorted(const store *s, page *const *sorted, size_t count, unsigned char *room) {
    for (size_t i = 0, some; i < count; i += some) {
        for (some = 0; i + some < count && some < AT_ONCE && sorted[i + some]->number == sorted[i]->number + some;
             some++)
            memcpy(room + some * PAGE, sorted[i + some]->bytes, PAGE);
        if (!disk_write(s->file, sorted[i]->number * PAGE, some * PAGE, room)) return false;
    }
    return true;
}

bool store_write_pages(const store *s, const page_set *set) {
    page **sorted = malloc((set->count + 1) * sizeof *sorted);
    unsigned char *room = malloc(AT_ONCE * PAGE);
    size_t count = 0;
    for (size_t i = 0; sorted && i < set->slots; i++)
        if (set->slot[i]) sorted[count++] = set->slot[i];
    if (sorted) qsort(sorted, count, sizeof *sorted, by_number);
    bool fine = sorted && room;
    if (!fine) errno = ENOMEM;
    fine = fine && write_sorted(s, sorted, count, room);
    const int reason = errno;
    free(sorted);
    free(room);
    errno = reason;
    return fine;
}

bool store_flush_fresh(store *s) {
    if (s->fresh.count && !store_write_pages(s, &s->fresh)) return false;
    page_clear(&s->fresh);
    return true;
}
