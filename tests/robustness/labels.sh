#!/bin/bash
# What is cited exists: comments cite equations of docs/theory by their labels, which no two formulas share; guarantees
# cite the tests that enforce them.
. tests/robustness/support.bash

label='\([A-Z]{1,2}[0-9]+\)'
grep -rhoE "$label" src tools include cli --include='*.[ch]' | sort -u >"$scratch/cited"
grep -hoE "$label" docs/theory/*.md | sort -u >"$scratch/known"
comm -23 "$scratch/cited" "$scratch/known" >"$scratch/missing"
[ ! -s "$scratch/missing" ] || wrong "cited in the sources but not in docs/theory: $(tr '\n' ' ' <"$scratch/missing")"
[ "$(wc -l <"$scratch/cited")" -gt 100 ] || wrong "hardly any label is cited"

# A formula is a line with four blanks in front and its label at the end.
grep -hoE "^    .*$label *\$" docs/theory/*.md | grep -oE "$label *\$" | tr -d ' ' | sort | uniq -d >"$scratch/twice"
[ ! -s "$scratch/twice" ] || wrong "two formulas have the label $(tr '\n' ' ' <"$scratch/twice")"

# Each guarantee is an entry of a list that names a test by its kind and name. The last section lists none.
awk '/^## What is not guaranteed/ { exit } /^- / { entry++ } /^(- |  )/ { text[entry] = text[entry] $0 }
     END { for (i = 1; i <= entry; i++) print text[i] }' docs/guide/guarantees.md >"$scratch/guarantees"
kinds='unit|conformance|papers|robustness|campaign|python'
grep -vE "\`(tests/)?($kinds)[/ ]|campaign \`" "$scratch/guarantees" >"$scratch/nameless" &&
    wrong "a guarantee names no test: $(head -1 "$scratch/nameless")"
grep -oE "\`(tests/)?($kinds)/[a-z0-9_.]+\`" "$scratch/guarantees" | tr -d '`' | sed 's|^tests/||' | sort -u >"$scratch/tests"
while IFS=/ read -r kind name; do
    found=
    for file in tests/"$kind"/{,test_}"$name"{,.c,.sh} python/tests/"test_$name.py"; do [ -f "$file" ] && found=1; done
    [ "$found" ] || wrong "guarantees name the test $kind/$name, which is not there"
done <"$scratch/tests"
[ "$(wc -l <"$scratch/guarantees")" -gt 20 ] || wrong "hardly anything is guaranteed"
finish
