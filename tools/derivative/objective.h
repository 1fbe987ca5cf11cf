/* A number to which a motion leads: a formula of the columns at the end, of times of events ("event(3).t") and of
 * parameters, with its derivatives. */
#ifndef CAROM_OBJECTIVE_H
#define CAROM_OBJECTIVE_H

#include "carom/carom.h"

typedef struct objective objective;

/* Names are those of the simulation's columns and parameters. */
carom_status objective_create(const carom_sim *sim, const carom_model *model, const char *text, objective **made,
                              carom_error *error);
void objective_destroy(objective *o);

/* objective_begin at the start of a run, objective_follow after each step, objective_read at the end. by: the names
 * whose derivatives the simulation carries, NULL: its directions. derivatives: [count], NULL: not wanted. */
void objective_begin(objective *o);
void objective_follow(objective *o, const carom_sim *sim, bool derivatives);
carom_status objective_read(objective *o, carom_sim *sim, const char *const *by, double *value, double *derivatives,
                            carom_error *error);
/* Its value at another instant of the run, from the row of the simulation's columns there. */
carom_status objective_value(objective *o, const carom_sim *sim, const double *row, double *value, carom_error *error);
/* Extrema over the run, "max(x)" and "min(x)" with one argument. The caller computes them, sets their values, and
 * writes their derivatives to where objective_set_extreme points. NULL: out of memory. */
typedef struct objective_extreme {
    objective *of;
    double sign; /* 1: the largest value, -1: the least */
    const char *text;
} objective_extreme;
int objective_extremes(const objective *o);
const objective_extreme *objective_extreme_at(const objective *o, int i);
double *objective_set_extreme(objective *o, int i, double value, int count);
long objective_events(const objective *o); /* met so far */

#endif
