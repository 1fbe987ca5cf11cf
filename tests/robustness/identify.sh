#!/bin/bash
# carom identify: what it finds and how exactly it says so, against linear regression and motions in closed form, and what
# it refuses.
. tests/robustness/support.bash
cd "$scratch" || exit 1

cat >ball.yaml <<'SCENE'
carom: 1
parameters: {g: 9.81, e: 0.6, z0: 1, k: 1}
model:
  coordinates: {z: {start: z0}}
  kinetic: k*z_dot^2/2
  potential: k*g*z
  contacts: {floor: {gap: z, restitution: e}}
run: {integrator: lobatto, events: locate, dt: 0.05, until: 2, tolerance: 1e-12}
SCENE
if "$carom" identify ball.yaml 2>&1 | grep -q MINPACK; then
    expect 1 "built without MINPACK" "$carom" identify ball.yaml --data x.csv --fit e
    finish
    exit 77
fi

# found NAME KEY: a number of the JSON object on standard output
found() { awk -v name="$1" -v key="$2" -F'[][,{}: "]+' '{ for (i = 1; i <= NF; i++) if ($i == key) break; for (; i <= NF; i++) if ($i == name) { print $(i + 1), $(i + 2); exit } }' stdout; }

# A free particle is linear in its start: x = a + b t. The values, deviations and the correlation are those of linear
# regression, with 6 degrees of freedom, t = 2.446912. The times are not those of steps.
cat >free.yaml <<'SCENE'
carom: 1
model: {coordinates: {x: {start: 0, velocity: 1}}, kinetic: x_dot^2/2}
run: {integrator: lobatto, dt: 0.1, until: 4}
SCENE
cat >line.csv <<'DATA'
# out of order, in quotes, with a field that is empty and a column that nobody asked for
t,"2*x",note
0.13,2.9,1
1.77,,2
0.5,3.4,3
2.31,7.2,4
1,4.6,5
1.77,6,6
3.3,9.2,7
2.9,8.6,8
3.9,10.1,9
DATA
expect 0 "" "$carom" identify free.yaml --data line.csv --measure "2*x" --fit start.x,start.x_dot --json
awk -F, '/^[0-9]/ && $2 != "" { n++; t = $1; y = $2/2; st += t; sy += y; stt += t*t; sty += t*y; syy += y*y }
    END { d = n*stt - st*st; b = (n*sty - st*sy)/d; a = (sy - b*st)/n; s2 = (syy - a*sy - b*sty)/(n - 2)
          printf "%.15g %.15g %.15g %.15g %.15g\n", a, b, sqrt(s2*stt/d), sqrt(s2*n/d), -st/sqrt(n*stt) }' line.csv >regression
read -r a b da db c <regression
near() { awk -v x="$1" -v y="$2" -v e="${3:-1e-9}" 'BEGIN { d = x - y; exit !(d*d <= e*e*y*y) }' || wrong "$4: $1 instead of $2"; }
near "$(found start.x values | cut -d' ' -f1)" "$a" 1e-9 "start"
near "$(found start.x_dot values | cut -d' ' -f1)" "$b" 1e-9 "velocity"
near "$(found start.x deviations | cut -d' ' -f1)" "$da" 1e-9 "deviation of the start"
near "$(found start.x_dot deviations | cut -d' ' -f1)" "$db" 1e-9 "deviation of the velocity"
near "$(sed 's/.*"correlation": \[\[1[.0-9]*, \([-0-9.]*\).*/\1/' stdout)" "$c" 1e-9 "correlation"
near "$(found start.x_dot intervals | awk '{ print ($2 - $1)/2 }')" "$(awk "BEGIN { print 2.446912*$db }")" 1e-5 "interval"

# A ball from z0 strikes at T = sqrt(2 z0/g) and after 2 e T more: two times give e and z0 exactly, sigma or not.
printf 't,event\n0.5,floor\n1.2,2\n' >strikes.csv
expect 0 "" "$carom" identify ball.yaml --data strikes.csv --fit e,z0 --json
near "$(found e values | cut -d' ' -f1)" 0.7 1e-9 "restitution by strikes"
near "$(found z0 values | cut -d' ' -f1)" "$(awk 'BEGIN { print 9.81*0.25/2 }')" 1e-9 "height by strikes"
grep -q '"freedom": 0' stdout && grep -q '"intervals": {"e": \[null, null\]' stdout || wrong "intervals out of nothing: $(cat stdout)"

# With heights as well; the start is set, moves with the parameter z0 elsewhere, and derivatives are those of differences.
cat >drop.csv <<'DATA'
t,z,v,event,sigma,sigma(v)
0.1,0.951,-1,,0.01,0.1
0.3,0.559,-2.95,,0.01,0.1
0.452,,,floor,0.001,
0.6,0.33,1.52,,0.01,0.1
0.8,0.44,-0.4,,0.01,0.1
0.9,,-1.4,,,0.1
DATA
expect 0 "" "$carom" identify ball.yaml --data drop.csv --measure z --measure v=z_dot --fit e,z0=1.1,start.z_dot --check --json --csv found.csv --residuals rest.csv --figure drop.png
sed 's/.*"off": \[\(.*\)\].*/\1/' stdout | tr ',' '\n' | awk '{ if (!($1 < 1e-8)) bad = 1 } END { exit bad || NR != 3 }' || wrong "derivatives: $(cat stdout)"
[ "$(head -1 found.csv)" = "name,value,deviation,low,high" ] && [ "$(wc -l <found.csv)" = 4 ] || wrong "the table is $(cat found.csv)"
[ "$(wc -l <rest.csv)" = 11 ] && grep -q '^drop,event,0.452' rest.csv || wrong "residuals: $(cat rest.csv)"
[ -s drop.png ] || wrong "no picture"

# A bound that is in effect: z0 alone is found, as without e.
expect 0 "" "$carom" identify ball.yaml --data drop.csv --measure z --fit e,z0 --bound e=0.8.. --bound z0=..3
grep -q '^  e  *0.8   at its bound$' stdout || wrong "no bound: $(cat stdout)"
grep '^  z0' stdout >with
expect 0 "" "$carom" identify ball.yaml --data drop.csv,e=0.8 --measure z --fit z0
[ "$(awk '{ printf "%.7g", $2 }' with)" = "$(awk '/^  z0/ { printf "%.7g", $2 }' stdout)" ] || wrong "a bound: $(cat with) and $(cat stdout)"

# Two drops with starts of their own, in files and in a column: a ball that falls freely from z0 has z0 = z + g t^2/2.
printf 't,z\n0.2,0.8038\n0.1,0.95095\n' >one.csv
printf 't,z\n0.3,0.05855\n0.1,0.45095\n' >two.csv
printf 'record,t,z\none,0.2,0.8038\ntwo,0.3,0.05855\none,0.1,0.95095\ntwo,0.1,0.45095\n' >both.csv
for data in "--data one.csv --data two.csv" "--data both.csv"; do
    expect 0 "" "$carom" identify ball.yaml $data --fit g=9 --each z0 --json
    grep -q '"measurements": 4' stdout || wrong "records of $data: $(cat stdout)"
    grep -Eq '"g": 9\.8(1|0999|1000)[0-9]*, "z0\[one\]": (1|0\.999999|1\.00000)[0-9]*, "z0\[two\]": (0\.5|0\.49999|0\.50000)[0-9]*}' stdout || wrong "$data: $(cat stdout)"
done

# A captured run tells that its derivatives are its own.
expect 0 "" "$carom" identify ball.yaml --data one.csv --fit z0 --set run.events=capture
grep -q '^note: events are captured' stdout || wrong "a captured run does not say so"

# What cannot be told apart, and what has no effect
expect 1 "the data do not tell 'g', 'z0' apart" "$carom" identify ball.yaml --data one.csv --fit g,z0 --set model.potential="0" --set model.forces.z="-k*(g + 2*z0)" --set model.coordinates.z.start=1
expect 1 "the data do not depend on 'k' near" "$carom" identify ball.yaml --data drop.csv --measure z --fit e,k
expect 1 "the data do not depend on 'e' near" "$carom" identify ball.yaml --data one.csv --fit z0,e
expect 2 "1 measurement cannot determine 2 unknowns" "$carom" identify ball.yaml --data <(printf 't,z\n0.1,1\n') --fit z0,e

# A plate that would leave the table: no derivative by the start.
cat >plate.yaml <<'SCENE'
carom: 1
model:
  coordinates: {x: {velocity: 1}, y: {}}
  kinetic: (x_dot^2 + y_dot^2)/2
  potential: 9.81*y
  contacts: {floor: {gap: y, slip: x_dot, friction: 0.2}}
run: {integrator: lobatto, events: locate, dt: 0.05, until: 1}
SCENE
printf 't,x\n0.1,0.1\n0.2,0.2\n' >slide.csv
expect 1 "'start.y' moves contact 'floor', which is closed at the start: there is no derivative but from one side" "$carom" identify plate.yaml --data slide.csv --fit start.y

# Two corners that strike at one instant have none either.
printf 't,z\n0.3,0.5\n0.9,0.4\n' >both_corners.csv
sed 's/contacts: {/contacts: {other: {gap: z, restitution: e}, /' ball.yaml >corners.yaml
expect 1 "there is no derivative: contacts" "$carom" identify corners.yaml --data both_corners.csv --fit e

# Bad input, a sentence each
printf 't,z\n0.1,1\n0.2,high\n' >bad.csv
expect 2 "bad.csv:3:5: expected a number, found 'high'" "$carom" identify ball.yaml --data bad.csv --fit e
expect 2 "one.csv:1:3: 'z_dott': there is no 'z_dott', did you mean 'z_dot'?" "$carom" identify ball.yaml --data one.csv --fit e --measure z=z_dott
printf 't,zz\n0.1,1\n' >name.csv
expect 2 "name.csv:1:3: 'zz': there is no 'zz', did you mean 'z'?" "$carom" identify ball.yaml --data name.csv --fit e
printf 't,z\n0.1,1\n9,1\n' >late.csv
expect 2 "late.csv:3:1: t = 9 lies after the end of the run, 2 (--set run.until=9)" "$carom" identify ball.yaml --data late.csv --fit e
printf 't,z\n-1,1\n' >early.csv
expect 2 "early.csv:2:1: t = -1 lies before the start of the run, 0" "$carom" identify ball.yaml --data early.csv --fit e
printf 't,z,z\n0.1,1,1\n' >twice.csv
expect 2 "twice.csv:1:5: column 'z' is there twice" "$carom" identify ball.yaml --data twice.csv --fit e
printf 't,z\n0.1\n' >short.csv
expect 2 "short.csv:2:1: the heading has 2 fields, this row has 1" "$carom" identify ball.yaml --data short.csv --fit e
printf 'time,z\n0.1,1\n' >time.csv
expect 2 "time.csv:1:1: the heading has no column 't', the time" "$carom" identify ball.yaml --data time.csv --fit e
printf 't,z\n,1\n' >when.csv
expect 2 "when.csv:2:1: this row has no time" "$carom" identify ball.yaml --data when.csv --fit e
printf 't,z,sigma\n0.1,1,0\n' >exact.csv
expect 2 "exact.csv:2:7: a standard deviation is positive, not '0'" "$carom" identify ball.yaml --data exact.csv --fit e
printf 't,event\n0.1,flor\n' >event.csv
expect 2 "event.csv:2:5: an event is a number from 1 on or a contact that is struck, not 'flor', did you mean 'floor'?" "$carom" identify ball.yaml --data event.csv --fit e
printf 't,event\n0.1,99\n' >many.csv
expect 1 "many.csv:2:1: until t = 2 the run has" "$carom" identify ball.yaml --data many.csv --fit e
expect 2 "times of events need a run that locates them" "$carom" identify ball.yaml --data strikes.csv --fit e --set run.events=capture
printf 't,z\n' >none.csv
expect 2 "none.csv: this table holds no measurement" "$carom" identify ball.yaml --data none.csv --fit e
expect 2 "nowhere.csv: No such file" "$carom" identify ball.yaml --data nowhere.csv --fit e
expect 2 "no table has the column 'q'" "$carom" identify ball.yaml --data one.csv --measure q=z --fit e
expect 2 "how exact is 'z'? Say it for all columns: --sigma z=VALUE" "$carom" identify ball.yaml --data one.csv --data strikes.csv --sigma event=1 --fit e
expect 2 "there is no measured column 'zz', did you mean 'z'?" "$carom" identify ball.yaml --data one.csv --fit e --sigma zz=1
expect 2 "a standard deviation is positive" "$carom" identify ball.yaml --data one.csv --fit e --sigma z=-1
expect 2 "there is no parameter 'ee', did you mean 'e'?" "$carom" identify ball.yaml --data one.csv --fit ee
expect 2 "the guess 'high' of 'e' is not a number" "$carom" identify ball.yaml --data one.csv --fit e=high
expect 2 "'e' is fitted twice" "$carom" identify ball.yaml --data one.csv --fit e,e
expect 2 "'e' is to be found (--fit), but a record gives its value (--data)" "$carom" identify ball.yaml --data one.csv,e=1 --fit e
expect 2 "there is no parameter 'f'" "$carom" identify ball.yaml --data one.csv,f=1 --fit e
expect 2 "'g' is not fitted" "$carom" identify ball.yaml --data one.csv --fit e --bound g=0..1
expect 2 "--bound needs NAME=LEAST..MOST" "$carom" identify ball.yaml --data one.csv --fit e --bound e=1..0
expect 2 "identify needs what to find" "$carom" identify ball.yaml --data one.csv
expect 2 "identify needs what was measured" "$carom" identify ball.yaml --fit e
expect 2 "moreau has no derivatives of the motion" "$carom" identify free.yaml --data slide.csv --fit start.x --set run.integrator=moreau
finish
