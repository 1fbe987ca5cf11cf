/* The keys of a scene, of its model and of its run; and the maps that stand inside others. */
#include "vocabulary.h"

/* ---- the scene */

static const word_key scene_keys[] = {{"carom", "required", "version of the grammar: 1"},
                                      {"title", "", "a text"},
                                      {"description", "", "a text"},
                                      {"extends", "", "path of a scene this one is based on"},
                                      {"parameters", "", "named constants"},
                                      {"inputs", "", "values that a program sets between steps, or signals"},
                                      {"model", "required", "the mechanism"},
                                      {"run", "required", "integrator, step size, end, what to record"},
                                      {"plot", "", "panels that carom plot draws when not told otherwise"},
                                      {"units", "", "units of recorded quantities"},
                                      {"exact", "", "the exact solution, for convergence studies"},
                                      {0}};

static const word_key model_keys[] = {
    {"coordinates", "required without bodies", "positions q"},
    {"velocities", "", "velocities that are not the rate of a coordinate"},
    {"kinematics", "", "rates of coordinates in terms of 'velocities'"},
    {"define", "", "named intermediate expressions"},
    {"kinetic", "required without bodies", "the kinetic energy T(t, q, u)"},
    {"potential", "0", "the potential energy V(t, q)"},
    {"dissipation", "0", "the Rayleigh function R(t, q, u)"},
    {"forces", "", "generalized forces"},
    {"constraints", "", "g(t, q) = 0"},
    {"velocity_constraints", "", "gamma(t, q, u) = 0, affine in the velocities"},
    {"contacts", "", "gaps that are never negative, by formulas or between bodies"},
    {"symmetries", "", "motions whose momentum maps are recorded"},
    {"observe", "", "formulas that are recorded"},
    {"frames", "", "frames, which have no mass and rest or move by formulas"},
    {"bodies", "", "points, planar and spatial bodies"},
    {"gravity", "0", "an acceleration of every body"},
    {"chains", "", "point masses in a row, joined by rods"},
    {"beams", "", "elastic beams"},
    {"springs", "", "springs and dampers between bodies"},
    {"loads", "", "forces and torques on bodies"},
    {"joints", "", "between bodies and frames"},
    {"rolling", "", "bodies that roll on each other"},
    {"impacts", "together", "'sequential': contacts that strike at one instant do so one after the other"},
    {"start", "as_given", "'consistent': the initial state is moved onto the constraints"},
    {"bars", "", "elastic lines of point masses"},
    {"joins", "", "where bars touch"},
    {"draw", "", "what pictures show of a scene of formulas (carom list drawings)"},
    {0}};

/* Options of the integrator come on top (carom describe INTEGRATOR). */
static const word_key run_keys[] = {
    {"integrator", "required", "carom list integrators names them"},
    {"dt", "required", "step size"},
    {"until", "required", "end; the last step is the first one that reaches it"},
    {"tolerance", "1e-10", "a velocity: the largest error that a balance or a law may have in a step"},
    {"every", "1", "one step in so many is recorded"},
    {"record", "everything", "names or patterns of what is recorded"},
    {"detection", "discrete", "'continuous': a step that would pass a contact unseen is taken in pieces"},
    {0}};

const scene_word words_scene[] = {
    {"scene", "a scene: a mechanism, and how to simulate it", "title", "A mass on a spring", STAGE_FORMULAS,
     scene_keys},
    {"parameters", "named constants, or formulas of each other", "parameters", "{m: 2, R: 0.1, J: 2/5*m*R^2}",
     STAGE_FORMULAS, NULL},
    {"inputs", "values that a program sets between steps, or signals: formulas of t", "inputs",
     "{motor: 0, wind: sin(3*t)}", STAGE_FORMULAS, NULL},
    {"model", "the mechanism, as formulas or as bodies or both", "kinetic", "x_dot^2 + y_dot^2/2", STAGE_FORMULAS,
     model_keys},
    {"run", "how to simulate it", "run", "{integrator: rattle, dt: 1e-3, until: 0.1, every: 10}", STAGE_FORMULAS,
     run_keys},
    {"plot", "panels that carom plot draws when not told otherwise", "plot", "[E, \"x,y\", \"x:x_dot\"]",
     STAGE_FORMULAS, NULL},
    {"units", "units of recorded quantities, texts for axes and tables", "units", "{E: kJ}", STAGE_FORMULAS, NULL},
    {"exact", "the exact solution as formulas of t", "exact", "{x: 1, y: 1}", STAGE_FORMULAS, NULL},
    {0}};

/* ---- models by formulas */

static const word_key coordinate_keys[] = {{"start", "0", "initial value"},
                                           {"velocity", "0", "initial velocity"},
                                           {"unit", "unknown", "a text for axes and tables"},
                                           {0}};
static const word_key velocity_keys[] = {
    {"start", "0", "initial value"}, {"unit", "unknown", "a text for axes and tables"}, {0}};
static const word_key rigid_keys[] = {{"translate", "", "a direction: moves all bodies along it"},
                                      {"rotate", "", "an axis: turns all bodies about it"},
                                      {"about", "the origin", "a point on that axis"},
                                      {0}};

const scene_word words_model[] = {
    {"coordinates", "positions q; the velocity of x is x_dot", "coordinates", "x: {start: 0.5, velocity: 2, unit: m}",
     STAGE_FORMULAS, coordinate_keys},
    {"velocities", "velocities that are not the rate of a coordinate", "velocities", "w: {start: 2, unit: rad/s}",
     STAGE_VELOCITIES, velocity_keys},
    {"kinematics", "rates of coordinates in terms of 'velocities'", "kinematics", "angle: 2*w", STAGE_VELOCITIES, NULL},
    {"define", "named intermediate expressions", "define", "r: sqrt(x^2 + y^2)", STAGE_FORMULAS, NULL},
    {"kinetic", "the kinetic energy T(t, q, u), at most quadratic in the velocities", "kinetic", "x_dot^2 + y_dot^2/2",
     STAGE_FORMULAS, NULL},
    {"constraints", "formulas of positions that are zero", "constraints", "rail: y - 1", STAGE_FORMULAS, NULL},
    {"velocity_constraints", "formulas that are zero and affine in the velocities", "velocity_constraints",
     "knife: y_dot - 0.1*x_dot", STAGE_FORMULAS, NULL},
    {"symmetries", "motions whose momentum maps are recorded", "symmetries", "px: {translate: [1, 0, 0]}", STAGE_BODIES,
     rigid_keys},
    {"observe", "formulas that are recorded", "observe", "reach: sqrt(x^2 + y^2)", STAGE_FORMULAS, NULL},
    {0}};

/* ---- maps inside others */

static const word_key rotation_keys[] = {{"axis", "z", "about this axis"}, {"angle", "0", "by this angle"}, {0}};
static const word_key euler_keys[] = {
    {"euler", "required",
     "a sequence of axes such as zxz; each is an axis of the frame that the turns before it have reached"},
    {"angles", "required", "the three angles of these turns"},
    {0}};
static const word_key round_keys[] = {{"radius", "required", ""}, {"length", "required", "along its axis"}, {0}};
static const word_key section_keys[] = {{"circle", "", "radius"},
                                        {"rectangle", "", "[y, z], its edges"},
                                        {"area", "", "by hand"},
                                        {"bending", "", "area moments, [about y, about z] or one for both"},
                                        {"torsion", "the sum of both", "torsion constant"},
                                        {0}};
static const word_key start_keys[] = {{"strain", "required", "constant along the beam"},
                                      {"then", "", "{strain: ..., position: ...} a short time later"},
                                      {"after", "", "that time"},
                                      {0}};
static const word_key then_keys[] = {
    {"strain", "required", "constant along the beam"}, {"position", "as before", "of the first node"}, {0}};
static const word_key tip_keys[] = {{"start", "0", "share of the first element"}, {"end", "0", "of the last"}, {0}};
static const word_key breaks_keys[] = {{"force", "any", "that the joint bears"},
                                       {"torque", "any", "that it bears, about its place on the second body"},
                                       {"impulse", "any", "that it bears in an impact, of its force"},
                                       {0}};
static const word_key static_keys[] = {
    {"static", "required", "mu while it sticks"}, {"kinetic", "required", "mu while it slides, at most as large"}, {0}};
static const word_key along_keys[] = {
    {"along", "required", "a list: mu of each slip"},
    {"factor", "required", "a formula of 'slip' speed, time and place that multiplies all of them"},
    {0}};
static const word_key draw_keys[] = {{"at", "required", "where the contact is, formulas of time and positions"},
                                     {"normal", "required", "along which PN acts on the body"},
                                     {"tangent1", "", "along which PF1 acts on it"},
                                     {"tangent2", "", "along which PF2 acts on it"},
                                     {0}};

const scene_word words_parts[] = {
    {"rotation", "how a body, frame or shape is turned: a quaternion [p0, p1, p2, p3], or about an axis", "bodies",
     "top: {type: spatial, mass: 1, shape: {box: [1, 2, 3]}, rotation: {axis: [1, 0, 0], angle: pi/4}}", STAGE_BODIES,
     rotation_keys},
    {"euler", "a rotation by three angles", "bodies",
     "top: {type: spatial, mass: 1, shape: {box: [1, 2, 3]}, rotation: {euler: zxz, angles: [0.1, 0.2, 0.3]}}",
     STAGE_BODIES, euler_keys},
    {"round", "the size of a capsule or cylinder", "bodies",
     "drum: {type: spatial, mass: 3, shape: {cylinder: {radius: 0.2, length: 0.4}}}", STAGE_BODIES, round_keys},
    {"breaks", "the loads at which a joint breaks for good", "joints",
     "weld: {type: fixed, bodies: [arm, ball], at: [1, 0, 1], breaks: {force: 100, torque: 5}}", STAGE_BODIES,
     breaks_keys},
    {"static", "friction with one coefficient while it sticks and another while it slides", "contacts",
     "floor: {gap: y, slip: x_dot, friction: {static: 0.5, kinetic: 0.4}}", STAGE_FORMULAS, static_keys},
    {"along", "friction of an ellipse that depends on the slip speed", "contacts",
     "table: {between: [ball, {body: world, plane: [0, 0, 1]}], friction: {along: [0.2, 0.5], factor: 1 + "
     "0.3*exp(-slip/0.1)}}",
     STAGE_BODIES, along_keys},
    {"section", "the cross-section of a beam", "beams",
     "rod: {type: planar, elements: 3, from: [3, 1], to: [4, 1], section: {rectangle: [0.1, 0.2]}, young: 1e5, "
     "density: 1e3}",
     STAGE_BODIES, section_keys},
    {"start", "the shape in which a beam starts, with constant strain", "beams",
     "rod: {type: planar, elements: 3, from: [3, 1], to: [4, 1], section: {circle: 0.1}, young: 1e5, density: 1e3, "
     "start: {strain: [0.2, 1, 0]}}",
     STAGE_BODIES, start_keys},
    {"then", "the shape of a beam a short time later, which gives its velocities", "beams",
     "rod: {type: planar, elements: 3, from: [3, 1], to: [4, 1], section: {circle: 0.1}, young: 1e5, density: 1e3, "
     "start: {strain: [0.2, 1, 0], then: {strain: [0.21, 1, 0]}, after: 1e-2}}",
     STAGE_BODIES, then_keys},
    {"tips", "the massless tips of a bar", "bars",
     "A: {elements: 10, from: -1, to: 0, mass_per_length: 1, stiffness: 1, tips: {end: 0.25}}", STAGE_BODIES, tip_keys},
    {"draw", "where a contact by formulas is, for pictures", "contacts",
     "floor: {gap: y, draw: {at: [x, y, 0], normal: [0, 1, 0]}}", STAGE_FORMULAS, draw_keys},
    {0}};
