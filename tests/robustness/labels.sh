#!/bin/bash
# Comments cite equations of docs/theory by their labels: each is there, and no label stands at two formulas.
. tests/robustness/support.bash

label='\([A-Z]{1,2}[0-9]+\)'
grep -rhoE "$label" src include cli --include='*.[ch]' | sort -u >"$scratch/cited"
grep -hoE "$label" docs/theory/*.md | sort -u >"$scratch/known"
comm -23 "$scratch/cited" "$scratch/known" >"$scratch/missing"
[ ! -s "$scratch/missing" ] || wrong "cited in the sources but not in docs/theory: $(tr '\n' ' ' <"$scratch/missing")"
[ "$(wc -l <"$scratch/cited")" -gt 100 ] || wrong "hardly any label is cited"

# A formula is a line with four blanks in front and its label at the end.
grep -hoE "^    .*$label *\$" docs/theory/*.md | grep -oE "$label *\$" | tr -d ' ' | sort | uniq -d >"$scratch/twice"
[ ! -s "$scratch/twice" ] || wrong "two formulas have the label $(tr '\n' ' ' <"$scratch/twice")"
finish
