#!/bin/bash
# Painleve's paradox with located events: where friction leaves rigid bodies no accelerations, the run ends with a sentence
# that names contact and time; just short of it, it runs.
. tests/robustness/support.bash
cd "$scratch" || exit 1

# A homogeneous rod of length 2l slides on its tip. While it slides, gN_dotdot = A lambda_N + b with
#     m A = 1 + 3 cos(phi) (cos(phi) + mu sign(slip) sin(phi)),    b = l phi_dot^2 sin(phi) - g:
# A < 0 for slip < 0 and mu > 4/3 where tan(phi) = 2. Then there are no accelerations if b < 0, and two if b > 0.
cat >rod.yaml <<SCENE
carom: 1
title: Painleve's rod
parameters: {m: 1, l: 1, g: 9.81, mu: 2, tilt: atan(2), v: -1, spin: 0}
model:
  coordinates:
    x: {velocity: v - l*spin*sin(tilt)}
    y: {start: l*sin(tilt), velocity: l*spin*cos(tilt)}
    phi: {start: tilt, velocity: spin}
  kinetic: m/2*(x_dot^2 + y_dot^2 + l^2/3*phi_dot^2)
  potential: m*g*y
  contacts:
    tip: {gap: y - l*sin(phi), slip: x_dot + l*phi_dot*sin(phi), friction: mu}
run: {integrator: lobatto, events: locate, dt: 1e-3, until: 0.01, tolerance: 1e-11}
SCENE
none="no accelerations satisfy the laws of contact 'tip' at t ="
for integrator in lobatto rattle; do
    run() { "$carom" run rod.yaml --quiet --out none --set run.integrator=$integrator "$@"; }
    expect 2 "the run cannot start: $none 0:" run
    expect 2 "$none 0:" run --set parameters.mu=1.334
    expect 0 "" run --set parameters.mu=1.333
    expect 0 "" run --set parameters.v=1
    # what the message suggests: an impact without collision, which ends the slip
    expect 0 "" run --set run.events=capture
done

# Of the two motions the one that lifts off is taken: in flight the tip rises by sin(tilt) + c t - g t^2/2 - sin(tilt + 5 t),
# c = 5 cos(tilt), which is 6.3661687e-4 m at t = 0.01.
expect 0 "" "$carom" run rod.yaml --set parameters.spin=5 --out flight.h5
grep -qx "located events: 0" stdout || wrong "events in flight: $(grep located stdout)"
expect 0 "" "$carom" export flight.h5 --csv t tip.state
sed -n 2p stdout | grep -qx "0,0" || wrong "not open from the start: $(sed -n 2p stdout)"
expect 0 "" "$carom" export flight.h5 --csv t tip.gap
tail -1 stdout | grep -qE "^0.01[0-9]*,0.0006366168[67]" || wrong "not the flight: $(tail -1 stdout)"

# An arm trails on a belt that turns round at pi/2 s; then it leads, with gN_dotdot = A lambda_N + b,
# J A = l^2 sin(phi) (sin(phi) - mu cos(phi)) and b < 0: it jams there for mu > tan(phi) = 1, in whatever step that is.
cat >arm.yaml <<SCENE
carom: 1
title: Arm on a belt
parameters: {m: 1, l: 1, g: 9.81, mu: 0.99, tilt: pi/4}
model:
  coordinates: {phi: {start: tilt}}
  kinetic: m*l^2/6*phi_dot^2
  potential: -m*g*l/2*cos(phi)
  contacts:
    tip: {gap: l*cos(tilt) - l*cos(phi), slip: l*cos(phi)*phi_dot - cos(t), friction: mu}
run: {integrator: lobatto, events: locate, dt: 0.05, until: 2, tolerance: 1e-11}
SCENE
expect 0 "" "$carom" run arm.yaml --out arm.h5
expect 0 "" "$carom" events arm.h5
grep -qE "^ +1.570796327  tip +reverses" stdout || wrong "slip does not turn at pi/2: $(cat stdout)"
for integrator in lobatto rattle; do
    expect 1 "$none 1.57079633:" "$carom" run arm.yaml --out none --quiet --set parameters.mu=1.01 \
        --set run.integrator=$integrator
done

finish
