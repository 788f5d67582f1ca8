# Run make for the list of targets.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
# Steps print in order; go uses every core within each.
.NOTPARALLEL:

# Upper-case variables can be set on the command line: make fuzz FUZZTIME=5m
SECTION ?=
CORPUS ?= ../shared/corpus
FUZZ ?= ^Fuzz
FUZZTIME ?= 30s
INSTANCES ?= 10000000
SEED ?= 1

BIN := .bin
GOLANGCI_LINT := go run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0

.PHONY: help
help: ## Print this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: all
all: build lint check-generate test ## Everything CI does: build, lint, check-generate, test

.PHONY: build
build: ## Compile every package; the programs go to .bin
	@mkdir -p $(BIN)
	go build -o $(BIN)/ ./...

.PHONY: test
test: ## Run every benchmark once, then every test with the race detector
	go test -run='^$$' -bench=. -benchtime=1x ./...
	cd tools/bench && go vet ./... && go test -run='^$$' -bench=. -benchtime=1x ./...
	cd tools/bench && go test -race ./...
	go test -race ./...

.PHONY: lint
lint: ## Run go vet and the linters of .golangci.yml
	go vet ./...
	$(GOLANGCI_LINT) run

.PHONY: generate
generate: ## Write the generated code anew
	go generate ./...

checksums = find . -name '*_gen.go' -not -path '*/testdata/*' -exec sha256sum {} + | sort -k 2

.PHONY: check-generate
check-generate: ## Fail if make generate changes a file
	@mkdir -p $(BIN)
	@$(checksums) > $(BIN)/generated.before
	go generate ./...
	@$(checksums) > $(BIN)/generated.after
	@diff $(BIN)/generated.before $(BIN)/generated.after || \
		{ echo "generated code was out of date; it is written anew now: commit it" >&2; exit 1; }

.PHONY: fuzz
fuzz: ## Fuzz each target for FUZZTIME (30s); FUZZ is a pattern of target names
	@mkdir -p $(BIN)
	@go test -list '$(FUZZ)' ./... > $(BIN)/fuzz-list || { cat $(BIN)/fuzz-list >&2; exit 1; }
	@awk '/^Fuzz/ { names[n++] = $$1 } \
		$$1 == "ok" { for (i = 0; i < n; i++) print $$2, names[i]; n = 0 }' $(BIN)/fuzz-list > $(BIN)/fuzz-targets
	@[ -s $(BIN)/fuzz-targets ] || { echo "no fuzz target matches $(FUZZ)" >&2; exit 1; }
	@while read -r pkg name; do \
		echo "== $$pkg $$name"; \
		go test "$$pkg" -run='^$$' -fuzz="^$$name\$$" -fuzztime=$(FUZZTIME) < /dev/null; \
	done < $(BIN)/fuzz-targets

.PHONY: fuzz-long
fuzz-long: ## Compare the decoder with the reference validator on INSTANCES (10 million) mutated instances from SEED
	go run ./tools/acpdiff -n $(INSTANCES) -seed $(SEED)

.PHONY: bench
bench: ## Measure against peers side by side and write tools/bench/RESULTS.md; SECTION is codec, instructions, checker, tap or connection
	cd tools/bench && go run ./cmd/bench $(SECTION)

.PHONY: demo
demo: ## Validate a small transcript with faults in it, to see what findings look like
	@mkdir -p $(BIN)
	@go build -o $(BIN)/acpcheck ./tools/acpcheck
	@echo "$(BIN)/acpcheck validate tools/acpcheck/testdata/demo.jsonl"
	@status=0; $(BIN)/acpcheck validate tools/acpcheck/testdata/demo.jsonl || status=$$?; \
	case $$status in \
		1) echo "Exit status 1: acpcheck found errors, as it should in this transcript." ;; \
		*) echo "Exit status $$status, but this transcript has errors to find: status 1 was due." >&2; exit 1 ;; \
	esac

.PHONY: corpus
corpus: ## Check recorded traffic of real agents in CORPUS (../shared/corpus) against its known verdicts
	@[ -d '$(CORPUS)' ] || { echo "no directory $(CORPUS): set CORPUS" >&2; exit 1; }
	CORPUS='$(abspath $(CORPUS))' go test -count=1 -v -run "Corpus|Cases" ./tools/acpcheck/...
