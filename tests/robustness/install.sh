#!/usr/bin/env bash
# A user's view of the installed carom, in a folder that was moved after the installation: the C examples build against
# the installed files alone, by make with pkg-config and by CMake with find_package, shared and static, and meet their
# exact solutions; the headers compile as C++; the shared library exports carom_ names only.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
if grep -qE '^(CAROM_SANITIZE:STRING=.|CMAKE_C_FLAGS:.*--coverage)' "$CAROM_BUILD/CMakeCache.txt"; then
    echo "an instrumented library does not link to plain programs"
    exit 77
fi
cmake --install "$CAROM_BUILD" --prefix "$folder/first" >/dev/null
mv "$folder/first" "$folder/prefix"
library=$(dirname "$(find "$folder/prefix" -name libcarom.so)")
export PKG_CONFIG_PATH=$library/pkgconfig
program=$folder/prefix/bin/carom # not there where the library was built alone
if [ -x "$program" ]; then
    test "$(pkg-config --modversion carom)" = "$("$program" --version | grep -oE '[0-9]+\.[0-9]+\.[0-9]+')"
fi
if grep -nE '(=|-L|-I| )/' "$PKG_CONFIG_PATH"/*.pc; then echo "carom.pc has absolute paths"; exit 1; fi
if grep -rn "$CAROM_BUILD" "$library/cmake"; then echo "the CMake package points into the build"; exit 1; fi

# No name of a static library but those of the API can clash with one of a program.
for archive in "$library"/libcarom*.a; do
    if nm -g --defined-only "$archive" | awk 'NF == 3 && $3 !~ /^carom_/' | grep .; then
        echo "names of $archive that are not the API's"
        exit 1
    fi
done

flags="-O2 -Wall -Wextra -Werror"
cp -r examples/c "$folder/shared"
cp -r examples/c "$folder/static"
make -s -C "$folder/shared" CFLAGS="$flags"
make -s -C "$folder/static" CFLAGS="$flags" STATIC=1
make -s -C "$folder/static" CFLAGS="$flags" tools
for kind in shared static; do
    [ $kind = static ] && static=ON || static=OFF
    cmake -S examples/c -B "$folder/cmake_$kind" -DCMAKE_PREFIX_PATH="$folder/prefix" -DSTATIC=$static \
        -DCMAKE_C_FLAGS="$flags" >/dev/null
    cmake --build "$folder/cmake_$kind" >/dev/null
done
for way in shared static cmake_shared cmake_static; do
    linked=$(ldd "$folder/$way/thrown_disk" | grep libcarom || true)
    case $way in
    *shared) grep -q "libcarom.so.* => $folder/prefix" <<<"$linked" || { echo "$way links '$linked'"; exit 1; } ;;
    *) [ -z "$linked" ] || { echo "$way links '$linked'"; exit 1; } ;;
    esac
    for program in $(sed -n 's/^PROGRAMS = //p' examples/c/Makefile); do "$folder/$way/$program"; done
done

# A result that a program wrote is one of carom's.
for way in static cmake_shared; do
    (cd "$folder" && "$way/recorded_ball")
    rows=$("$folder/prefix/bin/carom" export "$folder/ball.h5" --csv - | wc -l)
    [ "$rows" = 202 ] || { echo "$way/recorded_ball: $rows lines instead of a header and 201 rows"; exit 1; }
    "$folder/prefix/bin/carom" events "$folder/ball.h5" | grep strike >/dev/null || { echo "no events"; exit 1; }
    rm "$folder/ball.h5"
done

for header in "$folder"/prefix/include/carom/*.h; do
    printf '#include <carom/%s>\nint main() { return carom_version() == nullptr; }\n' "$(basename "$header")" \
        >"$folder/header.cc"
    # shellcheck disable=SC2046
    c++ -std=c++11 -Wall -Wextra -Wpedantic -Werror "$folder/header.cc" -o "$folder/header" \
        $(pkg-config --cflags --libs carom) -Wl,-rpath,"$library"
    "$folder/header"
done

foreign=$(nm -D --defined-only "$library/libcarom.so" | awk '$2 ~ /[TDBR]/ {print $3}' | grep -v '^carom_' || true)
[ -z "$foreign" ] || { echo "exported, but not carom_*: $foreign"; exit 1; }
