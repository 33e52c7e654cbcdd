# Every target sets up what it needs in .venv; nothing has to be installed by hand.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: demo test test-slow test-all test-lowest coverage lint format bench results \
  docs build clean

demo: $(READY)
	$(BIN)/python -m isvmde demo

# TESTS="tests/core" runs a part of them, here and below.
test: $(READY)
	$(BIN)/python -m pytest $(TESTS)

# The wheel in an empty environment, the site, long runs: minutes. The site needs mkdocs.
test-slow: $(VENV)/.docs-ready
	$(BIN)/python -m pytest -m slow $(TESTS)

test-all: $(VENV)/.docs-ready
	$(BIN)/python -m pytest -m "" $(TESTS)

# The oldest versions that pyproject.toml allows, Python's included, on their own.
LOWEST_PYTHON ?= $(shell command -v python3.11 || echo $(PYTHON))

test-lowest: .venv-lowest/.ready
	.venv-lowest/bin/python -m pytest $(TESTS)

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
	$(BIN)/python scripts/build_results.py
	$(BIN)/python scripts/short_results.py
	$(BIN)/python scripts/doc_figures.py
	$(BIN)/python scripts/tour_notebook.py
	$(BIN)/python scripts/page_outputs.py --write

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
