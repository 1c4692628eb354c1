"""Printed by tools/asc_face.py from src/base/asc/adv.def."""
from typing import Any, overload

from .._stub import kernel_only
from ..core import *
from .tiling import *
from .types import *


def acos(dst: "LocalTensor", src: "LocalTensor", count: int = None, temp_buffer: "LocalTensor" = None, is_reuse_source: bool = None) -> None:
    """dst = arc cosine of src, element by element.

    Runs on pipe V.
    """
    kernel_only('acos')


def acosh(dst: "LocalTensor", src: "LocalTensor", count: int = None, temp_buffer: "LocalTensor" = None, is_reuse_source: bool = None) -> None:
    """dst = inverse hyperbolic cosine of src, element by element.

    Runs on pipe V.
    """
    kernel_only('acosh')


def asin(dst: "LocalTensor", src: "LocalTensor", count: int = None, temp_buffer: "LocalTensor" = None, is_reuse_source: bool = None) -> None:
    """dst = arc sine of src, element by element.

    Runs on pipe V.
    """
    kernel_only('asin')


def asinh(dst: "LocalTensor", src: "LocalTensor", count: int = None, temp_buffer: "LocalTensor" = None, is_reuse_source: bool = None) -> None:
    """dst = inverse hyperbolic sine of src, element by element.

    Runs on pipe V.
    """
    kernel_only('asinh')


def atan(dst: "LocalTensor", src: "LocalTensor", count: int = None, temp_buffer: "LocalTensor" = None, is_reuse_source: bool = None) -> None:
    """dst = arc tangent of src, element by element.

    Runs on pipe V.
    """
    kernel_only('atan')


def atanh(dst: "LocalTensor", src: "LocalTensor", count: int = None, temp_buffer: "LocalTensor" = None, is_reuse_source: bool = None) -> None:
    """dst = inverse hyperbolic tangent of src, element by element.

    Runs on pipe V.
    """
    kernel_only('atanh')


def ceil(dst: "LocalTensor", src: "LocalTensor", count: int = None, temp_buffer: "LocalTensor" = None, is_reuse_source: bool = None) -> None:
    """dst = src rounded up, element by element.

    Runs on pipe V.
    """
    kernel_only('ceil')


def cos(dst: "LocalTensor", src: "LocalTensor", count: int = None, temp_buffer: "LocalTensor" = None, is_reuse_source: bool = None) -> None:
    """dst = cosine of src (radians), element by element.

    Runs on pipe V.
    """
    kernel_only('cos')


def cosh(dst: "LocalTensor", src: "LocalTensor", count: int = None, temp_buffer: "LocalTensor" = None, is_reuse_source: bool = None) -> None:
    """dst = hyperbolic cosine of src, element by element.

    Runs on pipe V.
    """
    kernel_only('cosh')


def digamma(dst: "LocalTensor", src: "LocalTensor", count: int = None, temp_buffer: "LocalTensor" = None, is_reuse_source: bool = None) -> None:
    """dst = logarithmic derivative of the gamma function at src, element by element.

    Runs on pipe V.
    """
    kernel_only('digamma')


def erf(dst: "LocalTensor", src: "LocalTensor", count: int = None, temp_buffer: "LocalTensor" = None, is_reuse_source: bool = None) -> None:
    """dst = error function of src, element by element.

    Runs on pipe V.
    """
    kernel_only('erf')


def erfc(dst: "LocalTensor", src: "LocalTensor", count: int = None, temp_buffer: "LocalTensor" = None, is_reuse_source: bool = None) -> None:
    """dst = 1 - error function of src, element by element.

    Runs on pipe V.
    """
    kernel_only('erfc')


def floor(dst: "LocalTensor", src: "LocalTensor", count: int = None, temp_buffer: "LocalTensor" = None, is_reuse_source: bool = None) -> None:
    """dst = src rounded down, element by element.

    Runs on pipe V.
    """
    kernel_only('floor')


def frac(dst: "LocalTensor", src: "LocalTensor", count: int = None, temp_buffer: "LocalTensor" = None, is_reuse_source: bool = None) -> None:
    """dst = src less its whole part, element by element.

    Runs on pipe V.
    """
    kernel_only('frac')


def lgamma(dst: "LocalTensor", src: "LocalTensor", count: int = None, temp_buffer: "LocalTensor" = None, is_reuse_source: bool = None) -> None:
    """dst = logarithm of the absolute value of the gamma function at src, element by element.

    Runs on pipe V.
    """
    kernel_only('lgamma')


def log(dst: "LocalTensor", src: "LocalTensor", count: int = None, temp_buffer: "LocalTensor" = None, is_reuse_source: bool = None) -> None:
    """dst = natural logarithm of src, element by element.

    Runs on pipe V.
    """
    kernel_only('log')


def round(dst: "LocalTensor", src: "LocalTensor", count: int = None, temp_buffer: "LocalTensor" = None, is_reuse_source: bool = None) -> None:
    """dst = src rounded to the nearest whole number, halves to even, element by element.

    Runs on pipe V.
    """
    kernel_only('round')


def sign(dst: "LocalTensor", src: "LocalTensor", count: int = None, temp_buffer: "LocalTensor" = None, is_reuse_source: bool = None) -> None:
    """dst = -1, 0 or 1 by the sign of src, element by element.

    Runs on pipe V.
    """
    kernel_only('sign')


def sin(dst: "LocalTensor", src: "LocalTensor", count: int = None, temp_buffer: "LocalTensor" = None, is_reuse_source: bool = None) -> None:
    """dst = sine of src (radians), element by element.

    Runs on pipe V.
    """
    kernel_only('sin')


def sinh(dst: "LocalTensor", src: "LocalTensor", count: int = None, temp_buffer: "LocalTensor" = None, is_reuse_source: bool = None) -> None:
    """dst = hyperbolic sine of src, element by element.

    Runs on pipe V.
    """
    kernel_only('sinh')


def tan(dst: "LocalTensor", src: "LocalTensor", count: int = None, temp_buffer: "LocalTensor" = None, is_reuse_source: bool = None) -> None:
    """dst = tangent of src (radians), element by element.

    Runs on pipe V.
    """
    kernel_only('tan')


def tanh(dst: "LocalTensor", src: "LocalTensor", count: int = None, temp_buffer: "LocalTensor" = None, is_reuse_source: bool = None) -> None:
    """dst = hyperbolic tangent of src, element by element.

    Runs on pipe V.
    """
    kernel_only('tanh')


def trunc(dst: "LocalTensor", src: "LocalTensor", count: int = None, temp_buffer: "LocalTensor" = None, is_reuse_source: bool = None) -> None:
    """dst = src rounded toward zero, element by element.

    Runs on pipe V.
    """
    kernel_only('trunc')


def exp(dst: "LocalTensor", src: "LocalTensor", count: int, taylor_expand_level: int, temp_buffer: "LocalTensor" = None, is_reuse_source: bool = None) -> None:
    """dst = e to the power of src, element by element; taylor_expand_level terms on the NPU, exact to the last bit or so here.

    Runs on pipe V.
    """
    kernel_only('exp')


def power(dst: "LocalTensor", src0: "LocalTensor", src1: "LocalTensor", count: int = None, temp_buffer: "LocalTensor" = None, is_reuse_source: bool = None) -> None:
    """dst = src0 to the power of src1, element by element.

    Runs on pipe V.
    """
    kernel_only('power')


def xor(dst: "LocalTensor", src0: "LocalTensor", src1: "LocalTensor", count: int = None, temp_buffer: "LocalTensor" = None, is_reuse_source: bool = None) -> None:
    """dst = src0 exclusive or src1, bit by bit.

    Runs on pipe V.
    """
    kernel_only('xor')


def axpy(dst: "LocalTensor", src: "LocalTensor", scalar: float, count: int = None, temp_buffer: "LocalTensor" = None, is_reuse_source: bool = None) -> None:
    """dst += src * scalar, element by element; float16 products may be added to float32.

    Runs on pipe V.
    """
    kernel_only('axpy')


def softmax(dst: "LocalTensor", sum: "LocalTensor", max: "LocalTensor", src: "LocalTensor", tiling: "SoftmaxTiling", temp_buffer: "LocalTensor" = None, reuse_source: bool = None, basic_block: bool = None, data_format_nz: bool = None) -> None:
    """Each row of src: e to the power of its elements less their largest, over the sum of these. sum and max get each row's, 32 bytes of copies.

    Runs on pipe V.
    """
    kernel_only('softmax')


def rmsnorm(dst: "LocalTensor", src: "LocalTensor", gamma: "LocalTensor", epsilon: float, tiling: "RmsNormTiling", temp_buffer: "LocalTensor" = None, basic_block: bool = None) -> None:
    """Each row of src over the root of its mean square plus epsilon, times gamma.

    Runs on pipe V.
    """
    kernel_only('rmsnorm')


def quant(dst: "LocalTensor", src: "LocalTensor", scale: float, offset: float, count: int = None, temp_buffer: "LocalTensor" = None, reuse_source: bool = None, config: "QuantConfig" = None) -> None:
    """dst = src * scale + offset, rounded to int8, halves to even, saturated.

    Runs on pipe V.
    """
    kernel_only('quant')


for _f, _name in (
        (acos, "asc.adv.acos"),
        (acosh, "asc.adv.acosh"),
        (asin, "asc.adv.asin"),
        (asinh, "asc.adv.asinh"),
        (atan, "asc.adv.atan"),
        (atanh, "asc.adv.atanh"),
        (ceil, "asc.adv.ceil"),
        (cos, "asc.adv.cos"),
        (cosh, "asc.adv.cosh"),
        (digamma, "asc.adv.digamma"),
        (erf, "asc.adv.erf"),
        (erfc, "asc.adv.erfc"),
        (floor, "asc.adv.floor"),
        (frac, "asc.adv.frac"),
        (lgamma, "asc.adv.lgamma"),
        (log, "asc.adv.log"),
        (round, "asc.adv.round"),
        (sign, "asc.adv.sign"),
        (sin, "asc.adv.sin"),
        (sinh, "asc.adv.sinh"),
        (tan, "asc.adv.tan"),
        (tanh, "asc.adv.tanh"),
        (trunc, "asc.adv.trunc"),
        (exp, "asc.adv.exp"),
        (power, "asc.adv.power"),
        (xor, "asc.adv.xor"),
        (axpy, "asc.adv.axpy"),
        (softmax, "asc.adv.softmax"),
        (rmsnorm, "asc.adv.rmsnorm"),
        (quant, "asc.adv.quant"),
):
    _f.__pyasc_op__ = _name

__all__ = [
    "acos", "acosh", "asin", "asinh", "atan", "atanh", "ceil", "cos", "cosh", "digamma", "erf", "erfc", "floor",
    "frac", "lgamma", "log", "round", "sign", "sin", "sinh", "tan", "tanh", "trunc", "exp", "power", "xor", "axpy",
    "softmax", "rmsnorm", "quant",
]
