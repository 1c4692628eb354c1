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


@overload
def compare(dst: "LocalTensor", src0: "LocalTensor", src1: "LocalTensor", cmp_mode: int, count: int) -> None: ...

@overload
def compare(dst: "LocalTensor", src0: "LocalTensor", src1: "LocalTensor", cmp_mode: int, mask: "Mask", repeat_times: int, repeat_params: "BinaryRepeatParams", is_set_mask: bool = None) -> None: ...

@overload
def compare(src0: "LocalTensor", src1: "LocalTensor", cmp_mode: int, mask: "Mask", repeat_params: "BinaryRepeatParams", is_set_mask: bool = None) -> None: ...

def compare(*args, **kwargs) -> None:
    """A bit of dst for each element: does the comparison hold; without dst into the CMPMASK register.

    compare(dst: LocalTensor, src0: LocalTensor, src1: LocalTensor, cmp_mode: int, count: int)
    compare(dst: LocalTensor, src0: LocalTensor, src1: LocalTensor, cmp_mode: int, mask: Mask, repeat_times: int, repeat_params: BinaryRepeatParams, is_set_mask: bool = None)
    compare(src0: LocalTensor, src1: LocalTensor, cmp_mode: int, mask: Mask, repeat_params: BinaryRepeatParams, is_set_mask: bool = None)

    Runs on pipe V.
    """
    kernel_only('compare')


@overload
def compare_scalar(dst: "LocalTensor", src0: "LocalTensor", src1_scalar: float, cmp_mode: int, count: int) -> None: ...

@overload
def compare_scalar(dst: "LocalTensor", src0: "LocalTensor", src1_scalar: float, cmp_mode: int, mask: "Mask", repeat_times: int, repeat_params: "UnaryRepeatParams", is_set_mask: bool = None) -> None: ...

def compare_scalar(dst: "LocalTensor", src0: "LocalTensor", src1_scalar: float, cmp_mode: int, *args, **kwargs) -> None:
    """A bit of dst for each element: does the comparison with the scalar hold.

    compare_scalar(dst: LocalTensor, src0: LocalTensor, src1_scalar: float, cmp_mode: int, count: int)
    compare_scalar(dst: LocalTensor, src0: LocalTensor, src1_scalar: float, cmp_mode: int, mask: Mask, repeat_times: int, repeat_params: UnaryRepeatParams, is_set_mask: bool = None)

    Runs on pipe V.
    """
    kernel_only('compare_scalar')


def get_cmp_mask(dst: "LocalTensor") -> None:
    """The 16 bytes of the CMPMASK register.

    Runs on pipe V.
    """
    kernel_only('get_cmp_mask')


def set_cmp_mask(src: "LocalTensor") -> None:
    """Set the CMPMASK register from 16 bytes.

    Runs on pipe V.
    """
    kernel_only('set_cmp_mask')


@overload
def select(dst: "LocalTensor", sel_mask: "LocalTensor", src0: "LocalTensor", src1: float, sel_mode: int, count: int) -> None: ...

@overload
def select(dst: "LocalTensor", sel_mask: "LocalTensor", src0: "LocalTensor", src1: "LocalTensor", sel_mode: int, count: int) -> None: ...

@overload
def select(dst: "LocalTensor", sel_mask: "LocalTensor", src0: "LocalTensor", src1: float, sel_mode: int, mask: "Mask", repeat_times: int, repeat_params: "BinaryRepeatParams", is_set_mask: bool = None) -> None: ...

@overload
def select(dst: "LocalTensor", sel_mask: "LocalTensor", src0: "LocalTensor", src1: "LocalTensor", sel_mode: int, mask: "Mask", repeat_times: int, repeat_params: "BinaryRepeatParams", is_set_mask: bool = None) -> None: ...

@overload
def select(dst: "LocalTensor", sel_mask: "LocalTensor", src0: "LocalTensor", repeat_times: int, repeat_params: "BinaryRepeatParams") -> None: ...

@overload
def select(dst: "LocalTensor", src0: "LocalTensor", src1: "LocalTensor", repeat_times: int, repeat_params: "BinaryRepeatParams", sel_mode: int) -> None: ...

def select(dst: "LocalTensor", *args, **kwargs) -> None:
    """dst = src0 where sel_mask has a bit, else src1; without sel_mask or src1 the CMPMASK register is meant.

    select(dst: LocalTensor, sel_mask: LocalTensor, src0: LocalTensor, src1: float, sel_mode: int, count: int)
    select(dst: LocalTensor, sel_mask: LocalTensor, src0: LocalTensor, src1: LocalTensor, sel_mode: int, count: int)
    select(dst: LocalTensor, sel_mask: LocalTensor, src0: LocalTensor, src1: float, sel_mode: int, mask: Mask, repeat_times: int, repeat_params: BinaryRepeatParams, is_set_mask: bool = None)
    select(dst: LocalTensor, sel_mask: LocalTensor, src0: LocalTensor, src1: LocalTensor, sel_mode: int, mask: Mask, repeat_times: int, repeat_params: BinaryRepeatParams, is_set_mask: bool = None)
    select(dst: LocalTensor, sel_mask: LocalTensor, src0: LocalTensor, repeat_times: int, repeat_params: BinaryRepeatParams)
    select(dst: LocalTensor, src0: LocalTensor, src1: LocalTensor, repeat_times: int, repeat_params: BinaryRepeatParams, sel_mode: int)

    Runs on pipe V.
    """
    kernel_only('select')


def block_reduce_sum(dst: "LocalTensor", src: "LocalTensor", repeat: int, mask: "Mask", dst_rep_stride: int, src_blk_stride: int, src_rep_stride: int) -> None:
    """The sum of each block of 32 bytes.

    Runs on pipe V.
    """
    kernel_only('block_reduce_sum')


def block_reduce_max(dst: "LocalTensor", src: "LocalTensor", repeat: int, mask: "Mask", dst_rep_stride: int, src_blk_stride: int, src_rep_stride: int) -> None:
    """The largest of each block of 32 bytes.

    Runs on pipe V.
    """
    kernel_only('block_reduce_max')


def block_reduce_min(dst: "LocalTensor", src: "LocalTensor", repeat: int, mask: "Mask", dst_rep_stride: int, src_blk_stride: int, src_rep_stride: int) -> None:
    """The smallest of each block of 32 bytes.

    Runs on pipe V.
    """
    kernel_only('block_reduce_min')


def pair_reduce_sum(dst: "LocalTensor", src: "LocalTensor", repeat_time: int, mask: "Mask", dst_rep_stride: int, src_blk_stride: int, src_rep_stride: int, is_set_mask: bool = None) -> None:
    """The sum of each pair of neighbours.

    Runs on pipe V.
    """
    kernel_only('pair_reduce_sum')


def repeat_reduce_sum(dst: "LocalTensor", src: "LocalTensor", repeat_time: int, mask: "Mask", dst_blk_stride: int, src_blk_stride: int, dst_rep_stride: int, src_rep_stride: int, is_set_mask: bool = None) -> None:
    """The sum of each repeat.

    Runs on pipe V.
    """
    kernel_only('repeat_reduce_sum')


def whole_reduce_sum(dst: "LocalTensor", src: "LocalTensor", mask: "Mask", repeat_time: int, dst_rep_stride: int, src_blk_stride: int, src_rep_stride: int, is_set_mask: bool = None) -> None:
    """The sum of each repeat.

    Runs on pipe V.
    """
    kernel_only('whole_reduce_sum')


def whole_reduce_max(dst: "LocalTensor", src: "LocalTensor", mask: "Mask", repeat_time: int, dst_rep_stride: int, src_blk_stride: int, src_rep_stride: int, order: int = None, is_set_mask: bool = None) -> None:
    """The largest of each repeat, and its lane.

    Runs on pipe V.
    """
    kernel_only('whole_reduce_max')


def whole_reduce_min(dst: "LocalTensor", src: "LocalTensor", mask: "Mask", repeat_time: int, dst_rep_stride: int, src_blk_stride: int, src_rep_stride: int, order: int = None, is_set_mask: bool = None) -> None:
    """The smallest of each repeat, and its lane.

    Runs on pipe V.
    """
    kernel_only('whole_reduce_min')


@overload
def reduce_max(dst: "LocalTensor", src: "LocalTensor", shared_tmp_buffer: "LocalTensor", count: int, cal_index: bool = None) -> None: ...

@overload
def reduce_max(dst: "LocalTensor", src: "LocalTensor", shared_tmp_buffer: "LocalTensor", mask: "Mask", repeat_time: int, src_rep_stride: int, cal_index: bool = None) -> None: ...

def reduce_max(dst: "LocalTensor", src: "LocalTensor", shared_tmp_buffer: "LocalTensor", *args, **kwargs) -> None:
    """The largest element; with cal_index its index behind it, as bits.

    reduce_max(dst: LocalTensor, src: LocalTensor, shared_tmp_buffer: LocalTensor, count: int, cal_index: bool = None)
    reduce_max(dst: LocalTensor, src: LocalTensor, shared_tmp_buffer: LocalTensor, mask: Mask, repeat_time: int, src_rep_stride: int, cal_index: bool = None)

    Runs on pipe V.
    """
    kernel_only('reduce_max')


@overload
def reduce_min(dst: "LocalTensor", src: "LocalTensor", shared_tmp_buffer: "LocalTensor", count: int, cal_index: bool = None) -> None: ...

@overload
def reduce_min(dst: "LocalTensor", src: "LocalTensor", shared_tmp_buffer: "LocalTensor", mask: "Mask", repeat_time: int, src_rep_stride: int, cal_index: bool = None) -> None: ...

def reduce_min(dst: "LocalTensor", src: "LocalTensor", shared_tmp_buffer: "LocalTensor", *args, **kwargs) -> None:
    """The smallest element; with cal_index its index behind it, as bits.

    reduce_min(dst: LocalTensor, src: LocalTensor, shared_tmp_buffer: LocalTensor, count: int, cal_index: bool = None)
    reduce_min(dst: LocalTensor, src: LocalTensor, shared_tmp_buffer: LocalTensor, mask: Mask, repeat_time: int, src_rep_stride: int, cal_index: bool = None)

    Runs on pipe V.
    """
    kernel_only('reduce_min')


@overload
def reduce_sum(dst: "LocalTensor", src: "LocalTensor", shared_tmp_buffer: "LocalTensor", count: int) -> None: ...

@overload
def reduce_sum(dst: "LocalTensor", src: "LocalTensor", shared_tmp_buffer: "LocalTensor", mask: "Mask", repeat_time: int, src_rep_stride: int) -> None: ...

def reduce_sum(dst: "LocalTensor", src: "LocalTensor", shared_tmp_buffer: "LocalTensor", *args, **kwargs) -> None:
    """The sum of all elements.

    reduce_sum(dst: LocalTensor, src: LocalTensor, shared_tmp_buffer: LocalTensor, count: int)
    reduce_sum(dst: LocalTensor, src: LocalTensor, shared_tmp_buffer: LocalTensor, mask: Mask, repeat_time: int, src_rep_stride: int)

    Runs on pipe V.
    """
    kernel_only('reduce_sum')


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
        (compare, "asc.compare"),
        (compare_scalar, "asc.compare_scalar"),
        (get_cmp_mask, "asc.get_cmp_mask"),
        (set_cmp_mask, "asc.set_cmp_mask"),
        (select, "asc.select"),
        (block_reduce_sum, "asc.block_reduce_sum"),
        (block_reduce_max, "asc.block_reduce_max"),
        (block_reduce_min, "asc.block_reduce_min"),
        (pair_reduce_sum, "asc.pair_reduce_sum"),
        (repeat_reduce_sum, "asc.repeat_reduce_sum"),
        (whole_reduce_sum, "asc.whole_reduce_sum"),
        (whole_reduce_max, "asc.whole_reduce_max"),
        (whole_reduce_min, "asc.whole_reduce_min"),
        (reduce_max, "asc.reduce_max"),
        (reduce_min, "asc.reduce_min"),
        (reduce_sum, "asc.reduce_sum"),
):
    _f.__pyasc_op__ = _name

__all__ = [
    "add", "sub", "mul", "div", "max", "min", "bitwise_and", "bitwise_or", "add_relu", "sub_relu", "fused_mul_add",
    "fused_mul_add_relu", "mul_add_dst", "add_deq_relu", "mul_cast", "abs", "exp", "ln", "sqrt", "rsqrt",
    "reciprocal", "relu", "bitwise_not", "adds", "muls", "maxs", "mins", "leaky_relu", "shift_left", "shift_right",
    "axpy", "bilinear_interpolation", "cast", "add_relu_cast", "sub_relu_cast", "cast_deq", "set_deq_scale",
    "duplicate", "brcb", "compare", "compare_scalar", "get_cmp_mask", "set_cmp_mask", "select", "block_reduce_sum",
    "block_reduce_max", "block_reduce_min", "pair_reduce_sum", "repeat_reduce_sum", "whole_reduce_sum",
    "whole_reduce_max", "whole_reduce_min", "reduce_max", "reduce_min", "reduce_sum",
]
