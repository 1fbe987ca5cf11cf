/* Derivatives of a motion by parameters and by its start, which steps carry along (docs/theory/sensitivity.md).
 *
 * A column holds the rates of (t, q, u) along one direction: t is that of the instant, which moves at events. One more
 * column is for the time at which a part of a step ends, (SE6). */
#ifndef CAROM_VARIATION_H
#define CAROM_VARIATION_H

#include "integrator/integrator.h"
#include "solver/solver.h"

typedef struct variation {
    const carom_model *m;
    int columns;
    int *parameter;      /* [columns] of the model; -1: the column is one of the start */
    double *coefficient; /* [columns][contacts][3] derivatives of friction and restitutions */
    double *bound;       /* [columns][latches][3] derivatives of what latches bear: force, torque, impulse */
    double *t, *q, *u;   /* [columns + 1], [columns + 1][nq], [columns + 1][nu] */
    double *sense;       /* [columns + 1][slips] of the directions in which slip begins in the next part, (SE21) */
    int from;            /* 1: from above, -1: from below, (SE63); 0: the derivatives of both sides, which must agree */
    bool fresh;          /* nothing has been taken yet */
    bool lost;           /* there is no derivative since */
    double lost_at;
    char reason[256];
    char caveat[192]; /* the first thing that is left out, empty: nothing */
    /* what the derivative rests on, (SE10): the least, over the motion, with the time and the contact of each */
    carom_margins margins;
    double last_event; /* when the last event happened */
    double follows;    /* the rate at which the end of the part moves with its start, (SE22) */
    bool timed;        /* the last column goes along: the end of the part is an event, or may be one, (SE78) */
    bool given;        /* the last part ended at a given time, and the last column is how its end moves with it */
    double *instant;   /* [instants][columns] derivatives of the instants of the step that have events */
    int instants, room;
    double *rest;        /* [nq + nu] zeros */
    struct trace *trace; /* of the motion, for its adjoint; NULL: none is wanted */
    int traced;          /* entries of it so far */
    const int *side;     /* that the model's switches are held on; NULL: none */
    double *memory;
} variation;

bool variation_create(variation *v, const carom_model *model, int columns); /* false: out of memory */
void variation_destroy(variation *v);
/* Columns that go along, the last one among them where it is asked for. */
int variation_count(const variation *v);
/* Nothing has happened yet. */
void variation_begin(variation *v);
/* Values of a variation of the same size. */
void variation_copy(variation *to, const variation *from);

/* The time of an instant is that of the state now. False: out of memory. */
bool variation_keep_instant(variation *v);

/* The rate of the state along a column, of the last: where the time of its end changes. */
carom_place variation_column(const variation *v, int column);
/* The direction of a column, and its derivative of a contact's coefficient (0: friction, 1: restitution, 2: tangential
 * restitution); of the last column: at rest. */
carom_place variation_rate(const variation *v, int column);
/* The same over a step: the rates of its start and of its length. */
typedef struct span {
    int index; /* of the column */
    carom_place start;
    double dt;
} span;
span variation_span(const variation *v, int column);
const double *variation_sense(const variation *v, int column);
double variation_coefficient(const variation *v, int column, int contact, int which);

double variation_bound(const variation *v, int column, int latch, int which);

/* Rates of the model's functions where the state at changes at the given rate, and the parameter of the column. False:
 * they are not defined. */
bool variation_tangent(const variation *v, int column, const carom_place *at, const carom_place *rate,
                       const carom_tangent *wanted);

/* The radius of a friction law by the contact's friction, G (L - given); zero where that is kinetic, which is a number,
 * (L21), or follows the slip (rub_change.h). */
double radius_by_friction(const carom_model *model, int contact, const problem_law *l, const double *z);
/* Rates of the radii mu G (L - given) of all friction laws of a problem at fixed z. */
void variation_radius(const variation *v, int column, problem *p, const double *z, double *radius);

/* The end of the part is not given, but where a function is zero that changes by rate[columns + 1] along the columns,
 * the last by its time: (SE7). */
void variation_meet(variation *v, const double *rate);

/* There is no derivative from t on. */
void variation_lose(variation *v, double t, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Something is left out, of the size of the error of the scheme. */
void variation_leave_out(variation *v, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same where a problem has none; what: "the positions". */
void variation_lose_change(variation *v, double t, solver_change why, const char *what);
void variation_note(carom_margin *m, double value, double time, int contact);

/* The rate of a quaternion that is brought back to length one from p, (SE9); and so those of all columns. */
void normalised_rate(const double p[4], double rate[4]);
void variation_normalise(variation *v, const double *q);

#endif
