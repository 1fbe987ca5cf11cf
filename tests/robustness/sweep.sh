#!/bin/bash
# carom sweep: values known in closed form, the same bytes by any number of processes, tasks and machines and after
# kill -9, failed runs that stop nothing, and what it refuses.
. tests/robustness/support.bash
cd "$scratch" || exit 1

# A ball falls for a second from 5 and rebounds with 10 e: z(1.5) = 5 e - 1.25, and z_dot = 10 e - 5.
cat >ball.yaml <<'SCENE'
carom: 1
title: Ball
parameters: {g: 10, e: 0.5, z0: 5, length: 2*z0}
model:
  coordinates: {z: {start: z0}}
  kinetic: z_dot^2/2
  potential: g*z
  contacts: {floor: {gap: z, restitution: e}}
run: {integrator: lobatto, events: locate, dt: 0.3, until: 1.5, tolerance: 1e-12}
SCENE
expect 0 "" "$carom" sweep ball.yaml --vary e=0.3..0.9/7 --vary start.z_dot=0,-1 --keep z --keep "impact=event(1).t" --out grid.h5
grep -q '^grid.h5: 14 runs' stdout || wrong "it says '$(cat stdout)'"
rows grid.h5 run e start.z_dot z impact events failed | awk -F, '
    { e = 0.3 + 0.1*int($1/2); v = $1 % 2 ? -1 : 0; t = (v + sqrt(v*v + 100))/10; u = sqrt(v*v + 100); h = 1.5 - t
      z = e*u*h - 5*h*h; off = ($2 - e)^2 + ($3 - v)^2 + ($4 - z)^2 + ($5 - t)^2
      if (off > 1e-20 || $6 != 1 || $7 != 0) { print "row", $0, "should have z =", z; bad = 1 } }
    END { exit bad || NR != 14 }' || wrong "a grid of falls"

# The same bytes whatever computes them: one process or three, three tasks in any order, processes of mpirun, of an array.
"$carom" export grid.h5 --csv grid.csv >/dev/null
same() { "$carom" export "$1" --csv other.csv >/dev/null; cmp -s grid.csv other.csv || wrong "$1 is another: $2"; }
ask=(sweep ball.yaml --vary e=0.3..0.9/7 --vary "start.z_dot=0,-1" --keep z --keep "impact=event(1).t")
expect 0 "" "$carom" "${ask[@]}" --jobs 1 --out one.h5
expect 0 "" "$carom" "${ask[@]}" --jobs 3 --out three.h5
same one.h5 "one process"
same three.h5 "three processes"
for task in 2/3 3/3; do
    expect 0 "" "$carom" "${ask[@]}" --task $task --out tasks.h5
    grep -q "^task ${task%/3} of 3 is done; the last one writes tasks.h5" stdout || wrong "it says '$(cat stdout)'"
done
[ ! -e tasks.h5 ] || wrong "a result without all of its tasks"
expect 0 "" env SLURM_ARRAY_TASK_ID=7 SLURM_ARRAY_TASK_MIN=7 SLURM_ARRAY_TASK_MAX=9 "$carom" "${ask[@]}" --task array --out tasks.h5
same tasks.h5 "three tasks"
for rank in 0 1; do
    expect 0 "" env OMPI_COMM_WORLD_RANK=$rank OMPI_COMM_WORLD_SIZE=2 "$carom" "${ask[@]}" --out ranks.h5
done
same ranks.h5 "two processes of a launcher"
if command -v mpirun >/dev/null; then
    mpirun --allow-run-as-root --oversubscribe -n 3 "$carom" "${ask[@]}" --out mpi.h5 >mpi.txt 2>&1 </dev/null ||
        wrong "mpirun: $(cat mpi.txt)"
    same mpi.h5 "mpirun"
fi
[ "$(ls *.part* *.lock 2>/dev/null | wc -l)" = 0 ] || wrong "parts are left: $(ls *.part* *.lock)"

# More tasks than runs: some have nothing to do.
for task in 1/3 2/3 3/3; do expect 0 "" "$carom" sweep ball.yaml --vary e=0.3,0.4 --task $task --out few.h5; done
[ "$(rows few.h5 run | wc -l)" = 2 ] || wrong "two runs in three tasks"

# A Latin hypercube: each of the N parts of each axis has one run; the same seed gives the same runs.
expect 0 "" "$carom" sweep ball.yaml --vary e=0.2..0.8 --vary start.z=4..6 --random 40 --seed 3 --out random.h5
rows random.h5 e start.z | awk -F, '{ a[int(($1 - 0.2)/0.6*40)]++; b[int(($2 - 4)/2*40)]++ }
    END { for (i = 0; i < 40; i++) if (a[i] != 1 || b[i] != 1) exit 1 }' || wrong "no Latin hypercube"
expect 0 "" "$carom" sweep ball.yaml --vary e=0.2..0.8 --vary start.z=4..6 --random 40 --seed 3 --out again.h5
cmp -s <(rows random.h5) <(rows again.h5) || wrong "another hypercube from the same seed"
expect 0 "" "$carom" sweep ball.yaml --vary e=0.2..0.8 --vary start.z=4..6 --random 40 --seed 4 --out again.h5
! cmp -s <(rows random.h5) <(rows again.h5) || wrong "the seed has no effect"

# Runs that fail are listed and stop nothing: restitution above 1 is none.
expect 0 "" "$carom" sweep ball.yaml --vary e=0.5,1.5,0.25 --keep z --out failing.h5
grep -q '^failed: 1, listed in failing.h5.failed.csv; the first is run 1: ' stdout || wrong "it says '$(cat stdout)'"
grep -q '^1,1.5,' failing.h5.failed.csv || wrong "the list is '$(cat failing.h5.failed.csv)'"
rows failing.h5 z failed | awk -F, 'NR == 1 && ($1 - 1.25)^2 > 1e-20 || NR == 2 && !($1 == "nan" && $2 == 1) || NR == 3 && $1^2 > 1e-20 { exit 1 }' ||
    wrong "beside a failed run: $(rows failing.h5)"

# Killed in the middle, it goes on, and ends with the same bytes.
long=(sweep ball.yaml --vary e=0.3..0.5/400 --keep z --set run.until=40 --set run.dt=0.02)
"$carom" "${long[@]}" --jobs 1 --out killed.h5 >/dev/null 2>&1 &
pid=$!
for _ in $(seq 300); do
    [ "$( (rows killed.h5.part run 2>/dev/null) | wc -l)" -gt 3 ] && break
    kill -0 $pid 2>/dev/null || break
    sleep 0.1
done
kill -9 $pid 2>/dev/null
wait $pid 2>/dev/null
[ -e killed.h5.part ] && [ ! -e killed.h5 ] || wrong "it was not killed in the middle"
expect 2 "belongs to another sweep: remove it, or choose another --out" "$carom" sweep ball.yaml --vary e=0.3,0.5 --out killed.h5
expect 0 "" "$carom" "${long[@]}" --jobs 1 --out killed.h5
grep -Eq '^killed.h5: 400 runs in .* s, [0-9]+ of them before' stdout || wrong "it says '$(cat stdout)'"
"$carom" "${long[@]}" --jobs 2 --out whole.h5 >/dev/null
cmp -s <(rows killed.h5) <(rows whole.h5) || wrong "it goes on to something else after kill -9"

# What it refuses.
expect 2 "what is varied? --vary" "$carom" sweep ball.yaml
expect 2 "there is no parameter 'ee', did you mean 'e'?" "$carom" sweep ball.yaml --vary ee=1,2
expect 2 "there is no coordinate or velocity 'y'" "$carom" sweep ball.yaml --vary start.y=1,2
expect 2 "parameter 'length' cannot change: it follows from others" "$carom" sweep ball.yaml --vary length=1,2
expect 2 "'e' does not say what to vary" "$carom" sweep ball.yaml --vary e
expect 2 "'e=0.1..x/3' does not say what to vary" "$carom" sweep ball.yaml --vary e=0.1..x/3
expect 2 "a grid has 2 to" "$carom" sweep ball.yaml --vary e=0.1..0.9/1
expect 2 "how many values of 'e'?" "$carom" sweep ball.yaml --vary e=0.1..0.9
expect 2 "with --random 'e' needs a range" "$carom" sweep ball.yaml --vary e=0.1,0.2 --random 5
expect 2 "'e' is varied twice" "$carom" sweep ball.yaml --vary e=1,2 --vary e=1,2
expect 2 "there is no 'x'" "$carom" sweep ball.yaml --vary e=0.1,0.2 --keep x
expect 2 "'z/e' needs a name in the result" "$carom" sweep ball.yaml --vary e=0.1,0.2 --keep z/e
expect 2 "'e' is a column twice" "$carom" sweep ball.yaml --vary e=0.1,0.2 --keep e
expect 2 "not by both" "$carom" sweep ball.yaml --vary e=0.1,0.2 --section floor --period 1
expect 2 "--points needs a section" "$carom" sweep ball.yaml --vary e=0.1,0.2 --points 5
expect 2 "the state has 2 components" "$carom" sweep ball.yaml --vary e=0.1,0.2 --lyapunov 3
expect 2 "--task is I/N" "$carom" sweep ball.yaml --vary e=0.1,0.2 --task 4/3
expect 2 "the environment tells no index" "$carom" sweep ball.yaml --vary e=0.1,0.2 --task array
expect 2 "strikes of 'floor' are known where events are located" "$carom" sweep ball.yaml --vary e=0.1,0.2 --section floor --set run.events=capture
expect 2 "--figure shows one thing that is varied, or two on a grid" "$carom" sweep ball.yaml --vary e=0..1 --vary g=9..10 --random 5 --figure a.png
finish
