#!/usr/bin/env python3
"""Prints the Python face of package asc from the table in src/base/asc/*.def: signatures, docstrings, no logic.

asc_face.py           rewrites python/asc/language/{core,basic,fwk,adv}/_*.py
asc_face.py --check   says which of them are not current, and exits with 1
"""
import pathlib
import re
import sys

from pyasc._core import asc_table

ROOT = pathlib.Path(__file__).resolve().parent.parent
NOTES = {"L": "LocalTensor", "G": "GlobalTensor", "T": "BaseTensor", "A": "GlobalAddress", "i": "int", "b": "bool", "f": "float",
         "m": "Mask", "D": "DataType", "l": "list", "*": "Any"}
# file of the table: where its functions go
HOMES = {"core": "core", "vec": "basic", "move": "basic", "sync": "basic", "fwk": "fwk", "list": "basic", "cube": "basic", "adv": "adv",
         "adv_sort": "adv", "matmul": "adv"}
BASES = {"LocalTensor": "BaseTensor", "GlobalTensor": "BaseTensor", "LocalTensorAuto": "LocalTensor", "TQue": "TQueBind",
         "TBuf": "TQueBind"}
CLASSES = {
    "LocalTensor": "A tensor in a local memory: a dtype, a place and a number of elements. t[i] and t[i:] are views.",
    "GlobalTensor": "A tensor in global memory. t[i] and t[i:] are views.",
    "LocalTensorAuto": "A tensor in the Unified Buffer whose place the compiler chooses.",
    "ShapeInfo": "The extents of a tensor.",
    "LocalMemAllocator": "Gives out a local memory from its first byte on.",
    "TPipe": "The owner of a core's local memories, which gives buffers to queues.",
    "TQueBind": "A queue of local tensors between two positions.",
    "TQue": "A queue of local tensors at a position.",
    "TBuf": "A buffer of local memory, without a queue.",
    "TBufPool": "A part of a core's memory, whose buffers may lie over those of another part.",
    "ListTensorDesc": "A list of tensors as the host lays it out in global memory.",
    "TensorDesc": "One tensor of a ListTensorDesc.",
    "Matmul": "Products of matrices, block by block.",
}
# what some functions do outside kernels, too
HOST = {"ceildiv": "return -(-a // b)"}
HIDDEN = {"DataType", "PlainValue", "core"}
HEADS = {
    "core": "from .._stub import GlobalAddress, Mask, kernel_only\nfrom .dtype import DataType",
    "basic": "from .._stub import Mask, kernel_only\nfrom ..core import *\nfrom ..core._core import BaseTensor",
    "fwk": "from .._stub import kernel_only\nfrom ..core import *",
    "adv": "from .._stub import kernel_only\nfrom ..core import *\nfrom .tiling import *\nfrom .types import *",
}


def parse(forms):
    """[[(name, annotation, optional)]]"""
    out = []
    for form in forms.split("|"):
        row = []
        for word in form.split():
            name, kind = word.split(":")
            row.append((name, NOTES.get(kind.rstrip("?"), kind.rstrip("?")), kind.endswith("?")))
        out.append(row)
    return out


def signature(row, quote=True):
    words, after = [], False
    for name, note, optional in row:
        after = optional = optional or after  # Python wants those with defaults last
        if name == "self":
            words.append("self")
        elif name == "params" and row[0][0] == "desc":
            words.append("*params")
        else:
            note = f'"{note}"' if quote and note[0].isupper() and note != "Any" else note
            words.append(f"{name}: {note}" + (" = None" if optional else ""))
    return ", ".join(words)


def common(rows):
    """What all forms begin with."""
    n = 0
    while all(len(r) > n and r[n][0] == rows[0][n][0] != "params" for r in rows):
        n += 1
    return [(name, "Any" if any(r[i][1] != note for r in rows) else note, optional)
            for i, (name, note, optional) in enumerate(rows[0][:n])]


RESULTS = {"": "None", "i": "int", "f": "float", "v": "Any", "L": '"LocalTensor"', "A": '"GlobalAddress"', "G": '"GlobalTensor"', "h": "None"}


def function(name, unit, result, forms, doc, indent=""):
    rows, text = parse(forms), []
    method = bool(indent)
    if method and name == "__init__":
        rows = [[("self", "", False)] + r for r in rows]
    back = f" -> {'None' if name == '__init__' else RESULTS.get(result, 'tuple')}"
    if len(rows) > 1:
        for r in rows:
            text += [f"{indent}@overload", f"{indent}def {name}({signature(r)}){back}: ...", ""]
        head = signature(common(rows))
        args = f"{head}{', ' if head else ''}*args, **kwargs"
    else:
        args = signature(rows[0])
    path = name if not method else None
    text.append(f"{indent}def {name}({args}){back}:")
    lines = [doc, ""] + [f"{name}({signature(r, False)})" for r in rows if r] if len(rows) > 1 else [doc]
    if unit not in ("F", "S"):
        where = "V, MTE2 or MTE3, by where the data is" if unit == "MV" else unit
        lines += ["", f"Runs on pipe {where}."]
    body = f"\n{indent}    ".join(lines).replace(f"\n{indent}    \n", "\n\n")
    text.append(f'{indent}    """{body}{chr(10) + indent + "    " if len(lines) > 1 else ""}"""')
    text.append(f"{indent}    {HOST.get(path) or f'kernel_only({name!r})'}")
    return text


def files():
    """{path: text}"""
    table = {r[0]: r for r in asc_table()}
    done, out = set(), {}
    for family, home in HOMES.items():
        path = ROOT / f"src/base/asc/{family}.def"
        names = re.findall(r'^ASC\("([^"]+)"', path.read_text(), re.M) if path.exists() else []
        functions, classes, ops = [], {}, []
        for full in names:
            name, unit, result, forms, doc = table[full]
            cls, _, method = name.rpartition(".")
            if cls in HIDDEN or name in done:
                continue
            done.add(name)
            if not cls or cls == "adv":
                functions += ["", "", *function(method, unit, result, forms, doc)]
                ops.append((method, name))
            else:
                classes.setdefault(cls, []).append(function(method, unit, result, forms, doc, "    "))
        if not functions and not classes:
            continue
        text = [f'"""Printed by tools/asc_face.py from src/base/asc/{family}.def."""', "from typing import Any, overload", "",
                HEADS[home]]
        if family == "core":
            text += ["", "", "class BaseTensor:", '    """What local and global tensors have in common: dtype, their elements\' type."""',
                     "    __pyasc_asc__ = True"]
        for cls, methods in classes.items():
            base = f"({BASES[cls]})" if cls in BASES else ""
            text += ["", "", f"class {cls}{base}:", f'    """{CLASSES.get(cls, cls)}"""', "    __pyasc_asc__ = True"]
            for m in methods:
                text += ["", *m]
        text += functions
        if ops:
            text += ["", "", "for _f, _name in ("]
            text += [f'        ({name}, "asc.{full}"),' for name, full in ops]
            text += ["):", "    _f.__pyasc_op__ = _name"]
        public = [c for c in classes] + [o[0] for o in ops]
        text += ["", "__all__ = ["]
        line = "   "
        for name in public:
            if len(line) + len(name) + 5 > 118:
                text.append(line)
                line = "   "
            line += f' "{name}",'
        text += [line, "]", ""]
        out[ROOT / f"python/asc/language/{home}/_{family}.py"] = "\n".join(text)
    return out


def main():
    stale = 0
    for path, text in files().items():
        if path.exists() and path.read_text() == text:
            continue
        stale += 1
        print(f"{path.relative_to(ROOT)} {'is not current' if '--check' in sys.argv else 'written'}")
        if "--check" not in sys.argv:
            path.write_text(text)
    return 1 if stale and "--check" in sys.argv else 0


if __name__ == "__main__":
    sys.exit(main())
