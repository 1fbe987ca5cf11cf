/* A model in the making: names first, then the bodies, then what acts on them, in lists that become a formula model.
 *
 * Elements are read in steps, since names are known before their values: list (counts coordinates), declare (names and
 * initial states), add (energies, forces, rows). build_names.c takes the first two, build_model.c the third. */
#ifndef CAROM_DRAFT_H
#define CAROM_DRAFT_H

#include "drawing.h"
#include "model/element/body.h"
#include "model/element/form.h"
#include "model/formula/formula_model.h"
#include "model/model.h"
#include "scene.h"

/* The formulas of one part of the model, with the place where each was written. */
typedef struct formulas {
    int count, room;
    const char **names, **owners; /* owners: the joint or rolling that each belongs to, NULL: to none */
    expr *at;
    const node **where;
    int *element; /* what each comes from (formula_def.elements) */
} formulas;

/* A part of the energies or forces, to find out which of them is not finite. */
typedef struct effect {
    expr value;
    bool energy; /* whose derivatives act; otherwise a component of a force */
    const node *where;
} effect;

/* A body or a frame of the scene. Number 0 is the world. */
typedef struct member {
    body body;
    int q, u;    /* first coordinate and velocity in the model */
    int element; /* of formula_def.elements, which gives its energies */
    bool node;   /* of a beam, which gives it mass and place */
    const char *name;
    element from; /* what it was read from */
    pose frame;   /* what its local coordinates refer to */
    expr turn;    /* the angle of that about the third axis of the world, where it turns about no other; or -1 */
    double r[3], A[3][3]; /* the same at the start */
    vec center;           /* the centre of mass in that frame */
    int shapes, holes;
    form *form;   /* [shapes + holes] in that frame; holes, which are taken away from the mass, come last */
    bool drawn;   /* as part of something else */
    bool carries; /* solids of contacts that are found, as body `carrier` of the finder */
    int carrier;
} member;

typedef struct members {
    int count, room;
    member *at;
} members;

/* The row of a support (carom_model_def): a constraint or a gap, and its number among them. */
typedef struct support_of {
    formula_part part;
    int number;
    carom_support kind;
} support_of;

typedef struct draft {
    carom_scene *scene;
    names *n;
    const node *model;
    /* coordinates and velocities: first those by formulas, then those of bodies */
    int nq, nu;
    int own; /* velocities that are x_dot of a coordinate; the declared ones follow */
    const char **q_names, **u_names;
    double *start;                  /* [1 + nq + nu] t, q, u at the start: values of the symbols */
    double *q0, *u0;                /* in it */
    expr *start_of;                 /* [1 + nq + nu] the same as formulas of parameters; -1: they are numbers */
    expr *beginning;                /* [1 + nq + nu] the same, all as expressions, for draft_start_value */
    int first_u;                    /* symbol of the first velocity */
    symbol **rate;                  /* [nq] x_dot: a velocity of its own or, by kinematics, a formula */
    const symbol **input, **signal; /* inputs that a program sets, and formulas of time */
    int inputs, signals, input_room;
    /* read already, added to the model later */
    members members;
    table member_names;
    struct beam_list *beams;
    struct bars *bars;
    struct spring *spring;
    struct joint_entry *joints;
    struct alongs *alongs;                     /* contacts of beams along their length */
    int springs, joint_count, anchors, slacks; /* slacks: coordinates of no body, the last ones */
    /* what becomes the model */
    formulas of[FORMULA_PARTS];   /* by formula_part; an energy has at most one, forces have one for each velocity */
    carom_rotation *rotation;     /* of spatial bodies */
    carom_model_contact *contact; /* [gaps] */
    expr (*coefficient)[COEFFICIENTS]; /* [gaps] */
    expr *scale;              /* [slips] by which they are multiplied for friction that is no number, if scaled */
    bool scaled;              /* any of them */
    expr *restitution;        /* [gaps] the same as a formula of the speed of the impact, if by_speed */
    bool by_speed;            /* of any contact */
    formula_curve *curve;     /* [curves] different formulas of friction by the slip speed */
    int *contact_curve;       /* [gaps] index of the curve of each contact; -1: none */
    bool sequential;          /* impacts at one instant */
    int *anchor;              /* [anchors] coordinates that follow others, by of[FORMULA_ANCHOR] */
    elastic_element *elastic; /* of beams */
    expr *elastic_number;     /* [elastic_numbers] their given data */
    expr *found_number;       /* [found_numbers] of contacts that are found */
    support_of *support;      /* [supports] which are of[FORMULA_SUPPORT], four each */
    int rotations, contact_room, coefficient_room, restitution_room, scale_room, curves, curve_room, contact_curve_room,
        elastics, elastic_room, elastic_numbers, elastic_number_room, found_numbers, found_number_room, supports,
        support_room;
    carom_latch *latch;          /* [latches] what lets go */
    expr (*bound)[LATCH_BOUNDS]; /* [latches] */
    int latches, latch_room, bound_room;
    effect *effect;
    int effects, effect_room;
    expr *demand; /* [demands] that must be positive */
    const char **demand_text;
    int demands, demand_room, demand_text_room;
    int elements, element; /* number of elements; the element to which additions belong, 0: none */
    formula_piece *piece;  /* terms of energies and forces */
    int pieces, piece_room;
    table labels;   /* names of constraints, contacts, joints: everything rows are named after */
    table recorded; /* names of momentum maps and observables */
    drawing_parts drawn;
} draft;

/* Parameters, coordinates, velocities and definitions; settles them all (build_names.c). */
carom_status draft_names(draft *d);

/* ---- lists (draft.c) */

/* What is added from now on belongs to a new element, and then to none. */
void draft_begin_element(draft *d);
void draft_end_element(draft *d);
/* Room for count formulas; appends one, of no joint or of its owner; adds to an energy (FORMULA_KINETIC,
 * FORMULA_POTENTIAL, FORMULA_DISSIPATION). */
carom_status draft_reserve(draft *d, formula_part part, int count);
carom_status draft_append(draft *d, formula_part part, const char *name, expr value, const node *where);
carom_status draft_append_owned(draft *d, formula_part part, const char *owner, const char *name, expr value,
                                const node *where);
carom_status draft_energy(draft *d, formula_part part, expr value, const node *where);
carom_status draft_elastic(draft *d, elastic_element e, const expr *given, const node *where);
/* The vector and the rate of a support. */
carom_status draft_support(draft *d, support_of of, const char *name, vec v, expr turning, const node *where);
/* The force formula of velocity j; adds a force F at the point x of a member, and a torque on it, all in the world. */
carom_status draft_force(draft *d, int j, expr value, const node *where);
carom_status draft_push(draft *d, int member, vec x, vec F, const node *where);
carom_status draft_twist(draft *d, int member, vec torque, const node *where);
/* The place where the first energy or force was written that, at the initial state, is not finite or has derivatives
 * that are not; NULL: unknown. */
const node *draft_infinite(draft *d);
/* A new name of a constraint, contact, joint, ... */
carom_status draft_label(draft *d, const char *name, const node *key);
/* NAME.what of an element, for all formulas. */
carom_status draft_define(draft *d, const element *e, const char *what, expr value, const char *unit);
/* The initial value of a coordinate or velocity, by the number of its symbol. */
void draft_set_start(draft *d, int place, expr value);
/* Value at the initial state: as it is now, for a check; and as an expression of parameters. */
carom_status draft_start_look(draft *d, expr e, double *value);
carom_status draft_start_value(draft *d, expr e, expr *value);

/* ---- what parameters must keep (build_parameters.c). Each is checked now, and again whenever a simulation changes
 * one. */

/* what: "the radius" */
carom_status draft_positive(draft *d, expr value, const node *where, const char *what);
carom_status draft_not_negative(draft *d, expr value, const node *where, const char *what);
/* Demands that a value stay positive, with a sentence for the case that it does not; and the same for a value known to
 * be positive now. */
carom_status draft_require(draft *d, expr value, const node *where, const char *sentence);
/* Demands that an expression stay positive, which keeps a value in its range; the complaint tells the value at the
 * start. */
carom_status draft_within(draft *d, expr value, expr keeps, const node *where, const char *sentence);
carom_status draft_demand(draft *d, expr value, const node *where, const char *sentence);
/* The unit vector along x, which must not be zero. */
carom_status draft_direction(draft *d, const node *where, const char *key, vec x, vec *n);

/* ---- bodies and frames (build_bodies.c) */

/* Announces a member: its coordinates are numbered in the order of these calls. */
carom_status draft_member(draft *d, const char *name, body_kind kind, int axes, const element *from, member **added);
/* The nodes NAME1, NAME2, ... of the 'elements', of which there are count. what: "beam". */
carom_status draft_list_nodes(draft *d, const element *e, const char *what, body_kind kind, int axes, int *first,
                              int *count);
/* Lists the bodies and frames under 'bodies' and 'frames' (and so counts their coordinates) ... */
carom_status draft_list_bodies(draft *d);
/* ... gives them symbols and initial states, nq and nu being known ... */
carom_status draft_declare_bodies(draft *d);
/* ... places frames that move, definitions being declared ... */
carom_status draft_place_members(draft *d);
/* ... and adds energies and gravity. */
carom_status draft_add_bodies(draft *d);
/* The place and axes of the member at the start, as expressions of parameters. */
carom_status draft_start_pose(draft *d, const member *m, vec *r, mat *A);
/* A place in the world at the start, in the coordinates of the member. */
carom_status draft_place(draft *d, const member *m, vec x, vec *local);

/* ---- beams and bars (build_beams.c, build_bars.c): the same three steps, taken within those of the bodies */

carom_status draft_list_beams(draft *d);
carom_status draft_declare_beams(draft *d);
carom_status draft_add_beams(draft *d);
carom_status draft_list_bars(draft *d);
carom_status draft_declare_bars(draft *d);
carom_status draft_add_bars(draft *d); /* and joins */

/* Chains as the bodies and joints that they are made of, names of parameters being known (build_chains.c). */
carom_status draft_expand_chains(draft *d);

/* ---- springs and loads (build_forces.c) */

carom_status draft_declare_springs(draft *d); /* NAME.length and NAME.rate */
carom_status draft_add_springs(draft *d);
carom_status draft_add_loads(draft *d);

/* ---- joints (build_joints.c; read_joint.c reads one) */

/* Lists the joints, members being listed, and the coordinates that count the turns of angles ... */
carom_status draft_list_joints(draft *d);
/* ... places them and declares what they leave free ("hinge.angle"), members being placed ... */
carom_status draft_declare_joints(draft *d);
/* ... and adds rows, drives, springs and limits, all names being settled. */
carom_status draft_add_joints(draft *d);

/* ---- contacts of beams along their length (build_along.c): each has a coordinate, where on the beam it is */

/* Lists them, members being listed, before the joints ... */
carom_status draft_list_alongs(draft *d);
/* ... and places them, members being placed: NAME.s, its rate, and what it is after a step. */
carom_status draft_declare_alongs(draft *d);

/* ---- what lets go (build_latches.c) */

struct joint_entry;
/* Slack coordinates of a joint, counted; and their names, nq and nu being known. */
void draft_list_slacks(draft *d, struct joint_entry *j);
carom_status draft_declare_slacks(draft *d);
/* A joint with the key 'breaks': its rows, from the first on, of which so many are forces, are there. */
carom_status draft_break(draft *d, const struct joint_entry *j, int first, int forces);
/* A joint with 'preload': one more load of its friction. */
carom_status draft_preload(draft *d, const struct joint_entry *j, carom_model_contact *friction);
struct contact_entry;
/* A contact with 'adhesion': its number and its gap. */
carom_status draft_cling(draft *d, const struct contact_entry *entry, int contact, expr gap, const node *where);

/* ---- symmetries of whole mechanisms (build_symmetry.c) */

/* {translate: [...], rotate: [...], about: [...]} ... */
bool draft_is_rigid_motion(const draft *d, const node *map);
/* ... gives the velocities xi[nu] with which every body is carried along. */
carom_status draft_rigid_motion(draft *d, const element *e, expr *xi);

/* ---- contacts (build_model.c) and those between bodies (build_pairs.c) */

/* What a contact is, and its coefficients as formulas of parameters. */
typedef struct contact_entry {
    carom_model_contact def;
    expr coefficient[COEFFICIENTS];
    bool by_speed; /* restitution is a formula of the speed, with the symbol that draft_speed_symbol gives */
    expr restitution;
    bool by_slip; /* friction is a formula of the slip speed, with the same symbol, of time and place */
    expr curve;   /* over what scales and coefficient are at rest */
    int scales;   /* friction by formulas: one for all slips, or one for each; 0: it is a number */
    expr scale[3];
    const node *friction; /* where they are */
    bool adheres;         /* it bears a pull, (L23) ... */
    expr adhesion;        /* ... of this size */
} contact_entry;
int draft_speed_symbol(const draft *d);
/* A coefficient by a formula of time and place, by which slips are multiplied, (L15); positive at the start. what:
 * "friction" */
carom_status draft_scale(draft *d, const element *e, const char *what, const node *text, expr *scale);
/* The length of rolling resistance, (L19): its scale, and curve. */
carom_status draft_rolling(draft *d, const element *e, contact_entry *contact);
/* Friction without a gap, (L18), under its own name, with the slips and scale of the entry. Its def has loads and load;
 * loads = GAP_LOADS: load[0] is the number of a contact. */
enum { GAP_LOADS = -1 };
carom_status draft_follower(draft *d, const contact_entry *entry, const expr *slip, const node *where, const node *key,
                            const char *unit);
/* A contact with its gap and slips and the places where they were written (slip_where NULL: that of the gap); its name
 * is declared at key, its unit is "m" where NULL. */
carom_status draft_contact(draft *d, const contact_entry *contact, expr gap, const node *gap_where, const expr *slip,
                           const node *const *slip_where, const node *key, const char *unit);
/* friction, restitution, tangential_restitution, rest */
carom_status draft_coefficients(draft *d, const element *e, contact_entry *contact);
/* Those of a joint, whose 'rest' is that of its spring: restitution and impact of its limits, or its friction. */
carom_status draft_joint_stop(draft *d, const element *e, contact_entry *contact);
carom_status draft_joint_friction(draft *d, const element *e, contact_entry *contact);
/* How far the contact added last has slid along its slips, where that is a function of the coordinates. */
carom_status draft_displacements(draft *d, const char *name, const expr *displacement, int count, const node *where);
/* A contact between two bodies, {between: [...]}, and all of 'rolling'. */
carom_status draft_pair(draft *d, const element *e);
/* Contacts that are found, {among: [...]} (build_among.c). */
carom_status draft_among(draft *d, const element *e);
/* {body: world, plane: [0, 0, 1]}: what a shape may have but for a hole, which nothing touches. */
carom_status check_partner(draft *d, const node *item);
carom_status draft_add_rolling(draft *d);

/* ---- parts by formulas (build_formulas.c, build_contacts.c) */

carom_status draft_add_formulas(draft *d); /* energies, kinematics, forces */
carom_status draft_add_symmetries(draft *d);
carom_status draft_add_constraints(draft *d);
carom_status draft_add_contacts(draft *d); /* those between bodies and those that are found, too */
carom_status draft_add_observables(draft *d);
void draft_place_loads(draft *d); /* once all constraints are known */

/* ---- what is recorded where it is asked for (build_asked.c) */

bool draft_is_asked(const draft *d, const char *name); /* under 'record' or 'plot' */
carom_status draft_add_asked(draft *d);

/* ---- pictures (drawing.c). Everything that has a place adds itself; bodies are added at the end. All of it must
 * depend on time and positions only. */

/* A thing that is made of count points, and one with shapes at a place. */
carom_status draft_draw_points(draft *d, const drawn *thing, const vec *x);
carom_status draft_draw_placed(draft *d, const drawn *thing, vec r, const mat *A);
/* A tube along the origins of members, which are not drawn on their own unless they have shapes. */
carom_status draft_draw_tube(draft *d, const char *name, const int *of, int count, double radius);
/* A shape of a member that is not among its own: the plane of a contact. Points are not to be seen. */
carom_status draft_draw_shape(draft *d, const char *name, int member, const form *one);
/* PN along the normal and PF along up to two tangents (none: not known) act on the body at the point; unit vectors in
 * the world. */
carom_status draft_draw_contact(draft *d, const char *name, vec point, vec normal, const vec *tangent, int tangents);
/* The key 'draw' of a contact by formulas. */
carom_status draft_draw_formula_contact(draft *d, const element *contact);
carom_status draft_check_place(draft *d, const node *where, vec x); /* depends on no velocity */
bool draft_is_planar(const draft *d);                               /* no body leaves the plane of x and y */
carom_status draft_add_drawn(draft *d);                             /* the shapes under 'draw' (build_drawn.c) */
carom_status draft_finish_drawing(draft *d);

/* count zeros from the scene's memory; NULL: out of memory. */
static inline void *zeros(draft *d, int count, size_t size) {
    return arena_get(&d->scene->memory, (size_t)(count > 0 ? count : 1) * size);
}

#endif
