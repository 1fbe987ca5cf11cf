/* Steps that locate their events (docs/theory/events.md): between events every contact keeps its state, and the scheme
 * is a smooth one of its full order; where a contact closes, opens, sticks or slips, the step is divided there. */
#ifndef CAROM_LOCATE_H
#define CAROM_LOCATE_H

#include "integrator/dense.h"
#include "integrator/event_log.h"
#include "integrator/jump.h"
#include "integrator/rates.h"

/* What a scheme with stages offers: a step with fixed states, and a look at its stages. */
typedef struct fixed_scheme {
    void *self;
    int s;
    const double *c;
    /* From now to next over next->t - now->t with the states now->contact, sliding along sense. by_rates: closed
     * contacts and joints by their velocities, for steps too short for positions. kept: what position functions are to
     * stay at, NULL for zero. */
    bool (*take)(void *self, const motion *now, const double *sense, bool by_rates, const double *kept, motion *next,
                 double tolerance, step_report *report);
    /* After that: next->P with the same motion that obeys the laws, and guesses for the next step from it. False: there
     * is none. */
    bool (*admit)(void *self, const motion *now, const double *sense, motion *next, double zero, double tolerance,
                  step_report *report);
    /* The same over the rest of a step, capturing whatever happens. */
    bool (*capture)(void *self, const motion *now, motion *next, double tolerance, step_report *report);
    /* Where a motion keeps s(t, q, u) in its memory. */
    double *(*velocities)(const void *self, const motion *x);
    /* Of the step taken last, i = 0..s-1: positions, velocities, gaps (i > 0), slips, percussions over the step. */
    const double *(*position)(const void *self, int i);
    const double *(*velocity)(const void *self, int i);
    const double *(*gaps)(const void *self, int i);
    const double *(*slips)(const void *self, int i);
    const double *(*percussion)(const void *self, int i);
} fixed_scheme;

/* The options of schemes that can locate events. */
#define LOCATE_OPTIONS                                                                                                 \
    {"events", "capture | locate",                                                                                     \
     "capture: what happens within a step is taken at its end (order 1 across events); locate: the step is divided "   \
     "at "                                                                                                             \
     "impacts, lift-off, stick and slip, and keeps its order",                                                         \
     "capture"},                                                                                                       \
    {                                                                                                                  \
        "samples", "integer from 2 to 1000",                                                                           \
            "located events: looks per step for gaps that close and open again between two stages", "4 per stage"      \
    }

/* How closed contacts and joints are held: their position functions at zero, or at what they are, or their rates. */
typedef enum hold_by { AT_ZERO, AS_THEY_ARE, BY_RATES } hold_by;

typedef struct locate {
    const carom_model *m;
    fixed_scheme scheme;
    int samples; /* of the dense output between events */
    dense dense;
    rates rates;
    impact strike;
    jumps jumps;
    motion at, trial;       /* the present state within the step, and the end of a trial step */
    double *sense;          /* [slips] of the present state */
    double *before, *after; /* s at both ends of the trial step, or around an impact */
    double *struck;         /* s before an event */
    double *P;              /* percussions of the step so far */
    bool *touches;          /* [contacts] in an impact */
    bool *pressed;          /* [contacts] to stay closed through an impact */
    int happened, standing; /* events of the step, and of the present instant */
    double since;           /* when that began */
    long work;              /* solutions and their iterations in the step, without those of the rates */
    bool *held;             /* [contacts] closed for the coming step, whatever their force */
    double *q, *u, *q_dot0, *q_dot1, *c, *kept, *s, *M, *WT, *values; /* room */
    double h;                                                         /* of the trial step */
    double reach;                                                     /* steps longer than this are not tried */
    bool dense_known; /* the rates at both ends of the trial step, for its dense output */
    hold_by hold;     /* in the present step */
    double dt;        /* of the whole step */
    event_log log;
    double *memory;
    size_t memory_size; /* of a motion */
} locate;

/* A trial step in which position functions say nothing but round-off. */
static inline bool is_short(const locate *l) {
    return l->h < 1e-3 * l->dt;
}

/* Reads the options: whether events are located, and with how many samples by a scheme of s stages; and tells where the
 * model, or the published variant of the scheme, do not allow it. */
carom_status locate_options(const carom_run_def *run, const carom_model *model, int s, bool published, bool *located,
                            int *samples, carom_error *error);

/* memory: doubles of scheme memory in a motion, the modes not included. False: out of memory. */
bool locate_create(locate *l, const carom_model *model, fixed_scheme scheme, int samples, int memory);
void locate_destroy(locate *l);
void locate_forget(locate *l); /* what is not in the memories */

/* Doubles that states and senses of slip take in the memory of a motion. */
int locate_modes(const carom_model *model);
/* Modes at the start. False: the model is not defined there, or has no accelerations, as the report says. */
bool locate_start(locate *l, motion *first, double *modes, step_report *report);
/* modes, next_modes: in the memories of now and next. */
bool locate_step(locate *l, const motion *now, const double *modes, motion *next, double *next_modes, double dt,
                 double tolerance, step_report *report);

#endif
