"""Printed by tools/asc_face.py from src/base/asc/move.def."""
from typing import Any, overload

from .._stub import Mask, kernel_only
from ..core import *
from ..core._core import BaseTensor


@overload
def data_copy(dst: "BaseTensor", src: "BaseTensor", count: int) -> None: ...

@overload
def data_copy(dst: "BaseTensor", src: "BaseTensor", repeat_params: "DataCopyParams", enhanced_params: "DataCopyEnhancedParams" = None) -> None: ...

def data_copy(dst: "BaseTensor", src: "BaseTensor", *args, **kwargs) -> None:
    """Copy between global and local memory, or within local memory.

    data_copy(dst: BaseTensor, src: BaseTensor, count: int)
    data_copy(dst: BaseTensor, src: BaseTensor, repeat_params: DataCopyParams, enhanced_params: DataCopyEnhancedParams = None)

    Runs on pipe V, MTE2 or MTE3, by where the data is.
    """
    kernel_only('data_copy')


for _f, _name in (
        (data_copy, "asc.data_copy"),
):
    _f.__pyasc_op__ = _name

__all__ = [
    "data_copy",
]
