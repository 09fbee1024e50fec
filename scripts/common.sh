# Shared by the scripts beside it: sourced, not run.
# shellcheck shell=bash
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

MARIGRAPH=${MARIGRAPH:-${CARGO_TARGET_DIR:-$PWD/target}/release/marigraph}
export MARIGRAPH

# The exit status of a step that had nothing to do.
SKIPPED=77

skip() {
    echo "SKIPPED: $*"
    exit $SKIPPED
}

fail() {
    echo "error: $*" >&2
    exit 1
}

have() { command -v "$1" >/dev/null 2>&1; }

need_program() { [ -x "$MARIGRAPH" ] || fail "$MARIGRAPH is not built: run make build"; }

# What tests skip inside, line by line; steps run in other shells, so they share a file.
if [ -z "${NOT_COMPARED:-}" ]; then
    NOT_COMPARED=$(mktemp)
    export NOT_COMPARED
    trap 'rm -f "$NOT_COMPARED"' EXIT
fi

# reported COMMAND ITEM: run it, then print all it said in one piece, and how long it took.
reported() {
    local begin=$SECONDS said status=0 state=
    said=$("$@" 2>&1) || status=$?
    sed -n "s|^SKIPPED:|${2##*/}:|p" <<<"$said" >>"$NOT_COMPARED"
    if [ $status -eq $SKIPPED ]; then state=", NOTHING COMPARED" status=0; fi
    printf '%s\n%s\n%s\n' "$2" "$said" "-- $2: $((SECONDS - begin)) s$state"
    return $status
}

# together COUNT COMMAND ITEM...: run the command for each item, COUNT at a time; begin no more after a failure.
together() {
    local count=$1 command=$2 running=0 status=0
    shift 2
    for item in "$@"; do
        if [ $running -ge "$count" ]; then
            running=$((running - 1))
            wait -n || status=1
        fi
        [ $status -eq 0 ] || break
        reported "$command" "$item" &
        running=$((running + 1))
    done
    for ((; running > 0; running--)); do
        wait -n || status=1
    done
    return $status
}

passed=0
skipped=()
times=()

# step NAME COMMAND...: run one step; stop the whole run when it fails.
step() {
    local name=$1 begin=$SECONDS status=0
    shift
    printf '\n== %s\n' "$name"
    "$@" || status=$?
    local took=$((SECONDS - begin))
    times+=("$(printf '%5d s  %s' $took "$name")")
    case $status in
    0)
        passed=$((passed + 1))
        echo "-- $name: passed in $took s"
        ;;
    "$SKIPPED")
        skipped+=("$name")
        echo "-- $name: SKIPPED"
        ;;
    *)
        echo "-- $name: FAILED after $took s (exit status $status); to repeat it alone: $*"
        printf '\n%d passed, 1 failed\n' "$passed"
        exit 1
        ;;
    esac
}

# not_compared: what was left out and how many checks that makes; a line that does not say counts as one.
not_compared() {
    [ -s "$NOT_COMPARED" ] || return 0
    printf '\n'
    awk '{ number = match($0, /\([0-9]+ checks\)$/) ? substr($0, RSTART + 1) + 0 : 1; sum += number }
        END { print sum " checks did not run; CONTRIBUTING.md lists what they need. Not compared:" }' "$NOT_COMPARED"
    sort "$NOT_COMPARED" | sed 's/^/  /'
}

summary() {
    printf '\n'
    printf '%s\n' "${times[@]}"
    if [ ${#skipped[@]} -gt 0 ]; then
        printf 'SKIPPED, so not proven here: %s\n' "${skipped[@]}"
    fi
    not_compared
    echo "$passed passed, 0 failed"
}
