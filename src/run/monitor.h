/* What happens in a run, looked at after every step: extremes of gaps, constraints and residuals. */
#ifndef CAROM_MONITOR_H
#define CAROM_MONITOR_H

#include "carom/carom.h"

/* Doubles only, so that a checkpoint can hold them beside the state. */
typedef struct extremes {
    double residual;
    double gap, gap_contact, gap_time; /* the smallest gap, where and when */
    double position, velocity;         /* largest |g|; largest |g_dot|, |gamma| */
    double energy;                     /* at the start; NaN: the model has none */
    double kinetic;                    /* the largest kinetic energy */
    double work[4], worked;            /* works so far; what they changed from step to step, summed up */
    double seconds;                    /* of wall time in earlier parts of the run */
    double events[CAROM_EVENT_KINDS];  /* located so far */
    double undefined;                  /* recorded rows with a quantity that is not finite; of the first of them: */
    double undefined_column, undefined_time;
    double undefined_columns; /* most quantities in one row */
} extremes;

enum { EXTREMES = sizeof(extremes) / sizeof(double) };

typedef struct monitor {
    const carom_model_def *def;
    double *c, *s;
    extremes seen;
} monitor;

/* T + V; NaN where the model has no energy or is not defined. */
double model_energy(const carom_model_def *d, double t, const double *q, const double *u);

/* (W9d): energy of the present state that neither the start nor any work accounts for, and what was turned over. NaN
 * likewise. */
typedef struct energy_balance {
    double unaccounted, turnover;
} energy_balance;
energy_balance monitor_balance(const monitor *m, const carom_sim *sim);

/* Energy that impacts have created, above the noise of how it is measured. */
typedef struct creation {
    double sum, most; /* over the run, in one impact; 0: none */
    double impacts;   /* how many did */
    int contact;      /* that gained most ... */
    double time;      /* ... in the impact that created most */
    bool measured;    /* to round-off; else up to what forces do in a step */
} creation;
creation monitor_creation(const monitor *m, const carom_sim *sim);

/* Contacts that closed and opened again within a step, unseen. */
typedef struct unseen {
    double count;
    int contact; /* of the deepest */
    double time, gap;
    bool divisible; /* steps could be taken in pieces there */
} unseen;
unseen monitor_unseen(const carom_sim *sim);
/* Gaps of open contacts that are no larger and change no faster count as zero where events are located, but for
 * round-off: at most so much, (V41). */
typedef struct located_zero {
    double gap, rate;
} located_zero;
located_zero monitor_zero(const carom_sim *sim);
/* The error at which contacts are accepted, the option `accept`; 0: steps are solved to the tolerance. */
double monitor_accepts(const carom_sim *sim);

carom_status monitor_create(monitor *m, const carom_model *model, carom_error *error);
void monitor_destroy(monitor *m);
/* Looks at the present state. Not OK: its energy is not finite. */
carom_status monitor_see(monitor *m, const carom_sim *sim, carom_error *error);
/* Looks at a recorded row. */
void monitor_see_row(monitor *m, const double *row, int count, double t);

#endif
