"""No function of the core is longer than 100 lines."""
import pathlib
import re
import sys

bad = 0
for path in sorted(pathlib.Path("src").rglob("*.c")):
    start = None
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if re.match(r"^[a-zA-Z_].*\)\s*\{$", line):
            start = number
        elif line == "}" and start:
            if number - start > 100:
                bad += 1
                print(f"{path}:{start}: a function of {number - start} lines")
            start = None
sys.exit(bool(bad))
