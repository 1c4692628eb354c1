"""The Python blocks of the docs run as they stand, in order, one namespace for each page."""
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGES = ["README.md", "docs/tensors.md", "docs/parallel.md", "docs/tour.md", "docs/interpret.md", "docs/language.md",
         "docs/asc.md"]


def blocks(page, language):
    return re.findall(rf"^```{language}\n(.*?)^```", (ROOT / page).read_text(), re.M | re.S)


@pytest.mark.parametrize("page", PAGES)
def test_page(page, tmp_path):
    code = blocks(page, "python")
    assert code
    path = tmp_path / (pathlib.Path(page).stem + "_page.py")  # a kernel's source is read from its file
    path.write_text("\n".join(code))
    exec(compile(path.read_text(), str(path), "exec"), {"__name__": page})


def test_command_line(tmp_path):
    """The outputs that are the same on every machine: of run, and of emit before the target is known."""
    script, *shown = blocks("docs/cli.md", "")
    (tmp_path / "scale.py").write_text(script)
    text = "\n".join(shown)
    for command, rest in (("run scale.py", "$ pyasc run wrong.py"),
                          ('emit scale.py:scale --stage infer --args "f32[1000],f32[1000],2.5"', "$ pyasc emit"),
                          ('emit scale.py:scale --args "f32[6]"', "\n$ pyasc cache")):
        want = text.split(f"$ pyasc {command}\n")[1].split(rest)[0].strip()
        args = [a.strip('"') for a in command.split()]
        done = subprocess.run([sys.executable, "-m", "pyasc", *args], cwd=tmp_path, capture_output=True, text=True,
                              timeout=60)
        assert (done.stdout + done.stderr).strip() == want
