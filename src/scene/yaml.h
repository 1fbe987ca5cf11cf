/* YAML text as a tree of nodes that know where they were written.
 * Scenes are plain data: one document, no anchors, aliases or tags, keys are words, no key twice. */
#ifndef CAROM_YAML_H
#define CAROM_YAML_H

#include "arena.h"
#include "carom/carom.h"

typedef enum node_kind { NODE_EMPTY, NODE_TEXT, NODE_MAP, NODE_LIST } node_kind;

typedef struct node {
    node_kind kind;
    const char *text;          /* NODE_TEXT */
    const char *file;          /* where it was written ... */
    int line, column;          /* ... 1-based; 0: not in a file (an override) */
    const char *raw, *raw_end; /* the characters of the text as typed, from line and column on; NULL: none */
    struct node *key;          /* of an entry of a map */
    struct node *first, *next; /* children and siblings, in order */
} node;

/* text must outlive the tree; positions = false leaves line and column 0. */
carom_status yaml_parse(arena *memory, const char *text, size_t size, const char *file, bool positions, node **root,
                        carom_error *error);
/* The tree as YAML text that parses to the same tree. NULL: out of memory; free() it. */
char *yaml_emit(const node *root);

node *yaml_new(arena *memory, node_kind kind, const char *text, const node *place); /* at the position of place */
node *yaml_find(const node *map, const char *key);                                  /* NULL map: NULL */
int yaml_count(const node *parent);
/* A copy of the tree and of its texts. NULL: out of memory. */
node *yaml_copy(arena *memory, const node *root);

/* Errors at a node, or at the character text[offset] of it. Both return CAROM_DATA. */
carom_status node_error(carom_error *error, const node *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
carom_status node_error_in(carom_error *error, const node *at, int offset, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* An error that ends with ", did you mean 'nearest'?" where name is near a candidate. */
carom_status node_error_near(carom_error *error, const node *at, const char *name, const char *const *candidates,
                             int count, const char *format, ...) __attribute__((format(printf, 6, 7)));

#endif
