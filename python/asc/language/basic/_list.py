"""Printed by tools/asc_face.py from src/base/asc/list.def."""
from typing import Any, overload

from .._stub import Mask, kernel_only
from ..core import *
from ..core._core import BaseTensor


class TensorDesc:
    """One tensor of a ListTensorDesc."""
    __pyasc_asc__ = True

    def __init__(self, dtype: "DataType" = None) -> None:
        """One tensor of a list."""
        kernel_only('__init__')

    def set_shape_addr(self, shape_ptr: Any) -> None:
        """Where the extents are to be put."""
        kernel_only('set_shape_addr')

    def get_dim(self) -> int:
        """Number of dimensions."""
        kernel_only('get_dim')

    def get_index(self) -> int:
        """Number of the tensor in its list."""
        kernel_only('get_index')

    def get_shape(self, offset: int) -> int:
        """The extent of a dimension."""
        kernel_only('get_shape')

    def get_data_ptr(self) -> "GlobalAddress":
        """The address of the tensor's elements."""
        kernel_only('get_data_ptr')

    def get_data_obj(self) -> "GlobalTensor":
        """The tensor itself."""
        kernel_only('get_data_obj')


class ListTensorDesc:
    """A list of tensors as the host lays it out in global memory."""
    __pyasc_asc__ = True

    def __init__(self, data: "GlobalAddress" = None, length: int = None, shape_size: int = None) -> None:
        """A list of tensors at an address."""
        kernel_only('__init__')

    def init(self, data: "GlobalAddress", length: int = None, shape_size: int = None) -> None:
        """Read the list at an address."""
        kernel_only('init')

    def get_desc(self, desc: "TensorDesc", index: int) -> None:
        """Fill desc with tensor number index."""
        kernel_only('get_desc')

    def get_data_ptr(self, index: int, dtype: "DataType") -> "GlobalAddress":
        """The address of tensor number index."""
        kernel_only('get_data_ptr')

    def get_size(self) -> int:
        """Number of tensors."""
        kernel_only('get_size')

__all__ = [
    "TensorDesc", "ListTensorDesc",
]
