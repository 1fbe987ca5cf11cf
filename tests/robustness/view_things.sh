#!/bin/bash
# 'carom view': what pages show of contacts, hulls, bars, joints, springs and numbers, and what keys and the mouse do in them.
. tests/robustness/support.bash
for python in python3 /usr/bin/python3 ""; do "$python" -c 'import h5py' 2>/dev/null && break; done
[ -n "$python" ] || { echo "there is no h5py"; exit 77; }
support=$PWD/tests/support
cd "$scratch" || exit 1

# Three blocks: one slides to rest, one is held by friction, one hangs above the table.
cat >states.yaml <<'SCENE'
carom: 1
title: Open, slip and stick
parameters: {mu: 0.4, g: 10}
model:
  coordinates: {"x[i=1..3]": {start: "i", velocity: "if(i == 1, 2, 0)"}, "y[i=1..3]": {start: "if(i == 3, 0.5, 0)"}}
  kinetic: sum(i=1..3, (x_dot[i]^2 + y_dot[i]^2)/2)
  potential: g*(y1 + y2)
  forces: {x2: 0.2*g}
  contacts:
    "table[i=1..3]": {gap: "y[i]", slip: "x_dot[i]", friction: mu, draw: {at: ["x[i]", "y[i]"], normal: [0, "2 + y[i]"], tangent1: [0.5, 0]}}
  draw:
    floor: {line: [[0, 0], [4, 0]], ground: true}
    "block[i=1..3]": {box: [0.2, 0.2], at: ["x[i]", "y[i] + 0.1"]}
run: {integrator: rattle, dt: 0.01, until: 1}
SCENE
# A flat and a tall hull side by side, and a bar that swings on a hinge and a spring.
cat >things.yaml <<'SCENE'
carom: 1
title: Hulls, a hinge and a spring
model:
  gravity: [0, 0, -10]
  bodies:
    flat: {type: spatial, mass: 1, inertia: [1, 1, 1], position: [-1, 0, 2], velocity: [0, 0, 0.1], shape: {hull: [[-0.5, -0.5, -0.1], [0.5, -0.5, -0.1], [0.5, 0.5, -0.1], [-0.5, 0.5, -0.1], [-0.5, -0.5, 0.1], [0.5, -0.5, 0.1], [0.5, 0.5, 0.1], [-0.5, 0.5, 0.1]]}}
    tall: {type: spatial, mass: 1, inertia: [1, 1, 1], position: [1, 0, 2], velocity: [0, 0, 0.1], shape: {hull: [[-0.1, -0.1, -0.5], [0.1, -0.1, -0.5], [0.1, 0.1, -0.5], [-0.1, 0.1, -0.5], [-0.1, -0.1, 0.5], [0.1, -0.1, 0.5], [0.1, 0.1, 0.5], [-0.1, 0.1, 0.5]]}}
    bar: {type: spatial, mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.5, 0, 0], shape: {box: [1, 0.1, 0.1]}}
  joints:
    hinge: {type: revolute, bodies: [world, bar], at: [0, 0, 0], axis: [0, 1, 0]}
  springs:
    coil: {between: [world, bar], ends: [[1, 0, 1], [1, 0, 0]], stiffness: 30}
run: {integrator: rattle, dt: 0.01, until: 0.5}
SCENE
# Two bars that meet: where they touch they are shorter than at the start.
cat >bars.yaml <<'SCENE'
carom: 1
title: Bars
model:
  bars:
    A: {elements: 10, from: -10, to: 0, mass_per_length: 1, stiffness: 1, velocity: 0.1}
    B: {elements: 10, from: 0.1, to: 10.1, mass_per_length: 1, stiffness: 1, velocity: -0.1}
  joins: {tip: {between: [A, B]}}
run: {integrator: multisymplectic, dt: 0.05, until: 10}
SCENE
# A drawing that is not a number at first. The energy is kept to round-off.
cat >holes.yaml <<'SCENE'
carom: 1
title: Nowhere at first
model:
  coordinates: {x: {start: -0.5, velocity: 1}, y: {start: 1, velocity: 3}}
  kinetic: (x_dot^2 + y_dot^2)/2
  potential: 9.81*y
  draw: {ball: {circle: 0.1, at: [sqrt(x), 0]}, line: {line: [[0, 0], [sqrt(x), 1]]}, fixed: {circle: 0.1, at: [0, 1]}}
run: {integrator: rattle, dt: 0.01, until: 1}
SCENE
# A pendulum whose first point rests up to round-off, above a row of tables of which only one is touched.
cat >swing.yaml <<'SCENE'
carom: 1
title: Swing
parameters: {l: 1, g: 10}
model:
  coordinates: {x: {start: l*sin(1)}, y: {start: -l*cos(1)}, phi: {start: 1}, z: {start: 0}}
  kinetic: (x_dot^2 + y_dot^2 + phi_dot^2 + z_dot^2)/2
  potential: g*y + g*z
  constraints: {rod: [x - l*sin(phi), y + l*cos(phi)]}
  contacts:
    "table[i=1..25]": {gap: "z + 0.1*(i - 1)", draw: {at: [0.1*i, -1.5], normal: [0, 1]}}
  draw: {rod: {line: [[x - l*sin(phi), y + l*cos(phi)], [x, y]]}, floor: {line: [[-1, -1.5], [3, -1.5]], ground: true}}
run: {integrator: rattle, dt: 0.01, until: 5}
SCENE
for name in states things bars holes swing; do
    expect 0 "" "$carom" run $name.yaml --out $name.h5
    expect 0 "" "$carom" view $name.h5 --no-open
done

"$python" "$support/view_things.py" . || exit $?
finish
