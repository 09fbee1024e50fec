#!/usr/bin/env bash
# check.sh [PART...]: what takes too long for every change: run it by hand before a release, all or by name.
#
# Each part ends within an hour. What passed is not run again on the same tree, so a run that was interrupted
# continues, and so does the part `mutation`, which takes several turns. All that a part said is in check-out/.
source "$(dirname "$0")/common.sh"

HOUR=3600
# The status of a part that has more to do at the next turn.
UNFINISHED=75
out=check-out
only=("$@")
rows=()
failed=0

# What the tree holds, whether it is committed or not.
tree=$(git rev-parse HEAD)$({ git diff HEAD && git status --porcelain; } | sha1sum)

# part NAME WHAT COMMAND...: run it unless it passed on this tree; the last line that it says is its figure.
part() {
    local name=$1 what=$2 begin=$SECONDS status=0 state log=$out/$1.log kept=$out/$1.passed
    shift 2
    if [ ${#only[@]} -gt 0 ] && [[ " ${only[*]} " != *" $name "* ]]; then return 0; fi
    if [ -f "$kept" ] && [ "$(head -n 1 "$kept")" = "$tree" ]; then
        rows+=("$(tail -n +2 "$kept")")
        return 0
    fi
    printf '\n== %s: %s\n' "$name" "$what"
    timeout --kill-after=60 $HOUR "$@" >"$log" 2>&1 || status=$?
    case $status in
    0) state=passed ;;
    "$SKIPPED") state="not compared" ;;
    "$UNFINISHED") state=unfinished ;;
    124 | 137) state="FAILED: more than an hour" ;;
    *) state=FAILED ;;
    esac
    # The scripts that start several things tell it themselves.
    if [[ $name =~ ^(bench-|real$|signature$) ]]; then sed -n "s|^SKIPPED:|$name:|p" "$log" >>"$NOT_COMPARED"; fi
    rows+=("$(printf '%s\t%s\t%s\t%s\t%s' "$name" "$what" "$(sed '/^[[:space:]]*$/d' "$log" | tail -n 1 | cut -c -90)" $((SECONDS - begin)) "$state")")
    case $state in
    passed) printf '%s\n%s\n' "$tree" "${rows[-1]}" >"$kept" ;;
    FAILED*)
        tail -n 20 "$log"
        failed=$((failed + 1))
        ;;
    esac
    echo "-- $name: $state after $((SECONDS - begin)) s; all it said is in $log"
}

# The table at the end, in columns.
table() {
    printf '\n'
    printf '%s\n' $'part\twhat\tfigure\tseconds\tstate' "${rows[@]}" |
        awk -F '\t' '{ for (at = 1; at <= NF; at++) { cell[NR, at] = $at; if (length($at) > width[at]) width[at] = length($at) } }
            END { for (row = 1; row <= NR; row++) for (at = 1; at <= 5; at++) printf "%-*s%s", width[at], cell[row, at], at < 5 ? "  " : "\n" }'
}

mkdir -p $out
targets=(fuzz/fuzz_targets/*.rs)
part install "what the tests need" scripts/install.sh
part build "the program as it ships" cargo build --release --workspace
part tests "all tests on what ships" scripts/tests.sh --release --workspace
part bytes "every byte of every small log flipped" env MARIGRAPH_STORM=1 \
    scripts/tests.sh --release -p marigraph-formats --test robustness
part kills "a thousand programs that fork, two hundred kills" env MARIGRAPH_LONG=1 \
    scripts/tests.sh --release -p marigraph-recorder
part monitor "a day of the monitor" env MARIGRAPH_LONG=1 scripts/tests.sh --release -p marigraph --test monitor
part scale "6,000 synthetic programs extrapolated" env MARIGRAPH_LONG=1 \
    scripts/tests.sh --release -p marigraph-formats --test scale
# 50 minutes for all targets, from the date as the seed: another day tries other inputs.
part fuzz "every reader and parser of text" scripts/fuzz.sh \
    $((3000 * $(nproc) / ${#targets[@]})) "$(date +%Y%m%d)"
part interop "other programs and real ones" scripts/interop.sh
part real "periods and categories of real programs" python3 tests/real/run.py
part signature "a signature from a real device" python3 tests/real/signature.py
part browser "pages in a browser" scripts/browser.sh
for bench in $(scripts/bench.sh --list); do
    part "bench-$bench" "speed, size and accuracy" scripts/bench.sh "$bench"
done
part mutation "are changes of the program noticed" scripts/mutation.sh 55
table
not_compared
[ $failed -eq 0 ] || fail "$failed parts failed"
