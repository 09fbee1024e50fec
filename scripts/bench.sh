#!/usr/bin/env bash
# bench.sh [--list | NAME...]: time our program against the tools that users have today, on the same logs; all
# of bench/*.py, or those named. One that misses a bar does not keep the others from running.
source "$(dirname "$0")/common.sh"
shopt -s nullglob

# These fit, draw, or compare two builds: they measure nothing when started without arguments.
WITH_ARGUMENTS=(before_after calibrate reliability signature_confidence)

names=()
for bench in bench/*.py; do
    name=$(basename "$bench" .py)
    [[ " ${WITH_ARGUMENTS[*]} " == *" $name "* ]] || names+=("$name")
done
if [ "${1:-}" = --list ]; then
    printf '%s\n' "${names[@]}"
    exit
fi
[ $# -eq 0 ] || names=("$@")
need_program
python=.venv/bin/python
[ -x "$python" ] || python=python3
missed=()
for name in "${names[@]}"; do
    echo "bench/$name.py"
    status=0
    "$python" "bench/$name.py" || status=$?
    [ $status -eq 0 ] || [ $status -eq $SKIPPED ] || missed+=("$name")
done
[ ${#names[@]} -ne 1 ] || [ $status -ne $SKIPPED ] || exit $SKIPPED
[ ${#missed[@]} -eq 0 ] || fail "failed or missed a bar: ${missed[*]}"
