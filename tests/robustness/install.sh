#!/usr/bin/env bash
# A user's view of the installed carom: the C examples build against the installed files alone, shared and static, and
# meet their exact solutions; the header compiles as C++; the shared library exports carom_ names only.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
if grep -qE '^(CAROM_SANITIZE:STRING=.|CMAKE_C_FLAGS:.*--coverage)' "$CAROM_BUILD/CMakeCache.txt"; then
    echo "an instrumented library does not link to plain programs"
    exit 77
fi
cmake --install "$CAROM_BUILD" --prefix "$folder/prefix" >/dev/null
library=$(dirname "$(find "$folder/prefix" -name libcarom.so)")
export PKG_CONFIG_PATH=$library/pkgconfig
test "$(pkg-config --modversion carom)" = "$("$folder/prefix/bin/carom" --version | grep -oE '[0-9]+\.[0-9]+\.[0-9]+')"

cp -r examples/c "$folder/shared"
cp -r examples/c "$folder/static"
make -s -C "$folder/shared" CFLAGS="-O2 -Wall -Wextra -Werror"
make -s -C "$folder/static" CFLAGS="-O2 -Wall -Wextra -Werror" STATIC=1
ldd "$folder/shared/thrown_disk" | grep "libcarom.so.* => $folder/prefix"
if ldd "$folder/static/thrown_disk" | grep libcarom.so; then exit 1; fi
for program in thrown_disk swinging_rod ball_row; do
    "$folder/shared/$program"
    "$folder/static/$program"
done

printf '#include <carom/carom.h>\nint main() { return carom_version() == nullptr; }\n' >"$folder/header.cc"
# shellcheck disable=SC2046
c++ -std=c++11 -Wall -Wextra -Wpedantic -Werror "$folder/header.cc" -o "$folder/header" \
    $(pkg-config --cflags --libs carom) -Wl,-rpath,"$library"
"$folder/header"

foreign=$(nm -D --defined-only "$library/libcarom.so" | awk '$2 ~ /[TDBR]/ {print $3}' | grep -v '^carom_' || true)
[ -z "$foreign" ] || { echo "exported, but not carom_*: $foreign"; exit 1; }
