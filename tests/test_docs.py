"""The Python blocks of the docs run as they stand, in order, one namespace for each page."""
import pathlib
import re

import pytest

DOCS = pathlib.Path(__file__).resolve().parent.parent / "docs"
PAGES = ["tensors.md", "parallel.md", "tour.md"]


@pytest.mark.parametrize("page", PAGES)
def test_page(page, tmp_path):
    text = (DOCS / page).read_text()
    path = tmp_path / (page.removesuffix(".md") + "_page.py")
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.M | re.S)
    assert blocks
    path.write_text("\n".join(blocks))
    exec(compile(path.read_text(), str(path), "exec"), {"__name__": page})
