/* A model from formulas: kinetic and potential energy, forces, constraints, gaps and slips as expressions; and elastic
 * elements whose energy is written in C.
 * docs/theory/formulas.md derives M, h, p, b and W from them (labels F1...). */
#ifndef CAROM_FORMULA_MODEL_H
#define CAROM_FORMULA_MODEL_H

#include "carom/carom.h"
#include "expr.h"
#include "model/elastic.h"

/* What a formula may not do ("the kinetic energy must be quadratic in the velocities") is reported with the part it is
 * about, so that the caller can add file, line and column. */
typedef enum formula_part {
    FORMULA_NONE,
    FORMULA_Q_DOT,
    FORMULA_KINETIC,
    FORMULA_POTENTIAL,
    FORMULA_DISSIPATION,
    FORMULA_FORCE,
    FORMULA_CONSTRAINT,
    FORMULA_VELOCITY_CONSTRAINT,
    FORMULA_GAP,
    FORMULA_SLIP,
    FORMULA_DISPLACEMENT,
    FORMULA_SYMMETRY, /* index: place in formula_def.symmetry */
    FORMULA_ELASTIC,
    FORMULA_OBSERVABLE,
    FORMULA_SUPPORT, /* index: place in formula_def.support */
    FORMULA_ANCHOR,
    FORMULA_PARTS
} formula_part;

/* A term of an energy, or of the force on a velocity, and the element of a scene that it belongs to. */
typedef struct formula_piece {
    formula_part part;
    int index; /* velocity, of a force */
    expr value;
    int element;
} formula_piece;

/* Friction by slip speed and place, (L26): a formula of t, q, the length of the rows of the slip, which is the symbol
 * 1 + nq + nu, and their unit direction, the symbols after it; and its derivatives by these rows. */
typedef struct formula_curve {
    int slips;
    expr mu, mu_slip[3];
} formula_curve;

/* Of a contact: friction, restitution, tangential_restitution, rest, kinetic. */
enum { COEFFICIENTS = 5 };

/* Symbols of the graph: t is 0, q_i is 1 + i, u_j is 1 + nq + j. Symbols above belong to formula_model_create. */
typedef struct formula_def {
    graph *g; /* borrowed while creating, extended */
    int nq, nu, ng, ngamma, contacts;
    const char *const *q_names, *const *u_names, *const *g_names, *const *gamma_names, *const *g_owners,
                                                                                           *const *gamma_owners;
    const carom_model_contact *contact;
    const double *q0, *u0;
    double t0;
    /* Of still symbols alone: the values of parameters and inputs, and what follows from them. */
    int parameters, inputs;
    const char *const *parameter_names, *const *input_names;
    const expr *parameter, *input; /* a still symbol, or a formula of some */
    const expr *start;             /* [nq + nu] q0, u0 */
    int demands;                   /* what must be positive, or the values are refused */
    const expr *coefficient;       /* [contacts][COEFFICIENTS]; [latches][LATCH_BOUNDS]; [demands] */
    const expr *q_dot;             /* [nq], affine in u; NULL: q_dot = u */
    int rotations;
    const carom_rotation *rotation; /* which of them are rotations */
    expr kinetic;                   /* T(t,q,u), at most quadratic in u */
    expr potential;                 /* V(t,q), or -1 */
    expr dissipation;               /* Rayleigh function R(t,q,u): force -dR/du; or -1 */
    const expr *force;              /* [nu] generalized forces conjugate to u; NULL: none */
    const expr *g_expr;             /* [ng] g(t,q) */
    const expr *gamma;              /* [ngamma] affine in u */
    const expr *gap;                /* [contacts] g_N(t,q) */
    const expr *slip;               /* [sum of slips] affine in u */
    const expr *displacement;       /* [sum of slips] of t and q; NULL: not known */
    const expr *slip_scale;         /* [sum of slips] of t and q, by which slips are multiplied already; NULL: 1 */
    /* Friction by the slip speed: different curves, and which of them a contact has, -1: none. */
    int curves;
    const formula_curve *curve; /* [curves] */
    const int *contact_curve;   /* [contacts] */
    const expr *restitution;    /* [contacts] of the symbols 1 + nq + nu + k, the speeds; NULL: constant */
    bool sequential;            /* impacts at one instant */
    int symmetries;
    const char *const *symmetry_names;
    const expr *symmetry; /* [symmetries][nu] xi(t,q) */
    int elastics;
    const elastic_element *elastic; /* [elastics], borrowed while creating; V is added to the potential */
    const expr *elastic_number;     /* the given data of all of them, of still symbols alone */
    int found_numbers;              /* of contacts that are found (model/found), which the model only keeps ... */
    const expr *found_number;       /* ... of still symbols alone */
    int observables;
    const char *const *observable_names;
    const expr *observable; /* [observables] of t, q and u */
    int anchors;
    const int *anchor_q; /* [anchors] coordinates that follow others, which do not depend on them ... */
    const expr *anchor;  /* ... and what they are after a step, of t and q */
    int latches, slacks;
    const carom_latch *latch; /* [latches] */
    int supports;
    const int *support_row, *support_kind; /* [supports] of c = (g, g_N); carom_support */
    const expr *support;                   /* [supports][4] of t, q and u */
    /* What comes from which element (body, joint, contact ...) of a scene: 1, 2, ..., or 0: from none. Elements that
     * say the same about other coordinates, with other numbers, are instances of one kind (kinds.h). */
    int elements; /* 0: there are none, and nothing of the following is given */
    int pieces;
    const formula_piece *piece;                                         /* all terms of energies and forces */
    const int *q_element, *g_element, *gamma_element, *contact_element; /* of q_dot, g, gamma, gap with slips */
    bool partial; /* the kinetic energy of a part of a model, to which others add */
} formula_def;

static inline bool formula_is_anchor(const formula_def *def, int coordinate) {
    for (int k = 0; k < def->anchors; k++)
        if (def->anchor_q[k] == coordinate) return true;
    return false;
}

carom_status formula_model_create(const formula_def *def, carom_model **model, formula_part *part, int *index,
                                  carom_error *error);

#endif
