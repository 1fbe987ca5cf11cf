/* Handles know whether they are alive: one that a program uses after it has destroyed it ends the program. */
#ifndef CAROM_ALIVE_H
#define CAROM_ALIVE_H

#include <assert.h>

enum { ALIVE = 0xca707 }; /* in the field 'alive' of a handle, from its creation to its destruction */
#define assert_alive(handle) assert((handle) && (handle)->alive == ALIVE)
#define mark_destroyed(handle)                                                                                         \
    (*(volatile unsigned *)&(handle)->alive = 0) /* compilers drop a plain store before free */

#endif
