#!/usr/bin/env bash
# What we write is read alike by other programs, and the other way round.
source "$(dirname "$0")/common.sh"
shopt -s nullglob

# These measure time or start many ranks, so nothing runs beside them.
ALONE=(categories extrapolate predict record replay)

tests=(tests/interop/test_*.py)
[ ${#tests[@]} -gt 0 ] || skip "there is no tests/interop/test_*.py"
[ -x .venv/bin/python ] || fail "there is no .venv: run scripts/install.sh"
need_program

alone=()
# This one mostly waits for the next report of iostat, so it begins first.
others=(tests/interop/test_server_logs.py)
for test in "${tests[@]}"; do
    name=${test##*/test_}
    if [[ " ${ALONE[*]} " == *" ${name%.py} "* ]]; then
        alone+=("$test")
    elif [ "$test" != "${others[0]}" ]; then
        others+=("$test")
    fi
done
together 2 .venv/bin/python "${others[@]}" || fail "a test failed"
together 1 .venv/bin/python "${alone[@]}" || fail "a test failed"
echo "${#tests[@]} scripts passed"
