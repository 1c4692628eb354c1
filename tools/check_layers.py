"""A folder of src/ includes only layers to its left; folders of one cell never each other."""
import pathlib
import re
import sys

ROWS = [["base"], ["ir", "rt"], ["ana", "front"], ["pass", "target"], ["drv"], ["py", "tool"]]
LEVEL = {name: i for i, row in enumerate(ROWS) for name in row}
ALLOWED = {("target", "rt/kernel.h"), ("drv", "target/cpu/cpu.h")}
bad = 0
for path in sorted(pathlib.Path("src").rglob("*.[ch]")):
    layer = path.parts[1]
    for include in re.findall(r'#include "([^"]+)"', path.read_text()):
        other = include.split("/")[0]
        if other != layer and LEVEL[other] >= LEVEL[layer] and (layer, include) not in ALLOWED:
            bad += 1
            print(f"{path}: {layer} may not include {include}")
    text = path.read_text()
    if "Python.h" in text and layer != "py" or "llvm-c/" in text and layer != "target":
        bad += 1
        print(f"{path}: Python.h belongs to py, llvm-c to target")
sys.exit(bool(bad))
