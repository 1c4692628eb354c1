"""Element types."""
import sys

_NAMES = {"void": 0, "int1": 1, "bit": 1, "int8": 8, "int16": 16, "int32": 32, "int64": 64, "uint8": 8, "uint16": 16,
          "uint32": 32, "uint64": 64, "float16": 16, "float32": 32, "float64": 64}


class DataType:
    """An element type. `name` is its name, `kind` one of void, int, uint, float, `bitwidth` its bits."""
    __pyasc_asc__ = True

    def __init__(self, name):
        if name not in _NAMES:
            raise ValueError(f"there is no dtype {name!r}; known are {', '.join(_NAMES)}")
        self.name = name
        self.bitwidth = _NAMES[name]
        self.kind = name.rstrip("0123456789") if name != "bit" else "int"
        if name.lstrip("uint") in ("8", "16", "32", "64") or name.startswith("float"):
            self.__pyasc_dtype__ = name

    def is_int(self):
        return self.kind in ("int", "uint")

    def is_float(self):
        return self.kind == "float"

    def is_numeric(self):
        return self.is_int() or self.is_float()

    def is_signed(self):
        return self.kind in ("int", "float")

    def is_unsigned(self):
        return self.kind == "uint"

    def is_void(self):
        return self.kind == "void"

    def sizeof(self):
        """Bytes of an element. Raises ValueError for types of less than a byte."""
        if self.bitwidth < 8:
            raise ValueError(f"{self.name} has no size in bytes")
        return self.bitwidth // 8

    def __eq__(self, other):
        return isinstance(other, DataType) and self.name == other.name

    __hash__ = None

    def __repr__(self):
        return self.name


class KnownTypes:
    """The element types by name."""


for _name in _NAMES:
    setattr(KnownTypes, _name, DataType(_name))
KnownTypes.bool_ = KnownTypes.int8
KnownTypes.half = KnownTypes.float16
KnownTypes.float_ = KnownTypes.float32
KnownTypes.double = KnownTypes.float64
KnownTypes.int_ = KnownTypes.int32
__all__ = ["void", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "half", "float32",
           "float_", "float64", "double", "int_"]
for _name in __all__:
    setattr(sys.modules[__name__], _name, getattr(KnownTypes, _name))
