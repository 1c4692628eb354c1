#!/usr/bin/env bash
# System packages by apt where they are missing, then .venv. Safe to run again.
set -euo pipefail
cd "$(dirname "$0")/.."
packages=(gcc g++ make llvm-19-dev python3-dev python3-venv zlib1g-dev libzstd-dev libxml2-dev)
missing=()
for p in "${packages[@]}"; do
    dpkg-query -W -f='${Status}' "$p" 2>/dev/null | grep -q 'install ok installed' || missing+=("$p")
done
if [ ${#missing[@]} -gt 0 ]; then
    sudo=$([ "$(id -u)" = 0 ] || echo sudo)
    $sudo apt-get update
    $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y "${missing[@]}"
fi
if [ ! -x .venv/bin/pytest ]; then
    python3 -m venv .venv
    .venv/bin/pip install -q numpy pytest hypothesis ml_dtypes
fi
site=$(.venv/bin/python -c "import sysconfig; print(sysconfig.get_paths()['purelib'])")
pwd >"$site/pyasc.pth"
