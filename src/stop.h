/* Work that is asked to end early, as by a signal: a flag of the program, looked at where work may last. */
#ifndef CAROM_STOP_H
#define CAROM_STOP_H

#include <signal.h>
#include <stdbool.h>

void stop_on(const volatile sig_atomic_t *flag); /* work of this thread ends once this is not 0; NULL: never */
bool stop_asked(void);

#endif
