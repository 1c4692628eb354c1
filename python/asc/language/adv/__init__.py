"""Mathematics, softmax, normalisation, quantisation, sorting, and the Matmul object."""
from . import _adv, _adv_sort, matmul, tiling, types
from ._adv import *
from ._adv_sort import *
from .matmul import *
from .matmul import MatrixOffset
from .tiling import *
from .types import *

__all__ = [*_adv.__all__, *_adv_sort.__all__, *matmul.__all__, *tiling.__all__, *types.__all__]
