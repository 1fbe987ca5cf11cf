/* The map of a period: where the motion is a period later, with its derivatives (docs/theory/sensitivity.md, (SE15)).
 *
 * The period is divided into shots of equal length, each with a start of its own. One simulation serves them all; the
 * parameter that may change is set in it. */
#ifndef CAROM_PERIOD_H
#define CAROM_PERIOD_H

#include <complex.h>

#include "derivative/objective.h"

/* A coordinate that advances from one period to the next. */
typedef struct orbit_advance {
    const char *name;
    const char *by; /* how far: a formula of parameters; NULL: by any amount, since nothing depends on the coordinate */
} orbit_advance;

typedef struct orbit_question {
    const carom_scene *scene;
    const char *period;          /* formula of parameters; NULL: the period is not known */
    const char *section;         /* formula that is zero at the start of a period; NULL: the period is known */
    const orbit_advance *modulo; /* [modulos] */
    int modulos;
    double after;          /* the motion is simulated for so long first */
    int shots;             /* parts of a period, each with a start of its own; 0: one */
    const char *parameter; /* that may change; NULL: none */
} orbit_question;

/* A candidate for a periodic motion. */
typedef struct orbit_point {
    double *x;    /* [shots][size] states (q, u) at the starts of the shots */
    double T;     /* the period */
    double value; /* of the parameter */
} orbit_point;

typedef struct orbit_event {
    double part; /* of the period, 0 to 1 */
    int contact;
    carom_event_kind kind;
    double speed; /* of approach, of strikes */
} orbit_event;

enum { FLOW_STEPS = 6 }; /* from which rates at an end are taken, at most */

/* What is known of one shot: vectors of length size, directions by rows. */
typedef struct shot {
    int free;            /* dimension of the space in which its start may move */
    double *B;           /* [free][size] its basis: orthonormal, with zeros for coordinates that advance freely */
    double *move;        /* [free][size] the same directions with those coordinates */
    double *E;           /* [free][size] the derivative of the end along them */
    double *end;         /* the state at the end */
    double *start_value; /* how the start moves with the parameter, */
    double *start_time;  /* and with its own time */
    double *by_value;    /* derivative of the end by the parameter */
    double *by_time;     /* by the time of the start */
    double *flow[2];     /* rates of the state at start and end, approximate: they only speed up Newton's method */
    bool is_smooth[2];   /* no event was near */
    double *gap;         /* end of this shot minus start of the next one */
    double *before[FLOW_STEPS], dt; /* states one, two, ... steps before the end */
    carom_contact_state *contact;   /* [contacts] at the start */
} shot;

/* How far a coordinate advances in a period, for the present value of the parameter. */
typedef struct measured_advance {
    int coordinate;
    objective *formula;
    double by, by_value; /* and its derivative by the parameter */
} measured_advance;

typedef struct period_map {
    orbit_question q;
    const carom_model *m;
    const carom_model_def *d;
    carom_sim *sim;
    objective *period, *section;
    int parameter;             /* of the model; -1: none */
    int size;                  /* nq + nu */
    int shots, repeats;        /* repeats: how often the period of the question is in that of the map */
    bool *drifts;              /* [size] coordinates that advance by any amount */
    measured_advance *advance; /* [advances] coordinates that advance by a formula */
    int advances;              /* in each of the repeats */
    double *pick;              /* [size][size] how the basis is combined from the directions that were tried */
    double start, phase;       /* t of the start: fixed, or where the period is known t0 + phase T */
    shot *shot;                /* [shots] */
    double T_by_value;         /* derivative of a known period by the parameter */
    double section_value, section_by_value, *section_by; /* at the start, [free of the first shot] */
    orbit_event *event;                                  /* of the period, in order */
    int events, room;
    carom_margins margins;
    double *most; /* [size] the largest sizes of the components along the motion */
    double *memory;
    carom_contact_state *contact;
} period_map;

carom_status period_create(period_map *p, const orbit_question *q, carom_error *error);
void period_destroy(period_map *p);
/* Divides the period anew. */
carom_status period_divide(period_map *p, int shots, int repeats, carom_error *error);

/* Memory for a point; free x. NULL: out of memory. */
double *period_states(const period_map *p);
double period_start(const period_map *p, double T, int index); /* time of the start of a shot */

/* Sets the parameter of the simulation and, where the period is a known formula, T. */
carom_status period_measure(period_map *p, orbit_point *x, carom_error *error);
/* Finds the states of the contacts at the starts of shots, from a point that satisfies joints and contacts already. */
carom_status period_meet(period_map *p, orbit_point *x, carom_error *error);
/* Moves the start of a shot to the nearest state that joints allow, with its contacts as they are, (SE31). */
carom_status period_settle(const period_map *p, orbit_point *x, int index, carom_error *error);
/* Settles the point, then follows all shots from it, with derivatives. CAROM_FAILED: there are none, and error says
 * why. */
carom_status period_follow(period_map *p, orbit_point *x, carom_error *error);
/* The largest component of all gaps between shots and of the section. */
double period_residual(const period_map *p, const orbit_point *x);
/* The end of a shot minus the start of the next one. */
void period_gap(const period_map *p, const orbit_point *x, int index, double *gap);
/* Where a shot ends a period, subtracts from the vector how far coordinates advance by formulas, or the derivative of
 * this by the parameter. */
void period_advance(const period_map *p, int index, bool by_value, double *from);
/* The rate of the end of a shot. */
const double *period_flow(const period_map *p, int index);
double period_slowest(const period_map *p); /* strike, by its speed; infinite: there is none */
/* The derivative of the state after a period by the state at its start: A[free][free] in the basis of the first
 * shot. */
carom_status period_monodromy(const period_map *p, double *A, carom_error *error);
/* Its eigenvalues, largest first; where the period is found, without the one along the motion. */
carom_status period_multipliers(const period_map *p, double complex *value, int *count, carom_error *error);

#endif
