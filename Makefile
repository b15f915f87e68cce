# Two commands: `make demo` shows what the tool does, `make test` checks everything. Both make their own .venv.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready

.PHONY: demo test lint types doctests tests compiled clean

$(READY): pyproject.toml
	@echo "== making .venv and installing stateful with what its tests need"
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $(READY)

compiled: $(READY)  # where Python is told to write no bytecode, every worker would compile every module anew
	@$(BIN)/python -m compileall -q stateful inference

demo: compiled
	@echo "== testing examples/two_way_tree.py for a minute"
	@rm -f .stateful/demo.db
	$(BIN)/stateful test examples/two_way_tree.py:TwoWayTree --time 60s --seed 1 --db .stateful/demo.db || test $$? -eq 1
	@echo "== these are the faults; paste a reproducer into python in the folder examples/"

test: lint types doctests tests

lint: $(READY)
	@echo "== ruff"
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(READY)
	@echo "== mypy --strict"
	$(BIN)/mypy

doctests: compiled
	@echo "== doctests"
	$(BIN)/pytest --doctest-modules stateful

tests: compiled
	@echo "== tests"
	$(BIN)/pytest tests -n 3 --dist loadfile

clean:
	rm -rf .venv .stateful build dist *.egg-info
