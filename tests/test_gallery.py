"""docs/errors.md shows what each wrong program of gallery.py raises, as it is here. `--update` writes it anew."""
import linecache
import os
import pathlib
import re
import sys
import tempfile
import warnings

import pyasc
import pytest
from gallery import SCOPE, programs

PAGE = pathlib.Path(__file__).resolve().parent.parent / "docs" / "errors.md"
ALL = list(programs())
NEEDS_MATCH = "    match "


def raised(source, folder):
    """What the program raises, run as kernel.py: names of files in messages are the same on every machine."""
    before = os.getcwd()
    pathlib.Path(folder, "kernel.py").write_text(source)
    scope = {"__name__": "kernel"}
    exec(SCOPE, scope)
    try:
        os.chdir(folder)
        linecache.cache.pop("kernel.py", None)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(compile(source, "kernel.py", "exec"), scope)
    except Exception as error:
        return error
    finally:
        os.chdir(before)
        linecache.cache.pop("kernel.py", None)
    return None


def rendered(error):
    """As Python shows it; versions of Python draw the caret differently, so it is drawn here."""
    kind = type(error)
    name = kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"
    if not isinstance(error, SyntaxError):
        return f"{name}: {error}"
    if not error.lineno:
        return f"{name}: {error.msg}"
    text = error.text.rstrip("\n")
    indent = len(text) - len(text.lstrip())
    width = max(error.end_offset - error.offset, 1)
    return (f'  File "{error.filename}", line {error.lineno}\n    {text.strip()}\n'
            f"    {' ' * (error.offset - 1 - indent)}{'^' * width}\n{name}: {error.msg}")


def advises(error):
    """Whether it says what to write instead; an exception of the kernel's own need not."""
    own = hasattr(error, "kernel_line") or not isinstance(error, (pyasc.CompileError, TypeError, ValueError))
    return own or re.search(r"; \S", str(error))


def entry(title, source, text):
    return f"### {title}\n\n```python\n{source}```\n\n```\n{text}\n```\n"


def head():
    return f"""# Errors

What the compiler and the launcher say about {len(ALL)} wrong programs: what was found, and behind the semicolon what to
write instead. In each, `asc` is pyasc, `np` is NumPy, and

```python
{SCOPE.split("asc", 1)[1].strip()}
```
"""


def sections():
    return re.findall(r"^### (.*?)\n\n```python\n(.*?)```\n\n```\n(.*?)\n```$", PAGE.read_text(), re.M | re.S)


def ids():
    return [re.sub(r"\W+", "-", f"{group}-{title}") for group, title, _ in ALL]


@pytest.mark.parametrize("number", range(len(ALL)), ids=ids())
def test_message(number, tmp_path):
    _, title, source = ALL[number]
    if NEEDS_MATCH in source and sys.version_info < (3, 10):
        pytest.skip("match")
    error = raised(source, tmp_path)
    assert error is not None, "nothing is raised"
    assert advises(error), f"no advice: {error}"
    assert entry(title, source, rendered(error)) in PAGE.read_text()


def test_page():
    assert len(ALL) >= 75 and len(set(ids())) == len(ALL)
    assert [(t, s) for t, s, _ in sections()] == [(t, s) for _, t, s in ALL]
    assert PAGE.read_text().startswith(head())
    assert not re.search(r"fault of the compiler|\binfer\b|wint|wflt|\bIR\b|\bop\b", PAGE.read_text())


def update():
    parts, group = [head()], None
    for g, title, source in ALL:
        if g != group:
            parts.append(f"## {g}\n")
            group = g
        with tempfile.TemporaryDirectory() as folder:
            error = raised(source, folder)
        if error is None:
            sys.exit(f"{title}: nothing is raised")
        parts.append(entry(title, source, rendered(error)))
    PAGE.write_text("\n".join(parts))


if __name__ == "__main__":
    if sys.argv[1:] != ["--update"]:
        sys.exit("python tests/test_gallery.py --update")
    update()
