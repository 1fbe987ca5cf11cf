#!/bin/bash
# Memory that runs out: whichever allocation of the program fails, the command ends with one line, or does what it
# always does.
. tests/robustness/support.bash
refuse=$CAROM_BUILD/tests/preload/refuse.so
[ -e "$refuse" ] || { echo "SKIPPED: a build with sanitizers"; exit 77; }
scenes=$PWD/scenes
cd "$scratch" || exit 1

# refusing NUMBER COMMAND...: the exit code in $code; files go to the folder out, made anew from that of $before.
refusing() {
    local number=$1
    shift
    rm -rf out
    cp -r "$before" out
    REFUSE=$number REFUSE_COUNT=$scratch/count LD_PRELOAD=$refuse "$@" >stdout 2>stderr </dev/null
    code=$?
}

# counted COMMAND...: all goes well with every allocation granted; $count of them, and the folder good.
counted() {
    rm -f count
    refusing -1 "$@"
    [ "$code" = 0 ] || wrong "exit code $code: $*: $(cat stderr)"
    [ -s count ] || { echo "SKIPPED: a C library of another kind"; exit 77; }
    count=$(cat count)
    [ "$count" -gt 100 ] || wrong "only $count allocations are watched: $*"
    rm -rf good
    cp -r out good
}

# each STRIDE COMMAND...: every STRIDE-th allocation. The results themselves hold times and are compared as CSV.
each() {
    local stride=$1 k
    shift
    counted "$@"
    for ((k = 0; k < count; k += stride)); do
        refusing "$k" "$@"
        case $code in
        0) diff -r -x '*.h5' good out >/dev/null && [ ! -s stderr ] || wrong "another result without allocation $k: $*" ;;
        1 | 2) [ "$(wc -l <stderr)" = 1 ] || wrong "$(wc -l <stderr) lines without allocation $k: $*" ;;
        *) wrong "exit code $code without allocation $k: $*" ;;
        esac
    done
}

mkdir empty
before=empty
# joints, contacts and located events; a loop of too many joints; a rim
each 11 "$carom" run "$scenes/paper/lobatto/slider_crank.yaml" --set run.until=0.004 --set run.dt=2e-4 \
    --set run.events=locate --quiet --out out/run.h5 --csv out/run.csv
each 37 "$carom" run "$scenes/gallery/four_bar_space.yaml" --set run.integrator=theta --set run.until=2e-3 \
    --quiet --out out/run.h5 --csv out/run.csv
each 37 "$carom" run "$scenes/gallery/coin.yaml" --set run.integrator=rattle --set run.events=locate \
    --set run.until=2e-3 --quiet --out out/run.h5 --csv out/run.csv
# a chain of contacts by both solvers, from a file
awk 'BEGIN { printf "3 12 0 36 36 36 36"
    for (i = 0; i < 36; i++) for (j = 0; j < 36; j++) printf " %d", i == j ? 2 : i - j == 3 || j - i == 3 ? -1 : 0
    for (a = 0; a < 12; a++) printf " -1 1.5 0.2"
    for (a = 0; a < 12; a++) printf " 0.4"; print "" }' >column.dat
each 1 "$carom" friction column.dat column.dat --tolerance 1e-12
each 1 "$carom" friction column.dat column.dat --tolerance 1e-12 --solver proximal_newton
each 47 "$carom" check "$scenes/gallery/dice.yaml"

"$carom" run "$scenes/paper/lobatto/slider_crank.yaml" --set run.until=0.004 --set run.dt=2e-4 --set run.events=locate \
    --quiet --out crank.h5
"$carom" run "$scenes/gallery/dice.yaml" --set run.until=0.02 --quiet --out dice.h5
each 7 "$carom" export crank.h5 --csv out/crank.csv
each 19 "$carom" events crank.h5 --csv out/events.csv
each 13 "$carom" plot crank.h5 phi3 'P*.gap' phi2:phi2_dot --out out/crank.svg
each 59 "$carom" plot dice.h5 --scene --trails --frames 3 --out out/dice.svg
each 59 "$carom" export dice.h5 --vtk out --times 0,0.01

ball ball "until: 0.1"
each 29 "$carom" converge ball.yaml --dt 1e-2..2.5e-3/3 --jobs 1 --out out
each 29 "$carom" compare ball.yaml --integrators rattle,moreau --dt 1e-2 --repeat 0 --jobs 1 --out none

# a reproduction goes on without what it could not have, says so, and has the same values else
claims() { grep '"id"' "$1/report.json"; }
"$carom" reproduce --quick rattle/fig2 --jobs 1 --out kept --quiet || wrong "no reproduction"
before=kept
counted "$carom" reproduce --quick rattle/fig2 --jobs 1 --out out
for ((k = 0; k < count; k += 67)); do
    refusing "$k" "$carom" reproduce --quick rattle/fig2 --jobs 1 --out out
    case $code in
    0) [ "$(claims good)" = "$(claims out)" ] || wrong "another reproduction without allocation $k" ;;
    1 | 2) grep -q "out of memory" stdout stderr || wrong "silent without allocation $k: $(cat stdout stderr)" ;;
    *) wrong "exit code $code of the reproduction without allocation $k" ;;
    esac
done
finish
