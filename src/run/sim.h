/* A simulation: a model, an integrator, and the state in one vector. */
#ifndef CAROM_SIM_H
#define CAROM_SIM_H

#include <assert.h>

#include "alive.h"
#include "integrator/event_log.h"
#include "integrator/integrator.h"
#include "model/definite.h"
#include "run/passage.h"

struct carom_sim {
    const carom_model *model;
    const carom_model *origin; /* the one it was created for */
    carom_model *own;          /* a fork of it, where it has parameters or inputs, with values of its own */
    double *parameter;         /* [2][parameters] of these, and room for those before */
    bool stale;                /* parameters have changed: the integrator is to be made anew */
    carom_run_def run;         /* with options of its own */
    carom_callback callback;   /* NULL: none */
    void *user;                /* handed to it */
    struct sensor *sensor;     /* what a program has asked for by name (sensor.c) */
    int sensors;
    double *row; /* [columns] room for them */
    const integrator *integrator;
    struct carom_integrator_def finding; /* it, where the model looks for contacts */
    void *self;                          /* of the integrator */
    double dt, tolerance;
    long total;
    size_t size, ledger, input; /* of a state; where its ledger and its inputs begin */
    double *now, *next, *other; /* states: counters, statistics, those of motion, ledger, inputs */
    double *P, *contact;        /* percussions summed, and states gathered, over the pieces of a step */
    double *dulled;             /* [contacts] 1: its rebound was lost in the present piece, (L4); else 0 */
    event_log log;              /* events of the last step */
    char **name;                /* of the columns */
    bool *of_step;              /* [columns] */
    int columns;
    double *c;                 /* position functions of a row */
    double *scale;             /* [2][slips] of the rows of friction, if the model has slip_scale */
    double *xi, *p, *M, *maps; /* its symmetries, momentum, mass matrix and momentum maps */
    double *observed, *anchors;
    definite *mass; /* M, while its definiteness is looked at (mass.c) */
    double *mass_values;
    double *gain;    /* [2][contacts], then [nu]: energy gained by contacts between two sides (created.c) */
    int *group;      /* [2][nu] velocities of connected bodies, at all times and in an impact */
    double *rest;    /* velocities that are zero */
    int *held;       /* [switches] room for their sides */
    double *sides;   /* [2][2 * ns] s and chi at the two sides of an instant, or before a kick */
    double G;        /* at the start */
    double *support; /* [2][supports][4] at instants, by turns */
    stability stability;
    bool continuous;   /* steps are divided where a contact would be passed */
    passages passages; /* room to look for such contacts */
    passage passed;    /* in the last step: the deepest ... */
    double passed_time;
    int passed_count;                /* ... of so many */
    struct latches *latches;         /* what lets go (latch.c); NULL: nothing does */
    struct sensitivity *sensitivity; /* derivatives that were asked for (sensitivity.c); NULL: none */
    char note[800];
    unsigned alive; /* ALIVE, until it is destroyed */
};

/* The head of a state. Statistics per stage follow: last, largest, sum of Newton iterations. */
enum {
    STATE_TIME,
    STATE_STEPS,
    STATE_ORIGIN, /* time is counted from here ... */
    STATE_FIRST,  /* ... which was reached with so many steps */
    STATE_RENEW,  /* 1: inputs have changed since the last step, and forces with them */
    STATE_DIVIDED,
    STATE_CAPTURED,
    STATE_REDUCED,
    STATE_DOUBTS,
    STATE_DOUBTED,
    STATE_DOUBT_TIME,
    STATE_SWITCHED,
    STATE_WEAKENED,
    STATE_LOST, /* fastest rebound of those */
    STATE_YIELDS,
    STATE_YIELDED, /* fastest of those */
    STATE_RESIDUAL,
    STATE_PASSED, /* contacts passed unseen; of the deepest: which, when, its gap */
    STATE_PASSED_CONTACT,
    STATE_PASSED_TIME,
    STATE_PASSED_GAP,
    STATE_NEWTON
};

motion sim_motion(const carom_sim *sim, double *state);

/* Copies of what a run def points to. */
carom_status sim_own_run(carom_sim *sim, const carom_run_def *run, carom_error *error);
/* The integrator, made for the present parameters. */
carom_status sim_make_integrator(carom_sim *sim, carom_error *error);
/* The initial state of the model. */
void sim_reset(carom_sim *sim);
/* What follows from (t, q, u) in sim->now; contacts: their states as well. */
carom_status sim_begin(carom_sim *sim, bool contacts, carom_error *error);
/* Whether a run may end there. */
carom_status sim_check_until(const carom_model *model, double dt, double until, carom_error *error);
/* How many steps it takes until the end. */
long sim_total(const carom_sim *sim);
/* What is due before a step because parameters or inputs have changed (live.c). */
carom_status sim_renew(carom_sim *sim, carom_error *error);
/* All parameters at once, as another simulation has them; on failure those before stay. */
carom_status sim_set_parameters(carom_sim *sim, const double *value, carom_error *error);
/* Where simulations share the context of their model, this one's values are set in it now. */
void sim_take_turn(carom_sim *sim);
bool sim_create_values(carom_sim *sim, const carom_model *model); /* false: out of memory */
void sim_destroy_values(carom_sim *sim);
carom_status sensors_copy(const carom_sim *from, carom_sim *to, carom_error *error);
void sensors_destroy(carom_sim *sim);

/* What the steps did to the energy (work.c), the last part of a state. */
enum { WORK_FORCES, WORK_CONSTRAINTS, WORK_IMPACTS, WORK_FRICTION, WORK_POWER, WORK_HELD, WORKS };
_Static_assert(WORK_POWER == (int)INSTANT_WORKS, "every work has its place at an instant");
typedef struct ledger {
    double *work;    /* [WORKS] sums over the run, and the power at the present state; WORK_HELD: (W9c) */
    double *loss;    /* [contacts][2] energy dissipated in the last step: all of it, friction's share */
    double *support; /* [supports][4] at the present state */
    double *created; /* [CREATED] by impacts, over the run (created.c) */
    double *latch;   /* [latches] when a joint broke; the pull that a contact bore in the last step */
    double *s, *chi; /* velocity functions there; chi of rheonomic models */
} ledger;
enum { CREATED_SUM, CREATED_MOST, CREATED_CONTACT, CREATED_TIME, CREATED_COUNT, CREATED };

size_t ledger_size(const carom_model *model);
static inline ledger ledger_in(const carom_sim *sim, double *state) {
    const carom_model_def *d = &sim->model->def;
    double *work = state + sim->ledger, *loss = work + WORKS, *support = loss + 2 * d->contacts,
           *created = support + 4 * d->supports, *latch = created + CREATED, *s = latch + d->latches;
    return (ledger){work, loss, support, created, latch, s, s + sim->model->ns};
}
/* False: the model is not defined there. */
bool work_start(const carom_sim *sim, double *state, const motion *first);
/* The step of length dt between two states, or again a part of the step whose parts so far led to from. Its instants in
 * the log start with the given one. */
bool work_add(const carom_sim *sim, double *from, double *to, const motion *start, const motion *end, double dt,
              bool again, int first);

/* Adds what the impact between two sides at t created, from sim->gain (created.c). */
bool created_create(carom_sim *sim); /* false: out of memory */
void created_destroy(carom_sim *sim);
void created_add(const carom_sim *sim, double t, double *created);

/* Whether a point that runs along an edge has jumped in the step between two states (support.c), with the reason. Its
 * instants in the log start with the given one. */
void support_start(const carom_sim *sim, const motion *first);
bool support_lost(const carom_sim *sim, double *from, double *to, const motion *end, int first, step_report *report);

/* Whether M is positive definite at a state, and at the instants of a step and its end (mass.c); if not, with the
 * reason. The step's instants in the log start with the given one. */
bool mass_holds(const carom_sim *sim, double t, const double *q, step_report *report);
bool mass_holds_to(const carom_sim *sim, const motion *end, int first, step_report *report);

/* Whether friction by formula passes zero between two states, at a contact that is closed (rub.c); with the reason. */
bool friction_vanishes(const carom_sim *sim, const motion *start, const motion *end, step_report *report);

/* Events that the integrator has located in its last step; NULL: it captures them. */
const event_log *sim_located(const carom_sim *sim);

/* Derivatives that go along with the steps (sensitivity.c). All do nothing where none were asked for. */
carom_status sensitivity_attach(carom_sim *sim, carom_error *error);  /* to an integrator that is new */
carom_status sensitivity_restart(carom_sim *sim, carom_error *error); /* of the initial state */
carom_status sensitivity_replace(carom_sim *sim, carom_error *error); /* of a state that is given now */
/* Parts of a step begin with the derivatives at its start, pieces of them with those so far. */
void sensitivity_begin_step(carom_sim *sim);
void sensitivity_end_step(carom_sim *sim);
void sensitivity_begin_piece(carom_sim *sim);
void sensitivity_undo_piece(carom_sim *sim);
void sensitivity_end_piece(carom_sim *sim, const motion *end, const step_report *report); /* not normalised yet */
int sensitivity_parameter(const carom_sim *sim, int derivative); /* of the model; -1: of the start */
void sensitivity_destroy(carom_sim *sim);
/* Before a step: whether what is traced begins anew from a checkpoint here (gradient.c). */
carom_status tracing_begin_step(carom_sim *sim, carom_error *error);
/* A step that tells nobody, as of a run that is repeated. */
carom_status sim_step_again(carom_sim *sim, carom_error *error);

/* The model's functions take the sides that an instant was left on, until released with NULL. */
void sim_hold(const carom_sim *sim, const double *side);

bool columns_create(carom_sim *sim); /* false: out of memory */
void columns_destroy(carom_sim *sim);

#endif
