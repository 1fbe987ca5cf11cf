#!/usr/bin/env bash
# carom study: a recipe anywhere becomes a page; its claims decide the exit code; what is wrong is told with its place.
. tests/robustness/support.bash

cp examples/study/*.yaml "$scratch"
expect 0 "" "$carom" study "$scratch/stopping.yaml" --out "$scratch/page" --quiet
page=$scratch/page/index.html
grep -q '<h1>How far a block slides</h1>' "$page" || wrong "the page has no title"
grep -q 'v<sup>2</sup>/(2 mu g)' "$page" || wrong "powers are not typeset"
grep -q '"verdict": "confirmed"' "$scratch/page/report.json" || wrong "the report has no verdict"

# A claim that does not hold is a failure. The computations are kept.
sed -i 's/within: 8e-4/within: 1e-9/' "$scratch/stopping.yaml"
expect 1 "1 of 3 claims do not hold" "$carom" study "$scratch/stopping.yaml" --out "$scratch/page" --quiet
"$carom" study "$scratch/stopping.yaml" --out "$scratch/page" >/dev/null 2>"$scratch/again"
grep -q '5 computations, 5 of them kept from before' "$scratch/again" || wrong "computed again: $(head -1 "$scratch/again")"

sed 's/scene: block,/scene: brick,/' examples/study/stopping.yaml >"$scratch/lost.yaml"
expect 2 "there is no scene 'brick'" "$carom" study "$scratch/lost.yaml" --quiet
sed 's/derivation:.*kinetic energy m v^2\/2",//' examples/study/stopping.yaml >"$scratch/half.yaml"
expect 2 "needs its 'derivation'" "$carom" study "$scratch/half.yaml" --quiet
expect 2 "No such file" "$carom" study "$scratch/none.yaml" --quiet
finish
