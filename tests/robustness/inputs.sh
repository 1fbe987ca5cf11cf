#!/bin/bash
# --input: a mass of 1 kg follows a force from a file. What it does is known: the file is linear, step or a cubic spline,
# and lobatto with three stages is exact for forces that are cubic in t, up to round-off, where steps end at the rows.
. tests/robustness/support.bash
cd "$scratch" || exit 1
cat >mass.yaml <<'SCENE'
carom: 1
title: A mass that is driven
inputs: {motor: 0}
model:
  coordinates: {x: {}}
  kinetic: x_dot^2/2
  forces: {x: motor}
run: {integrator: lobatto, stages: 3, events: locate, dt: 0.17, until: 3.4}
SCENE
printf 't, N\n0.25, 1\n1, 4\n2, -2\n' >force.csv

# ends X_DOT OPTIONS...: the velocity at the end, which is the integral of the force over 3.4 s
ends() {
    local wanted=$1
    shift
    expect 0 "" "$carom" run mass.yaml "$@" --csv -
    tail -n 1 stdout | awk -F, -v wanted="$wanted" '{ exit !(($3 - wanted)^2 < 1e-26) }' ||
        wrong "the mass ends with $(tail -n 1 stdout), not with x_dot = $wanted, after $*"
}
# linear: 1 for 0.25 s, 2.5 in the mean over 0.75 s, 1 over 1 s, -2 for 1.4 s
ends 0.325 --input motor=force.csv
ends 0.325 --input motor=force.csv,linear
# step: 1 for 1 s, 4 for 1 s, -2 for 1.4 s
ends 2.2 --input motor=force.csv,step
# the natural spline through (0.25, 1), (1, 4), (2, -2) has the second derivative -60/3.5 in the middle and 0 at the ends;
# over a piece of length h the integral is h (y0 + y1)/2 - h^3 (s0 + s1)/24
ends "$(awk 'BEGIN { s = -60/3.5; printf "%.17g", 0.325 - (0.75^3 + 1)*s/24 }')" --input motor=force.csv,cubic

# killed and resumed: the same bits; without the file the run is another one
run=("$carom" run mass.yaml --input motor=force.csv,cubic --set run.dt=1e-5 --set run.every=100)
expect 0 "" "${run[@]}" --out whole.h5
hash=$(grep "^state hash" stdout)
{ timeout -s KILL 0.6 "${run[@]}" --out part.h5 >/dev/null 2>&1; } 2>/dev/null
expect 0 "" "${run[@]}" --out part.h5 --resume
[ "$(grep "^state hash" stdout)" = "$hash" ] || wrong "another end after kill -9"
expect 2 "belongs to a different scene" "$carom" run mass.yaml --set run.dt=1e-5 --set run.every=100 --out part.h5 --resume

# every command that runs a scene takes it, and what is wrong is said
expect 0 "" "$carom" check mass.yaml --input motor=force.csv
expect 0 "" "$carom" compare mass.yaml --integrators lobatto,rattle --reference 0.085 --input motor=force.csv --out none
expect 0 "" "$carom" converge mass.yaml --dt 0.17,0.085 --reference 0.0425 --input motor=force.csv --out none
expect 2 "nowhere.csv: cannot read the table" "$carom" run mass.yaml --input motor=nowhere.csv --out none
for command in run check "converge --dt 0.17,0.085 --reference 0.0425"; do
    # shellcheck disable=SC2086 # words
    expect 2 "inputs.moter: there is no input 'moter', did you mean 'motor'?" "$carom" $command mass.yaml --input moter=force.csv
done
grep -v "^inputs" mass.yaml | sed 's/x: motor/x: 1/' >alone.yaml
expect 2 "there is no input 'motor': the scene declares no inputs" "$carom" run alone.yaml --input motor=force.csv --out none
expect 2 "is not NAME=FILE" "$carom" run mass.yaml --input motor --out none
finish
