/* An integrator with its options as typed on a command line: "rattle", "lobatto:stages=3:variant=published". */
#ifndef CAROM_SCHEME_H
#define CAROM_SCHEME_H

#include "carom/carom.h"

typedef struct scheme {
    char *label; /* as typed */
    char *text;  /* label cut into words: what integrator and options point to */
    const char *integrator;
    carom_option *options;
    int option_count;
} scheme;

/* Does not check whether integrator and options exist: carom_sim_create does. */
carom_status scheme_read(const char *text, scheme *s, carom_error *error);
/* Several, separated by commas, none of them twice. */
carom_status schemes_read(const char *list, scheme **schemes, int *count, carom_error *error);
void scheme_destroy(scheme *s);
void schemes_destroy(scheme *schemes, int count);

/* The run with this integrator and exactly these options; the other options have the integrator's defaults. s may be
 * NULL: the run as it is. Borrows from s. */
carom_run_def scheme_run(const scheme *s, const carom_run_def *run);

#endif
