/* A tree that is merged from many small ones. Finding a key of its maps costs the same however large they are. */
#ifndef CAROM_TREE_INDEX_H
#define CAROM_TREE_INDEX_H

#include "yaml.h"

typedef struct tree_index tree_index;

tree_index *tree_index_create(node *root); /* NULL: out of memory */
void tree_index_destroy(tree_index *index);
node *tree_index_root(const tree_index *index);
node *tree_index_find(const tree_index *index, const node *map, const char *key); /* as yaml_find */
/* Maps are merged entry by entry, anything else in over replaces what the tree has. False: out of memory. */
bool tree_index_merge(tree_index *index, node *over);
bool tree_merge(node *root, node *over); /* the same, once */

#endif
