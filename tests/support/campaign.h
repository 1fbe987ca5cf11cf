/* Many random cases, each in a process of its own: a crash or a case that does not end is counted like any other
 * violation, and the other cases go on.
 *
 *     campaign                    the first cases, as part of the tests
 *     campaign NUMBER             one case, with everything it prints
 *     campaign FIRST COUNT JOBS   as many as you like, on as many processes at once
 *
 * The case of a number is always the same: campaign_random draws from it. */
#ifndef CAROM_TEST_CAMPAIGN_H
#define CAROM_TEST_CAMPAIGN_H

#include <stdbool.h>
#include <stdint.h>

enum { CAMPAIGN_COUNTS = 12, CAMPAIGN_KINDS = 64 };

typedef struct campaign_case {
    bool done;      /* set by the campaign when judge returns */
    int violations; /* of what the campaign forbids: campaign_violation counts and explains */
    double seconds;
    int kind;                    /* from 0, below CAMPAIGN_KINDS: a case is compared with the median of its own kind */
    double size;                 /* the time of a case is compared by size, steps for example; 0: as it is */
    long count[CAMPAIGN_COUNTS]; /* what the campaign adds up, by the names below */
    char note[600];
} campaign_case;

typedef struct campaign {
    const char *cases;                  /* "throws" */
    int few;                            /* cases that are part of the tests */
    int patience;                       /* seconds of processor time until a case is stuck */
    const char *count[CAMPAIGN_COUNTS]; /* names of the counts; NULL ends them */
    void (*judge)(uint64_t number, campaign_case *c);
    double slowest; /* a case may last this many times the median of its kind, at least a tenth of a second; 0: any */
} campaign;

extern bool campaign_loud; /* one case alone: print what helps to understand it */

void campaign_violation(campaign_case *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Uniform in [0, 1), from a state that begins with the number of a case. */
double campaign_random(uint64_t *state);
double campaign_between(uint64_t *state, double least, double most);

/* The calling process ends by a signal after this processor time, in seconds, or after ten times as long by the clock,
 * in which it may wait for others; whether it ended so. */
void campaign_bear(int patience);
bool campaign_is_stuck(int status);

/* The body of main. Exit code 0: no violations. */
int campaign_main(const campaign *c, int argc, char **argv);

#endif
