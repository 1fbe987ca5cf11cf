#!/usr/bin/env bash
# carom study: a recipe anywhere becomes a page; its claims decide the exit code; what is wrong is told with its place.
. tests/robustness/support.bash

cp examples/study/*.yaml "$scratch"
expect 0 "" "$carom" study "$scratch/stopping.yaml" --out "$scratch/page" --quiet
page=$scratch/page/index.html
grep -q '<h1>How far a block slides</h1>' "$page" || wrong "the page has no title"
grep -q 'v<sup>2</sup>/(2 μ g)' "$page" || wrong "powers are not typeset"
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
expect 2 "cannot read the recipe: No such file" "$carom" study "$scratch/none.yaml" --quiet

# The system beside the figure: of the first source unless told, and none where nothing is to be drawn.
grep -q '<img .*src="assets/study_stopping_sketch_1.svg"' "$page" || wrong "the page shows no sketch"
sketch() { # ENTRY: stopping.yaml with it
    sed "s/^runs:/sketch: $1\nruns:/" examples/study/stopping.yaml >"$scratch/sketched.yaml"
}
sketch none
expect 0 "" "$carom" study "$scratch/sketched.yaml" --out "$scratch/sketched" --quiet
! grep -q 'sketch_1' "$scratch/sketched/index.html" || wrong "there is a sketch where none is wanted"
sketch '[block, {scene: block, set: {parameters.v: 1}, view: front}]'
expect 0 "" "$carom" study "$scratch/sketched.yaml" --out "$scratch/sketched" --quiet
grep -q 'sketched_sketch_2' "$scratch/sketched/report.json" || wrong "there are not two sketches"
sketch brick
expect 2 "there is no scene 'brick'" "$carom" study "$scratch/sketched.yaml" --quiet
sketch '{scene: block, veiw: front}'
expect 2 "unknown key 'veiw' in a sketch, did you mean 'view'?" "$carom" study "$scratch/sketched.yaml" --quiet
sed '/^  draw:/,/^    block/d' examples/study/block.yaml >"$scratch/bare.yaml"
sketch bare
expect 1 "figures or tables that failed: 1 of 1" "$carom" study "$scratch/sketched.yaml" --out "$scratch/sketched" --quiet
grep -q "bare.yaml has nothing to draw" "$scratch/sketched/index.html" || wrong "the page does not say why"
sed 's/scene: block/scene: bare/' examples/study/stopping.yaml >"$scratch/unseen.yaml"
expect 0 "" "$carom" study "$scratch/unseen.yaml" --out "$scratch/unseen" --quiet
! grep -q '<img .*sketch' "$scratch/unseen/index.html" || wrong "a sketch of nothing"
finish
