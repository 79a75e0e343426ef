# Every target sets up what it needs; a fresh machine has to have Python 3.11 or newer and make.
# The parts print how long they took. `make -k test` goes on after a part that failed.

PYTHON ?= python3
JOBS   ?= 2
BUDGET ?= 3600

BIN   := .venv/bin
READY := .venv/.installed
PEERS := bench/peers/.venv/.installed
TIMED := scripts/timed
PIP   := -m pip --disable-pip-version-check install --quiet --quiet

# Versions are pinned in constraints.txt, so a newer type checker is no news worth a warning.
export PYRIGHT_PYTHON_IGNORE_WARNINGS := 1

.PHONY: help demo model setup test lint format-check lint-check types imports dependencies tests test-long bench format clean
.NOTPARALLEL:
.DELETE_ON_ERROR:

help:
	@echo "make demo       a workflow of four agents, live, on a model that it installs"
	@echo "make model      the offline model, for the demo and for the tests that ask it: 93 MB once"
	@echo "make setup      create .venv with everything needed here"
	@echo "make test       formatting, lint, types, import rules, dependencies, all tests"
	@echo "make lint       all of that but the tests"
	@echo "make tests      the tests alone"
	@echo "make test-long  the slow campaigns, for about BUDGET=$(BUDGET) seconds"
	@echo "make bench      the benchmarks, the engine beside its peers"
	@echo "make format     format the code and mend what lint can mend"
	@echo "make clean      remove the environments and all caches"

# The run stays in memory: a demo leaves nothing behind but the offline model, which answers where there is no
# key in the environment and no server of models on this machine.
DEMO := examples/openfang/brainstorm.json
demo: model
	@$(BIN)/quintet run $(DEMO) "less waste in hotel kitchens" --store :memory:

# It stays in the user's data folder, so that it is fetched once for all checkouts.
model: $(READY)
	@$(TIMED) "offline model" $(BIN)/quintet model install

setup: $(READY)

$(READY): pyproject.toml constraints.txt Makefile
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "Quintet needs Python 3.11 or newer; '$(PYTHON)' is not. Name another: make PYTHON=/path/to/python3" >&2; \
	  exit 1; }
	@$(TIMED) "create .venv" $(PYTHON) -m venv .venv
	@$(TIMED) "build tools" $(BIN)/python $(PIP) --constraint constraints.txt hatchling editables
	@$(TIMED) "install" $(BIN)/python $(PIP) --constraint constraints.txt --no-build-isolation --editable '.[dev]'
	@touch $@

test: lint tests

lint: format-check lint-check types imports dependencies

format-check: $(READY)
	@$(TIMED) "formatting" $(BIN)/ruff format --check --quiet .

lint-check: $(READY)
	@$(TIMED) "lint" $(BIN)/ruff check --quiet .

types: $(READY)
	@$(TIMED) "types" $(BIN)/pyright

imports: $(READY)
	@$(TIMED) "import rules" $(BIN)/lint-imports --no-logo

dependencies: $(READY)
	@$(TIMED) "dependencies" $(BIN)/deptry src

tests: $(READY)
	@$(TIMED) "tests" $(BIN)/pytest --quiet --numprocesses $(JOBS)

test-long: $(READY)
	@QUINTET_LONG=1 QUINTET_BUDGET=$(BUDGET) $(TIMED) "long campaigns" $(BIN)/pytest -m long --numprocesses $(JOBS)

# The peers' packages live apart, so that nothing of theirs is ever on our path.
$(PEERS): bench/peers/requirements.txt
	@$(TIMED) "create bench/peers/.venv" $(PYTHON) -m venv bench/peers/.venv
	@$(TIMED) "install peers" bench/peers/.venv/bin/python $(PIP) --requirement bench/peers/requirements.txt
	@touch $@

bench: $(READY) $(PEERS)
	@$(BIN)/python -m bench.run

format: $(READY)
	@$(BIN)/ruff check --fix --quiet . || true
	@$(BIN)/ruff format .

clean:
	rm -rf .venv bench/peers/.venv .pytest_cache .ruff_cache .hypothesis .import_linter_cache dist
	find src tests bench -name __pycache__ -type d -prune -exec rm -rf {} +
