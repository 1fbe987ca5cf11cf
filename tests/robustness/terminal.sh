#!/bin/bash
# Progress with rate and time left on a terminal, nothing in a pipe.
. tests/robustness/support.bash
ball ball "until: 400"
cd "$scratch" || exit 1

expect 0 "" "$carom" run ball.yaml
script -qec true /dev/null >/dev/null 2>&1 </dev/null || exit 77 # no pseudo-terminals here
script -qec "'$carom' run ball.yaml" /dev/null >screen </dev/null
grep -q "steps/s .*left" screen || wrong "no progress on a terminal"
script -qec "'$carom' run ball.yaml --quiet" /dev/null >screen </dev/null
[ ! -s screen ] || wrong "--quiet speaks: $(head -c 200 screen)"
script -qec "'$carom' converge ball.yaml --dt 4e-3,2e-3 --out none" /dev/null >screen </dev/null
grep -q "of 3 runs .*steps/s .*left" screen || wrong "no progress of a study"
finish
