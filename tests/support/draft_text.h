/* A text that a test writes piece by piece. */
#ifndef CAROM_TEST_DRAFT_TEXT_H
#define CAROM_TEST_DRAFT_TEXT_H

#include <stddef.h>

typedef struct draft_text {
    char text[6000];
    size_t used;
} draft_text;

/* Stops the program where there is no room. */
void draft_add(draft_text *d, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
