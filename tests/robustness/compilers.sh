#!/usr/bin/env bash
# Same input, same bits, whoever compiled it: clang without and gcc with most optimisation, beside the build under test.
# After some steps of every scene the hashes of the states agree. Where C leaves an order of evaluation open, compilers
# and levels choose differently. With the argument full: both at all levels from -O0 to -O3, and 200 steps.
set -u
steps=25 choices=("clang -O0" "gcc -O3")
if [ "${1:-}" = full ]; then
    steps=200 choices=()
    for level in 0 1 2 3; do choices+=("clang -O$level" "gcc -O$level"); done
fi
bench=${CAROM_BUILD:?the build folder}/bench/bench
[ -x "$bench" ] || { echo "skipped: built without benchmarks"; exit 77; }
command -v clang >/dev/null && command -v gcc >/dev/null || { echo "skipped: needs clang and gcc"; exit 77; }

# build COMPILER LEVEL: the benchmark's program, in a folder that is kept for the next time.
build() {
    local folder=$CAROM_BUILD/compilers/$1$2
    cmake -S . -B "$folder" -DCMAKE_C_COMPILER="$1" -DCMAKE_BUILD_TYPE=None -DCMAKE_C_FLAGS="$2" -DCAROM_TESTS=OFF \
        -DCAROM_WERROR=OFF >/dev/null && cmake --build "$folder" --parallel 2 --target bench_bench >"$folder/log" 2>&1
}

# hashes PROGRAM: "scene hash" of every scene.
hashes() {
    local scene
    for scene in scenes/gallery/*.yaml scenes/paper/*/*.yaml; do echo "$scene $("$1" "$scene" "$steps" 2>&1)"; done
}

failures=0
hashes "$bench" >"$CAROM_BUILD/compilers.txt"
[ "$(grep -cE ' [0-9a-f]{16}$' "$CAROM_BUILD/compilers.txt")" -gt 60 ] || { echo "few scenes run"; exit 1; }
for choice in "${choices[@]}"; do
    # shellcheck disable=SC2086
    build $choice || { echo "WRONG: $choice does not build"; exit 1; }
    hashes "$CAROM_BUILD/compilers/${choice/ /}/bench/bench" >"$CAROM_BUILD/compilers.other.txt"
    if ! diff "$CAROM_BUILD/compilers.txt" "$CAROM_BUILD/compilers.other.txt"; then
        echo "WRONG: $choice gives other bits"
        failures=$((failures + 1))
    fi
done
[ "$failures" = 0 ] || exit 1
echo "all right: ${#choices[@]} builds, $(grep -cE ' [0-9a-f]{16}$' "$CAROM_BUILD/compilers.txt") scenes, $steps steps"
