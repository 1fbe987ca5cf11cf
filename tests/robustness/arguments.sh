#!/bin/bash
# Arguments: what is wrong is said in one line with a hint, what is right works.
. tests/robustness/support.bash
ball ball
cd "$scratch" || exit 1

expect 2 "unknown command 'rnu', did you mean 'run'? (carom help)" "$carom" rnu ball.yaml
expect 2 "unknown command 'frobnicate' (carom help)" "$carom" frobnicate
expect 2 "unknown option '--ot' of 'run', did you mean '--out'? (carom help run)" "$carom" run ball.yaml --ot x.h5
expect 2 "unknown option '-x' of 'run' (carom help run)" "$carom" run ball.yaml -x
expect 2 "option '--out' needs a value: --out FILE (carom help run)" "$carom" run ball.yaml --out
expect 2 "option '--quiet' takes no value (carom help run)" "$carom" run ball.yaml --quiet=yes
expect 2 "too few arguments; usage: carom run SCENE" "$carom" run
expect 2 "too many arguments; usage: carom run SCENE" "$carom" run ball.yaml other.yaml
expect 2 "nothing is called 'morau', did you mean 'moreau'? (carom list)" "$carom" describe morau
expect 2 "nothing is called 'variational', did you mean 'variational_moreau'? (carom list)" "$carom" describe variational
expect 2 "nothing is called 'hinge', did you mean 'revolute'? (carom list)" "$carom" describe hinge
expect 2 "unknown family 'integrator', did you mean 'integrators'? (carom list)" "$carom" list integrator
expect 2 "usage: carom list quantities SCENE" "$carom" list quantities
expect 2 "--resume needs a result file" "$carom" run ball.yaml --out none --resume

# overrides are data, too
expect 2 "unknown key 'untill'" "$carom" run ball.yaml --set run.untill=1
expect 2 "'dt' must be positive, it is -1" "$carom" run ball.yaml --set run.dt=-1
expect 2 "run.dt" "$carom" run ball.yaml --set run.dt
expect 2 "parameters.h" "$carom" run ball.yaml --set parameters.h=1
[ ! -e ball.h5 ] || wrong "a result after bad arguments"

expect 0 "" "$carom" help
expect 0 "" "$carom" --help
expect 0 "" "$carom" run --help
grep -q -- "--resume" stdout || wrong "the help of run does not mention --resume"
expect 2 "--any-version goes with --resume" "$carom" run ball.yaml --any-version
# an option that means something only beside another one is not ignored without it
for option in --csv --out --figure --points --doublings; do
    expect 2 "$option goes with --continue (carom help orbit)" "$carom" orbit ball.yaml --period 1 "$option" 1
done
expect 2 "--amplitude goes with --out (carom help modes)" "$carom" modes ball.yaml --amplitude 1
expect 2 "--trails goes with --scene (carom help plot)" "$carom" plot ball.h5 --trails
expect 0 "" "$carom" --version
grep -q "^carom [0-9]" stdout || wrong "no version"
expect 0 "" "$carom" list
for name in moreau rattle; do grep -q "^$name " stdout || wrong "carom list lacks $name"; done
expect 0 "" "$carom" list integrators
for name in $(awk '{print $1}' stdout); do
    expect 0 "" "$carom" describe "$name"
    for field in order needs reference; do
        grep -q "^  $field" stdout || wrong "carom describe $name lacks its $field"
    done
done
expect 0 "" "$carom" list laws
for name in $(awk '{print $1}' stdout); do expect 0 "" "$carom" describe "$name"; done
expect 0 "" "$carom" list quantities ball.yaml
for name in t y y_dot floor.gap floor.PN floor.state E newton residual; do
    grep -q "^$name\b" stdout || wrong "carom list quantities lacks $name"
done
expect 0 "" "$carom" check ball.yaml
grep -q "^ok: 1 coordinate" stdout || wrong "carom check is not content: $(cat stdout)"

expect 0 "" "$carom" run ball.yaml --set run.until=0.5 --out=short.h5 --csv short.csv
grep -q "^short.h5: 500 steps to t = 0.5 " stdout || wrong "no summary: $(head -1 stdout)"
[ "$(wc -l <short.csv)" = 502 ] || wrong "the CSV has not a header and 501 rows"
expect 0 "" "$carom" run ball.yaml --quiet
[ ! -s stdout ] || wrong "--quiet speaks"
expect 0 "" "$carom" run ball.yaml --out none
expect 0 "" "$carom" run ball.yaml --csv -
[ "$(wc -l <stdout)" = 1002 ] || wrong "standard output has not a header and 1001 rows"

# panels of the scene that show what is not recorded are left out of the result
expect 0 "" "$carom" run ball.yaml --set "run.record=[E]" --set "plot=[y, E]" --out=energy.h5
expect 0 "" "$carom" plot energy.h5 --out energy.svg

# a quantity is drawn also where a file is called so; and one that is round-off beside others of its unit does not fill its axis
touch y
expect 0 "" "$carom" plot short.h5 y --out height.svg
rm y
cat >noise.yaml <<'SCENE'
carom: 1
model:
  coordinates: {x: {start: 7e-21}, y: {start: 1}}
  kinetic: (x_dot^2 + y_dot^2)/2
run: {integrator: rattle, dt: 0.1, until: 1}
SCENE
expect 0 "" "$carom" run noise.yaml --quiet
expect 0 "" "$carom" plot noise.h5 x --out noise.svg
grep -q "e-2[0-9]" noise.svg && wrong "an axis of round-off"

# what a slip of the fingers must not do
expect 2 "--out needs a file name" "$carom" run ball.yaml --out ""
expect 2 "--csv needs a file name" "$carom" run ball.yaml --csv=
expect 2 "'carom' belongs in a scene file" "$carom" run ball.yaml --set carom=2
expect 2 "one file at a time" "$carom" export short.h5 --csv a.csv b.csv
for number in 0 -1 1.5 1e300 nan x; do
    expect 2 "--every needs a positive whole number, not '$number'" "$carom" export short.h5 --vtk v --every "$number"
done
expect 2 "exists and is not called .csv" "$carom" export short.h5 --csv ./ball.yaml
grep -q "^carom: 1" ball.yaml || wrong "export overwrote the scene"
expect 1 "the energy is not finite at t = 0.5" "$carom" run ball.yaml --out none \
    --set "model.potential=9.81*y + if(t > 0.5, log(-1), 0)"

# long names: a sentence keeps its end, a path is used as it is or refused, never cut
long=$(printf 'folder/%.0s' {1..450})
expect 2 "no such file or directory" "$carom" run ball.yaml --out "$long/x.h5"
expect 2 "cannot read the scene: No such file or directory" "$carom" run "$long"
expect 2 "' (carom list)" "$carom" describe "$long"
expect 2 "' (carom help)" "$carom" "$long"
expect 2 "folder/'" "$carom" run ball.yaml --set "parameters.$long=1"
expect 0 "" mkdir -p "$long"
expect 0 "" "$carom" run ball.yaml --set run.until=0.1 --out "$long/x.h5"
expect 0 "" "$carom" converge ball.yaml --dt 2e-2,1e-2 --set run.until=0.1 --out "$long/orders"
expect 0 "" "$carom" compare ball.yaml --integrators moreau --dt 2e-2 --set run.until=0.1 --repeat 0 --out "$long/side_by_side"
for file in x.h5 orders/converge.{csv,png} side_by_side/compare{.csv,_over_time.csv,.png}; do
    [ -s "$long/$file" ] || wrong "no $file in a folder with a long name"
done
long=$long$(printf 'folder/%.0s' {1..150})
for command in "run ball.yaml" "converge ball.yaml --dt 1e-2" "compare ball.yaml --integrators moreau" "plot short.h5"; do
    expect 2 "folder/x.png: file name too long" "$carom" $command --out "${long}x.png"
done
expect 2 "folder/: file name too long" "$carom" converge ball.yaml --dt 1e-2 --figure "${long}"
finish
