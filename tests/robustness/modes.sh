#!/bin/bash
# carom modes: what it prints and writes, results that show modes, what it refuses.
. tests/robustness/support.bash
cd "$scratch" || exit 1

# Two pendulums of bodies that a spring couples: sqrt(g/l), and sqrt(g/l + 2 k/m) against each other.
cat >pendulums.yaml <<'SCENE'
carom: 1
title: Two pendulums
parameters: {k: 3, m: 2, c: 0}
model:
  gravity: [0, -9.81]
  bodies:
    left: {type: point, mass: m, position: [0, -1]}
    right: {type: point, mass: m, position: [1, -1]}
  joints:
    rod1: {type: distance, bodies: [world, left], points: [[0, 0], [0, 0]]}
    rod2: {type: distance, bodies: [world, right], points: [[1, 0], [0, 0]]}
  springs:
    s: {between: [left, right], stiffness: k, damping: c}
run: {integrator: rattle, dt: 1e-2, until: 1}
SCENE
expect 0 "" "$carom" modes pendulums.yaml --csv modes.csv --out modes.h5 --json
cp stdout modes.json
awk -F, 'NR > 1 { n++; want = sqrt(9.81 + (n == 2 ? 2*3/2 : 0)); if (($3 - want)^2 > 1e-20) bad = 1 } END { exit !(n == 2 && !bad) }' modes.csv ||
    wrong "the frequencies: $(cat modes.csv)"
python3 - <<'CHECK' || wrong "the object: $(cat modes.json)"
import json
a = json.load(open("modes.json"))
x = a["modes"][1]["shape"]
assert a["free"] == 2 and not a["damped"] and len(a["modes"]) == 2
assert abs(x["left.x"][0] + x["right.x"][0]) < 1e-12 and abs(abs(x["left.x"][0]) - 1) < 1e-12 and abs(x["left.y"][0]) < 1e-12
CHECK
# the result: each mode for two periods of 24 frames, in pictures and plots
expect 0 "" "$carom" export modes.h5 --csv rows.csv
[ "$(wc -l <rows.csv)" = 97 ] || wrong "$(wc -l <rows.csv) rows of the result"
expect 0 "" "$carom" plot modes.h5 --scene --at 0.25,2.25 --out modes.png
[ -s modes.png ] || wrong "no picture of modes"

# damping of the motion against each other alone: -c/m
expect 0 "" "$carom" modes pendulums.yaml --set parameters.c=0.2 --csv damped.csv
awk -F, 'NR > 1 { n++; want = n == 2 ? -0.1 : 0; if (($4 - want)^2 > 1e-20) bad = 1 } END { exit !(n == 2 && !bad) }' damped.csv ||
    wrong "the decay: $(cat damped.csv)"

expect 2 "--count needs a number of at least 1" "$carom" modes pendulums.yaml --count none
ball ball
expect 1 "nothing balances a force of -9.81 on 'y_dot'" "$carom" modes ball.yaml
expect 0 "" "$carom" modes ball.yaml --after 20
grep -q "floor *closed" stdout || wrong "the ball does not lie on the floor: $(cat stdout)"
cat >heap.yaml <<'SCENE'
carom: 1
model:
  gravity: [0, 0, -9.81]
  bodies: {grain: {type: spatial, mass: 1, position: [0, 0, 0.1], shape: {sphere: 0.1}}}
  contacts: {heap: {among: [grain, {body: world, plane: [0, 0, 1]}]}}
run: {integrator: moreau, dt: 1e-3, until: 1}
SCENE
expect 2 "modes need contacts that are listed" "$carom" modes heap.yaml
finish
