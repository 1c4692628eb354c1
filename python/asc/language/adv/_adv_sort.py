"""Printed by tools/asc_face.py from src/base/asc/adv_sort.def."""
from typing import Any, overload

from .._stub import kernel_only
from ..core import *
from .tiling import *
from .types import *


def concat(dst: "LocalTensor", src: "LocalTensor", tmp: "LocalTensor", repeat_time: int) -> None:
    """Scores as sort takes them: dst becomes a name of src, as on the NPU."""
    kernel_only('concat')


def extract(dst_value: "LocalTensor", dst_index: "LocalTensor", src: "LocalTensor", repeat_time: int) -> None:
    """Scores and indices out of the pairs that sort and mrg_sort give, 32 in a repeat.

    Runs on pipe V.
    """
    kernel_only('extract')


for _f, _name in (
        (concat, "asc.adv.concat"),
        (extract, "asc.adv.extract"),
):
    _f.__pyasc_op__ = _name

__all__ = [
    "concat", "extract",
]
