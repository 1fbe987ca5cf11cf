#!/bin/bash
# 'carom view': pages in a real browser show what the results hold, ask for nothing from anywhere, and say what is missing.
. tests/robustness/support.bash
for python in python3 /usr/bin/python3 ""; do "$python" -c 'import h5py' 2>/dev/null && break; done
[ -n "$python" ] || { echo "there is no h5py"; exit 77; }
support=$PWD/tests/support gallery=$PWD/scripts/gallery
cd "$scratch" || exit 1

cat >space.yaml <<'SCENE'
carom: 1
title: A ball and a block on a table
model:
  gravity: [0, 0, -10]
  bodies:
    ball: {type: spatial, mass: 1, inertia: [1, 1, 1], shape: {sphere: 0.1}, position: [0, 0, 1], velocity: [1, 0.5, 0]}
    block: {type: spatial, mass: 1, inertia: [1, 2, 3], shape: {box: [0.3, 0.2, 0.1]}, position: [0, 1, 1.5], velocity: [0, 0, 9], angular_velocity: [3, 1, 7]}
  contacts:
    table: {between: [ball, {body: world, plane: [0, 0, 1]}], friction: 0.3, restitution: 0.7}
run: {integrator: rattle, dt: 0.005, until: 2, events: locate}
SCENE
cat >formulas.yaml <<'SCENE'
carom: 1
title: A point that bounces
model:
  coordinates: {x: {start: -0.5, velocity: 1}, y: {start: 1}}
  kinetic: (x_dot^2 + y_dot^2)/2
  potential: 10*y
  contacts: {floor: {gap: y, restitution: 0.8, draw: {at: [x, 0], normal: [0, 1]}}}
  draw:
    floor: {line: [[-1, 0], [2, 0]], ground: true}
    bob: {circle: 0.05, at: [x, y]}
    string: {spring: [[0, 2], [x, y]]}
    flag: {polygon: [[x, y], [x + 0.1, y + 0.1], [x, y + 0.2]]}
    flight: {path: [x, y]}
    name: {text: "A & <b>", at: [x, y + 0.3]}
  observe: {root: sqrt(x)}
run: {integrator: rattle, dt: 0.01, until: 1.5}
SCENE
cat >heap.yaml <<'SCENE'
carom: 1
title: Balls that find each other
model:
  gravity: [0, 0, -10]
  bodies:
    b[i=1..4]: {type: spatial, mass: 1, shape: {sphere: 0.1}, position: [0.03*i, 0.01*i^2, 0.25*i], velocity: [0.2, 0, 0]}
  contacts:
    heap: {among: [b, {body: world, plane: [0, 0, 1]}], friction: 0.3, restitution: 0.4}
    wall: {among: [[b], [{body: world, plane: [-1, 0, 0], at: [0.5, 0, 0]}]]}
run: {integrator: rattle, dt: 0.004, until: 1.2}
SCENE
cat >throw.yaml <<'SCENE'
carom: 1
title: A ball thrown far
model:
  gravity: [0, 0, -10]
  bodies: {ball: {type: spatial, mass: 1, shape: {sphere: 0.1}, velocity: [30, 0, 15]}}
run: {integrator: rattle, dt: 0.01, until: 3}
SCENE
sed 's/dt: 0.005/dt: 0.0005/' space.yaml >long.yaml
sed 's/^title.*/title: "<script>window.broken = 1<\/script> \& \\"quotes\\" '"'"' <\/title> \\u2028\\x85\\ufeff."/' formulas.yaml >markup.yaml
sed '/^  draw:/,/name:/d; s/, draw: {at.*}}$/}}/' formulas.yaml >plain.yaml
sed 's/until: 2/until: 1e6/; s/, events: locate//' space.yaml >killed.yaml

for name in space formulas heap throw long markup plain; do expect 0 "" "$carom" run $name.yaml --out $name.h5; done
"$carom" run killed.yaml --out killed.h5 >/dev/null 2>&1 &
run=$!
for i in $(seq 100); do sleep 0.1; [ "$("$carom" export killed.h5 --csv - 2>/dev/null | wc -l)" -lt 10 ] || break; done
kill -9 $run; wait $run 2>/dev/null
sed 's/potential: 10\*y/potential: 10*y + asin(1 + t)*y/' formulas.yaml >single.yaml
"$carom" run single.yaml --out single.h5 >/dev/null 2>&1
[ "$("$carom" export single.h5 --csv - | wc -l)" = 2 ] || wrong "not a single row: $("$carom" export single.h5 --csv - | wc -l)"

expect 0 "" "$carom" view space.h5 --no-open
grep -qx space.html stdout || wrong "the name of the page: $(cat stdout)"
for name in formulas heap throw markup plain killed single; do expect 0 "" "$carom" view $name.h5 --no-open --out $name.html; done
expect 0 "" "$carom" view long.h5 --no-open --frames 100

# the page of a run, also of one that fails; of two runs; of one that is at work, which ends with it
expect 0 "" "$carom" run formulas.yaml --out shown.h5 --view --quiet
[ -s shown.html ] || wrong "run --view writes no page"
"$carom" run single.yaml --out failed.h5 --view >/dev/null 2>&1
[ $? = 1 ] && [ -s failed.html ] || wrong "run --view of a run that fails"
expect 2 "--view needs a result file" "$carom" run formulas.yaml --out none --view
expect 0 "" "$carom" run formulas.yaml --set run.integrator=moreau --set run.dt=0.02 --out coarse.h5
expect 0 "" "$carom" view formulas.h5 coarse.h5 --no-open --out both.html
sed 's/until: 1e6/until: 2500, every: 20/' killed.yaml >live.yaml # seconds, whose first rows are on the disk after two
"$carom" run live.yaml --out live.h5 >/dev/null 2>&1 &
run=$!
for i in $(seq 100); do sleep 0.1; [ "$("$carom" export live.h5 --csv - 2>/dev/null | wc -l)" -lt 10 ] || break; done
kill -STOP $run # until its first page is there
"$carom" view live.h5 --live --no-open >/dev/null &
view=$!
for i in $(seq 50); do sleep 0.1; cp live.html live_first.html 2>/dev/null && grep -q '"live": true' live_first.html && break; done
kill -CONT $run
[ $i -lt 50 ] || wrong "the page of a run at work does not go on"
wait $run; wait $view || wrong "view --live fails: $?"
grep -q '"live": false' live.html && grep -q '"status": "finished"' live.html || wrong "the last page of a run is not its end"

# movies: pictures of one size that differ, as files and, where there is ffmpeg, as a movie of as many pictures
if command -v chromium >/dev/null; then
    expect 0 "" "$carom" movie formulas.h5 --out pictures --size 320x240 --rate 4 --speed 1 --to 1 --plots 'E;x,y' --dark
    [ "$(ls pictures)" = "$(printf '%06d.png\n' 1 2 3 4 5)" ] || wrong "the pictures of a movie: $(ls pictures)"
    [ "$(cd pictures && md5sum ./* | cut -c-32 | sort -u | wc -l)" = 5 ] || wrong "pictures of a movie are equal"
    for picture in pictures/*; do
        [ "$(od -An -j16 -N8 -tx1 "$picture" | tr -d ' ')" = 00000140000000f0 ] || wrong "$picture is not 320x240"
    done
    expect 0 "" "$carom" movie formulas.h5 --out large --rate 1 --speed 1 --to 0
    [ "$(od -An -j16 -N8 -tx1 large/000001.png | tr -d ' ')" = 0000078000000438 ] || wrong "a picture is not 1920x1080 unless told"
    if command -v ffmpeg >/dev/null; then
        expect 0 "" "$carom" movie formulas.h5 --out film.mp4 --size 320x240 --rate 4 --speed 1 --to 1
        [ "$(ffprobe -v error -count_frames -show_entries stream=nb_read_frames,width,height -of csv=p=0 film.mp4)" = 320,240,5 ] ||
            wrong "the movie: $(ffprobe -v error -count_frames -show_entries stream=nb_read_frames,width,height -of csv=p=0 film.mp4)"
    fi
    expect 2 "a movie is .mp4, .webm, .gif or a folder" "$carom" movie formulas.h5 --out film.avi
    expect 2 "nothing recorded between" "$carom" movie formulas.h5 --out film.gif --from 5
fi
expect 2 "there is no browser" env PATH=/nowhere "$carom" movie formulas.h5 --out film.mp4
expect 2 "two even numbers of pixels" "$carom" movie formulas.h5 --size 321x240
expect 2 "did you mean 'front'" "$carom" movie formulas.h5 --view frnt

# a gallery: a picture and a page for each scene
expect 0 "" "$gallery" --out gallery formulas.yaml markup.yaml
[ "$(grep -o 'href="[a-z_]*.html"' gallery/index.html | wc -l)" = 2 ] && [ "$(ls gallery | wc -l)" = 5 ] || wrong "the gallery: $(ls gallery)"
! grep -q '<script>' gallery/index.html || wrong "a title is a script in the gallery"

# the report of a study holds the viewer once, and the motion of its system
if command -v gnuplot >/dev/null; then
    cat >study.yaml <<'RECIPE'
carom: 1
runs: {own: {scene: formulas}, other: {scene: formulas, set: {run.dt: 0.02}}}
converge: {orders: {scene: formulas, dt: 4e-2..2e-2/2, integrators: {rattle: rattle}, set: {run.until: 0.2}}}
pictures: [{panels: [{y: {label: "y [m]"}, curves: [{of: own, y: y, label: y}]}]}, {storyboard: {of: other}}]
RECIPE
    expect 0 "" "$carom" run formulas.yaml --set run.dt=0.02 --out shown_report.h5
    expect 0 "" "$carom" study study.yaml --out report --quiet
fi

# refused in a sentence; nothing is left behind
expect 2 "is a number of instants" "$carom" view space.h5 --frames few
expect 2 "would overwrite what this command reads" "$carom" view space.h5 --out space.h5
expect 2 "not_there.h5" "$carom" view not_there.h5
expect 2 "is a scene, not a result" "$carom" view space.yaml
[ ! -e not_there.html ] && ! ls ./*.part* 2>/dev/null || wrong "a failed view leaves files behind: $(ls)"

"$python" "$support/view_page.py" . || exit $?
finish
