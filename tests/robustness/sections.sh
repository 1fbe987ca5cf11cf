#!/bin/bash
# Sections of carom sweep: bifurcations, basins and Lyapunov exponents that are known in closed form.
. tests/robustness/support.bash
cd "$scratch" || exit 1

# A ball on a table A sin(w t), once per period T: it leaves with g T/2. The motion doubles its period where
# A w^2 sin(phi) = 2 g (1 + e^2)/(1 + e)^2, A w cos(phi) = g T (1 - e)/(2 (1 + e)): at A = 0.0373 here.
cat >shaken.yaml <<'SCENE'
carom: 1
parameters: {g: 9.81, e: 0.5, A: 0.028, w: 20}
model:
  coordinates: {z: {start: 0.031, velocity: -1.39}}
  kinetic: z_dot^2/2
  potential: g*z
  contacts: {table: {gap: z - A*sin(w*t), restitution: e}}
run: {integrator: lobatto, events: locate, dt: 2*pi/w/4, until: 80, tolerance: 1e-12}
SCENE
expect 0 "" "$carom" sweep shaken.yaml --vary A=0.028,0.032,0.036,0.038,0.039 --section table --after 50 --points 40 \
    --keep z_dot --out flip.h5 --figure flip.svg
rows flip.h5 A cycle failed | awk -F, '{ if ($2 != ($1 < 0.0373 ? 1 : 2) || $3) { print "A =", $1, "has the cycle", $2; bad = 1 } } END { exit bad || NR != 5 }' ||
    wrong "period doubling"
"$carom" export flip.h5 --csv - --events A z_dot | tail -n +2 | awk -F, '{ pi = atan2(0, -1); v = 9.81*2*pi/20/2 }
    $1 < 0.0373 { n++; if (($2 - v)^2 > 1e-10) { print $0, "not", v; bad = 1 } } END { exit bad || n != 120 }' ||
    wrong "the ball leaves with another speed"
grep -q "<image" flip.svg || wrong "no bifurcation diagram"

# An impact takes e^2 of an area of states: the exponents have the sum log(e^2)/T. While the multipliers are complex, both
# are log(e)/T; their directions turn, by which each is off by log(5) over the time of 100 periods at most.
expect 0 "" "$carom" sweep shaken.yaml --vary A=0.027,0.034,0.038 --lyapunov 2 --after "20*2*pi/w" --out exponents.h5 \
    --set "run.until=120*2*pi/w"
rows exponents.h5 A lyapunov1 lyapunov2 | awk -F, '{ T = 2*atan2(0, -1)/20; want = log(0.5)/T
      if ((($2 + $3)/2 - want)^2 > 1e-20) { print "sum", $0, want; bad = 1 }
      if ($1 < 0.03 && ($2 - want)^2 > (log(5)/(100*T))^2) { print "each", $0, want; bad = 1 } } END { exit bad || NR != 3 }' || wrong "exponents of the ball"

# x'' + 2 d x' + x = cos(w t): both exponents are -d. Sampled once per period it has one point, whatever w is: the
# amplitude is 1/sqrt((1 - w^2)^2 + (2 d w)^2).
cat >driven.yaml <<'SCENE'
carom: 1
parameters: {d: 0.2, w: 0.7}
model:
  coordinates: {x: {start: 0.3}}
  kinetic: x_dot^2/2
  potential: x^2/2
  forces: {x: cos(w*t) - 2*d*x_dot}
run: {integrator: lobatto, stages: 4, dt: 0.2, until: 400, tolerance: 1e-13}
SCENE
expect 0 "" "$carom" sweep driven.yaml --vary w=0.5,0.8,1.3 --period "2*pi/w" --after 120 --points 10 --lyapunov 2 \
    --keep x --keep x_dot --out driven.h5
rows driven.h5 w cycle attractor | awk -F, '$2 != 1 || $3 != NR { exit 1 }' || wrong "cycles: $(rows driven.h5)"
"$carom" export driven.h5 --csv - --events w x x_dot | tail -n +2 | awk -F, '
    { a = sqrt($2^2 + ($3/$1)^2); want = 1/sqrt((1 - $1^2)^2 + (0.4*$1)^2); if ((a - want)^2 > 1e-16) { print $0, a, want; bad = 1 } }
    END { exit bad || NR != 30 }' || wrong "amplitudes once per period"
expect 0 "" "$carom" sweep driven.yaml --vary d=0.1,0.2 --lyapunov 2 --after "40*pi/sqrt(1 - d^2)" --keep x --out decay.h5 \
    --set "run.until=40*pi/sqrt(1 - 0.2^2)+20*pi/sqrt(1 - 0.2^2)"
rows decay.h5 d lyapunov1 lyapunov2 | awk -F, '{ if ((($2 + $3)/2 + $1)^2 > 1e-16) { print $0; bad = 1 } } END { exit bad }' ||
    wrong "exponents of an oscillator do not have the sum -2 d"

# Where x passes zero upwards, an undamped oscillator has its greatest velocity, a; steps do not end there.
cat >free.yaml <<'SCENE'
carom: 1
parameters: {a: 1}
model: {coordinates: {x: {start: a}}, kinetic: x_dot^2/2, potential: x^2/2}
run: {integrator: lobatto, stages: 5, dt: 0.31, until: 40, tolerance: 1e-14}
SCENE
expect 0 "" "$carom" sweep free.yaml --vary a=0.5,2 --section x --points 5 --keep x_dot --keep x --out crossing.h5
"$carom" export crossing.h5 --csv - --events a t x_dot x | tail -n +2 | awk -F, '{ pi = atan2(0, -1); t = 1.5*pi + 2*pi*((NR - 1) % 5)
      if (($3 - $1)^2 + $4^2 + ($2 - t)^2 > 1e-18) { print $0, t; bad = 1 } } END { exit bad || NR != 10 }' || wrong "crossings of zero"

# Two wells: each start ends in one of them, and (-x, -v) in the other one.
cat >wells.yaml <<'SCENE'
carom: 1
title: Two wells
model:
  coordinates: {x: {start: 1}}
  kinetic: x_dot^2/2
  potential: x^4/4 - x^2/2
  forces: {x: -0.3*x_dot}
run: {integrator: rattle, dt: 0.05, until: 100}
SCENE
expect 0 "" "$carom" sweep wells.yaml --vary start.x=-1.9..1.9/20 --vary start.x_dot=-1.9..1.9/20 --period 1 --after 60 \
    --points 8 --keep x --out basins.h5 --figure basins.png
grep -q '^attractors: 2$' stdout || wrong "it says '$(cat stdout)'"
rows basins.h5 x attractor cycle | awk -F, '{ x[NR] = $1; a[NR] = $2; if ($3 != 1 || ($1^2 - 1)^2 > 1e-6) bad = 1 }
    END { for (i = 1; i <= NR; i++) if (a[i] + a[NR + 1 - i] != 3 || (x[i] > 0) != (x[1]*(a[i] == a[1] ? 1 : -1) > 0)) bad = 1; exit bad || NR != 400 }' ||
    wrong "basins of two wells"
[ -s basins.png ] || wrong "no picture of the basins"

expect 0 "" "$carom" sweep shaken.yaml --vary w=19,20 --period "0*w" --set run.until=1 --out zero.h5
grep -q "the period is 0, and must be a positive time" stdout || wrong "it says '$(cat stdout)'"
finish
