#!/usr/bin/env bash
# fuzz.sh [SECONDS [SEED]]: run every fuzz target for so long (default 20), from a seed (default: any).
source "$(dirname "$0")/common.sh"
shopt -s nullglob

seconds=${1:-20}
seed=${2:-0} # 0 is any
targets=(fuzz/fuzz_targets/*.rs)
[ ${#targets[@]} -gt 0 ] || skip "there are no fuzz targets"
have_nightly || skip "fuzzing needs a nightly toolchain: rustup toolchain install nightly"
cargo fuzz --version >/dev/null 2>&1 || fail "cargo-fuzz is missing: cargo install cargo-fuzz --locked"

for target in "${targets[@]}"; do
    name=$(basename "$target" .rs)
    corpus=("fuzz/corpus/$name") # what was found; libFuzzer writes to the first folder only
    if [ -d testdata ]; then corpus+=(testdata); fi
    mkdir -p "fuzz/corpus/$name"
    echo "$name, $seconds s"
    # What is looked for are panics, overflows and hangs of safe code: no sanitizer, twice as many inputs.
    cargo +nightly fuzz run --sanitizer none "$name" "${corpus[@]}" -- \
        -max_total_time="$seconds" -seed="$seed" -verbosity=0 -print_final_stats=1 ||
        fail "$name failed; the input is in fuzz/artifacts/$name"
done
