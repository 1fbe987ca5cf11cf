/* Bodies, their shapes, and the joints between them. */
#include "vocabulary.h"

/* ---- bodies */

#define BODY_MASS                                                                                                      \
    { "mass", "", "of the body; without 'inertia' it is spread evenly over its shape" }
#define BODY_SHAPE                                                                                                     \
    { "shape", "", "a shape, or a list of shapes (carom list shapes)" }
#define BODY_START                                                                                                     \
    {"position", "0", "of the origin of its frame in the world at the start"}, {                                       \
        "velocity", "0", "of that origin at the start"                                                                 \
    }
#define BODY_INERTIA                                                                                                   \
    {"density", "", "instead of 'mass': per volume of its shape, per area of flat shapes and in the plane"},           \
        {"inertia", "from the shape", "about the centre of mass: the diagonal or a matrix; in the plane one number"},  \
    {                                                                                                                  \
        "center", "from the shape", "the centre of mass in the frame of the body"                                      \
    }

static const word_key point_keys[] = {{"type", "required", "point"}, BODY_MASS, BODY_SHAPE, BODY_START, {0}};

static const word_key planar_keys[] = {{"type", "required", "planar"},
                                       BODY_MASS,
                                       BODY_INERTIA,
                                       BODY_SHAPE,
                                       BODY_START,
                                       {"angle", "0", "at the start"},
                                       {"angular_velocity", "0", "at the start, a number"},
                                       {0}};

static const word_key spatial_keys[] = {
    {"type", "required", "spatial"},
    BODY_MASS,
    BODY_INERTIA,
    BODY_SHAPE,
    BODY_START,
    {"rotation", "none", "how it is turned at the start (carom describe rotation)"},
    {"angular_velocity", "0", "at the start: three numbers, in the axes of the body"},
    {"angular_velocity_world", "0", "instead: in the axes of the world"},
    {0}};

static const word_key frame_keys[] = {
    {"position", "0", "formulas of t and parameters"},
    {"rotation", "none", "how it is turned, by formulas of t and parameters (carom describe rotation)"},
    {"shape", "", "a shape that others may touch, or a list of shapes"},
    {0}};

const scene_word words_bodies[] = {
    {"point", "a point mass that moves along as many axes as its position has components", "bodies",
     "bead: {type: point, mass: 0.1, position: [0, 0, 1], velocity: [1, 0, 0]}", STAGE_BODIES, point_keys},
    {"planar", "a rigid body in the x, y plane", "bodies",
     "wheel: {type: planar, mass: 2, shape: {disk: 0.3}, position: [0, 0.3], angular_velocity: -5}", STAGE_BODIES,
     planar_keys},
    {"spatial", "a rigid body in space", "bodies",
     "plate: {type: spatial, mass: 2, shape: {box: [1, 0.5, 0.2]}, position: [0, 0, 1], velocity: [0, 1, 0]}",
     STAGE_BODIES, spatial_keys},
    {"frames", "something without mass that rests or moves by formulas; 'world' is one", "frames",
     "shaker: {position: [\"0.01*sin(50*t)\", 0, 0], rotation: {axis: [0, 0, 1], angle: 0.2}}", STAGE_BODIES,
     frame_keys},
    {0}};

/* ---- shapes */

#define SHAPE_PLACE                                                                                                    \
    {"at", "the origin", "its centre in the frame of the body"},                                                       \
        {"axis", "z, in the plane x", "its axis in the frame of the body"},                                            \
        {"rotation", "none", "how it is turned, instead of 'axis' (carom describe rotation)"}, {                       \
        "hole", "false", "true: taken away from the mass of a body; nothing touches it"                                \
    }
#define SHAPE_RIM                                                                                                      \
    { "points", "all of the rim", "n points on a rim touch, 3 to 64; mass and pictures stay round" }

static const word_key shape_point_keys[] = {
    {"point", "required", "[x, y, z] in the frame of the body"}, SHAPE_PLACE, {0}};
static const word_key sphere_keys[] = {{"sphere", "required", "its radius"}, SHAPE_PLACE, {0}};
static const word_key disk_keys[] = {{"disk", "required", "its radius"}, SHAPE_RIM, SHAPE_PLACE, {0}};
static const word_key box_keys[] = {
    {"box", "required", "[a, b, c], its edges; two edges make a plate"}, SHAPE_PLACE, {0}};
static const word_key cylinder_keys[] = {
    {"cylinder", "required", "{radius: r, length: l}"}, SHAPE_RIM, SHAPE_PLACE, {0}};
static const word_key capsule_keys[] = {
    {"capsule", "required", "{radius: r, length: l} of its straight part"}, SHAPE_PLACE, {0}};
static const word_key ellipsoid_keys[] = {
    {"ellipsoid", "required", "[a, b, c], its half axes; in the plane two"}, SHAPE_PLACE, {0}};
static const word_key hull_keys[] = {
    {"hull", "required", "[[x, y, z], ...], its points, in the plane [[x, y], ...]; or a mesh, stone.obj or stone.stl"},
    {"scale", "1", "the points are multiplied by it"},
    SHAPE_PLACE,
    {0}};
static const word_key plane_keys[] = {{"plane", "required", "[nx, ny, nz], its outer normal"}, SHAPE_PLACE, {0}};

const scene_word words_shapes[] = {
    {"point", "a point of the body", "bodies",
     "tip: {type: spatial, mass: 1, inertia: [1, 1, 1], shape: {point: [0, 0, -0.5]}, position: [0, 0, 2]}",
     STAGE_BODIES, shape_point_keys},
    {"sphere", "a ball", "bodies", "marble: {type: spatial, density: 2500, shape: {sphere: 0.01}}", STAGE_BODIES,
     sphere_keys},
    {"disk", "a flat disk; in the plane a circle", "bodies",
     "coin: {type: spatial, mass: 0.01, shape: {disk: 0.012, points: 12}, position: [0, 0, 1]}", STAGE_BODIES,
     disk_keys},
    {"box", "a box; two edges make a plate or, in the plane, a rectangle", "bodies",
     "brick: {type: spatial, density: 1800, shape: {box: [0.24, 0.115, 0.07]}, position: [0, 0, 1]}", STAGE_BODIES,
     box_keys},
    {"cylinder", "a cylinder along its axis", "bodies",
     "drum: {type: spatial, mass: 3, shape: {cylinder: {radius: 0.2, length: 0.4}, axis: [1, 0, 0]}}", STAGE_BODIES,
     cylinder_keys},
    {"capsule", "everything within a radius of a segment", "bodies",
     "pill: {type: spatial, mass: 0.05, shape: {capsule: {radius: 0.01, length: 0.06}, axis: [1, 0, 0]}}", STAGE_BODIES,
     capsule_keys},
    {"ellipsoid", "an ellipsoid, which touches planes; in the plane an ellipse", "bodies",
     "egg: {type: spatial, density: 1000, shape: {ellipsoid: [0.03, 0.02, 0.02]}, position: [0, 0, 1]}", STAGE_BODIES,
     ellipsoid_keys},
    {"hull", "the convex hull of points or of a mesh, whose contacts 'among' finds", "bodies",
     "wedge: {type: spatial, density: 800, shape: {hull: [[0, 0, 0], [0.3, 0, 0], [0, 0.2, 0], [0, 0, 0.1]]}}",
     STAGE_BODIES, hull_keys},
    {"plane", "the half space below a plane", "contacts",
     "table: {between: [ball, {body: world, plane: [0, 0, 1]}], friction: 0.3}", STAGE_BODIES, plane_keys},
    {0}};

/* ---- joints */

#define JOINT_PLACE                                                                                                    \
    {"type", "required", "which joint (carom list joints)"},                                                           \
        {"bodies", "required", "[a, b], two bodies or frames, at least one of them a body"},                           \
        {"at", "", "where it is, in the world at the start"},                                                          \
        {"points", "", "instead of 'at': one in each body, in its own frame"}, {                                       \
        "breaks", "never", "{force: F, torque: M, impulse: P}, loads at which it breaks for good"                      \
    }
#define JOINT_AXIS                                                                                                     \
    {"axis", "in the plane [0, 0, 1]", "its axis, in the world at the start"}, {                                       \
        "axes", "", "instead of 'axis': one in each body, in its own frame"                                            \
    }
#define JOINT_STOP                                                                                                     \
    {"restitution", "0", "of the impacts on its limits, a formula of their 'speed'"}, {                                \
        "impact", "newton", "the law of these impacts: newton, poisson, energetic, plastic"                            \
    }
#define JOINT_FREE(value, load, n)                                                                                     \
    {value, "free", "a formula that it follows"},                                                                      \
        {load, "0", "a formula: acts on the second body, its opposite on the first"},                                  \
        {"speed" n, "free", "a formula that its rate follows"},                                                        \
        {"spring" n, "0", "stiffness k: potential k/2 (x - rest)^2"},                                                  \
        {"rest" n, "0", "where its spring is relaxed, a formula of time; for a length: its value at the start"},       \
        {"damper" n, "0", "c: dissipates c rate^2"}, {                                                                 \
        "limits" n, "none", "[low, high]: contacts NAME_low and NAME_high"                                             \
    }
#define JOINT_FRICTION(surface)                                                                                        \
    {"friction", "0", "dry friction as in a contact: mu times the force in the joint, as NAME_friction"},              \
        {"radius", "none", surface}, {                                                                                 \
        "preload", "0", "force that presses its friction, besides that in the joint; a formula of time and place"      \
    }
#define JOINT_OFFSET(n)                                                                                                \
    { "offset" n, "0", "its value at the start" }

static const word_key revolute_keys[] = {JOINT_PLACE,
                                         JOINT_AXIS,
                                         JOINT_FREE("angle", "torque", ""),
                                         JOINT_OFFSET(""),
                                         JOINT_STOP,
                                         JOINT_FRICTION("of the journal, for friction"),
                                         {0}};
static const word_key prismatic_keys[] = {
    JOINT_PLACE,
    JOINT_AXIS,
    JOINT_FREE("displacement", "force", ""),
    JOINT_OFFSET(""),
    JOINT_STOP,
    {"friction", "0", "dry friction as in a contact: mu times the force across the axis, as NAME_friction"},
    {"preload", "0", "force that presses its friction, besides that in the joint; a formula of time and place"},
    {0}};
static const word_key cylindrical_keys[] = {JOINT_PLACE,
                                            JOINT_AXIS,
                                            JOINT_FREE("displacement", "force", ""),
                                            JOINT_OFFSET(""),
                                            JOINT_FREE("angle", "torque", "2"),
                                            JOINT_OFFSET("2"),
                                            JOINT_STOP,
                                            JOINT_FRICTION("of the shaft, for friction"),
                                            {0}};
static const word_key spherical_keys[] = {JOINT_PLACE, JOINT_FRICTION("of the ball, for friction"), {0}};
static const word_key universal_keys[] = {JOINT_PLACE,
                                          JOINT_AXIS,
                                          {"axis2", "", "of the second body, perpendicular to 'axis'"},
                                          JOINT_FREE("angle", "torque", ""),
                                          JOINT_OFFSET(""),
                                          JOINT_FREE("angle2", "torque2", "2"),
                                          JOINT_OFFSET("2"),
                                          JOINT_STOP,
                                          {0}};
static const word_key fixed_keys[] = {JOINT_PLACE, {0}};
static const word_key distance_keys[] = {JOINT_PLACE, JOINT_FREE("length", "force", ""), JOINT_STOP, {0}};

static const word_key planar_joint_keys[] = {JOINT_PLACE,      JOINT_AXIS, JOINT_FREE("angle", "torque", ""),
                                             JOINT_OFFSET(""), JOINT_STOP, {0}};

const scene_word words_joints[] = {
    {"revolute", "leaves free the angle about its axis: a hinge", "joints",
     "hinge: {type: revolute, bodies: [world, arm], at: [0, 0, 1], axis: [0, 1, 0], damper: 0.1}", STAGE_BODIES,
     revolute_keys},
    {"prismatic", "leaves free the displacement along its axis: a slider", "joints",
     "guide: {type: prismatic, bodies: [world, arm], at: [0, 0, 1], axis: [1, 0, 0], spring: 50, rest: 0.1}",
     STAGE_BODIES, prismatic_keys},
    {"cylindrical", "leaves free the displacement along its axis and the angle about it", "joints",
     "sleeve: {type: cylindrical, bodies: [world, arm], at: [0, 0, 1], axis: [1, 0, 0], torque: 0.2}", STAGE_BODIES,
     cylindrical_keys},
    {"spherical", "leaves free all rotations: a ball joint", "joints",
     "socket: {type: spherical, bodies: [world, arm], at: [0, 0, 1]}", STAGE_BODIES, spherical_keys},
    {"universal", "leaves free the angles about two axes of a cross: a Cardan joint", "joints",
     "cross: {type: universal, bodies: [world, arm], at: [0, 0, 1], axis: [0, 1, 0], axis2: [1, 0, 0]}", STAGE_BODIES,
     universal_keys},
    {"fixed", "leaves nothing free: a weld", "joints", "weld: {type: fixed, bodies: [arm, ball], at: [1, 0, 1]}",
     STAGE_BODIES, fixed_keys},
    {"distance", "keeps the distance of two points: a rod; with 'limits' a rope", "joints",
     "rope: {type: distance, bodies: [arm, ball], limits: [0, 1.6]}", STAGE_BODIES, distance_keys},
    {"planar", "leaves free motions across its axis and the angle about it: a plate on a table", "joints",
     "table: {type: planar, bodies: [world, arm], at: [0, 0, 1], axis: [0, 0, 1], damper: 0.1}", STAGE_BODIES,
     planar_joint_keys},
    {0}};
