"""Types, tensors, enumerations and parameters."""
from . import _core, aipp_types, dtype, enums, tensor, types
from ._core import *
from .aipp_types import *
from .constexpr import ConstExpr
from .dtype import *
from .dtype import DataType
from .enums import *
from .properties import DEFAULT_C0_SIZE, ONE_BLK_SIZE, TOTAL_L0C_SIZE, TOTAL_L1_SIZE
from .range import range, static_range
from .tensor import *
from .types import *

__all__ = ["ConstExpr", "DataType", "DEFAULT_C0_SIZE", "ONE_BLK_SIZE", "TOTAL_L0C_SIZE", "TOTAL_L1_SIZE", "range",
           "static_range", *dtype.__all__, *enums.__all__, *types.__all__, *aipp_types.__all__, *_core.__all__,
           *(n for n in tensor.__all__ if n not in _core.__all__ and n != "BaseTensor")]
