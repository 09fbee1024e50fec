#!/usr/bin/env bash
# What we write is read alike by other programs, and the other way round.
source "$(dirname "$0")/common.sh"
shopt -s nullglob

tests=(tests/interop/test_*.py)
[ ${#tests[@]} -gt 0 ] || skip "there is no tests/interop/test_*.py"
[ -x .venv/bin/python ] || fail "there is no .venv: run scripts/install.sh"
need_program

# This one mostly waits for the next report of iostat, so it does that beside the others.
patient=tests/interop/test_server_logs.py
said=$(mktemp)
.venv/bin/python $patient >"$said" 2>&1 &
waiting=$!
trap 'kill $waiting 2>/dev/null || true; rm -f "$said"' EXIT

for test in "${tests[@]}"; do
    echo "$test"
    if [ "$test" = $patient ]; then
        status=0
        wait $waiting || status=$?
        cat "$said"
        [ $status -eq 0 ] || fail "$test failed"
    else
        .venv/bin/python "$test" || fail "$test failed"
    fi
done
