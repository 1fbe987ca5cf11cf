/* The summary of a run. */
#ifndef CAROM_CLI_MONITOR_H
#define CAROM_CLI_MONITOR_H

#include "run/monitor.h"

void monitor_print(const monitor *m, const carom_sim *sim);

#endif
