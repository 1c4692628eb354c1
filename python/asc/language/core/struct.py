"""Structures passed to kernels."""
class Struct:
    pass
