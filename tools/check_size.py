#!/usr/bin/env python3
"""Checks that no C function in src/ is over 100 lines. A function starts where a `{` opens at depth 0 after a `)`."""
import pathlib
import re
import sys

LIMIT = 100


def bare(text):
    """The text without comments, strings and preprocessor lines; the line numbers stay."""
    keep_lines = lambda m: "\n" * m[0].count("\n") or " "
    text = re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', keep_lines, text, flags=re.S)
    return re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", keep_lines, text, flags=re.M)


def functions(text):
    """(name, first line, lines) of each function."""
    text = bare(text)
    depth, line, head_end, start, name = 0, 1, 0, 0, None
    for i, c in enumerate(text):
        if c == "\n":
            line += 1
        elif c == "{":
            if depth == 0:
                head = text[head_end:i].strip()
                m = re.search(r"(\w+)\s*\(", head) if head.endswith(")") else None
                name, start = (m[1] if m else None), line - head.count("\n")
            depth += 1
        elif c == "}":
            depth -= 1
            if depth == 0:
                head_end = i + 1
                if name:
                    yield name, start, line - start + 1
        elif c == ";" and depth == 0:
            head_end = i + 1


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    sizes, faults = [], 0
    for path in sorted((root / "src").rglob("*.c")):
        for name, start, lines in functions(path.read_text()):
            sizes.append(lines)
            if lines > LIMIT:
                print(f"{path.relative_to(root)}:{start}: {name} has {lines} lines, more than {LIMIT}")
                faults += 1
    sizes.sort()
    if sizes:
        print(f"sizes: {len(sizes)} functions, median {sizes[len(sizes) // 2]}, longest {sizes[-1]}, {faults} faults")
    return faults > 0


if __name__ == "__main__":
    sys.exit(main())
