#!/bin/bash
# carom compare: what is wrong is said in one line before anything is computed, integrators that fail or refuse are shown
# with their reason beside the others, and nothing but the times depends on the number of processes.
. tests/robustness/support.bash
ball ball "until: 0.6"
cd "$scratch" || exit 1
both="--integrators rattle,moreau"

# arguments
expect 2 "which integrators? --integrators rattle,moreau" "$carom" compare ball.yaml
expect 2 "too few arguments" "$carom" compare $both
expect 2 "there is no integrator 'ratle', did you mean 'rattle'?" "$carom" compare ball.yaml --integrators ratle,moreau
expect 2 "an integrator has no name" "$carom" compare ball.yaml --integrators rattle,
expect 2 "'moreau' is given twice" "$carom" compare ball.yaml --integrators moreau,moreau
expect 2 "'x' is not a step size" "$carom" compare ball.yaml $both --dt x
expect 2 "--dt: 1e-20 is too small" "$carom" compare ball.yaml $both --dt 1e-20
expect 2 "there is no norm 'maxx', did you mean 'max'?" "$carom" compare ball.yaml $both --norm maxx
expect 2 "--norm takes one norm, not 'all'" "$carom" compare ball.yaml $both --norm all
expect 2 "--jobs is a number of processes, not '0'" "$carom" compare ball.yaml $both --jobs 0
expect 2 "--repeat is a number of runs from 0 to 50, not '-1'" "$carom" compare ball.yaml $both --repeat=-1
expect 2 "ball.yaml has no 'exact' solution" "$carom" compare ball.yaml $both --reference exact
expect 2 "no_such.yaml" "$carom" compare no_such.yaml $both
expect 2 "parameters.h" "$carom" compare ball.yaml $both --set parameters.h=1
expect 2 "--out needs a folder" "$carom" compare ball.yaml $both --out ""
expect 2 "ball.yaml: not a directory" "$carom" compare ball.yaml $both --out ball.yaml
expect 2 "picture.txt: the name of a plot ends in" "$carom" compare ball.yaml $both --figure picture.txt
[ ! -e ball_compare ] || wrong "a folder after bad arguments"

# a comparison, its files, and what --quiet and --out none leave out
expect 0 "" "$carom" compare ball.yaml $both --dt 1e-2..1e-3/3 --repeat 0
for file in compare.csv compare_over_time.csv compare.png; do [ -s ball_compare/$file ] || wrong "no $file"; done
[ "$(wc -l <ball_compare/compare.csv)" = 7 ] || wrong "the CSV has not 2 x 3 lines"
grep -q "^reference: moreau with dt = 0.000125" stdout || wrong "the reference is not named: $(cat stdout)"
grep -q "^processor time for an error of q" stdout || wrong "no times for an error: $(cat stdout)"
[ "$(grep -c "^rattle" stdout)" = 4 ] || wrong "not a line per run and one of times: $(cat stdout)"
expect 0 "" "$carom" compare ball.yaml $both --quiet --out new --figure picture.pdf --repeat 0
[ ! -s stdout ] || wrong "--quiet speaks"
[ -s new/compare.csv ] && [ -s picture.pdf ] && [ ! -e new/compare.png ] || wrong "--figure is not where it should be"
expect 0 "" "$carom" compare ball.yaml $both --out none --repeat 1
[ ! -e none ] || wrong "a folder 'none'"

# one process or several: the same bytes, times aside
for jobs in 1 3; do
    expect 0 "" "$carom" compare ball.yaml $both --dt 1e-2,5e-3 --jobs $jobs --out jobs$jobs --repeat 0 --quiet
    cut -d, -f1-15,18- jobs$jobs/compare.csv >jobs$jobs.csv
done
head -1 jobs1.csv | grep -q seconds && wrong "times are compared"
cmp -s jobs1.csv jobs3.csv || wrong "another CSV with three processes"
cmp -s jobs1/compare_over_time.csv jobs3/compare_over_time.csv || wrong "other curves with three processes"

# an integrator that refuses is an answer, one that fails is a failure; the others go on
expect 0 "" "$carom" compare ball.yaml --integrators rattle,moreau:stages=3 --dt 1e-2,5e-3 --out none --repeat 0
[ "$(grep -c "^moreau:stages=3 .* refused: integrator 'moreau' has no option 'stages'" stdout)" = 1 ] ||
    wrong "not one refusal: $(cat stdout)"
[ "$(grep -c "^rattle .*([0-9]*) " stdout)" = 2 ] || wrong "the other integrator did not go on"
expect 2 "all integrators refuse; moreau:stages=3: integrator 'moreau' has no option 'stages'" "$carom" compare ball.yaml --integrators moreau:stages=3 --out none
expect 1 "1 of 2 runs failed" "$carom" compare ball.yaml $both --out failed --repeat 0 --reference rattle@2e-4 \
    --set "model.potential=m*g*y + 1e-6*log(y + 1e-4)"
grep -q "^moreau .* failed: " stdout || wrong "no reason: $(cat stdout)"
[ -s failed/compare.png ] || wrong "no figure of the others"

# interruption: exit code 130, one line, no children
"$carom" compare ball.yaml $both --dt 1e-7 --jobs 2 --out none >stdout 2>stderr &
pid=$!
for _ in $(seq 500); do
    children=$(pgrep -P $pid)
    [ "$(echo "$children" | wc -w)" = 2 ] && break
    sleep 0.01
done
[ "$(echo "$children" | wc -w)" = 2 ] || wrong "not two processes: '$children'"
kill -TERM $pid
wait $pid
code=$?
[ "$code" = 130 ] && [ "$(wc -l <stderr)" = 1 ] || wrong "exit code $code after SIGTERM: $(cat stderr)"
for child in $children; do kill -0 "$child" 2>/dev/null && wrong "process $child is left"; done

# without gnuplot the numbers are there, and it is said where
expect 1 "plots need the program gnuplot" env PATH=/nowhere "$carom" compare ball.yaml $both --dt 2e-2 --repeat 0 --out bare
[ "$(tail -1 stdout)" = "bare/compare.csv, bare/compare_over_time.csv" ] || wrong "not said where the numbers are: $(tail -1 stdout)"
finish
