/* Ctrl-C, SIGTERM and SIGHUP as a flag that is looked at between steps. */
#ifndef CAROM_INTERRUPT_H
#define CAROM_INTERRUPT_H

#include <signal.h>

extern volatile sig_atomic_t interrupted;

/* From now on the first signal sets the flag; a second one ends the program at once. */
void catch_signals(void);

#endif
