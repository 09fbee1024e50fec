#!/usr/bin/env bash
# What we write is read alike by other programs, and the other way round.
source "$(dirname "$0")/common.sh"
shopt -s nullglob

tests=(tests/interop/test_*.py)
[ ${#tests[@]} -gt 0 ] || skip "there is no tests/interop/test_*.py"
[ -x .venv/bin/python ] || fail "there is no .venv: run scripts/install.sh"
need_program
for test in "${tests[@]}"; do
    echo "$test"
    .venv/bin/python "$test" || fail "$test failed"
done
