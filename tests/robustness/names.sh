#!/bin/bash
# Columns are datasets under their names for every program that reads HDF5, also while a run is at work and among thousands,
# and what another program changes there is read.
. tests/robustness/support.bash
for python in python3 /usr/bin/python3 ""; do "$python" -c 'import h5py' 2>/dev/null && break; done
[ -n "$python" ] || { echo "there is no h5py"; exit 77; }
cd "$scratch" || exit 1

# check FILE: every column under its name is that of the table, bit by bit, in all tables; with its unit
cat >check.py <<'END'
import sys, h5py
def check(table):
    values, columns = table["#values"][:], table["#columns"][:]
    assert values.shape[1] == len(columns) > 0
    shown = {len(table[name.decode()]) for name in columns["name"]}
    assert len(shown) == 1, shown
    for i, (name, unit) in enumerate(columns):
        column = table[name.decode()]
        assert column.attrs["unit"] == unit and column.compression == "gzip" and column.shuffle
        assert (column[:].view("u8") == values[: len(column), i].copy().view("u8")).all(), name
    return shown.pop(), len(values)
with h5py.File(sys.argv[1]) as result:
    print(*[check(table) for table in (result, result.get("#events"), result.get("#contacts")) if table])
END

cat >balls.yaml <<'END'
carom: 1
parameters: {n: 3}
model:
  coordinates: {"y[i=1..n]": {start: 1 + 0.1*i, unit: m}}
  kinetic: sum(i=1..n, y_dot[i]^2/2)
  potential: sum(i=1..n, 10*y[i])
  contacts: {"ground[i=1..n]": {gap: "y[i]", restitution: 0.5}}
run: {integrator: rattle, dt: 1e-3, until: 1, events: locate}
END
expect 0 "" "$carom" run balls.yaml --out few.h5 --quiet
"$python" check.py few.h5 | grep -q '(1001, 1001) ([1-9]' || wrong "columns of rows and events"
expect 0 "" "$carom" run balls.yaml --set parameters.n=300 --set run.events=capture --set run.until=0.05 --out many.h5 --quiet
"$python" check.py many.h5 | grep -q '(51, 51)' || wrong "thousands of columns"

# a run at work
"$carom" run balls.yaml --set run.until=1e6 --set run.events=capture --out live.h5 --quiet &
for _ in {1..100}; do [ -e live.h5 ] && "$python" check.py live.h5 2>/dev/null | grep -q '([1-9]' && break; sleep 0.1; done
"$python" check.py live.h5 | grep -q '([1-9]' || wrong "columns of a run at work"
kill -INT $!
wait $!

# what another program changes under a name, in the table, or adds
changed() { # COMMANDS COLUMN VALUE
    cp few.h5 changed.h5
    "$python" -c "import h5py; f = h5py.File('changed.h5', 'r+'); $1"
    "$carom" export changed.h5 --csv changed.csv 2>stderr || wrong "$(cat stderr)"
    "$carom" export few.h5 --csv few.csv
    local found
    found=$(awk -F, -v name="$2" 'NR == 1 {for (i = 1; i <= NF; i++) if ($i == name) c = i} NR == 9 {print $c}' changed.csv)
    [ "$found" = "$3" ] || wrong "$1: $2 is '$found'"
    [ "$(paste -d '\n' few.csv changed.csv | awk 'NR % 2 {a = $0; next} index($0, a) != 1 {n++} END {print n + 0}')" = "$4" ] ||
        wrong "$1 changes other rows"
}
changed "f['y2'][7] = 42" y2 42 1
changed "f['y2'][:] = f['y2'][:] + f['t'][:]; f['y2'][7] = 42" y2 42 1000
changed "f['#values'][7, 2] = 43" y2 43 1
changed "f['mine'] = 0*f['t'][:]; f['mine'][7] = 44" mine 44 0
"$python" -c "import h5py; h5py.File('live.h5', 'r+')['y2'][0] = 42"
expect 2 "live.h5 was changed by another program: start it again" \
    timeout 60 "$carom" run balls.yaml --set run.until=1e6 --set run.events=capture --resume --out live.h5
finish
