#!/usr/bin/env bash
# Time our program against the tools that users have today, on the same logs.
source "$(dirname "$0")/common.sh"
shopt -s nullglob

benches=(bench/*.py)
[ ${#benches[@]} -gt 0 ] || skip "there is no bench/*.py"
for peer in DARSHAN_PARSER DARSHAN_DXT_PARSER; do
    [ -n "${!peer:-}" ] || skip "set $peer to the path of the program to compare with"
    [ -x "${!peer}" ] || fail "$peer=${!peer} is not a program"
done
need_program
python=.venv/bin/python
[ -x "$python" ] || python=python3
for bench in "${benches[@]}"; do
    echo "$bench"
    "$python" "$bench" || fail "$bench failed"
done
