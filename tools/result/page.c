#include "result/page.h"

#include "hash.h"

#include <stdlib.h>

/* The slot of the page, or the free slot where it would go. At least half of the slots are free. */
static page **slot_of(page **slot, size_t slots, uint64_t number) {
    size_t i = (size_t)hash_word(0, number) & (slots - 1);
    while (slot[i] && slot[i]->number != number) i = (i + 1) & (slots - 1);
    return &slot[i];
}

page *page_find(const page_set *set, uint64_t number) {
    return set->count ? *slot_of(set->slot, set->slots, number) : NULL;
}

static bool grow(page_set *set) {
    size_t slots = set->slots ? 2 * set->slots : 64;
    page **slot = calloc(slots, sizeof *slot);
    if (!slot) return false;
    for (size_t i = 0; i < set->slots; i++)
        if (set->slot[i]) *slot_of(slot, slots, set->slot[i]->number) = set->slot[i];
    free(set->slot);
    set->slot = slot;
    set->slots = slots;
    return true;
}

page *page_add(page_set *set, uint64_t number) {
    page *new = calloc(1, sizeof *new);
    if (!new || (2 * set->count >= set->slots && !grow(set))) {
        free(new);
        return NULL;
    }
    new->number = number;
    *slot_of(set->slot, set->slots, number) = new;
    set->count++;
    return new;
}

void page_clear(page_set *set) {
    for (size_t i = 0; i < set->slots; i++) free(set->slot[i]);
    free(set->slot);
    *set = (page_set){0};
}
