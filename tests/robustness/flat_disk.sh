#!/usr/bin/env bash
# A disk that falls flat on a table: the point of its rim that touches jumps to the other side. Whatever a scheme makes of
# it, it does not go unnoticed: the run ends with a sentence, its summary tells that energy came from nowhere or that the disk
# has sunk in, or the energy has only fallen.
. "$(dirname "$0")/support.bash"

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

for integrator in moreau symmetric_moreau theta rattle lobatto nsga; do
    for dt in 1e-3 5e-4; do
        if ! "$carom" run "$scratch/flat.yaml" --set run.integrator=$integrator --set run.dt=$dt --out "$scratch/flat.h5" \
                >"$scratch/summary" 2>"$scratch/stderr"; then
            grep -q "failed: .*'table'" "$scratch/stderr" || wrong "$integrator: $(cat "$scratch/stderr")"
            continue
        fi
        # the account is that of the summary: E at the start and at the end, the smallest gap
        verdict=$(awk '/^energy:/ {rise = $7 - $2} /^energy gained/ {told = 1} /^smallest gap/ {gap = $3}
            END {print told ? "gained" : gap < -1e-6 ? "sunk" : rise <= 0 ? "fallen" : "silently wrong"}' "$scratch/summary")
        echo "$integrator, dt = $dt: $verdict"
        [ "$verdict" != "silently wrong" ] || wrong "$integrator, dt = $dt: $(grep energy "$scratch/summary")"
    done
done
finish
