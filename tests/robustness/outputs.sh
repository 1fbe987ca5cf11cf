#!/bin/bash
# No command writes over what it reads, whatever the name: another spelling, a symbolic link, a hard link. What is no
# file is named as what it is, and an option with one value is given once.
. tests/robustness/support.bash
scenes=$PWD/scenes
box box "until: 0.2"
cd "$scratch" || exit 1
printf "carom: 1\nextends: box.yaml\n" >child.yaml
expect 0 "" "$carom" run box.yaml --quiet --out box.h5
expect 0 "" "$carom" export box.h5 --csv reference.csv
mkdir kept study
cp box.yaml child.yaml box.h5 reference.csv kept

# refused READ COMMAND...: the command would overwrite what it reads, says so, and nothing has changed.
refused() {
    local read=$1
    shift
    expect 2 "would overwrite what this command reads, $read" "$carom" "$@"
    for file in box.yaml child.yaml box.h5 reference.csv; do
        cmp -s "$file" "kept/$file" || wrong "$* has changed $file"
        cp "kept/$file" "$file.copy" && cat "$file.copy" >"$file" # in place: links stay links
    done
}

# linked READ NAME COMMAND...: NAME is where the command writes, and a link to READ of every kind.
linked() {
    local read=$1 name=$2
    shift 2
    ln "$read" "$name"
    refused "$read" "$@"
    rm -f "$name"
    ln -s "$scratch/$read" "$name"
    refused "$read" "$@"
    rm -f "$name"
}

linked box.yaml x.h5 run box.yaml --out x.h5
linked box.yaml x.csv run box.yaml --out new.h5 --csv x.csv
linked box.h5 x.csv events box.h5 --csv x.csv
linked box.h5 x.csv export box.h5 --csv x.csv
linked box.h5 x.csv export box.h5 --csv x.csv --events
linked box.h5 x.svg plot box.h5 y --out x.svg
linked box.h5 box.png plot box.h5 y
linked box.h5 x.svg plot box.h5 --scene --out x.svg
linked box.h5 box.pvd export box.h5 --vtk .
linked box.yaml x.svg converge box.yaml --dt 0.01 --out none --figure x.svg
linked box.yaml study/converge.csv converge box.yaml --dt 0.01 --out study
linked box.yaml study/converge.png converge box.yaml --dt 0.01 --out study
linked reference.csv study/converge.csv converge box.yaml --dt 0.01 --reference reference.csv --out study
linked box.h5 x.svg converge box.yaml --dt 0.01 --reference box.h5 --out none --figure x.svg
linked box.yaml x.svg compare box.yaml --integrators rattle --out none --figure x.svg
linked box.yaml study/compare.csv compare box.yaml --integrators rattle --out study
linked box.yaml study/compare_over_time.csv compare box.yaml --integrators rattle --out study
ln -s ../box.h5 study/box.h5 # another spelling of the result
refused "box.h5" plot box.h5 y --out study/../box.h5
expect 2 "study/box.h5 exists and is not called .csv" "$carom" events box.h5 --csv study/box.h5

# what a scene extends is read as well
ln box.yaml x.csv
expect 2 "x.csv would overwrite what this command reads, a part of child.yaml" "$carom" run child.yaml --out new.h5 --csv x.csv
ln -s box.yaml x.svg
expect 2 "x.svg would overwrite what this command reads, a part of child.yaml" "$carom" converge child.yaml --dt 0.01 --out none --figure x.svg
expect 2 "x.csv would overwrite what this command reads, a part of child.yaml" "$carom" run child.yaml --out x.csv
rm x.csv x.svg
cmp -s box.yaml kept/box.yaml || wrong "what a scene extends was changed"
[ ! -e new.h5 ] || wrong "something was computed that could not be written"

# what is no file is named; nobody waits for the other end of a FIFO
mkfifo fifo.h5 fifo.csv fifo.svg
mkdir folder.csv folder.svg
patience="timeout 20"
expect 2 "fifo.h5 is a FIFO, not a file" $patience "$carom" run box.yaml --out fifo.h5
expect 2 "fifo.h5 is a FIFO, not a file" $patience "$carom" run box.yaml --out fifo.h5 --resume
expect 2 "fifo.h5 is a FIFO, not a file" $patience "$carom" export fifo.h5 --csv
expect 2 "fifo.csv is a FIFO, not a file" $patience "$carom" run box.yaml --out new.h5 --csv fifo.csv
expect 2 "fifo.csv is a FIFO, not a file" $patience "$carom" events box.h5 --csv fifo.csv
expect 2 "fifo.svg is a FIFO, not a file" $patience "$carom" plot box.h5 --out fifo.svg
expect 2 "folder.csv is a directory, not a file" "$carom" export box.h5 --csv folder.csv
expect 2 "folder.svg is a directory, not a file" "$carom" plot box.h5 --out folder.svg
expect 2 "folder.svg is a directory, not a file" "$carom" converge box.yaml --dt 0.01 --out none --figure folder.svg
expect 2 "/dev/zero is a device, not a file" "$carom" events box.h5 --csv /dev/zero
expect 2 "/dev/null is a device, not a file" "$carom" run box.yaml --out /dev/null
expect 0 "" "$carom" export box.h5 --csv /dev/null
"$carom" export box.h5 --csv /dev/stdout | head -1 | grep -q "^t,x" || wrong "no text on /dev/stdout"

# a neighbour that is not carom's stays
echo "a letter" >letter
for neighbour in new.h5.journal new.h5.new; do
    ln -s letter $neighbour
    expect 2 "$neighbour is a symbolic link; move it away" "$carom" run box.yaml --quiet --out new.h5
    rm $neighbour
    cp letter $neighbour
    expect 2 "$neighbour is not" "$carom" run box.yaml --quiet --out new.h5
    cmp -s letter $neighbour || wrong "a foreign $neighbour was changed"
    rm $neighbour
done
mkdir series
ln -s ../letter series/dice.pvd.part
expect 0 "" "$carom" run "$scenes/gallery/dice.yaml" --set run.until=0.01 --quiet
expect 0 "" "$carom" export dice.h5 --vtk series --times 0
[ -f series/dice.pvd ] || wrong "no collection"
[ "$(cat letter)" = "a letter" ] || wrong "a letter was changed through a link"
[ -L series/dice.pvd.part ] || wrong "a foreign file was removed"

# one value
expect 2 "option '--out' is given twice: 'a.h5' and 'b.h5'" "$carom" run box.yaml --out a.h5 --out b.h5
expect 2 "option '--out' is given twice: 'a.h5' and 'b.h5'" "$carom" run box.yaml --out=a.h5 --out=b.h5
expect 2 "option '--csv' is given twice" "$carom" events box.h5 --csv a.csv --csv b.csv
expect 2 "option '--dt' is given twice" "$carom" converge box.yaml --dt 0.1 --dt 0.01
expect 0 "" "$carom" run box.yaml --quiet --quiet --set run.until=0.1 --set run.dt=0.01 --out a.h5
[ ! -e b.h5 ] && [ ! -e a.csv ] || wrong "a refused command has written something"
finish
