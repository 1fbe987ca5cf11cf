/* A sketch, for the functions that add definitions to it. */
#ifndef CAROM_SKETCH_H
#define CAROM_SKETCH_H

#include "scene.h"

struct carom_sketch {
    arena memory; /* of everything below */
    const char *name;
    scene_entry *entry;
    int count, room;
    bool lost;         /* an entry found no memory */
    const node *twice; /* something that a definition gives twice; NULL: nothing */
    unsigned alive;    /* ALIVE, until it is destroyed */
};

/* The tree of a definition, in the memory of the sketch. NULL: there was none left. */
void sketch_add_tree(carom_sketch *sketch, const node *tree, const node *twice);

#endif
