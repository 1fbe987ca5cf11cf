#!/bin/bash
# carom gradient: what it prints, which exit codes it has, and what it refuses.
. tests/robustness/support.bash
cd "$scratch" || exit 1

cat >ball.yaml <<'SCENE'
carom: 1
parameters: {g: 10, e: 0.5, z0: 5, length: 2*z0}
model:
  coordinates: {z: {start: z0}}
  kinetic: z_dot^2/2
  potential: g*z
  contacts: {floor: {gap: z, restitution: e}}
run: {integrator: lobatto, events: locate, dt: 0.3, until: 2, tolerance: 1e-12}
SCENE

# It falls for a second, with 10 at the end, and rebounds with 5: z(1.5) = e 10 (T - t) - 5 (T - t)^2 = 1.25,
# dz/de = 10 (T - t) = 5; with t' = 1/10 and v' = 1 for z0: e (T - t) - (e v - g (T - t)) t' = 0.25.
expect 0 "" "$carom" gradient ball.yaml --of z --by e,z0,start.z --at 1.5
grep -q '^z = 1.25$' stdout || wrong "it prints '$(cat stdout)'"
grep -Eq '^  by e +5$' stdout || wrong "dz/de: '$(cat stdout)'"
[ "$(grep -cE '^  by (z0|start.z) +0.25$' stdout)" = 2 ] || wrong "dz/dz0: '$(cat stdout)'"
grep -q "^margin 1 over 1 event$" stdout || wrong "it prints '$(cat stdout)'"
grep -q "^  transversality  1 at t = 1, contact 'floor'$" stdout || wrong "it prints '$(cat stdout)'"

expect 0 "" "$carom" gradient ball.yaml --of "event(1).t" --by z0,g --json --check
grep -Eq '^\{"value": (1|0.9999999999[0-9]*|1.00000000000[0-9]*), "gradient": \{"z0": 0.1[0-9]*, "g": -0.0[0-9]*\}, "margin": 1, ' stdout ||
    wrong "it prints '$(cat stdout)'"
grep -q '"differences": {"z0": 0.[01]' stdout || wrong "no differences in '$(cat stdout)'"

expect 0 "" "$carom" gradient ball.yaml --of "2*e + z" --by e --at 0.5 --csv table.csv
[ "$(cat table.csv)" = "by,derivative
e,2" ] || wrong "the table is '$(cat table.csv)'"

expect 0 "" "$carom" gradient ball.yaml --of z --by e --set run.events=capture
grep -q '^note: events are captured' stdout || wrong "a captured run does not say so"

# The adjoint says the same, and that it was asked; from eight derivatives on it is taken without being asked.
expect 0 "" "$carom" gradient ball.yaml --of "z + event(1).t + 2*e" --by e,z0,g,start.z --at 1.5 --json --forward
there=$(grep -o '"gradient": {[^}]*}' stdout)
expect 0 "" "$carom" gradient ball.yaml --of "z + event(1).t + 2*e" --by e,z0,g,start.z --at 1.5 --json --adjoint
grep -q '"method": "adjoint"' stdout || wrong "no method in '$(cat stdout)'"
python3 -c "import json, sys
a, b = (json.loads('{' + x + '}')['gradient'] for x in sys.argv[1:])
sys.exit(any(abs(a[k] - b[k]) > 1e-12 for k in a) or len(a) != 4 or len(b) != 4)" "$there" "$(grep -o '"gradient": {[^}]*}' stdout)" ||
    wrong "forward $there, adjoint '$(cat stdout)'"
expect 0 "" "$carom" gradient ball.yaml --of z --by e,z0,g,start.z,e,z0,g,start.z --at 1.5
grep -q '^by the adjoint, back from the end$' stdout || wrong "it prints '$(cat stdout)'"
expect 2 "--adjoint or --forward, not both" "$carom" gradient ball.yaml --of z --by e --adjoint --forward

# The derivatives of the JSON object in stdout, in order, to 1e-10.
agree() {
    grep -o '"gradient": {[^}]*}' stdout | grep -o ': [-+.e0-9]*' | tr -d ': ' | tr '\n' ' ' |
        awk -v truth="$1" '{ n = split(truth, x); if (NF != n) exit 1
            for (i = 1; i <= n; i++) { off = $i - x[i]; if (off > 1e-10 || off < -1e-10) exit 1 } }' ||
        wrong "not $1: '$(cat stdout)'"
}
# Extrema: x = a cos(w t) + b/w sin(w t) has the largest value sqrt(a^2 + (b/w)^2); a ball rises to e^2 z0 after its
# first impact, before which the formula is far below. At the impact itself z has a corner.
cat >swing.yaml <<'SCENE'
carom: 1
parameters: {a: 1, b: 0.5, w: 2}
model: {coordinates: {x: {start: a, velocity: b}}, kinetic: x_dot^2/2, potential: w^2*x^2/2}
run: {integrator: lobatto, stages: 4, dt: 0.05, until: 2, tolerance: 1e-13}
SCENE
expect 0 "" "$carom" gradient swing.yaml --of "max(x)" --by a,b,w --json
agree "0.9701425001453319 0.12126781251816648 -0.03031695312954162"
expect 0 "" "$carom" gradient ball.yaml --of "max(z - 100*(t < 1.2))" --by e,z0,g --at 2 --json
agree "5 0.25 0"
expect 1 "'min(z)' is at a corner of the motion" "$carom" gradient ball.yaml --of "min(z)" --by e --at 1.5
# The speed is largest just before the first strike and lowest just after it, at no end of a step.
for formula in "min(z_dot)" "max(z_dot)"; do
    expect 1 "'$formula' is at a jump of the motion" "$carom" gradient ball.yaml --of "$formula" --by e,z0 --at 1.5
done
expect 2 "an extremum of an extremum" "$carom" gradient ball.yaml --of "max(max(z))" --by e

# A ball that starts where it strikes: only starts above the floor have a derivative, e g T - e + g T there.
cat >strikes.yaml <<'SCENE'
carom: 1
parameters: {g: 9.81, e: 0.5}
model: {coordinates: {z: {start: 0, velocity: -1}}, kinetic: z_dot^2/2, potential: g*z, contacts: {floor: {gap: z, restitution: e}}}
run: {integrator: lobatto, events: locate, dt: 0.01, until: 0.05, tolerance: 1e-13}
SCENE
expect 0 "" "$carom" gradient strikes.yaml --of z --by start.z,e
grep -Eq '^  by start.z +from above 0.23575; from below none: .*on this side beyond it$' stdout || wrong "it prints '$(cat stdout)'"
expect 0 "" "$carom" gradient strikes.yaml --of z --by start.z,e --json --csv sides.csv
grep -Eq '"start.z": null, "e": 0.0(5|4999999999999)[0-9]*.*"one_sided": \{"start.z": \{"above": 0.2357[0-9]*, "below": null\}\}' stdout || wrong "it prints '$(cat stdout)'"
grep -q '^by,derivative,above,below$' sides.csv || wrong "the table is '$(cat sides.csv)'"

expect 2 "gradient needs a formula" "$carom" gradient ball.yaml --by e
expect 2 "gradient needs what to differentiate by" "$carom" gradient ball.yaml --of z
expect 2 "there is no 'x'" "$carom" gradient ball.yaml --of x --by e
expect 2 "there is no parameter 'ee', did you mean 'e'?" "$carom" gradient ball.yaml --of z --by ee
expect 2 "no derivative by 'length', which cannot change: it follows from others" "$carom" gradient ball.yaml --of z --by length
expect 2 "the run has 2 events, and no event(9)" "$carom" gradient ball.yaml --of "event(9).t" --by e --at 2.1
expect 2 "there is no derivative of 'floor.PN'" "$carom" gradient ball.yaml --of floor.PN --by e
expect 2 "--at needs a time, not 'soon'" "$carom" gradient ball.yaml --of z --by e --at soon
expect 2 "the time -1 is not after the start, 0" "$carom" gradient ball.yaml --of z --by e --at -1
expect 0 "" "$carom" gradient ball.yaml --of z --by e --at 1.5 --set run.integrator=rattle
grep -Eq '^  by e +5$' stdout || wrong "dz/de of rattle: '$(cat stdout)'"
finish
