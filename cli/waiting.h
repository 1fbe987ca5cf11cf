/* What a command is busy with before its first step: a line on the terminal that counts the seconds. */
#ifndef CAROM_WAITING_H
#define CAROM_WAITING_H

/* Shows "WHAT NAME, 12 s" after a moment, on a terminal only; one at a time. */
void waiting_begin(const char *what, const char *name);
/* Takes the line away. */
void waiting_end(void);

#endif
