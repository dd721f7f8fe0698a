# `make` alone lists what there is.

SHELL := /bin/bash
.DEFAULT_GOAL := help
.PHONY: help demo install test check format protobuf bench growth fuzz proof docs clean

PORT ?= 8080
PREFIX ?= /usr/local
CONFIGURATION ?= release
BUILD_OPTIONS ?=
# Not every shell expands the tilde of PREFIX=~/.local.
ROOT = $(DESTDIR)$(patsubst ~/%,$(HOME)/%,$(PREFIX))
SHOWCASE_OPTIONS ?=
CASES ?= 3000000
SEED ?= random
GROWTH_OPTIONS ?=
PART ?=
BENCH_OPTIONS ?=
PROOF_MINUTES ?= 55
PROOF_OPTIONS ?=

help:
	@echo 'make demo     build the showcase and open it in a browser (PORT=8080, SHOWCASE_OPTIONS="--data DIR")'
	@echo 'make install  build the larder command and install it with its manual (PREFIX=/usr/local, DESTDIR=, CONFIGURATION=release)'
	@echo 'make test     run all tests, those in a browser too'
	@echo 'make check    what CI runs: format lint, build with warnings as errors, all tests, an installation, which folder refers to which, the documentation with warnings as errors'
	@echo 'make format   format the Swift code in place'
	@echo 'make protobuf generate the Swift code of sync.proto again, which is committed; needs protoc'
	@echo 'make bench    compare Larder with raw C and GRDB, and archives with Foundation, on the same work (PART="sync queries"; also PART=cores)'
	@echo 'make growth   measure the same work in stores of 10,000 to 10,000,000 rows (GROWTH_OPTIONS="--sizes 10000 100000")'
	@echo 'make fuzz     decode damaged archives (CASES=3000000, SEED=number; a seed that failed: CASES=1 SEED=number)'
	@echo 'make proof    try to break Larder for an hour: kills, cancellations, damage, faults, a model (PROOF_MINUTES=55, PROOF_OPTIONS="--seed N --each N"; one part: PART=sync PROOF_OPTIONS="--seeds 10000 --minutes 600")'
	@echo 'make docs     build the documentation into .build/docs'
	@echo 'make clean    remove everything that was built or installed into .build'

demo:
	@Scripts/bootstrap build
	@PORT=$(PORT) Scripts/demo $(SHOWCASE_OPTIONS)

install:
	@Scripts/bootstrap build
	swift build --configuration $(CONFIGURATION) --product larder $(BUILD_OPTIONS)
	install -d "$(ROOT)/bin"
	install .build/$(CONFIGURATION)/larder "$(ROOT)/bin/larder"
	Scripts/man .build/$(CONFIGURATION)/larder "$(ROOT)"

test:
	@Scripts/bootstrap
	@Scripts/test

check:
	@Scripts/check

format:
	swift format --in-place --recursive --parallel Package.swift Sources Examples Benchmarks Tests

protobuf:
	@Scripts/generate-protobuf

bench:
	@Scripts/bootstrap build
	@BENCH_OPTIONS="$(BENCH_OPTIONS)" Scripts/bench $(PART)

growth:
	@Scripts/bootstrap build
	swift build --configuration release --product LarderBench
	.build/release/LarderBench growth $(GROWTH_OPTIONS)

fuzz:
	@Scripts/bootstrap build
	swift build --configuration release --product LarderArchiveFuzz
	.build/release/LarderArchiveFuzz $(CASES) $(SEED) Tests/LarderArchiveTests/Fixtures/*.keyedarchive

proof:
	@Scripts/bootstrap build
	swift build --configuration release --product LarderProof
ifeq ($(PART),)
	swift build --configuration release --product LarderArchiveFuzz
	swift build --build-tests
	LARDER_SYNC_TRANSPORT=all LARDER_SYNC_RELAYS=all swift test --skip-build --filter LarderSyncTests
	.build/release/LarderProof all --minutes $(PROOF_MINUTES) $(PROOF_OPTIONS)
else
	.build/release/LarderProof $(PART) $(PROOF_OPTIONS)
endif

docs:
	@Scripts/bootstrap build
	@Scripts/docs

clean:
	rm -rf .build
