#!/bin/bash
# The README and the guide keep their word: scenes that stand there complete are in order, commands do what they say, the
# example of a recipe reproduces.
. tests/robustness/support.bash
sources=$PWD
guide=$PWD/docs/guide
export PATH=$(cd "$(dirname "$carom")" && pwd):$PATH
unset DISPLAY WAYLAND_DISPLAY # carom view opens nothing
cd "$scratch" || exit 1
ln -s "$sources/scenes" "$sources/examples" .

# blocks FILE: the fenced blocks of YAML as block1.yaml, block2.yaml, ...
blocks() {
    rm -f block*.yaml
    awk '/^```yaml/ { n++; inside = 1; next } /^```/ { inside = 0 } inside { print >("block" n ".yaml") }' "$1"
}

# obey: the commands on standard input, one after the other, as they are typed
obey() {
    while read -r line; do
        bash -c "$line" >said 2>&1 </dev/null || wrong "'$line': $(tail -3 said)"
    done
}

for page in "$guide"/*.md; do
    blocks "$page"
    for scene in $(grep -l "^carom: 1" block*.yaml 2>/dev/null); do expect 0 "" "$carom" check "$scene"; done
done

# the first list of commands.md has every command, each has a section
for command in $("$carom" help | sed -n 's/^  carom \([a-z]*\) .*/\1/p'); do
    sed '/^## /q' "$guide/commands.md" | grep -qE "^    carom $command\b" || wrong "commands.md does not list '$command'"
    [ "$command" = help ] || grep -qE "^## .*carom $command\b" "$guide/commands.md" || wrong "commands.md has no section on '$command'"
done

# the tests that guarantees.md names are there
for name in $(grep -oE '`(unit|conformance|papers|robustness|campaign|python)/[a-z0-9_]+(\.sh)?`' "$guide/guarantees.md" | tr -d '`' | sort -u); do
    short=${name##*/} folder=$sources/tests/${name%%/*}
    [ -e "$folder/test_$short.c" ] || [ -e "$folder/${short%.sh}.sh" ] || [ -e "$folder/$short.c" ] ||
        [ -e "$sources/python/tests/test_$short.py" ] || wrong "guarantees.md names a test that is not there: $name"
done

blocks "$guide/first_scene.md"
for name in ball roll hinge; do mv "$(ls block*.yaml | head -1)" $name.yaml; done
obey < <(grep "^    carom " "$guide/first_scene.md")
for file in ball.png roll.png grip.png hinge.png; do [ -s $file ] || wrong "no $file after the first scenes"; done

sed -n '/^    carom: 1/,/^    run:/s/^    //p' "$sources/README.md" >pendulum.yaml
obey < <(sed -n 's|^    build/\(carom [a-z]*\)|\1|p' "$sources/README.md" | grep -v "^carom reproduce")
for file in pendulum.png pendulum.csv pendulum_converge/converge.csv pendulum_compare/compare.png; do
    [ -s $file ] || wrong "no $file after the commands of the README"
done

# those with the scenes of the project and results of commands before
obey < <(grep -hE '^( {4}(\$ )?)?carom [a-z]+ .*(scenes/|\.h5)' "$guide"/{commands,plots,scene,orbits}.md |
    sed 's/^ *\(\$ \)\?//; s/ && paraview.*//')
for file in slider.svg gaps.csv dice/dice.pvd crank.pdf; do [ -s $file ] || wrong "no $file after the commands of the guide"; done

# sweeps, with fewer values, each in one line
obey < <(sed -e ':a' -e '/\\$/{N;s/\\\n *//;ba' -e '}' "$guide/sweeps.md" | sed -nE 's#/(400|120)#/4#g; s/random 400/random 4/; /^ {4}carom /s/^ *//p')
for file in ball.svg magnets.svg exponents.svg random.h5; do [ -s $file ] || wrong "no $file after the sweeps of the guide"; done

# measurements, each command in one line; a build without MINPACK refuses all of them
if ! "$carom" identify ball.yaml 2>&1 | grep -q MINPACK; then
    obey < <(sed -e ':a' -e '/\\$/{N;s/\\\n *//;ba' -e '}' "$guide/identify.md" | sed -nE '/^ {4}(carom|grep) /s/^ *//p')
    [ -s throws.svg ] || wrong "no throws.svg after the measurements of the guide"
fi

# the recipe, with scenes of the project beside it
mkdir study
cp "$sources"/scenes/paper/rattle/slope*.yaml "$sources/scenes/gallery/dice.yaml" study
sed -n '/^    label: Fig. 8/,/^Recipes/s/^    //p' "$guide/study.md" | sed '1i carom: 1' >study/fig8.yaml
expect 0 "" "$carom" study study/fig8.yaml --quick --quiet --out report
grep -q "sticks in the end" report/report.json || wrong "the report lacks a claim"
finish
