/* A way to end work early, as after a signal: a flag of the program that long work looks at. */
#ifndef CAROM_STOP_H
#define CAROM_STOP_H

#include <signal.h>
#include <stdbool.h>

/* Work of this thread ends once the flag is not 0; NULL: never. */
void stop_on(const volatile sig_atomic_t *flag);
bool stop_asked(void);

#endif
