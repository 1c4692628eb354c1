# make test, make demo: everything from an empty machine on. make lint, make check-all: for contributors.
SHELL := /bin/bash
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
FUZZ_SECONDS ?= 600
SAN := build-asan
# SAN_CC: libFuzzer comes with clang.
SAN_CC ?= clang-19
C_FILES = $(shell find src tests -name '*.[ch]')

.PHONY: setup install test demo bench lint unit golden check-all clean

setup: $(VENV)/.ready

# The venv is made once; delete .venv to make it anew.
$(VENV)/.ready: tools/setup.sh
	tools/setup.sh
	test -x $(BIN)/python || python3 -m venv $(VENV)
	$(PIP) numpy pytest hypothesis ml_dtypes meson meson-python ninja
	touch $@

# The wheel's build folder is build/, so the unit tests and pyasc-opt come from the same build.
install: setup
	PATH="$(CURDIR)/$(BIN):$$PATH" $(PIP) --no-build-isolation --no-deps --force-reinstall -Cbuild-dir=build .

unit:
	@for t in build/unit-*; do if [ -x $$t ] && [ -f $$t ]; then echo "$${t##*/}"; $$t || exit 1; fi; done

golden:
	$(BIN)/python tools/golden.py --opt build/pyasc-opt tests/ir tests/pass

test: install
	$(BIN)/python tools/check_layers.py
	$(BIN)/python tools/check_size.py
	$(MAKE) --no-print-directory unit golden
	$(BIN)/pytest -q tests

demo: install
	$(BIN)/python examples/run.py

bench: install
	$(BIN)/python bench/gemm.py
	$(BIN)/python bench/mandelbrot.py

lint: setup
	@if command -v clang-format-19 clang-format | head -1 | grep -q .; then \
	  $$(command -v clang-format-19 clang-format | head -1) --dry-run --Werror $(C_FILES); \
	else $(PIP) 'clang-format==19.*' && $(BIN)/clang-format --dry-run --Werror $(C_FILES); fi
	$(BIN)/python tools/check_layers.py
	$(BIN)/python tools/check_size.py

# Address and undefined-behaviour sanitizers over the C tests, then each fuzzer for FUZZ_SECONDS.
check-all: setup
	command -v $(SAN_CC) >/dev/null || tools/setup.sh clang-19
	rm -rf $(SAN)
	CC=$(SAN_CC) CXX=$(subst clang,clang++,$(SAN_CC)) $(BIN)/meson setup $(SAN) -Dextension=false -Dfuzz=true \
	  -Dbuildtype=debugoptimized -Dwerror=false -Db_sanitize=address,undefined -Db_lundef=false \
	  -Dc_args='-fsanitize=fuzzer-no-link -fno-sanitize-recover=undefined'
	$(BIN)/ninja -C $(SAN)
	@for t in $(SAN)/unit-*; do if [ -x $$t ] && [ -f $$t ]; then echo "$${t##*/}"; $$t || exit 1; fi; done
	$(BIN)/python tools/golden.py --opt $(SAN)/pyasc-opt tests/ir tests/pass
	@for t in $(SAN)/fuzz-*; do if [ -x $$t ] && [ -f $$t ]; then \
	  name=$${t##*/}; mkdir -p $(SAN)/corpus/$$name; echo "$$name"; \
	  $$t -max_total_time=$(FUZZ_SECONDS) -timeout=20 -rss_limit_mb=4096 -print_final_stats=1 \
	    -artifact_prefix=$(SAN)/$$name- $(SAN)/corpus/$$name 2>&1 | tail -8; \
	  test $${PIPESTATUS[0]} -eq 0 || exit 1; fi; done

clean:
	rm -rf build $(SAN) $(VENV)
