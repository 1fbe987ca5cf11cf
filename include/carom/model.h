/* carom: models of a program's own functions. The equations of motion with positions q, velocities u and percussions P
 * (docs/theory/mechanics.md):
 *
 *   q_dot = B(t,q) u + beta(t,q)                                                         (kinematics)
 *   M(t,q) du = h(t,q,u) dt + W(t,q) dP                                                   (balance)
 *   c(t,q) = (g, g_N)                        position functions: joints, then gaps
 *   s(t,q,u) = (g_dot, gamma, gN_dot, gamma_F) = W(t,q)^T u + chi(t,q)     velocity functions, one per percussion
 *   g = 0, gamma = 0;  g_N >= 0 with Newton's impact law;  friction in the ball of radius mu P_N
 *
 * P = (P_g, P_gamma, P_N, P_F) has the order of s.
 *
 * A program fills the table carom_model_def, from carom_model_default(), and makes a model of it. What a scene makes is
 * such a table, too.
 * SPDX-License-Identifier: MIT */
#ifndef CAROM_MODELS_H
#define CAROM_MODELS_H

#include <carom/carom.h>

#ifdef __cplusplus
extern "C" {
#endif

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
    const char *const *g_owners, *const *gamma_owners; /* the joint of each row, NULL: of none; optional */
    const carom_model_contact *contact;                /* [contacts] */
    const double *q0, *u0;                             /* initial state */
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
    /* For sensitivities: the rates of mu and mu_slip where (t, q) changes at the given rate, and the parameter of this
     * index at the rate 1 (-1: none changes), while the slip stays; and the transpose, as cotangent is that of tangent.
     * Velocities of places are not read. Optional; the second is made from the first where it is missing. */
    int (*friction_tangent)(void *context, int parameter, int contact, const carom_place *at, const carom_place *rate,
                            double speed, const double *along, double *mu, double *mu_slip);
    int (*friction_cotangent)(void *context, int contact, const carom_place *at, double speed, const double *along,
                              double mu, const double *mu_slip, const carom_cotangent *by);

    /* Restitution that depends on how fast contacts strike: e[contacts], each for its own speed -gN_dot^- >= 0. What is
     * below 0 counts as 0, what is above 1 as 1. Optional: without it carom_model_contact.restitution counts, with it
     * that is the most that e may be. */
    int (*restitution)(void *context, const double *speed, double *e);
    /* For sensitivities: the rates of e where speeds change at the given rates, and the parameter of this index at the
     * rate 1 (-1: none changes), before e is brought to [0, 1]; and the transpose: weights of e become those that are
     * added for speeds and constants. Optional; the second is made from the first where it is missing. */
    int (*restitution_tangent)(void *context, int parameter, const double *speed, const double *speed_rate,
                               double *e_rate);
    int (*restitution_cotangent)(void *context, const double *speed, const double *e_weight, double *speed_weight,
                                 double *constants);
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
    /* Its derivatives by a parameter, bound[latches][3]: force, torque, impulse. Sensitivities ask for it where bear is
     * given. */
    int (*bear_tangent)(void *context, int parameter, double *bound);

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
     * ranges that the gaps, their rates, the arguments of the switches and their rates do not leave. c and c_rate have
     * all rows of c = (g, g_N); nobody asks for those of g, which may be left as they are. Ranges of rates also bound
     * differences: c(t2) - c(t1) lies in (t2 - t1) c_rate. Outward rounded, never NaN; [-inf, inf] where nothing is
     * known, as for the rate of what may jump. Sides that are held are taken. u and u_rate may be NULL if the arguments
     * of switches are not wanted, and q_rate and u_rate if no rates are. Optional. */
    int (*ranges)(void *context, const carom_range t[2], const carom_range *q, const carom_range *q_rate,
                  const carom_range *u, const carom_range *u_rate, carom_range *c, carom_range *c_rate, carom_range *a,
                  carom_range *a_rate);
} carom_model_def;

CAROM_API carom_model_def carom_model_default(void);
/* Checks and copies the def (names, contacts, patterns, initial state); context is borrowed until destroy. */
CAROM_API CAROM_CHECK carom_status carom_model_create(const carom_model_def *def, carom_model **model,
                                                      carom_error *error);
/* The table of a model, with names for all that had none. */
CAROM_API const carom_model_def *carom_model_get(const carom_model *model);

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

#ifdef __cplusplus
}
#endif
#endif
