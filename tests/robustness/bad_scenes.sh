#!/bin/bash
# Every scene in bad/ is wrong. Its first line says how: "# exit CODE at LINE:COLUMN: MESSAGE".
. tests/robustness/support.bash

count=0
for scene in tests/robustness/bad/*.yaml; do
    read -r _ _ code _ where message <"$scene"
    expect "$code" "$message" "$carom" run "$scene" --out "$scratch/result.h5"
    [ "$where" = "-:" ] || grep -qF -- "$scene:$where " "$scratch/stderr" ||
        wrong "'$(cat "$scratch/stderr")' is not at $where"
    [ "$code" = 1 ] || [ ! -e "$scratch/result.h5" ] || wrong "$scene left a result"
    rm -f "$scratch/result.h5"
    count=$((count + 1))
done
[ "$count" -gt 40 ] || wrong "only $count scenes"
finish
