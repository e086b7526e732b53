# make help lists what can be done here.
.DEFAULT_GOAL := help
PG := scripts/with-postgres
TAG ?= dev
# Of the tests of one package: what hangs says where.
TIMEOUT ?= 60m
# What the race detector need not watch: one computes alone, the other in memory that is not
# Go's. Watched, they take most of the time.
UNWATCHED := -gcflags=golang.org/x/crypto/blowfish=-race=false -gcflags=modernc.org/sqlite/lib=-race=false

# All is compiled as what is shipped is, once: tests, what they build, what is checked.
export CGO_ENABLED ?= 0
export GOFLAGS += -trimpath

.PHONY: help build dev fmt lint golangci tables tidy-check vulnerabilities check check-race check-slow check-all tools screenshots pictures fuzz bench
help: ## List the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 14

build: ## Build bin/belay
	go build -ldflags "-s -w -X github.com/belayhq/belay/internal/cli.Version=$(TAG)" -o bin/belay ./cmd/belay

dev: build ## Start a server in ./belay-data with debug logs
	bin/belay serve --log-level debug

fmt: ## Format every Go file
	gofmt -w .

lint: ## Formatting and go vet
	@test -z "$$(gofmt -l .)" || { gofmt -l .; echo "run make fmt"; exit 1; }
	go vet ./...

golangci: ## What golangci-lint finds; it is built where it is not there
	@scripts/golangci

tidy-check: ## Is go.mod what the code needs
	go mod tidy -e -diff

vulnerabilities: ## Known vulnerabilities in what is called, where their database can be reached
	@scripts/vulnerabilities

tables: ## What a forgotten row breaks, in seconds: columns, rules, attributes and openapi.json
	@for room in . ./internal/store ./internal/web ./internal/api; do go test $$room -skip /postgres \
	  -run '^TestEvery(FieldHas|FieldOfAPatch|Table|Attribute|Kind|Route)' || exit 1; done

check: tables lint ## All fast tests, on SQLite and on PostgreSQL where one is installed
	$(PG) go test -timeout $(TIMEOUT) ./...

check-race: export CGO_ENABLED = 1
check-race: ## The race detector in tests and program
	$(PG) go test -race -vet=off $(UNWATCHED) -short -timeout $(TIMEOUT) ./...

check-slow: ## What make check does, with the slow tests, the real command line and real servers
	@all=$$(e2e/tools/all.sh) && eval "$$all" && $(MAKE) check

check-all: check-race check-slow ## What CI runs

tools: ## Build the real programs that the slow tests drive
	@e2e/tools/all.sh

screenshots: ## Pictures of every page, light, dark and on a telephone, in bin/screenshots
	rm -rf bin/screenshots
	BELAY_SLOW=1 BELAY_SCREENSHOTS=$(CURDIR)/bin/screenshots go test -count=1 -timeout 120m ./e2e -run '^TestPagesInARealBrowser$$'

pictures: ## Take the pictures of docs/pages.md and the README anew
	BELAY_SLOW=1 BELAY_PICTURES=$(CURDIR)/docs/pictures go test -count=1 -timeout 30m ./e2e -run '^TestPicturesOfThePages$$'

fuzz: ## Fuzz every fuzz target for a short while
	@for target in $$(grep -rlE '^func Fuzz' --include=*_test.go . | xargs -n1 dirname | sort -u); do \
	  for name in $$(grep -hoE '^func Fuzz[A-Za-z0-9_]+' $$target/*_test.go | sed 's/func //'); do \
	    go test -run '^$$' -fuzz "^$$name$$" -fuzztime 20s -fuzzminimizetime 1x $$target || exit 1; done; done

bench: ## Load and growth benchmarks; see docs/performance.md
	BELAY_POSTGRES_FSYNC=on $(PG) go run ./bench
