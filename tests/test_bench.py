"""The kernels of bench/kernels.py, at sizes that no tile divides, against its float64 references."""
import pathlib
import sys

import pytest

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "bench"))
from peers import cases, ours  # noqa: E402


@pytest.mark.parametrize("case,size", [(c, s) for c in cases.CASES for s in c.tiny],
                         ids=lambda v: getattr(v, "name", None) or "x".join(map(str, v)))
def test_kernel_agrees_with_its_reference(case, size):
    args = case.arguments(size)
    wanted = case.wanted(args)
    getattr(ours, case.name)(*args)
    assert not case.wrong(wanted, args[-case.outputs:])


def test_every_peer_file_speaks_of_known_kernels():
    names = {c.name for c in cases.CASES}
    assert len(names) == len(cases.CASES) >= 24
    assert names <= set(vars(ours))
