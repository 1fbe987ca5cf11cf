/* A line on the terminal that says what a command does before its first step and counts the seconds. */
#ifndef CAROM_WAITING_H
#define CAROM_WAITING_H

/* Shows "WHAT NAME, 12 s" after a moment, on a terminal only; one at a time. */
void waiting_begin(const char *what, const char *name);
/* Removes the line. */
void waiting_end(void);

#endif
