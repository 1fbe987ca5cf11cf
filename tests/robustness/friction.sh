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
grep -Eq '^block.dat +1 solved +[0-9.e+-]+ +[0-9.]+ s  automatic$' stdout || wrong "it prints '$(cat stdout)'"
for solver in gauss_seidel proximal_newton; do
    expect 0 "" "$carom" friction block.dat --solver $solver --tolerance 1e-12
    grep -q "solved.* $solver\$" stdout || wrong "it prints '$(cat stdout)'"
done
expect 0 "" "$carom" friction block.dat --json
for key in '"problem": "block.dat"' '"contacts": 1' '"solved": true' '"error": ' '"seconds": '; do
    grep -qF "$key" stdout || wrong "no $key in $(cat stdout)"
done
[ "$(wc -l <stdout)" = 1 ] || wrong "an object takes more than a line"

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
finish
