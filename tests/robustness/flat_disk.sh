#!/usr/bin/env bash
# A disk that falls flat on a table: the point of its rim that touches runs round it, and jumps to the other side where a step
# cannot follow. Whatever a scheme makes of it, up to the end of the run or to the sentence that it fails with, the energy only
# falls and the disk does not sink into the table.
. "$(dirname "$0")/support.bash"

flat="failed: the rim that touches in 'table' lies flat"

cat >"$scratch/flat.yaml" <<'SCENE'
carom: 1
title: A disk that falls flat
model:
  gravity: [0, 0, -9.81]
  bodies:
    disk: {type: spatial, mass: 0.4, inertia: [2e-4, 2e-4, 4e-4], position: [0, 0, 0.045*sin(0.1)],
           rotation: {axis: [1, 0, 0], angle: 0.1}, angular_velocity: [0, 0.3, 1], shape: {disk: 0.045}}
  contacts:
    table: {between: [disk, {body: world, plane: [0, 0, 1]}], friction: 0.3, drilling: 1e-3}
run: {integrator: rattle, dt: 1e-3, until: 0.2}
SCENE

# named COMMAND...: succeeds, or fails with the sentence and what to do about it
named() {
    "$carom" "$@" >"$scratch/summary" 2>"$scratch/stderr" && return
    grep -q "$flat.*{disk: r, points: 12}" "$scratch/stderr" || wrong "$*: $(cat "$scratch/stderr")"
}

# account NAME EXACT RISE PERIOD: of the recorded rows. The centre stays above the table, and the rim as well if the scheme
# keeps positions (1e-9: the tolerance of the run, generously). The energy is never more than RISE, a part of the one at the
# start, above the least so far; with a PERIOD, than RISE for each that has passed.
account() {
    "$carom" export "$scratch/flat.h5" --csv E table.gap disk.z t | awk -F, -v name="$1" -v exact="$2" -v most="$3" -v period="$4" '
        NR == 2 {first = least = $1}
        NR > 1 {if ($1 < least) least = $1; if ($1 - least > rise) rise = $1 - least
                if (!($3 > 0) || (exact && !($2 > -1e-9))) sunk = 1
                last = $1; t = $4}
        END {printf "%s: %d rows, energy %g to %g, rises by %.2g at most\n", name, NR - 1, first, last, rise
             if (period && t > period) most *= t / period
             if (NR < 3 || sunk || !(rise <= most * first)) print "WRONG"}' >"$scratch/verdict"
    head -1 "$scratch/verdict"
    ! grep -q WRONG "$scratch/verdict" || wrong "$1: the disk sinks in or gains energy"
}

# Moreau-type schemes are of first order: each fall and each rise, of 34 ms, may miss the energy by some dt of that. The others
# meet steps in which the rim turns by up to 15 degrees, which costs a scheme of second order (15 degrees)^3/12 = 0.15 % in
# each of the some ten in a row.
for integrator in moreau symmetric_moreau theta rattle lobatto nsga generalized_alpha; do
    for dt in 2e-3 1e-3 2e-4; do
        case $integrator in
        *moreau) exact=0 rise=$(awk "BEGIN {print $dt/0.034}") period=0.034 ;;
        theta) exact=0 rise=0.02 period=0 ;;
        *) exact=1 rise=0.02 period=0 ;;
        esac
        named run "$scratch/flat.yaml" --set run.integrator=$integrator --set run.dt=$dt --out "$scratch/flat.h5"
        account "$integrator, dt = $dt" $exact "$rise" $period
    done
done
# Without any spin it falls exactly flat, straight into the kink: no step follows that. Up to there dt is 2 % of the time of the
# fall, and its square 4e-4.
for integrator in moreau theta rattle lobatto nsga generalized_alpha; do
    expect 1 "$flat" "$carom" run "$scratch/flat.yaml" --set run.integrator=$integrator --set run.dt=7e-4 \
        --set "model.bodies.disk.angular_velocity=[0, 0, 0]" --out "$scratch/flat.h5"
    case $integrator in moreau) rise=0.021 ;; *) rise=4.2e-4 ;; esac
    account "$integrator, no spin" 0 $rise 0
done
for integrator in rattle lobatto; do
    named run "$scratch/flat.yaml" --set run.integrator=$integrator --set run.events=locate --out "$scratch/flat.h5"
    account "$integrator, located" 1 0.02 0
done

# A tippedisk has lost most of its energy after half a minute, and wobbles ever flatter.
named run scenes/paper/rattle/tippedisk.yaml --set run.until=40 --set run.every=10 --out "$scratch/flat.h5"
account tippedisk 1 0.02 0
finish
