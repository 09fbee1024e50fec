#!/usr/bin/env bash
# Time our program against the tools that users have today, on the same logs.
source "$(dirname "$0")/common.sh"
shopt -s nullglob

benches=(bench/*.py)
[ ${#benches[@]} -gt 0 ] || skip "there is no bench/*.py"
need_program
python=.venv/bin/python
[ -x "$python" ] || python=python3
for bench in "${benches[@]}"; do
    # It fits weights to figures that bench/features.sh makes; it measures nothing.
    [ "$bench" = bench/calibrate.py ] && continue
    echo "$bench"
    if [ "$bench" = bench/darshan.py ] && [ -z "${DARSHAN_PARSER:-}" ]; then
        echo "SKIPPED: set DARSHAN_PARSER to the path of the program to compare with"
        continue
    fi
    "$python" "$bench" || fail "$bench failed"
done
