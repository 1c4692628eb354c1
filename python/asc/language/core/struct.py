"""Structures that the host fills and kernels read."""
import ctypes

from .dtype import KnownTypes

_MISSING = object()
_CTYPES = {"int8": ctypes.c_int8, "int16": ctypes.c_int16, "int32": ctypes.c_int32, "int64": ctypes.c_int64,
           "uint8": ctypes.c_uint8, "uint16": ctypes.c_uint16, "uint32": ctypes.c_uint32, "uint64": ctypes.c_uint64,
           "float16": ctypes.c_uint16, "float32": ctypes.c_float, "float64": ctypes.c_double, "int1": ctypes.c_int8}


class BaseField:
    """What Field and StructField have in common: a default, and the name in C."""

    def __init__(self, default, name):
        self.default, self.name = default, name

    def __set_name__(self, owner, name):
        self.attribute = name
        self.name = self.name or name


class Field(BaseField):
    """A number of a structure: its dtype, its default (none: it must be given), its name in C."""

    def __init__(self, dtype, default=_MISSING, name=None, enum=None):
        super().__init__(default, name)
        self.dtype, self.enum = dtype, enum

    def ctypes_cls(self):
        return _CTYPES[self.dtype.name]

    def ctypes_value(self, value):
        if self.dtype == KnownTypes.float16:
            import struct
            return struct.unpack("<H", struct.pack("<e", float(value)))[0]
        return float(value) if self.dtype.is_float() else int(value)


class StructField(BaseField):
    """A structure within a structure."""

    def __init__(self, struct_cls, default=None, name=None):
        super().__init__(struct_cls() if default is None and not struct_cls._required() else default, name)
        self.struct_cls = struct_cls

    def ctypes_cls(self):
        return self.struct_cls.ctypes_class

    def ctypes_value(self, value):
        return value.ctypes_struct


class _Words:
    """The fields of a Struct as one array, which operations read: integers as they are, floats by their bits."""

    def __get__(self, instance, cls):
        if instance is None:
            return self
        import struct
        import numpy as np
        words = []
        for name in cls.struct_fields:
            value = getattr(instance, name)
            if isinstance(value, float):
                words.append(struct.unpack("<q", struct.pack("<d", value))[0])
            else:
                words.append(0 if isinstance(value, Struct) else int(value))
        return np.array(words, np.int64)


class Struct:
    """A structure: `class S(Struct): n = Field(asc.int32, default=1)`. An instance is an argument of kernels, which read its
    fields; kernels make their own by keywords. `pack` of the class statement is the alignment in bytes, 8 if not given."""

    struct_fields = {}
    __pyasc_words__ = _Words()

    def __init_subclass__(cls, pack=8, **kwargs):
        super().__init_subclass__(**kwargs)
        own = {k: v for k, v in vars(cls).items() if isinstance(v, BaseField)}
        cls.struct_fields = {**cls.struct_fields, **own}
        rows = [(f.name, f.ctypes_cls()) for f in cls.struct_fields.values()]
        cls.ctypes_class = type(cls.__name__, (ctypes.Structure, ), {"_pack_": pack, "_fields_": rows})

    @classmethod
    def _required(cls):
        return [k for k, f in cls.struct_fields.items() if f.default in (_MISSING, None)]

    def __init__(self, **fields):
        unknown = [k for k in fields if k not in self.struct_fields]
        if unknown:
            raise TypeError(f"{type(self).__name__} has no field {unknown[0]!r}; it has {', '.join(self.struct_fields)}")
        for name, field in self.struct_fields.items():
            if name not in fields and field.default is _MISSING:
                raise TypeError(f"{type(self).__name__}() is missing the field {name!r}")
            setattr(self, name, fields.get(name, field.default))

    @classmethod
    def get_field(cls, name):
        """The Field of that name. Raises KeyError."""
        return cls.struct_fields[name]

    @property
    def ctypes_struct(self):
        """The structure as C has it."""
        values = {f.name: f.ctypes_value(getattr(self, name)) for name, f in self.struct_fields.items()}
        return self.ctypes_class(**values)

    def pack(self):
        """Its bytes, as C has them."""
        return bytes(self.ctypes_struct)

    def __repr__(self):
        return f"{type(self).__name__}({', '.join(f'{k}={getattr(self, k)!r}' for k in self.struct_fields)})"


def described(cls):
    """A Struct's fields for the compiler: as those of a dataclass."""
    rows = []
    for name, f in cls.struct_fields.items():
        has = f.default is not _MISSING and f.default is not None
        rows.append((name, has, f.default if has else None))
    return False, False, tuple(rows)
