#!/bin/bash
# Progress with rate and time left on a terminal, nothing in a pipe.
. tests/robustness/support.bash
ball ball "until: 2000, every: 100" # a second or more: progress is told every fifth of one
cd "$scratch" || exit 1

expect 0 "" "$carom" run ball.yaml
export TERM=xterm
script -qec true /dev/null >/dev/null 2>&1 </dev/null || exit 77 # no pseudo-terminals here
script -qec "'$carom' run ball.yaml" /dev/null >screen </dev/null
grep -q "steps/s .*left" screen || wrong "no progress on a terminal"
script -qec "'$carom' run ball.yaml --quiet" /dev/null >screen </dev/null
[ ! -s screen ] || wrong "--quiet speaks: $(head -c 200 screen)"
script -qec "'$carom' converge ball.yaml --dt 4e-3,2e-3 --out none" /dev/null >screen </dev/null
grep -q "of 3 runs .*steps/s .*left" screen || wrong "no progress of a study"

# before the first step: a scene that comes slowly
mkfifo slow.yaml
slowly() {
    (sleep 2; cat ball.yaml >slow.yaml) &
    script -qec "'$carom' run slow.yaml --out none $*" /dev/null >screen </dev/null
    wait
}
slowly
grep -q "reading slow.yaml, [0-9]* s" screen || wrong "no progress while a scene is read"
slowly --quiet
[ ! -s screen ] || wrong "--quiet speaks while it reads: $(head -c 200 screen)"

# a narrow terminal: each line fits, so that the next one goes over it
script -qec "stty cols 24; '$carom' run ball.yaml --out none" /dev/null >screen </dev/null
tr '\r' '\n' <screen | grep "%" | sed 's/\x1b\[K//' >lines
[ -s lines ] || wrong "no progress on a narrow terminal"
awk 'length > 23 { bad = 1 } END { exit bad }' lines || wrong "too long for 24 columns: $(head -1 lines)"

# a terminal that knows no commands gets none, nor does one of which nothing is known
for kind in TERM=dumb -uTERM; do
    script -qec "env $kind '$carom' run ball.yaml --out none" /dev/null >screen </dev/null
    grep -q $'\x1b' screen && wrong "$kind: commands to the terminal"
    grep -q "state hash" screen || wrong "$kind: no summary"
done
finish
