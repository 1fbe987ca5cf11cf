#!/usr/bin/env bash
# The report of a reproduction in a browser, as wide as a phone and as a desk: all pictures load, all links lead somewhere,
# nothing sticks out to the side, headings go down one level at a time, nothing is said on the console.
#   browser.sh                             a sample with everything that can come up
#   browser.sh FOLDER [PAGE [PICTURES]]    a page of a report or of a site; with screenshots
set -euo pipefail

browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) ||
    { echo "there is no chromium"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ $# -gt 0 ]; then cp -r "$1" "$work/report"
else "$CAROM_BUILD/tests/unit/test_report" "$work/report"; fi

# browse WIDTH HEIGHT FILE OPTION...
browse() {
    local width=$1 height=$2 file=$3
    shift 3
    timeout 120 "$browser" --headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage --hide-scrollbars \
        --no-first-run --user-data-dir="$work/profile" --window-size="$width,$height" "$@" "file://$file"
}

# What the page says about itself, one complaint per line; "file NAME" where a link leads to a file.
cat >"$work/check.js" <<'END'
addEventListener("load", () => {
    const said = [], say = (...words) => said.push(words.join(" "));
    const all = what => [...document.querySelectorAll(what)];
    for (const image of all("img")) {
        if (!image.complete || image.naturalWidth === 0) say("picture does not load:", image.src);
        if (!image.alt) say("picture without alternative text:", image.src);
    }
    for (const link of all("[href], [src]")) {
        const to = link.getAttribute("href") ?? link.getAttribute("src");
        if (to.startsWith("#")) { if (!document.getElementById(to.slice(1))) say("no such anchor:", to); }
        else if (/^https?:/.test(to)) { if (link.tagName !== "A") say("needs the network:", to); }
        else if (!to.startsWith("data:")) say("file", to);
    }
    const ids = all("[id]").map(e => e.id);
    for (const id of ids) if (ids.indexOf(id) !== ids.lastIndexOf(id)) say("anchor twice:", id);
    let level = 0;
    for (const heading of all("h1, h2, h3, h4, h5, h6")) {
        const next = Number(heading.tagName[1]);
        if (next > level + 1) say("heading skips a level:", heading.textContent);
        level = next;
    }
    for (const details of all("details")) details.open = true;
    const page = document.documentElement;
    if (page.scrollWidth > innerWidth) {
        say("the page is", page.scrollWidth, "wide in a window of", innerWidth);
        for (const e of all("body *"))
            if (e.getBoundingClientRect().right > innerWidth && !e.closest(".scroll, pre"))
                say("sticks out:", e.outerHTML.slice(0, 100));
    }
    parent.postMessage(["BEGIN", "width " + innerWidth, ...said, "END"].join("\n"), "*");
});
END
# Windows cannot be as narrow as a phone, but frames can.
cat >"$work/frame.html" <<'END'
<!DOCTYPE html>
<iframe src="PAGE" style="width: WIDTHpx; height: 800px; border: 0"></iframe><pre></pre>
<script>onmessage = said => { document.querySelector("pre").textContent = "\n" + said.data + "\n"; };</script>
END

page=$work/report/${2-index.html}
place=$(dirname "$page")
cp "$page" "$work/index.html"
{ echo "<script>"; cat "$work/check.js"; echo "</script>"; } >>"$page"
failed=0
for width in 360 1200; do
    sed "s/WIDTH/$width/; s/PAGE/$(basename "$page")/" "$work/frame.html" >"$place/frame.html"
    browse 1300 900 "$place/frame.html" --enable-logging=stderr --virtual-time-budget=20000 --dump-dom >"$work/dom" 2>"$work/log"
    sed -n '/^BEGIN$/,/^END$/p' "$work/dom" >"$work/said"
    grep -q "^width $width\$" "$work/said" || { echo "$width: the page was not looked at:"; tail -5 "$work/log"; exit 1; }
    if grep ':CONSOLE' "$work/log"; then failed=1; fi
    while read -r first rest; do
        case "$first" in
        BEGIN | END | width | "") ;;
        file) [ -e "$place/${rest%%#*}" ] || { echo "$width: no such file: $rest"; failed=1; } ;;
        *) echo "$width: $first $rest"; failed=1 ;;
        esac
    done <"$work/said"
done
cp "$work/index.html" "$page"

if [ $# -gt 2 ]; then
    mkdir -p "$3"
    for width in 360 1200; do
        browse $width 4000 "$page" --screenshot="$3/$width.png" 2>/dev/null
        browse $width 4000 "$page" --blink-settings=preferredColorScheme=0 --screenshot="$3/$width-dark.png" 2>/dev/null
    done
    browse 1200 800 "$page" --no-pdf-header-footer --print-to-pdf="$3/report.pdf" 2>/dev/null
fi
exit $failed
