"""pyasc: kernels in plain Python, at native speed on this machine."""
from math import e, inf, nan, pi

from ._core import Kernel, empty_cache, memory_stats, reset_peak
from ._dtype import *  # noqa: F401,F403
from ._errors import CompileError, RaceError, UninitializedReadError
from ._jit import jit, kernel, overload
from ._lang import *  # noqa: F401,F403
from ._linear import *  # noqa: F401,F403
from ._maps import *  # noqa: F401,F403
from ._methods import *  # noqa: F401,F403
from ._move import *  # noqa: F401,F403
from ._random import *  # noqa: F401,F403
from ._reduce import *  # noqa: F401,F403
from ._sort import *  # noqa: F401,F403
from ._stream import *  # noqa: F401,F403
from ._sync import *  # noqa: F401,F403
from ._tensor import *  # noqa: F401,F403

__version__ = "0.1.0"
__array_api_version__ = "2024.12"
newaxis = None


def __getattr__(name):
    """pyasc.bool, which `import *` leaves alone."""
    if name == "bool":
        return bool_
    raise AttributeError(f"module 'pyasc' has no attribute {name!r}")
