# Shared by the shell tests: a scratch folder, a ball to run, and assertions about exit codes and messages.
set -u
carom=${CAROM_PROGRAM:?the path of the program}
[ -x "$carom" ] || { echo "$carom is no program"; exit 1; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failures=0

wrong() {
    echo "WRONG: $*"
    failures=$((failures + 1))
}

# expect CODE TEXT COMMAND...: the exit code, and exactly one line on standard error that contains TEXT; with an empty
# TEXT nothing on standard error. Standard output goes to $scratch/stdout.
expect() {
    local code=$1 text=$2 got lines
    shift 2
    "$@" >"$scratch/stdout" 2>"$scratch/stderr" </dev/null
    got=$?
    lines=$(wc -l <"$scratch/stderr")
    [ "$got" = "$code" ] || wrong "exit code $got instead of $code: $*: $(head -3 "$scratch/stderr")"
    if [ -z "$text" ]; then
        [ "$lines" = 0 ] || wrong "unexpected message of $*: $(cat "$scratch/stderr")"
    else
        [ "$lines" = 1 ] || wrong "$lines lines instead of one from $*: $(cat "$scratch/stderr")"
        grep -qF -- "$text" "$scratch/stderr" || wrong "'$(cat "$scratch/stderr")' does not say '$text': $*"
    fi
}

# rows FILE COLUMNS...: the rows of a result without their header
rows() {
    local file=$1
    shift
    "$carom" export "$file" --csv - "$@" | tail -n +2
}

# ball NAME [RUN-KEYS]: a bouncing ball in $scratch/NAME.yaml.
ball() {
    cat >"$scratch/$1.yaml" <<SCENE
carom: 1
title: Bouncing ball
parameters: {m: 1, g: 9.81}
model:
  coordinates: {y: {start: 1}}
  kinetic: m/2*y_dot^2
  potential: m*g*y
  contacts:
    floor: {gap: y, restitution: 0.8}
run: {integrator: moreau, dt: 1e-3, ${2:-until: 1}}
SCENE
}

# box NAME RUN-KEYS: an elastic ball between two walls and on a floor, with located events, in $scratch/NAME.yaml.
box() {
    cat >"$scratch/$1.yaml" <<SCENE
carom: 1
title: Elastic ball in a box
model:
  coordinates: {x: {velocity: 1}, y: {start: 0.1}}
  kinetic: (x_dot^2 + y_dot^2)/2
  potential: 9.81*y
  contacts:
    floor: {gap: y, restitution: 1}
    left: {gap: x + 0.05, restitution: 1}
    right: {gap: 0.05 - x, restitution: 1}
run: {integrator: lobatto, events: locate, dt: 0.0371, $2}
SCENE
}

finish() {
    [ "$failures" = 0 ] || { echo "$failures wrong"; exit 1; }
    echo "all right"
}
