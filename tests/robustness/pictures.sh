#!/bin/bash
# Storyboards and series of bodies: where a ball is drawn, and everything that can be wrong with the request.
. tests/robustness/support.bash
ball formulas
cd "$scratch" || exit 1
cat >ball.yaml <<'SCENE'
carom: 1
title: A ball & its <path>
model:
  gravity: [0, -10]
  bodies:
    ball: {type: planar, mass: 1, inertia: 0.1, position: [0.5, 2], velocity: [3, 4], shape: {sphere: 0.25}}
  contacts:
    roof: {gap: 9 - ball.y, draw: {at: [ball.x, 9], normal: [0, -1]}}
run: {integrator: rattle, dt: 0.01, until: 1}
SCENE
expect 0 "" "$carom" run ball.yaml --quiet

# circles CHART.svg: "x y r" of every circle in the units of the axes, whose numbers stand at known places
# lines CHART.svg: "x y x y", the ends of every line and spring
circles() { shapes "$1" | awk '$1 == "circle" { print $2, $3, $4 }'; }
lines() { shapes "$1" | awk '$1 == "line" { print $2, $3, $4, $5 }'; }
shapes() {
    awk -F'"' '
        /class="x-tick"/ { split($0, n, /[<>]/); if (!i++) { u0 = n[3]; p0 = $4 } u = n[3]; p = $4 }
        /class="y-tick"/ { split($0, n, /[<>]/); if (!j++) { v0 = n[3]; s0 = $6 - 4 } v = n[3]; s = $6 - 4 }
        /<circle/ { x[++c] = $2; y[c] = $4; r[c] = $6 }
        /<polyline.*stroke-width="1.6"/ { m = split($2, e, /[ ,]/); l++; for (k = 1; k <= 4; k++) end[l, k] = e[k < 3 ? k : m - 4 + k] }
        function X(x) { return u0 + (x - p0) * (u - u0) / (p - p0) }
        function Y(y) { return v0 + (y - s0) * (v - v0) / (s - s0) }
        END {
            for (k = 1; k <= c; k++) printf "circle %.4f %.4f %.4f\n", X(x[k]), Y(y[k]), r[k] * (u - u0) / (p - p0)
            for (k = 1; k <= l; k++)
                printf "line %.4f %.4f %.4f %.4f\n", X(end[k, 1]), Y(end[k, 2]), X(end[k, 3]), Y(end[k, 4])
        }' "$1"
}

# free flight: x = 0.5 + 3 t, y = 2 + 4 t - 5 t^2, which rattle meets exactly; places are written to 0.01 pixels of
# about 300 per unit and more, numbers at axes are exact
for t in 0 0.3 0.7 1; do
    expect 0 "" "$carom" plot ball.h5 --scene --at $t --out ball.svg
    circles ball.svg >circle
    awk -v t=$t '{ n++; if (($1 - 0.5 - 3*t)^2 + ($2 - 2 - 4*t + 5*t^2)^2 > 1e-6 || ($3 - 0.25)^2 > 1e-6) bad = 1 }
        END { exit n != 1 || bad }' circle || wrong "at t = $t the ball is at '$(cat circle)'"
done

# springs and distances go from end to end: one from a point of the world, one between two bodies, of no force
# here, and a rope that stays slack, so that the bodies fly and coast as they would alone; the end at (0.1, 0) of the plate
# turns with it
cat >springs.yaml <<'SCENE'
carom: 1
title: Springs
model:
  gravity: [0, -10]
  bodies:
    ball: {type: planar, mass: 1, inertia: 0.1, position: [0.5, 2], velocity: [3, 4], shape: {sphere: 0.25}}
    plate: {type: planar, mass: 1, inertia: 0.1, position: [3, 3], velocity: [0, 5], angular_velocity: 2, shape: {box: [0.4, 0.2]}}
  springs:
    anchor: {between: [world, ball], points: [[1, 3], [0, 0]], force: 0*length}
    tie: {between: [ball, plate], points: [[0, 0], [0.1, 0]], force: 0*length}
  joints:
    rope: {type: distance, bodies: [world, plate], points: [[0, 1, 0], [0.1, 0, 0]], limits: [0, 99]}
run: {integrator: rattle, dt: 0.01, until: 1}
SCENE
expect 0 "" "$carom" run springs.yaml --quiet
for t in 0 0.3 1; do
    expect 0 "" "$carom" plot springs.h5 --scene --at $t --out springs.svg
    lines springs.svg >line
    awk -v t=$t '
        function off(i, x, y) { return ($i - x)^2 + ($(i + 1) - y)^2 > 1e-6 }
        BEGIN { x = 0.5 + 3*t; y = 2 + 4*t - 5*t^2 }
        { n++ }
        n == 1 && (off(1, 1, 3) || off(3, x, y)) { bad = 1 }
        BEGIN { X = 3 + 0.1*cos(2*t); Y = 3 + 5*t - 5*t^2 + 0.1*sin(2*t) }
        n == 2 && (off(1, x, y) || off(3, X, Y)) { bad = 1 }
        n == 3 && (off(1, 0, 1) || off(3, X, Y)) { bad = 1 }
        END { exit n != 3 || bad }' line || wrong "at t = $t the springs and the rope are at '$(cat line)'"
done
expect 0 "" "$carom" export springs.h5 --vtk springs --times 0,0.3,1
for piece in springs/springs_lines_00000{0,1,2}.vtp; do
    grep -q '<Piece NumberOfPoints="6" NumberOfLines="3">' $piece || wrong "$piece has not three lines: $(grep Piece $piece)"
done
[ "$(ls springs | grep -c lines)" = 3 ] || wrong "lines at other than three instants: $(ls springs)"
expect 0 "" "$carom" export ball.h5 --vtk bare --times 0
[ "$(ls bare | grep -c lines)" = 0 ] || wrong "lines where there is no spring"

# panels: six unless told, the first at the start, the last at the end
panels() { sed -n 's/.*class="panel" data-t="\([^"]*\)".*/\1/p' "$1" | tr '\n' ' '; }
expect 0 "" "$carom" plot ball.h5 --scene --out ball.svg
grep -qx "ball.svg" stdout || wrong "it says '$(cat stdout)'"
[ "$(panels ball.svg | wc -w)" = 6 ] || wrong "panels: $(panels ball.svg)"
case "$(panels ball.svg)" in "0 0.2"*"1 ") ;; *) wrong "panels: $(panels ball.svg)" ;; esac
[ "$(grep -c "<circle" ball.svg)" = 6 ] || wrong "not one ball in each panel"
grep -q ">t = 0.6 s<" ball.svg || wrong "no time under a panel"
grep -q "A ball &amp; its &lt;path>" ball.svg || wrong "the title is not escaped"
expect 0 "" "$carom" plot ball.h5 --scene --frames 3 --trails --view 1,1,3 --out ball.svg
[ "$(panels ball.svg)" = "0 0.5 1 " ] || wrong "panels: $(panels ball.svg)"
expect 0 "" "$carom" plot ball.h5 --scene --at 0.5 --view top --out ball.svg
[ "$(panels ball.svg)" = "0.5 " ] || wrong "panels: $(panels ball.svg)"
for kind in png pdf; do
    expect 0 "" "$carom" plot ball.h5 --scene --frames 2 --out ball.$kind
    [ -s ball.$kind ] || wrong "no ball.$kind"
done
head -c 8 ball.png | tail -c 7 | grep -q PNG || wrong "ball.png is no picture"

# what can be wrong with the request
expect 2 "--at: t = 1.5 is outside the run, which is recorded from 0 to 1" "$carom" plot ball.h5 --scene --at 0.5,1.5
expect 2 "'x' is not a time" "$carom" plot ball.h5 --scene --at 0,x
expect 2 "'' is not a time" "$carom" plot ball.h5 --scene --at 0,
expect 2 "'nan' is not a time" "$carom" plot ball.h5 --scene --at nan
expect 2 "there is no view 'frnt', did you mean 'front'?" "$carom" plot ball.h5 --scene --view frnt
expect 2 "there is no view '0,0,0'" "$carom" plot ball.h5 --scene --view 0,0,0
expect 2 "there is no view '1,2'" "$carom" plot ball.h5 --scene --view 1,2
expect 2 "--frames is a number of panels, not '0'" "$carom" plot ball.h5 --scene --frames 0
expect 0 "" "$carom" run ball.yaml --quiet --set run.dt=0.001 --out fine.h5
expect 2 "999 panels are too many for a page" "$carom" plot fine.h5 --scene --frames 999
expect 2 "choose one of --at and --frames" "$carom" plot ball.h5 --scene --frames 9 --at 0
expect 2 "--view goes with --scene" "$carom" plot ball.h5 --view top
expect 2 "'ball.x'" "$carom" plot ball.h5 ball.x --scene
expect 2 "ends in .png, .svg or .pdf" "$carom" plot ball.h5 --scene --out ball.gif
expect 2 "nowhere/ball.svg: no such" "$carom" plot ball.h5 --scene --out nowhere/ball.svg
expect 2 "--every needs a positive whole number, not '0'" "$carom" export ball.h5 --vtk out --every 0
expect 2 "--every needs a positive whole number, not '1.5'" "$carom" export ball.h5 --vtk out --every 1.5
expect 2 "--fps needs a positive number, not 'x'" "$carom" export ball.h5 --vtk out --fps x
expect 2 "choose one of --every and --fps" "$carom" export ball.h5 --vtk out --fps 5 --every 2
expect 2 "--fps goes with --vtk (carom help export)" "$carom" export ball.h5 --csv --fps 5
expect 2 "--events goes with --csv (carom help export)" "$carom" export ball.h5 --vtk out --events
# 101 rows in a second: 25 instants and the start, and all rows where more are asked for, at once
expect 0 "" "$carom" export ball.h5 --vtk rates --fps 25
grep -q ": 26 instants" stdout || wrong "25 instants per second: $(cat stdout)"
expect 0 "" timeout 20 "$carom" export ball.h5 --vtk rates --fps 1e9
grep -q ": 101 instants" stdout || wrong "all instants: $(cat stdout)"
expect 2 "--times: t = -1 is outside the run" "$carom" export ball.h5 --vtk out --times -1
expect 2 "not quantities: 'ball.x'" "$carom" export ball.h5 --vtk out ball.x
expect 2 "--csv or --vtk" "$carom" export ball.h5 --vtk out --csv
expect 2 "ball.yaml: not a directory" "$carom" export ball.h5 --vtk ball.yaml
expect 2 "nowhere/out: no such" "$carom" export ball.h5 --vtk nowhere/out
expect 2 "the name of the folder is empty" "$carom" export ball.h5 --vtk ""
[ ! -e out ] || wrong "a refused export has made its folder"

# with the scene
expect 0 "" "$carom" run formulas.yaml --quiet
expect 2 "formulas.h5 has nothing to draw" "$carom" plot formulas.h5 --scene
expect 2 "formulas.h5 has nothing to draw" "$carom" export formulas.h5 --vtk out
expect 0 "" "$carom" run ball.yaml --quiet --set "run.record=[t, ball.x, ball.phi]" --out part.h5
expect 2 "part.h5 does not record the coordinate 'ball.y', which a picture needs" "$carom" plot part.h5 --scene
expect 2 "part.h5 does not record the coordinate 'ball.y'" "$carom" export part.h5 --vtk out
expect 0 "" "$carom" run ball.yaml --quiet --set "run.record=[ball.x]" --out part.h5
expect 2 "part.h5 does not record" "$carom" plot part.h5 --scene
# contacts that are not recorded are no reason to refuse
expect 0 "" "$carom" run ball.yaml --quiet --set "run.record=[t, 'ball.*']" --out part.h5
expect 0 "" "$carom" plot part.h5 --scene --out part.svg
expect 0 "" "$carom" export part.h5 --vtk part --times 0,1
[ "$(ls part)" = "$(printf 'part.pvd\npart_bodies_%06d.vtp\npart_bodies_%06d.vtp\npart_contacts_%06d.vtp\npart_contacts_%06d.vtp' 0 1 0 1)" ] ||
    wrong "files: $(ls part)"

# with the disk: nothing half-written stays, and a collection names only complete series
cp ball.svg old.svg
expect 1 "old.svg: file too large" prlimit --fsize=1000 "$carom" plot ball.h5 --scene --out old.svg
cmp -s ball.svg old.svg || wrong "an older picture was damaged"
expect 1 "0 of 2 instants are written, and no part.pvd" prlimit --fsize=1000 "$carom" export part.h5 --vtk part --times 0,1
[ ! -e part/part.pvd ] || wrong "a collection of a series that is not complete"
[ -z "$(find . -name '*.part')" ] || wrong "left behind: $(find . -name '*.part')"
user=()
if [ "$(id -u)" = 0 ]; then
    mkdir -m 777 counts
    user=(setpriv --reuid 65534 --regid 65534 --clear-groups env GCOV_PREFIX="$scratch/counts")
fi
chmod 755 "$scratch"
if "${user[@]}" "$carom" --version >/dev/null 2>&1; then
    mkdir -m 555 sealed
    expect 2 "sealed/ball.svg: permission denied" "${user[@]}" "$carom" plot ball.h5 --scene --out sealed/ball.svg
    expect 2 "permission denied" "${user[@]}" "$carom" export ball.h5 --vtk sealed
fi
# a title with everything that could mean something to gnuplot, a shell or XML
cat >awkward.yaml <<'SCENE'
carom: 1
extends: ball.yaml
title: |-
  'Tis "a" `touch intruder` & <b>\n $(touch intruder) @x ''
run: {until: 0.1}
SCENE
expect 0 "" "$carom" run awkward.yaml --quiet --out awkward.h5
for command in "plot awkward.h5 E" "plot awkward.h5 --scene --frames 2"; do
    for format in svg png pdf; do
        expect 0 "" "$carom" $command --out awkward.$format
        [ -s awkward.$format ] || wrong "no picture: $command"
    done
    expect 0 "" "$carom" $command --out awkward.svg
    grep -qF "Tis" awkward.svg && grep -qF "touch intruder" awkward.svg || wrong "no title: $command"
    if command -v python3 >/dev/null; then
        python3 -c "import xml.dom.minidom as d; d.parse('awkward.svg')" || wrong "no XML: $command"
    fi
done
for command in "converge awkward.yaml --dt 1e-3 --reference 5e-4" "compare awkward.yaml --integrators moreau,theta --repeat 0"; do
    expect 0 "" "$carom" $command --quiet --jobs 1 --out none --figure awkward.svg
    grep -qF "</svg>" awkward.svg || wrong "no picture: $command"
done
[ ! -e intruder ] || wrong "a title was run as a command"
finish
