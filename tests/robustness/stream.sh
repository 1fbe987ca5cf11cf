#!/bin/bash
# --csv gives the rows while the run goes on, with or without a result, and the same text as an export of it.
. tests/robustness/support.bash
cd "$scratch" || exit 1
ball ball

expect 0 "" "$carom" run ball.yaml --csv -
[ -e ball.h5 ] && wrong "--csv - alone leaves a result"
cp stdout piped.csv
expect 0 "" "$carom" run ball.yaml --csv - --out ball.h5
cmp -s stdout piped.csv || wrong "the text depends on --out"
expect 0 "" "$carom" export ball.h5 --csv exported.csv
cmp -s exported.csv piped.csv || wrong "the text is not that of the result"
expect 0 "" "$carom" run ball.yaml --csv file.csv --out none
cmp -s file.csv piped.csv || wrong "the text depends on where it goes"
expect 0 "" "$carom" run ball.yaml --csv again.csv --out ball.h5 --resume
cmp -s again.csv piped.csv || wrong "a finished result gives other rows"

# a run of hours: its first rows are there at once, and an end of the pipe ends it
started=$SECONDS
timeout 60 "$carom" run ball.yaml --set run.until=1e6 --csv - 2>/dev/null | head -n 5 >first.csv
[ $((SECONDS - started)) -lt 30 ] || wrong "the first rows came after $((SECONDS - started)) s"
[ "$(wc -l <first.csv)" = 5 ] || wrong "not five lines: $(cat first.csv)"
head -n 5 piped.csv | cut -c 1-40 | cmp -s - <(cut -c 1-40 first.csv) || wrong "other first rows"

# interrupted, once and not by group as well: the rows so far stay; a full disk is told
timeout --foreground -s INT 1 "$carom" run ball.yaml --set run.until=1e6 --csv part.csv --out none 2>stderr
[ $? = 124 ] || wrong "not interrupted"
[ "$(wc -l <part.csv)" -gt 10 ] || wrong "no rows of the interrupted run"
grep -q "interrupted at t" stderr || wrong "not told: $(cat stderr)"
[ -e /dev/full ] && expect 1 "no space left on device" "$carom" run ball.yaml --csv /dev/full --out none
finish
