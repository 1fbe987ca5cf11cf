#!/bin/bash
# Every step of docs/guide/machine.md is a scene that runs to its end, says nothing against itself, and can be drawn.
. tests/robustness/support.bash
page=$PWD/docs/guide/machine.md
cd "$scratch" || exit 1
awk '/^```yaml/ { n++; file = "step" n ".yaml"; inside = 1; next } /^```/ { inside = 0 } inside { print > file }' "$page"
[ -e step10.yaml ] && [ ! -e step11.yaml ] || wrong "not ten steps"
for step in step*.yaml; do
    expect 0 "" "$carom" check "$step"
    expect 0 "" "$carom" run "$step" --out machine.h5
    grep -q "passed unseen\|gave way\|energy gained\|not finite" stdout && wrong "$step: $(cat stdout)"
    expect 0 "" "$carom" plot machine.h5 --out machine.svg
    expect 0 "" "$carom" plot machine.h5 --scene --out scene.svg
done
# the machine hammers: in the second half of the last step the hammer strikes the anvil at every turn of the crank
expect 0 "" "$carom" run step10.yaml --csv - --set 'run.record=["anvil?.PN", motor.angle]'
awk -F, 'NR > 1502 { sum = 0; for (i = 2; i < NF; i++) sum += $i; open = sum > 0 ? 0 : open + 1
         if (open == 50) blows++; if (NR == 1503) first = $NF; last = $NF } # open for 50 ms: the cam has lifted it
         END { turns = (first - last)/(2*3.14159265); print blows, turns; exit !(turns > 2 && blows >= turns - 1) }' \
    stdout >hammering || wrong "blows and turns in the second half: $(cat hammering)"
finish
