/* carom: mechanisms that a program puts together from typed definitions.
 *
 *   carom_sketch *sketch = carom_sketch_create("pendulum");
 *   carom_body_def bob = carom_default_body_def();
 *   bob.name = "bob", bob.type = "point", bob.mass = carom_number(2);
 *   bob.position[0] = carom_formula("l"), bob.position[1] = carom_number(0);
 *   carom_sketch_body(sketch, &bob);
 *
 * A definition says what an entry of a scene says: its fields have the names of the keys in docs/guide/elements.md and
 * docs/guide/scene.md, which tell what they mean and which of them a type has. Where one key has several forms, each
 * form has a field: friction, frictions and friction_by; hull and mesh. What the default function leaves is not given.
 * A name may be that of a family, "ball[i=1..n]", and the formulas then know i.
 *
 * Definitions are copied. Nothing fails until carom_sketch_scene, whose error names the definition and the field:
 *   pendulum: body 'bob', mass: the mass must be positive, it is -2
 * SPDX-License-Identifier: MIT */
#ifndef CAROM_DEFS_H
#define CAROM_DEFS_H

#include <carom/carom.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------- values */

/* A number, or a formula where it is not NULL. NaN: not given. */
typedef struct carom_value {
    double number;
    const char *formula;
} carom_value;

CAROM_API carom_value carom_number(double number);
CAROM_API carom_value carom_formula(const char *formula);

/* Lists end at the last component that is given: position[0] and position[1] alone are a place in the plane. */

typedef struct carom_rotation_def { /* a quaternion; or an axis and an angle; or a sequence of axes and three angles */
    carom_value quaternion[4];
    carom_value axis[3], angle;
    const char *euler;
    carom_value angles[3];
} carom_rotation_def;

/* Every definition below starts with 'made', which its default function sets and nobody else. */

typedef struct carom_round_def {
    carom_value radius, length;
} carom_round_def;

typedef struct carom_shape_def { /* one of the first ten */
    int made;
    carom_value point[3], sphere, disk, box[3], plane[3], ellipsoid[3];
    carom_round_def cylinder, capsule;
    const carom_value (*hull)[3]; /* [hull_points] */
    int hull_points;
    const char *mesh;  /* a file of OBJ or STL, whose hull it is; seen from the working folder */
    carom_value scale; /* of the points of a hull or mesh */
    carom_value at[3], axis[3];
    carom_rotation_def rotation;
    carom_value points; /* on the rim of a disk or cylinder; of each element of a beam that touches a plane */
    carom_value radius; /* of a beam that touches */
    bool hole;
} carom_shape_def;
CAROM_API carom_shape_def carom_default_shape_def(void);

/* ---------------------------------------------------------------- bodies and what acts between them */

typedef struct carom_body_def {
    int made;
    const char *name, *type; /* "point", "planar", "spatial" */
    carom_value mass, density;
    carom_value inertia[3], inertia_matrix[3][3]; /* one of the two; in the plane inertia[0] */
    carom_value center[3];
    const carom_shape_def *shape; /* [shapes] */
    int shapes;
    carom_value position[3], velocity[3];
    carom_value angle;               /* in the plane */
    carom_value angular_velocity[3]; /* in the axes of the body; in the plane angular_velocity[0] */
    carom_value angular_velocity_world[3];
    carom_rotation_def rotation;
} carom_body_def;
CAROM_API carom_body_def carom_default_body_def(void);

typedef struct carom_frame_def {
    int made;
    const char *name;
    carom_value position[3]; /* formulas of time */
    carom_rotation_def rotation;
    const carom_shape_def *shape; /* [shapes] */
    int shapes;
} carom_frame_def;
CAROM_API carom_frame_def carom_default_frame_def(void);

typedef struct carom_friction_def { /* friction that is more than one value, in place of that: the first two, or all
                                     * else
                                     */
    carom_value static_, kinetic;   /* 'static' while it sticks, 'kinetic' while it slides */
    carom_value along[3], factor;   /* one for each slip, all of them times a formula of 'slip', time and place */
} carom_friction_def;

typedef struct carom_breaks_def { /* the loads at which a joint breaks */
    carom_value force, torque, impulse;
} carom_breaks_def;

typedef struct carom_joint_def {
    int made;
    const char *name, *type; /* "revolute", "prismatic", "cylindrical", "spherical", "universal", "fixed", "distance",
                                "planar" */
    const char *bodies[2];
    carom_value at[3], axis[3], axis2[3], points[2][3], axes[2][3];
    carom_value angle, displacement, length, speed, torque, force; /* what its coordinate follows, or what drives it */
    carom_value spring, rest, damper, limits[2], restitution, offset, friction, radius, preload;
    carom_value angle2, speed2, torque2, spring2, rest2, damper2, limits2[2], offset2; /* of its second coordinate */
    carom_friction_def friction_by;
    const char *impact; /* law of the impacts on its limits: carom_law */
    carom_breaks_def breaks;
} carom_joint_def;
CAROM_API carom_joint_def carom_default_joint_def(void);

typedef struct carom_spring_def {
    int made;
    const char *name, *between[2];
    carom_value points[2][3], ends[2][3];
    carom_value stiffness, length, damping, force;
} carom_spring_def;
CAROM_API carom_spring_def carom_default_spring_def(void);

typedef struct carom_load_def {
    int made;
    const char *name, *body;
    carom_value at[3], force[3], torque[3]; /* in the plane torque[0] */
    const char *frame;                      /* "world", "body" */
} carom_load_def;
CAROM_API carom_load_def carom_default_load_def(void);

typedef struct carom_partner_def { /* a body that has one shape, or a body and a shape in it, or a beam */
    const char *body, *beam;
    carom_shape_def shape; /* of a beam: radius, points */
} carom_partner_def;

typedef struct carom_partners_def { /* partner[i].shape starts as carom_default_shape_def() */
    const carom_partner_def *partner;
    int count;
} carom_partners_def;

typedef struct carom_contact_def { /* a contact of two bodies, or those that are found among bodies and families */
    int made;
    const char *name;
    carom_partner_def between[2];
    carom_partners_def among[2]; /* those of the first against each other, or against those of the second */
    carom_value friction, restitution, tangential_restitution, rolling, drilling, rest, adhesion;
    carom_value frictions[3], belt[3], grain[3]; /* frictions: one for each slip, in place of friction */
    carom_friction_def friction_by;
    const char *law, *impact; /* of friction and of impact: carom_law */
    bool slips;               /* record the slips of a contact without friction */
} carom_contact_def;
CAROM_API carom_contact_def carom_default_contact_def(void);

typedef struct carom_rolling_def { /* a pair that neither opens nor slips */
    int made;
    const char *name;
    carom_partner_def between[2];
} carom_rolling_def;
CAROM_API carom_rolling_def carom_default_rolling_def(void);

/* ---------------------------------------------------------------- chains, beams and bars */

typedef struct carom_chain_def {
    int made;
    const char *name;
    carom_value links, from[3], to[3], curve[3], mass, radius;
    const char *ends[2];
    carom_value points[2][3];
    carom_breaks_def breaks;
} carom_chain_def;
CAROM_API carom_chain_def carom_default_chain_def(void);

typedef struct carom_section_def {
    carom_value circle, rectangle[2], area, bending[2], torsion;
} carom_section_def;

typedef struct carom_strain_def { /* a shape of constant strain */
    carom_value strain[6], position[3];
} carom_strain_def;

typedef struct carom_beam_start_def { /* the shape at the start, and the one a time 'after' later */
    carom_value strain[6];
    carom_strain_def then;
    carom_value after;
} carom_beam_start_def;

typedef struct carom_beam_def {
    int made;
    const char *name, *type; /* "planar", "spatial" */
    carom_value elements, from[3], to[3], curve[3], up[3];
    carom_section_def section;
    carom_value young, shear, poisson, density, shear_factor;
    carom_value stiffness[6], mass_per_length, inertia_per_length[3];
    const char *mass;                     /* "lumped", "consistent" */
    carom_value damping[2], viscosity[6]; /* Rayleigh's, of mass and stiffness; Kelvin-Voigt's */
    carom_value velocity[3], angular_velocity[3];
    carom_beam_start_def start;
} carom_beam_def;
CAROM_API carom_beam_def carom_default_beam_def(void);

typedef struct carom_tips_def {
    carom_value start, end;
} carom_tips_def;

typedef struct carom_bar_def {
    int made;
    const char *name;
    carom_value elements, from, to, mass_per_length, stiffness, energy, velocity;
    carom_tips_def tips;
} carom_bar_def;
CAROM_API carom_bar_def carom_default_bar_def(void);

typedef struct carom_join_def {
    int made;
    const char *name;
    carom_value between[2]; /* names of bars as formulas; a number is a wall */
    carom_value split, restitution;
} carom_join_def;
CAROM_API carom_join_def carom_default_join_def(void);

/* ---------------------------------------------------------------- models by formulas */

typedef struct carom_coordinate_def {
    int made;
    const char *name;
    carom_value start, velocity;
    const char *unit;
} carom_coordinate_def;
CAROM_API carom_coordinate_def carom_default_coordinate_def(void);

typedef struct carom_velocity_def { /* that is not the rate of a coordinate */
    int made;
    const char *name;
    carom_value start;
    const char *unit;
} carom_velocity_def;
CAROM_API carom_velocity_def carom_default_velocity_def(void);

typedef struct carom_draw_def {
    carom_value at[3], normal[3], tangent1[3], tangent2[3];
} carom_draw_def;

typedef struct carom_gap_def { /* a contact by formulas */
    int made;
    const char *name;
    carom_value gap, slip[3], displacement[3];
    carom_value friction, restitution, tangential_restitution, rest, adhesion;
    carom_value frictions[3]; /* one for each slip, in place of friction */
    carom_friction_def friction_by;
    const char *law, *impact; /* of friction and of impact: carom_law */
    const char *unit;
    carom_draw_def draw;
} carom_gap_def;
CAROM_API carom_gap_def carom_default_gap_def(void);

typedef struct carom_entry {
    const char *name;
    carom_value value;
} carom_entry;

typedef struct carom_symmetry_def { /* how each coordinate moves; or how all bodies do */
    int made;
    const char *name;
    const carom_entry *moves; /* [move_count] */
    int move_count;
    carom_value translate[3], rotate[3], about[3];
} carom_symmetry_def;
CAROM_API carom_symmetry_def carom_default_symmetry_def(void);

typedef struct carom_drawing_def { /* what is seen in pictures: one of the first twelve, where it is, and how it looks
                                    */
    int made;
    const char *name;
    const carom_value (*line)[3], (*polygon)[3]; /* [line_points], [polygon_points] */
    int line_points, polygon_points;
    carom_value spring[2][3], path[3];
    const char *text;
    carom_value circle, disk, sphere, box[3], plane[3];
    carom_round_def capsule, cylinder;
    carom_value at[3], angle, axis[3], radius;
    carom_rotation_def rotation;
    bool ground;
} carom_drawing_def;
CAROM_API carom_drawing_def carom_default_drawing_def(void);

typedef struct carom_system_def { /* of the whole model */
    int made;
    carom_value gravity[3];
    carom_value kinetic, potential, dissipation;
    const char *start;   /* "as_given", "consistent" */
    const char *impacts; /* "together", "sequential" */
} carom_system_def;
CAROM_API carom_system_def carom_default_system_def(void);

typedef struct carom_report_def { /* what becomes of the run */
    int made;
    const char *title, *description;
    carom_value every;
    const char *const *record, *const *plot; /* names or patterns */
    int records, plots;
} carom_report_def;
CAROM_API carom_report_def carom_default_report_def(void);

/* Entries that are one formula (or a unit) under a name. */
typedef enum carom_formula_kind {
    CAROM_PARAMETER,
    CAROM_INPUT,
    CAROM_DEFINITION,
    CAROM_KINEMATICS, /* the rate of a coordinate */
    CAROM_FORCE,      /* on a coordinate or velocity */
    CAROM_CONSTRAINT,
    CAROM_VELOCITY_CONSTRAINT,
    CAROM_OBSERVABLE,
    CAROM_EXACT, /* the exact motion of a coordinate or velocity */
    CAROM_UNIT   /* of a recorded quantity */
} carom_formula_kind;

/* ---------------------------------------------------------------- adding them to a sketch
 *
 * A name that the sketch has already is an error. Entries of carom_sketch_add may change what definitions gave. */

CAROM_API void carom_sketch_body(carom_sketch *sketch, const carom_body_def *def);
CAROM_API void carom_sketch_frame(carom_sketch *sketch, const carom_frame_def *def);
CAROM_API void carom_sketch_joint(carom_sketch *sketch, const carom_joint_def *def);
CAROM_API void carom_sketch_spring(carom_sketch *sketch, const carom_spring_def *def);
CAROM_API void carom_sketch_load(carom_sketch *sketch, const carom_load_def *def);
CAROM_API void carom_sketch_contact(carom_sketch *sketch, const carom_contact_def *def);
CAROM_API void carom_sketch_rolling(carom_sketch *sketch, const carom_rolling_def *def);
CAROM_API void carom_sketch_chain(carom_sketch *sketch, const carom_chain_def *def);
CAROM_API void carom_sketch_beam(carom_sketch *sketch, const carom_beam_def *def);
CAROM_API void carom_sketch_bar(carom_sketch *sketch, const carom_bar_def *def);
CAROM_API void carom_sketch_join(carom_sketch *sketch, const carom_join_def *def);
CAROM_API void carom_sketch_coordinate(carom_sketch *sketch, const carom_coordinate_def *def);
CAROM_API void carom_sketch_velocity(carom_sketch *sketch, const carom_velocity_def *def);
CAROM_API void carom_sketch_gap(carom_sketch *sketch, const carom_gap_def *def);
CAROM_API void carom_sketch_symmetry(carom_sketch *sketch, const carom_symmetry_def *def);
CAROM_API void carom_sketch_drawing(carom_sketch *sketch, const carom_drawing_def *def);
CAROM_API void carom_sketch_system(carom_sketch *sketch, const carom_system_def *def);
CAROM_API void carom_sketch_report(carom_sketch *sketch, const carom_report_def *def);
CAROM_API void carom_sketch_formula(carom_sketch *sketch, carom_formula_kind kind, const char *name, carom_value value);
CAROM_API void carom_sketch_run(carom_sketch *sketch, const carom_run_def *run);

#ifdef __cplusplus
}
#endif
#endif
