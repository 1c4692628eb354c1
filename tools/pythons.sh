#!/bin/bash
# The suite under every other CPython >= 3.9 that is here (on the path, or of pyenv).
set -e
cd "$(dirname "$0")/.."
own=$(.venv/bin/python -c 'import sys; print("%d.%d" % sys.version_info[:2])')
for v in 3.9 3.10 3.11 3.12 3.13 3.14; do
    [ "$v" = "$own" ] && continue
    python=$(ls -d "$HOME"/.pyenv/versions/$v.*/bin/python 2>/dev/null | tail -1)
    [ -n "$python" ] || python=$(command -v "python$v" || true)
    [ -n "$python" ] && "$python" -c 'import venv, ensurepip' 2>/dev/null || continue
    folder=build-python/$v
    echo "CPython $v"
    [ -x "$folder/bin/pytest" ] || { "$python" -m venv "$folder" && "$folder/bin/pip" install -q numpy pytest hypothesis meson meson-python ninja; }
    PATH="$PWD/$folder/bin:$PATH" "$folder/bin/pip" install -q --no-build-isolation --no-deps --force-reinstall --config-settings=build-dir="build-python/build-$v" .
    "$folder/bin/pytest" -q -p no:cacheprovider tests
done
