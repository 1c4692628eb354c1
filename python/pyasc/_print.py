"""Writes what kernels print."""
import struct
import sys


def show(records):
    sys.stdout.write("".join(_line(r) for r in records))


def _line(pieces):
    return "".join(p if isinstance(p, str) else _value(*p) for p in pieces)


def _value(value, spec, conversion, dtype):
    if conversion == "r":
        return format(repr(value), spec)
    if spec or not isinstance(value, float) or dtype == "f64":
        return format(value, spec)
    return _short(value)


def _short(value):
    """The shortest decimal that is this float32."""
    for digits in range(1, 10):
        text = f"{value:.{digits}g}"
        try:
            same = struct.pack("f", float(text)) == struct.pack("f", value)
        except OverflowError:
            same = False
        if same:
            return repr(float(text))
    return repr(value)
