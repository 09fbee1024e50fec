#!/usr/bin/env bash
# Tests on real logs check nothing without them, and cargo hides their notice: say it here.
source "$(dirname "$0")/common.sh"

data=${MARIGRAPH_DATA:-../shared/data}
[ -d "$data/darshan" ] || skip "no real logs at $data (set MARIGRAPH_DATA): parity and round trips are checked on made-up logs only"
find "$data/darshan" -maxdepth 1 -name '*.darshan' | wc -l | sed 's/$/ real logs/'
