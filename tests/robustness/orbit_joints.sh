#!/bin/bash
# carom orbit: periodic motions of mechanisms with joints, and of bodies that turn in space. The same mechanism in
# coordinates without joints has the same period and the same multipliers; both are found to the tolerance of the runs,
# 1e-13, by schemes whose error is far below 1e-10 at these steps.
. tests/robustness/support.bash
here=$PWD
cd "$scratch" || exit 1

# numbers FILE: the period, then the multipliers, real parts and sizes of imaginary parts, of an object.
numbers() {
    awk -F'[][,{}: "]+' '{ for (i = 1; i < NF; i++) if ($i == "period") print $(i + 1); else if ($i == "multipliers")
        for (j = i + 1; $j != "residual"; j += 2) { print $j; im = $(j + 1); sub(/^-/, "", im); print im } }' "$1"
}

# alike NAME A B COUNT: two objects have the same period and multipliers, COUNT of them.
alike() {
    paste <(numbers "$2") <(numbers "$3") | awk -v name="$1" -v count="$4" '{ miss = $1 - $2; if (miss < 0) miss = -miss; if (miss > most) most = miss; n++ }
        END { printf "%s: period and %d multipliers agree to %.1e\n", name, (n - 1)/2, most; exit !(n == 1 + 2*count && most < 1e-9) }' ||
        wrong "$1: $(cat "$2" "$3")"
}

# ---- a driven pendulum: an angle; a mass on a rod
run="run: {integrator: lobatto, stages: 5, events: locate, dt: 0.1, until: 400, tolerance: 1e-13}"
cat >angle.yaml <<SCENE
carom: 1
title: angle
parameters: {F: 0.6, w: 0.7, d: 0.1, l: 1.2}
model:
  coordinates: {phi: {start: 0.1}}
  kinetic: l^2*phi_dot^2/2
  potential: -l*cos(phi)
  forces: {phi: l*cos(phi)*F*cos(w*t) - 2*d*l^2*phi_dot}
$run
SCENE
cat >rod.yaml <<SCENE
carom: 1
title: rod
parameters: {F: 0.6, w: 0.7, d: 0.1, l: 1.2}
model:
  coordinates: {x: {start: l*sin(0.1)}, y: {start: -l*cos(0.1)}}
  kinetic: (x_dot^2 + y_dot^2)/2
  potential: y
  forces: {x: F*cos(w*t) - 2*d*x_dot, y: -2*d*y_dot}
  constraints: {rod: (x^2 + y^2 - l^2)/2}
$run
SCENE
for scene in angle rod; do
    expect 0 "" "$carom" orbit $scene.yaml --period "2*pi/w" --after 100 --json
    mv stdout $scene.json
done
alike "driven pendulum" angle.json rod.json 2
# Its area of states shrinks by exp(-2 d T).
numbers rod.json | awk 'NR == 1 { T = $1 } NR == 2 { a = $1 } NR == 3 { b = $1 } END { miss = a*a + b*b - exp(-0.2*T); exit !(miss < 1e-9 && miss > -1e-9) }' ||
    wrong "the product of multipliers is not exp(-2 d T): $(cat rod.json)"
expect 0 "" "$carom" orbit rod.yaml --period "2*pi/w" --after 100 --shots 3 --json
mv stdout shots.json
alike "driven pendulum in three shots" angle.json shots.json 2

# A branch in the length of the rod, with which the joint moves: it folds at the same place, and comes back the same.
for scene in angle rod; do
    expect 0 "" "$carom" orbit $scene.yaml --period "2*pi/w" --after 100 --continue l=1.2..1.4 --csv $scene.csv --doublings 0
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { last = $at["multiplier1.re"] } $2 == "fold" { fold = $at["l"] } END { print fold, last }' $scene.csv >$scene.end
done
paste angle.end rod.end | awk '{ fold = $1 - $3; last = $2 - $4; printf "branch of the pendulum: folds differ by %.1e, multipliers at the end by %.1e\n", fold, last
    exit !(fold^2 < 1e-18 && last^2 < 1e-18 && $1 > 1.2 && $2 > 1) }' || wrong "branches with and without a joint end apart: $(cat angle.end rod.end)"

# ---- it swings itself up, and strikes a wall: the period is not known
cat >angle.yaml <<SCENE
carom: 1
parameters: {c: 0.3, a: 0.5}
model:
  coordinates: {phi: {start: 0.5}}
  kinetic: phi_dot^2/2
  potential: -cos(phi)
  forces: {phi: c*(a - sin(phi)^2)*phi_dot}
  contacts: {wall: {gap: 0.6 - sin(phi), restitution: 0.7}}
$run
SCENE
cat >rod.yaml <<SCENE
carom: 1
parameters: {c: 0.3, a: 0.5}
model:
  coordinates: {x: {start: sin(0.5)}, y: {start: -cos(0.5)}}
  kinetic: (x_dot^2 + y_dot^2)/2
  potential: y
  forces: {x: c*(a - x^2)*x_dot, y: c*(a - x^2)*y_dot}
  constraints: {rod: (x^2 + y^2 - 1)/2}
  contacts: {wall: {gap: 0.6 - x, restitution: 0.7}}
$run
SCENE
expect 0 "" "$carom" orbit angle.yaml --section phi --after 100 --json
mv stdout angle.json
expect 0 "" "$carom" orbit rod.yaml --section x --after 100 --json
mv stdout rod.json
alike "pendulum that strikes a wall" angle.json rod.json 1

# ---- a rod on a hinge along (1, 2, 2)/3, in space with a quaternion, and as an angle; it swings, or turns over
run="run: {integrator: lobatto, stages: 5, dt: 0.05, until: 400, tolerance: 1e-13}"
cat >hinge.yaml <<SCENE
carom: 1
parameters: {g: 9.81, F: 3, w: 4, d: 0.4, M: 0, J: 1/12}
model:
  gravity: [0, 0, -g]
  bodies:
    rod: {type: spatial, mass: 1, inertia: [J, J, J/50], position: [0, 0, -1/2], shape: {capsule: {radius: 0.03, length: 1}}}
  joints: {hinge: {type: revolute, bodies: [world, rod], at: [0, 0, 0], axis: [1, 2, 2], damper: d}}
  loads: {push: {body: rod, force: [0, F*cos(w*t), 0], torque: [M/3, 2*M/3, 2*M/3]}}
$run
SCENE
cat >angle.yaml <<SCENE
carom: 1
parameters: {g: 9.81, F: 3, w: 4, d: 0.4, M: 0, J: 1/12}
model:
  coordinates: {th: {start: 0}}
  define: {z: -1/2*(cos(th) + 4/9*(1 - cos(th))), y: -1/2*(4/9*(1 - cos(th)) - sin(th)/3)}
  kinetic: (J*5/9 + J/50*4/9 + 1/4*5/9)*th_dot^2/2
  potential: g*z - F*cos(w*t)*y
  forces: {th: M - d*th_dot}
$run
SCENE
for scene in angle hinge; do
    expect 0 "" "$carom" orbit $scene.yaml --period "2*pi/w" --after 20 --json
    mv stdout $scene.json
done
alike "hinge in space" angle.json hinge.json 2
turns=(--set parameters.g=1 --set parameters.F=0 --set parameters.d=0.1 --set parameters.M=0.3)
expect 0 "" "$carom" orbit angle.yaml --section "sin(th)" --modulo "th=2*pi" --after 40 --json "${turns[@]}"
mv stdout angle.json
for shots in 1 3; do # a quaternion has the other sign after a turn
    expect 0 "" "$carom" orbit hinge.yaml --section rod.x --after 40 --json --shots $shots "${turns[@]}"
    mv stdout hinge.json
    alike "hinge that turns over, $shots shots" angle.json hinge.json 1
done

expect 2 "there is no coordinate 'ph', did you mean 'phi'?" "$carom" orbit "$here/scenes/gallery/rimless_wheel.yaml" --section phi --modulo ph
finish
