#!/bin/sh
# What confidence is calibrated from: figures of hypotheses about traces whose truth is known, most of the
# kinds that are hard to tell from one another.
#
#     sh bench/features.sh target/release/marigraph-bench features.tsv
set -eu
program=$1
table=$2
first=20000
$program periods features --seeds 0 > "$table"
add() { # NAME COUNT
    $program periods features --first-seed $first --seeds "$2" --only "$1" | tail -n +2 >> "$table"
}
# The first seeds of the study's cases make the most requests: they cost time and tell nothing new.
first=20013
add "a: " 10
add "b: phi 2.6" 40
add "b: phi 10" 40
add "b: phi 41.6" 200
add "c: sigma 0.5" 80
add "c: sigma 1" 80
add "c: sigma 2" 500
first=20000
add wide 100
for kind in hacc subbursts stragglers drift regimes missing two first jitter reads single constant startend ramp; do
    add "$kind" 120
done
add bursts 200
add foreign 200
add unequal 400
add few 200
add walk 400
add poisson 900
