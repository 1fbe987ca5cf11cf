#include "tree_index.h"

#include "hash.h"

#include <stdlib.h>
#include <string.h>

typedef struct place {
    const node *map; /* NULL: free */
    const char *key; /* NULL: the last entry of the map */
    node *entry;
} place;

struct tree_index {
    node *root;
    place *place; /* a hash table: probed one after the other, at most half full */
    size_t size, count;
    bool lost; /* out of memory */
};

/* ---- places */

static place *place_of(const tree_index *x, const node *map, const char *key) {
    size_t at = (size_t)hash_bytes((uint64_t)(uintptr_t)map, key ? key : "", key ? strlen(key) + 1 : 0);
    for (;; at++) {
        place *p = &x->place[at & (x->size - 1)];
        if (!p->map || (p->map == map && (key && p->key ? !strcmp(p->key, key) : key == p->key))) return p;
    }
}

static void grow(tree_index *x) {
    const place *old = x->place;
    const size_t size = x->size;
    place *larger = calloc(size ? 2 * size : 64, sizeof *larger);
    if (!larger) {
        x->lost = true;
        return;
    }
    x->size = size ? 2 * size : 64, x->place = larger;
    for (size_t i = 0; i < size; i++)
        if (old[i].map) *place_of(x, old[i].map, old[i].key) = old[i];
    free((place *)old);
}

static void put(tree_index *x, const node *map, const char *key, node *entry) {
    if (2 * x->count + 2 > x->size) grow(x);
    if (x->lost) return;
    place *p = place_of(x, map, key);
    x->count += !p->map;
    *p = (place){map, key, entry};
}

static void put_entry(tree_index *x, const node *map, node *entry);

static void put_entries(tree_index *x, const node *map) {
    if (map->kind != NODE_MAP) return;
    for (node *entry = map->first; entry && !x->lost; entry = entry->next) put_entry(x, map, entry);
}

static void put_entry(tree_index *x, const node *map, node *entry) {
    put(x, map, entry->key->text, entry);
    put(x, map, NULL, entry);
    put_entries(x, entry);
}

static void put_all(tree_index *x) {
    if (x->size) memset(x->place, 0, x->size * sizeof *x->place);
    x->count = 0;
    put_entries(x, x->root);
}

/* ---- merging */

static node *get(const tree_index *x, const node *map, const char *key) {
    return x->count ? place_of(x, map, key)->entry : NULL;
}

static void append(tree_index *x, node *map, node *entry) {
    node *last = get(x, map, NULL);
    if (last) last->next = entry;
    else map->first = entry;
    put_entry(x, map, entry);
}

/* The entry that is replaced may be a map with keys of its own, so all places are found anew. */
static void replace(tree_index *x, node *old, node *entry) {
    entry->next = old->next;
    *old = *entry;
    put_all(x);
}

/* Entries move: keys of a part of the base, such as the quick values of a recipe, are no longer found there. */
static void merge(tree_index *x, node *base, node *over) {
    node *entry = over->first;
    over->first = NULL;
    for (node *next; entry && !x->lost; entry = next) {
        next = entry->next;
        entry->next = NULL;
        node *old = get(x, base, entry->key->text);
        if (!old) append(x, base, entry);
        else if (old->kind == NODE_MAP && entry->kind == NODE_MAP) merge(x, old, entry);
        else replace(x, old, entry);
    }
}

/* ---- the index */

tree_index *tree_index_create(node *root) {
    tree_index *x = calloc(1, sizeof *x);
    if (!x) return NULL;
    x->root = root;
    put_all(x);
    if (!x->lost) return x;
    tree_index_destroy(x);
    return NULL;
}

void tree_index_destroy(tree_index *index) {
    if (index) free(index->place);
    free(index);
}

node *tree_index_root(const tree_index *index) {
    return index->root;
}

node *tree_index_find(const tree_index *index, const node *map, const char *key) {
    return get(index, map, key);
}

bool tree_index_merge(tree_index *index, node *over) {
    merge(index, index->root, over);
    return !index->lost;
}

bool tree_merge(node *root, node *over) {
    tree_index *index = tree_index_create(root);
    const bool merged = index && tree_index_merge(index, over);
    tree_index_destroy(index);
    return merged;
}
