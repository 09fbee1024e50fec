#!/usr/bin/env bash
# tests.sh [ARGUMENTS OF CARGO TEST]: the tests (default: of the workspace), and what they left out: cargo itself
# hides what a test says that passes.
source "$(dirname "$0")/common.sh"

[ $# -gt 0 ] || set -- --workspace
log=${CARGO_TARGET_DIR:-$PWD/target}/tests.log
mkdir -p "${log%/*}"
if ! cargo test "$@" -- --show-output >"$log" 2>&1; then
    sed -n '/^failures:$/,/^test result/p; /^error/,/^$/p' "$log"
    fail "a test failed; all that was said is in $log"
fi
# One line for each reason, with the tests that gave it.
awk '/^---- .* stdout ----$/ { test = $2 }
    /^SKIPPED: / && !seen[test, $0]++ { tests[substr($0, 10)]++ }
    END { for (reason in tests) printf "cargo test: %s (%d checks)\n", reason, tests[reason] }' "$log" | sort >"$log.skipped"
cat "$log.skipped" >>"$NOT_COMPARED"
sed 's/^/SKIPPED: /' "$log.skipped"
awk '/^test result: ok/ { passed += $4 } END { printf "%d tests passed\n", passed }' "$log"
