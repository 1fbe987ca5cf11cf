#!/bin/bash
# Files that are missing, unreadable, foreign, truncated, in the way or too large for the disk.
. tests/robustness/support.bash
ball ball
ball other "until: 0.5"
ball long "until: 1e5, every: 30" # more than the disks below hold
cd "$scratch" || exit 1

# scenes
expect 2 "nowhere.yaml: " "$carom" run nowhere.yaml
mkdir folder
expect 2 "folder" "$carom" run folder
head -c 3000 /dev/urandom >noise.yaml
expect 2 "noise.yaml" "$carom" run noise.yaml
printf "carom: 1\nextends: nowhere.yaml\n" >extends.yaml
expect 2 "nowhere.yaml" "$carom" run extends.yaml
printf "carom: 1\nextends: circle.yaml\n" >circle.yaml
expect 2 "circle.yaml" "$carom" run circle.yaml

# results
expect 2 "nowhere.h5" "$carom" plot nowhere.h5
expect 2 "nowhere.h5" "$carom" export nowhere.h5 --csv
expect 2 "folder" "$carom" plot folder
expect 2 "noise.yaml" "$carom" export noise.yaml --csv
expect 2 "nowhere/ball.h5" "$carom" run ball.yaml --out nowhere/ball.h5
expect 2 "folder is a directory, not a file" "$carom" run ball.yaml --out folder
cp noise.yaml noise.h5
expect 2 "noise.h5 exists and is not a result of carom: choose another --out" "$carom" run ball.yaml --out noise.h5
cmp -s noise.yaml noise.h5 || wrong "a foreign file was touched"
expect 2 "noise.h5" "$carom" run ball.yaml --out noise.h5 --resume
cmp -s noise.yaml noise.h5 || wrong "a foreign file was touched by --resume"
expect 2 "./ball.yaml would overwrite what this command reads, ball.yaml" "$carom" run ball.yaml --out ./ball.yaml
if command -v python3 >/dev/null && python3 -c "import h5py" 2>/dev/null; then
    python3 -c "import h5py; h5py.File('foreign.h5', 'w')['x'] = [1.0, 2.0]"
    expect 2 "foreign.h5" "$carom" plot foreign.h5
    expect 2 "foreign.h5 exists and is not a result of carom" "$carom" run ball.yaml --out foreign.h5
fi

expect 0 "" "$carom" run ball.yaml --out ball.h5
# a result in place of a scene, and the other way round
go_on="it is a result (HDF5), not a scene; 'carom plot ball.h5' draws it, 'carom run SCENE --resume --out ball.h5' goes on"
for command in "run" "run --resume" "run --out other.h5" check "converge --dt 0.1,0.05" "compare --integrators rattle,moreau" "list quantities"; do
    expect 2 "ball.h5: cannot read the scene: $go_on" "$carom" $command ball.h5
done
printf "carom: 1\nextends: ball.h5\n" >extends.yaml
expect 2 "extends.yaml:2:10: cannot read 'ball.h5': $go_on" "$carom" run extends.yaml
(echo "# a comment first" && cat ball.yaml) >comment.yaml
for scene in ball.yaml comment.yaml; do
    for command in "plot" "events" "export --csv" "export --vtk series"; do
        expect 2 "$scene is a scene, not a result: 'carom run $scene' makes one" "$carom" $command $scene
    done
    expect 2 "$scene has nothing to draw: its scene is made of formulas alone" "$carom" plot --scene $scene # its start
done
for size in 0 10 100 1000; do
    head -c "$size" ball.h5 >truncated.h5
    expect 2 "truncated.h5" "$carom" export truncated.h5 --csv
    expect 2 "truncated.h5" "$carom" plot truncated.h5
done
expect 2 "ball.h5 records no 'flor.gap', did you mean 'floor.gap'?" "$carom" export ball.h5 --csv flor.gap
expect 2 "export to what?" "$carom" export ball.h5
expect 2 "flor.gap" "$carom" plot ball.h5 flor.gap
expect 2 "picture.xyz" "$carom" plot ball.h5 y --out picture.xyz
expect 2 "nowhere/ball.png" "$carom" plot ball.h5 y --out nowhere/ball.png

# a result belongs to its scene; an older result may be replaced; a finished one needs nothing
expect 2 "ball.h5" "$carom" run other.yaml --out ball.h5 --resume
expect 0 "" "$carom" run ball.yaml --out ball.h5 --resume
grep -q "finished already" stdout || wrong "a finished result was not recognised"
expect 0 "" "$carom" run other.yaml --out ball.h5
expect 0 "" "$carom" run ball.yaml --out fresh.h5 --resume
grep -q "1000 steps" stdout || wrong "--resume without a result does not start"

# unreadable files; root reads everything, so that somebody else has to try
user=()
if [ "$(id -u)" = 0 ]; then # a coverage build wants to write its counts somewhere
    mkdir -m 777 counts
    user=(setpriv --reuid 65534 --regid 65534 --clear-groups env GCOV_PREFIX="$scratch/counts")
fi
chmod 755 "$scratch"
if "${user[@]}" "$carom" --version >/dev/null 2>&1; then
    cp ball.yaml secret.yaml
    cp ball.h5 secret.h5
    chmod 000 secret.yaml secret.h5
    mkdir -m 555 sealed
    expect 2 "secret.yaml" "${user[@]}" "$carom" run secret.yaml
    expect 2 "secret.h5" "${user[@]}" "$carom" export secret.h5 --csv
    expect 2 "sealed/ball.h5" "${user[@]}" "$carom" run ball.yaml --out sealed/ball.h5
fi

# a limit on file sizes, and a full disk: one line, exit code 1, and what was written can be read
paused() { # rows are written about once a second, and the disks are full sooner
    "$@" &
    local pid=$!
    sleep 0.1
    kill -STOP $pid
    sleep 1.3
    kill -CONT $pid
    wait $pid
}
limit="prlimit --fsize=$((2048 * 1024))"
expect 1 "long.h5" paused $limit "$carom" run long.yaml --out long.h5
expect 0 "" "$carom" export long.h5 --csv long.csv t
[ "$(wc -l <long.csv)" -gt 10 ] || wrong "nothing survived the limit"
expect 1 "full.csv" prlimit --fsize=10000 "$carom" export ball.h5 --csv full.csv
expect 1 "standard output" sh -c "'$carom' list >/dev/full"
expect 1 "standard output" sh -c "'$carom' export ball.h5 --csv >/dev/full"
mkdir disk
if [ "$(id -u)" = 0 ] && mount -t tmpfs -o size=2m tmpfs disk 2>/dev/null; then
    expect 1 "disk/long.h5" paused "$carom" run long.yaml --out disk/long.h5
    expect 0 "" "$carom" export disk/long.h5 --csv long.csv t
    [ "$(wc -l <long.csv)" -gt 10 ] || wrong "nothing survived the full disk"
    umount disk
fi

# a reader that leaves early is nobody's fault
"$carom" export ball.h5 --csv 2>stderr | head -1 >stdout
grep -q "^t," stdout || wrong "no header of the CSV"
[ ! -s stderr ] || wrong "a broken pipe is reported: $(cat stderr)"

# --csv replaces neither the scene nor a result, and what cannot be written is known before the run; a file called '-' is
# no standard output
cp ball.yaml kept.yaml
expect 2 "ball.yaml exists and is not called .csv" "$carom" run ball.yaml --out new.h5 --csv ball.yaml
cmp -s ball.yaml kept.yaml || wrong "--csv has replaced the scene"
expect 2 "the text would overwrite the result new.h5" "$carom" run ball.yaml --out new.h5 --csv new.h5
expect 2 "nowhere/x.csv: no such file or directory" "$carom" run ball.yaml --out new.h5 --csv nowhere/x.csv
expect 2 "x.svg: no such file or directory" "$carom" converge ball.yaml --dt 1e-2 --out new --figure nowhere/x.svg
expect 2 "a result is a file" "$carom" run ball.yaml --out -
[ ! -e new.h5 ] && [ ! -e new ] && [ ! -e ./- ] || wrong "something was computed that could not be written"
expect 2 "the text would overwrite the result new.csv" "$carom" run ball.yaml --out new.csv --csv ./new.csv
expect 0 "" "$carom" export new.csv --csv y
expect 0 "" cp ball.yaml ./-
expect 0 "" "$carom" run ball.yaml --out new.h5 --csv -
expect 0 "" "$carom" export new.h5 --csv -
cmp -s ball.yaml ./- || wrong "standard output went to a file"
finish
