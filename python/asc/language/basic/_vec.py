"""Printed by tools/asc_face.py from src/base/asc/vec.def."""
from typing import Any, overload

from .._stub import Mask, kernel_only
from ..core import *
from ..core._core import BaseTensor


@overload
def add(dst: "LocalTensor", src0: "LocalTensor", src1: "LocalTensor", count: int, is_set_mask: bool = None) -> None: ...

@overload
def add(dst: "LocalTensor", src0: "LocalTensor", src1: "LocalTensor", mask: "Mask", repeat_times: int, repeat_params: "BinaryRepeatParams", is_set_mask: bool = None) -> None: ...

def add(dst: "LocalTensor", src0: "LocalTensor", src1: "LocalTensor", *args, **kwargs) -> None:
    """dst = src0 + src1, element by element.

    add(dst: LocalTensor, src0: LocalTensor, src1: LocalTensor, count: int, is_set_mask: bool = None)
    add(dst: LocalTensor, src0: LocalTensor, src1: LocalTensor, mask: Mask, repeat_times: int, repeat_params: BinaryRepeatParams, is_set_mask: bool = None)

    Runs on pipe V.
    """
    kernel_only('add')


@overload
def sub(dst: "LocalTensor", src0: "LocalTensor", src1: "LocalTensor", count: int, is_set_mask: bool = None) -> None: ...

@overload
def sub(dst: "LocalTensor", src0: "LocalTensor", src1: "LocalTensor", mask: "Mask", repeat_times: int, repeat_params: "BinaryRepeatParams", is_set_mask: bool = None) -> None: ...

def sub(dst: "LocalTensor", src0: "LocalTensor", src1: "LocalTensor", *args, **kwargs) -> None:
    """dst = src0 - src1, element by element.

    sub(dst: LocalTensor, src0: LocalTensor, src1: LocalTensor, count: int, is_set_mask: bool = None)
    sub(dst: LocalTensor, src0: LocalTensor, src1: LocalTensor, mask: Mask, repeat_times: int, repeat_params: BinaryRepeatParams, is_set_mask: bool = None)

    Runs on pipe V.
    """
    kernel_only('sub')


@overload
def mul(dst: "LocalTensor", src0: "LocalTensor", src1: "LocalTensor", count: int, is_set_mask: bool = None) -> None: ...

@overload
def mul(dst: "LocalTensor", src0: "LocalTensor", src1: "LocalTensor", mask: "Mask", repeat_times: int, repeat_params: "BinaryRepeatParams", is_set_mask: bool = None) -> None: ...

def mul(dst: "LocalTensor", src0: "LocalTensor", src1: "LocalTensor", *args, **kwargs) -> None:
    """dst = src0 * src1, element by element.

    mul(dst: LocalTensor, src0: LocalTensor, src1: LocalTensor, count: int, is_set_mask: bool = None)
    mul(dst: LocalTensor, src0: LocalTensor, src1: LocalTensor, mask: Mask, repeat_times: int, repeat_params: BinaryRepeatParams, is_set_mask: bool = None)

    Runs on pipe V.
    """
    kernel_only('mul')


@overload
def div(dst: "LocalTensor", src0: "LocalTensor", src1: "LocalTensor", count: int, is_set_mask: bool = None) -> None: ...

@overload
def div(dst: "LocalTensor", src0: "LocalTensor", src1: "LocalTensor", mask: "Mask", repeat_times: int, repeat_params: "BinaryRepeatParams", is_set_mask: bool = None) -> None: ...

def div(dst: "LocalTensor", src0: "LocalTensor", src1: "LocalTensor", *args, **kwargs) -> None:
    """dst = src0 / src1, element by element.

    div(dst: LocalTensor, src0: LocalTensor, src1: LocalTensor, count: int, is_set_mask: bool = None)
    div(dst: LocalTensor, src0: LocalTensor, src1: LocalTensor, mask: Mask, repeat_times: int, repeat_params: BinaryRepeatParams, is_set_mask: bool = None)

    Runs on pipe V.
    """
    kernel_only('div')


@overload
def max(dst: "LocalTensor", src0: "LocalTensor", src1: "LocalTensor", count: int, is_set_mask: bool = None) -> None: ...

@overload
def max(dst: "LocalTensor", src0: "LocalTensor", src1: "LocalTensor", mask: "Mask", repeat_times: int, repeat_params: "BinaryRepeatParams", is_set_mask: bool = None) -> None: ...

def max(dst: "LocalTensor", src0: "LocalTensor", src1: "LocalTensor", *args, **kwargs) -> None:
    """dst = the larger of src0 and src1, element by element.

    max(dst: LocalTensor, src0: LocalTensor, src1: LocalTensor, count: int, is_set_mask: bool = None)
    max(dst: LocalTensor, src0: LocalTensor, src1: LocalTensor, mask: Mask, repeat_times: int, repeat_params: BinaryRepeatParams, is_set_mask: bool = None)

    Runs on pipe V.
    """
    kernel_only('max')


@overload
def min(dst: "LocalTensor", src0: "LocalTensor", src1: "LocalTensor", count: int, is_set_mask: bool = None) -> None: ...

@overload
def min(dst: "LocalTensor", src0: "LocalTensor", src1: "LocalTensor", mask: "Mask", repeat_times: int, repeat_params: "BinaryRepeatParams", is_set_mask: bool = None) -> None: ...

def min(dst: "LocalTensor", src0: "LocalTensor", src1: "LocalTensor", *args, **kwargs) -> None:
    """dst = the smaller of src0 and src1, element by element.

    min(dst: LocalTensor, src0: LocalTensor, src1: LocalTensor, count: int, is_set_mask: bool = None)
    min(dst: LocalTensor, src0: LocalTensor, src1: LocalTensor, mask: Mask, repeat_times: int, repeat_params: BinaryRepeatParams, is_set_mask: bool = None)

    Runs on pipe V.
    """
    kernel_only('min')


@overload
def bitwise_and(dst: "LocalTensor", src0: "LocalTensor", src1: "LocalTensor", count: int, is_set_mask: bool = None) -> None: ...

@overload
def bitwise_and(dst: "LocalTensor", src0: "LocalTensor", src1: "LocalTensor", mask: "Mask", repeat_times: int, repeat_params: "BinaryRepeatParams", is_set_mask: bool = None) -> None: ...

def bitwise_and(dst: "LocalTensor", src0: "LocalTensor", src1: "LocalTensor", *args, **kwargs) -> None:
    """dst = src0 & src1, element by element.

    bitwise_and(dst: LocalTensor, src0: LocalTensor, src1: LocalTensor, count: int, is_set_mask: bool = None)
    bitwise_and(dst: LocalTensor, src0: LocalTensor, src1: LocalTensor, mask: Mask, repeat_times: int, repeat_params: BinaryRepeatParams, is_set_mask: bool = None)

    Runs on pipe V.
    """
    kernel_only('bitwise_and')


@overload
def bitwise_or(dst: "LocalTensor", src0: "LocalTensor", src1: "LocalTensor", count: int, is_set_mask: bool = None) -> None: ...

@overload
def bitwise_or(dst: "LocalTensor", src0: "LocalTensor", src1: "LocalTensor", mask: "Mask", repeat_times: int, repeat_params: "BinaryRepeatParams", is_set_mask: bool = None) -> None: ...

def bitwise_or(dst: "LocalTensor", src0: "LocalTensor", src1: "LocalTensor", *args, **kwargs) -> None:
    """dst = src0 | src1, element by element.

    bitwise_or(dst: LocalTensor, src0: LocalTensor, src1: LocalTensor, count: int, is_set_mask: bool = None)
    bitwise_or(dst: LocalTensor, src0: LocalTensor, src1: LocalTensor, mask: Mask, repeat_times: int, repeat_params: BinaryRepeatParams, is_set_mask: bool = None)

    Runs on pipe V.
    """
    kernel_only('bitwise_or')


@overload
def add_relu(dst: "LocalTensor", src0: "LocalTensor", src1: "LocalTensor", count: int, is_set_mask: bool = None) -> None: ...

@overload
def add_relu(dst: "LocalTensor", src0: "LocalTensor", src1: "LocalTensor", mask: "Mask", repeat_times: int, repeat_params: "BinaryRepeatParams", is_set_mask: bool = None) -> None: ...

def add_relu(dst: "LocalTensor", src0: "LocalTensor", src1: "LocalTensor", *args, **kwargs) -> None:
    """dst = src0 + src1, or 0 where that is negative, element by element.

    add_relu(dst: LocalTensor, src0: LocalTensor, src1: LocalTensor, count: int, is_set_mask: bool = None)
    add_relu(dst: LocalTensor, src0: LocalTensor, src1: LocalTensor, mask: Mask, repeat_times: int, repeat_params: BinaryRepeatParams, is_set_mask: bool = None)

    Runs on pipe V.
    """
    kernel_only('add_relu')


@overload
def sub_relu(dst: "LocalTensor", src0: "LocalTensor", src1: "LocalTensor", count: int, is_set_mask: bool = None) -> None: ...

@overload
def sub_relu(dst: "LocalTensor", src0: "LocalTensor", src1: "LocalTensor", mask: "Mask", repeat_times: int, repeat_params: "BinaryRepeatParams", is_set_mask: bool = None) -> None: ...

def sub_relu(dst: "LocalTensor", src0: "LocalTensor", src1: "LocalTensor", *args, **kwargs) -> None:
    """dst = src0 - src1, or 0 where that is negative, element by element.

    sub_relu(dst: LocalTensor, src0: LocalTensor, src1: LocalTensor, count: int, is_set_mask: bool = None)
    sub_relu(dst: LocalTensor, src0: LocalTensor, src1: LocalTensor, mask: Mask, repeat_times: int, repeat_params: BinaryRepeatParams, is_set_mask: bool = None)

    Runs on pipe V.
    """
    kernel_only('sub_relu')


@overload
def fused_mul_add(dst: "LocalTensor", src0: "LocalTensor", src1: "LocalTensor", count: int, is_set_mask: bool = None) -> None: ...

@overload
def fused_mul_add(dst: "LocalTensor", src0: "LocalTensor", src1: "LocalTensor", mask: "Mask", repeat_times: int, repeat_params: "BinaryRepeatParams", is_set_mask: bool = None) -> None: ...

def fused_mul_add(dst: "LocalTensor", src0: "LocalTensor", src1: "LocalTensor", *args, **kwargs) -> None:
    """dst = src0 * dst + src1, element by element.

    fused_mul_add(dst: LocalTensor, src0: LocalTensor, src1: LocalTensor, count: int, is_set_mask: bool = None)
    fused_mul_add(dst: LocalTensor, src0: LocalTensor, src1: LocalTensor, mask: Mask, repeat_times: int, repeat_params: BinaryRepeatParams, is_set_mask: bool = None)

    Runs on pipe V.
    """
    kernel_only('fused_mul_add')


@overload
def fused_mul_add_relu(dst: "LocalTensor", src0: "LocalTensor", src1: "LocalTensor", count: int, is_set_mask: bool = None) -> None: ...

@overload
def fused_mul_add_relu(dst: "LocalTensor", src0: "LocalTensor", src1: "LocalTensor", mask: "Mask", repeat_times: int, repeat_params: "BinaryRepeatParams", is_set_mask: bool = None) -> None: ...

def fused_mul_add_relu(dst: "LocalTensor", src0: "LocalTensor", src1: "LocalTensor", *args, **kwargs) -> None:
    """dst = src0 * dst + src1, or 0 where that is negative, element by element.

    fused_mul_add_relu(dst: LocalTensor, src0: LocalTensor, src1: LocalTensor, count: int, is_set_mask: bool = None)
    fused_mul_add_relu(dst: LocalTensor, src0: LocalTensor, src1: LocalTensor, mask: Mask, repeat_times: int, repeat_params: BinaryRepeatParams, is_set_mask: bool = None)

    Runs on pipe V.
    """
    kernel_only('fused_mul_add_relu')


@overload
def mul_add_dst(dst: "LocalTensor", src0: "LocalTensor", src1: "LocalTensor", count: int, is_set_mask: bool = None) -> None: ...

@overload
def mul_add_dst(dst: "LocalTensor", src0: "LocalTensor", src1: "LocalTensor", mask: "Mask", repeat_times: int, repeat_params: "BinaryRepeatParams", is_set_mask: bool = None) -> None: ...

def mul_add_dst(dst: "LocalTensor", src0: "LocalTensor", src1: "LocalTensor", *args, **kwargs) -> None:
    """dst = dst + src0 * src1, element by element.

    mul_add_dst(dst: LocalTensor, src0: LocalTensor, src1: LocalTensor, count: int, is_set_mask: bool = None)
    mul_add_dst(dst: LocalTensor, src0: LocalTensor, src1: LocalTensor, mask: Mask, repeat_times: int, repeat_params: BinaryRepeatParams, is_set_mask: bool = None)

    Runs on pipe V.
    """
    kernel_only('mul_add_dst')


@overload
def add_deq_relu(dst: "LocalTensor", src0: "LocalTensor", src1: "LocalTensor", count: int, is_set_mask: bool = None) -> None: ...

@overload
def add_deq_relu(dst: "LocalTensor", src0: "LocalTensor", src1: "LocalTensor", mask: "Mask", repeat_times: int, repeat_params: "BinaryRepeatParams", is_set_mask: bool = None) -> None: ...

def add_deq_relu(dst: "LocalTensor", src0: "LocalTensor", src1: "LocalTensor", *args, **kwargs) -> None:
    """dst = (src0 + src1) times the scale of set_deq_scale, or 0 where that is negative; int32 to float16.

    add_deq_relu(dst: LocalTensor, src0: LocalTensor, src1: LocalTensor, count: int, is_set_mask: bool = None)
    add_deq_relu(dst: LocalTensor, src0: LocalTensor, src1: LocalTensor, mask: Mask, repeat_times: int, repeat_params: BinaryRepeatParams, is_set_mask: bool = None)

    Runs on pipe V.
    """
    kernel_only('add_deq_relu')


@overload
def mul_cast(dst: "LocalTensor", src0: "LocalTensor", src1: "LocalTensor", count: int) -> None: ...

@overload
def mul_cast(dst: "LocalTensor", src0: "LocalTensor", src1: "LocalTensor", mask: "Mask", repeat_times: int, repeat_params: "BinaryRepeatParams") -> None: ...

def mul_cast(dst: "LocalTensor", src0: "LocalTensor", src1: "LocalTensor", *args, **kwargs) -> None:
    """dst = src0 * src1 rounded to int8 or uint8, halves to even, saturated.

    mul_cast(dst: LocalTensor, src0: LocalTensor, src1: LocalTensor, count: int)
    mul_cast(dst: LocalTensor, src0: LocalTensor, src1: LocalTensor, mask: Mask, repeat_times: int, repeat_params: BinaryRepeatParams)

    Runs on pipe V.
    """
    kernel_only('mul_cast')


@overload
def abs(dst: "LocalTensor", src: "LocalTensor", count: int) -> None: ...

@overload
def abs(dst: "LocalTensor", src: "LocalTensor", mask: "Mask", repeat_times: int, repeat_params: "UnaryRepeatParams", is_set_mask: bool = None) -> None: ...

def abs(dst: "LocalTensor", src: "LocalTensor", *args, **kwargs) -> None:
    """dst = the absolute value of src, element by element.

    abs(dst: LocalTensor, src: LocalTensor, count: int)
    abs(dst: LocalTensor, src: LocalTensor, mask: Mask, repeat_times: int, repeat_params: UnaryRepeatParams, is_set_mask: bool = None)

    Runs on pipe V.
    """
    kernel_only('abs')


@overload
def exp(dst: "LocalTensor", src: "LocalTensor", count: int) -> None: ...

@overload
def exp(dst: "LocalTensor", src: "LocalTensor", mask: "Mask", repeat_times: int, repeat_params: "UnaryRepeatParams", is_set_mask: bool = None) -> None: ...

def exp(dst: "LocalTensor", src: "LocalTensor", *args, **kwargs) -> None:
    """dst = e to the power of src, element by element.

    exp(dst: LocalTensor, src: LocalTensor, count: int)
    exp(dst: LocalTensor, src: LocalTensor, mask: Mask, repeat_times: int, repeat_params: UnaryRepeatParams, is_set_mask: bool = None)

    Runs on pipe V.
    """
    kernel_only('exp')


@overload
def ln(dst: "LocalTensor", src: "LocalTensor", count: int) -> None: ...

@overload
def ln(dst: "LocalTensor", src: "LocalTensor", mask: "Mask", repeat_times: int, repeat_params: "UnaryRepeatParams", is_set_mask: bool = None) -> None: ...

def ln(dst: "LocalTensor", src: "LocalTensor", *args, **kwargs) -> None:
    """dst = the natural logarithm of src, element by element.

    ln(dst: LocalTensor, src: LocalTensor, count: int)
    ln(dst: LocalTensor, src: LocalTensor, mask: Mask, repeat_times: int, repeat_params: UnaryRepeatParams, is_set_mask: bool = None)

    Runs on pipe V.
    """
    kernel_only('ln')


@overload
def sqrt(dst: "LocalTensor", src: "LocalTensor", count: int) -> None: ...

@overload
def sqrt(dst: "LocalTensor", src: "LocalTensor", mask: "Mask", repeat_times: int, repeat_params: "UnaryRepeatParams", is_set_mask: bool = None) -> None: ...

def sqrt(dst: "LocalTensor", src: "LocalTensor", *args, **kwargs) -> None:
    """dst = the square root of src, element by element.

    sqrt(dst: LocalTensor, src: LocalTensor, count: int)
    sqrt(dst: LocalTensor, src: LocalTensor, mask: Mask, repeat_times: int, repeat_params: UnaryRepeatParams, is_set_mask: bool = None)

    Runs on pipe V.
    """
    kernel_only('sqrt')


@overload
def rsqrt(dst: "LocalTensor", src: "LocalTensor", count: int) -> None: ...

@overload
def rsqrt(dst: "LocalTensor", src: "LocalTensor", mask: "Mask", repeat_times: int, repeat_params: "UnaryRepeatParams", is_set_mask: bool = None) -> None: ...

def rsqrt(dst: "LocalTensor", src: "LocalTensor", *args, **kwargs) -> None:
    """dst = 1 over the square root of src, element by element.

    rsqrt(dst: LocalTensor, src: LocalTensor, count: int)
    rsqrt(dst: LocalTensor, src: LocalTensor, mask: Mask, repeat_times: int, repeat_params: UnaryRepeatParams, is_set_mask: bool = None)

    Runs on pipe V.
    """
    kernel_only('rsqrt')


@overload
def reciprocal(dst: "LocalTensor", src: "LocalTensor", count: int) -> None: ...

@overload
def reciprocal(dst: "LocalTensor", src: "LocalTensor", mask: "Mask", repeat_times: int, repeat_params: "UnaryRepeatParams", is_set_mask: bool = None) -> None: ...

def reciprocal(dst: "LocalTensor", src: "LocalTensor", *args, **kwargs) -> None:
    """dst = 1 / src, element by element.

    reciprocal(dst: LocalTensor, src: LocalTensor, count: int)
    reciprocal(dst: LocalTensor, src: LocalTensor, mask: Mask, repeat_times: int, repeat_params: UnaryRepeatParams, is_set_mask: bool = None)

    Runs on pipe V.
    """
    kernel_only('reciprocal')


@overload
def relu(dst: "LocalTensor", src: "LocalTensor", count: int) -> None: ...

@overload
def relu(dst: "LocalTensor", src: "LocalTensor", mask: "Mask", repeat_times: int, repeat_params: "UnaryRepeatParams", is_set_mask: bool = None) -> None: ...

def relu(dst: "LocalTensor", src: "LocalTensor", *args, **kwargs) -> None:
    """dst = src, or 0 where it is negative, element by element.

    relu(dst: LocalTensor, src: LocalTensor, count: int)
    relu(dst: LocalTensor, src: LocalTensor, mask: Mask, repeat_times: int, repeat_params: UnaryRepeatParams, is_set_mask: bool = None)

    Runs on pipe V.
    """
    kernel_only('relu')


@overload
def bitwise_not(dst: "LocalTensor", src: "LocalTensor", count: int) -> None: ...

@overload
def bitwise_not(dst: "LocalTensor", src: "LocalTensor", mask: "Mask", repeat_times: int, repeat_params: "UnaryRepeatParams", is_set_mask: bool = None) -> None: ...

def bitwise_not(dst: "LocalTensor", src: "LocalTensor", *args, **kwargs) -> None:
    """dst = ~src, element by element.

    bitwise_not(dst: LocalTensor, src: LocalTensor, count: int)
    bitwise_not(dst: LocalTensor, src: LocalTensor, mask: Mask, repeat_times: int, repeat_params: UnaryRepeatParams, is_set_mask: bool = None)

    Runs on pipe V.
    """
    kernel_only('bitwise_not')


@overload
def adds(dst: "LocalTensor", src: "LocalTensor", scalar: float, count: int, is_set_mask: bool = None) -> None: ...

@overload
def adds(dst: "LocalTensor", src: "LocalTensor", scalar: float, mask: "Mask", repeat_times: int, repeat_params: "UnaryRepeatParams", is_set_mask: bool = None) -> None: ...

def adds(dst: "LocalTensor", src: "LocalTensor", scalar: float, *args, **kwargs) -> None:
    """dst = src + scalar, element by element.

    adds(dst: LocalTensor, src: LocalTensor, scalar: float, count: int, is_set_mask: bool = None)
    adds(dst: LocalTensor, src: LocalTensor, scalar: float, mask: Mask, repeat_times: int, repeat_params: UnaryRepeatParams, is_set_mask: bool = None)

    Runs on pipe V.
    """
    kernel_only('adds')


@overload
def muls(dst: "LocalTensor", src: "LocalTensor", scalar: float, count: int, is_set_mask: bool = None) -> None: ...

@overload
def muls(dst: "LocalTensor", src: "LocalTensor", scalar: float, mask: "Mask", repeat_times: int, repeat_params: "UnaryRepeatParams", is_set_mask: bool = None) -> None: ...

def muls(dst: "LocalTensor", src: "LocalTensor", scalar: float, *args, **kwargs) -> None:
    """dst = src * scalar, element by element.

    muls(dst: LocalTensor, src: LocalTensor, scalar: float, count: int, is_set_mask: bool = None)
    muls(dst: LocalTensor, src: LocalTensor, scalar: float, mask: Mask, repeat_times: int, repeat_params: UnaryRepeatParams, is_set_mask: bool = None)

    Runs on pipe V.
    """
    kernel_only('muls')


@overload
def maxs(dst: "LocalTensor", src: "LocalTensor", scalar: float, count: int, is_set_mask: bool = None) -> None: ...

@overload
def maxs(dst: "LocalTensor", src: "LocalTensor", scalar: float, mask: "Mask", repeat_times: int, repeat_params: "UnaryRepeatParams", is_set_mask: bool = None) -> None: ...

def maxs(dst: "LocalTensor", src: "LocalTensor", scalar: float, *args, **kwargs) -> None:
    """dst = the larger of src and scalar, element by element.

    maxs(dst: LocalTensor, src: LocalTensor, scalar: float, count: int, is_set_mask: bool = None)
    maxs(dst: LocalTensor, src: LocalTensor, scalar: float, mask: Mask, repeat_times: int, repeat_params: UnaryRepeatParams, is_set_mask: bool = None)

    Runs on pipe V.
    """
    kernel_only('maxs')


@overload
def mins(dst: "LocalTensor", src: "LocalTensor", scalar: float, count: int, is_set_mask: bool = None) -> None: ...

@overload
def mins(dst: "LocalTensor", src: "LocalTensor", scalar: float, mask: "Mask", repeat_times: int, repeat_params: "UnaryRepeatParams", is_set_mask: bool = None) -> None: ...

def mins(dst: "LocalTensor", src: "LocalTensor", scalar: float, *args, **kwargs) -> None:
    """dst = the smaller of src and scalar, element by element.

    mins(dst: LocalTensor, src: LocalTensor, scalar: float, count: int, is_set_mask: bool = None)
    mins(dst: LocalTensor, src: LocalTensor, scalar: float, mask: Mask, repeat_times: int, repeat_params: UnaryRepeatParams, is_set_mask: bool = None)

    Runs on pipe V.
    """
    kernel_only('mins')


@overload
def leaky_relu(dst: "LocalTensor", src: "LocalTensor", scalar: float, count: int, is_set_mask: bool = None) -> None: ...

@overload
def leaky_relu(dst: "LocalTensor", src: "LocalTensor", scalar: float, mask: "Mask", repeat_times: int, repeat_params: "UnaryRepeatParams", is_set_mask: bool = None) -> None: ...

def leaky_relu(dst: "LocalTensor", src: "LocalTensor", scalar: float, *args, **kwargs) -> None:
    """dst = src, or src * scalar where it is negative, element by element.

    leaky_relu(dst: LocalTensor, src: LocalTensor, scalar: float, count: int, is_set_mask: bool = None)
    leaky_relu(dst: LocalTensor, src: LocalTensor, scalar: float, mask: Mask, repeat_times: int, repeat_params: UnaryRepeatParams, is_set_mask: bool = None)

    Runs on pipe V.
    """
    kernel_only('leaky_relu')


@overload
def shift_left(dst: "LocalTensor", src: "LocalTensor", scalar: float, count: int, is_set_mask: bool = None) -> None: ...

@overload
def shift_left(dst: "LocalTensor", src: "LocalTensor", scalar: float, mask: "Mask", repeat_times: int, repeat_params: "UnaryRepeatParams", is_set_mask: bool = None) -> None: ...

def shift_left(dst: "LocalTensor", src: "LocalTensor", scalar: float, *args, **kwargs) -> None:
    """dst = src << scalar, element by element.

    shift_left(dst: LocalTensor, src: LocalTensor, scalar: float, count: int, is_set_mask: bool = None)
    shift_left(dst: LocalTensor, src: LocalTensor, scalar: float, mask: Mask, repeat_times: int, repeat_params: UnaryRepeatParams, is_set_mask: bool = None)

    Runs on pipe V.
    """
    kernel_only('shift_left')


@overload
def shift_right(dst: "LocalTensor", src: "LocalTensor", scalar: float, count: int, is_set_mask: bool = None) -> None: ...

@overload
def shift_right(dst: "LocalTensor", src: "LocalTensor", scalar: float, mask: "Mask", repeat_times: int, repeat_params: "UnaryRepeatParams", is_set_mask: bool = None) -> None: ...

def shift_right(dst: "LocalTensor", src: "LocalTensor", scalar: float, *args, **kwargs) -> None:
    """dst = src >> scalar, element by element.

    shift_right(dst: LocalTensor, src: LocalTensor, scalar: float, count: int, is_set_mask: bool = None)
    shift_right(dst: LocalTensor, src: LocalTensor, scalar: float, mask: Mask, repeat_times: int, repeat_params: UnaryRepeatParams, is_set_mask: bool = None)

    Runs on pipe V.
    """
    kernel_only('shift_right')


@overload
def axpy(dst: "LocalTensor", src: "LocalTensor", scalar: float, count: int, is_set_mask: bool = None) -> None: ...

@overload
def axpy(dst: "LocalTensor", src: "LocalTensor", scalar: float, mask: "Mask", repeat_times: int, repeat_params: "UnaryRepeatParams", is_set_mask: bool = None) -> None: ...

def axpy(dst: "LocalTensor", src: "LocalTensor", scalar: float, *args, **kwargs) -> None:
    """dst += src * scalar, element by element; float16 products may be added to float32.

    axpy(dst: LocalTensor, src: LocalTensor, scalar: float, count: int, is_set_mask: bool = None)
    axpy(dst: LocalTensor, src: LocalTensor, scalar: float, mask: Mask, repeat_times: int, repeat_params: UnaryRepeatParams, is_set_mask: bool = None)

    Runs on pipe V.
    """
    kernel_only('axpy')


def bilinear_interpolation(dst: "LocalTensor", src0: "LocalTensor", src0_offset: "LocalTensor", src1: "LocalTensor", mask: "Mask", h_repeat: int, repeat_mode: bool, dst_blk_stride: int, v_r_offset: int, v_repeat: int, shared_tmp_buffer: "LocalTensor") -> None:
    """Blocks of src0 from the bytes of src0_offset, times elements of src1, h_repeat of them added up; v_repeat times.

    Runs on pipe V.
    """
    kernel_only('bilinear_interpolation')


@overload
def cast(dst: "LocalTensor", src: "LocalTensor", round_mode: int, count: int) -> None: ...

@overload
def cast(dst: "LocalTensor", src: "LocalTensor", round_mode: int, mask: "Mask", repeat_times: int, repeat_params: "UnaryRepeatParams", is_set_mask: bool = None) -> None: ...

def cast(dst: "LocalTensor", src: "LocalTensor", round_mode: int, *args, **kwargs) -> None:
    """dst = src as elements of dst's dtype, rounded as round_mode says, saturated.

    cast(dst: LocalTensor, src: LocalTensor, round_mode: int, count: int)
    cast(dst: LocalTensor, src: LocalTensor, round_mode: int, mask: Mask, repeat_times: int, repeat_params: UnaryRepeatParams, is_set_mask: bool = None)

    Runs on pipe V.
    """
    kernel_only('cast')


@overload
def add_relu_cast(dst: "LocalTensor", src0: "LocalTensor", src1: "LocalTensor", count: int) -> None: ...

@overload
def add_relu_cast(dst: "LocalTensor", src0: "LocalTensor", src1: "LocalTensor", mask: "Mask", repeat_times: int, repeat_params: "BinaryRepeatParams", is_set_mask: bool = None) -> None: ...

def add_relu_cast(dst: "LocalTensor", src0: "LocalTensor", src1: "LocalTensor", *args, **kwargs) -> None:
    """dst = src0 + src1, or 0 where that is negative, as elements of dst's dtype.

    add_relu_cast(dst: LocalTensor, src0: LocalTensor, src1: LocalTensor, count: int)
    add_relu_cast(dst: LocalTensor, src0: LocalTensor, src1: LocalTensor, mask: Mask, repeat_times: int, repeat_params: BinaryRepeatParams, is_set_mask: bool = None)

    Runs on pipe V.
    """
    kernel_only('add_relu_cast')


@overload
def sub_relu_cast(dst: "LocalTensor", src0: "LocalTensor", src1: "LocalTensor", count: int) -> None: ...

@overload
def sub_relu_cast(dst: "LocalTensor", src0: "LocalTensor", src1: "LocalTensor", mask: "Mask", repeat_times: int, repeat_params: "BinaryRepeatParams", is_set_mask: bool = None) -> None: ...

def sub_relu_cast(dst: "LocalTensor", src0: "LocalTensor", src1: "LocalTensor", *args, **kwargs) -> None:
    """dst = src0 - src1, or 0 where that is negative, as elements of dst's dtype.

    sub_relu_cast(dst: LocalTensor, src0: LocalTensor, src1: LocalTensor, count: int)
    sub_relu_cast(dst: LocalTensor, src0: LocalTensor, src1: LocalTensor, mask: Mask, repeat_times: int, repeat_params: BinaryRepeatParams, is_set_mask: bool = None)

    Runs on pipe V.
    """
    kernel_only('sub_relu_cast')


@overload
def cast_deq(dst: "LocalTensor", src: "LocalTensor", count: int, is_vec_deq: bool = None, half_block: bool = None) -> None: ...

@overload
def cast_deq(dst: "LocalTensor", src: "LocalTensor", mask: "Mask", repeat_times: int, repeat_params: "UnaryRepeatParams", is_set_mask: bool = None, is_vec_deq: bool = None, half_block: bool = None) -> None: ...

def cast_deq(dst: "LocalTensor", src: "LocalTensor", *args, **kwargs) -> None:
    """dst = src times the scale that set_deq_scale has set, plus its offset; int16 to half of each block of int8 or uint8, int32 to float16.

    cast_deq(dst: LocalTensor, src: LocalTensor, count: int, is_vec_deq: bool = None, half_block: bool = None)
    cast_deq(dst: LocalTensor, src: LocalTensor, mask: Mask, repeat_times: int, repeat_params: UnaryRepeatParams, is_set_mask: bool = None, is_vec_deq: bool = None, half_block: bool = None)

    Runs on pipe V.
    """
    kernel_only('cast_deq')


@overload
def set_deq_scale(scale: float) -> None: ...

@overload
def set_deq_scale(scale: float, offset: int, sign_mode: bool) -> None: ...

@overload
def set_deq_scale(vdeq: "LocalTensor", vdeq_info: "VdeqInfo") -> None: ...

def set_deq_scale(*args, **kwargs) -> None:
    """Set what integers are scaled with: one scale, one with an offset, or 16, which are written to vdeq.

    set_deq_scale(scale: float)
    set_deq_scale(scale: float, offset: int, sign_mode: bool)
    set_deq_scale(vdeq: LocalTensor, vdeq_info: VdeqInfo)
    """
    kernel_only('set_deq_scale')


@overload
def duplicate(dst: "LocalTensor", scalar: float, count: int, is_set_mask: bool = None) -> None: ...

@overload
def duplicate(dst: "LocalTensor", scalar: float, mask: "Mask", repeat_times: int, dst_block_stride: int, dst_repeat_stride: int, is_set_mask: bool = None) -> None: ...

def duplicate(dst: "LocalTensor", scalar: float, *args, **kwargs) -> None:
    """dst = scalar, every element.

    duplicate(dst: LocalTensor, scalar: float, count: int, is_set_mask: bool = None)
    duplicate(dst: LocalTensor, scalar: float, mask: Mask, repeat_times: int, dst_block_stride: int, dst_repeat_stride: int, is_set_mask: bool = None)

    Runs on pipe V.
    """
    kernel_only('duplicate')


def brcb(dst: "LocalTensor", src0: "LocalTensor", repeat_times: int, repeat_params: "BrcbRepeatParams") -> None:
    """Each element of src0 fills a block of 32 bytes; 8 in a repeat.

    Runs on pipe V.
    """
    kernel_only('brcb')


for _f, _name in (
        (add, "asc.add"),
        (sub, "asc.sub"),
        (mul, "asc.mul"),
        (div, "asc.div"),
        (max, "asc.max"),
        (min, "asc.min"),
        (bitwise_and, "asc.bitwise_and"),
        (bitwise_or, "asc.bitwise_or"),
        (add_relu, "asc.add_relu"),
        (sub_relu, "asc.sub_relu"),
        (fused_mul_add, "asc.fused_mul_add"),
        (fused_mul_add_relu, "asc.fused_mul_add_relu"),
        (mul_add_dst, "asc.mul_add_dst"),
        (add_deq_relu, "asc.add_deq_relu"),
        (mul_cast, "asc.mul_cast"),
        (abs, "asc.abs"),
        (exp, "asc.exp"),
        (ln, "asc.ln"),
        (sqrt, "asc.sqrt"),
        (rsqrt, "asc.rsqrt"),
        (reciprocal, "asc.reciprocal"),
        (relu, "asc.relu"),
        (bitwise_not, "asc.bitwise_not"),
        (adds, "asc.adds"),
        (muls, "asc.muls"),
        (maxs, "asc.maxs"),
        (mins, "asc.mins"),
        (leaky_relu, "asc.leaky_relu"),
        (shift_left, "asc.shift_left"),
        (shift_right, "asc.shift_right"),
        (axpy, "asc.axpy"),
        (bilinear_interpolation, "asc.bilinear_interpolation"),
        (cast, "asc.cast"),
        (add_relu_cast, "asc.add_relu_cast"),
        (sub_relu_cast, "asc.sub_relu_cast"),
        (cast_deq, "asc.cast_deq"),
        (set_deq_scale, "asc.set_deq_scale"),
        (duplicate, "asc.duplicate"),
        (brcb, "asc.brcb"),
):
    _f.__pyasc_op__ = _name

__all__ = [
    "add", "sub", "mul", "div", "max", "min", "bitwise_and", "bitwise_or", "add_relu", "sub_relu", "fused_mul_add",
    "fused_mul_add_relu", "mul_add_dst", "add_deq_relu", "mul_cast", "abs", "exp", "ln", "sqrt", "rsqrt",
    "reciprocal", "relu", "bitwise_not", "adds", "muls", "maxs", "mins", "leaky_relu", "shift_left", "shift_right",
    "axpy", "bilinear_interpolation", "cast", "add_relu_cast", "sub_relu_cast", "cast_deq", "set_deq_scale",
    "duplicate", "brcb",
]
