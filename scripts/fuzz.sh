#!/usr/bin/env bash
# fuzz.sh [SECONDS [SEED]]: run each fuzz target for this long (default 20), from a seed (default: any).
source "$(dirname "$0")/common.sh"
shopt -s nullglob

seconds=${1:-20}
seed=${2:-0} # 0 is any
targets=(fuzz/fuzz_targets/*.rs)
[ ${#targets[@]} -gt 0 ] || skip "there are no fuzz targets"

# Flags of cargo-fuzz. We look for panics, overflows and hangs of safe code: without a sanitizer, stable
# compilers do, and try twice as many inputs.
coverage=(
    level=4 inline-8bit-counters pc-table trace-compares stack-depth
)
flags="--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-simplifycfg-branch-fold-threshold=0"
for flag in "${coverage[@]}"; do flags+=" -Cllvm-args=-sanitizer-coverage-$flag"; done
host=$(rustc -vV | sed -n 's/^host: //p')
RUSTFLAGS=$flags cargo build --release --manifest-path fuzz/Cargo.toml --target "$host" --target-dir fuzz/target

fuzz() { # fuzz TARGET
    local name
    name=$(basename "$1" .rs)
    local corpus=("fuzz/corpus/$name") # what was found; libFuzzer writes to the first folder only
    if [ -d testdata ]; then corpus+=(testdata); fi
    mkdir -p "fuzz/corpus/$name" "fuzz/artifacts/$name"
    "fuzz/target/$host/release/$name" "${corpus[@]}" -artifact_prefix="fuzz/artifacts/$name/" \
        -max_total_time="$seconds" -seed="$seed" -verbosity=0 -print_final_stats=1 ||
        fail "$name failed; the input is in fuzz/artifacts/$name"
}
together "$(nproc)" fuzz "${targets[@]}"
