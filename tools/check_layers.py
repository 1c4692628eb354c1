#!/usr/bin/env python3
"""Checks that each folder of src/ includes only the layers below it.

base < npu < ir, rt < ana, front < pass, target < drv < py, tool. Folders of one row never include each other; the one
exception is rt/kernel.h, the machine code's interface, which is plain data and below rt and ir alike.
"""
import pathlib
import re
import sys

ROWS = [["base"], ["npu"], ["ir", "rt"], ["ana", "front"], ["pass", "target"], ["drv"], ["py", "tool"]]
ROW = {name: i for i, row in enumerate(ROWS) for name in row}
# Foreign headers and the only folder that may use them.
FOREIGN = {"Python.h": "py", "llvm-c/": "target", "numpy/": "py"}


def fault(layer, header):
    """Why this include is wrong, or None."""
    for prefix, home in FOREIGN.items():
        if header.startswith(prefix):
            return None if layer == home else f"{prefix} belongs in src/{home} only"
    other = header.split("/")[0]
    if "/" not in header or other not in ROW or other == layer or header == "rt/kernel.h":
        return None
    if ROW[other] < ROW[layer]:
        return None
    return f"{layer} must not include {other}"


def main():
    src = pathlib.Path(__file__).resolve().parent.parent / "src"
    faults = files = 0
    for path in sorted(p for p in src.rglob("*") if p.suffix in (".c", ".h", ".def")):
        layer, files = path.relative_to(src).parts[0], files + 1
        if layer not in ROW:
            print(f"{path.relative_to(src.parent)}: folder {layer} is in no layer")
            faults += 1
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            m = re.match(r'\s*#\s*include\s*[<"]([^>"]+)[>"]', line)
            why = m and fault(layer, m[1])
            if why:
                print(f"{path.relative_to(src.parent)}:{number}: {why}")
                faults += 1
    print(f"layers: {files} files, {faults} faults")
    return faults > 0


if __name__ == "__main__":
    sys.exit(main())
