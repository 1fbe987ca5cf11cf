/* A run under test: a scene or a C model, stepped one step at a time. Every failure fails the test with its reason. */
#ifndef TEST_TRIAL_H
#define TEST_TRIAL_H

#include "carom/carom.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

typedef struct trial {
    carom_scene *scene; /* NULL for a C model */
    carom_sim *sim;
    double *row; /* recorded quantities at the present state */
} trial;

/* Scene "paper/rattle/ball_1" with overrides "key=value", ended by NULL. */
trial trial_scene(const char *name, ...) __attribute__((sentinel));
/* A scene from text, as printf makes it. */
trial trial_text(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* A scene by lobatto with located events, tolerance 1e-13, and two more overrides or NULL. */
trial trial_located(const char *name, int stages, double dt, double until, const char *one, const char *two);
/* options: "name=value,..." of the integrator, or NULL. */
trial trial_model(const carom_model *model, const char *integrator, double dt, double until, double tolerance,
                  const char *options);
/* The same without options, for an integrator that may not be made for the model: false, and the reason printed, where
 * carom_sim_create refuses it as CAROM_DATA. */
bool trial_offer(trial *run, const carom_model *model, const char *integrator, double dt, double until,
                 double tolerance);
void trial_close(trial *run);
/* A scene from text, its simulation, or derivatives by the parameter, if one is given, are refused with this sentence.
 */
void trial_refused(const char *sentence, const char *parameter, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

void trial_step(trial *run);
/* A step of which no row is wanted: in long runs half the time is the row. */
void trial_stride(trial *run);
/* Steps until the end; returns the number of steps. */
long trial_finish(trial *run);
/* The same; no step adds more than this part of the first energy to it. */
void trial_never_gains(trial *run, double part);
/* The same of so many free bodies that meet, by located strikes alone, at least so many: linear momentum, of bodies of
 * mass 1, and energy are kept to the round-off that dozens of strikes add up. */
void trial_keeps_motion(trial *run, int bodies, int strikes);
/* Two runs alike: one goes on after its second checkpoint, the other begins there, and both end with the same bits. */
void trial_resumes(trial run, trial other);

/* A quantity by its stable name. */
int trial_column(const trial *run, const char *name);
double trial_value(const trial *run, const char *name);

/* Slope of log(error) over log(h) by least squares: the observed order. */
double observed_order(int n, const double *h, const double *error);

/* |a - b| <= tolerance, naming both and the place if not; NaN fails. */
#define assert_near(a, b, tolerance) near_or_fail((a), (b), (tolerance), #a, __FILE__, __LINE__)
#define assert_at_most(a, b) at_most_or_fail((a), (b), #a, __FILE__, __LINE__)
#define assert_at_least(a, b) at_most_or_fail(-(a), -(b), "-(" #a ")", __FILE__, __LINE__)
void near_or_fail(double a, double b, double tolerance, const char *what, const char *file, int line);
void at_most_or_fail(double a, double b, const char *what, const char *file, int line);

#endif
