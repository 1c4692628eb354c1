"""The language of kernels."""
from . import adv, basic, core, fwk
from .basic import *
from .core import *
from .fwk import *
