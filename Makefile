# make demo    the main job on a real example, and where its page is
# make check   in two minutes: lint, types, laws, golden values, the tests of counts and numbers
# make test    in a quarter of an hour: lint, types, every test and documentation example
# make docs    the site, out/site/index.html, with warnings as errors and internal links checked
# make dist    sdist and wheels, checked, and used on every Python here and with the lowest versions
# make release VERSION=1.2.0   version, date and address in every file that repeats them; then tag
# make lint    style and import layers, with a report of the size and structure of the code
# make catalogue   docs/metrics.md, from the registry
# make balance     docs/class-balance.md, measured from every metric
# make sizes       docs/dependencies.md, what an installation weighs
# make iris        docs/iris.md
# make liu2014     the study of 18 data sets, hours; make liu2014-page its page from the results kept
# make surface     tests/surface.txt: every public name, argument, command, option and JSON key
# make stubs       the types of metrics and of the drop-in that editors read, from the registry
# make mutants     docs/mutants.md: changes of the code that no test notices, hours
# make coverage    docs/coverage.md: how often intervals hold the truth, two hours
# make levels      docs/levels.md: how often tests and verdicts err, half an hour
# make bands       a section of docs/bands.md: how often bands of curves hold the truth, ten minutes
# make optimism    docs/optimism.md: how well the optimism of a chosen threshold is known
# make illness     docs/advice.md: how often advice names a known illness first, half an hour
# make fuzz       the four fuzzers, for FUZZ_SECONDS each (60), from case FUZZ_FROM on
# make sanitize    the tests of the kernels on a build that stops at wrong steps in memory
# make bench   ratios against peers, measured side by side in one run
.PHONY: demo sizes check test docs fuzz dist release bench balance iris liu2014 liu2014-page catalogue surface stubs mutants coverage levels bands optimism illness sanitize lint types laws unit format clean
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SOURCES := pyproject.toml CMakeLists.txt $(wildcard src/tallymark/kernels/*)

demo: $(VENV)/.installed
	$(BIN)/tallymark demo -o out/demo.html

check: lint types laws

test: lint types unit

lint: $(VENV)/.check
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	$(BIN)/python tools/code_report.py

types: $(VENV)/.check
	$(BIN)/mypy

# The tests of make check, with fewer examples of each law; those marked slow wait for make test.
CHECKED := tests/metric tests/tally tests/infer tests/test_golden.py

laws: $(VENV)/.check
	HYPOTHESIS_PROFILE=quick $(BIN)/python -m pytest -n 2 --dist worksteal -m "not slow" $(CHECKED)

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

docs: $(VENV)/.check
	$(BIN)/python -m sphinx -W --keep-going -q -E -b html -d out/doctrees docs out/site
	@echo site: out/site/index.html

dist: $(VENV)/.made
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --group dist
	$(BIN)/python tools/dist.py dist

release:
	$(PYTHON) tools/release.py $(VERSION)

bench: $(VENV)/.check
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --group bench
	$(BIN)/python -m benchmarks -o docs/performance.md

balance: $(VENV)/.check
	$(BIN)/python tools/balance.py docs/class-balance.md

sizes: $(VENV)/.check
	$(BIN)/python tools/sizes.py docs/dependencies.md

iris: $(VENV)/.check
	$(BIN)/python tools/iris.py docs/iris.md

# DATASETS is the folder of the study's 18 data sets with their manifest.json.
DATASETS ?= ../shared/datasets
liu2014: $(VENV)/.check
	$(BIN)/python tools/liu2014.py $(DATASETS)

liu2014-page: $(VENV)/.check
	$(BIN)/python tools/liu2014.py

catalogue: $(VENV)/.check
	$(BIN)/python tools/catalogue.py docs/metrics.md

surface: $(VENV)/.check
	$(BIN)/python tools/surface.py tests/surface.txt

stubs: $(VENV)/.check
	$(BIN)/python tools/stubs.py src/tallymark

# MUTANTS names modules or folders and options, such as "infer --sample 200 -o out/mutants.md".
MUTANTS ?= -o docs/mutants.md
mutants: $(VENV)/.check
	$(BIN)/python tools/mutants.py $(MUTANTS)

# COVERAGE is for fewer samples, such as "--runs 60 --by-methods 10 -o out/coverage.md"; goes on
# where it was stopped (out/coverage).
COVERAGE ?= -o docs/coverage.md
coverage: $(VENV)/.check
	$(BIN)/python -m benchmarks.coverage $(COVERAGE)

# How often tests, verdicts and flags err; goes on where it was stopped (out/levels).
levels: $(VENV)/.check
	$(BIN)/python -m benchmarks.levels -o docs/levels.md

# How often bands of curves hold the truth: prints tables and writes a section of docs/bands.md.
bands: $(VENV)/.check
	$(BIN)/python -m benchmarks.bands -o docs/bands.md

# How well the optimism of a chosen threshold is known.
optimism: $(VENV)/.check
	$(BIN)/python -m benchmarks.optimism -o docs/optimism.md

# How often advice names a known illness first; goes on where it was stopped (out/illness).
illness: $(VENV)/.check
	$(BIN)/python -m benchmarks.illness -o docs/advice.md

# The tests of the kernels, built with ASan and UBSan in a folder of their own.
sanitize: $(VENV)/.check
	$(BIN)/python -m pip install --quiet --disable-pip-version-check nanobind cmake ninja
	sh tools/sanitize.sh $(BIN)/python

format: $(VENV)/.check
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

$(VENV)/.made: tools/need-toolchain.sh
	@PYTHON=$(PYTHON) sh tools/need-toolchain.sh
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1'
	@touch $@

# An editable install: the Python files are used where they stand, the kernels are built once
# and again whenever they change.
$(VENV)/.installed: $(VENV)/.made $(SOURCES)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/.check: $(VENV)/.installed pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --group check
	@touch $@

clean:
	rm -rf $(VENV) build dist out .mypy_cache .ruff_cache .pytest_cache
