#!/bin/bash
# Results of format 1, which had a dataset for each column, can be read. old/ball.h5 is one: a ball falls from 1 m and loses
# half of its speed whenever it strikes; its run was interrupted.
. tests/robustness/support.bash
here=$PWD
cd "$scratch" || exit 1
cp "$here"/tests/robustness/old/ball.{h5,yaml} .

# it strikes first after sqrt(2/10) s, and then after sqrt(2/10)/2^k each time; locating keeps 1e-9 of that
expect 0 "" "$carom" events ball.h5
awk '/strikes/ && n < 8 {t = n ? t + 2*sqrt(0.2)/2^n : sqrt(0.2); if ($1 < t - 1e-9 || $1 > t + 1e-9) print "WRONG:", $1, t; n++}
    END {if (n < 8) print "WRONG: strikes", n}' stdout >found
[ -s found ] && { cat found; wrong "events"; }
expect 0 "" "$carom" export ball.h5 --csv rows.csv
awk -F, 'NR == 1 {for (i = 1; i <= NF; i++) if ($i == "ball.z") c = i}
    NR == 3 {t = $1 - sqrt(0.2); z = 0.1 + sqrt(5)*t - 5*t*t; if ($c < z - 1e-9 || $c > z + 1e-9) print "WRONG:", $c, z}
    END {if (NR != 18) print "WRONG: lines", NR}' rows.csv >found
[ -s found ] && { cat found; wrong "rows"; }
expect 0 "" "$carom" plot ball.h5 ball.z --out ball.svg
[ -s ball.svg ] || wrong "no picture"
expect 0 "" "$carom" export ball.h5 --vtk vtk
grep -q 'Name="PN"' vtk/ball_contacts_*.vtp || wrong "no contacts that were found"
expect 2 "was begun by an older carom, which kept columns in another way: only that version can resume it" \
    "$carom" run ball.yaml --resume --any-version --out ball.h5
expect 0 "" "$carom" run ball.yaml --set run.until=1 --out ball.h5 # it may be replaced
finish
