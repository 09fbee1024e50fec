#!/usr/bin/env bash
# What takes too long for every change: run it by hand before a release.
source "$(dirname "$0")/common.sh"

step "install what the tests need" scripts/install.sh
step "every byte of every small log flipped" env MARIGRAPH_STORM=1 \
    cargo test --release -p marigraph-formats --test robustness -- --nocapture
step "a thousand programs that fork, two hundred kills" env MARIGRAPH_LONG=1 \
    cargo test --release -p marigraph-recorder -- --nocapture
step "fuzzing, 10 minutes per target" scripts/fuzz.sh 600
step "release build" cargo build --release --workspace
step "interoperability with other readers" scripts/interop.sh
step "report pages in a browser" scripts/browser.sh
step "speed against other readers" scripts/bench.sh
step "periods and categories of real programs" python3 tests/real/run.py
summary
