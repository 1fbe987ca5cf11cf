#!/usr/bin/env bash
# carom built with OpenMP: sweeps by several threads give the bits of one thread, and of a carom built without it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

if grep -qE '^CAROM_SANITIZE:STRING=.' "$CAROM_BUILD/CMakeCache.txt"; then
    echo "nothing to be seen in an instrumented library"
    exit 77
fi
grep -q '^CMAKE_GENERATOR:INTERNAL=Ninja' "$CAROM_BUILD/CMakeCache.txt" && generator=(-G Ninja) || generator=()
configure=(cmake -S . -B "$folder" "${generator[@]}" -DCAROM_OPENMP=ON -DCAROM_TOOLS=OFF -DCAROM_TESTS=ON --log-level=ERROR)
if ! "${configure[@]}" >"$folder/log" 2>&1; then
    grep -q OpenMP "$folder/log" && echo "no OpenMP here" && exit 77
    cat "$folder/log"
    exit 1
fi
cmake --build "$folder" --parallel 2 --target unit_test_heaps --target unit_test_heap_sweeps --target bench_piles >"$folder/log" 2>&1 || { cat "$folder/log"; exit 1; }
export OMP_WAIT_POLICY=passive # tests share their processors
"$folder/tests/unit/test_heap_sweeps"
"$folder/tests/unit/test_heaps"

# The same numbers of contacts and sweeps, errors, motion and depth; not the columns of processor time and memory.
numbers() { "$1" 1000 20 60 "${@:2}" | tr -d '|' | awk '{print $1, $4, $5, $6, $8, $9, $10, $11, $12, $13, $14}'; }
alone=$(numbers "$CAROM_BUILD/bench/piles")
shared=$(numbers "$folder/bench/piles" 2)
[ "$alone" = "$shared" ] || { echo "two threads: $shared"; echo "one: $alone"; exit 1; }
echo "all right"
