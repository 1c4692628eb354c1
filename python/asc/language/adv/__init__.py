"""Mathematics, softmax, normalisation, quantisation, sorting, and the Matmul object."""
from . import _adv, tiling, types
from ._adv import *
from .tiling import *
from .types import *

__all__ = [*_adv.__all__, *tiling.__all__, *types.__all__]
