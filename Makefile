# make demo, make test: all set-up, then the work. See README.md.
PY := .venv/bin/python
LLVM := llvm-config-19
CC := gcc
FLAGS := -std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror -O2 -g -fPIC -fvisibility=hidden -Isrc
CORE := $(wildcard src/base/*.c src/ir/*.c src/ana/*.c src/front/*.c src/pass/*.c src/rt/*.c src/drv/*.c src/py/*.c)
CPU := $(wildcard src/target/cpu/*.c src/base/*.c src/ir/*.c)
OPT := $(wildcard src/tool/*.c src/base/*.c src/ir/*.c src/ana/*.c src/pass/*.c)
HEADERS := $(wildcard src/*/*.h src/*/*.def src/*/*/*.h)

.PHONY: all setup demo test check-all test-asan lint clean
all: pyasc/_core.so pyasc/_llvm.so build/pyasc-opt

setup:
	tools/setup.sh
	$(MAKE) all

build/core/%.o: %.c $(HEADERS)
	@mkdir -p $(dir $@)
	$(CC) $(FLAGS) -I$(shell $(PY) -c "import sysconfig; print(sysconfig.get_paths()['include'])") -c $< -o $@
build/cpu/%.o: %.c $(HEADERS)
	@mkdir -p $(dir $@)
	$(CC) $(FLAGS) -I$(shell $(LLVM) --includedir) -c $< -o $@
pyasc/_core.so: $(CORE:%.c=build/core/%.o)
	$(CC) -shared -o $@ $^ -lm -ldl -lpthread
# LLVM is linked in statically with its symbols hidden: other packages bring LLVMs of their own
pyasc/_llvm.so: $(CPU:%.c=build/cpu/%.o)
	g++ -shared -o $@ $^ $(shell $(LLVM) --link-static --ldflags --libs native passes core target) \
	  $(shell $(LLVM) --link-static --system-libs) -Wl,--exclude-libs,ALL -Wl,--gc-sections -Wl,--as-needed

# runs passes on IR text, with neither Python nor LLVM; always under the sanitizers
build/pyasc-opt: $(OPT) $(HEADERS)
	@mkdir -p build
	$(CC) $(FLAGS) -fsanitize=address,undefined -Wno-error -fno-sanitize-recover=undefined -o $@ $(OPT) -lm

# the same suite on a core built with the sanitizers
SANITIZE := -fsanitize=address,undefined -fno-omit-frame-pointer -Wno-error
build/asan/pyasc/_core.so: $(CORE) $(HEADERS) $(wildcard pyasc/*.py)
	@mkdir -p $(dir $@)
	cp pyasc/*.py pyasc/_llvm.so $(dir $@)
	$(CC) $(FLAGS) -O1 $(SANITIZE) -I$(shell $(PY) -c "import sysconfig; print(sysconfig.get_paths()['include'])") -shared -o $@ $(CORE) -lm -ldl -lpthread
test-asan: setup build/asan/pyasc/_core.so
	cd tests && PYTHONPATH=$(CURDIR)/build/asan ASAN_OPTIONS=detect_leaks=0 \
	  LD_PRELOAD="$$($(CC) -print-file-name=libasan.so) $$($(CC) -print-file-name=libubsan.so)" \
	  $(CURDIR)/.venv/bin/pytest -q -p no:cacheprovider .

demo: setup
	$(PY) examples/table.py
test: setup lint
	python3 tools/golden.py
	$(MAKE) test-asan
	.venv/bin/pytest -q tests
FUZZ_SECONDS ?= 600
check-all: test
	python3 tools/fuzz_ir.py $(FUZZ_SECONDS)
lint:
	python3 tools/check_layers.py
	python3 tools/check_size.py
clean:
	rm -rf build pyasc/*.so
