/* carom: nonsmooth mechanics. Bodies that strike, bounce, slide, stick and roll,
 * simulated by integrators that keep the structure of mechanics.
 *
 * Read top to bottom:
 *   1. status and errors     4. a scene: model and run in words
 *   2. a model               5. what there is: integrators and their options
 *   3. a simulation
 *
 * Beside it: carom/defs.h, typed definitions of mechanisms; carom/plugin.h, laws and integrators of a program's own;
 * carom/result.h, results that programs write (in the library carom-tools).
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
 * The equations of motion with positions q, velocities u and percussions P (docs/theory/mechanics.md):
 *
 *   q_dot = B(t,q) u + beta(t,q)                                                         (kinematics)
 *   M(t,q) du = h(t,q,u) dt + W(t,q) dP                                                   (balance)
 *   c(t,q) = (g, g_N)                        position functions: joints, then gaps
 *   s(t,q,u) = (g_dot, gamma, gN_dot, gamma_F) = W(t,q)^T u + chi(t,q)     velocity functions, one per percussion
 *   g = 0, gamma = 0;  g_N >= 0 with Newton's impact law;  friction in the ball of radius mu P_N
 *
 * P = (P_g, P_gamma, P_N, P_F) has the order of s. */

/* Compressed sparse rows. A matrix without a pattern (start == NULL) is full, stored by rows.
 * A zero matrix has start[] all zero. Values are always in the order of the pattern. */
typedef struct carom_pattern {
    int rows, cols;
    const int *start; /* rows + 1 */
    const int *index; /* start[rows] columns, ascending within a row */
} carom_pattern;

typedef struct carom_model_contact {
    const char *name;
    int slips;       /* components of the slip velocity: 0 (frictionless) .. 3 (Coulomb-Contensou) */
    double friction; /* mu >= 0 */
    double kinetic;  /* mu while it slides, below friction, which then counts while it sticks; 0: one mu for both */
    bool by_slip;    /* mu is that of carom_model_def.friction; the one above is mu at rest */
    /* Friction without a gap of its own, (L18). The percussions of the listed rows of s press it: of one row, that of
     * the gap of another contact; or of up to three rows of joints, by their length. loads = 0: its own gap presses.
     * With preload the list ends with one more row of joints, whose percussion is added to that length, (L25). */
    int loads, load[4];
    bool preload;
    double restitution;            /* e_N in [0,1] */
    double tangential_restitution; /* e_F in [0,1] */
    double rest;                   /* rebounds below this velocity do not happen; 0: 100 times the run's tolerance */
    const char *law;               /* of friction; NULL: "coulomb", of three slips "coulomb_contensou" */
    const char *impact;            /* law of impact; NULL: "newton" */
} carom_model_contact;

/* Something that lets go, (L22) and (L23): its input is 1 while it holds and 0 else, and the run switches it. The
 * model's functions do what the input says. */
typedef struct carom_latch {
    const char *name;         /* of the joint, or of the contact */
    int input;                /* of the model */
    int contact;              /* a contact that bears a pull, and holds again where it closes; -1: a joint */
    int row, forces, torques; /* a joint: its first row of s; so many are its force, so many after them its torque */
    double force, torque, impulse; /* what it bears, positive; infinite: anything. A contact has a finite force alone */
} carom_latch;

/* A unit quaternion at q, scalar first, turned by the angular velocity at u in its own frame: p_dot = p o (0, w)/2. */
typedef struct carom_rotation {
    int q, u; /* the first of four coordinates, the first of three velocities */
    /* Where the frame has an origin that moves: the first of its three coordinates and velocities in world axes. */
    bool placed;
    int origin_q, origin_u;
} carom_rotation;

/* A closed interval; unknown ends are infinite. */
typedef struct carom_range {
    double least, most;
} carom_range;

/* A switch: a function of the model jumps or has a kink where its argument a(t, q, u) changes sign, or passes an
 * integer. */
typedef enum carom_switch_kind {
    CAROM_SWITCH_SIGN, /* sides -1 for a < 0, +1 for a > 0 */
    CAROM_SWITCH_FLOOR /* sides n for n <= a < n + 1 */
} carom_switch_kind;
typedef struct carom_switch {
    carom_switch_kind kind;
    bool time_only; /* a depends on t alone */
} carom_switch;

/* A state, or the rate of one. */
typedef struct carom_place {
    double t;
    const double *q, *u;
} carom_place;
typedef enum carom_support { CAROM_ROUND_A_RIM, CAROM_ALONG_A_BEAM } carom_support;

/* Rates of the model's functions along a direction, in their own patterns; NULL: not wanted. */
typedef struct carom_tangent {
    double *q_dot, *M, *h, *p, *b, *c, *s, *WT, *zeta, *a, *T, *V, *observables, *anchors;
} carom_tangent;
/* What weights of these rates add up to, for every component of the state and every constant of the model. */
typedef struct carom_cotangent {
    double *t, *q, *u, *constants;
} carom_cotangent;

/* The table of functions behind a model. Every output pointer may be NULL: "not wanted now".
 * Every function returns 0, or anything else where it is not defined (the step then fails with a reason). */
typedef struct carom_model_def {
    int nq, nu;                                  /* positions, velocities */
    int ng;                                      /* bilateral constraints on position */
    int ngamma;                                  /* bilateral constraints on velocity */
    int contacts;                                /* unilateral contacts */
    const char *const *q_names, *const *u_names; /* NULL: q1.., q1_dot.. */
    const char *const *g_names, *const *gamma_names;
    const carom_model_contact *contact; /* [contacts] */
    const double *q0, *u0;              /* initial state */
    double t0;
    void *context;                  /* handed to every function */
    void (*destroy)(void *context); /* called by carom_model_destroy; may be NULL */

    /* q_dot; B = d(q_dot)/du; q_dot_q = d(q_dot)/dq.  NULL: q_dot = u. */
    int (*kinematics)(void *context, double t, const double *q, const double *u, double *q_dot, double *B,
                      double *q_dot_q);
    carom_pattern B, q_dot_q;
    /* Which coordinates are rotations, for schemes that take them as such. After every step the run brings their
     * quaternions back to length one. The functions of the model must not depend on that length. Optional. */
    int rotations;
    const carom_rotation *rotation;
    /* Anchors: coordinates that follow from the others and whose rates do not depend on them. One counts the full turns
     * of an angle (q_dot = 0), another tells where along a beam a contact is. After every step the run sets the anchors
     * to the values of this function. Energies and forces must not depend on anchors. Optional. */
    int anchors;
    const int *anchor_q; /* [anchors] */
    int (*anchor)(void *context, double t, const double *q, double *values);

    /* M, symmetric positive definite. */
    int (*mass)(void *context, double t, const double *q, double *M);
    /* d(M v)/dq for given v.  NULL: M does not depend on q. */
    int (*mass_q)(void *context, double t, const double *q, const double *v, double *Mv_q);
    carom_pattern M, Mv_q;

    /* h and its derivatives; all forces that are neither constraint nor contact forces, gyroscopic ones included. */
    int (*force)(void *context, double t, const double *q, const double *u, double *h, double *h_q, double *h_u);
    carom_pattern h_q, h_u;

    /* p = dL/du (so dp/du = M) and b = dL/dq + f, with p_dot = b + W lambda, for variational schemes. Optional:
     * without it and without mass_q, M counts as constant and p = M u, b = h. */
    int (*momentum)(void *context, double t, const double *q, const double *u, double *p, double *p_q, double *b,
                    double *b_q, double *b_u);
    carom_pattern p_q, b_q, b_u;

    /* c = (g, g_N) and dc/dq, (ng + contacts) rows. */
    int (*position)(void *context, double t, const double *q, double *c, double *c_q);
    carom_pattern c_q;

    /* s = (g_dot, gamma, gN_dot, gamma_F), WT = ds/du, ds/dq; ng + ngamma + contacts + sum of slips rows. */
    int (*velocity)(void *context, double t, const double *q, const double *u, double *s, double *WT, double *s_q);
    carom_pattern WT, s_q;
    /* zeta in s_dot = W^T u_dot + zeta: ds/dt + ds/dq q_dot. Optional: without it s is taken to be free of explicit
     * time. */
    int (*velocity_rate)(void *context, double t, const double *q, const double *u, double *zeta);
    bool rheonomic; /* chi is not zero: constraints or contacts move by themselves, and their work is recorded */

    /* d(W r)/dq for given r in the order of s. Optional; high-order schemes ask for it. */
    int (*direction_q)(void *context, double t, const double *q, const double *r, double *Wr_q);
    carom_pattern Wr_q;

    /* Displacements along the slips, functions of t and q whose rates are the slips while contacts touch, and dd/dq.
     * Only their differences count. Optional: published schemes may ask for them. */
    int (*displacement)(void *context, double t, const double *q, double *d, double *d_q);
    carom_pattern d_q;

    /* Friction with other coefficients than carom_model_contact.friction: scale[slips] at (t, q), none of them zero.
     * A row of gamma_F is the slip times its scale; its P_F is the percussion along the slip over the scale, (L14).
     * Runs record slips and percussions without the scale. Optional. */
    int (*slip_scale)(void *context, double t, const double *q, double *scale);

    /* Friction that depends on the slip speed, for contacts with by_slip: mu of a contact at (t, q), where its rows
     * gamma_F are a speed >= 0 times the unit vector along; its derivatives by these rows; and those by q, the row of
     * the contact in the pattern. A mu below 0 counts as 0. At rest mu must not depend on q. Optional. */
    int (*friction)(void *context, int contact, double t, const double *q, double speed, const double *along,
                    double *mu, double *mu_slip, double *mu_q);
    carom_pattern mu_q; /* [contacts][nq] */

    /* Restitution that depends on how fast contacts strike: e[contacts] for speeds -gN_dot^- >= 0. What is below 0
     * counts as 0, what is above 1 as 1. Optional: without it carom_model_contact.restitution counts, with it that is
     * the most that e may be. */
    int (*restitution)(void *context, const double *speed, double *e);
    bool sequential; /* contacts that strike at one instant do so one after the other, the fastest first; else together
                      */

    /* kinetic and potential energy. Optional. */
    int (*energy)(void *context, double t, const double *q, const double *u, double *T, double *V);
    /* dE/dt = power + dG/dt + lambda^T W^T u: the power of the forces that V does not account for, and of explicit time
     * in T and V. G = T_1 + 2 T_0 holds the terms of T linear in u and free of it: 0 unless the frame of T moves. Work
     * is recorded from both. Optional. */
    int (*power)(void *context, double t, const double *q, const double *u, double *power, double *G);
    /* Symmetries: xi[symmetries][nu], the velocities of one-parameter groups at (t, q). Their momentum maps xi^T p are
     * recorded under the names. Optional. */
    int symmetries;
    const char *const *symmetry_names;
    int (*symmetry)(void *context, double t, const double *q, double *xi);
    /* Observables: further quantities of the state, recorded under their names; NaN where the function does not write
     * a value. Optional. */
    int observables;
    const char *const *observable_names;
    int (*observe)(void *context, double t, const double *q, const double *u, double *values);
    /* Supports: where the point that touches runs along an edge of a body, as round the rim of a disk, the gap has a
     * kink wherever there is more than one such point (the disk lies flat); so it has where a beam is nearest to a post
     * in two places. For the rows of c listed, v[supports][4]
     * are a unit vector in space from the middle of the edge to the point, shorter where it is not unique, and a bound
     * on the rate (1/s) at which it turns and on the inverse of the time to the kink. A step in which the row acts and
     * the vector turns, or may turn, by more than 15 degrees fails. Optional. */
    int supports;
    const int *support_row;  /* [supports] */
    const int *support_kind; /* [supports] carom_support, for what is said then; NULL: rims */
    int (*support)(void *context, double t, const double *q, const double *u, double *v);

    /* Switches: the surfaces a_j(t, q, u) = 0 on which functions of the model jump or have kinks (observables, supports
     * and symmetries apart). switching gives the arguments a_j. After take_sides the functions of the model take
     * side[j] of switch j whatever its argument is, and so continue smoothly beyond the surface. NULL: the arguments
     * decide again. It counts for calls of the same thread, for one model at a time; side is borrowed. Optional. */
    int switches;
    const char *const *switch_names; /* "force on x: t < 0.3" */
    const carom_switch *switch_info; /* [switches] */
    int (*switching)(void *context, double t, const double *q, const double *u, double *a);
    void (*take_sides)(void *context, const int *side);

    /* Parameters: numbers that may change from run to run without making the model anew. Inputs: numbers that a program
     * sets between steps. Each simulation has its own values, and hands them to assign: the functions of the model use
     * them from then on. Where q0 is not NULL, assign also writes what follows from them: other parameters, the initial
     * state, the coefficients of contacts, which hold their values so far. Not 0: the values are refused. Optional. */
    int parameters, inputs;
    const char *const *parameter_names, *const *input_names;
    const double *parameter, *input;    /* values at first */
    const char *const *parameter_fixed; /* why one cannot change ("it is a number of bodies"), NULL: it can; optional */
    int (*assign)(void *context, double *parameter, const double *input, double *q0, double *u0,
                  carom_model_contact *contact);
    /* A context for one more simulation, freed by destroy; NULL: out of memory. Optional: without it simulations share
     * one context. They take turns in one thread, and each turn calls assign. */
    void *(*fork)(void *context);

    /* What lets go: joints that break, contacts that bear a pull. Slacks: the last coordinates, with the last
     * velocities as their rates, belong to no body; rows of joints hold them in place of what they let go. Not
     * recorded. Optional. */
    int latches, slacks;
    const carom_latch *latch; /* [latches] joints first */
    /* What they bear where it follows from parameters: writes force, torque and impulse of each, after assign.
     * Optional. */
    int (*bear)(void *context, carom_latch *latch);

    /* Derivatives for sensitivities: the rates of what is wanted where the state changes at the given rate, and the
     * parameter of this index at the rate 1 (-1: none changes). Sides that are held are taken. assign_tangent: the
     * derivatives of what assign writes by a parameter, coefficient[contacts][3] those of friction, restitution and
     * tangential restitution. Both are optional: sensitivities ask for the first, those by parameters for both. */
    int (*tangent)(void *context, int parameter, const carom_place *at, const carom_place *rate,
                   const carom_tangent *wanted);
    int (*assign_tangent)(void *context, int parameter, double *q0, double *u0, double *coefficient);
    /* The transpose of tangent, for gradients by the adjoint: adds to t[1], q[nq], u[nu] and constants[constants] what
     * the given weights of the functions (NULL: zero) come to, derivative by derivative. constants_by: the sum of
     * constants times their derivatives by a parameter; without it they are the parameters themselves. Optional:
     * without it tangent is asked for every direction. */
    int (*cotangent)(void *context, const carom_place *at, const carom_tangent *weight, const carom_cotangent *by);
    int constants;
    double (*constants_by)(void *context, int parameter, const double *constants);

    /* Bounds along a piece of a curve: for t, q and u and their rates (t[1] is that of t: [1, 1]) in the given ranges,
     * ranges that c = (g, g_N), its rate, the arguments of the switches and their rates do not leave. Ranges of rates
     * also bound differences: c(t2) - c(t1) lies in (t2 - t1) c_rate. Outward rounded, never NaN; [-inf, inf] where
     * nothing is known, as for the rate of what may jump. Sides that are held are taken. u and u_rate may be NULL if
     * the arguments of switches are not wanted, and q_rate and u_rate if no rates are. Optional. */
    int (*ranges)(void *context, const carom_range t[2], const carom_range *q, const carom_range *q_rate,
                  const carom_range *u, const carom_range *u_rate, carom_range *c, carom_range *c_rate, carom_range *a,
                  carom_range *a_rate);
} carom_model_def;

typedef struct carom_model carom_model;

CAROM_API carom_model_def carom_model_default(void);
/* Checks and copies the def (names, contacts, patterns, initial state); context is borrowed until destroy. */
CAROM_API CAROM_CHECK carom_status carom_model_create(const carom_model_def *def, carom_model **model,
                                                      carom_error *error);
CAROM_API void carom_model_destroy(carom_model *model);

CAROM_API const carom_model_def *carom_model_get(const carom_model *model);
/* Index of a coordinate or velocity by its name ("x", "disk.wz"); -1: there is none. */
CAROM_API int carom_model_coordinate(const carom_model *model, const char *name);
CAROM_API int carom_model_velocity(const carom_model *model, const char *name);
/* The same for parameters and inputs. */
CAROM_API int carom_model_parameter(const carom_model *model, const char *name);
CAROM_API int carom_model_input(const carom_model *model, const char *name);
CAROM_API int carom_model_slips(const carom_model *model); /* sum of slips over contacts */

/* A force of a program's own, called at every evaluation: f(t, q, u), on some velocities of a model. It is added to h
 * and to b, and its power u^T f to the work of the forces (docs/theory/mechanics.md, (W11)). It should be smooth: where
 * it jumps or has a kink, steps lose their order and may fail, since no run can look for that place. */
typedef struct carom_force_def {
    int count;
    const int *on; /* [count] velocities that it acts on, carom_model_velocity */
    /* Positions and velocities that it depends on; NULL: all of them. They tell which derivatives there are. */
    int of_q_count, of_u_count;
    const int *of_q, *of_u;
    void *context; /* handed to both functions; simulations in several threads call them at the same time */
    int (*force)(void *context, double t, const double *q, const double *u, double *f); /* f[count] */
    /* f_q[count][of_q_count], f_u[count][of_u_count]; either may be NULL: not wanted now. Optional: without it central
     * differences are taken, (W12), which cost two calls for each of of_q and of_u. */
    int (*derivative)(void *context, double t, const double *q, const double *u, double *f_q, double *f_u);
} carom_force_def;
/* One more model: the given one with this force. It borrows the given one, which must live longer, and the context.
 * It has no derivatives for sensitivities. */
CAROM_API CAROM_CHECK carom_status carom_model_with_force(const carom_model *model, const carom_force_def *force,
                                                          carom_model **forced, carom_error *error);

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
/* Steps that the scheme took with two stages, because Newton's method did not solve its own, over the run. */
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
    int kind, features[2]; /* 0 two vertices, 1 a vertex and an edge, 2 a vertex and a face, 3 two edges */
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
/* Switches of formulas (sign, abs, min, max, if, floor) that located steps have passed. */
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
/* One more simulation of the same model in the same state, with its parameters, inputs and callback. Both then go on
 * with the same bits. */
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
 * "cart.angular_velocity"; "wheel.force" of a contact (normal, then friction) or of a joint (its rows), the mean of the
 * last step; or any column, "E", "wheel.gap". Asked for once, read as often as you like: *count values (may be NULL).
 */
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
#endif
