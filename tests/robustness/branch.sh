#!/bin/bash
# carom orbit --continue: branches of periodic motions, with what happens to them at values known in closed form.
. tests/robustness/support.bash
here=$PWD
cd "$scratch" || exit 1

# at KIND VALUE BOUND NAME FILE: the first point of this kind in a table is at VALUE.
at() {
    awk -F, -v kind="$1" -v want="$2" -v bound="$3" -v name="$4" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) column = i }
        $2 == kind && !found { found = 1; is = $column } END { miss = is - want; printf "%s at %.13g, in closed form %.13g, off by %.1e\n", kind, is, want, miss
            exit !(found && miss < bound && miss > -bound) }' "$5" || wrong "$1 of $5"
}

# A ball on a table A sin(w t), once per period: A w^2 cos(phi) = pi g (1 - e)/(1 + e). It folds at phi = 0 and flips
# where A w^2 sin(phi) = 2 g (1 + e^2)/(1 + e)^2. Flights are parabolas, so that nothing but the tolerance is missed.
cat >ball.yaml <<'SCENE'
carom: 1
title: ball
parameters: {g: 9.81, e: 0.5, A: 0.03, w: 20}
model:
  coordinates: {z: {start: 0.031, velocity: -1.39}}
  kinetic: z_dot^2/2
  potential: g*z
  contacts: {table: {gap: z - A*sin(w*t), restitution: e}}
run: {integrator: lobatto, events: locate, dt: 2*pi/w/20, until: 20, tolerance: 1e-13}
SCENE
fold=$(awk 'BEGIN { pi = atan2(0, -1); printf "%.17g", 9.81/400*pi*0.5/1.5 }')
flip=$(awk 'BEGIN { pi = atan2(0, -1); printf "%.17g", 9.81/400*sqrt((2*1.25/2.25)^2 + (pi*0.5/1.5)^2) }')
ball=("$carom" orbit ball.yaml --period "2*pi/w" --after 1)
expect 0 "" "${ball[@]}" --continue A=0.03..0.05 --csv up.csv --out up.h5 --figure up.svg
at flip "$flip" 1e-9 A up.csv
grep -q '^branch 2: ' stdout || wrong "no branch of twice the period: $(cat stdout)"
# The multipliers of two bounces have the product e^4, wherever the branch goes.
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    $1 == 2 { a = $at["multiplier1.re"]; b = $at["multiplier1.im"]; c = $at["multiplier2.re"]; d = $at["multiplier2.im"]; rows++
              if ((a*c - b*d - 0.0625)^2 + (a*d + b*c)^2 > 1e-20) bad++ } END { exit bad || rows < 20 }' up.csv || wrong "the product of multipliers is not e^4"
# Its visits stay in order, also where the period comes to begin elsewhere: from point to point a visit moves by less than
# the two are apart.
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    $1 == 2 && $2 == "" { z = $at["z"]; if ($3 in last) { step = z - last[$3]; if (step*step > 1e-4) bad++ } last[$3] = z } END { exit bad > 0 }' up.csv ||
    wrong "visits change places along a branch"
[ -s up.svg ] || wrong "there is no picture"
expect 0 "" "$carom" export up.h5 --csv rows.csv
[ "$(wc -l <rows.csv)" = "$(wc -l <up.csv)" ] || wrong "table and result have different numbers of rows"
expect 0 "" "${ball[@]}" --continue A=0.03..0.02 --csv down.csv
at fold "$fold" 1e-9 A down.csv
[ "$(tail -1 down.csv | cut -d, -f4)" = 0.029999999999999999 ] || wrong "the branch does not come back to A = 0.03"
# The period changes with the parameter, and three shots find the same.
flip=$(awk 'BEGIN { pi = atan2(0, -1); printf "%.17g", sqrt(9.81/0.03*sqrt((2*1.25/2.25)^2 + (pi*0.5/1.5)^2)) }')
expect 0 "" "${ball[@]}" --continue w=20..30 --csv faster.csv --doublings 0
at flip "$flip" 1e-8 w faster.csv
expect 0 "" "${ball[@]}" --continue w=20..30 --csv shots.csv --doublings 0 --shots 3
at flip "$flip" 1e-8 w shots.csv

# x'' + 2 d x' + x = cos(w t): multipliers of size exp(-d T) pass the unit circle at d = 0. With five stages the scheme
# has order 8, and conserves.
cat >torus.yaml <<'SCENE'
carom: 1
title: torus
parameters: {d: 0.05, w: 0.7}
model:
  coordinates: {x: {start: 0}}
  kinetic: x_dot^2/2
  potential: x^2/2
  forces: {x: cos(w*t) - 2*d*x_dot}
run: {integrator: lobatto, stages: 5, dt: 0.1, until: 20, tolerance: 1e-13}
SCENE
expect 0 "" "$carom" orbit torus.yaml --period "2*pi/w" --continue d=0.05..-0.05 --csv torus.csv
at Neimark-Sacker 0 1e-9 d torus.csv

# y'' + 0.2 y' + k y + y^3 = 0 has y = 0, which branches at k = 0.
cat >fork.yaml <<'SCENE'
carom: 1
title: fork
parameters: {k: 0.5, w: 2}
model:
  coordinates: {x: {start: 0}, y: {start: 0}}
  kinetic: (x_dot^2 + y_dot^2)/2
  potential: x^2/2 + k*y^2/2 + y^4/4
  forces: {x: cos(w*t) - 0.2*x_dot, y: -0.2*y_dot}
run: {integrator: lobatto, stages: 5, dt: 0.1, until: 20, tolerance: 1e-13}
SCENE
expect 0 "" "$carom" orbit fork.yaml --period "2*pi/w" --continue k=0.5..-0.5 --csv fork.csv
at crossing 0 1e-9 k fork.csv

# x'' + 2 d x' + x = F cos(w t) reaches a wall at 1 where F^2 = (1 - w^2)^2 + (2 d w)^2. From the other side, states
# depend on the depth behind the wall, and its root is the speed of the strike: the derivative of a root, and with it the
# largest multiplier, grows like one over the speed.
cat >graze.yaml <<'SCENE'
carom: 1
title: graze
parameters: {F: 0.3, w: 0.7, d: 0.1, e: 0.8}
model:
  coordinates: {x: {start: 0}}
  kinetic: x_dot^2/2
  potential: x^2/2
  forces: {x: F*cos(w*t) - 2*d*x_dot}
  contacts: {wall: {gap: 1 - x, restitution: e}}
run: {integrator: lobatto, events: locate, stages: 4, dt: 0.1, until: 20, tolerance: 1e-13}
SCENE
graze=$(awk 'BEGIN { printf "%.17g", sqrt(0.51^2 + 0.14^2) }')
expect 0 "" "$carom" orbit graze.yaml --period "2*pi/w" --after 100 --continue F=0.45..0.6 --csv graze.csv --doublings 0
at graze "$graze" 1e-9 F graze.csv
grep -q "strike of 'wall' comes, and the branch goes on in another direction" graze.csv || wrong "the graze does not say what comes"
# Beyond the graze the branch is the one of motions that strike, (SE62): it ends as that does which begins among them.
expect 0 "" "$carom" orbit graze.yaml --period "2*pi/w" --after 200 --continue F=0.57..0.6 --csv struck.csv --doublings 0
last() { awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i } END { print $column["F"], $column["largest"], $column["slowest_strike"] }' "$1"; }
echo "$(last graze.csv) $(last struck.csv)" | awk '{ for (i = 1; i <= 3; i++) if (($i - $(i + 3))^2 > 1e-18) exit 1; exit !($3 > 0.1) }' ||
    wrong "beyond the graze the branch is another one: $(last graze.csv), not $(last struck.csv)"

expect 0 "" "$carom" orbit graze.yaml --period "2*pi/w" --after 200 --continue F=0.55..0.5 --csv root.csv --doublings 0
awk -F, -v at="$graze" 'NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
    { over = $column["F"] - at; product = $column["largest"]*$column["slowest_strike"] }
    over > 1e-6 && over < 1e-4 { if (!rows++) first = product; if (product > 1.02*first || product < 0.98*first) bad++ }
    END { printf "%d points near the graze, multiplier times speed %.6g\n", rows, first; exit bad || rows < 3 }' root.csv ||
    wrong "the multiplier is not one over the speed"
awk -v at="$graze" '/ where its speed is zero/ { sub(/.*, at /, ""); miss = $1 - at; found = 1 } END { exit !(found && miss^2 < 1e-16) }' root.csv ||
    wrong "the graze is not found by the speed of the strike: $(grep graze root.csv)"

# Where the period changes with the parameter, its start moves before strikes meet it, and with it the direction of the branch: over a
# fold the motions come back to the graze, at the larger root of F^2 = (1 - w^2)^2 + (2 d w)^2, and go on without strikes. The place
# of the graze is that of two speeds in proportion, from some thousandths away.
graze=$(awk 'BEGIN { printf "%.17g", sqrt((1.96 + sqrt(1.96^2 - 4*0.64))/2) }')
expect 0 "" "$carom" orbit graze.yaml --set parameters.F=0.6 --period "2*pi/w" --after 200 --continue w=0.7..1.9 --csv resonance.csv --doublings 0 --points 300
cut -d, -f2 resonance.csv | grep -v '^$' | tr '\n' ' ' | grep -qx 'kind fold graze ' || wrong "not a fold and a graze: $(cat stdout)"
awk -v at="$graze" '/ where its speed is zero/ { sub(/.*, at /, ""); miss = $1 - at; found = 1 } END { exit !(found && miss^2 < 1e-12) }' resonance.csv ||
    wrong "the graze at w = $graze is not found: $(grep graze resonance.csv)"
[ "$(tail -1 resonance.csv | cut -d, -f4)" = 1.8999999999999999 ] || wrong "the branch does not reach w = 1.9"

# Below the resonance a step passes the graze, and the motions without strikes that it meets lead away from it, towards w = 0.4.
expect 0 "" "$carom" orbit graze.yaml --set parameters.F=0.6 --period "2*pi/w" --after 200 --continue w=0.7..0.4 --csv below.csv --doublings 0
cut -d, -f2 below.csv | grep -v '^$' | tr '\n' ' ' | grep -qx 'kind fold graze ' || wrong "not a fold and a graze: $(cat stdout)"
[ "$(tail -1 below.csv | cut -d, -f4)" = 0.40000000000000002 ] || wrong "the branch does not reach w = 0.4"

# The same where nothing strikes: a hardening spring folds twice.
cat >harder.yaml <<'SCENE'
carom: 1
title: harder
parameters: {w: 1}
model:
  coordinates: {x: {start: 0}}
  kinetic: x_dot^2/2
  potential: x^2/2 + x^4/4
  forces: {x: 0.3*cos(w*t) - 0.2*x_dot}
run: {integrator: lobatto, stages: 5, dt: 0.1, until: 20, tolerance: 1e-13}
SCENE
expect 0 "" "$carom" orbit harder.yaml --period "2*pi/w" --after 200 --continue w=1..2.5 --csv harder.csv --points 300
[ "$(cut -d, -f2 harder.csv | grep -c fold)" = 2 ] || wrong "not two folds: $(cat stdout)"
[ "$(tail -1 harder.csv | cut -d, -f4)" = 2.5 ] || wrong "the branch does not reach w = 2.5"

# F cos(t) pushes a block against friction 1: it sticks in its turns where F < sqrt(1 + pi^2/4).
cat >stick.yaml <<'SCENE'
carom: 1
title: stick
parameters: {F: 3, mu: 1}
model:
  coordinates: {x: {start: 0, velocity: 0.5}, y: {start: 0}}
  kinetic: (x_dot^2 + y_dot^2)/2
  potential: y
  forces: {x: F*cos(t)}
  contacts: {floor: {gap: y, slip: x_dot, friction: mu}}
run: {integrator: lobatto, events: locate, stages: 4, dt: 0.1, until: 20, tolerance: 1e-13}
SCENE
stick=$(awk 'BEGIN { pi = atan2(0, -1); printf "%.17g", sqrt(1 + pi*pi/4) }')
expect 0 "" "$carom" orbit stick.yaml --period "2*pi" --after 50 --modulo x --continue F=2.2..1.6 --csv stick.csv
at stick "$stick" 1e-9 F stick.csv

# The woodpecker's limit cycle disappears where its beak and its sleeve strike at one instant: the other order of these
# strikes leads elsewhere.
expect 0 "" "$carom" orbit "$here/scenes/paper/moreau/woodpecker.yaml" --section phi_S --modulo y --after 1 --set run.integrator=lobatto --set run.events=locate \
    --set run.dt=5e-4 --set parameters.mu=0.2887 --continue mu=0.2887..0.288 --csv peck.csv --doublings 0
grep -q "^1,end,.*'beak' and 'sleeve_top' meet at one instant, and the motion jumps" peck.csv || wrong "the woodpecker's branch: $(cat stdout)"

expect 2 "there is no parameter 'B'" "${ball[@]}" --continue B=0.03..0.05
for range in A A=0.03 A=0.03..0.03 A=0.03..x; do
    expect 2 "needs a parameter and its range" "${ball[@]}" --continue "$range"
done
expect 2 "needs a whole number" "${ball[@]}" --continue A=0.03..0.05 --points 1
expect 2 "needs a whole number" "${ball[@]}" --shots 0
finish
