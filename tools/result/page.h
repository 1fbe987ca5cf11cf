/* Pages of a file, held in memory and found by their number. The journal holds them as they are here. */
#ifndef CAROM_PAGE_H
#define CAROM_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PAGE = 4096 };

/* The page boundary at or after a size. */
static inline uint64_t page_end(uint64_t size) {
    return (size + PAGE - 1) / PAGE * PAGE;
}

typedef struct page {
    uint64_t number; /* in the file */
    unsigned char bytes[PAGE];
} page;

typedef struct page_set {
    page **slot; /* hash table; NULL: free */
    size_t slots, count;
} page_set;

page *page_find(const page_set *set, uint64_t number);
/* A new page of zeros; the set must not have it yet. NULL: out of memory. */
page *page_add(page_set *set, uint64_t number);
void page_clear(page_set *set);

#endif
