/* The report: a page to read and a file for programs. */
#ifndef CAROM_REPRODUCE_REPORT_H
#define CAROM_REPRODUCE_REPORT_H

#include "reproduce/recipe.h"

typedef struct report_facts {
    double seconds; /* of all computations; those that were cached count as they took then */
    int workers;
    int jobs, cached;
} report_facts;

/* folder/index.html: one page with its style, pictures in folder/assets. */
carom_status report_write_html(const recipes *r, const report_facts *facts, const char *folder, carom_error *error);
/* folder/report.json: every claim with value, tolerance and verdict. */
carom_status report_write_json(const recipes *r, const report_facts *facts, const char *folder, carom_error *error);

/* "confirmed", "confirmed with correction", "refuted", "does not hold", "not checked" */
const char *claim_verdict(const claim *c);
/* "-1.42857 ± 1e-06", "at most 1e-12", "1.9 to 2.1" */
void claim_expectation(const claim *c, int value, char *text, size_t size);

#endif
