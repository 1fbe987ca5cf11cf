#!/bin/bash
# Steps beyond the limit of stability are told before the first one: by check and run, for integrators that have a limit.
. tests/robustness/support.bash
cd "$scratch" || exit 1

# omega = 2 sqrt(k/m) = 2000: the limit is dt = 1e-3 for x = 2
cat >spring.yaml <<SCENE
carom: 1
title: Two masses on a spring
model:
  coordinates: {a: 0, b: {start: 1.001}, c: {velocity: 1}}
  kinetic: (a_dot^2 + b_dot^2 + c_dot^2)/2
  potential: 2e6*(b - a - 1)^2/2
run: {integrator: rattle, dt: 1.1e-3, until: 0.0022}
SCENE
beyond="exceeds the limit of stability 0.001 of rattle at the initial state: its fastest motion, mostly of"

expect 0 "note: dt = 0.0011 $beyond" "$carom" run spring.yaml --out none
grep -qx "CFL number: 1.1" stdout || wrong "no CFL number in the summary: $(cat stdout)"
expect 0 "note: dt = 0.0011 $beyond" "$carom" run spring.yaml --out none --quiet
expect 0 "" "$carom" check spring.yaml
grep -q "^note: dt = 0.0011 $beyond '[ab]_dot', has omega = 2000; take a smaller dt, or nsga or theta" stdout ||
    wrong "check says nothing: $(cat stdout)"
grep -q "^ok: 3 coordinates" stdout || wrong "a note is no error: $(cat stdout)"

for choice in run.dt=0.9e-3 run.integrator=nsga run.integrator=theta run.integrator=lobatto; do
    expect 0 "" "$carom" run spring.yaml --out none --set $choice
    expect 0 "" "$carom" check spring.yaml --set $choice
    ! grep -q note stdout || wrong "$choice: $(cat stdout)"
done
expect 2 "run.integrator=multisymplectic: dt = 0.0011 exceeds the limit of stability 0.001 of multisymplectic" \
    "$carom" run spring.yaml --out none --set run.integrator=multisymplectic

expect 0 "" "$carom" describe moreau
grep -q "^  stable     dt^2 omega^2 + 2 dt delta < 4" stdout || wrong "describe does not state the limit: $(cat stdout)"
for integrator in $("$carom" list integrators | awk '{ print $1 }'); do
    expect 0 "" "$carom" describe "$integrator"
    grep -q "^  stable  " stdout || wrong "describe $integrator does not state the limit"
done
finish
