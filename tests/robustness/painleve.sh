#!/bin/bash
# Painleve's paradox with located events: where friction leaves rigid bodies no accelerations, the run does not start, or captures steps;
# where these have no solution either, it ends with a sentence that names contact and time. Just short of it, it runs.
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

# A box thrown into a corner slides on one of its own corners until friction leaves it no accelerations: there its steps are captured,
# and told.
cat >box.yaml <<SCENE
carom: 1
title: Box in a corner
model:
  gravity: [-3, -3, -9.81]
  bodies:
    b: {type: spatial, mass: 0.859297, shape: {box: [0.0105255, 0.00871213, 0.00904976]},
        position: [0.02568581717684492, 0.010892094191941282, 0.030871900076968852],
        rotation: [0.96463624128937853, -0.62438553503180683, 0.086355869882628333, 0.12375758053680959],
        velocity: [-0.13607004099857656, -0.10369387096434068, -0.012927238604942437],
        angular_velocity: [-6.7603676364831813, -11.516837574730783, 9.551209117418928]}
  contacts:
    a: {between: [b, {body: world, plane: [0.28162128749413223, -0.061391306273666166, 0.9575596889720035]}], friction: 1.5, restitution: 0.465785}
    b: {between: [b, {body: world, plane: [0.97002808933233209, 0.20893891475254089, 0.12405658309132823]}], friction: 1.5, restitution: 0.465785}
    c: {between: [b, {body: world, plane: [0.035572839617229929, 0.99672413299837914, 0.07263315895785083]}], friction: 1.5, restitution: 0.465785}
run: {integrator: lobatto, stages: 4, events: locate, dt: 0.000645373, until: 0.258149}
SCENE
expect 0 "" "$carom" run box.yaml --out box.h5
grep -q "^captured steps: [1-9]" stdout || wrong "no captured steps are told: $(cat stdout)"

finish
