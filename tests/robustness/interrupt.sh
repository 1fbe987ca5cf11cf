#!/bin/bash
# Ctrl-C, SIGTERM and kill -9: what is recorded survives, and --resume ends with the same bits as a run left alone.
. tests/robustness/support.bash
ball ball "until: 3000, every: 70"
box box "until: 2000, every: 7"
here=$PWD
cd "$scratch" || exit 1

hash_of() { grep "^state hash" "$1" | cut -d' ' -f3; }

# whole SCENE [OPTIONS]: from now on it is about this scene, run here without interruption.
whole() {
    run=("$carom" run "$@")
    expect 0 "" "${run[@]}" --out whole.h5 --csv whole.csv
    hash=$(hash_of stdout)
    grep -v " steps to " stdout >whole.summary
    "$carom" export whole.h5 --csv --events whole.events.csv 2>/dev/null || echo none >whole.events.csv
}

# start: a run in the background that has begun its result; its process is $pid.
start() {
    rm -f part.h5
    "${run[@]}" --out part.h5 >stdout 2>stderr &
    pid=$!
    for _ in $(seq 6000); do
        [ -s part.h5 ] && break
        sleep 0.01
    done
}

# listens: waits until the process $pid catches SIGINT and SIGTERM, whatever else the machine is doing.
listens() {
    local caught
    for _ in $(seq 6000); do
        caught=$(sed -n 's/^SigCgt:[[:space:]]*//p' "/proc/$pid/status" 2>/dev/null)
        [ $((0x${caught:-0} & 0x4002)) = $((0x4002)) ] && break
        sleep 0.01
    done
}

# cpu: tenths of seconds that the processes waited for have computed so far.
cpu() { times | awk 'NR == 2 {split($1, u, "[ms]"); split($2, s, "[ms]"); printf "%d", 600*(u[1] + s[1]) + 10*(u[2] + s[2])}'; }

# The result is written about once a second: a pause makes a short run long enough.
pause() {
    sleep 0.1
    kill -STOP "$pid"
    sleep 1.3
    kill -CONT "$pid"
    for _ in $(seq 50); do
        [ "$("$carom" export part.h5 --csv t 2>/dev/null | wc -l)" -gt 1 ] && break
    done
}

# stop SIGNAL: ends it and returns its exit code.
stop() {
    kill "-$1" "$pid"
    wait "$pid" 2>/dev/null
}

resume() {
    expect 0 "" "${run[@]}" --out part.h5 --resume
    [ "$(hash_of stdout)" = "$hash" ] || wrong "another final state after $1"
    grep -v " steps to " stdout | cmp -s - whole.summary || wrong "another summary after $1: $(diff stdout whole.summary)"
    expect 0 "" "$carom" export part.h5 --csv part.csv
    cmp -s whole.csv part.csv || wrong "another recording after $1"
    "$carom" export part.h5 --csv --events part.events.csv 2>/dev/null || echo none >part.events.csv
    cmp -s whole.events.csv part.events.csv || wrong "other events after $1"
    expect 0 "" "${run[@]}" --out part.h5 --resume
    grep -q "finished already" stdout || wrong "not finished after $1"
}

# interrupted SIGNAL: exit code 130, one line that tells how to go on, everything up to there on disk.
interrupted() {
    start
    stop "$1"
    local code=$?
    [ "$code" = 130 ] || wrong "exit code $code after SIG$1: $(cat stderr)"
    [ "$(wc -l <stderr)" = 1 ] || wrong "not one line after SIG$1: $(cat stderr)"
    grep -q "to go on: carom run .* --resume .*--out part.h5" stderr || wrong "no word how to go on: $(cat stderr)"
    expect 0 "" "$carom" export part.h5 --csv part.csv
    head -"$(wc -l <part.csv)" whole.csv | cmp -s - part.csv || wrong "the recorded part differs after SIG$1"
}

killed() {
    start
    "$@"
    stop KILL
    [ $? = 137 ] || wrong "the run was over before kill -9"
}

whole ball.yaml
interrupted INT
resume Ctrl-C
interrupted TERM
resume SIGTERM
killed
resume "an early kill -9"

# a mechanism with friction and impacts, whose solver has more to remember
whole "$here/scenes/paper/rattle/slider_crank.yaml" --set run.dt=2e-6 --set run.every=50
killed pause
[ "$("$carom" export part.h5 --csv t | wc -l)" -gt 10 ] || wrong "nothing survived kill -9"
resume "kill -9"

# located events, several in most steps and rows rarely
whole box.yaml
[ "$(wc -l <whole.events.csv)" -gt 3000 ] || wrong "few events"
killed pause
[ "$("$carom" export part.h5 --csv --events t | wc -l)" -gt 10 ] || wrong "no events survived kill -9"
resume "kill -9 among events"

# interrupted twice
interrupted INT
"${run[@]}" --out part.h5 --resume >stdout 2>stderr &
pid=$!
listens
stop INT
resume "two interruptions"

# the command that goes on can be typed as it stands, whatever the names are
cp ball.yaml "the ball's.yaml"
run=("$carom" run "the ball's.yaml" --set "title=It's a ball" --set run.until=3000)
start
stop INT
grep -q "to go on: carom run " stderr || wrong "no word how to go on: $(cat stderr)"
eval "$(sed "s|.*to go on: carom|'$carom'|" stderr)" >stdout 2>stderr || wrong "it does not go on: $(cat stderr)"
grep -q "^part.h5: .* to t = 3000 " stdout || wrong "it does not go on to the end: $(cat stdout)"

# while a scene is loading: at once, one line, and no file
cat >slow.yaml <<'SCENE'
carom: 1
title: A chain whose equations take seconds to derive
parameters: {n: 200}
model:
  coordinates: {"a[i=1..n]": {start: 0.1*i}}
  kinetic: sum(i=1..n, sum(j=1..i, cos(a[j])*a_dot[j])^2 + sum(j=1..i, sin(a[j])*a_dot[j])^2)/2
run: {integrator: rattle, dt: 1e-3, until: 1}
SCENE
for words in "run slow.yaml --out slow.h5" "check slow.yaml" "converge slow.yaml --dt 1e-2,1e-3 --reference 1e-4 --out slow" \
    "compare slow.yaml --integrators rattle,moreau --out slow"; do
    for signal in INT TERM; do
        # shellcheck disable=SC2086
        "$carom" $words >stdout 2>stderr &
        pid=$!
        listens
        sleep 0.3
        before=$(cpu)
        stop $signal
        code=$?
        [ "$code" = 130 ] || wrong "exit code $code after SIG$signal while loading: $words: $(cat stderr)"
        [ "$(cat stderr)" = "carom: interrupted" ] || wrong "not one line while loading: $words: $(cat stderr)"
        [ $(($(cpu) - before)) -le 20 ] || wrong "SIG$signal while loading took its time: $words"
    done
done
[ ! -e slow.h5 ] && [ ! -e slow.h5.new ] && [ ! -e slow ] || wrong "files of a run that never began"

# within a step that takes long: its forces turn so often that Newton's method fails, in every part of it
cat >hard.yaml <<'SCENE'
carom: 1
title: A step that takes 20 s and then fails
model:
  coordinates: {x: {start: 0.1, velocity: 1}}
  kinetic: x_dot^2/2
  forces: {x: "1e15*sum(i=1..400000, sin(1e4*i*x))"}
  contacts: {floor: {gap: x}}
run: {integrator: lobatto, stages: 4, dt: 1e-2, until: 1}
SCENE
run=("$carom" run hard.yaml)
before=$(cpu)
start
sleep 1
spent=$(awk '{print int(($14 + $15)/10)}' "/proc/$pid/stat")
stop TERM
code=$?
[ "$code" = 130 ] || wrong "exit code $code after SIGTERM within a step: $(cat stderr)"
grep -q "interrupted at t = 0" stderr || wrong "no word of the last whole step: $(cat stderr)"
[ $(($(cpu) - before - spent)) -le 15 ] || wrong "SIGTERM within a step took its time: $(($(cpu) - before - spent)) tenths"
finish
