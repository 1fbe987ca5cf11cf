/* A scene told again by typed definitions. The tree of its file is read entry by entry, by assignments of its own; an
 * entry that no definition can say fails the test. */
#ifndef CAROM_RETELL_H
#define CAROM_RETELL_H

#include "carom/defs.h"
#include "scene/document.h"

void retell(carom_sketch *sketch, const carom_scene *scene, const node *root);

#endif
