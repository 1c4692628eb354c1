"""Printed by tools/asc_face.py from src/base/asc/core.def."""
from typing import Any, overload

from .._stub import GlobalAddress, Mask, kernel_only
from .dtype import DataType


class BaseTensor:
    """What local and global tensors have in common: dtype, their elements' type."""
    __pyasc_asc__ = True


class LocalTensor(BaseTensor):
    """A tensor in a local memory: a dtype, a place and a number of elements. t[i] and t[i:] are views."""
    __pyasc_asc__ = True

    @overload
    def __init__(self) -> None: ...

    @overload
    def __init__(self, dtype: "DataType", pos: int = None, addr: int = None, tile_size: int = None) -> None: ...

    def __init__(self, *args, **kwargs) -> None:
        """A tensor in local memory: tile_size elements from byte addr of the memory that pos names.

        __init__(self)
        __init__(self, dtype: DataType, pos: int = None, addr: int = None, tile_size: int = None)
        """
        kernel_only('__init__')

    def __call__(self, index: int) -> None:
        """The tensor from the element at index on."""
        kernel_only('__call__')

    def get_size(self) -> None:
        """Number of elements."""
        kernel_only('get_size')

    def get_length(self) -> None:
        """Number of bytes."""
        kernel_only('get_length')

    def get_position(self) -> None:
        """The number of the tensor's TPosition."""
        kernel_only('get_position')

    def get_phy_addr(self, offset: int = None) -> int:
        """The byte in its memory where the element at offset is."""
        kernel_only('get_phy_addr')

    def set_size(self, size: int = None) -> None:
        """Set the number of elements."""
        kernel_only('set_size')

    def set_buffer_len(self, data_len: int) -> None:
        """Set the number of bytes."""
        kernel_only('set_buffer_len')

    def set_user_tag(self, tag: int = None) -> None:
        """Set a number that the tensor keeps."""
        kernel_only('set_user_tag')

    def get_user_tag(self) -> None:
        """The number that set_user_tag has set, else 0."""
        kernel_only('get_user_tag')

    def set_addr_with_offset(self, src: "LocalTensor", offset: int) -> None:
        """Lay the tensor where the element of src at offset is."""
        kernel_only('set_addr_with_offset')

    def reinterpret_cast(self, dtype: "DataType") -> None:
        """The same bytes as elements of another dtype."""
        kernel_only('reinterpret_cast')

    def set_shape_info(self, shape_info: "ShapeInfo") -> None:
        """Give the tensor a shape."""
        kernel_only('set_shape_info')

    def get_shape_info(self) -> None:
        """The shape that set_shape_info has given."""
        kernel_only('get_shape_info')

    def print(self, data_len: int) -> None:
        """Print the first elements."""
        kernel_only('print')

    def to_file(self, file_name: Any) -> None:
        """Write to a file: not on the model."""
        kernel_only('to_file')

    def get_value(self, index: int) -> Any:
        """The element at index, as a scalar."""
        kernel_only('get_value')

    def set_value(self, index: int, value: float) -> None:
        """Set the element at index."""
        kernel_only('set_value')


class LocalTensorAuto(LocalTensor):
    """A tensor in the Unified Buffer whose place the compiler chooses."""
    __pyasc_asc__ = True

    def __init__(self, dtype: "DataType", shape: Any) -> None:
        """A tensor in the Unified Buffer whose place the compiler chooses."""
        kernel_only('__init__')


class GlobalTensor(BaseTensor):
    """A tensor in global memory. t[i] and t[i:] are views."""
    __pyasc_asc__ = True

    def __init__(self) -> None:
        """A tensor in global memory; set_global_buffer says where."""
        kernel_only('__init__')

    def __call__(self, index: int) -> None:
        """The tensor from the element at index on."""
        kernel_only('__call__')

    def set_global_buffer(self, buffer: "GlobalAddress" = None, buffer_size: int = None) -> None:
        """Lay the tensor over an array of the kernel's."""
        kernel_only('set_global_buffer')

    def get_size(self) -> None:
        """Number of elements."""
        kernel_only('get_size')

    def get_phy_addr(self, offset: int = None) -> None:
        """The address of the element at offset."""
        kernel_only('get_phy_addr')

    def get_value(self, offset: int) -> Any:
        """The element at offset, as a scalar."""
        kernel_only('get_value')

    def set_value(self, offset: int, value: float) -> None:
        """Set the element at offset."""
        kernel_only('set_value')

    def set_l2_cache_hint(self, mode: int = None, rw_mode: int = None) -> None:
        """How the second-level cache treats the tensor; nothing on the model."""
        kernel_only('set_l2_cache_hint')

    def set_shape_info(self, shape_info: "ShapeInfo") -> None:
        """Give the tensor a shape."""
        kernel_only('set_shape_info')

    def get_shape_info(self) -> None:
        """The shape that set_shape_info has given."""
        kernel_only('get_shape_info')


class ShapeInfo:
    """The extents of a tensor."""
    __pyasc_asc__ = True

    def __init__(self, shape: Any = None, original_shape: Any = None, data_format: int = None) -> None:
        """A shape: an array of extents."""
        kernel_only('__init__')

    def shape(self, dim: int) -> None:
        """The extent of a dimension."""
        kernel_only('shape')

    def original_shape(self, dim: int) -> None:
        """The extent of a dimension before padding."""
        kernel_only('original_shape')


class LocalMemAllocator:
    """Gives out a local memory from its first byte on."""
    __pyasc_asc__ = True

    def __init__(self, hard: int = None) -> None:
        """Gives out a local memory from its first byte on."""
        kernel_only('__init__')

    def get_cur_addr(self) -> None:
        """The next free byte."""
        kernel_only('get_cur_addr')

    def alloc(self, pos: int, data_type: "DataType", tile_size: int) -> None:
        """A tensor of tile_size elements."""
        kernel_only('alloc')


def get_shape_size(shape_info: "ShapeInfo") -> None:
    """The product of a shape's extents."""
    kernel_only('get_shape_size')


@overload
def array(dtype: "DataType", length: int, fill_value: float = None) -> None: ...

@overload
def array(dtype: "DataType", values: list) -> None: ...

def array(dtype: "DataType", *args, **kwargs) -> None:
    """An array of numbers in the core's scalar memory.

    array(dtype: DataType, length: int, fill_value: float = None)
    array(dtype: DataType, values: list)
    """
    kernel_only('array')


def property(prop: int) -> None:
    """A constant of the chip, as a run-time integer."""
    kernel_only('property')


def static_assert(condition: bool, message: Any = None) -> None:
    """An error of the compiler unless the condition holds."""
    kernel_only('static_assert')


def ceildiv(a: int, b: int) -> None:
    """a / b, rounded up."""
    return -(-a // b)


def number(value: float, dtype: "DataType") -> None:
    """value as a run-time number of that dtype."""
    kernel_only('number')


def inline(code: Any, args: Any = None, before_function: bool = None) -> None:
    """Text of Ascend C, for the NPU; the model cannot run it."""
    kernel_only('inline')


for _f, _name in (
        (get_shape_size, "asc.get_shape_size"),
        (array, "asc.array"),
        (property, "asc.property"),
        (static_assert, "asc.static_assert"),
        (ceildiv, "asc.ceildiv"),
        (number, "asc.number"),
        (inline, "asc.inline"),
):
    _f.__pyasc_op__ = _name

__all__ = [
    "LocalTensor", "LocalTensorAuto", "GlobalTensor", "ShapeInfo", "LocalMemAllocator", "get_shape_size", "array",
    "property", "static_assert", "ceildiv", "number", "inline",
]
