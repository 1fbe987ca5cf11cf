/* carom: nonsmooth mechanics. Bodies that strike, bounce, slide, stick and roll,
 * simulated by integrators that keep the structure of mechanics.
 *
 * Read top to bottom:
 *   1. status and errors     4. a scene: model and run in words
 *   2. a model               5. what there is: integrators and their options
 *   3. a simulation
 *
 * With it comes carom/model.h, models of a program's own functions. Beside it: carom/defs.h, typed definitions of
 * mechanisms; carom/plugin.h, laws and integrators of a program's own; carom/result.h, results that programs write (in
 * the library carom-tools).
 *
 * Conventions. Every function that can fail returns a carom_status and fills a carom_error (which may be NULL).
 * The library never prints and never exits. Handles are opaque; def structs start from their default function.
 * Handles may be used from any thread, one thread at a time; different handles are independent.
 * SPDX-License-Identifier: MIT */
#ifndef CAROM_H
#define CAROM_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CAROM_API __attribute__((visibility("default")))
/* The status is what counts: compilers warn where it is ignored. */
#define CAROM_CHECK __attribute__((warn_unused_result))

#define CAROM_VERSION "0.1.0"
/* Version, and the git revision the library was built from ("unknown" outside a checkout). */
CAROM_API const char *carom_version(void);
CAROM_API const char *carom_revision(void);

/* ---------------------------------------------------------------- 1. status and errors */

typedef enum carom_status {
    CAROM_OK = 0,
    CAROM_FAILED = 1, /* a run that could not go on: no solution, NaN, disk full */
    CAROM_DATA = 2,   /* bad input: scene, arguments, files */
    CAROM_MEMORY = 3, /* out of memory */
    CAROM_STOPPED = 4 /* a callback has asked to stop */
} carom_status;

typedef struct carom_error {
    carom_status status;
    int line, column;  /* 1-based; 0 = no position */
    char file[256];    /* empty = no file */
    char message[768]; /* one sentence, with a suggestion where there is one */
} carom_error;

/* "file:line:column: message", or the message alone. Returns text. */
CAROM_API const char *carom_error_text(const carom_error *error, char *text, size_t size);

/* ---------------------------------------------------------------- 2. a model
 *
 * The equations of motion: those that a scene makes (4.), or those of a program's own functions (carom/model.h). */

typedef struct carom_model carom_model;

CAROM_API void carom_model_destroy(carom_model *model);

/* Index of a coordinate or velocity by its name ("x", "disk.wz"); -1: there is none. */
CAROM_API int carom_model_coordinate(const carom_model *model, const char *name);
CAROM_API int carom_model_velocity(const carom_model *model, const char *name);
/* The same for parameters and inputs. */
CAROM_API int carom_model_parameter(const carom_model *model, const char *name);
CAROM_API int carom_model_input(const carom_model *model, const char *name);
CAROM_API int carom_model_slips(const carom_model *model); /* sum of slips over contacts */

/* One finding of carom_model_check, worst first. */
typedef struct carom_finding {
    bool fatal;     /* true: a run cannot be trusted */
    double size;    /* how far off, in the units of the quantity */
    char text[256]; /* "dh/du[2][0] is 0.4, differences give 0.5" */
} carom_finding;

/* Compares every derivative with differences at and around the initial state, and checks the initial state: mass
 * matrix positive definite, constraints and their velocities satisfied, no penetration, closed contacts not
 * approaching. Returns the number of findings; at most max are written. */
CAROM_API int carom_model_check(const carom_model *model, carom_finding *findings, int max);

/* ---------------------------------------------------------------- 3. a simulation */

typedef struct carom_option {
    const char *name;
    const char *text; /* value as text; NULL: the number counts */
    double number;
} carom_option;

typedef struct carom_run_def {
    const char *integrator;      /* "rattle", "moreau", ...: carom_integrator_name */
    double dt;                   /* step size > 0 */
    double until;                /* end time; the last step is the first with t >= until */
    double tolerance;            /* largest error of a step, as a velocity (docs/theory/solver.md, (S11)) */
    const carom_option *options; /* the integrator's own */
    int option_count;
    bool continuous; /* divide steps that would pass a contact unseen (docs/guide/scene.md, detection) */
} carom_run_def;

typedef struct carom_sim carom_sim;

typedef enum carom_contact_state { CAROM_OPEN = 0, CAROM_SLIP = 1, CAROM_STICK = 2 } carom_contact_state;

CAROM_API carom_run_def carom_run_default(void);
/* The initial state is taken as it is; carom_model_check tells whether it is consistent. */
CAROM_API CAROM_CHECK carom_status carom_sim_create(const carom_model *model, const carom_run_def *run, carom_sim **sim,
                                                    carom_error *error);
CAROM_API void carom_sim_destroy(carom_sim *sim);
CAROM_API const carom_model *carom_sim_model(const carom_sim *sim); /* with its own values of parameters and inputs */

/* One step, or all until the end. On failure the state is that of the last accepted step and error says why. */
CAROM_API CAROM_CHECK carom_status carom_sim_step(carom_sim *sim, carom_error *error);
CAROM_API CAROM_CHECK carom_status carom_sim_run(carom_sim *sim, carom_error *error);
CAROM_API bool carom_sim_done(const carom_sim *sim);
CAROM_API long carom_sim_steps(const carom_sim *sim);       /* taken so far */
CAROM_API long carom_sim_total_steps(const carom_sim *sim); /* until the end */

/* The present state. These pointers stay: after every step they show the state that it has reached. */
CAROM_API double carom_sim_time(const carom_sim *sim);
CAROM_API const double *carom_sim_q(const carom_sim *sim);
CAROM_API const double *carom_sim_u(const carom_sim *sim);
CAROM_API const double *carom_sim_percussion(const carom_sim *sim); /* of the last step, order of s */
CAROM_API carom_contact_state carom_sim_contact(const carom_sim *sim, int contact);
CAROM_API double carom_sim_residual(const carom_sim *sim); /* of the last step */
CAROM_API long carom_sim_substeps(const carom_sim *sim);   /* steps that had to be divided, over the run */
/* With located events: steps in which some had to be captured, because they did not end or could not be followed. */
CAROM_API long carom_sim_captured(const carom_sim *sim);
/* Steps that the scheme took in a simpler form, because Newton's method did not solve its own, over the run: lobatto
 * with two stages, (B19), generalized_alpha with friction on velocity level alone, (A14). */
CAROM_API long carom_sim_reduced(const carom_sim *sim);
/* Impacts of contacts that did not rebound because the impact law had no solution (docs/theory/laws.md, (L4)), over the
 * run; *fastest (may be NULL): velocity of the fastest of these rebounds. */
CAROM_API long carom_sim_weakened(const carom_sim *sim, double *fastest);
/* Steps in which contacts of a body that is wedged in gave way a little, because their rows contradict each other (L5),
 * over the run; *fastest (may be NULL): the largest velocity by which they did. */
CAROM_API long carom_sim_yields(const carom_sim *sim, double *fastest);

/* What is known about the run before its first step and speaks against it, in one sentence: dt exceeds the limit of
 * stability at the initial state. NULL: nothing. */
CAROM_API const char *carom_sim_note(const carom_sim *sim);

/* What the integrator itself counts or knows about the run, for its summary: "impacts", "CFL number". The latter is dt
 * over the limit of stability at the initial state, where there is one. */
CAROM_API int carom_sim_figures(const carom_sim *sim);
CAROM_API const char *carom_sim_figure(const carom_sim *sim, int i, double *value);

/* Events that a run with located events met in its last step; runs that capture events tell thuds and fractures only,
 * at the end of the step. A thud follows the strike of its contact, if that is told, and has no percussion and no loss
 * of its own. */
typedef enum carom_event_kind {
    CAROM_STRIKE,  /* a gap closes: an impact */
    CAROM_OPENING, /* the normal force has fallen to zero */
    CAROM_STOP,    /* slip has come to rest: stick or reversed slip follows */
    CAROM_BREAK,   /* stick breaks into slip */
    CAROM_THUD,    /* an impact does not rebound, because the impact law has no solution (docs/theory/laws.md, (L4)) */
    CAROM_FRACTURE /* a joint breaks: its 'contact' is the number of contacts plus that of its latch */
} carom_event_kind;
enum { CAROM_EVENT_KINDS = 6 };
CAROM_API const char *carom_event_kind_name(carom_event_kind kind); /* "strike", "opening", ... */
typedef struct carom_event {
    double time;
    int instant; /* of the step, from 0: several contacts may strike at one */
    int contact;
    carom_event_kind kind;
    double gap_dot[2], slip[2][3]; /* before and after */
    carom_contact_state state[2];  /* before and after */
    double PN, PF[3];              /* percussion, of impacts */
    double loss;                   /* of kinetic energy */
    int bodies[2]; /* of a contact that is found, whose 'contact' is the number of contacts, plus that of latches, plus
                    * its entry: numbers as in carom_found; else -1 */
} carom_event;

/* Contacts that are found ('among' in a scene): those that touch, or did something in the last step. */
typedef struct carom_found {
    const char *contact, *first, *second; /* the entry of the scene; the bodies */
    int entry, bodies[2];                 /* their numbers, in the order in which the entries name them */
    int kind, features[2]; /* 0 two vertices, 1 a vertex and an edge, 2 a vertex and a face, 3 two edges, 4 the end and
                            the axis, 5 the axes of round shapes */
    carom_contact_state state;
    double gap, point[3], normal[3]; /* in the world; the normal points to the first body */
    double PN, P[3];                 /* percussion of the step on the first body, along the normal and as a vector */
} carom_found;
/* How many there are; at most max are written. Valid until the next step. */
CAROM_API int carom_sim_found(const carom_sim *sim, carom_found *contacts, int max);

/* Whether the joint of a latch (carom_model_def) has broken, and when. */
CAROM_API bool carom_sim_broken(const carom_sim *sim, int latch, double *time);

CAROM_API bool carom_sim_locates(const carom_sim *sim);    /* whether this run looks for events */
CAROM_API bool carom_sim_has_events(const carom_sim *sim); /* whether it may meet any, located or not */
CAROM_API const carom_event *carom_sim_events(const carom_sim *sim, int *count); /* valid until the next step */
/* What the 'contact' of an event is called: a contact, a joint that breaks, an entry of contacts that are found; and
 * how many numbers there are. */
CAROM_API const char *carom_sim_event_name(const carom_sim *sim, int contact);
CAROM_API int carom_sim_event_names(const carom_sim *sim);
/* Switches of formulas (sign, abs, min, max, if, floor), and borders between features of found contacts, that located
 * steps have passed. */
CAROM_API long carom_sim_switched(const carom_sim *sim);
/* certifies: the model bounds its gaps (ranges), so that no gap can close unseen. doubts: in how many parts of steps a
 * gap could still not be shown to stay open, with the first such contact and its time. */
CAROM_API bool carom_sim_certifies(const carom_sim *sim);
CAROM_API long carom_sim_doubts(const carom_sim *sim, int *contact, double *time);

/* Newton iterations: of stage k in the last step, and over the run. */
CAROM_API int carom_sim_stages(const carom_sim *sim);
CAROM_API int carom_sim_newton(const carom_sim *sim, int stage);
CAROM_API int carom_sim_newton_max(const carom_sim *sim, int stage);
CAROM_API double carom_sim_newton_mean(const carom_sim *sim, int stage);

/* Every quantity a run can record, under its stable name: "x", "x_dot", "wall.gap", "E" (docs/guide/results.md). */
CAROM_API int carom_sim_columns(const carom_sim *sim);
CAROM_API const char *carom_sim_column_name(const carom_sim *sim, int column);
/* [columns] values at the present state */
CAROM_API CAROM_CHECK carom_status carom_sim_row(carom_sim *sim, double *row, carom_error *error);
/* The same at an event of the last step, before (side 0) or after it (side 1). What belongs to a whole step is NaN. */
CAROM_API CAROM_CHECK carom_status carom_sim_event_row(carom_sim *sim, int event, int side, double *row,
                                                       carom_error *error);
CAROM_API bool carom_sim_column_of_step(const carom_sim *sim, int column); /* percussions, losses, iterations */

/* Steering. Every simulation has values of its own of the model's parameters and inputs, with indices by
 * carom_model_parameter and carom_model_input.
 *
 * A parameter that has changed counts from the next step on, or from the next restart; one on which the structure of
 * the model is built cannot change, and error says where. An input counts from the next step on. */
CAROM_API double carom_sim_parameter(const carom_sim *sim, int parameter);
CAROM_API CAROM_CHECK carom_status carom_sim_set_parameter(carom_sim *sim, int parameter, double value,
                                                           carom_error *error);
CAROM_API double carom_sim_input_value(const carom_sim *sim, int input);
CAROM_API void carom_sim_input(carom_sim *sim, int input, double value);
/* Back to the initial state, that of the present parameters; inputs stay. As if the simulation were new. */
CAROM_API CAROM_CHECK carom_status carom_sim_restart(carom_sim *sim, carom_error *error);
/* Another time, positions and velocities (NULL: as they are); the run goes on from there, until the same end. Nothing
 * changes if it cannot. */
CAROM_API CAROM_CHECK carom_status carom_sim_set_state(carom_sim *sim, double t, const double *q, const double *u,
                                                       carom_error *error);
/* The nearest state at the time t, in the metric of M, that fits the joints for the present parameters: q and u move.
 * Where states of contacts are given, [contacts], those that are not open become closed, and those that stick do not
 * slip. CAROM_FAILED: there is none nearby, and q and u are not to be used. The simulation stays where it is. */
CAROM_API CAROM_CHECK carom_status carom_sim_nearest(carom_sim *sim, double t, const carom_contact_state *contact,
                                                     double *q, double *u, carom_error *error);
/* Another end of the run. If it has been passed already, the run is done. */
CAROM_API CAROM_CHECK carom_status carom_sim_set_until(carom_sim *sim, double until, carom_error *error);
/* Steps of another size, from the present state on, or from the next restart. Saved states do not hold it. */
CAROM_API CAROM_CHECK carom_status carom_sim_set_dt(carom_sim *sim, double dt, carom_error *error);
/* One more simulation of the same model in the same state, with its parameters, inputs, sensors and callback. Both
 * then go on with the same bits. */
CAROM_API CAROM_CHECK carom_status carom_sim_copy(carom_sim *sim, carom_sim **copy, carom_error *error);

/* Sensitivities: derivatives of the motion by parameters ("mu") and by components of the initial state ("start.x",
 * "start.x_dot"), exact for the scheme, and carried along with every step (docs/theory/sensitivity.md). They are asked
 * for before the first step, of rattle or lobatto and models that have the function tangent. After carom_sim_set_state
 * the derivatives are those by the state that was set. */
CAROM_API CAROM_CHECK carom_status carom_sim_differentiate(carom_sim *sim, const char *const *by, int count,
                                                           carom_error *error);
/* The same from one side (1: from above, -1: from below): where both differ, or where only one is there. A gap that is
 * closed at the start can only open, and a run that starts at a strike can only start before it. 0: both must agree. */
CAROM_API CAROM_CHECK carom_status carom_sim_differentiate_from(carom_sim *sim, int side, const char *const *by,
                                                                int count, carom_error *error);
/* The same, and after those by name the derivatives along directions of the state that carom_sim_set_state gives:
 * [directions][1 + nq + nu] rates of (t, q, u). Each is replaced by the nearest one that joints, closed contacts and
 * contacts that stick allow; carom_sim_q_by and carom_sim_u_by before the first step tell which. A
 * derivative by a parameter begins with zero, but for what joints and contacts need. */
CAROM_API CAROM_CHECK carom_status carom_sim_differentiate_along(carom_sim *sim, const char *const *by, int count,
                                                                 const double *along, int directions,
                                                                 carom_error *error);
CAROM_API int carom_sim_derivatives(const carom_sim *sim); /* how many were asked for */
/* Derivatives of q and u at the end of the last step by the one of this index; quaternions along their sphere. */
CAROM_API const double *carom_sim_q_by(const carom_sim *sim, int derivative);
CAROM_API const double *carom_sim_u_by(const carom_sim *sim, int derivative);
/* Replaces the direction of a derivative by the start, between two steps. The new direction must be a combination of
 * such derivatives. Lyapunov exponents need this: their directions are made orthogonal again and again. */
CAROM_API void carom_sim_set_direction(carom_sim *sim, int derivative, const double *q_by, const double *u_by);
/* Those of all columns; NaN where there is none, as of percussions and counters. */
CAROM_API CAROM_CHECK carom_status carom_sim_row_by(carom_sim *sim, int derivative, double *row, carom_error *error);
/* The same where q and u change at the given rates, and the parameter of this index at the rate 1 (-1: none does). */
CAROM_API CAROM_CHECK carom_status carom_sim_row_along(carom_sim *sim, int parameter, const double *q_rate,
                                                       const double *u_rate, double *row, carom_error *error);
/* That of the time of an event of the last step. */
CAROM_API double carom_sim_event_by(const carom_sim *sim, int event, int derivative);
/* Why there are no derivatives any more, in one sentence: "contacts 'a' and 'b' strike at one instant, ...". NULL:
 * there are. */
CAROM_API const char *carom_sim_lost(const carom_sim *sim);
/* What the derivatives leave out, of the size of the error of the scheme, in one sentence. NULL: nothing is known. */
CAROM_API const char *carom_sim_caveat(const carom_sim *sim);
/* What the derivatives rest on, (SE10): the least so far, infinite where nothing has been met; contact -1: of none. */
typedef struct carom_margin {
    double least, time;
    int contact;
} carom_margin;
typedef struct carom_margins {
    carom_margin transversality; /* of events: 1 where all of the motion goes through the surface, 0 where it touches */
    carom_margin separation;     /* time between events */
    carom_margin friction;       /* of impacts: how far they are from a change between stick and slip, 0 to 1 */
} carom_margins;
CAROM_API carom_margins carom_sim_margins(const carom_sim *sim);

/* The gradient of one number by any count of parameters and components of the start, for the cost of about two runs
 * (docs/theory/sensitivity.md, the adjoint). It is asked for in place of carom_sim_differentiate, before the first
 * step; the run then keeps a trace of its steps, up to about so many bytes (0: 64 MB), and beyond that checkpoints,
 * from which steps are repeated once. */
CAROM_API CAROM_CHECK carom_status carom_sim_trace(carom_sim *sim, const char *const *by, int count, size_t memory,
                                                   carom_error *error);
CAROM_API bool carom_sim_traced(const carom_sim *sim);
/* The number is known by its derivatives: by q and u (NULL: none) after so many steps (carom_sim_steps), or, event >=
 * 0, by the time of this event of that step. */
typedef struct carom_weight {
    long step;
    int event;
    const double *q, *u;
    double t;
} carom_weight;
/* gradient[count], in the order in which it was asked for. The state stays, the events of the last step do not. */
CAROM_API CAROM_CHECK carom_status carom_sim_gradient(carom_sim *sim, const carom_weight *weights, int count,
                                                      double *gradient, carom_error *error);

/* Called before and after every step, and after it for each of its events in turn (event: its index, else -1). A
 * callback may look, set inputs and, before a step, parameters. If it returns false, the run stops with CAROM_STOPPED:
 * a step that was to begin is not taken, one that has ended stays. */
typedef enum carom_moment { CAROM_BEFORE_STEP, CAROM_AFTER_STEP, CAROM_AT_EVENT } carom_moment;
typedef bool (*carom_callback)(carom_sim *sim, carom_moment moment, int event, void *user);
CAROM_API void carom_sim_set_callback(carom_sim *sim, carom_callback callback, void *user);

/* Sensors. What an element does, by its name: "cart.position", "cart.velocity", "cart.rotation",
 * "cart.angular_velocity"; "wheel.force" of a contact (normal, then friction), of a joint (its rows) or of a
 * rolling (normal, then along its slips), the mean of the last step; or any column, "E", "wheel.gap". Asked for once,
 * read as often as you like: *count values (may be NULL). */
CAROM_API CAROM_CHECK carom_status carom_sim_sensor(carom_sim *sim, const char *name, int *sensor, int *count,
                                                    carom_error *error);
CAROM_API CAROM_CHECK carom_status carom_sim_sense(carom_sim *sim, int sensor, double *values, carom_error *error);

/* The complete mutable state, for checkpoints. A state that is saved while carom_sim_checkpoint is true (every
 * CAROM_CHECKPOINT steps) goes on with the same bits after loading. In between a solver may remember more than the
 * state; carom_sim_forget makes it forget that. Inputs and parameters are part of the state. Loading refuses another
 * value of a parameter that cannot change, and then changes nothing. */
enum { CAROM_CHECKPOINT = 32 };
CAROM_API void carom_sim_forget(carom_sim *sim);
CAROM_API bool carom_sim_checkpoint(const carom_sim *sim);
CAROM_API size_t carom_sim_state_size(const carom_sim *sim); /* doubles */
CAROM_API void carom_sim_save(const carom_sim *sim, double *state);
CAROM_API CAROM_CHECK carom_status carom_sim_load(carom_sim *sim, const double *state, carom_error *error);
CAROM_API unsigned long long carom_sim_hash(const carom_sim *sim); /* of the state, equal bits = equal hash */

/* ---------------------------------------------------------------- 4. a scene */

typedef struct carom_scene carom_scene;

/* Reads a scene file; overrides are "key=value" with dotted keys ("run.dt=1e-4", "parameters.mu=0.3"). */
CAROM_API CAROM_CHECK carom_status carom_scene_load(const char *path, const char *const *overrides, int override_count,
                                                    carom_scene **scene, carom_error *error);
/* The same from size bytes of text, without 'extends'; name stands for the file in errors. */
CAROM_API CAROM_CHECK carom_status carom_scene_parse(const char *text, size_t size, const char *name,
                                                     const char *const *overrides, int override_count,
                                                     carom_scene **scene, carom_error *error);
/* A scene that a program puts together, entry by entry, in the words of a scene file:
 *   carom_sketch_add(sketch, "model.bodies.ball%d={type: point, mass: %.17g, start: [%.17g, 1]}", i, m, x);
 * Later entries of the same key replace earlier ones, maps are merged. Only carom_sketch_scene fails, with the first
 * entry that is wrong. Numbers need the decimal point of the C locale. carom/defs.h adds typed definitions to a sketch.
 */
typedef struct carom_sketch carom_sketch;
CAROM_API carom_sketch *carom_sketch_create(const char *name); /* stands for the file in errors; NULL: out of memory */
CAROM_API void carom_sketch_add(carom_sketch *sketch, const char *format, ...) __attribute__((format(printf, 2, 3)));
CAROM_API CAROM_CHECK carom_status carom_sketch_scene(const carom_sketch *sketch, carom_scene **scene,
                                                      carom_error *error);
CAROM_API void carom_sketch_destroy(carom_sketch *sketch);

CAROM_API void carom_scene_destroy(carom_scene *scene);
CAROM_API const carom_model *carom_scene_model(const carom_scene *scene);
CAROM_API const carom_run_def *carom_scene_run(const carom_scene *scene);
CAROM_API const char *carom_scene_title(const carom_scene *scene);
/* The effective scene as YAML text: extends and overrides resolved, loads to the same model and run. */
CAROM_API const char *carom_scene_text(const carom_scene *scene);
CAROM_API int carom_scene_every(const carom_scene *scene);   /* record every n-th step */
CAROM_API int carom_scene_records(const carom_scene *scene); /* names or patterns to record; 0: everything */
CAROM_API const char *carom_scene_record(const carom_scene *scene, int i);
CAROM_API int carom_scene_plots(const carom_scene *scene); /* default panels for carom plot */
CAROM_API const char *carom_scene_plot(const carom_scene *scene, int i);
/* Unit of a recorded quantity ("m", "rad/s"), or "" where unknown. */
CAROM_API const char *carom_scene_unit(const carom_scene *scene, const char *quantity);
CAROM_API int carom_scene_parameters(const carom_scene *scene);
CAROM_API const char *carom_scene_parameter(const carom_scene *scene, int i, double *value);

/* ---------------------------------------------------------------- 5. what there is */

typedef struct carom_option_info {
    const char *name, *values, *meaning; /* values: "number > 0", "second_order | published" */
    const char *fallback;                /* default, as text */
} carom_option_info;

/* What an integrator promises with its default options: the conformance tests hold every integrator to it. Orders are
 * those of q at the nodes; u as stated. Order 0: no promise. */
typedef struct carom_promise {
    int order;          /* without constraints and contacts */
    int velocity_order; /* of u at the same instants, likewise */
    int joint_order;    /* with constraints on position */
    int rolling_order;  /* with constraints on velocity, and contacts that stick */
    int sliding_order;  /* while contacts slide, in a direction that may turn */
    int event_order;    /* across impacts and stick-slip transitions */
    bool positions;     /* g = 0 and g_N >= 0 at the end of every step, to the tolerance */
    bool velocities;    /* g_dot = 0 and gamma = 0 at the end of every step, to the tolerance */
    bool symmetric;     /* a step is undone by a step with -dt, while no contact changes its state; with constraints and
                         * contacts only where positions are kept */
    bool momentum;      /* keeps linear and angular momentum, for constant M and q_dot = u */
    bool any_momentum;  /* keeps the momentum maps of all symmetries that act affinely on q, M(q) included */
    bool energy;        /* energy error bounded over long times, for conservative systems without contacts; with joints
                         * only where positions are kept */
    bool impact_energy; /* elastic impacts without friction keep T + V, to round-off */
    bool invariants;    /* keeps quadratic invariants of the kinematics (unit quaternions) */
} carom_promise;

typedef struct carom_integrator_info {
    const char *name, *title;
    const char *order;     /* "2 while no contact changes, 1 across events" */
    const char *conserves; /* what it keeps exactly */
    const char *needs;     /* what it asks of the model */
    const char *stability; /* how long its steps may be */
    const char *reference; /* the paper */
    carom_promise promise;
    const carom_option_info *options;
    int option_count;
} carom_integrator_info;

CAROM_API int carom_integrators(void);
CAROM_API const carom_integrator_info *carom_integrator(int i);

/* What a law says about the energy of an impact at rest, T^+ - T^-. */
typedef enum carom_law_energy {
    CAROM_ENERGY_NEVER_GROWS, /* whatever masses, contacts and friction are */
    CAROM_ENERGY_MAY_GROW     /* with friction, or where contacts of different restitution strike together */
} carom_law_energy;

typedef struct carom_law_info {
    const char *name, *title, *set, *reference;
    carom_law_energy energy;
    const char *energy_text; /* how much it may grow at most, or why it never does */
    bool impact;             /* a law of impact; else of joints, contacts and friction, with a set */
} carom_law_info;

CAROM_API int carom_laws(void);
CAROM_API const carom_law_info *carom_law(int i);

#ifdef __cplusplus
}
#endif

#include <carom/model.h>
#endif
