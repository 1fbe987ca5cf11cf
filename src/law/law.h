/* Set-valued laws  y in N_C(-r)  (docs/theory/laws.md); carom/plugin.h says what a law is. */
#ifndef CAROM_LAW_H
#define CAROM_LAW_H

#include "carom/plugin.h"

enum { LAW_SIZE = CAROM_LAW_SIZE };
#define LAW_OPEN CAROM_LAW_OPEN
#define LAW_HOLD CAROM_LAW_HOLD
#define LAW_SLIDE CAROM_LAW_SLIDE

typedef carom_law_branch law_branch;
typedef carom_law_row law_row;
typedef carom_law_def law;

extern const law law_bilateral, law_signorini, law_coulomb, law_coulomb_contensou, law_newton, law_poisson,
    law_energetic, law_plastic;

/* A law by its name; NULL: there is none. */
const law *law_find(const char *name);
/* The law of friction of a contact. NULL: it has a name that no law has, or one that is not for its slips. */
const law *law_of_slips(const carom_model_contact *contact);
/* A law of friction that is not Coulomb's, by whatever name. */
bool law_is_own(const carom_model_contact *contact);
/* It has one force for every direction of slip, so that schemes can prescribe the force by the direction: Coulomb's
 * ball, and every set of one slip, an interval. A set of several slips with edges has several forces for one direction.
 */
bool law_follows_direction(const carom_model_contact *contact);
/* One slip: the end of the interval C(1) on the side of a number. */
double law_end(const law *l, double side);
/* The law of impact of a contact. NULL: it has a name that no such law has. */
const law *law_of_impact(const carom_model_contact *contact);

/* Largest component of the natural map (L1). */
double law_error(const law *l, int n, const double *v, const double *w, double radius);

#endif
