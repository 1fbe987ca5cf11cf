#!/usr/bin/env bash
# Folders include what DESIGN.md allows, and no two of them each other. The check sees what it is there for: an include from
# the library to a tool, a circle, a header of the library that is not named for the tools, a file that includes a later one, a folder that is not
# listed.
set -uo pipefail
command -v python3 >/dev/null || { echo "there is no python3"; exit 77; }
scripts/includes --check || exit 1

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
check=$PWD/scripts/includes
cp -r DESIGN.md include src tools cli "$folder" # without the results of builds
# sees TEXT FILE HEADER: FILE must not include HEADER.
sees() {
    printf '#include "%s"\n' "$3" >>"$folder/$2"
    said=$(cd "$folder" && "$check" --check) && { echo "WRONG: $2 may include $3"; exit 1; }
    grep -q "$1" <<<"$said" || { echo "WRONG: '$said' does not say '$1'"; exit 1; }
    if [ -e "$2" ]; then cp "$2" "$folder/$2"; else rm "$folder/$2"; fi
}
sees "does not allow run to" src/run/sim.c result/result.h
sees "model -> model/formula -> model" src/model/model.c model/formula/expr.h
sees "does not allow tools/result to" tools/result/csv.c scene/read.h
sees "integrator/watch.h, which comes after it" src/integrator/attempt.c integrator/watch.h
sees "integrator/locate.h, which comes after it" src/integrator/event.h integrator/locate.h
mkdir "$folder/src/attic"
sees "does not list the folder attic" src/attic/old.c law/law.h
echo "all right"
