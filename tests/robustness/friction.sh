#!/bin/bash
# carom friction: what it prints, which exit codes it has, and what it refuses.
. tests/robustness/support.bash
cd "$scratch" || exit 1

# A block that comes down with 1 and slides with 4 on a floor with friction 0.5: full block, then q, mu. And a body between
# walls that close.
printf '3\n1\n0\n3 3 3 3\n1 0 0 0 1 0 0 0 1\n-1 4 0\n0.5\n' >block.dat
printf '2\n2\n0\n4 4 4 4\n1 0 -1 0  0 1 0 -1  -1 0 1 0  0 -1 0 1\n-1 0 -1 0\n0.5 0.5\n' >jam.dat
printf '3\nnonsense\n' >bad.dat

expect 0 "" "$carom" friction block.dat
grep -Eq '^block.dat +1 solved +[0-9.e+-]+ +[0-9.]+ s  gauss_seidel$' stdout || wrong "it prints '$(cat stdout)'"
for solver in gauss_seidel proximal_newton; do
    expect 0 "" "$carom" friction block.dat --solver $solver --tolerance 1e-12
    grep -q "solved.* $solver\$" stdout || wrong "it prints '$(cat stdout)'"
done
expect 0 "" "$carom" friction block.dat --json
for key in '"solver": "gauss_seidel"' '"problem": "block.dat"' '"contacts": 1' '"solved": true' '"error": ' '"seconds": '; do
    grep -qF "$key" stdout || wrong "no $key in $(cat stdout)"
done
[ "$(wc -l <stdout)" = 1 ] || wrong "an object takes more than a line"

# The solver named is the one that found the percussions: Newton for two contacts of one body, none for a block that
# flies away.
printf '3\n2\n0\n6 6 6 6\n1 0 0 .5 0 0  0 1 0 0 1 0  0 0 1 0 0 1  .5 0 0 1 0 0  0 1 0 0 1 0  0 0 1 0 0 1\n-1 .2 0 -1 .2 0\n.5 .5\n' >two.dat
printf '3\n1\n0\n3 3 3 3\n1 0 0 0 1 0 0 0 1\n1 4 0\n0.5\n' >flies.dat
expect 0 "" "$carom" friction two.dat
grep -q 'solved.* newton$' stdout || wrong "it prints '$(cat stdout)'"
expect 0 "" "$carom" friction flies.dat
grep -q 'solved.* guess$' stdout || wrong "it prints '$(cat stdout)'"

# No contacts are no trouble, and names are UTF-8 in JSON whatever bytes they have.
printf '3\n0\n0\n0 0 0 0\n' >none.dat
expect 0 "" "$carom" friction none.dat
grep -q '0 solved.* guess$' stdout || wrong "it prints '$(cat stdout)'"
cp block.dat $'a"\\\xff.dat'
expect 0 "" "$carom" friction $'a"\\\xff.dat' --json
grep -qF '"problem": "a\"\\\ufffd.dat"' stdout || wrong "it prints '$(cat stdout)'"

# Every file is tried, and the worst exit code counts.
expect 1 "" "$carom" friction jam.dat block.dat
grep -q '^jam.dat .*unsolved.*there is no solution' stdout || wrong "it prints '$(cat stdout)'"
grep -q '^block.dat .* solved' stdout || wrong "a problem without a solution stops the others"
expect 1 "" "$carom" friction jam.dat --json
grep -q '"solved": false.*"reason": "there is no solution' stdout || wrong "it prints '$(cat stdout)'"
expect 2 "bad.dat:2:1: the number of contacts belongs here, not 'nonsense'" "$carom" friction bad.dat block.dat
grep -q '^block.dat .* solved' stdout || wrong "a bad file stops the others"

expect 2 "did you mean 'gauss_seidel'?" "$carom" friction block.dat --solver gauss_siedel
expect 2 "--tolerance needs a positive number" "$carom" friction block.dat --tolerance 0
expect 2 "--limit needs a positive number" "$carom" friction block.dat --limit soon
expect 2 "No such file" "$carom" friction nowhere.dat
expect 2 "Is a directory" "$carom" friction .
ball ball
expect 0 "" "$carom" run ball.yaml
expect 2 "the dimension" "$carom" friction ball.h5
expect 2 "the dimension" "$carom" friction ball.yaml

# Problems of a run: a block of 2 kg on a floor, one step of gravity, sliding: P_N = m g dt, and friction is mu of it.
cat >slide.yaml <<'SCENE'
carom: 1
parameters: {m: 2, g: 10}
model:
  coordinates: {x: {start: 0, velocity: 3}, y: 0}
  kinetic: m/2*(x_dot^2 + y_dot^2)
  potential: m*g*y
  contacts: {floor: {gap: y, slip: x_dot, friction: 0.25}}
run: {integrator: moreau, dt: 0.01, until: 0.2}
SCENE
expect 0 "" "$carom" run slide.yaml
expect 0 "" "$carom" export slide.h5 --fclib problems --at 0.1
grep -qx "problems: 1 problem" stdout || wrong "it says '$(cat stdout)'"
expect 0 "" "$carom" friction problems/slide-i10-0.hdf5 --tolerance 1e-14
grep -q "^slide-i10-0.hdf5  *1 solved" stdout || wrong "it prints '$(cat stdout)'"
for integrator in rattle theta nsga lobatto; do
    expect 0 "" "$carom" run slide.yaml --set run.integrator=$integrator --out $integrator.h5
    expect 0 "" "$carom" export $integrator.h5 --fclib problems --at 0.1
    expect 0 "" "$carom" friction problems/$integrator-*.hdf5
done
expect 2 "not within the run" "$carom" export slide.h5 --fclib problems --at 7
expect 2 "--fclib needs the time" "$carom" export slide.h5 --fclib problems
expect 2 "--at needs a time" "$carom" export slide.h5 --fclib problems --at noon
expect 2 "--at goes with --fclib" "$carom" export slide.h5 --csv --at 1
expect 2 "--csv or --fclib" "$carom" export slide.h5 --csv --fclib problems --at 0.1
expect 2 "no friction problem" "$carom" export ball.h5 --fclib problems --at 0.01
finish
