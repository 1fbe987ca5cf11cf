/* The verdicts on claims, in words and counted. */
#ifndef CAROM_VERDICT_H
#define CAROM_VERDICT_H

#include "reproduce/recipe.h"

typedef enum fate {
    FATE_CONFIRMED,
    FATE_CORRECTED,
    FATE_REFUTED,
    FATE_UNREPRODUCIBLE,
    FATE_BROKEN,
    FATE_UNCHECKED,
    FATES
} fate;

fate claim_fate(const claim *c);
const char *fate_text(fate f); /* "does not hold" */
const char *fate_key(fate f);  /* "broken": one word, for style sheets and programs */

typedef struct tally {
    int claims, by_fate[FATES];
    int figures, failures; /* failures: figures of which something could not be computed */
} tally;
tally tally_of(const recipes *r);
tally tally_of_paper(const paper_recipe *p);

/* Numbers of a claim as text: "2", "(-1.42857, 0) m/s"; "\u2013" where there is none. */
void claim_values_text(const claim *c, char *text, size_t size);
/* The expected interval of all values, as text. */
void claim_expectations_text(const claim *c, char *text, size_t size);

#endif
