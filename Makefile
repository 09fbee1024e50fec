# Each target is one command or one script of the same name; `make` alone lists them.
.DEFAULT_GOAL := help
.PHONY: help build test demo check bench tidy fmt

help: ## list the targets
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1	\2/p' Makefile

build: ## build the program and the recorder beside it: target/release/marigraph
	cargo build --release --workspace

test: ## everything that must hold before a change goes in; CI runs this
	@scripts/test.sh

demo: build ## record a small program and write its logs and report to demo-out/
	@scripts/demo.sh

check: ## the long checks: byte flips, fuzzing for minutes, speed against peers
	@scripts/check.sh

bench: build ## speed against the programs in DARSHAN_PARSER and DARSHAN_DXT_PARSER
	@scripts/bench.sh

tidy: ## boundaries, purity, file sizes, documents
	cargo xtask tidy

fmt: ## format the code
	cargo fmt --all
