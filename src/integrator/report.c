#include "integrator/report.h"

#include <math.h>
#include <string.h>

void report_again(step_report *report, int contacts) {
    report->residual = 0;
    report->weakened = 0, report->lost = report->yielded = 0;
    report->captured = report->reduced = false;
    report->switched = 0;
    report->doubt = (doubt){0};
    if (report->dulled) memset(report->dulled, 0, (size_t)contacts * sizeof *report->dulled);
}

void report_add(step_report *total, const step_report *part, bool done) {
    for (int k = 0; k < MOST_STAGES; k++) total->newton[k] += part->newton[k];
    total->residual = fmax(total->residual, part->residual);
    total->weakened += part->weakened;
    total->lost = fmax(total->lost, part->lost);
    total->yielded = fmax(total->yielded, part->yielded);
    total->captured = total->captured || part->captured;
    total->reduced = total->reduced || part->reduced;
    total->switched += part->switched;
    doubt_add(&total->doubt, part->doubt);
    if (done) return;
    total->exhausted = part->exhausted;
    if (part->hint || !total->hint) memcpy(total->reason, part->reason, sizeof total->reason);
    if (part->hint) total->hint = part->hint;
}
