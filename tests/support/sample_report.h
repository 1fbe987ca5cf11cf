/* A small reproduction with everything that can come up in a report, written by hand: characters that mean something to
 * HTML, JSON and shells, numbers that are none, failures, claims that were left out. */
#ifndef TEST_SAMPLE_REPORT_H
#define TEST_SAMPLE_REPORT_H

#include "reproduce/report.h"

extern const recipes sample_recipes;
extern const report_facts sample_facts;

/* folder with the report and its pictures. */
carom_status sample_write(const char *folder, carom_error *error);

#endif
