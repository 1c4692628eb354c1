"""The Ascend C operations, one name at a time."""
from . import _cube, _list, _move, _sync, _vec
from ._cube import *
from ._list import *
from ._move import *
from ._sync import *
from ._vec import *

__all__ = [*_vec.__all__, *_move.__all__, *_sync.__all__, *_list.__all__, *_cube.__all__]
