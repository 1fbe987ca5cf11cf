/* Descriptors that a program has registered, beside those of carom itself. */
#ifndef CAROM_REGISTRY_H
#define CAROM_REGISTRY_H

#include "carom/carom.h"

enum { REGISTRY_ROOM = 64 };

typedef struct registry {
    const char *what, *one; /* "law", "a law": in errors */
    int count;
    const void *at[REGISTRY_ROOM];
} registry;

/* taken: whether something has this name already; lacking: names what the descriptor must have and has not, or NULL. */
carom_status registry_add(registry *r, const void *descriptor, const char *name, bool taken, const char *lacking,
                          carom_error *error);

#endif
