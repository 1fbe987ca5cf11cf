#include "viewer/parts.h"

/* The assembler includes the files that the build names, and ends each with a zero byte. */
#define PART(name, path)                                                                                               \
    __asm__(".section .rodata\n.global " name "\n.hidden " name "\n" name ":\n.incbin \"" path                         \
            "\"\n.byte 0\n.previous\n")

PART("viewer_page", VIEWER_PAGE);
PART("viewer_guest", VIEWER_GUEST);
PART("viewer_three", VIEWER_THREE);
