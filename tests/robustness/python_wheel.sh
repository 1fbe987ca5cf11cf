#!/usr/bin/env bash
# As in docs/guide/python.md: pip makes a wheel from the checkout without a network; in a fresh virtual environment it brings its own libraries and the
# program along, and passes the tests of the package.
set -euo pipefail

module=$CAROM_BUILD/python/_native.abi3.so
if [ ! -e "$module" ]; then echo "the Python package is not built"; exit 77; fi
python=$(sed -n 's/^CAROM_PYTHON_FOUND:INTERNAL=//p' "$CAROM_BUILD/CMakeCache.txt")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$python" -m venv --system-site-packages "$folder/venv"
"$folder/venv/bin/pip" -q --disable-pip-version-check install --no-index . >"$folder/log" 2>&1 || { cat "$folder/log"; exit 1; }
installed=$(echo "$folder"/venv/lib/python3*/site-packages/carom)
unset CAROM_BUILD CAROM_PROGRAM

for file in "$installed/_native.abi3.so" "$installed/bin/carom"; do
    foreign=$(ldd "$file" | awk '$3 ~ "^/" { print $3 }' | grep -vE "^$installed/|/lib(c|m|dl|rt|pthread|resolv|util)\.so\." || true)
    [ -z "$foreign" ] || { echo "$file uses libraries of the system: $foreign"; exit 1; }
done
for program in "$folder/venv/bin/carom" "$installed/bin/carom"; do
    "$program" --version | grep -q '^carom ' || { echo "$program does not run"; exit 1; }
done
"$folder/venv/bin/python" -c "import carom; assert carom.__file__.startswith('$installed')"
"$folder/venv/bin/python" -m pytest -q -p no:cacheprovider -o pythonpath= python/tests/test_{scene,simulation,force,misuse}.py
# what the program does for the package: the viewer's page, from a folder that is no checkout
cd "$folder"
"$folder/venv/bin/python" - <<'END'
import carom
scene = carom.Scene().gravity(0, 0, -9.81).body("ball", sphere=0.1, mass=1, position=(0, 0, 1))
assert scene.simulation(until=0.1).run().animate()._repr_html_().startswith("<iframe srcdoc=")
END
