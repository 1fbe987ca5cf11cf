#!/bin/bash
# docs/papers.md counts the claims and verdicts of the recipes as they are.
. tests/robustness/support.bash

for paper in lobatto moreau rattle nsga multisymplectic; do
    cat reproduce/$paper/*.yaml >"$scratch/recipes"
    claims=$(grep -c '^  - {claim:' "$scratch/recipes")
    corrected=$(grep -c 'verdict: corrected' "$scratch/recipes")
    refuted=$(grep -c 'verdict: refuted' "$scratch/recipes")
    lost=$(grep -c 'verdict: not reproducible' "$scratch/recipes")
    row="| $paper | $claims | $((claims - corrected - refuted - lost)) | $corrected | $refuted | $lost |"
    grep -qxF "$row" docs/papers.md || wrong "docs/papers.md does not have the row '$row'"
done
finish
