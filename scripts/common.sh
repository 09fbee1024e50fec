# Shared by the scripts beside it: sourced, not run.
# shellcheck shell=bash
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

MARIGRAPH=${CARGO_TARGET_DIR:-$PWD/target}/release/marigraph
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

have_nightly() { have rustup && rustup toolchain list | grep '^nightly' >/dev/null; }

need_program() { [ -x "$MARIGRAPH" ] || fail "$MARIGRAPH is not built: run make build"; }

passed=0
skipped=()

# step NAME COMMAND...: run one step; stop the whole run when it fails.
step() {
    local name=$1 begin=$SECONDS status=0
    shift
    printf '\n== %s\n' "$name"
    "$@" || status=$?
    local took=$((SECONDS - begin))
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

summary() {
    echo
    if [ ${#skipped[@]} -gt 0 ]; then
        printf 'SKIPPED, so not proven here: %s\n' "${skipped[@]}"
    fi
    echo "$passed passed, 0 failed"
}
