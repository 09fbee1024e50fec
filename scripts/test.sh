#!/usr/bin/env bash
# Everything that must hold before a change goes in; the same here and in CI.
source "$(dirname "$0")/common.sh"

# One build for all: optimised, and with checks for overflow. `make check` runs these tests on what ships.
MARIGRAPH=${CARGO_TARGET_DIR:-$PWD/target}/debug/marigraph

step "install what the tests need" scripts/install.sh
step "format" cargo fmt --all --check
step "lints" cargo clippy --workspace --all-targets -- -D warnings
step "tidy: boundaries, purity, sizes, documents" cargo xtask tidy
step "real logs are there for the tests" scripts/data.sh
step "build" cargo build --workspace
step "unit, integration and documentation tests" scripts/tests.sh
step "interoperability with other readers" scripts/interop.sh
step "report pages in a browser" scripts/browser.sh
# One seed, so that a change is judged by what it changes; `make check` looks for what is new.
step "fuzzing, 5 s per target" scripts/fuzz.sh 5 1
summary
