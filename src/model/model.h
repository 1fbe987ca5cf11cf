/* The model as the inside of carom sees it: the public table of functions with sizes and offsets worked out. */
#ifndef CAROM_MODEL_H
#define CAROM_MODEL_H

#include "carom/carom.h"

#include "alive.h"

struct part_maker;

struct carom_model {
    carom_model_def def; /* owned copies; every pattern explicit, every name present */
    bool trivial;        /* q_dot = u */
    bool diagonal;       /* M has no entries off the diagonal */
    bool constant_mass;  /* M is known to be the same everywhere */
    bool stiff;          /* round-off in q makes forces that are noticed in a step */
    bool consistent;     /* the initial state is moved onto the constraints */
    /* Evaluates one row of c, or ranges of the row and its rate, at less cost than all rows. Reads only those
     * coordinates of q that are in the row of c_q. NULL: the model has no such functions. */
    int (*row)(void *context, int row, double t, const double *q, double *c);
    int (*row_range)(void *context, int row, const carom_range t[2], const carom_range *q, const carom_range *q_rate,
                     carom_range *c, carom_range *c_rate);
    /* For how long, at least, a closed contact stays where its gap is smooth, (CF41): 0 if it has left that place on
     * the way from other coordinates (NULL: it comes from nowhere). NULL: they are smooth everywhere. */
    double (*smooth)(void *context, int contact, const double *from, const double *q, const double *u);
    const carom_model *base;        /* of a model on top of another one that has parts of its own; NULL: of others */
    const struct part_maker *maker; /* which makes them (part.h) */
    /* [switches][2] the first coordinates of the two bodies that a switch depends on, -1: none. NULL: not known. */
    const int *switch_on;
    bool part; /* of another model (part.h) */
    /* Until it is told otherwise, the model need not bound other contacts and switches than these, [contacts] and
     * [switches], nor give the gaps and arguments of others; NULL: it does for all. NULL: it always does. */
    void (*ask)(void *context, const bool *contact, const bool *switched);
    int slips;                   /* of all contacts */
    int nc;                      /* rows of c = (g, g_N) */
    int ns;                      /* rows of s = (g_dot, gamma, gN_dot, gamma_F), and percussions */
    int gamma, N, F;             /* first row of gamma, gN_dot, gamma_F in s; g_dot starts at 0 */
    int *slip;                   /* [contacts + 1] first slip of each contact within gamma_F */
    int *rubs;                   /* [contacts + 1] contacts with slips before each */
    const struct finder *finder; /* contacts that are found (model/found); NULL: none. Borrowed */
    const double *(*found_numbers)(const void *context); /* memory for what changes in it; NULL: nothing does */
    const char *const *demand; /* sentences about what parameters must keep. If they do not keep demand i, assign
                                  returns MODEL_DEMANDS + i for the first such i. Borrowed */
    unsigned long assigned;    /* how often values of parameters and inputs were set */
    unsigned alive;            /* ALIVE, until it is destroyed */
};
enum { MODEL_DEMANDS = 2 };

static inline int pattern_nnz(const carom_pattern *p) {
    return p->start[p->rows];
}

/* A model with its own values of parameters and inputs and of what follows from them. It shares the rest with the given
 * one, which must live longer. NULL: out of memory. */
carom_model *model_fork(const carom_model *model);
void model_unfork(carom_model *fork);
/* Sets new values of a fork. Parameters that follow from others are written back. */
carom_status model_assign(carom_model *fork, double *parameter, const double *input, carom_error *error);
/* Sets the inputs alone, or sets again what another simulation changed in the same context. Allocates nothing. */
void model_assign_inputs(carom_model *fork, double *parameter, const double *input);
/* Whether simulations that use it share one context. */
bool model_shares_context(const carom_model *fork);

/* Latches: whether one is possible; copies with names of their own, false: out of memory; and the end of these. */
bool model_is_latch(const carom_model_def *d, const carom_latch *latch);
/* Force, torque and impulse that it bears; 0: anything. */
enum { LATCH_BOUNDS = 3 };
void latch_set_bounds(carom_latch *latch, const double bound[LATCH_BOUNDS]);
bool model_own_latches(carom_model_def *d);
void model_free_latches(carom_model_def *d);

/* Whether a definition is complete with coefficients in their ranges; the same for contacts alone. */
carom_status model_check_def(const carom_model_def *d, carom_error *error);
carom_status model_check_contacts(const carom_model_def *d, carom_error *error);
/* 1: stiff, 0: not, -1: out of memory. */
int model_measure_stiffness(const carom_model *model);

/* From now on the parameter cannot change, for this reason. */
carom_status model_fix_parameter(carom_model *model, int parameter, const char *why, carom_error *error);

/* Another initial state. */
void model_set_start(carom_model *model, const double *q0, const double *u0);

/* Scales the quaternions of rotations to length one (D7). */
void model_normalise(const carom_model *model, double *q);
/* Sets the anchors to their values at (t, q), with memory in values. Not 0: they are not defined there. */
int model_anchor(const carom_model *model, double t, double *q, double *values);
/* The same repeatedly, until the values stay: after large changes of other coordinates. */
int model_settle_anchors(const carom_model *model, double t, double *q, double *values);

/* q_dot, with the trivial kinematics filled in. */
int model_q_dot(const carom_model *model, double t, const double *q, const double *u, double *q_dot);

/* Is there a contact whose friction follows its slip: by the direction of several slips, or by the speed? */
bool model_slips_count(const carom_model *model);
/* Friction without a gap of its own, (L18)? */
static inline bool contact_follows(const carom_model *m, int contact) {
    return m->def.contact[contact].loads > 0;
}
/* The contact whose gap presses: itself, the one it follows, or -1: it follows joints, which always press. */
static inline int contact_pressed_by(const carom_model *m, int contact) {
    const carom_model_contact *c = &m->def.contact[contact];
    return c->loads == 0 ? contact : c->load[0] >= m->N ? c->load[0] - m->N : -1;
}
/* What presses it, of percussions or forces in the order of s. */
double contact_load(const carom_model *m, int contact, const double *P);
/* The rate of it for these rates of P; and its derivatives by P, times weight, added to by. */
double contact_load_rate(const carom_model *m, int contact, const double *P, const double *rate);
void contact_load_by(const carom_model *m, int contact, const double *P, double weight, double *by);
/* A contact that follows another one is open if that one is; otherwise it slips if it was open. */
void contacts_update_followers(const carom_model *m, double *state);

/* slip_scale of the model, 1 for slips that it does not know. */
int model_slip_scale(const carom_model *model, double t, const double *q, double *scale);
/* The slips of a contact in place of the rows gamma_F, and the percussions along them, (L14). n: how many components;
 * scale: those of the contact. */
static inline void slips_from_rows(int n, const double *scale, double *slip) {
    for (int i = 0; i < n; i++) slip[i] /= scale[i];
}
static inline void percussions_from_rows(int n, const double *scale, double *P) {
    for (int i = 0; i < n; i++) P[i] *= scale[i];
}

/* zeta in s_dot = W^T u_dot + zeta: the model's own, or ds/dq q_dot. s_q, q_dot: room for both. */
int model_velocity_rate(const carom_model *model, double t, const double *q, const double *u, double *s_q,
                        double *q_dot, double *zeta);

/* p and b with p_dot = b + W lambda, and their derivatives: the model's own, or p = M u and b = h where M is constant
 * (no functions momentum and mass_q). Patterns: def.p_q, b_q, b_u in both cases. M: room for a mass matrix. */
bool model_has_momentum(const carom_model *model);
int model_momentum(const carom_model *model, double t, const double *q, const double *u, double *M, double *p,
                   double *p_q, double *b, double *b_q, double *b_u);

/* The model's functions cotangent, friction_cotangent and restitution_cotangent, or its tangents along every direction,
 * one by one. Not 0: not defined there. constants: their number; and the sum of their weights times their derivatives
 * by a parameter, NaN: unknown. */
int model_cotangent(const carom_model *model, const carom_place *at, const carom_tangent *weight,
                    const carom_cotangent *by);
int model_friction_cotangent(const carom_model *model, int contact, const carom_place *at, double speed,
                             const double *along, double mu, const double *mu_slip, const carom_cotangent *by);
int model_restitution_cotangent(const carom_model *model, const double *speed, const double *e_weight,
                                double *speed_weight, double *constants);
int model_constants(const carom_model *model);
double model_constants_by(const carom_model *model, int parameter, const double *constants);

#endif
