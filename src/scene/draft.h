/* A model in the making: names first, then the bodies, then what acts on them, in lists that become a formula model. */
#ifndef CAROM_DRAFT_H
#define CAROM_DRAFT_H

#include "drawing.h"
#include "model/element/body.h"
#include "model/element/contact.h"
#include "model/element/shape.h"
#include "model/formula/formula_model.h"
#include "scene.h"

/* The formulas of one part of the model, with the place where each was written. */
typedef struct formulas {
    int count, room;
    const char **names;
    expr *at;
    const node **where;
} formulas;

/* A body or a frame of the scene. Number 0 is the world. */
typedef struct member {
    body body;
    int q, u;  /* first coordinate and velocity in the model */
    bool node; /* of a beam, which gives it mass and place */
    const char *name;
    element from; /* what it was read from */
    pose frame;   /* what its local coordinates refer to */
    expr turn;    /* the angle of that about the third axis of the world, where it turns about no other; or -1 */
    double r[3], A[3][3]; /* the same at the start */
    double center[3];     /* the centre of mass in that frame */
    int shapes, holes;
    shape *shape; /* [shapes + holes] in that frame; holes, which are taken away from the mass, come last */
    bool drawn;   /* as part of something else */
} member;

typedef struct members {
    int count, room;
    member *at;
} members;

typedef struct draft {
    carom_scene *scene;
    names *n;
    const node *model;
    int nq, nu,
        own; /* own: velocities that are x_dot of a coordinate; the declared ones follow, then those of bodies */
    const char **q_names, **u_names;
    double *start;   /* [1 + nq + nu] t, q, u at the start: values of the symbols */
    double *q0, *u0; /* in it */
    symbol **rate;   /* [nq] x_dot: a velocity of its own or, by kinematics, a formula */
    members members;
    carom_rotation *rotation; /* of spatial bodies */
    int rotations;
    table member_names;
    int springs;
    struct spring *spring;
    formulas of[FORMULA_PARTS]; /* by formula_part; energies have at most one, forces one per velocity */
    carom_contact_def *contact; /* [gaps] */
    int contact_room;
    struct chains *chains;    /* beams, of build_beams.c */
    struct bars *bars;        /* of build_bars.c */
    elastic_element *elastic; /* what they are made of */
    int elastics, elastic_room;
    struct joint_entry *joints;
    int joint_count;
    table labels;   /* names of constraints, contacts, joints: everything rows are named after */
    table recorded; /* names of momentum maps and observables */
    sketch sketch;
} draft;

/* Parameters, coordinates, velocities and definitions; settles them all. */
carom_status draft_names(draft *d);

/* ---- bodies (build_bodies.c) */

/* A member to be declared: its coordinates get their numbers in the order of these calls. */
carom_status draft_member(draft *d, const char *name, body_kind kind, int axes, const element *from, member **added);
/* Lists the bodies and frames under 'bodies' and 'frames' (and so counts their coordinates) ... */
carom_status draft_list_bodies(draft *d);
/* ... gives them symbols and initial states, nq and nu being known ... */
carom_status draft_declare_bodies(draft *d);
/* ... places frames that move, definitions being declared ... */
carom_status draft_place_members(draft *d);
/* ... and adds energies and gravity. */
carom_status draft_add_bodies(draft *d);

/* A place in the world at the start, in the coordinates of the member. */
void member_place(const member *m, const double x[3], double local[3]);

/* ---- beams (build_beams.c): the same three steps, taken within those of the bodies */
carom_status draft_list_beams(draft *d);
carom_status draft_declare_beams(draft *d);
carom_status draft_add_beams(draft *d);
/* The nodes of a beam moved to the state under 'start', if there is one (build_beam_start.c). */
carom_status draft_start_beam(draft *d, const element *beam, const member *nodes, int elements,
                              const elastic_element *between);

/* ---- bars (build_bars.c): likewise */
carom_status draft_list_bars(draft *d);
carom_status draft_declare_bars(draft *d);
carom_status draft_add_bars(draft *d);

/* ---- springs and loads (build_forces.c) */

/* NAME.length and NAME.rate, for all formulas */
carom_status draft_declare_springs(draft *d);
carom_status draft_add_springs(draft *d);
carom_status draft_add_loads(draft *d);

/* ---- symmetries of whole mechanisms (build_symmetry.c) */

/* {translate: [...], rotate: [...], about: [...]} ... */
bool draft_is_rigid_motion(const draft *d, const node *map);
/* ... gives the velocities xi[nu] with which every body is carried along. */
carom_status draft_rigid_motion(draft *d, const element *e, expr *xi);

/* ---- joints (build_joints.c) */

/* Reads the joints and declares their coordinates ("hinge.angle"), members being placed ... */
carom_status draft_declare_joints(draft *d);
/* ... and adds rows, drives, springs and limits, all names being settled. */
carom_status draft_add_joints(draft *d);

/* ---- lists */

carom_status draft_append(draft *d, formula_part part, const char *name, expr value, const node *where);
/* A contact with its gap and slips and the places where they were written (slip_where NULL: that of the gap); its name
 * is declared at key, its unit is "m" where NULL. */
carom_status draft_contact(draft *d, const carom_contact_def *contact, expr gap, const node *gap_where,
                           const expr *slip, const node *const *slip_where, const node *key, const char *unit);
/* A contact between two bodies, {between: [...]}, and all of 'rolling' (build_pairs.c). */
carom_status draft_pair(draft *d, const element *e);
carom_status draft_add_rolling(draft *d);
/* friction, restitution, tangential_restitution */
carom_status draft_coefficients(draft *d, const element *e, carom_contact_def *contact);
/* Adds to an energy (FORMULA_KINETIC, FORMULA_POTENTIAL, FORMULA_DISSIPATION). */
carom_status draft_energy(draft *d, formula_part part, expr value, const node *where);
/* Adds a force F at the point x of a member, and a torque on it, all in the world. */
carom_status draft_push(draft *d, int member, vec x, vec F);
carom_status draft_twist(draft *d, int member, vec torque);
carom_status draft_elastic(draft *d, elastic_element e, const node *where);
/* A new name of a constraint, contact, joint, ... */
carom_status draft_label(draft *d, const char *name, const node *key);
/* Value at the initial state. */
carom_status draft_start_value(draft *d, expr e, double *value);

/* ---- pictures (drawing.c). Everything that has a place adds itself; bodies are added at the end. All of it must
 * depend on time and positions only. */

carom_status draft_draw_line(draft *d, const char *name, vec from, vec to);
/* A tube along the origins of members, which are not drawn on their own unless they have shapes. */
carom_status draft_draw_tube(draft *d, const char *name, const int *of, int count, double radius);
/* A shape of a member that is not among its own: the plane of a contact. */
carom_status draft_draw_shape(draft *d, const char *name, int member, const shape *one);
/* PN along the normal and PF along up to two tangents (none: not known) act on the body at the point; unit vectors in
 * the world. */
carom_status draft_draw_contact(draft *d, const char *name, vec point, vec normal, const vec *tangent, int tangents);
/* The key 'draw' of a contact by formulas. */
carom_status draft_draw_formula_contact(draft *d, const element *contact);
carom_status draft_finish_drawing(draft *d);

/* count zeros from the scene's memory; NULL: out of memory. */
static inline void *zeros(draft *d, int count, size_t size) {
    return arena_get(&d->scene->memory, (size_t)(count > 0 ? count : 1) * size);
}

#endif
