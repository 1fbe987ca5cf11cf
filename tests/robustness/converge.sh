#!/bin/bash
# carom converge: what is wrong is said in one line before anything is computed, results do not depend on the number of
# processes, recordings serve as references, and an interruption leaves nothing running.
. tests/robustness/support.bash
ball ball "until: 0.4"
cp tests/unit/oscillator.yaml "$scratch"
slope=$PWD/scenes/paper/rattle/slope_1.yaml
cd "$scratch" || exit 1

# arguments
expect 2 "which step sizes? --dt" "$carom" converge ball.yaml
expect 2 "'' is not a step size" "$carom" converge ball.yaml --dt ""
expect 2 "'x' is not a step size" "$carom" converge ball.yaml --dt 1e-2,x
expect 2 "a step size must be positive, '0' is not" "$carom" converge ball.yaml --dt 1e-2,0
expect 2 "a step size must be positive, '-1e-3' is not" "$carom" converge ball.yaml --dt=-1e-3
expect 2 "a range is FIRST..LAST/NUMBER" "$carom" converge ball.yaml --dt 1e-1..1e-3
expect 2 "dt = 0.5 is longer than the run from t = 0 until 0.4" "$carom" converge ball.yaml --dt 0.5,0.1
expect 2 "dt = 1e-20 is too small" "$carom" converge ball.yaml --dt 1e-20
expect 2 "there is no norm 'maxx', did you mean 'max'?" "$carom" converge ball.yaml --dt 0.1 --norm maxx
expect 2 "there is no integrator 'ratle', did you mean 'rattle'?" "$carom" converge ball.yaml --dt 0.1 --integrators ratle
expect 2 "integrator 'rattle' has no option 'stages'" "$carom" converge ball.yaml --dt 0.1 --integrators rattle:stages=3
expect 2 "'moreau' is given twice" "$carom" converge ball.yaml --dt 0.1 --integrators moreau,moreau
expect 2 "--jobs is a number of processes, not '0'" "$carom" converge ball.yaml --dt 0.1 --jobs 0
expect 2 "--jobs is a number of processes, not 'all'" "$carom" converge ball.yaml --dt 0.1 --jobs all
expect 2 "ball.yaml has no 'exact' solution" "$carom" converge ball.yaml --dt 0.1 --reference exact
expect 2 "the exact solution does not fit the initial state" "$carom" converge oscillator.yaml --dt 0.1 \
    --set model.coordinates.x.velocity=3
expect 2 "parameters.h" "$carom" converge ball.yaml --dt 0.1 --set parameters.h=1
expect 2 "no_such.yaml" "$carom" converge no_such.yaml --dt 0.1
expect 2 "--out needs a folder" "$carom" converge ball.yaml --dt 0.1 --out ""
expect 2 "ball.yaml: not a directory" "$carom" converge ball.yaml --dt 0.1 --out ball.yaml
expect 2 "no such file or directory" "$carom" converge ball.yaml --dt 0.1 --out no/such/folder
mkdir closed && chmod a-w closed
if ! touch closed/probe 2>/dev/null; then
    expect 2 "closed" "$carom" converge ball.yaml --dt 0.1 --out closed
    expect 2 "permission denied" "$carom" converge ball.yaml --dt 0.1 --out closed/folder
fi
[ ! -e ball_converge ] || wrong "a folder after bad arguments"

expect 2 "there is no integrator '3': write each in full" "$carom" converge ball.yaml --dt 0.1 \
    --integrators lobatto:stages=2,3
expect 2 "(max, l2, lobatto, moreau, nsga, rattle, all)" "$carom" converge ball.yaml --dt 0.1 --norm energy
expect 2 "a NUMBER from 2 to 1000" "$carom" converge ball.yaml --dt 0.1..0.01/2000
expect 2 "GB of memory to compare" "$carom" converge ball.yaml --dt 1e-14
expect 2 "a.jpg: the name of a plot ends in .png" "$carom" converge ball.yaml --dt 0.1 --figure a.jpg
[ ! -s stdout ] || wrong "a study was made before the name of its figure was read"
expect 2 "KEY=VALUE]... [--jobs N]" "$carom" converge

# a study, its files, and what --quiet and --out none leave out
expect 0 "" "$carom" converge oscillator.yaml --dt 0.1..0.0125/4 --integrators rattle,moreau --norm all
for file in converge.csv converge.png; do [ -s oscillator_converge/$file ] || wrong "no $file"; done
[ "$(wc -l <oscillator_converge/converge.csv)" = 97 ] || wrong "the CSV has not q, u x 6 norms x 2 x 4 lines"
grep -q "reference: the exact solution" stdout || wrong "the reference is not named"
grep -q "dt^2p; the orders below are p" stdout || wrong "no word about the square"
[ "$(grep -c "^ *order " stdout)" = 12 ] || wrong "not twelve tables"
expect 0 "" "$carom" converge oscillator.yaml --dt 0.1,0.05 --quiet --out new --figure picture.svg
[ ! -s stdout ] || wrong "--quiet speaks"
[ -s new/converge.csv ] && [ -s picture.svg ] && [ ! -e new/converge.png ] || wrong "--figure is not where it should be"
expect 0 "" "$carom" converge oscillator.yaml --dt 0.1 --out none
[ ! -e none ] || wrong "a folder 'none'"
expect 2 "picture.txt" "$carom" converge oscillator.yaml --dt 0.1 --out none --figure picture.txt

# a picture that is cut off is not taken for one; memory files have the same limit, so this study is small
(ulimit -f 12 && "$carom" converge oscillator.yaml --dt 0.1 --out cut >stdout 2>stderr)
[ $? = 1 ] && grep -q "cut off" stderr || wrong "a picture larger than files may be: $(cat stderr)"

# a quantity without errors has no table; a reference that is no better than the runs is noticed
expect 0 "" "$carom" converge ball.yaml --dt 0.02,0.01 --set run.until=0.3 --out none
grep -q "^PN: no error at all" stdout || wrong "a table of zeros"
expect 0 "" "$carom" converge oscillator.yaml --dt 0.02..0.0025/4 --integrators lobatto,rattle --reference rattle@1e-3 \
    --out none
grep -q "^lobatto: q keeps its error whatever dt" stdout || wrong "no word about a bad reference"
! grep -q "^rattle: q keeps" stdout || wrong "rattle converges"

# one process or several: the same bytes
expect 0 "" "$carom" converge "$slope" --dt 0.02..0.0025/4 --integrators rattle,moreau --jobs 1 --out one
cp stdout one.txt
expect 0 "" "$carom" converge "$slope" --dt 0.02..0.0025/4 --integrators rattle,moreau --jobs 3 --out three
cmp -s one/converge.csv three/converge.csv || wrong "another CSV with three processes"
[ "$(sed '$d' one.txt)" = "$(sed '$d' stdout)" ] || wrong "other tables with three processes"

# a recording is as good as the run it recorded; percussions are summed in another order
expect 0 "" "$carom" run "$slope" --set run.dt=5e-4 --out fine.h5 --csv fine.csv
for reference in 5e-4 rattle@5e-4 fine.h5 fine.csv; do
    expect 0 "" "$carom" converge "$slope" --dt 0.02,0.01,0.005 --reference $reference --out fine --quiet
    cut -d, -f1-7 fine/converge.csv >"$reference.errors"
    [ "$(grep -c "^PF," "$reference.errors")" = 18 ] || wrong "no percussions with $reference"
    paste -d, 5e-4.errors "$reference.errors" |
        awk -F, 'NR > 1 && ($7 - $14 > 1e-15 || $14 - $7 > 1e-15)' | grep . && wrong "other errors with $reference"
done
expect 0 "" "$carom" run "$slope" --set run.dt=5e-4 --set run.every=5 --out coarse.h5
expect 0 "" "$carom" converge "$slope" --dt 0.02,0.01,0.005 --reference coarse.h5 --out none
grep -q "left out: slope.PN, slope.PF" stdout || wrong "percussions of steps that were not recorded"

# failures: the reason beside the table, the others go on
expect 1 "1 of 3 runs failed" "$carom" converge oscillator.yaml --dt 0.1,1e-3,5e-4 --set parameters.w=1000 \
    --set run.until=10 --set "exact.x=cos(w*t)" --set model.forces.x=0 --set model.coordinates.x.velocity=0
grep -q "^rattle with dt = 0.1: .*finite at t = " stdout || wrong "no reason: $(tail -3 stdout)"
grep -q "^ *0.1 *failed" stdout || wrong "no failure in the table"
grep -q "^q,max,rattle,0.1[0-9]*,.*,failed,.*finite" oscillator_converge/converge.csv || wrong "no failure in the CSV"
expect 1 "the reference failed: the energy is not finite" "$carom" converge ball.yaml --dt 0.1 --out none \
    --set "model.potential=9.81*y + if(t > 0.2, log(-1), 0)"

# interruption: exit code 130, one line, no children
for signal in INT TERM; do
    "$carom" converge ball.yaml --dt 1e-7,2e-7,5e-8 --jobs 2 --out none >stdout 2>stderr &
    pid=$!
    for _ in $(seq 500); do
        children=$(pgrep -P $pid)
        [ "$(echo "$children" | wc -w)" = 2 ] && break
        sleep 0.01
    done
    [ "$(echo "$children" | wc -w)" = 2 ] || wrong "not two processes: '$children'"
    kill -$signal $pid
    wait $pid
    code=$?
    [ "$code" = 130 ] || wrong "exit code $code after SIG$signal"
    [ "$(wc -l <stderr)" = 1 ] && grep -q "interrupted" stderr || wrong "after SIG$signal: $(cat stderr)"
    for child in $children; do kill -0 "$child" 2>/dev/null && wrong "process $child is left after SIG$signal"; done
done

# without gnuplot the numbers are there, and it is said where
expect 1 "plots need the program gnuplot" env PATH=/nowhere "$carom" converge ball.yaml --dt 2e-2,1e-2 --out bare
[ "$(tail -1 stdout)" = "bare/converge.csv" ] || wrong "not said where the numbers are: $(tail -1 stdout)"

# what a file says commands no terminal
printf 't,y\n0,\033[2J\n' >escape.csv
expect 2 "escape.csv:2:1: '?[2J' is not a number" "$carom" converge ball.yaml --dt 2e-2 --reference escape.csv --out none
finish
