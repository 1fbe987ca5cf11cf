/* Many runs of a scene with other parameters and starts: what is asked, and what is kept of a run. */
#ifndef CAROM_SWEEP_H
#define CAROM_SWEEP_H

#include "sweep/plan.h"

typedef struct sweep_question {
    const carom_scene *scene;
    const char *scene_path;
    const sweep_plan *plan;
    const char *const *keep, *const *keep_name; /* [kept] formulas of columns, at the end and in the section */
    int kept;
    const char *section; /* a contact: its strikes; else a formula that passes zero upwards; NULL: none */
    const char *period;  /* formula: a point each period; NULL: none */
    const char *after;   /* formula: the transient, of which nothing is kept; NULL: none */
    int points;          /* points of a section at most; the run ends with the last */
    int exponents;       /* Lyapunov exponents that are kept, the largest first */
    const char *command; /* what was asked, in words, for the result */
    bool any_version;
} sweep_question;

enum { SWEEP_REASON = 256 };

/* What is kept of a run. Numbers: end values [kept], exponents [exponents], points [points][1 + kept] with their times.
 */
typedef struct outcome {
    bool failed;
    int points;
    long events;
    char reason[SWEEP_REASON];
    double number[];
} outcome;

static inline size_t outcome_numbers(const sweep_question *q) {
    const size_t point = 1 + (size_t)q->kept;
    return (size_t)q->kept + (size_t)q->exponents + (size_t)q->points * point;
}

#endif
