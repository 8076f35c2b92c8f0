# A thin front for the CMake presets and the scripts; `make help` lists the targets.
.DEFAULT_GOAL := help
SHELL := /bin/bash

.PHONY: help
help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F':.*## ' '{printf "  %-14s %s\n", $$1, $$2}'

.PHONY: setup
setup: ## install the packages that a build needs
	@scripts/install_packages.sh build

.PHONY: build
build: setup ## build the program at build/quorate
	@scripts/build.sh

.PHONY: test
test: ## install what is needed, build, and pass all tests
	@scripts/test.sh

.PHONY: unit
unit: setup ## build and run the unit tests only
	@scripts/test.sh unit

.PHONY: e2e
e2e: ## build and run the whole-system tests only (TESTS="name ..." selects)
	@scripts/test.sh e2e $(TESTS)

.PHONY: sanitize
sanitize: ## unit tests under address, undefined-behaviour and thread sanitizers; short fuzzing
	@scripts/test.sh sanitize

.PHONY: demo
demo: ## three teams share 64 GPUs on a real control plane (KEEP=1 leaves it running)
	@scripts/demo.sh

.PHONY: bench
bench: ## micro-benchmarks, and the end-to-end figures on a real control plane
	@scripts/bench.sh

.PHONY: compat
compat: build compat-check ## recorded and fresh scenarios: do Kueue and quorate decide alike? (fresh ones need Go; FAMILIES="fair:0-99 ...")
	@e2e/compat/compare.py $(FAMILIES)
	@e2e/compat-cel/record.py && e2e/compat-cel/check.py

.PHONY: compat-check
compat-check: ## quorate against the recorded answers of Kueue and of Kubernetes' CEL
	@e2e/compat/check.py
	@e2e/compat-cel/check.py

.PHONY: controlplane
controlplane: ## build etcd, kube-apiserver, kube-controller-manager, kubectl, kwok and helm
	@scripts/install_packages.sh controlplane
	@e2e/controlplane/build

.PHONY: format
format: ## clang-format every source file in place
	@git ls-files '*.cc' '*.h' | xargs clang-format-14 -i

.PHONY: tidy
tidy: setup ## clang-tidy and clang's thread-safety analysis over everything
	@cmake --preset clang && cmake --build build/clang

.PHONY: clean
clean: ## remove what was built, the control plane's programs excepted
	@find build -mindepth 1 -maxdepth 1 ! -name controlplane -exec rm -rf {} +
