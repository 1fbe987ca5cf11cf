/* A scene file with everything it extends and all overrides, merged into one tree. */
#ifndef CAROM_DOCUMENT_H
#define CAROM_DOCUMENT_H

#include "tree_index.h"

#include <sys/stat.h>

enum { SCENE_BYTES = 1 << 26 }; /* a scene file is at most this long */

/* From a file, following 'extends'. what: "scene", or what else a file of this form is, for errors. */
carom_status document_load(arena *memory, const char *path, const char *what, node **root, carom_error *error);
/* Whether a scene in a file is this file or extends it. A file that is no scene does not. */
bool document_reads(const char *path, const struct stat *file);
/* From text that must outlive the tree; 'extends' is refused. */
carom_status document_parse(arena *memory, const char *text, size_t size, const char *name, node **root,
                            carom_error *error);
/* Writes out what is abbreviated: "x: 0" and "x:" among coordinates and velocities become "x: {start: 0}", "x: {}". */
carom_status document_complete(arena *memory, node *root, carom_error *error);
/* "key=value" with a dotted key: a scene of one entry that extends root. An override changes what the scene has named.
 */
carom_status document_override(arena *memory, node *root, const char *setting, carom_error *error);
/* The same for an entry that may be new; name stands for the file in errors. */
carom_status document_add(arena *memory, tree_index *scene, const char *setting, const char *name, carom_error *error);
/* Adds the tree of a definition. All of its entries must be new. */
carom_status document_add_tree(arena *memory, tree_index *scene, const node *tree, carom_error *error);

#endif
