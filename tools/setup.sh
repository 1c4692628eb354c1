#!/bin/bash
# Installs the system packages that are missing, through apt. Further package names may be given.
set -e

want=()
need() { want+=("$@"); }
command -v gcc >/dev/null || need gcc
command -v g++ >/dev/null || need g++
command -v python3 >/dev/null || need python3
{ command -v llvm-config-19 >/dev/null && [ -e "$(llvm-config-19 --includedir)/llvm-c/Core.h" ]; } || need llvm-19-dev
# what a static link of LLVM asks for
[ -e /usr/include/zlib.h ] || need zlib1g-dev
[ -e /usr/include/zstd.h ] || need libzstd-dev
[ -e /usr/include/libxml2/libxml/tree.h ] || need libxml2-dev
[ -e /usr/include/z3.h ] || need libz3-dev
# meson and ninja also come with pip; the system's are for a build without the venv
command -v ninja >/dev/null || need ninja-build
command -v meson >/dev/null || need meson
if command -v python3 >/dev/null; then
    header='import os, sysconfig; print(os.path.join(sysconfig.get_path("include"), "Python.h"))'
    [ -e "$(python3 -c "$header")" ] || need python3-dev
    python3 -c 'import ensurepip, venv' 2>/dev/null || need python3-venv
else
    need python3-dev python3-venv
fi
need "$@"

[ ${#want[@]} -eq 0 ] && exit 0
sudo=
if [ "$(id -u)" -ne 0 ]; then
    sudo=sudo
    command -v sudo >/dev/null || { echo "please install: ${want[*]}" >&2; exit 1; }
fi
command -v apt-get >/dev/null || { echo "no apt here; please install: ${want[*]}" >&2; exit 1; }
echo "installing ${want[*]}"
export DEBIAN_FRONTEND=noninteractive
$sudo apt-get update -qq
$sudo apt-get install -y -qq --no-install-recommends "${want[@]}"
