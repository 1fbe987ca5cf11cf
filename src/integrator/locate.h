/* Steps that locate their events (docs/theory/events.md): between events every contact keeps its state, and the scheme
 * is a smooth one of its full order; where a contact closes, opens, sticks or slips, the step is divided there. */
#ifndef CAROM_LOCATE_H
#define CAROM_LOCATE_H

#include "integrator/attempt.h"
#include "integrator/blow.h"
#include "integrator/event.h"
#include "integrator/event_change.h"
#include "integrator/fixed_scheme.h"
#include "integrator/jump.h"
#include "integrator/rates.h"
#include "integrator/scales.h"
#include "integrator/settle.h"
#include "integrator/trail.h"
#include "integrator/watch.h"

/* The options of schemes that can locate events. */
#define LOCATE_OPTIONS                                                                                                 \
    {"events", "capture | locate",                                                                                     \
     "capture: what happens within a step is taken at its end (order 1 across events); locate: the step is divided "   \
     "at "                                                                                                             \
     "impacts, lift-off, stick and slip, and keeps its order",                                                         \
     "capture"},                                                                                                       \
    {                                                                                                                  \
        "samples", "integer from 2 to 1000",                                                                           \
            "located events: looks per step at slips and forces, and at gaps of models that do not bound them",        \
            "4 per stage"                                                                                              \
    }

/* How closed contacts and joints are held. With whatever force it takes: their position functions at zero, or at the
 * present values, or their rates at zero. Or by forces that obey their laws, (V33). */
typedef enum hold_by { AT_ZERO, AS_THEY_ARE, BY_RATES, BY_LAWS } hold_by;

/* How far a step has come, and what it has cost. */
typedef struct locate_progress {
    double dt, tolerance;
    bool rests;             /* the trial step is short since slip in several directions comes to rest, (V10) */
    double follows;         /* the rate at which the end of the trial step moves with its start, (SE22) */
    double reach;           /* trial steps longer than this are not tried */
    hold_by hold;           /* in the present phase */
    bool young;             /* slip in several directions has begun lately, (V28) */
    bool lost;              /* a step to an event, or the rest of the step, even captured, finds no solution */
    bool unknown;           /* no accelerations tell the states after what was captured */
    bool futile;            /* all other ways have failed: only shorter steps may help */
    int happened, standing; /* events of the step, and of the present instant */
    double since;           /* when that began */
    int switched;           /* switches passed */
    double latest;          /* trial steps end no later */
    long work;              /* solutions and their iterations in the step, without those of the rates, */
    long vain;              /* and those that led to nothing */
    bool whole;             /* islands do not take the step on their own, or have tried to */
    bool parted;            /* they have taken it */
    bool straight;          /* the trial step has no nodes */
    int penalty, pause; /* steps that are captured after one of them came to nothing, and how many of them are left */
} locate_progress;

typedef struct locate_parts locate_parts; /* of models whose parts may move on their own (locate_parts.c) */

typedef struct locate {
    const carom_model *m;
    fixed_scheme scheme;
    rates rates;
    scales scales;
    blow blow;
    jumps jumps;
    phase at;        /* the present state within the step */
    attempt attempt; /* the trial step from there */
    phase lawful;    /* the end of a trial step by laws */
    watcher watcher;
    event_handler events;
    settler settler;
    locate_parts *parts; /* NULL: there are none */
    trail trail;         /* of a part */
    locate_progress now;
    double *c, *s, *argument; /* [nc], [ns], [switches] room */
    double *switched;         /* [switches] when each was passed last */
    double *mode;             /* [contacts] numbers in the memory of motions: at the start, then at the end */
    variation *varied;        /* derivatives that go along; NULL: none */
    variation first;          /* the same at the start of the step */
    event_change change;      /* of the events they meet */
    double *memory;
} locate;

/* Reads the options: whether events are located, and with how many samples by a scheme of s stages. Reports an error if
 * the model, or the published variant of the scheme, does not allow it. */
carom_status locate_options(const carom_run_def *run, const carom_model *model, int s, bool published, bool *located,
                            int *samples, carom_error *error);

/* memory: doubles of scheme memory in a motion, the modes not included. False: out of memory. */
bool locate_create(locate *l, const carom_model *model, fixed_scheme scheme, int samples, int memory);
void locate_destroy(locate *l);
void locate_forget(locate *l); /* forgets what is not in the memories of motions */

/* Doubles that states, senses of slip and how contacts are held take in the memory of a motion. */
int locate_modes(const carom_model *model);
/* Modes at the start. False: the model is not defined there, or has no accelerations, as the report says. */
bool locate_start(locate *l, motion *first, double *modes, step_report *report);
/* modes, next_modes: in the memories of now and next. */
bool locate_step(locate *l, const motion *now, const double *modes, motion *next, double *next_modes, double dt,
                 double tolerance, step_report *report);
/* Steps carry the variation along; NULL: none. False: out of memory. */
bool locate_vary(locate *l, variation *v);
/* Events of the step taken last. */
const event_log *locate_events(const locate *l);
/* Sides of the model's switches where it ended. */
const int *locate_sides(const locate *l);
/* Whether the model bounds its gaps, so that none can close unseen. */
bool locate_certifies(const locate *l);

#endif
