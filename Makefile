# Two commands: `make loop` runs one turn of the closed loop, `make test` all checks. Both make their own environment.

PYTHON ?= python3
CONFIG ?= launch/configs/tiny.py
VENV := .venv
BIN := $(VENV)/bin
# Keyed on the lock file: another lock is another stamp, so the packages are brought up to date before anything runs.
STAMP := $(VENV)/.installed-$(shell cksum requirements.lock | cut -d' ' -f1)
REFERENCE := $(VENV)/.reference-$(shell cat requirements-reference.txt requirements-data.txt requirements-openenv.txt | cksum | cut -d' ' -f1)
OPENENV := $(VENV)/openenv

.PHONY: loop test lint env clean

loop: $(STAMP)
	$(BIN)/python -m launch.loop --config=$(CONFIG) $(ARGS)

test: lint $(REFERENCE)
	$(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

env: $(STAMP)

$(STAMP): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	  echo "error: Python 3.11 or newer is needed, $(PYTHON) is older or missing; try: make PYTHON=/path/to/python3.11" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -e .
	@rm -f $(VENV)/.installed-*
	@touch $(STAMP)

# What the parity tests compare with (torch, transformers, ...); the loop does without.
$(REFERENCE): $(STAMP) requirements-reference.txt requirements-data.txt requirements-openenv.txt
	$(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check -r requirements-reference.txt
	$(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check --no-deps -r requirements-data.txt
	$(PYTHON) -m venv $(OPENENV)
	$(OPENENV)/bin/python -m pip install --quiet --no-compile --disable-pip-version-check --no-deps -r requirements-openenv.txt
	@rm -f $(VENV)/.reference-*
	@touch $(REFERENCE)

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis build dist *.egg-info
	find qpa launch tests -name __pycache__ -type d -prune -exec rm -rf {} +
