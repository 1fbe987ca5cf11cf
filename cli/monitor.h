/* The summary of a run. */
#ifndef CAROM_CLI_MONITOR_H
#define CAROM_CLI_MONITOR_H

#include "run/monitor.h"

/* names: of the recorded quantities */
void monitor_print(const monitor *m, const carom_sim *sim, const char *const *names);

#endif
