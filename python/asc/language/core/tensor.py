"""Tensors, and lists of them."""
from dataclasses import dataclass
from typing import Optional

from .._stub import GlobalAddress
from ._core import BaseTensor, GlobalTensor, LocalTensor, LocalTensorAuto
from .dtype import DataType


@dataclass
class MrgSortSrcList:
    """Two to four sorted runs that mrg_sort merges."""
    dtype: DataType
    src1: LocalTensor
    src2: LocalTensor
    src3: Optional[LocalTensor] = None
    src4: Optional[LocalTensor] = None


__all__ = ["BaseTensor", "GlobalAddress", "GlobalTensor", "LocalTensor", "LocalTensorAuto", "MrgSortSrcList"]
