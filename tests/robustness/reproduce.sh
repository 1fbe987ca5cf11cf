#!/bin/bash
# carom reproduce: recipes that are wrong are told with line and column before anything is computed; what is computed is kept and
# found again; a claim that does not hold, a run that fails and an interruption have exit codes of their own; and the
# project's own recipes can all be read.
. tests/robustness/support.bash
mkdir -p "$scratch/home/build" "$scratch/home/scenes" "$scratch/home/reproduce/paper"
cp "$carom" "$scratch/home/build/carom"
cp reproduce/style.css "$scratch/home/reproduce"
expect 0 "" "$carom" reproduce --list
expect 0 "" "$carom" reproduce --list --quick
expect 2 "there is nothing called 'ratle' to reproduce, did you mean 'rattle'?" "$carom" reproduce ratle
expect 2 "there is nothing called 'rattle/fi8' to reproduce, did you mean 'rattle/fig8'?" "$carom" reproduce rattle/fi8
expect 2 "there is nothing called 'ratle/fig8' to reproduce, did you mean 'rattle/fig8'?" "$carom" reproduce ratle/fig8
expect 2 "there is nothing called 'woodpecker' to reproduce (carom reproduce --list)" "$carom" reproduce woodpecker

ball ball "until: 0.4"
mv "$scratch/ball.yaml" "$scratch/home/scenes"
cd "$scratch/home" || exit 1
carom=$scratch/home/build/carom
printf 'carom: 1\npapers: [paper]\n' >reproduce/papers.yaml
printf 'carom: 1\ntitle: A paper\nfigures: [fig1]\n' >reproduce/paper/paper.yaml

# recipe [CLAIM [SETTING]]: a ball that falls freely; it would reach the floor at sqrt(2/g) = 0.4515 s
falls='{claim: speed at 0.4 s, printed: "g t", of: ball, value: last(y_dot), near: -9.81*0.4, within: 1e-9}'
recipe() {
    local claim=${1:-$falls}
    cat >reproduce/paper/fig1.yaml <<RECIPE
carom: 1
label: Fig. 1
title: A ball
runs: {ball: {scene: ball, set: {${2:-}}}}
pictures:
  - panels: [{y: {label: "y [m]"}, curves: [{of: ball, y: y, label: y}]}]
claims: [$claim]
RECIPE
}

# recipes that are wrong
wrong_recipe() {
    recipe "$2" "${3:-}"
    expect 2 "$1" "$carom" reproduce --out wrong
}
wrong_recipe "fig1.yaml:7:10: 'value' is missing" "{claim: a}"
wrong_recipe "a claim has one of 'near', 'between', 'above' and 'below'" "{claim: a, of: ball, value: last(y)}"
wrong_recipe "how near? 'within' (absolute) or 'relative'" "{claim: a, of: ball, value: last(y), near: 1}"
wrong_recipe "no run or study is called 'bal', did you mean 'ball'?" "{claim: a, of: bal, value: last(y), above: 0}"
wrong_recipe "unknown key 'valeu' in a claim, did you mean 'value'?" "{claim: a, of: ball, valeu: last(y), above: 0}"
wrong_recipe "needs a 'reason'" "{claim: a, of: ball, value: last(y), above: 0, verdict: refuted}"
wrong_recipe "did you mean 'corrected'?" "{claim: a, of: ball, value: last(y), above: 0, verdict: corected}"
wrong_recipe "2 values need as many numbers" "{claim: a, of: ball, value: [last(y), first(y)], near: 1, within: 1}"
wrong_recipe "fig1.yaml:7:55: " "{claim: a, of: ball, value: last(y), above: 1e}"
wrong_recipe "this is an empty list" '{claim: a, of: ball, value: last(y), above: "select(1, 0)"}'
wrong_recipe "unknown key 'abov' in 'quick' of a claim" "{claim: a, of: ball, value: last(y), above: 0, quick: {abov: 1}}"
wrong_recipe "fig1.yaml:4:65: there is no scene 'bal'" "$falls" "run.dt: 1e-3}}, other: {scene: bal, set: {"
wrong_recipe "unknown key 'dtt' in 'quick' of a study" "$falls" \
    "}}}
converge: {c: {scene: ball, dt: 1e-2, integrators: {m: moreau}, quick: {dtt: 1e-3}, set: {"
wrong_recipe "'is-mass' is not a name" "$falls" "run.dt: 1e-3}}, is-mass: {scene: ball, set: {"
[ ! -e wrong ] || wrong "a folder after a wrong recipe"

# a name that only the result can tell to be wrong
recipe "{claim: a, of: ball, value: last(z), above: 0}"
"$carom" reproduce --out out >stdout 2>stderr
[ $? = 1 ] || wrong "exit code of an unknown quantity"
grep -q "paper/fig1.1 does not hold: .*fig1.yaml:7:43: .*'z'" stdout || wrong "an unknown quantity: $(cat stdout stderr)"
[ -s out/index.html ] || wrong "no report because of an unknown quantity"

# all is well; the second time there is nothing to do
recipe
rm -r out
expect 0 "" "$carom" reproduce --out out --quiet
for file in index.html report.json assets/paper_fig1_1.svg; do [ -s "out/$file" ] || wrong "no $file"; done
python3 -m json.tool out/report.json >/dev/null || wrong "report.json is not JSON"
"$carom" reproduce --out out >stdout 2>stderr || wrong "a second time"
grep -q "1 computations, 1 of them kept from before" stderr || wrong "not kept: $(cat stderr)"
grep -q "1 confirmed, 0 confirmed with correction, 0 refuted, 0 not reproducible, 0 does not hold, 0 not checked" stdout || wrong "$(cat stdout)"

# with standard error closed, nothing that is meant for it goes to a file
"$carom" reproduce --out out >stdout 2>&- || wrong "exit code with standard error closed"
[ ! -s out/cache/lock ] || wrong "messages in a file: $(cat out/cache/lock)"

# another setting, another scene, another program: computed again
recipe "" "run.dt: 5e-4"
"$carom" reproduce --out out 2>&1 | grep -q "0 of them kept" || wrong "kept although dt changed"
recipe
sed -i 's/{m: 1/{m: 2/' scenes/ball.yaml
"$carom" reproduce --out out 2>&1 | grep -q "0 of them kept" || wrong "kept although the scene changed"
printf 'x' >>"$carom"
"$carom" reproduce --out out 2>&1 | grep -q "0 of them kept" || wrong "kept although the program changed"

# results of other versions go once everything is there, and not before: not for the sake of one figure, nor of --quick, nor
# if something fails or a claim does not hold; those of this version stay whatever the recipe is, and so does what is not carom's
mkdir -p out/cache/0123456789abcdef0123456789abcdef out/cache/other
touch out/cache/0123456789abcdef0123456789abcdef{.done,.log,.svg,/compare.csv} out/cache/0123456789abcdef.txt
kept=$(ls out/cache/*.h5 | wc -l)
"$carom" reproduce paper/fig1 --out out >stdout 2>stderr || wrong "one figure"
[ -d out/cache/0123456789abcdef0123456789abcdef ] || wrong "one figure costs the results of other versions"
"$carom" reproduce --quick --out out >stdout 2>stderr || wrong "all figures, quickly"
[ -d out/cache/0123456789abcdef0123456789abcdef ] || wrong "--quick costs the results of other versions"
recipe '{claim: a, of: ball, value: last(t), above: 1e9}'
"$carom" reproduce --out out >stdout 2>stderr && wrong "exit code of a broken claim"
[ -d out/cache/0123456789abcdef0123456789abcdef ] || wrong "a broken claim costs the results of other versions"
recipe "" "run.dt: 0"
"$carom" reproduce --out out >stdout 2>stderr && wrong "exit code of a failed run"
[ -d out/cache/0123456789abcdef0123456789abcdef ] || wrong "a failure costs the results of other versions"
recipe "" "run.dt: 2e-3"
"$carom" reproduce --out out >stdout 2>stderr || wrong "all figures"
grep -q "^1 computation of other versions of carom removed" stderr || wrong "other versions: $(cat stderr)"
ls out/cache | grep -q 0123456789abcdef0123456789abcdef && wrong "results of other versions stay: $(ls out/cache)"
[ "$(ls out/cache/*.h5 | wc -l)" = $((kept + 1)) ] || wrong "results of this version are gone"
[ -d out/cache/other ] && [ -e out/cache/0123456789abcdef.txt ] || wrong "foreign files are gone"
recipe

# what is gone or damaged is computed again, whether or not it was said to be done
for damage in "rm out/cache/*.h5" "truncate -s 3000 out/cache/*.h5" "truncate -s 3000 out/cache/*.h5; rm out/cache/*.done"; do
    bash -c "$damage"
    "$carom" reproduce --out out >stdout 2>&1 || wrong "after $damage: $(cat stdout)"
    grep -q "0 of them kept" stdout || wrong "kept after $damage"
done

# a study that may fail: its files are needed all the same, and that it may is part of its name
comparison() {
    printf 'carom: 1\ncompare: {c: {scene: ball, dt: 1e-2, integrators: {m: moreau}, reference: moreau@1e-3%s}}\n' "$1"
    printf 'pictures: [{compare: c}]\n'
}
comparison ", may_fail: true" >reproduce/paper/fig1.yaml
expect 0 "" "$carom" reproduce --out out --quiet
rm out/cache/*.svg
"$carom" reproduce --out out 2>&1 | grep -q "0 of them kept" || wrong "kept without its picture"
comparison "" >reproduce/paper/fig1.yaml
"$carom" reproduce --out out 2>&1 | grep -q "0 of them kept" || wrong "kept although it may not fail any more"

# without gnuplot nothing is computed
expect 1 "plots need the program gnuplot" env PATH=/nowhere "$carom" reproduce --out bare --quiet
[ -z "$(ls bare/cache)" ] || wrong "computed without gnuplot"

# what does not hold, and what cannot be computed
recipe '{claim: it floats, printed: "0", of: ball, value: last(y_dot), above: -1e-9}'
"$carom" reproduce --out out >stdout 2>stderr
[ $? = 1 ] || wrong "exit code of a claim that does not hold"
grep -q "paper/fig1.1 does not hold: it floats: -3.92" stdout || wrong "$(cat stdout)"
recipe "" "run.dt: 0"
"$carom" reproduce --out out >stdout 2>stderr
[ $? = 1 ] || wrong "exit code of a failed run"
grep -q "paper/fig1: 'ball': .*dt" stdout || wrong "$(cat stdout)"
grep -q "1 does not hold" stdout || wrong "no summary after a failed run"
expect 1 "1 of 1 claims do not hold; figures or tables that failed: 1 of 1; see " "$carom" reproduce --out out --quiet

# quick mode
recipe '{claim: a, of: ball, value: last(t), above: 1, quick: skip}'
"$carom" reproduce --out out --quick | grep -q "1 not checked" || wrong "quick: skip"

# a claim about a source that is left out, named beside its own one; a slip of the fingers is none
recipe '{claim: a, of: ball, value: last(y) - last(other.y), above: 0}' "}}, other: {scene: ball, quick: skip, set: {"
"$carom" reproduce --out out --quick >stdout 2>stderr || wrong "exit code of what is left out: $(cat stderr)"
grep -q "1 not checked" stdout || wrong "left out: $(cat stdout)"
recipe '{claim: a, of: ball, value: last(y) - last(oter.y), above: 0}' "}}, other: {scene: ball, quick: skip, set: {"
"$carom" reproduce --out out --quick >stdout 2>stderr
[ $? = 1 ] || wrong "exit code of a wrong name beside what is left out"

# two at once: the second one waits a little, then gives up
recipe
mkdir -p busy/cache
exec 9>busy/cache/lock
flock 9
expect 2 "another reproduction is at work here" "$carom" reproduce --out busy --quiet
exec 9>&-
expect 0 "" "$carom" reproduce --out busy --quiet

# interrupted, and on: the run is resumed, not begun anew
recipe '{claim: a, of: ball, value: last(t), near: 8000, within: 1e-6}' "run.until: 8000, run.every: 1000"
"$carom" reproduce --out out >stdout 2>stderr &
sleep 0.7
kill -TERM $!
wait $!
code=$?
[ $code = 130 ] || wrong "exit code $code when interrupted: $(cat stderr)"
sleep 0.3
pgrep -f "$scratch/home/build/carom" >/dev/null && wrong "something goes on after an interruption"
(trap '' HUP && exec "$carom" reproduce --out out --quiet) & # as under nohup
sleep 0.3
kill -HUP $!
wait $! || wrong "exit code $? of an interrupted reproduction that goes on"
finish
