#!/usr/bin/env bash
# scripts/without hides what the tools need, both ways, and nothing of what the library needs. Before, all of it is there.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/there" <<'COMMANDS'
cd "$1"
hdf5=$(pkg-config --cflags hdf5-serial)
includes() { echo "#include <$1>" >try.c; cc $hdf5 -I/usr/include/suitesparse -c try.c -o try.o; }
links() { echo 'int main(void) { return 0; }' >try.c; cc try.c -o try ${LDFLAGS-} "-l$1"; }
for header in zlib.h zconf.h hdf5.h klu.h libfyaml.h; do includes $header && echo $header; done
for library in z klu fyaml; do links $library && echo "-l$library"; done
for module in zlib hdf5-serial libfyaml; do pkg-config --exists $module && echo "$module.pc"; done
gnuplot -e 'exit' </dev/null && echo gnuplot
true
COMMANDS
there() { "$@" bash "$folder/there" "$folder" 2>/dev/null | tr '\n' ' '; }
theirs='zlib.h zconf.h hdf5.h -lz zlib.pc hdf5-serial.pc gnuplot'
ours='klu.h libfyaml.h -lklu -lfyaml libfyaml.pc '

all=" $(there env) "
for thing in $theirs $ours; do [[ $all == *" $thing "* ]] || { echo "$thing is not there: nothing to hide"; exit 77; }; done
for way in '' --paths; do
    [ "$(there scripts/without $way)" = "$ours" ] ||
        { echo "WRONG: scripts/without $way leaves '$(there scripts/without $way)', not '$ours'"; exit 1; }
    status=0
    scripts/without $way bash -c 'exit 3' 2>/dev/null || status=$?
    [ $status = 3 ] || { echo "WRONG: scripts/without $way ends with $status, not with what the command returns"; exit 1; }
done
echo "all right"
