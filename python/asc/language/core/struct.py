"""Structures passed to kernels."""


class _Words:
    """The fields of a Struct as one array, which kernels read: integers as they are, floats by their bits."""

    def __get__(self, instance, cls):
        if instance is None:
            return self
        import struct
        import numpy as np
        words = []
        for value in vars(instance).values():
            if isinstance(value, float):
                words.append(struct.unpack("<q", struct.pack("<d", value))[0])
            else:
                words.append(0 if isinstance(value, Struct) else int(value))
        return np.array(words, np.int64)


class Struct:
    __pyasc_words__ = _Words()
