#!/bin/bash
# carom orbit --continue beside AUTO-07p, which knows nothing of carom: it is given differential equations by hand, discretises
# them by collocation, and follows the solutions by means of its own. Both discretisations err by less than 1e-9 here (60
# intervals a period with four points each have order 8; lobatto with five stages likewise), so values agree to 1e-7.
. tests/robustness/support.bash
here=$PWD
objects=/usr/lib/auto-07p/lib
command -v gfortran >/dev/null && [ -d "$objects" ] || { echo "skipped: needs auto-07p and gfortran"; exit 77; }
cd "$scratch" || exit 1
export OMP_NUM_THREADS=1

# follow EQUATIONS LINES: the branch of AUTO, in fort.7, and the multipliers in fort.9.
build() { gfortran -O2 -fopenmp "$here/tests/robustness/auto/$1.f90" "$objects"/*.o -o "$1" 2>build.log || wrong "gfortran: $(cat build.log)"; }
follow() {
    rm -f fort.*
    {
        echo "$2"
        echo "IRS=0, NTST=60, NCOL=4, IAD=3, ISW=1, IPLT=0, NINT=0, NPR=0, MXBF=0, IID=2, ITMX=12, ITNW=7, NWTN=3, JAC=0, IADS=1"
        echo "EPSL=1e-10, EPSU=1e-10, EPSS=1e-9, DSMIN=1e-6, A0=-1e9, A1=1e9, THL={11: 0.0}, THU={}"
    } | "./$1" >auto.log 2>&1 || wrong "AUTO failed: $(tail -3 auto.log)"
}
theirs() { awk -v type="$1" -v nth="${2:-1}" '$1 != 0 && $3 == type && !--nth { print $5 }' fort.7; }
ours() { awk -F, -v kind="$1" -v nth="${2:-1}" '$2 == kind && !--nth { print $4 }' "$3"; }
# near NAME OURS THEIRS BOUND
near() {
    awk -v name="$1" -v a="$2" -v b="$3" -v bound="$4" 'BEGIN { printf "%-46s carom %-18s AUTO %-18s off by %.1e\n", name, a, b, a - b
        exit !(a != "" && b != "" && a - b < bound && b - a < bound) }' || wrong "$1"
}
# sum and product of the two multipliers of the periodic motion that the scene leads to
multipliers() { "$carom" orbit "$@" --json | sed 's/.*"multipliers": \[\[\([^]]*\)\], \[\([^]]*\)\]\].*/\1, \2/' | awk -F, '{ printf "%.12g %.12g\n", $1 + $3, $1*$3 - $2*$4 }'; }

# x'' + x'/4 - x + x^3 = F cos(t), in one of its wells: F folds twice, then the motion flips.
cat >duffing.yaml <<'SCENE'
carom: 1
title: duffing
parameters: {F: 0.15}
model:
  coordinates: {x: {start: 1}}
  kinetic: x_dot^2/2
  potential: x^4/4 - x^2/2
  forces: {x: F*cos(t) - x_dot/4}
run: {integrator: lobatto, events: locate, stages: 5, dt: 0.1, until: 20, tolerance: 1e-13}
SCENE
build duffing
follow duffing "NDIM=4, IPS=2, ILP=1, ISP=2, NBC=0, NMX=100, ICP=[1, 11], RL0=-0.01, RL1=0.3, DS=0.01, DSMAX=0.03, NPAR=11, UZR={1: [0.2, 0.25]}"
expect 0 "" "$carom" orbit duffing.yaml --period "2*pi" --after 200 --continue F=0.15..0.3 --csv duffing.csv --doublings 0
near "first fold, F" "$(ours fold 1 duffing.csv)" "$(theirs 5)" 1e-7
near "second fold, F" "$(ours fold 2 duffing.csv)" "$(theirs 5 2)" 1e-7
near "flip, F" "$(ours flip 1 duffing.csv)" "$(theirs 7)" 1e-7
# AUTO prints multipliers with six digits, and counts points of stable motions below zero.
for nth in 1 2; do
    read -r F point <<<"$(awk -v nth=$nth '$1 != 0 && $3 == -4 && !--nth { print $5, -$2 }' fort.7)"
    read -r sum product <<<"$(awk -v point="$point" '$2 == point && $3 == "Multiplier" { re[$4] = $5; im[$4] = $6 } END { print re[2] + re[3], re[2]*re[3] - im[2]*im[3] }' fort.9)"
    read -r our_sum our_product <<<"$(multipliers duffing.yaml --period "2*pi" --after 200 --set parameters.F="$F")"
    near "sum of multipliers at F = $F" "$our_sum" "$sum" 1e-5
    near "product of multipliers at F = $F" "$our_product" "$product" 1e-5
done

# The oscillator that strikes a wall, as a boundary value problem from one strike to the next, with the strike's own derivative written
# by hand. Its period changes with w, so its start moves along the period before strikes meet it.
oscillator=$here/scenes/gallery/impact_oscillator.yaml
build strikes
follow strikes "NDIM=7, IPS=4, ILP=1, ISP=0, NBC=8, NMX=92, ICP=[1, 2, 6, 7, 8, 9], RL0=0.69, RL1=1.9, DS=0.01, DSMAX=0.05, NPAR=9, UZR={1: [0.9, 1.2]}"
expect 0 "" "$carom" orbit "$oscillator" --period "2*pi/w" --after 200 --continue w=0.7..1.6 --csv strikes.csv --doublings 0
near "fold of motions that strike, w" "$(ours fold 1 strikes.csv)" "$(theirs 5)" 1e-7
for nth in 1 2; do
    read -r w sum product <<<"$(awk -v nth=$nth '$1 != 0 && $3 == -4 && !--nth { print $5, $9, $10 }' fort.7)"
    read -r our_sum our_product <<<"$(multipliers "$oscillator" --period "2*pi/w" --after 200 --set parameters.w="$w")"
    near "sum of multipliers at w = $w" "$our_sum" "$sum" 1e-7
    near "product of multipliers at w = $w" "$our_product" "$product" 1e-7
done
follow strikes "NDIM=7, IPS=4, ILP=0, ISP=0, NBC=8, NMX=40, ICP=[3, 2, 6, 7, 8, 9], RL0=0.535, RL1=0.61, DS=-0.005, DSMAX=0.05, NPAR=9, UZR={9: 0.0}"
expect 0 "" "$carom" orbit "$oscillator" --period "2*pi/w" --after 200 --continue F=0.6..0.535 --csv flip.csv --doublings 0
near "flip of motions that strike, F" "$(ours flip 1 flip.csv)" "$(theirs -4)" 1e-7
finish
