# Every target sets up what it needs in .venv; nothing has to be installed by hand.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: demo test test-slow test-all test-lowest coverage lint format bench results \
  paper docs build clean

demo: $(READY)
	$(BIN)/python -m isvmde demo

# TESTS="tests/core" runs a part of them, here and below; PROCESSES=8 uses more cores,
# PROCESSES=0 none but its own, as a debugger needs it.
PROCESSES ?= 2
PYTEST := -m pytest --numprocesses $(PROCESSES) --dist worksteal

test: $(READY)
	$(BIN)/python $(PYTEST) $(TESTS)

# The wheel in an empty environment, the site, long runs: minutes. The site needs mkdocs.
test-slow: $(VENV)/.docs-ready
	$(BIN)/python $(PYTEST) -m slow $(TESTS)

test-all: $(VENV)/.docs-ready
	$(BIN)/python $(PYTEST) -m "" $(TESTS)

# The oldest versions that pyproject.toml allows, Python's included, on their own.
LOWEST_PYTHON ?= $(shell command -v python3.11 || echo $(PYTHON))

test-lowest: .venv-lowest/.ready
	.venv-lowest/bin/python $(PYTEST) $(TESTS)

# Compiled code counts through its Python form, which the solver's tests run as well.
coverage: $(READY)
	$(BIN)/python -m pytest --cov --cov-report=term-missing:skip-covered

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(READY)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(READY)
	$(BIN)/python -m benchmarks

# Into site/; fonts and scripts come from the packages, nothing from the network.
docs: $(VENV)/.docs-ready
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict

# Wheel and source archive, into dist/.
build: $(READY)
	$(BIN)/python -m build

results: $(READY)
	$(BIN)/python research/build_results.py
	$(BIN)/python research/short_results.py
	$(BIN)/python scripts/doc_figures.py
	$(BIN)/python scripts/tour_notebook.py
	$(BIN)/python scripts/page_outputs.py --write

# Everything that the pages on the paper rest on, measured and written: about six hours
# on one core. Every finished fold is kept, so that the same command goes on where it was
# stopped. JOBS=8 sets the processes, REPEATS=1 fewer repeats.
JOBS ?= -1
REPEATS ?= 3

paper: $(READY)
	$(BIN)/python research/run_all.py --jobs $(JOBS) --repeats $(REPEATS)
	$(MAKE) results

$(READY): pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --editable ".[all]" --group dev
	touch $(READY)

$(VENV)/.docs-ready: $(READY)
	$(BIN)/python -m pip install --quiet --group docs
	touch $@

.venv-lowest/.ready: pyproject.toml requirements-lowest.txt
	test -x .venv-lowest/bin/python || $(LOWEST_PYTHON) -m venv .venv-lowest
	.venv-lowest/bin/python -m pip install --quiet --upgrade "pip>=25.1"
	.venv-lowest/bin/python -m pip install --quiet --editable ".[all]" \
	  --group test --constraint requirements-lowest.txt
	touch $@

clean:
	rm -rf $(VENV) .venv-lowest dist site .pytest_cache .mypy_cache .ruff_cache
