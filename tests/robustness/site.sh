#!/usr/bin/env bash
# scripts/site: the documentation as it is has no link that leads nowhere, not even to a heading; one that does is found;
# no folder of other things is overwritten.
set -euo pipefail

command -v cmark-gfm >/dev/null || { echo "there is no cmark-gfm"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$CAROM_BUILD/tests/unit/test_report" "$work/report"
scripts/site --report "$work/report" --out "$work/site"
scripts/site --report "$work/report" --out "$work/site" # again, over the one before
grep -q '<h1 id="carom">' "$work/site/index.html"
grep -q 'href="../index.html"' "$work/site/reproduction/index.html"
if grep -q gallery/ "$work/site/index.html"; then echo "a link to a gallery that is not there"; exit 1; fi
CAROM_PROGRAM=$CAROM_BUILD/carom scripts/gallery --out "$work/gallery" scenes/gallery/box.yaml scenes/paper/rattle/ball_1.yaml
scripts/site --report "$work/report" --gallery "$work/gallery" --out "$work/site"
grep -q 'href="gallery/index.html"' "$work/site/index.html"
for name in gallery_box paper_rattle_ball_1; do [ -s "$work/site/gallery/$name.html" ] || { echo "the gallery lacks $name"; exit 1; }; done
if scripts/site --report "$work/report" --gallery docs --out "$work/site" 2>"$work/said"; then echo "a folder is taken for a gallery"; exit 1; fi
grep -q 'docs is no gallery' "$work/said"
for name in guide theory; do
    for page in "docs/$name"/*.md; do
        [ -s "$work/site/${page%.md}.html" ] || { echo "$page has no page"; exit 1; }
    done
done

mkdir "$work/tree"
cp -r README.md DESIGN.md docs scripts reproduce "$work/tree"
printf '\n[one](docs/guide/scene.md#no-such-heading) [two](no_such_page.md)\n' >>"$work/tree/README.md"
if "$work/tree/scripts/site" --report "$work/report" 2>"$work/said"; then echo "broken links are not found"; exit 1; fi
grep -q 'index.html: docs/guide/scene.html#no-such-heading$' "$work/said"
grep -q 'index.html: no_such_page.md$' "$work/said"

if scripts/site --report "$work/nowhere" 2>"$work/said"; then echo "a site without a report"; exit 1; fi
grep -q 'nowhere is no report of carom reproduce$' "$work/said"

mkdir "$work/other"
touch "$work/other/thesis.tex"
if scripts/site --report "$work/report" --out "$work/other"; then echo "a folder was overwritten"; exit 1; fi
[ -e "$work/other/thesis.tex" ]
