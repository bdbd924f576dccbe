# The commands of this project: what they do is in src/.

# any Python from 3.11 on: make PYTHON=python3.12 test
PYTHON ?= python3
# which environment is served: sandbox or production
ENVIRONMENT ?= sandbox
# the folder in tests/ whose tests run: make test ROOM=diff
ROOM ?=
# how many random cases the tests try: a quarter of them, or all, with slow tests
SEEDS ?=
export SEEDS
ROOMS := $(sort $(notdir $(patsubst %/,%,$(dir $(wildcard tests/*/test_*.py)))))
BIN := .venv/bin
# dateline, and the reference server as a package of its own
PACKAGES := $(wildcard pyproject.toml src/*/pyproject.toml)

.DEFAULT_GOAL := help
.PHONY: help run serve generate check test website bench clean

help: ## list these words
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "%-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: generate ## set up, check the definitions, generate every output, say where it stands
	$(BIN)/dateline status

serve: generate ## serve the payment API from a database: make serve ENVIRONMENT=production
	$(BIN)/paynet-sandbox --environment $(ENVIRONMENT) serve

generate: .venv/installed ## generate every output from schemas/ and templates/
	$(BIN)/dateline generate

check: .venv/installed ## say which outputs are stale, without writing
	$(BIN)/dateline generate --check

ifeq ($(ROOM),)
# pytest comes last: its summary is the last line
test: .venv/installed ## lint, check types, run the tests; ROOM=diff runs those of one folder, SEEDS=all tries all random cases, and runs slow tests
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/pytest --numprocesses auto --dist worksteal
else ifneq ($(filter-out $(ROOMS),$(ROOM)),)
test:
	@echo 'no folder tests/$(ROOM); ROOM is one of: $(ROOMS)' >&2; exit 2
else
test: .venv/installed
	$(BIN)/pytest $(addprefix tests/,$(ROOM))
endif

website: .venv/installed ## build the website of dateline (guides, rules, commands) in build/website
	$(BIN)/python integrations/website.py

bench: .venv/installed ## measure time and memory, as ratios to a floor
	$(BIN)/python tests/bench.py

clean: ## remove the environment and every cache; generated/ stays
	rm -rf .venv build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis

# The environment is made anew when the lock changes, so that nothing older is left over in it.
.venv/locked: requirements.lock
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("Python 3.11 or newer is needed: make PYTHON=python3.12")'
	$(PYTHON) -m venv --clear .venv
	$(BIN)/pip install --quiet --require-hashes --requirement requirements.lock
	@touch $@

.venv/installed: .venv/locked $(PACKAGES)
	$(BIN)/pip install --quiet --no-deps --no-build-isolation $(addprefix --editable ,$(dir $(PACKAGES)))
	@touch $@
