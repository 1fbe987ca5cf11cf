/* The report of a step, put together from its parts and from repeated attempts. */
#ifndef CAROM_REPORT_H
#define CAROM_REPORT_H

#include "integrator/integrator.h"

/* Before another attempt at the same step: keeps only the iterations and the reason of the attempts before. */
void report_again(step_report *report, int contacts);
/* Adds a part of the step; done: it was taken, otherwise the whole has its reason. */
void report_add(step_report *total, const step_report *part, bool done);

#endif
