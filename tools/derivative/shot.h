/* One shot: a part of a period from a start of its own, with its derivatives (docs/theory/sensitivity.md, (SE15)). */
#ifndef CAROM_SHOT_H
#define CAROM_SHOT_H

#include "derivative/period.h"

/* The state of a simulation and of its contacts. */
void shot_state(const period_map *p, const carom_sim *sim, double *x);
void shot_contacts(const period_map *p, const carom_sim *sim, shot *s);

/* The value of a formula at the present state, and its derivatives by all columns. */
carom_status shot_formula(const period_map *p, objective *o, double *value, double *by, carom_error *error);

/* Follows a shot from a given state; shot_end returns only the state at its end. CAROM_FAILED: there is no derivative,
 * and error says why. */
carom_status shot_follow(period_map *p, const double *state, double start, double end, shot *s, carom_error *error);
carom_status shot_simulate(const period_map *p, const double *state, double start, double end, double *to,
                           carom_error *error);

#endif
