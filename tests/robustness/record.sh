#!/bin/bash
# What is recorded where it is asked for: forces are percussions over the step, and carry weights.
. tests/robustness/support.bash
cd "$scratch" || exit 1

cat >block.yaml <<'END'
carom: 1
model:
  gravity: [0, 0, -10]
  bodies: {block: {type: spatial, mass: 3, shape: {box: [1, 1, 1]}, position: [0, 0, 0.5]}}
  contacts: {floor: {between: [block, {body: world, plane: [0, 0, 1]}], friction: 0.5}}
run: {integrator: moreau, dt: 1e-2, until: 0.5, record: [floor1.PN, "floor?.FN"]}
END
expect 0 "" "$carom" run block.yaml --out block.h5 --quiet
expect 0 "" "$carom" export block.h5 --csv block.csv
head -1 block.csv | grep -q '^t,floor1.PN,floor1.FN,.*,floor8.FN$' || wrong "columns: $(head -1 block.csv)"
# the corners carry 30 N together, to the accuracy of a step: 1e-10 m/s of velocity are 3e-8 N over dt
tail -n +3 block.csv | awk -F, '{sum = 0; for (i = 3; i <= NF; i++) sum += $i
    if (sum < 30 - 1e-6 || sum > 30 + 1e-6) print "WRONG: the corners carry", sum
    if ($2 - 0.01*$3 > 1e-15 || 0.01*$3 - $2 > 1e-15) print "WRONG:", $2, "is not dt", $3}' >found
[ -s found ] && { cat found; wrong "forces"; }
expect 0 "" "$carom" list quantities block.yaml
grep -q '^floor8.FN  *N$' stdout || wrong "list quantities does not offer forces"
expect 2 "no recorded quantity is named 'floor1.FM', did you mean 'floor1.FN'?" "$carom" run block.yaml --set 'run.record=[floor1.FM]'
expect 2 "records no 'block.R11': run it with --set 'run.record=[\"*\", block.R11]'" "$carom" plot block.h5 block.R11
expect 2 "records no 'floor.force'; forces are the percussions over dt, as 'floor1.FN'" "$carom" plot block.h5 floor.force
finish
