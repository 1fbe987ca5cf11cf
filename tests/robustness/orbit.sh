#!/bin/bash
# carom orbit: periodic motions with known multipliers, and what it refuses.
. tests/robustness/support.bash
here=$PWD
cd "$scratch" || exit 1

# A ball on a table A sin(w t), once per period T = 2 pi/w: it leaves with g T/2 while the table moves with
# V = g T (1 - e)/(2 (1 + e)) = A w cos(phi); the multipliers have the product e^2 and the sum
# 1 + e^2 - (1 + e)^2 A w^2 sin(phi)/g.
cat >ball.yaml <<'SCENE'
carom: 1
parameters: {g: 9.81, e: 0.5, A: 0.02698, w: 20}
model:
  coordinates: {z: {start: 0.031, velocity: -1.39}}
  kinetic: z_dot^2/2
  potential: g*z
  contacts: {table: {gap: z - A*sin(w*t), restitution: e}}
run: {integrator: lobatto, events: locate, dt: 2*pi/w/10, until: 20, tolerance: 1e-13}
SCENE
expect 0 "" "$carom" orbit ball.yaml --period "2*pi/w" --after "2*pi/w" --json
cp stdout ball.json
awk -F'[][,{}: "]+' '{ for (i = 1; i < NF; i++) if ($i == "multipliers") { re = $(i + 1); im = $(i + 2) } else if ($i == "events") events = $(i + 1) }
    END { pi = atan2(0, -1); g = 9.81; e = 0.5; A = 0.02698; w = 20; T = 2*pi/w; c = g*T*(1 - e)/(2*(1 + e))/(A*w); s = sqrt(1 - c*c)
          sum = 1 + e*e - (1 + e)^2*A*w*w*s/g; im = im < 0 ? -im : im; want = sqrt(e*e - sum*sum/4)
          printf "multiplier %.12g +- %.12g i, in closed form %.12g +- %.12g i; %d event\n", re, im, sum/2, want, events
          exit !((re - sum/2)^2 < 1e-20 && (im - want)^2 < 1e-20 && events == 1) }' ball.json || wrong "the ball: $(cat ball.json)"

# A force along the velocity swings an oscillator up until it sticks to the belt under it. It leaves the belt at the same
# place in every period, and so forgets all that was before: its one multiplier is 0. x_dot = 0 is passed upwards once.
cat >belt.yaml <<'SCENE'
carom: 1
parameters: {mu: 0.4, v: 0.2, c: 0.1}
model:
  coordinates: {x: {start: 1}, y: {start: 0}}
  kinetic: (x_dot^2 + y_dot^2)/2
  potential: x^2/2 + y
  forces: {x: c*x_dot}
  contacts: {belt: {gap: y, slip: x_dot - v, friction: mu}}
run: {integrator: lobatto, events: locate, stages: 4, dt: 0.05, until: 60, tolerance: 1e-13}
SCENE
expect 0 "" "$carom" orbit belt.yaml --section x_dot --after 30
grep -q '2 events' stdout || wrong "the belt has no stop and break: $(cat stdout)"
grep -q '^stable$' stdout || wrong "the belt is not stable: $(cat stdout)"
awk '/^multiplier/ { n++; size = $NF } /^period/ { T = $2 } END { exit !(n == 1 && size < 1e-9 && T > 6.2832 && T < 8) }' stdout ||
    wrong "the belt's multiplier is not 0: $(cat stdout)"

# Driven without contacts: x'' + 2 d x' + x = cos(w t) has the multipliers exp(-d T) (cos, sin)(T sqrt(1 - d^2)).
cat >driven.yaml <<'SCENE'
carom: 1
parameters: {d: 0.1, w: 0.7}
model:
  coordinates: {x: {start: 0}, s: {start: 0, velocity: 0.5}}
  kinetic: (x_dot^2 + s_dot^2)/2
  potential: x^2/2
  forces: {x: cos(w*t) - 2*d*x_dot, s: 0.5 - s_dot}
run: {integrator: lobatto, stages: 5, dt: 0.1, until: 20, tolerance: 1e-13}
SCENE
expect 0 "" "$carom" orbit driven.yaml --period "2*pi/w" --modulo s
grep -q '^s advances by 4.4879895051[0-9]*$' stdout || wrong "it advances by 0.5 T: $(cat stdout)"
awk '/^multiplier/ && n++ == 0 { T = 2*atan2(0, -1)/0.7; want = exp(-0.1*T); bad = ($NF - want)^2 > 1e-20 } END { exit bad || n != 3 }' stdout ||
    wrong "multipliers of a driven oscillator: $(cat stdout)"
expect 1 "the map of the period has the multiplier 1" "$carom" orbit driven.yaml --period "2*pi/w"

# Glocker's woodpecker pecks its way down: its sleeve jams on the pole in every period, and what is left of a deviation is
# one number. So all multipliers but one are zero.
expect 0 "" "$carom" orbit "$here/scenes/paper/moreau/woodpecker.yaml" --section phi_S --modulo y --after 1 --set run.integrator=lobatto --set run.events=locate --set run.dt=5e-4
awk '/^multiplier/ { n++; size = $NF; if (n == 1) first = size; else if (size > 1e-9) bad++ } /^y advances/ { fall = $4 }
    END { printf "the woodpecker falls by %g a period, multiplier %g\n", fall, first; exit bad || n != 4 || !(first > 0.5 && first < 1 && fall < 0) }' stdout ||
    wrong "the woodpecker: $(cat stdout)"

expect 2 "orbit needs either a period" "$carom" orbit ball.yaml
expect 2 "orbit needs either a period" "$carom" orbit ball.yaml --period 1 --section z
expect 2 "the period '0*w' is 0, and must be positive" "$carom" orbit ball.yaml --period "0*w"
expect 2 "there is no coordinate 'x'" "$carom" orbit ball.yaml --period 1 --modulo x
expect 1 "does not pass zero upwards twice" "$carom" orbit ball.yaml --section "z - 100"
# The force never falls below 0.4, so that nothing comes back.
cat >none.yaml <<'SCENE'
carom: 1
parameters: {w: 2}
model:
  coordinates: {x: {start: 0, velocity: 0.5}}
  kinetic: x_dot^2/2
  forces: {x: 1 + sin(x)/2 - x_dot + cos(w*t)/10}
run: {integrator: lobatto, dt: 0.1, until: 20}
SCENE
expect 1 "no periodic motion was found near the state at t = 0: a period still misses by" "$carom" orbit none.yaml --period "2*pi/w"
cat >family.yaml <<'SCENE'
carom: 1
parameters: {n: 2, w: 1}
model:
  coordinates: {"x[i=1..n]": {start: 0}}
  kinetic: sum(i=1..n, x_dot[i]^2/2)
  potential: sum(i=1..n, x[i]^2)
  forces: {"x[i=1..n]": "cos(w*t) - 0.1*x_dot[i]"}
run: {integrator: lobatto, dt: 0.1, until: 20}
SCENE
expect 2 "no derivative by 'n', which cannot change: the scene is built on its value" "$carom" orbit family.yaml --period "2*pi/w" --continue n=2..4
sed 's/, stages: 5//' driven.yaml >plain.yaml
expect 2 "nsga has no derivatives" "$carom" orbit plain.yaml --period 1 --set run.integrator=nsga
finish
