"""What the printed modules share."""
from typing import List, Union

Mask = Union[int, List[int]]


class GlobalAddress:
    """The address of an array of the kernel's, with its dtype; x + n is n elements further."""
    __pyasc_asc__ = True


def kernel_only(name):
    raise RuntimeError(f"asc's {name}() has a meaning in kernels only: call it in a function under @asc.jit")
