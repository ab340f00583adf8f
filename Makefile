# The commands of a checkout: make run, make test, make fuzz, make corners, make lint, make bench, make docs,
# make package, make runtime.
#
# Each makes what it needs first: a virtual environment in .venv with the package and its tools, remade when
# pyproject.toml changes. PYTHON is the interpreter to make it with, 3.11 or newer. SECONDS is how long make fuzz
# tries each kind of random programs; it also runs the tests that make test does without (tests/sampling.py).

PYTHON ?= python3
SECONDS := 60
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/installed
BENCH_INSTALLED := $(VENV)/installed-bench
DOCS_INSTALLED := $(VENV)/installed-docs
RUNTIME_INSTALLED := $(VENV)/installed-runtime

# Tests start many processes, which would compile mlirad and xdsl from source every time.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: run test suite fuzz corners lint bench docs package runtime clean

run: $(INSTALLED)
	$(BIN)/python examples/gmm.py

# The checker of types works on one core: beside the suite, it takes less time than before it.
test: $(INSTALLED)
	$(MAKE) --jobs=2 lint suite

suite: $(INSTALLED)
	$(BIN)/python -m pytest -n auto --dist worksteal

fuzz: $(INSTALLED)
	$(BIN)/python -m pytest -m fuzz --fuzz-seconds=$(SECONDS) -o faulthandler_timeout=0

# Says at the end which versions ran, and which have no interpreter here. WORDS go to pytest.
corners: $(INSTALLED)
	$(BIN)/python -m tests.corners $(WORDS)

lint: $(INSTALLED)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/vulture
	$(BIN)/basedpyright

bench: $(BENCH_INSTALLED)
	$(BIN)/python -m benchmarks

# The site is in build/site. Its gallery runs all examples, for their figures and what they print.
docs: $(DOCS_INSTALLED)
	$(BIN)/python -m docs.gallery build/gallery
	$(BIN)/python -m docs.site build/pages build/gallery
	$(BIN)/mkdocs build --quiet --strict

# Both archives from empty environments: the wheel runs a gradient, the unpacked sdist its main job and a part of its tests.
package: $(INSTALLED)
	rm -rf dist build/package
	$(BIN)/python -m build --outdir dist
	$(PYTHON) -m venv build/package/wheel
	build/package/wheel/bin/python -m pip install --quiet --disable-pip-version-check dist/*.whl
	cd build/package && wheel/bin/python -c 'import mlirad as ad; print(ad.__file__, ad.grad(lambda x: x * x)(3.0))'
	build/package/wheel/bin/mlirad-opt --list-passes > build/package/passes
	mkdir -p build/package/sdist
	tar -xzf dist/*.tar.gz -C build/package/sdist --strip-components=1
	$(MAKE) -C build/package/sdist run
	cd build/package/sdist && .venv/bin/python -m pytest tests/packaging tests/docs tests/rules

# After a change of the C sources in mlirad/runtime: the LLVM IR texts of them that are part of the repository.
runtime: $(RUNTIME_INSTALLED)
	$(BIN)/python -m tools.build_runtime

clean:
	rm -rf $(VENV) build dist .pytest_cache .ruff_cache .hypothesis lit/Output

$(INSTALLED): pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed" if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	touch $@

$(BENCH_INSTALLED): $(INSTALLED)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[bench]'
	touch $@

$(DOCS_INSTALLED): $(INSTALLED)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[docs]'
	touch $@

$(RUNTIME_INSTALLED): $(INSTALLED)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[runtime]'
	touch $@
