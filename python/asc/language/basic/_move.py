"""Printed by tools/asc_face.py from src/base/asc/move.def."""
from typing import Any, overload

from .._stub import Mask, kernel_only
from ..core import *
from ..core._core import BaseTensor


def copy(dst: "LocalTensor", src: "LocalTensor", mask: "Mask", repeat_time: int, repeat_params: "CopyRepeatParams", is_set_mask: bool = None) -> None:
    """dst = src, element by element.

    Runs on pipe V.
    """
    kernel_only('copy')


@overload
def data_copy(dst: "BaseTensor", src: "BaseTensor", count: int) -> None: ...

@overload
def data_copy(dst: "BaseTensor", src: "BaseTensor", repeat_params: "DataCopyParams", enhanced_params: "DataCopyEnhancedParams" = None) -> None: ...

@overload
def data_copy(dst: "BaseTensor", src: "BaseTensor", intri_params: "DataCopyParams", enhanced_params: "DataCopyEnhancedParams" = None) -> None: ...

@overload
def data_copy(dst: "BaseTensor", src: "BaseTensor", slice_list1: list, slice_list2: list, dim_value: int) -> None: ...

@overload
def data_copy(dst: "BaseTensor", src: "BaseTensor", intri_params: "Nd2NzParams") -> None: ...

@overload
def data_copy(dst: "GlobalTensor", src: "LocalTensor", intri_params: "Nz2NdParamsFull") -> None: ...

@overload
def data_copy(dst: "BaseTensor", src: "LocalTensor", intri_params: "DataCopyCO12DstParams") -> None: ...

def data_copy(dst: Any, src: Any, *args, **kwargs) -> None:
    """Copy between global and local memory, or within local memory; count elements are rounded down to blocks of 32 bytes.

    data_copy(dst: BaseTensor, src: BaseTensor, count: int)
    data_copy(dst: BaseTensor, src: BaseTensor, repeat_params: DataCopyParams, enhanced_params: DataCopyEnhancedParams = None)
    data_copy(dst: BaseTensor, src: BaseTensor, intri_params: DataCopyParams, enhanced_params: DataCopyEnhancedParams = None)
    data_copy(dst: BaseTensor, src: BaseTensor, slice_list1: list, slice_list2: list, dim_value: int)
    data_copy(dst: BaseTensor, src: BaseTensor, intri_params: Nd2NzParams)
    data_copy(dst: GlobalTensor, src: LocalTensor, intri_params: Nz2NdParamsFull)
    data_copy(dst: BaseTensor, src: LocalTensor, intri_params: DataCopyCO12DstParams)

    Runs on pipe V, MTE2 or MTE3, by where the data is.
    """
    kernel_only('data_copy')


@overload
def data_copy_pad(dst: "LocalTensor", src: "GlobalTensor", data_copy_params: "DataCopyExtParams", pad_params: "DataCopyPadExtParams") -> None: ...

@overload
def data_copy_pad(dst: "GlobalTensor", src: "LocalTensor", data_copy_params: "DataCopyExtParams") -> None: ...

@overload
def data_copy_pad(dst: "LocalTensor", src: "LocalTensor", data_copy_params: "DataCopyExtParams", nd2nz_params: "Nd2NzParams") -> None: ...

@overload
def data_copy_pad(dst: "LocalTensor", src: "GlobalTensor", data_copy_params: "DataCopyParams", pad_params: "DataCopyPadParams") -> None: ...

@overload
def data_copy_pad(dst: "GlobalTensor", src: "LocalTensor", data_copy_params: "DataCopyParams") -> None: ...

@overload
def data_copy_pad(dst: "LocalTensor", src: "LocalTensor", data_copy_params: "DataCopyParams", nd2nz_params: "Nd2NzParams") -> None: ...

def data_copy_pad(dst: Any, src: Any, data_copy_params: Any, *args, **kwargs) -> None:
    """Copy pieces of any number of bytes between global and local memory, filled up to blocks of 32 bytes in local memory.

    data_copy_pad(dst: LocalTensor, src: GlobalTensor, data_copy_params: DataCopyExtParams, pad_params: DataCopyPadExtParams)
    data_copy_pad(dst: GlobalTensor, src: LocalTensor, data_copy_params: DataCopyExtParams)
    data_copy_pad(dst: LocalTensor, src: LocalTensor, data_copy_params: DataCopyExtParams, nd2nz_params: Nd2NzParams)
    data_copy_pad(dst: LocalTensor, src: GlobalTensor, data_copy_params: DataCopyParams, pad_params: DataCopyPadParams)
    data_copy_pad(dst: GlobalTensor, src: LocalTensor, data_copy_params: DataCopyParams)
    data_copy_pad(dst: LocalTensor, src: LocalTensor, data_copy_params: DataCopyParams, nd2nz_params: Nd2NzParams)

    Runs on pipe V, MTE2 or MTE3, by where the data is.
    """
    kernel_only('data_copy_pad')


def set_pad_value(padding_value: float, pos: int = None) -> None:
    """What data_copy_pad fills with where its parameters do not say."""
    kernel_only('set_pad_value')


def set_atomic_add(dtype: "DataType") -> None:
    """Stores to global memory add to what is there, as elements of dtype."""
    kernel_only('set_atomic_add')


def set_atomic_max(dtype: "DataType") -> None:
    """Stores to global memory keep the larger element."""
    kernel_only('set_atomic_max')


def set_atomic_min(dtype: "DataType") -> None:
    """Stores to global memory keep the smaller element."""
    kernel_only('set_atomic_min')


def set_atomic_type(dtype: "DataType") -> None:
    """The dtype of stores that combine."""
    kernel_only('set_atomic_type')


def set_atomic_none() -> None:
    """Stores to global memory only store again."""
    kernel_only('set_atomic_none')


def set_store_atomic_config(atomic_type: int, atomic_op: int) -> None:
    """How stores to global memory combine, in the numbers of AtomicDtype and AtomicOp."""
    kernel_only('set_store_atomic_config')


def get_store_atomic_config() -> tuple:
    """What set_store_atomic_config or set_atomic_add has set."""
    kernel_only('get_store_atomic_config')


for _f, _name in (
        (copy, "asc.copy"),
        (data_copy, "asc.data_copy"),
        (data_copy_pad, "asc.data_copy_pad"),
        (set_pad_value, "asc.set_pad_value"),
        (set_atomic_add, "asc.set_atomic_add"),
        (set_atomic_max, "asc.set_atomic_max"),
        (set_atomic_min, "asc.set_atomic_min"),
        (set_atomic_type, "asc.set_atomic_type"),
        (set_atomic_none, "asc.set_atomic_none"),
        (set_store_atomic_config, "asc.set_store_atomic_config"),
        (get_store_atomic_config, "asc.get_store_atomic_config"),
):
    _f.__pyasc_op__ = _name

__all__ = [
    "copy", "data_copy", "data_copy_pad", "set_pad_value", "set_atomic_add", "set_atomic_max", "set_atomic_min",
    "set_atomic_type", "set_atomic_none", "set_store_atomic_config", "get_store_atomic_config",
]
