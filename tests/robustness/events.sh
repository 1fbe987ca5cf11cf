#!/bin/bash
# Located events: the command that lists them, and their export.
. tests/robustness/support.bash
box box "until: 50"
ball captured
cd "$scratch" || exit 1

# A ball of speed 1 between walls 0.1 apart, from the middle: 0.05 + 0.1 k. It falls from 0.1 m: (2k + 1) sqrt(0.2/9.81).
expect 0 "" "$carom" run box.yaml --out box.h5
grep -qx "located events: 675 (675 strikes)" stdout || wrong "not 500 + 175 strikes: $(grep located stdout)"
# 0.0371 s and the tolerance of 1e-10 m/s bound what counts as touching: their product, and ten times the tolerance.
grep -qx "every contact that closes was found; but for round-off, one nearer than 3.7e-12 and slower than 1e-09 counts as touching" stdout ||
    wrong "no certificate, or one without its limit: $(cat stdout)"
grep -q "^lift-off, stick and slip were looked for at points" stdout || wrong "silent about what is not bounded: $(cat stdout)"
grep -q "^captured steps" stdout && wrong "captured although 13 events in ten steps are few"
# Ten thousand strikes a step are more than are located one by one: the run says so.
expect 0 "" "$carom" run box.yaml --out none --set run.dt=10 --set run.until=20 --set model.contacts.left.gap=x+1e-3 \
    --set model.contacts.right.gap=1e-3-x
grep -qx "captured steps: 2 with events that could not all be located (order 1 there; try a smaller dt)" stdout ||
    wrong "silent about captured events: $(cat stdout)"
grep -qx "every contact that closes was found, except in captured steps; but for round-off, one nearer than 1e-09 and slower than 1e-09 counts as touching" stdout ||
    wrong "the certificate does not leave out captured steps: $(cat stdout)"
# Above some dozens of stages round-off leaves no bounds, and that is not the model's fault.
expect 0 "" "$carom" run box.yaml --out none --set run.integrator=lobatto --set run.stages=60 --set run.until=0.1
grep -q "^contacts that close between two looks may be missed: only rattle, and lobatto with up to some dozens of stages" stdout ||
    wrong "not the reason why nothing is certified: $(cat stdout)"
expect 0 "" "$carom" events box.h5
[ "$(grep -c strikes: stdout)" = 675 ] || wrong "not every event is listed"
grep -qE "^ +0.15  left +strikes: gap_dot -1 -> 1, PN 2, loses " stdout || wrong "no strike at the left wall at 0.15"
[ "$(tail -1 stdout | cut -d';' -f1)" = "in all  675 events: 675 strikes" ] || wrong "summary: $(tail -1 stdout)"
expect 0 "" "$carom" events box.h5 --contact left --kind strike --from 1 --to 2
[ "$(grep -c strikes: stdout)" = 5 ] || wrong "not 5 strikes at the left wall from 1 to 2: $(cat stdout)"
expect 0 "" "$carom" events box.h5 --kind stop
grep -qx "0 events" stdout || wrong "stops without friction"
expect 0 "" "$carom" events box.h5 --contact floor --csv -
[ "$(wc -l <stdout)" = 176 ] || wrong "not 175 strikes and a head in CSV"
head -2 stdout | tail -1 | grep -q "^0.14278[0-9]*,floor,strike,0,0," || wrong "CSV: $(head -2 stdout)"
expect 0 "" "$carom" events box.h5 --csv list.csv
[ "$(wc -l <list.csv)" = 676 ] || wrong "not every event in list.csv"
expect 0 "" "$carom" export box.h5 --csv --events t after/x_dot
sed -n 2p stdout | grep -qx "0.050[0-9]*,-1" || wrong "export of events: $(head -2 stdout)"

# multisymplectic: the energy that an impact keeps, to round-off, beside the other one, which moves by up to g^2 dt^2/8.
ball elastic
expect 0 "" "$carom" run elastic.yaml --out elastic.h5 --set run.integrator=multisymplectic --set model.contacts.floor.restitution=1
expect 0 "" "$carom" events elastic.h5
grep -qE "strikes: .*, E 9\.81 [+-]([0-9]e-1[5-9]|0e\+00), E\.interval 9\.8[0-9]* [+-][0-9]e-0[5-9]$" stdout ||
    wrong "energies of an impact: $(cat stdout)"

# impacts that do not rebound since no law lets them are events of every run
cat >corner.yaml <<'END'
carom: 1
model:
  coordinates: {x: {start: 0.105, velocity: -1}, y: {start: 0.105, velocity: -1}}
  kinetic: (x_dot^2 + y_dot^2)/2
  contacts:
    floor: {gap: y, slip: x_dot, friction: 1.2, restitution: 0.5}
    wall: {gap: x, slip: y_dot, friction: 1.2, restitution: 0.5}
run: {integrator: moreau, dt: 0.01, until: 0.3}
END
expect 0 "" "$carom" run corner.yaml --out corner.h5
expect 0 "" "$carom" events corner.h5
[ "$(grep -c "does not rebound: its impact law has no solution" stdout)" = 2 ] || wrong "thuds: $(cat stdout)"
grep -qE "^ +0.11  wall " stdout || wrong "the thud is not at the end of its step: $(cat stdout)"
grep -qx "in all  2 events: 2 thuds" stdout || wrong "thuds: $(cat stdout)"
grep -q "its run did not locate events: thuds alone are listed" stdout || wrong "thuds alone: $(cat stdout)"
expect 0 "" "$carom" run corner.yaml --out corner.h5 --set run.integrator=rattle --set run.events=locate
grep -qx "located events: 4 (2 strikes, 2 thuds)" stdout || wrong "thuds: $(grep located stdout)"
expect 0 "" "$carom" events corner.h5 --kind thud --csv -
grep -qE "^0.105[0-9]*,wall,thud," stdout || wrong "thud at its time: $(cat stdout)"
expect 0 "" "$carom" run corner.yaml --out corner.h5 --set model.contacts.floor.friction=0.9 --set model.contacts.wall.friction=0.9
expect 2 "corner.h5 records no events: its run did not locate them" "$carom" events corner.h5

# what cannot be done is said in one line
expect 0 "" "$carom" run captured.yaml --out captured.h5
expect 2 "captured.h5 records no events: its run did not locate them" "$carom" events captured.h5
expect 2 "captured.h5 records no events" "$carom" export captured.h5 --csv --events
expect 2 "nowhere.h5" "$carom" events nowhere.h5
expect 2 "box.h5 has no contact 'lfet', did you mean 'left'?" "$carom" events box.h5 --contact lfet
expect 2 "there is no kind of event 'strikes', did you mean 'strike'?" "$carom" events box.h5 --kind strikes
expect 2 "--from needs a time, not 'soon'" "$carom" events box.h5 --from soon
expect 2 "--to needs a time, not ''" "$carom" events box.h5 --to ''
expect 2 "--from 2 is later than --to 1: no time is left" "$carom" events box.h5 --from 2 --to 1
expect 2 "integrator 'moreau' has no option 'events'; these have it: " "$carom" run box.yaml --set run.integrator=moreau
expect 2 "box.yaml exists and is not called .csv" "$carom" events box.h5 --csv box.yaml
expect 2 "nowhere/x.csv" "$carom" events box.h5 --csv nowhere/x.csv
expect 2 "befor/x" "$carom" export box.h5 --csv --events befor/x
expect 2 "records no 'x'" "$carom" export box.h5 --csv --events x
[ -e /dev/full ] && expect 1 "no space left on device" "$carom" events box.h5 --csv /dev/full
head -c 3000 box.h5 >truncated.h5
expect 2 "truncated.h5" "$carom" events truncated.h5
# numbers of contacts and kinds that no list is long enough for
for python in python3 /usr/bin/python3; do
    "$python" -c "import h5py" 2>/dev/null || continue
    for number in nan inf -1 1e300 -1e300 17; do
        for column in contact kind; do
            cp box.h5 odd.h5
            "$python" -c "import h5py; h5py.File('odd.h5', 'r+')['#events/$column'][7] = float('$number')" ||
                wrong "h5py cannot change box.h5"
            expect 2 "odd.h5 is damaged: event 8 is of no known contact or kind" "$carom" events odd.h5
        done
    done
    break
done

# sentences about friction: a block that is thrown comes to rest, and a growing force pulls it loose
cat >block.yaml <<SCENE
carom: 1
model:
  coordinates: {x: {velocity: 2}, y: {start: 0.01}}
  kinetic: (x_dot^2 + y_dot^2)/2
  potential: 10*y
  forces: {x: 2*t}
  contacts: {floor: {gap: y, slip: x_dot, friction: 0.3}}
run: {integrator: lobatto, events: locate, dt: 0.07, until: 2}
SCENE
expect 0 "" "$carom" run block.yaml --out block.h5
expect 0 "" "$carom" events block.h5
grep -q "floor *strikes: .*slides on" stdout && grep -q "floor *sticks" stdout && grep -q "1.5  floor *slips" stdout ||
    wrong "not strike, stick and slip: $(cat stdout)"
tail -1 stdout | grep -q "^3 events: 1 strike, 1 stop, 1 break; loss " || wrong "summary: $(tail -1 stdout)"
expect 0 "" "$carom" plot block.h5 x_dot floor.state --out block.png
finish
