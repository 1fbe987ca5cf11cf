/* Points of a motion: at strikes of a contact, once per period, or where a formula passes zero upwards. */
#ifndef CAROM_SECTION_H
#define CAROM_SECTION_H

#include "derivative/objective.h"
#include "sweep/sweep.h"

typedef struct section {
    const sweep_question *q;
    const carom_model *model;
    int contact;        /* the contact whose strikes count; -1: none */
    objective *formula; /* the formula that passes zero; NULL: none */
    objective **keep;   /* [kept], of the trial */
    carom_sim *probe;   /* steps from the state before to where the formula is zero */
    double *state;      /* before the step */
    double *row;
    double was;   /* value of the formula before the step; NaN: unknown */
    double start; /* time before the step */
    long every;   /* steps of a period; 0: there is none */
} section;

/* keep is borrowed. */
carom_status section_create(section *s, const sweep_question *q, carom_sim *sim, objective **keep, carom_error *error);
void section_destroy(section *s);
/* Begins a run. every: steps of a period. */
void section_begin(section *s, long every);
/* Before and after each step beyond the transient. */
void section_before(section *s, const carom_sim *sim);
carom_status section_after(section *s, carom_sim *sim, outcome *o, carom_error *error);

#endif
