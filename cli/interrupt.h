/* Ctrl-C, SIGTERM and SIGHUP. While nothing is being written they end the program at once; later they set a flag that
 * commands look at between steps. */
#ifndef CAROM_INTERRUPT_H
#define CAROM_INTERRUPT_H

#include <signal.h>

extern volatile sig_atomic_t interrupted;

/* From now on a signal ends the program with one line and EXIT_INTERRUPTED. */
void end_on_signals(void);
/* From now on the first signal sets the flag; a second one ends the program at once. */
void catch_signals(void);

#endif
