/* Parameters of scenes in every place where a number may stand: a simulation in which one has changed goes on like one
 * of a scene that was loaded with it, bit for bit, since nothing of the model is made of the values at first. What the
 * model is built on cannot change, and what makes no sense is refused; both name their place. */
#include "carom/carom.h"
#include "trial.h"

#include <stdio.h>
#include <string.h>

static carom_error error;

static void check(carom_status status) {
    if (status) fail_msg("%s", error.message);
}

/* A scene with one parameter p. */
typedef struct use {
    const char *place; /* of the parameter */
    double first, then;
    const char *model;
} use;

#define BALL "ball: {type: spatial, mass: 0.7, shape: {sphere: 0.1}, position: [0, 0, 0.1], velocity: [0.8, 0.3, -1]}"
#define FLOOR "floor: {between: [ball, {body: world, plane: [0, 0, 1]}], friction: 0.3, restitution: 0.5}"
#define ROD "rod: {type: planar, mass: 2, inertia: 0.3, position: [0.5, 0], angle: 0.1}"
#define BAR                                                                                                            \
    "bar: {type: spatial, mass: 2, shape: {box: [1, 0.2, 0.1]}, position: [0.5, 0, 0], angular_velocity: [0, 1, 0]}"

static const use uses[] = {
    {"gravity", 9.81, 3, "gravity: [0, 0, -p]\n  bodies: {" BALL "}\n  contacts: {" FLOOR "}"},
    {"mass", 0.7, 2,
     "gravity: [0, -9]\n  bodies: {a: {type: point, mass: p, position: [0, 1]}}\n"
     "  springs: {s: {between: [world, a], stiffness: 30}}"},
    {"density", 800, 300,
     "gravity: [0, 0, -9]\n  bodies: {a: {type: spatial, density: p, shape: {sphere: 0.1}}}\n"
     "  springs: {s: {between: [world, a], points: [[0, 0, 0], [0.1, 0, 0]], stiffness: 30, length: 0.3}}"},
    {"inertia in the plane", 0.3, 0.8,
     "gravity: [0, -9]\n  bodies: {rod: {type: planar, mass: 2, inertia: p, position: [0.5, 0]}}\n"
     "  joints: {hinge: {type: revolute, bodies: [world, rod], at: [0, 0]}}"},
    {"inertia in space", 0.3, 0.5,
     "bodies: {top: {type: spatial, mass: 1, inertia: [0.4, p, 0.35], angular_velocity: [1, 2, 3]}}"},
    {"matrix of inertia", 0.01, 0.05,
     "bodies: {top: {type: spatial, mass: 1, inertia: [[0.4, p, 0], [p, 0.3, 0], [0, 0, 0.35]], angular_velocity: [1, "
     "2, 3]}}"},
    {"centre of mass", 0.1, -0.2,
     "gravity: [0, 0, -9]\n  bodies: {top: {type: spatial, mass: 1, inertia: [0.4, 0.3, 0.35], center: [p, 0, 0.1], "
     "angular_velocity: [1, 2, 3]}}\n"
     "  joints: {tip: {type: spherical, bodies: [world, top], at: [0, 0, 0]}}"},
    {"start position", 0.1, 0.4,
     "gravity: [0, 0, -9]\n  bodies: {ball: {type: spatial, mass: 1, shape: {sphere: 0.1}, position: [p, 0, p]}}\n  "
     "contacts: {" FLOOR "}"},
    {"start velocity", 0.8, -2,
     "gravity: [0, 0, -9]\n  bodies: {ball: {type: spatial, mass: 1, shape: {sphere: 0.1}, position: [0, 0, 0.1], "
     "velocity: [p, p/2, -1]}}\n  contacts: {" FLOOR "}"},
    {"start angle", 0.1, 0.7,
     "gravity: [0, -9]\n  bodies: {rod: {type: planar, mass: 2, inertia: 0.3, position: [cos(p)/2, sin(p)/2], angle: "
     "p}}\n"
     "  joints: {hinge: {type: revolute, bodies: [world, rod], at: [0, 0]}}"},
    {"start rotation", 0.1, 0.7,
     "bodies: {top: {type: spatial, mass: 1, inertia: [0.4, 0.3, 0.35], rotation: {axis: [1, p, 0], angle: p}, "
     "angular_velocity: [1, 2, 3]}}"},
    {"quaternion", 0.1, 0.7,
     "bodies: {top: {type: spatial, mass: 1, inertia: [0.4, 0.3, 0.35], rotation: [1, p, 0, p], "
     "angular_velocity_world: [1, 2, p]}}"},
    {"angular velocity", 1, 4,
     "bodies: {top: {type: spatial, mass: 1, inertia: [0.4, 0.3, 0.35], angular_velocity: [p, 2, 3]}}"},
    {"sphere", 0.1, 0.25,
     "gravity: [0, 0, -9]\n  bodies: {ball: {type: spatial, mass: 0.7, shape: {sphere: p}, position: [0, 0, p], "
     "velocity: [1, 0, -1]}}\n  contacts: {" FLOOR "}"},
    {"box", 0.2, 0.35,
     "gravity: [0, 0, -9]\n  bodies: {ball: {type: spatial, density: 300, shape: {box: [p, 2*p, p/2]}, position: [0, "
     "0, 0.4], velocity: [1, 0, -1], angular_velocity: [1, 2, 3]}}\n  contacts: {" FLOOR "}"},
    {"capsule", 0.2, 0.5,
     "gravity: [0, 0, -9]\n  bodies: {ball: {type: spatial, density: 300, shape: {capsule: {radius: p/3, length: p}}, "
     "position: [0, 0, 0.6], velocity: [1, 0, -1], angular_velocity: [1, 2, 3]}}\n  contacts: {" FLOOR "}"},
    {"cylinder", 0.2, 0.5,
     "gravity: [0, 0, -9]\n  bodies: {ball: {type: spatial, density: 300, shape: {cylinder: {radius: p/3, length: p}}, "
     "position: [0, 0, 0.6], velocity: [1, 0, -1], rotation: {axis: [1, 0, 0], angle: 0.4}, angular_velocity: [1, 2, "
     "3]}}\n  contacts: {" FLOOR "}"},
    {"disk in the plane", 0.2, 0.3,
     "gravity: [0, -9]\n  bodies: {wheel: {type: planar, mass: 2, shape: {disk: p}, position: [0, p], velocity: [1, "
     "0]}}\n"
     "  contacts: {ground: {between: [wheel, {body: world, plane: [0, 1]}], friction: 0.2}}"},
    {"hole", 0.05, 0.08,
     "bodies: {top: {type: spatial, density: 300, shape: [{box: [1, 0.5, 0.2]}, {sphere: p, at: [2*p, 0, 0], hole: "
     "true}], angular_velocity: [1, 2, 3]}}"},
    {"place of a shape", 0.1, 0.3,
     "gravity: [0, 0, -9]\n  bodies: {ball: {type: spatial, mass: 1, shape: [{sphere: 0.1, at: [p, 0, 0]}, {sphere: "
     "0.1, at: [-0.2, 0, 0]}], position: [0, 0, 0.1], velocity: [1, 0, -1]}}\n"
     "  contacts: {floor: {between: [{body: ball, sphere: 0.1, at: [p, 0, 0]}, {body: world, plane: [0, 0, 1]}], "
     "friction: 0.3}}"},
    {"plane", 0.1, -0.4,
     "gravity: [0, 0, -9]\n  bodies: {" BALL "}\n  contacts: {floor: {between: [ball, {body: world, plane: [p, 0, 1], "
     "at: [0, 0, -0.5]}], friction: 0.3, restitution: 0.5}}"},
    {"direction that passes an axis", 0.1, 5,
     "gravity: [0, 0, -9]\n  bodies: {" BALL "}\n  contacts: {floor: {between: [ball, {body: world, plane: [p, 0, 1], "
     "at: [0, 0, -0.5]}], friction: 0.3, restitution: 0.5}}"},
    {"two balls", 0.2, 0.3,
     "bodies: {a: {type: spatial, mass: 1, shape: {sphere: p}, velocity: [1, 0.1, 0]}, b: {type: spatial, mass: 2, "
     "shape: {capsule: {radius: 0.1, length: p}}, position: [0.45, 0, 0]}}\n"
     "  contacts: {pair: {between: [a, b], restitution: 0.6}}"},
    {"friction", 0.3, 0.05,
     "gravity: [0, 0, -9]\n  bodies: {" BALL
     "}\n  contacts: {floor: {between: [ball, {body: world, plane: [0, 0, 1]}], friction: p, restitution: 0.5}}"},
    {"restitution", 0.5, 0.9,
     "gravity: [0, 0, -9]\n  bodies: {" BALL
     "}\n  contacts: {floor: {between: [ball, {body: world, plane: [0, 0, 1]}], friction: 0.3, restitution: p}}"},
    {"kinetic friction", 0.1, 0.25,
     "gravity: [0, 0, -9]\n  bodies: {" BALL
     "}\n  contacts: {floor: {between: [ball, {body: world, plane: [0, 0, 1]}], "
     "friction: {static: 0.3 + p, kinetic: p}, restitution: 0.5}}"},
    {"friction of an ellipse", 0.1, 0.25,
     "gravity: [0, 0, -9]\n  bodies: {" BALL
     "}\n  contacts: {floor: {between: [ball, {body: world, plane: [0, 0, 1]}], "
     "friction: {along: [p, 2*p], factor: 1 + p*exp(-slip/0.1)}}}"},
    {"adhesion", 5, 9,
     "gravity: [0, 0, -9]\n  bodies: {ball: {type: spatial, mass: 0.7, shape: {sphere: 0.1}, position: [0, 0, 0.1]}}\n"
     "  contacts: {floor: {between: [ball, {body: world, plane: [0, 0, 1]}], adhesion: p}}\n"
     "  loads: {pull: {body: ball, force: [0, 0, 7 + 70*t]}}"},
    {"load that breaks a joint", 8, 12,
     "gravity: [0, -9]\n  bodies: {rod: {type: planar, mass: 1, inertia: 0.3, position: [0.5, 0], velocity: [0, 0]}}\n"
     "  joints: {hinge: {type: revolute, bodies: [world, rod], at: [0, 0], breaks: {force: p}}}\n"
     "  loads: {pull: {body: rod, force: [80*t, 0]}}"},
    {"torque that breaks a joint", 5, 5.5,
     "gravity: [0, -9]\n  bodies: {rod: {type: planar, mass: 1, inertia: 0.3, position: [0.5, 0]}}\n"
     "  joints: {clamp: {type: fixed, bodies: [world, rod], at: [0, 0], breaks: {torque: p, force: 20*p}}}\n"
     "  loads: {pull: {body: rod, force: [0, -10*t]}}"},
    {"impulse that breaks a joint", 0.2, 5,
     "gravity: [0, -9]\n  bodies: {rod: {type: planar, mass: 1, inertia: 0.3, position: [0.5, 0]}, ball: {type: point, "
     "mass: 1, position: [0.5, 0.2], velocity: [0, -2]}}\n"
     "  joints: {clamp: {type: fixed, bodies: [world, rod], at: [0, 0], breaks: {impulse: p}}}\n"
     "  contacts: {hit: {gap: ball.y - rod.y}}"},
    {"drilling", 0.02, 0.08,
     "gravity: [0, 0, -9]\n  bodies: {ball: {type: spatial, mass: 1, shape: {sphere: 0.1}, position: [0, 0, 0.1], "
     "velocity: [1, 0, 0], angular_velocity: [0, 0, 9]}}\n"
     "  contacts: {floor: {between: [ball, {body: world, plane: [0, 0, 1]}], friction: 0.3, drilling: p}}"},
    {"place of a joint", 0.2, -0.3,
     "gravity: [0, 0, -9]\n  bodies: {" BAR
     "}\n  joints: {hinge: {type: revolute, bodies: [world, bar], at: [p, 0, 0], axis: [0, 1, 0]}}"},
    {"points of a joint", 0.2, 0.4,
     "gravity: [0, 0, -9]\n  bodies: {bar: {type: spatial, mass: 2, shape: {box: [1, 0.2, 0.1]}, position: [p, 0, "
     "0]}}\n"
     "  joints: {tip: {type: spherical, bodies: [world, bar], points: [[0, 0, 0], [-p, 0, 0]]}}"},
    {"axis of a joint", 0.1, 0.9,
     "gravity: [0, 0, -9]\n  bodies: {bar: {type: spatial, mass: 2, shape: {box: [1, 0.2, 0.1]}, position: [0.5, 0, "
     "0]}}\n  joints: {hinge: {type: revolute, bodies: [world, bar], at: [0, 0, 0], axis: [p, 1, 0]}}"},
    {"axis that passes another", 0.1, 9,
     "gravity: [0, 0, -9]\n  bodies: {bar: {type: spatial, mass: 2, shape: {box: [1, 0.2, 0.1]}, position: [0.5, 0, "
     "0]}}\n  joints: {hinge: {type: revolute, bodies: [world, bar], at: [0, 0, 0], axis: [p, 1, 0]}}"},
    {"axes of a joint", 0.1, 0.9,
     "gravity: [1, 0, -9]\n  bodies: {bar: {type: spatial, mass: 2, shape: {box: [1, 0.2, 0.1]}, position: [0.5, 0, "
     "0]}}\n  joints: {slide: {type: cylindrical, bodies: [world, bar], points: [[0.5, 0, 0], [0, 0, 0]], axes: [[1, "
     "p, 0], [1, p, 0]]}}"},
    {"slope of a slide", 0.1, 0.9,
     "gravity: [0, -9]\n  bodies: {" ROD
     "}\n  joints: {slide: {type: prismatic, bodies: [world, rod], at: [0, 0], axis: [cos(p), sin(p)]}}"},
    {"body that a joint starts from", 0.5, 0.8,
     "gravity: [0, -9]\n  bodies: {rod: {type: planar, mass: 2, inertia: 0.3, position: [p, 0], angle: p}}\n  joints: "
     "{hinge: {type: revolute, bodies: [world, rod], at: [0, 0]}}"},
    {"limits", 0.2, 0.05,
     "gravity: [0, -9]\n  bodies: {rod: {type: planar, mass: 2, inertia: 0.3, position: [0.5, 0]}}\n  joints: {hinge: "
     "{type: revolute, bodies: [world, rod], at: [0, 0], limits: [-p, p], restitution: 0.5}}"},
    {"limits in space", 0.2, 0.05,
     "gravity: [0, 0, -9]\n  bodies: {bar: {type: spatial, mass: 2, shape: {box: [1, 0.2, 0.1]}, position: [0.5, 0, "
     "0]}}\n  joints: {hinge: {type: revolute, bodies: [world, bar], at: [0, 0, 0], axis: [0, 1, 0], limits: [-p, "
     "2*p], restitution: 0.5}}"},
    {"offset and counted turns", 0.2, 1.5,
     "gravity: [0, 0, -9]\n  bodies: {bar: {type: spatial, mass: 2, shape: {box: [1, 0.2, 0.1]}, position: [0.5, 0, "
     "0]}}\n  joints: {hinge: {type: revolute, bodies: [world, bar], at: [0, 0, 0], axis: [0, 1, 0], offset: p, "
     "spring: 5}}"},
    {"spring and damper of a joint", 3, 12,
     "gravity: [0, -9]\n  bodies: {rod: {type: planar, mass: 2, inertia: 0.3, position: [0.5, 0]}}\n  joints: {hinge: "
     "{type: revolute, bodies: [world, rod], at: [0, 0], spring: p, damper: p/10, rest: p/20}}"},
    {"length of a rod", 1, 1.3,
     "gravity: [0, -9]\n  bodies: {a: {type: point, mass: 1, position: [p, 0]}}\n  joints: {rod: {type: distance, "
     "bodies: [world, a]}}"},
    {"length of a rope", 1.01, 1.3,
     "gravity: [0, -9]\n  bodies: {a: {type: point, mass: 1, position: [1, 0]}}\n  joints: {rope: {type: distance, "
     "bodies: [world, a], limits: [0, p], restitution: 0.3}}"},
    {"spring of a rope", 1, 1.3,
     "gravity: [0, -9]\n  bodies: {a: {type: point, mass: 1, position: [p, 0]}}\n  joints: {rope: {type: distance, "
     "bodies: [world, a], limits: [0.1, 3], spring: 20, damper: p}}"},
    {"stiffness, damping, length", 20, 50,
     "gravity: [0, -9]\n  bodies: {a: {type: point, mass: 1, position: [1, 0]}}\n  springs: {s: {between: [world, a], "
     "stiffness: p, damping: p/50, length: p/40}}"},
    {"ends of a spring", 0.2, 0.4,
     "gravity: [0, -9]\n  bodies: {" ROD
     "}\n  springs: {s: {between: [world, rod], ends: [[0, p], [p, 0.3]], stiffness: 30}}"},
    {"place of a load", 0.2, -0.3, "bodies: {" ROD "}\n  loads: {push: {body: rod, force: [1, 2], at: [p, 0]}}"},
    {"rolling", 0.2, 0.3,
     "gravity: [1, -9]\n  bodies: {wheel: {type: planar, mass: 2, shape: {disk: p}, position: [0, p], velocity: [p, "
     "0], angular_velocity: -1}}\n"
     "  rolling: {ground: {between: [wheel, {body: world, plane: [0, 1]}]}}"},
    {"frame", 0.2, 0.6,
     "gravity: [0, 0, -9]\n  frames: {ramp: {position: [p, 0, 0], rotation: {axis: [0, 1, 0], angle: p}}}\n  bodies: "
     "{bar: {type: spatial, mass: 2, shape: {box: [1, 0.2, 0.1]}, position: [p, 0, 0]}}\n"
     "  joints: {hinge: {type: revolute, bodies: [ramp, bar], at: [p, 0, 0], axis: [0, 1, 0]}}"},
    {"symmetry", 0.2, 0.6,
     "bodies: {" BALL "}\n  symmetries: {screw: {translate: [0, 0, p], rotate: [0, 0, 1], about: [p, 0, 0]}}"},
};

#define ARM "arm: {type: spatial, elements: 3, from: [0, 0, 0], to: [1, 0.2, 0], angular_velocity: [0, 1, 0]"
#define MATTER "stiffness: [0.1, 0.2, 0.3, 100, 50, 50], mass_per_length: 2, inertia_per_length: [3e-3, 1e-3, 2e-3]"

static const use elastic_uses[] = {
    {"beam of a circle", 0.02, 0.05,
     "gravity: [0, 0, -9]\n  beams: {" ARM ", young: 1e8, density: 1000, section: {circle: p}}}"},
    {"beam of a rectangle", 0.02, 0.07,
     "gravity: [0, 0, -9]\n  beams: {" ARM
     ", young: 1e8, density: 1000, poisson: p, section: {rectangle: [p, 0.05]}}}"},
    {"material of a beam", 0.2, 0.4,
     "gravity: [0, 0, -9]\n  beams: {" ARM ", young: 1e7*p, density: 2000*p, poisson: p, shear_factor: p, section: "
     "{area: 1e-3*p, bending: [1e-7*p, 2e-7], torsion: 1e-7*p}}}"},
    {"stiffness and mass of a beam", 0.2, 0.4,
     "gravity: [0, 0, -9]\n  beams: {" ARM ", mass: consistent, stiffness: [p, 2*p, 3, 1e3*p, 500, 500], "
     "mass_per_length: p, inertia_per_length: [3e-3, p/100, 2e-3]}}"},
    {"damping of a beam", 0.2, 0, "gravity: [0, 0, -9]\n  beams: {" ARM ", " MATTER ", damping: [p, p/1000]}}"},
    {"viscosity of a beam", 0, 0.02,
     "gravity: [0, 0, -9]\n  beams: {" ARM ", " MATTER ", viscosity: [p, p, p, 0, 0, p]}}"},
    {"ends of a beam", 0.2, -0.6,
     "gravity: [0, 0, -9]\n  beams: {arm: {type: spatial, elements: 3, from: [p, 0, 0], to: [1, p, 2*p], velocity: [p, "
     "0, 1], angular_velocity: [0, p, 1], " MATTER "}}"},
    {"end of a beam in the plane", 0.2, -3,
     "gravity: [0, -9]\n  beams: {arm: {type: planar, elements: 3, from: [0, 0], to: [1 + p, p], velocity: [0, p], "
     "angular_velocity: p, " MATTER "}}"},
    {"curve of a beam", 1, 2,
     "gravity: [0, 0, -9]\n  beams: {arm: {type: spatial, elements: 4, curve: [sin(p*s), 1 - cos(p*s), s/p], up: [p/9, "
     "0, 1], " MATTER "}}"},
    {"curve of a beam in the plane", 1, 7,
     "gravity: [0, -9]\n  beams: {arm: {type: planar, elements: 4, curve: [sin(p*s), 1 - cos(p*s)], " MATTER "}}"},
    {"beam that starts upright", 1e-7, 0.5,
     "gravity: [0, 0, -9]\n  beams: {arm: {type: spatial, elements: 2, from: [0, 0, 0], to: [p, 0, 1], " MATTER "}}"},
    {"strain of a beam", 0.2, 0.5,
     "beams: {arm: {type: spatial, elements: 3, from: [0, 0, 0], to: [1, 0, 0], " MATTER ", start: {strain: [p, 0, p, "
     "1, 0, p/9], then: {strain: [0, 0, p/2, 1, p/9, 0], position: [0, p/9, 0]}, after: p}}}"},
    {"strain of a beam in the plane", 0.2, 0.5,
     "beams: {arm: {type: planar, elements: 3, from: [0, 0], to: [1, p], " MATTER ", start: {strain: [4*p, 1, p/9]}}}"},
    {"beam on a post", 0.2, 0.3,
     "gravity: [0, 0, -9]\n  beams: {arm: {type: spatial, elements: 3, from: [0, 0, p], to: [1, 0, p], " MATTER "}}\n"
     "  joints: {clamp: {type: fixed, bodies: [world, arm1], at: [0, 0, p]}}"},
    {"bar", 0.2, 0.7,
     "bars: {A: {elements: 4, from: p, to: 2 + p*p, mass_per_length: p, stiffness: 30*p, velocity: p}}"},
    {"bars that meet", 0.2, 0.3,
     "bars: {A: {elements: 3, from: 0, to: 1, mass_per_length: 1, stiffness: 30, velocity: 1, tips: {end: p}}, "
     "B: {elements: 3, from: 1 + p/10, to: 2 + p, mass_per_length: 1 + p, stiffness: 50*p, tips: {start: p/2}}}\n"
     "  joins: {touch: {between: [A, B]}, wall: {between: [B, 2.05 + p]}}"},
    {"bars without tips", 0.2, 0.3,
     "bars: {A: {elements: 3, from: 0, to: 1, mass_per_length: 1, stiffness: 30*p, velocity: 1}, "
     "B: {elements: 3, from: 1 + p/10, to: 2 + p, mass_per_length: 1 + p, energy: p*(e - 1)^2 + p*(e - 1)^4}}\n"
     "  joins: {touch: {between: [A, B], restitution: p}}"},
};

#define FLOORED "grains: {among: [grain, {body: world, plane: [0, 0, 1]}]"
static const use found_uses[] = {
    {"spheres that are found", 0.1, 0.2,
     "gravity: [0, 0, -9]\n  bodies: {\"grain[i=1..3]\": {type: spatial, density: 500, shape: {sphere: p}, position: "
     "[0.45*i, 0, 0.22], velocity: [i - 1, 0, -2]}}\n  contacts: {" FLOORED ", friction: 0.3}}"},
    {"boxes and capsules that are found", 0.1, 0.2,
     "gravity: [0, 0, -9]\n  bodies: {grain1: {type: spatial, density: 500, shape: {box: [p, 0.3, 2*p]}, position: [0, "
     "0, 0.3], velocity: [0, 0, -2], angular_velocity: [1, 2, 3]}, grain2: {type: spatial, density: 500, shape: "
     "{capsule: {radius: p, length: "
     "0.3}, axis: [1, p, 0], at: [p, 0, 0]}, position: [0, 0, 0.9], velocity: [0, 0, -5]}}\n"
     "  contacts: {grains: {among: [grain1, grain2, {body: world, plane: [0, p, 1], at: [0, 0, -p]}], friction: 0.3}}"},
    {"friction of contacts that are found", 0.3, 0,
     "gravity: [0, 0, -9]\n  bodies: {grain: {type: spatial, mass: 1, shape: {sphere: 0.1}, position: [0, 0, 0.1], "
     "velocity: [1, 0, 0]}}\n  contacts: {" FLOORED ", friction: p}}"},
    {"restitution of contacts that are found", 0.3, 0.8,
     "gravity: [0, 0, -9]\n  bodies: {grain: {type: spatial, mass: 1, shape: {sphere: 0.1}, position: [0, 0, 0.1], "
     "velocity: [1, 0, -3], angular_velocity: [0, 1, 0]}}\n"
     "  contacts: {" FLOORED ", friction: 0.4, restitution: p, tangential_restitution: p/2, rest: p/9}}"},
    {"parameter beside contacts that are found", 0.3, 0.8,
     "gravity: [0, 0, -9*p]\n  bodies: {grain: {type: spatial, mass: p, shape: {sphere: 0.1}, position: [0, 0, 0.1 + "
     "p/20], velocity: [1, 0, 0]}}\n  contacts: {" FLOORED ", friction: 0.2}}"},
};

enum {
    USES = sizeof uses / sizeof *uses,
    ELASTIC_USES = sizeof elastic_uses / sizeof *elastic_uses,
    FOUND_USES = sizeof found_uses / sizeof *found_uses,
    STEPS = 40
};

static carom_scene *load(const use *u, double dt, double value) {
    char text[2000];
    carom_scene *scene;
    const int size = snprintf(text, sizeof text,
                              "carom: 1\nparameters: {p: %.17g}\nmodel:\n  %s\n"
                              "run: {integrator: rattle, dt: %g, until: 1}\n",
                              value, u->model, dt);
    const carom_status status = carom_scene_parse(text, (size_t)size, "scene", NULL, 0, &scene, &error);
    if (status) fail_msg("%s: %d:%d: %s", u->place, error.line, error.column, error.message);
    return scene;
}

static carom_sim *simulate(const carom_scene *scene) {
    carom_sim *sim;
    check(carom_sim_create(carom_scene_model(scene), carom_scene_run(scene), &sim, &error));
    return sim;
}

/* The rows are compared, too: they hold momentum maps, percussions and observables. */
static void compare(const use *u, carom_sim *live, carom_sim *loaded) {
    double a[256], b[256];
    const int columns = carom_sim_columns(live);
    assert_int_equal(columns, carom_sim_columns(loaded));
    assert_in_range(columns, 1, 256);
    for (int step = 0; step < STEPS; step++) {
        check(carom_sim_row(live, a, &error));
        check(carom_sim_row(loaded, b, &error));
        for (int i = 0; i < columns; i++)
            if (memcmp(&a[i], &b[i], sizeof *a) != 0)
                fail_msg("%s: %s is %.17g, of a fresh scene %.17g, in step %d", u->place,
                         carom_sim_column_name(live, i), a[i], b[i], step);
        assert_true(carom_sim_hash(live) == carom_sim_hash(loaded));
        check(carom_sim_step(live, &error));
        check(carom_sim_step(loaded, &error));
    }
}

/* And the parameter counts: with its first value the motion is another one. */
static void change(const use *list, int count, double dt) {
    for (int i = 0; i < count; i++) {
        const use *u = &list[i];
        carom_scene *scene = load(u, dt, u->first), *other = load(u, dt, u->then);
        carom_sim *live = simulate(scene), *same = simulate(scene), *loaded = simulate(other);
        for (int step = 0; step < STEPS; step++)
            check(carom_sim_step(live, &error)), check(carom_sim_step(same, &error));
        if (carom_sim_set_parameter(live, 0, u->then, &error)) fail_msg("%s: %s", u->place, error.message);
        check(carom_sim_restart(live, &error));
        compare(u, live, loaded);
        if (strcmp(u->place, "symmetry") != 0 && carom_sim_hash(live) == carom_sim_hash(same))
            fail_msg("%s: it changes nothing", u->place);
        carom_sim_destroy(live), carom_sim_destroy(same), carom_sim_destroy(loaded);
        carom_scene_destroy(scene), carom_scene_destroy(other);
    }
}

static void a_changed_parameter_is_a_fresh_load(void **state) {
    (void)state;
    change(uses, USES, 5e-3);
}

/* They are stiff. */
static void so_it_is_in_beams_and_bars(void **state) {
    (void)state;
    change(elastic_uses, ELASTIC_USES, 2e-4);
}

static void so_it_is_in_contacts_that_are_found(void **state) {
    (void)state;
    change(found_uses, FOUND_USES, 5e-3);
}

/* ---- refusals */

typedef struct refused {
    const char *model, *run, *sentence;
    double first, then;
} refused;

static const refused refusals[] = {
    {"bodies: {a: {type: point, mass: p, position: [0]}}", "dt: 5e-3", "the mass must be positive (scene:4:35)", 1, -1},
    {"bodies: {a: {type: spatial, mass: 1, shape: {sphere: p}}}", "dt: 5e-3",
     "the radius of a sphere must be positive (scene:4:56)", 1, 0},
    {"bodies: {a: {type: spatial, mass: 1, shape: {box: [1, p, 1]}}}", "dt: 5e-3", "an edge of a box must be positive",
     1, -1},
    {"bodies: {a: {type: spatial, mass: 1, inertia: [[2, p, 0], [p, 2, 0], [0, 0, 2]]}}", "dt: 5e-3",
     "the inertia of 'a' must be positive definite", 0.1, 3},
    {"bodies: {a: {type: spatial, mass: 1, inertia: [1, 1, 1], rotation: [p, 0, 0, 0]}}", "dt: 5e-3",
     "a quaternion that is not zero", 1, 0},
    {"bodies: {a: {type: planar, mass: 1, inertia: 1}}\n  joints: {slide: {type: prismatic, bodies: [world, a], at: "
     "[0, 0], axis: [p, 0]}}",
     "dt: 5e-3", "'axis' must not be zero", 1, 0},
    {"bodies: {a: {type: planar, mass: 1, inertia: 1}}\n  joints: {slide: {type: prismatic, bodies: [world, a], at: "
     "[0, 0], axis: [1, 0], limits: [-1, p]}}",
     "dt: 5e-3", "the limits of 'slide' must ascend", 1, -2},
    {"bodies: {a: {type: point, mass: 1, position: [1, 0]}}\n  springs: {s: {between: [world, a], stiffness: p}}",
     "dt: 5e-3", "the stiffness must not be negative", 1, -2},
    {"bodies: {\"a[i=1..p]\": {type: point, mass: 1, position: [i]}}", "dt: 5e-3",
     "'p' cannot change: the scene is built on its value, in 'a[i=1..p]' (scene:4:13)", 2, 3},
    {"bodies: {a: {type: spatial, mass: 1, shape: {sphere: p}}}\n  contacts: {c: {among: [a, {body: world, plane: [0, "
     "0, 1], at: [0, 0, -9]}]}}",
     "dt: 5e-3", "the radius of a sphere must be positive (scene:4:", 1, -1},
    {"bodies: {a: {type: spatial, mass: 1, shape: {sphere: 1}}}\n  contacts: {c: {among: [a, {body: world, plane: [0, "
     "0, 1], at: [0, 0, -9]}], restitution: p}}",
     "dt: 5e-3", "the restitution must lie in [0, 1] (scene:5:", 1, 2},
    {"beams: {" ARM ", " MATTER ", damping: [0, p]}}", "dt: 5e-3",
     "damping and viscosity of beam 'arm' must not be "
     "negative (scene:4:",
     0.1, -1},
    {"beams: {arm: {type: spatial, elements: 2, from: [p, 0, 0], to: [1, 0, 0], " MATTER "}}", "dt: 5e-3",
     "beam 'arm' has no direction at node 1 (scene:4:", 0, 1},
    {"beams: {arm: {type: spatial, elements: 2, from: [0, 0, 0], to: [p, 0, 1], up: [0, 0, 1], " MATTER "}}",
     "dt: 5e-3", "beam 'arm' points along 'up' at node 1, give another one (scene:4:", 1, 0},
    {"beams: {arm: {type: spatial, elements: p, from: [0, 0, 0], to: [1, 0, 1], " MATTER "}}", "dt: 5e-3",
     "'p' cannot change: the scene is built on its value, in 'p' (scene:4:", 2, 3},
    {"bars: {A: {elements: 2, from: 0, to: 1, mass_per_length: 1, stiffness: 3, tips: {end: p}}}", "dt: 5e-3",
     "'p' cannot change: the scene is built on its value, in 'p' (scene:4:", 0, 0.5},
    {"bars: {A: {elements: 2, from: 0, to: 1, mass_per_length: 1, stiffness: 3, tips: {end: p}}}", "dt: 5e-3",
     "a tip is a share in [0, 1) of the element (scene:4:", 0.5, 0},
    {"bars: {A: {elements: 2, from: 0, to: p, mass_per_length: 1, stiffness: 3}}", "dt: 5e-3",
     "bar 'A' must end behind its start (scene:4:", 1, 0},
    {"bodies: {a: {type: point, mass: 1, position: [0, 0]}}\n  contacts: {c: {gap: a.y, slip: a.x_dot, friction: "
     "{static: 0.5, kinetic: p}}}",
     "dt: 5e-3", "kinetic friction is positive and at most the static one (scene:5:", 0.4, 0.6},
    {"bodies: {a: {type: point, mass: 1, position: [0, 0]}}\n  contacts: {c: {gap: a.y, slip: a.x_dot, friction: "
     "{static: p, kinetic: 0.4}}}",
     "dt: 5e-3", "kinetic friction is positive and at most the static one (scene:5:", 0.4, 0.3},
    {"bodies: {a: {type: point, mass: 1, position: [0, 0]}}\n  contacts: {c: {gap: a.y, adhesion: p}}", "dt: 5e-3",
     "adhesion must stay positive where there is any (scene:5:", 1, 0},
    {"bodies: {a: {type: point, mass: 1, position: [0, 0]}}\n  contacts: {c: {gap: a.y, adhesion: p}}", "dt: 5e-3",
     "'p' cannot change: the scene is built on its value, in 'p' (scene:5:", 0, 1},
    {"bodies: {a: {type: point, mass: 1, position: [1, 0]}}\n  joints: {rod: {type: distance, bodies: [world, a], "
     "breaks: {force: p}}}",
     "dt: 5e-3", "the force that joint 'rod' bears must be positive (scene:5:", 1, 0},
    {"bodies: {a: {type: planar, mass: 1, inertia: 1}}\n  joints: {rope: {type: distance, bodies: [world, a], points: "
     "[[0, 1], [0, 0]], limits: [p, 2]}}",
     "dt: 5e-3", "'p' cannot change: the scene is built on its value", 0, 0.5},
};
enum { REFUSALS = sizeof refusals / sizeof *refusals };

/* The simulation goes on as if nothing had been asked. */
static void what_makes_no_sense_is_refused(void **state) {
    (void)state;
    for (int i = 0; i < REFUSALS; i++) {
        const refused *r = &refusals[i];
        char text[1000];
        carom_scene *scene;
        const int size =
            snprintf(text, sizeof text,
                     "carom: 1\nparameters: {p: %.17g}\nmodel:\n  %s\nrun: {integrator: rattle, %s, until: 1}\n",
                     r->first, r->model, r->run);
        check(carom_scene_parse(text, (size_t)size, "scene", NULL, 0, &scene, &error));
        carom_sim *sim = simulate(scene), *same = simulate(scene);
        assert_int_equal(carom_sim_set_parameter(sim, 0, r->then, &error), CAROM_DATA);
        if (!strstr(error.message, r->sentence)) fail_msg("'%s' has no '%s'", error.message, r->sentence);
        assert_true(carom_sim_parameter(sim, 0) == r->first);
        check(carom_sim_step(sim, &error)), check(carom_sim_step(same, &error));
        assert_true(carom_sim_hash(sim) == carom_sim_hash(same));
        carom_sim_destroy(sim), carom_sim_destroy(same);
        carom_scene_destroy(scene);
    }
}

/* The step and the end of a run belong to the simulation, whose program sets them. */
static void steps_stay_as_they_were_loaded(void **state) {
    (void)state;
    trial run =
        trial_text("carom: 1\nparameters: {p: 0.01}\nmodel: {bodies: {a: {type: point, mass: p, position: [1]}}}\n"
                   "run: {integrator: rattle, dt: p, until: 100*p}\n");
    check(carom_sim_set_parameter(run.sim, 0, 0.5, &error));
    check(carom_sim_restart(run.sim, &error));
    trial_finish(&run);
    assert_near(carom_sim_time(run.sim), 1, 1e-12);
    assert_int_equal(carom_sim_steps(run.sim), 100);
    trial_close(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_changed_parameter_is_a_fresh_load), cmocka_unit_test(so_it_is_in_beams_and_bars),
        cmocka_unit_test(so_it_is_in_contacts_that_are_found), cmocka_unit_test(steps_stay_as_they_were_loaded),
        cmocka_unit_test(what_makes_no_sense_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
