/* Forces, elastic bodies and contacts. */
#include "vocabulary.h"

/* ---- forces */

static const word_key spring_keys[] = {
    {"between", "required", "[a, b], two bodies or frames, at least one of them a body"},
    {"points", "their origins", "where it is attached, in the coordinates of each"},
    {"ends", "", "the same two points, instead: where they are in the world at the start"},
    {"stiffness", "0", "k: adds k/2 (l - length)^2 to the potential energy"},
    {"length", "that at the start", "without tension"},
    {"damping", "0", "c: the tension c l_dot"},
    {"force", "", "the tension as any formula, instead of these three; in it 'length' and 'rate' are its own"},
    {0}};

static const word_key load_keys[] = {
    {"body", "required", "what it acts on"},
    {"at", "the origin", "where the force acts, in the coordinates of the body"},
    {"force", "", "a formula per axis"},
    {"torque", "", "three formulas, one in the plane"},
    {"frame", "world", "whose axes the components are along: 'body' makes them turn with the body"},
    {0}};

const scene_word words_forces[] = {
    {"gravity", "an acceleration of every body: formulas along x, y and z", "gravity", "[0, 0, -9.81]", STAGE_BODIES,
     NULL},
    {"springs", "springs and dampers between points of two bodies", "springs",
     "strut: {between: [arm, ball], stiffness: 200, damping: 1, length: 1.2}", STAGE_BODIES, spring_keys},
    {"loads", "a force or torque on a body", "loads",
     "thrust: {body: ball, force: [0, 0, \"20*exp(-t)\"], frame: body}", STAGE_BODIES, load_keys},
    {"potential", "the potential energy V(t, q)", "potential", "9.81*y + 50*x^2", STAGE_FORMULAS, NULL},
    {"dissipation", "the Rayleigh function R(t, q, u): the force on u is -dR/du", "dissipation", "0.2*x_dot^2",
     STAGE_FORMULAS, NULL},
    {"forces", "generalized forces, by coordinate or declared velocity", "forces", "x: 3*sin(2*t) - 0.1*x_dot",
     STAGE_FORMULAS, NULL},
    {0}};

/* ---- elastic bodies */

static const word_key chain_keys[] = {
    {"links", "required", "how many rods, of equal shares of s"},
    {"from", "", "where it begins"},
    {"to", "", "where it ends"},
    {"curve", "", "instead of 'from' and 'to': a formula per axis, of s from 0 to 1"},
    {"mass", "required", "of all of it"},
    {"radius", "none", "of its beads, which are spheres then"},
    {"ends", "[free, free]", "[A, B], bodies or 'world' that its first and last link hold on to"},
    {"points", "", "[P, Q], where on these, in their own frames"},
    {"breaks", "never", "loads at which a link breaks (carom describe breaks)"},
    {0}};
static const word_key beam_keys[] = {
    {"type", "required", "spatial or planar"},
    {"elements", "required", "how many"},
    {"from", "", "where a straight beam begins, in the world"},
    {"to", "", "where it ends"},
    {"curve", "", "instead: a formula per axis, of s from 0 to 1 and of parameters"},
    {"up", "[0, 0, 1]", "spatial: where the z axis of the first node points"},
    {"section", "", "the cross-section (carom describe section)"},
    {"young", "required with section", "Young's modulus E"},
    {"shear", "from E and poisson", "the shear modulus G"},
    {"poisson", "0", "Poisson's ratio"},
    {"density", "required with section", "mass per volume"},
    {"shear_factor", "by the section", "share of the area that takes shear"},
    {"mass", "lumped", "lumped or consistent"},
    {"stiffness", "by the section", "six numbers: GJ, EI about y, EI about z, EA, GA along y, GA along z"},
    {"velocity", "0", "of the first node"},
    {"mass_per_length", "by the section", ""},
    {"angular_velocity", "0", "with which the whole turns about the first node"},
    {"inertia_per_length", "by the section", "about x, y and z"},
    {"damping", "none", "[a, b], Rayleigh's: a of the mass, in 1/s, and b of the stiffness, in s"},
    {"viscosity", "b stiffness", "six numbers, Kelvin-Voigt's: stress per rate of strain, in the order of stiffness"},
    {"start", "without stress", "another shape at the start (carom describe start)"},
    {0}};

static const word_key bar_keys[] = {
    {"elements", "required", "how many"},
    {"from", "0", "where the unstretched bar begins"},
    {"to", "required", "where it ends"},
    {"mass_per_length", "required", ""},
    {"stiffness", "required without energy", "modulus times area, ES"},
    {"velocity", "0", "of all nodes"},
    {"energy", "", "energy per length as a formula of the stretch e, which is 1 at rest"},
    {"tips", "none", "{start: share, end: share} of the first and last element that is a massless tip"},
    {0}};

static const word_key join_keys[] = {
    {"between", "required", "[bar, bar], or a number for a wall"},
    {"split", "0.25", "share of the last element that 'contact: joined' makes a massless tip"},
    {"restitution", "1", "of ends with mass"},
    {0}};

const scene_word words_elastic[] = {
    {"chains", "point masses NAME1, NAME2, ... in a row, joined by rods NAME_link1, ...: a chain or a rope", "chains",
     "rope: {links: 3, from: [0, 0, 1], to: [1, 0, 1], mass: 0.2, ends: [world, free]}", STAGE_BODIES, chain_keys},
    {"beams", "geometrically exact beams whose nodes are bodies", "beams",
     "rod: {type: spatial, elements: 4, from: [3, 0, 1], to: [4, 0, 1], section: {circle: "
     "0.05}, young: 1e5, density: 1000}",
     STAGE_BODIES, beam_keys},
    {"bars", "elastic lines of point masses on the x axis", "bars",
     "A: {elements: 10, from: -1, to: 0, mass_per_length: 1, stiffness: 1, velocity: 0.1}", STAGE_BODIES, bar_keys},
    {"joins", "where bars touch: the end of the first and the start of the second", "joins",
     "tip: {between: [left, right]}", STAGE_BODIES, join_keys},
    {0}};

/* ---- contacts */

#define CONTACT_LAWS                                                                                                   \
    {"friction", "0",                                                                                                  \
     "mu; a formula of 'slip' speed, time and place; a list, one for each slip; {along: LIST, factor: FORMULA} "       \
     "(carom describe along); {static: 0.5, kinetic: 0.4} (carom describe static)"},                                   \
        {"restitution", "0", "e in [0, 1], or a formula of the 'speed' of impact"},                                    \
        {"impact", "newton", "law of impact, by name (carom list laws)"},                                              \
        {"tangential_restitution", "0", "e in [0, 1] of friction"},                                                    \
        {"law", "by the number of slips", "of friction, by name (carom list laws)"}, {                                 \
        "rest", "100 tolerance", "velocity: rebounds that would be slower do not happen"                               \
    }

static const word_key gap_keys[] = {
    {"gap", "required", "the distance, a formula of time and coordinates"},
    {"slip", "none", "relative velocity in the contact; a list of two in a plane, of three with drilling friction"},
    {"displacement", "none", "how far it has slid, a formula for every slip"},
    CONTACT_LAWS,
    {"adhesion", "0", "the force that it bears without opening, while it is closed"},
    {"unit", "m", "of the gap"},
    {"draw", "none", "where it is, for pictures (carom describe draw)"},
    {0}};

static const word_key between_keys[] = {
    {"between", "required",
     "two partners: a body with one shape, {body: NAME, SHAPE}, or a beam (carom describe beam)"},
    CONTACT_LAWS,
    {"adhesion", "0", "the force that it bears without opening, while it is closed"},
    {"belt", "none", "velocity of the surface of the second partner along itself, in its coordinates"},
    {"grain", "none", "direction in the first partner along which the first of several coefficients of friction acts"},
    {"rolling", "none",
     "a length: a torque of up to this length times the normal force resists rolling, as NAME_rolling"},
    {"drilling", "none", "radius of the contact area, for friction against rotation about the normal"},
    {"slips", "false", "true: record the slips of a contact without friction"},
    {0}};

static const word_key among_keys[] = {
    {"among", "required",
     "partners: bodies, families of bodies, {body: NAME, SHAPE}; or two lists, of which one touches the other"},
    CONTACT_LAWS,
    {0}};

static const word_key along_keys[] = {
    {"beam", "required", "its name; it touches a sphere, capsule, point or plane anywhere along its length"},
    {"radius", "0", "of the tube about its axis that touches"},
    {"points", "2", "on a plane: how many points of each element touch"},
    {0}};

static const word_key rolling_keys[] = {{"between", "required", "two partners, as of a contact"}, {0}};

const scene_word words_laws[] = {
    {"bilateral", "keeps something at zero", "constraints", "rail: y - 1", STAGE_FORMULAS, NULL},
    {"signorini", "a contact without friction", "contacts", "floor: {gap: y, restitution: 0.5}", STAGE_FORMULAS, NULL},
    {"coulomb", "friction in one or two directions", "contacts", "floor: {gap: y, slip: x_dot, friction: 0.3}",
     STAGE_FORMULAS, NULL},
    {"coulomb_contensou", "friction in two directions and against drilling", "contacts",
     "table: {between: [ball, {body: world, plane: [0, 0, 1]}], friction: 0.3, drilling: 1e-3}", STAGE_BODIES, NULL},
    {"newton", "rebounds with e times the velocity of the approach", "contacts",
     "floor: {gap: y, slip: x_dot, friction: 0.3, impact: newton, restitution: 0.5}", STAGE_FORMULAS, NULL},
    {"poisson", "rebounds with e times the percussion of the compression", "contacts",
     "floor: {gap: y, slip: x_dot, friction: 0.3, impact: poisson, restitution: 0.5}", STAGE_FORMULAS, NULL},
    {"energetic", "rebounds with e^2 times the work of the compression", "contacts",
     "floor: {gap: y, slip: x_dot, friction: 0.3, impact: energetic, restitution: 0.9 - 0.1*speed}", STAGE_FORMULAS,
     NULL},
    {"plastic", "never rebounds", "contacts", "floor: {gap: y, slip: x_dot, friction: 0.3, impact: plastic}",
     STAGE_FORMULAS, NULL},
    {"adhesion", "a closed contact holds against a pull, and its friction is pressed by that force as well", "contacts",
     "floor: {gap: y, slip: x_dot, friction: 0.3, adhesion: 5}", STAGE_FORMULAS, NULL},
    {"preload", "a force that presses the friction of a joint, besides the force in the joint", "joints",
     "hinge: {type: revolute, bodies: [world, arm], at: [0, 0, 1], axis: [0, 1, 0], friction: 0.1, radius: 0.02, "
     "preload: 20}",
     STAGE_BODIES, NULL},
    {0}};

const scene_word words_contacts[] = {
    {"gap", "a contact by formulas: its gap is never negative", "contacts",
     "floor: {gap: y, slip: x_dot, friction: 0.3, restitution: 0.5}", STAGE_FORMULAS, gap_keys},
    {"between", "a contact between two bodies", "contacts",
     "table: {between: [ball, {body: world, plane: [0, 0, 1]}], friction: 0.3, restitution: 0.5}", STAGE_BODIES,
     between_keys},
    {"beam", "a partner of a contact: a beam between its nodes, where it is nearest to a post", "contacts",
     "post: {between: [{beam: arm, radius: 0.01}, {body: world, sphere: 0.05, at: [1, -0.06]}], friction: 0.1}",
     STAGE_BEAMS, along_keys},
    {"among", "contacts that carom finds itself: of all of some bodies with each other", "contacts",
     "heap: {among: [ball, {body: world, plane: [0, 0, 1]}], friction: 0.3, restitution: 0.5}", STAGE_BODIES,
     among_keys},
    {"rolling", "two bodies that roll on each other without slipping or parting", "rolling",
     "track: {between: [ball, {body: world, plane: [0, 0, 1], at: [0, 0, 0.9]}]}", STAGE_BODIES, rolling_keys},
    {0}};
