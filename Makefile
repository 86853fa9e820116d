# make train      set everything up and train en-fr on the generated demo corpus
# make test       set everything up and run the tests
# make test-all   the tests, slow ones included
# make lint       ruff and mypy
# PYTHON chooses the interpreter (3.11 or 3.12), VENV the environment, ARGS adds arguments.

VENV ?= .venv
PYTHON ?= $(shell command -v python3.11 || command -v python3.12 || command -v python3)
READY := $(VENV)/.ready
RUN := $(VENV)/bin/python

.PHONY: train test test-all lint clean

train: $(READY)
	$(RUN) train.py task=en-fr $(ARGS)

test: $(READY)
	$(RUN) -m pytest $(ARGS)

test-all: $(READY)
	$(RUN) -m pytest -m "slow or not slow" $(ARGS)

lint: $(READY)
	$(RUN) -m ruff check .
	$(RUN) -m ruff format --check .
	$(RUN) -m mypy

# The environment is made anew only when the project's requirements have changed.
$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else \
		"crosspro needs Python 3.11 or newer, found " + sys.version.split()[0] + "; set PYTHON=…")'
	$(PYTHON) -m venv $(VENV)
	$(RUN) -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $@

clean:
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
