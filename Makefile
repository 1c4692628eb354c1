# make test, make demo: everything from an empty machine on. make lint, make check-all: for contributors.
SHELL := /bin/bash
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
FUZZ_SECONDS ?= 600
# Of the tables of values the sanitizers see every so many rows: all of them in check-all.
TEST_EVERY ?= 6
SAN := build-asan
STAGE := $(CURDIR)/$(SAN)/stage
C_FILES = $(shell find src tests -name '*.[ch]')
PRELOAD = $$(gcc -print-file-name=libasan.so) $$(gcc -print-file-name=libubsan.so)
# leaks: CPython keeps what it likes at exit
ASAN_RUN = PYASC_VERIFY=2 PYTHONPATH=$(STAGE) ASAN_OPTIONS=detect_leaks=0 LD_PRELOAD="$(PRELOAD)"

.PHONY: setup install globals asan test test-asan unit tsan golden demo bench lint check check-all pythons clean

setup: $(VENV)/.ready

# The venv is made once; delete .venv to make it anew.
$(VENV)/.ready: tools/setup.sh
	tools/setup.sh
	test -x $(BIN)/python || python3 -m venv $(VENV)
	$(PIP) numpy pytest hypothesis ml_dtypes meson meson-python ninja
	touch $@

# The wheel's build folder is build/, so the unit tests and pyasc-opt come from the same build.
install: setup
	PATH="$(CURDIR)/$(BIN):$$PATH" $(PIP) --no-build-isolation --no-deps --force-reinstall --config-settings=build-dir=build .

# The same under the address and undefined-behaviour sanitizers, in a folder of its own.
asan: setup
	test -f $(SAN)/build.ninja || $(BIN)/meson setup $(SAN) -Dpython.install_env=prefix --prefix=/usr \
	  -Dpython.platlibdir=/pyasc-stage -Dpython.purelibdir=/pyasc-stage -Dwerror=false \
	  -Dbuildtype=debugoptimized -Db_sanitize=address,undefined -Db_lundef=false >/dev/null
	@# a folder that changed has files that the build does not know yet
	[ -z "$$(find src tests python -type d -newer $(SAN)/build.ninja)" ] || $(BIN)/meson setup --reconfigure $(SAN) >/dev/null
	$(BIN)/ninja -C $(SAN) --quiet
	rm -rf $(STAGE) && DESTDIR=$(STAGE).d $(BIN)/meson install -C $(SAN) --quiet && mv $(STAGE).d/pyasc-stage $(STAGE)

check:
	$(BIN)/python tools/check_layers.py
	$(BIN)/python tools/check_size.py
globals: install
	$(BIN)/python tools/check_globals.py build
unit: asan
	@for t in $(SAN)/unit-*; do if [ -x $$t ] && [ -f $$t ]; then echo "$${t##*/}"; $$t || exit 1; fi; done
# The pool and what runs on it under the thread sanitizer.
tsan:
	@mkdir -p build-tsan
	gcc -std=c11 -D_GNU_SOURCE -g -O1 -fsanitize=thread -Isrc -o build-tsan/pool tests/unit/test_pool.c \
	  src/rt/pool.c src/rt/beside.c src/rt/store.c -pthread
	build-tsan/pool
golden: asan
	$(BIN)/python tools/golden.py $(SAN)/pyasc-opt
test-asan: asan
	cd tests && PYASC_TEST_EVERY=$(TEST_EVERY) $(ASAN_RUN) $(CURDIR)/$(BIN)/pytest -q -p no:cacheprovider --deselect test_big.py .

test: install check globals unit tsan golden test-asan
	$(BIN)/pytest -q tests

demo: install
	$(BIN)/python examples/table.py

bench: install
	$(BIN)/python bench/gemm.py
	$(BIN)/python bench/mandelbrot.py
	$(BIN)/python bench/eager.py
	$(BIN)/python bench/parallel.py
	$(BIN)/python bench/npu_model.py
	$(BIN)/python bench/kernels.py

lint: setup check
	test -x $(BIN)/clang-format || $(PIP) 'clang-format==19.*'
	$(BIN)/clang-format --dry-run --Werror $(C_FILES)

# The slow rest: fuzzing for FUZZ_SECONDS each, all inputs of the expanded functions (five minutes), and the suite under
# every other CPython that is here.
check-all: TEST_EVERY := 1
check-all: test lint pythons
	$(BIN)/python tools/fuzz_ir.py $(SAN)/pyasc-opt $(FUZZ_SECONDS)
	$(BIN)/python tools/objects.py $(SAN)/objects
	$(SAN)/fuzz-loader $(SAN)/objects/* $(FUZZ_SECONDS)
	$(ASAN_RUN) $(BIN)/python -W ignore tools/fuzz_front.py $(FUZZ_SECONDS)
	$(BIN)/python tests/random_kernels.py $(FUZZ_SECONDS)
	$(BIN)/python tools/ulp.py
pythons: setup
	tools/pythons.sh

clean:
	rm -rf build build-python build-tsan $(SAN) $(VENV)
