#!/usr/bin/env bash
# From nothing to a report: make up a job's log, show it, write its page.
source "$(dirname "$0")/common.sh"

need_program
mkdir -p demo-out
run() {
    echo "\$ marigraph $*"
    "$MARIGRAPH" "$@"
}
run synth job --seed 7 -o demo-out/demo.darshan
run show demo-out/demo.darshan
run report demo-out/demo.darshan -o demo-out/demo.html
echo
echo "The page: $PWD/demo-out/demo.html (open it in a browser; it needs no network)"
