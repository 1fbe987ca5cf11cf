#!/usr/bin/env bash
# The library needs libc, libm, KLU with AMD, COLAMD and BTF, and libfyaml, nothing else: neither the tools nor what they
# use. It starts no process.
set -euo pipefail
failures=0
wrong() { echo "WRONG: $*"; failures=$((failures + 1)); }

if grep -qE '^(CAROM_SANITIZE:STRING=.|CMAKE_C_FLAGS:.*--coverage)' "$CAROM_BUILD/CMakeCache.txt"; then
    echo "an instrumented library needs more"
    exit 77
fi
library=$CAROM_BUILD/libcarom.so
allowed='linux-vdso|ld-linux[a-z0-9_-]*|libc|libm|libpthread|libklu|libbtf|libamd|libcolamd|libsuitesparseconfig|libfyaml'
for name in $(LC_ALL=C ldd "$library" | awk '{print $1}'); do
    [[ $(basename "$name") =~ ^($allowed)\.so ]] || wrong "the library needs $name"
done
processes='fork|vfork|system|popen|posix_spawnp?|exec[lv]p?e?'
nm -D --undefined-only "$library" | awk '{sub(/@.*/, "", $2); print $2}' | grep -xE "$processes" &&
    wrong "the library starts processes"

# Headers by <>: those of C and POSIX, KLU's, AMD's and libfyaml's, and our public ones.
theirs='assert|ctype|errno|fenv|float|fnmatch|inttypes|limits|locale|math|pthread|signal|stdalign|stdarg|stdatomic|stdbool|stddef|stdint|stdio'
theirs+='|stdlib|string|strings|time|unistd|sys/[a-z]+|klu|amd|colamd|libfyaml|carom/[a-z]+'
grep -rhoE '^ *# *include <[^>]*>' src include --include='*.[ch]' | sed 's/.*<\(.*\)\.h>/\1/' | sort -u |
    grep -vxE "$theirs" && wrong "the library includes headers that are not there on every machine"
[ "$failures" = 0 ] || exit 1
echo "all right"
