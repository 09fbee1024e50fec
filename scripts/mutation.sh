#!/usr/bin/env bash
# mutation.sh [MINUTES [SEED]]: do the tests notice changes of the program? Ends with 75 if there is more to try.
source "$(dirname "$0")/common.sh"

minutes=${1:-55}
seed=${2:-17}
[ -x .venv/bin/python ] || fail "there is no .venv: run scripts/install.sh"
status=0
last=$(cargo xtask mutate --minutes "$minutes" --seed "$seed" | tee /dev/stderr | tail -n 1) || status=$?
if [[ $last =~ ([0-9]+)\ of\ ([0-9]+)\ tried && ${BASH_REMATCH[1]} -lt ${BASH_REMATCH[2]} ]]; then exit 75; fi
exit $status
