#!/bin/bash
# Derivatives of located scenes, by carom gradient, against differences of runs, extrapolated: a table. They agree to
# 1e-8, and to ten times what differences may be off, or a bound that is named with its reason.
. tests/robustness/support.bash

rows=0
# compare BOUND SCENE T FORMULA NAMES [--set ...]
compare() {
    local bound=$1 scene=$2 T=$3 of=$4 by=$5
    shift 5
    expect 0 "" "$carom" gradient "scenes/$scene.yaml" --of "$of" --at "$T" --by "$by" --check "$@"
    awk -v bound="$bound" -v scene="$scene" -v of="$of" '
        /^  by / { for (i = 3; i <= NF; i++) { if ($i == "differences") d = $(i + 1); if ($i == "+-") e = $(i + 1) + 0; if ($i == "off") off = $NF + 0 }
                   if (!/differences/) { print "WRONG: not compared: " $0; bad = 1; next }
                   size = $3 < 0 ? -$3 : $3; if (size < 1) size = 1
                   printf "%-28s d(%s)/d(%s) %18s, off by %.1e, differences by %.1e\n", scene, of, $2, $3, off/size, e/size
                   if (off > bound*size + 10*e) { print "WRONG: that is too much"; bad = 1 } }
        END { exit bad }' "$scratch/stdout" || wrong "derivatives of $scene"
    rows=$((rows + $(grep -c '^  by' "$scratch/stdout")))
}
located=(--set run.integrator=lobatto --set run.events=locate --set run.tolerance=1e-13)

compare 1e-8 gallery/stick_slip 2 x m,g,mu,F,drift,w,start.x
compare 1e-8 gallery/stick_slip 2 x m,mu,w --set run.integrator=rattle
compare 1e-8 gallery/hill 2 x g,mu,height,x0,v0
compare 1e-8 gallery/hill 2 x_dot mu,height --set run.integrator=rattle
compare 1e-8 gallery/shaken_table 0.5 y g,A,w
compare 1e-8 gallery/rocking_rod 0.4 theta m,l,g,mu,e,a,h,tilt
compare 1e-8 gallery/tethered_puck 0.5 y m,k,k3,c,y0,start.x_dot
compare 1e-8 gallery/screw 0.2 wheel.z m,h,g
compare 1e-8 paper/moreau/spring_pendulum 1 phi m,k,l0,g,start.l "${located[@]}" --set run.dt=0.01
compare 1e-8 paper/rattle/slope 1 x g,mu "${located[@]}"
compare 1e-8 paper/rattle/ball 1 y g "${located[@]}"
compare 1e-8 paper/rattle/slider_crank 0.02 phi2 l1,mu,e "${located[@]}"
# Slip that begins in several directions turns with the break, (SE21); parts of steps after it move with it, (SE22).
compare 1e-8 gallery/pulled_block 2 x m,mu,rate,w
compare 1e-8 gallery/pulled_block 2 x mu,w --set run.integrator=rattle
# Parameters of a beam through reference strains, masses and stiffnesses, (DB16). They are about 1e-4: 1e-12 is 1e-8 of that.
soft=(--set parameters.EA=2800 --set parameters.GA=200 --set parameters.EI=14 --set parameters.J=6e-3)
compare 1e-12 gallery/spin_up 0.1 arm3.y L,EI,GA,m --set run.integrator=rattle --set run.dt=5e-4 --set parameters.T=0.1 --set parameters.w=20 "${soft[@]}"
# Percussions of stages that leave their cones, while the forces of the instant are unique.
compare 1e-8 gallery/column 0.15 x1 m,k,mu "${located[@]}" --set run.dt=0.0075
# Two contacts that stick hold a stone twice: steps by rates, whose positions are corrected, (SE23).
compare 1e-8 gallery/catapult 0.15 stone.y h,k,low "${located[@]}" --set run.dt=0.0075
# Friction of four corners of which any three carry the box depends on which they are, (SE24).
expect 1 "friction depends on forces that are not unique" "$carom" gradient scenes/gallery/box.yaml --of x --at 0.1 --by mu "${located[@]}"
# What is left out is told: forces that are not unique where the stone leaves the cup.
expect 0 "" "$carom" gradient scenes/gallery/catapult.yaml --of stone.y --at 0.3 --by k "${located[@]}" --set run.dt=0.0075
grep -q "^note: forces are not unique at t = 0.208" "$scratch/stdout" || wrong "a caveat is missing: '$(cat "$scratch/stdout")'"

[ "$rows" -gt 40 ] || wrong "the table has $rows rows"
finish
