#!/bin/bash
# 'draw' in a model of formulas: everything is where its formulas put it, nothing of the motion changes, and what can be wrong.
. tests/robustness/support.bash

# every scene that comes with carom can be seen
for scene in $(find scenes -name '*.yaml'); do
    expect 0 "" "$carom" plot "$scene" --scene --out "$scratch/scene.svg"
    ! grep -qE '[ ",](nan|inf|-nan|-inf)[ ",]' "$scratch/scene.svg" || wrong "$scene: a place that is no number"
done
cd "$scratch" || exit 1
cat >plain.yaml <<'SCENE'
carom: 1
title: A point in free flight
parameters: {n: 4, r: 0.25}
model:
  coordinates: {x: {start: 0.5, velocity: 3}, y: {start: 2, velocity: 4}}
  kinetic: (x_dot^2 + y_dot^2)/2
  potential: 10*y
  contacts: {floor: {gap: y + 9, restitution: 1}}
run: {integrator: rattle, dt: 0.01, until: 1}
SCENE
cat >drawn.yaml <<'SCENE'
carom: 1
extends: plain.yaml
model:
  draw:
    floor: {line: [[-1, -9], [6, -9]], ground: true}
    ball: {circle: r, at: [x, y], angle: x}
    rod: {line: [[1, 3], [x, y]]}
    spring: {spring: [[2, 5], [x, y + 1]], radius: 0.1}
    curve: {line: {"p[i=0..n]": [i, "x*i^2"], end: [5, t]}}
    wedge: {polygon: [[x, y], [x + 1, y], [x, y + 1]]}
    block: {box: [0.4, 0.2], at: [2*x, y], angle: pi/2}
    "dot[i=1..n]": {circle: 0.1, at: [i, -2]}
    name: {text: "A & <b>", at: [x, y - 1]}
    flight: {path: [x, y]}
SCENE
for name in plain drawn; do
    expect 0 "" "$carom" run $name.yaml --out $name.h5
    sed -n 's/.*state hash: *//p' stdout >$name.hash
done
[ -s plain.hash ] && cmp -s plain.hash drawn.hash || wrong "what is drawn changes the motion"

# places SVG: "KIND x y ..." in the units of the axes, one line per shape, rounded to 1e-4
places() {
    awk -F'"' '
        function X(x) { return u0 + (x - p0) * (u - u0) / (p - p0) }
        function Y(y) { return v0 + (y - s0) * (v - v0) / (s - s0) }
        /class="x-tick"/ { split($0, n, /[<>]/); if (!i++) { u0 = n[3]; p0 = $4 } u = n[3]; p = $4 }
        /class="y-tick"/ { split($0, n, /[<>]/); if (!j++) { v0 = n[3]; s0 = $6 - 4 } v = n[3]; s = $6 - 4 }
        { line[NR] = $0 }
        END {
            for (k = 1; k <= NR; k++) {
                $0 = line[k]
                if (/<circle/) printf "circle %.3f %.3f %.3f\n", X($2), Y($4), $6 * (u - u0) / (p - p0)
                if (/<polyline.*stroke-width="1.6"/ || /<polygon.*stroke-width="1.1"/ || /<polyline.*stroke-width="1.2"/) {
                    m = split($2, e, /[ ,]/)
                    printf "%s", /polygon/ ? "polygon" : /"1.2"/ ? "path" : "line"
                    for (q = 1; q < m; q += 2) printf " %.3f %.3f", X(e[q]), Y(e[q + 1])
                    print ""
                }
                if (/>A &amp; &lt;b>/) printf "text %.3f %.3f\n", X($4), Y($6 - 4)
            }
        }' "$1"
}
# x = 0.5 + 3 t, y = 2 + 4 t - 5 t^2, which rattle meets. Places are written to 0.01 pixels of some 50 per unit
for t in 0 0.3 1; do
    expect 0 "" "$carom" plot drawn.h5 --scene --at $t --out drawn.svg
    places drawn.svg >places
    awk -v t=$t '
        function near(i, x, y) { if (($i - x)^2 + ($(i + 1) - y)^2 > 4e-6) { bad = 1; print "off:", $0 } }
        BEGIN { x = 0.5 + 3*t; y = 2 + 4*t - 5*t^2 }
        { n[$1]++ }
        $1 == "circle" && n[$1] == 1 { near(2, x, y); if (($4 - 0.25)^2 > 1e-6) bad = 1 }
        $1 == "circle" && n[$1] > 1 { near(2, n[$1] - 1, -2) }
        $1 == "line" && NF == 5 { rods++; near(2, 1, 3); near(4, x, y) }
        $1 == "line" && NF > 20 { springs++; near(2, 2, 5); near(NF - 1, x, y + 1) }
        $1 == "line" && NF == 13 { curves++; for (i = 0; i <= 4; i++) near(2 + 2*i, i, x*i^2); near(12, 5, t) }
        $1 == "polygon" && NF == 7 { wedges++; near(2, x, y); near(4, x + 1, y); near(6, x, y + 1) }
        $1 == "polygon" && NF == 9 { for (i = 2; i < 10; i += 2) if (($i - 2*x)^2 > 0.0101 || ($(i + 1) - y)^2 > 0.0401) bad = 1; boxes++ }
        $1 == "text" { near(2, x, y - 1) }
        $1 == "path" { near(2, 0.5, 2); near(NF - 1, x, y) }
        END { exit bad || n["circle"] != 5 || rods != 1 || springs != 1 || curves != 1 || wedges != 1 || boxes != 1 || n["text"] != 1 || (t > 0 && n["path"] != 1) }
    ' places || wrong "at t = $t: $(cat places)"
done

# the start of a scene needs no run; other instants do
expect 0 "" "$carom" plot drawn.yaml --scene --out start.svg
places start.svg | grep -q "^circle 0.500 2.000 0.250$" || wrong "the start: $(places start.svg)"
expect 2 "--at, --frames and --trails need a result" "$carom" plot drawn.yaml --scene --at 1
expect 2 "plain.yaml has nothing to draw" "$carom" plot plain.yaml --scene
expect 2 "'draw' in the model says what to draw" "$carom" plot plain.h5 --scene

# VTK: solids as bodies, lines as lines, texts and paths not at all
expect 0 "" "$carom" export drawn.h5 --vtk series --times 0,1
ls series | grep -c lines | grep -qx 2 || wrong "lines: $(ls series)"
grep -q 'NumberOfLines="4"' series/drawn_lines_000001.vtp || wrong "$(grep Piece series/drawn_lines_000001.vtp)"
grep -q 'Name="names" NumberOfTuples="7"' series/drawn_bodies_000001.vtp || wrong "$(grep names series/drawn_bodies_000001.vtp)"

# something that leaves the plane is seen in space
expect 0 "" "$carom" plot drawn.yaml --scene --out flat.svg
grep -q "x and y in m" flat.svg || wrong "a planar scene is not seen in its plane"
cat >space.yaml <<'SCENE'
carom: 1
extends: plain.yaml
model: {draw: {ball: {sphere: r, at: [x, 0, y], rotation: {axis: [1, 0, 0], angle: x}}, ground: {plane: [0, 0, 1], at: [0, 0, -9]}}}
SCENE
expect 0 "" "$carom" plot space.yaml --scene --out space.svg
grep -q "grid: " space.svg || wrong "a scene in space is seen as a plane"

# refused, with the line
refuse() { # TEXT ENTRY
    printf 'carom: 1\nextends: plain.yaml\nmodel:\n  draw:\n    it: %s\n' "$2" >bad.yaml
    expect 2 "bad.yaml:5:" "$carom" check bad.yaml
    expect 2 "$1" "$carom" check bad.yaml
}
refuse "'draw' knows no 'cirle', did you mean 'circle'?" '{cirle: 1}'
refuse "'it' is to be drawn as a line, polygon, spring, path, text, circle, box" '{at: [0, 0]}'
refuse "'it' is drawn as circle and as box, choose one" '{circle: 1, box: [1, 2]}'
refuse "'it' must be a map" '1'
refuse "where something is drawn may not depend on velocities" '{circle: 1, at: [x_dot, 0]}'
refuse "where something is drawn may not depend on velocities" '{box: [1, 1], angle: y_dot}'
refuse "undefined name 'z'" '{path: [z, 0]}'
refuse "spring 'it' has two ends, here are 3" '{spring: [[0, 0], [1, 1], [2, 2]]}'
refuse "'it' needs at least 3 points" '{polygon: [[0, 0], [1, 1]]}'
refuse "'it' needs points, as in" '{line: 3}'
refuse "must be a list of 1 to 3" '{line: [[0, 0, 0, 0], [1, 1]]}'
refuse "the circle must be positive, it is -1" '{circle: -1}'
refuse "unknown key 'radus' in line 'it', did you mean 'radius'?" '{line: [[0, 0], [1, 1]], radus: 1}'
refuse "give an 'angle' or a 'rotation', not both" '{box: [1, 1], angle: 1, rotation: [1, 0, 0, 0]}'
refuse "no value of 'ground' 'maybe'" '{line: [[0, 0], [1, 1]], ground: maybe}'
refuse "a family has at most 1000000 members" '{line: {"p[i=1..1e9]": [i, 0]}}'
finish
