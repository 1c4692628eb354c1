"""TPipe, queues and buffers."""
from . import _fwk
from ._fwk import *

__all__ = _fwk.__all__
