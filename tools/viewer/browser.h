/* A browser without a window that a program drives: chromium, by the DevTools protocol over two pipes. */
#ifndef CAROM_VIEWER_BROWSER_H
#define CAROM_VIEWER_BROWSER_H

#include "carom/carom.h"

#include <stdio.h>
#include <sys/types.h>

typedef struct browser {
    pid_t process;
    int to, from; /* pipes */
    int messages; /* sent so far */
    char session[64];
    char folder[64]; /* its own, for as long as it runs */
    char *answer;    /* the last one */
    size_t size, room, next;
} browser;

/* CAROM_DATA: there is no chromium. The program must ignore SIGPIPE, so that writing to a browser that died is an
 * error. The caller closes the browser in any case. */
carom_status browser_start(browser *b, int width, int height, carom_error *error);
/* Loads a page and waits until the expression is true in it. */
carom_status browser_open(browser *b, const char *address, const char *ready, carom_error *error);
/* Evaluates an expression in the page, for its effect. */
carom_status browser_run(browser *b, const char *expression, carom_error *error);
/* What the page shows now, as a PNG picture. */
carom_status browser_picture(browser *b, FILE *out, carom_error *error);
void browser_close(browser *b);

#endif
