# make demo    the main job on a real example, and where its page is
# make quick   in two minutes: lint, types, and the tests that are not slow and need no other system
# make test    in half an hour: lint, types, every test and documentation example
# make docs    the site, out/site/index.html, with warnings as errors and internal links checked
# make dist    sdist and wheels, checked, and used on every Python here and with the lowest versions
# make release VERSION=1.2.0   version, date and address in every file that repeats them; then tag
# make lint    style and import layers, with a report of the size and structure of the code
# make types   mypy
# make unit    every test and documentation example
# make format  puts the code into its form
# make surface    tests/surface.txt: every public name, argument, command, option and JSON key
# make stubs      the types of metrics and of the drop-in that editors read, from the registry
# make measure WHAT=coverage   a page of docs/ that is measured or made from the registry: see below
# make fuzz       the four fuzzers, for FUZZ_SECONDS each (60), from case FUZZ_FROM on
# make sanitize   the tests of the kernels on a build that stops at wrong steps in memory
# make bench      ratios against peers, measured side by side in one run
.PHONY: demo quick test docs dist release lint types unit format surface stubs measure fuzz sanitize bench clean
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
COMPILED := $(VENV)/.compiled
# Python compiles what it imports; the rest of the packages is a hundred megabytes of compiled files.
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile
# Hundreds of tests start a process: it must find the modules compiled.
unexport PYTHONDONTWRITEBYTECODE
TESTS := $(wildcard tests/*.py tests/*/*.py tests/*/*/*.py)
SOURCES := pyproject.toml CMakeLists.txt $(wildcard src/tallymark/kernels/*)

demo: $(VENV)/.installed
	@$(BIN)/tallymark demo -o out/demo.html

# mypy takes one processor; the other one is for what else must come before the tests. The systems
# that others wrote, beside which tests/peers holds our numbers, take long to load.
quick: $(VENV)/.check
	$(MAKE) -j 2 lint types $(if $(wildcard $(COMPILED)),,$(COMPILED))
	$(BIN)/python -m pytest --quick -n 2 --dist worksteal --ignore=tests/peers tests

test: $(VENV)/.check
	$(MAKE) -j 2 lint types $(COMPILED)
	$(MAKE) unit

# pytest compiles each file of tests with its assertions rewritten: once, not in both processes.
$(COMPILED): $(VENV)/.check $(TESTS)
	@-$(BIN)/python -m pytest -qq --collect-only > /dev/null
	@touch $@

lint: $(VENV)/.check
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	$(BIN)/python tools/code_report.py

types: $(VENV)/.check
	$(BIN)/mypy

unit: $(VENV)/.check
	sh tools/need-browser.sh
	sh tools/need-r.sh
	PYTHON_OF_TESTS=$(BIN)/python sh tools/need-engines.sh
	$(BIN)/python -m pytest -n 2 --dist loadfile

# Case k of a fuzzer is made by the number k alone: a finding names it.
FUZZ_SECONDS ?= 60
FUZZ_FROM ?= 0
fuzz: $(VENV)/.check
	FUZZ_SECONDS=$(FUZZ_SECONDS) FUZZ_FROM=$(FUZZ_FROM) $(BIN)/python -m pytest tests/fuzz

# -B: the compiled files of what Sphinx imports are a tenth of the environment.
docs: $(VENV)/.docs
	$(BIN)/python -B -m sphinx -W --keep-going -q -E -j auto -b html -d out/doctrees docs out/site
	@echo site: out/site/index.html

dist: $(VENV)/.made
	$(PIP) --group dist
	$(BIN)/python tools/dist.py dist

release:
	$(PYTHON) tools/release.py $(VERSION)

bench: $(VENV)/.check
	$(PIP) --group bench
	$(BIN)/python -m benchmarks -o docs/performance.md

surface: $(VENV)/.check
	$(BIN)/python tools/surface.py tests/surface.txt

stubs: $(VENV)/.check
	$(BIN)/python tools/stubs.py src/tallymark

# A program and its options a page; OPTIONS="--runs 60 -o out/coverage.md" replaces the options.
# coverage, levels, liu2014, advice and mutants take up to hours and go on where they were stopped.
options = $(if $(OPTIONS),$(OPTIONS),$(1))
measure.catalogue    = tools/catalogue.py $(call options,docs/metrics.md)
measure.balance      = tools/balance.py $(call options,docs/class-balance.md)
measure.sizes        = tools/sizes.py $(call options,docs/dependencies.md)
measure.iris         = tools/iris.py $(call options,docs/iris.md)
measure.liu2014      = tools/liu2014.py $(call options,../shared/datasets)
measure.liu2014-page = tools/liu2014.py
measure.coverage     = -m benchmarks.coverage $(call options,-o docs/coverage.md)
measure.levels       = -m benchmarks.levels $(call options,-o docs/levels.md)
measure.bands        = -m benchmarks.bands $(call options,-o docs/intervals.md)
measure.optimism     = -m benchmarks.optimism $(call options,-o docs/optimism.md)
measure.risk         = -m benchmarks.risk $(call options,-o docs/refer-measured.md)
measure.watch        = -m benchmarks.watch $(call options,-o docs/false-alarms.md)
measure.advice       = -m benchmarks.illness $(call options,-o docs/advice.md)
measure.evals        = -m benchmarks.evals $(call options,-o docs/evals-coverage.md)
measure.few-labels   = -m benchmarks.few_labels $(call options,--kept out/few-labels.json -o docs/few-labels-coverage.md)
measure.mutants      = tools/mutants.py $(call options,--sample 300 -o docs/mutants.md)
MEASURED := $(patsubst measure.%,%,$(filter measure.%,$(.VARIABLES)))

measure: $(VENV)/.check
	$(if $(filter $(WHAT),$(MEASURED)),,$(error say WHAT= one of $(sort $(MEASURED))))
	$(BIN)/python $(measure.$(WHAT))

# The tests of the kernels, built with ASan and UBSan in a folder of their own.
sanitize: $(VENV)/.check
	$(PIP) nanobind cmake ninja
	sh tools/sanitize.sh $(BIN)/python

format: $(VENV)/.check
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

$(VENV)/.made: tools/need-toolchain.sh
	@PYTHON=$(PYTHON) sh tools/need-toolchain.sh
	$(PYTHON) -m venv $(VENV)
	$(PIP) --upgrade 'pip>=25.1'
	@touch $@

# An editable install: the Python files are used where they stand, the kernels are built once
# and again whenever they change.
$(VENV)/.installed: $(VENV)/.made $(SOURCES)
	$(PIP) --editable .
	@touch $@

# What the site needs, and nothing that only tests need. Its pages are English: Babel's data on
# other languages is a twelfth of what pip installs.
$(VENV)/.docs: $(VENV)/.installed pyproject.toml
	$(PIP) --group docs
	@find $(VENV)/lib -path '*/babel/locale-data/*' ! -name 'en*' ! -name root.dat -delete
	@touch $@

$(VENV)/.check: $(VENV)/.installed pyproject.toml
	$(PIP) --group check
	@-$(BIN)/python -m compileall -qq -j 0 $(VENV)/lib  # at once, in all processors
	@touch $@

clean:
	rm -rf $(VENV) build dist out .mypy_cache .ruff_cache .pytest_cache
